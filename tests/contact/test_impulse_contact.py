"""What Impulse does better than order 1: sliding, rolling and turning about a point in contact (I-099, I-104)."""

import math

import numpy as np
import pytest
from contact_scenes import G, ball, cradle, moved, simulation, slope

import gelenk as gk


def test_sliding_is_exact():
    """Constant forces in both halves of a step: place and velocity are those of the closed form."""
    a, t = G * (math.sin(0.6) - 0.3 * math.cos(0.6)), 1.0
    sim = moved(slope(0.6, 0.3), t, 1e-2, method=gk.Impulse)
    assert sim["block"].position[0] == pytest.approx(0.5 * a * t * t, abs=1e-6)  # the tolerance of 1e-7 m/s
    assert sim["block"].velocity[0] == pytest.approx(a * t, abs=1e-6)


def test_the_way_of_a_ball_that_slides_and_then_rolls_is_that_of_the_closed_form():
    """It slides at  v - mu g t  until  t = 2 v / 7 mu g, then rolls at 5/7 v; one step falls on the change."""
    v, mu, t, h = 3.0, 0.2, 1.0, 2e-3
    end = 2 * v / (7 * mu * G)
    way = v * end - 0.5 * mu * G * end**2 + 5 / 7 * v * (t - end)
    sim = moved(ball(0.0, friction=mu, velocity=(v, 0, 0)), t, h, method=gk.Impulse)
    assert sim["ball"].position[0] == pytest.approx(way, abs=mu * G * h * h)


def falling_rod(h, angle=1.2, t=0.4):
    """A rod that falls over about its foot, which sticks; its angular velocity and height after t."""
    b = gk.Builder()
    b.material("m", friction=5.0)
    b.body("ground", shape=gk.Plane(), static=True)
    half = 0.5 * (math.pi / 2 - angle)
    at = (0.5 * math.cos(angle), 0, 0.5 * math.sin(angle) + 0.01 * math.cos(angle))
    b.body(
        "rod",
        shape=gk.Box((0.02, 0.02, 1.0)),
        material="m",
        at=at,
        rotation=(math.cos(half), 0, math.sin(half), 0),
    )
    sim = simulation(b.build(), h, gk.Impulse)
    sim.advance(t)
    return np.array([sim["rod"].angular_velocity[1], sim["rod"].position[2]]), sim


def test_a_rod_that_falls_over_its_foot_is_of_order_two():
    found = [falling_rod(h)[0] for h in (8e-3, 4e-3, 2e-3)]
    order = np.log2(np.abs((found[1] - found[0]) / (found[2] - found[1])))
    np.testing.assert_allclose(order, 2.0, atol=0.3)


def test_a_rod_that_falls_over_its_foot_keeps_its_energy():
    """A foot that sticks does no work: the loss is of order 2 in the step."""
    losses = []
    for h in (8e-3, 4e-3):
        _, sim = falling_rod(h)
        start = gk.Simulation(sim.model, gk.Impulse(h=h))
        losses.append(abs(sum(sim.ledger[:2]) - sum(start.ledger[:2])))
        scale = sim.ledger[0]
    assert losses[0] < 2e-3 * scale
    assert losses[1] < 0.4 * losses[0]


def test_contact_can_be_switched_off():
    for contact, rests in (("auto", True), (gk.ContactOptions(), True), (None, False)):
        sim = gk.Simulation(ball(0.1), gk.Impulse(h=5e-3, contact=contact))
        sim.advance(0.5)
        assert (sim["ball"].position[2] > 0) == rests
    with pytest.raises(gk.InputError, match="contact"):
        gk.Impulse(contact="on")


@pytest.mark.parametrize("method", [gk.Impulse, gk.RowStepping])
def test_a_mechanism_by_itself_passes_through_itself_unless_told(method):
    """Two balls in one chain: "auto" leaves contact out, as it always was. Those of a cradle are two chains."""
    assert "contacts" in gk.Simulation(cradle(2, 1), method()).info
    b = gk.Builder.from_model(cradle(2, 1))
    b.add(gk.Distance(name="rod", a="ball0", b="ball1", length=0.3))
    model = b.build(assemble=True)
    assert "contacts" not in gk.Simulation(model, method()).info
    assert "contacts" in gk.Simulation(model, method(contact=gk.ContactOptions())).info
