"""Trees of balls: every level holds the body and stays near it (V-22)."""

import numpy as np
import pytest
from geometry_samples import box_grid, icosphere, join

import gelenk as gk
from gelenk.geometry.ball_tree import ball_tree
from gelenk.geometry.car_body import car_body
from gelenk.geometry.mesh_check import winding_number

OUTER, INNER = box_grid((1.0, 1.0, 1.0), (1, 1, 1)), box_grid((0.6, 0.6, 0.6), (1, 1, 1))
PLATE = gk.Box((1.0, 1.0, 1e-3)).triangles()
MESHES = {
    "box": gk.TriangleMesh(*gk.Box((1.0, 2.0, 0.5)).triangles()),
    "ball": gk.TriangleMesh(*icosphere(3)),
    "ring": gk.TriangleMesh(*gk.Torus(1.0, 0.3).triangles(16)),
    "hollow": gk.TriangleMesh(*join(OUTER, (INNER[0], INNER[1][:, ::-1]))),
    "plate, far away": gk.TriangleMesh(PLATE[0] + 50.0, PLATE[1]),
    "car": car_body(1),
}
RNG = np.random.default_rng(2)


def surface_points(mesh, count=300):
    weights = RNG.dirichlet(np.ones(3), count)
    faces = RNG.integers(0, len(mesh.faces), count)
    return np.einsum("ij,ijk->ik", weights, mesh.vertices[mesh.faces[faces]])


def inner_points(mesh, count=60):
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    points = RNG.uniform(low, high, (count, 3))
    return points[[winding_number(p, mesh.vertices[mesh.faces]) > 0.5 for p in points]]


def outside_by(points, balls):
    """How far points lie outside all balls [m]."""
    away = np.linalg.norm(points[:, None] - balls[:, :3], axis=2) - balls[:, 3]
    return away.min(axis=1).max()


@pytest.mark.parametrize("name", MESHES)
def test_every_level_holds_the_body(name):
    mesh = MESHES[name]
    tree = ball_tree(mesh, 3)
    points = np.concatenate((mesh.vertices, surface_points(mesh), inner_points(mesh)))
    # cuts and radii round like the coordinates
    rounding = 1e-14 * np.abs(mesh.vertices).max()
    for first, last in zip(tree.level_first[:-1], tree.level_first[1:]):
        assert outside_by(points, tree.ball[first:last]) <= rounding


@pytest.mark.parametrize("name", ["box", "ball", "hollow"])
def test_no_ball_stands_out_farther_than_the_diagonal_of_a_cell(name):
    """All points of a ball are within its diameter of a point of the body; radii are at most half of the diagonal."""
    tree = ball_tree(MESHES[name], 3)
    for level, (first, last) in enumerate(zip(tree.level_first[:-1], tree.level_first[1:])):
        diagonal = 3.0**0.5 * tree.cell * 2.0 ** (3 - level)
        assert tree.ball[first:last, 3].max() <= 0.5 * diagonal * (1.0 + 1e-12)
    assert tree.ball[:, 3].min() > 0.0


def test_a_cavity_is_left_empty():
    mesh, tree = MESHES["hollow"], ball_tree(MESHES["hollow"], 4)
    leaves = tree.ball[tree.level_first[-2] :]
    # cubes of 1 m and 0.6 m: cells of 0.0625 m and their balls do not reach the middle
    assert (np.linalg.norm(leaves[:, :3], axis=1) - leaves[:, 3]).min() > 0.3 - 3.0**0.5 * tree.cell
    assert mesh.mass_properties(1.0).mass == pytest.approx(1.0 - 0.6**3, rel=1e-13)


@pytest.mark.parametrize("name", MESHES)
def test_children_follow_and_lie_within_reach(name):
    tree = ball_tree(MESHES[name], 3)
    begin = tree.level_first.tolist()
    assert begin[1] == 1
    children = []
    for node in range(begin[-2]):
        span = range(tree.first[node], tree.last[node])
        assert 1 <= len(span) <= 8
        children += span
        for child in span:
            away = np.linalg.norm(tree.ball[child, :3] - tree.ball[node, :3]) + tree.reach[child]
            assert away <= tree.reach[node] * (1.0 + 1e-14)
    assert children == list(range(1, begin[-1]))
    leaves = slice(begin[-2], None)
    assert (tree.first[leaves] == tree.last[leaves]).all()
    assert (tree.reach[leaves] == tree.ball[leaves, 3]).all()


def test_root_of_a_ball_is_the_ball():
    """Corners of the icosphere lie at distance 1; its box is centred."""
    tree = ball_tree(MESHES["ball"], 1)
    np.testing.assert_allclose(tree.ball[0], (0.0, 0.0, 0.0, 1.0), atol=1e-15)


def test_deeper_levels_come_closer():
    """The volume of a box by its cells: their number times their volume falls to that of the box from above."""
    volumes = []
    for levels in (2, 3, 4):
        tree = ball_tree(MESHES["box"], levels)
        volumes.append((len(tree.ball) - tree.level_first[-2]) * tree.cell**3)
    assert volumes[0] > volumes[1] > volumes[2] > 1.0


def test_the_same_tree_each_time():
    for a, b in zip(ball_tree(MESHES["car"], 3), ball_tree(MESHES["car"], 3)):
        np.testing.assert_array_equal(a, b)
