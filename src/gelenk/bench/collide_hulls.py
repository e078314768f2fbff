"""Second table of `gelenk bench collide`: two hulls by V-Clip and by GJK, with what they remember and without."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gelenk.bench.collide_pairs import OwnPairs, judged
from gelenk.bench.collide_poses import ORDER, STATES, cloud_hulls, pair_set, pair_tables, reference
from gelenk.bench.collide_records import Record, record
from gelenk.bench.rounds import Say
from gelenk.collision.solid import HULL
from gelenk.collision.tables import new_narrow_work

VERTICES = (20, 100, 1000)
PAIRS, ROUNDS = 128, 20
# name of the way on the pair table, and whether every call begins anew
WAYS = {"V-Clip": (None, False), "V-Clip anew": (None, True), "GJK": ("gjk", False), "GJK anew": ("gjk", True)}


def bench_hulls(
    say: Say,
    n: int = PAIRS,
    rounds: int = ROUNDS,
    vertices: Sequence[int] = VERTICES,
    ways: Sequence[str] = tuple(WAYS),
) -> list[Record]:
    """Records of all numbers of vertices and ways; in every round each way has its turn."""
    records = []
    for v in vertices:
        hulls = cloud_hulls(v)
        tables = {other: pair_tables(hulls, [(HULL, HULL)], other) for other in {WAYS[way][0] for way in ways}}
        first = next(iter(tables.values()))
        for state in STATES:
            work = new_narrow_work(first)
            pairs = pair_set((HULL, HULL), state, n, first, work)
            exact = reference(pairs, first, work).d
            engines = {way: OwnPairs(pairs, tables[WAYS[way][0]], work, WAYS[way][1]) for way in ways}
            for engine in engines.values():
                engine.sweep(ORDER)
                engine.restart()
            for _ in range(rounds):
                for engine in engines.values():
                    engine.sweep(ORDER)
            for way, engine in engines.items():
                case = f"{v} vertices"
                more = judged(engine, exact)
                records.append(record("hulls", case, "gelenk", engine.microseconds(), variant=way, state=state, **more))
        say(f"  {v} vertices")
    return records


HEADING = ("vertices", "way", *STATES, "points", "error", "hash")


def rows(records: Sequence[Record]) -> list[list[str]]:
    """A line for every number of vertices and way, microseconds a pair in every state."""
    groups: dict[tuple[str, str], list[Record]] = {}
    for r in records:
        groups.setdefault((r["case"], r["variant"]), []).append(r)
    return [
        [
            case.split()[0],
            way,
            *(f"{r['us']:.3f}" for r in found),
            f"{np.mean([r['points'] for r in found[1:]]):.1f}",
            f"{max(r['error'] for r in found):.0e}",
            found[-1]["hash"],
        ]
        for (case, way), found in groups.items()
    ]
