"""Where a sled enters curve 7 of the Whistler-like track, and what its driver does there (bobsleigh 6.9)."""

from functools import cache

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.worlds.bobsleigh.analysis.lines import classify
from gelenk.worlds.bobsleigh.analysis.runs import bends_of
from gelenk.worlds.bobsleigh.descent import EVERY, H, Seat, descent_of
from gelenk.worlds.bobsleigh.drive.scene import Grounds
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track

pytestmark = pytest.mark.skipif(not compiler.ENABLED, reason="some thousand steps of a sled")

SPEED, BEFORE = 30.5, 3.0  # as a descent arrives there [m/s], and where it begins before the curve [m]
PULL, HELD = np.radians(4.0), (20.0, 45.0)  # down, away from the wall, and where behind the entry [m]


@cache
def place():
    track = load_track("whistler-like")
    bend = bends_of(track)[6]
    return track, bend, Grounds(track).model(Setup(start_speed=SPEED), bend.entry - BEFORE)


@cache
def through(left, pull, h=H):
    """Curve 7 from an entry beside the track line [m], to the left, which is outside; the steering is held [rad]."""
    track, bend, model = place()
    state = model.initial_state()
    for body in model.bodies:
        if not body.static:
            state.p_WC[model.index(body.name)] += left * track.line.at([bend.entry - BEFORE]).left[0]
    sim, seat = gk.Simulation(model, gk.MoreauTree(h=h, order=1), state=state), Seat(track, None, None, near=bend.entry)

    def control(t, sim):
        seat(t, sim)
        sim.inputs["wheel.position"] = -pull if HELD[0] <= seat.seen[-1][1] - bend.entry < HELD[1] else 0.0

    while not seat.seen or seat.seen[-1][1] < bend.exit + 1.0:
        sim.advance(0.1, control=control, control_every=EVERY)
    return classify(descent_of(track.timing, seat.seen).line, bend)


@pytest.mark.parametrize("left", [-0.25, 0.0, 0.25])
def test_nobody_at_the_ropes_climbs_once_from_every_entry(left):
    """From inside to outside, nothing is done but what the ice does."""
    assert through(left, 0.0).kind == "one arc"


@pytest.mark.parametrize("h", [H, 5e-4])
def test_who_enters_inside_and_pulls_down_drives_two_arcs(h):
    """The same pull is two arcs from inside, and one from the middle and from outside."""
    two = through(-0.25, PULL, h)
    assert (two.entry_side, two.kind) == ("inside", "two arcs")
    assert two.arcs[1] - two.arcs[0] > 15.0
    assert through(0.25, PULL, h).kind == through(0.0, PULL, h).kind == "one arc"


def test_a_high_arc_leaves_no_faster_than_two_low_ones():
    """As the source found here. Steps of 0.5 and 0.2 ms differ by 0.01 m/s at the exit; five times that is even."""
    two, high = through(-0.25, PULL), through(-0.25, 0.0)
    assert high.highest - two.highest > 0.3
    assert two.exit_speed == pytest.approx(high.exit_speed, abs=0.05)
    assert two.time < high.time
