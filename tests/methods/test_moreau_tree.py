"""MoreauTree: order, exact joints, loops, limits, motors and reactions (B-01, B-04..B-18, B-30, B-32, V-52, T-53)."""

import numpy as np
import pytest

import gelenk as gk
from exact.compound_pendulum import CompoundPendulum, compound_pendulum
from gelenk.rows.assemble import evaluate, new_coordinates, row_error
from trees.random_trees import random_tree

Y = (0, 1, 0)


def link(b, name, above, begin, end, mass=1.0):
    """A rod between two points, hung at the first by a hinge about y."""
    begin, end = np.array(begin, float), np.array(end, float)
    length = np.linalg.norm(end - begin)
    b.body(name, mass=mass, inertia=np.full(3, mass * length**2 / 12), at=(begin + end) / 2)
    return gk.Hinge(name=f"to_{name}", a=above, b=name, at=tuple(begin), axis=Y)


def double_pendulum():
    b = gk.Builder()
    b.add(link(b, "upper", "world", (0, 0, 0), (1, 0, 0)))
    b.add(link(b, "lower", "upper", (1, 0, 0), (2, 0, 0)))
    return b.build()


def four_bar():
    b = gk.Builder()
    b.add(link(b, "crank", "world", (0, 0, 0), (0, 0, 0.5)))
    b.add(link(b, "rod", "crank", (0, 0, 0.5), (1.1, 0, 1.0), 2.0))
    b.add(link(b, "rocker", "rod", (1.1, 0, 1.0), (1.3, 0, 0)))
    b.add(gk.Hinge(name="ground", a="rocker", b="world", at=(1.3, 0, 0), axis=Y))
    return b.build()


def ended(model, method, t):
    sim = gk.Simulation(model, method)
    sim.advance(t)
    return sim


def order_of(model, order, t=0.5, steps=(50, 100, 200)):
    """Observed order: differences of three step sizes fall by 2^order; and the last difference."""
    ends = [ended(model, gk.MoreauTree(h=t / n, order=order), t).state.p_WC.copy() for n in steps]
    first, second = abs(ends[0] - ends[1]).max(), abs(ends[1] - ends[2]).max()
    return np.log2(first / second), second


@pytest.mark.parametrize(("order", "expected"), [(1, 1), (2, 2), (4, 4)])
def test_smooth_motion_converges_with_its_order(order, expected):
    """Inertia forces of a tree depend on velocities, so Moreau's own rule has order 1 here."""
    found, _ = order_of(double_pendulum(), order)
    assert found == pytest.approx(expected, abs=0.25)  # next power of h adds some 10 % at these steps


@pytest.mark.parametrize(("order", "steps"), [(2, (40, 80, 160)), (4, (40, 80, 160))])
@pytest.mark.parametrize("free", [False, True])
def test_turns_in_space_keep_the_order(order, steps, free):
    """Balls and loose bodies: turns do not commute, and a scheme that sums them as vectors has order 2."""
    b = gk.Builder()
    spin = {"angular_velocity": (3.0, -2.0, 4.0)} if free else {}
    b.body("one", mass=1.0, inertia=(0.02, 0.05, 0.04), at=(0.3, 0, 0), **spin)
    b.body("two", mass=0.7, inertia=(0.03, 0.01, 0.02), at=(0.6, 0.3, 0))
    if not free:
        b.add(gk.Ball(name="root", a="world", b="one", at=(0, 0, 0)))
    b.add(gk.Ball(name="mid", a="one", b="two", at=(0.6, 0, 0)))
    found, _ = order_of(b.build(), order, 0.4, steps)
    assert found == pytest.approx(order, abs=0.25)


def test_moreaus_rule_has_order_two_where_forces_depend_on_positions_alone():
    """Slider on a spring: M is constant and nothing depends on u."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("mass", mass=1.0, inertia=(1, 1, 1), velocity=(0, 0, 1))
    b.add(gk.Slider(name="guide", a="world", b="mass", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Spring(name="spring", a="world", b="mass", at_a=(0, 0, -1), stiffness=30.0, rest_length=1.0))
    found, _ = order_of(b.build(), 1)
    assert found == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_pendulum_follows_its_elliptic_functions(order):
    """Rod of 1 m from the horizontal; error of order p with h = 1 ms: 1e-3, 1e-6 and 1e-11 times numbers of size 10."""
    b = gk.Builder()
    b.add(link(b, "rod", "world", (0, 0, 0), (1, 0, 0)))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3, order=order), 1.0)
    rod = CompoundPendulum(mass=1.0, arm=0.5, inertia=1.0 / 12)
    angle = compound_pendulum([1.0], rod, -np.pi / 2, 0.0).angle[0]
    x = sim.state.p_WC[1]
    assert np.arctan2(-x[0], -x[2]) == pytest.approx(angle, abs={1: 2e-2, 2: 2e-5, 4: 1e-10}[order])


@pytest.mark.parametrize("seed", range(4))
def test_all_joints_move_as_by_impulse(seed):
    """Two methods that share no equation: Impulse has order 2 and closes joints to 1e-9 m; both err by 1e-4 at 1 ms."""
    model = random_tree(seed, 6, free=seed == 3)
    own = ended(model, gk.MoreauTree(h=5e-4), 0.1)
    other = ended(model, gk.Impulse(h=5e-4, contact=None), 0.1)
    np.testing.assert_allclose(own.state.p_WC, other.state.p_WC, rtol=0, atol=2e-5)
    np.testing.assert_allclose(own.state.v_WC, other.state.v_WC, rtol=0, atol=2e-3)


def test_joints_are_never_open():
    """Rows of all joints at the end of two seconds of wild motion: round-off of places of up to 100 m."""
    model = random_tree(2, 8)
    sim = ended(model, gk.MoreauTree(h=5e-3, order=2), 2.0)
    joints, now = model.wired.joints, new_coordinates(model.wired.joints)
    evaluate(joints, model.wired.memory(sim.state.memory), sim.state, now)
    assert max(abs(row_error(joints, now, r)) for r in range(len(joints.row))) < 1e-12


def test_a_restart_gives_the_same_bits():
    model = random_tree(1, 6)
    sim = gk.Simulation(model, gk.MoreauTree(h=1e-3))
    sim.advance(0.05)
    state = model.initial_state()
    state.flat[:] = sim.state.flat
    again = gk.Simulation(model, gk.MoreauTree(h=1e-3), state=state, time=sim.time)
    sim.advance(0.05)
    again.advance(0.05)
    assert sim.state.flat.tobytes() == again.state.flat.tobytes()


def test_energy_of_five_pendulums_is_kept():
    """Chaotic, 10 s at 1 ms: order 4 keeps it within 1e-3, where schemes of order 1 err by a third and more."""
    b = gk.Builder()
    for k in range(5):
        b.add(link(b, f"l{k}", "world" if k == 0 else f"l{k - 1}", (0.2 * k, 0, 0), (0.2 * k + 0.2, 0, 0), 0.2))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-3))
    start, most = sim.ledger[:2].sum(), 0.0
    for _ in range(100):
        sim.advance(0.1)
        most = max(most, abs(sim.ledger[:2].sum() - start))
    assert most < 1e-3 * 5 * 0.2 * 9.81 * 0.5


# --- rows beside the tree ---------------------------------------------------------------------------------------------


def test_a_loop_is_closed_by_rows():
    """Four-bar in a plane: three of the five rows of its last hinge follow from the others. Error of order 1 and of
    Impulse, order 2, at 0.8 s: differences halve with h."""
    model = four_bar()
    fine = ended(model, gk.Impulse(h=2.5e-4, contact=None), 0.8).state.p_WC
    errors = [
        abs(ended(model, gk.MoreauTree(h=h, cut=("ground",)), 0.8).state.p_WC - fine).max() for h in (2e-3, 1e-3, 5e-4)
    ]
    assert errors[0] < 1e-3
    assert errors[1] < 0.6 * errors[0]
    assert errors[2] < 0.6 * errors[1]


def test_reactions_of_a_loop_are_those_of_impulse():
    model = four_bar()
    own = ended(model, gk.MoreauTree(h=2.5e-4, cut=("ground",)), 0.8)
    other = ended(model, gk.Impulse(h=2.5e-4, contact=None), 0.8)
    a, b = (model.wired.memory(s.state.memory).reaction for s in (own, other))
    np.testing.assert_allclose(a, b, rtol=0, atol=0.02 * abs(b).max())


def test_reactions_are_weight_and_centripetal_force():
    b = gk.Builder()
    b.add(link(b, "rod", "world", (0, 0, 0), (0, 0, -1), 2.0))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3), 0.01)
    force = sim.model.wired.memory(sim.state.memory).reaction[0]
    np.testing.assert_allclose(force, [0, 0, 2.0 * 9.81, 0, 0, 0], rtol=0, atol=1e-12)


def test_a_limit_stops_and_holds():
    b = gk.Builder()
    link(b, "rod", "world", (0, 0, 0), (1, 0, 0), 2.0)
    b.add(gk.Hinge(name="stop", a="world", b="rod", at=(0, 0, 0), axis=Y, limits=(-1.0, 0.5)))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3), 3.0)
    assert sim.sensors["stop.angle"] == pytest.approx(0.5, abs=1e-9)
    torque = sim.model.wired.memory(sim.state.memory).reaction[0]
    # the limit carries the weight: m g l/2 cos 0.5 about y
    assert abs(torque[4]) == pytest.approx(2.0 * 9.81 * 0.5 * np.cos(0.5), rel=1e-6)


def test_the_twist_of_a_ball_joint_counts_its_turns():
    """Free of torque about its axis of symmetry it turns by w t, ten radians; a spring of 1e-9 N m/rad reads it.

    The spring takes  k t^3 w / (6 I) = 3e-8 rad off.
    """
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("top", mass=1.0, inertia=(0.1, 0.1, 0.05), angular_velocity=(0, 0, 10.0))
    b.add(gk.Ball(name="pivot", a="world", b="top", at=(0, 0, 0)))
    b.add(gk.JointSpring(name="reader", on="pivot.twist", stiffness=1e-9))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=0.02))
    for k in range(1, 6):
        sim.advance(0.2)
        assert sim["pivot"].twist == pytest.approx(2.0 * k, abs=1e-7)


def test_a_motor_turns_at_its_speed_and_feels_the_load():
    b = gk.Builder()
    b.add(link(b, "rod", "world", (0, 0, 0), (0, 0, -1), 2.0))
    b.add(gk.VelocityMotor(name="drive", on="to_rod", speed=0.5, force_max=100.0))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3), 1.0)
    assert sim.sensors["to_rod.angle"] == pytest.approx(0.5, abs=1e-3)
    middle = sim.sensors["to_rod.angle"] - 0.5e-3 * 0.5  # of the last step, whose mean torque is told
    assert abs(sim.sensors["drive.force"]) == pytest.approx(2.0 * 9.81 * 0.5 * np.sin(middle), rel=1e-3)


def test_a_gear_ties_two_trees():
    b = gk.Builder(gravity=(0, 0, 0))
    for k in range(2):
        b.body(f"wheel{k}", mass=1.0, inertia=(1, 1, 1 + k), at=(k, 0, 0))
        b.add(gk.Hinge(name=f"axle{k}", a="world", b=f"wheel{k}", at=(k, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Gear(name="gear", first="axle0", second="axle1", ratio=-2.0))
    b.add(gk.ForceMotor(name="push", on="axle0", force=3.0))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3), 1.0)
    a, c = (sim.sensors[f"axle{k}.angle"] for k in range(2))
    # a = -2 c with inertias 1 and 2:  (1 + 2/4) a'' = 3,  a = t^2; order 1 of a force that begins at once: h t
    assert a == pytest.approx(1.0, abs=2e-3)
    assert a + 2 * c == pytest.approx(0.0, abs=1e-12)


def test_a_body_that_turns_by_its_joints_alone_keeps_no_angular_momentum():
    """The falling cat: two halves, bent and twisted by motors, turn in the air without angular momentum (5)."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("front", mass=2.0, inertia=(0.02, 0.04, 0.04), at=(0.2, 0, 0))
    b.body("back", mass=2.0, inertia=(0.02, 0.04, 0.04), at=(-0.2, 0, 0.1))
    b.add(gk.Universal(name="spine", a="front", b="back", at=(0, 0, 0), axis=(1, 0, 0), x_axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="bend", on="spine.angle_x", speed=2.0, force_max=50.0))
    b.add(gk.VelocityMotor(name="twist", on="spine.angle_y", speed=-3.0, force_max=50.0))
    model = b.build()
    most, turned = [], []
    for h in (1e-3, 5e-4, 2.5e-4):
        sim = gk.Simulation(model, gk.MoreauTree(h=h))
        most.append(0.0)
        for _ in range(5):
            sim.advance(0.1)
            most[-1] = max(most[-1], np.linalg.norm(sim.ledger[5:8]))
        turned.append(abs(sim.state.q_WB[1] @ np.array([1.0, 0, 0, 0])))
    # parts of the size of I w = 0.1 cancel up to the error of the scheme, order 1 under motors
    assert most[0] < 5e-4
    assert most[1] < 0.6 * most[0]
    assert most[2] < 0.6 * most[1]
    assert max(turned) < 0.999  # the front has turned by 5 degrees and more


def test_a_cat_that_goes_once_round_its_shapes_has_turned():
    """Bent, twisted, unbent, untwisted by given motions: its shape is that of the start, its momenta were zero to the
    order of the scheme, 4, and it has turned by what the way through shapes says, whatever the step."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("front", mass=2.0, inertia=(0.02, 0.04, 0.04), at=(0.2, 0, 0))
    b.body("back", mass=2.0, inertia=(0.02, 0.04, 0.04), at=(-0.2, 0, 0.1))
    b.add(gk.Universal(name="spine", a="front", b="back", at=(0, 0, 0), axis=(1, 0, 0), x_axis=(0, 1, 0)))
    for axis, places in (("x", (0, 0.8, 0.8, 0, 0)), ("y", (0, 0, 0.7, 0.7, 0))):
        way = {"times": (0, 0.1, 0.2, 0.3, 0.4), "places": places, "between": "rest"}
        b.add(gk.Driven(name=f"move_{axis}", on=f"spine.angle_{axis}", **way))
    model, most, turned = b.build(), [], []
    for h in (2e-3, 1e-3):
        sim = gk.Simulation(model, gk.MoreauTree(h=h))
        seen = []
        for _ in range(20):
            sim.advance(0.02)
            seen.append(abs(sim.ledger[2:8]).max())
        most.append(max(seen))
        turned.append(2 * np.arccos(abs(sim.state.q_WB[1, 0])))
        assert sim.sensors["spine.angle_x"] == pytest.approx(0.0, abs=1e-12)
        assert sim.sensors["spine.angle_y"] == pytest.approx(0.0, abs=1e-12)
    assert most[1] < 1e-6  # parts of the size of 0.2 cancel
    assert np.log2(most[0] / most[1]) == pytest.approx(4, abs=0.3)
    assert turned[0] == pytest.approx(turned[1], abs=1e-6)
    assert turned[1] > 0.3


def test_cutting_by_itself_gives_the_same_motion():
    model = four_bar()
    ends = [ended(model, gk.MoreauTree(h=1e-3, cut=cut), 0.5).state.p_WC for cut in ("auto", ("to_rocker",))]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-4)  # order 1, and which joint gives differs


# --- bad input --------------------------------------------------------------------------------------------------------


def test_a_loop_without_a_cut_is_refused_with_its_joint():
    with pytest.raises(gk.InputError, match=r"'ground'.*cut"):
        gk.Simulation(four_bar(), gk.MoreauTree())


def test_order_four_with_rows_is_refused():
    with pytest.raises(gk.InputError, match=r"order is 4.*order=2"):
        gk.Simulation(four_bar(), gk.MoreauTree(order=4, cut=("ground",)))


@pytest.mark.parametrize(
    "wrong", [{"h": 0}, {"order": 3}, {"order": True}, {"cut": ("nothing",)}, {"sweeps": 0}, {"relative": -1}]
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(gk.InputError):
        gk.Simulation(four_bar(), gk.MoreauTree(**{"cut": ("ground",)} | wrong))


# --- velocities that joints do not allow, breaking, particles ---------------------------------------------------------


def test_a_blow_is_shared_by_all_that_joints_tie():
    """An impulse at a body is felt as by Impulse, whose first step takes what joints do not allow by a blow."""
    ends = []
    for method in (gk.MoreauTree(h=1e-4, order=2), gk.Impulse(h=1e-4, contact=None)):
        b = gk.Builder(gravity=(0, 0, 0))
        b.add(link(b, "upper", "world", (0, 0, 0), (0, 0, -1)))
        b.add(link(b, "lower", "upper", (0, 0, -1), (0, 0, -2)))
        sim = gk.Simulation(b.build(), method)
        sim["upper"].apply_impulse((1.0, 0, 0))
        sim.advance(1e-3)
        ends.append(sim.state.v_WC.copy())
    assert abs(ends[1]).max() > 0.3
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-4)  # both to the order of ten steps


def test_a_joint_breaks_under_its_load():
    b = gk.Builder()
    b.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.add(gk.Ball(name="thread", a="world", b="ball", at=(0, 0, 0), break_force=5.0))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3), 0.5)
    assert sim.state.p_WC[1, 2] == pytest.approx(-0.5 * 9.81 * 0.25, abs=0.02)


def test_a_particle_between_two_bodies_moves_as_by_impulse():
    """It carries nothing on in the tree: what hangs on it does so by rows."""
    b = gk.Builder()
    b.body("one", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    b.particle("knot", mass=0.5, at=(1, 0, 0))
    b.body("two", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1.5, 0, 0))
    b.add(gk.Ball(name="a", a="world", b="one", at=(0, 0, 0)))
    b.add(gk.Ball(name="b", a="one", b="knot"))
    b.add(gk.Ball(name="c", a="two", b="knot"))
    model = b.build()
    own, other = ended(model, gk.MoreauTree(h=1e-3), 0.3), ended(model, gk.Impulse(h=1e-3, contact=None), 0.3)
    np.testing.assert_allclose(own.state.p_WC, other.state.p_WC, rtol=0, atol=1e-3)  # order 1 of rows at 1 ms
    assert abs(own.ledger[:2].sum() - other.ledger[:2].sum()) < 1e-2


def test_a_light_lug_on_a_heavy_body_still_closes_its_loop():
    """A row's own response is 1e-11 of that of its light body alone, and it counts all the same."""
    b = gk.Builder()
    b.body("heavy", mass=1e3, inertia=(1e3,) * 3)
    b.body("lug", mass=1e-8, inertia=(1e-8,) * 3, at=(1, 0, 0))
    b.add(gk.Rigid(name="weld", a="heavy", b="lug", at=(1, 0, 0)))
    b.add(gk.Ball(name="hook", a="world", b="lug", at=(1, 0, 0)))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3, cut=("hook",)), 0.1)
    place = sim.state.p_WC[2]
    np.testing.assert_allclose(place, [1, 0, 0], rtol=0, atol=1e-4)
