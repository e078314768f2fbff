"""Driving the bobsleigh in the live view: from the hands to the ropes, and from the sled to eyes, ears and hands.

A filter in the joint itself makes what hands do a smooth angle, step by step (B-63); every hundredth of a second the
force of the ropes, clock, splits, sounds, overlay and ghost are looked at (B-68, B-72 to B-77). The view takes whole
steps of 0.2 ms as wall time goes by, 83 for a picture at 60 a second; after a hiccup at most 40 ms are made up for, so
that no sled jumps ahead of its driver, and that time was let go is shown (B-62).
"""

from __future__ import annotations

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

from gelenk.methods.moreau_tree import MoreauTree
from gelenk.simulate import Simulation
from gelenk.view.clock import Clock
from gelenk.view.devices import Input, Vibration
from gelenk.view.force_out import ForceSender
from gelenk.view.frame import FramePacker
from gelenk.view.light import Daylight, Night
from gelenk.view.live_ghosts import Ghost
from gelenk.view.overlay import Overlay
from gelenk.view.sounds import Hit, Noise
from gelenk.view.traces import Trace
from gelenk.worlds.bobsleigh.drive import senses
from gelenk.worlds.bobsleigh.drive.best_run import BestRun, PoseKeeper
from gelenk.worlds.bobsleigh.drive.controls import keys, set_up, switches
from gelenk.worlds.bobsleigh.drive.drawn_lines import NAMES, SPACING
from gelenk.worlds.bobsleigh.drive.feelings import Feelings
from gelenk.worlds.bobsleigh.drive.live_timing import LiveTiming
from gelenk.worlds.bobsleigh.drive.logbook import Logbook
from gelenk.worlds.bobsleigh.drive.scene import HULL, Grounds
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.steering import steering_angle

H = 2e-4  # [s] 83 steps in a sixtieth of a second (bobsleigh 5.1)
LOOK = 0.01  # [s] between two looks (B-69)
HICCUP = 0.04  # [s] of wall time that is made up for at most (bobsleigh 4.10)
SLOW = 0.97  # of real time, below which it is shown
DAY = 205.0, 30.0  # [deg] where the sun stands, from north by east, and how high
FLOODLIGHT = 4.5  # of the lamps, which make the ice the brightest thing of the night
LAST = 4.0  # [m] before the end of the ice, where a run is over
PAUSED, WAITS = "paused: Space goes on", "Space starts"
STRONG = 120.0  # [N m] in the steering that shakes a gamepad as hard as it can: 1 % of a clean run is beyond it


class Game:
    """A driver on a track.

    Parameters
    ----------
    grounds : the track and what is around it
    setup : of the sled
    folder : where set-ups and the best run lie
    sender : of the force of the ropes, or None
    """

    def __init__(self, grounds: Grounds, setup: Setup, folder: Path, sender: ForceSender | None = None) -> None:
        self.grounds, self.setup, self.folder, self.sender = grounds, setup, folder, sender
        self.track = grounds.track
        name = re.sub(r"[^\w .-]", "-", self.track.name)
        self.best_file = folder / f"best-{name}.npz"
        self.best = BestRun.load(self.best_file, len(self.track.timing))
        self.timing = LiveTiming(self.track.timing, None if self.best is None else self.best.times.tolist())
        self.feelings, self.keeper, self.logbook = Feelings(), PoseKeeper(), Logbook(folder, self.track.timing)
        self.overlay = Overlay()
        self.steering = Input("steering", up="ArrowRight", down="ArrowLeft", axis=0, rise=0.35, to=self.steer)
        self.wind, self.scratch = Noise("wind", cutoff=150), Noise("runners", cutoff=2000, sharpness=1.2)
        self.hit, self.rumble = Hit("bumper", pitch=48), Vibration()
        self.traces = [Trace(name, partial(self._mark, name), spacing=SPACING) for name in NAMES]
        self.night, self.sails, self.sun = False, False, DAY
        self.view: Any = None
        self._packer: FramePacker | None = None
        self._looked, self._moment, self._s = -math.inf, 0.0, 0.0
        self._done = self._told_tipped = self._again = False
        self._shown = self.best  # the run that goes along as a ghost

    def simulation(self) -> Simulation:
        """The sled at the start."""
        sim = Simulation(self.grounds.model(self.setup), MoreauTree(h=H, order=1))
        self._packer = FramePacker(sim.model)
        sim.subscribe(self.feelings.hear)
        return sim

    def _mark(self, point: str, sim: Any) -> Any:
        """Where a point of a runner draws on the ice now, or None (B-71)."""
        return self.feelings.marks.get(point)

    # between the steps

    def control(self, t: float, sim: Any) -> None:
        """Every hundredth of a second: hands, ropes, and a look at all else."""
        self.steer(sim, self.steering.value)
        self._moment = float(sim.contact_loads()["steering.angle"])  # mean over all steps since the last call
        if self.sender is not None:
            self.sender.put(t, self._moment)
        if t != self._looked:
            self._look(t, sim)

    def steer(self, sim: Any, hand: float) -> None:
        """What a hand asks for, from -1, left, to 1, right; to the left the angle is positive."""
        sim.inputs["wheel.position"] = steering_angle(-hand, self.setup.directness)

    def _look(self, t: float, sim: Any) -> None:
        if math.isinf(self._looked):
            self.overlay.say("Start", seconds=1.5)
        passed, self._looked = t - self._looked, t
        feel = self.feelings
        feel.look(sim, passed if 0.0 < passed < 1.0 else 0.0)
        self._s = float(self.track.line.project(sim[HULL].com, near=self._s).s[0])
        if self.timing.step(t, self._s):
            self._tell_split()
        clock = self.timing.clock(t)
        if clock is not None and not self.timing.finished and self._packer is not None:
            self.keeper.look(clock, self._packer.poses(sim.state))
        if feel.tipped and not self._told_tipped:
            self._told_tipped = True
            self.overlay.say("Tipped over: the sled slides on. r begins anew", seconds=8.0)
        if self.timing.finished and not self._done:
            self._finish()
        self._show(clock)
        if self._s > self.track.line.end - LAST and self.view is not None:
            self.view.session.clock.pause()
            self._end("end of the track")
            self.overlay.say("The end of the track. r begins anew", seconds=60.0)

    def _show(self, clock: float | None) -> None:
        feel, overlay = self.feelings, self.overlay
        overlay.speed, overlay.clock, overlay.splits = feel.speed, clock or 0.0, self.timing.rows()
        left, up, ahead = feel.load
        overlay.g, overlay.steering = (left, up, ahead), -self.steering.value
        self.wind.cutoff, self.wind.volume = senses.wind(feel.speed)
        self.scratch.cutoff, self.scratch.volume = senses.scratch(feel.slip, feel.speed)
        loud = senses.hit(feel.hit())
        self.hit.strike(loud)
        self.rumble.strong = max(loud, 0.8 * self.rumble.strong)
        self.rumble.weak = min(1.0, abs(self._moment) / STRONG)

    def _tell_split(self) -> None:
        name, time, behind = self.timing.rows()[-1]
        mark = "" if behind is None else f"  {behind:+.2f}"
        self.overlay.say(f"{name}  {time:.2f}{mark}", seconds=3.0)

    def _finish(self) -> None:
        """The clock has stopped: the run becomes the best one if it is, and did not tip over."""
        self._done = True
        times = [passed.time for passed in self.timing.passed]
        if self.feelings.tipped or (self.best is not None and times[-1] >= self.best.times[-1]):
            return
        before, self.best = self.best, self.keeper.run(times)
        try:
            self.best.save(self.best_file)
        except OSError as error:
            self.overlay.say(f"{times[-1]:.2f} is the best, but could not be kept: {error}"[:110], seconds=8.0)
            return
        gain = "" if before is None else f"  {times[-1] - before.times[-1]:+.2f}"
        self.overlay.say(f"New best  {times[-1]:.2f}{gain}", seconds=8.0)

    # around a run

    def begin(self, view: Any) -> None:
        """The view is there, and has not yet played."""
        self.view = view
        session = view.session
        session.clock.most_lag = HICCUP
        session.on_reset.append(self.restart)
        session.on_end.append(self.close)
        session.before_steps.append(self._record)
        session.on_publish.append(self._note)
        self.overlay.say("Space starts, arrows steer, r begins anew", seconds=3600.0)

    def _note(self, now: float) -> None:
        """What stays over the picture: that the sled waits, or that the machine is too slow."""
        clock = self.view.session.clock
        under_way = not math.isinf(self._looked) and self._s <= self.track.line.end - LAST
        waits = WAITS if self._again and math.isinf(self._looked) else ""
        self.overlay.note = slowness(clock) if clock.playing else PAUSED if under_way else waits

    def _record(self, count: int) -> None:
        """Before steps: every run is recorded from its first step on, so that none is lost."""
        if not math.isinf(self._looked) or self.view is None or self.logbook.file is not None:
            return
        session = self.view.session
        if not session.recording.on:
            session.recording.start(LOOK)
        self.logbook.begin(session.recording.path, self.setup)

    def _end(self, why: str) -> None:
        """The run is over: its file ends, and a line of the logbook tells of it."""
        if self.view is not None:
            self.view.session.recording.stop("finished", why)
        try:
            self.logbook.end([(passed.time, passed.speed) for passed in self.timing.passed], self.feelings.tipped)
        except OSError as error:
            self.overlay.say(f"the logbook could not be written: {error}"[:110], seconds=8.0)

    def close(self) -> None:
        """The view is closed, perhaps in the middle of a run."""
        self._end("the view was closed")

    def restart(self) -> None:
        """At the start again, beside the best run."""
        self._end("begun anew")
        self._again = True
        self.feelings.rest()
        self.keeper.clear()
        self.timing.compare(None if self.best is None else self.best.times.tolist())
        self.timing.restart()
        self._looked, self._s, self._done, self._told_tipped = -math.inf, 0.0, False, False
        if self.view is not None and self._shown is not self.best:
            self._shown = self.best
            self.view.put_ghosts(*self.ghosts())

    def ghosts(self) -> list[Ghost]:
        """The best run, if there is one."""
        if self.best is None:
            return []
        return [Ghost((self.best.clock, self.best.poses), name="best run", start=0.0, since=self.since)]

    def since(self, sim: Any) -> float | None:
        """Time since the clock started [s]; it goes on after the finish."""
        return None if self.timing.started is None else sim.time - self.timing.started

    # what the page asks for

    def turn_night(self, on: bool) -> None:
        """Night, or day."""
        self.night = on
        self.view.light(self.light())

    def turn_sun(self, azimuth_deg: float, height_deg: float) -> None:
        """The sun elsewhere, if it is day."""
        self.sun = azimuth_deg, height_deg
        self.view.light(self.light())

    def turn_sails(self, on: bool) -> None:
        """Sails closed, or open."""
        self.sails = on
        self.view.show("sails", on)

    def light(self) -> Daylight | Night:
        """The light of the moment."""
        return Night(self.grounds.lamps, brightness=FLOODLIGHT) if self.night else Daylight(*self.sun)

    def choose(self, setup: Setup) -> None:
        """Another set-up, from the next start on, which is now."""
        self.setup = setup
        session = self.view.session
        session.exchange(self.simulation(), begins=True)
        session.reset()


def play(
    grounds: Grounds,
    setup: Setup,
    *,
    folder: Path,
    camera: str = "pilot",
    night: bool = False,
    sails: bool = False,
    sun: tuple[float, float] = DAY,
    sender: ForceSender | None = None,
    **where: Any,
) -> Any:
    """Open the view of a game; ``where`` as in :func:`gelenk.view`."""
    from gelenk.view.open import view

    game = Game(grounds, setup, folder, sender)
    game.night, game.sails, game.sun = night, sails, sun
    sim = game.simulation()
    Simulation(sim.model, sim.method).advance(LOOK)  # compiles what is not yet, before somebody sits at the start
    return view(
        sim,
        control=game.control,
        control_every=LOOK,
        playing=False,
        frames=60.0,
        inputs=[game.steering, *keys(game)],
        outputs=[game.wind, game.scratch, game.hit, game.rumble],
        parameters=switches(game),
        cameras=grounds.cameras(),
        camera=camera,
        light=game.light(),
        scenery=grounds.scenery(sails),
        overlay=game.overlay,
        dialog=set_up(game),
        ghosts=game.ghosts(),
        traces=game.traces,
        runs=folder / "runs",
        setup=game.begin,
        **where,
    )


def slowness(clock: Clock) -> str:
    """What is shown of a machine that cannot keep up."""
    factor = clock.factor
    return f"slower than real time: {factor:.2f}" if clock.behind and factor < SLOW else ""
