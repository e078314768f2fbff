"""Times of impact: closed forms, roots of transcendental equations, never late and not early by sampling (V-06)."""

import itertools
import math

import numpy as np
import pytest
from convex_samples import (
    PAIR,
    features,
    hull_table,
    in_columns,
    pair,
    random_pairs,
    random_rotations,
    reach,
    scaled,
    swapped,
    tables_with,
)
from swept_samples import (
    at_time,
    closing_bounds,
    distance_at,
    meet,
    random_motions,
    still,
    swap_sides,
)

from gelenk import compile as compiler
from gelenk.collision.batch import ManyMotions
from gelenk.collision.impact_time import GAP_SHARE
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE, TRIANGLE

KINDS = (SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, TRIANGLE)
SAMPLES = 40  # times at which distances are looked at before an impact
FEW = 200 if compiler.ENABLED else 20
SOME = 2000 if compiler.ENABLED else 40


def moving(count=1, v_a=(0, 0, 0), v_b=(0, 0, 0), w_a=(0, 0, 0), w_b=(0, 0, 0), arm_a=(0, 0, 0), arm_b=(0, 0, 0)):
    m = still(count)
    for field, values in ((m.v, (v_a, v_b)), (m.w, (w_a, w_b)), (m.arm, (arm_a, arm_b))):
        field[:, 0], field[:, 1] = values
    return m


def picked(motions, chosen):
    return ManyMotions(*(np.ascontiguousarray(f[chosen]) for f in motions))


def sizes(pairs, hulls=None):
    """Distance of the farthest point from its centre, of both solids together; planes have none."""
    total = []
    for p in pairs:
        size = 0.0
        for kind, s, R, table in zip(p["kind"], p["size"], p["R"], p["table"], strict=True):
            x, _, z = s
            if kind == HULL:
                size += np.linalg.norm(features(hulls, table)[0], axis=1).max()
            else:
                size += {
                    SPHERE: x,
                    BOX: np.linalg.norm(s),
                    CAPSULE: x + z,
                    CYLINDER: math.hypot(x, z),
                    CONE: max(x, z),
                    ELLIPSOID: s.max(),
                    TRIANGLE: np.linalg.norm(R, axis=0).max(),
                    PLANE: 0.0,
                }[int(kind)]
        total.append(size)
    return np.array(total)


def check_times(pairs, motions, t_end, found, gap, hulls=None, samples=SAMPLES, fine=0):
    """Never late: apart at all times before. Not early: within the gap at the time itself. Points and normal fit."""
    hit = np.isfinite(found.t)
    later = hit & (found.t > 0)
    end = np.where(hit, found.t, t_end)
    for k in range(samples):
        d = distance_at(pairs, motions, end * (k / samples), hulls)
        assert (d[found.t > 0] > 0).all()
    for k in range(1, fine + 1):  # close to the end
        d = distance_at(pairs, motions, end * (1 - 0.3**k), hulls)
        assert (d[found.t > 0] > 0).all()
    d = distance_at(pairs[later], picked(motions, later), found.t[later], hulls)
    assert (d > 0).all()
    assert (d <= gap[later] * (1 + 1e-6)).all()  # the rest is rounding of the distance, 1e-12 of the sizes
    r = at_time(pairs, motions, end)["r"]
    way = r + found.b - found.a
    scale = sizes(pairs, hulls) + np.linalg.norm(r, axis=1)
    off = np.abs(way[hit] - found.d[hit, None] * found.n[hit]).max(1, initial=0.0)
    assert (off <= 1e-12 * scale[hit]).all()
    return hit, later


# --- closed forms ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("swap", [False, True])
def test_ball_falls_on_a_plane(swap):
    rng = np.random.default_rng(2)
    turn = random_rotations(rng, FEW)
    pairs, m = np.concatenate([pair(PLANE, (0, 0, 0), SPHERE, (0.3, 0, 0), (0, 0, 0))] * FEW), still(FEW)
    pairs["R"][:, 0] = turn
    n = turn[:, :, 2]
    pairs["r"] = rng.normal(size=(FEW, 3)) + 5.0 * n
    m.v[:] = rng.normal(size=(FEW, 2, 3))
    m.v[:, 1] -= 3.0 * n
    m.w[:, 1] = 20.0 * rng.normal(size=(FEW, 3))  # a ball that turns about its centre is where it was
    speed = np.sum((m.v[:, 0] - m.v[:, 1]) * n, 1)
    t = (np.sum(pairs["r"] * n, 1) - 0.3) / np.where(speed > 0, speed, np.inf)
    t = np.where((speed > 0) & (t <= 3.0), t, np.inf)
    found = meet(swapped(pairs), swap_sides(m), 3.0) if swap else meet(pairs, m, 3.0)
    gap = GAP_SHARE * 0.3
    hit = np.isfinite(t)
    assert hit.sum() > FEW // 3
    assert (np.isfinite(found.t) == hit).all()
    assert (found.t[hit] <= t[hit]).all()
    assert (found.t[hit] >= t[hit] - gap / speed[hit]).all()
    np.testing.assert_allclose(found.n[hit], -n[hit] if swap else n[hit], atol=1e-15)


def test_ball_meets_ball_as_the_quadratic_says():
    """|r + v t| = R_A + R_B."""
    rng = np.random.default_rng(3)
    pairs, m = random_pairs(rng, SOME, (SPHERE, SPHERE), far=(3.0, 5.0)), still(SOME)
    m.v[:] = rng.normal(size=(SOME, 2, 3))
    m.v[:, 1] -= pairs["r"]
    m.w[:] = 5.0 * rng.normal(size=(SOME, 2, 3))
    R = pairs["size"][:, :, 0].sum(1)
    r, v = pairs["r"], m.v[:, 1] - m.v[:, 0]
    a, b, c = np.sum(v * v, 1), np.sum(r * v, 1), np.sum(r * r, 1) - R * R
    apart = c > 0
    disc = b * b - a * c
    t = np.where(apart & (disc > 0) & (b < 0), (-b - np.sqrt(np.maximum(disc, 0))) / a, np.inf)
    found = meet(pairs, m, 100.0)
    # the normal at contact leans, so the last gap is passed with the speed along it
    gap = GAP_SHARE * R
    clear = apart & (disc > 1e-3 * b * b)
    speed = np.sqrt(np.maximum(disc, 0)) / R
    assert (clear & np.isfinite(t)).sum() > SOME // 6
    assert (found.t[clear] <= t[clear]).all()
    assert (found.t[clear] >= t[clear] - 1.01 * gap[clear] / speed[clear]).all()
    assert np.isinf(found.t[apart & (disc < -1e-3 * b * b)]).all()
    assert (found.t[~apart] == 0).all()


def corner_height(p, m, t):
    """Height of the lowest point of B over the plane A, from formulas."""
    later = at_time(p, m, t)[0]
    n = later["R"][0][:, 2]
    return later["r"] @ n - reach(later["kind"][1], later["size"][1], later["R"][1], -n)


@pytest.mark.parametrize("tilting", [False, True])
def test_turning_box_meets_a_plane_at_the_root_of_its_height(tilting):
    """The height of the lowest corner, cosines of w t and t, first falls to 0 where bisection says."""
    rng = np.random.default_rng(4)
    t_end, hits = 1.5, 0
    for _ in range(16 if compiler.ENABLED else 6):
        p = pair(PLANE, (0, 0, 0), BOX, rng.uniform(0.1, 1.0, 3), (0.3, 0.1, 2.5), R_b=random_rotations(rng, 1)[0])
        m = moving(v_b=(1, -0.5, -1.5), w_b=4.0 * rng.normal(size=3), arm_b=0.3 * rng.normal(size=3))
        if tilting:
            m.w[0, 0], m.arm[0, 0] = 0.4 * rng.normal(size=3), rng.normal(size=3)
        times = np.linspace(0.0, t_end, 150)
        heights = np.array([corner_height(p, m, t) for t in times])
        found, gap = meet(p, m, t_end), GAP_SHARE * sizes(p)[0]
        below = np.flatnonzero(heights <= 0)
        if not len(below):
            assert np.isinf(found.t[0])
            continue
        low, high = times[below[0] - 1], times[below[0]]
        for _ in range(50):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if corner_height(p, m, middle) > 0 else (low, middle)
        slope = -(corner_height(p, m, low) - corner_height(p, m, low - 1e-6)) / 1e-6
        assert found.t[0] <= high
        # from the gap to contact at the speed there, with some room for its change
        assert found.t[0] >= low - 1.1 * gap / slope
        hits += 1
    assert hits >= (4 if compiler.ENABLED else 1)


def test_sweep_of_a_box_along_a_line_hits_face_edge_and_corner():
    """Without rotation the time is the way to the first contact over the speed, exact but for the gap."""
    p = pair(BOX, (1, 1, 1), BOX, (0.5, 0.5, 0.5), (5, 0.2, 0.1))
    gap = GAP_SHARE * sizes(p)[0]
    found = meet(p, moving(v_b=(-7, 0, 0)))
    assert found.t[0] == pytest.approx((3.5 - 0.5 * gap) / 7, abs=0.5 * gap / 7)
    np.testing.assert_allclose(found.n[0], (1, 0, 0), atol=1e-12)
    # corner to corner along the diagonal: only this corner can touch first
    found = meet(pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (4, 4, 4)), moving(v_b=(-2, -2, -2)), 3.0)
    assert found.t[0] == pytest.approx(1.0, abs=2 * GAP_SHARE)
    # past the edge: 1 mm beside it or 1 mm over it
    for z, t in ((2.001, np.inf), (1.999, 1.0)):
        found = meet(pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (4, 0, z)), moving(v_b=(-2, 0, 0)), 9.0)
        assert found.t[0] == pytest.approx(t, abs=2 * GAP_SHARE)


# --- the bullet ------------------------------------------------------------------------------------------------------


def bullets(rng, count, kind):
    """1 cm bullets at 300 m/s, 1 to 2.9 m before plates of 5 mm in any attitude, which move too; step 10 ms."""
    p, m = np.zeros(count, PAIR), still(count)
    p["kind"] = (BOX, kind)
    p["R"][:, 0], p["R"][:, 1] = random_rotations(rng, count), random_rotations(rng, count)
    p["size"][:, 0] = (0.5, 0.5, 0.0025)
    p["size"][:, 1] = {SPHERE: (0.005, 0, 0), BOX: (0.002, 0.002, 0.005)}.get(kind, (0.002, 0.002, 0.003))
    z = p["R"][:, 0, :, 2]
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    way -= z * (1.5 * np.sum(way * z, 1, keepdims=True) - np.sign(np.sum(way * z, 1, keepdims=True)))
    way /= np.linalg.norm(way, axis=1)[:, None]
    target = np.einsum("nij,nj->ni", p["R"][:, 0], rng.uniform(-0.4, 0.4, (count, 3)) * (1, 1, 0))
    p["r"] = target + way * rng.uniform(1.0, 2.9, (count, 1))
    m.v[:, 0] = 5.0 * rng.normal(size=(count, 3))
    m.v[:, 1] = m.v[:, 0] - 300.0 * way
    m.w[:, 1] = rng.normal(size=(count, 3)) * rng.choice([0.0, 100.0, 10000.0], (count, 1))
    return p, m, way, z


def check_bullets(count, kind):
    p, m, way, z = bullets(np.random.default_rng(kind), count, kind)
    found = meet(p, m, 0.01)
    assert np.isfinite(found.t).all()  # none passes
    if kind == SPHERE:
        gap = GAP_SHARE * (np.linalg.norm((0.5, 0.5, 0.0025)) + 0.005)
        z = z * np.sign(np.sum(z * way, 1))[:, None]
        speed = 300.0 * np.sum(z * way, 1)
        t = (np.sum(p["r"] * z, 1) - 0.0025 - 0.005) / speed
        assert (found.t <= t).all()
        assert (found.t >= t - gap / speed).all()
    else:
        check_times(p, m, 0.01, found, GAP_SHARE * sizes(p), samples=10, fine=6)
    assert (np.sum(found.n * way, 1) > 0).all()  # hit from where they came


@pytest.mark.parametrize("kind", [SPHERE, BOX, CAPSULE, CYLINDER])
def test_no_bullet_passes_a_plate(kind):
    check_bullets(FEW, kind)


@pytest.mark.proof
@pytest.mark.parametrize("kind", [SPHERE, BOX, CAPSULE, CYLINDER])
def test_no_bullet_of_many_passes_a_plate(kind):
    check_bullets(10000, kind)


# --- any pair --------------------------------------------------------------------------------------------------------


def random_case(rng, count, kinds=None):
    """Pairs some way apart, flying at each other and turning."""
    hulls = hull_table([0.5 * rng.normal(size=(rng.integers(4, 16), 3)) for _ in range(6)])
    kinds = rng.integers(0, len(KINDS), (count, 2)) if kinds is None else np.tile(kinds, (count, 1))
    pairs = random_pairs(rng, count, kinds, 6, far=(1.5, 3.0, 5.0))
    return pairs, random_motions(rng, pairs), hulls


def check_random(rng, count, samples=SAMPLES):
    pairs, m, hulls = random_case(rng, count)
    found = meet(pairs, m, 2.0, hulls=hulls)
    hit, later = check_times(pairs, m, 2.0, found, GAP_SHARE * sizes(pairs, hulls), hulls, samples, 4)
    assert later.sum() > count // 8
    assert (~hit).sum() > count // 8
    start = distance_at(pairs, m, 0.0, hulls)
    assert (found.t[start < -1e-5] == 0).all()
    np.testing.assert_allclose(found.d[start < 0], start[start < 0], atol=1e-6)  # as of iterative depths


def test_random_pairs_are_never_late_and_not_early():
    check_random(np.random.default_rng(5), SOME if compiler.ENABLED else 20, SAMPLES if compiler.ENABLED else 10)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(10))
def test_100000_random_pairs_are_never_late_and_not_early(seed):
    check_random(np.random.default_rng((6, seed)), 10000)


def test_swapped_solids_meet_at_the_same_time():
    pairs, m, hulls = random_case(np.random.default_rng(7), FEW)
    one, two = meet(pairs, m, 2.0, hulls=hulls), meet(swapped(pairs), swap_sides(m), 2.0, hulls=hulls)
    hit = np.isfinite(one.t)
    assert (np.isfinite(two.t) == hit).all()
    later = hit & (one.t > 0)
    assert later.sum() > FEW // 8
    # both stop between a quarter of the gap and the gap, here at no less than a thousandth of the speeds
    gap = GAP_SHARE * sizes(pairs, hulls)
    assert (np.abs(one.t[later] - two.t[later]) <= 1000 * gap[later]).all()
    assert np.median(np.abs(one.t[later] - two.t[later]) / gap[later]) < 1
    np.testing.assert_allclose(one.d[hit & ~later], two.d[hit & ~later], atol=1e-6)


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e4])
def test_scales(factor):
    """The same scene in millimetres and in ten kilometres takes the same time."""
    rng = np.random.default_rng(8)
    kinds = rng.choice([k for k in KINDS if k != HULL], (FEW, 2))
    pairs = random_pairs(rng, FEW, kinds, far=(1.5, 3.0, 5.0))
    m = random_motions(rng, pairs)
    large = scaled(pairs, factor)
    fast = ManyMotions(m.v * factor, m.w, m.arm * factor)
    one, two = meet(pairs, m, 2.0), meet(large, fast, 2.0)
    assert (np.isfinite(one.t) == np.isfinite(two.t)).all()
    hit = np.isfinite(one.t)
    assert hit.sum() > FEW // 8
    np.testing.assert_allclose(two.t[hit], one.t[hit], atol=1e-5)
    check_times(large, fast, 2.0, two, GAP_SHARE * sizes(large), samples=10, fine=3)


# --- hard cases ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [BOX, CAPSULE, ELLIPSOID])
def test_spinning_needles(kind):
    """Rods of 1 m and 1 cm, 100 rad/s, thrown at a box, and at each other."""
    rng = np.random.default_rng(9)
    count = FEW if compiler.ENABLED else 6
    pairs = random_pairs(rng, count, (BOX, kind), far=(1.0, 2.0))
    pairs["kind"][::2, 0] = kind
    pairs["size"][:, 0] = (0.3, 0.2, 0.25)
    pairs["size"][::2, 0] = (0.005, 0.005, 0.5)
    pairs["size"][:, 1] = (0.005, 0.005, 0.5)
    m = random_motions(rng, pairs, speed=5.0, spin=100.0)
    m.arm[:] *= 0.2
    found = meet(pairs, m, 0.4)
    samples = 400 if compiler.ENABLED else 20
    _, later = check_times(pairs, m, 0.4, found, GAP_SHARE * sizes(pairs), samples=samples)
    assert later.sum() > count // 10


def test_needle_that_spins_about_itself_moves_like_one_that_does_not():
    p = pair(BOX, (1, 1, 1), CAPSULE, (0.01, 0, 0.5), (0.2, 0.3, 4.0))
    gap = GAP_SHARE * sizes(p)[0]
    found = meet(p, moving(v_b=(0, 0, -2), w_b=(0, 0, 1e5)), 5.0)
    t = (4.0 - 1.0 - 0.51) / 2
    assert t - gap / 2 <= found.t[0] <= t


def test_propeller_beside_a_wall_does_not_take_a_look_for_each_turn():
    """16 000 turns at 1 mm from a plane that its tips do not reach; one look cannot know more than a millimetre."""
    p = pair(PLANE, (0, 0, 0), BOX, (1.0, 0.05, 0.01), (0, 0, math.hypot(1.0, 0.05) + 1e-3))
    tilt = random_rotations(np.random.default_rng(1), 1)[0]
    p["R"][0, 1] = tilt
    assert np.isinf(meet(p, moving(w_b=tilt[:, 2] * 1e4), 10.0).t[0])
    upright = pair(PLANE, (0, 0, 0), BOX, (1.0, 0.05, 0.01), (0, 0, math.hypot(1.0, 0.05) + 1e-3))
    assert np.isinf(meet(upright, moving(w_b=(0, 1e4, 0)), 10.0).t[0])


def test_many_looks_end_early_and_not_late():
    """Rotors that mesh without touching for thousands of turns: the time reached is returned, with room left."""
    crossed = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    p = pair(BOX, (1.0, 0.01, 0.01), BOX, (1.0, 0.01, 0.01), (1.5, 0, 0), R_b=crossed)
    m = moving(w_a=(0, 0, 1e5), w_b=(0, 0, 1e5))
    found = meet(p, m, 1.0)
    assert 10 * 2 * math.pi / 1e5 < found.t[0] < 1.0  # some ten turns
    assert found.d[0] > GAP_SHARE * sizes(p)[0]
    for t in np.linspace(0.0, found.t[0], 100):
        assert distance_at(p, m, t)[0] > 0
    # for a few turns the answer is right
    assert np.isinf(meet(p, m, 5 * 2 * math.pi / 1e5).t[0])


@pytest.mark.parametrize("gap", [1e-3, 1e-6])
@pytest.mark.parametrize("beside", [0.3, 0.5, 0.999, 1.001, 2.0, 1e3])
def test_grazing_counts_within_the_gap_alone(gap, beside):
    """A box slides over another at a height of some part of the gap; balls pass at this distance."""
    found = meet(pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (4, 0.3, 2 + gap * beside)), moving(v_b=(-2, 0, 0)), 9.0, gap)
    if beside > 1.0:
        assert np.isinf(found.t[0])
    else:
        assert found.t[0] == pytest.approx(1.0, abs=4 * gap)  # some gaps of way after the edges have passed
    balls = pair(SPHERE, (1, 0, 0), SPHERE, (1, 0, 0), (5, 2 + gap * beside, 0))
    assert np.isinf(meet(balls, moving(v_b=(-1, 0, 0)), 10.0, gap).t[0])  # known before any look


def test_overlap_at_the_start_is_reported_with_its_depth():
    p = pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (1.9, 0.1, 0.2))
    for v in (-1.0, 1.0):
        found = meet(p, moving(v_b=(v, 0, 0)))
        assert found.t[0] == 0
        assert found.d[0] == pytest.approx(-0.1, abs=1e-12)
        np.testing.assert_allclose(found.n[0], (1, 0, 0), atol=1e-12)
    found = meet(pair(PLANE, (0, 0, 0), SPHERE, (1, 0, 0), (0, 0, 0.25)), still(1))
    assert (found.t[0], found.d[0]) == (0, -0.75)


def test_nothing_moves_nothing_meets():
    p = pair(BOX, (1, 1, 1), BOX, (1, 1, 1), (2.1, 0, 0))
    assert np.isinf(meet(p, still(1), 1e9).t[0])
    together = moving(v_a=(3, 2, 1), v_b=(3, 2, 1))
    assert np.isinf(meet(p, together, 1e3).t[0])


def test_far_away_ends_at_once():
    """10 km apart at 1 km/s, balls and boxes of 1 m."""
    for kind in (SPHERE, BOX):
        p = pair(kind, (1, 1, 1), kind, (1, 1, 1), (1e4, 0, 0))
        found = meet(p, moving(v_b=(-1e3, 0, 0)), 20.0)
        assert found.t[0] == pytest.approx((1e4 - 2) / 1e3, abs=1e-8)


def test_speed_bound_is_not_exceeded_and_met_by_points():
    """v . n + |n x w| reach against all points of boxes and hulls in all phases of a turn."""
    rng = np.random.default_rng(10)
    count = 20
    pairs, m, hulls = random_case(rng, count, (BOX, BOX))
    pairs["kind"][::2, 0] = HULL
    n = rng.normal(size=(count, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    bounds = np.zeros(count)
    closing_bounds(in_columns(pairs), m, n, tables_with(hulls), bounds)
    box = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    most = np.full(count, -np.inf)
    rate = np.linalg.norm(m.w[:, 0], axis=1)
    for phase in np.linspace(0.0, 2 * math.pi, 201):
        later = at_time(pairs, m, phase / np.maximum(rate, 1e-9) * (rate > 0))
        for i, p in enumerate(later):
            corners = features(hulls, p["table"][0])[0] if p["kind"][0] == HULL else box * p["size"][0]
            turn = p["R"][0] @ pairs["R"][i, 0].T
            points = corners @ p["R"][0].T + turn @ m.arm[i, 0]
            v = m.v[i, 0] + np.cross(m.w[i, 0], points)
            most[i] = max(most[i], (v @ n[i]).max())
    spread = bounds - np.sum(m.v[:, 0] * n, 1)
    assert (most <= bounds + 1e-12).all()
    # the farthest point goes round: some phase comes within the cosine of half a step, 2 pi / 400
    assert (bounds - most <= spread * (1 - math.cos(2 * math.pi / 400)) + 1e-12).all()
