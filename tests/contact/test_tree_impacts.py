"""Impacts of trees at their own times within a step: heights, energy and order against closed forms (B-28, B-29)."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gelenk as gk
from exact.compound_pendulum import across, down
from exact.n_pendulum import Link, acceleration, mass_matrix, reach

G = 9.81


def over_ground(restitution, **law):
    b = gk.Builder()
    b.material("m", friction=0.3, restitution=restitution, **law)
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    return b


# ---- heights ---------------------------------------------------------------------------------------------------------


def ball(e):
    b = over_ground(e)
    b.body("x0", shape=gk.Sphere(0.1), density=1000, at=(0, 0, 1.1), material="m")
    return b.build(), 0.1


def rod(e):
    """It lands on its whole length, so that both ends meet at the same time."""
    b, level = over_ground(e), (np.sqrt(0.5), 0, np.sqrt(0.5), 0)
    b.body("x0", shape=gk.Capsule(0.05, 0.5), density=500, at=(0, 0, 1.05), rotation=level, material="m")
    return b.build(), 0.05


def chain(e):
    """Balls of unlike masses on hinges and ball joints, side by side: one tree that meets the ground at four points."""
    b = over_ground(e)
    for k in range(4):
        b.body(f"x{k}", shape=gk.Sphere(0.05), density=500 * (1 + k), at=(0.2 * k, 0, 1.05), material="m")
        if k:
            kind, more = (gk.Hinge, {"axis": (0, 1, 0)}) if k % 2 else (gk.Ball, {})
            b.add(kind(name=f"j{k}", a=f"x{k - 1}", b=f"x{k}", at=(0.2 * k - 0.1, 0, 1.05), **more))
    return b.build(), 0.05


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("h", [4e-3, 1e-3])
@pytest.mark.parametrize("e", [0.0, 0.3, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("make", [ball, rod, chain])
def test_what_falls_returns_to_e_squared_of_its_height(make, e, h, order):
    """Times of impact are those of a parabola, so that flights are exact; the top lies between steps, g h^2 / 8."""
    model, lowest = make(e)
    sim, fall, top = gk.Simulation(model, gk.MoreauTree(h=h, order=order)), np.sqrt(2.0 / G), []
    sim.advance(round(fall / h + 3) * h)
    for _ in range(round(e * fall / h) + 10):
        sim.step(1)
        top.append(sim.state.p_WC[2:, 2] - lowest)
    np.testing.assert_allclose(np.max(top, axis=0), e * e, rtol=0, atol=G * h * h / 8 + 1e-9)


@pytest.mark.parametrize("h", [4e-3, 1e-3])
def test_a_ball_lands_when_its_flights_are_over(h):
    """Flights get shorter by e each, in all  t = sqrt(2 H / g) (1 + e) / (1 - e),  then it rests: what is left below
    the speed that forces make in two steps takes up to 2 g h / g (1 + e) / (1 - e)."""
    e = 0.5
    model, _ = ball(e)
    sim, last = gk.Simulation(model, gk.MoreauTree(h=h)), 0.0
    while sim.time < 2.0:
        sim.step(1)
        if abs(sim["x0"].velocity[2]) > 1e-6:
            last = sim.time
    exact = np.sqrt(2.0 / G) * (1 + e) / (1 - e)
    assert last == pytest.approx(exact, abs=2 * h * (1 + e) / (1 - e))
    assert sim["x0"].position[2] == pytest.approx(0.1, abs=2 * G * h * h)
    assert sim.info["energy_fed_in_impacts"] == 0.0


# ---- a double pendulum that meets a wall -----------------------------------------------------------------------------

LINKS = [Link.rod(1.0, 0.6), Link.rod(0.7, 0.5)]
LENGTHS = np.array([link.length for link in LINKS])
RADIUS, WALL = 0.01, 0.15  # of the tip; the wall is at x = -WALL
START, RATE = np.array([-0.3, -1.5]), np.array([0.0, 0.0])
END = 1.4  # after two impacts


def pendulum_and_wall(e):
    centre, tip = reach(LINKS) @ down(START), "link1"
    b = gk.Builder()
    b.material("m", friction=0.0, restitution=e)
    turn = (np.sqrt(0.5), 0, np.sqrt(0.5), 0)  # z to x
    b.body("wall", shape=gk.Plane(), static=True, at=(-WALL - RADIUS, 0, 0), rotation=turn, material="m")
    hinge, above = np.zeros(3), "world"
    for k, link in enumerate(LINKS):
        moments = {"mass": link.mass, "inertia": (link.inertia,) * 3}
        turn = (np.cos(0.5 * START[k]), 0, np.sin(0.5 * START[k]), 0)
        foot = gk.Part(gk.Sphere(RADIUS), at=(0, 0, -0.5 * link.length), density=0.0)
        more = {"shape": foot, "material": "m"} if f"link{k}" == tip else {}
        b.body(f"link{k}", **moments, at=centre[k], rotation=turn, **more)
        b.add(gk.Hinge(name=f"hinge{k}", a=above, b=f"link{k}", at=hinge, axis=(0, 1, 0)))
        hinge, above = hinge + link.length * down(START[k]), f"link{k}"
    return b.build()


def swing(t, y):
    """Time and angles and rates of the next impact, or of the end: DOP853."""

    def rhs(_, y):
        return np.concatenate([y[2:], acceleration(LINKS, y[:2], y[2:])])

    def gap(_, y):
        return LENGTHS @ down(y[:2])[:, 0] + WALL

    gap.terminal, gap.direction = True, -1
    run = solve_ivp(rhs, (t, END), y, method="DOP853", rtol=1e-12, atol=1e-13, events=gap)
    return run.t[-1], run.y[:, -1].copy()


def reference(e):
    """Angles and rates at the end, and how many impacts there were, by  M (w' - w) = J^T p."""
    t, y, hits = 0.0, np.concatenate([START, RATE]), 0
    while True:
        t, y = swing(t, y)
        if t == END:
            return y, hits
        J = LENGTHS * across(y[:2])[:, 0]
        answer = np.linalg.solve(mass_matrix(LINKS, y[:2]), J)
        y[2:] -= answer * (1.0 + e) * (J @ y[2:]) / (J @ answer)
        hits += 1


def seen(sim):
    """Angles and rates of the links."""
    angle = [2.0 * np.arctan2(q[2], q[0]) for q in sim.state.q_WB[2:]]
    return np.array([*angle, *(sim[f"link{k}"].angular_velocity[1] for k in range(2))])


def slope(steps, errors):
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("e", [0.4, 1.0])
def test_a_double_pendulum_bounces_off_a_wall_with_the_order_that_is_asked_for(e, order):
    """Times and velocities of impacts err as the flights do, so that what is left is the order of smooth motion.

    Links turn by 6.5 rad/s, and an impact changes rates by as much: by order 2 within (20 h)^2 of them.
    """
    truth, hits = reference(e)
    assert hits == 2
    model, steps, errors = pendulum_and_wall(e), (175, 350, 700, 1400, 2800), []
    for n in steps:
        sim = gk.Simulation(model, gk.MoreauTree(h=END / n, order=order, contact=gk.ContactOptions()))
        sim.step(n)
        assert sim.info["impacts"] == hits
        errors.append(np.abs(seen(sim) - truth).max())
    assert slope(steps, errors) > order - 0.2
    if order == 2:
        assert errors[-1] < (20 * END / steps[-1]) ** 2 * np.abs(truth).max()


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_an_impact_takes_what_newtons_law_takes(e):
    """(1 - e^2) u_n^2 / 2 w.M^-1 w,  at the place and time of the impact; by order 2, h^2 of the energy of 4 J.

    Without restitution the wall leads the tip to itself, which is of order 1.
    """
    h = 2.5e-4
    sim = gk.Simulation(pendulum_and_wall(e), gk.MoreauTree(h=h, order=2, contact=gk.ContactOptions()))
    before = sim.ledger[:2].sum()
    t, state = swing(0.0, np.concatenate([START, RATE]))
    sim.step(round((t + 0.02) / h))
    J = LENGTHS * across(state[:2])[:, 0]
    u, inverse_mass = J @ state[2:], J @ np.linalg.solve(mass_matrix(LINKS, state[:2]), J)
    lost = (1.0 - e * e) * u * u / (2.0 * inverse_mass)
    assert lost > 0.01 or e == 1.0
    assert before - sim.ledger[:2].sum() == pytest.approx(lost, abs=1e-4 if e > 0.0 else 20 * h * abs(lost))


# ---- order of default ------------------------------------------------------------------------------------------------


def test_order_two_is_for_what_bounces():
    """Segments by their own restitution; materials by that of pairs that can meet (V-39: the smaller one of both)."""

    def order(model):
        return gk.MoreauTree().begin(model, model.initial_state()).work.options[0]

    def feet(restitution):
        b = gk.Builder()
        b.body("ice", shape=gk.Plane(), static=True)
        b.body("box", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1))
        b.add(gk.SegmentContacts("f", "box", [(0, 0, 0)], [(0, 0, 0.1)], "ice", restitution=restitution))
        return b.build()

    def ball(ground, balls=1):
        b = gk.Builder()
        b.material("m", restitution=0.5)
        b.material("n", restitution=ground)
        b.body("g", shape=gk.Plane(), static=True, material="n")
        for k in range(balls):
            b.body(f"s{k}", shape=gk.Sphere(0.1), material="m", mass=1, at=(k, 0, 1))
        return b.build()

    assert [order(feet(0.5)), order(feet(0.0))] == [2, 1]
    assert [order(ball(0.5)), order(ball(0.0)), order(ball(0.0, balls=2))] == [2, 1, 2]
