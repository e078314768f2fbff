"""Scratch of pairs with a surface."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.manifold import new_points

FINDING = np.dtype(
    [
        ("m", "f8", (3,)),  # normal, axes of the surface
        ("d", "f8"),  # least distance [m]
        ("aside", "f8"),  # its d while it is left out of account, else 0 [m]
        ("low", "f8"),  # how far down the solid reaches along m, from the origin of the surface [m]
        ("row", "u4"),  # which of the candidates
        ("place", "u4"),  # FACE, SIDE + k, TIP + k
        ("regular", "u4"),  # 1: nothing of the solid reaches farther down along m than what lies over this place
        ("gone", "u4"),
    ]
)


LEFT_OUT = 3  # where ``counts`` says how many candidates had no room
LISTED = 8  # and how many candidates there are
SPLITS = 128  # rows of ``stack``


class SurfaceWork(NamedTuple):
    """Scratch of one pair at a time."""

    found: np.ndarray  # (c,) uint32 candidates: triangles near the solid
    unsettled: np.ndarray  # (c,) uint32 rows of those near it without a finding
    found_b: np.ndarray  # (c or more,) uint32 those of the other surface, or along the way of a solid
    corners: np.ndarray  # (c, 9) their corners, axes of the surface [m]
    outward: np.ndarray  # (c, 3) and normals
    met: np.ndarray  # (c,) uint32 whether the solid meets them, if that was asked: see ``narrow/meeting.py``
    vertex: np.ndarray  # (c, 3) uint32 numbers of their corners
    bucket: np.ndarray  # (b, 3) int64 corners by number, b a power of two: see ``narrow/fans.py``
    after: np.ndarray  # (8 c,) int64 the next candidate at the same corner, or the next point at nearly the same place
    order: np.ndarray  # (2 f,) uint32 findings, better ones first, and those that clear others
    stack: np.ndarray  # (SPLITS, 3) boxes that are still to be looked at
    corner: np.ndarray  # (k, 3) underside of the solid
    number: np.ndarray  # (k,) uint32
    last: np.ndarray  # (8,) direction that the underside is seen along, how many corners, its normal, how low it is
    polygon: np.ndarray  # (2, k + 4, 4) for cutting
    arc: np.ndarray  # (64, 5) search along an arc: cosine, sine, lowest point of the solid
    finding: np.ndarray  # (f,) FINDING
    pool: np.ndarray  # (p,) POINT, axes of the surface; b[0]: group, b[1]: finding
    walk: np.ndarray  # (320, 2) int64 nodes of two trees still to be looked at
    pierce: np.ndarray  # (c, 5) sides that pass through the other surface: which, triangle, side, place, direction;
    # of a surface and a convex solid: sides that the solid misses: candidate, side, depth
    counts: (
        np.ndarray
    )  # (9,) int64: findings, points, bits, what had no room, loaded, unsettled, uses, missed, candidates
    inside: np.ndarray  # (4,) int64 of two surfaces: may overlap, corners of A in B, corners of B in A, sides piercing


def new_surface_work(candidates: int = 4096, corners: int = 32, along: int = 0) -> SurfaceWork:
    """Room for pairs in which at most ``candidates`` triangles are near; ``corners``: of the largest face of a hull.

    ``along``: triangles that a way out may lead past, of which numbers alone are kept: 4 bytes each, not 1.5 kB.
    """
    k = max(corners, 16)
    buckets = 16
    while buckets < 16 * candidates:
        buckets *= 2
    return SurfaceWork(
        np.zeros(candidates, np.uint32),
        np.zeros(candidates, np.uint32),
        np.zeros(max(candidates, along), np.uint32),
        np.zeros((candidates, 9)),
        np.zeros((candidates, 3)),
        np.zeros(candidates, np.uint32),
        np.zeros((candidates, 3), np.uint32),
        np.zeros((buckets, 3), np.int64),
        np.zeros(8 * candidates, np.int64),
        np.zeros(2 * candidates, np.uint32),
        np.zeros((SPLITS, 3)),
        np.zeros((k, 3)),
        np.zeros(k, np.uint32),
        np.zeros(8),
        np.zeros((2, 2 * k + 8, 4)),
        np.zeros((64, 5)),
        np.zeros(candidates, FINDING).view(np.recarray),
        new_points(8 * candidates),
        np.zeros((320, 2), np.int64),
        np.zeros((candidates, 5)),
        np.zeros(9, np.int64),
        np.zeros(4, np.int64),
    )
