"""`gelenk bench bobsleigh`: what a step of the sled costs, with all its contacts, and how exact a descent is (B-62).

A descent of S-13 with the calm pilot, one way of solving after the other in one process, against the same with a
quarter of the step: what the step makes of the motion, and beside it what the solver does. Then the same sled in frames
of 83 steps with a look of the pilot before each, as a screen with 60 pictures a second needs them (bobsleigh 4.10).
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gelenk.bench.rounds import Say
from gelenk.contact.options import ContactOptions
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.model.model import Model
from gelenk.simulate import Simulation
from gelenk.worlds.bobsleigh.books import Bookkeeper, Books
from gelenk.worlds.bobsleigh.descent import EVERY, HULL, Descent, H, Seat, descent_model, descent_of
from gelenk.worlds.bobsleigh.pilot.pilot import CALM, Hands
from gelenk.worlds.bobsleigh.pilot.programme import guide_of
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import Track, load_track

ABOUT = "a sled on its runners down S-13: time of 83 steps, of a descent, error of its splits"
FRAME = 83  # steps in a sixtieth of a second
MEAN_MS, SLOW_MS, DESCENT_S = 1.2, 2.0, 4.0  # what is aimed at: mean and 99th percentile of 83 steps, a descent
WARM_S = 0.1  # [s] simulated before anything is timed
LONGEST_S = 90.0


def ways() -> dict[str, MoreauTree]:
    """Ways to solve the same sled, the one of the world first, the one that the others are judged by last."""
    return {
        "world": MoreauTree(h=H, order=1),
        "tight": MoreauTree(h=H, order=1, relative=1e-12, absolute=1e-14),
        "tolerances of the source": MoreauTree(h=H, order=1, relative=1e-6, absolute=1e-4),
        "sweeps alone": MoreauTree(h=H, order=1, contact=ContactOptions(newton=0)),
        "half the step": MoreauTree(h=0.5 * H, order=1),
        "a quarter of the step": MoreauTree(h=0.25 * H, order=1),
    }


class Ground(NamedTuple):
    """What all runs share."""

    track: Track
    model: Model
    guide: Any


def bench_bobsleigh(say: Say, until: float | None = None, chosen: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Measure and print two tables; the records are returned.

    Parameters
    ----------
    until : arc length at which runs end [m]; the finish if left out
    chosen : names of :func:`ways`, the judge last; all if left out
    """
    begun = time.process_time()
    track = load_track("s13")
    ground = Ground(track, descent_model(track, Setup()), guide_of(track))
    say(f"bobsleigh: {ABOUT}; the world was made in {time.process_time() - begun:.2g} s of computing")
    end = track.finish + 1.0 if until is None else until
    every = ways()
    methods = {name: every[name] for name in chosen or every}
    records, runs = [], []
    for name, method in methods.items():
        record, run = descend_by(ground, name, method, end)
        records.append(record)
        runs.append(run)
    for record, run in zip(records, runs):
        record["accuracy"] = apart(run, runs[-1])
    frames = in_frames(ground, next(iter(methods.values())), end)
    frames["energy_missing"] = missing_energy(ground, next(iter(methods.values())), end)
    for line in (*descent_table(records), "", *frame_lines(frames)):
        say(line)
    return [*records, frames]


def ready(ground: Ground, method: MoreauTree) -> Simulation:
    """A simulation whose kernels are compiled, at the start."""
    sim = Simulation(ground.model, method)
    sim.advance(WARM_S)
    sim.restart()
    return sim


def descend_by(ground: Ground, name: str, method: MoreauTree, end: float) -> tuple[dict[str, Any], Descent]:
    """One descent with the calm pilot, who looks every hundredth of a second: its record, and what was seen."""
    sim = ready(ground, method)
    seat = Seat(ground.track, CALM, ground.guide)
    wall, cpu = time.perf_counter(), time.process_time()
    while sim.time < LONGEST_S and (not seat.seen or seat.seen[-1][1] < end):
        sim.advance(0.1, control=seat, control_every=EVERY)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    steps, info, run = round(sim.time / method.h), sim.info, descent_of(ground.track.timing, seat.seen)
    figures = {
        "us_per_step": 1e6 * cpu / steps,
        "cpu_s": cpu,
        "wall_s": wall,
        "real_time_factor": sim.time / cpu,
        "steps": steps,
        "sweeps_per_step": info["contact_sweeps"] / steps,
        "worst_residual": info["worst_residual"],
        "unconverged_steps": info["unconverged_steps"],
        "impacts": info["impacts"],
    }
    splits = [None if np.isnan(t) else float(t) for t in run.times]
    hash_ = hashlib.sha256(np.ascontiguousarray(sim.state.flat, dtype="<f8").tobytes()).hexdigest()[:12]
    head = {"scene": "bobsleigh", "variant": name, "h": method.h, "size": len(ground.model.bodies) - 1}
    return {**head, **figures, "splits_s": splits, "state_hash": hash_}, run


def apart(run: Descent, judge: Descent) -> dict[str, float]:
    """How far a run is from another one: of its splits [s], along and across the track at the same times [m]."""
    n = min(len(run.t), len(judge.t))
    splits = np.abs(run.times - judge.times)
    return {
        "split_error_s": float(np.nanmax(splits, initial=0.0)),
        "along_error_m": float(np.abs(run.s[:n] - judge.s[:n]).max()),
        "across_error_m": float(np.abs(run.left[:n] - judge.left[:n]).max()),
    }


def in_frames(ground: Ground, method: MoreauTree, end: float) -> dict[str, Any]:
    """The same sled in frames of 83 steps, with a look before each: times of the steps and of the looks."""
    sim, line = ready(ground, method), ground.track.line
    hands = Hands(CALM, ground.guide, FRAME * method.h)
    s, wall, cpu, looks = 0.0, [], [], []
    while sim.time < LONGEST_S and s < end:
        a = time.perf_counter()
        hull = sim[HULL]
        place = line.project(hull.com, near=s)
        s, left, height = float(place.s[0]), float(place.left[0]), float(place.height[0])
        sim.inputs["wheel.position"] = hands.steer(s, left, height, float(np.linalg.norm(hull.velocity_at(hull.com))))
        b, c = time.perf_counter(), time.process_time()
        sim.step(FRAME)
        cpu.append(time.process_time() - c)
        wall.append(time.perf_counter() - b)
        looks.append(b - a)
    ms = {"wall": 1e3 * np.array(wall), "cpu": 1e3 * np.array(cpu)}
    made: dict[str, Any] = {"scene": "bobsleigh", "variant": "frames", "h": method.h, "frames": len(wall)}
    for kind, x in ms.items():
        made |= {f"{kind}_ms_mean": float(x.mean()), f"{kind}_ms_p50": float(np.median(x))}
        made |= {f"{kind}_ms_p99": float(np.percentile(x, 99)), f"{kind}_ms_most": float(x.max())}
    return made | {"look_us": 1e6 * float(np.median(looks)), "frame_ms": 1e3 * FRAME * method.h}


def missing_energy(ground: Ground, method: MoreauTree, end: float) -> float:
    """What the energy books of one more descent do not account for, as a share of what the height gives."""
    sim, seat, keeper = Simulation(ground.model, method), Seat(ground.track, CALM, ground.guide), Bookkeeper()
    keeper(sim)
    ends = [sim.ledger[:2]]
    while sim.time < LONGEST_S and (not seat.seen or seat.seen[-1][1] < end):
        sim.advance(0.1, control=seat, control_every=EVERY)
    ends.append(sim.ledger[:2])
    kinetic, potential = np.array(ends).T
    books = Books(kinetic, potential, keeper(sim))
    return abs(books.missing) / abs(books.turned_over)


def descent_table(records: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A row for each way."""
    heading = ["way", "us/step", "sweeps", "descent s", "x real time", "finish s", "splits ms", "along mm", "across mm"]
    rows = [[*heading, "residual m/s", "state hash"]]
    for r in records:
        last, off = r["splits_s"][-1], r["accuracy"]
        row = [r["variant"], f"{r['us_per_step']:.2f}", f"{r['sweeps_per_step']:.2f}", f"{r['cpu_s']:.2f}"]
        row += [f"{r['real_time_factor']:.1f}", "-" if last is None else f"{last:.5f}"]
        row += [f"{1e3 * off[x]:.2g}" for x in ("split_error_s", "along_error_m", "across_error_m")]
        rows.append([*row, f"{r['worst_residual']:.0e}", r["state_hash"]])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths)))
    yield f"processor time with the looks of the pilot; errors at worst, against {records[-1]['variant']}"


def frame_lines(r: dict[str, Any]) -> Iterator[str]:
    """What 83 steps cost."""
    yield f"{FRAME} steps for {r['frame_ms']:.1f} ms, {r['frames']} times; a look of the pilot: {r['look_us']:.0f} us"
    for kind, word in (("cpu", "processor"), ("wall", "wall")):
        mean, p99 = r[f"{kind}_ms_mean"], r[f"{kind}_ms_p99"]
        middle, most = r[f"{kind}_ms_p50"], r[f"{kind}_ms_most"]
        yield f"  {word:9}  mean {mean:.3f} ms  middle {middle:.3f}  99th percentile {p99:.3f}  most {most:.3f}"
    yield f"  energy that the books of a descent do not account for: {r['energy_missing']:.1e} of what the height gives"
    yield f"  aimed at: mean {MEAN_MS} ms, 99th percentile {SLOW_MS} ms, a descent in {DESCENT_S:g} s"
