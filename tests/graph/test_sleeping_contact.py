"""Sleep and contact where they meet: features that change, arms that strike and are struck, sleep that never comes."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.contact.heaps import FRESH

H, SIZE = 1 / 240, 0.1
EXACT = {"tolerance": 1e-11, "sweeps": 3000}


def builder():
    b = gk.Builder()
    b.material("m", friction=0.5, density=1000)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    return b


def tower(b, count, x=0.0):
    for k in range(count):
        b.body(f"box{k}", shape=gk.Box((SIZE,) * 3), material="m", at=(x, 0, SIZE * (k + 0.5)))
    return b


def simulation(model, sleep, **options):
    return gk.Simulation(model, gk.RowStepping(h=H, contact=gk.ContactOptions(sleep=sleep, **EXACT, **options)))


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0)], ids=["about z", "about x"])
@pytest.mark.parametrize("angle", [math.pi / 4, math.pi / 2, math.pi])
def test_a_heap_whose_touching_features_changed_wakes_and_stands(axis, angle):
    """V-97: the middle box of a tower is turned in its sleep, onto other corners or another face, or to eight points.

    It wakes with impulses of features that are gone, and neither jumps nor sinks: forces are right in the first step.
    """
    if axis == (1, 0, 0) and angle == math.pi / 4:
        angle = 3 * math.pi / 2  # an edge cannot stand
    model = tower(builder(), 3).build()
    sim = simulation(model, True)
    sim.advance(0.7)
    assert set(sim.asleep) == {"box0", "box1", "box2"}
    before = {(c.a, c.b): None for c in sim.contacts}
    start = sim.state.p_WC.copy()
    turn = np.array([math.cos(angle / 2), *(math.sin(angle / 2) * np.array(axis))])
    sim.state.q_WB[model.index("box1")] = turn
    sim.advance(H)
    assert sim.asleep == ()
    weight = model.body("box0").mass * 9.81
    for k, below in enumerate(("ground", "box0", "box1")):
        force = sum(c.force for c in sim.contacts if (c.a, c.b) == (below, f"box{k}"))
        np.testing.assert_allclose(force, (0, 0, (3 - k) * weight), atol=1e-4 * weight)  # a step of 1e-6 m/s is 1e-5
    assert {(c.a, c.b): None for c in sim.contacts} == before
    sim.advance(0.7)
    assert set(sim.asleep) == {"box0", "box1", "box2"}
    np.testing.assert_allclose(sim.state.p_WC, start, atol=1e-8)


def lever(b):
    """A lever on a post that lies on the ground, with a motor."""
    b.body("lever", shape=gk.Box((0.6, 0.1, 0.1)), material="m", at=(0, 0, 0.05))
    b.add(gk.Hinge(name="pin", a="world", b="lever", at=(-0.3, 0, 0.05), axis=(0, -1, 0)))
    b.add(gk.VelocityMotor(name="motor", on="pin", speed=0.0, force_max=1000.0))
    return b


def test_a_sleeping_arm_is_woken_by_what_falls_on_it():
    """The ball lands on the end of the lever; the box far off sleeps on. As without sleep to the end of that step."""
    b = lever(tower(builder(), 1, x=2.0))
    b.body("ball", shape=gk.Sphere(0.05), material="m", at=(0.2, 0, 2.65))
    model = b.build()
    fall = math.sqrt(2 * 2.5 / 9.81)
    steps = math.ceil(fall / H) + 2
    sims = [simulation(model, sleep) for sleep in (True, False)]
    for sim in sims:
        sim.advance((steps - 6) * H)
    assert set(sims[0].asleep) == {"lever", "box0"}
    for sim in sims:
        sim.advance(6 * H)
    assert sims[0].asleep == ("box0",)
    assert sims[0].contact_force("ball", "lever")[2] > 0
    assert abs(sims[0]["ball"].velocity[2]) < 0.1  # from 7 m/s
    np.testing.assert_allclose(sims[0].state.p_WC, sims[1].state.p_WC, atol=1e-7)
    np.testing.assert_allclose(sims[0].state.v_WC, sims[1].state.v_WC, atol=1e-6)
    np.testing.assert_allclose(sims[0]["pin"].angle, sims[1]["pin"].angle, atol=1e-7)


def test_an_arm_wakes_the_heap_that_it_strikes():
    """All sleep; the motor swings an arm down onto a tower of two, which wakes just before it is struck."""
    b = tower(builder(), 2, x=0.5)
    b.body("arm", shape=gk.Box((0.1, 0.1, 0.6)), material="m", at=(0, 0, 0.55))
    b.add(gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0.25), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="motor", on="pin", speed=0.0, force_max=1000.0))
    model = b.build()
    sims = [simulation(model, sleep) for sleep in (True, False)]
    for sim in sims:
        sim.advance(0.7)
    assert set(sims[0].asleep) == {"arm", "box0", "box1"}
    for sim in sims:
        sim.inputs["motor.speed"] = 2.0
    sims[0].advance(H)
    sims[1].advance(H)
    assert set(sims[0].asleep) == {"box0", "box1"}
    while sims[0].asleep:
        for sim in sims:
            sim.advance(H)
        assert sims[0].time < 2.0
    assert not sims[0].contact_force("arm").any()
    for sim in sims:
        sim.advance(3 * H)  # as near as the boxes look ahead, at 1.3 m/s
    assert np.linalg.norm(sims[0].contact_force("arm", "box1")) > 1
    np.testing.assert_allclose(sims[0].state.p_WC, sims[1].state.p_WC, atol=1e-7)
    np.testing.assert_allclose(sims[0].state.v_WC, sims[1].state.v_WC, atol=1e-6)
    sims[0].advance(0.1)  # the motor presses the tower on the ground, at most 0.55 m from the pin
    assert sims[0].contact_force("box0", "ground")[2] > 1000.0 / 0.55


def pile():
    """Boxes in layers that overlap like bricks, one heap that is swept in batches; some slide."""
    b = builder()
    for k in range(3):
        for i in range(36):
            at = (SIZE * (i % 6 + 0.5 * (k % 2)), SIZE * (i // 6 + 0.5 * (k % 2)), SIZE * (k + 0.5))
            b.body(f"box{k}.{i}", shape=gk.Box((SIZE,) * 3), material="m", at=at, velocity=(0.1 * (i % 3), 0, 0))
    return b.build()


@pytest.mark.parametrize("newton", [0, 8])
def test_sleep_that_never_comes_gives_the_same_bits_as_none(newton):
    """With the graph of contacts in every step and without, in one call and in several, in batches of contacts."""
    model, ends = pile(), []
    for sleep, calls in ((False, 1), (True, 1), (True, 5), (False, 5)):
        options = gk.ContactOptions(sleep=sleep, sleep_after=1e3, sweeps=12, newton=newton)
        sim = gk.Simulation(model, gk.RowStepping(h=H, contact=options))
        for _ in range(calls):
            sim.advance(30 * H / calls)
        ends.append(sim.state.flat.tobytes())
        assert sim.asleep == ()
        if newton == 0:
            assert sim._stepper.work.contact.contacts.heaps.item[0].in_lanes == FRESH
    assert len(set(ends)) == 1
