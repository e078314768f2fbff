"""Packed height fields (V-21, V-34): facets, boxes, heights, and new heights in place."""

from __future__ import annotations

import numpy as np
import pytest
from field_samples import SHAPES, all_facets, cast, find, heights, hills, nearest, top_of

from gelenk.collision.broad.bounds import Bounds
from gelenk.collision.field_table import Fields, field_bounds, pack_fields, set_heights
from gelenk.errors import InputError
from gelenk.geometry.height_field import HeightField


def surroundings(top):
    """Farthest normals over the sides and tips of triangles that are known by their corners alone.

    Sides are found by their ends, and bends by the height of the far corner over the plane; 1e-12 of it is flat.
    """
    key = {tuple(p): k for k, p in enumerate(np.unique(top.reshape(-1, 3), axis=0))}
    corners = [[key[tuple(p)] for p in triangle] for triangle in top]
    n = np.cross(top[:, 1] - top[:, 0], top[:, 2] - top[:, 0])
    n /= np.linalg.norm(n, axis=1)[:, None]
    owner = {(c[m], c[(m + 1) % 3]): (t, m) for t, c in enumerate(corners) for m in range(3)}
    far, around = np.zeros((len(top), 3, 3)), {k: [] for k in key.values()}
    for (a, b), (t, m) in owner.items():
        p, q = top[t, m], top[t, (m + 1) % 3]
        if (b, a) not in owner:
            level = np.cross(q - p, n[t])
            far[t, m] = level / np.linalg.norm(level)
            kind = 1
        else:
            other, its = owner[b, a]
            apex = top[other, (its + 2) % 3]
            height = (apex - p) @ n[t]
            kind = 0 if abs(height) < 1e-12 * np.abs(top).max() else -np.sign(height)
            far[t, m] = n[other] if kind > 0 else n[t]
        around[a].append(kind)
        around[b].append(kind)
    tip = {k: min(kinds) >= 0 and max(kinds) > 0 for k, kinds in around.items()}
    return n, far, np.array([sum(tip[k] << m for m, k in enumerate(c)) for c in corners])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("shape", SHAPES[:5])
def test_facets_are_those_of_the_same_mesh(shape, scale):
    """V-21: corners as drawn, normals over sides, rims and tips as the neighbours make them."""
    field = hills(shape, scale=scale)
    top = top_of(field)
    n, far, tips = surroundings(top)
    out, its_tips = all_facets(pack_fields([field]), len(top))
    np.testing.assert_array_equal(out[:, :3], top)
    np.testing.assert_allclose(out[:, 3], n, atol=1e-14)
    np.testing.assert_allclose(out[:, 4:], far, atol=1e-14)
    np.testing.assert_array_equal(its_tips, tips)


@pytest.mark.parametrize("make", [lambda x, y: 0 * x, lambda x, y: 0.3 * x - 0.77 * y + 123.4, lambda x, y: -abs(x)])
def test_facets_of_planes_and_a_roof(make):
    """V-21: on a plane, rounded samples of a slope too, nothing bends but the rim; a roof bends along its ridge."""
    x, y = np.meshgrid(0.1 * np.arange(-4, 5), 0.3 * np.arange(-3, 4), indexing="ij")
    field = HeightField(make(x, y), (0.1, 0.3))
    top = top_of(field)
    _, far, tips = surroundings(top)
    out, its_tips = all_facets(pack_fields([field]), len(top))
    np.testing.assert_allclose(out[:, 4:], far, atol=1e-13)
    np.testing.assert_array_equal(its_tips, tips)
    inner = (np.abs(top[:, :, 0]) < 0.35) & (np.abs(top[:, :, 1]) < 0.85)
    marked = (its_tips[:, None] >> np.arange(3) & 1).astype(bool)
    ridge = (np.abs(top[:, :, 0]) < 0.05) & (make(1.0, 0.0) == -1)
    np.testing.assert_array_equal(marked[inner], ridge[inner])


def test_boxes_find_exactly_what_meets_them():
    """V-21: in boxes of all sizes, flat ones and ones with ends on the raster, as all triangles tested one by one."""
    rng = np.random.default_rng(6)
    for shape in SHAPES:
        field = hills(shape, spacing=(0.1, 0.3))
        fields, top = pack_fields([field]), top_of(field)
        low, high = top.min(axis=1), top.max(axis=1)
        for k in range(60):
            size = np.ptp(top, axis=(0, 1)) * 10.0 ** rng.uniform(-3, 0.5, 3)
            a = rng.uniform(low.min(axis=0) - 0.1, high.max(axis=0) + 0.1)
            b = a + size
            if k % 3 == 0:  # on samples
                a, b = (
                    np.minimum(p := top[rng.integers(len(top)), 0], q := top[rng.integers(len(top)), 1]),
                    np.maximum(p, q),
                )
            if k % 5 == 0:
                b[2] = np.inf
            want = np.flatnonzero(((low <= b) & (a <= high)).all(axis=1))
            found, count = find(fields, Bounds(*map(float, (*a, *b))))
            assert count == len(want)
            np.testing.assert_array_equal(np.sort(found), want)


def test_box_with_little_space():
    """V-21: all are counted, the first ones are written, in the same order."""
    field = hills((12, 12))
    fields = pack_fields([field])
    everything = Bounds(-np.inf, -np.inf, -np.inf, np.inf, np.inf, np.inf)
    found, count = find(fields, everything)
    assert count == 2 * 11 * 11
    few, same = find(fields, everything, space=7)
    assert same == count
    np.testing.assert_array_equal(few, found[:7])


def test_heights_and_bounds():
    """V-21: the compiled height is that of the shape, beyond the rim none; bounds reach from base to top."""
    field = hills((9, 14))
    fields = pack_fields([hills((3, 3)), field])
    rng = np.random.default_rng(7)
    rim = np.array([field.axes()[0][-1], field.axes()[1][-1]])
    places = np.concatenate((rng.uniform(-1.2, 1.2, (200, 2)) * rim, [rim, -rim], top_of(field)[:, 0, :2]))
    z, t = np.zeros(len(places)), np.zeros(len(places), dtype=np.int64)
    heights(fields, np.array([1]), places, z, t)
    np.testing.assert_array_equal(z, field.height_at(*places.T))
    beyond = (np.abs(places) > rim).any(axis=1)
    assert (np.isnan(z) == beyond).all()
    assert ((t < 0) == beyond).all()
    top = top_of(field)
    box = field_bounds(fields, 1)
    np.testing.assert_array_equal(box[:3], [*top.min(axis=(0, 1))[:2], field.base])
    np.testing.assert_array_equal(box[3:], top.max(axis=(0, 1)))


def test_several_fields_and_none():
    """V-21: each of a table answers as alone; an empty table packs."""
    some = [hills(shape, seed=k) for k, shape in enumerate(SHAPES)]
    together = pack_fields(some)
    start = np.array([[0.1, 0.2, 100.0]])
    for k, field in enumerate(some):
        alone = pack_fields([field])
        assert cast(together, start, -np.eye(3)[2:], index=k)[0] == cast(alone, start, -np.eye(3)[2:])[0]
        assert nearest(together, start, index=k)[0] == nearest(alone, start)[0]
    empty = pack_fields([])
    assert len(empty.field) == len(empty.height) == 0
    assert [a.dtype for a in empty] == [a.dtype for a in together]


def copy_of(fields):
    return Fields(*(a.copy() for a in fields))


@pytest.mark.parametrize("shape", [(2, 2), (9, 9), (10, 17), (66, 70), (150, 20)])
def test_new_heights_leave_a_table_as_if_packed_anew(shape):
    """V-21, V-34: whole rasters and patches at all places, bit for bit, other fields untouched."""
    rng = np.random.default_rng(8)
    before, other = HeightField(rng.normal(size=shape), 0.5, base=-50), hills((9, 9))
    fields = pack_fields([other, before, other])
    z = rng.normal(size=shape)
    set_heights(fields, 1, z)
    for k in range(20):
        i, j = rng.integers(shape[0]), rng.integers(shape[1])
        n, m = rng.integers(1, shape[0] - i + 1), rng.integers(1, shape[1] - j + 1)
        z[i : i + n, j : j + m] = rng.normal(size=(n, m)) - 0.5 * k
        set_heights(fields, 1, z[i : i + n, j : j + m], (i, j))
    for a, b in zip(fields, pack_fields([other, HeightField(z, 0.5, base=-50), other])):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("index", "z", "corner", "says"),
    [
        (1, np.zeros((3, 4)), (0, 0), "index is 1"),
        (0, np.zeros((3, 5)), (0, 0), "within its 3 x 4"),
        (0, np.zeros((2, 2)), None, "all its 3 x 4 samples"),
        (0, np.zeros((2, 2)), (2, 0), "begin at sample (2, 0)"),
        (0, np.zeros((2, 2)), (-1, 0), "corner along x is -1"),
        (0, np.full((2, 2), -9), (0, 1), "below the base"),
        (0, [[0, np.nan]], (0, 0), "heights[0, 1] is nan"),
        (0, np.zeros(3), (0, 0), "shape (3,)"),
    ],
)
def test_bad_heights_change_nothing(index, z, corner, says):
    """V-21: refused by name, and the table stays as it was."""
    fields = pack_fields([HeightField(np.ones((3, 4)), 1.0)])
    kept = copy_of(fields)
    with pytest.raises(InputError) as refused:
        set_heights(fields, index, z, corner)
    assert says in str(refused.value)
    for a, b in zip(fields, kept):
        np.testing.assert_array_equal(a, b)
