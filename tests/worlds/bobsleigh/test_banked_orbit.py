"""The sled on a banked circle: it stays where the slope is that of its load, climbs if faster, falls if slower."""

import math
from functools import cache

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import Stance, add_sled
from gelenk.worlds.bobsleigh.touch import add_touch

G, R, SLOPE, BETWEEN = 9.81, 30.0, math.radians(50.0), 1.69
STEADY = math.sqrt(G * R * math.tan(SLOPE))  # 18.7 m/s
needs_speed = pytest.mark.skipif(not compiler.ENABLED, reason="many thousand steps")


def bank(half=3.0):
    """A cone about the z axis that is SLOPE steep, around its circle of radius R at height 0; a left curve."""
    angle = np.arange(-0.3, 1.5, 0.02)
    across = np.linspace(-half, half, 7)
    rows = []
    for a in angle:
        r, z = R + across * math.cos(SLOPE), across * math.sin(SLOPE)
        rows.append(np.stack((r * math.cos(a), r * math.sin(a), z), axis=1))
    return gk.LoftedSheet(R * angle, rows)


@cache
def circling(share, steered=True):
    """Radius every 20 ms of a second, and the mean force of the ice; it begins as if it had circled for ever."""
    speed = share * STEADY
    up = np.array((-math.sin(SLOPE), 0.0, math.cos(SLOPE)))
    forward = np.array((0.0, 1.0, 0.0))
    b = gk.Builder()
    b.body("ice", shape=gk.Part(bank(), collide=False, weighs=False), static=True)
    setup = Setup(start_speed=speed, drag_area=0.0)
    add_sled(b, setup, Stance.on((R, -0.5 * BETWEEN, 0.0), forward, up))
    for name, body in b.named("body").items():
        if not body.static:
            turn = np.array((0.0, 0.0, speed / R))
            velocity = np.cross(turn, body.at)
            b.change(name, kind="body", velocity=tuple(velocity), angular_velocity=tuple(turn))
    add_touch(b, setup, "ice")
    model = b.build()
    sim = gk.Simulation(model, gk.MoreauTree(h=2e-4, order=1))
    sim.inputs["wheel.position"] = BETWEEN * math.cos(SLOPE) / R if steered else 0.0
    mass, radius, load = model.system.masses.mass, [], np.zeros(3)
    for _ in range(50):
        sim.contact_loads()
        sim.step(100)
        radius.append(float(np.hypot(*(mass @ sim.state.p_WC)[:2] / mass.sum())))
        loads = sim.contact_loads()
        load += np.array([loads[f"rear hull.v{a}"] for a in "xyz"]) / 50
    return np.array(radius), load, sim


@needs_speed
def test_it_stays_on_the_circle_of_its_speed():
    """tan slope = v^2 / (g R): no force along the bank is asked for. It carries its weight, and drifts by 2 cm in 19 m.

    Its axles stand 1.2 cm outside of the circle of their middle, and runners resist turning a little.
    """
    radius, load, sim = circling(1.0)
    assert np.ptp(radius) < 0.03
    assert load[2] == pytest.approx(390.0 * G, rel=0.02)
    assert sim.info["segments_lost"] == 0


@needs_speed
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_off_its_speed_it_climbs_or_falls(share):
    """Without friction  r'' = (share^2 - 1) g sin slope cos slope  at first; its runners hold back some of that."""
    radius, _, _ = circling(share)
    free = 0.5 * (share**2 - 1.0) * G * math.sin(SLOPE) * math.cos(SLOPE)
    moved = radius[-1] - radius[0]
    assert 0.4 < moved / free < 1.0
