"""Contact of a body with a static mesh by segments (B-19, B-20).

A contact is a point D of the body and a segment from it to a point E inside the body. It is closed where the segment
comes out of a triangle: D behind it, E before it. The contact point D' is the crossing, the normal that of the
triangle, the depth the way from D to D'. Of several crossings the deepest counts, the safe one in a hollow edge.

All triangles that a segment can meet lie in one ball about the segments. They are found with a somewhat larger ball,
and again only when the ball about the segments has left that one. At each pose, those in the box around all segments
are tested with each of them, such that no segment slips between two triangles.

A segment wholly behind the surface meets nothing. Where it was closed before and a triangle lies beyond its end, within
one more length of it, it is reported as lost: the body has gone through the surface.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_count, check_number
from gelenk.collision.broad.bounds import box_of_segment, get_box
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_build import empty_box, put_box
from gelenk.collision.mesh_nearest import mesh_in_ball
from gelenk.collision.mesh_table import Meshes
from gelenk.collision.mesh_tree import leaf_box
from gelenk.collision.triangle_ray import line_triangle, sheared_line
from gelenk.compile import helper, kernel, routine
from gelenk.errors import InputError
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3, vec3

# states of a segment
OPEN = 0
CLOSED = 1
LOST = 2  # gone through the surface with its whole length

BEYOND = 2.0  # a lost segment is looked for up to this many of its lengths from D

SEGMENT_CONTACT = np.dtype(
    [
        ("state", "u4"),
        ("t", "u4"),  # triangle, or NONE
        ("point", "f8", (3,)),  # D', mesh axes [m]
        ("n", "f8", (3,)),  # unit normal of the triangle, mesh axes
        ("depth", "f8"),  # |D D'| [m]
    ]
)


class Segments(NamedTuple):
    """Segments of one body, what they touched last, and the triangles near them."""

    tail: np.ndarray  # (n, 3) points D, body axes from the origin of the body [m]
    way: np.ndarray  # (n, 3) E - D
    centre: np.ndarray  # (1, 3) of the ball about all segments, body axes [m]
    radius: np.ndarray  # (2,) of that ball, and of the larger one that triangles are found with [m]
    contact: np.ndarray  # (n,) SEGMENT_CONTACT
    closed: np.ndarray  # (n,) uint32 the closed ones, in rising order
    counts: np.ndarray  # (3,) int64 how many are closed, how many triangles are in the ball and in the box
    leaf: np.ndarray  # (m,) uint32 places of those in the ball in the leaves of the mesh
    leaf_box: np.ndarray  # (m, 6) their boxes [m]
    in_box: np.ndarray  # (m,) uint32 rows of ``leaf`` of those in the box
    found_at: np.ndarray  # (1, 3) centre of the ball they were found with, mesh axes; infinite before the first time


def new_segments(meshes: Meshes, index: int, points: ArrayLike, ends: ArrayLike, *, margin: float = 0.25) -> Segments:
    """Segments of one body against one mesh of a table.

    Parameters
    ----------
    meshes, index
        The mesh.
    points : (n, 3) [m]
        Points D of the body where it touches, body axes.
    ends : (n, 3) [m]
        Ends of the segments inside the body. Give each more length than the body can sink in within a step.
    margin : float
        By which the ball that finds triangles is larger than the ball about the segments, as a share of the latter.
    """
    i = check_count("segments", "index", index, least=0, most=len(meshes.mesh) - 1)
    share = check_number("segments", "margin", margin, "1", least=0)
    tail, head = (_points(what, p) for what, p in (("points", points), ("ends", ends)))
    if tail.shape != head.shape:
        found = f"{len(tail)} points and {len(head)} ends"
        raise InputError("segments", found, "one end for each point", "Give both as rows of three numbers.")
    way = head - tail
    if not (np.abs(way).max(axis=1) > 0.0).all():
        bad = int(np.flatnonzero(np.abs(way).max(axis=1) == 0.0)[0])
        raise InputError(
            "segments", f"segment {bad} has no length", "ends apart from their points", "Put its end inside the body."
        )
    far = np.concatenate((tail, tail + BEYOND * way))
    centre = 0.5 * (far.min(axis=0) + far.max(axis=0))
    radius = math.sqrt(((far - centre) ** 2).sum(axis=1).max())
    size = int(meshes.mesh[i].face_count)
    contact = np.zeros(len(tail), SEGMENT_CONTACT).view(np.recarray)
    contact.t = NONE
    return Segments(
        tail,
        way,
        centre.reshape(1, 3),
        np.array([radius, (1.0 + share) * radius]),
        contact,
        np.zeros(len(tail), np.uint32),
        np.zeros(3, np.int64),
        np.zeros(size, np.uint32),
        np.zeros((size, 6)),
        np.zeros(size, np.uint32),
        np.full((1, 3), math.inf),
    )


def _points(what: str, points: ArrayLike) -> np.ndarray:
    table: Any = np.array(points, dtype=np.float64, order="C")
    if table.ndim != 2 or table.shape[1] != 3 or not len(table) or not np.isfinite(table).all():
        found = f"{what} of shape {table.shape}" + ("" if np.isfinite(table).all() else ", not all finite")
        raise InputError("segments", found, "(n, 3) finite numbers [m]", "Give x, y, z for each segment.")
    return table


@routine
def find_near_triangles(segments, meshes, index, centre):
    """All triangles in the larger ball about a place in mesh axes."""
    count = mesh_in_ball(meshes, index, centre, segments.radius[1], segments.leaf)
    for i in range(count):
        put_box(segments.leaf_box, i, 0, leaf_box(meshes, segments.leaf[i]))
    segments.counts[1] = count
    segments.found_at[0, 0], segments.found_at[0, 1], segments.found_at[0, 2] = centre.x, centre.y, centre.z


@helper
def still_near(segments, centre):
    """Whether the ball about the segments lies in the one that the triangles were found with."""
    found_at = get3(segments.found_at, 0)
    return found_at.x < math.inf and (centre - found_at).norm() + segments.radius[0] <= segments.radius[1]


@helper
def reached_box(p, d, slack):
    """Box around a segment and as much again."""
    return box_of_segment(p, p + d * BEYOND, slack)


@routine
def keep_those_in_box(segments, box):
    """Triangles of the ball that come into the box around all segments."""
    count = 0
    for i in range(segments.counts[1]):
        if box.meets(get_box(segments.leaf_box, i)):
            segments.in_box[count] = i
            count += 1
    segments.counts[2] = count


@routine
def deepest_crossing(segments, meshes, p, d, slack):
    """Largest place in 0..1 where p + s d comes out of a triangle, that triangle, and the first such place beyond 1."""
    deepest, hit, beyond = -1.0, np.int64(NONE), math.inf
    line, reached = sheared_line(p, d), reached_box(p, d, slack)
    for j in range(segments.counts[2]):
        i = segments.in_box[j]
        if reached.meets(get_box(segments.leaf_box, i)):
            k = np.int64(segments.leaf[i])
            s, facing = line_triangle(line, meshes.corner, k)
            if facing > 0.0 and s >= 0.0:
                if s > 1.0:
                    beyond = min(beyond, s)
                elif s > deepest or (s == deepest and meshes.leaf_face[k] < meshes.leaf_face[hit]):
                    deepest, hit = s, k
    return deepest, hit, beyond


@routine
def segments_mesh(segments, meshes, index, p_MB, R_MB):
    """Contacts of a body at p_MB, with axes R_MB, in mesh axes; returns how many are closed."""
    centre = p_MB + R_MB @ get3(segments.centre, 0)
    if not still_near(segments, centre):
        find_near_triangles(segments, meshes, index, centre)
    mesh, closed = meshes.mesh[index], 0
    slack = 1e-15 * (mesh.reach + p_MB.norm() + segments.radius[0])
    around = empty_box()
    for i in range(segments.tail.shape[0]):
        p, d = p_MB + R_MB @ get3(segments.tail, i), R_MB @ get3(segments.way, i)
        around = around.around(reached_box(p, d, slack))
    keep_those_in_box(segments, around)
    for i in range(segments.tail.shape[0]):
        p, d = p_MB + R_MB @ get3(segments.tail, i), R_MB @ get3(segments.way, i)
        s, hit, beyond = deepest_crossing(segments, meshes, p, d, slack)
        contact = segments.contact[i]
        if hit == NONE:
            was_closed = contact.state != OPEN
            contact.state, contact.t, contact.depth = LOST if was_closed and beyond <= BEYOND else OPEN, NONE, 0.0
        else:
            t = np.int64(meshes.leaf_face[hit])
            n, point = get3(meshes.outward, np.int64(mesh.face) + t), p + d * s
            contact.state, contact.t, contact.depth = CLOSED, t, s * d.norm()
            contact.point[0], contact.point[1], contact.point[2] = point.x, point.y, point.z
            contact.n[0], contact.n[1], contact.n[2] = n.x, n.y, n.z
            segments.closed[closed] = i
            closed += 1
    segments.counts[0] = closed
    return closed


@kernel
def segments_mesh_along(segments, meshes, index, p_MB, R_MB, closed_out):
    """Contacts at many poses one after the other, (k, 3) and (k, 3, 3): the numbers of closed ones; the last stay."""
    for i in range(p_MB.shape[0]):
        closed_out[i] = segments_mesh(segments, meshes, index, get3(p_MB, i), get33(R_MB, i))


def closed_segments(segments: Segments, meshes: Meshes, index: int, p_MB: ArrayLike, R_MB: ArrayLike) -> np.ndarray:
    """Which segments are closed at a pose of the body in mesh axes; details are in ``segments.contact``.

    Parameters
    ----------
    p_MB : (3,) [m]
        Origin of the body.
    R_MB : (3, 3)
        Rotation matrix, body axes to mesh axes.
    """
    p = np.array([vec3(p_MB)])
    R = np.array(R_MB, dtype=np.float64).reshape(1, 3, 3)
    count = np.zeros(1, np.int64)
    segments_mesh_along(segments, meshes, index, p, R, count)
    return segments.closed[: count[0]].copy()
