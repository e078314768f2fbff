"""Convex hulls as shapes: flat faces, consistent edges, exact mass, refusals."""

import pickle

import numpy as np
import pytest
from geometry_samples import box_grid, icosphere, rotation_from

from gelenk.collision.hulls import box_hull, pack_hulls
from gelenk.errors import InputError
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mesh_mass import mesh_mass_properties
from gelenk.geometry.shapes import Box, Shape

RNG = np.random.default_rng(0)
TURN = rotation_from((0.3, -0.5, 0.7, 0.2))


def prism(sides, height=1.0):
    a = 2.0 * np.pi * np.arange(sides) / sides
    return np.concatenate([np.c_[np.cos(a), np.sin(a), np.full(sides, z)] for z in (0.0, height)])


CLOUDS = {
    "tetrahedron": np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    "cloud": RNG.normal(size=(200, 3)),
    "box with points on faces and edges, turned": box_grid((1.0, 2.0, 3.0), (4, 5, 6))[0] @ TURN.T + 7.0,
    "prism of 40 sides, turned": 1e4 * prism(40) @ TURN.T,
    "plate": RNG.normal(size=(60, 3)) * [1.0, 0.1, 1e-4],
    "ball": icosphere(6)[0],
    "lattice": np.unique(RNG.integers(0, 4, (40, 3)), axis=0) * 1e-3,
}
COUNTS = {
    "tetrahedron": (4, 4),
    "box with points on faces and edges, turned": (8, 6),
    "prism of 40 sides, turned": (80, 42),
}


@pytest.mark.parametrize("name", CLOUDS)
def test_hull_holds_all_points_and_its_faces_are_flat(name):
    points = CLOUDS[name]
    hull = ConvexHull(points)
    size = np.ptp(points, axis=0).max()
    # faces are flat within 1e-10 of the size; a mean plane halves that at best
    assert (points @ hull.normals.T - hull.offsets).max() < 1e-10 * size
    for f, (first, last) in enumerate(zip(hull.face_first, hull.face_first[1:])):
        corners = hull.vertices[hull.loop[first:last]]
        assert np.abs(corners @ hull.normals[f] - hull.offsets[f]).max() < 1e-10 * size
        # every corner turns left seen from outside
        side = np.roll(corners, -1, axis=0) - corners
        assert (np.cross(side, np.roll(side, -1, axis=0)) @ hull.normals[f] > 0.0).all()
    if name in COUNTS:
        assert (len(hull.vertices), len(hull.normals)) == COUNTS[name]
    assert {tuple(v) for v in hull.vertices} <= {tuple(p) for p in points.astype(float)}


@pytest.mark.parametrize("name", CLOUDS)
def test_edges_know_their_ends_and_faces(name):
    hull = ConvexHull(CLOUDS[name])
    assert len(hull.vertices) - len(hull.edges) + len(hull.normals) == 2
    sides = {}
    for f, (first, last) in enumerate(zip(hull.face_first.tolist(), hull.face_first.tolist()[1:])):
        for k in range(first, last):
            following = k + 1 if k + 1 < last else first
            sides[f, int(hull.loop_edge[k])] = (int(hull.loop[k]), int(hull.loop[following]))
    assert len(sides) == 2 * len(hull.edges)
    for e, (tail, head, left, right) in enumerate(hull.edges.tolist()):
        assert sides[left, e] == (tail, head)
        assert sides[right, e] == (head, tail)


def test_mass_is_that_of_the_polyhedron():
    hull, exact = box_hull(Box((1.0, 2.0, 3.0))), Box((1.0, 2.0, 3.0)).mass_properties(1000.0)
    found = hull.mass_properties(1000.0)
    assert found.mass == pytest.approx(exact.mass, rel=1e-14)
    np.testing.assert_allclose(found.inertia, exact.inertia, rtol=1e-13, atol=1e-10)
    vertices, faces = icosphere(5)
    ball, same = ConvexHull(vertices).mass_properties(3.0), mesh_mass_properties(vertices, faces, 3.0)
    assert ball.mass == pytest.approx(same.mass, rel=1e-13)
    np.testing.assert_allclose(ball.inertia, same.inertia, rtol=0, atol=1e-13 * same.mass)


def test_hull_is_a_shape_and_a_value():
    points = CLOUDS["cloud"]
    hull = ConvexHull(points)
    assert isinstance(hull, Shape)
    assert hull.kind == "hull"
    assert hull == ConvexHull(points.copy()) == pickle.loads(pickle.dumps(hull))
    assert hash(hull) == hash(ConvexHull(points))
    assert hull != ConvexHull(points[:-50] * 1.5)
    vertices, triangles = hull.triangles()
    assert len(triangles) == 2 * len(vertices) - 4
    assert triangles.dtype == np.uint32
    with pytest.raises(ValueError, match="read-only"):
        hull.vertices[0, 0] = 1.0


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "3 points"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0.3, 0.4, 0)], "one plane"),
        ([(0, 0, 0), (1, 1, 1), (2, 2, 2), (4, 4, 4)], "one line"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, float("nan"))], "3"),
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 0, 0), (0, 1, 0)], "5 points, 3 of them different"),
    ],
)
def test_refused_with_what_and_remedy(points, words):
    with pytest.raises(InputError, match=words) as caught:
        ConvexHull(points, element="hull 'rock'")
    assert caught.value.element == "hull 'rock'"
    assert caught.value.remedy.endswith(".")


def test_table_counts_over_all_hulls():
    hulls = [ConvexHull(CLOUDS["cloud"]), box_hull(Box((1.0, 1.0, 1.0))), ConvexHull(CLOUDS["lattice"])]
    table = pack_hulls(hulls)
    for record, hull in zip(table.hull, hulls):
        vertices = slice(record.vertex_first, record.vertex_last)
        np.testing.assert_array_equal(table.vertex[vertices], hull.vertices)
        for v in range(record.vertex_first, record.vertex_last):
            fan = table.fan[table.fan_first[v] : table.fan_first[v + 1]]
            assert len(fan) >= 3
            assert all(v in (table.edge[e].tail, table.edge[e].head) for e in fan)
            assert all(record.edge_first <= e < record.edge_last for e in fan)
        for f in range(record.face_first, record.face_last):
            corners = table.loop[table.face[f].first : table.face[f].last]
            np.testing.assert_allclose(table.vertex[corners] @ table.face[f].n, table.face[f].d, atol=1e-10)
            for k in range(table.face[f].first, table.face[f].last):
                assert f in (table.edge[table.loop_edge[k]].left, table.edge[table.loop_edge[k]].right)
