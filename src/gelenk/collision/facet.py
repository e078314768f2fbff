"""A triangle of a surface with what lies around it, as contact with meshes and height fields needs it."""

from __future__ import annotations

from typing import NamedTuple

from gelenk.math.vec3 import Vec3


class Facet(NamedTuple):
    """A triangle, its normal, and how far normals of contact may lean over its sides; shape axes, from its origin.

    Over the inner area a contact has the normal n. Over a side it has one on the arc from n to that of the side: the
    normal of the neighbour where the surface bends away, n itself where it is flat or bends inward, so that nothing
    catches there, and  side x n,  level and outward, where the surface ends. So neighbours agree on every shared side.
    """

    p: Vec3  # corners, counter-clockwise from outside [m]
    q: Vec3
    s: Vec3
    n: Vec3  # unit normal, outward
    n_pq: Vec3  # farthest normal over the side p q
    n_qs: Vec3
    n_sp: Vec3
    tips: int  # bit k: around corner k (p, q, s) no side bends inward and not all are flat, so it can touch as a tip
