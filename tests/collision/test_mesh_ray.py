"""Rays against triangle meshes: every triangle as reference, and no gap between neighbours (V-20)."""

import math

import numpy as np
import pytest
from mesh_samples import EPS, SCALES, ball_mesh, corners_of, cube, every_crossing, sheet, soup

from gelenk import compile as compiler
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_ray import rays_mesh
from gelenk.collision.mesh_table import pack_meshes

MANY = 600 if compiler.ENABLED else 40
ROUND = (8, 9) if compiler.ENABLED else (4, 5)


def cast(mesh, start, direction, length=math.inf, before=()):
    """Hits of rays with a mesh that stands behind others in the table."""
    start, direction = np.ascontiguousarray(start, dtype=float), np.ascontiguousarray(direction, dtype=float)
    table = pack_meshes([*before, mesh])
    count = len(start)
    s, n, t = np.zeros(count), np.zeros((count, 3)), np.zeros(count, np.uint32)
    rays_mesh(table, len(before), start, direction, np.broadcast_to(float(length), count).copy(), s, n, t)
    return s, n, t


def random_rays(rng, count, scale):
    start = scale * rng.normal(size=(count, 3)) * rng.choice([0.3, 2.0], (count, 1))
    aim = scale * rng.uniform(-1.0, 1.0, (count, 3))
    direction = aim - start
    return start, direction / np.linalg.norm(direction, axis=1)[:, None]


def check_against_all(mesh, start, direction, scale, length=math.inf):
    s, n, t = cast(mesh, start, direction, length)
    every, share, _ = every_crossing(mesh, start, direction)
    every = np.where((every >= 0.0) & (every <= length), every, np.inf)
    expected = every.min(axis=1)
    # a crossing closer to a side than the round-off of coordinates may count or not
    corners = corners_of(mesh)
    shortest = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1).min() / scale
    clear = (np.where(np.isfinite(every), share, 1.0) > 64 * EPS / min(shortest, 1.0)).all(axis=1)
    assert clear.mean() > 0.9
    np.testing.assert_array_equal(np.isfinite(s)[clear], np.isfinite(expected)[clear])
    assert (t[np.isinf(s)] == NONE).all()

    sure = np.flatnonzero(clear & np.isfinite(expected))
    assert len(sure) >= len(start) // 40
    corners, s, n, t = corners[t[sure]], s[sure], n[sure], t[sure]
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    twice_area = np.linalg.norm(outward, axis=1)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    slender = longest**2 / twice_area  # a normal is known as well as coordinates over the height of the triangle
    outward /= twice_area[:, None]
    assert (np.linalg.norm(n - outward, axis=1) <= 32 * EPS * slender).all()
    reach = np.linalg.norm(start[sure], axis=1) + scale
    tolerance = 32 * EPS * reach * (1.0 + slender) / np.abs((outward * direction[sure]).sum(axis=1))
    assert (np.abs(s - expected[sure]) <= tolerance).all()
    assert (np.abs(s - every[sure, t]) <= tolerance).all()  # that triangle is hit there


@pytest.mark.parametrize("scale", SCALES)
def test_hits_of_a_closed_mesh_agree_with_every_triangle(scale):
    rng = np.random.default_rng(5)
    mesh = ball_mesh(9, 14, scale, 0.2)
    check_against_all(mesh, *random_rays(rng, MANY, scale), scale)


@pytest.mark.parametrize("scale", SCALES)
def test_hits_of_loose_triangles_agree_with_every_triangle(scale):
    rng = np.random.default_rng(6)
    mesh = soup(rng, 200, scale)
    start, direction = random_rays(rng, MANY, scale)
    check_against_all(mesh, start, direction, scale)
    check_against_all(mesh, start, direction, scale, length=scale)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("along_axes", [False, True])
def test_no_ray_slips_through_a_vertex_or_a_side(scale, along_axes):
    """Rays from inside a closed mesh, aimed at its vertices, at middles of its sides and at other places on them."""
    mesh = cube(scale) if along_axes else ball_mesh(*ROUND, scale, 0.2)
    rng = np.random.default_rng(3)
    corners = corners_of(mesh)
    a, b = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    aims = np.concatenate((mesh.vertices, 0.5 * (a + b), a + rng.random((len(a), 1)) * (b - a)))
    for start in (np.zeros(3), scale * np.array([0.11, -0.07, 0.3])):
        for sign in (1.0, -1.0):  # also backward, where rounding meets no vertex
            s, _, t = cast(mesh, np.broadcast_to(start, aims.shape), sign * (aims - start))
            assert np.isfinite(s).all()
            assert (t < len(mesh.faces)).all()
            if sign > 0:
                np.testing.assert_allclose(s, 1.0, rtol=64 * EPS)  # star-shaped seen from inside: it ends where aimed


def test_rays_down_on_the_grid_of_a_sheet_hit_everywhere():
    """Rays along the axis z through all vertices, sides and corners of the rim."""
    mesh = sheet(4, 4, lambda x, y: 0.25 * x - 0.5 * y)
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, 17), np.linspace(-0.5, 0.5, 17))
    start = np.column_stack((x.ravel(), y.ravel(), np.full(x.size, 2.0)))
    s, n, _ = cast(mesh, start, np.broadcast_to((0.0, 0.0, -1.0), start.shape))
    np.testing.assert_array_equal(s, 2.0 - 0.25 * x.ravel() + 0.5 * y.ravel())  # all numbers are short binary fractions
    np.testing.assert_allclose(
        n, np.broadcast_to(np.array([-0.25, 0.5, 1.0]) / math.sqrt(1.3125), n.shape), rtol=4 * EPS
    )
    outside = start.copy()
    outside[:, 0] += 1.0 + 1.0 / 64.0
    assert np.isinf(cast(mesh, outside, np.broadcast_to((0.0, 0.0, -1.0), start.shape))[0]).all()


def test_rays_in_the_planes_of_faces_do_not_slip_through_a_cube():
    """A ray along a face of a closed mesh passes its neighbours' sides; those are hit."""
    start = np.array([[-3.0, 0.25, 1.0], [-3.0, 1.0, 1.0], [0.5, -3.0, -1.0], [-3.0, -1.0, -1.0]])
    direction = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    s, _, _ = cast(cube(), start, direction)
    np.testing.assert_array_equal(s, 2.0)


def test_length_is_inclusive_and_sides_do_not_matter():
    mesh = cube()
    down = np.array([[0.0, 0.0, -1.0]])
    for z, away, n_z in ((3.0, 2.0, 1.0), (0.5, 1.5, -1.0)):  # onto the top from outside, onto the bottom from inside
        start = np.array([[0.1, 0.2, z]])
        s, n, t = cast(mesh, start, down, away)
        assert s[0] == away
        assert n[0].tolist() == [0.0, 0.0, n_z]
        s, n, t = cast(mesh, start, down, np.nextafter(away, 0.0))
        assert s[0] == math.inf
        assert t[0] == NONE
        assert not n.any()
    assert cast(mesh, np.array([[0.1, 0.2, 1.0]]), down)[0][0] == 0.0  # from the surface
    assert cast(mesh, np.array([[0.1, 0.2, 3.0]]), -down)[0][0] == math.inf  # behind the start


def test_of_equal_hits_the_first_triangle_counts_and_each_mesh_has_its_own():
    mesh = cube()
    aim = np.array([[0.0, 0.0, 3.0]])  # at the diagonal shared by triangles of the top
    s, _, t = cast(mesh, aim, -aim / 3.0)
    top = np.flatnonzero((corners_of(mesh)[..., 2] == 1.0).all(axis=1))
    assert (s[0], t[0]) == (2.0, top.min())
    rng = np.random.default_rng(2)
    start, direction = random_rays(rng, 30, 1.0)
    alone = cast(mesh, start, direction)
    behind = cast(mesh, start, direction, before=[ball_mesh(5, 6), sheet(2, 2, lambda x, y: 0.0)])
    for one, other in zip(alone, behind):
        np.testing.assert_array_equal(one, other)


def test_a_mesh_far_from_its_origin_and_a_ray_from_far_away():
    """Single-precision boxes 10 km from the origin are a millimetre wide; that and a far start cost no hits."""
    mesh = cube(0.01)
    mesh.vertices += np.array([1e4, -1e4, 5e3])
    rng = np.random.default_rng(9)
    aim = mesh.vertices.mean(axis=0) + rng.uniform(-0.009, 0.009, (MANY, 3))
    direction = rng.normal(size=(MANY, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    start = aim - 1e5 * direction
    s, _, t = cast(mesh, start, direction)
    assert np.isfinite(s).all()
    place = start + s[:, None] * direction
    # round-off of the start is 1e5 EPS; a ray along a side shifts by that over the least cosine drawn
    least = np.abs(direction).min(axis=1)
    assert (np.abs(np.abs(place - mesh.vertices.mean(axis=0)).max(axis=1) - 0.01) < 16 * EPS * 1e5 / least).all()
    assert (t < 12).all()


@pytest.mark.proof
def test_proof_100_000_rays_through_vertices_and_sides_of_100_000_triangles():
    mesh = ball_mesh(225, 225, 1.0, 0.1)
    rng = np.random.default_rng(8)
    corners = corners_of(mesh)
    a, b = corners.reshape(-1, 3), np.roll(corners, -1, axis=1).reshape(-1, 3)
    aims = np.concatenate((mesh.vertices, 0.5 * (a + b)))
    start = np.broadcast_to(0.2 * rng.normal(size=3), aims.shape)
    s, _, _ = cast(mesh, start, aims - start)
    assert np.isfinite(s).all()
    assert (s <= 1.0 + 64 * EPS).all()


@pytest.mark.skipif(not compiler.ENABLED, reason="compares compiled with interpreted")
def test_compiled_and_interpreted_give_the_same_bits():
    rng = np.random.default_rng(10)
    table = pack_meshes([soup(rng, 60)])
    start, direction = random_rays(rng, 60, 1.0)
    results = []
    for run in (rays_mesh, rays_mesh.python):
        s, n, t = np.zeros(60), np.zeros((60, 3)), np.zeros(60, np.uint32)
        run(table, 0, start, direction, np.full(60, np.inf), s, n, t)
        results.append((s, n, t))
    for one, other in zip(*results):
        np.testing.assert_array_equal(one, other)
    assert np.isfinite(results[0][0]).any()


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(12))
def test_proof_many_meshes_of_all_sizes_agree_with_every_triangle(seed):
    """Closed meshes and loose triangles, 1 mm to 10 km: 24 000 rays in all."""
    rng = np.random.default_rng(100 + seed)
    scale = 10.0 ** rng.uniform(-3.0, 4.0)
    for mesh in (soup(rng, 150, scale), ball_mesh(9, 11, scale, rng.uniform(0.0, 0.3))):
        check_against_all(mesh, *random_rays(rng, 1000, scale), scale)
