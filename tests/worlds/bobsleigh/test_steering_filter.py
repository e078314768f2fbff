"""The filter of the steering (B-63): its step response is the closed form, noise of 12 bits stays small behind it."""

import math

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.steering_filter import SteeringFilter

H = 2e-4  # [s] step of the simulation


@pytest.mark.parametrize("steps", [1, 7, 400])
def test_its_step_response_is_the_closed_form_for_any_step(steps):
    """x = 1 - (1 + w t) exp(-w t) for u = 1: exact, so only round-off remains, some 1e-16 a step."""
    t = 0.03
    made = SteeringFilter(15.0)
    for _ in range(steps):
        made.step(1.0, t / steps)
    w = 2 * math.pi * 15.0
    assert made.position == pytest.approx(1 - (1 + w * t) * math.exp(-w * t), abs=1e-13)
    assert made.velocity == pytest.approx(w * w * t * math.exp(-w * t), abs=1e-11)
    assert made.acceleration == pytest.approx(w * w * (1 - w * t) * math.exp(-w * t), rel=1e-9)


def test_it_does_not_overshoot_and_arrives():
    made = SteeringFilter()
    places = [made.step(0.7, H) for _ in range(4000)]
    assert np.all(np.diff(places) >= 0)
    assert max(places) <= 0.7
    assert places[-1] == pytest.approx(0.7, abs=1e-12)  # w t = 60


def test_a_step_of_twelve_bits_is_no_blow():
    """After a jump of d the acceleration is at most w^2 d; differenced twice over a step it would be d / h^2."""
    made, d = SteeringFilter(), 2.0 / 4095
    accelerations = [abs(made.acceleration) for _ in range(2000) if made.step(d, H) is not None]
    assert max(accelerations) <= made.w**2 * d
    assert d / H**2 > 4000 * max(accelerations)


def test_hands_with_noise_and_pictures_give_bounded_accelerations():
    """A sine of 1 Hz is read 60 times a second in 12 bits, with a noise of one bit: between two readings u jumps by
    what the hand moved and three bits at most, which bounds the acceleration."""
    rng, made = np.random.default_rng(3), SteeringFilter()
    bit, worst, behind = 2.0 / 4095, 0.0, 0.0
    for picture in range(180):
        hand = 0.5 * math.sin(2 * math.pi * picture / 60)
        read = round((hand + bit * rng.uniform(-1, 1)) / bit) * bit
        for _ in range(83):
            made.step(read, 1 / 60 / 83)
            worst = max(worst, abs(made.acceleration))
        behind = max(behind, abs(made.position - hand))
    fastest = 0.5 * 2 * math.pi  # of the hand [1/s]
    jump = fastest / 60 + 3 * bit
    assert worst < made.w**2 * jump + fastest * made.w  # one jump, and what is left of those before
    assert behind < fastest * (2 / made.w + 1 / 60)  # it lags by 2/w, and by the picture


def test_what_it_cannot_be_is_refused():
    with pytest.raises(InputError, match="corner_hz"):
        SteeringFilter(0.0)
    with pytest.raises(InputError, match="place"):
        SteeringFilter(place=math.nan)
