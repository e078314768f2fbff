"""Numbers that can be changed while it runs: those of the model, and those that a user declares.

Set-points are changed in place. What belongs to the model itself, which is immutable, makes a changed copy of it that
goes on from the same state.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_name, check_number
from gelenk.errors import InputError
from gelenk.forces.spring import Spring
from gelenk.joints.joint_spring import JointSpring
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.simulate import Simulation
from gelenk.view.to_page import Setting

DOWN = (0.0, 0.0, -1.0)
MOST_SHOWN = 60  # of the parameters, and of the inputs, that a model brings by itself


@friendly
class Parameter:
    """A number with a slider, or a switch, in the view.

    ::

        gk.Parameter("speed", input="drive.speed", low=0, high=5, unit="m/s")
        gk.Parameter("wind", get=lambda sim: wind[0], set=lambda sim, x: wind.__setitem__(0, x), high=20, unit="m/s")
        gk.Parameter("stop", get=lambda sim: 1.0, change=lambda b, x: b.change("elbow", limits=(-x, x)), high=3)

    Parameters
    ----------
    name : what the page calls it
    input : an input of the simulation
    get : function of the simulation that gives the value
    set : function of the simulation and a new value
    change : function of a builder, which holds the model, and a new value: a changed model goes on
    low, high : ends of the slider
    unit : for the page
    switch : on or off: ``high`` or ``low``
    """

    def __init__(
        self,
        name: str,
        *,
        input: str | None = None,
        get: Callable[[Any], float] | None = None,
        set: Callable[[Any, float], Any] | None = None,
        change: Callable[[Any, float], Any] | None = None,
        low: float = 0.0,
        high: float = 1.0,
        unit: str = "",
        switch: bool = False,
    ) -> None:
        self.name = check_name("parameter", name)
        label = f"parameter {name!r}"
        ways = sum(way is not None for way in (input, set, change))
        if ways != 1 or (input is None) == (get is None):
            found = f"{ways} ways to change it" + ("" if input is not None or get is not None else ", and no get")
            remedy = "Pass input=, or get= with set= or change=."
            raise InputError(label, found, "input alone, or get and one of set and change", remedy)
        for what, function in (("get", get), ("set", set), ("change", change)):
            if function is not None and not callable(function):
                raise InputError(label, f"{what} is {function!r}"[:100], "a function", "Pass a function.")
        self.low = check_number(label, "low", low, unit or "1")
        self.high = check_number(label, "high", high, unit or "1", above=self.low)
        self.input, self._get, self._set, self.change, self.unit, self.switch = input, get, set, change, unit, switch

    def value(self, sim: Any) -> float:
        """What it is now."""
        value = float(sim.inputs[self.input]) if self._get is None else float(self._get(sim))
        return value if math.isfinite(value) else 0.0

    def put(self, sim: Any, value: float) -> None:
        """Change it in place; one that changes the model is changed by whoever owns the simulation."""
        if self.input is not None:
            sim.inputs[self.input] = value
        elif self._set is not None:
            self._set(sim, value)

    def setting(self, sim: Any) -> Setting:
        """As the page is told of it."""
        return Setting(self.name, self.value(sim), self.low, self.high, self.unit, self.name, self.switch)

    def __repr__(self) -> str:
        return f"<parameter {self.name!r}: {self.low:g} to {self.high:g} {self.unit}>"


def own_parameters(model: Model) -> list[Parameter]:
    """What a model lets be changed by itself: gravity, friction, springs."""
    return [parameter for parameter, _ in zip(_own(model), range(MOST_SHOWN))]


def _own(model: Model) -> Iterator[Parameter]:
    size = float(np.linalg.norm(model.gravity))
    down = tuple(x / size for x in model.gravity) if size > 0.0 else DOWN
    yield Parameter(
        "gravity",
        get=lambda sim: float(np.linalg.norm(sim.model.gravity)),
        change=lambda b, value: setattr(b, "gravity", tuple(value * x for x in down)),
        high=max(20.0, 2.0 * size),
        unit="m/s²",
    )
    used = {part.material for body in model.bodies for part in body.parts if part.collide}
    yield from (_friction(m.name) for m in model.materials if m.name in used)
    yield from (_law_friction(law.a, law.b) for law in model.contacts if law.friction is not None)
    for element in (*model.forces, *model.joints):
        if isinstance(element, (Spring, JointSpring)):
            units = ("N/m", "N s/m") if isinstance(element, Spring) else ("N/m or N m/rad", "N s/m or N m s/rad")
            yield from (_of_spring(element, what, unit) for what, unit in zip(("stiffness", "damping"), units))


def _friction(name: str) -> Parameter:
    def get(sim: Simulation) -> float:
        return next((m.friction for m in sim.model.materials if m.name == name), 0.0)

    def change(b: Builder, value: float) -> None:
        static = b.named("material")[name].static_friction
        static = None if static is None else max(static, value)
        b.change(name, kind="material", friction=value, static_friction=static)

    return Parameter(f"friction of {name}", get=get, change=change, high=1.5)


def _law_friction(first: str, second: str) -> Parameter:
    def get(sim: Simulation) -> float:
        laws = (law.friction for law in sim.model.contacts if (law.a, law.b) == (first, second))
        return next(laws, None) or 0.0

    def change(b: Builder, value: float) -> None:
        static = b.law(first, second).static_friction
        static = None if static is None else max(static, value)
        b.change_contact(first, second, friction=value, static_friction=static)

    return Parameter(f"friction of {first or 'none'} on {second or 'none'}", get=get, change=change, high=1.5)


def _of_spring(element: Any, what: str, unit: str) -> Parameter:
    name, value = element.name, float(getattr(element, what))

    def get(sim: Simulation) -> float:
        there = (e for e in (*sim.model.forces, *sim.model.joints) if e.name == name and hasattr(e, what))
        return float(getattr(next(there, element), what))

    return Parameter(
        f"{what} of {name}",
        get=get,
        change=lambda b, x: b.change(name, **{what: x}),
        high=round_up(4.0 * value) if value > 0.0 else 1.0,
        unit=unit,
    )


def own_inputs(sim: Simulation) -> list[Setting]:
    """Set-points of motors, servos, locks and grips, but for those that follow a connection; ends are guesses."""
    made: list[Setting] = []
    for name, value in sim.inputs.items():
        if name in sim.model.wired.followers or len(made) == MOST_SHOWN:
            continue
        strength = name.rpartition(".")[2] == "strength"
        most = 1.0 if strength else round_up(max(4.0 * abs(value), 1.0))
        made.append(Setting(name, value, 0.0 if strength else -most, most, "", name))
    return made


def round_up(value: float) -> float:
    """The next number of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(k * power for k in (1.0, 2.0, 5.0, 10.0) if k * power >= value * (1.0 - 1e-12))
