"""The particle on the ice (bobsleigh 9.6b): inclines, a half-pipe as a pendulum, books that balance."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

from gelenk.errors import InputError
from gelenk.geometry.ruled import find_gap, ruled_track
from gelenk.math.vec3 import vec3
from gelenk.worlds.bobsleigh.compare.particle import Particle, slide_particle

FREE = {"drag_area": 0.0, "sideways": 0.0}


def straight(section, slope=0.0, length=400.0):
    """A straight track along +y through (m, 2) points (to the right, up)."""
    s = np.arange(-2.0, length, 0.5)
    across = np.asarray(section, dtype=float)
    centre = np.stack([0 * s, s, slope * s], axis=1)
    points = centre[:, None, :] + np.stack([across[:, 0], 0 * across[:, 0], across[:, 1]], axis=1)
    return ruled_track(s, points, centre, np.tile([0.0, 1.0, 0.0], (len(s), 1)))


FLAT = [(x, 0.0) for x in np.linspace(-1, 1, 9)]


def test_it_slides_down_an_incline():
    """a = g (sin - mu cos) along the slope; the sink of half a step's fall, 1e-6 m, is all that is not exact."""
    slope, mu, h = -0.1, 0.004, 5e-4
    cos = 1 / math.hypot(1, slope)
    a = 9.81 * (-slope * cos - mu * cos)
    run = slide_particle(
        straight(FLAT, slope), Particle(friction=mu, **FREE), (0, 0, 0), (0, 8 * cos, 8 * slope * cos), 5
    )
    along = run.position @ [0, cos, slope * cos]
    assert along == pytest.approx(8 * run.t + a * run.t**2 / 2, rel=1e-5, abs=20 * 9.81 * h**2)
    assert np.abs(run.gap).max() < 20 * 9.81 * h**2
    assert run.load[-100:].mean() == pytest.approx(cos, rel=1e-3)
    assert run.airborne[-1] < 0.1


def pipe(radius, points):
    angle = np.linspace(-1.2, 1.2, points)
    return straight(np.stack([radius * np.sin(angle), radius * (1 - np.cos(angle))], axis=1), length=20.0)


def test_it_swings_in_a_half_pipe_as_a_pendulum():
    """T = 4 sqrt(R/g) K(sin^2(A/2)). Chords of angle a lie within R a^2 / 8 of the circle."""
    radius, amplitude = 2.0, 0.8
    start = (radius * math.sin(amplitude), 1.0, radius * (1 - math.cos(amplitude)))
    run = slide_particle(pipe(radius, 301), Particle(friction=0.0, **FREE), start, (0, 0, 0), 12.0, h=2e-4)
    x = run.position[:, 0]
    crossings = np.flatnonzero((x[:-1] > 0) & (x[1:] <= 0))
    times = run.t[crossings] + (run.t[1] - run.t[0]) * x[crossings] / (x[crossings] - x[crossings + 1])
    period = 4 * math.sqrt(radius / 9.81) * ellipk(math.sin(amplitude / 2) ** 2)
    assert np.diff(times) == pytest.approx(period, rel=2e-3)
    assert np.abs(run.gap).max() < 1e-3


def test_books_balance_to_round_off():
    """Kinetic and potential energy and all that was spent: 2400 steps of round-off."""
    track, particle = pipe(2.0, 41), Particle(friction=0.01)
    run = slide_particle(track, particle, (1.2, 1.0, 0.6), (0.0, 3.0, 0.0), 1.2, h=5e-4)
    energy = 0.5 * 390 * (run.velocity**2).sum(axis=1) + 390 * 9.81 * run.position[:, 2] + run.spent.sum(axis=1)
    assert np.ptp(energy) < 1e-12 * 2400 * energy[0]
    assert (np.diff(run.spent[:, :3], axis=0) >= 0).all()
    assert run.spent[-1, 1] > 0


def test_it_flies_where_the_track_falls_away():
    """Off an edge it is a throw: v^2 / 2 + g z and the level speed stay, and no ice carries it."""
    s = np.arange(-2.0, 60.0, 0.5)
    centre = np.stack([0 * s, s, np.where(s < 5, 0.0, -3.0 * (s - 5))], axis=1)
    points = centre[:, None, :] + np.array([(x, 0, 0) for x in np.linspace(-1, 1, 9)])
    track = ruled_track(s, points, centre, np.tile([0.0, 1.0, 0.0], (len(s), 1)))
    run = slide_particle(track, Particle(friction=0.0, **FREE), (0, 0, 0), (0, 10, 0), 1.5)
    flying = run.t > 0.7
    z = run.position[flying]
    t = run.t[flying] - run.t[flying][0]
    assert run.velocity[flying, 1] == pytest.approx(run.velocity[flying, 1][0], rel=1e-12)
    assert z[:, 2] == pytest.approx(z[0, 2] + run.velocity[flying, 2][0] * t - 9.81 * t**2 / 2, abs=1e-9)
    assert (run.load[flying] == 0).all()


def test_gaps_are_measured_along_normals():
    """Over an incline across the track, and beyond both ends of the sections."""
    track = straight([(x, 0.5 * x) for x in np.linspace(-1, 1, 5)])
    for start in (0, 300):
        i, share, gap, n = find_gap(track, vec3((0.2, 7.3, 0.1 + 0.4)), start)
        assert track.s[i] + 0.5 * share == pytest.approx(7.3)
        assert gap == pytest.approx(0.4 / math.hypot(1, 0.5))
        assert tuple(n) == pytest.approx((-0.5 / math.hypot(1, 0.5), 0, 1 / math.hypot(1, 0.5)))


def test_points_that_coincide_take_the_normal_beside_them():
    track = straight([(-1, 0), (0, 0), (0.5, 0), (1, 0), (1, 0), (1, 0)])
    assert track.normal == pytest.approx(np.tile([0.0, 0.0, 1.0], (*track.normal.shape[:2], 1)))
    with pytest.raises(InputError, match="all points of section 0"):
        straight([(1, 0)] * 5)
