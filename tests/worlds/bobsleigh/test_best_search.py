"""The search behind faster lines: known optima, equal for equal seeds, Ctrl-C, what energy is worth (B-91)."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.best.search import search
from gelenk.worlds.bobsleigh.best.worth import seconds_per_energy
from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.point_mass import PointMass, slide

TURN = np.linalg.qr(np.random.default_rng(3).standard_normal((5, 5)))[0]
WHERE = np.array([0.3, -0.2, 0.5, 0.1, -0.4])


def valley(xs):
    """A valley a hundred times as long as wide, across all axes, deepest at WHERE."""
    return [float((((x - WHERE) @ TURN) ** 2) @ np.geomspace(1.0, 1e4, 5)) for x in xs]


def test_it_finds_the_bottom_of_a_valley():
    found = search(valley, np.zeros(5), 0.3, rounds=300, enough=1e-7, seed=1)
    np.testing.assert_allclose(found.x, WHERE, atol=1e-5)
    assert found.cost == valley([found.x])[0]
    assert found.first == valley([np.zeros(5)])[0]
    assert not found.stopped


def fall_time(y, width=2.0, depth=1.0):
    """Of a bead on a wire of straight pieces through (0, 0), evenly spaced points at depths y, (width, depth)."""
    y = np.concatenate(([0.0], y, [depth]))
    if (y[1:] <= 0.0).any():
        return np.inf
    v = np.sqrt(2.0 * 9.81 * y)
    return float((2.0 * np.hypot(width / (len(y) - 1), np.diff(y)) / (v[1:] + v[:-1])).sum())


def cycloid_time(width=2.0, depth=1.0):
    """Of the fastest wire of all: x = r (a - sin a), y = r (1 - cos a), t = a sqrt(r / g)."""
    a = brentq(lambda a: (a - np.sin(a)) / (1.0 - np.cos(a)) - width / depth, 1e-3, 2.0 * np.pi - 1e-3)
    return a * np.sqrt(depth / (1.0 - np.cos(a)) / 9.81)


def test_it_finds_the_line_of_quickest_descent():
    """The best wire of nine pieces, as a method with gradients finds it, and not far above Bernoulli's cycloid."""
    straight = np.linspace(0.0, 1.0, 10)[1:-1]
    found = search(lambda ys: [fall_time(y) for y in ys], straight, 0.1, rounds=400, enough=1e-6, seed=2)
    best = minimize(fall_time, found.x, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 20000})
    assert found.cost == pytest.approx(best.fun, rel=1e-7)
    assert found.first == pytest.approx(np.sqrt(2.0 * (1.0 + 4.0) / (9.81 * 1.0)), rel=1e-12)  # straight down a slope
    # Straight pieces lose most in the first one, where the cycloid falls steeply: 1.5 % with nine pieces.
    assert 1.0 < found.cost / cycloid_time() < 1.02
    assert found.x.max() > 1.0  # it goes below its end, as the cycloid does for a width above pi/2 of the depth


def test_equal_seeds_give_equal_searches():
    one, again, other = (search(valley, np.zeros(5), 0.3, rounds=10, seed=seed) for seed in (4, 4, 5))
    assert one.x.tobytes() == again.x.tobytes()
    assert (one.cost, one.trials) == (again.cost, again.trials)
    assert other.x.tobytes() != one.x.tobytes()


def test_trials_stay_in_their_box_and_failures_lose():
    seen = []

    def costs(xs):
        seen.extend(xs)
        return [np.nan if x[0] < 0.0 else float((x - 2.0) @ (x - 2.0)) for x in xs]

    found = search(costs, [0.1, 0.0], 0.5, bound=1.0, rounds=60, seed=0)
    assert np.abs(seen).max() <= 1.0
    assert found.x == pytest.approx([1.0, 1.0], abs=1e-6)  # the corner nearest to (2, 2)


def test_ctrl_c_keeps_the_best():
    calls = []

    def costs(xs):
        calls.append(len(xs))
        if len(calls) == 6:
            raise KeyboardInterrupt
        return valley(xs)

    told = []
    found = search(costs, np.zeros(5), 0.3, rounds=50, seed=1, told=lambda turn, least: told.append(least))
    assert found.stopped
    assert found.cost == told[-1] == valley([found.x])[0] < found.first
    assert found.trials == sum(calls[:5])


def test_a_search_from_nowhere_is_refused():
    with pytest.raises(InputError, match="finite numbers"):
        search(valley, [np.nan], 0.1)


def test_energy_is_worth_what_a_point_mass_says():
    """dT/de of two descents that begin a little faster and slower, from the same start; friction with the load."""
    line, finish, dv = load_track("s13").line, 1450.0, 1e-3
    runs = [slide(line, PointMass(friction=0.01, start_speed=8.0 + x), finish) for x in (-dv, 0.0, dv)]
    per_energy = (runs[0].t[-1] - runs[2].t[-1]) / (0.5 * (runs[2].speed[0] ** 2 - runs[0].speed[0] ** 2))
    worth = seconds_per_energy(line, runs[1].s, runs[1].speed, PointMass(friction=0.01))
    assert worth[0] == pytest.approx(per_energy, rel=1e-4)
    assert worth[-1] == 0.0
    assert (np.diff(worth) < 0.0).all()
