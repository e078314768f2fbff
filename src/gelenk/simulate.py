"""Simulation: a model and a method make a run. The first page to read."""

from __future__ import annotations

import json
import math
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gelenk import compile as compiler
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.methods.free import FreeMotion
from gelenk.methods.observe import observe
from gelenk.model.model import Model
from gelenk.progress import RunProgress, compiling
from gelenk.run.interrupt import Interrupt
from gelenk.run.now import BodyNow
from gelenk.run.recorder import Output, Recorder, check_outputs
from gelenk.run.run import Run
from gelenk.run.run_file import FAILED, FINISHED, INTERRUPTED
from gelenk.state import State, copy_state, state_of

DEFAULT_SAMPLES = 1000  # samples of a run whose output_dt is left out
BATCH_SECONDS = 0.1  # how long compiled code runs before Python looks at Ctrl-C and progress
MOST_STEPS = 2**53  # beyond, step numbers are no longer exact in the time


class SimulationError(RuntimeError):
    """A run that could not go on; ``run`` holds what was recorded, the last good state included."""

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run


class Simulation:
    """A model in motion.

    >>> sim = Simulation(model, FreeMotion(h=1e-3))       # doctest: +SKIP
    >>> run = sim.run(10.0, file="fall.h5")               # doctest: +SKIP

    Parameters
    ----------
    model : what exists
    method : how it moves; :class:`FreeMotion` if left out
    seed : seeds ``sim.random``, and is stored with the run
    state, time : where to start; the model's own start if left out
    """

    def __init__(
        self,
        model: Model,
        method: FreeMotion | None = None,
        *,
        seed: int = 0,
        state: State | None = None,
        time: float = 0.0,
    ) -> None:
        if not isinstance(model, Model):
            raise InputError("Simulation", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        self.model = model
        self.method = FreeMotion() if method is None else method
        if not hasattr(self.method, "begin"):
            raise InputError(
                "Simulation", f"method is {method!r}"[:100], "a method such as gk.FreeMotion()", "Pass one."
            )
        self.seed = int(check_number("Simulation", "seed", seed, "1", least=0))
        self.random = np.random.default_rng(self.seed)
        self.state = model.initial_state()
        if state is not None:
            if state.flat.shape != self.state.flat.shape or not np.isfinite(state.flat).all():
                raise InputError(
                    "Simulation", "state does not fit", "a finite state of this model", "Check its source."
                )
            self.state.flat[:] = state.flat
        # Time is  _t0 + _steps h  so that round-off does not pile up.
        self._t0, self._steps = check_number("Simulation", "time", time, "s"), 0
        self._stepper = self.method.begin(model.system, self.state)
        self._batch = 1  # steps a call, adapted to BATCH_SECONDS; does not show in the result

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._t0 + self._steps * self.method.h

    @property
    def ledger(self) -> np.ndarray:
        """(8,) kinetic and potential energy [J], momentum [N s], angular momentum about the origin [N m s]."""
        return observe(self.model.system, self.state, self.time)

    def __getitem__(self, name: str) -> BodyNow:
        """What a body or particle does now."""
        return BodyNow(self.model, self.state, self.model.index(name))

    def advance(self, duration: float) -> None:
        """Move on by ``duration`` [s] without recording; lands exactly, with a shorter last step if need be."""
        duration = check_number("advance()", "duration", duration, "s", least=0)
        whole, rest = split_steps(duration, self.method.h)
        end = self.time + duration
        with compiling():
            self._take(whole, lambda: None)
            if rest:
                self._short_step(rest, end)

    def run(
        self,
        t_end: float,
        *,
        output_dt: float | None = None,
        outputs: Mapping[str, Output] | None = None,
        file: str | Path | None = None,
        overwrite: bool = False,
        progress: bool = True,
    ) -> Run:
        """Move on to ``t_end`` [s] and record.

        Ctrl-C stops after the step at work and keeps what was recorded: the run comes back with the status
        "interrupted". A state that is not finite raises :class:`SimulationError` with the run up to there.

        Parameters
        ----------
        t_end : time to reach [s], later than now
        output_dt : time between samples [s], a whole number of steps; about a thousand samples if left out
        outputs : further series by name, each a function of this simulation that returns a number or an array
        file : run file to stream to in constant memory; in memory if left out
        overwrite : replace an existing file
        progress : show progress on a terminal
        """
        h = self.method.h
        duration = check_number("run()", "t_end", t_end, "s", above=self.time) - self.time
        whole, rest = split_steps(duration, h)
        every = steps_between_samples(output_dt, h, whole + bool(rest))
        functions = check_outputs(outputs)
        samples = 1 + -(-whole // every) + bool(rest)
        with compiling():
            first_ledger = self.ledger
            recorder = Recorder(
                self.model,
                capacity=samples,
                outputs={name: f(self) for name, f in functions.items()},
                attributes=self._attributes(t_end, every * h),
                file=file,
                overwrite=overwrite,
            )
        bar = RunProgress(self.time, t_end, progress)

        def take_sample() -> None:
            recorder.take(self.time, self.state.flat, self.ledger, {n: f(self) for n, f in functions.items()})
            bar.at(self.time)

        status, message = FAILED, ""
        failure: SimulationError | None = None
        try:
            with Interrupt() as interrupt, compiling():
                recorder.take(self.time, self.state.flat, first_ledger, {n: f(self) for n, f in functions.items()})
                done = 0
                while done < whole and not interrupt.pressed:
                    count = min(every, whole - done)
                    self._take(count, lambda: interrupt.pressed)
                    done += count
                    if not interrupt.pressed:
                        take_sample()
                if rest and not interrupt.pressed:
                    self._short_step(rest, t_end)
                    take_sample()
            status, message = (INTERRUPTED, f"Ctrl-C at t = {self.time:g} s") if interrupt.pressed else (FINISHED, "")
        except SimulationError as error:
            failure, message = error, str(error)
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            raise
        finally:
            bar.done()
            recorder.flush()
            if np.isfinite(self.state.flat).all():
                recorder.checkpoint(self.time, self.state.flat)
            target = recorder.finish(status, message)
        run = Run(target, laws=self._laws())
        if failure is not None:
            failure.run = run
            raise failure
        return run

    def _take(self, count: int, stop: Callable[[], object]) -> None:
        """Take ``count`` steps in batches short enough to look up in between."""
        while count > 0:
            batch = min(self._batch, count)
            before, kept = copy_state(self.state), self._stepper.memory()
            begun = clock.perf_counter()
            taken = self._stepper.advance(self._t0, self.method.h, self._steps, batch)
            used = clock.perf_counter() - begun
            compiler.raise_law_error()
            if taken < batch or not np.isfinite(self.state.flat).all():
                self._fail(before, kept, batch)
            self._steps += batch
            count -= batch
            if stop():
                return
            self._batch = max(1, min(2 * self._batch, int(batch * BATCH_SECONDS / max(used, 1e-9))))

    def _short_step(self, rest: float, end: float) -> None:
        """A last step of another length; time starts anew from its end."""
        before, kept = copy_state(self.state), self._stepper.memory()
        taken = self._stepper.advance(self.time, rest, 0, 1)
        compiler.raise_law_error()
        if taken < 1 or not np.isfinite(self.state.flat).all():
            self._fail(before, kept, 0)
        self._t0, self._steps = end, 0

    def _fail(self, before: State, kept: Any, batch: int) -> None:
        """Take the batch again, step by step, to the last good state, and say what happened after it."""
        why = self._stepper.why()
        self.state.flat[:] = before.flat
        self._stepper.restore(kept)
        bad = before
        for _ in range(batch):
            good, memory = self.state.flat.copy(), self._stepper.memory()
            taken = self._stepper.advance(self._t0, self.method.h, self._steps, 1)
            if taken < 1 or not np.isfinite(self.state.flat).all():
                bad = copy_state(self.state)
                self.state.flat[:] = good
                self._stepper.restore(memory)
                break
            self._steps += 1
        where = first_bad(self.model, bad)
        what = (
            f"{where} is not finite after the step at t = {self.time:.9g} s"
            if where
            else f"at t = {self.time:.9g} s {why}"
        )
        hint = "" if why else " Use a smaller step, or look at the forces on it."
        raise SimulationError(f"{what}; the last good state is kept.{hint}")

    def _attributes(self, t_end: float, output_dt: float) -> dict[str, Any]:
        options = asdict(self.method) if is_dataclass(self.method) else {}
        integrator = getattr(self.method, "integrator", None)
        if integrator is not None:
            options["integrator"] = {"kind": getattr(integrator, "kind", "?"), **options.get("integrator", {})}
        return {
            "model": self.model.name,
            "method": repr(self.method),
            "options": json.dumps(options, default=repr),
            "h": self.method.h,
            "t_start": self.time,
            "t_end": t_end,
            "output_dt": output_dt,
            "seed": self.seed,
            "compiled": compiler.ENABLED,
        }

    def _laws(self) -> dict[str, Callable[..., None]]:
        return {f.name: f.function for f in self.model.forces if f.kind == "law"}  # type: ignore[attr-defined]


def simulate(model: Model, t_end: float, *, method: FreeMotion | None = None, **options: Any) -> Run:
    """Run a model from its start to ``t_end`` [s]; ``options`` are those of :meth:`Simulation.run`."""
    return Simulation(model, method).run(t_end, **options)


def split_steps(duration: float, h: float) -> tuple[int, float]:
    """(whole steps, rest [s]) of a duration; a rest below a billionth of a step is round-off."""
    if duration / h > MOST_STEPS:
        raise InputError("run()", f"{duration / h:.3g} steps of {h:g} s", f"at most {MOST_STEPS}", "Use a larger h.")
    whole = math.floor(duration / h + 1e-9)
    rest = duration - whole * h
    return whole, rest if rest > 1e-9 * h else 0.0


def steps_between_samples(output_dt: float | None, h: float, steps: int) -> int:
    """Whole steps from sample to sample."""
    if output_dt is None:
        return max(1, -(-steps // DEFAULT_SAMPLES))
    output_dt = check_number("run()", "output_dt", output_dt, "s", above=0)
    every = round(output_dt / h)
    if every < 1 or abs(every * h - output_dt) > 1e-9 * output_dt:
        low = max(1, math.floor(output_dt / h))
        near = " or ".join(f"{n * h:.9g}" for n in sorted({low, low + 1}))
        raise InputError(
            "run()", f"output_dt is {output_dt:g} s with a step of {h:g} s", "a whole number of steps", f"Use {near}."
        )
    return every


def first_bad(model: Model, state: State) -> str:
    """Name of the first node whose state is not finite, with what of it, or ''."""
    nodes, bodies = len(state.p_WC), len(state.q_WB)
    view = state_of(state.flat, nodes, bodies)
    for i, name in enumerate(model.nodes.names):
        for what, table in (
            ("orientation", view.q_WB),
            ("angular velocity", view.w_WB_B),
            ("velocity", view.v_WC),
            ("position", view.p_WC),
        ):
            if i < len(table) and not np.isfinite(table[i]).all():
                return f"{what} of {'particle' if model.nodes.is_particle(i) else 'body'} {name!r}"
    return ""
