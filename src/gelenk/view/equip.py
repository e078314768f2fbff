"""A session with hands and instruments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from gelenk.checks import check_name
from gelenk.errors import InputError
from gelenk.view.devices import Input, Tone, Vibration
from gelenk.view.editor import Editor
from gelenk.view.instruments import Dials, Output, Plots, Senses, check_names
from gelenk.view.parameters import Parameter
from gelenk.view.quantities import signals_of
from gelenk.view.session import Session
from gelenk.view.sounds import Hit, Noise
from gelenk.view.touch import Touch
from gelenk.view.trackers import SixAxes, TrackedPose


class Equipment:
    """Everything that was added to a session."""

    def __init__(
        self,
        session: Session,
        *,
        parameters: Iterable[Parameter] = (),
        inputs: Iterable[Input | SixAxes | TrackedPose] = (),
        outputs: Iterable[Output] = (),
        signals: Mapping[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        sim = session.sim
        parameters = check_names("parameters", parameters, (Parameter,))
        given = check_names("inputs", inputs, (Input, SixAxes, TrackedPose))
        for thing in given:
            thing.check(sim)
        poses = [thing for thing in given if isinstance(thing, TrackedPose)]
        single = [thing.inputs if isinstance(thing, SixAxes) else (thing,) for thing in given if thing not in poses]
        inputs = check_names("inputs", [device for devices in single for device in devices], (Input,))
        outputs = check_names("outputs", outputs, (Tone, Noise, Hit, Vibration))
        for device in inputs:
            if device.name in sim.model.wired.inputs and device.to != device.name:
                remedy = "Choose another name, or move it with to=."
                raise InputError(f"input {device.name!r}", "the name of an input of the model", "another name", remedy)
        for parameter in parameters:
            parameter.value(sim)  # a function that fails, fails here
        own = _checked(signals)
        self.touch = Touch(session)
        self.plots = Plots(session, own)
        self.editor = Editor(session)
        self.dials = Dials(session, parameters, inputs)
        self.senses = Senses(session, outputs)
        for pose in poses:
            session.before_steps.append(partial(self._hand_on, session, pose))
        session.scene_parts.append(
            lambda now: signals_of(now, own) | self.dials.scene() | self.senses.scene(),
        )
        session.equipped()

    @staticmethod
    def _hand_on(session: Session, pose: TrackedPose, count: int) -> None:
        session.attempt(f"tracked pose {pose.name!r}", pose.apply, session.sim)


def _checked(signals: Any) -> dict[str, Callable[[Any], Any]]:
    """Quantities of the user: a table of functions."""
    if signals is None:
        return {}
    if not isinstance(signals, Mapping) or not all(callable(f) for f in signals.values()):
        remedy = "Pass {'name': f} with  def f(sim): ..."
        raise InputError("view()", f"signals is {signals!r}"[:100], "a table of functions of the simulation", remedy)
    return {check_name("signal", name): f for name, f in signals.items()}
