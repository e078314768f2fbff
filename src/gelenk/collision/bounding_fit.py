"""Fit bounding volumes to points (V-18): oriented box, smallest sphere, k-DOP."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gelenk.collision.bounding import SLACK, BoundingSpheres, Dops, OrientedBoxes, dop_directions
from gelenk.errors import InputError

ROUNDS = 12  # most rounds over the three axes
GAIN = 1e-3  # share of the volume that a further round must save
FLAT = 1e-9  # of the size: below this, points on a circle or sphere are on a line or plane


def check_points(points: ArrayLike) -> NDArray[np.float64]:
    """(n, 3) finite points, at least one."""
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 3 or not len(found) or not np.isfinite(found).all():
        what = f"shape {found.shape}" if np.isfinite(found).all() else "numbers that are not finite"
        raise InputError("bounding volume", what, "(n, 3) finite points, n >= 1", "Mend the points.")
    return found


# --- oriented box ----------------------------------------------------------------------------------------------------


def fit_oriented_box(points: ArrayLike, triangles: ArrayLike | None = None) -> OrientedBoxes:
    """A small box around points: principal axes first, then turned about each of its axes while that saves volume.

    The principal axes are those of the surface  C = sum over triangles of area (9 m m + p p + q q + s s) / 12 - c c,
    m their centroids, so that crowded points do not count more; of the points themselves if there are no triangles. The
    axes of the points' own frame are tried as well, since equal principal moments, as of a cube, leave them open.
    Source: S. Gottschalk, M. Lin, D. Manocha, OBBTree, SIGGRAPH 1996; for the turns H. Freeman, R. Shapira,
    Determining the minimum-area encasing rectangle for an arbitrary closed curve, Commun. ACM 18 (1975).
    """
    x = check_points(points)
    starts = (np.linalg.eigh(_covariance(x, triangles))[1], np.eye(3))
    R = min((_turned(x, start) for start in starts), key=lambda axes: _volume(x, axes))
    if np.linalg.det(R) < 0:
        R = R * np.array([1.0, 1.0, -1.0])
    low, high = (x @ R).min(axis=0), (x @ R).max(axis=0)
    half = (high - low) / 2 + SLACK * np.abs(x).max()
    return OrientedBoxes((R @ (low + high) / 2)[None], R[None].copy(), half[None])


def _covariance(x: NDArray[np.float64], triangles: ArrayLike | None) -> NDArray[np.float64]:
    """Second moments about the centroid."""
    if triangles is None:
        return np.cov(x.T, bias=True)
    corners = x[np.asarray(triangles, dtype=np.int64)]
    p, q, s = corners.swapaxes(0, 1)
    area = np.linalg.norm(np.cross(q - p, s - p), axis=1)
    if not area.sum() > 0.0:
        return np.cov(x.T, bias=True)
    m, area = corners.mean(axis=1), area / area.sum()
    c = area @ m
    m, corners = m - c, corners - c
    return (9 * np.einsum("t,ti,tj", area, m, m) + np.einsum("t,tki,tkj", area, corners, corners)) / 12


def _volume(x: NDArray[np.float64], R: NDArray[np.float64]) -> float:
    return float(np.prod(np.ptp(x @ R, axis=0)))


def _turned(x: NDArray[np.float64], R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Axes turned about one of them after the other to the smallest rectangle around what is seen along it."""
    volume = _volume(x, R)
    for _ in range(ROUNDS):
        for axis in range(3):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            c, s = _best_turn(x @ R[:, [u, v]])
            turned = R.copy()
            turned[:, u], turned[:, v] = c * R[:, u] + s * R[:, v], c * R[:, v] - s * R[:, u]
            if _volume(x, turned) < _volume(x, R):
                R = turned
        if _volume(x, R) >= (1 - GAIN) * volume:
            break
        volume = _volume(x, R)
    return R


def _best_turn(flat: NDArray[np.float64]) -> tuple[float, float]:
    """Direction of the side of the smallest rectangle around points of a plane: it lies along an edge of their hull."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        rim = flat[ConvexHull(flat).vertices]
    except QhullError:  # all on a line: any turn will do
        return 1.0, 0.0
    edge = np.roll(rim, -1, axis=0) - rim
    e = edge / np.linalg.norm(edge, axis=1)[:, None]
    along, across = rim @ e.T, rim @ np.stack([-e[:, 1], e[:, 0]])
    best = int(np.argmin(np.ptp(along, axis=0) * np.ptp(across, axis=0)))
    return float(e[best, 0]), float(e[best, 1])


# --- sphere ----------------------------------------------------------------------------------------------------------


def fit_sphere(points: ArrayLike) -> BoundingSpheres:
    """The smallest sphere around points.

    It is that of at most four of them. The point farthest outside joins these, and the smallest sphere of the five is
    found by trial; each round it grows, until nothing is outside.
    Source: B. Gaertner, Fast and robust smallest enclosing balls, ESA 1999, on the pivot rule.
    """
    x = check_points(points)
    shift = (x.min(axis=0) + x.max(axis=0)) / 2
    y = x - shift
    chosen = [int(np.argmax(np.linalg.norm(y, axis=1)))]
    middle, radius = y[chosen[0]], 0.0
    scale = np.abs(y).max()
    while True:
        distance = np.linalg.norm(y - middle, axis=1)
        farthest = int(np.argmax(distance))
        if distance[farthest] <= radius + SLACK * scale or farthest in chosen:
            break
        chosen, middle, grown = _smallest_of(y, [*chosen, farthest])
        if not grown > radius:
            break
        radius = grown
    rim = np.linalg.norm(y - middle, axis=1).max() + SLACK * np.abs(x).max()
    return BoundingSpheres((middle + shift)[None], np.array([rim]))


def _smallest_of(y: NDArray[np.float64], few: list[int]) -> tuple[list[int], NDArray[np.float64], float]:
    """Smallest sphere of at most five points, and which of them carry it. The last one does."""
    *others, last = few
    best: tuple[list[int], NDArray[np.float64], float] = (few, y[last], np.inf)
    size = float(np.abs(y[few]).max())
    for count in range(1, min(len(others), 3) + 1):
        for part in itertools.combinations(others, count):
            middle = _middle_of(y[[last, *part]], size)
            if middle is None:
                continue
            radius = float(np.linalg.norm(y[last] - middle))
            if radius < best[2] and np.linalg.norm(y[few] - middle, axis=1).max() <= radius + SLACK * size:
                best = ([last, *part], middle, radius)
    return best


def _middle_of(p: NDArray[np.float64], size: float) -> NDArray[np.float64] | None:
    """Point in the span of two to four points that is equally far from them:  2 E E' a = diag(E E'),  E the ways."""
    E = p[1:] - p[0]
    _, strength, _ = np.linalg.svd(E, full_matrices=False)
    if strength[-1] <= FLAT * size:
        return None
    G = E @ E.T
    return p[0] + np.linalg.solve(2 * G, np.diag(G)) @ E


# --- k-DOP -----------------------------------------------------------------------------------------------------------


def fit_dop(points: ArrayLike, k: int = 18) -> Dops:
    """The k-DOP of points, in their own axes."""
    x, u = check_points(points), dop_directions(k)
    along = x @ u.T
    slack = SLACK * (np.abs(x) @ np.abs(u).T).max(axis=0)
    return Dops((along.min(axis=0) - slack)[None], (along.max(axis=0) + slack)[None])
