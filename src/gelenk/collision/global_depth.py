"""The shortest way out of an overlap of two bodies made of convex pieces (V-27).

Depths of pairs of pieces do not tell it: a block squeezed in a U is pushed by each leg against the other. A move t of B
parts the bodies if it lies in no Minkowski difference of a piece of A and one of B:

    depth = min |t|   with, for each pair (i, j), one face f of its difference such that  n_f . t >= d_f

A search over which face it is for which pair finds the least one:

    the shortest t that passes the faces chosen so far; none yet: t = 0
    it lies in no difference: no choice has a shorter one, this is the depth
    else take the difference that it lies in deepest: one branch for each of its faces

Branches wait in the order of a lower bound of their |t|, so the first free one is the shortest of all; every branch has
also a way out straight on along its t, the shortest of which is an upper bound. Exact for polyhedra, to round-off.

Source: G. Varadhan, D. Manocha, Accurate Minkowski sum approximation of polyhedral models, Graphical Models 68 (2006),
on the union of the differences of convex pieces; A. Land, A. Doig, An automatic method of solving discrete programming
problems, Econometrica 28 (1960), on the search.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from itertools import combinations, count
from typing import NamedTuple

import numpy as np

from gelenk.collision.polytope import Polytope, difference
from gelenk.geometry.mass import FloatArray

ROUND_OFF = 1e-12  # of the sizes: a t no deeper than this in a difference is out of it
PARALLEL = 1e-12  # squared sine of the angle, or volume, below which planes have no common point to be found
MOST_BRANCHES = 10_000


class WayOut(NamedTuple):
    """How two bodies come apart by the shortest straight move."""

    move: FloatArray  # (3,) of the second body, world axes [m]
    depth: float  # its length [m]; 0 if they do not overlap
    least: float  # no shorter move than this parts them [m]: as the depth, unless pieces are curved or very many


class _Differences:
    """Minkowski differences of all pairs of pieces that a move can meet which is no longer than out of the box."""

    def __init__(self, A: Sequence[Polytope], B: Sequence[Polytope]) -> None:
        (low_A, high_A), (low_B, high_B) = _boxes(A), _boxes(B)
        low, high = low_A[:, None] - high_B, high_A[:, None] - low_B  # boxes of the differences
        reach = max(float(np.minimum(high.max(axis=(0, 1)), -low.min(axis=(0, 1))).min()), 0.0)
        near = np.linalg.norm(np.maximum(np.maximum(low, -high), 0.0), axis=2) <= reach
        planes = [np.array([p.normal is not None for p in pieces]) for pieces in (A, B)]
        near &= ~(planes[0][:, None] & planes[1])
        faces = [difference(A[i], B[j]) for i, j in np.argwhere(near).tolist()]
        self.first = np.cumsum([0, *(len(f.d) for f in faces)])
        self.n = np.concatenate([np.zeros((0, 3)), *(f.n for f in faces)])
        self.d = np.concatenate([np.zeros(0), *(f.d for f in faces)])
        self.slack = ROUND_OFF * max(float(np.abs(p.vertices).max()) for p in (*A, *B))

    def deepest(self, t: FloatArray) -> int:
        """The difference that t lies deepest in, -1 if in none."""
        if not len(self.d):
            return -1
        depth = np.minimum.reduceat(self.d - self.n @ t, self.first[:-1])
        best = int(np.argmax(depth))
        return best if depth[best] > self.slack else -1

    def straight_out(self, u: FloatArray, s: float) -> float:
        """Least way along the unit vector u from s on that is in no difference.

        The ray is in a difference from the last plane that it enters to the first one that it leaves.
        """
        rate, first = self.n @ u, self.first[:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            at = self.d / rate
        leave = np.minimum.reduceat(np.where(rate > 0.0, at, np.inf), first)
        beside = np.where((rate == 0.0) & (self.d <= 0.0), np.inf, -np.inf)
        enter = np.maximum.reduceat(np.where(rate < 0.0, at, beside), first)
        while True:
            holds = (enter < s + self.slack) & (leave > s + self.slack)
            if not holds.any():
                return s
            s = float(leave[holds].max())


def way_out(A: Sequence[Polytope], B: Sequence[Polytope], most: int = MOST_BRANCHES) -> WayOut:
    """Shortest move of the pieces B that parts them from all pieces A. ``most``: branches looked at; then the best."""
    pairs, order = _Differences(A, B), count()
    best, length = np.zeros(3), np.inf
    # a lower bound, a running number, the faces chosen
    waiting: list[tuple[float, int, tuple[int, ...]]] = [(0.0, next(order), ())]
    looked, least = 0, 0.0
    while waiting and waiting[0][0] < length - pairs.slack and looked < most:
        bound, _, chosen = heapq.heappop(waiting)
        least, looked = max(least, bound), looked + 1
        t = shortest_beyond(pairs.n[list(chosen)], pairs.d[list(chosen)], pairs.slack)
        if t is None:
            continue
        size = float(np.linalg.norm(t))
        if waiting and size > max(bound, waiting[0][0]) + pairs.slack:
            heapq.heappush(waiting, (size, next(order), chosen))
            continue
        pair = pairs.deepest(t)
        if pair < 0:
            best, length = (t, size) if size < length else (best, length)
            continue
        faces = np.arange(pairs.first[pair], pairs.first[pair + 1])
        for u in [t / size] if size > 0.0 else pairs.n[faces]:
            s = pairs.straight_out(u, size)
            if s < length:
                best, length = u * s, s
        bounds = np.hypot(size, np.maximum(pairs.d[faces] - pairs.n[faces] @ t, 0.0))
        for f in np.flatnonzero(bounds < length).tolist():
            heapq.heappush(waiting, (float(bounds[f]), next(order), (*chosen, int(faces[f]))))
    if not waiting or waiting[0][0] >= length - pairs.slack:
        least = length
    return WayOut(best, float(length), float(min(least, length)))


def shortest_beyond(n: FloatArray, d: FloatArray, slack: float) -> FloatArray | None:
    """Shortest t with  n_k . t >= d_k  for all k, or none, if it is known to lie on the last of these planes.

    It is the shortest one on that plane and up to two others, t = N^T l  with  N N^T l = d,  unit normals N: the
    shortest of those that pass all. One whose pushes l are all positive is the answer at once (Kuhn, Tucker).
    """
    if not len(d):
        return np.zeros(3)
    best, least = None, np.inf
    for size in range(min(len(d), 3)):
        rows = np.array([(*others, len(d) - 1) for others in combinations(range(len(d) - 1), size)])
        N = n[rows]
        gram = N @ N.transpose(0, 2, 1)
        sound = np.linalg.det(gram) > PARALLEL
        push = np.linalg.solve(gram[sound], d[rows[sound]][..., None])[..., 0]
        t = (push[..., None] * N[sound]).sum(axis=1)
        length = np.linalg.norm(t, axis=1)
        length[(t @ n.T < d - slack).any(axis=1)] = np.inf
        k = int(np.argmin(length)) if len(length) else -1
        if k >= 0 and length[k] < least:
            best, least = t[k], float(length[k])
            if (push[k] >= 0.0).all():
                return best
    return best


def _boxes(pieces: Sequence[Polytope]) -> tuple[FloatArray, FloatArray]:
    low = [p.vertices.min(axis=0) if p.normal is None else np.full(3, -np.inf) for p in pieces]
    high = [p.vertices.max(axis=0) if p.normal is None else np.full(3, np.inf) for p in pieces]
    return np.array(low), np.array(high)
