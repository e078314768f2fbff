"""Uses of the gear row (V-77): tongs, a turntable ladder, a winch, a bogie; speeds and forces by virtual work.

All accelerations here are constant, and both methods keep constant ones exactly: RowStepping up to round-off of its
solver, Impulse up to its tolerance of 1e-9 rad/s or m/s, of changes of speed of 1e-3 and more a step.
"""

import math

import numpy as np
import pytest

import gelenk as gk

H, STEPS, G = 1e-2, 12, 9.81
METHODS = {"row_stepping": gk.RowStepping(h=H, solver=gk.Dantzig()), "impulse": gk.Impulse(h=H)}
both = pytest.mark.parametrize("method", METHODS)
ROUND = (1.0, 1.0, 1.0)  # inertia of what does not turn [kg m^2]


def rates(model, method, *names):
    """(steps, names) rates from the start on, and the simulation at the end."""
    sim = gk.Simulation(model, METHODS[method])
    made = [[sim.sensors[name] for name in names]]
    for _ in range(STEPS):
        sim.advance(H)
        made.append([sim.sensors[name] for name in names])
    return np.array(made), sim


def check_accelerations(measured, *exact):
    """Equal gains of speed in every step."""
    np.testing.assert_allclose(np.diff(measured, axis=0), [np.array(exact) * H] * STEPS, rtol=1e-5, atol=1e-10)


@both
def test_tongs_open_by_equal_angles_and_share_the_torque(method):
    """Two tongs on a palm that floats freely; a motor between palm and left tong, teeth to the right one:

        right = -left        (I_1 + I_2) a = T        teeth give the right tong  -I_2 a

    Equal tongs turn against each other, so that the palm stands still though it takes the reaction of the motor.
    """
    moment, torque = 0.02, 0.4
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("palm", mass=3.0, inertia=(0.5, 0.5, 0.5))
    for name, y in (("left", -0.1), ("right", 0.1)):
        b.body(name, mass=0.5, inertia=(moment, moment, moment), at=(0, y, 0))
        b.add(gk.Hinge(name=f"{name} pin", a="palm", b=name, at=(0, y, 0), axis=(0, 0, 1)))
    b.add(gk.Gear(name="teeth", first="right pin", second="left pin", ratio=-1.0))
    b.add(gk.ForceMotor(name="motor", on="left pin", force=torque))
    got, sim = rates(b.build(), method, "left pin.rate", "right pin.rate")
    a = torque / (2 * moment)
    check_accelerations(got, a, -a)
    assert sim.sensors["right pin.angle"] == pytest.approx(-sim.sensors["left pin.angle"], abs=1e-8)
    assert sim.sensors["teeth.force"] == pytest.approx(-moment * a, rel=1e-5)
    np.testing.assert_allclose(sim["palm"].angular_velocity, 0.0, atol=1e-8)


@both
def test_a_ladder_of_five_stages_goes_out_five_times_as_far(method):
    """Stages slide in each other on a turntable, cables tie each slide to the next; at the angle u, driven by F,

        stage k goes k s:    sum k^2 m_k s'' = F - g sin(u) sum k m_k

    A cable k carries what the slides beyond it need:  sum over j > k of (j - k) m_j (j s'' + g sin u).
    """
    masses, angle, force = np.array([90.0, 80.0, 70.0, 60.0, 150.0]), math.radians(60), 20e3  # the last with its crew
    k = np.arange(1, 6)
    out = np.array([math.cos(angle), 0, math.sin(angle)])
    b = gk.Builder(gravity=(0, 0, -G))
    b.body("turntable", mass=2000.0, inertia=(500, 500, 500))
    b.add(gk.Hinge(name="slewing ring", a="world", b="turntable", at=(0, 0, 0), axis=(0, 0, 1)))
    for n, mass in zip(k, masses):
        b.body(f"stage {n}", mass=mass, inertia=ROUND, at=2 * out)
        inside = f"stage {n - 1}" if n > 1 else "turntable"
        b.add(gk.Slider(name=f"slide {n}", a=inside, b=f"stage {n}", at=2 * out, axis=out))
        if n > 1:
            b.add(gk.Gear(name=f"cable {n - 1}", first=f"slide {n}", second=f"slide {n - 1}"))
    b.add(gk.ForceMotor(name="ram", on="slide 1", force=force))
    got, sim = rates(b.build(), method, *(f"slide {n}.rate" for n in k))
    weight = G * math.sin(angle)
    a = (force - weight * (k @ masses)) / (k**2 @ masses)
    assert a > 1.0
    check_accelerations(got, *[a] * 5)
    for n in range(1, 5):
        beyond = k > n
        carried = ((k - n) * masses * (k * a + weight))[beyond].sum()
        assert sim.sensors[f"cable {n}.force"] == pytest.approx(carried, rel=1e-5)
    np.testing.assert_allclose(sim["stage 5"].velocity, 5 * sim.sensors["slide 1.rate"] * out, rtol=0, atol=1e-7)
    np.testing.assert_allclose(sim["turntable"].angular_velocity, 0.0, atol=1e-8)


@both
@pytest.mark.parametrize("torque", [0.0, 8.0, 20.0])  # lets it fall, slows it, lifts it
def test_a_winch_turns_rotation_into_lifting_and_back(method, torque):
    """height = r angle:  (m + I / r^2) a = T / r - m g;  the rope pulls with m (a + g), the drum gets -r times that."""
    radius, mass, moment = 0.15, 10.0, 0.3
    b = gk.Builder(gravity=(0, 0, -G))
    b.body("drum", mass=5.0, inertia=(1.0, moment, 1.0), at=(0, 0, 3))
    b.body("load", mass=mass, inertia=ROUND)
    b.add(gk.Hinge(name="shaft", a="world", b="drum", at=(0, 0, 3), axis=(0, 1, 0)))
    b.add(gk.Slider(name="guide", a="world", b="load", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Gear(name="rope", first="guide", second="shaft", ratio=radius))
    b.add(gk.ForceMotor(name="motor", on="shaft", force=torque))
    got, sim = rates(b.build(), method, "guide.rate", "shaft.rate")
    a = (torque / radius - mass * G) / (mass + moment / radius**2)
    check_accelerations(got, a, a / radius)
    assert sim.sensors["rope.force"] == pytest.approx(mass * (a + G), rel=1e-5)
    # what the motor gave is what both have: kinetic energy and height
    work = torque * sim.sensors["shaft.angle"]
    v, w = got[-1]
    assert 0.5 * mass * v * v + 0.5 * moment * w * w + mass * G * sim.sensors["guide.position"] == pytest.approx(
        # RowStepping moves on at the speed of the end of the step: half a step further than the mean
        work + (0.5 * H * v * (mass * G - torque / radius) if method == "row_stepping" else 0.0),
        abs=1e-5,
    )


@both
@pytest.mark.parametrize("grips", [1, 2])
def test_coupled_wheels_of_a_bogie_pull_with_the_one_that_grips(method, grips):
    """Two wheelsets on a frame, the first driven, a coupling between them; one rolls, the other is on ice.

        r_1 w_1 = r_2 w_2 = v        (M + I_1 / r_1^2 + I_2 / r_2^2) v' = T / r_1

    The coupling passes on what the second wheelset needs: its own inertia, and the pull at the rail if it grips.
    """
    radius, moment, torque, frame, mass = (0.4, 0.5), (20.0, 35.0), 900.0, 2000.0, 600.0
    b = gk.Builder(gravity=(0, 0, -G))
    b.body("frame", mass=frame, inertia=ROUND, at=(0, 0, 0.5))
    b.add(gk.Slider(name="track", a="world", b="frame", at=(0, 0, 0.5), axis=(1, 0, 0)))
    for n, x in ((1, 1.0), (2, -1.0)):
        r, spin = radius[n - 1], moment[n - 1]
        b.body(f"wheels {n}", mass=mass, inertia=(spin, spin, spin), at=(x, 0, r))
        b.add(gk.Hinge(name=f"axle {n}", a="frame", b=f"wheels {n}", at=(x, 0, r), axis=(0, 1, 0)))
    b.add(gk.Gear(name="coupling", first="axle 2", second="axle 1", ratio=radius[0] / radius[1]))
    b.add(gk.Gear(name="rail", first="track", second=f"axle {grips}", ratio=radius[grips - 1], positions=False))
    b.add(gk.ForceMotor(name="motor", on="axle 1", force=torque))
    got, sim = rates(b.build(), method, "track.rate", "axle 1.rate", "axle 2.rate")
    whole = frame + 2 * mass
    a = torque / radius[0] / (whole + moment[0] / radius[0] ** 2 + moment[1] / radius[1] ** 2)
    check_accelerations(got, a, a / radius[0], a / radius[1])
    pull = whole * a
    assert sim.sensors["rail.force"] == pytest.approx(pull, rel=1e-5)
    needed = moment[1] * a / radius[1] + (radius[1] * pull if grips == 2 else 0.0)
    assert sim.sensors["coupling.force"] == pytest.approx(needed, rel=1e-5)
