"""The session: a simulation that plays in real time, takes commands between steps and gives frames.

It runs in one thread, that of whoever calls :meth:`Session.run`; others reach it through its queue of commands alone,
and hear of it through an :class:`Outlet`. What it does with a command stands in ``handlers``, by the class of the
message: further files add their own there.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.run.control import check_control
from gelenk.run.stepping import SimulationError
from gelenk.simulate import Simulation
from gelenk.state import state_of
from gelenk.view.clock import Clock
from gelenk.view.drawings import Drawings
from gelenk.view.figures import figures
from gelenk.view.frame import PLAYING, FramePacker, Section
from gelenk.view.layers import Layers
from gelenk.view.messages import (
    FASTEST,
    SLOWEST,
    Message,
    Pause,
    Play,
    Problem,
    Push,
    Reset,
    Run,
    Scene,
    SetInput,
    Show,
    Speed,
    Status,
    Step,
)
from gelenk.view.scene import describe

TICK = 1.0 / 60.0  # wall time that steps are taken for at once [s]
FRAME = 1.0 / 30.0  # least wall time between two frames [s]
STATUS = 0.2  # wall time between two statuses [s]
MOST_COMMANDS = 256  # that wait
SKIN_COLOUR, STROKE_COLOUR = (0.80, 0.47, 0.38), (0.20, 0.45, 0.69)


class Outlet(Protocol):
    """Who hears of a session; called from its thread, and returns at once."""

    def frame(self, data: bytes) -> None:
        """A new frame, which takes the place of the last one."""
        ...

    def tell(self, client: int | None, message: Message) -> None:
        """A message for one client, or for all."""
        ...


class Session:
    """A simulation that can be watched and steered.

    Parameters
    ----------
    sim : the simulation; from now on the session alone moves it
    speed : simulated seconds a second
    playing : whether it plays from the start
    control, control_every : as in :meth:`gelenk.Simulation.run`
    """

    def __init__(
        self,
        sim: Simulation,
        *,
        speed: float = 1.0,
        playing: bool = True,
        control: Callable[[float, Any], Any] | None = None,
        control_every: float | None = None,
    ) -> None:
        if not isinstance(sim, Simulation):
            raise InputError("view()", f"{sim!r}"[:100], "a Simulation", "Pass gk.Simulation(model).")
        self.sim = sim
        self.clock = Clock(sim.method.h, speed=check_number("view()", "speed", speed, "1", least=SLOWEST, most=FASTEST))
        self._play_first = playing
        self._control = check_control("view()", control, control_every, sim.method.h)
        self._start, self._start_time = sim.state.flat.copy(), sim.time
        self.steps = 0  # since the start
        self.failure = ""  # why it cannot go on
        self.commands: queue.Queue[tuple[int, Message]] = queue.Queue(MOST_COMMANDS)
        self.outlets: list[Outlet] = []
        self.handlers: dict[type, Callable[[int, Any], None]] = {
            Play: lambda client, message: self.play(),
            Pause: lambda client, message: self.clock.pause(),
            Step: lambda client, message: self._step(message.n),
            Reset: lambda client, message: self.reset(),
            Speed: lambda client, message: setattr(self.clock, "speed", message.factor),
            SetInput: lambda client, message: self.sim.inputs.__setitem__(message.name, message.value),
            Show: lambda client, message: self.layers.show(client, message),
            Push: lambda client, message: self.sim[message.body].apply_impulse(message.impulse, at=message.point),
        }
        self.layers = Layers(lambda: self.clock.playing)
        self.drawings = Drawings(lambda text: self.tell(None, Problem(text)))
        self.sections: list[Callable[[Simulation], Section | None]] = self.layers.makers  # what else goes into a frame
        self.before_steps: list[Callable[[int], None]] = []  # called with how many will be taken at once
        self.cost = 0.0  # wall time of a step [s]
        self._sequence, self._changed = 0, True
        self._frame_at = self._status_at = -1e9
        self._packer = FramePacker(sim.model)
        self.scene: Scene = describe(sim.model, sim.method.h)
        self._describing = threading.Lock()
        self._gone: deque[int] = deque()  # clients that have left
        self.leaving: list[Callable[[int], None]] = [self.layers.leave]  # called with their numbers

    # what others may do from their threads

    def send(self, client: int, message: Message) -> bool:
        """Put a command into the queue; returns whether there was room."""
        try:
            self.commands.put_nowait((client, message))
        except queue.Full:
            return False
        return True

    def leave(self, client: int) -> None:
        """A client is gone."""
        self._gone.append(client)

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
        """Tell pages of the scene anew."""
        with self._describing:
            number = (self.scene.number + 1) & 0xFFFF
            self.scene = replace(self.drawings.describe(self.scene), number=number)
            self.tell(None, self.scene)
        self._changed = True

    # the loop

    def run(self, stop: Callable[[], bool]) -> None:
        """Play until ``stop()``."""
        self.begin()
        while not stop():
            self.turn()

    def begin(self) -> None:
        """Make the kernels ready, show the start, and play if it was asked for."""
        self.sim.step(0)
        self._publish(force=True)
        if self._play_first:
            self.clock.play()

    def turn(self) -> None:
        """Once round the loop: commands, steps, a frame; then wait until there is something to do again."""
        self._take_commands(self._wait())
        self._take_steps()
        self._publish()

    def _wait(self) -> float:
        """Wall time until a tick with a step in it, a frame or a status is due [s]."""
        if self.clock.due() > 1 and self.cost > 0.0 and self.clock.due() * self.cost > TICK:
            return 0.0  # there is more to do than can be done
        now = time.perf_counter()
        until = [self._status_at + STATUS - now]
        step = self.clock.wait()
        until.append(max(step, TICK) if self.clock.playing else step)
        if self._changed:
            until.append(self._frame_at + FRAME - now)
        return max(0.0, min(until))

    def _take_commands(self, wait: float) -> None:
        """Carry out what is asked for, and wait up to ``wait`` seconds for the first of it."""
        while self._gone:
            client = self._gone.popleft()
            for act in self.leaving:
                act(client)
        try:
            client, message = self.commands.get(timeout=wait) if wait > 0.0 else self.commands.get_nowait()
            while True:
                self.obey(client, message)
                client, message = self.commands.get_nowait()
        except queue.Empty:
            pass

    def obey(self, client: int, message: Message) -> None:
        """Carry out one command, or tell the client why not."""
        handler = self.handlers.get(type(message))
        try:
            if handler is None:
                raise InputError("view", f"a command {message.kind!r}", ", ".join(self.words), "Use one of these.")
            handler(client, message)
        except Exception as error:  # whatever a client asks for, the simulation goes on
            self.tell(client, Problem(str(error)[:500]))
        self._changed = True
        self._status_at = -1e9

    @property
    def words(self) -> list[str]:
        """Kinds of commands that it obeys."""
        return [kind.kind for kind in self.handlers]  # type: ignore[attr-defined]

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
            self.sim.step(count, control=self._control)
        except SimulationError as error:
            self.fail(str(error))
            count = round((self.sim.time - before) / self.sim.method.h)
        used = (time.perf_counter() - begun) / max(1, count)
        self.cost = used if self.cost == 0.0 else self.cost + 0.2 * (used - self.cost)
        self.steps += count
        self.clock.took(count)
        self._changed = True

    def fail(self, why: str) -> None:
        """Stop where the last good state is; a reset goes on from the start."""
        self.failure = why
        self.clock.pause()

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
        nodes, bodies = len(self.sim.state.p_WC), len(self.sim.state.q_WB)
        self.sim.restart(state_of(self._start.copy(), nodes, bodies), self._start_time)
        self.steps, self.failure = 0, ""
        if self._control is not None:
            self._control.left = 0
        if playing:
            self.clock.play()

    def exchange(self, sim: Simulation) -> None:
        """Go on with another simulation, of another model; pages are told its scene."""
        with self._describing:
            self.sim, self._packer = sim, FramePacker(sim.model)
            scene = describe(sim.model, sim.method.h, (self.scene.number + 1) & 0xFFFF)
            self.scene = self.drawings.describe(scene)
            self.tell(None, self.scene)
        self._changed = True

    # what others hear

    def tell(self, client: int | None, message: Message) -> None:
        """Tell one client, or all."""
        for outlet in self.outlets:
            outlet.tell(client, message)

    def _publish(self, *, force: bool = False) -> None:
        """A frame if something changed and one is due, a status now and then."""
        now = time.perf_counter()
        still = not self.clock.playing and not self.clock.asked
        if self._changed and (force or still or now - self._frame_at >= FRAME - 0.5 * TICK):
            # at the tick nearest to when it is due, and the next one as if it had been then: 30 a second in the mean
            late = now - self._frame_at - FRAME
            self._frame_at = now if force or still or late > FRAME else self._frame_at + FRAME
            self._changed = False
            data = self.frame()
            for outlet in self.outlets:
                outlet.frame(data)
            if still:
                self._status_at = -1e9
        if force or now - self._status_at >= STATUS:
            self._status_at = now
            self.tell(None, self.status())
            self.tell(None, figures(self.sim, self.cost))

    def frame(self) -> bytes:
        """The frame of this moment."""
        self._sequence += 1
        number = self.scene.number  # before the drawings: a scene that comes meanwhile has frames of its own
        sections = [made for make in self.sections if (made := make(self.sim)) is not None]
        sections += self.drawings.sections(self.sim)
        flags = PLAYING if self.clock.playing else 0
        sim = self.sim
        return self._packer.pack(sim.state, sim.time, self._sequence, flags=flags, scene=number, sections=sections)

    def status(self) -> Status:
        """Where it is; who drives is known to the server alone."""
        run: Run = "failed" if self.failure else "playing" if self.clock.playing else "paused"
        clock = self.clock
        figures = round(clock.speed, 6), round(clock.factor, 4), clock.behind
        return Status(run, self.sim.time, self.steps, *figures, None, 0, note=self.failure[:500])
