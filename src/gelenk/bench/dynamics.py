"""`gelenk bench dynamics`: what one evaluation of a tree costs, and how far engines are from each other.

    forward    u' by the articulated-body recursion        Pinocchio aba                     MuJoCo mj_forward
    inverse    tau for a given u'                          rnea                              mj_inverse
    matrix     M(q), dense                                 crba                              mj_crb and mj_fullM
    jacobian   of the last link's joint, world axes        computeJointJacobians (all)       mj_jac of that one

All engines are at the same (q, u), a step away from the start with every joint turning, and are called from Python in
turn. The least time counts. `kernel` is one compiled call with places and velocities as they stand, `TreeDynamics` the
call of a user, which checks what it is given. What a single joint costs, nearly all of it the call from Python, is
told below the tables. MuJoCo's forward and inverse dynamics include position and velocity stages and factors of M.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from gelenk.bench.gelenk_dynamics import GelenkDynamics
from gelenk.bench.humanoid import Humanoid
from gelenk.bench.peers import PEERS
from gelenk.bench.rounds import Say
from gelenk.bench.tree_scene import ChainScene, Links, TreeScene

QUANTITIES = ("forward", "inverse", "matrix", "jacobian")
CHAINS, TWIGS = (10, 100, 1000), 127
MOST_DENSE = 200  # links; a dense matrix by projection costs their cube
ROUNDS = 5
LONG, PIECE = 0.3, 0.01  # [s] a call that takes longer is measured once; calls are repeated for so long
KINDS = {"mujoco": "MujocoDynamics", "pinocchio": "PinocchioDynamics"}

Call = Callable[[], Any]


def scenes(size: int | None) -> list[tuple[str, Links]]:
    """What is asked; a chain of that many joints alone if a size is given."""
    chains: list[tuple[str, Links]] = [
        (f"chain of {n}", ChainScene.make(n)) for n in (CHAINS if size is None else (size,))
    ]
    if size is not None:
        return chains
    return [*chains, (f"tree of {TWIGS}", TreeScene.make(TWIGS)), ("humanoid", Humanoid.make())]


def bench_dynamics(peers: Sequence[str], size: int | None, say: Say, *, rounds: int = ROUNDS) -> list[dict[str, Any]]:
    """Measure in turn, print a table for each tree, return the records."""
    kinds = {}
    for name, kind in KINDS.items():
        if name in peers and find_spec(PEERS[name].module) is None:
            say(f"skipped {name}: not installed ({PEERS[name].package})")
        elif name in peers:
            kinds[name] = getattr(import_module(f"gelenk.bench.peers.{name}_dynamics"), kind)
    records: list[dict[str, Any]] = []
    for name, scene in scenes(size):
        say("")
        say(f"dynamics: {name}; microseconds a call, from Python")
        own = GelenkDynamics(scene, dense=len(scene.links) <= MOST_DENSE)
        engines: dict[tuple[str, str], Any] = {("gelenk", "kernel"): own, ("gelenk", "TreeDynamics"): own.checked()}
        for peer, kind in kinds.items():
            try:
                engines[peer, ""] = kind(own)
            except MemoryError as failure:
                say(f"skipped {peer}: {failure}")
        found = _records(name, len(scene.links), engines, rounds)
        for line in _table(found):
            say(line)
        records += found
    one = GelenkDynamics(ChainScene.make(1), dense=True).calls()["forward"]
    one()
    say("")
    say(f"what calls cost by themselves: forward dynamics of a single joint, kernel: {1e6 * _best(one, rounds):.2g} us")
    say("difference: largest from Pinocchio's over its largest number; residual: largest of the forces that inverse")
    say("dynamics finds for the u' of forward dynamics, less those that were given, over the largest of these")
    return records


def _records(name: str, size: int, engines: dict[tuple[str, str], Any], rounds: int) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    own = engines["gelenk", "kernel"]
    for what in QUANTITIES:
        calls = {pair: made for pair, e in engines.items() if (made := e.calls().get(what)) is not None}
        values = {
            pair: engines[pair].value(what) for pair in calls
        }  # of gelenk's order, in its axes; and compiled by this
        times = _in_turn(calls, rounds)
        truth = values.get(("pinocchio", ""))
        for pair, seconds in times.items():
            off = None if truth is None else float(np.abs(values[pair] - truth).max() / np.abs(truth).max())
            left = {"residual": own.residual(values[pair])} if what == "forward" else {}
            records.append(
                {
                    "scene": "dynamics",
                    "tree": name,
                    "size": size,
                    "quantity": what,
                    "engine": pair[0],
                    "variant": pair[1],
                    "us_per_call": 1e6 * seconds,
                    "accuracy": {"difference": off, **left},
                }
            )
    return records


def _in_turn(calls: dict[tuple[str, str], Call], rounds: int) -> dict[tuple[str, str], float]:
    best = dict.fromkeys(calls, np.inf)
    for k in range(rounds):
        for pair, call in calls.items():
            if k == 0 or best[pair] < LONG:
                best[pair] = min(best[pair], _best(call, 1))
    return best


def _best(call: Call, rounds: int) -> float:
    """Processor time of one call, the least of so many pieces [s]; the first call is not counted if it is short."""
    begun = time.thread_time()
    call()
    first = time.thread_time() - begun
    if first > LONG:
        return first
    best, count = np.inf, 1 + int(PIECE / max(first, 1e-6))
    for _ in range(rounds):
        begun = time.thread_time()
        for _ in range(count):
            call()
        best = min(best, (time.thread_time() - begun) / count)
    return float(best)


def _table(records: Sequence[dict[str, Any]]) -> list[str]:
    """A row for each engine: time [us] and difference of each quantity."""
    rows = ["engine                  " + "".join(f"{what:>10}  difference" for what in QUANTITIES) + "  residual"]
    for pair in dict.fromkeys((r["engine"], r["variant"]) for r in records):
        of = {r["quantity"]: r for r in records if (r["engine"], r["variant"]) == pair}
        cells = ""
        for what in QUANTITIES:
            off = of[what]["accuracy"]["difference"] if what in of else None
            shown = "-" if off is None else f"{off:.0e}"
            cells += f"{of[what]['us_per_call']:10.4g}" if what in of else f"{'-':>10}"
            cells += f"{shown:>12}"
        rows.append(f"{' '.join(pair):24}{cells}{of['forward']['accuracy']['residual']:10.0e}")
    return rows
