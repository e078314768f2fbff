"""The sled of two hulls to compare with: the mass of S1, four points, and its way on flat ice (bobsleigh 1.4)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.worlds.bobsleigh.compare.two_bodies import add_points, add_two_bodies
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import Stance, add_sled
from gelenk.worlds.bobsleigh.touch import add_touch

STANCE = Stance.on((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))


def on_ice(kind, spin=(0.0, 0.0, 0.0)):
    """A sled on flat ice, of two bodies or nine, that turns as a whole about the origin."""
    b, setup = gk.Builder(), Setup(start_speed=20.0, drag_area=0.0)
    b.body("ice", shape=gk.Part(gk.Plane(), collide=False), static=True)
    if kind == "two":
        add_two_bodies(b, setup, STANCE)
        add_points(b, setup, "ice")
    else:
        add_sled(b, setup, STANCE)
        add_touch(b, setup, "ice")
    if any(spin):
        for name, body in b.named("body").items():
            if not body.static:
                velocity = tuple(np.cross(spin, body.at))
                b.change(name, kind="body", velocity=velocity, angular_velocity=spin)
    return b.build()


@pytest.mark.parametrize("spin", [(1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.3, -0.4, 1.0)])
def test_it_has_the_inertia_of_the_whole_sled(spin):
    """Kinetic energy, momentum and angular momentum of a turn as a whole are those of the nine bodies."""
    two, nine = (gk.Simulation(on_ice(kind, spin), gk.MoreauTree(h=2e-4, order=1)).ledger for kind in ("two", "nine"))
    assert np.delete(two, 1) == pytest.approx(np.delete(nine, 1), rel=1e-9, abs=1e-9)


@pytest.mark.skipif(not compiler.ENABLED, reason="thousands of steps")
def test_it_stands_on_four_points_and_brakes_by_mu():
    """N = m g, friction mu_t N along: to what the step leaves of its settling on the ice."""
    sim = gk.Simulation(on_ice("two"), gk.MoreauTree(h=2e-4, order=1))
    sim.step(2500)
    force = [c.force for c in sim.contacts]
    assert len(force) == 4
    normal = sum(f[2] for f in force)
    assert normal == pytest.approx(390.0 * 9.81, rel=1e-6)
    assert sum(f[0] for f in force) == pytest.approx(-0.004 * normal, rel=1e-6)
    assert sim["rear hull"].velocity[0] == pytest.approx(20.0 - 0.004 * 9.81 * 0.5, rel=1e-5)


@pytest.mark.skipif(not compiler.ENABLED, reason="thousands of steps")
def test_it_is_steered():
    """Positive steering turns it to the left, as a bicycle of the same length would turn or less."""
    sim = gk.Simulation(on_ice("two"), gk.MoreauTree(h=2e-4, order=1))
    sim.inputs["wheel.position"] = np.radians(1.0)
    sim.step(2500)
    rate = sim["rear hull"].angular_velocity[2]
    assert 0.01 < rate < 20.0 * np.tan(np.radians(1.0)) / 1.69
