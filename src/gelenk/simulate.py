"""Simulation: a model and a method make a run. The first page to read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from gelenk import compile as compiler
from gelenk.arguments import friendly
from gelenk.checks import check_number, unknown
from gelenk.contact.problem import ContactProblem
from gelenk.contact.report import ContactForce, ContactImpact
from gelenk.errors import InputError
from gelenk.methods.auto_merge import MergeHabit, Merging
from gelenk.methods.choose import check_method, check_segments, check_stops, default_method, method_after
from gelenk.methods.merger import Merger
from gelenk.methods.method import Method, Stepper
from gelenk.methods.observe import observe
from gelenk.methods.tally import ForceTally, begin_tally, read_tally
from gelenk.model.begun import begun_at
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.progress import RunProgress, compiling
from gelenk.run.accuracy import AccuracyWatch
from gelenk.run.control import Control, check_control
from gelenk.run.described import method_name, options_text
from gelenk.run.good_state import check_state
from gelenk.run.inputs import Inputs
from gelenk.run.interrupt import Interrupt
from gelenk.run.now import BodyNow, FrameNow
from gelenk.run.recorder import Output, Recorder, Sample, check_about, check_outputs, run_path
from gelenk.run.run import Run
from gelenk.run.run_file import FAILED, FINISHED, INTERRUPTED
from gelenk.run.sensors import DriveNow, JointNow, Sensors
from gelenk.run.stepping import SimulationError, Stepping
from gelenk.run.steps import split_steps, steps_between_samples
from gelenk.space.events import CollisionEvent
from gelenk.space.touch import Touch
from gelenk.state import State

ControlFunction = Callable[[float, Any], Any]


@friendly
class Simulation(Stepping):
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
    merging : when bodies become one by themselves; only those of :meth:`merge` if left out
    """

    def __init__(
        self,
        model: Model,
        method: Method | None = None,
        *,
        seed: int = 0,
        state: State | None = None,
        time: float = 0.0,
        merging: Merging | None = None,
    ) -> None:
        if not isinstance(model, Model):
            raise InputError("Simulation", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        if method is None:
            method = default_method(model)
        check_method(method)
        check_segments(method, model)
        check_stops(method, model)
        if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or not 0 <= seed < 2**63:
            raise InputError("Simulation", f"seed is {seed!r}"[:100], "a whole number from 0 to 2^63 - 1", "Change it.")
        self.seed = int(seed)
        self.random = np.random.default_rng(self.seed)
        start = model.initial_state()
        if state is not None:
            start.flat[:] = check_state(model, state).flat
        super().__init__(model, method, start, check_number("Simulation", "time", time, "s"))
        memory = model.wired.memory(self.state.memory)
        self.inputs = Inputs(model.wired.inputs, memory.inputs, followers=model.wired.followers)
        self.sensors = Sensors(model, self.state)
        self._touch = Touch(model, method, self._stepper)
        self._merging = merging
        self._begin_merging()

    def _begin_merging(self) -> None:
        """Nothing is merged yet."""
        self._merger = Merger(self.model, self.method, self.state)
        if self._merging is not None:
            habit = MergeHabit(self._merging, self.model, self.method.h, self._merge_found)
            self._habits = [Control(habit.look, habit.steps, due=habit.due)]

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
        return self._touch.contacts()

    @property
    def impacts(self) -> list[ContactImpact]:
        """Where bodies met and bounced in the last step, with which impulse and how fast."""
        return self._touch.impacts()

    def contact_force(self, body: str, other: str | None = None) -> np.ndarray:
        """Sum of the contact forces on a body in the last step, or of those by another body alone [N] (V-114)."""
        return self._touch.force(body, other)

    def contact_loads(self) -> dict[str, float]:
        """Mean generalised forces of all contacts since the last call, impacts included (B-32).

        Along each velocity of a tree, by its name: "steering.angle" [N m] is what the contacts of all bodies behind the
        hinge "steering" do about its axis, also if it is driven; "hull.vx" [N] the sum of all contacts of a free tree.
        """
        loads = getattr(self._stepper, "contact_loads", None)
        if loads is None:
            found = f"the method {self.method.kind!r}"
            allowed, remedy = "a method in minimal coordinates", "Use gk.MoreauTree()."
            if self.merged:
                found, remedy = "bodies that are merged", "Split them, or look before they are merged."
                allowed = "bodies that move by themselves, whose joints have coordinates"
            raise InputError("contact_loads()", found, allowed, remedy)
        made: dict[str, float] = loads()
        return made

    def work_done(self) -> dict[str, dict[str, float]]:
        """Work on the bodies since the last call [J]: what it is, and whose: ``["friction"]["runner on ice"]``.

        The first call opens the books and gives zeros. Then the kinetic and potential energy of the :attr:`ledger` has
        changed by the sum of all, but for the error of the method. Every item is counted by itself in every step:
        "friction", "pressing" and "blows" of contacts, "impacts", "damping", "springs" (what the implicit rule takes),
        "drives", "air", "overlaps". Motors, limits, wrenches and laws of users are not counted;
        see :mod:`gelenk.methods.tree_books`.
        """
        work = getattr(self._stepper, "work_done", None)
        if work is None:
            found = f"the method {self.method.kind!r}, or bodies that are merged"
            raise InputError("work_done()", found, "a method in minimal coordinates", "Use gk.MoreauTree().")
        made: dict[str, dict[str, float]] = work()
        return made

    def contact_torque(self, body: str) -> np.ndarray:
        """Sum of the moments of the contact forces on a body about its centre of mass in the last step [N m] (B-33)."""
        self.model.body(body)
        torque = getattr(self._stepper, "contact_torque", None)
        if torque is None:
            found = f"the method {self.method.kind!r}, or bodies that are merged"
            raise InputError("contact_torque()", found, "a method with contact", "Use gk.MoreauTree().")
        made: np.ndarray = torque(self.model.index(body))
        return made

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

        Events are told between batches of steps: in a run that is every tenth of a second of computing, with
        ``control=`` or :meth:`advance` as often as these act. A beginning has the time within its step at which points
        that bounce met, else that of the start of its step as an end has, and the impulse on ``b`` in that step.
        """
        self._touch.subscribe(listener)

    def unsubscribe(self, listener: Callable[[CollisionEvent], Any]) -> None:
        """Call a function no longer that was given to :meth:`subscribe`."""
        self._touch.unsubscribe(listener)

    def merge(self, name: str, *bodies: str) -> None:
        """Let bodies move as one from the next step on, under a name of their own, until :meth:`split` (V-95).

        They stay where they are and move with the momentum of all; together with a static body, or "world", they
        stand still. Joints, drives and springs between them are left out, and give no force. All of them can still be
        read, recorded, pushed and touched by their names.
        """
        self._check_exchange("merge()")
        self._exchange(self._merger.merge(name, bodies))

    def split(self, name: str) -> None:
        """Let the bodies of a :meth:`merge` move by themselves again, from where they are and as fast as they move."""
        self._check_exchange("split()")
        self._exchange(self._merger.split(name))

    def _merge_found(self, groups: Iterable[frozenset[str]]) -> None:
        """Let these groups be one beside those of :meth:`merge`, in place of those of the last call."""
        stepper = self._merger.find(groups)
        if stepper is not None:
            self._exchange(stepper)

    def follow(self, other: Simulation) -> None:
        """Take over from a simulation of another model what is not part of a state: who listens, what was merged.

        ::

            larger = builder.build()
            made = gk.Simulation(larger, sim.method, state=larger.state_from(sim.model, sim.state), time=sim.time)
            made.follow(sim)

        Events go on as if nothing had happened; groups lose the bodies that are gone; ``random`` goes on.
        """
        stepper = self._merger.follow(other._merger)
        self.random = other.random
        self._touch.follow(other._touch)
        if stepper is not None:
            self._exchange(stepper)

    def changed(self, change: Callable[[Builder], Any], *, from_now: bool = False) -> Simulation:
        """A simulation of a changed model that goes on from this moment: all that is in both is where and as it is.

        ::

            sim = sim.changed(lambda b: b.remove("elbow", dependents=True))  # the joint breaks
            sim = sim.changed(lambda b: b.add(gk.Hinge(...)), from_now=True)  # another is put on where bodies are now

        A method that was chosen for the model is chosen anew, with the same step, if it may not do for the changed one.

        Parameters
        ----------
        change : function of a builder that holds the model
        from_now : whether the changed model begins where this simulation is now, so that points of the world are those
            of now; else it begins where the model does. Broken joints, and what acts on them, are left out then
        """
        if not callable(change):
            raise InputError(
                "changed()", f"{change!r}"[:100], "a function of a builder", "Pass lambda b: b.remove(...)."
            )
        begun = begun_at(self.model, self.state, self.broken) if from_now else self.model
        builder = Builder.from_model(begun)
        change(builder)
        before = {joint.name: joint for joint in begun.joints}
        kept = [name for name, joint in builder.named("joint").items() if before.get(name) is joint]
        model = builder.build(assemble=from_now, settled=kept if from_now else ())
        method = method_after(self.method, self.model, model)
        state = model.state_from(self.model, self.state)
        made = Simulation(model, method, seed=self.seed, state=state, time=self.time, merging=self._merging)
        made.step(0)  # its kernels are made ready; what fails, fails while nothing has changed
        made.follow(self)
        return made

    @property
    def broken(self) -> tuple[str, ...]:
        """Names of the joints that are broken now."""
        broken = self.model.wired.memory(self.state.memory).broken
        return tuple(name for name, yes in zip(self.model.wired.names, broken) if yes)

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups of :meth:`merge`."""
        return tuple(self._merger.named)

    @property
    def merged(self) -> tuple[tuple[str, ...], ...]:
        """Names of the bodies that are one now, group by group."""
        return tuple(map(tuple, self._merger.groups()))

    def _after_steps(self, t_start: float, h: float, taken: int) -> None:
        self._touch.tell(t_start, h, taken)

    def _check_exchange(self, call: str) -> None:
        tally: ForceTally | None = getattr(self._stepper, "tally", None)
        if tally is not None and tally.on[0]:
            raise InputError(call, "a run with peaks=True goes on", "runs without peaks", "Leave peaks out.")

    def _exchange(self, stepper: Stepper) -> None:
        """Go on with another stepper of the same state."""
        self._stepper = stepper
        group = {name: k for k, names in enumerate(self._merger.groups()) for name in names}
        self._touch.go_on(stepper, lambda a, b: a in group and group[a] == group.get(b))

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

    def step(self, count: int = 1, *, control: Control | None = None) -> None:
        """Take whole steps, none is fine too, without recording; a control goes on from call to call."""
        with compiling(method_name(self.method)):
            if count == 0:  # kernels are made ready
                self._stepper.advance(self._t0, self.method.h, self._steps, 0)
            self._take(count, lambda: False, control)

    def restart(self, state: State | None = None, time: float = 0.0) -> None:
        """Begin anew at a state and time, those of the start if left out, as a new simulation would: nothing is merged.

        It stays the same object, so that whoever reads or steers it goes on.
        """
        start = self.model.initial_state() if state is None else check_state(self.model, state)
        self._t0, self._steps = check_number("restart()", "time", time, "s"), 0
        self.state.flat[:] = start.flat
        self.random = np.random.default_rng(self.seed)
        self._begin_merging()
        self._exchange(self.method.begin(self.model, self.state))

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
        about: Mapping[str, str] | None = None,
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
        about : texts to be kept with the run, by name: ``run.attributes["about.name"]``
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
            attributes=self._attributes(t_end, every * h) | check_about(about),
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

    def recorder(self, path: Path, output_dt: float, capacity: int) -> tuple[Recorder, Callable[[], Sample]]:
        """A new run file that begins with a sample of now, and what takes the next ones.

        For whoever moves the simulation step by step, gives the recorder its samples, and finishes it.
        """
        accuracy = AccuracyWatch(self.model, self.state, self.sensors.watch)

        def sample() -> Sample:
            observed = self._observe()
            return Sample(self.time, self.state.flat, *observed, None, {}, accuracy.look(self.time, self.info))

        attributes = self._attributes(math.inf, output_dt)
        return Recorder(self.model, sample(), capacity=capacity, attributes=attributes, path=path), sample

    def _tally(self, peaks: bool) -> ForceTally | None:
        """The tally of forces, begun if it is to be kept; None if it is not, or if there are no joints."""
        if not isinstance(peaks, bool):
            raise InputError("run()", f"peaks is {peaks!r}"[:80], "true or false", "Pass a bool.")
        if peaks and (self._merger.groups() or self._habits):
            raise InputError("run()", "peaks of forces while bodies are merged", "one of them", "Leave peaks out.")
        tally: ForceTally | None = getattr(self._stepper, "tally", None)
        if tally is not None:
            begin_tally(tally, on=peaks)
        elif peaks and self.model.joints:
            found = f"peaks of the method {self.method.kind!r}"
            raise InputError("run()", found, "a method that keeps a tally", "Leave peaks out.")
        return tally if peaks and self.model.joints else None

    def _attributes(self, t_end: float, output_dt: float) -> dict[str, Any]:
        return {
            "model": self.model.name,
            "method": repr(self.method),
            "options": options_text(self.method),
            "h": self.method.h,
            "t_start": self.time,
            "t_end": t_end,
            "output_dt": output_dt,
            "seed": self.seed,
            "compiled": compiler.ENABLED,
        }


@friendly
def simulate(
    model: Model,
    t_end: float,
    *,
    method: Method | None = None,
    seed: int = 0,
    merging: Merging | None = None,
    **options: Any,
) -> Run:
    """Run a model from its start to ``t_end`` [s]; ``options`` are those of :meth:`Simulation.run`."""
    if "h" in options or "integrator" in options:
        remedy = "Pass them with the method, such as method=gk.FreeMotion(h=..., integrator=...)."
        raise InputError("simulate()", "h or integrator given", "options of a run", remedy)
    return Simulation(model, method, seed=seed, merging=merging).run(t_end, **options)
