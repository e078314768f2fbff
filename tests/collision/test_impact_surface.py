"""Times of impact with surfaces of triangles (V-06), found in the box of the motion."""

import math

import numpy as np
import pytest
from convex_samples import pair, random_rotations, tables_with
from scipy.spatial.transform import Rotation
from swept_samples import meet, still

from gelenk import compile as compiler
from gelenk.collision.facet import Facet
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.impact_surface import impact_time_triangles, put_corners, swept_box
from gelenk.collision.motion import Motion
from gelenk.collision.solid import BOX, CAPSULE, MESH, SPHERE, Solid
from gelenk.compile import kernel
from gelenk.math.rotation import get33
from gelenk.math.vec3 import get3, put3, vec3

TABLES = tables_with()
GAP = 1e-6


@kernel
def box_of(kind, R, size, v, w, arm, r, t_end, tables, out):
    A, B = Solid(kind[0], 0, get33(R, 0), get3(size, 0)), Solid(MESH, 0, get33(R, 1), get3(size, 1))
    motion_A = Motion(get3(v, 0), get3(w, 0), get3(arm, 0))
    motion_B = Motion(get3(v, 1), get3(w, 1), get3(arm, 1))
    box = swept_box(A, motion_A, B, motion_B, get3(r, 0), t_end, GAP, tables)
    out[0], out[1], out[2], out[3], out[4], out[5] = box.x, box.y, box.z, box.x_high, box.y_high, box.z_high


@kernel
def time_of(kind, R, size, v, w, arm, r, t_end, tables, corners, work, out, vectors):
    A, B = Solid(kind[0], 0, get33(R, 0), get3(size, 0)), Solid(MESH, 0, get33(R, 1), get3(size, 1))
    motion_A = Motion(get3(v, 0), get3(w, 0), get3(arm, 0))
    motion_B = Motion(get3(v, 1), get3(w, 1), get3(arm, 1))
    count = corners.shape[0]
    found, k = impact_time_triangles(A, motion_A, B, motion_B, get3(r, 0), t_end, GAP, tables, corners, count, work)
    out[0], out[1], out[2] = found.t, found.d, k
    put3(vectors, 0, found.n)
    put3(vectors, 1, found.a)
    put3(vectors, 2, found.b)


def grid(n, height):
    """Triangles over n x n squares of -1 .. 1: (2 n n, 3, 3)."""
    x = np.linspace(-1, 1, n + 1)
    X, Y = np.meshgrid(x, x, indexing="ij")
    P = np.stack([X, Y, height(X, Y)], -1)
    a, b, c, d = P[:-1, :-1], P[1:, :-1], P[1:, 1:], P[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], 2).reshape(-1, 3, 3), np.stack([a, c, d], 2).reshape(-1, 3, 3)])


class Case:
    """A convex solid and a surface, both in motion."""

    def __init__(self, kind, size, r, v=((0, 0, 0), (0, 0, 0)), w=((0, 0, 0), (0, 0, 0)), arm=((0, 0, 0), (0, 0, 0))):
        self.kind, self.size = np.array([kind]), np.array([size, (0, 0, 0)], float)
        self.R, self.r = np.tile(np.eye(3), (2, 1, 1)), np.array([r], float)  # r: solid to surface
        self.v, self.w, self.arm = np.array(v, float), np.array(w, float), np.array(arm, float)

    def parts(self, t_end):
        return self.kind, self.R, self.size, self.v, self.w, self.arm, self.r, t_end, TABLES

    def near(self, triangles, t_end):
        """Triangles whose boxes meet that of the motion, as ``mesh_in_box`` finds them."""
        box = np.zeros(6)
        box_of(*self.parts(t_end), box)
        low, high = triangles.min(1), triangles.max(1)
        return triangles[((low <= box[3:]) & (high >= box[:3])).all(1)], box

    def impact(self, triangles, t_end):
        out, vectors = np.zeros(3), np.zeros((3, 3))
        time_of(*self.parts(t_end), np.ascontiguousarray(triangles), new_convex_work(), out, vectors)
        return out, vectors


def test_ball_on_flat_triangles_is_a_ball_on_a_plane():
    rng = np.random.default_rng(1)
    triangles = grid(10, lambda x, y: 0 * x)
    for _ in range(20 if compiler.ENABLED else 3):
        x, y = rng.uniform(-0.5, 0.5, 2)
        case = Case(SPHERE, (0.1, 0, 0), (-x, -y, -1), v=((*rng.uniform(-0.2, 0.2, 2), -2), (0, 0, 0.5)))
        near, _ = case.near(triangles, 1.0)
        assert len(near) < len(triangles) // 2
        out, (n, a, b) = case.impact(near, 1.0)
        assert 0.9 / 2.5 - GAP / 2.5 <= out[0] <= 0.9 / 2.5
        np.testing.assert_allclose(n, (0, 0, -1), atol=1e-9)
        r = case.r[0] + (case.v[1] - case.v[0]) * out[0]
        np.testing.assert_allclose(r + b - a, out[1] * n, atol=1e-14)
        assert b[2] == pytest.approx(0.0, abs=1e-14)


def test_hills_are_met_as_single_triangles_are():
    """Against the search of a convex pair over all triangles of the surface, found or not."""
    rng = np.random.default_rng(2)
    triangles = grid(8 if compiler.ENABLED else 4, lambda x, y: 0.2 * np.sin(4 * x) * np.cos(3 * y))
    hits = 0
    for k in range(12 if compiler.ENABLED else 2):
        kind = (BOX, CAPSULE)[k % 2]
        start = np.array((*rng.uniform(-0.6, 0.6, 2), 1.0))
        case = Case(kind, (0.05, 0.1, 0.2), -start)
        case.R[0] = random_rotations(rng, 1)[0]
        case.v[0], case.w[0] = (*rng.normal(size=2), -4.0), 3.0 * rng.normal(size=3)
        case.v[1], case.w[1], case.arm[1] = 0.3 * rng.normal(size=(3, 3))
        near, _ = case.near(triangles, 0.5)
        out, _ = case.impact(near, 0.5)
        pairs = np.concatenate([pair(kind, case.size[0], 7, (0, 0, 0), case.r[0], case.R[0], c.T) for c in triangles])
        m = still(len(pairs))
        m.v[:], m.w[:], m.arm[:] = case.v, case.w, case.arm
        single = meet(pairs, m, 0.5, GAP).t.min()
        # two searches end between a quarter of the gap and the gap, at 4 m/s or the part of it along a steep normal
        assert out[0] == pytest.approx(single, abs=20 * GAP) or (math.isinf(out[0]) and math.isinf(single))
        hits += math.isfinite(out[0])
    assert hits >= (6 if compiler.ENABLED else 1)


def test_box_of_the_motion_holds_it_also_from_a_surface_that_turns():
    rng = np.random.default_rng(3)
    for _ in range(30 if compiler.ENABLED else 10):
        case = Case(BOX, (0.1, 0.2, 0.3), rng.normal(size=3))
        case.R[:] = random_rotations(rng, 2)
        case.v[:], case.w[:], case.arm[:] = rng.normal(size=(3, 2, 3))
        _, box = case.near(np.zeros((1, 3, 3)), 1.0)
        corners = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T * case.size[0]
        for t in np.linspace(0, 1, 21):
            turn = [Rotation.from_rotvec(w * t).as_matrix() for w in case.w]
            way = [case.v[k] * t + turn[k] @ case.arm[k] - case.arm[k] for k in range(2)]
            points = corners @ (turn[0] @ case.R[0]).T - case.r[0] + way[0] - way[1]
            points = points @ (turn[1] @ case.R[1])
            assert (points >= box[:3] - 1e-12).all()
            assert (points <= box[3:] + 1e-12).all()


def test_no_triangle_no_impact():
    out, _ = Case(SPHERE, (0.1, 0, 0), (0, 0, -1), v=((0, 0, -9), (0, 0, 0))).impact(np.zeros((0, 3, 3)), 1.0)
    assert out[0] == math.inf
    assert out[2] == -1


def test_corners_of_a_facet():
    p, q, s, n = vec3((1, 2, 3)), vec3((4, 5, 6)), vec3((7, 8, 10)), vec3((0, 0, 1))
    corners = np.zeros((2, 3, 3))
    put_corners(corners, 1, Facet(p, q, s, n, n, n, n, 0))
    assert corners[1].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 10]]
    assert not corners[0].any()
