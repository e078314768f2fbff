"""Contact by segments against static meshes: planes, balls, every triangle, sides, losses (B-19, B-20)."""

import math

import numpy as np
import pytest
from mesh_samples import EPS, SCALES, ball_mesh, corners_of, every_crossing, raw, sheet
from scipy.spatial.transform import Rotation

from gelenk import compile as compiler
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_table import pack_meshes
from gelenk.collision.segments import CLOSED, LOST, OPEN, closed_segments, new_segments, segments_mesh_along
from gelenk.errors import InputError

UP = np.eye(3)
MANY = 100 if compiler.ENABLED else 6


def sled(rng, count, scale=1.0):
    """Points below a body and segments upward into it, none quite upright."""
    points = scale * np.column_stack((rng.uniform(-0.3, 0.3, (count, 2)), rng.uniform(-0.05, 0.05, count)))
    return points, points + scale * np.column_stack((rng.normal(size=(count, 2)) * 0.03, np.full(count, 0.2)))


@pytest.mark.parametrize("scale", SCALES)
def test_plane_grid_closes_the_segments_that_cross_it(scale):
    """Crossing of a plane z = 0: s = -D_z / (E_z - D_z), D' = D + s (E - D), depth s |E - D|."""
    rng = np.random.default_rng(1)
    points, ends = sled(rng, 20, scale)
    table = pack_meshes([sheet(12, 7, lambda x, y: 0.0, 2.0 * scale)])
    segments = new_segments(table, 0, points, ends)
    closed_ever = np.zeros(20, bool)
    for _ in range(MANY):
        R = Rotation.from_rotvec(0.1 * rng.normal(size=3)).as_matrix()
        p = scale * np.append(rng.uniform(-0.3, 0.3, 2), rng.uniform(-0.1, 0.1))
        D, E = p + points @ R.T, p + ends @ R.T
        s = -D[:, 2] / (E[:, 2] - D[:, 2])
        expected = np.flatnonzero((s >= 0.0) & (s <= 1.0))
        np.testing.assert_array_equal(closed_segments(segments, table, 0, p, R), expected)
        contact = segments.contact[expected]
        place = D + s[:, None] * (E - D)
        size = 32 * EPS * scale  # round-off of coordinates about as large as the sheet; the crossings are steep
        np.testing.assert_allclose(contact["point"], place[expected], atol=size)
        np.testing.assert_allclose(contact["depth"], (s * np.linalg.norm(E - D, axis=1))[expected], atol=size)
        assert (contact["n"] == (0.0, 0.0, 1.0)).all()
        corners = corners_of(sheet(12, 7, lambda x, y: 0.0, 2.0 * scale))[contact["t"]]
        assert (corners.min(axis=1)[:, :2] <= contact["point"][:, :2] + size).all()
        assert (corners.max(axis=1)[:, :2] >= contact["point"][:, :2] - size).all()
        closed_ever[expected] = True
    assert closed_ever.sum() > 10


def test_ball_is_met_between_its_inner_and_outer_radius():
    """Radial segments: the polyhedron lies between the radius of its vertices and that of its flattest place."""
    mesh = ball_mesh(24, 32)
    table = pack_meshes([mesh])
    rng = np.random.default_rng(2)
    way = rng.normal(size=(40, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    points, ends = 0.9 * way, 1.2 * way
    segments = new_segments(table, 0, points, ends)
    R = Rotation.random(random_state=3).as_matrix()
    assert len(closed_segments(segments, table, 0, (0.0, 0.0, 0.0), R)) == 40
    normals = np.cross(*(corners_of(mesh)[:, k] - corners_of(mesh)[:, 0] for k in (1, 2)))
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    flattest = (normals * corners_of(mesh)[:, 0]).sum(axis=1).min()
    radius = np.linalg.norm(segments.contact.point, axis=1)
    assert (radius >= flattest - 8 * EPS).all()
    assert (radius <= 1.0 + 8 * EPS).all()
    np.testing.assert_allclose(segments.contact.depth, radius - 0.9, atol=16 * EPS)
    np.testing.assert_allclose(segments.contact.point, (radius[:, None] * way) @ R.T, atol=16 * EPS)
    # normals are those of the triangles, at most as far from radial as a triangle is wide
    assert ((segments.contact.n * (way @ R.T)).sum(axis=1) > math.cos(2.0 * math.pi / 24)).all()


@pytest.mark.parametrize("scale", SCALES)
def test_the_deepest_crossing_from_behind_agrees_with_every_triangle(scale):
    rng = np.random.default_rng(4)
    mesh = ball_mesh(12, 14, scale, 0.3)
    table = pack_meshes([sheet(2, 2, lambda x, y: 0.0), mesh])
    points = scale * rng.normal(size=(25, 3)) * 0.2
    ends = points + scale * rng.normal(size=(25, 3)) * 0.6
    segments = new_segments(table, 1, points, ends)
    met = 0
    for _ in range(MANY):
        R = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
        p = scale * rng.normal(size=3) * 0.7
        D, d = p + points @ R.T, (ends - points) @ R.T
        s, _, rise = every_crossing(mesh, D, d)
        s = np.where((s >= 0.0) & (s <= 1.0) & (rise > 0.0), s, -1.0)
        deepest, which = s.max(axis=1), s.argmax(axis=1)
        closed = closed_segments(segments, table, 1, p, R)
        np.testing.assert_array_equal(closed, np.flatnonzero(deepest >= 0.0))
        contact = segments.contact[closed]
        np.testing.assert_array_equal(contact["t"], which[closed])
        cosine = np.abs((contact["n"] * d[closed]).sum(axis=1)) / np.linalg.norm(d[closed], axis=1)
        error = np.abs(contact["depth"] - deepest[closed] * np.linalg.norm(d[closed], axis=1))
        assert (error <= 256 * EPS * scale / cosine).all()  # coordinates up to 4 scale
        assert (segments.contact.t[np.setdiff1d(np.arange(25), closed)] == NONE).all()
        met += len(closed)
    assert met > MANY


def test_segments_through_vertices_and_sides_are_closed():
    """Watertight: every place of a grid of binary fractions, vertices and sides included."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 17), np.linspace(-0.5, 0.5, 17))
    D = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, -0.25)))
    mesh = sheet(4, 4, lambda x, y: 0.25 * x * 0.5)
    table = pack_meshes([mesh])
    segments = new_segments(table, 0, D, D + np.array([0.0, 0.0, 0.5]))
    assert len(closed_segments(segments, table, 0, (0.0, 0.0, 0.0), UP)) == len(D)
    np.testing.assert_array_equal(segments.contact.depth, 0.25 + 0.125 * D[:, 0])
    ball = ball_mesh(8, 9, 1.0, 0.2)
    a, b = corners_of(ball).reshape(-1, 3), np.roll(corners_of(ball), -1, axis=1).reshape(-1, 3)
    aims = np.concatenate((ball.vertices, 0.5 * (a + b)))
    table = pack_meshes([ball])
    segments = new_segments(table, 0, 0.5 * aims, 1.5 * aims)
    assert len(closed_segments(segments, table, 0, (0.0, 0.0, 0.0), UP)) == len(aims)
    np.testing.assert_allclose(segments.contact.point, aims, atol=64 * EPS)


def test_a_surface_met_from_its_front_is_not_contact():
    table = pack_meshes([sheet(3, 3, lambda x, y: 0.0)])
    segments = new_segments(table, 0, [(0.1, 0.1, 0.1)], [(0.1, 0.1, -0.1)])
    assert len(closed_segments(segments, table, 0, (0.0, 0.0, 0.0), UP)) == 0


def test_of_several_crossings_the_deepest_counts():
    """Two sheets, one above the other: the segment comes out of both."""
    v = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    above = [(x, y, 0.125) for x, y, _ in v]
    table = pack_meshes([raw(v + above, [(0, 1, 2), (0, 2, 3), (4, 5, 6), (4, 6, 7)])])
    segments = new_segments(table, 0, [(0.25, 0.125, -0.25)], [(0.25, 0.125, 0.25)])
    closed_segments(segments, table, 0, (0.0, 0.0, 0.0), UP)
    assert segments.contact.point[0].tolist() == [0.25, 0.125, 0.125]
    assert segments.contact.depth[0] == 0.375
    assert segments.contact.t[0] == 2


def test_a_segment_that_sinks_through_is_reported_as_lost_until_it_returns():
    table = pack_meshes([sheet(3, 3, lambda x, y: 0.0)])
    segments = new_segments(table, 0, [(0.1, 0.12, 0.0)], [(0.1, 0.12, 0.1)])
    states = []
    for z in (0.05, -0.05, -0.101, -0.15, -0.25, -0.15, -0.05, 0.01):
        closed_segments(segments, table, 0, (0.0, 0.0, z), UP)
        states.append(int(segments.contact.state[0]))
    # never lost without having been closed, nor once it is a whole length behind the surface
    assert states == [OPEN, CLOSED, LOST, LOST, OPEN, OPEN, CLOSED, OPEN]


@pytest.mark.parametrize("margin", [0.0, 2.0, 5.0])
def test_triangles_found_once_serve_until_the_body_leaves_them(margin):
    """A ride over a wavy sheet: the same contacts whether triangles are found anew at every pose or not."""
    rng = np.random.default_rng(6)
    points, ends = sled(rng, 8, 0.5)
    steps = 600 if compiler.ENABLED else 36
    p = np.column_stack((np.linspace(-1.2, 1.2, steps), np.zeros(steps), np.full(steps, 0.02)))
    R = Rotation.from_rotvec(np.outer(np.linspace(0.0, 1.0, steps), (0.0, 0.0, 1.0))).as_matrix()
    table = pack_meshes([sheet(30, 20, lambda x, y: 0.05 * np.sin(5.0 * x), 3.0)])
    fresh, kept = new_segments(table, 0, points, ends, margin=0.0), new_segments(table, 0, points, ends, margin=margin)
    finds = 0
    for i in range(0, steps, 3):
        before = kept.found_at.copy()
        closed = closed_segments(kept, table, 0, p[i], R[i])
        finds += not np.array_equal(before, kept.found_at)
        np.testing.assert_array_equal(closed, closed_segments(fresh, table, 0, p[i], R[i]))
        np.testing.assert_array_equal(kept.contact, fresh.contact)
    poses = len(range(0, steps, 3))
    assert finds == poses if margin == 0.0 else finds < poses
    counts = np.zeros(steps, np.int64)
    segments_mesh_along(kept, table, 0, p, R, counts)
    assert counts[-1] == kept.counts[0] == len(closed_segments(fresh, table, 0, p[-1], R[-1]))
    assert counts.max() > 3


def test_bad_segments_are_refused():
    table = pack_meshes([sheet(1, 1, lambda x, y: 0.0)])
    for points, ends, message in (
        ([(0, 0, 0)], [(0, 0, 0)], "segment 0 has no length"),
        ([(0, 0, 0)], [(0, 0, 1), (0, 0, 2)], "1 points and 2 ends"),
        ([(0, 0)], [(0, 0)], "shape"),
        ([(0, 0, math.nan)], [(0, 0, 1)], "finite"),
    ):
        with pytest.raises(InputError, match=message):
            new_segments(table, 0, points, ends)
    with pytest.raises(InputError, match="index"):
        new_segments(table, 1, [(0, 0, 0)], [(0, 0, 1)])
