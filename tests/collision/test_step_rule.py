"""Largest step against tunnelling (H-73), and for how long a pair need not be tested (H-74)."""

import math

import numpy as np
import pytest

from gelenk.collision.step_rule import largest_step, time_to_contact
from gelenk.errors import InputError

PLATE, BALL, ZONE, SPEED = 0.01, 0.005, 0.01, 60.0  # thickness, radius, distance where a force begins [m]; [m/s]


def noticed(start, h):
    """Whether a ball that flies at a plate is ever within the zone before it at the times 0, h, 2 h ..."""
    x = start - SPEED * h * np.arange(int(2 * start / (SPEED * h)) + 2)  # of its centre before the middle of the plate
    d = x - PLATE / 2 - BALL
    return bool(((d > 0) & (d <= ZONE)).any())


def test_figure_of_ball_and_plate():
    """biomechanics 4.11: at 60 m/s and a zone of 1 cm, 1 ms goes 6 cm and misses the plate, 0.1 ms goes 0.6 cm."""
    most = largest_step(ZONE, SPEED)
    assert most == pytest.approx(1e-2 / 60.0, rel=1e-15)
    assert 1e-4 < most < 1e-3
    starts = np.linspace(0.3, 0.4, 1001)
    assert all(noticed(s, 1e-4) for s in starts)
    assert all(noticed(s, 0.9999 * most) for s in starts)
    # ways of 6 cm find a zone of 1 cm one time in six
    share = np.mean([noticed(s, 1e-3) for s in starts[:600]])
    assert share == pytest.approx(1 / 6, abs=2 / 600)


@pytest.mark.parametrize(("zone", "speed"), [(0.0, 1.0), (1.0, 0.0), (-1.0, 1.0), (math.nan, 1.0), (1.0, math.inf)])
def test_rule_needs_a_zone_and_a_speed(zone, speed):
    with pytest.raises(InputError, match="largest_step"):
        largest_step(zone, speed)


def test_time_to_contact_solves_the_motion():
    rng = np.random.default_rng(1)
    for d, v, a in 10.0 ** rng.uniform(-6, 3, (200, 3)):
        t = time_to_contact(d, v, a)
        assert v * t + 0.5 * a * t * t == pytest.approx(d, rel=1e-12)
    assert time_to_contact(6.0, 3.0, 0.0) == 2.0
    assert time_to_contact(4.5, 0.0, 1.0) == 3.0
    assert time_to_contact(1.0, 0.0, 0.0) == math.inf
    assert time_to_contact(0.0, 1.0, 1.0) == time_to_contact(-0.1, 0.0, 0.0) == 0.0
