"""`gelenk bench batch`: many copies of a humanoid stepped together, in free fall with all joints turning.

What a step of all copies costs in processor time of all threads, and on the clock; and how far the energy of a copy is
off, as a share of its largest kinetic energy. Engines take their turns in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from gelenk.batch import Batch
from gelenk.bench.gelenk_engine_tree import tree_model
from gelenk.bench.humanoid import Humanoid
from gelenk.bench.peers import PEERS
from gelenk.bench.rounds import Say
from gelenk.bench.tree_scene import Links
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.simulate import Simulation
from gelenk.trees.dynamics import TreeDynamics

COPIES, THREADS = 1000, 2
STEP, PIECE = 2e-3, 20  # [s] and steps in a call
ROUNDS = 5
SPIN = 1.0  # [rad/s] of every joint at the start
ORDERS = (1, 2, 4)
POOLS = {"mujoco": ("rollout", "MujocoCopies"), "pinocchio": ("pool", "PinocchioCopies")}  # variant, class


class OwnCopies:
    """Ours: a batch by one order."""

    def __init__(self, scene: Links, copies: int, h: float, spin: float, threads: int, order: int) -> None:
        self.model, self.method = tree_model(scene), MoreauTree(h=h, order=order)
        tree = TreeDynamics(self.model)
        q, u = tree.coordinates(self.model.initial_state())
        u[6:] = spin
        self.start = tree.state(q, u)
        self.batch = Batch(self.model, self.method, states=[self.start] * copies, threads=threads)

    def advance(self, steps: int) -> None:
        """Step all copies."""
        self.batch.step(steps)

    def places(self, copy: int) -> np.ndarray:
        """(links, 3) centres of mass of one copy [m]."""
        return np.array(self.batch.p_WC[copy, 1:])

    def energies(self, steps: int) -> list[tuple[float, float]]:
        """Kinetic and potential energy of one copy after each step, from the start [J]."""
        sim = Simulation(self.model, self.method, state=self.start)
        seen = [tuple(sim.ledger[:2])]
        for _ in range(steps):
            sim.step()
            seen.append(tuple(sim.ledger[:2]))
        return seen


def worst(seen: Sequence[tuple[float, float]]) -> float:
    """Largest change of the energy as a share of the largest kinetic energy."""
    kinetic, potential = np.array(seen).T
    total = kinetic + potential
    return float(np.abs(total - total[0]).max() / kinetic.max())


def bench_batch(
    peers: Sequence[str], copies: int | None, say: Say, *, rounds: int = ROUNDS, piece: int = PIECE
) -> list[dict[str, Any]]:
    """Measure in turn, print a table, return the records; the least of the rounds counts."""
    n, scene = COPIES if copies is None else copies, Humanoid.make()
    say(f"batch: {n} copies of a humanoid of {len(scene.links)} bodies, {THREADS} threads, steps of {1e3 * STEP:g} ms")
    given = scene, n, STEP, SPIN, THREADS
    engines: dict[tuple[str, str], Any] = {
        ("gelenk", f"order {order}"): OwnCopies(*given, order=order) for order in ORDERS
    }
    for name, make in installed(peers, say).items():
        engines[name, POOLS[name][0]] = make(*given)
    best = dict.fromkeys(engines, (np.inf, np.inf))
    for engine in engines.values():
        engine.advance(1)
    for _ in range(rounds):
        for pair, engine in engines.items():
            wall, cpu = time.perf_counter(), time.process_time()
            engine.advance(piece)
            taken = time.process_time() - cpu, time.perf_counter() - wall
            best[pair] = min(best[pair][0], taken[0] / piece), min(best[pair][1], taken[1] / piece)
    records: list[dict[str, Any]] = []
    for (name, variant), engine in engines.items():
        cpu, wall = best[name, variant]
        figures = {"cpu_ms_per_step": 1e3 * cpu, "wall_ms_per_step": 1e3 * wall}
        accuracy = {"energy_error": worst(engine.energies(100))}
        records.append(
            {"scene": "batch", "size": n, "engine": name, "variant": variant, **figures, "accuracy": accuracy}
        )
    say("")
    say("engine     variant  processor ms/step  wall ms/step   energy")
    for r in sorted(records, key=lambda r: r["cpu_ms_per_step"]):
        cells = f"{r['cpu_ms_per_step']:17.3g}  {r['wall_ms_per_step']:12.3g}  {r['accuracy']['energy_error']:7.1e}"
        say(f"{r['engine']:9}  {r['variant']:7}  {cells}")
    say("time of all copies; energy: largest change in 100 steps as a share of the largest kinetic energy")
    return records


def installed(peers: Sequence[str], say: Say) -> dict[str, Callable[..., Any]]:
    """Makers of the peers that have a batch; one that is not installed is named."""
    found: dict[str, Callable[..., Any]] = {}
    for name, (_, kind) in POOLS.items():
        if name in peers and find_spec(PEERS[name].module) is None:
            say(f"skipped {name}: not installed ({PEERS[name].package})")
        elif name in peers:
            found[name] = getattr(import_module(f"gelenk.bench.peers.{name}_copies"), kind)
    return found
