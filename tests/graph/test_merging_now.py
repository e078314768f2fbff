"""Bodies that are one for a while (V-95, virtual-worlds 3.15, 4.8, trap T-19, E-9): momentum, motion, rows, contact.

Round-off: momentum is a sum of a few products of numbers of size 10, so 1e-14 of it; a path is one of some hundred
steps, each of which adds a few units in the last place, so 1e-12.
"""

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.quat import quat_exp
from gelenk.math.vec3 import Vec3

G = 9.81
METHODS = {
    "free": lambda h: gk.FreeMotion(h=h),
    "row_stepping": lambda h: gk.RowStepping(h=h),
    "impulse": lambda h: gk.Impulse(h=h),
}
every_method = pytest.mark.parametrize("method", METHODS)
with_contact = pytest.mark.parametrize("method", [gk.RowStepping, gk.Impulse], ids=lambda m: m.kind)
TURN = tuple(quat_exp(Vec3(0.3, -0.5, 0.2)))


def three(gravity=(0, 0, 0)):
    """Three bodies of full inertia in turned frames, each with a motion of its own, and a particle."""
    b = gk.Builder(gravity=gravity)
    b.body("one", mass=2.0, com=(0.05, 0, 0.02), inertia=(0.02, 0.03, 0.04), velocity=(1, 2, 3), at=(0.1, 0, 0))
    full = ((0.03, 0.002, 0), (0.002, 0.05, 0.001), (0, 0.001, 0.06))
    spin = {"velocity": (-1, 0, 2), "angular_velocity": (1, -2, 0.5)}
    b.body("two", mass=1.5, inertia=full, at=(0.4, 0.1, -0.2), rotation=TURN, com=(0, 0.1, 0), **spin)
    b.body("three", mass=0.7, inertia=(0.01, 0.02, 0.015), at=(-0.3, 0.5, 0.4), angular_velocity=(3, 1, -2))
    b.particle("dust", mass=0.1, at=(1, 1, 1), velocity=(0, 1, 0))
    return b


# --- momentum --------------------------------------------------------------------------------------------------------


@every_method
def test_momenta_are_kept_at_merging_and_splitting(method):
    sim = gk.Simulation(three().build(), METHODS[method](1e-3))
    sim.advance(0.02)
    for act in (
        lambda: sim.merge("load", "three", "one"),
        lambda: sim.merge("rest", "two", "world"),
        lambda: sim.split("rest"),
        lambda: sim.split("load"),
        lambda: sim.merge("all", "one", "two", "three"),
    ):
        before, places, merged = sim.ledger.copy(), sim.state.p_WC.copy(), sim.merged
        act()
        assert np.array_equal(places, sim.state.p_WC)
        assert sim.ledger[0] <= before[0] * (1 + 1e-14)
        if "world" in sum(sim.merged, ()):
            continue  # the world takes up momentum
        if merged != sim.merged:
            np.testing.assert_allclose(sim.ledger[2:], before[2:], rtol=1e-14, atol=1e-14)
        sim.advance(0.02)
        np.testing.assert_allclose(sim.ledger[2:], before[2:], rtol=1e-12, atol=1e-12)


def test_merging_takes_the_energy_of_a_perfectly_inelastic_impact():
    """m1 m2 / (m1 + m2) v^2 / 2 for two that fly towards each other along the line of their centres."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("left", mass=2.0, inertia=(1, 1, 1), at=(-1, 0, 0), velocity=(3, 0, 0))
    b.body("right", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0), velocity=(-1, 0, 0))
    sim = gk.Simulation(b.build(), gk.FreeMotion())
    before = sim.ledger[0]
    sim.merge("pair", "left", "right")
    assert before - sim.ledger[0] == pytest.approx(0.5 * (2.0 / 3.0) * 4.0**2, rel=1e-14)
    np.testing.assert_allclose(sim["left"].velocity, ((6.0 - 1.0) / 3.0, 0, 0), rtol=1e-14, atol=1e-15)


def test_split_at_once_all_places_are_the_same():
    sim = gk.Simulation(three().build(), gk.RowStepping())
    sim.advance(0.05)
    before = sim.state.flat.copy()
    sim.merge("load", "one", "two", "three")
    sim.split("load")
    moving = len(sim.state.p_WC) * 3 + len(sim.state.q_WB) * 4
    assert np.array_equal(sim.state.flat[:moving], before[:moving])
    assert sim.merged == ()


# --- motion ----------------------------------------------------------------------------------------------------------


def dumbbell(whole, method, h=1e-3, **motion):
    """Two balls of different size at a distance, as two bodies or as one of two parts; both turn as one."""
    b = gk.Builder(gravity=(0, 0, -G))
    b.material("steel", density=7800)
    balls, places = (gk.Sphere(0.1), gk.Sphere(0.07)), ((0, 0, 0), (0.4, 0.2, 0.1))
    w, v = np.array((3.0, 5.0, -4.0)), np.array((1.0, -2.0, 4.0))
    if whole:
        parts = [gk.Part(ball, at=at) for ball, at in zip(balls, places)]
        b.body("a", shape=parts, material="steel", velocity=v, angular_velocity=w)
    else:
        for name, ball, at in zip("ab", balls, places):
            b.body(name, shape=ball, material="steel", at=at, velocity=v + np.cross(w, at), angular_velocity=w)
    return gk.Simulation(b.build(), METHODS[method](h))


@every_method
def test_a_merged_dumbbell_moves_as_a_rigid_one(method):
    one, two = dumbbell(True, method), dumbbell(False, method)
    two.merge("dumbbell", "a", "b")
    for sim in (one, two):
        sim.advance(0.4)
    np.testing.assert_allclose(two["a"].position, one["a"].position, atol=1e-12)
    np.testing.assert_allclose(two["a"].rotation, one["a"].rotation, atol=1e-12)
    np.testing.assert_allclose(two["a"].velocity, one["a"].velocity, atol=1e-11)
    np.testing.assert_allclose(two.ledger, one.ledger, rtol=1e-12, atol=1e-11)
    end = one["a"].position + one["a"].rotation @ (0.4, 0.2, 0.1)
    np.testing.assert_allclose(two["b"].position, end, atol=1e-12)
    np.testing.assert_allclose(two["b"].velocity, one["a"].velocity_at(end), atol=1e-11)


def test_how_steps_are_batched_does_not_show():
    made = []
    for pieces in (1, 50):
        sim = dumbbell(False, "row_stepping")
        sim.merge("dumbbell", "a", "b")
        for _ in range(pieces):
            sim.advance(0.1 / pieces)
        made.append(sim.state.flat.copy())
    assert np.array_equal(*made)


def arm():
    """A hanging arm of two links; the elbow is blocked, so that it swings as one."""
    b = gk.Builder()
    b.body("upper", mass=3.0, inertia=(0.1, 0.1, 0.01), at=(0.5, 0, 0))
    b.body("lower", mass=2.0, inertia=(0.05, 0.05, 0.005), at=(1.0, 0, -0.4))
    b.body("hand", mass=1.0, inertia=(0.01, 0.01, 0.01), at=(1.0, 0, -0.8))
    b.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(1, 0, 0), axis=(0, 1, 0), blocked=True))
    b.add(gk.Rigid(name="wrist", a="lower", b="hand", at=(1, 0, -0.8)))
    b.add(gk.VelocityMotor(name="drive", on="elbow", speed=0.0, force_max=10.0))
    return b.build()


@pytest.mark.parametrize("method", ["row_stepping", "impulse"])
def test_a_merged_arm_swings_as_the_jointed_one_with_fewer_rows(method):
    """RowStepping is of order 1: paths differ by O(h), half as much at half of it. Impulse holds joints at 1e-9 m."""
    model, off = arm(), []
    for h in (2e-3, 1e-3):
        apart, whole = (gk.Simulation(model, METHODS[method](h)) for _ in range(2))
        whole.merge("crane", "upper", "lower", "hand")
        for sim in (apart, whole):
            sim.advance(0.5)
        off.append(np.linalg.norm(apart["hand"].position - whole["hand"].position))
        assert whole.info["rows"] == 5  # those of the shoulder
        assert apart.info["rows"] == 5 + 6 + 6 + 1
        assert whole["shoulder"].angle == pytest.approx(apart["shoulder"].angle, abs=2 * h)
        assert whole["elbow"].angle == pytest.approx(apart["elbow"].angle, abs=1e-6)
    swung = abs(whole["shoulder"].angle)
    assert swung > 0.5
    if method == "row_stepping":
        assert off[0] < 2e-3 * 5.0
        assert off[1] < 0.6 * off[0]
    else:
        assert max(off) < 1e-5


def test_a_standing_vehicle_has_thirty_four_rows_less():
    """E-9: six wheels of five rows each, and four gear rows."""
    b = gk.Builder()
    b.body("chassis", shape=gk.Box((4, 1.5, 0.5)), density=300, at=(0, 0, 1))
    for k in range(6):
        at = (-1.5 + 1.5 * (k // 2), 0.9 * (-1) ** k, 0.6)
        b.body(f"wheel{k}", mass=20.0, inertia=(1, 1.5, 1), at=at)
        b.add(gk.Hinge(name=f"axle{k}", a="chassis", b=f"wheel{k}", at=at, axis=(0, 1, 0)))
    for k in range(4):
        b.add(gk.Gear(name=f"gear{k}", first=f"axle{k}", second=f"axle{k + 2}", positions=False))
    sim = gk.Simulation(b.build(), gk.RowStepping(contact=None))
    sim.advance(0.01)
    assert sim.info["rows"] == 34
    sim.merge("standing", "chassis", *(f"wheel{k}" for k in range(6)))
    sim.advance(0.01)
    assert sim.info["rows"] == 0
    sim.split("standing")
    sim.advance(0.01)
    assert sim.info["rows"] == 34


def test_joints_go_on_where_they_were_after_a_split():
    """Turns, set-points and angles of an elbow that turned before it was merged; then it turns on."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("upper", mass=3.0, inertia=(0.1, 0.1, 0.1))
    b.body("lower", mass=2.0, inertia=(0.05, 0.05, 0.05), at=(1.0, 0, 0))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(0.5, 0, 0), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="drive", on="elbow", speed=20.0))
    sim = gk.Simulation(b.build(), gk.Impulse(h=1e-3))
    sim.advance(0.5)
    turned = sim["elbow"].angle
    assert turned == pytest.approx(10.0, abs=0.05)  # more than a turn
    sim.merge("arm", "upper", "lower")
    sim.advance(0.3)
    assert sim["elbow"].angle == pytest.approx(turned, abs=1e-12)
    assert sim["elbow"].rate == pytest.approx(0.0, abs=1e-12)
    assert sim.sensors["drive.force"] == 0.0
    sim.split("arm")
    sim.advance(0.1)
    assert sim["elbow"].angle == pytest.approx(turned + 2.0, abs=0.05)


SKEW = gk.unit((1, 0.2, -0.4))
CURVE = [(0.5, 0, 0), (1, 0, 0), (1.5, 0.3, -0.1), (2, 0.5, -0.5), (2.5, 0.5, -1)]
KINDS = {
    "hinge": lambda **ends: gk.Hinge(**ends, at=(1, 0, 0), axis=(0, 1, 0)),
    "ball": lambda **ends: gk.Ball(**ends, at=(1, 0, 0)),
    "slider": lambda **ends: gk.Slider(**ends, at=(1, 0, 0), axis=SKEW),
    "cylindrical": lambda **ends: gk.Cylindrical(**ends, at=(1, 0, 0), axis=SKEW),
    "universal": lambda **ends: gk.Universal(**ends, at=(1, 0, 0), axis=(0, 1, 0), x_axis=(1, 0, 0)),
    "planar": lambda **ends: gk.Planar(**ends, at=(1, 0, 0), axis=(0, 1, 0)),
    "screw": lambda **ends: gk.Screw(**ends, at=(1, 0, 0), axis=(0, 1, 0), lead=0.1),
    "distance": lambda **ends: gk.Distance(**ends, at_a=(1, 0, 0), at_b=(1.4, 0, 0.1)),
    "on_curve": lambda **ends: gk.BallOnCurve(**ends, points=CURVE, at=(1, 0, 0)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_joints_to_the_outside_hold_wherever_the_bodies_are_merged(kind):
    """Far from the start; what the joint reads goes on, and it stays closed to the tolerance of the method."""
    b = gk.Builder()
    b.body("a", mass=2.0, com=(0.02, 0.01, 0), inertia=(0.1, 0.2, 0.3), at=(0.5, 0, 0))
    b.body("b", mass=1.0, com=(0, 0.03, 0), inertia=(0.05, 0.04, 0.06), at=(1.5, 0, 0))
    b.body("c", mass=0.7, com=(0, 0, 0.05), inertia=(0.02, 0.03, 0.025), at=(2.0, 0.3, 0))
    b.add(gk.Hinge(name="base", a="world", b="a", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(KINDS[kind](name="joint", a="a", b="b"))
    b.add(gk.Ball(name="tip", a="b", b="c", at=(1.8, 0.1, 0)))
    h = 2e-3
    sim = gk.Simulation(b.build(), gk.Impulse(h=h, contact=None))
    sim.advance(0.2)
    read = [f"joint.{c.name}" for c in sim.model.wired.coordinates if c.joint == "joint"]
    before, rows = [sim.sensors[name] for name in read], sim.info["rows"]
    for act, lost in ((lambda: sim.merge("bc", "b", "c"), 3), (lambda: sim.split("bc"), 0)):
        act()
        np.testing.assert_array_equal([sim.sensors[name] for name in read], before)
        sim.advance(h)
        assert sim.info["rows"] == rows - lost
        np.testing.assert_allclose([sim.sensors[name] for name in read], before, atol=5.0 * h)  # at some rad/s
        energy = sim.ledger[:2].sum()
        sim.advance(0.1)
        assert sim.info["worst_position_error"] < 1.1e-9
        assert sim.ledger[:2].sum() == pytest.approx(energy, abs=1e-3)
        before = [sim.sensors[name] for name in read]


def test_an_impulse_on_a_part_moves_the_whole():
    one, two = dumbbell(True, "row_stepping"), dumbbell(False, "row_stepping")
    two.merge("dumbbell", "a", "b")
    for sim in (one, two):
        sim.advance(0.1)
    point = two["b"].position
    two["b"].apply_impulse((3, -5, 8), at=point)
    one["a"].apply_impulse((3, -5, 8), at=point)
    for sim in (one, two):
        sim.advance(0.1)
    np.testing.assert_allclose(two["a"].position, one["a"].position, atol=1e-12)
    np.testing.assert_allclose(two["a"].velocity, one["a"].velocity, atol=1e-11)


def test_laws_drag_and_springs_act_on_the_parts():
    """A law that is the weight of every part does as gravity does, and drag on a part as a wrench of its size would."""

    def weight(t, state, loads):
        for i, mass in enumerate(masses):
            loads.force_W[i, 2] -= mass * G

    sims = []
    for by_law in (False, True):
        b = three(gravity=(0, 0, 0 if by_law else -G))
        b.add(gk.Drag("air", "two", area=0.5))
        b.add(gk.Spring("band", "one", "three", stiffness=50.0, rest_length=0.2))
        b.add(gk.Spring("line", "two", "dust", stiffness=20.0, rest_length=0.5, at_a=(0.1, 0, 0)))
        if by_law:
            b.add(gk.Law("weight", weight))
        model = b.build()
        masses = model.system.masses.mass
        sims.append(gk.Simulation(model, gk.Impulse(h=1e-3)))
        sims[-1].merge("load", "one", "two", "three")
        sims[-1].advance(0.2)
    np.testing.assert_allclose(sims[1].state.p_WC, sims[0].state.p_WC, atol=1e-12)
    b = gk.Builder.from_model(sims[0].model)
    for first, second in (("one", "two"), ("two", "three")):
        b.add(gk.Rigid(name=f"{first}-{second}", a=first, b=second, at=(0, 0, 0)))
    jointed = gk.Simulation(b.build(assemble=True), gk.Impulse(h=1e-3))
    jointed.advance(0.2)
    # order 2, rates of some 10 /s: (10 h)^2 of the way of 1 m at most
    np.testing.assert_allclose(jointed.state.p_WC, sims[0].state.p_WC, atol=1e-4)


# --- contact ---------------------------------------------------------------------------------------------------------


def stack(**more):
    b = gk.Builder()
    b.material("m", friction=0.5, density=1000)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k, name in enumerate(("bed", "load", "hat")):
        b.body(name, shape=gk.Box((0.4 - 0.1 * k, 0.4 - 0.1 * k, 0.1)), material="m", at=(0, 0, 0.05 + 0.1 * k))
    b.body("ball", shape=gk.Sphere(0.05), material="m", at=(0, 0, 1.0), **more)
    return b.build()


@with_contact
def test_a_merged_load_rests_and_is_touched_by_its_own_name(method):
    model = stack()
    weight = {name: model.body(name).mass * G for name in ("bed", "load", "hat", "ball")}
    sim = gk.Simulation(model, method(h=2e-3, contact=gk.ContactOptions()))
    told = []
    sim.subscribe(told.append)
    sim.advance(0.1)
    assert {(e.a, e.b) for e in told} == {("ground", "bed"), ("bed", "load"), ("load", "hat")}
    told.clear()
    sim.merge("truck", "bed", "load")
    sim.advance(0.1)
    assert told == []  # they touch as before
    np.testing.assert_allclose(sim.contact_force("hat"), (0, 0, weight["hat"]), atol=1e-3)
    np.testing.assert_allclose(sim.contact_force("load", "hat"), (0, 0, -weight["hat"]), atol=1e-3)
    np.testing.assert_allclose(sim.contact_force("bed", "load"), 0.0)  # inside one body there is no contact
    held = weight["bed"] + weight["load"] + weight["hat"]
    np.testing.assert_allclose(sim.contact_force("bed", "ground"), (0, 0, held), atol=1e-2)
    sim.merge("top", "hat", "ball")  # the ball hangs in the air: it stands on the hat as on a mast
    sim.advance(0.1)
    assert told == []
    np.testing.assert_allclose(sim.contact_force("hat", "load"), (0, 0, weight["hat"] + weight["ball"]), atol=1e-2)
    sim.split("top")
    sim.advance(0.5)  # it falls 0.65 m in 0.36 s
    assert [(e.kind, e.a, e.b) for e in told][:1] == [("begin", "hat", "ball")]
    told.clear()
    sim.split("truck")
    sim.advance(0.1)
    assert told == []
    np.testing.assert_allclose(sim["bed"].position, (0, 0, 0.05), atol=1e-4)
    np.testing.assert_allclose(sim["load"].position, (0, 0, 0.15), atol=1e-4)


@with_contact
def test_merging_does_not_let_a_load_pass_through_what_the_bed_hangs_on(method):
    """An arm on a hinge of the bed, which it overlaps; it swings into a post that is merged with the bed."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", density=1000)
    b.body("bed", shape=gk.Box((1.0, 1.0, 0.1)), material="m")
    b.body("post", shape=gk.Box((0.1, 0.1, 0.5)), material="m", at=(0.0, 0.3, 0.3))
    swing = {"angular_velocity": (0, 0, 3), "velocity": (0, 0.9, 0)}
    b.body("arm", shape=gk.Box((0.6, 0.05, 0.05)), material="m", at=(0.1, 0, 0.04), **swing)
    b.add(gk.Hinge(name="pin", a="bed", b="arm", at=(-0.2, 0, 0.04), axis=(0, 0, 1)))
    b.body("far", shape=gk.Sphere(0.1), material="m", at=(9, 9, 9))
    angles = []
    for merged in (False, True):
        b2 = gk.Builder.from_model(b.build())
        if not merged:
            b2.add(gk.Rigid(name="weld", a="bed", b="post", at=(0, 0.3, 0.05)))
        sim = gk.Simulation(b2.build(), method(h=1e-3, contact=gk.ContactOptions()))
        if merged:
            sim.merge("truck", "bed", "post")
        touched = set()
        for _ in range(50):
            sim.advance(0.01)
            touched |= {frozenset((c.a, c.b)) for c in sim.contacts}
        assert touched <= {frozenset(("arm", "post"))}
        angles.append(sim["pin"].angle)
    assert angles[1] == pytest.approx(0.71, abs=0.05)  # free it would be at 1.5
    assert angles[1] == pytest.approx(angles[0], abs=0.02)


def test_merged_with_the_ground_it_stands_still_and_falls_again_when_split():
    model = stack()
    sim = gk.Simulation(model, gk.RowStepping(h=2e-3))
    sim.advance(0.1)
    sim.merge("frozen", "ball", "world")
    at = sim["ball"].position
    assert not sim["ball"].velocity.any()
    sim.advance(0.3)
    assert np.array_equal(sim["ball"].position, at)
    sim.merge("log", "hat", "ground")
    sim.advance(0.1)
    assert not sim["hat"].velocity.any()
    assert sim.merged == (("world", "ground", "hat", "ball"),)
    sim.split("frozen")
    sim.advance(0.1)
    assert sim["ball"].position[2] == pytest.approx(at[2] - 0.5 * G * 0.1**2, abs=2e-3 * 1.0)
    assert not sim["hat"].velocity.any()


def test_bodies_sleep_as_one():
    sim = gk.Simulation(stack(), gk.RowStepping(h=2e-3, contact=gk.ContactOptions(sleep=True, sleep_after=0.1)))
    sim.merge("truck", "bed", "load")
    sim.advance(0.3)
    assert {"bed", "load", "hat"} <= set(sim.asleep)


# --- runs ------------------------------------------------------------------------------------------------------------


def test_a_control_function_merges_while_a_run_is_recorded():
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("a", mass=1.0, inertia=(1, 1, 1), velocity=(1, 0, 0))
    b.body("b", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0), velocity=(-1, 0.5, 0))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=1e-3))

    def control(t, sim):
        if abs(t - 0.1) < 1e-9:
            sim.merge("pair", "a", "b")
        if abs(t - 0.2) < 1e-9:
            sim.split("pair")

    run = sim.run(0.3, output_dt=0.01, control=control)
    apart = np.linalg.norm(run["b"].position - run["a"].position, axis=1)
    assert apart[0] == 1.0
    assert np.ptp(apart[10:21]) < 1e-14
    assert abs(apart[-1] - apart[20]) > 1e-5  # the parts keep turning rates and leave each other
    assert np.ptp(run["momentum"], axis=0).max() < 1e-14


# --- refusals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bodies", "says"),
    [
        (("one",), "two bodies or more"),
        (("one", "tow"), "two"),
        (("one", "dust"), "dust"),
        (("one", 3), "body"),
        (("world",), "two bodies or more"),
    ],
    ids=str,
)
def test_what_cannot_be_merged_is_named(bodies, says):
    sim = gk.Simulation(three().build(), gk.FreeMotion())
    before = sim.state.flat.copy()
    with pytest.raises(gk.InputError, match=says):
        sim.merge("load", *bodies)
    assert np.array_equal(before, sim.state.flat)
    assert sim.merged == ()


def test_groups_have_names_of_their_own_and_bodies_one_group():
    sim = gk.Simulation(three().build(), gk.FreeMotion())
    sim.merge("load", "one", "two")
    with pytest.raises(gk.InputError, match=r"load.*already"):
        sim.merge("load", "two", "three")
    with pytest.raises(gk.InputError, match="'two' is part of 'load'"):
        sim.merge("more", "two", "three")
    with pytest.raises(gk.InputError, match="lode"):
        sim.split("lode")
    assert sim.merged == (("one", "two"),)


def test_parts_that_are_moved_against_each_other_are_refused():
    sim = gk.Simulation(three().build(), gk.FreeMotion())
    sim.merge("load", "one", "two")
    sim.advance(0.01)
    sim.state.p_WC[2, 0] += 0.1
    with pytest.raises(gk.InputError, match="'two' was moved"):
        sim.advance(0.01)


def test_a_gear_half_inside_and_a_run_with_peaks_are_refused():
    b = gk.Builder.from_model(arm())
    b.add(gk.Gear(name="gear", first="shoulder", second="elbow", positions=False))
    sim = gk.Simulation(b.build(), gk.RowStepping())
    with pytest.raises(gk.InputError, match=r"gear 'gear'.*'elbow'"):
        sim.merge("arm", "upper", "lower")
    assert sim.merged == ()
    sim.merge("all", "lower", "hand")
    with pytest.raises(gk.InputError, match="peaks"):
        sim.run(0.1, peaks=True)
