"""Colours by load (V-117, E-24): bodies by contact force, motors by the share of their limit."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.space.load_colors import contact_loads, motor_loads

G = 9.81
both = pytest.mark.parametrize("method", [gk.RowStepping, gk.Impulse], ids=lambda m: m.kind)


def test_colors_go_from_blue_to_red_without_a_jump():
    shares = np.linspace(0, 1, 201)
    colors = np.array([gk.load_color(share) for share in shares])
    assert ((colors >= 0) & (colors <= 1)).all()
    assert np.abs(np.diff(colors, axis=0)).max() < 0.015
    assert colors[0].argmax() == 2  # blue
    assert colors[-1].argmax() == 0  # red
    assert len({tuple(color) for color in colors}) == len(colors)  # one share, one colour
    assert gk.load_color(1.0 + 1e-12) == gk.load_color(1.0)
    assert gk.load_color(1.01) == gk.load_color(7.0) != gk.load_color(1.0)
    with pytest.raises(gk.InputError, match="share"):
        gk.load_color(-0.1)


@both
def test_bodies_are_coloured_by_the_force_of_one_other(method):
    """A stack of three: each bears what lies above it and itself, and the lowest presses with all three."""
    b = gk.Builder()
    b.material("m", density=1000, friction=0.5)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(3):
        b.body(f"box{k}", shape=gk.Box((0.1, 0.1, 0.1)), material="m", at=(0, 0, 0.05 + 0.1 * k))
    b.body("ball", shape=gk.Sphere(0.05), material="m", at=(3, 0, 3))
    model = b.build()
    sim = gk.Simulation(model, method(h=2e-3, contact=gk.ContactOptions()))
    sim.advance(0.05)
    weight = model.body("box0").mass * G
    loads = contact_loads(sim)
    wanted = {"ground": 3 * weight, "box0": 3 * weight, "box1": 2 * weight, "box2": weight, "ball": 0.0}
    assert loads == pytest.approx(wanted, abs=1e-3 * weight)
    colors = gk.load_colors(sim)
    assert colors["ball"] == gk.load_color(0.0)
    assert colors["box0"] == colors["ground"] == gk.load_color(1.0)
    np.testing.assert_allclose(colors["box1"], gk.load_color(2 / 3), atol=0.01)
    np.testing.assert_allclose(gk.load_colors(sim, full=6 * weight)["box0"], gk.load_color(0.5), atol=0.01)
    assert gk.load_colors(sim, full=0.5 * weight)["box2"] == gk.load_color(2.0)


@both
def test_motors_are_coloured_by_the_share_of_their_limit(method):
    """A lift holds a mass against gravity with a quarter of its force, then with half of it at half its strength."""
    b = gk.Builder()
    b.body("cage", mass=5.0, inertia=(1, 1, 1))
    b.add(gk.Slider(name="rail", a="world", b="cage", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.VelocityMotor(name="lift", on="rail", speed=0.0, force_max=4 * 5.0 * G))
    b.body("free", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0))
    b.add(gk.Hinge(name="pin", a="world", b="free", at=(1, 0, 0), axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="endless", on="pin", speed=1.0))
    sim = gk.Simulation(b.build(), method(h=1e-3))
    assert motor_loads(sim) == {"lift": 0.0}
    sim.advance(0.01)
    assert motor_loads(sim) == pytest.approx({"lift": 0.25}, rel=1e-6)
    np.testing.assert_allclose(gk.load_colors(sim)["lift"], gk.load_color(0.25), atol=1e-5)
    sim.inputs["lift.strength"] = 0.5
    sim.advance(0.01)
    assert motor_loads(sim)["lift"] == pytest.approx(0.5, rel=1e-6)
    sim.inputs["lift.strength"] = 0.1
    sim.advance(0.01)
    assert motor_loads(sim)["lift"] == pytest.approx(1.0, rel=1e-9)  # it slips
    assert "endless" not in gk.load_colors(sim)


def test_what_is_no_simulation_is_refused():
    with pytest.raises(gk.InputError, match="Simulation"):
        gk.load_colors("sim")
