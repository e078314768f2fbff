"""Newton's method for contacts of trees: the answer of sweeps, and answers where sweeps fail (B-31, V-50)."""

import numpy as np
import pytest

import gelenk as gk

G = 9.81


def floor(b, **law):
    b.material("stuff", **law)
    b.body("floor", shape=gk.Plane(), static=True, material="stuff")


def stepped(model, steps, h=1 / 240, **options):
    method = gk.MoreauTree(h=h, sweeps=options.pop("sweeps", 200), contact=gk.ContactOptions(**options))
    sim = gk.Simulation(model, method=method)
    sim.step(steps)
    return sim


def train(friction, across=None):
    """Three bodies on hinges that slip over the floor on feet, three, one and one: each force is determined.

    (The forces of the four corners of a box are not, and with them friction of corners that slip different ways.)
    """
    b = gk.Builder()
    floor(b, friction=friction, friction_across=across)
    for k in range(3):
        under = [(-0.1, 0.1), (-0.1, -0.1), (0.1, 0.0)] if k == 0 else [(0.15, 0.05)]
        feet = [gk.Part(gk.Sphere(0.03), at=(x, y, -0.02)) for x, y in under]
        load = gk.Part(gk.Box((0.3, 0.2, 0.1)), at=(0, 0, 0.1), collide=False, density=500.0 * (k + 1))
        b.body(f"c{k}", shape=[*feet, load], density=1000, at=(0.35 * k, 0, 0.05), material="stuff",
               velocity=(1.0, 0.3 * k, 0.0))  # fmt: skip
        if k:
            b.add(gk.Hinge(name=f"j{k}", a=f"c{k - 1}", b=f"c{k}", at=(0.35 * k - 0.175, 0, 0.05), axis=(0, 1, 0)))
    return b.build()


@pytest.mark.parametrize(("friction", "across"), [(0.4, None), (0.0, None), (0.5, 0.1), (2.0, None)])
def test_newton_and_sweeps_find_the_same_velocities(friction, across):
    """Sweeps are let converge: their end test is 1e-10 of each impulse."""
    model = train(friction, across)
    states = []
    for newton, sweeps in ((8, 200), (0, 50_000)):
        sim = stepped(model, 5, newton=newton, sweeps=sweeps)
        assert sim.info["residual"] < 1e-9
        states.append(sim.state)
    np.testing.assert_allclose(
        states[0].v_WC, states[1].v_WC, rtol=0, atol=1e-7
    )  # where sweeps end: 1e-10 of an impulse
    np.testing.assert_allclose(states[0].w_WB_B, states[1].w_WB_B, rtol=0, atol=1e-6)


def tower(ratio):
    b = gk.Builder()
    floor(b, friction=0.5)
    for k in range(10):
        b.body(
            f"t{k}", shape=gk.Box((0.1, 0.1, 0.1)), density=1000 * ratio**k, at=(0, 0, 0.05 + 0.1 * k), material="stuff"
        )
    return b.build()


@pytest.mark.parametrize("ratio", [0.3, 3.0])
def test_light_under_heavy_stands(ratio):
    """Masses 1 to 20000 kg in one tower: its condition is 1e4, so round-off of 1e-16 becomes 1e-12 in a step."""
    sim = stepped(tower(ratio), 480)
    places = sim.state.p_WC[2:]
    np.testing.assert_allclose(places - [0, 0, 0.05], [(0, 0, 0.1 * k) for k in range(10)], rtol=0, atol=1e-10)
    weight = sim.model.system.masses.mass.sum() * G
    assert -sim.contact_force("floor")[2] == pytest.approx(weight, rel=1e-8)


@pytest.mark.parametrize(
    ("relative", "absolute"), [(0.0, 1e-8), (0.0, 1e-6), (0.0, 1e-4), (1e-8, 0.0), (1e-6, 0.0), (1e-4, 0.0)]
)
def test_sweeps_end_where_impulses_change_by_no_more_than_they_may(relative, absolute):
    """bobsleigh 4.8:  |P' - P| < e_r |P| + e_a,  no earlier and not much later. (B-31)

    The velocity that is missing then is a change of an impulse times the answer of its point, of corners of boxes of 1
    and 2 kg up to  (1 + r^2 / I) 3/2 = 8.25 / kg;  impulses are up to a quarter of the weight of 15 kg.
    """
    b = gk.Builder()
    floor(b, friction=0.5)
    for k in range(4):
        box, at = gk.Box((0.1, 0.1, 0.1)), (0, 0, 0.05 + 0.1 * k)
        b.body(f"t{k}", shape=box, density=1000 * 2.0**k, at=at, material="stuff")
    h = 1 / 240
    contact = gk.ContactOptions(newton=0)
    method = gk.MoreauTree(h=h, relative=relative, absolute=absolute, sweeps=100_000, contact=contact)
    sim = gk.Simulation(b.build(), method=method)
    sim.step(1)
    change = relative * 15.0 * G * h / 4 + absolute
    assert 0.1 * change < sim.info["residual"] < 8.25 * change


def test_sweeps_alone_cannot_hold_it_and_say_so():
    """The control: what Newton's method does is not done by sweeps."""
    with pytest.warns(gk.ContactWarning, match="fell far short"):
        sim = stepped(tower(3.0), 240, newton=0)
    assert sim.info["unconverged_steps"] > 50


def test_a_motor_presses_a_lever_on_the_floor():
    """Rows with bounds are unknowns too: a motor of limited moment presses a lever down, the floor answers M / l."""
    b = gk.Builder()
    floor(b, friction=0.5)
    b.body("pivot", static=True)
    b.body("lever", shape=gk.Box((1.0, 0.1, 0.1)), density=200, at=(0.5, 0, 0.05), material="stuff")
    b.add(gk.Hinge(name="axle", a="pivot", b="lever", at=(0, 0, 0.05), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="press", on="axle", speed=1.0, force_max=30.0))
    for k in range(3):
        b.body(f"t{k}", shape=gk.Box((0.1, 0.1, 0.1)), density=1000, at=(0.7, 0, 0.15 + 0.1 * k), material="stuff")
    sim = stepped(b.build(), 240)
    moment = -(2.0 * G * 0.5 + 3.0 * G * 0.7 + 30.0)  # about the axle, of the lever's weight, the boxes and the motor
    points = [c for c in sim.contacts if "floor" in (c.a, c.b)]
    lever = sum(abs(c.force[2]) * c.point[0] for c in points)
    assert lever == pytest.approx(-moment, rel=1e-6)


def little_towers(count):
    """A gram under 10 kg, again and again, 0.2 m apart: 1:1e4, eight contacts each."""
    b = gk.Builder()
    floor(b, friction=0.5)
    for k in range(count):
        for j, mass in enumerate((1e-3, 10.0)):
            box, at = gk.Box((0.1, 0.1, 0.1)), (0.3 * k, 0, 0.05 + 0.1 * j)
            b.body(f"t{k}-{j}", shape=box, mass=mass, at=at, material="stuff")
    return b.build()


def test_twenty_towers_stand_as_one_does():
    """480 unknown impulses in all, 24 in each group: what is not tied together is solved by itself."""
    for count in (1, 20):
        sim = stepped(little_towers(count), 50, h=1e-3)
        assert sim.info["contacts"] == 8 * count
        assert sim.info["unconverged_steps"] == 0
        heights = sim.state.p_WC[2:, 2].reshape(count, 2)
        np.testing.assert_allclose(heights, np.tile([0.05, 0.15], (count, 1)), rtol=0, atol=1e-12)  # round-off of 1:1e4


def test_a_driven_table_ties_nothing_together():
    """Towers on a table that is led up and down: nothing that they do moves it, so each is a group by itself."""
    b = gk.Builder()
    b.material("stuff", friction=0.5)
    b.body("table", shape=gk.Box((10, 1, 0.1)), density=100, at=(0, 0, -0.05), material="stuff")
    b.add(gk.Slider(name="lift", a="world", b="table", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Driven(name="led", on="lift", amplitude=1e-3, frequency=1.0))
    for k in range(16):
        for j, mass in enumerate((1e-3, 10.0)):
            box, at = gk.Box((0.1, 0.1, 0.1)), (0.3 * k - 2.4, 0, 0.05 + 0.1 * j)
            b.body(f"t{k}-{j}", shape=box, mass=mass, at=at, material="stuff")
    sim = stepped(b.build(assemble=True), 50, h=1e-3)
    assert sim.info["contacts"] == 8 * 16
    assert sim.info["unconverged_steps"] == 0


@pytest.mark.parametrize(("friction", "boxes"), [(0.5, 1), (0.5, 2), (0.5, 3), (0.0, 2), (0.0, 3)])
def test_a_motor_is_left_no_worse_than_it_was(friction, boxes):
    """A motor lifts a loaded lever at 1 rad/s. The 21st sweep of the control is the one that Newton's method begins
    with, and twenty sweeps are all that there are: impulses are as it left them.
    """
    b = gk.Builder()
    floor(b, friction=friction)
    b.body("pivot", static=True)
    b.body("lever", shape=gk.Box((1.0, 0.1, 0.1)), density=200, at=(0.5, 0, 0.05), material="stuff")
    b.add(gk.Hinge(name="axle", a="pivot", b="lever", at=(0, 0, 0.05), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="lift", on="axle", speed=-1.0, force_max=1e6))
    for k in range(boxes):
        box, at = gk.Box((0.1, 0.1, 0.1)), (0.7, 0, 0.15 + 0.1 * k)
        b.body(f"t{k}", shape=box, density=1000 * 3.0**k, at=at, material="stuff")
    worst = {}
    for newton, sweeps in ((0, 21), (1, 20), (3, 20)):
        sim = stepped(b.build(), 1, newton=newton, sweeps=sweeps)
        worst[newton] = max(sim.info["residual"], abs(sim["lever"].angular_velocity[1] + 1.0))
    least = 1e-15  # one round-off of the speed
    assert worst[1] <= worst[0] + least
    assert worst[3] <= worst[0] + least


def sleds(speed, ratio):
    """Three bodies on hinges on runners, three, one and one; friction low enough for one answer alone."""
    b = gk.Builder()
    b.body("ice", shape=gk.Plane(), static=True)
    law = gk.RunnerFriction(along=0.1, straight_share=0.5, across_min=0.1, across_max=0.3, full_load=30.0)
    for k in range(3):
        points = [(-0.1, 0.1, -0.05), (-0.1, -0.1, -0.05), (0.1, 0.0, -0.05)] if k == 0 else [(0.15, 0.05, -0.05)]
        m, at = 2.0 * ratio**k, (0.35 * k, 0, 0.05)
        b.body(f"c{k}", mass=m, inertia=(0.02 * m, 0.03 * m, 0.04 * m), at=at, velocity=speed)
        up = [(0.0, 0.0, 0.05)] * len(points)
        b.add(gk.SegmentContacts(f"f{k}", f"c{k}", points, up, "ice", friction=law, axis=(0, 1, 0)))
        if k:
            b.add(gk.Hinge(name=f"j{k}", a=f"c{k - 1}", b=f"c{k}", at=(0.35 * k - 0.175, 0, 0.05), axis=(0, 1, 0)))
    return b.build()


def rolling(ratio):
    """A plate on three balls that roll on a floor, with couples at six points: light under heavy."""
    b = gk.Builder()
    floor(b, friction=0.5, rolling_friction=0.002, torsional_friction=0.01)
    for k, (x, y) in enumerate([(0.3, 0.0), (-0.15, 0.26), (-0.15, -0.26)]):
        b.body(f"b{k}", shape=gk.Sphere(0.05), mass=0.1, at=(x, y, 0.05), material="stuff", velocity=(0.5, 0, 0))
    b.body("plate", shape=gk.Cylinder(0.45, 0.04), mass=0.1 * ratio, at=(0, 0, 0.12), material="stuff",
           velocity=(1.0, 0, 0), angular_velocity=(0, 0, 1.0))  # fmt: skip
    return b.build()


def both_ways(model, steps=5):
    """Runs with Newton's method and by sweeps alone, which end at 1e-10 of each impulse; their velocities agree.

    Overlaps are taken out to the end in both.
    """
    newton = stepped(model, steps, corrections=1000)
    swept = stepped(model, steps, newton=0, sweeps=50_000, corrections=1000)
    np.testing.assert_allclose(newton.state.v_WC, swept.state.v_WC, rtol=0, atol=1e-8)
    np.testing.assert_allclose(newton.state.w_WB_B, swept.state.w_WB_B, rtol=0, atol=1e-7)
    assert newton.info["residual"] < 1e-11
    return newton.info["contact_sweeps"] / steps, swept.info["contact_sweeps"] / steps


SPEEDS = [((0.0, 0.0, 0.0), 1.0), ((0.01, 0.003, 0.0), 1.0), ((0.0, 0.3, 0.0), 10.0), ((0.3, 0.3, 0.0), 10.0)]


@pytest.mark.parametrize(("speed", "ratio"), SPEEDS)
def test_runners_are_solved_by_newtons_method(speed, ratio):
    """At rest, sliding along, across and askew: sets that grow with the load, with straight sides and round ends."""
    newton, swept = both_ways(sleds(speed, ratio))
    assert newton <= 21.0  # sweeps before it, and one after it
    if not any(speed):
        assert swept > 20 * newton  # bobsleigh 8.6: what sticks along while it may slide across is slow


@pytest.mark.parametrize("ratio", [10.0, 1000.0])
def test_couples_are_solved_by_newtons_method(ratio):
    newton, swept = both_ways(rolling(ratio))
    assert newton <= 25.0
    assert swept > 4 * newton
