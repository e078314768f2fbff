"""Simulation: a model and a method make a run. The first page to read."""

from __future__ import annotations

import json
import math
import time as clock
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gelenk import compile as compiler
from gelenk.arguments import friendly
from gelenk.checks import UNIT_TOLERANCE, check_number, unknown
from gelenk.contact.problem import ContactProblem
from gelenk.contact.report import ContactForce
from gelenk.contact.setup import can_touch, is_mechanism
from gelenk.errors import InputError
from gelenk.forces.law import check_laws
from gelenk.methods.free import FreeMotion
from gelenk.methods.impulse import Impulse
from gelenk.methods.method import Method
from gelenk.methods.observe import observe
from gelenk.methods.row_stepping import RowStepping
from gelenk.methods.tally import ForceTally, begin_tally, read_tally
from gelenk.model.model import Model
from gelenk.progress import RunProgress, compiling
from gelenk.run.accuracy import AccuracyWatch
from gelenk.run.control import Control, check_control, whole_steps
from gelenk.run.inputs import Inputs
from gelenk.run.interrupt import Interrupt
from gelenk.run.now import BodyNow, FrameNow
from gelenk.run.recorder import Output, Recorder, Sample, check_outputs, run_path
from gelenk.run.run import Run
from gelenk.run.run_file import FAILED, FINISHED, INTERRUPTED
from gelenk.run.sensors import DriveNow, JointNow, Sensors
from gelenk.space.events import CollisionEvent, EventLog
from gelenk.state import State, state_of

DEFAULT_SAMPLES = 1000  # samples of a run whose output_dt is left out
BATCH_SECONDS = 0.1  # how long compiled code runs before Python looks at Ctrl-C and progress
MOST_STEPS = 2**53  # beyond, step numbers are no longer exact in the time
ControlFunction = Callable[[float, Any], Any]


class SimulationError(RuntimeError):
    """A run that could not go on; ``run`` holds what was recorded, the last good state included."""

    def __init__(self, message: str, run: Run | None = None) -> None:
        super().__init__(message)
        self.run = run


@friendly
class Simulation:
    """A model in motion.

    >>> sim = Simulation(model, FreeMotion(h=1e-3))       # doctest: +SKIP
    >>> run = sim.run(10.0, file="fall.h5")               # doctest: +SKIP

    Between steps, ``sim["sled"].position`` reads a body and ``sim["elbow"].angle`` a joint;
    ``sim.inputs["drive.speed"]`` is what a motor is asked for, to be read and set, and
    ``sim.sensors["drive.force"]`` what it gives. ``sim.run(10.0, control=f)`` calls ``f(t, sim)`` before every step.

    Parameters
    ----------
    model : what exists
    method : how it moves; if left out, that of :func:`default_method`
    seed : seeds ``sim.random``, and is stored with the run
    state, time : where to start; the model's own start if left out
    """

    def __init__(
        self,
        model: Model,
        method: Method | None = None,
        *,
        seed: int = 0,
        state: State | None = None,
        time: float = 0.0,
    ) -> None:
        if not isinstance(model, Model):
            raise InputError("Simulation", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        self.model = model
        self.method: Method = default_method(model) if method is None else method
        if not (hasattr(self.method, "begin") and hasattr(self.method, "h")) or isinstance(self.method, type):
            name = getattr(method, "__name__", "Impulse")
            remedy = (
                f"Write gk.{name}()." if isinstance(method, type) else "An integrator goes into gk.FreeMotion(...)."
            )
            allowed = "a method such as gk.Impulse(), gk.RowStepping() or gk.FreeMotion()"
            raise InputError("Simulation", f"method is {method!r}"[:100], allowed, remedy)
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**63:
            raise InputError("Simulation", f"seed is {seed!r}"[:100], "a whole number from 0 to 2^63 - 1", "Change it.")
        self.seed = int(seed)
        self.random = np.random.default_rng(self.seed)
        self.state = model.initial_state()
        if state is not None:
            self.state.flat[:] = check_state(model, state).flat
        # Time is  _t0 + _steps h  so that round-off does not pile up.
        self._t0, self._steps = check_number("Simulation", "time", time, "s"), 0
        self._stepper = self.method.begin(model, self.state)
        self.inputs = Inputs(
            model.wired.inputs, model.wired.memory(self.state.memory).inputs, followers=model.wired.followers
        )
        self.sensors = Sensors(model, self.state)
        self._events: EventLog | None = None
        self._batch = 1  # steps a call, adapted to BATCH_SECONDS; does not show in the result

    @property
    def time(self) -> float:
        """Time reached [s]."""
        return self._t0 + self._steps * self.method.h

    @property
    def ledger(self) -> np.ndarray:
        """(8,) kinetic and potential energy [J], momentum [N s], angular momentum about the origin [N m s]."""
        return self._observe()[0]

    def _observe(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The ledger, with the springs in joints, and the free coordinates of the joints with their rates."""
        ledger = observe(self.model.system, self.state, self.time)
        coordinate, rate, energy = self.sensors.watch.look()
        ledger[1] += energy
        return ledger, coordinate, rate

    @property
    def info(self) -> dict[str, Any]:
        """Counters and figures of the method: inner steps of an adaptive scheme, residuals of a solver."""
        return self._stepper.info()

    @property
    def contacts(self) -> list[ContactForce]:
        """Where bodies press against each other, and with which force, in the last step."""
        contacts = getattr(self._stepper, "contacts", None)
        return [] if contacts is None else contacts()

    def contact_force(self, body: str, other: str | None = None) -> np.ndarray:
        """Sum of the contact forces on a body in the last step, or of those by another body alone [N] (V-114)."""
        for name in (body,) if other is None else (body, other):
            self.model.body(name)
        total = np.zeros(3)
        for c in self.contacts:
            if body in (c.a, c.b) and other in (None, c.a, c.b):
                total += c.force if c.b == body else -c.force
        return total

    def contact_problem(self) -> ContactProblem:
        """What contacts and joints asked of their solver in the last step, to be kept, replayed and judged."""
        problem = getattr(self._stepper, "problem", None)
        if problem is None:
            found = f"the method {self.method.kind!r}"
            raise InputError("contact_problem()", found, "a method with contact", "Use gk.RowStepping().")
        made: ContactProblem = problem()
        return made

    def subscribe(self, listener: Callable[[CollisionEvent], Any]) -> None:
        """Have a function called with every event of two parts that begin or end to touch (V-33).

        Events are told between batches of steps, each with the time of its step: in a run that is every tenth of a
        second of computing, with ``control=`` or :meth:`advance` as often as these act.
        """
        if self._events is None:
            if not hasattr(self._stepper, "listen"):
                found = f"events of the method {self.method.kind!r}"
                raise InputError("subscribe()", found, "a method with contact", "Use gk.RowStepping().")
            self._events = EventLog(self.model)
            self._stepper.listen()
        self._events.subscribe(listener)

    def _tell_events(self) -> None:
        """Tell what touched or parted in the last batch."""
        if self._events is None:
            return
        noted, colliders, done = self._stepper.events()  # type: ignore[attr-defined]
        for step in np.unique(noted["step"]):
            here = noted[noted["step"] == step]
            self._events.change(
                [(e, int(e["change"])) for e in here], colliders, self.time - (done - step) * self.method.h
            )

    @property
    def asleep(self) -> tuple[str, ...]:
        """Names of the bodies that sleep, see :class:`gelenk.ContactOptions`; none if the method lets none."""
        asleep = getattr(self._stepper, "asleep", None)
        return () if asleep is None else asleep()

    def __getitem__(self, name: str) -> Any:
        """What a body, particle, frame, joint or drive does now."""
        table = self.sensors.signals.table
        if isinstance(name, str) and name in table:
            kind = JointNow if name in self.model.wired.names else DriveNow
            return kind(self.sensors, self.inputs, name)
        frames = [frame.name for frame in self.model.frames]
        if name in frames:
            return FrameNow(self.model, self.state, name)
        if name not in self.model.nodes.names:
            raise unknown(f"model {self.model.name!r}", "name", name, (*self.model.nodes.names, *frames, *table))
        return BodyNow(self.model, self.state, self.model.index(name))

    def __repr__(self) -> str:
        return f"<Simulation of {self.model!r} at t = {self.time:g} s with {self.method}>"

    def advance(
        self, duration: float, *, control: ControlFunction | None = None, control_every: float | None = None
    ) -> None:
        """Move on by ``duration`` [s] without recording, with a shorter last step if need be; control as in a run."""
        duration = check_number("advance()", "duration", duration, "s", least=0)
        acting = check_control("advance()", control, control_every, self.method.h)
        end = self.time + duration
        whole, rest = split_steps(duration, self.method.h, end)
        with compiling(method_name(self.method)):
            self._take(whole, lambda: False, acting)
            if rest:
                self._short_step(rest, end, acting)

    def run(
        self,
        t_end: float,
        *,
        output_dt: float | None = None,
        outputs: Mapping[str, Output] | None = None,
        file: str | Path | None = None,
        overwrite: bool = False,
        progress: bool = True,
        control: ControlFunction | None = None,
        control_every: float | None = None,
        peaks: bool = False,
    ) -> Run:
        """Move on to ``t_end`` [s] and record.

        Ctrl-C stops after the step at work and keeps what was recorded: the run comes back with the status
        "interrupted". A state that is not finite, or an error in ``control``, raises :class:`SimulationError` with the
        run up to there. Joints that did not hold together give an :class:`AccuracyWarning`.

        Parameters
        ----------
        t_end : time to reach [s], later than now
        output_dt : time between samples [s], a whole number of steps; about a thousand samples if left out
        outputs : further series by name, each a function of this simulation that returns a number or an array
        file : run file to stream to in constant memory; in memory if left out
        overwrite : replace an existing file
        progress : show progress on a terminal
        control : function of the time [s] and this simulation, called before every step to set ``sim.inputs``; a sample
            at the same time is taken before it
        control_every : time between two calls of it [s] from the start of the run on, a whole number of steps
        peaks : also record of every force of a joint or drive its mean and its peak since the sample before, over all
            steps: ``run["elbow"].force_mean``, ``run["drive"].force_peak``
        """
        h = self.method.h
        duration = check_number("run()", "t_end", t_end, "s", above=self.time) - self.time
        whole, rest = split_steps(duration, h, t_end)
        every = steps_between_samples(output_dt, h, whole + bool(rest))
        functions = check_outputs(self.model, outputs)
        acting = check_control("run()", control, control_every, h)
        tally = self._tally(peaks)
        path = None if file is None else run_path(file, overwrite)
        accuracy = AccuracyWatch(self.model, self.state, self.sensors.watch)

        def sample() -> Sample:
            outputs = {name: f(self) for name, f in functions.items()}
            between = None
            if tally is not None:
                between = read_tally(tally, self.model.wired.memory(self.state.memory))
                begin_tally(tally, on=True)
            observed = self._observe()
            worst = accuracy.look(self.time, self.info)
            return Sample(self.time, self.state.flat, *observed, between, outputs, worst)

        with compiling(
            method_name(self.method)
        ):  # no steps yet: from here on time is the run's own, and Ctrl-C is quick
            self._stepper.advance(self._t0, h, self._steps, 0)
            first = sample()
        recorder = Recorder(
            self.model,
            first,
            capacity=1 - (-(whole + bool(rest)) // every),
            attributes=self._attributes(t_end, every * h),
            path=path,
        )
        bar = RunProgress(self.time, t_end, progress)

        def pause() -> bool:
            """Between two batches of steps; returns whether to stop."""
            bar.at(self.time)
            recorder.pause(self.time, self.state.flat)
            return interrupt.pressed

        status, message = FAILED, ""
        failure: SimulationError | None = None
        try:
            with Interrupt() as interrupt:
                done = 0
                while done < whole and not interrupt.pressed:
                    count = min(every, whole - done)
                    self._take(count, pause, acting)
                    done += count
                    if not interrupt.pressed and (count == every or not rest):
                        recorder.take(sample())
                if rest and not interrupt.pressed:
                    self._short_step(rest, t_end, acting)
                    recorder.take(sample())
            status, message = (INTERRUPTED, f"Ctrl-C at t = {self.time:g} s") if interrupt.pressed else (FINISHED, "")
        except SimulationError as error:
            failure, message = error, str(error)
        except KeyboardInterrupt:
            status, message = INTERRUPTED, f"Ctrl-C twice at t = {self.time:g} s"
            raise
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
            raise
        finally:
            bar.done()
            self._tally(False)
            target = recorder.finish(status, message, self.time, self.state.flat)
        run = Run(target, model=self.model)
        if failure is not None:
            failure.run = run
            raise failure
        accuracy.warn(self.method)
        return run

    def _tally(self, peaks: bool) -> ForceTally | None:
        """The tally of forces, begun if it is to be kept; None if it is not, or if there are no joints."""
        if not isinstance(peaks, bool):
            raise InputError("run()", f"peaks is {peaks!r}"[:80], "true or false", "Pass a bool.")
        tally: ForceTally | None = getattr(self._stepper, "tally", None)
        if tally is not None:
            begin_tally(tally, on=peaks)
        elif peaks and self.model.joints:
            found = f"peaks of the method {self.method.kind!r}"
            raise InputError("run()", found, "a method that keeps a tally", "Leave peaks out.")
        return tally if peaks and self.model.joints else None

    def _take(self, count: int, pause: Callable[[], bool], control: Control | None = None) -> None:
        """Take ``count`` steps in batches; after each of them ``pause()`` tells whether to stop."""
        while count > 0:
            batch, first = min(self._batch, count), self._steps
            if control is not None:
                batch = min(batch, self._let_act(control))
                control.left -= batch
            begun = clock.perf_counter()
            self._try(self._t0, self.method.h, first, batch)
            self._steps = first + batch
            self._tell_events()
            used = clock.perf_counter() - begun
            count -= batch
            if pause():
                return
            self._batch = max(1, min(2 * self._batch, int(batch * BATCH_SECONDS / max(used, 1e-9))))

    def _let_act(self, control: Control) -> int:
        """Call the control function if it is time; returns the steps until it is time again."""
        if control.left == 0:
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
        if control is not None:
            self._let_act(control)
        self._try(self.time, rest, 0, 1)
        self._t0, self._steps = end, 0
        self._tell_events()

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
        if count > 1:  # again, step by step, to the one that fails
            for k in range(first, first + count):
                self._try(t_start, h, k, 1)
                self._steps = k + 1
            return
        if where:
            what, remedy = f"{where} is not finite after the step", "Use a smaller step, or look at the forces on it."
        else:
            what, remedy = "the step failed", f"Why: {why}"
        raise SimulationError(f"{what} from t = {self.time:.9g} s; the last good state is kept. {remedy}")

    def _back_to(self, flat: np.ndarray, memory: Any) -> None:
        self.state.flat[:] = flat
        self._stepper.restore(memory)

    def _attributes(self, t_end: float, output_dt: float) -> dict[str, Any]:
        options = asdict(self.method) if is_dataclass(self.method) else {}
        for part in ("integrator", "solver"):
            if hasattr(self.method, part):
                options[part] = described(getattr(self.method, part))
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


@friendly
def simulate(model: Model, t_end: float, *, method: Method | None = None, seed: int = 0, **options: Any) -> Run:
    """Run a model from its start to ``t_end`` [s]; ``options`` are those of :meth:`Simulation.run`."""
    if "h" in options or "integrator" in options:
        remedy = "Pass them with the method, such as method=gk.FreeMotion(h=..., integrator=...)."
        raise InputError("simulate()", "h or integrator given", "options of a run", remedy)
    return Simulation(model, method, seed=seed).run(t_end, **options)


def default_method(model: Model) -> Method:
    """The method of a simulation that names none.

    :class:`RowStepping` for a model in which shapes can meet, other than those of one mechanism by itself. Else
    :class:`Impulse` for one with joints: order 2, joints closed to 1e-9 m, in linear time for trees, and it takes
    loops, limits and motors as well. Else :class:`FreeMotion`: Runge-Kutta, order 4.
    """
    if can_touch(model) and not is_mechanism(model):
        return RowStepping()
    return Impulse() if model.joints else FreeMotion()


def method_name(method: Any) -> str:
    """A method in a few words: its kind and that of its solver or scheme, which are compiled together."""
    parts = [getattr(method, part, None) for part in ("solver", "integrator")]
    kinds = [str(getattr(part, "kind", type(part).__name__)) for part in parts if part is not None]
    return " with ".join([str(getattr(method, "kind", type(method).__name__)), *kinds])


def described(part: Any) -> dict[str, Any]:
    """An integrator or solver for the run file: its kind and its options."""
    plain = is_dataclass(part) and not isinstance(part, type)
    options = {f.name: getattr(part, f.name) for f in fields(part)} if plain else {"repr": repr(part)}
    made = {name: described(value) if is_dataclass(value) else value for name, value in options.items()}
    return {"kind": getattr(part, "kind", "?"), **made}


def check_state(model: Model, state: Any) -> State:
    """A state that this model can be in: finite, unit quaternions, the world and static nodes in their places."""
    own = model.initial_state()

    def refuse(found: str, allowed: str) -> InputError:
        return InputError("Simulation", f"state: {found}", allowed, "Check where the state comes from.")

    if not isinstance(state, State) or state.flat.shape != own.flat.shape:
        raise refuse("it does not fit", f"a gk.State of {len(own.flat)} numbers for {model!r}")
    if not np.isfinite(state.flat).all():
        raise refuse(f"{first_bad(model, state)} is not finite", "finite numbers")
    length = np.linalg.norm(state.q_WB, axis=1)
    if np.abs(length - 1.0).max() > UNIT_TOLERANCE:
        worst = int(np.abs(length - 1.0).argmax())
        raise refuse(f"quaternion of {model.nodes.names[worst]!r} has length {length[worst]:.6g}", "length 1")
    for i in np.flatnonzero(model.system.masses.inv_mass == 0.0):
        rows = [(table[i], mine[i]) for table, mine in zip(state[1:5], own[1:5]) if i < len(table)]
        if not all(np.array_equal(a, b) for a, b in rows):
            raise refuse(f"{model.nodes.names[i]!r} is not where the model has it", "static nodes in their places")
    return state


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


def first_bad(model: Model, state: State) -> str:
    """Name of the first body, particle or joint whose state is not finite, with what of it, or ''."""
    nodes, bodies = len(state.p_WC), len(state.q_WB)
    view = state_of(state.flat, nodes, bodies)
    fixed = model.system.masses.inv_mass == 0.0  # named last: an infinite force on them has its cause elsewhere
    for i in np.argsort(fixed, kind="stable"):
        name = model.nodes.names[i]
        for what, table in (
            ("velocity", view.v_WC),  # rates first: what they spoil comes later
            ("angular velocity", view.w_WB_B),
            ("position", view.p_WC),
            ("orientation", view.q_WB),
        ):
            if i < len(table) and not np.isfinite(table[i]).all():
                return f"{what} of {'particle' if model.nodes.is_particle(i) else 'body'} {name!r}"
    bad = np.flatnonzero(~np.isfinite(model.wired.memory(state.memory).force))
    return f"force of {model.wired.labels[bad[0]]}" if len(bad) else ""
