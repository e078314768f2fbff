"""Fifth table of `gelenk bench collide`: broad phases over boxes that fill a cube, from a hundred to many thousands."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gelenk.bench.collide_records import Record, least, record, result_hash
from gelenk.bench.engine import rotations
from gelenk.bench.rounds import Say
from gelenk.collision.broad.candidates import pairs_of
from gelenk.collision.broad.choose import choose_phase
from gelenk.collision.broad.pair_filter import new_filter
from gelenk.collision.broad.phase import new_pairs

SIZES = (100, 1000, 10_000, 100_000)
KINDS = ("sweep", "grid", "tree", "choice")
STEPS = 10
SEED = 7
EDGE, SPEED = 0.7, 0.01  # of a box and of what it moves in a step; there is one box in a cubic metre [m]
MOST_SWEPT = 20_000  # boxes in a cube: beyond, a sweep compares each with thousands


def boxes_in_cube(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centres (n, 3), half extents of turned boxes along world axes, and what they move in a step [m]."""
    rng = np.random.default_rng([SEED, n])
    centre = rng.random((n, 3)) * n ** (1 / 3)
    half = 0.5 * EDGE * np.abs(rotations(rng.normal(size=(n, 4)))).sum(axis=2)
    return centre, half, SPEED * rng.normal(size=(n, 3))


def measure_phase(kind: str, n: int, steps: int = STEPS) -> Record:
    """Microseconds a body and step: the least of some steps, in all of which bodies move, but the first."""
    centre, half, move = boxes_in_cube(n)
    filter_, pairs = new_filter(n), new_pairs(n, 20 * n + 64)
    boxes = np.concatenate((centre - half, centre + half), axis=1)
    choice = choose_phase(boxes, filter_, None if kind == "choice" else kind)
    best, count = np.inf, 0
    found = []
    for k in range(steps + 1):
        taken = least(lambda: found.append(pairs_of(choice.phase, boxes, filter_, pairs)), 1)
        count = found[-1]
        if count > len(pairs.pair):
            raise RuntimeError(f"{count} pairs in a space of {len(pairs.pair)}")
        if k > 0:
            best = min(best, taken)
        boxes[:, :3] += move
        boxes[:, 3:] += move
    hash_ = result_hash(pairs.pair[:count])
    return record(
        "broad", f"{n} boxes", "gelenk", 1e6 * best / n, variant=kind, phase=choice.kind, pairs=count, hash=hash_
    )


def bench_broad(
    say: Say, sizes: Sequence[int] = SIZES, kinds: Sequence[str] = KINDS, steps: int = STEPS
) -> list[Record]:
    """Records of all sizes and phases."""
    records = []
    for n in sizes:
        records += [measure_phase(kind, n, steps) for kind in kinds if kind != "sweep" or n <= MOST_SWEPT]
        say(f"  {n} boxes")
    return records


HEADING = ("boxes", *KINDS, "chosen", "pairs", "hash")


def rows(records: Sequence[Record]) -> list[list[str]]:
    """A line for every number of boxes, microseconds a body; all phases find the same pairs, or it is said."""
    lines = []
    for case in dict.fromkeys(r["case"] for r in records):
        found = {r["variant"]: r for r in records if r["case"] == case}
        one = next(iter(found.values()))
        same = len({r["hash"] for r in found.values()}) == 1
        times = [f"{found[kind]['us']:.3f}" if kind in found else "-" for kind in KINDS]
        chosen = found["choice"]["phase"] if "choice" in found else "-"
        lines.append([case.split()[0], *times, chosen, f"{one['pairs']}", one["hash"] if same else "they differ"])
    return lines
