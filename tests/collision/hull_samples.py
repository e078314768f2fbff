"""Hulls, placements, and distances by looking at every pair of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.hulls import pack_hulls
from gelenk.collision.manifold import new_memory
from gelenk.collision.solid import HULL, Solid
from gelenk.collision.vclip import vclip
from gelenk.geometry.hull import ConvexHull
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import Vec3, vec3

NO_TRACE = np.zeros((0, 2), np.uint32)


def ball(count, rng):
    p = rng.normal(size=(count, 3))
    return ConvexHull(p / np.linalg.norm(p, axis=1)[:, None])


def bodies(rng):
    """Clouds, balls, plates and bodies on a grid, whose faces and edges are often parallel."""
    lattice = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), -1).reshape(-1, 3)
    found = []
    for _ in range(5):
        count = int(rng.integers(5, 25))
        found.append(ConvexHull(rng.normal(size=(count, 3))))
        found.append(ball(count, rng))
        found.append(ConvexHull(rng.normal(size=(count, 3)) * [1.0, 0.1, 0.01]))
        found.append(ConvexHull(lattice[rng.permutation(27)[: max(count, 12)]]))
    return found


class Thin(NamedTuple):
    """A triangle or a segment with the parts of a hull that the references look at."""

    vertices: np.ndarray
    normals: np.ndarray
    edges: np.ndarray
    faces: np.ndarray

    def triangles(self):
        return self.vertices, self.faces


def triangle_of(corners):
    """Three corners, with faces on both sides."""
    n = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    n = n / np.linalg.norm(n)
    return Thin(corners, np.array([n, -n]), np.array([(0, 1), (1, 2), (2, 0)]), np.array([(0, 1, 2)]))


def segment_of(half):
    """From -half to half along z."""
    ends = np.array([(0.0, 0.0, -half), (0.0, 0.0, half)])
    return Thin(ends, np.zeros((0, 3)), np.array([(0, 1)]), np.zeros((0, 3), int))


def rotation(rng):
    q = rng.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def direction(rng):
    u = rng.normal(size=3)
    return u / np.linalg.norm(u)


def solid(table, R=None):
    return Solid(HULL, table, Mat3(*(np.eye(3) if R is None else R).ravel().tolist()), Vec3(0.0, 0.0, 0.0))


def new_pair():
    return new_memory()[0]


def pair_at(X, Y):
    """A pair that remembers two features."""
    pair = new_pair()
    pair.features[:] = X, Y
    return pair


def find(table, i, R, j, Q, r, pair=None, trace=NO_TRACE):
    return vclip(solid(i, R), solid(j, Q), vec3(r), table, table, new_pair() if pair is None else pair, trace)


def placed(hull, R, r=(0.0, 0.0, 0.0)):
    """Vertices, normals and edge vectors in world axes."""
    v = hull.vertices @ R.T + r
    return v, hull.normals @ R.T, v[hull.edges[:, 1]] - v[hull.edges[:, 0]]


def gap_along(n, hull_a, R, hull_b, Q, r):
    """Distance of the two planes across n that hold the hulls apart; no more than their distance for any n."""
    return float((placed(hull_b, Q, r)[0] @ n).min() - (placed(hull_a, R)[0] @ n).max())


def outside(hull, p):
    """How far a point lies outside a hull, shape axes; negative inside."""
    return float((hull.normals @ p - hull.offsets).max())


def brute_distance(hull_a, R, hull_b, Q, r):
    """Signed: by all vertices against all triangles and all pairs of edges; by all axes where the hulls overlap."""
    (va, na, ea), (vb, nb, eb) = placed(hull_a, R), placed(hull_b, Q, r)
    across = np.cross(ea[:, None], eb[None]).reshape(-1, 3)
    size = np.linalg.norm(across, axis=1)
    # parallel edges give no axis of their own: the faces beside them do
    across = across[size > 1e-9 * size.max()] / size[size > 1e-9 * size.max()][:, None]
    axes = np.concatenate((na, -nb, across, -across))
    overlap = float(((va @ axes.T).max(axis=0) - (vb @ axes.T).min(axis=0)).min())
    if overlap >= 0.0:
        return -overlap
    ta, tb = va[hull_a.triangles()[1]], vb[hull_b.triangles()[1]]
    edges = _segments(va[hull_a.edges[:, 0]], ea, vb[hull_b.edges[:, 0]], eb)
    return float(min(_above_triangles(va, tb), _above_triangles(vb, ta), edges))


def _above_triangles(points, triangles):
    """Least distance of points to triangles they lie above; others are met by edges."""
    if len(triangles) == 0:
        return np.inf
    a, b, c = (triangles[:, k] for k in range(3))
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n, axis=1)[:, None]
    inside = np.ones((len(points), len(triangles)), bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= ((points[:, None] - p) * np.cross(n, q - p)).sum(-1) >= 0.0
    height = np.abs(((points[:, None] - a) * n).sum(-1))
    return np.where(inside, height, np.inf).min()


def _segments(p, u, q, w):
    """Least distance of segments: inside both, or from an end of one to the other."""
    p, u, q, w = p[:, None], u[:, None], q[None], w[None]
    r = q - p
    uu, ww, uw, ur, wr = ((x * y).sum(-1) for x, y in ((u, u), (w, w), (u, w), (u, r), (w, r)))
    det = uu * ww - uw * uw
    safe = np.where(det > 1e-12 * uu * ww, det, np.inf)
    s, t = (ur * ww - wr * uw) / safe, (ur * uw - wr * uu) / safe
    candidates = [(np.clip(s, 0, 1), np.clip(t, 0, 1))]
    for end in (0.0, 1.0):
        candidates.append((end + 0 * s, np.clip((end * uw - wr) / ww, 0, 1)))
        candidates.append((np.clip((ur + end * uw) / uu, 0, 1), end + 0 * t))
    return min(np.linalg.norm(r + w * t[..., None] - u * s[..., None], axis=-1).min() for s, t in candidates)


def table_of(*hulls):
    return pack_hulls(list(hulls))
