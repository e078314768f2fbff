"""Parts of a track driven again and again: bumpers and ice, going on from a moment, better lines (B-90)."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from gelenk.worlds.bobsleigh.pilot.easy_line import EasyLine
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
from gelenk.worlds.bobsleigh.pilot.programme import Programme
from gelenk.worlds.bobsleigh.pilot.refine import BEHIND, BESIDE, HIT, LATE, NEAR, TIME, cost_of, refine
from gelenk.worlds.bobsleigh.pilot.rehearsal import Drive, Rehearsal, RehearsalPlan
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track

S13 = load_track("s13")


@cache
def rehearsal():
    return Rehearsal(RehearsalPlan(track=S13, setup=Setup(), pilot=Pilot(), h=5e-4))


@cache
def easy():
    """The easy line of the first 130 m, as a programme."""
    line = EasyLine(S13, rehearsal().banking)
    s = np.arange(0.0, 140.0, 0.5)
    w = [line.target(a, v) for a, v in zip(s, np.interp(s, line.s, line.speed))]
    return Programme(rehearsal().banking, s, w, np.zeros(len(s)))


@cache
def driven():
    return rehearsal().drive(easy(), 122.0, keep=True)


@pytest.mark.parametrize("left", [0.1, 0.2])
def test_bumpers_are_where_the_straight_is_wide(left):
    """0.45 m to the side of the sled and 0.22 m up: the inner wall, on the left, is at 0.70 m.

    On the right nothing is as near as the floor, which bends away by 0.03 m along the sled.
    """
    state, clearance = rehearsal().model.initial_state(), rehearsal().clearance
    bodies = [rehearsal().model.index(name) for name in clearance.bodies]
    p = state.p_WC[bodies] + left * S13.line.at([0.0]).left[0]
    found = clearance.of(p[None], state.q_WB[bodies][None], 0.0)[0]
    assert found[::2] == pytest.approx(0.25 - left, abs=2e-3)
    assert found[1::2] == pytest.approx(0.22, abs=0.035)


def test_what_touches_is_where_the_clearance_says():
    """Two roads: contacts of the bumpers' segments with the smooth sheet, and distances from polylines.

    Chords of the fillets, 1/8 of a quarter circle of 0.1 to 0.6 m, are off by up to r (1 - cos(pi/32)) = 3 mm.
    """
    run = driven()
    nearest = run.clear.min(axis=1)
    assert run.touched.sum() >= 3  # the easy line is not clean
    assert nearest[run.touched].max() < 3e-3
    assert nearest.min() > -5e-3


def test_a_drive_goes_on_from_a_moment():
    run = driven()
    k = 700
    again = rehearsal().drive(easy(), 122.0, run.moments[k])
    n = len(run.t) - k
    assert again.t[0] == run.t[k]
    assert again.w[:n] == pytest.approx(run.w[k:], abs=1e-6)
    assert again.clear[:n] == pytest.approx(run.clear[k:], abs=1e-6)


def test_a_hit_costs_the_square_of_its_speed():
    """A rear bumper comes to its wall with 0.5 m/s and stays there for a tenth of a second."""
    t = 0.01 * np.arange(100)
    clear = np.full((100, 4), 0.3)
    clear[:, 2] = np.clip(0.3 - 0.5 * t, 0.0, None)
    stays = (clear[:, 2] < NEAR).sum() * 0.01
    zero = np.zeros(100)
    cost = cost_of(Drive(t, zero, zero, zero, zero, zero, zero, clear, zero > 0, ()))
    hit = HIT * 0.5 * 0.5**2
    time = TIME * (((NEAR - np.minimum(clear[:, 2], NEAR)) / NEAR) ** 2).sum() * 0.01
    assert time < TIME * stays
    assert cost == pytest.approx(hit + time, rel=1e-6)


def test_refining_a_curve_tells_what_its_programme_costs():
    """Not more than before; driven anew, with the calm pilot and two who err, its programme costs what was told."""
    told, pilot, until = [], Pilot(), 114.0 + BEHIND
    made = refine(rehearsal().plan, easy(), curves=[1], rounds=2, size=6, told=told.append)
    assert [x.number for x in told] == [1]
    assert told[0].after <= told[0].before
    late = Rehearsal(replace(rehearsal().plan, pilot=replace(pilot, delay=LATE)))
    beside = [Programme(made.banking, made.s, made.line + x, made.steering_deg) for x in (-BESIDE, BESIDE)]
    drives = [rehearsal().drive(made, until), *(late.drive(x, until) for x in beside)]
    assert told[0].after == pytest.approx(sum(map(cost_of, drives)), rel=1e-6)
