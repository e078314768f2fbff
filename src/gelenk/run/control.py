"""A user's function that steers a run: when it is called (V-107)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gelenk.checks import check_number
from gelenk.errors import InputError


@dataclass
class Control:
    """A function of time and simulation, called before the first step and every so many steps after it."""

    function: Callable[[float, Any], Any]
    every: int
    left: int = 0  # steps until the next call
    due: Callable[[Any], bool] | None = None  # of the simulation: whether it is time before that


def check_control(element: str, function: Any, every: Any, h: float) -> Control | None:
    """The control of a run, or None where no function is given."""
    if function is None:
        if every is not None:
            raise InputError(element, "control_every without control", "both", "Pass a function as control.")
        return None
    if not callable(function) or isinstance(function, type):
        found = f"control is {function!r}"[:100]
        raise InputError(element, found, "a function of time and simulation", "Pass f with  def f(t, sim): ...")
    return Control(function, 1 if every is None else whole_steps(element, "control_every", every, h))


def whole_steps(element: str, what: str, duration: Any, h: float) -> int:
    """A time as a whole number of steps, at least one."""
    duration = check_number(element, what, duration, "s", above=0)
    steps = round(duration / h)
    if steps < 1 or abs(steps * h - duration) > 1e-9 * duration:
        low = max(1, math.floor(duration / h))
        near = " or ".join(f"{n * h:.9g}" for n in sorted({low, low + 1}))
        found = f"{what} is {duration:g} s with a step of {h:g} s"
        raise InputError(element, found, "a whole number of steps", f"Use {near}.")
    return steps
