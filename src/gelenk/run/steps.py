"""Whole steps of a duration, and from sample to sample."""

from __future__ import annotations

import math

from gelenk.errors import InputError
from gelenk.run.control import whole_steps

DEFAULT_SAMPLES = 1000  # samples of a run whose output_dt is left out
MOST_STEPS = 2**53  # beyond, step numbers are no longer exact in the time


def split_steps(duration: float, h: float, end: float) -> tuple[int, float]:
    """(whole steps, rest [s]) of a duration up to the time ``end``.

    A rest below a billionth of a step is round-off, and so is what the times themselves cannot resolve.
    """
    if duration / h > MOST_STEPS:
        raise InputError("run()", f"{duration / h:.3g} steps of {h:g} s", f"at most {MOST_STEPS}", "Use a larger h.")
    finest = 8 * math.ulp(end)
    if h < finest:
        raise InputError(
            "run()", f"a step of {h:g} s at t = {end:g} s", f"at least {finest:.2g} s there", "Use a larger h."
        )
    slack = max(1e-9 * h, 0.5 * finest)
    whole = round(duration / h)
    if whole and abs(whole * h - duration) <= slack:
        return whole, 0.0
    whole = math.floor(duration / h)
    return whole, duration - whole * h


def steps_between_samples(output_dt: float | None, h: float, steps: int) -> int:
    """Whole steps from sample to sample."""
    if output_dt is None:
        return max(1, -(-steps // DEFAULT_SAMPLES))
    return whole_steps("run()", "output_dt", output_dt, h)
