"""Maps of distances as shapes, and points spread over meshes (V-26)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.geometry.car_body import car_body
from gelenk.geometry.surface_points import point_tree, surface_points

CUBE = gk.TriangleMesh(*gk.Box((1, 2, 3)).triangles())


def test_weighs_and_looks_as_its_mesh():
    shape = gk.DistanceMap(CUBE, 16)
    assert shape.mass_properties(10.0).mass == CUBE.mass_properties(10.0).mass == pytest.approx(60.0)
    np.testing.assert_array_equal(shape.triangles()[0], CUBE.vertices)
    assert shape == gk.DistanceMap(CUBE, 16, exact=False) != gk.DistanceMap(CUBE, 16, exact=True)
    assert hash(shape) == hash(gk.DistanceMap(CUBE, 16))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((gk.Box((1, 1, 1)), 8), "mesh is Box"),
        ((CUBE, 3), "cells is 3; allowed: a whole number from 4 to 128"),
        ((CUBE, 129), "cells is 129"),
        ((CUBE, 8.0), "cells is 8.0"),
        ((CUBE, 8, 1), "exact is 1; allowed: true or false"),
    ],
)
def test_what_is_no_map_is_refused(given, words):
    with pytest.raises(gk.InputError, match=words):
        gk.DistanceMap(*given)


@pytest.mark.parametrize("mesh", [CUBE, car_body(1), gk.TriangleMesh(*gk.Torus(1.0, 0.3).triangles(12))])
@pytest.mark.parametrize("spacing", [0.4, 0.11])
def test_points_cover_the_surface(mesh, spacing):
    """Any point of the surface has one within 1.02 spacings (Jung's bound and thinning); all vertices are there."""
    points = surface_points(mesh, spacing)
    np.testing.assert_array_equal(points[: len(mesh.vertices)], mesh.vertices)
    rng = np.random.default_rng(1)
    a, b, c = mesh.vertices[mesh.faces.astype(int)].transpose(1, 0, 2)
    area = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    k = rng.choice(len(area), 800, p=area / area.sum())
    w = rng.dirichlet((1, 1, 1), 800)
    samples = w[:, :1] * a[k] + w[:, 1:2] * b[k] + w[:, 2:] * c[k]
    away = [np.linalg.norm(points - x, axis=1).min() for x in samples]
    assert max(away) <= 1.02 * spacing


def test_tree_holds_all_points_in_balls():
    points = np.random.default_rng(2).normal(size=(500, 3))
    tree = point_tree(points)
    np.testing.assert_array_equal(np.sort(tree.place, axis=0), np.sort(points, axis=0))
    leaves = np.flatnonzero(tree.skip == np.arange(len(tree.skip)) + 1)
    assert [i for n in leaves for i in range(tree.first[n], tree.last[n])] == list(range(500))
    for n, (x, y, z, radius) in enumerate(tree.ball):
        inside = tree.place[tree.first[n] : tree.last[n]]
        assert np.linalg.norm(inside - (x, y, z), axis=1).max() <= radius * (1 + 1e-15)
        below = slice(n + 1, tree.skip[n])
        assert (tree.first[below] >= tree.first[n]).all()
        assert (tree.last[below] <= tree.last[n]).all()
