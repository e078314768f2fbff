"""Sections and boundary elements from their files, checked."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.checks import check_table, unknown
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.track.patch import RuleSections, SectionLaw, TableSections
from gelenk.worlds.bobsleigh.track.section import RAW, ellipse_end, from_raw
from gelenk.worlds.bobsleigh.track.table_file import Row, read_table
from gelenk.worlds.bobsleigh.track.walls import KINDS, SIDES, WHERE, Wall

RULE = ("hW", "r0", "lB", "dC", "b", "a", "bT_short", "r1", "eps", "hZ", "r2", "h2")
POSITIVE = ("AK", "BI", "B", "R1", "HZ", "R2")
NOT_NEGATIVE = ("HW2", "A", "BT", "AT", "H1", "H2")


def read_section_law(value: Any, track: str) -> SectionLaw:
    """Sections of a track: from a table, or a rule."""
    who = f"sections of {track}"
    if isinstance(value, Path):
        return read_sections(value, who)
    if not isinstance(value, dict) or set(value) != {"rule"} or not isinstance(value["rule"], dict):
        remedy = 'Write sections = "sections.csv", or a table [sections.rule].'
        raise InputError(who, f"sections is {value!r}"[:100], "a file name or a rule", remedy)
    rule = value["rule"]
    for name in rule:
        if name not in RULE:
            raise unknown(who, "dimension", name, RULE, "Remove it.")
    for name in RULE:
        if name not in rule:
            raise InputError(who, f"no {name} in the rule", ", ".join(RULE), f"Add {name} = [straight, more].")
    numbers = {}
    for name in RULE:
        if not isinstance(rule[name], list) or len(rule[name]) != 2:
            found, remedy = f"{name} is {rule[name]!r}"[:100], f"Write {name} = [straight, more in the full curve]."
            raise InputError(who, found, "two numbers in brackets", remedy)
        numbers[name] = pair = tuple(check_table(who, name, rule[name], 0, "m"))
        ends = (pair[0], pair[0] + pair[1])
        if min(ends) < 0.0 or (name not in ("hW", "dC", "a", "h2") and min(ends) <= 0.0):
            found = f"{name} goes from {ends[0]:g} to {ends[1]:g}"
            raise InputError(who, found, "lengths and radii above 0", "Change its two numbers.")
    check_rule(who, numbers)
    return RuleSections(numbers)


def check_rule(who: str, rule: Mapping[str, Sequence[float]]) -> None:
    """Pieces that can join, from the straight to the full curve."""
    tau = np.linspace(0.0, 1.0, 101)
    value = {name: first + second * tau for name, (first, second) in rule.items()}
    where = "the straight", "the full curve"

    def refuse(wrong: np.ndarray, name: str, found: np.ndarray, allowed: str, remedy: str) -> None:
        if wrong.any():
            k = int(wrong.argmax())
            place = where[k // 100] if k in (0, 100) else f"a banking of {tau[k]:g}"
            raise InputError(who, f"{name} is {found[k]:.4g} in {place}", allowed, remedy)

    eps = value["eps"]
    refuse(~((eps > 0.0) & (eps < 90.0)), "eps", eps, "between 0 and 90 [deg]", "Give the angle in degrees.")
    short, b = value["bT_short"], value["b"]
    refuse(short > b, "bT_short", short, "at most b", "The used part of the ellipse ends that far short of b.")
    _, eps0 = ellipse_end(b, value["a"], b - short)
    remedy = "Make the straight piece steeper, or use less of the ellipse by a larger bT_short."
    refuse(np.degrees(eps0) > eps, "eps", eps, "at least the angle at which the ellipse ends", remedy)
    angle, r2, h2 = np.radians(eps), value["r2"], value["h2"]
    beyond = (r2 * np.sin(angle)) ** 2 + 2.0 * r2 * h2 * np.cos(angle) < h2**2
    refuse(beyond, "h2", h2, "a height that the top circle reaches", "Take a larger r2 or a smaller h2.")


def read_sections(path: Path, who: str) -> TableSections:
    """A table of raw dimensions, Sx and those of the design data (A.1); other columns are not needed."""
    rows = read_table(path, who, ("Sx", *RAW), others=True)
    for k, row in enumerate(rows):
        check_section(row, f"section at {row['Sx']:g} m")
        if k and not row["Sx"] > rows[k - 1]["Sx"]:
            found = f"Sx is {row['Sx']:g} after {rows[k - 1]['Sx']:g}"
            raise row.refuse(who, found, "growing arc lengths", "Sort the rows, and remove double ones.")
    raw = {name: np.array([row[name] for row in rows]) for name in RAW}
    return TableSections(
        np.array([row["Sx"] for row in rows]), from_raw(raw), path.name, tuple(row.line for row in rows)
    )


def check_section(row: Row, who: str) -> None:
    """Radii above 0, heights at least 0, pieces that can join."""
    for name in (*POSITIVE, *NOT_NEGATIVE):
        strict = name in POSITIVE
        if row[name] < 0.0 or (strict and row[name] == 0.0):
            allowed = f"{'above' if strict else 'at least'} 0 [m]"
            raise row.refuse(who, f"{name} is {row[name]:g}", allowed, f"Correct {name}.")
    if not 0.0 < row["eps1"] < 90.0:
        raise row.refuse(who, f"eps1 is {row['eps1']:g}", "between 0 and 90 [deg]", "Give the angle in degrees.")
    if row["AT"] > 0.0 and not 0.0 < row["AT"] < row["A"]:
        found = f"AT is {row['AT']:g}, A is {row['A']:g}"
        raise row.refuse(who, found, "AT below A", "The used part ends below the ellipse's centre.")
    if row["BT"] >= row["B"]:
        found = f"BT is {row['BT']:g}, B is {row['B']:g}"
        raise row.refuse(who, found, "BT below B", "The used part is narrower than the ellipse.")
    if row["AT"] == 0.0 and row["R1"] >= row["B"]:
        found = f"R1 is {row['R1']:g}, B is {row['B']:g}"
        raise row.refuse(who, found, "R1 below B on the straight", "The floor is B - R1 wide.")
    eps = math.radians(row["eps1"] if row["eps1"] >= 45.0 else 90.0 - row["eps1"])
    side = row["R2"] * math.sin(eps)
    if side**2 + 2.0 * row["R2"] * row["H2"] * math.cos(eps) < row["H2"] ** 2:
        found = f"H2 is {row['H2']:g}, more than a circle of R2 = {row['R2']:g} rises there"
        raise row.refuse(who, found, "a height that the top circle reaches", "Take a larger R2 or a smaller H2.")
    made = from_raw({name: np.array([row[name]]) for name in RAW})
    _, end = ellipse_end(made.b, made.a, made.bT)
    if row["H1"] > 0.0 and end[0] > made.eps[0]:
        found = f"eps1 is {math.degrees(eps):g}, but the ellipse ends at {math.degrees(end[0]):.3g}"
        remedy = "Make the straight piece steeper, or use less of the ellipse."
        raise row.refuse(who, found, "an angle of at least that [deg]", remedy)


def read_walls(path: Path, track: str, end: float) -> tuple[Wall, ...]:
    """Rows of a table of boundary elements (B-48)."""
    who, walls = f"walls of {track}", []
    for row in read_table(path, who, ("height", "angle"), ("from", "to"), ("kind", "side", "where")):
        for what, choices in (("kind", KINDS), ("side", SIDES), ("where", WHERE)):
            if row.words.get(what) not in choices:
                raise row.refuse(who, f"{what} is {row.words.get(what)!r}", ", ".join(choices), "Choose from these.")
        if not row["height"] > 0.0:
            raise row.refuse(who, f"height is {row['height']:g}", "above 0 [m]", "Give how far it reaches.")
        if not abs(row["angle"]) <= 90.0:
            remedy = "Give the angle from the vertical, towards the track where positive."
            raise row.refuse(who, f"angle is {row['angle']:g}", "from -90 to 90 [deg]", remedy)
        begin, stop = row.values.get("from", -math.inf), row.values.get("to", math.inf)
        if not begin < stop or (math.isfinite(stop) and begin > end):
            found = f"goes from {begin:g} to {stop:g} m"
            raise row.refuse(who, found, "a range on the track", "Exchange or correct from and to.")
        kind, side, where = (row.words[what] for what in ("kind", "side", "where"))
        walls.append(Wall(kind, side, where, begin, stop, row["height"], math.radians(row["angle"])))
    return tuple(walls)
