"""Steps that are shortened where joints would give too much (I-108)."""

import math

import numpy as np
import pytest

import gelenk as gk

H, G, LENGTH, MASS = 0.01, 9.81, 0.5, 1.0


def pendulum(limit):
    """A point mass on a rod, let go from the horizontal: its pull grows from nothing to 3 m g at the bottom."""
    b = gk.Builder(gravity=(0, 0, -G))
    b.particle("bob", mass=MASS, at=(LENGTH, 0, 0))
    b.add(gk.Distance(name="rod", a="world", b="bob", at_a=(0, 0, 0)))
    return gk.Simulation(b.build(), gk.Impulse(h=H, impulse_limit=limit))


def height_of(force):
    """Of the bob where the rod pulls with ``force``:  3 m g sin(a), a below the horizontal."""
    return -LENGTH * force / (3 * MASS * G)


def test_steps_are_shortened_where_the_pull_is_above_the_limit():
    """Two parts halve the impulse of a step: they begin when h F passes the limit, and no part gives more."""
    limit = H * 20.0  # [N s], met at 20 N of 29 N
    sim, shortened = pendulum(limit), []
    while sim.time < 0.3:
        before = sim.info.get("shortened_steps", 0)
        sim.advance(H)
        shortened.append((sim["bob"].position[2], sim.info["shortened_steps"] > before))
        pieces = 2 if shortened[-1][1] else 1
        assert H / pieces * np.linalg.norm(sim["rod"].force) <= limit
    first = next(z for z, was in shortened if was)
    fall = math.sqrt(2 * G * LENGTH) * H  # the way of a step
    assert abs(first - height_of(20.0)) < fall
    assert all(was for z, was in shortened if z < height_of(20.0) - fall)


def test_a_limit_that_is_never_met_changes_nothing():
    free, limited = pendulum(math.inf), pendulum(1e3)
    free.advance(0.5)
    limited.advance(0.5)
    assert limited.info["shortened_steps"] == 0
    np.testing.assert_array_equal(free.state.flat, limited.state.flat)


def test_shorter_steps_are_steps_of_that_length():
    """With a limit below everything each step is taken in 64 parts, as with the step of a 64th."""
    limited = pendulum(1e-9)
    limited.advance(5 * H)
    b = pendulum(math.inf).model
    fine = gk.Simulation(b, gk.Impulse(h=H / 64))
    fine.advance(5 * H)
    np.testing.assert_allclose(limited["bob"].position, fine["bob"].position, atol=1e-12)


def test_a_limit_must_be_positive():
    with pytest.raises(gk.InputError, match="impulse_limit is 0"):
        gk.Impulse(impulse_limit=0.0)
