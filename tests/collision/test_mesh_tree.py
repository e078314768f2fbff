"""The tree of boxes over a mesh: what it holds, boxes as queries, odd meshes (V-20)."""

import math

import numpy as np
import pytest
from mesh_samples import SCALES, ball_mesh, corners_of, raw, soup

from gelenk import compile as compiler
from gelenk.collision.broad.bounds import Bounds, get_box
from gelenk.collision.mesh_build import DEEPEST, LEAF, outward_float32
from gelenk.collision.mesh_table import pack_meshes
from gelenk.collision.mesh_tree import mesh_in_box
from gelenk.compile import kernel

MANY = 500 if compiler.ENABLED else 30


@kernel
def boxes_meet(meshes, index, boxes, found, count):
    for i in range(boxes.shape[0]):
        count[i] = mesh_in_box(meshes, index, get_box(boxes, i), found[i])


def in_boxes(table, index, boxes, room):
    found, count = np.zeros((len(boxes), room), np.uint32), np.zeros(len(boxes), np.int64)
    boxes_meet(table, index, np.ascontiguousarray(boxes, dtype=float), found, count)
    return found, count


def walk(table, node, level=0):
    """Every child as (level, box, first place in the leaves, last place)."""
    for side in range(2):
        link, size = int(table.link[node, 12 + side]), int(table.link[node, 14 + side])
        box = table.box[node, 6 * side : 6 * side + 6]
        if size == 0 and box[0] <= box[3]:
            below = list(walk(table, link, level + 1))
            yield level, box, min(b[2] for b in below), max(b[3] for b in below)
            yield from below
        elif size:
            yield level, box, link, link + size


@pytest.mark.parametrize("scale", SCALES)
def test_every_triangle_is_in_one_leaf_and_in_all_boxes_above(scale):
    rng = np.random.default_rng(1)
    meshes = [ball_mesh(6, 7, scale, 0.2), soup(rng, 150, scale)]
    table = pack_meshes(meshes)
    for k, mesh in enumerate(meshes):
        first = int(table.mesh[k].face)
        count = np.zeros(len(mesh.faces), int)
        for level, box, start, end in walk(table, int(table.mesh[k].node)):
            assert level < DEEPEST
            corners = table.corner[start:end].reshape(-1, 3)
            assert (box[:3].astype(float) <= corners.min(axis=0)).all()
            assert (box[3:].astype(float) >= corners.max(axis=0)).all()
            if end - start <= LEAF:
                count[table.leaf_face[start:end]] += 1
        assert (count == 1).all()
        own = slice(first, first + len(mesh.faces))
        np.testing.assert_array_equal(table.corner[own].reshape(-1, 3, 3), corners_of(mesh)[table.leaf_face[own]])


@pytest.mark.parametrize("scale", SCALES)
def test_boxes_find_the_triangles_whose_bounds_meet_them(scale):
    rng = np.random.default_rng(2)
    meshes = [soup(rng, 150, scale), ball_mesh(8, 12, scale, 0.1)]
    table = pack_meshes(meshes)
    ends = scale * rng.uniform(-1.2, 1.2, (MANY, 2, 3)) * rng.choice([0.05, 1.0], (MANY, 1, 1))
    ends += scale * rng.uniform(-1.0, 1.0, (MANY, 1, 3))
    boxes = np.column_stack((ends.min(axis=1), ends.max(axis=1)))
    boxes[0] = [-math.inf] * 3 + [math.inf] * 3
    for k, mesh in enumerate(meshes):
        low, high = corners_of(mesh).min(axis=1), corners_of(mesh).max(axis=1)
        found, count = in_boxes(table, k, boxes, len(mesh.faces))
        for box, row, number in zip(boxes, found, count):
            expected = np.flatnonzero((low <= box[3:]).all(axis=1) & (box[:3] <= high).all(axis=1))
            np.testing.assert_array_equal(np.sort(row[:number]), expected)
        assert count[0] == len(mesh.faces)
        assert np.median(count) < len(mesh.faces) / 2


def test_boxes_are_closed_and_more_than_fits_is_counted():
    mesh = raw([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0.5)], [(0, 1, 2), (1, 3, 2)])
    table = pack_meshes([mesh])
    touching = [(1, 1, 0.5, 2, 2, 2), (np.nextafter(1, 2), 0, 0, 2, 2, 2), (-1, -1, 0.5, 0, 0, 1), (0, 0, -1, 1, 1, 0)]
    found, count = in_boxes(table, 0, touching, 2)
    assert count.tolist() == [1, 0, 1, 2]
    assert found[:3, 0].tolist() == [1, 0, 1]
    found, count = in_boxes(table, 0, [(0, 0, 0, 1, 1, 1)], 1)
    assert count[0] == 2
    assert mesh_in_box(table, 0, Bounds(0.0, 0.0, 0.0, 1.0, 1.0, 1.0), np.zeros(0, np.uint32)) == 2


@pytest.mark.parametrize("count", [1, 2, 3, 5, 9])
def test_few_triangles(count):
    mesh = soup(np.random.default_rng(count), count)
    found, number = in_boxes(pack_meshes([mesh]), 0, [[-9, -9, -9, 9, 9, 9]], count)
    assert sorted(found[0, : number[0]]) == list(range(count))


def test_triangles_with_one_centre_and_ever_smaller_ones_end_within_the_stack():
    """All centres alike leave nothing to choose; centres at 2^-k put one triangle into each level of the heuristic."""
    size = 2.0 ** -np.arange(120.0)
    alike = np.array([(-1.0, -1.0, 0.0), (1.0, -1.0, 0.0), (0.0, 2.0, 0.0)]) * size[:, None, None]
    alike -= 0.5 * (alike.min(axis=1) + alike.max(axis=1))[:, None]
    apart = alike + np.column_stack((size, 0.0 * size, 0.0 * size))[:, None] * 8.0
    for corners in (alike, apart):
        mesh = raw(corners.reshape(-1, 3), np.arange(360).reshape(-1, 3))
        table = pack_meshes([mesh])
        assert max(level for level, *_ in walk(table, 0)) < DEEPEST
        found, number = in_boxes(table, 0, [[-99, -99, -99, 99, 99, 99]], 120)
        assert sorted(found[0, : number[0]]) == list(range(120))


def test_same_triangles_give_the_same_tree():
    mesh = ball_mesh(8, 9, 1.0, 0.2)
    one, other = pack_meshes([mesh]), pack_meshes([mesh])
    np.testing.assert_array_equal(one.link, other.link)
    np.testing.assert_array_equal(one.corner, other.corner)


def test_boxes_in_single_precision_are_never_smaller():
    rng = np.random.default_rng(4)
    box = rng.normal(size=(400, 12)) * 10.0 ** rng.uniform(-44.0, 40.0, (400, 1))
    box[0], box[1] = 1.5, np.inf
    wide = outward_float32(box).astype(float)
    low = np.arange(12) % 6 < 3
    assert (wide[:, low] <= box[:, low]).all()
    assert (wide[:, ~low] >= box[:, ~low]).all()
    assert (wide[:1] == box[:1]).all()  # exact where single precision has the number
    plain = (np.abs(box) > 1e-30) & (np.abs(box) < 1e30)
    assert (np.abs(wide[plain] - box[plain]) <= 2.0**-23 * np.abs(box[plain])).all()
