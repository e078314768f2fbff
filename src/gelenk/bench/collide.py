"""`gelenk bench collide`: pairs of shapes, hulls, a pile, rays and broad phases, as tables (V-10, V-28, V-30, H-63).

Times are the least processor time of several short rounds, in which all engines have their turn. Beside them stand the
worst error against a reference and a hash over the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from gelenk.bench import collide_broad, collide_hulls, collide_pairs, collide_pile, collide_rays
from gelenk.bench.collide_records import Record, aligned
from gelenk.bench.peers import COLLIDERS
from gelenk.bench.rounds import Say

ABOUT = "contacts of pairs of shapes and of a pile, rays, broad phases"
NOTE = """time: least processor time of one thread; ratio: time of coal over that of Gelenk, which is faster above 1
+ patch: the same with the region of contact, which coal finds in a second step and Gelenk always
error: of the signed distance [m] of solids of about 1 m, against support mappings along the normal found without memory
states: a gap of 10 %, a gap of 1 % within the margin of 2 %, a depth of up to 2 %, faces on each other"""
# table, case, state (or none): at most so many microseconds
TARGETS = (
    ("pairs", "box-box", "near", 0.35),
    ("pairs", "box-box", "overlap", 0.35),
    ("pairs", "box-box", "flat", 0.35),
    ("pairs", "hull-hull", "near", 1.5),
    ("pairs", "hull-hull", "overlap", 1.5),
    ("pile", "1000 boxes", None, 1500.0),
    ("rays", None, None, 1.0),
)


def bench_collide(peers: Sequence[str], size: int | None, say: Say) -> list[Record]:
    """Measure and print everything; ``size`` is the number of boxes in the pile and in the broad phase."""
    say(f"collide: {ABOUT}")
    why = "" if "coal" not in peers or find_spec(COLLIDERS["coal"].module) else "not installed"
    pairs = collide_pairs.bench_pairs("coal" in peers and not why, say)
    records = _table(say, "pairs of shapes, us a pair", pairs, collide_pairs, 2)
    say(NOTE)
    if why:
        say(f"skipped coal: {why} ({COLLIDERS['coal'].package})")
    for line in collide_pairs.slower_than_coal(pairs):
        say(f"coal is faster: {line}")
    records += _table(say, "two hulls, us a pair", collide_hulls.bench_hulls(say), collide_hulls, 2)
    piles, boxes = (collide_pile.SIZES, collide_broad.SIZES) if size is None else ((size,), (size,))
    records += _table(say, "pile of boxes, ms a detection", collide_pile.bench_pile(piles, say), collide_pile, 1)
    records += _table(say, "rays against a mesh", collide_rays.bench_rays(say), collide_rays, 1)
    records += _table(say, "broad phases, us a body", collide_broad.bench_broad(say, boxes), collide_broad, 1)
    for line in targets(records):
        say(line)
    return records


def targets(records: Sequence[Record]) -> list[str]:
    """A line for every target that was measured: met or missed."""
    lines = []
    for table, case, state, most in TARGETS:
        for r in records:
            fits = r["table"] == table and case in (None, r["case"]) and state in (None, r.get("state"))
            if fits and r["engine"] == "gelenk":
                name = " ".join(filter(None, (r["case"], state)))
                lines.append(f"target {name}: {r['us']:.3g} of {most:g} us, {'met' if r['us'] <= most else 'missed'}")
    return lines


def _table(say: Say, title: str, records: list[Record], module: Any, left: int) -> list[Record]:
    say("")
    say(title)
    for line in aligned([module.HEADING, *module.rows(records)], left):
        say(line)
    return records
