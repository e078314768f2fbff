"""Several shapes as one: a body of primitives, or the convex pieces of a mesh (V-32, H-61)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import Quaternion, Vector, check_quaternion, check_vector
from gelenk.errors import InputError
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.mass import MassProperties, combine
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import DRAWN_RESOLUTION, SHAPES, Shape, Triangles
from gelenk.geometry.sphere_tree import SphereTree
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix

# Name in a scene file -> class, for all that a compound may hold.
SIMPLE_SHAPES: dict[str, type[Shape]] = {
    **SHAPES,
    **{shape.kind: shape for shape in (TriangleMesh, ConvexHull, HeightField, SphereTree, DistanceMap)},
}

Child = tuple[Shape, Vector, Quaternion]


@friendly
@dataclass(frozen=True, slots=True, init=False)
class Compound:
    """Shapes rigidly joined. Each counts in full for the mass, so children are meant not to overlap.

    It differs from a list of parts in that it is one value: with one density and material, placed and shared as a
    whole. Compounds among the children are dissolved into theirs.

    Parameters
    ----------
    children : sequence
        Shapes, or tuples (shape, at), or (shape, at, rotation): where it sits in the frame of the compound [m], and
        the unit quaternion w x y z that takes axes of the shape to axes of the compound.
    element : str
        Kind and name for messages.
    """

    kind: ClassVar[str] = "compound"
    children: tuple[Child, ...]

    def __init__(self, children: Sequence[Any], *, element: str = "compound") -> None:
        object.__setattr__(self, "children", tuple(_children(element, children)))

    def mass_properties(self, density: float) -> MassProperties:
        """Sum over the children, each filled with ``density`` [kg/m^3]."""
        return combine([shape.mass_properties(density).moved(at, rotation_matrix(q)) for shape, at, q in self.children])

    def triangles(self, resolution: int = DRAWN_RESOLUTION) -> Triangles:
        """Surfaces of all children, one after the other; inner walls where they touch are among them."""
        vertices, triangles, first = [], [], 0
        for shape, at, q in self.children:
            v, t = shape.triangles(resolution)
            vertices.append(np.array(at) + v @ rotation_matrix(q).T)
            triangles.append(t + np.uint32(first))
            first += len(v)
        return np.concatenate(vertices), np.concatenate(triangles)

    def __repr__(self) -> str:
        kinds = [shape.kind for shape, _, _ in self.children]
        return f"Compound({', '.join(f'{kinds.count(kind)} {kind}' for kind in dict.fromkeys(kinds))})"


ALL_SHAPES: dict[str, type[Shape]] = {**SIMPLE_SHAPES, Compound.kind: Compound, LoftedSheet.kind: LoftedSheet}


def meshes_of(shape: Shape) -> Iterator[TriangleMesh]:
    """All meshes that a shape is made of."""
    for inner in [child for child, _, _ in shape.children] if isinstance(shape, Compound) else [shape]:
        if isinstance(inner, (SphereTree, DistanceMap)):
            yield inner.mesh
        elif isinstance(inner, TriangleMesh):
            yield inner


def _children(element: str, given: Any) -> Iterator[Child]:
    """Checked, and those of compounds in place of them:  p = p_C + R_C p_S,  q = q_C q_S."""
    if isinstance(given, Shape) or not isinstance(given, (list, tuple)) or not given:
        raise InputError(
            element,
            "there are no children" if isinstance(given, (list, tuple)) else f"children are {given!r}"[:160],
            "one shape or more, in a list",
            "Give [(shape, at, rotation), ...]; at and rotation may be left out.",
        )
    for i, item in enumerate(given):
        child = f"child {i} of {element}"
        row = item if isinstance(item, (list, tuple)) else (item,)
        if not 1 <= len(row) <= 3 or not isinstance(row[0], (*SIMPLE_SHAPES.values(), Compound)):
            known = ", ".join((*SIMPLE_SHAPES, Compound.kind))
            allowed = f"a shape, (shape, at) or (shape, at, rotation); shapes: {known}"
            placed = all(hasattr(item, field) for field in ("shape", "at", "rotation"))  # a part of a body
            remedy = "Pass (part.shape, part.at, part.rotation)." if placed else "Pass a shape object."
            raise InputError(child, f"it is {item!r}"[:160], allowed, remedy)
        at = check_vector(child, "at", row[1] if len(row) > 1 else (0.0, 0.0, 0.0), "m")
        q = check_quaternion(child, "rotation", row[2] if len(row) > 2 else (1.0, 0.0, 0.0, 0.0))
        shape: Any = row[0]
        if isinstance(shape, Compound):
            for inner, at_S, q_S in shape.children:
                x, y, z = (np.array(at) + rotation_matrix(q) @ at_S).tolist()
                yield inner, (x, y, z), check_quaternion(child, "rotation", Quat(*q) * Quat(*q_S))
        else:
            yield shape, at, q
