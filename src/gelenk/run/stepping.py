"""Steps in batches: functions that act between them, and the last good state where one fails."""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from typing import Any

import numpy as np

from gelenk.forces.law import check_laws
from gelenk.methods.method import Method, Stepper
from gelenk.model.model import Model
from gelenk.run.control import Control
from gelenk.run.good_state import cause_of, first_bad
from gelenk.run.run import Run
from gelenk.state import State

BATCH_SECONDS = 0.1  # how long compiled code runs before Python looks at Ctrl-C and progress


class SimulationError(RuntimeError):
    """A run that could not go on; ``run`` holds what was recorded, the last good state included."""

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run


class Stepping:
    """A state that a method moves on. Time is  _t0 + _steps h  so that round-off does not pile up."""

    def __init__(self, model: Model, method: Method, state: State, time: float) -> None:
        self.model, self.method, self.state = model, method, state
        self._t0, self._steps = time, 0
        self._stepper: Stepper = method.begin(model, state)
        self._habits: list[Control] = []  # what acts in every run, after its control
        self._batch = 1  # steps a call, adapted to BATCH_SECONDS; does not show in the result

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._t0 + self._steps * self.method.h

    def _after_steps(self, t_start: float, h: float, taken: int) -> None:
        """Called after every batch; so many steps of length h are taken from t_start on."""

    def _take(self, count: int, pause: Callable[[], bool], control: Control | None = None) -> None:
        """Take ``count`` steps in batches; after each of them ``pause()`` tells whether to stop."""
        while count > 0:
            batch, first = min(self._batch, count), self._steps
            acting = [act for act in (control, *self._habits) if act is not None]
            for act in acting:
                batch = min(batch, self._let_act(act))
            for act in acting:
                act.left -= batch
            begun = clock.perf_counter()
            self._try(self._t0, self.method.h, first, batch)
            self._steps = first + batch
            self._after_steps(self._t0, self.method.h, self._steps)
            used = clock.perf_counter() - begun
            count -= batch
            if pause():
                return
            self._batch = max(1, min(2 * self._batch, int(batch * BATCH_SECONDS / max(used, 1e-9))))

    def _let_act(self, control: Control) -> int:
        """Call the control function if it is time; returns the steps until it is time again."""
        if control.left == 0 or (control.due is not None and control.due(self)):
            t = self.time
            try:
                control.function(t, self)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                raise SimulationError(f"the control function failed at t = {t:.9g} s. {why}") from error
            if self.time != t:
                why = f"moved the simulation from t = {t:.9g} s to {self.time:.9g} s"
                raise SimulationError(f"the control function {why}. It may set inputs; the run itself takes the steps.")
            control.left = control.every
        return control.left

    def _short_step(self, rest: float, end: float, control: Control | None) -> None:
        """A last step of another length; time starts anew from its end."""
        for act in (control, *self._habits):
            if act is not None:
                self._let_act(act)
        start = self.time
        self._try(start, rest, 0, 1)
        self._t0, self._steps = end, 0
        self._after_steps(start, rest, 1)

    def _try(self, t_start: float, h: float, first: int, count: int) -> None:
        """Take steps first, first + 1, ...; one that fails or is interrupted leaves the good state before it."""
        before, kept = self.state.flat.copy(), self._stepper.memory()
        try:
            taken = self._stepper.advance(t_start, h, first, count)
            check_laws(self.model.system.forces)
            good = taken == count and bool(np.isfinite(self.state.flat).all())
        except BaseException as error:  # from a law, or the second Ctrl-C, somewhere inside a step
            self._back_to(before, kept)
            if count == 1 or not isinstance(error, Exception):
                raise
            good = False
        if good:
            return
        why, where = self._stepper.why(), first_bad(self.model, self.state)
        self._back_to(before, kept)
        given = first_bad(self.model, self.state)
        if given:
            begun = f"{given} is not finite before the step from t = {t_start + first * h:.9g} s"
            raise SimulationError(f"{begun}: it was set so. Set finite numbers, or go back to a state that was good.")
        if count > 1:  # again, step by step, to the one that fails
            for k in range(first, first + count):
                self._try(t_start, h, k, 1)
                self._steps = k + 1
            return
        if where:
            what, remedy = f"{where} is not finite after the step", "Use a smaller step, or look at the forces on it."
            cause = cause_of(self.model, self.state, self.time, h)
            remedy = f"{cause}: mend it." if cause else remedy
        else:
            what, remedy = "the step failed", f"Why: {why}"
        raise SimulationError(f"{what} from t = {self.time:.9g} s; the last good state is kept. {remedy}")

    def _back_to(self, flat: np.ndarray, memory: Any) -> None:
        self.state.flat[:] = flat
        self._stepper.restore(memory)
