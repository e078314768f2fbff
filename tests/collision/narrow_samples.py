"""Random solids and slow, plain references for the pair routines."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.spatial.transform import Rotation

from gelenk.collision.manifold import new_points
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE, TRIANGLE, Solid
from gelenk.math.rotation import Mat3
from gelenk.math.vec3 import vec3

SIGNS = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))


def solid(kind, R, size, table=0):
    return Solid(kind, table, Mat3(*np.asarray(R, float).ravel().tolist()), vec3(size))


def matrix(s):
    return np.array(s.R).reshape(3, 3)


def turn(rng, angle=None):
    """A rotation: any, or by a small angle."""
    if angle is None:
        return Rotation.random(rng=rng).as_matrix()
    return Rotation.from_rotvec(angle * rng.normal(size=3)).as_matrix()


def touch(routine, A, B, r, margin, hulls=None):
    """Points of a pair as an ordinary array of their own."""
    out = new_points()
    count = routine(A, B, vec3(r), float(margin), hulls, out)
    return out[:count].copy()


def moved(s, Q):
    """The solid turned by Q."""
    return s._replace(R=Mat3(*(Q @ matrix(s)).ravel().tolist()))


def corners(s):
    assert s.kind == BOX
    return (SIGNS * np.array(s.size)) @ matrix(s).T


def edges(s):
    """Ends of the twelve edges of a box: (12, 2, 3)."""
    p = corners(s)
    return np.array([(p[i], p[j]) for i in range(8) for j in range(i) if np.abs(SIGNS[i] - SIGNS[j]).sum() == 2.0])


def segments_distance(p, q):
    """Least distance of any segment of p to any of q, (m, 2, 3) and (k, 2, 3), by all ends and all crossings."""
    p, q = (x.reshape(-1, 2, 3) for x in (p, q))
    P, Q = np.repeat(p, len(q), 0), np.tile(q, (len(p), 1, 1))
    e, f, w = P[:, 1] - P[:, 0], Q[:, 1] - Q[:, 0], Q[:, 0] - P[:, 0]
    best = np.inf
    for point, start, way in (
        (P[:, 0], Q[:, 0], f),
        (P[:, 1], Q[:, 0], f),
        (Q[:, 0], P[:, 0], e),
        (Q[:, 1], P[:, 0], e),
    ):
        t = np.clip(((point - start) * way).sum(1) / np.maximum((way * way).sum(1), 1e-300), 0, 1)
        best = min(best, np.linalg.norm(start + t[:, None] * way - point, axis=1).min())
    m = np.cross(e, f)
    mm = np.maximum((m * m).sum(1), 1e-300)
    x, y = ((np.cross(w, f) * m).sum(1) / mm, (np.cross(w, e) * m).sum(1) / mm)
    x, y = np.clip(x, 0, 1), np.clip(y, 0, 1)
    return min(best, np.linalg.norm(w + y[:, None] * f - x[:, None] * e, axis=1).min())


def box_distance(points, s):
    """Distance of points from a box, from its centre."""
    local, size = points @ matrix(s), np.array(s.size)
    return np.linalg.norm(local - np.clip(local, -size, size), axis=1).min()


def boxes_apart(A, B, r):
    """Distance of two boxes: all corners against the other box, all edges against all edges."""
    return min(
        box_distance(corners(B) + r, A), box_distance(corners(A) - r, B), segments_distance(edges(A), edges(B) + r)
    )


def hull_depth(points):
    """Distance of the origin to the faces of the hull of points: negative inside, by the least depth."""
    from scipy.spatial import ConvexHull

    return ConvexHull(points).equations[:, 3].max()


def boxes_distance(A, B, r):
    """Signed distance of two boxes; the depth is that of the origin in the hull of all differences of corners."""
    s = hull_depth((corners(B)[:, None] + r - corners(A)[None]).reshape(-1, 3))
    return s if s <= 0 else boxes_apart(A, B, r)


def check_points(points, A, B, r, margin, tol):
    """What every set of points keeps: unit normals, both points on one line at distance d, none beyond the margin."""
    assert len(points) > 0
    for p in points:
        assert abs(np.linalg.norm(p.n) - 1) < 1e-12
        assert np.abs(r + p.b - p.a - p.d * p.n).max() < tol
        assert p.d <= margin


def random_boxes(rng, near=None):
    """Two boxes about as far apart as they are large; ``near``: with almost parallel axes."""
    a, b = rng.uniform(0.1, 1.0, (2, 3)) ** 2
    R = turn(rng)
    S = turn(rng) if near is None else R @ np.eye(3)[rng.permutation(3)] @ turn(rng, near)
    if np.linalg.det(S) < 0:
        S = -S
    way = rng.normal(size=3)
    r = way / np.linalg.norm(way) * rng.uniform(0, 1.2) * (np.linalg.norm(a) + np.linalg.norm(b))
    return solid(BOX, R, a), solid(BOX, S, b), r


def half_width(s, n, hulls=None):
    """How far a solid reaches along each of the unit vectors n (k, 3), from its centre: the support function."""
    u, size = n @ matrix(s), np.array(s.size)
    across = np.hypot(u[:, 0], u[:, 1])
    if s.kind == SPHERE:
        return np.full(len(n), size[0])
    if s.kind == BOX:
        return np.abs(u) @ size
    if s.kind == CAPSULE:
        return size[0] + size[2] * np.abs(u[:, 2])
    if s.kind == CYLINDER:
        return size[0] * across + size[2] * np.abs(u[:, 2])
    if s.kind == CONE:
        return np.maximum(size[0] * across, size[2] * u[:, 2])
    if s.kind == TRIANGLE:
        return u.max(1)  # the columns of R are the corners
    if s.kind == ELLIPSOID:
        return np.linalg.norm(u * size, axis=1)
    assert s.kind == HULL
    return (u @ hulls.vertex.T).max(1)


def gap(A, B, r, n, hulls=None):
    """Width of the gap between two solids along unit vectors n. Its maximum over all n is the signed distance."""
    n = np.atleast_2d(n)
    return n @ r - half_width(A, n, hulls) - half_width(B, -n, hulls)


def many_directions(count=4000, seed=0):
    n = np.random.default_rng(seed).normal(size=(count, 3))
    return n / np.linalg.norm(n, axis=1)[:, None]


DIRECTIONS = many_directions()


def near_directions(n, rng):
    """Unit vectors around n, at all distances."""
    w = n + rng.normal(size=(400, 3)) * 10.0 ** -rng.uniform(0, 8, (400, 1))
    return w / np.linalg.norm(w, axis=1)[:, None]


def certify(points, A, B, r, tol, rng, hulls=None):
    """That the least d is the signed distance, from what the points say themselves.

    The gap along the normal is d, so the signed distance is no less. Apart: two points of the solids are d apart, so
    it is no more. Overlap: no other direction has a wider gap; that is sampled.
    """
    p = points[points.d.argmin()]
    assert abs(gap(A, B, r, p.n, hulls)[0] - p.d) < tol
    for q in points:
        assert (DIRECTIONS @ q.a <= half_width(A, DIRECTIONS, hulls) + tol).all()
    if p.d > 0:
        assert (DIRECTIONS @ p.b <= half_width(B, DIRECTIONS, hulls) + tol).all()
    else:
        n = np.concatenate([DIRECTIONS, near_directions(p.n, rng)])
        assert gap(A, B, r, n, hulls).max() <= p.d + tol


def random_solid(kind, rng, scale=1.0):
    size = scale * rng.uniform(0.2, 1.0, 3)
    R = turn(rng)
    if kind == TRIANGLE:
        R = scale * rng.uniform(-1, 1, (3, 3))
    return solid(kind, R, size)
