"""Shapes behind the tables of a model: the same as all packed together (V-30)."""

import numpy as np

import gelenk as gk
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.join_tables import join_tables
from gelenk.collision.tables import new_tables

WEDGE = gk.TriangleMesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
BLOCK = gk.TriangleMesh(*gk.Box((1, 2, 3)).triangles())
ROUND = gk.TriangleMesh(*gk.Sphere(1.0).triangles())
RANDOM = np.random.default_rng(0).normal(size=(40, 3))


def kinds(which):
    """Shapes of one kind after the other; two of some, none of others."""
    return [
        [[gk.ConvexHull(WEDGE.vertices), gk.ConvexHull(BLOCK.vertices)], [gk.ConvexHull(RANDOM)]],
        [[WEDGE, ROUND], [BLOCK, WEDGE]],
        [[gk.HeightField(np.eye(12), 0.5)], [gk.HeightField(RANDOM[:9], (1, 2))]],
        [[gk.SphereTree(BLOCK, 1)], [gk.SphereTree(WEDGE, 2), gk.SphereTree(BLOCK, 1)]],
        [[], [gk.DistanceMap(WEDGE, 4)]],
    ][which]


def assert_same(one, other):
    assert one._fields == other._fields
    for name in one._fields:
        a, b = getattr(one, name), getattr(other, name)
        assert type(a) is type(b)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a.view(np.uint8), b.view(np.uint8), err_msg=name)


def test_joined_tables_are_those_packed_together():
    first, more = ([kinds(k)[side] for k in range(5)] for side in (0, 1))
    joined = join_tables(new_tables(*first), new_tables(*more))
    # hulls around meshes come behind all hulls of their own table
    around = [gk.ConvexHull(mesh.vertices) for mesh in first[1]]
    behind = [gk.ConvexHull(mesh.vertices) for mesh in more[1]]
    together = new_tables(*(a + b for a, b in zip(first, more)))
    together = together._replace(hulls=pack_hulls(first[0] + around + more[0] + behind))
    assert joined.hull_of_mesh.tolist() == [2, 3, 5, 6, -1]
    for name in ("hulls", "meshes", "fields", "balls", "maps"):
        assert_same(getattr(joined, name), getattr(together, name))


def test_kinds_to_which_nothing_is_added_stay_as_they_are():
    first = new_tables(*(kinds(k)[0] for k in range(5)))
    joined = join_tables(first, new_tables([gk.ConvexHull(RANDOM)]))
    assert joined.meshes is first.meshes
    assert joined.fields is first.fields
    assert joined.rows is first.rows
    assert len(joined.hulls.hull) == len(first.hulls.hull) + 1
