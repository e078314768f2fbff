"""Segment contacts while bodies are one for a while, and over a ground that is moved by hand (B-19, V-95)."""

import math

import numpy as np
import pytest
from segment_scenes import CORNERS, EXACT, block

import gelenk as gk

G = 9.81
UPWARD = [(0.0, 0.0, 0.1)] * 4


def loaded(collide=True, height=0.1, **touch):
    """A box of 2 kg on its four corners with a lid of 1 kg fixed to it; only the ground has a shape."""
    b = gk.Builder()
    b.body("ice", shape=gk.Part(gk.Plane(), collide=collide), static=True)
    b.body("box", mass=2.0, inertia=(0.1, 0.2, 0.3), at=(0, 0, height), velocity=(1, 0, 0))
    b.body("lid", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, 0, height + 0.2), velocity=(1, 0, 0))
    b.add(gk.Rigid(name="weld", a="box", b="lid", at=(0, 0, height + 0.1)))
    b.add(gk.SegmentContacts("feet", "lid", [(x, y, z - 0.2) for x, y, z in CORNERS], UPWARD, "ice", **touch))
    return b.build()


@pytest.mark.parametrize("collide", [True, False], ids=["one shape", "no shape"])
def test_forces_are_told_by_the_names_of_the_parts(collide):
    """The feet are the lid's, which is one with the box: both weigh on them, and friction is mu of that."""
    sim = gk.Simulation(loaded(collide, friction=0.3), method=EXACT, merging=gk.Merging())
    sim.run(0.01)
    assert sim.merged == (("box", "lid"),)
    assert [(c.a, c.b) for c in sim.contacts] == [("ice", "lid")] * 4
    weight = 3.0 * G
    for total in (sim.contact_force("lid"), sim.contact_force("lid", "ice"), -sim.contact_force("ice")):
        np.testing.assert_allclose(total, (-0.3 * weight, 0.0, weight), atol=1e-8)  # tolerance of the solver over h
    assert not sim.contact_force("box").any()
    assert sim["box"].velocity[0] == pytest.approx(1.0 - 0.3 * G * 0.01, abs=1e-9)


def test_impacts_and_events_name_the_parts():
    """A fall onto the feet with e = 0.5: four impacts of lid and ice with the momentum of both, and one beginning."""
    sim = gk.Simulation(loaded(height=0.1 + 0.002, restitution=0.5, friction=0.0), method=EXACT)
    sim.merge("load", "box", "lid")
    told = []
    sim.subscribe(told.append)
    while not sim.impacts:
        assert sim.time < 0.1
        sim.advance(1e-3)
    assert {(x.a, x.b) for x in sim.impacts} == {("ice", "lid")}
    assert [(e.kind, e.a, e.b) for e in told] == [("begin", "ice", "lid")]
    hit = sum(x.impulse for x in sim.impacts)
    assert hit[2] == pytest.approx(3.0 * 1.5 * math.sqrt(2.0 * G * 0.002), rel=1e-6)  # m (1 + e) v
    np.testing.assert_allclose(told[0].impulse, hit, atol=1e-8)


def test_what_touches_goes_on_touching_when_bodies_become_one():
    """No end and no second beginning at a merging or a splitting; both begin with the same feet on the ground."""
    sim = gk.Simulation(loaded(friction=0.3), method=EXACT)
    told = []
    sim.subscribe(told.append)
    sim.run(0.005)
    for act in (lambda: sim.merge("load", "box", "lid"), lambda: sim.split("load")):
        act()
        sim.advance(0.005)
    assert [(e.kind, e.a, e.b) for e in told] == [("begin", "ice", "lid")]


def test_what_the_ground_takes_in_is_no_ground_of_segments():
    """Feet slide through a crate that is one with the ice for now as through one that is not."""
    b = gk.Builder.from_model(block(velocity=(2.0, 0.0, 0.0), friction=0.0)[0])
    b.body("crate", shape=gk.Box((0.2, 1.0, 0.1)), mass=1.0, inertia=(1, 1, 1), at=(0.5, 0.0, 0.05))
    sim = gk.Simulation(b.build(), method=EXACT)
    sim.merge("floor", "ice", "crate")
    for _ in range(20):
        sim.advance(0.01)
        assert {(c.a, c.b) for c in sim.contacts} == {("ice", "box")}
    np.testing.assert_allclose(sim["box"].velocity, (2.0, 0.0, 0.0), atol=1e-9)
    assert not sim.contact_force("crate").any()


def test_a_body_that_is_one_with_its_ground_stands():
    """It has no contacts meanwhile, and slides on when it is split."""
    model, _ = block(velocity=(1.0, 0.0, 0.0), friction=0.3)
    sim = gk.Simulation(model, method=EXACT)
    sim.run(0.01)
    sim.merge("parked", "ice", "box")
    place = sim["box"].position
    sim.advance(0.01)
    assert np.array_equal(sim["box"].position, place)
    assert sim.contacts == []
    sim.split("parked")
    sim.state.v_WC[model.index("box"), 0] = 1.0
    sim.advance(0.1)
    assert sim["box"].velocity[0] == pytest.approx(1.0 - 0.3 * G * 0.1, abs=1e-9)
    assert len(sim.contacts) == 4


def lidded(friction):
    """The block with a second body that it can be merged with, beside it and without contact."""
    b = gk.Builder.from_model(block(velocity=(0.0, 0.0, 0.0), friction=friction)[0])
    b.body("lid", mass=1e-9, inertia=(1e-9, 1e-9, 1e-9), at=(0.0, 0.0, 0.1))
    return b.build()


@pytest.mark.parametrize("merged", [False, True], ids=["alone", "merged"])
def test_ground_moved_by_hand_is_where_the_state_has_it(merged):
    """Lowered by 1 m it lets the body fall freely; raised from far below under it, it carries it again."""
    model = lidded(0.0)
    sim = gk.Simulation(model, method=EXACT)
    sim.run(0.01)
    if merged:
        sim.merge("load", "box", "lid")
        sim.advance(0.01)
    z, ice = sim["box"].position[2], model.index("ice")
    sim.state.p_WC[ice, 2] = -1.0
    sim.advance(0.2)
    assert sim.contacts == []
    assert z - sim["box"].position[2] == pytest.approx(0.5 * G * 0.2**2, abs=1e-7)  # what the solver left of speed
    sim.state.p_WC[ice, 2] = sim["box"].position[2] - 0.1
    sim.advance(0.05)
    assert abs(sim["box"].velocity[2]) < 1e-9
    assert {(c.a, c.b) for c in sim.contacts} == {("ice", "box")}


def test_ground_tilted_by_hand_lets_a_block_slide():
    """Block and ground turned by 0.5 rad through the state slide as those built so,  a = g (sin - mu cos)."""
    flat, _ = block(friction=0.3)
    there, R = block(0.5, friction=0.3)
    sim = gk.Simulation(flat, method=EXACT)
    sim.state.flat[:] = there.initial_state().flat
    sim.run(0.2)
    a = G * (math.sin(0.5) - 0.3 * math.cos(0.5))
    np.testing.assert_allclose(R.T @ sim["box"].velocity, (0.2 * a, 0.0, 0.0), atol=1e-9)
    normal = sim.contacts[0].normal
    np.testing.assert_allclose(normal, R[:, 2], atol=1e-15)
