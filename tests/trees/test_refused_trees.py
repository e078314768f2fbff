"""What trees are given and cannot use: who, what was found, what is allowed, what to do (B-09, B-10, B-15).

Masses and inertias of zero never get as far as a tree: the builder refuses them (tests/model). Universal joints have no
singular state, since their axes x of a and y of b are at right angles always; no joint here has one.
"""

import math
from contextlib import nullcontext

import numpy as np
import pytest

import gelenk as gk

TREE = gk.MoreauTree(h=1e-3)


def chain(joint=gk.Ball, inertia=(0.1, 0.1, 0.1), more=()):
    """Two sticks askew to all axes; the elbow lies on the line through the middle of the first, as on a rod."""
    b = gk.Builder()
    b.body("upper", mass=1.0, inertia=inertia, at=(0.3, 0.2, -0.5))
    b.body("lower", mass=1.0, inertia=inertia, at=(0.9, 0.2, -1.3))
    axis = {} if joint is gk.Ball else {"axis": (0, 1, 0)}
    b.add(joint(name="shoulder", a="world", b="upper", at=(0, 0, 0), **axis))
    b.add(joint(name="elbow", a="upper", b="lower", at=(0.6, 0.4, -1.0), **axis))
    for element in more:
        b.add(element)
    return b


def began(builder, method=TREE):
    """What it takes to begin."""
    return gk.Simulation(builder.build(), method)


# --- leaves that move next to no mass -------------------------------------------------------------------------------


@pytest.mark.parametrize("inertia", [1e-15, 1e-17, 1e-30])
def test_freedoms_without_mass_are_refused(inertia):
    """A point mass on a stick, on a ball joint: nothing resists a turn about the stick but 1e-15 of its inertia."""
    words = r"'(shoulder|elbow)\.w[xyz]' moves next to no mass.*at least 1e-13.*Give '(upper|lower)' inertia"
    model = chain(inertia=(inertia,) * 3).build()
    with pytest.raises(gk.InputError, match="MoreauTree: " + words):
        gk.Simulation(model, TREE)
    with pytest.raises(gk.InputError, match="TreeDynamics: " + words):
        gk.TreeDynamics(model)


@pytest.mark.parametrize("inertia", [1e-16, 1e-30])
@pytest.mark.parametrize("arm", [(0, 0, -0.5), (0.5, 0, 0), (0, 0.5, 0)])
def test_a_point_mass_on_a_ball_joint_is_refused_wherever_it_hangs(arm, inertia):
    """Along an axis of its body, too: what turns it about its stick moves as little when held rigid, but the other

    turns of the joint move 1e15 times as much, and one becomes the other as it moves. It went on, with a wrong spin.
    """
    b = gk.Builder()
    b.body("stick", mass=1.0, inertia=(0.1,) * 3, at=(0.5, 0, 0))
    b.add(gk.Hinge(name="hinge", a="world", b="stick", at=(0, 0, 0), axis=(0, 1, 0)))
    b.body("bead", mass=1.0, inertia=(inertia,) * 3, at=(1 + arm[0], arm[1], arm[2]))
    b.add(gk.Ball(name="joint", a="stick", b="bead", at=(1, 0, 0)))
    words = r"'joint\.w[xyz]' moves next to no mass.*at least 1e-13.*Give 'bead' inertia"
    with pytest.raises(gk.InputError, match="MoreauTree: " + words):
        began(b)
    with pytest.raises(gk.InputError, match="TreeDynamics: " + words):
        gk.TreeDynamics(b.build())


def test_slender_links_are_no_freedoms_without_mass():
    """A wire of 0.1 mm and 10 m: its moments differ by 1e-10 and its motion is that of a rod, energy and all."""
    sim = began(chain(inertia=(1e-10,) * 3))
    start = sim.ledger[:2].sum()
    sim.advance(0.2)
    assert sim.ledger[:2].sum() == pytest.approx(start, abs=1e-6)  # order 4, but for 1e-16 / 1e-10 in what spins


def test_a_damper_is_enough_where_there_is_no_mass():
    """The documented way out: a spring with a damper in the joint is implicit, and holds what has no inertia."""
    b = gk.Builder()
    b.body("needle", mass=1e-18, inertia=(1e-20,) * 3, at=(0, 0, 0.5))
    b.body("base", mass=1.0, inertia=(1, 1, 1))
    b.add(gk.Slider(name="rail", a="world", b="base", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Slider(name="pin", a="base", b="needle", at=(0, 0, 0.5), axis=(0, 0, 1)))
    b.add(gk.JointSpring(name="spring", on="pin", stiffness=0.0, damping=1.0))
    sim = began(b)
    sim.advance(0.1)
    assert sim.state.p_WC[2, 2] == pytest.approx(-0.5 * 9.81 * 0.01, rel=1e-9)
    assert sim.sensors["pin.position"] == pytest.approx(0.0, abs=1e-9)


def test_where_dampers_are_explicit_they_do_not_replace_mass():
    """Equations of motion and order 4 know a damper as a force: u' would be round-off, 9 % off here."""
    b, axis = gk.Builder(gravity=(0, 0, 0)), (0.48, -0.6, 0.64)
    b.body("ring", mass=1e-15, inertia=(1e-15,) * 3)
    b.body("disc", mass=1.0, inertia=((1.3, 0.1, 0.2), (0.1, 1.1, -0.1), (0.2, -0.1, 0.9)), angular_velocity=axis)
    b.add(gk.Hinge(name="one", a="world", b="ring", at=(0, 0, 0), axis=axis))
    b.add(gk.Hinge(name="two", a="ring", b="disc", at=(0, 0, 0), axis=axis))
    b.add(gk.JointSpring(name="spring", on="one", stiffness=1.0, damping=0.1))
    words = r"'one\.angle' moves next to no mass.*Give 'ring' inertia, or a joint without this freedom\."
    with pytest.raises(gk.InputError, match="TreeDynamics: " + words):
        gk.TreeDynamics(b.build())
    with pytest.raises(gk.InputError, match="MoreauTree: " + words):
        began(b, gk.MoreauTree(order=4))
    sim = began(b, gk.MoreauTree(order=2))
    sim.advance(0.1)
    assert sim.sensors["two.angle"] == pytest.approx(0.1, abs=1e-12)
    assert sim.sensors["one.angle"] == pytest.approx(0.0, abs=1e-12)


# --- loops ----------------------------------------------------------------------------------------------------------


def test_two_joints_between_the_same_bodies_are_a_loop():
    b = chain(gk.Hinge, more=[gk.Hinge(name="second", a="upper", b="lower", at=(0.6, 1.4, -1.0), axis=(0, 1, 0))])
    with pytest.raises(gk.InputError, match=r"1 joints close loops: 'second'.*cut=\('second',\)"):
        began(b)
    began(b, gk.MoreauTree(cut="second")).advance(1e-3)


def test_a_change_that_closes_a_loop_leaves_the_simulation_as_it_is():
    """In the middle of a run: refused, and what was there goes on."""
    sim = began(chain(gk.Hinge))
    sim.advance(0.01)
    brace = gk.Hinge(name="brace", a="world", b="lower", at=(1, 0, -1), axis=(0, 1, 0))
    with pytest.raises(gk.InputError, match="1 joints close loops: 'brace'"):
        sim.changed(lambda b: b.add(brace))
    with pytest.raises(gk.InputError, match="'upper', which does not exist"):
        sim.changed(lambda b: b.remove("upper"))
    sim.advance(0.01)
    assert sim.time == pytest.approx(0.02)


# --- what is driven -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [math.nan, math.inf, "0", None, True, [0.0]])
@pytest.mark.parametrize("kind", ["position", "velocity"])
def test_inputs_of_driven_joints_are_finite_numbers(kind, value):
    """Driven joints without any input are refused when they are made (tests/joints/test_driven.py)."""
    sim = began(chain(gk.Hinge, more=[gk.Driven(name="motor", on="shoulder", **{kind: 0.0})]))
    with pytest.raises(gk.InputError, match=f"motor.{kind} is .*allowed: a finite number"):
        sim.inputs[f"motor.{kind}"] = value


def test_a_position_that_jumps_is_no_infinite_velocity():
    """The documented regularisation: it is gone to at 100 rad/s at most, with a warning that says how to be gentle."""
    motor, method = gk.Driven(name="motor", on="shoulder", position=0.0), gk.MoreauTree(h=2e-4)
    sim = began(chain(gk.Hinge, more=[motor]), method)  # 0.02 rad a step, so that nothing else is to be said
    sim.inputs["motor.position"] = 1e9
    with pytest.warns(gk.JumpWarning, match=r"driven 'motor': its input jumped .*Give speed_max"):
        sim.advance(2e-3)
    assert sim.sensors["shoulder.rate"] == pytest.approx(100.0)
    assert np.isfinite(sim.state.flat).all()


# --- forces and states that are no numbers --------------------------------------------------------------------------


@pytest.mark.parametrize(("order", "begins"), [(1, 0.0), (2, 0.0), (4, 0.0), (4, 5e-3)])
def test_a_law_that_gives_no_number_is_named(order, begins):
    """In a tree such a force spoils all bodies at once: the law is named, and the body that it pushes."""

    def bad(t, state, loads):
        if t >= begins:
            loads.force_W[2, 0] = math.nan

    sim = began(chain(gk.Hinge, more=[gk.Law("wind", bad)]), gk.MoreauTree(h=1e-3, order=order))
    with pytest.raises(gk.SimulationError, match=r"law 'wind' gives 'lower' a force that is not finite: mend it"):
        sim.advance(0.01)
    assert np.isfinite(sim.state.flat).all()
    assert begins - 1e-3 <= sim.time <= begins + 1e-9  # the last good state


@pytest.mark.parametrize(("field", "word"), [("v_WC", "velocity"), ("q_WB", "orientation"), ("p_WC", "position")])
def test_states_set_to_no_numbers_are_named(field, word):
    sim = began(chain(gk.Hinge))
    getattr(sim.state, field)[2, 0] = math.nan
    with pytest.raises(
        gk.SimulationError, match=f"{word} of body 'lower' is not finite before the step .*it was set so"
    ):
        sim.advance(0.01)


def test_velocities_beyond_all_numbers_are_told():
    """1e200 is a number, and its square is none."""
    sim = began(chain(gk.Hinge))
    sim.state.v_WC[2, 0] = 1e200
    with pytest.raises(gk.SimulationError, match=r"velocities of a body are beyond all numbers.*Use a smaller step"):
        sim.advance(0.01)


def test_orientations_set_by_hand_are_made_unit_quaternions():
    """Length 2 is a slip of the pen, length 0 has no direction."""
    twice, once = began(chain()), began(chain())
    twice.state.q_WB[1:] *= 2.0
    for sim in (twice, once):
        sim.advance(0.01)
    np.testing.assert_allclose(twice.state.flat, once.state.flat, rtol=0, atol=1e-12)
    once.state.q_WB[2] = 0.0
    with pytest.raises(gk.SimulationError, match=r"quaternion of length 0.*Set state.q_WB to unit quaternions"):
        once.advance(0.01)


def test_a_stick_that_spins_by_a_tenth_of_a_radian_a_step_keeps_its_momentum():
    """And loses half of its energy at 1 rad, as the page says. A free symmetric body has constant energy and momentum;
    its rates across turn at that of the spin w, which order 4 damps by (w h)^6 / 144 of them a step: 7e-6 in 1000."""
    ends = []
    for turn, told in ((0.1, nullcontext()), (1.0, pytest.warns(gk.AccuracyWarning, match="'stick' turns by 1 rad"))):
        b = gk.Builder(gravity=(0, 0, 0))
        b.body("stick", mass=1.0, inertia=(1e-6, 1.0, 1.0), angular_velocity=(1e3 * turn, 1.0, 0.1))
        sim = began(b)
        before = np.array([sim.ledger[:2].sum(), *sim.ledger[5:8]])
        with told:
            sim.advance(1.0)
        ends.append((before, np.array([sim.ledger[:2].sum(), *sim.ledger[5:8]])))
    (before, after), (fast, left) = ends
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-4)  # phases of the rates err by (w h)^5 / 120 a step
    assert left[0] == pytest.approx(0.5 * fast[0], rel=0.05)  # what is across is gone


# --- questions ------------------------------------------------------------------------------------------------------


def test_accelerations_beyond_all_numbers_are_refused():
    tree = gk.TreeDynamics(chain(gk.Hinge).build())
    with pytest.raises(gk.InputError, match=r"forward\(\): u' is not finite at this q and u"):
        tree.forward([0.0, 0.0], [1e200, 1e200])
    with pytest.raises(gk.InputError, match=r"inverse\(\): tau is not finite at this q and u"):
        tree.inverse([0.0, 0.0], [1e200, 1e200], [0.0, 0.0])


@pytest.mark.parametrize("body", ["hand", "world", 3, ["lower"], None])
def test_bodies_that_do_not_move_have_no_jacobian(body):
    tree = gk.TreeDynamics(chain(gk.Hinge).build())
    with pytest.raises(gk.InputError, match=r"jacobian\(\): body is .*allowed: a body that moves"):
        tree.jacobian([0.0, 0.0], body)


# --- segments and runners -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [0.0, 1e-300, 1e300])
def test_segments_have_a_length(length):
    with pytest.raises(gk.InputError, match=r"segment 1 .*allowed: 1e-06 to 1e.06 m.*5 to 10 cm"):
        gk.SegmentContacts("feet", "box", [(0, 0, 0)] * 2, [(0, 0, 0.1), (0, 0, length)], "ice")


def test_friction_of_runners_has_an_ellipse():
    """The half ellipses of B-27 become circles by a factor of mu_b / (mu_t - mu_r), which a table may not let grow."""
    with pytest.raises(gk.InputError, match=r"across_max is 1e.06 times along .*at most 100000 times"):
        gk.RunnerFriction(along=1e-7, straight_share=0.0)
    for bad in ({"slip_t": 0.0}, {"slip_t": -1.0}, {"slip_b": math.nan}, {"load": -1.0}):
        with pytest.raises(gk.InputError, match=f"RunnerFriction: {next(iter(bad))} is"):
            gk.RunnerFriction().sliding(**{"slip_t": 1.0, "slip_b": 0.0, "load": 1.0} | bad)


def test_loads_of_merged_bodies_name_their_cause():
    sim = began(chain(gk.Hinge))
    sim.merge("arm", "upper", "lower")
    with pytest.raises(gk.InputError, match=r"contact_loads\(\): bodies that are merged.*Split them"):
        sim.contact_loads()
