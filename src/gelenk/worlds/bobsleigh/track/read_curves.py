"""Curves and height transitions from their tables, checked: what a chain must be (B-34)."""

from __future__ import annotations

from pathlib import Path

from gelenk.worlds.bobsleigh.track.heights import Transition
from gelenk.worlds.bobsleigh.track.plan import Curve
from gelenk.worlds.bobsleigh.track.table_file import Row, read_table

TOUCH = 1e-6  # [m] what counts as meeting, in tables printed to a micrometre
CURVE_COLUMNS = (
    "curve", "turn", "begin", "bend", "entry_length", "entry_a2",
    "arc_length", "radius", "exit_length", "exit_a2", "end",
)  # fmt: skip
HEIGHT_COLUMNS = ("middle", "slope_in", "slope_out", "radius")


def read_curves(path: Path, track: str) -> list[Curve]:
    """Rows of a table of curves."""
    curves: list[Curve] = []
    for row in read_table(path, f"curves of {track}", CURVE_COLUMNS):
        who = f"curve {row['curve']:g} of {track}"
        if row["curve"] != len(curves) + 1:
            remedy = "Number the curves 1, 2, 3 in the order of driving."
            raise row.refuse(who, f"curve is {row['curve']:g}", f"{len(curves) + 1}, the next number", remedy)
        if curves and abs(row["begin"] - curves[-1].end) > TOUCH:
            gap = row["begin"] - curves[-1].end
            kind = "a gap" if gap > 0 else "an overlap"
            found = f"begins at {row['begin']:g} m, {kind} of {abs(gap):g} m after the curve before"
            raise row.refuse(who, found, f"begin = {curves[-1].end:g}", "Let each curve begin where the last one ends.")
        check_curve(row, who)
        values = {name: row[name] for name in CURVE_COLUMNS[2:]}
        curve = Curve(turn=int(row["turn"]), line=row.line, **values)
        if curve.bend_end > curve.end + TOUCH:
            found = f"its clothoids and arc reach to {curve.bend_end:g} m, beyond its end at {curve.end:g} m"
            raise row.refuse(who, found, f"end of at least {curve.bend_end:g} m", "Shorten a piece, or move the end.")
        curves.append(curve)
    return curves


def check_curve(row: Row, who: str) -> None:
    """Lengths at least 0, radii above 0, A^2 where there is a clothoid."""
    if row["turn"] not in (-1.0, 1.0):
        raise row.refuse(who, f"turn is {row['turn']:g}", "1 for left or -1 for right", "Give the direction.")
    for name in ("entry_length", "arc_length", "exit_length"):
        if row[name] < 0.0:
            raise row.refuse(who, f"{name} is {row[name]:g}", "at least 0 [m]", "Give a length, 0 for no such piece.")
    if not row["radius"] > 0.0:
        remedy = "Give the radius above 0; the direction is said by turn."
        raise row.refuse(who, f"radius is {row['radius']:g}", "above 0 [m]", remedy)
    for end in ("entry", "exit"):
        if row[f"{end}_length"] > 0.0 and not row[f"{end}_a2"] > 0.0:
            remedy = f"Give A^2 = {end}_length x radius = {row[f'{end}_length'] * row['radius']:g}."
            raise row.refuse(who, f"{end}_a2 is {row[f'{end}_a2']:g}", "above 0 [m^2]", remedy)
    if row["bend"] < row["begin"]:
        found = f"bends at {row['bend']:g} m, before it begins at {row['begin']:g} m"
        raise row.refuse(who, found, f"bend of at least {row['begin']:g} m", "Move the bend behind the begin.")


def read_heights(path: Path, track: str, start: float) -> list[Transition]:
    """Rows of a table of transitions between gradients."""
    transitions: list[Transition] = []
    reached, slope = start, None
    for row in read_table(path, f"heights of {track}", HEIGHT_COLUMNS):
        who = f"transition at {row['middle']:g} m of {track}"
        if slope is not None and abs(row["slope_in"] - slope) > 1e-9:
            found = f"slope_in is {row['slope_in']:g}, but the gradient before is {slope:g}"
            raise row.refuse(who, found, f"slope_in = {slope:g}", "Let it be slope_out of the row before.")
        for name in ("slope_in", "slope_out"):
            if abs(row[name]) > 1.0:
                remedy = "Give the slope as a ratio, -0.1 for 10 % downhill."
                raise row.refuse(who, f"{name} is {row[name]:g}", "from -1 to 1", remedy)
        change = row["slope_out"] - row["slope_in"]
        if change != 0.0 and not row["radius"] * change > 0.0:
            sign = "positive, as the slope grows" if change > 0.0 else "negative, as the slope falls"
            raise row.refuse(who, f"radius is {row['radius']:g}", sign, "Change the sign of the radius or the slopes.")
        transition = Transition(line=row.line, **{name: row[name] for name in HEIGHT_COLUMNS})
        if transition.begin < reached - TOUCH:
            found = f"its arc begins at {transition.begin:.2f} m, before {reached:.2f} m where the last one ends"
            allowed, remedy = "arcs that do not overlap", "Take a smaller radius, or move the middles apart."
            if not transitions:
                found = f"its arc begins at {transition.begin:.2f} m, before the track does, at {start:g} m"
                allowed, remedy = "arcs on the track", "Take a smaller radius, or move the middle."
            raise row.refuse(who, found, allowed, remedy)
        reached, slope = transition.end, row["slope_out"]
        transitions.append(transition)
    return transitions
