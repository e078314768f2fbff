"""Joints and stops that yield: a spring and damper in what they hold (V-78), against statics and closed forms."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.quat import Quat, quat_log

H = 1e-2
MASS, INERTIA = 2.0, 0.3
G = 9.81
STIFF = 1000.0
CALM = 2.0 * math.sqrt(STIFF * MASS)  # damping without overshoot: 1 s leaves exp(-22) of a start
METHODS = {"row_stepping": gk.RowStepping, "impulse": gk.Impulse}
both = pytest.mark.parametrize("method", METHODS)

PLACE = {"a": "world", "b": "body", "at": (0, 0, 0)}
ALONG_Z = {**PLACE, "axis": (0, 0, 1)}
CURVE = tuple((0.0, y, 0.0) for y in (-2.0, -1.0, 0.0, 1.0, 2.0))
GRID = tuple(tuple((0.0, float(y), float(z)) for z in range(-2, 3)) for y in range(-2, 3))
JOINTS = {
    "ball": lambda **soft: gk.Ball(name="joint", **PLACE, **soft),
    "hinge": lambda **soft: gk.Hinge(name="joint", **ALONG_Z, **soft),
    "hinge on two pins": lambda **soft: gk.Hinge(name="joint", arm=1.0, **{**ALONG_Z, "at": (0, 0, -0.5)}, **soft),
    "slider": lambda **soft: gk.Slider(name="joint", **ALONG_Z, **soft),
    "cylindrical": lambda **soft: gk.Cylindrical(name="joint", **ALONG_Z, **soft),
    "universal": lambda **soft: gk.Universal(name="joint", **ALONG_Z, x_axis=(1, 0, 0), **soft),
    "rigid": lambda **soft: gk.Rigid(name="joint", **PLACE, **soft),
    "planar": lambda **soft: gk.Planar(name="joint", **PLACE, axis=(1, 0, 0), **soft),
    "ball on line": lambda **soft: gk.BallOnLine(name="joint", **ALONG_Z, **soft),
    "ball on plane": lambda **soft: gk.BallOnPlane(name="joint", **PLACE, axis=(1, 0, 0), **soft),
    "screw": lambda **soft: gk.Screw(name="joint", **ALONG_Z, lead=0.1, **soft),
    "distance": lambda **soft: gk.Distance(name="joint", a="world", b="body", at_a=(1, 0, 0), **soft),
    "curve": lambda **soft: gk.BallOnCurve(name="joint", **PLACE, points=CURVE, **soft),
    "surface": lambda **soft: gk.BallOnSurface(name="joint", **PLACE, points=GRID, **soft),
}


def energy(sim):
    """Kinetic and potential, that of joints included [J]."""
    return float(sim.ledger[:2].sum())


def exactly(method, h):
    """A method that leaves no more than round-off of a step: Impulse up to 1e-13 m."""
    return gk.Impulse(h=h, tolerance=1e-13) if method == "impulse" else METHODS[method](h=h)


def body_on(*elements, method, h=H, gravity=(-G, 0, 0), at=(0, 0, 0), **motion):
    """A body and what holds it, pulled along -x."""
    b = gk.Builder(gravity=gravity)
    b.body("body", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA), at=at, **motion)
    for element in elements:
        b.add(element)
    return gk.Simulation(b.build(), exactly(method, h))


@both
@pytest.mark.parametrize("kind", JOINTS)
def test_what_a_joint_holds_sags_by_load_over_stiffness(method, kind):
    """Along one held direction; on two pins, one to either side, by a half of it."""
    sim = body_on(JOINTS[kind](hold_stiffness=STIFF, hold_damping=CALM), method=method)
    sim.advance(2.0 if "pins" in kind else 1.0)
    sag = MASS * G / STIFF / (2 if "pins" in kind else 1)
    # Settled to exp(-22) of the sag and less.
    np.testing.assert_allclose(sim["body"].position, (-sag, 0, 0), atol=1e-8)
    np.testing.assert_allclose(sim["joint"].force, (MASS * G, 0, 0), rtol=1e-6, atol=1e-6)


@both
@pytest.mark.parametrize("kind", ["rigid", "hinge", "slider"])
def test_what_a_joint_holds_turns_by_moment_over_stiffness(method, kind):
    """A weight on an arm of 0.5 m: the coordinate is 2 sin(a/2), its couple k sin a = m g l cos a."""
    stiffness, arm = 200.0, 0.5
    joint = JOINTS[kind](turn_stiffness=stiffness, turn_damping=2 * math.sqrt(stiffness * (INERTIA + MASS * arm**2)))
    sim = body_on(joint, method=method, at=(0, 0, arm))  # at the joint's axis, across the pull
    sim.advance(2.0)  # leaves exp(-15.6 * 2) of the start
    turn = quat_log(Quat(*map(float, sim["body"].orientation)))
    np.testing.assert_allclose(turn, (0, -math.atan(MASS * G * arm / stiffness), 0), atol=1e-8)


ORDER = {"row_stepping": 1, "impulse": 2}


@both
@pytest.mark.parametrize("damping", [0.0, 8.0])
def test_a_yielding_joint_swings_as_its_spring_and_damper_do(method, damping):
    """x = x0 (1 - e^(-d t) (cos w t + d/w sin w t)) under its weight, at the order of the method."""
    t, d = 0.2, damping / (2 * MASS)
    w = math.sqrt(STIFF / MASS - d * d)
    exact = -MASS * G / STIFF * (1 - math.exp(-d * t) * (math.cos(w * t) + d / w * math.sin(w * t)))
    missed = []
    for h in (2e-3, 1e-3):
        sim = body_on(JOINTS["ball"](hold_stiffness=STIFF, hold_damping=damping), method=method, h=h)
        sim.advance(t)
        missed.append(sim["body"].position[0] - exact)
    assert missed[0] / missed[1] == pytest.approx(2.0 ** ORDER[method], rel=0.1)  # next order: h w = 0.045
    assert abs(missed[0]) < MASS * G / STIFF * (
        2e-3 * w * w * t if method == "row_stepping" else (2e-3 * w) ** 2 * w * t
    )


@both
def test_a_yielding_turn_swings_at_its_frequency(method):
    """I a'' = -k sin a: by small angles  a = (w0/w) sin(w t);  the sine is 1e-7 of it off at 1e-3 rad."""
    stiffness, w0 = 120.0, 0.02
    w = math.sqrt(stiffness / INERTIA)
    missed, times = [], np.arange(1, 26) * 4e-3
    for h in (5e-4, 2.5e-4):
        joint = JOINTS["rigid"](turn_stiffness=stiffness)
        sim = body_on(joint, method=method, h=h, gravity=(0, 0, 0), angular_velocity=(0, w0, 0))
        turns = []
        for _ in times:
            sim.advance(4e-3)
            turns.append(quat_log(Quat(*map(float, sim["body"].orientation))).y)
        missed.append(abs(turns - w0 / w * np.sin(w * times)).max())
    assert missed[0] / missed[1] == pytest.approx(2.0 ** ORDER[method], rel=0.1)


@both
@pytest.mark.parametrize("stiffness", [1e2, 1e4, 1e6, 1e9])
def test_no_joint_is_too_stiff_for_its_step(method, stiffness):
    """Two hinges that yield in all they hold, ten rows that stiffen each other: the energy never grows.

    Of what the scheme counts as its energy some is in the place and some in the speed, at other instants for h w near
    1; what is there at the start is in the speed alone, and a third more is the most that is seen here.
    """
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("body", mass=MASS, inertia=(INERTIA, 0.2, 0.1), velocity=(0.3, -0.1, 0.2), angular_velocity=(0.2, 0.1, -0.3))
    for name, x in (("left", -0.3), ("right", 0.4)):
        soft = {"hold_stiffness": stiffness, "turn_stiffness": 0.1 * stiffness}
        b.add(gk.Hinge(name=name, a="world", b="body", at=(x, 0.1, 0), axis=(1, 0, 0), **soft))
    sim = gk.Simulation(b.build(), METHODS[method](h=H))
    start = energy(sim)
    most = 0.0
    for _ in range(100):
        sim.advance(H)
        most = max(most, energy(sim))
    assert most <= start * 1.35


@both
def test_a_yielding_joint_breaks(method):
    sim = body_on(JOINTS["ball"](hold_stiffness=STIFF, hold_damping=CALM, break_force=0.5 * MASS * G), method=method)
    sim.advance(0.5)
    assert sim["joint"].broken
    before = sim["body"].velocity[0]
    sim.advance(H)
    assert sim["body"].velocity[0] == pytest.approx(before - H * G, rel=1e-9)


# --- stops -----------------------------------------------------------------------------------------------------------


def cart(**soft):
    return gk.Slider(name="joint", a="world", b="body", at=(0, 0, 0), axis=(1, 0, 0), limits=(-0.1, 0.2), **soft)


@both
@pytest.mark.parametrize("pull", [G, -G])
def test_a_soft_stop_carries_a_load_at_load_over_stiffness(method, pull):
    """Beyond the stop by m g / k, settled to exp(-20) and less."""
    sim = body_on(cart(stop_stiffness=STIFF, stop_damping=CALM), method=method, gravity=(pull, 0, 0))
    sim.advance(2.0)
    place = (0.2 if pull > 0 else -0.1) + MASS * pull / STIFF
    assert sim["joint"].position == pytest.approx(place, abs=1e-8)
    np.testing.assert_allclose(sim["joint"].force, (-MASS * pull, 0, 0), atol=1e-6)


@both
def test_a_soft_stop_throws_back_and_a_damped_one_less(method):
    """Without damping the way in is v sqrt(m/k) and the speed back is v; damped both are less, and it never pulls.

    In half a period implicit steps lose  pi h w / 2  of the amplitude, and the touch comes up to a step late.
    """
    v, h = 0.5, 1e-3
    w = math.sqrt(STIFF / MASS)
    back = []
    for damping in (0.0, 20.0):
        joint = cart(stop_stiffness=STIFF, stop_damping=damping)
        sim = body_on(joint, method=method, h=h, gravity=(0, 0, 0), velocity=(v, 0, 0))
        deepest = 0.0
        for _ in range(600):
            sim.advance(h)
            deepest = max(deepest, sim["joint"].position - 0.2)
            assert sim["joint"].force[0] <= 1e-9
        back.append(-sim["joint"].rate)
        if damping == 0.0:
            assert deepest == pytest.approx(v / w, rel=2 * h * w)
    assert back[0] == pytest.approx(v, rel=2 * h * w)
    assert 0.2 * v < back[1] < 0.7 * v  # exp(-d t) of half a period: 0.49, cut where the force would pull


def test_a_soft_stop_holds_energy():
    """K x^2 / 2 of the way beyond it; a joint may begin there."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("body", mass=MASS, inertia=(INERTIA, INERTIA, INERTIA))
    b.add(
        gk.Slider(
            name="joint", a="world", b="body", at=(0, 0, 0), axis=(1, 0, 0), limits=(0.05, 1), stop_stiffness=STIFF
        )
    )
    sim = gk.Simulation(b.build(), gk.RowStepping(h=1e-4))
    assert energy(sim) == pytest.approx(0.5 * STIFF * 0.05**2, rel=1e-12)
    sim.advance(0.15)  # more than a quarter of a period, after which it flies with all of it
    assert sim["joint"].rate == pytest.approx(0.05 * math.sqrt(STIFF / MASS), rel=2 * 1e-4 * math.sqrt(STIFF / MASS))


# --- at the door -----------------------------------------------------------------------------------------------------

BAD = {
    "negative stiffness": ({"hold_stiffness": -1.0}, "hold_stiffness is -1", "at least 0"),
    "negative damping": ({"turn_stiffness": 1.0, "turn_damping": -2.0}, "turn_damping is -2", "at least 0"),
    "nan": ({"stop_stiffness": math.nan}, "stop_stiffness is nan", "finite"),
    "text": ({"hold_stiffness": "soft"}, "hold_stiffness is 'soft'", "number"),
    "damping of what is rigid": ({"hold_damping": 3.0}, "hold_damping is 3 beside an infinite", "Give hold_stiffness"),
    "nothing": ({"turn_stiffness": 0.0}, "turn_stiffness and turn_damping are both 0", "one of them above 0"),
}


@pytest.mark.parametrize("case", BAD)
def test_numbers_that_make_no_spring_are_refused(case):
    numbers, *words = BAD[case]
    with pytest.raises(gk.InputError) as caught:
        JOINTS["hinge"](**numbers)
    for word in ("joint", *words):
        assert word in str(caught.value)
