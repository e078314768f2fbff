"""First impact of many pairs by a heap (V-06), pairs left out beforehand (H-62), times without a test (H-74)."""

import math

import numpy as np
import pytest
from convex_samples import PAIR, random_rotations, tables_with
from swept_samples import distance_at, meet

from gelenk import compile as compiler
from gelenk.collision.batch import ManyMotions
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.impact_queue import (
    leave,
    new_impact_queue,
    next_impact,
    put_pairs,
    start_again,
)
from gelenk.collision.solid import BOX, CAPSULE, ELLIPSOID, PLANE, SPHERE
from gelenk.collision.swept_solids import bring_to, new_swept_solids, set_room
from gelenk.compile import kernel
from gelenk.errors import InputError
from gelenk.math.vec3 import get3, put3

TABLES = tables_with()
ALL = 1e-6  # gap of all scenes here [m]


@kernel
def fill(queue, solids, pairs, t, t_end, tables, out):
    for i in range(solids.kind.shape[0]):
        set_room(solids, i, tables.hulls)
    out[0] = put_pairs(queue, solids, pairs, pairs.shape[0], t, t_end)


@kernel
def first(queue, solids, t_end, gap, tables, work, where, when):
    """One impact; the pair is then left alone."""
    k, impact = next_impact(queue, solids, t_end, gap, tables, work)
    where[0], when[0], when[1] = k, impact.t, impact.d
    if k >= 0:
        leave(queue, k)


@kernel
def bounce(queue, solids, t_end, gap, tables, work, mass, times, who, count):
    """All impacts until t_end of balls without friction that keep their energy; count[0] of them."""
    while count[0] < times.shape[0]:
        k, impact = next_impact(queue, solids, t_end, gap, tables, work)
        if k < 0:
            break
        i, j = np.int64(queue.pair[k, 0]), np.int64(queue.pair[k, 1])
        times[count[0]], who[count[0], 0], who[count[0], 1] = impact.t, i, j
        count[0] += 1
        bring_to(solids, i, impact.t)
        bring_to(solids, j, impact.t)
        v_i, v_j, n = get3(solids.v, i), get3(solids.v, j), impact.n
        p = 2.0 * ((v_i - v_j) @ n) / (1.0 / mass[i] + 1.0 / mass[j])
        put3(solids.v, i, v_i - n * (p / mass[i]))
        put3(solids.v, j, v_j + n * (p / mass[j]))
        set_room(solids, i, tables.hulls)
        set_room(solids, j, tables.hulls)
        start_again(queue, solids, i, impact.t)
        start_again(queue, solids, j, impact.t)


def scene(rng, count):
    """Solids of several kinds on a lattice, all apart, flying inward and turning."""
    s = new_swept_solids(count)
    s.kind[:] = rng.choice([SPHERE, BOX, CAPSULE, ELLIPSOID], count)
    s.R[:] = random_rotations(rng, count)
    s.size[:] = rng.uniform(0.05, 0.3, (count, 3))
    side = math.ceil(count ** (1 / 3))
    lattice = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)[:count]
    s.p[:] = 1.2 * (lattice - 0.5 * (side - 1))
    s.v[:], s.w[:] = rng.normal(size=(count, 3)) - 2.0 * s.p, 3.0 * rng.normal(size=(count, 3))
    s.arm[:] = 0.1 * rng.normal(size=(count, 3))
    return s


def all_pairs(count):
    i, j = np.triu_indices(count, 1)
    return np.stack([i, j], 1).astype(np.uint32)


def as_pairs(s, pairs):
    """The same for the search of single pairs."""
    p = np.zeros(len(pairs), PAIR)
    i = pairs.astype(int)
    p["kind"], p["R"], p["size"], p["r"] = s.kind[i], s.R[i], s.size[i], s.p[i[:, 1]] - s.p[i[:, 0]]
    m = ManyMotions(*(np.ascontiguousarray(f[i]) for f in (s.v, s.w, s.arm)))
    return p, m


def is_heap(q):
    """Parents are never later than what is below them, and every place is known."""
    n = q.filled[0]
    heap = q.heap[:n].astype(int)
    parent = (np.arange(1, n) - 1) // 2
    sorted_ = (q.bound[heap[parent]] <= q.bound[heap[1:]]).all()
    return sorted_ and (q.place[heap] == np.arange(n)).all() and sorted(heap) == list(range(n))


def test_impacts_come_in_order_and_are_those_of_single_pairs():
    rng = np.random.default_rng(1)
    n = 64 if compiler.ENABLED else 12
    s, pairs = scene(rng, n), all_pairs(n)
    q, got = new_impact_queue(len(pairs)), np.zeros(1, np.int64)
    fill(q, s, pairs, 0.0, 1.0, TABLES, got)
    assert got[0] < q.filled[0] == len(pairs)
    assert is_heap(q)
    p, m = as_pairs(s, pairs)
    single = meet(p, m, 1.0, ALL)
    where, when = np.zeros(1, np.int64), np.zeros(2)
    found = {}
    while True:
        first(q, s, 1.0, ALL, TABLES, new_convex_work(), where, when)
        if where[0] < 0:
            break
        assert is_heap(q)
        assert when[0] >= max(found.values(), default=0.0)
        assert 0 < when[1] <= ALL
        found[tuple(q.pair[where[0]].tolist())] = when[0]
    expected = {tuple(x): t for x, t in zip(pairs.tolist(), single.t, strict=True) if math.isfinite(t)}
    assert len(expected) > n // 4
    assert found == pytest.approx(expected, abs=100 * ALL)  # both within the gap, at speeds above a hundredth of 1 m/s


def test_pairs_left_out_beforehand_never_meet():
    """H-62: most of a thin cloud needs no distance at all, and what is left out stays apart."""
    rng = np.random.default_rng(2)
    n = 40 if compiler.ENABLED else 12
    s, pairs = scene(rng, n), all_pairs(n)
    q, got = new_impact_queue(len(pairs)), np.zeros(1, np.int64)
    fill(q, s, pairs, 0.0, 0.2, TABLES, got)
    out = q.bound > 0.2
    assert len(pairs) - got[0] == out.sum() > len(pairs) // 2
    p, m = as_pairs(s, pairs)
    for t in np.linspace(0, 0.2, 20):
        assert distance_at(p[out], ManyMotions(*(f[out] for f in m)), t).min() > 0
    # and bounds of the others hold: apart until then (H-74)
    wait = (q.bound > 0) & ~out
    assert wait.any()
    for part in (0.3, 0.7, 1.0):
        assert (distance_at(p[wait], ManyMotions(*(f[wait] for f in m)), part * q.bound[wait]) > 0).all()


def test_equal_balls_on_a_line_hand_on_their_speeds():
    """Equal masses change velocities over, so impacts are where lines of free points with these velocities cross.

    Seen without the diameters of the balls before each; several hundred impacts one after the other.
    """
    rng = np.random.default_rng(3)
    n, radius, t_end = (24, 0.01, 10.0) if compiler.ENABLED else (8, 0.01, 9.0)
    x, v = np.sort(rng.uniform(0, 10, n)), rng.normal(size=n)
    s = new_swept_solids(n)
    s.kind[:], s.size[:, 0] = SPHERE, radius
    s.p[:, 0], s.v[:, 0] = x + 2 * radius * np.arange(n), v
    pairs = all_pairs(n)
    q, got, count = new_impact_queue(len(pairs)), np.zeros(1, np.int64), np.zeros(1, np.int64)
    fill(q, s, pairs, 0.0, math.inf, TABLES, got)
    times, who = np.zeros(2000), np.zeros((2000, 2), np.int64)
    bounce(q, s, t_end, ALL, TABLES, new_convex_work(), np.ones(n), times, who, count)
    i, j = np.triu_indices(n, 1)
    with np.errstate(divide="ignore"):
        cross = (x[j] - x[i]) / (v[i] - v[j])
    cross = np.sort(cross[(cross > 0) & (cross < t_end)])
    assert count[0] == len(cross) > (60 if compiler.ENABLED else 2)
    # each impact comes early by up to the gap over the speed, and later ones add up those before them
    np.testing.assert_allclose(times[: count[0]], cross, atol=2e-2 * math.sqrt(ALL))
    assert (np.abs(who[: count[0], 0] - who[: count[0], 1]) == 1).all()  # neighbours alone
    np.testing.assert_allclose(np.sort(s.v[:, 0]), np.sort(v), atol=1e-9)


def test_ball_bounces_between_two_planes():
    """2 m apart less the diameter, 3 m/s: impacts every 1.8 / 3 s, each early by less than the gap allows."""
    s = new_swept_solids(3)
    s.kind[:] = PLANE, PLANE, SPHERE
    s.R[1] = np.diag((1.0, -1.0, -1.0))
    s.p[1], s.p[2] = (0, 0, 2), (0, 0, 1)
    s.size[2, 0] = 0.1
    s.v[2] = (0.5, 0, -3)
    s.w[2] = (10, 0, 0)
    pairs = np.array([[0, 2], [2, 1]], np.uint32)
    q, got, count = new_impact_queue(2), np.zeros(1, np.int64), np.zeros(1, np.int64)
    fill(q, s, pairs, 0.0, 100.0, TABLES, got)
    assert got[0] == 1  # the other plane comes in when the ball turns back
    times, who = np.zeros(50), np.zeros((50, 2), np.int64)
    mass = np.array([1e300, 1e300, 1.0])
    bounce(q, s, 20.0, ALL, TABLES, new_convex_work(), mass, times, who, count)
    expected = 0.3 + 0.6 * np.arange(33)
    assert count[0] == 33
    late = expected - times[:33]
    assert (late >= 0).all()
    assert (late <= (2 * np.arange(33) + 1) * ALL / 3).all()  # up to a gap at both ends of each way
    assert (who[:33:2] == (0, 2)).all()
    assert (who[1:33:2] == (2, 1)).all()


def test_a_queue_that_is_too_small_says_so():
    s = new_swept_solids(4)
    s.kind[:], s.size[:, 0], s.p[:, 0] = SPHERE, 1.0, 3.0 * np.arange(4)
    s.v[:, 0] = -np.arange(4)
    q, got = new_impact_queue(2), np.zeros(1, np.int64)
    fill(q, s, all_pairs(4), 0.0, 10.0, TABLES, got)
    assert got[0] == 6
    assert q.filled.tolist() == [2, 4]
    with pytest.raises(InputError, match="impact queue"):
        new_impact_queue(0)
    with pytest.raises(InputError, match="swept solids"):
        new_swept_solids(0)
