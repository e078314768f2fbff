"""Ghosts beside a simulation: other recorded runs, drawn so that light shines through (B-72).

    best = gk.Ghost("runs/best.h5", name="best", since=lambda sim: sim.time - started)
    gk.view(sim, ghosts=[best])

A ghost is where its run was so long after its own start.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_name, check_number
from gelenk.errors import InputError
from gelenk.run.run import Run, load_run
from gelenk.simulate import Simulation
from gelenk.view.frame import GHOST, ROW, Section
from gelenk.view.instruments import check_names
from gelenk.view.recorded import KeptPoses, RecordedPoses
from gelenk.view.replay import colour_of, ghost_of
from gelenk.view.scene import describe
from gelenk.view.session import Session
from gelenk.view.to_page import Ghost as Told


@friendly
class Ghost:
    """A recorded run that goes along.

    Parameters
    ----------
    run : a run, or its file; or times (n,) and poses (n, nodes, 7) of the model that is viewed
    name : for the page
    start : time of its start in the run [s]; its first sample if left out
    since : function of the simulation that gives the time since the start of now [s], or None before it, when the ghost
        stands at its start; the time of the simulation if left out
    """

    def __init__(
        self,
        run: Run | str | Path | tuple[np.ndarray, np.ndarray],
        *,
        name: str = "ghost",
        start: float | None = None,
        since: Callable[[Any], float | None] | None = None,
    ) -> None:
        self.name = check_name("ghost", name)
        self._poses: RecordedPoses | KeptPoses
        self.run: Run | None = None
        if isinstance(run, tuple):
            self._poses, first = _kept(name, run)
        else:
            self.run = run if isinstance(run, Run) else load_run(run)
            if not len(self.run):
                raise InputError(f"ghost {name!r}", "no sample in its run", "a run with samples", "Run it again.")
            self._poses, first = RecordedPoses(self.run), float(self.run.time[0])
        if since is not None and not callable(since):
            found = f"since is {since!r}"[:80]
            raise InputError(f"ghost {name!r}", found, "a function of the simulation", "Pass f(sim).")
        self.start = first if start is None else check_number(f"ghost {name!r}", "start", start, "s")
        self._since = since

    def poses(self, sim: Simulation) -> np.ndarray:
        """(nodes, 7) where it is now."""
        since = sim.time if self._since is None else self._since(sim)
        return self._poses.at(self.start + (since or 0.0))


class LiveGhosts:
    """The ghosts of a session."""

    def __init__(self, session: Session, ghosts: Iterable[Ghost] = ()) -> None:
        self._session = session
        self._all: tuple[Ghost, ...] = ()
        self._told: tuple[Told, ...] = ()
        session.scene_parts.append(lambda sim: {"ghosts": self._told})
        self.put(ghosts)

    def put(self, ghosts: Iterable[Ghost]) -> None:
        """These from now on, in place of those before."""
        ghosts = check_names("ghosts", ghosts, (Ghost,))
        model = self._session.sim.model
        self._told = tuple(_told(ghost, number, model) for number, ghost in enumerate(ghosts, start=1))
        self._all = ghosts

    def sections(self, sim: Simulation) -> list[Section]:
        """Where they are now."""
        made = []
        for number, ghost in enumerate(self._all, start=1):
            poses = self._session.attempt(f"ghost {ghost.name!r}", ghost.poses, sim)
            if poses is not None:
                payload = struct.pack("<I", number) + np.ascontiguousarray(poses, dtype="<f4").tobytes()
                made.append(Section(GHOST, payload))
        return made


def _told(ghost: Ghost, number: int, model: Any) -> Told:
    scene = describe(model if ghost.run is None else ghost.run.parts, 0.0)
    return replace(ghost_of(scene, ghost.name, colour_of(number)), name=ghost.name)


def _kept(name: str, given: tuple[Any, ...]) -> tuple[KeptPoses, float]:
    """Poses of a table that was kept, and the time of the first."""
    time, poses = (np.asarray(part, dtype=np.float64) for part in given) if len(given) == 2 else (np.zeros(0),) * 2
    right = time.ndim == 1 and poses.ndim == 3 and poses.shape[2] == ROW and 0 < len(time) == len(poses)
    if not right or not (np.diff(time) > 0).all():
        found = f"arrays {time.shape} and {poses.shape}"
        raise InputError(f"ghost {name!r}", found, "rising times (n,) and poses (n, nodes, 7)", "Pass such a pair.")
    return KeptPoses(time, poses), float(time[0])
