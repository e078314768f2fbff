"""A surface through sections of a track: straight from section to section, with normals that turn evenly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gelenk.compile import helper, routine
from gelenk.errors import InputError
from gelenk.math.vec3 import get3


class RuledTrack(NamedTuple):
    """Sections in vertical planes across the track, each a polyline from left to right.

    Where the surface is comes from straight lines between the sections and between their points; where it faces, from
    normals at the points, which are those of central differences along and across, so smoothed over the neighbours.
    Where points coincide, the nearest normal across counts.
    """

    corner: np.ndarray  # (n, m, 3) [m]
    normal: np.ndarray  # (n, m, 3) unit, out of the ice
    centre: np.ndarray  # (n, 3) points of the track line [m]
    forward: np.ndarray  # (n, 3) level unit normals of the planes
    s: np.ndarray  # (n,) arc length [m]


def ruled_track(s: ArrayLike, points: ArrayLike, centre: ArrayLike, forward: ArrayLike) -> RuledTrack:
    """The surface through (n, m, 3) points of n sections, ordered from the driver's left to the right."""
    p = np.ascontiguousarray(points, dtype=np.float64)
    if p.ndim != 3 or p.shape[0] < 3 or p.shape[1] < 3 or p.shape[2] != 3:
        raise InputError("ruled track", f"points of shape {p.shape}", "(n, m, 3) with n and m above 2", "Add some.")
    normal = np.cross(np.gradient(p, axis=1), np.gradient(p, axis=0))
    length = np.linalg.norm(normal, axis=2)
    good = length > 1e-9
    if not good.any(axis=1).all():
        i = int(np.argmin(good.any(axis=1)))
        raise InputError("ruled track", f"all points of section {i} coincide", "points apart", "Correct it.")
    index = np.arange(p.shape[1])
    nearest = np.array([index[row][np.abs(index[:, None] - index[row]).argmin(axis=1)] for row in good])
    normal = np.take_along_axis(normal / np.maximum(length, 1e-9)[:, :, None], nearest[:, :, None], axis=1)
    rest = (np.ascontiguousarray(x, dtype=np.float64) for x in (centre, forward, s))
    return RuledTrack(p, np.ascontiguousarray(normal), *rest)


@helper
def before_plane(track, i, r):
    """How far a point lies before the plane of section i [m]."""
    return (r - get3(track.centre, i)) @ get3(track.forward, i)


@helper
def lerp(a, b, t):
    """Point between two vectors."""
    return a + (b - a) * t


@routine
def find_gap(track, r, i):
    """Where a point is over the surface, searched from section i on.

    Returns its section i, the share of the way to the next, the gap to the surface along its normal [m], the normal.
    """
    last = np.int64(track.s.shape[0]) - 2
    while i < last and before_plane(track, i + 1, r) >= 0.0:
        i += 1
    while i > 0 and before_plane(track, i, r) < 0.0:
        i -= 1
    ahead, behind = before_plane(track, i, r), before_plane(track, i + 1, r)
    share = min(max(ahead / (ahead - behind), 0.0), 1.0)
    here, there = track.corner[i], track.corner[i + 1]
    nearest, at, part = np.inf, 0, 0.0
    b = lerp(get3(here, 0), get3(there, 0), share)
    for k in range(track.corner.shape[1] - 1):
        a, b = b, lerp(get3(here, k + 1), get3(there, k + 1), share)
        way = b - a
        t = min(max(((r - a) @ way) / max(way @ way, 1e-30), 0.0), 1.0)
        off = r - (a + way * t)
        if off @ off < nearest:
            nearest, at, part = off @ off, k, t
    left = lerp(get3(here, at), get3(there, at), share)
    right = lerp(get3(here, at + 1), get3(there, at + 1), share)
    here, there = track.normal[i], track.normal[i + 1]
    n_left = lerp(get3(here, at), get3(there, at), share)
    n_right = lerp(get3(here, at + 1), get3(there, at + 1), share)
    n = lerp(n_left, n_right, part)
    n = n * (1.0 / n.norm())
    return i, share, (r - lerp(left, right, part)) @ n, n


@helper
def track_forward(track, i):
    """Direction of the track line from section i to the next."""
    f = get3(track.centre, i + 1) - get3(track.centre, i)
    return f * (1.0 / f.norm())
