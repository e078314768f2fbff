"""The filter of the steering (B-63): its step response is the closed form, noise of 12 bits stays small behind it."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.errors import InputError

H, HZ = 2e-4, 12.0  # [s] step of the simulation; corner of the filter of the game
W = 2 * math.pi * HZ


def wheel(h=H, smooth_hz=HZ, **limits):
    """A disc on a hinge that hands turn."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("disc", shape=gk.Cylinder(0.1, 0.02), density=1000)
    b.add(gk.Hinge(name="axis", a="world", b="disc", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Driven(name="hands", on="axis", position=0.0, smooth_hz=smooth_hz, **limits))
    return gk.Simulation(b.build(), gk.MoreauTree(h=h, order=1))


def response(t):
    """x = 1 - (1 + w t) exp(-w t)  for an input that jumps to 1."""
    return 1.0 - (1.0 + W * t) * np.exp(-W * t)


def test_its_step_response_is_the_closed_form_to_first_order():
    """The jump acts from half a step before on: the error is  h / 2  of the highest rate,  w / e,  so below 0.2 w h,
    and half of it with half the step."""
    errors = []
    for h in (4e-4, 2e-4):
        sim, places = wheel(h), []
        sim.inputs["hands.position"] = 1.0
        for _ in range(round(0.06 / h)):
            sim.step()
            places.append(sim["axis"].angle)
        t = h * np.arange(1, len(places) + 1)
        errors.append(np.abs(np.array(places) - response(t)).max())
        assert errors[-1] < 0.2 * W * h
        assert np.all(np.diff(places) >= 0)  # it does not overshoot
    assert errors[1] == pytest.approx(0.5 * errors[0], rel=0.1)


def test_a_step_of_twelve_bits_is_no_blow():
    """After a jump of d the acceleration is at most w^2 d; differenced twice over a step it would be d / h^2."""
    sim, d, rates = wheel(), 2.0 / 4095, [0.0]
    sim.inputs["hands.position"] = d
    for _ in range(400):
        sim.step()
        rates.append(sim["axis"].rate)
    worst = np.abs(np.diff(rates)).max() / H
    assert worst <= 1.001 * W**2 * d
    assert d / H**2 > 4000 * worst


def test_hands_with_noise_and_pictures_give_bounded_accelerations():
    """A sine of 1 Hz is read 60 times a second in 12 bits, with a noise of one bit: between two readings the input
    jumps by what the hand moved and three bits at most, which bounds the acceleration; it lags by 2 / w and by the
    picture."""
    rng, sim = np.random.default_rng(3), wheel()
    bit, worst, behind, rate = 2.0 / 4095, 0.0, 0.0, 0.0
    for picture in range(60):
        hand = 0.5 * math.sin(2 * math.pi * picture / 60)
        sim.inputs["hands.position"] = round((hand + bit * rng.uniform(-1, 1)) / bit) * bit
        for _ in range(83):
            sim.step()
            rate, before = sim["axis"].rate, rate
            worst = max(worst, abs(rate - before) / H)
        behind = max(behind, abs(sim["axis"].angle - hand))
    fastest = 0.5 * 2 * math.pi
    jump = fastest / 60 + 3 * bit
    assert worst < W**2 * jump + fastest * W  # one jump, and what is left of those before
    assert behind < fastest * (2 / W + 1 / 60)


def test_limits_hold_behind_the_filter():
    """No harder than 50 rad/s^2, where the filter alone asks for w^2 = 5685; at its end it is late by some steps of
    braking, so it passes by some  a h^2."""
    sim, rates, places = wheel(acceleration_max=50.0), [0.0], []
    sim.inputs["hands.position"] = 1.0
    for _ in range(2500):
        sim.step()
        rates.append(sim["axis"].rate)
        places.append(sim["axis"].angle)
    assert np.abs(np.diff(rates)).max() <= 50.0 * H * (1 + 1e-9)
    assert max(places) <= 1.0 + 10 * 50.0 * H**2
    assert places[-1] == pytest.approx(1.0, abs=1e-6)


def test_what_it_cannot_be_is_refused():
    with pytest.raises(InputError, match="smooth_hz"):
        gk.Driven(name="hands", on="axis", position=0.0, smooth_hz=0.0)
    with pytest.raises(InputError, match="position alone"):
        gk.Driven(name="hands", on="axis", velocity=0.0, smooth_hz=5.0)
