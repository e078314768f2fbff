"""One-shot boxes, rays, the choice of a phase, and bad input."""

import math

import numpy as np
import pytest

from gelenk import compile as compiler
from gelenk.collision.broad.all_pairs import new_all_pairs
from gelenk.collision.broad.bounds import Bounds, check_boxes
from gelenk.collision.broad.candidates import all_along_ray, all_in_box, all_pairs_of, update_phase
from gelenk.collision.broad.cell_lists import new_cell_lists
from gelenk.collision.broad.choose import MAKE, choose_phase
from gelenk.collision.broad.grid import new_grid
from gelenk.collision.broad.kd_tree import new_kd_tree
from gelenk.collision.broad.octree import new_octree
from gelenk.collision.broad.pair_filter import ABSENT, new_filter
from gelenk.collision.broad.phase import new_pairs
from gelenk.collision.broad.sweep_axes import new_sweep_axes
from gelenk.collision.broad.tree import new_tree
from gelenk.errors import InputError

MANY = 400 if compiler.ENABLED else 60


def scene(seed, n=MANY):
    """Boxes of mixed sizes, a floor and a wall without end."""
    rng = np.random.default_rng(seed)
    centre, half = rng.uniform(0, 10, (n, 3)), 10.0 ** rng.uniform(-1, 0.5, (n, 1)) * rng.uniform(0.5, 1, (n, 3))
    boxes = np.hstack([centre - half, centre + half])
    boxes[5] = [-math.inf, -math.inf, -math.inf, math.inf, math.inf, 0.0]
    boxes[6] = [-math.inf, -math.inf, -math.inf, 0.0, math.inf, math.inf]
    return rng, boxes


@pytest.mark.parametrize("kind", MAKE)
def test_box_query_returns_all_that_touch(kind):
    rng, boxes = scene(1)
    filter_ = new_filter(MANY, moving=np.arange(MANY) % 2 == 0, group=1 << (np.arange(MANY) % 3))
    filter_.element.role[::7] = ABSENT
    phase = MAKE[kind](boxes)
    update_phase(phase, boxes, filter_)
    there, hits = filter_.element.role != ABSENT, 0
    for k in range(40):
        low = rng.uniform(-1, 9, 3)
        box = np.concatenate([low, low + 10.0 ** rng.uniform(-3, 1.5, 3)])
        box = boxes[k % MANY] if k % 4 == 0 else box  # exactly the same faces; infinite ones too
        mask = [0xFFFFFFFF, 1, 6][k % 3]
        touch = (boxes[:, :3] <= box[3:]).all(axis=1) & (box[:3] <= boxes[:, 3:]).all(axis=1)
        expected = np.flatnonzero(touch & there & (filter_.element.group & mask != 0))
        np.testing.assert_array_equal(all_in_box(phase, boxes, filter_, box, mask), expected)
        hits += len(expected)
    assert hits > 20


def test_ray_query_against_all_boxes():
    """Entries of all boxes by the slab rule in arrays; along axes, from inside, limited in length."""
    rng, boxes = scene(2)
    filter_, tree = new_filter(MANY, group=1 << (np.arange(MANY) % 3)), new_tree(MANY)
    filter_.element.role[::7] = ABSENT
    update_phase(tree, boxes, filter_)
    hits = 0
    for k in range(40):
        start, direction = rng.uniform(-5, 15, 3), rng.normal(size=3)
        if k % 3 == 0:
            direction = np.eye(3)[k % 9 // 3] * (-1) ** k
        length, mask = [math.inf, 4.0][k % 2], [0xFFFFFFFF, 3][k % 5 == 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = (boxes[:, :3] - start) / direction, (boxes[:, 3:] - start) / direction
        flat = direction == 0.0
        inside = (boxes[:, :3] <= start) & (start <= boxes[:, 3:])
        near = np.where(flat, np.where(inside, -math.inf, math.inf), np.minimum(a, b)).max(axis=1)
        far = np.where(flat, np.where(inside, math.inf, -math.inf), np.maximum(a, b)).min(axis=1)
        near, far = np.maximum(near, 0.0), np.minimum(far, length)
        hit = (near <= far) & (filter_.element.role != ABSENT) & (filter_.element.group & mask != 0)
        expected = sorted(np.flatnonzero(hit), key=lambda i: (near[i], i))
        found, entry = all_along_ray(tree, boxes, filter_, start, direction, length, mask)
        np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(entry, near[expected])  # the same operations: the same bits
        hits += len(expected)
    assert hits > 20


def test_ray_along_a_face_hits_and_beside_it_misses():
    boxes, filter_ = np.array([[0.0, 0, 0, 1, 1, 1], [5.0, 0, 0, 6, 1, 1]]), new_filter(2)
    tree = new_tree(2)
    update_phase(tree, boxes, filter_)
    found, entry = all_along_ray(tree, boxes, filter_, (-1, 1, 0.5), (1, 0, 0))
    assert found.tolist() == [0, 1]
    assert entry.tolist() == [1.0, 6.0]
    assert len(all_along_ray(tree, boxes, filter_, (-1, np.nextafter(1, 2), 0.5), (1, 0, 0))[0]) == 0
    assert len(all_along_ray(tree, boxes, filter_, (-1, 0.5, 0.5), (-1, 0, 0))[0]) == 0
    assert all_along_ray(tree, boxes, filter_, (-1, 0.5, 0.5), (1, 0, 0), 1.0)[0].tolist() == [0]


def test_queries_of_an_empty_phase_find_nothing():
    boxes, filter_ = np.zeros((3, 6)), new_filter(3)
    filter_.element.role[:] = ABSENT
    for make in MAKE.values():
        phase = make(boxes)
        update_phase(phase, boxes, filter_)
        assert len(all_in_box(phase, boxes, filter_, [-1, -1, -1, 1, 1, 1])) == 0
    assert len(all_along_ray(new_tree(3), boxes, filter_, (0, 0, 0), (1, 0, 0))[0]) == 0


def test_values():
    a, b = Bounds(0.0, 0.0, 0.0, 1.0, 2.0, 3.0), Bounds(1.0, 2.0, 3.0, 2.0, 3.0, 4.0)
    assert a.meets(b)
    assert b.meets(a)
    assert not a.holds(b)
    assert a.around(b).holds(a)
    assert a.around(b) == Bounds(0.0, 0.0, 0.0, 2.0, 3.0, 4.0)
    assert a.half_area() == 2 + 6 + 3


def row_of(n):
    low = np.arange(n)[:, None] * [1.0, 0.0, 0.0]
    return np.hstack([low, low + 1.5])


def block_of(n):
    side = math.ceil(n ** (1 / 3))
    low = np.array([[i % side, i // side % side, i // side**2] for i in range(n)], dtype=float)
    return np.hstack([low, low + 0.9])


def sizes_of(n):
    """The same with sizes from 0.1 mm to 0.9 m."""
    boxes = block_of(n)
    boxes[:, 3:] = boxes[:, :3] + 0.9 * 10.0 ** np.linspace(-4, 0, n)[:, None]
    return boxes


@pytest.mark.parametrize(
    ("boxes", "moving", "kind"),
    [
        (row_of(20), True, "all pairs"),
        (row_of(500), True, "kept sweep"),
        (block_of(8000), True, "kept grid"),
        (sizes_of(8000), True, "kept tree"),
    ],
    ids=["few", "row", "block", "many sizes"],
)
def test_choice_by_scene(boxes, moving, kind):
    choice = choose_phase(boxes, new_filter(len(boxes), moving=moving))
    assert choice.kind == kind
    assert str(len(boxes)) in choice.why
    assert choose_phase(boxes, new_filter(len(boxes)), "sweep").kind == "sweep"
    assert choose_phase(boxes, new_filter(len(boxes)), rays=True).kind == "tree"


def test_choice_works_and_is_told_apart():
    boxes, filter_ = block_of(MANY) * 1.05, new_filter(MANY)
    expected, count = all_pairs_of(new_all_pairs(), boxes, filter_, new_pairs(MANY))
    for kind in MAKE:
        choice = choose_phase(boxes, filter_, kind)
        pairs, same = all_pairs_of(choice.phase, boxes, filter_, new_pairs(MANY))
        assert (choice.kind, choice.why, same) == (kind, "asked for", count)
        np.testing.assert_array_equal(pairs.pair[:count], expected.pair[:count])


@pytest.mark.parametrize(
    ("act", "says"),
    [
        (lambda: check_boxes([[0, 0, 0, 1, 1]]), "shape"),
        (lambda: check_boxes([[0, 0, 0, 1, math.nan, 1]]), "box 0"),
        (lambda: check_boxes([[0, 0, 0, 1, 1, 1], [2, 0, 0, 1, 1, 1]]), "box 1"),
        (lambda: check_boxes("boxes"), "no table"),
        (lambda: new_filter(0), "count"),
        (lambda: new_filter(3, group=-1), "group"),
        (lambda: new_filter(3, mask=[1, 2]), "mask"),
        (lambda: new_filter(3, excluded=[(1, 1)]), "itself"),
        (lambda: new_filter(3, excluded=[(0, 3)]), "excluded body"),
        (lambda: new_grid(3, 0.0), "size"),
        (lambda: new_tree(3, -1.0), "margin"),
        (lambda: new_cell_lists(3, math.nan), "size"),
        (lambda: new_cell_lists(3, 1.0, axes=1), "axes"),
        (lambda: new_octree(3, axes=4), "axes"),
        (lambda: new_kd_tree(0), "count"),
        (lambda: new_sweep_axes(3, 0), "capacity"),
        (lambda: choose_phase(row_of(3), new_filter(3), "dodecatree"), "dodecatree.*sweep on three axes"),
        (lambda: all_along_ray(new_tree(3), row_of(3), new_filter(3), (0, 0, 0), (0, 0, 0)), "direction"),
        (lambda: all_along_ray(new_tree(3), row_of(3), new_filter(3), (0, 0, 0), (1, 0, 0), math.nan), "length"),
    ],
)
def test_bad_input_is_refused(act, says):
    with pytest.raises(InputError, match=says):
        act()
