"""Loops of trees, cut and closed in every step: to round-off in place, to second order in time (T-53)."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gelenk as gk
from gelenk.bench.reference import CASES, errors_of
from gelenk.rows.assemble import evaluate, new_coordinates, row_error

Y = (0, 1, 0)


def opening(sim):
    """Largest opening of a joint [m] or [rad]."""
    joints, now = sim.model.wired.joints, new_coordinates(sim.model.wired.joints)
    evaluate(joints, sim.model.wired.memory(sim.state.memory), sim.state, now)
    return max(abs(row_error(joints, now, r)) for r in range(int(joints.equalities[0])))


def link(b, name, start, end, mass=1.0, **more):
    start, end = np.array(start, float), np.array(end, float)
    inertia = mass * ((end - start) @ (end - start)) / 12
    b.body(name, mass=mass, inertia=(inertia, inertia, 0.9 * inertia), at=0.5 * (start + end), **more)


def four_bar(b=None, coupler=None, **more):
    """A crank, a coupler and a rocker; ``more`` is said of the hinge of the crank."""
    b = b or gk.Builder()
    link(b, "crank", (0, 0, 0), (0, 0, 0.5))
    link(b, "coupler", (0, 0, 0.5), (1.1, 0, 1.0), 2.0, **(coupler or {}))
    link(b, "rocker", (1.1, 0, 1.0), (1.3, 0, 0))
    b.add(gk.Hinge(name="motor_side", a="world", b="crank", at=(0, 0, 0), axis=Y, **more))
    b.add(gk.Hinge(name="knee", a="crank", b="coupler", at=(0, 0, 0.5), axis=Y))
    b.add(gk.Hinge(name="elbow", a="coupler", b="rocker", at=(1.1, 0, 1.0), axis=Y))
    b.add(gk.Hinge(name="ground", a="rocker", b="world", at=(1.3, 0, 0), axis=Y))
    return b


def in_space():
    """Two rods on ball joints that carry a plate, which a gear and a stay tie further: a loop that leaves its plane."""
    b = gk.Builder()
    for name, y in (("left", -0.4), ("right", 0.4)):
        link(b, name, (0, y, 0), (0.2, 0.8 * y, -0.7))
    b.body("plate", mass=2.0, inertia=(0.2, 0.1, 0.25), at=(0.2, 0, -0.9), angular_velocity=(0.0, 0.0, 0.0))
    for name, y in (("left", -0.4), ("right", 0.4)):
        b.add(gk.Ball(name=f"{name}_top", a="world", b=name, at=(0, y, 0)))
        b.add(gk.Ball(name=f"{name}_low", a=name, b="plate", at=(0.2, 0.8 * y, -0.7)))
    b.body("bob", mass=0.5, inertia=(0.01, 0.01, 0.01), at=(0.2, 0.1, -1.5))
    b.add(gk.Distance(name="stay", a="plate", b="bob", at_a=(0.2, 0, -1.0), at_b=(0.2, 0.1, -1.5)))
    return b


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(("make", "cut"), [(four_bar, "ground"), (four_bar, "knee"), (in_space, "right_low")])
def test_loops_are_closed_to_round_off(make, cut, order):
    """Whichever joint is cut. Places are of 1 m, some 10 operations of 1e-16 each."""
    sim = gk.Simulation(make().build(), gk.MoreauTree(h=2e-3, order=order, cut=(cut,)))
    for _ in range(10):
        sim.advance(0.05)
        assert opening(sim) < 1e-13
    assert np.abs(sim.state.v_WC).max() > 0.5


@pytest.mark.parametrize(("name", "share"), [("four-bar", 3.0), ("slider-crank", 6.0)])
def test_loops_err_as_little_as_those_of_impulse(name, share):
    """Same order, and an error of the same size as that of a second method that shares no equation (it was 25 to 80
    times as large when velocities alone were held)."""
    case = CASES[name]
    truth, model = case.places(case.times), case.model()
    own, others = [], []
    for n in (40, 80):
        h = case.t_end / 8 / n
        own.append(errors_of(case, gk.MoreauTree(h=h, cut="auto"), truth, model).max())
        others.append(errors_of(case, gk.Impulse(h=h, contact=None), truth, model).max())
    assert np.log2(own[0] / own[1]) == pytest.approx(2.0, abs=0.1)
    assert own[1] < share * others[1]


@pytest.mark.parametrize("e", [0.6, 1.0])
def test_a_loop_swings_into_a_stop_with_order_two(e):
    """Impacts within a step put the loop where it is then; its velocity is along what is held there.

    Errors against a step 16 times shorter, and of the energy, which e = 1 keeps; an error of order 1 would be 1e-2 m.
    """
    model, steps = four_bar(limits=(-3.0, 0.3), stop_restitution=e).build(), (4e-3, 2e-3, 1e-3, 6.25e-5)
    ends, drifts, hits = [], [], []
    for h in steps:
        sim = gk.Simulation(model, gk.MoreauTree(h=h, order=2, cut=("ground",)))
        start = sim.ledger[:2].sum()
        sim.advance(1.2)
        assert opening(sim) < 1e-13
        ends.append(sim.state.p_WC.copy())
        drifts.append(abs(sim.ledger[:2].sum() - start))
        hits.append(sim.info["impacts"])
    assert min(hits) == max(hits) >= 1
    for h, end, drift in zip(steps[:3], ends, drifts):
        assert abs(end - ends[3]).max() < 10.0 * h**2
        assert e < 1.0 or drift < 100.0 * h**2  # of some 30 J


def test_what_is_set_by_hand_is_closed_by_the_next_step():
    """A loop opened by 2 cm: the least motion that closes it, no jump of velocities."""
    sim = gk.Simulation(four_bar().build(), gk.MoreauTree(h=1e-3, cut=("ground",)))
    sim.state.p_WC[3, 0] += 0.02
    angle = 0.02  # the tree alone decides; the rocker hangs on its elbow
    sim.state.q_WB[3] = (np.cos(0.5 * angle), 0.0, np.sin(0.5 * angle), 0.0)
    sim.step()
    assert opening(sim) < 1e-12
    assert np.abs(sim.state.v_WC).max() < 0.02


def test_a_parallelogram_goes_through_its_flat_state():
    """It starts flat, where it may fold, and is flat again after half a turn and a whole one: two rows say the same

    there. Without gravity its coupler moves along a circle and does not turn, so that all rates are constant.
    """
    b, rate = gk.Builder(gravity=(0, 0, 0)), 3.0
    moves = {"mass": 1.0, "inertia": (0.01, 0.1, 0.1)}
    for name, x in (("crank", 0.5), ("rocker", 2.5)):
        b.body(name, **moves, at=(x, 0, 0), velocity=(0, 0, -0.5 * rate), angular_velocity=(0, rate, 0))
    b.body("coupler", **moves, at=(2.0, 0, 0), velocity=(0, 0, -rate))
    for n, (one, other, x) in enumerate((("world", "crank", 0), ("crank", "coupler", 1), ("coupler", "rocker", 3))):
        b.add(gk.Hinge(name=f"h{n}", a=one, b=other, at=(x, 0, 0), axis=Y))
    b.add(gk.Hinge(name="ground", a="world", b="rocker", at=(2, 0, 0), axis=Y))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=2.7e-3, cut=("ground",)))
    for _ in range(50):
        sim.advance(0.046)
        assert opening(sim) < 1e-12
        rates = [sim[name].angular_velocity[1] for name in ("crank", "coupler", "rocker")]
        np.testing.assert_allclose(rates, (rate, 0.0, rate), atol=1e-9)
    assert sim["h0"].angle > 2.0 * np.pi


def test_what_cannot_be_closed_is_told():
    """A triangle of two links whose crank is driven: nothing can move, and the residual says by how much it does."""
    b = gk.Builder()
    link(b, "one", (0, 0, 0), (1, 0, 0.5))
    link(b, "two", (1, 0, 0.5), (2, 0, 0))
    for name, (a, c), at in (("a", ("world", "one"), (0, 0, 0)), ("b", ("one", "two"), (1, 0, 0.5))):
        b.add(gk.Hinge(name=name, a=a, b=c, at=at, axis=Y))
    b.add(gk.Hinge(name="c", a="two", b="world", at=(2, 0, 0), axis=Y))
    b.add(gk.Driven(name="motor", on="a", velocity=1.0))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-3, cut=("c",)))
    with pytest.warns(gk.AccuracyWarning, match=r"hinge 'c' was open by .* and the solver falls short by"):
        sim.run(0.1)
    assert sim.info["residual"] > 0.5


def over_floor(e, friction):
    """The four-bar with a ball on its coupler, 5 cm above a floor."""
    ball, b = gk.Part(gk.Sphere(0.05), at=(0, 0.3, 0), density=0.0), gk.Builder()
    b.material("m", friction=friction, restitution=e)
    b.body("floor", shape=gk.Plane(), static=True, at=(0, 0, 0.55), material="m")
    return four_bar(b, {"shape": ball, "material": "m"}).build()


def test_a_loop_that_bounces_keeps_its_energy_to_second_order():
    """e = 1 without friction: three impacts, each at its own time; energy of 22 J."""
    rises, model = [], over_floor(1.0, 0.0)
    for h in (2e-3, 5e-4):
        sim = gk.Simulation(model, gk.MoreauTree(h=h, cut=("ground",), contact=gk.ContactOptions()))
        energy = [sim.ledger[:2].sum()]
        for _ in range(100):
            sim.advance(0.04)
            energy.append(sim.ledger[:2].sum())
        assert sim.info["impacts"] == 3
        assert opening(sim) < 1e-13
        rises.append(np.ptp(energy))
    assert rises[0] < 2e-3
    assert rises[1] < rises[0] / 8


def test_a_loop_comes_to_rest_on_the_floor_and_stays_closed():
    sim = gk.Simulation(over_floor(0.0, 0.5), gk.MoreauTree(h=2e-3, cut=("ground",), contact=gk.ContactOptions()))
    sim.advance(4.0)
    assert np.abs(sim.state.v_WC).max() < 1e-15
    assert opening(sim) < 1e-13


@pytest.mark.parametrize("order", [1, 2])
def test_a_bob_on_a_rod_is_a_spherical_pendulum(order):
    """A row that no loop asks for:  r'' = g - (v.v + g.r) r / r.r  by DOP853; forces depend on places alone, so that
    Moreau's rule has order 2 as it stands."""
    g, start, off = np.array([0, 0, -9.81]), [0.6, 0, -0.8, 0, 1.5, 0], []

    def rhs(_, y):
        r, v = y[:3], y[3:]
        return [*v, *(g - (v @ v + g @ r) / (r @ r) * r)]

    exact = solve_ivp(rhs, (0, 2.0), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:3, -1]
    for h in (4e-3, 2e-3):
        b = gk.Builder()
        b.body("bob", mass=1.0, inertia=(1e-3,) * 3, at=tuple(start[:3]), velocity=tuple(start[3:]))
        b.add(gk.Distance(name="rod", a="world", b="bob", at_a=(0, 0, 0), at_b=tuple(start[:3])))
        sim = gk.Simulation(b.build(), gk.MoreauTree(h=h, order=order))
        sim.advance(2.0)
        off.append(np.abs(sim["bob"].position - exact).max())
        assert np.linalg.norm(sim["bob"].position) == pytest.approx(1.0, abs=1e-13)
    assert off[0] < 1e-4
    assert np.log2(off[0] / off[1]) == pytest.approx(2.0, abs=0.1)


def test_a_parallelogram_goes_through_its_dead_centres():
    """There the loop has a freedom more for an instant; the bar goes on as it came."""
    b, w = gk.Builder(gravity=(0, 0, 0)), 6.0
    for name, x in (("c1", 0), ("c2", 1)):
        link(b, name, (x, 0, 0), (x, 0, 0.5), velocity=(0.25 * w, 0, 0), angular_velocity=(0, w, 0))
    link(b, "bar", (0, 0, 0.5), (1, 0, 0.5), velocity=(0.5 * w, 0, 0))
    hinges = (("a", "world", "c1", 0, 0), ("b", "c1", "bar", 0, 0.5), ("c", "bar", "c2", 1, 0.5))
    for name, a, c, x, z in (*hinges, ("d", "c2", "world", 1, 0)):
        b.add(gk.Hinge(name=name, a=a, b=c, at=(x, 0, z), axis=Y))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-3, order=2, cut=("d",)))
    start = sim.ledger[:2].sum()
    for _ in range(30):
        sim.advance(0.1)
        assert sim["c1"].angular_velocity[1] == pytest.approx(w, abs=1e-9)  # round-off over the least pivot of 1e-5
        assert opening(sim) < 1e-13
    assert sim.ledger[:2].sum() == pytest.approx(start, rel=1e-10)
