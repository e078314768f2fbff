"""The rocking block against Housner: loss at impacts, periods, limit cycle on shaken ground (B-28, B-29, V-50)."""

from itertools import pairwise

import numpy as np
import pytest

import gelenk as gk
from exact.rocking_block import RockingBlock, amplitudes, quarter, rocking

SLENDER = RockingBlock(half_width=0.125, half_height=0.5)
STOUT = RockingBlock(half_width=0.25, half_height=0.5)
METHODS = [gk.MoreauTree, gk.RowStepping, gk.Impulse]
EXACT = gk.ContactOptions(slop=1e-8)  # an overlap that is left is an angle of slop / 2b, which would be seen


def block_model(block, angle, shake=None):
    """A block of 1 kg, tilted about its edge at +x; ``shake`` are times and level forces over its weight."""
    b, h = block.half_width, block.half_height
    builder = gk.Builder()
    builder.material("rough", friction=5.0)
    builder.body("ground", shape=gk.Plane(), static=True, material="rough")
    at = (b - b * np.cos(angle) + h * np.sin(angle), 0, b * np.sin(angle) + h * np.cos(angle))
    turn = (np.cos(0.5 * angle), 0, np.sin(0.5 * angle), 0)
    builder.body("block", shape=gk.Box((2 * b, 0.3, 2 * h)), mass=1.0, at=at, rotation=turn, material="rough")
    if shake is not None:
        times, push = shake
        force = np.outer(push, [block.gravity, 0, 0])
        builder.add(gk.Wrench("shake", "block", force=force, times=tuple(times)))
    return builder.build()


def angles(model, method, dt, count):
    """Angle about +y every dt."""
    sim, seen = gk.Simulation(model, method), []
    for _ in range(count):
        sim.advance(dt)
        q = sim.state.q_WB[2]
        seen.append(2.0 * np.arctan2(q[2], q[0]))
    return np.array(seen)


def test_closed_form_of_a_swing_is_the_equation_of_motion():
    """Impacts by quadrature and by DOP853; amplitudes by Housner's ratio and as the largest angles in between."""
    swings = amplitudes(SLENDER, 0.15, 5)
    impacts = quarter(SLENDER, 0.15) + np.append(0.0, 2.0 * np.cumsum([quarter(SLENDER, a) for a in swings[1:]]))
    t = np.arange(1, 2500) * 1e-3
    motion = rocking(t, SLENDER, 0.15)
    np.testing.assert_allclose(motion.impacts[:5], impacts, rtol=0, atol=1e-8)
    largest = [np.abs(motion.angle[(t > a) & (t < b)]).max() for a, b in pairwise(impacts)]
    np.testing.assert_allclose(largest, swings[1:], rtol=0, atol=1e-6)  # samples of 1 ms miss the top by w' dt^2 / 8


@pytest.mark.parametrize("h", [1e-3, 2.5e-4])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_free_rocking_loses_what_housner_says_at_every_impact(method, h):
    """r^2 from the heights of swings before and after; and half periods.

    Order 1: the edge comes down up to a step late, and leaves up to two steps after. In each w changes by p^2 sin a h,
    so that r errs by three times that over w, and the amplitudes by as much for each impact.
    """
    dt, count = 2e-3, 1150
    angle = angles(block_model(SLENDER, 0.15), method(h=h, contact=EXACT), dt, count)
    t = dt * np.arange(1, count + 1)
    changes = np.flatnonzero(np.sign(angle[1:]) != np.sign(angle[:-1]))
    largest = np.array([np.abs(part).max() for part in np.split(angle, changes + 1)[:-1]])[:4]
    lifts, swings = SLENDER.lift(largest), amplitudes(SLENDER, 0.15, 4)
    speed = SLENDER.frequency * np.sqrt(2.0 * SLENDER.lift(swings[2]))
    share = 3.0 * SLENDER.frequency**2 * np.sin(SLENDER.slenderness) * h / speed
    np.testing.assert_allclose(np.sqrt(lifts[1:] / lifts[:-1]), SLENDER.ratio, rtol=share)
    np.testing.assert_allclose(largest, swings, rtol=6 * share)  # the angle goes with w^2, over three impacts
    exact = [quarter(SLENDER, 0.15), *(2.0 * quarter(SLENDER, a) for a in swings[1:])]
    np.testing.assert_allclose(np.diff(np.append(0.0, t[changes[:4]])), exact, rtol=6 * share, atol=dt)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_a_shaken_block_comes_to_the_limit_cycle(method):
    """Ground shaken at 20 rad/s with 0.9 g: rocking of the same period, whatever the start, 2.4 degrees to each side.

    Each half period errs by up to a step of 157; so does the cycle, in size and phase.
    """
    rate, cycles, samples = 20.0, 15, 40
    period = 2.0 * np.pi / rate
    dt = period / samples
    t = dt * np.arange(1, cycles * samples + 1)

    def push(time):
        return 0.9 * np.sin(rate * time)

    truth = rocking(t, STOUT, 0.06, push).angle.reshape(cycles, samples)
    assert np.abs(truth[-1] - truth[-2]).max() < 1e-3  # it is a cycle
    assert np.abs(truth[0] - truth[-1]).max() > 1e-2  # that it did not start in
    table = np.linspace(0.0, cycles * period + 0.01, 6000)
    seen = angles(block_model(STOUT, 0.06, (table, push(table))), method(h=dt / 16, contact=EXACT), dt, len(t))
    seen = seen.reshape(cycles, samples)
    assert np.abs(seen[-1] - truth[-1]).max() < 0.05 * np.abs(truth[-1]).max()
