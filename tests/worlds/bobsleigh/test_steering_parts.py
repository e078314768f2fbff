"""Free bodies of the front axle: which forces turn it which way, from loads and levers alone (B-77, bobsleigh 6.5).

Axes of the steering head are x left, y up, z forward; a moment is positive to the left.
"""

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import Stance, add_joint, add_sled, sled_data
from gelenk.worlds.bobsleigh.steering_parts import FRONT, steering_parts
from gelenk.worlds.bobsleigh.touch import add_touch

H, G = 2e-4, 9.81
b, a, r = 0.335, 0.25, 0.12  # [m] half the gauge, points ahead of and behind the hinge, depth of points below it
AXLE = 1.69  # [m] the front axle ahead of the base of the sled
needs_speed = pytest.mark.skipif(not compiler.ENABLED, reason="thousands of steps")


@needs_speed
@pytest.mark.parametrize("roll", [200.0, -200.0])
def test_on_flat_ice_the_axle_turns_to_the_runner_that_bears_more(roll):
    """The cause that the source names. A torque presses a side down, as the inertia of a sled does that ice rolls:

    M = mu (b (N_left - N_right) + e N g),

    the second since the axis leans by the angle g of the axle's spring, about a hinge e above the ice. Normal forces
    have no moment but for g times their couple of pitch, which balances friction along at r below the hinges of the
    runners. Friction along turns the whole sled; against that comes friction across.
    """
    build = gk.Builder()
    build.body("ice", shape=gk.Part(gk.Plane(), collide=False), static=True)
    add_sled(build, Setup(start_speed=20.0, drag_area=0.0), Stance.on((0, 0, 0), (1, 0, 0)))
    add_touch(build, Setup(), "ice")
    build.add(gk.Wrench("roll", "front hull", torque=(roll, 0.0, 0.0)))  # about the world's x, the way it goes
    sim = gk.Simulation(build.build(), gk.MoreauTree(h=H))
    sim.step(round(0.3 / H))
    left, right = (sum(float(c.force[2]) for c in sim.contacts if c.b == name) for name in FRONT)
    assert (left - right) * roll < -2e4  # the left goes up and the right down where the torque is positive
    loads, lean = 0.004 * b * (left - right), 0.004 * 0.18 * (left + right) * sim["pendulum"].angle
    assert abs(lean) < 0.1 * abs(loads)
    normal, along, across = steering_parts(sim)
    assert along == pytest.approx(loads + lean, rel=1e-3)  # g^2 = 8e-4
    assert abs(normal) < 1.1 * 0.004 * r * (left + right) * abs(sim["pendulum"].angle)
    assert abs(across) < 0.1 * abs(along)
    sim.contact_loads()
    sim.step()
    moment = sim.contact_loads()["steering.angle"]
    assert moment == pytest.approx(steering_parts(sim).sum(), abs=1e-3 * abs(along))
    assert moment * (left - right) > 0.0


def hollow(c, k, half=0.6, pieces=6):
    """Ice of the height  c x z + k x^2 / 2:  parabolas across, straight along; x to the left and z along +y here."""
    x = np.linspace(half, -half, pieces + 1)
    places = np.sort(np.concatenate((x, 0.5 * (x[1:] + x[:-1]))))[::-1]  # control points of parabolas
    square = places**2
    square[1::2] = x[1:] * x[:-1]
    z = np.linspace(-1.0, 1.0, 5)
    return gk.LoftedSheet(
        z, [np.column_stack((-places, np.full_like(places, s), c * places * s + 0.5 * k * square)) for s in z]
    )


def axle_on(sheet, load, stiffness):
    """The front axle of the sled with its runners, pressed on ice by a hull that slides up and down; no friction."""
    data, setup = sled_data(), Setup()
    stance = Stance.on((0.0, -AXLE, 0.0), (0.0, 1.0, 0.0))
    joints = {name: data["joint"][name] for name in ("steering", "pendulum", "front left", "front right")}
    heights = {"front hull": 0.25, "steering head": 0.20, "front axle": 0.18}
    build = gk.Builder()
    build.body("ice", shape=gk.Part(sheet, collide=False, weighs=False), static=True)
    masses = {joint["child"]: data["body"][joint["child"]]["mass"] for joint in joints.values()}
    hull = load / G - sum(masses.values())
    turn = tuple(stance.rotation)
    build.body("front hull", mass=hull, inertia=(1, 1, 1), at=tuple(stance.point((0, 0.2, AXLE))), rotation=turn)
    for name in masses:
        place = (0.335 if name == FRONT[0] else -0.335, 0.12, AXLE) if name in FRONT else (0.0, heights[name], AXLE)
        build.body(name, **data["body"][name], at=tuple(stance.point(place)), rotation=turn)
    build.add(
        gk.Slider(name="guide", a="world", b="front hull", at=tuple(stance.point((0, 0.2, AXLE))), axis=(0, 0, 1))
    )
    for name, joint in joints.items():
        add_joint(build, setup, stance, name, joint, None)
    for name in ("front left", "front right"):
        build.change(f"{name} spring", stiffness=stiffness)
    table, slippery = data["touch"]["runner"], gk.RunnerFriction(along=1e-9, across_min=1e-9, across_max=1e-9)
    for name in FRONT:
        touch = gk.SegmentContacts(
            f"{name} on ice", name, table["points"], table["segments"], "ice", friction=slippery, axis=(1, 0, 0)
        )
        build.add(touch)
    return build.build()


def turning(c, k, load, stiffness):
    """Moment of normal forces, the closed form of steering_parts; weights of the runners swing below their hinges."""
    spring = stiffness + 5.0 * G * 0.04
    return c * (load * (b * b - a * a) - k * b * b * (2.0 * spring + load * r))


@needs_speed
@pytest.mark.parametrize("stiffness", [0.0, 500.0, 2000.0])
@pytest.mark.parametrize("k", [0.0, 0.4, 0.9])
def test_on_twisted_ice_normal_forces_turn_the_axle_by_their_levers(k, stiffness):
    """The right wall rises ahead, c < 0, as at the entry of a left curve: what is left of the sum may have either sign.

    Exact but for squares of slopes of the runners, (c b)^2 = 1.8e-4 of each term, c N b^2 and c k b^2 (2 K + N r).
    """
    c, load = -0.04, 2700.0
    sim = gk.Simulation(axle_on(hollow(c, k), load, stiffness), gk.MoreauTree(h=H))
    sim.step(round(1.0 / H))
    assert len(sim.contacts) == 4
    assert sum(float(f.force[2]) for f in sim.contacts) == pytest.approx(load, rel=1e-4)
    normal, *friction = steering_parts(sim)
    largest = abs(c) * b * b * (load + k * (2.0 * stiffness + load * r))
    assert normal == pytest.approx(turning(c, k, load, stiffness), abs=3.0 * (c * b) ** 2 * largest)
    assert np.abs(friction).max() < 1e-5


def test_stiff_hinges_turn_an_axle_down_and_free_ones_up():
    """Up is to the right where the right wall rises. With springs K of

    K_0 = N/2 ((1 - a^2/b^2) / k - r),

    some 500 N m/rad under 2700 N in a hollow of 1.1 m, nothing turns; S1 has four times that.
    """
    c, k, load = -0.04, 0.9, 2700.0
    none = 0.5 * load * ((1.0 - (a / b) ** 2) / k - r) - 5.0 * G * 0.04
    assert none == pytest.approx(500.0, rel=0.02)
    assert turning(c, k, load, none) == pytest.approx(0.0, abs=1e-12)
    assert turning(c, k, load, 0.0) < 0.0  # up
    assert turning(c, k, load, sled_data()["joint"]["front left"]["stiffness"]) > 5.0  # down
