"""Two moving convex solids at one time: their distance, and how fast their nearest points come together."""

from __future__ import annotations

from typing import NamedTuple

from gelenk.collision.epa import distance_from
from gelenk.collision.gjk import ConvexWork, core_point
from gelenk.collision.motion import point_velocity, pose_after
from gelenk.collision.narrow.plane import plane_normal
from gelenk.collision.solid import PLANE, Solid, rounding
from gelenk.compile import generic, helper, routine
from gelenk.math.vec3 import Vec3


class Sight(NamedTuple):
    """Two movers as they are at one time; world axes."""

    A: Solid
    B: Solid
    arm_A: Vec3  # centre of rotation to centre of the shape [m]
    arm_B: Vec3
    r: Vec3  # centre of A to centre of B [m]
    d: float  # signed distance [m]
    n: Vec3  # unit normal from A to B
    a: Vec3  # nearest points, from the own centre [m]
    b: Vec3


@helper
def from_other_side(sight):
    """The same with A and B changed over."""
    return Sight(sight.B, sight.A, sight.arm_B, sight.arm_A, -sight.r, sight.d, -sight.n, sight.b, sight.a)


@routine
def outmost(solid, hulls, near, side, n):
    """Point of a bounded solid farthest along the unit vector n, from its centre."""
    return core_point(solid, hulls, near, side, n) + n * rounding(solid)


@generic
def distance_by(work, A, B, r, guess, hulls):
    """Signed distance, normal and point of A, as :func:`gelenk.collision.epa.distance_from`; by the class of work."""


@distance_by.register(ConvexWork)
def distance_by_all(work, A, B, r, guess, hulls):  # noqa: D103
    return distance_from(A, B, r, guess, hulls, work)


@routine
def pair_distance(A, B, r, guess, hulls, work):
    """Signed distance, normal and point of A, as :func:`gelenk.collision.epa.distance_from`; one may be a plane."""
    if A.kind == PLANE:
        n = plane_normal(A)
        p = r + outmost(B, hulls, work.near, 1, -n)
        return p @ n, n, p - n * (p @ n)
    if B.kind == PLANE:
        n = -plane_normal(B)
        a = outmost(A, hulls, work.near, 0, n)
        return (r - a) @ n, n, a
    return distance_by(work, A, B, r, guess, hulls)


@routine
def look(A, B, r, t_A, t_B, guess, hulls, work):
    """Movers A after the time t_A and B after t_B; r: centre of A to that of B before both."""
    solid_A, way_A, arm_A = pose_after(A.solid, A.motion, t_A)
    solid_B, way_B, arm_B = pose_after(B.solid, B.motion, t_B)
    r = r + (way_B - way_A)
    d, n, a = pair_distance(solid_A, solid_B, r, guess, hulls, work)
    return Sight(solid_A, solid_B, arm_A, arm_B, r, d, n, a, a + n * d - r)


@helper
def approach_speed(A, B, sight):
    """Speed with which the nearest points come together [m/s]; negative: they part."""
    v_A = point_velocity(A.motion, sight.arm_A, sight.a)
    return (v_A - point_velocity(B.motion, sight.arm_B, sight.b)) @ sight.n
