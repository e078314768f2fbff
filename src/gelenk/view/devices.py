"""Hands and senses: inputs that keyboard, gamepad or touch move, tones and vibration that a model gives (V-107, H-103).

    throttle = gk.Input("throttle", up="ArrowUp", down="ArrowDown", to="drive.speed", low=-5, high=5)
    engine = gk.Tone("engine")

    def control(t, sim):
        engine.pitch, engine.volume = 40 + 20 * abs(sim["wheel"].rate), 0.3

    gk.view(sim, control=control, inputs=[throttle], outputs=[engine])

All of them keep their last value, and are read and written between steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gelenk.arguments import friendly
from gelenk.checks import check_name, check_number
from gelenk.errors import InputError
from gelenk.view.to_page import Device

MOST_PITCH = 20_000.0  # [Hz]


@friendly
class Input:
    """A number that a hand moves; ``value`` is what it is now.

    Parameters
    ----------
    name : what the page calls it
    low, high : where it ends
    rest : where it is while nobody touches it
    digital : on or off: ``high`` or ``rest``
    to : an input of the simulation that follows it, such as "drive.speed", or a function of the simulation and the
        value; nothing if left out, for functions that read ``value``
    unit : for the page
    up, down : keys that move it, by their codes: "ArrowUp", "KeyW", "Space"
    axis, button : of a gamepad, by number
    rise : time in which a key takes it from rest to an end [s]
    shared : moved by any page, also one that does not drive: several operators in one scene, each with devices of
        their own (V-110)
    """

    def __init__(
        self,
        name: str,
        *,
        low: float = -1.0,
        high: float = 1.0,
        rest: float = 0.0,
        digital: bool = False,
        to: str | Callable[[Any, float], Any] | None = None,
        unit: str = "",
        up: str = "",
        down: str = "",
        axis: int | None = None,
        button: int | None = None,
        rise: float = 0.3,
        shared: bool = False,
    ) -> None:
        self.name = check_name("input", name)
        label = f"input {name!r}"
        self.low = check_number(label, "low", low, unit or "1")
        self.high = check_number(label, "high", high, unit or "1", above=self.low)
        self.rest = check_number(label, "rest", rest, unit or "1", least=self.low, most=self.high)
        self.rise = check_number(label, "rise", rise, "s", least=0.0)
        if to is not None and not isinstance(to, str) and not callable(to):
            remedy = 'Pass "drive.speed", or f with  def f(sim, value): ...'
            raise InputError(label, f"to is {to!r}"[:100], "the name of an input, or a function", remedy)
        for what, number in (("axis", axis), ("button", button)):
            if number is not None and (not isinstance(number, int) or not 0 <= number < 64):
                raise InputError(label, f"{what} is {number!r}"[:100], "a whole number from 0 to 63", "Count from 0.")
        for what, value in (("digital", digital), ("shared", shared)):
            if not isinstance(value, bool):
                raise InputError(label, f"{what} is {value!r}"[:100], "true or false", "Pass a bool.")
        self.to, self.value, self.shared = to, self.rest, shared
        self.digital, self.unit, self.up, self.down, self.axis, self.button = digital, unit, up, down, axis, button

    def check(self, sim: Any) -> None:
        """Refuse an input of the simulation that does not exist or cannot be set."""
        if isinstance(self.to, str):
            sim.inputs[self.to] = sim.inputs[self.to]

    def put(self, sim: Any, value: float) -> None:
        """Take a value on, within the ends, and hand it on."""
        self.value = min(max(value, self.low), self.high)
        if isinstance(self.to, str):
            sim.inputs[self.to] = self.value
        elif self.to is not None:
            self.to(sim, self.value)

    @property
    def device(self) -> Device:
        """As the page is told of it."""
        keys = self.unit, self.up, self.down, self.axis, self.button, self.rise, self.shared
        return Device(self.name, self.low, self.high, self.rest, self.digital, *keys)

    def __repr__(self) -> str:
        return f"<input {self.name!r}: {self.value:g} of {self.low:g} to {self.high:g} {self.unit}>"


@friendly
class Tone:
    """A tone that the page plays, rich in overtones as an engine is: ``pitch`` [Hz] and ``volume`` from 0 to 1."""

    def __init__(self, name: str, *, pitch: float = 110.0, volume: float = 0.0) -> None:
        self.name = check_name("tone", name)
        self.pitch = check_number(f"tone {name!r}", "pitch", pitch, "Hz", above=0.0)
        self.volume = check_number(f"tone {name!r}", "volume", volume, "1", least=0.0)

    def now(self) -> tuple[float, float]:
        """What is heard: within what can be heard, and silent where it is no number."""
        try:
            pitch, volume = float(self.pitch), float(self.volume)
        except (TypeError, ValueError):
            return 1.0, 0.0
        if math.isnan(pitch) or math.isnan(volume):
            return 1.0, 0.0
        return round(min(max(pitch, 1.0), MOST_PITCH), 2), round(min(max(volume, 0.0), 1.0), 3)

    def __repr__(self) -> str:
        return f"<tone {self.name!r}: {self.pitch:g} Hz, volume {self.volume:g}>"


@friendly
class Vibration:
    """Vibration of the gamepad: ``weak`` and ``strong`` motor from 0 to 1."""

    def __init__(self, name: str = "vibration", *, weak: float = 0.0, strong: float = 0.0) -> None:
        self.name = check_name("vibration", name)
        self.weak = check_number("vibration", "weak", weak, "1", least=0.0)
        self.strong = check_number("vibration", "strong", strong, "1", least=0.0)

    def now(self) -> tuple[float, float]:
        """What is felt; nothing where it is no number."""
        try:
            weak, strong = float(self.weak), float(self.strong)
        except (TypeError, ValueError):
            return 0.0, 0.0
        weak, strong = (0.0 if math.isnan(x) else round(min(max(x, 0.0), 1.0), 3) for x in (weak, strong))
        return weak, strong

    def __repr__(self) -> str:
        return f"<vibration {self.name!r}: weak {self.weak:g}, strong {self.strong:g}>"
