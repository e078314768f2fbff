"""What a run file of a descent keeps beside the motion, and the record that is made of it (B-69, B-70)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.run.run import Run
from gelenk.worlds.bobsleigh.books import Bookkeeper
from gelenk.worlds.bobsleigh.descent import EVERY, HULL, H, Seat
from gelenk.worlds.bobsleigh.record import Record
from gelenk.worlds.bobsleigh.run_report import descent_in
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import sled_data
from gelenk.worlds.bobsleigh.track import track_names

RUNNERS = tuple(sled_data()["touch"]["runner"]["bodies"])
STEERING = "steering"  # the joint that is driven
JOINTS = tuple(name for name in sled_data()["joint"] if name != STEERING)
XYZ, WXYZ = ("x", "y", "z"), ("w", "x", "y", "z")


def recording(seat: Seat) -> dict[str, Any]:
    """How a descent is recorded: arguments of :meth:`gelenk.Simulation.run`.

    A sample every hundredth of a second: the motion, and means since the sample before of the forces of contacts along
    every velocity of the tree, of the forces of joints, and their peaks.
    """
    outputs: dict[str, Callable[[Any], Any]] = {
        "place": seat.place,
        "timing": lambda sim: seat.timing,
        "work": Bookkeeper(),
        "loads": lambda sim: list(sim.contact_loads().values()),
        "traces": traces,
    }
    return {"control": seat, "control_every": EVERY, "output_dt": EVERY, "outputs": outputs, "peaks": True}


def traces(sim: Any) -> np.ndarray:
    """(4, 2, 3) where both points of every runner press on the ice [m]; nan where one does not."""
    at = np.full((len(RUNNERS), 2, 3), np.nan)
    for contact in sim.contacts:
        if contact.b in RUNNERS:
            runner = sim[contact.b]
            ahead = runner.rotation[:, 2] @ (contact.point - runner.com)
            at[RUNNERS.index(contact.b), 0 if ahead > 0.0 else 1] = contact.point
    return at


def load_names(model: Any) -> list[str]:
    """Names of the loads, in the order of the tree."""
    from gelenk.methods.moreau_tree import MoreauTree
    from gelenk.simulate import Simulation

    return list(Simulation(model, MoreauTree(h=H, order=1)).contact_loads())


def about(setup: Setup, track: str) -> dict[str, str]:
    """Texts that a run file keeps; of a track of one's own, where its files are."""
    where = track.lower() if track.lower() in track_names() else str(Path(track).resolve())
    return {"world": "bobsleigh", "track": where, "setup": setup.text()}


def folder_name(where: str) -> str:
    """Name of a track that ships, or of the folder with its files."""
    path = Path(where)
    return path.parent.name if path.suffix == ".toml" else path.name


def record_of(run: Run) -> Record:
    """The record of the source: t, q, k, u, m and its rate as they are, i and j as means between samples.

    q: place of the centre of mass and quaternion of the rear hull, angles of the free hinges; k, m: of the steering.
    The rate of m is its difference to the sample before. i, j: forces of all contacts along k and q [N], [N m].
    """
    texts = run.attributes
    if "about.setup" not in texts or "loads" not in run.outputs:
        found = "a run without set-up, or without forces of contacts"
        raise InputError("record", found, "a descent recorded by gelenk run bobsleigh", "Record one.")
    made, time = descent_in(run), run.time
    hull, steering = run[HULL], run[STEERING]
    arm = hull.rotation @ np.array(sled_data()["body"][HULL]["com"])
    velocity = hull.velocity + np.cross(hull.angular_velocity, arm)
    names, loads = load_names(run.model), run["loads"]
    columns: list[tuple[str, np.ndarray]] = [("t", time)]
    columns += [(f"q.r_{a}", x) for a, x in zip(XYZ, (hull.position + arm).T)]
    columns += [(f"q.e_{a}", x) for a, x in zip(WXYZ, hull.orientation.T)]
    columns += [(f"q.{_word(name)}", run[name].angle) for name in JOINTS]
    columns.append(("k.steering", steering.angle))
    columns += [(f"u.v_{a}", x) for a, x in zip(XYZ, velocity.T)]
    columns += [(f"u.w_{a}", x) for a, x in zip(XYZ, hull.angular_velocity_body.T)]
    columns += [(f"u.{_word(name)}", run[name].rate) for name in JOINTS]
    rate = steering.rate
    columns.append(("m.steering", rate))
    columns.append(("dm.steering", np.concatenate(([0.0], np.diff(rate) / np.diff(time)))))
    inputs = [n for n, name in enumerate(names) if name.startswith(f"{STEERING}.")]
    columns += [("i.steering", loads[:, n]) for n in inputs]
    columns += [(f"j.{_word(name)}", loads[:, n]) for n, name in enumerate(names) if n not in inputs]
    return Record(
        setup=Setup.read(str(texts["about.setup"])),
        track=folder_name(str(texts["about.track"])),
        places=run["timing"][0],
        times=made.times,
        speeds=made.speeds,
        rate=1.0 / EVERY,
        columns=tuple(name for name, _ in columns),
        states=np.column_stack([values for _, values in columns]),
        traces=_lines(run["traces"]),
    )


def _word(name: str) -> str:
    """A name without spaces."""
    return name.replace(" ", "_")


def _lines(places: np.ndarray) -> dict[str, tuple[np.ndarray, ...]]:
    """Of every point of a runner the stretches in which it pressed, of two samples or more."""
    made = {}
    for r, runner in enumerate(RUNNERS):
        for k in range(2):
            way = places[:, r, k]
            presses = np.concatenate(([False], np.isfinite(way[:, 0]), [False]))
            edges = np.flatnonzero(np.diff(presses))
            stretches = [way[a:b] for a, b in list(pairwise(edges))[::2] if b - a > 1]
            made[f"{_word(runner)}_{k + 1}"] = tuple(stretches)
    return made
