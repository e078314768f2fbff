"""The clock while one drives (B-73), and what is heard (B-74 to B-76)."""

import math

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.drive.live_timing import LiveTiming
from gelenk.worlds.bobsleigh.drive.senses import hit, scratch, slip_angle, wind

PLACES = (50.0, 280.0, 660.0)


def driven(timing, a=2.0, v=8.0, begin=-5.0, h=1 / 600, t0=3.0, until=12.0):
    """A run with constant acceleration:  s = begin + v t + a t^2 / 2."""
    t = np.arange(0.0, until, h)
    for now in t:
        timing.step(t0 + now, begin + v * now + 0.5 * a * now**2)
    return timing


def crossing(place, a=2.0, v=8.0, begin=-5.0):
    return (-v + math.sqrt(v * v + 2 * a * (place - begin))) / a


@pytest.mark.parametrize("h", [1 / 60, 1 / 600])
def test_times_are_those_of_the_motion_up_to_the_error_of_a_straight_line(h):
    """Linear interpolation is off by at most a h^2 / 8 in place, so by a h^2 / (8 v) in time, at both ends."""
    timing = driven(LiveTiming(PLACES), h=h, until=25.0)
    start = crossing(0.0)
    for passed, place in zip(timing.passed, PLACES):
        assert abs(passed.time - (crossing(place) - start)) <= 2 * 2.0 * h * h / (8 * 8.0)
    assert timing.finished


def test_the_clock_stands_before_the_start_and_after_the_finish():
    timing = LiveTiming(PLACES)
    assert timing.clock(1.0) is None
    driven(timing, until=3.0)
    assert timing.clock(100.0) == pytest.approx(100.0 - timing.started)
    timing.restart()
    assert timing.clock(100.0) is None
    driven(timing, until=25.0)
    assert timing.clock(1000.0) == timing.passed[-1].time


def test_differences_are_to_the_best_run():
    timing = LiveTiming(PLACES)
    driven(timing, until=25.0)
    slow = LiveTiming(PLACES, [p.time for p in timing.passed])
    driven(slow, a=1.9, until=26.0)
    assert [name for name, *_ in slow.rows()] == ["50 m", "280 m", "finish"]
    assert all(behind > 0 for *_, behind in slow.rows())
    assert slow.behind(2) == pytest.approx(slow.passed[2].time - timing.passed[2].time)


def test_a_sled_that_rolls_back_passes_nothing_twice():
    timing = LiveTiming((10.0, 20.0))
    for t, s in enumerate((-1.0, 5.0, 12.0, 8.0, 12.0, 15.0)):
        timing.step(float(t), s)
    assert [p.place for p in timing.passed] == [10.0]


def test_one_long_step_passes_several_places():
    timing = LiveTiming((10.0, 20.0))
    timing.step(0.0, -1.0)
    assert [p.time for p in timing.step(1.0, 31.0)] == pytest.approx([10 / 32, 20 / 32])


def test_bad_places_and_times_are_refused():
    for places in ((), (10.0, 10.0), (0.0, 5.0)):
        with pytest.raises(InputError, match="rising"):
            LiveTiming(places)
    with pytest.raises(InputError, match="2 times for 3 places"):
        LiveTiming(PLACES, [1.0, 2.0])


def test_sounds_grow_with_what_makes_them_and_rest_is_silent():
    speeds = np.linspace(0, 40, 81)
    volumes = np.array([wind(v) for v in speeds])
    assert volumes[0, 1] == 0
    assert (np.diff(volumes, axis=0) > 0).all()
    hits = np.array([hit(v) for v in np.linspace(0, 2.5, 51)])
    assert hits[0] == 0
    assert (np.diff(hits[2:]) > 0).all()
    slips = np.array([scratch(slip, 20.0)[1] for slip in np.radians(np.linspace(0, 8, 33))])
    assert slips[0] == 0
    assert (np.diff(slips) > 0).all()
    assert scratch(0.1, 20.0) == scratch(-0.1, 20.0)
    assert scratch(0.1, 0.0)[1] == 0
    assert max(wind(1e3)[1], hit(1e3), scratch(3.0, 1e3)[1]) <= 1.0


def test_slip_is_the_angle_between_runner_and_way():
    assert slip_angle(20.0, 20.0) == pytest.approx(math.pi / 4)
    assert slip_angle(-20.0, 1.0) == pytest.approx(math.atan(0.05))  # also backwards
    assert slip_angle(0.0, 0.0) == 0.0
