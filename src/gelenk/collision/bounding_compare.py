"""How many pairs of bodies apart each bounding volume rejects (V-18)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.bounding import (
    BoundingSpheres,
    Dops,
    OrientedBoxes,
    dop_directions,
    dops_meet,
    get_oriented_box,
    oriented_boxes_meet,
    placed,
    put_dop,
    spheres_meet,
)
from gelenk.collision.bounding_fit import fit_oriented_box, fit_sphere
from gelenk.collision.gjk import NOWHERE, TOUCH, gjk, new_convex_work
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.query.bounds import hull_bounds
from gelenk.collision.solid import HULL, Solid
from gelenk.compile import kernel
from gelenk.geometry.hull import ConvexHull
from gelenk.math.rotation import get33, rotation_matrix
from gelenk.math.vec3 import Vec3, get3


class Rejections(NamedTuple):
    """Counts of pairs."""

    pairs: int
    apart: int  # by their exact distance: the most that can be rejected
    sphere: int
    box: int  # axis-aligned
    dop: int
    oriented: int
    missed: int  # pairs that touch and were rejected by any of them: must be 0

    def table(self) -> str:
        """Lines of text."""
        names = {"sphere": self.sphere, "axis-aligned box": self.box, "k-DOP": self.dop, "oriented box": self.oriented}
        lines = [f"{self.pairs} pairs, {self.apart} of them apart, {self.missed} missed"]
        lines += [f"{name:<16} rejects {n:>7}  {n / max(self.apart, 1):6.1%}" for name, n in names.items()]
        return "\n".join(lines)


@kernel
def count_rejections(R, r, hulls, boxes, spheres, dops, directions, work, count_out):
    """For pairs of bodies 0 and 1 at R (n, 2, 3, 3), r from the first to the second; fields of Rejections but pairs."""
    zero = Vec3(0.0, 0.0, 0.0)
    for i in range(r.shape[0]):
        Q, S, way = get33(R[i], 0), get33(R[i], 1), get3(r, i)
        A, B = Solid(HULL, 0, Q, zero), Solid(HULL, 1, S, zero)
        work.near[0] = work.near[1] = NOWHERE
        v, _, rows, scale = gjk(A, B, way, zero, hulls, work)
        apart = rows < 4 and v.norm() > TOUCH * scale
        c = way + S @ get3(spheres.middle, 1) - Q @ get3(spheres.middle, 0)
        sphere = not spheres_meet(c, spheres.radius[0], spheres.radius[1])
        a, b = hull_bounds(hulls, 0, Q), hull_bounds(hulls, 1, S)
        box = (
            a.x > b.x_high + way.x
            or b.x + way.x > a.x_high
            or a.y > b.y_high + way.y
            or b.y + way.y > a.y_high
            or a.z > b.z_high + way.z
            or b.z + way.z > a.z_high
        )
        h, g = hulls.hull[0], hulls.hull[1]
        put_dop(dops, 0, directions, hulls.vertex, h.vertex_first, h.vertex_last, Q, zero)
        put_dop(dops, 1, directions, hulls.vertex, g.vertex_first, g.vertex_last, S, way)
        dop = not dops_meet(dops, 0, dops, 1)
        first, second = placed(get_oriented_box(boxes, 0), Q, zero), placed(get_oriented_box(boxes, 1), S, way)
        oriented = not oriented_boxes_meet(first, second)
        count_out[0] += apart
        count_out[1] += sphere
        count_out[2] += box
        count_out[3] += dop
        count_out[4] += oriented
        count_out[5] += not apart and (sphere or box or dop or oriented)


def compare_rejections(
    a: ConvexHull, b: ConvexHull, *, pairs: int = 1000, near: float = 1.5, k: int = 18, seed: int = 0
) -> Rejections:
    """Random turns of two bodies, their spheres at most ``near`` times the sum of the radii apart.

    Example: ``print(compare_rejections(hull, hull, pairs=10000).table())``.
    """
    rng = np.random.default_rng(seed)
    each = [fit_oriented_box(*hull.triangles()) for hull in (a, b)]
    boxes = OrientedBoxes(*(np.concatenate(parts) for parts in zip(*each)))
    spheres = BoundingSpheres(
        *(np.concatenate(parts) for parts in zip(*(fit_sphere(hull.vertices) for hull in (a, b))))
    )
    directions = dop_directions(k)
    dops = Dops(np.zeros((2, len(directions))), np.zeros((2, len(directions))))
    q = rng.normal(size=(pairs, 2, 4))
    R = np.ascontiguousarray(rotation_matrix(q / np.linalg.norm(q, axis=-1)[..., None]))
    way = rng.normal(size=(pairs, 3))
    way *= (near * spheres.radius.sum() * rng.random(pairs) ** (1 / 3) / np.linalg.norm(way, axis=1))[:, None]
    r = way + R[:, 0] @ spheres.middle[0] - R[:, 1] @ spheres.middle[1]
    counts = np.zeros(6, dtype=np.int64)
    hulls = pack_hulls([a, b])
    count_rejections(R, r, hulls, boxes, spheres, dops, directions, new_convex_work(), counts)
    return Rejections(pairs, *(int(n) for n in counts))
