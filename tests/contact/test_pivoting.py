"""Contacts solved by pivoting, together with joints, stops and motors: friction in boxes and pyramids (V-84, V-91)."""

import math
import warnings

import numpy as np
import pytest
from contact_scenes import G, ball, boxes, slope
from test_rolling import RADIUS, rolling_ball, rolls

import gelenk as gk
from gelenk.contact import pivot_block

BOTH = [gk.Dantzig(), gk.Lemke()]


def pivoting(model, solver, h=2e-3, **options):
    return gk.Simulation(model, gk.RowStepping(h=h, solver=solver, contact=gk.ContactOptions(**options)))


def name(solver):
    return f"{solver.kind}-{solver.directions}"


@pytest.mark.parametrize("solver", BOTH, ids=name)
@pytest.mark.parametrize(("friction", "static"), [(0.3, None), (0.3, 0.6), (0.3, 0.5), (0.6, None)])
def test_a_block_on_a_slope_sticks_or_slides(solver, friction, static):
    """x' = g (sin - mu cos) t if tan > the static coefficient. Tangents lie along x and y, where polygons are exact.

    The answer is exact up to the add-on, 1e-9 of velocities.
    """
    angle, t = 0.5, 0.1
    sim = pivoting(slope(angle, friction, static), solver)
    sim.advance(t)
    slides = math.tan(angle) > (static or friction)
    expected = G * (math.sin(angle) - friction * math.cos(angle)) * t if slides else 0.0
    np.testing.assert_allclose(sim["block"].velocity, (expected, 0, 0), atol=1e-8)
    assert sim.info["residual"] < 1e-8
    assert sim.info["pivots_without_answer"] == 0


def corners(solver):
    """Corners of the set of friction over mu p_n: around the circle, or on it."""
    n = solver.directions
    if solver.kind == "dantzig":  # sides along the lines at k pi / n, at a distance of 1
        angles = math.pi * (np.arange(2 * n) + 0.5 * n + 0.5) / n
        size = 1.0 / math.cos(math.pi / (2 * n))
    else:
        angles, size = 2.0 * math.pi * np.arange(n) / n, 1.0
    return size * np.c_[np.cos(angles), np.sin(angles)]


@pytest.mark.parametrize(
    "solver",
    [gk.Dantzig(), gk.Dantzig(directions=3), gk.Dantzig(directions=5), gk.Lemke(), gk.Lemke(directions=6)],
    ids=name,
)
@pytest.mark.parametrize("direction", [0.4, 2.0, 4.0])
def test_a_sliding_block_has_the_corner_of_its_polygon_that_takes_most_energy(solver, direction):
    """The friction of a step is  -mu m g c,  c the corner with the largest product with the velocity (V-84).

    Of a disc it would be mu m g against the velocity; box and pyramid are off by up to tan(pi / 2n) and 2 sin(pi / 2n).
    """
    mu, h, speed = 0.4, 2e-3, 1.0
    start = speed * np.array([math.cos(direction), math.sin(direction), 0.0])
    sim = pivoting(slope(0.0, mu, size=(0.4, 0.4, 0.05), velocity=tuple(start)), solver, h)
    sim.advance(h)
    problem = sim.contact_problem()
    t, s = problem.tangent[0], np.cross(problem.normal[0], problem.tangent[0])
    found = corners(solver)
    along = found @ np.array([start @ t, start @ s])
    best = found[along.argmax()]
    expected = start - mu * G * h * (best[0] * t + best[1] * s)
    np.testing.assert_allclose(sim["block"].velocity, expected, atol=1e-9)
    coulomb = np.array([start @ t, start @ s]) / speed
    off = math.tan(math.pi / (2 * solver.directions))
    if solver.kind == "lemke":
        off = 2.0 * math.sin(math.pi / (2 * solver.directions))
    assert 0.0 < np.linalg.norm(best - coulomb) <= off


def car(mu, speed=60.0, force=2e4):
    """A chassis on four balls; the rear ones have friction and are driven, the front ones slip freely."""
    b = gk.Builder()
    b.material("rubber", density=60, friction=mu)
    b.material("ice", density=60, friction=0.0)
    b.body("ground", shape=gk.Plane(), static=True, material="rubber")
    b.body("chassis", shape=gk.Box((2.4, 1.2, 0.3)), density=400, at=(0.1, 0, 0.8))
    for k, (x, y) in enumerate([(0.9, 0.7), (0.9, -0.7), (-0.9, 0.7), (-0.9, -0.7)]):
        rear = k > 1
        spin = (0, speed if rear else 0, 0)
        material = "rubber" if rear else "ice"
        b.body(f"wheel{k}", shape=gk.Sphere(0.3), material=material, at=(x, y, 0.3), angular_velocity=spin)
        b.add(gk.Hinge(name=f"axle{k}", a="chassis", b=f"wheel{k}", at=(x, y, 0.3), axis=(0, 1, 0)))
    for k in (2, 3):
        b.add(gk.VelocityMotor(name=f"motor{k}", on=f"axle{k}", speed=speed, force_max=force))
    return b.build()


def thrust(solver, mu):
    """Acceleration of the car, and of the formula its wheelbase, distance of its front axle, height of its centre."""
    model = car(mu)
    sim = pivoting(model, solver, h=5e-3)
    sim.advance(0.05)
    before = sim["chassis"].velocity[0]
    sim.advance(0.1)
    bodies = model.bodies[1:]
    M = sum(body.mass for body in bodies)
    place = sum(body.mass * model.initial_state().p_WC[k + 2] for k, body in enumerate(bodies)) / M
    return sim, (sim["chassis"].velocity[0] - before) / 0.1, 1.8, 0.9 - place[0], place[2]


@pytest.mark.parametrize("solver", [gk.Dantzig(), gk.Lemke()], ids=name)
def test_traction_with_bounds_that_agree_with_the_load(solver):
    """E-26: load that friction shifts to the rear adds to friction,  a = mu g l_f / (L - mu h_c).

    Bounds agree to a hundredth of 1e-7 m/s a step; over 20 steps in 0.1 s that is 2e-7 m/s^2.
    """
    mu = 0.5
    sim, a, L, l_f, h_c = thrust(solver, mu)
    assert a == pytest.approx(mu * G * l_f / (L - mu * h_c), abs=2e-7)
    assert sim.info["converged"]
    assert sim.info["unconverged_steps"] == 0


def test_traction_with_bounds_fixed_once():
    """E-26: bounds from the load without friction,  a = mu g l_f / L: tyres grip less (trap T-27)."""
    mu = 0.5
    _, a, L, l_f, h_c = thrust(gk.Dantzig(rounds=1), mu)
    assert a == pytest.approx(mu * G * l_f / L, abs=1e-9)
    assert a < 0.85 * mu * G * l_f / (L - mu * h_c)


def gripper(force, mu=0.5):
    """A box between two jaws on sliders, pressed together by motors."""
    b = gk.Builder()
    b.material("m", friction=mu)
    b.body("ground", shape=gk.Plane(), static=True, at=(0, 0, -1))
    b.body("box", shape=gk.Box((0.1, 0.1, 0.1)), mass=2.0, inertia=(0.01, 0.01, 0.01), material="m")
    for side in (-1, 1):
        label = "left" if side < 0 else "right"
        b.body(
            label,
            shape=gk.Box((0.1, 0.3, 0.3)),
            mass=1.0,
            inertia=(0.02, 0.02, 0.02),
            at=(0.1 * side, 0, 0),
            material="m",
        )
        b.add(gk.Slider(name=f"{label}_way", a="world", b=label, at=(0.1 * side, 0, 0), axis=(-side, 0, 0)))
        b.add(gk.VelocityMotor(name=f"{label}_motor", on=f"{label}_way", speed=1.0, force_max=force))
    return b.build()


@pytest.mark.parametrize("solver", BOTH, ids=name)
def test_motors_hold_a_box_by_friction(solver):
    """Joints, motors at their bounds and friction in one problem: two jaws hold 2 mu F, the rest falls."""
    mu, h = 0.5, 2e-3
    for force in (25.0, 15.0):
        sim = pivoting(gripper(force, mu), solver, h)
        sim.advance(0.05)
        acceleration = max(0.0, G - 2.0 * mu * force / 2.0)
        assert sim["box"].velocity[2] == pytest.approx(-acceleration * 0.05, abs=1e-7)
        assert np.linalg.norm(sim.contact_force("left", "box")[0]) == pytest.approx(force, rel=1e-6)


@pytest.mark.parametrize("solver", BOTH, ids=name)
def test_impacts_come_before_and_stay_exact(solver):
    e, height = 0.7, 0.3
    sim = pivoting(ball(height, e), solver)
    fall = math.sqrt(2.0 * height / G)
    sim.advance(fall * (1.0 + e))  # the top of the second flight
    assert sim["ball"].position[2] - 0.05 == pytest.approx(e * e * height, abs=1e-6)


@pytest.mark.parametrize("solver", BOTH, ids=name)
def test_rolling_friction_slows_a_ball(solver):
    """v' = -g rolling / r / (1 + 2/5), along a tangent, where polygons are exact."""
    arm, v, t = 2e-3, 0.6, 0.2
    sim = pivoting(rolling_ball(arm, **rolls(v)), solver)
    sim.advance(t)
    assert sim["ball"].velocity[0] == pytest.approx(v - G * arm / RADIUS / 1.4 * t, abs=1e-7)


@pytest.mark.parametrize("solver", BOTH, ids=name)
def test_a_tower_stands(solver):
    """Six boxes: their points repeat each other, and no answer may tilt a box; 1e-9 of g h a step."""
    sim = pivoting(boxes({f"box{k}": (0, 0, 0.1 * (k + 0.5)) for k in range(6)}), solver)
    sim.advance(0.1)
    assert np.abs(sim.state.v_WC).max() < 1e-7
    weight = 6 * sim.model.body("box0").mass * G
    assert sum(c.force[2] for c in sim.contacts if c.a == "ground") == pytest.approx(weight, rel=1e-6)


@pytest.mark.parametrize("solver", BOTH, ids=name)
def test_a_tower_falls_asleep_and_wakes(solver):
    """What sleeps has no mass in the matrix; a ball that falls on it wakes it."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(2):
        b.body(f"box{k}", shape=gk.Box((0.1, 0.1, 0.1)), at=(0, 0, 0.1 * k + 0.05), density=500)
    b.body("ball", shape=gk.Sphere(0.03), at=(0.01, 0, 0.6), density=500)
    sim = pivoting(b.build(), solver, sleep=True, sleep_after=0.05)
    sim.advance(0.2)
    assert sim.asleep == ("box0", "box1")
    sim.advance(0.12)  # the ball falls 0.37 m in 0.27 s
    assert sim.asleep == ()
    assert np.isfinite(sim.state.flat).all()
    assert sim["box1"].position[2] == pytest.approx(0.15, abs=1e-3)


def test_too_many_contacts_for_a_dense_matrix_are_refused(monkeypatch):
    monkeypatch.setattr(pivot_block, "MOST_DANTZIG", 250)
    places = {f"box{k}": (0.2 * k, 0, 0.05) for k in range(30)}
    sim = pivoting(boxes(places), gk.Dantzig())
    with pytest.raises(gk.InputError, match=r"120 points of contact.*360 rows.*at most 250 rows.*GaussSeidel"):
        sim.advance(0.01)


def test_many_contacts_for_a_dense_matrix_are_warned_of(monkeypatch):
    monkeypatch.setattr(pivot_block, "SLOW", 250)
    places = {f"box{k}": (0.2 * k, 0, 0.05) for k in range(30)}
    sim = pivoting(boxes(places), gk.Dantzig(rounds=2))
    with pytest.warns(gk.ContactWarning, match="360 rows"):
        sim.advance(0.002)


@pytest.mark.parametrize("growth", [(500, 700, 900), (500, 610), (700, 900)], ids=str)
@pytest.mark.parametrize("directions", [2, 16])
def test_many_rows_are_warned_of_once_however_contacts_grow(growth, directions):
    """Room is made by more than a step needs, yet not past the number of rows that is warned of."""
    joints = gk.Builder().build().wired.joints
    solver = gk.Dantzig(directions=directions)
    pivot = pivot_block.new_pivot(solver, 3, joints, pivot_block.room_for(0, 64 * (1 + directions)))
    told = []
    for need in growth:
        pivot.number[pivot_block.NEEDED] = need
        if need > len(pivot.scale):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                pivot = pivot_block.enlarged_pivot(pivot, joints)
            told += [(need, str(w.message)) for w in said]
        assert len(pivot.scale) >= need
    assert [need for need, _ in told] == [next(need for need in growth if need >= pivot_block.SLOW)]
    assert "GaussSeidel" in told[0][1]


@pytest.mark.parametrize("solver", [gk.Dantzig(), gk.Dantzig(rounds=1), gk.Lemke()], ids=name)
def test_nothing_of_an_earlier_step_acts_as_friction(solver):
    """A ball just above the floor breaks its hook: a point without load has no friction, and it falls by g t."""
    b = gk.Builder()
    b.material("wood", density=600, friction=0.5)
    b.body("floor", shape=gk.Plane(), static=True, material="wood")
    b.body("ball", shape=gk.Sphere(0.1), material="wood", at=(0, 0, 0.1004))
    b.add(gk.Rigid(name="hook", a="world", b="ball", at=(0, 0, 0.1004), break_force=1.0))
    h, steps = 1e-4, 60
    sim = pivoting(b.build(), solver, h)
    sim.advance(steps * h)
    assert sim["hook"].broken
    assert sim.info["contacts"] == 1
    np.testing.assert_array_equal(sim["ball"].velocity[:2], 0.0)
    np.testing.assert_array_equal(sim["ball"].angular_velocity, 0.0)
    # the hook breaks after the first step
    assert sim["ball"].velocity[2] == pytest.approx(-G * (steps - 1) * h, rel=1e-9)


@pytest.mark.parametrize("solver", BOTH, ids=name)
def test_rows_are_solved_where_friction_is_next_to_nothing(solver):
    """Bounds of friction below every tolerance agree at once, which must not end a step before its rows are solved."""
    b = gk.Builder()
    b.material("ice", density=900, friction=1e-13)
    b.body("floor", shape=gk.Plane(), static=True, material="ice")
    b.body("block", shape=gk.Box((0.1, 0.1, 0.1)), material="ice", at=(0, 0, 0.05))
    b.body("lamp", shape=gk.Sphere(0.05), material="ice", at=(2, 0, 1))
    b.add(gk.Ball(name="rope", a="world", b="lamp", at=(2, 0, 1.5)))
    sim = pivoting(b.build(), solver)
    sim.advance(0.02)
    np.testing.assert_allclose(sim["lamp"].velocity, 0.0, atol=1e-8)
    b.body("load", shape=gk.Box((0.1, 0.1, 0.1)), material="ice", at=(0, 0, 0.15 + 0.5 * G * 0.02**2))
    sim = pivoting(b.build(), solver)
    sim.advance(0.1)  # the load comes down on the block within it
    weights = (b.build().body("block").mass + b.build().body("load").mass) * G
    assert sim.contact_force("block", "floor")[2] == pytest.approx(weights, rel=1e-6)


def corner_heap(seed, count=4):
    """A box, a ball and a capsule of different weights, and one more, that fall into a tilted corner of two walls."""
    rng = np.random.default_rng(seed)
    b = gk.Builder(gravity=(1.5 * rng.normal(), 1.5 * rng.normal(), -G))
    b.material("m", friction=rng.uniform(0.2, 1.0), static_friction=1.1)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    b.body("wall", shape=gk.Box((0.1, 2, 2)), static=True, material="m", at=(0.35, 0, 1))
    b.body("other", shape=gk.Box((2, 0.1, 2)), static=True, material="m", at=(0, 0.35, 1))
    shapes = gk.Box((0.15, 0.2, 0.1)), gk.Sphere(0.08), gk.Capsule(0.05, 0.15)
    for k in range(count):
        q = rng.normal(size=4)
        density, at = 10 ** rng.uniform(2, 4), (*(0.1 * rng.uniform(-1, 1, 2)), 0.15 + 0.2 * k)
        turn = tuple(q / np.linalg.norm(q))
        b.body(f"body{k}", shape=shapes[k % 3], density=float(density), material="m", at=at, rotation=turn)
    return b.build()


@pytest.mark.parametrize("directions", [2, 8])
@pytest.mark.parametrize("seed", [2, 3])
def test_bounds_of_friction_that_go_round_in_circles_are_not_taken_for_an_answer(seed, directions):
    """Friction that lifts the load that bounds it: no point has more of it than its load allows, in any step.

    Lines lie at most sqrt(2) outside of the cone. Sticking counts with the static coefficient of 1.1, and what a step
    leaves open is at most a hundredth of the speed of up to 3 m/s: 0.03 m/s of the body times its mass.
    """
    sim = pivoting(corner_heap(seed), gk.Dantzig(directions=directions))
    mass = max(body.mass for body in sim.model.bodies if not body.static)
    for _ in range(300):
        sim.step()
        assert sim.info["converged"], sim.time
        for c in sim.contacts:
            load = c.force @ c.normal
            friction = np.linalg.norm(c.force - load * c.normal)
            assert friction <= math.sqrt(2.0) * 1.1 * load + 0.03 * mass / 2e-3
    assert sim.info["unconverged_steps"] == 0


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: gk.Lemke(directions=5), "even"),
        (lambda: gk.Lemke(directions=2), "directions"),
        (lambda: gk.Dantzig(directions=1), "directions"),
        (lambda: gk.Dantzig(rounds=0), "rounds"),
    ],
)
def test_bad_options_are_refused(make, what):
    with pytest.raises(gk.InputError, match=what):
        make()
