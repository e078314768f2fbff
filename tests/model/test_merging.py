"""Bodies that rigid joints hold for good, merged into one (V-61, I-055): mass, momentum, motion, names, refusals."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.quat import quat_exp
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3

METHODS = {
    "row_stepping": lambda h: gk.RowStepping(h=h, solver=gk.Dantzig()),
    "impulse": lambda h: gk.Impulse(h=h, tolerance=1e-12, velocity_tolerance=1e-12),
}
both = pytest.mark.parametrize("method", METHODS)
TURN = tuple(quat_exp(Vec3(0.3, -0.5, 0.2)))


def weld(a, b, name="weld", **more):
    return gk.Rigid(name=name, a=a, b=b, at=(0.2, 0.1, 0.0), **more)


def pair(*elements, joint=weld, gravity=(0, 0, 0), second=None, **motion):
    """Two bodies of full inertia in turned frames, welded."""
    b = gk.Builder(gravity=gravity)
    b.body("one", mass=2.0, com=(0.05, 0, 0.02), inertia=(0.02, 0.03, 0.04), shape=gk.Box((0.2, 0.3, 0.4)), **motion)
    place = {"at": (0.4, 0.1, -0.2), "rotation": TURN, "com": (0, 0.1, 0)}
    inertia = ((0.03, 0.002, 0), (0.002, 0.05, 0.001), (0, 0.001, 0.06))
    b.body("two", mass=1.5, inertia=inertia, shape=gk.Sphere(0.1), **place, **(motion if second is None else second))
    if joint is not None:
        b.add(joint("one", "two"))
    for element in elements:
        b.add(element)
    return b


def of_both(model, state):
    """Pose and velocity of body "one", however many bodies there are."""
    return np.concatenate(
        [state.p_WC[1] + rotation_matrix(state.q_WB[1]) @ model.nodes.arm(1, (0, 0, 0)), state.q_WB[1]]
    )


# --- mass and momentum -----------------------------------------------------------------------------------------------


def test_mass_centre_inertia_and_shapes_are_those_of_one_body_of_the_same_parts():
    """Against a body that was built of both parts at once; round-off of a few products."""
    q = TURN
    apart, whole = gk.Builder(), gk.Builder()
    apart.body("one", shape=gk.Box((0.2, 0.3, 0.4)), density=500.0, at=(1, 2, 3), rotation=q)
    shift = rotation_matrix(q) @ (0.1, -0.2, 0.3)
    turn = quat_exp(Vec3(0.1, 0.7, -0.4))
    q_two = tuple(gk.unit(tuple(gk.math.quat.Quat(*q) * turn)))
    apart.body("two", shape=gk.Cylinder(0.1, 0.5), density=800.0, at=np.array((1, 2, 3)) + shift, rotation=q_two)
    apart.add(weld("one", "two"))
    parts = [
        gk.Part(gk.Box((0.2, 0.3, 0.4)), density=500.0),
        gk.Part(gk.Cylinder(0.1, 0.5), at=(0.1, -0.2, 0.3), rotation=tuple(turn), density=800.0),
    ]
    whole.body("one", shape=parts, at=(1, 2, 3), rotation=q)
    (got,), (want,) = apart.build(merge=True).bodies, whole.build().bodies
    assert got.mass == pytest.approx(want.mass, rel=1e-15)
    np.testing.assert_allclose(got.com, want.com, rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(got.inertia, want.inertia, rtol=1e-14, atol=1e-14)
    assert (got.at, got.rotation) == (want.at, want.rotation)
    for mine, theirs in zip(got.parts, want.parts):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine.at, theirs.at, rtol=1e-14, atol=1e-15)
        np.testing.assert_allclose(mine.rotation, theirs.rotation, rtol=1e-14, atol=1e-15)


def test_momentum_is_that_of_all_and_the_motion_the_one_that_the_joint_would_make():
    """Bodies that begin against each other: one step of the six rows leads to the same velocities, to its tolerance."""
    b = pair(velocity=(1, 2, 3), angular_velocity=(1, -2, 0.5), second={"velocity": (-1, 0, 2)})
    apart, whole = (gk.Simulation(b.build(merge=merge), METHODS["impulse"](1e-6)) for merge in (False, True))
    np.testing.assert_allclose(whole.ledger[2:], apart.ledger[2:], rtol=1e-14, atol=1e-14)
    assert whole.ledger[0] < apart.ledger[0]  # the impact takes energy
    apart.advance(1e-6)
    # a step of 1e-6 s turns the bodies by 2e-6 rad
    np.testing.assert_allclose(apart["one"].velocity, whole["one"].velocity, rtol=0, atol=1e-4)
    np.testing.assert_allclose(apart["one"].angular_velocity, whole["one"].angular_velocity, rtol=0, atol=1e-4)
    assert apart.ledger[0] == pytest.approx(whole.ledger[0], rel=1e-4)


# --- motion ----------------------------------------------------------------------------------------------------------


@both
def test_where_nothing_turns_the_motion_is_the_same_to_the_solver(method):
    """A welded pair on a slider, pushed and on a spring: no turning, so that both are the same sums."""
    h, ends = 1e-3, []
    for merge in (False, True):
        b = pair(
            gk.Slider(name="rail", a="world", b="two", at=(0, 0, 0), axis=(0, 0.6, 0.8)),
            gk.ForceMotor(name="push", on="rail", force=7.0),
            gk.Spring("spring", "world", "two", 50.0, 0.2, at_a=(0.2, 0.1, 0), at_b=(0.05, 0.02, 0)),
            gravity=(0, 0, -9.81),
        )
        model = b.build(merge=merge)
        sim = gk.Simulation(model, METHODS[method](h))
        sim.advance(0.1)
        ends.append([*of_both(model, sim.state), sim["rail"].position, sim["rail"].rate, *sim["rail"].force])
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-8, atol=1e-9)


def machine(merge):
    """Welded links of a pendulum in space: a ball holds one, a third body hangs on the other; all kinds of loads."""
    table = {"times": (0.0, 1.0), "force": ((1, 2, 0), (0, 2, 1)), "torque": ((0.1, 0, 0), (0, 0.2, 0.1))}
    b = pair(
        gk.Ball(name="ball", a="world", b="one", at=(-0.1, 0, 0)),
        gk.Wrench("thrust", "two", force=(0.5, 1, -1), torque=(0.1, 0, 0.05), at=(0.1, 0, 0.2), frame="body"),
        gk.Wrench("table", "two", frame="body", **table),
        gk.Wrench("wind", "two", force=(0.5, 0, 0), at=(0, 0.1, 0)),
        gk.Spring("spring", "world", "two", 30.0, 0.2, at_a=(1, 1, 0), at_b=(0.05, 0.02, 0)),
        gk.Grab(name="hand", body="two", to=(1, 0, 0), force_max=3.0, gain=0.01),
        gravity=(0, 0, -9.81),
        velocity=(0, 0.2, 0),
        angular_velocity=(0, 0, 2),
        second={"velocity": (-0.2, 1.0, 0), "angular_velocity": (0, 0, 2)},
    )
    b.frame("eye", "two", at=(0.1, 0.1, 0.1), rotation=TURN)
    b.body(
        "three",
        mass=0.5,
        inertia=(0.01, 0.01, 0.01),
        at=(0.6, 0.1, -0.3),
        velocity=(-0.2, 1.4, 0),
        angular_velocity=(0, 0, 2),
    )
    b.add(gk.Universal(name="cardan", a="eye", b="three"))
    b.add(gk.JointSpring(name="torsion", on="cardan.angle_x", stiffness=0.3))
    b.add(gk.Distance(name="rope", a="two", b="three", limits=(0.0, 5.0)))
    return b.build(merge=merge)


@both
def test_the_merged_model_moves_as_the_one_with_six_rows(method):
    """In space the two are different sums of the same order: what is between them falls as h^2.

    So it does for RowStepping too: its errors of order h are those of its steps, and both models take the same.
    """
    between = []
    for h in (2e-3, 1e-3):
        ends = []
        for merge in (False, True):
            model = machine(merge)
            sim = gk.Simulation(model, METHODS[method](h))
            sim.advance(0.06)
            ends.append(np.array([*of_both(model, sim.state), *sim["three"].position, sim["cardan"].angle_x]))
            assert np.abs(sim["one"].angular_velocity).max() > 1.0
        between.append(np.abs(ends[1] - ends[0]).max())
    assert between[0] / between[1] == pytest.approx(4.0, rel=0.05)
    assert between[1] < (1e-3 * 2.5) ** 2  # the square of the turn in a step, at 2.5 rad/s


def test_there_are_six_rows_less_and_one_body():
    apart, whole = machine(False), machine(True)
    assert len(apart.wired.joints.row) - len(whole.wired.joints.row) == 6
    assert [b.name for b in whole.bodies] == ["one", "three"]
    assert "weld" not in whole.wired.names


# --- names -----------------------------------------------------------------------------------------------------------


def test_frames_and_names_of_merged_bodies_stay_where_they_were():
    apart, whole = machine(False), machine(True)
    frames = {f.name: f for f in whole.frames}
    assert {name: f.body for name, f in frames.items()} == {"eye": "one", "two": "one"}
    for name in ("eye", "two"):
        _, site = whole.nodes.site("", "", name)
        p, q = site.in_world(whole.nodes)
        if name == "two":
            body = apart.body("two")
            np.testing.assert_allclose(p, body.at, rtol=1e-14, atol=1e-15)
            np.testing.assert_allclose(q, body.rotation, rtol=1e-14, atol=1e-15)
        else:
            other = apart.nodes.site("", "", "eye")[1].in_world(apart.nodes)
            np.testing.assert_allclose(p, other[0], rtol=1e-14, atol=1e-15)
            np.testing.assert_allclose(q, other[1], rtol=1e-14, atol=1e-15)
    assert gk.read_scene(gk.scene_text(whole)) == whole


def test_names_of_merged_bodies_can_be_read_in_simulations_and_runs(tmp_path):
    """As frames: the motion of "two" is that of its body in the model with six rows, to the error between the two."""
    sims = [gk.Simulation(machine(merge), METHODS["impulse"](1e-3)) for merge in (False, True)]
    runs = [sim.run(0.02, file=tmp_path / f"{n}.h5", progress=False) for n, sim in enumerate(sims)]
    again = gk.load_run(tmp_path / "1.h5")
    for what in ("position", "orientation", "velocity", "angular_velocity", "rotation"):
        now, then = (np.asarray(getattr(sim["two"], what)) for sim in sims)
        # h^2 w^2 of a position, times w of a velocity and times 1/h of what a step adds to it
        np.testing.assert_allclose(then, now, rtol=0, atol=1e-4)
        first, second = (getattr(run["two"], what) for run in runs)
        np.testing.assert_allclose(second, first, rtol=0, atol=1e-4)
        np.testing.assert_array_equal(getattr(again["two"], what), second)
        np.testing.assert_allclose(second[-1], then, rtol=1e-14, atol=1e-14)
    np.testing.assert_array_equal(again["two.velocity.x"], runs[1]["two"].velocity[:, 0])
    assert "two" in repr(runs[1]["two"])
    assert "two" in repr(sims[1]["two"])


def test_a_scene_is_merged_as_a_builder_is():
    text = gk.scene_text(machine(False))
    assert gk.read_scene(text, merge=True) == machine(True)
    assert gk.read_scene(text) == machine(False)


def test_a_chain_of_welds_and_a_ring_of_them_become_one_body():
    b = gk.Builder(gravity=(0, 0, 0))
    for k, name in enumerate("abcd"):
        b.body(name, mass=1.0, inertia=(1, 1, 1), at=(k, 0, 0))
    for one, two in ("ba", "cb", "dc", "da"):
        b.add(weld(one, two, name=one + two))
    (body,) = b.build(merge=True).bodies
    assert (body.name, body.mass, body.com) == ("a", 4.0, (1.5, 0.0, 0.0))
    # 4 + sum of squares of (-1.5, -0.5, 0.5, 1.5)
    np.testing.assert_allclose(np.diag(body.inertia), (4.0, 9.0, 9.0), rtol=1e-15)


@pytest.mark.parametrize("ground", ["world", "wall"])
def test_what_is_welded_to_the_ground_is_static(ground):
    b = pair(velocity=(1, 0, 0))
    b.body("wall", static=True, shape=gk.Box((1, 1, 1)))
    b.body("lid", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0), angular_velocity=(0, 0, 2))
    b.add(gk.Rigid(name="foot", a=ground, b="two", at=(0, 0, 0)))
    b.add(gk.Hinge(name="pin", a="one", b="lid", at=(1, 0, 0), axis=(0, 0, 1)))
    model = b.build(merge=True)
    fixed = model.body("one" if ground == "world" else "wall")
    assert fixed.static
    assert len(fixed.parts) == (2 if ground == "world" else 3)
    sim = gk.Simulation(model, METHODS["impulse"](1e-2))
    sim.advance(0.1)
    np.testing.assert_array_equal(sim[fixed.name].velocity, 0.0)
    assert sim["pin"].angle == pytest.approx(0.2, abs=1e-9)


def test_a_hand_that_measures_against_a_merged_body_still_does():
    """Held at rest against the centre of mass that the merged body had, in its axes."""
    hand = gk.DirectControl(name="hand", body="free", frame="two")
    spin = {"velocity": (0.3, 0, 0), "angular_velocity": (0, 0, 1)}
    speeds = []
    for merge in (False, True):
        b = pair(gravity=(0, 0, 0), **spin)
        b.body("free", mass=1e-6, inertia=(1e-6, 1e-6, 1e-6), at=(1, 1, 1))
        b.add(hand)
        sim = gk.Simulation(b.build(merge=merge), METHODS["row_stepping"](1e-5))
        sim.advance(1e-5)
        speeds.append(sim["free"].velocity)
    np.testing.assert_allclose(speeds[1], speeds[0], rtol=0, atol=1e-4)


# --- what is not merged ----------------------------------------------------------------------------------------------

KEPT = {
    "forbidden": {"merge": False},
    "breakable": {"break_force": 1e3},
    "yielding": {"turn_stiffness": 1e3},
}


@pytest.mark.parametrize("why", KEPT)
def test_a_joint_that_is_asked_for_more_is_kept(why):
    b = pair(joint=lambda one, two: weld(one, two, **KEPT[why]))
    assert b.build(merge=True) == b.build()
    assert gk.read_scene(gk.scene_text(b.build())) == b.build()


def test_without_being_asked_nothing_is_merged():
    assert [body.name for body in pair().build().bodies] == ["one", "two"]


def test_a_joint_that_a_connection_reads_is_kept():
    b = pair(gk.Slider(name="rail", a="world", b="two", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.ForceMotor(name="push", on="rail", force=0.0))
    b.add(gk.Connection(name="feel", output="weld.force.z", input="push.force", factor=0.1))
    assert len(b.build(merge=True).bodies) == 2


REFUSED = {
    "hinge within": (
        lambda: pair(gk.Hinge(name="x", a="one", b="two", at=(0, 0, 0), axis=(0, 0, 1))),
        "hinge 'x'",
        "'one' and 'two', which it ties, are merged",
    ),
    "rope within": (lambda: pair(gk.Distance(name="x", a="one", b="two")), "distance 'x'", "are merged"),
    "spring within": (lambda: pair(gk.Spring("x", "one", "two", 1.0, 0.1)), "spring 'x'", "its ends are merged"),
    "drag": (lambda: pair(gk.Drag("x", "two", 1.0)), "drag 'x'", "centre of mass of 'two'"),
    "law": (lambda: pair(gk.Law("x", lambda t, state, loads: None)), "law 'x'", "count nodes"),
    "connection": (
        lambda: pair(
            gk.Slider(name="rail", a="world", b="two", at=(0, 0, 0), axis=(0, 0, 1)),
            gk.ForceMotor(name="push", on="rail", force=0.0),
            gk.Connection(name="x", output="two.position.x", input="push.force"),
        ),
        "connection 'x'",
        "'two' is merged into 'one'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_change_is_refused(case):
    made, element, found = REFUSED[case]
    with pytest.raises(gk.InputError) as caught:
        made().build(merge=True)
    assert caught.value.element == element
    assert found in caught.value.found
    made().build()


def test_bad_flags_are_refused():
    with pytest.raises(gk.InputError, match="merge is 1"):
        pair().build(merge=1)
    with pytest.raises(gk.InputError, match="merge is 'no'"):
        weld("one", "two", merge="no")
    assert math.isinf(weld("one", "two").break_force)
