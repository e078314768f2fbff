"""Bodies that become one by themselves and come apart again (V-95, V-101, virtual-worlds 4.19, 4.20, E-13)."""

import numpy as np
import pytest

import gelenk as gk

G = 9.81


def crane(speed=0.0, **elbow):
    """Two links and a hand; the shoulder hangs in the world, the elbow has a motor, the wrist is rigid."""
    b = gk.Builder()
    b.body("upper", mass=3.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    b.body("lower", mass=2.0, inertia=(0.05, 0.05, 0.05), at=(1.0, 0, -0.4))
    b.body("hand", mass=1.0, inertia=(0.01, 0.01, 0.01), at=(1.0, 0, -0.8))
    b.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(1, 0, 0), axis=(0, 1, 0), **elbow))
    b.add(gk.Rigid(name="wrist", a="lower", b="hand", at=(1, 0, -0.8)))
    b.add(gk.VelocityMotor(name="motor", on="elbow", speed=speed, force_max=500.0))
    return b.build()


def test_rigid_and_blocked_joints_make_one_body_while_they_hold():
    sim = gk.Simulation(crane(blocked=True), gk.Impulse(), merging=gk.Merging())
    other = gk.Simulation(crane(blocked=True), gk.Impulse())
    for s in (sim, other):
        s.advance(0.2)
    assert sim.merged == (("upper", "lower", "hand"),)
    assert (sim.info["rows"], other.info["rows"]) == (5, 18)
    for s in (sim, other):
        s.inputs["elbow.blocked"] = 0.0
        s.inputs["motor.speed"] = 3.0
        s.advance(0.101)
    assert sim.merged == (("lower", "hand"),)
    assert sim["elbow"].angle == pytest.approx(other["elbow"].angle, abs=1e-5)  # answered in the same step
    assert sim["elbow"].angle == pytest.approx(0.3, abs=0.01)
    for s in (sim, other):
        s.inputs["elbow.blocked"] = 1.0
        s.inputs["motor.speed"] = 0.0
        s.advance(0.2)
    assert sim.merged == (("upper", "lower", "hand"),)
    np.testing.assert_allclose(sim["hand"].position, other["hand"].position, atol=2e-3)  # the joint stops it in a step
    assert gk.Simulation(crane(blocked=True), gk.Impulse(), merging=gk.Merging(blocked=False)).merged == ()


def test_without_blocked_only_rigid_joints_count():
    sim = gk.Simulation(crane(blocked=True), gk.Impulse(), merging=gk.Merging(blocked=False))
    sim.advance(0.01)
    assert sim.merged == (("lower", "hand"),)


def test_an_idle_joint_becomes_rigid_until_it_is_asked_for_something():
    """The crane swings all the time; its elbow stands still against the upper link."""
    merging = gk.Merging(idle=True, after=0.3)
    sim = gk.Simulation(crane(), gk.Impulse(), merging=merging)
    other = gk.Simulation(crane(), gk.Impulse())
    for s in (sim, other):
        s.advance(0.2)
    assert sim.merged == (("lower", "hand"),)
    for s in (sim, other):
        s.advance(0.2)
    assert sim.merged == (("upper", "lower", "hand"),)
    for s in (sim, other):
        s.inputs["motor.speed"] = 2.0
        s.advance(0.2)
    assert sim.merged == (("lower", "hand"),)
    assert sim["elbow"].angle == pytest.approx(0.4, abs=0.01)
    np.testing.assert_allclose(sim["hand"].position, other["hand"].position, atol=1e-5)


def test_a_joint_that_nothing_drives_hangs_free_also_while_it_is_still():
    b = gk.Builder()
    b.body("bob", mass=1.0, inertia=(1, 1, 1), at=(0, 0, -1))
    b.add(gk.Hinge(name="pivot", a="world", b="bob", at=(0, 0, 0), axis=(0, 1, 0)))
    sim = gk.Simulation(b.build(), gk.Impulse(), merging=gk.Merging(idle=True, after=0.1))
    sim.advance(0.5)
    assert sim.merged == ()


def truck():
    """A truck on a rail with a motor, three crates on it, and a hand that is led from above."""
    b = gk.Builder()
    b.material("m", friction=0.5, density=500)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    b.body("truck", shape=gk.Box((1.2, 0.5, 0.2)), material="m", at=(0, 0, 0.4))
    b.add(gk.Slider(name="rail", a="world", b="truck", at=(0, 0, 0.4), axis=(1, 0, 0)))
    b.add(gk.VelocityMotor(name="engine", on="rail", speed=0.0))
    for k in range(3):
        b.body(f"crate{k}", shape=gk.Box((0.2, 0.2, 0.2)), material="m", at=(-0.4 + 0.4 * k, 0, 0.6))
    b.body("log", shape=gk.Box((0.2, 0.2, 0.2)), material="m", at=(0, 2, 0.1))
    b.body("hand", shape=gk.Sphere(0.05), material="m", at=(0.0, 0, 1.5))
    b.add(gk.Slider(name="lead", a="world", b="hand", at=(0, 0, 1.5), axis=(0, 0, -1)))
    b.add(gk.VelocityMotor(name="winch", on="lead", speed=0.0, force_max=50.0))
    return b.build()


def test_a_resting_load_goes_with_the_truck_and_comes_apart_for_the_gripper():
    """E-13: crates merge with the truck, do not move against it however it brakes, and the sum of masses is moved."""
    model = truck()
    merging = gk.Merging(resting=True, after=0.2, near=("hand",), within=1)
    sim = gk.Simulation(model, gk.RowStepping(h=2e-3), merging=merging)
    sim.advance(0.5)
    assert set(map(frozenset, sim.merged)) == {
        frozenset({"truck", "crate0", "crate1", "crate2"}),
        frozenset({"ground", "log"}),  # a log on the ground is fixed
    }
    assert not {name for c in sim.contacts for name in (c.a, c.b)} & {"crate0", "crate1", "crate2"}
    at = {k: sim[f"crate{k}"].position - sim["truck"].position for k in range(3)}
    sim.inputs["engine.speed"] = 3.0  # at once: friction alone would not take the load along
    sim.advance(2e-3)
    mass = sum(model.body(name).mass for name in ("truck", "crate0", "crate1", "crate2"))
    assert sim.sensors["engine.force"] == pytest.approx(mass * 3.0 / 2e-3, rel=1e-6)
    sim.advance(0.1)
    sim.inputs["engine.speed"] = 0.0
    sim.advance(0.1)
    for k in range(3):
        np.testing.assert_allclose(sim[f"crate{k}"].position - sim["truck"].position, at[k], atol=1e-12)
    # back under the hand, which then comes down on the middle crate: 0.75 m at 1 m/s
    sim.inputs["engine.speed"] = -(sim["truck"].position[0]) / 0.1
    sim.advance(0.1)
    sim.inputs["engine.speed"] = 0.0
    sim.inputs["winch.speed"] = 1.0
    sim.advance(0.7)
    assert any({"truck", "crate0", "crate1", "crate2"} <= set(group) for group in sim.merged)
    sim.advance(0.2)
    groups = set(map(frozenset, sim.merged))
    assert groups == {frozenset({"truck", "crate0", "crate2"}), frozenset({"ground", "log"})}
    assert "crate1" in {name for c in sim.contacts for name in (c.a, c.b)}
    pressed = 50.0 + model.body("hand").mass * G  # the winch at its limit, and the weight of the hand
    assert sim.contact_force("crate1", "hand")[2] == pytest.approx(-pressed, rel=1e-3)


def test_looks_are_at_fixed_steps_so_that_batches_do_not_show():
    made = []
    for pieces in (1, 40):
        sim = gk.Simulation(crane(), gk.Impulse(), merging=gk.Merging(idle=True, after=0.1))
        for _ in range(pieces):
            sim.advance(0.4 / pieces)
        made.append(sim.state.flat.copy())
    assert np.array_equal(*made)


def test_what_cannot_be_one_stays_apart_with_a_warning():
    b = gk.Builder.from_model(crane(blocked=True))
    b.add(gk.Gear(name="gear", first="shoulder", second="elbow", positions=False))
    sim = gk.Simulation(b.build(), gk.RowStepping(), merging=gk.Merging())
    with pytest.warns(gk.MergeWarning, match="gear"):
        sim.advance(0.01)
    assert sim.merged == ()


@pytest.mark.parametrize("wrong", [{"idle": 1}, {"after": 0.0}, {"near": 5}, {"within": -1}], ids=str)
def test_bad_options_are_named(wrong):
    with pytest.raises(gk.InputError, match=next(iter(wrong))):
        gk.Merging(**wrong)


def test_bodies_that_do_not_exist_and_other_words_are_refused():
    with pytest.raises(gk.InputError, match="near"):
        gk.Simulation(crane(), merging=gk.Merging(near="hant"))
    with pytest.raises(gk.InputError, match="merging"):
        gk.Simulation(crane(), merging="idle")
