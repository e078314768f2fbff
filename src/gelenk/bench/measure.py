"""One measurement: one engine, one variant, one scene, in this process."""

from __future__ import annotations

import math
import time
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from statistics import median
from typing import Any

from gelenk.bench.engine import Engine, state_hash
from gelenk.bench.scenes import FAMILIES, SCENES, Judge

OWN = {"gelenk": "gelenk.bench.gelenk_engine", "numpy": "gelenk.bench.numpy_engine"}  # always there
KEYS = ("scene", "size", "engine", "variant", "ms_per_step", "real_time_factor", "accuracy", "state_hash", "seconds")
UNTIMED = 0.05  # share of the steps before the clock starts: compilation, caches, the processor's own clock


def engine_class(engine: str, scene: str) -> type[Engine] | None:
    """The adapter of an engine for a scene; None if it has none. Imports no peer.

    It is in the engine's own file for free bodies, in the one that ends in ``_tree`` for joined links.
    """
    name = OWN.get(engine, f"gelenk.bench.peers.{engine}") + FAMILIES[scene].suffix
    if find_spec(name) is None:
        return None
    found: type[Engine] | None = import_module(name).ENGINES.get(scene)
    return found


def measure(scene: str, engine: str, variant: str, size: int, dt: float | None = None) -> dict[str, Any]:
    """Run a scene to its end and return a record with the keys ``KEYS``.

    Time is processor time of ``advance`` alone, so that other work on the machine and reading results do not count;
    the real-time factor is simulated time over it.
    """
    kind = SCENES[scene]
    world, h = kind.make(size), kind.dt if dt is None else dt
    steps = round(kind.t_end / h)
    adapter = engine_class(engine, scene)
    if adapter is None:
        raise LookupError(f"{engine} has no adapter for scene {scene}")
    runner = adapter(world, h, variant)
    judge = FAMILIES[scene].judge(world)
    per_step, seconds = _take(runner, steps, h, judge)
    ms_per_step = 1e3 * per_step
    states = runner.state()
    return {
        "scene": scene,
        "size": size,
        "engine": engine,
        "variant": variant,
        "ms_per_step": ms_per_step,
        "real_time_factor": 1e3 * h / ms_per_step,
        "accuracy": {name: _finite(value) for name, value in judge.accuracy(states, steps * h).items()},
        "state_hash": state_hash(states),
        "seconds": seconds,
    }


def _take(runner: Engine, steps: int, h: float, judge: Judge) -> tuple[float, float]:
    """Take all steps, let the judge look between the pieces; processor time of a step and of the whole scene [s].

    A step takes the median over the pieces timed. The whole is all that was timed, and as much for the steps before it.
    """
    first = max(1, round(UNTIMED * steps))
    bounds = {0, *(first + (steps - first) * k // judge.pieces for k in range(judge.pieces + 1))}
    bounds |= {k for t in judge.times if (k := math.ceil(t / h - 1e-6)) <= steps}
    times, whole = [], 0.0
    for a, b in pairwise(sorted(bounds)):
        begun = time.process_time()
        runner.advance(b - a)
        taken = time.process_time() - begun
        if a >= first:
            times.append(taken / (b - a))
            whole += taken
        if b < steps:
            judge.look(runner, b * h)
    whole *= steps / max(steps - first, 1)
    return max(median(times), 1e-12), whole  # a clock too coarse for a tiny scene must not divide by zero


def _finite(value: float) -> float | None:
    """JSON knows no infinity: an engine that left the numbers behind has no figure."""
    return float(value) if math.isfinite(value) else None
