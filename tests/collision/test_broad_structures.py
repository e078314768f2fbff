"""What the structures of broad phases promise beside the right pairs: lists, cells, planes and sets stay sound."""

import numpy as np
import pytest

from gelenk import compile as compiler
from gelenk.collision.broad.candidates import all_in_box, all_pairs_of, update_phase
from gelenk.collision.broad.cell_lists import LARGE, new_cell_lists
from gelenk.collision.broad.choose import MAKE
from gelenk.collision.broad.kd_tree import IN_LEAF, new_kd_tree
from gelenk.collision.broad.octree import BUILDS, CHANGES, FREE, MOST, new_octree
from gelenk.collision.broad.pair_filter import ABSENT, MOVING, new_filter
from gelenk.collision.broad.pair_set import empty_set, new_pair_set, put_into_set, take_from_set
from gelenk.collision.broad.phase import NONE, new_pairs
from gelenk.collision.broad.sweep_axes import BUILDS as AXES_BUILDS
from gelenk.collision.broad.sweep_axes import new_sweep_axes

MANY = 400 if compiler.ENABLED else 60


def cloud(rng, n, side=None):
    centre = rng.uniform(0, n ** (1 / 3) if side is None else side, (n, 3))
    half = rng.uniform(0.3, 0.5, (n, 3))
    return np.hstack([centre - half, centre + half])


def pairs(phase, boxes, filter_):
    space, count = all_pairs_of(phase, boxes, filter_, new_pairs(len(boxes)))
    return space.pair[:count].copy()


def elements_by_cell(lists):
    """Each cell's elements by walking its list, checking both directions."""
    cells = {}
    for first in lists.first:
        before, at = NONE, first
        while at != NONE:
            link = lists.link[at]
            assert link.before == before
            cells.setdefault(int(link.key), set()).add(int(link.owner))
            before, at = at, link.after
    return cells


def test_cells_know_their_elements_and_elements_their_cells():
    """V-12: both lists tell the same, after many changes; who is larger than the limit is in the other list."""
    rng = np.random.default_rng(1)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    boxes[5] = [-np.inf, -np.inf, -np.inf, np.inf, np.inf, 0.0]
    boxes[6, 3:] = boxes[6, :3] + 2.5  # three or four cells of 1 m along each axis: more than 16
    lists = new_cell_lists(MANY, 1.0)
    for _ in range(10):
        boxes[7:] += np.tile(0.3 * rng.normal(size=(MANY - 7, 3)), 2)
        filter_.element.role[rng.integers(7, MANY, 2)] = [ABSENT, MOVING]
        update_phase(lists, boxes, filter_)
    by_cell, limit = elements_by_cell(lists), int(lists.limit[0])
    by_element = {}
    for i in np.flatnonzero(lists.cells != LARGE):
        keys = lists.link.key[i * limit : i * limit + lists.cells[i]]
        cells = np.prod(np.floor(boxes[i, 3:]) - np.floor(boxes[i, :3]) + 1)
        assert len(set(keys.tolist())) == lists.cells[i] == (cells if filter_.element.role[i] != ABSENT else 0)
        for key in keys.tolist():
            by_element.setdefault(key, set()).add(int(i))
    assert by_cell == by_element
    assert sorted(lists.large[: lists.state[0]]) == [5, 6]


def test_who_stays_in_his_cells_changes_no_list():
    """V-12: a move within the cells costs no change, one beyond the own ones alone."""
    boxes, filter_ = np.array([[k + 0.2, 0.2, 0.2, k + 0.5, 0.5, 0.5] for k in range(MANY)]), new_filter(MANY)
    lists = new_cell_lists(MANY, 1.0)
    update_phase(lists, boxes, filter_)
    assert lists.state[1] == MANY
    update_phase(lists, boxes + 0.4, filter_)
    assert lists.state[1] == MANY
    boxes[3, [0, 3]] += 0.7
    update_phase(lists, boxes, filter_)
    assert lists.state[1] == MANY + 1
    filter_.element.role[4] = ABSENT
    update_phase(lists, boxes, filter_)
    assert all_in_box(lists, boxes, filter_, [3.0, 0, 0, 5.3, 1, 1]).tolist() == [3, 5]


def check_octree(tree, boxes, filter_):
    """Every element in one cell whose loose bounds hold it, numbers agree; returns the number of cells in use."""
    seen, todo, cells = [], [0], 0
    while todo:
        k = todo.pop()
        e, own, i = tree.cell[k], [], tree.cell[k].first
        while i != NONE:
            assert tree.home[i] == k
            own.append(int(i))
            i = tree.after[i]
        assert len(own) == e.own
        axes = 3 if tree.parts[0] == 8 else 2
        if k > 0:
            middle = np.array([e.x, e.y, e.z])[:axes]
            assert (boxes[own, :axes] >= middle - 2 * e.half).all()
            assert (boxes[own, 3 : 3 + axes] <= middle + 2 * e.half).all()
        below = range(int(e.child), int(e.child) + int(tree.parts[0])) if e.child != NONE else range(0)
        assert e.whole == e.own + sum(int(tree.cell[c].whole) for c in below)
        assert all(tree.cell[c].parent == k for c in below)
        if e.child != NONE:
            assert 2 * e.whole > MOST
        seen += own
        cells += 1
        todo += list(below)
    assert sorted(seen) == np.flatnonzero(filter_.element.role != ABSENT).tolist()
    assert (cells - 1) // int(tree.parts[0]) == len(tree.free) - tree.state[FREE]
    return cells


@pytest.mark.parametrize("axes", [2, 3])
def test_crowded_cells_are_split_and_empty_ones_merged(axes):
    """V-13: cells follow the elements; when all are gone but a few, one cell is left."""
    rng = np.random.default_rng(2)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    boxes[0] = [-np.inf, -np.inf, -np.inf, np.inf, np.inf, 0.0]
    tree = new_octree(MANY, axes=axes)
    update_phase(tree, boxes, filter_)
    most = check_octree(tree, boxes, filter_)
    assert most > MANY / MOST
    for _ in range(10):
        boxes[1:] += np.tile(0.2 * rng.normal(size=(MANY - 1, 3)), 2)
        filter_.element.role[rng.integers(0, MANY, 3)] = ABSENT
        update_phase(tree, boxes, filter_)
        check_octree(tree, boxes, filter_)
    filter_.element.role[MOST // 2 :] = ABSENT
    update_phase(tree, boxes, filter_)
    assert check_octree(tree, boxes, filter_) == 1


def test_octree_follows_a_scene_that_goes_away():
    """V-13: small moves change no cell; when most have left the uppermost cell, it is put around them anew."""
    rng = np.random.default_rng(3)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    tree = new_octree(MANY)
    update_phase(tree, boxes, filter_)
    builds, changes, cells = tree.state[BUILDS], tree.state[CHANGES], check_octree(tree, boxes, filter_)
    update_phase(tree, boxes + 1e-9, filter_)
    assert tree.state[CHANGES] - changes <= MANY // 100
    boxes += 1000.0
    update_phase(tree, boxes, filter_)
    assert tree.state[BUILDS] == builds + 1
    assert check_octree(tree, boxes, filter_) == pytest.approx(cells, rel=0.5)


def leaf_sizes(tree, filter_):
    leaves, n = 1 << int(tree.levels[0]), len(tree.order)
    there = filter_.element.role[tree.order] != ABSENT
    return [int(there[n * k // leaves : n * (k + 1) // leaves].sum()) for k in range(leaves)]


def test_planes_halve_the_elements_and_move_where_needed():
    """V-14: leaves of equal number always; elements that stay near change no plane; a crowd that moves changes few."""
    rng = np.random.default_rng(4)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    boxes[::2, [0, 3]] += 1000.0  # two crowds
    tree = new_kd_tree(MANY)
    update_phase(tree, boxes, filter_)
    inner = len(tree.plane)
    assert tree.halvings.tolist() == [inner, MANY * int(tree.levels[0])]
    sizes = leaf_sizes(tree, filter_)
    assert max(sizes) <= IN_LEAF
    assert max(sizes) - min(sizes) <= 1
    update_phase(tree, boxes + 0.01, filter_)
    assert tree.halvings[0] == inner
    boxes[::2] = boxes[::2][rng.permutation(len(boxes[::2]))]  # one crowd in disorder: the root stays, and the other
    update_phase(tree, boxes, filter_)
    assert 0 < tree.halvings[0] - inner <= inner // 2
    assert sorted(tree.order) == list(range(MANY))


def test_absent_elements_stand_at_the_end():
    """V-14: nodes of absent elements alone hold nothing, the others are full."""
    rng = np.random.default_rng(5)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    filter_.element.role[rng.permutation(MANY)[: MANY // 2]] = ABSENT
    tree = new_kd_tree(MANY)
    update_phase(tree, boxes, filter_)
    sizes = leaf_sizes(tree, filter_)
    full = sum(size > 0 for size in sizes)
    assert full <= len(sizes) // 2 + 1
    assert all(size > 0 for size in sizes[:full])


def test_set_of_pairs_is_a_set():
    """V-16: against Python's own, with as many pairs as there is space for, so that chains of slots are long."""
    rng, space, reference = np.random.default_rng(6), new_pair_set(64), set()
    for i, j in rng.integers(0, 14, (4000, 2)):
        pair = (int(min(i, j)), int(max(i, j)))
        if rng.uniform() < 0.5 and len(reference) < 64:
            put_into_set(space, np.uint32(i), np.uint32(j))
            reference.add(pair)
        else:
            take_from_set(space, np.uint32(i), np.uint32(j))
            reference.discard(pair)
        assert space.state.tolist() == [len(reference), 0]
        assert {tuple(p) for p in space.member[: len(reference)].tolist()} == reference
    empty_set(space)
    assert space.state[0] == 0
    assert (space.slot == NONE).all()


def test_ends_stay_sorted_along_three_axes():
    """V-16: all three lists, by insertion while the order hardly changes, and the set has what meets."""
    rng = np.random.default_rng(7)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    axes = new_sweep_axes(MANY)
    update_phase(axes, boxes, filter_)
    builds = int(axes.state[AXES_BUILDS])
    for _ in range(20):
        boxes += np.tile(0.005 * rng.normal(size=(MANY, 3)), 2)
        found = pairs(axes, boxes, filter_)
        assert len(found) == axes.meet.state[0] > 0
        for axis in range(3):
            tag = axes.tag[axis].astype(int)
            np.testing.assert_array_equal(axes.place[axis], boxes[tag >> 1, axis + 3 * (tag & 1)])
            assert (np.diff(axes.place[axis]) >= 0).all()
            assert sorted(tag) == list(range(2 * MANY))
    assert axes.state[AXES_BUILDS] == builds


def test_more_pairs_than_space_are_found_all_the_same():
    """V-16: the set is full, then there is space again."""
    rng = np.random.default_rng(8)
    boxes, filter_ = cloud(rng, MANY, 3.0), new_filter(MANY)
    axes = new_sweep_axes(MANY, MANY // 8)
    for side in (1.0, 2.0, 8.0, 1.0):
        spread = boxes + np.tile((side - 1.0) * 2.0 * boxes[:, :3], 2)
        np.testing.assert_array_equal(pairs(axes, spread, filter_), pairs(MAKE["all pairs"](spread), spread, filter_))
        assert (axes.meet.state[1] == 1) == (len(pairs(axes, spread, filter_)) > MANY // 8)


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["tree", "cell lists", "octree", "kd-tree", "sweep on three axes"])
def test_very_large_scene_in_which_few_move(kind):
    """V-17: of 100 000 elements 10 000 move; the pairs are those of the grid, of some elements those by definition."""
    rng, n = np.random.default_rng(9), 100_000
    boxes, moving = cloud(rng, n), np.arange(n) % 10 == 0
    filter_, velocity = new_filter(n, moving=moving), 0.01 * rng.normal(size=(n, 3)) * moving[:, None]
    phase, grid = MAKE[kind](boxes), MAKE["grid"](boxes)
    for _ in range(5):
        boxes += np.tile(velocity, 2)
        found = pairs(phase, boxes, filter_)
        np.testing.assert_array_equal(found, pairs(grid, boxes, filter_))
    for i in range(0, n, 2000):
        meets = (boxes[:, :3] <= boxes[i, 3:]).all(axis=1) & (boxes[i, :3] <= boxes[:, 3:]).all(axis=1)
        meets[i] = False
        partners = np.concatenate([found[found[:, 0] == i, 1], found[found[:, 1] == i, 0]])
        np.testing.assert_array_equal(np.sort(partners), np.flatnonzero(meets))
