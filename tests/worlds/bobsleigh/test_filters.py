"""Filters of the steering moment: gains of sines, no delay, excursions (B-77, B-86)."""

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.filters import excursions, low_pass, window_mean

H = 1e-3
T = np.arange(0.0, 20.0, H)
INNER = slice(4000, 16000)  # whole periods, away from both ends


def gain(made, f):
    """What a sine became: the part in phase with it and that a quarter later."""
    s, c = np.sin(2 * np.pi * f * T), np.cos(2 * np.pi * f * T)
    return 2 * np.mean((made * s)[INNER]), 2 * np.mean((made * c)[INNER])


@pytest.mark.parametrize("f", [0.5, 1.0, 2.0, 4.0, 8.0])
def test_slow_parts_pass_without_delay(f):
    """Gain 1 / (1 + (f/2)^4). Samples warp the frequency as tan: at 8 Hz of 1 kHz by 2e-4, so the gain by 1e-3."""
    inside, quarter = gain(low_pass(np.sin(2 * np.pi * f * T), H), f)
    assert inside == pytest.approx(1 / (1 + (f / 2) ** 4), rel=1e-3, abs=1e-6)
    assert quarter == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("f", [10.0, 25.0, 50.0])
def test_a_mean_over_ten_milliseconds(f):
    """Ten samples: gain |sin(10 x) / (10 sin x)| with x = pi f h."""
    made = window_mean(np.sin(2 * np.pi * f * T), H)
    x = np.pi * f * H
    assert np.hypot(*gain(made, f)) == pytest.approx(abs(np.sin(10 * x) / (10 * np.sin(x))), rel=1e-9)


def test_a_mean_is_that_of_what_there_is():
    made = window_mean(np.stack([np.arange(1.0, 6.0), np.ones(5)], axis=1), 0.01, 0.02)
    assert made[:, 0].tolist() == [1.0, 1.5, 2.5, 3.5, 4.5]
    assert made[:, 1].tolist() == [1.0] * 5


def test_constants_and_short_runs_stay():
    assert low_pass(np.full(30, 7.0), 0.01) == pytest.approx(np.full(30, 7.0), rel=1e-12)
    with pytest.raises(InputError, match="Record more often"):
        low_pass(np.ones(100), 0.5)


def test_excursions_alternate():
    x = np.sin(T[:4001] * np.pi) * np.exp(-T[:4001])
    found = excursions(x, 0.1)
    assert np.sign(x[found]).tolist() == [1.0, -1.0]  # the third has exp(-2.5), below 0.1
    assert T[found] == pytest.approx(np.arctan(np.pi) / np.pi + np.arange(2), abs=H)
    assert len(excursions(np.zeros(5), 1.0)) == 0
