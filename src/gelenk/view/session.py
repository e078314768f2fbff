"""The session: a simulation that plays in real time, takes commands between steps and gives frames.

It runs in one thread, that of whoever calls :meth:`Session.run`; others reach it through its queue of commands alone,
and hear of it through an outlet. What it does with a command stands in ``handlers``, by the class of the message:
further files add their own there.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.run.control import check_control
from gelenk.run.run_file import FAILED, FINISHED
from gelenk.simulate import Simulation
from gelenk.state import state_of
from gelenk.view.clock import Clock
from gelenk.view.desk import Desk
from gelenk.view.drawings import Drawings
from gelenk.view.figures import figures
from gelenk.view.frame import PLAYING, FramePacker, Section
from gelenk.view.from_page import (
    FASTEST,
    SLOWEST,
    AskTraces,
    Pause,
    Play,
    Push,
    Record,
    Reset,
    SetInput,
    Show,
    Speed,
    Step,
)
from gelenk.view.layers import Layers
from gelenk.view.messages import Message
from gelenk.view.panels import Rows, check_panels, panels_now
from gelenk.view.recording import LiveRecorder
from gelenk.view.scene import describe
from gelenk.view.to_page import Problem, Run, Scene, Status

TICK = 1.0 / 60.0  # wall time that steps are taken for at once [s]
STATUS = 0.2  # wall time between two statuses [s]
SKIN_COLOUR, STROKE_COLOUR = (0.80, 0.47, 0.38), (0.20, 0.45, 0.69)


class Session(Desk):
    """A simulation that can be watched and steered.

    Parameters
    ----------
    sim : the simulation; from now on the session alone moves it
    speed : simulated seconds a second
    playing : whether it plays from the start
    control, control_every : as in :meth:`gelenk.Simulation.run`
    runs : folder of the run files that it records
    panels : tables of its own on the page, by title: functions of the simulation that give values by name
    frames : that are shown a second, at most
    """

    def __init__(
        self,
        sim: Simulation,
        *,
        speed: float = 1.0,
        playing: bool = True,
        control: Callable[[float, Any], Any] | None = None,
        control_every: float | None = None,
        runs: str | Path = "runs",
        panels: Mapping[str, Rows] | None = None,
        frames: float = 30.0,
    ) -> None:
        super().__init__()
        if not isinstance(sim, Simulation):
            raise InputError("view()", f"{sim!r}"[:100], "a Simulation", "Pass gk.Simulation(model).")
        self.sim = sim
        self.clock = Clock(sim.method.h, speed=check_number("view()", "speed", speed, "1", least=SLOWEST, most=FASTEST))
        self._play_first = playing
        self._control = check_control("view()", control, control_every, sim.method.h)
        self._start, self._start_time = sim.state.flat.copy(), sim.time
        self.steps = 0  # since the start
        self.failure = ""  # why it cannot go on
        self._frame_every = 1.0 / check_number("view()", "frames", frames, "1/s", least=1.0, most=240.0)
        self._panels = check_panels(panels)
        self.recording = LiveRecorder(self, Path(runs))
        self.handlers = {
            Play: lambda client, message: self.play(),
            Pause: lambda client, message: self.clock.pause(),
            Step: lambda client, message: self._step(message.n),
            Reset: lambda client, message: self.reset(),
            Speed: lambda client, message: setattr(self.clock, "speed", message.factor),
            SetInput: lambda client, message: self.sim.inputs.__setitem__(message.name, message.value),
            Show: lambda client, message: self.layers.show(client, message),
            Push: lambda client, message: self.sim[message.body].apply_impulse(message.impulse, at=message.point),
            Record: lambda client, message: self._record(message.on, message.interval),
            AskTraces: lambda client, message: None,  # every page asks; there are none until some are put on
        }
        self.layers = Layers(lambda: self.clock.playing)
        self.drawings = Drawings(self._complain)
        self._whole: set[str] = set()  # names of the joints that were not broken at the last look
        self.sections: list[Callable[[Simulation], Section | None]] = self.layers.makers  # what else goes into a frame
        self.before_steps: list[Callable[[int], None]] = []  # called with how many will be taken at once
        self.before_each: list[Callable[[], None]] = []  # called before every single step
        self.after_steps: list[Callable[[], None]] = []  # called after every piece of what is taken at once
        self.pieces = 1  # into which the steps of a tick are divided
        self.after_commands: list[Callable[[], None]] = []
        self.on_publish: list[Callable[[float], None]] = []  # called with the wall time [s], some ten times a second
        self.on_reset: list[Callable[[], None]] = []
        self.on_end: list[Callable[[], None]] = []
        self.on_exchange: list[Callable[[], None]] = []  # called when the model is another one
        self.more_sections: list[Callable[[Simulation], list[Section]]] = []  # several at once, as ghosts are
        self.scene_parts: list[Callable[[Simulation], dict[str, Any]]] = []  # what else belongs to a scene
        self.energy = 0.0  # at the start, or where the model or a hand changed it last [J]
        self.cost = 0.0  # wall time of a step [s]
        self._sequence = 0
        self._frame_at = -1e9
        self._packer = FramePacker(sim.model)
        self.scene: Scene = describe(sim.model, sim.method.h, blobs=self.blobs)
        self._describing = threading.Lock()
        self.leaving.append(self.layers.leave)
        self.obeyed.append(self.recording.note)
        self.shared: frozenset[str] = frozenset()  # inputs that any page may move

    # what others may do from their threads

    def is_open(self, message: Message) -> bool:
        """Inputs that are shared are moved by any page."""
        return isinstance(message, SetInput) and message.name in self.shared

    def surface(
        self, name: str, triangles: Any, *, vertices: Callable[[Simulation], Any], colour: Any = SKIN_COLOUR
    ) -> None:
        """Draw a surface whose vertices (n, 3) [m] the function ``vertices(sim)`` gives for every frame.

        It is called in the thread of the session, between steps. One of the same name is replaced.
        """
        self.drawings.add_surface(name, triangles, vertices, colour)
        self._redescribe()

    def lines(self, name: str, *, ends: Callable[[Simulation], Any], colour: Any = STROKE_COLOUR) -> None:
        """Draw the lines (n, 2, 3) [m] that the function ``ends(sim)`` gives for every frame."""
        self.drawings.add_lines(name, ends, colour)
        self._redescribe()

    def undraw(self, name: str) -> None:
        """Draw a surface or lines no longer."""
        self.drawings.remove(name)
        self._redescribe()

    def _redescribe(self) -> None:
        """Tell pages of the scene anew, with other drawings."""
        with self._describing:
            number = (self.scene.number + 1) & 0xFFFF
            self.scene = replace(self.drawings.describe(self.scene), number=number)
            self.tell(None, self.scene)
        self._changed = True

    def redescribe_parts(self) -> None:
        """Tell pages of the scene anew, with other parts; in the thread of the session."""
        with self._describing:
            bare = describe(self.sim.model, self.sim.method.h, blobs=self.blobs)
            self.scene = self._described(bare, (self.scene.number + 1) & 0xFFFF)
            self.tell(None, self.scene)
        self._changed = True

    # the loop

    def begin(self) -> None:
        """Make the kernels ready, show the start, and play if it was asked for."""
        self.sim.step(0)
        self.count_energy()
        self._publish(force=True)
        if self._play_first:
            self.clock.play()

    def count_energy(self) -> None:
        """From now on the energy is to stay as it is."""
        self.energy = float(self.sim.ledger[:2].sum())

    def turn(self) -> None:
        """Once round the loop: commands, steps, a frame; then wait until there is something to do again."""
        self.take_commands(self._wait())
        for act in self.after_commands:
            self.attempt("after commands", act)
        self._take_steps()
        self.attempt("record", self.recording.tick)
        self._publish()

    def end(self) -> None:
        """Nothing that was recorded is lost."""
        self.recording.end()
        for act in self.on_end:
            self.attempt("end", act)

    def _wait(self) -> float:
        """Wall time until a tick with a step in it, a frame or a status is due [s]."""
        if self.clock.due() > 1 and self.cost > 0.0 and self.clock.due() * self.cost > TICK:
            return 0.0  # there is more to do than can be done
        now = time.perf_counter()
        until = [self._status_at + STATUS - now]
        step = self.clock.wait()
        until.append(max(step, TICK) if self.clock.playing else step)
        if self._changed:
            until.append(self._frame_at + self._frame_every - now)
        return max(0.0, min(until))

    def _take_steps(self) -> None:
        """Take the steps that are due, but no more than fit into a tick."""
        due = self.clock.due()
        if not due:
            return
        count = max(1, min(due, int(TICK / self.cost) if self.cost > 0.0 else 1))
        begun, before = time.perf_counter(), self.sim.time
        try:
            for act in self.before_steps:
                act(count)
            self._step_pieces(count)
        except Exception as error:  # of the simulation, or of what acts between its steps: the page goes on
            self.fail(str(error) or type(error).__name__)
            count = round((self.sim.time - before) / self.sim.method.h)
        used = (time.perf_counter() - begun) / max(1, count)
        self.cost = used if self.cost == 0.0 else self.cost + 0.2 * (used - self.cost)
        self.steps += count
        self.clock.took(count)
        self._changed = True

    def _step_pieces(self, count: int) -> None:
        """Take steps, in pieces for those who look or act between them, and for the samples that fall among them."""
        piece = -(-count // self.pieces)
        while count > 0:
            taken = self.recording.most(min(piece, count))
            for n in [1] * taken if self.before_each else [taken]:
                for before in self.before_each:
                    before()
                self.sim.step(n, control=self._control)
            self.recording.stepped(taken)
            count -= taken
            for after in self.after_steps:
                after()

    def fail(self, why: str) -> None:
        """Stop where the last good state is; a reset goes on from the start."""
        self.failure = why
        self.clock.pause()
        self.attempt("record", self.recording.stop, FAILED, why[:200])

    # what it is asked for

    def play(self) -> None:
        """Go on in real time."""
        self._check_whole()
        self.clock.play()

    def _step(self, count: int) -> None:
        self._check_whole()
        self.clock.ask(count)

    def _check_whole(self) -> None:
        if self.failure:
            raise InputError("view", "the simulation failed", "a reset", "Press reset.")

    def reset(self) -> None:
        """Back to the start."""
        playing = self.clock.playing
        self.clock.pause()
        self._said.clear()
        self.attempt("record", self.recording.stop, FINISHED, "reset")
        nodes, bodies = len(self.sim.state.p_WC), len(self.sim.state.q_WB)
        self.sim.restart(state_of(self._start.copy(), nodes, bodies), self._start_time)
        self.steps, self.failure = 0, ""
        if self._control is not None:
            self._control.left = 0
        self.count_energy()
        for act in self.on_reset:
            self.attempt("reset", act)
        if playing:
            self.clock.play()

    def _record(self, on: bool, interval: float | None) -> None:
        if on:
            self.recording.start(interval)
        else:
            self.recording.stop()

    def exchange(self, sim: Simulation, *, begins: bool = False) -> None:
        """Go on with another simulation, of another model; pages are told its scene if it looks other.

        A reset goes to where this session began, as far as that was there, and what is new to where its model has it;
        to this moment if it ``begins`` here. A recording ends: its file holds the model that was.
        """
        before = self.sim.model
        start = sim.state
        if not begins:
            start = state_of(self._start, before.nodes.count, len(before.bodies) + 1)
            start = sim.model.state_from(before, start)
        bare, packer = describe(sim.model, sim.method.h, blobs=self.blobs), FramePacker(sim.model)
        self.attempt("record", self.recording.stop, FINISHED, "the model was changed")
        self.sim, self._packer, self._start = sim, packer, start.flat.copy()
        if begins:
            self._start_time, self.steps = sim.time, 0
        self._said.clear()
        self.count_energy()
        for act in self.on_exchange:
            self.attempt("go on", act)
        with self._describing:
            scene = self._described(bare, self.scene.number)
            if not _look_same(scene, self.scene):
                self.scene = replace(scene, number=(scene.number + 1) & 0xFFFF)
                self.tell(None, self.scene)
        self._changed = True

    def equipped(self) -> None:
        """To be called when something that tells of the scene was added, before anyone has heard of it."""
        self.scene = self._described(describe(self.sim.model, self.sim.method.h, blobs=self.blobs), self.scene.number)

    def _described(self, scene: Scene, number: int) -> Scene:
        for part in self.scene_parts:
            scene = replace(scene, **(self.attempt("scene", part, self.sim) or {}))
        return replace(self.drawings.describe(scene), number=number)

    # what others hear

    def _complain(self, text: str) -> None:
        """To all pages, and to the terminal for when there is none yet."""
        sys.stderr.write(f"gelenk: {text}\n")
        self.tell(None, Problem(text))

    def _tell_of_breaks(self) -> None:
        """Name the joints that broke since the last look."""
        broken = set(self.sim.broken)
        for name in sorted(self._whole & broken):
            self.tell(None, Problem(f"joint {name!r} broke; it is {self.sim.time:.4g} s now"))
        self._whole = set(self.sim.model.wired.names) - broken

    def _publish(self, *, force: bool = False) -> None:
        """A frame if something changed and one is due, a status now and then."""
        now = time.perf_counter()
        still = not self.clock.playing and not self.clock.asked
        if self._changed and (force or still or now - self._frame_at >= self._frame_every - 0.5 * TICK):
            # at the tick nearest to when it is due, and the next one as if it had been then: so many in the mean
            every = self._frame_every
            late = now - self._frame_at - every
            self._frame_at = now if force or still or late > every else self._frame_at + every
            self._changed = False
            self.show(self.frame())
            if still:
                self._status_at = -1e9
        if force or now - self._status_at >= STATUS:
            self._status_at = now
            self.tell(None, self.status())
            self._tell_of_breaks()
            made = self.attempt("figures", figures, self.sim, self.cost, self.energy)
            if made is not None:
                self.tell(None, made)
            if self._panels:
                self.tell(None, panels_now(self.sim, self._panels))
        for act in self.on_publish:
            self.attempt("show", act, now)

    def frame(self) -> bytes:
        """The frame of this moment."""
        self._sequence += 1
        number = self.scene.number  # before the drawings: a scene that comes meanwhile has frames of its own
        sections = [made for make in self.sections if (made := self.attempt("picture", make, self.sim)) is not None]
        sections += [one for make in self.more_sections for one in self.attempt("picture", make, self.sim) or ()]
        sections += self.drawings.sections(self.sim)
        flags = PLAYING if self.clock.playing else 0
        sim = self.sim
        return self._packer.pack(sim.state, sim.time, self._sequence, flags=flags, scene=number, sections=sections)

    def status(self) -> Status:
        """Where it is; who drives is known to the server alone."""
        run: Run = "failed" if self.failure else "playing" if self.clock.playing else "paused"
        clock = self.clock
        figures = round(clock.speed, 6), round(clock.factor, 4), clock.behind
        return Status(run, self.sim.time, self.steps, *figures, None, 0, self.recording.on, self.failure[:500])


def _look_same(scene: Scene, other: Scene) -> bool:
    """Whether two scenes differ in no more than values that pages are told anyway."""

    def still(scene: Scene) -> Scene:
        parameters = tuple(replace(s, value=0.0) for s in scene.parameters)
        inputs = tuple(replace(s, value=0.0, least=0.0, most=0.0) for s in scene.inputs)  # ends are guesses
        return replace(scene, number=0, gravity=(0.0, 0.0, 0.0), parameters=parameters, inputs=inputs)

    return still(scene) == still(other)
