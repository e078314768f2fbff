"""Split times and their statistics: samples of known mean and spread, places passed at known times (B-73, B-82)."""

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.splits import crossing_times, split_times
from gelenk.worlds.bobsleigh.analysis.statistics import beside_the_race, race_2010, simulator_2015, statistics

ERRORS = (1.1297, -0.7160, -0.0929, -0.7026, -0.1343, -0.3736)  # table 6.1, last row [%]


def samples(mean, sigma, count):
    """(count, k) random numbers shifted and scaled to exactly this mean and sample standard deviation."""
    x = np.random.default_rng(1).standard_normal((count, len(mean)))
    x -= x.mean(axis=0)
    return mean + sigma * x / np.sqrt((x**2).sum(axis=0) / (count - 1))


def test_samples_give_back_table_6_1():
    """Means and sigmas to round-off. Its errors come from numbers that were not rounded: the printed means leave each
    uncertain by twice half a unit of the last place, 1e-4 s of the time."""
    race, simulator = race_2010(), simulator_2015()
    found = statistics(race.places, samples(simulator.mean, simulator.sigma, 77))
    assert found.mean == pytest.approx(simulator.mean, rel=1e-13)
    assert found.sigma == pytest.approx(simulator.sigma, rel=1e-10)
    assert found.runs == 77
    off = np.abs(found.error_of_means(race) - ERRORS)
    assert (off <= 100 * 1e-4 / race.mean + 5e-5).all()


def test_a_run_that_crashed_is_left_out():
    race = race_2010()
    times = samples(race.mean, race.sigma, 80)
    crashed = np.full((1, 6), np.nan)
    crashed[0, :3] = times[0, :3]
    found = statistics(race.places, np.concatenate([times, crashed]))
    assert found.runs == 80
    assert found.sigma == pytest.approx(race.sigma, rel=1e-10)
    with pytest.raises(InputError, match="0 of 1 runs"):
        statistics(race.places, crashed)
    with pytest.raises(InputError, match="shape"):
        statistics(race.places, times[0])


def test_the_table_names_what_it_compares():
    heading, *rows = beside_the_race(simulator_2015())
    assert heading[1:4] == ("race mean", "sigma", "here mean")
    assert rows[-1][1] == "52.3270 s"
    assert rows[-1][-1] == "-0.37 %"
    with pytest.raises(InputError, match="measuring points"):
        statistics([1.0, 2.0], [[1, 2], [1, 3]]).error_of_means(race_2010())


def moved(t):
    """s = 8 t + t^2 / 2, its rate, and when it is at a place."""
    return 8 * t + 0.5 * t**2, 8 + t


def test_places_are_passed_at_their_times():
    """Straight lines between samples miss a place by at most h^2 a / 8, so its time by that over the speed; cubics of
    a motion of degree 2 are exact."""
    h, places = 0.01, np.array([0.0, 50.0, 280.0])
    t = np.arange(0.0, 20.0, h) - 1.0
    s, rate = moved(t)
    exact = -8 + np.sqrt(64 + 2 * places)
    straight = crossing_times(t, s, places)
    assert (np.abs(straight - exact) <= h**2 / 8 / 8).all()
    assert np.abs(straight - exact).max() > 1e-9  # not by accident
    assert crossing_times(t, s, places, rate) == pytest.approx(exact, abs=1e-12)


def test_cubics_have_order_four():
    """s = 10 t - cos(3 t): its fourth derivative is at most 81."""
    errors = []
    for h in (0.1, 0.05):
        t = np.arange(0.0, 5.0, h)
        places = np.linspace(1.0, 40.0, 200)
        found = crossing_times(t, 10 * t - np.cos(3 * t), places, 10 + 3 * np.sin(3 * t))
        errors.append(np.abs(10 * found - np.cos(3 * found) - places).max())
        assert errors[-1] <= 81 * h**4 / 384
    assert 12 < errors[0] / errors[1] < 20


def test_the_clock_starts_at_zero():
    """A run that begins 40 m earlier has the same splits as one that begins at 0 with the speed it has there."""
    t = np.arange(0.0, 30.0, 0.01)
    s = -40 + 6 * t + t**2
    at_zero = -3 + np.sqrt(49)
    splits = split_times(t, s, [50.0, 1e4], 6 + 2 * t)
    assert splits[0] == pytest.approx(-3 + np.sqrt(99) - at_zero, abs=1e-10)
    assert np.isnan(splits[1])
    assert split_times(t, s + 40, [50.0], 6 + 2 * t) == pytest.approx([-3 + np.sqrt(59)], abs=1e-10)
    assert np.isnan(split_times(t, s + 60, [50.0])).all()  # began behind the start: no clock


def test_a_sled_that_turns_back_passes_once():
    t = np.linspace(0, 2 * np.pi, 1001)
    assert crossing_times(t, np.sin(t), [0.5]) == pytest.approx([np.pi / 6], abs=1e-5)
