"""A closed mesh that touches others as a tree of balls (V-22)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gelenk.arguments import friendly
from gelenk.checks import check_count
from gelenk.errors import InputError
from gelenk.geometry.mass import MassProperties
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import Triangles

MOST_LEVELS = 7


@friendly
@dataclass(frozen=True, slots=True)
class SphereTree:
    """The body of a mesh for mass and drawing, and balls in the cells of an octree around it for contact.

    The balls hold the body and stand out from it by less than the diagonal of a cell of the last level,
    sqrt(3) (longest extent) / 2^levels. How they are found is in :mod:`gelenk.geometry.ball_tree`.

    Parameters
    ----------
    mesh : TriangleMesh
    levels : int
        Level of detail, 1 to 7: how often the cube around the mesh is halved.
    """

    kind: ClassVar[str] = "sphere_tree"
    mesh: TriangleMesh
    levels: int = 5

    def __post_init__(self) -> None:
        if not isinstance(self.mesh, TriangleMesh):
            found, remedy = f"mesh is {self.mesh!r}"[:160], "Make a mesh, or load one by gk.load_mesh."
            raise InputError("sphere tree", found, "gk.TriangleMesh", remedy)
        levels = check_count("sphere tree", "levels", self.levels, least=1, most=MOST_LEVELS)
        object.__setattr__(self, "levels", levels)

    def mass_properties(self, density: float) -> MassProperties:
        """Those of the mesh, for a density [kg/m^3]."""
        return self.mesh.mass_properties(density)

    def triangles(self, resolution: int = 0) -> Triangles:
        """Those of the mesh."""
        return self.mesh.triangles()
