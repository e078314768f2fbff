"""First table of `gelenk bench collide`: every pair of kinds in every state, beside coal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gelenk.bench.collide_poses import (
    CASES,
    FLAT,
    FLAT_CASES,
    FRAMES,
    MARGIN,
    NAMES,
    ORDER,
    STATES,
    cloud_hulls,
    pair_set,
    pair_tables,
    reference,
)
from gelenk.bench.collide_records import Record, least, record, result_hash
from gelenk.bench.rounds import Say
from gelenk.collision.manifold import MANY, new_memory, new_points
from gelenk.collision.pair_batch import PairSet, collide_pairs
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work

PAIRS, VERTICES, ROUNDS = 256, 100, 8
SWEEPS = 5  # a round: coal, of which every call is timed by itself, needs fewer
SLACK = 1e-5  # [m]: pairs this close to the margin may be told or not; half of the digits of coal's default tolerance


class OwnPairs:
    """A set of pairs in Gelenk, one compiled call for all of them; ``cold`` forgets everything before each pair."""

    def __init__(self, pairs: PairSet, tables: Tables, work: NarrowWork, cold: bool = False) -> None:
        frames, n = pairs.r.shape[:2]
        self._pairs, self._tables, self._work, self._cold = pairs, tables, work, cold
        self._memory, self._out = new_memory(n), new_points(MANY)
        self.count, self.d = np.zeros((frames, n), np.int64), np.zeros((frames, n))
        self._least = np.inf

    def sweep(self, order: np.ndarray) -> None:
        """Find the contacts of all pairs, frame after frame."""
        arguments = (self._tables, self._memory, self._work, self._out, self.count, self.d)
        taken = least(lambda: collide_pairs(self._pairs, order, MARGIN, self._cold, *arguments), 1)
        self._least = min(self._least, taken / order.size / self.d.shape[1])

    def restart(self) -> None:
        """Forget the time so far: pairs that remember nothing yet do not count."""
        self._least = np.inf

    def microseconds(self) -> float:
        """A pair, on average over the best sweep."""
        return 1e6 * self._least


def judged(engine: Any, exact: np.ndarray) -> dict[str, Any]:
    """Worst error of the signed distance, and pairs that are told beyond the margin or not told within it."""
    told = np.isfinite(engine.d)
    wrong = np.sum(told & (exact > MARGIN + SLACK)) + np.sum(~told & (exact <= MARGIN - SLACK))
    return {
        "points": float(engine.count.mean()),
        "error": float(np.abs(engine.d[told] - exact[told]).max(initial=0.0)),
        "wrong": int(wrong),
        "hash": result_hash(engine.d, engine.count),
    }


def bench_pairs(
    coal: bool,
    say: Say,
    n: int = PAIRS,
    rounds: int = ROUNDS,
    cases: Sequence[tuple[int, int]] = CASES,
    vertices: int = VERTICES,
) -> list[Record]:
    """Records of all pairs of kinds; in every round each engine has its turn."""
    hulls = cloud_hulls(vertices)
    tables = pair_tables(hulls, cases)
    work, records, clock = new_narrow_work(tables), [], 0.0
    if coal:
        from gelenk.bench.peers.coal_collide import CoalPairs, clock_cost

        clock = clock_cost()
        say(f"  coal's clock takes {1e3 * clock:.0f} ns, which are subtracted")
    for pair in cases:
        name = f"{NAMES[pair[0]]}-{NAMES[pair[1]]}"
        for state in (*STATES, FLAT) if pair in FLAT_CASES else STATES:
            pairs = pair_set(pair, state, n, tables, work)
            exact = reference(pairs, tables, work).d
            own = OwnPairs(pairs, tables, work)
            peer = CoalPairs(pairs, hulls, MARGIN) if coal else None
            own.sweep(ORDER)
            own.restart()
            for _ in range(rounds):
                for _ in range(SWEEPS):
                    own.sweep(ORDER)
                if peer:
                    peer.sweep(ORDER)
            records.append(record("pairs", name, "gelenk", own.microseconds(), state=state, **judged(own, exact)))
            if peer:
                us, patch = peer.microseconds(clock), peer.patch_microseconds(FRAMES // 2)
                records.append(record("pairs", name, "coal", us, state=state, patch_us=patch, **judged(peer, exact)))
        last = [r for r in records if r["case"] == name]
        say(f"  {name}: " + ", ".join(f"{r['engine']} {r['state']} {r['us']:.3f}" for r in last))
    return records


HEADING = ("pair", "state", "gelenk us", "coal us", "ratio", "+ patch", "points", "error", "coal's", "hash")


def rows(records: Sequence[Record]) -> list[list[str]]:
    """A line for every pair and state; ratio above 1: Gelenk is faster; one point of coal each, regions with patch."""
    coal = {(r["case"], r["state"]): r for r in records if r["engine"] == "coal"}
    lines = []
    for r in records:
        if r["engine"] != "gelenk":
            continue
        peer = coal.get((r["case"], r["state"]))
        beside = ["-"] * 3 if peer is None else _beside(r, peer)
        lines.append([r["case"], r["state"], f"{r['us']:.3f}", *beside, f"{r['points']:.1f}"])
        lines[-1] += [_error(r), "-" if peer is None else _error(peer), r["hash"]]
    return lines


def _beside(r: Record, peer: Record) -> list[str]:
    return [f"{peer['us']:.3f}", f"{peer['us'] / r['us']:.2f}", f"{(peer['us'] + peer['patch_us']) / r['us']:.2f}"]


def _error(r: Record) -> str:
    """Worst error of the distance, and how many answers were wrong altogether."""
    if r["points"] == 0.0 and not r["wrong"]:
        return "none"
    return f"{r['error']:.0e}" + (f", {r['wrong']} wrong" if r["wrong"] else "")


def slower_than_coal(records: Sequence[Record]) -> list[str]:
    """Pairs and states in which coal takes less time, the worst first."""
    own = {(r["case"], r["state"]): r["us"] for r in records if r["engine"] == "gelenk"}
    lost = [
        (own[key] / r["us"], *key)
        for r in records
        if r["engine"] == "coal" and own[key := (r["case"], r["state"])] > r["us"]
    ]
    return [f"{case} {state} (by {k:.2f})" for k, case, state in sorted(lost, reverse=True)]
