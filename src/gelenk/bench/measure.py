"""One measurement: one engine, one variant, one scene, in this process."""

from __future__ import annotations

import math
import time
from importlib import import_module
from itertools import pairwise
from statistics import median
from typing import Any

from gelenk.bench.engine import Engine, state_hash
from gelenk.bench.scenes import SCENES

OWN = {"gelenk": "gelenk.bench.gelenk_engine", "numpy": "gelenk.bench.numpy_engine"}  # always there
KEYS = ("scene", "size", "engine", "variant", "ms_per_step", "real_time_factor", "accuracy", "state_hash")
UNTIMED = 0.05  # share of the steps before the clock starts: compilation, caches, the processor's own clock
CHUNKS = 10  # the median over so many pieces forgives a disturbed one


def engine_class(engine: str, scene: str) -> type[Engine] | None:
    """The adapter of an engine for a scene; None if it has none. Imports no peer."""
    module = import_module(OWN.get(engine, f"gelenk.bench.peers.{engine}"))
    found: type[Engine] | None = module.ENGINES.get(scene)
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
    ms_per_step = 1e3 * _seconds_per_step(runner, steps)
    states = runner.state()
    return {
        "scene": scene,
        "size": size,
        "engine": engine,
        "variant": variant,
        "ms_per_step": ms_per_step,
        "real_time_factor": 1e3 * h / ms_per_step,
        "accuracy": {name: _finite(value) for name, value in world.accuracy(states, steps * h).items()},
        "state_hash": state_hash(states),
    }


def _seconds_per_step(runner: Engine, steps: int) -> float:
    """Take all steps; median processor time a step over the timed pieces [s]."""
    first = max(1, round(UNTIMED * steps))
    runner.advance(first)
    bounds = [first + (steps - first) * k // CHUNKS for k in range(CHUNKS + 1)]
    times = []
    for a, b in pairwise(bounds):
        if b > a:
            begun = time.process_time()
            runner.advance(b - a)
            times.append((time.process_time() - begun) / (b - a))
    return max(median(times), 1e-12)  # a clock too coarse for a tiny scene must not divide by zero


def _finite(value: float) -> float | None:
    """JSON knows no infinity: an engine that left the numbers behind has no figure."""
    return float(value) if math.isfinite(value) else None
