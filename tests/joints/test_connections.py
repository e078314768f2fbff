"""Outputs connected to inputs (V-107): closed forms of the loops they make, every kind of output, names, scenes."""

import math

import numpy as np
import pytest

import gelenk as gk

INERTIA = 0.3
STIFF = 120.0
OMEGA = math.sqrt(STIFF / INERTIA)  # 20 rad/s
START = 0.4  # [rad/s]
METHODS = {"row_stepping": gk.RowStepping, "impulse": gk.Impulse}
both = pytest.mark.parametrize("method", METHODS)
H = 1e-3


def wheel(*elements, spin=START, gravity=(0, 0, 0)):
    """A wheel on a hinge, a motor that pushes it, and what is connected."""
    b = gk.Builder(gravity=gravity)
    b.body("wheel", mass=2.0, inertia=(INERTIA, INERTIA, INERTIA), angular_velocity=(0, 0, spin))
    b.add(gk.Hinge(name="hinge", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.ForceMotor(name="push", on="hinge", force=0.0))
    for element in elements:
        b.add(element)
    return b.build()


def link(output, into="push.force", **more):
    return gk.Connection(**({"name": f"{output} to {into}", "output": output, "input": into} | more))


def one_step(method, h):
    """(x, v) -> (x', v') of  x'' = -w^2 x  with the force of the start of the step.

    RowStepping:  v' = v - h w^2 x,  x' = x + h v'        Impulse, half before and half after:  x' = x + h (v + v') / 2
    """
    a = (h * OMEGA) ** 2
    share = 1.0 if method == "row_stepping" else 0.5
    return np.array([[1.0 - share * a, h], [-h * OMEGA**2, 1.0]])


@both
def test_an_angle_connected_to_a_torque_is_a_spring(method):
    """Step by step the closed form of the loop, and the frequency w to order 2.

    The roots of the step are  r exp(+-i p):  the frequency is p/h, and r^2 = det = 1, or 1 + (h w)^2 / 2 for Impulse:
    what a force gains that is held for a step and so is half a step late.
    """
    missed = []
    for h in (2e-3, 1e-3):
        sim = gk.Simulation(wheel(link("hinge.angle", factor=-STIFF)), METHODS[method](h=h))
        A, x, angles = one_step(method, h), np.array([0.0, START]), [0.0]
        for _ in range(40):
            sim.advance(h)
            x = A @ x
            angles.append(sim["hinge"].angle)
            # round-off of 40 steps, and for Impulse the tolerance of joints, 1e-9 rad
            assert sim["hinge"].angle == pytest.approx(x[0], abs=1e-11)
            assert sim["hinge"].rate == pytest.approx(x[1], abs=1e-9)
        # x'' - tr x' + det x = 0 over three steps of the run itself gives its own trace and determinant.
        y = np.array(angles)
        (trace, det), *_ = np.linalg.lstsq(np.column_stack([y[1:-1], -y[:-2]]), y[2:], rcond=None)
        missed.append(math.acos(trace / (2.0 * math.sqrt(det))) / h - OMEGA)
        assert det == pytest.approx(1.0 + (0.5 * (h * OMEGA) ** 2 if method == "impulse" else 0.0), abs=1e-7)
    # p/h = w (1 + c (h w)^2),  c = 1/24 and -11/96; the next term is (h w)^2 = 0.0016 of it
    c = 1 / 24 if method == "row_stepping" else -11 / 96
    assert missed[0] == pytest.approx(c * OMEGA * (2e-3 * OMEGA) ** 2, rel=0.01)
    assert missed[0] / missed[1] == pytest.approx(4.0, rel=0.01)


@both
def test_connections_to_one_input_add_up(method):
    """Torque = -k angle - d rate + T: comes to rest at T/k, against  e^(-t d / 2I)."""
    damping, torque = 6.0, 12.0
    links = (
        link("hinge.angle", factor=-STIFF, offset=torque),
        link("hinge.rate", factor=-damping),
    )
    sim = gk.Simulation(wheel(*links), METHODS[method](h=H))
    sim.advance(0.3)
    d = damping / (2 * INERTIA)
    w = math.sqrt(OMEGA**2 - d * d)
    rest = torque / STIFF

    def exact(t):
        return rest + math.exp(-d * t) * (-rest * math.cos(w * t) + (START - d * rest) / w * math.sin(w * t))

    # Held for a step: order 1, half a step of a swing that the damper has left e^-3 of.
    assert sim["hinge"].angle == pytest.approx(exact(0.3), abs=0.5 * H * OMEGA * rest)
    sim.advance(3.0)
    assert sim["hinge"].angle == pytest.approx(rest, rel=1e-9)  # e^-30
    assert sim.inputs["push.force"] == pytest.approx(0.0, abs=1e-9)


@both
def test_a_wheel_follows_another_and_a_value_acts_in_the_step_after(method):
    """Master and slave: the set-point of a velocity motor is the rate of another hinge as it was a step ago."""
    b = gk.Builder(gravity=(0, 0, 0))
    for k, name in enumerate(("master", "slave")):
        b.body(name, mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), at=(k, 0, 0))
        b.add(gk.Hinge(name=f"pin {name}", a="world", b=name, at=(k, 0, 0), axis=(0, 0, 1)))
    b.add(gk.ForceMotor(name="push", on="pin master", force=3.0))
    b.add(gk.VelocityMotor(name="drive", on="pin slave", speed=0.0))
    b.add(link("pin master.rate", "drive.speed", factor=-2.0, offset=0.1))
    sim = gk.Simulation(b.build(), METHODS[method](h=H))
    before = 0.0
    for _ in range(5):
        sim.advance(H)
        assert sim["pin slave"].rate == pytest.approx(-2.0 * before + 0.1, abs=1e-9)
        before = sim["pin master"].rate
    assert before == pytest.approx(5 * H * 3.0 / INERTIA, rel=1e-9)


def test_a_ring_of_connections_is_a_delay_a_step_each():
    """Two velocity motors that are each asked for what the other does:  u' = 2 v,  v' = u / 2 + 1."""
    b = gk.Builder(gravity=(0, 0, 0))
    for k, name in enumerate("uv"):
        b.body(name, mass=1.0, inertia=(1, 1, 1), at=(k, 0, 0), angular_velocity=(0, 0, k + 1))
        b.add(gk.Hinge(name=f"pin {name}", a="world", b=name, at=(k, 0, 0), axis=(0, 0, 1)))
        b.add(gk.VelocityMotor(name=f"drive {name}", on=f"pin {name}", speed=0.0))
    b.add(link("pin v.rate", "drive u.speed", factor=2.0))
    b.add(link("pin u.rate", "drive v.speed", factor=0.5, offset=1.0))
    sim, u, v = gk.Simulation(b.build(), gk.RowStepping(h=H)), 1.0, 2.0
    for _ in range(6):
        sim.advance(H)
        u, v = 2 * v, u / 2 + 1
        assert (sim["pin u"].rate, sim["pin v"].rate) == pytest.approx((u, v), rel=1e-9)


def everything():
    """A body on a hinge that is off its centre of mass, a particle on a line, a brake: all kinds of outputs."""
    b = gk.Builder(gravity=(0, 1, -9.81))
    turn = (math.cos(0.2), math.sin(0.2), 0, 0)
    b.body("arm", mass=2.0, com=(0.1, 0.2, 0.3), inertia=(0.2, 0.3, 0.4), at=(1, 2, 3), rotation=turn)
    b.particle("bead", mass=1.0, at=(4, 5, 6), velocity=(0, 0.5, 0))
    b.add(gk.Hinge(name="hinge", a="world", b="arm", at=(1, 1, 3), axis=(0, 1, 0)))
    b.add(gk.BallOnLine(name="rail", a="world", b="bead", axis=(0, 1, 0)))
    b.add(gk.VelocityMotor(name="brake", on="hinge", speed=0.3, force_max=5.0))
    b.add(gk.DirectControl(name="hand", body="bead", force_max=2.0))
    b.add(gk.ForceMotor(name="probe", on="rail", force=0.0))
    return b


NUMBERS = ("hinge.angle", "hinge.rate", "rail.position", "rail.rate", "brake.force", "hand.fy")
VECTORS = {
    "xyz": (
        *("hinge.force", "hinge.torque", "arm.position", "arm.velocity", "arm.angular_velocity"),
        *("bead.position", "bead.velocity"),
    ),
    "wxyz": ("arm.orientation",),
}
OUTPUTS = [
    *((name, name, 0) for name in NUMBERS),
    *((f"{name}.{x}", name, k) for axes, names in VECTORS.items() for name in names for k, x in enumerate(axes)),
]


def test_every_output_is_what_its_sensor_reads():
    """All at once, on inputs of as many motors without effect (strength of 0 N): the bits of the sensor before."""
    b = everything()
    for k, (output, _, _) in enumerate(OUTPUTS):
        b.add(gk.VelocityMotor(name=f"m{k}", on="hinge", speed=0.0, force_max=0.0))
        b.add(link(output, f"m{k}.speed"))
    sim = gk.Simulation(b.build(), gk.RowStepping(h=H))
    sim.advance(5 * H)
    before = [np.ravel(sim.sensors[name])[k] for _, name, k in OUTPUTS]
    sim.advance(H)
    read = [sim.inputs[f"m{k}.speed"] for k in range(len(OUTPUTS))]
    np.testing.assert_allclose(read, before, rtol=1e-14, atol=1e-15)
    assert sum(abs(x) > 1e-6 for x in read) > 20  # most are not zero


def test_an_angle_goes_on_over_full_turns():
    sim = gk.Simulation(
        wheel(
            gk.VelocityMotor(name="m", on="hinge", speed=0.0, force_max=0.0), link("hinge.angle", "m.speed"), spin=50
        ),
        gk.RowStepping(h=0.01),
    )
    sim.advance(0.51)
    assert sim.inputs["m.speed"] == pytest.approx(25.0, rel=1e-9)


@both
def test_a_body_connected_to_the_pose_of_a_hand_leads_another(method):
    """A follower is led to where the leader was a step ago, a share kp h / (1 + kp h) of the way in a step."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("leader", mass=1.0, inertia=(1, 1, 1), velocity=(0.5, 0, 0))
    b.body("follower", mass=1.0, inertia=(1, 1, 1), at=(0, 1, 0))
    b.add(gk.DirectControl(name="hand", body="follower", mode="pose", rate=100.0))
    b.add(link("leader.position.x", "hand.x"))
    sim = gk.Simulation(b.build(), METHODS[method](h=H))
    sim.advance(0.2)
    # behind by one step of delay and v / rate; steady to e^-20 and the tolerance of joints
    lag = 0.5 * (1 / 100.0 + H)
    assert sim["leader"].position[0] == pytest.approx(0.1, rel=1e-12)
    assert sim["leader"].position[0] - sim["follower"].position[0] == pytest.approx(lag, rel=1e-6)


def test_a_copy_a_scene_and_a_restart_keep_connections():
    model = wheel(link("hinge.angle", factor=-STIFF))
    other = gk.read_scene(gk.scene_text(model))
    assert other == model
    np.testing.assert_array_equal(other.wired.links, model.wired.links)
    whole, half = (gk.Simulation(m, gk.RowStepping(h=H)) for m in (model, other))
    whole.advance(0.05)
    half.advance(0.02)
    rest = gk.Simulation(other, gk.RowStepping(h=H), state=half.state, time=half.time)
    rest.advance(0.03)
    np.testing.assert_array_equal(rest.state.flat, whole.state.flat)


def test_connections_may_be_added_before_what_they_connect():
    b = gk.Builder(gravity=(0, 0, 0))
    b.add(link("hinge.angle", factor=-STIFF))
    b.add(gk.ForceMotor(name="push", on="hinge", force=0.0))
    b.body("wheel", mass=2.0, inertia=(INERTIA, INERTIA, INERTIA), angular_velocity=(0, 0, START))
    b.add(gk.Hinge(name="hinge", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    first, second = (
        gk.Simulation(m, gk.RowStepping(h=H)) for m in (b.build(), wheel(link("hinge.angle", factor=-STIFF)))
    )
    first.advance(0.01)
    second.advance(0.01)
    np.testing.assert_array_equal(first.state.flat, second.state.flat)


@pytest.mark.parametrize(
    ("made", "found", "remedy"),
    [
        (lambda: wheel(link("hinge.angel")), "output is 'hinge.angel'", "'hinge.angle'"),
        (lambda: wheel(link("wheel.position")), "output is 'wheel.position'", "'wheel.position.x'"),
        (lambda: wheel(link("hinge.angle", "push.forse")), "input is 'push.forse'", "'push.force'"),
        (lambda: wheel(link("hinge.angle", "push")), "input is 'push'", "push"),
        (lambda: link(3, name="x"), "output is 3", "quotes"),
        (lambda: link("hinge.angle", factor=math.nan), "factor is nan", "factor"),
        (
            lambda: wheel(gk.DirectControl(name="hand", body="wheel", mode="pose"), link("hinge.angle", "hand.qz")),
            "a number of a quaternion",
            "control",
        ),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(made, found, remedy):
    with pytest.raises(gk.InputError) as caught:
        made()
    assert found in caught.value.found
    assert remedy in caught.value.remedy
    assert caught.value.element.startswith("connection ")


def test_a_connected_input_is_not_set_by_hand():
    sim = gk.Simulation(wheel(link("hinge.angle", name="spring")), gk.RowStepping(h=H))
    for inputs, name in ((sim.inputs, "push.force"), (sim["push"].inputs, "force")):
        with pytest.raises(gk.InputError, match="connection 'spring' sets in every step"):
            inputs[name] = 1.0
    assert sim["push"].inputs["force"] == 0.0
