"""Devices of six axes: a 3D mouse gives velocities, a tracked glove gives poses (V-112)."""

import threading

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.equip import Equipment
from gelenk.view.from_page import SetInput
from gelenk.view.session import Session
from view.models import H, falling_simulation
from view.pages import viewed
from view.test_touch import equipped, take


def held(mode):
    """A body that floats, with a hand on it."""
    b = gk.Builder(name="held", gravity=(0, 0, 0))
    b.body("hand", shape=gk.Box((0.2, 0.1, 0.05)), density=500)
    b.add(gk.DirectControl(name="control", body="hand", mode=mode, rate=20.0))
    return gk.Simulation(b.build(), gk.RowStepping(h=H))


def test_a_3d_mouse_moves_a_body_in_six_axes():
    """Its x is to the right, its y toward the user, its z down; each goes to its own axis of the world."""
    mouse = gk.SixAxes("mouse", to="control", speed=0.5, turn=2.0)
    session, heard, _ = equipped(held("velocity"), inputs=[mouse])
    told = {device.name: (device.axis, device.high) for device in session.scene.devices}
    assert told["mouse vx"] == (0, 0.5)
    assert told["mouse wz"] == (5, 2.0)
    for k, name in enumerate(("vx", "vy", "vz")):
        take(session, SetInput(f"mouse {name}", 0.1 * (k + 1)))
    take(session, steps=20)
    np.testing.assert_allclose(session.sim["hand"].velocity, (0.1, -0.2, -0.3), atol=1e-9)
    np.testing.assert_allclose(mouse.velocity, (0.1, -0.2, -0.3), atol=1e-15)
    take(session, SetInput("mouse vx", 9.0), SetInput("mouse wz", -1.0), steps=20)
    assert session.sim["hand"].velocity[0] == pytest.approx(0.5, abs=1e-9), "no more than its speed"
    np.testing.assert_allclose(session.sim["hand"].angular_velocity, (0, 0, 1.0), atol=1e-6)
    np.testing.assert_allclose(mouse.angular_velocity, (0, 0, 1.0), atol=1e-15)
    assert not heard.problems()


@pytest.mark.parametrize("signs", [(a, b, c) for a in (1, -1) for b in (1, -1) for c in (1, -1)], ids=str)
def test_any_signs_give_the_motion_of_one_body(signs):
    """The velocity v + w x r of every point r of the device, with its axes turned or mirrored, is that of the body.

    S (v + w x r) = v' + w' x S r  for all r  holds for w' = det(S) S w alone: S (w x r) = det(S) (S w x S r).
    """
    mouse = gk.SixAxes("mouse", to="control", signs=signs)
    session, heard, _ = equipped(held("velocity"), inputs=[mouse])
    v, w = np.array([0.3, -0.2, 0.5]), np.array([0.7, 0.4, -0.6])
    for name, value in zip(("vx", "vy", "vz", "wx", "wy", "wz"), (*v, *w)):
        take(session, SetInput(f"mouse {name}", float(value)))
    S = np.diag(signs)
    for r in np.eye(3):
        point = mouse.velocity + np.cross(mouse.angular_velocity, S @ r)
        np.testing.assert_allclose(point, S @ (v + np.cross(w, r)), atol=1e-15)
    handed = [session.sim.inputs[f"control.{name}"] for name in ("vx", "vy", "vz", "wx", "wy", "wz")]
    np.testing.assert_array_equal(handed, (*mouse.velocity, *mouse.angular_velocity))
    assert not heard.problems()


def fake_tracker(count):
    """A glove that goes round a circle of 0.3 m while it turns about z."""
    for angle in np.linspace(0, 1.5, count):
        yield (0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.1), (np.cos(0.5 * angle), 0, 0, np.sin(0.5 * angle))


def test_a_tracked_glove_is_followed():
    glove = gk.TrackedPose("glove", to="control", at=(0, 0, 1))
    session, heard, _ = equipped(held("pose"), inputs=[glove])
    take(session, steps=10)
    np.testing.assert_allclose(session.sim["hand"].position, 0, atol=1e-12, err_msg="before the first it stays")
    for position, orientation in fake_tracker(40):
        glove.put(position, orientation)
        take(session, steps=10)
    take(session, steps=800)  # the way left falls by exp(-20 t)
    np.testing.assert_allclose(session.sim["hand"].position, (*position[:2], 1.1), atol=1e-5)
    np.testing.assert_allclose(np.abs(session.sim["hand"].orientation @ np.array(orientation)), 1.0, atol=1e-8)
    np.testing.assert_allclose(glove.position, (*position[:2], 1.1), atol=1e-15)
    assert not heard.problems()


def test_a_program_writes_poses_from_a_thread_of_its_own():
    """The view plays meanwhile; whatever is read of a pose belongs together."""
    seen = []
    glove = gk.TrackedPose("glove", to=lambda sim, position, orientation: seen.append((position[0], orientation[3])))
    with viewed(falling_simulation(), inputs=[glove]) as view:

        def write():
            for k in range(4000):
                angle = 0.001 * (k % 1000)
                glove.put((angle, 0, 0), (np.cos(angle), 0, 0, np.sin(angle)))

        writer = threading.Thread(target=write)
        writer.start()
        writer.join()
        at = view.sim.time
        while view.sim.time < at + 0.1:
            writer.join(0.01)
    assert seen
    np.testing.assert_allclose([np.sin(x) for x, _ in seen], [z for _, z in seen], atol=1e-12)


def test_without_a_view_a_control_function_hands_it_on():
    sim, glove = held("pose"), gk.TrackedPose("glove", to="control", scale=2.0)
    glove.put((0.1, 0, 0))
    sim.advance(1.0, control=lambda t, now: glove.apply(now))
    np.testing.assert_allclose(sim["hand"].position, (0.2, 0, 0), atol=1e-6)  # exp(-20) of the way is left


def test_a_pose_whose_hand_is_taken_out_is_told_once_and_it_plays_on():
    glove = gk.TrackedPose("glove", to="control")
    session, heard, _ = equipped(held("pose"), inputs=[glove])
    glove.put((1, 0, 0))
    session.exchange(session.sim.changed(lambda b: b.remove("control")))
    take(session, steps=20)
    take(session, steps=20)
    assert len(heard.problems()) == 1
    assert not session.failure


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: gk.SixAxes("m", speed=0.0),
        lambda: gk.SixAxes("m", axes=(0, 1, 2)),
        lambda: gk.SixAxes("m", axes=(0, 0, 1, 2, 3, 4)),
        lambda: gk.SixAxes("m", signs=(1, 2, 3)),
        lambda: gk.SixAxes("m", to=3),
        lambda: gk.TrackedPose("g", to=3),
        lambda: gk.TrackedPose("g", scale=-1.0),
        lambda: gk.TrackedPose("g").put((0, 0, np.nan)),
        lambda: gk.TrackedPose("g").put((0, 0, 0), (2, 0, 0, 0)),
        lambda: Equipment(Session(falling_simulation()), inputs=[gk.SixAxes("m", to="nothing")]),
        lambda: Equipment(Session(held("pose")), inputs=[gk.SixAxes("m", to="control")]),
        lambda: Equipment(Session(held("velocity")), inputs=[gk.TrackedPose("g", to="control")]),
        lambda: Equipment(Session(falling_simulation()), inputs=[gk.SixAxes("m"), gk.Input("m vx")]),
    ],
)
def test_bad_devices_are_refused(wrong):
    with pytest.raises(gk.InputError):
        wrong()
