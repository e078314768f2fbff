"""Velocities at the start: what joints do not allow is named, and fitted on request."""

import warnings
from itertools import pairwise

import numpy as np
import pytest

import gelenk as gk


def leg(velocity=(0, 0, 0), build=None):
    """A leg of 1 kg that hangs 0.5 m below its hinge and turns at 2 rad/s."""
    b = gk.Builder()
    b.body("leg", mass=1.0, inertia=(0.1, 0.08, 0.02), at=(0, 0, -0.5), velocity=velocity, angular_velocity=(0, 2.0, 0))
    b.add(gk.Hinge(name="hip", a="world", b="leg", at=(0, 0, 0), axis=(0, 1, 0)))
    return b.build(**(build or {}))


def test_velocities_that_part_a_joint_are_named():
    """w x r says -1 m/s of the centre; it is given at rest."""
    with pytest.warns(
        gk.StartWarning, match=r"hinge 'hip': the velocities at the start part it at 1 m/s.*assemble=True"
    ):
        leg()


def test_velocities_that_fit_are_not():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        leg(velocity=(-1.0, 0, 0))
        leg(build={"assemble": True})
    assert said == []


def test_fitted_velocities_are_what_the_blow_would_leave():
    """Angular momentum about the hinge stays: (I + m r^2) w' = I w."""
    sim = gk.Simulation(leg(build={"assemble": True}), gk.Impulse())
    rate = 0.08 * 2.0 / (0.08 + 0.25)
    assert sim["hip"].rate == pytest.approx(rate, rel=1e-12)
    np.testing.assert_allclose(sim["leg"].velocity, (-0.5 * rate, 0, 0), atol=1e-12)


def test_a_loop_of_bodies_is_fitted_with_its_redundant_rows():
    """A planar four-bar has three rows too many; all rates vanish, and a second fit changes nothing."""
    b = gk.Builder()
    corners = [(0, 0, 0), (0, 0, 0.3), (0.9, 0, 0.7), (1, 0, 0)]
    for k, (p, q) in enumerate(pairwise(corners)):
        middle = tuple((u + v) / 2 for u, v in zip(p, q))
        spin = {"velocity": (0.3 * k, 0.1, 0.2), "angular_velocity": (0.1, 1.0 - k, 0.2)}
        b.body(f"bar {k}", mass=1.0 + k, inertia=(0.02, 0.03, 0.04), at=middle, **spin)
    for k, at in enumerate(corners):
        ends = {"a": f"bar {k - 1}" if k else "world", "b": f"bar {k}" if k < 3 else "world"}
        b.add(gk.Hinge(name=f"pin {k}", at=at, axis=(0, 1, 0), **ends))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = b.build(assemble=True)
    again = gk.Builder.from_model(model).build(assemble=True)
    assert np.abs([body.angular_velocity[1] for body in model.bodies]).max() > 0.01
    for one, two in zip(model.bodies, again.bodies):
        np.testing.assert_allclose(one.velocity, two.velocity, atol=1e-12)
        np.testing.assert_allclose(one.angular_velocity, two.angular_velocity, atol=1e-12)
        assert one.velocity[1] == pytest.approx(0, abs=1e-12)
