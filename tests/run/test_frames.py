"""Named frames in simulations and runs: fixed in the world, and turning with a body."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.quat import quat_exp
from gelenk.math.vec3 import Vec3

TURN = tuple(quat_exp(Vec3(0.3, -0.5, 0.2)))


def test_a_frame_in_the_world_stands_still():
    b = gk.Builder()
    b.particle("stone", mass=1.0)
    b.frame("post", "world", at=(1, 2, 3), rotation=TURN)
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=0.01))
    run = sim.run(0.02, progress=False)
    for what, value in (("position", (1, 2, 3)), ("orientation", TURN), ("velocity", 0), ("angular_velocity", 0)):
        np.testing.assert_allclose(getattr(sim["post"], what), value, rtol=1e-15)
        series = getattr(run["post"], what)
        np.testing.assert_allclose(series, np.broadcast_to(value, series.shape), rtol=1e-15)
        assert len(series) == 3


def test_a_frame_on_a_spinning_body_goes_in_a_circle(tmp_path):
    """About z through the centre of mass:  p = r (cos, sin),  v = w r,  turned by the same angle.

    Runge-Kutta of order 4 is behind by (h w / 2)^4 / 120 of an angle of 0.6 rad, 3e-10.
    """
    b, w = gk.Builder(gravity=(0, 0, 0)), 3.0
    b.body("disc", mass=1.0, inertia=(1, 1, 2), at=(1, 0, 0), angular_velocity=(0, 0, w))
    b.frame("rim", "disc", at=(0.5, 0, 0))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=0.01))
    sim.run(0.2, file=tmp_path / "run.h5", progress=False)
    with gk.load_run(tmp_path / "run.h5") as run:
        rim, a = run["rim"], w * run.time
        place = np.column_stack([1 + 0.5 * np.cos(a), 0.5 * np.sin(a), 0 * a])
        speed = 0.5 * w * np.column_stack([-np.sin(a), np.cos(a), 0 * a])
        np.testing.assert_allclose(rim.position, place, rtol=0, atol=1e-9)
        np.testing.assert_allclose(rim.velocity, speed, rtol=0, atol=1e-9)
        np.testing.assert_allclose(rim.angular_velocity, [[0, 0, w]] * len(a), rtol=0, atol=1e-9)
        np.testing.assert_array_equal(run["rim.position.x"], rim.position[:, 0])
        with pytest.raises(gk.InputError, match="rimm"):
            run["rimm.position"]
    np.testing.assert_allclose(sim["rim"].position, place[-1], rtol=0, atol=1e-9)
    np.testing.assert_allclose(sim["rim"].velocity, speed[-1], rtol=0, atol=1e-9)
    assert sim["rim"].orientation[3] == pytest.approx(math.sin(0.5 * w * 0.2), abs=1e-9)
