"""Every broad phase finds what comparing all boxes finds, in the same order, step after step."""

import math

import numpy as np
import pytest

from gelenk import compile as compiler
from gelenk.collision.broad.all_pairs import new_all_pairs
from gelenk.collision.broad.candidates import all_pairs_of, pairs_of, update_phase
from gelenk.collision.broad.choose import MAKE
from gelenk.collision.broad.pair_filter import ABSENT, MOVING, STILL, new_filter
from gelenk.collision.broad.phase import new_pairs
from gelenk.collision.broad.sweep import FULL_SORTS, new_sweep
from gelenk.collision.broad.tree import ROOT, new_tree

PHASES = {kind: make for kind, make in MAKE.items() if kind != "all pairs"}
MANY = 300 if compiler.ENABLED else 40


def boxes_at(centre, half):
    return np.hstack([centre - half, centre + half])


def found(phase, boxes, filter_):
    pairs, count = all_pairs_of(phase, boxes, filter_, new_pairs(len(boxes)))
    return pairs.pair[:count].copy()


def by_numpy(boxes, filter_):
    """The definition, one array expression a rule; shares nothing with the phases."""
    e = filter_.element
    low, high = boxes[:, None, :3], boxes[None, :, 3:]
    begins = (low <= high).all(axis=2)
    meets = begins & begins.T
    moving, there = e.role == MOVING, e.role != ABSENT
    meets &= (moving[:, None] | moving) & there[:, None] & there & (e.body[:, None] != e.body)
    sees = (e.group[:, None] & e.mask) != 0
    meets &= sees & sees.T
    excluded = {
        (a, int(b))
        for a in range(len(filter_.excluded_first) - 1)
        for b in filter_.excluded[filter_.excluded_first[a] : filter_.excluded_first[a + 1]]
    }
    rows = [
        (i, j)
        for i, j in np.argwhere(np.triu(meets, 1))
        if tuple(sorted((int(e.body[i]), int(e.body[j])))) not in excluded
    ]
    return np.array(rows, dtype=np.uint32).reshape(-1, 2)


def cloud(rng, n):
    return boxes_at(rng.uniform(0, n ** (1 / 3), (n, 3)), rng.uniform(0.3, 0.7, (n, 3)))


def clusters(rng, n):
    middle = rng.uniform(-100, 100, (5, 3))
    return boxes_at(middle[rng.integers(0, 5, n)] + rng.normal(size=(n, 3)), rng.uniform(0.2, 0.6, (n, 3)))


def equal(rng, n):
    return np.tile([1.0, 2.0, 3.0, 2.0, 3.0, 4.0], (n, 1))


def bricks(rng, n):
    """Unit cubes on a lattice: faces, edges and corners touch exactly."""
    side = math.ceil(n ** (1 / 3))
    corner = np.array([[i % side, i // side % side, i // side**2] for i in range(n)], dtype=float)
    return rng.permutation(np.hstack([corner, corner + 1.0]))


def sizes(rng, n):
    """From 0.1 mm to 10 km, at all places, far from the origin too."""
    size = 10.0 ** rng.uniform(-4, 4, (n, 1))
    return boxes_at(1e4 * rng.normal(size=(n, 3)) * rng.uniform(0, 1, (n, 1)) ** 6 + 2e5, size * rng.uniform(0.5, 1))


def ground(rng, n):
    boxes = cloud(rng, n)
    boxes[0] = [-1e4, -1e4, -1e4, 1e4, 1e4, 0.3]
    return boxes


def planes(rng, n):
    """A floor, a wall, a line, and all of space."""
    boxes, inf = cloud(rng, n), math.inf
    boxes[0] = [-inf, -inf, -inf, inf, inf, 0.3]
    boxes[n // 2] = [-inf, -inf, -inf, 0.2, inf, inf]
    boxes[n - 2] = [1.0, 1.0, -inf, 1.0, 1.0, inf]
    boxes[n - 1] = [-inf, -inf, -inf, inf, inf, inf]
    return boxes


def points(rng, n):
    """Boxes without size, many at the same places."""
    p = rng.integers(0, 3, (n, 3)).astype(float)
    return np.hstack([p, p])


def outlandish(rng, n):
    """Beyond any scene: ends at which cells are no whole numbers and areas overflow."""
    boxes = cloud(rng, n)
    boxes[1] = [1e200, 0, 0, 1e200, 1, 1]
    boxes[2] = [-1e300, 0, 0, 1e300, 1, 1]
    boxes[3] = [5e-324, 0, 0, 5e-324, 1, 1]
    boxes[4] = [1e200, 0, 0, 1.1e200, 1, math.inf]
    return boxes


SCENES = [cloud, clusters, equal, bricks, sizes, ground, planes, points, outlandish]


@pytest.mark.parametrize("kind", PHASES)
@pytest.mark.parametrize("scene", SCENES, ids=lambda s: s.__name__)
def test_finds_what_comparing_all_finds(scene, kind):
    rng = np.random.default_rng(4)
    n = MANY if scene is not equal else min(MANY, 100)
    boxes = scene(rng, n)
    moving = rng.uniform(size=n) < 0.7
    moving[0] = False
    filter_ = new_filter(n, moving=moving)
    expected = by_numpy(boxes, filter_)
    assert len(expected) > 0
    np.testing.assert_array_equal(found(new_all_pairs(), boxes, filter_), expected)
    np.testing.assert_array_equal(found(PHASES[kind](boxes), boxes, filter_), expected)


@pytest.mark.parametrize("kind", PHASES)
@pytest.mark.parametrize("scene", [cloud, clusters, bricks, sizes, planes], ids=lambda s: s.__name__)
def test_stays_right_over_many_steps(scene, kind):
    """Elements drift, some jump, a few come, go, stop and start: the phase is the same all the time."""
    rng = np.random.default_rng(5)
    n, steps = (MANY, 200) if compiler.ENABLED else (25, 12)
    boxes = scene(rng, n)
    filter_ = new_filter(n, moving=rng.uniform(size=n) < 0.8)
    phase, reference = PHASES[kind](boxes), new_all_pairs()
    size = (
        np.where(np.isfinite(boxes[:, 3:] - boxes[:, :3]), boxes[:, 3:] - boxes[:, :3], 0.0)
        if scene is not planes
        else 1
    )
    velocity = 0.02 * rng.normal(size=(n, 3)) * size
    role = filter_.element.role
    for step in range(steps):
        shift = np.where((role == MOVING)[:, None], velocity, 0.0)
        boxes += np.hstack([shift, shift])
        jump = rng.integers(0, n, 2)
        boxes[jump] += np.tile(rng.normal(size=(2, 3)), 2)
        role[rng.integers(0, n, 3)] = [ABSENT, STILL, MOVING]
        expected = found(reference, boxes, filter_)
        np.testing.assert_array_equal(found(phase, boxes, filter_), expected, err_msg=f"step {step}")
        if step % 40 == 0:
            np.testing.assert_array_equal(expected, by_numpy(boxes, filter_))


@pytest.mark.parametrize("kind", ["all pairs", *PHASES])
def test_says_how_much_space_it_needs(kind):
    """Too small a space is never written beyond, and the number returned is the one that suffices."""
    boxes = cloud(np.random.default_rng(6), MANY)
    filter_ = new_filter(MANY)
    phase = new_all_pairs() if kind == "all pairs" else PHASES[kind](boxes)
    need = len(by_numpy(boxes, filter_))
    assert need > 5
    for room in (0, 5, need - 1):
        pairs = new_pairs(MANY, room)
        assert pairs_of(phase, boxes, filter_, pairs) == need
        grown, count = all_pairs_of(phase, boxes, filter_, pairs)
        assert count == need <= len(grown.pair)
    exact = new_pairs(MANY, need)
    again, count = all_pairs_of(phase, boxes, filter_, exact)
    assert again is exact
    assert count == need
    np.testing.assert_array_equal(exact.pair, by_numpy(boxes, filter_))


def test_pairs_of_each_element_stand_together():
    boxes = cloud(np.random.default_rng(7), MANY)
    pairs, count = all_pairs_of(new_sweep(MANY), boxes, new_filter(MANY), new_pairs(MANY))
    assert pairs.first[0] == 0
    assert pairs.first[-1] == count
    for i in range(MANY):
        assert (pairs.pair[pairs.first[i] : pairs.first[i + 1], 0] == i).all()


@pytest.mark.parametrize("kind", ["all pairs", *PHASES])
def test_filters(kind):
    """Groups and masks, elements of one body, neighbours at joints, and all of these together."""
    rng = np.random.default_rng(8)
    n = MANY
    boxes = cloud(rng, n)
    phase = new_all_pairs() if kind == "all pairs" else PHASES[kind](boxes)
    body = rng.integers(0, n // 3, n)
    joints = [(int(a), int(b)) for a, b in rng.integers(0, body.max() + 1, (4 * n, 2)) if a != b]
    joints += [(b, a) for a, b in joints[:5]]
    bits = {"group": 1 << rng.integers(0, 32, n), "mask": rng.integers(0, 2**32, n)}
    free = len(by_numpy(boxes, new_filter(n)))
    for options in (
        {"body": body},
        bits,
        {"body": body, "excluded": joints},
        {**bits, "body": body, "excluded": joints},
    ):
        filter_ = new_filter(n, **options)
        expected = by_numpy(boxes, filter_)
        assert 0 < len(expected) < free
        np.testing.assert_array_equal(found(phase, boxes, filter_), expected)


@pytest.mark.parametrize("kind", ["all pairs", *PHASES])
def test_elements_at_rest_are_no_pair(kind):
    boxes = cloud(np.random.default_rng(9), MANY)
    phase = new_all_pairs() if kind == "all pairs" else PHASES[kind](boxes)
    assert len(found(phase, boxes, new_filter(MANY, moving=False))) == 0
    one = new_filter(MANY, moving=np.arange(MANY) == 3)
    pairs = found(phase, boxes, one)
    assert len(pairs) > 0
    assert (pairs == 3).any(axis=1).all()


@pytest.mark.parametrize("kind", PHASES)
def test_a_box_that_is_none_is_left_out(kind):
    """A body whose state is no number any more does not spoil the others."""
    boxes = cloud(np.random.default_rng(10), MANY)
    filter_ = new_filter(MANY)
    phase = PHASES[kind](boxes)
    assert len(found(phase, boxes, filter_)) > 0
    boxes[3], boxes[7, 2], boxes[9, [0, 3]] = math.nan, math.nan, (1.0, -1.0)
    expected = by_numpy(boxes, filter_)
    assert not np.isin(expected, [3, 7, 9]).any()
    np.testing.assert_array_equal(found(phase, boxes, filter_), expected)


@pytest.mark.parametrize("kind", PHASES)
def test_tiles_are_exchanged_while_running(kind):
    """Surroundings are streamed (V-34): old tiles go, new ones take their numbers elsewhere; then all go."""
    rng = np.random.default_rng(11)
    n = MANY
    boxes, filter_ = cloud(rng, n), new_filter(n, moving=np.arange(n) % 4 == 0)
    phase, tiles = PHASES[kind](boxes), np.arange(n) % 4 != 0
    for _ in range(5):
        boxes[tiles] = cloud(rng, n)[tiles]
        np.testing.assert_array_equal(found(phase, boxes, filter_), by_numpy(boxes, filter_))
    filter_.element.role[:] = ABSENT
    assert len(found(phase, boxes, filter_)) == 0
    filter_.element.role[:] = MOVING
    np.testing.assert_array_equal(found(phase, boxes, filter_), by_numpy(boxes, filter_))


def test_one_element_in_several_phases():
    """The same boxes, each phase with a filter of its own (V-31)."""
    rng = np.random.default_rng(12)
    boxes = cloud(rng, MANY)
    whole, part = new_filter(MANY), new_filter(MANY)
    part.element.role[::2] = ABSENT
    grid, tree = PHASES["grid"](boxes), PHASES["tree"](boxes)
    for _ in range(3):
        boxes += np.tile(0.05 * rng.normal(size=(MANY, 3)), 2)
        np.testing.assert_array_equal(found(grid, boxes, whole), by_numpy(boxes, whole))
        np.testing.assert_array_equal(found(tree, boxes, part), by_numpy(boxes, part))


@pytest.mark.parametrize("kind", PHASES)
def test_the_same_bits_from_a_fresh_start(kind):
    """What is found depends on the boxes only, not on what the phase went through; two phases alike stay alike."""
    rng = np.random.default_rng(13)
    start, path = cloud(rng, MANY), 0.1 * rng.normal(size=(8, MANY, 3))
    filter_ = new_filter(MANY)
    one, two, boxes = PHASES[kind](start), PHASES[kind](start), start.copy()
    for way in path:
        boxes += np.tile(way, 2)
        a, b, fresh = (found(phase, boxes, filter_) for phase in (one, two, PHASES[kind](start)))
        assert a.tobytes() == b.tobytes() == fresh.tobytes()
    for memory, other in zip(arrays_of(one), arrays_of(two), strict=True):
        assert memory.tobytes() == other.tobytes()


def arrays_of(block):
    return [a for part in block for a in (arrays_of(part) if isinstance(part, tuple) else [part])]


def test_sweep_sorts_anew_only_in_disorder():
    rng = np.random.default_rng(14)
    boxes, filter_ = cloud(rng, MANY), new_filter(MANY)
    boxes[:, [0, 3]] *= 3.0  # x is the axis
    sweep = new_sweep(MANY)
    update_phase(sweep, boxes, filter_)
    assert sweep.state[FULL_SORTS] == 1
    for _ in range(20):
        boxes += np.tile(0.01 * rng.normal(size=(MANY, 3)), 2)
        update_phase(sweep, boxes, filter_)
    assert sweep.state[FULL_SORTS] == 1
    assert (np.diff(boxes[sweep.order, 0]) >= 0).all()
    boxes = rng.permutation(boxes)
    update_phase(sweep, boxes, filter_)
    assert sweep.state[FULL_SORTS] == 2
    assert (np.diff(boxes[sweep.order, 0]) >= 0).all()


def check_tree(tree, boxes):
    """Every inner node holds its children, links agree, every element is a leaf; returns the depth."""
    n, todo, leaves, depth = len(boxes), [(int(tree.state[ROOT]), 0)], [], 0
    while todo:
        k, level = todo.pop()
        e, depth = tree.node[k], max(depth, level)
        if k < n:
            leaves.append(k)
            continue
        for child in (int(e.left), int(e.right)):
            c = tree.node[child]
            assert tree.parent[child] == k
            assert tree.used[child]
            assert e.height > c.height
            assert e.moving >= c.moving
            assert e.x <= c.x
            assert e.y <= c.y
            assert e.z <= c.z
            assert e.x_high >= c.x_high
            assert e.y_high >= c.y_high
            assert e.z_high >= c.z_high
            todo.append((child, level + 1))
    assert sorted(leaves) == list(range(n))
    return depth


@pytest.mark.parametrize("scene", [cloud, equal, bricks, planes, clusters], ids=lambda s: s.__name__)
def test_tree_is_sound_and_not_deep(scene):
    """After many changes. Four times the depth of a balanced tree is allowed: areas decide, not numbers."""
    rng = np.random.default_rng(15)
    boxes, filter_ = scene(rng, MANY), new_filter(MANY)
    tree = new_tree(MANY)
    for _ in range(10):
        update_phase(tree, boxes, filter_)
        boxes += np.tile(0.1 * rng.normal(size=(MANY, 3)) if scene is not equal else np.ones((MANY, 3)), 2)
    update_phase(tree, boxes, filter_)
    assert check_tree(tree, boxes) <= 4 * math.log2(MANY)


def test_tree_rests_while_elements_move_little():
    """Inside the margin of its leaf an element changes nothing."""
    boxes, filter_ = cloud(np.random.default_rng(16), MANY), new_filter(MANY)
    tree = PHASES["tree"](boxes)
    update_phase(tree, boxes, filter_)
    update_phase(tree, boxes + 0.01, filter_)  # less than 0.1 of the smallest greatest size, 0.6
    assert tree.changes[0] == MANY
