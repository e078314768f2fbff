"""A closed mesh that touches others by a map of signed distances (V-26)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.arguments import friendly
from gelenk.checks import check_count
from gelenk.errors import InputError
from gelenk.geometry.mass import MassProperties
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import Triangles

FEWEST_CELLS, MOST_CELLS = 4, 128


@friendly
@dataclass(frozen=True, slots=True)
class DistanceMap:
    """The body of a mesh for mass and drawing, and its signed distances on a grid for contact.

    The grid is of cubes, and holds the box of the mesh and one cube around it. Between corners distances are linear
    along each axis; nowhere are they wrong by more than 0.87 of a cell, and on smooth parts by a share of its square
    over the radius. Surfaces meet at test points: the vertices, and points between them about a cell apart.

    Parameters
    ----------
    mesh : TriangleMesh
    cells : int
        How many along the longest extent, 4 to 128. Memory grows with the third power: 8 MB for 100.
    exact : bool
        Go on from where the map leads to the nearest point of the mesh itself, and take its distance and normal.
    """

    kind: ClassVar[str] = "distance_map"
    mesh: TriangleMesh
    cells: int = 32
    exact: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, TriangleMesh):
            found, remedy = f"mesh is {self.mesh!r}"[:160], "Make a mesh, or load one by gk.load_mesh."
            raise InputError("distance map", found, "gk.TriangleMesh", remedy)
        cells = check_count("distance map", "cells", self.cells, least=FEWEST_CELLS, most=MOST_CELLS)
        object.__setattr__(self, "cells", cells)
        if not isinstance(self.exact, bool):
            raise InputError("distance map", f"exact is {self.exact!r}"[:160], "true or false", "Pass a bool.")

    def mass_properties(self, density: float) -> MassProperties:
        """Those of the mesh, for a density [kg/m^3]."""
        return self.mesh.mass_properties(density)

    def triangles(self, resolution: int = 0) -> Triangles:
        """Those of the mesh."""
        return self.mesh.triangles()
