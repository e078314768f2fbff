"""`gelenk bench`: choose scenes and engines, measure them in turn, report."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from gelenk.bench.measure import OWN, engine_class
from gelenk.bench.peers import COLLIDERS, PEERS
from gelenk.bench.process import run_worker
from gelenk.bench.report import check_target, report, write_json
from gelenk.bench.rounds import Rounds, Runner, Say
from gelenk.bench.scenes import SCENES
from gelenk.errors import InputError

ROUNDS = 5
# they have tables of their own
COLLIDE, VIEW, CONFORMANCE, BATCH, DYNAMICS = "collide", "view", "conformance", "batch", "dynamics"
BOBSLEIGH = "bobsleigh"


def bench(
    scene: str | None = None,
    peers: str = "all",
    json_file: str | Path | None = None,
    size: int | None = None,
    say: Say = print,
    *,
    rounds: int = ROUNDS,
    run: Runner = run_worker,
) -> list[dict[str, Any]]:
    """Measure scenes in Gelenk and in its peers, print a table, return the records.

    Parameters
    ----------
    scene : name; all if left out
    peers : "all", "none" or names separated by commas; a peer that is not installed is skipped and named
    json_file : where to write the records as a list
    size : number of bodies; the scene's own if left out
    say : takes the lines of the report
    rounds : how often every engine is measured, in turn; the least time counts
    run : measures one engine once; another process for each by default
    """
    chosen = _chosen_scenes(scene)
    names = chosen_peers(peers)
    if size is not None and (isinstance(size, bool) or int(size) != size or size < 1):
        raise InputError("bench", f"size is {size!r}", "a whole number, at least 1", "Give a number of bodies.")
    if scene == CONFORMANCE and size is not None:
        raise InputError("bench", f"size is {size!r}", "none for conformance: its models are fixed", "Leave size out.")
    if scene == BOBSLEIGH and size is not None:
        raise InputError("bench", f"size is {size!r}", "none for bobsleigh: it is one sled", "Leave size out.")
    target = None if json_file is None else check_target(Path(json_file))
    records: list[dict[str, Any]] = []
    for name in chosen:
        if name == COLLIDE:
            from gelenk.bench.collide import bench_collide

            records += bench_collide(names, size, say)
            continue
        if name == VIEW:
            from gelenk.bench.view import bench_view

            records += bench_view(size, say)
            continue
        if name == CONFORMANCE:
            from gelenk.bench.conformance import bench_conformance

            records += bench_conformance(say)
            continue
        if name == BATCH:
            from gelenk.bench.copies import bench_batch

            records += bench_batch(names, size, say)
            continue
        if name == DYNAMICS:
            from gelenk.bench.dynamics import bench_dynamics

            records += bench_dynamics(names, size, say)
            continue
        if name == BOBSLEIGH:
            from gelenk.bench.bobsleigh import bench_bobsleigh

            records += bench_bobsleigh(say)
            continue
        records += _bench_scene(name, names, SCENES[name].default_size if size is None else int(size), rounds, run, say)
    if target is not None:
        write_json(target, records)
        say(f"wrote {target}")
    return records


def chosen_peers(text: str) -> tuple[str, ...]:
    """Names from "all", "none" or a list with commas."""
    words = [w.strip().lower() for w in text.split(",") if w.strip()]
    known = (*PEERS, *COLLIDERS)
    if words == ["all"]:
        return known
    if words in (["none"], []):
        return ()
    for word in words:
        if word not in known:
            raise InputError(
                "bench", f"peer {word!r}", "all, none, or of " + ", ".join(known), "Choose peers from these."
            )
    return tuple(dict.fromkeys(words))


def _chosen_scenes(scene: str | None) -> tuple[str, ...]:
    scenes = (*SCENES, COLLIDE, VIEW, CONFORMANCE, BATCH, DYNAMICS, BOBSLEIGH)
    if scene is None:
        return scenes
    if scene not in scenes:
        near = get_close_matches(scene, scenes, n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else "Choose one of these, or none for all."
        raise InputError("bench", f"scene is {scene!r}", ", ".join(sorted(scenes)), remedy)
    return (scene,)


def _bench_scene(scene: str, peers: tuple[str, ...], size: int, rounds: int, run: Runner, say: Say) -> list[dict]:
    kind = SCENES[scene]
    say(f"{scene}: {size} {kind.about}; {kind.t_end:g} s in steps of {1e3 * kind.dt:g} ms")
    peers = tuple(p for p in peers if p in PEERS)
    skipped = {name: why for name in (*OWN, *peers) if (why := absent(name, scene))}
    measured = Rounds(scene, size, list(_pairs(scene, [p for p in (*OWN, *peers) if p not in skipped])), run)
    for k in range(rounds):
        say(f"round {k + 1} of {rounds}")
        measured.take(say if k == 0 else None)
    records = list(measured.best.values())
    for line in report(records, kind.figures, measured.notes, {**skipped, **measured.missing}):
        say(line)
    return records


def _pairs(scene: str, engines: list[str]) -> Iterator[tuple[str, str]]:
    for name in engines:
        adapter = engine_class(name, scene)
        for variant in adapter.variants if adapter else ():
            yield name, variant


def absent(engine: str, scene: str) -> str:
    """Why an engine cannot run a scene, as far as one can tell without importing it; '' if it may."""
    if engine_class(engine, scene) is None:
        return f"no adapter for scene {scene}"
    if engine in PEERS and find_spec(PEERS[engine].module) is None:
        return f"not installed ({PEERS[engine].package})"
    return ""
