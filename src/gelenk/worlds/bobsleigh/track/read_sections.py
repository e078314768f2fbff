"""Sections and boundary elements from their files, checked."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.checks import check_table, unknown
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.track.patch import RuleSections, SectionLaw, TableSections
from gelenk.worlds.bobsleigh.track.section import RAW, from_raw
from gelenk.worlds.bobsleigh.track.table_file import Row, read_table
from gelenk.worlds.bobsleigh.track.walls import KINDS, SIDES, WHERE, Wall

RULE = ("hW", "r0", "lB", "dC", "b", "a", "bT_short", "r1", "eps", "hZ", "r2", "h2")
POSITIVE = ("AK", "BI", "B", "R1", "HZ", "R2")
NOT_NEGATIVE = ("HW2", "A", "BT", "AT", "H1", "H2")


def read_section_law(folder: Path, value: Any, track: str) -> SectionLaw:
    """Sections of a track: the name of a table, or a rule."""
    who = f"sections of {track}"
    if isinstance(value, str):
        return read_sections(folder / value, who)
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
    numbers = {name: tuple(check_table(who, name, rule[name], 0, "m")) for name in RULE}
    for name, pair in numbers.items():
        if len(pair) != 2:
            found, remedy = f"{name} has {len(pair)} numbers", f"Write {name} = [straight, more in the full curve]."
            raise InputError(who, found, "two", remedy)
        ends = (pair[0], pair[0] + pair[1])
        if min(ends) < 0.0 or (name not in ("hW", "dC", "a", "h2") and min(ends) <= 0.0):
            found = f"{name} goes from {ends[0]:g} to {ends[1]:g}"
            raise InputError(who, found, "lengths and radii above 0", "Change its two numbers.")
    return RuleSections(numbers)


def read_sections(path: Path, who: str) -> TableSections:
    """A table of raw dimensions, Sx and those of the design data (A.1); other columns are not needed."""
    rows = read_table(path, who, ("Sx", *RAW), others=True)
    for k, row in enumerate(rows):
        check_section(row, f"section at {row['Sx']:g} m")
        if k and not row["Sx"] > rows[k - 1]["Sx"]:
            found = f"Sx is {row['Sx']:g} after {rows[k - 1]['Sx']:g}"
            raise row.refuse(who, found, "growing arc lengths", "Sort the rows, and remove double ones.")
    raw = {name: np.array([row[name] for row in rows]) for name in RAW}
    return TableSections(np.array([row["Sx"] for row in rows]), from_raw(raw))


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


def read_walls(path: Path, track: str, end: float) -> tuple[Wall, ...]:
    """Rows of a table of boundary elements (B-48)."""
    who, walls = f"walls of {track}", []
    for row in read_table(path, who, ("height", "angle"), ("from", "to"), ("kind", "side", "where")):
        for what, choices in (("kind", KINDS), ("side", SIDES), ("where", WHERE)):
            if row.words.get(what) not in choices:
                raise row.refuse(who, f"{what} is {row.words.get(what)!r}", ", ".join(choices), "Choose from these.")
        if not row["height"] > 0.0:
            raise row.refuse(who, f"height is {row['height']:g}", "above 0 [m]", "Give how far it reaches.")
        begin, stop = row.values.get("from", -math.inf), row.values.get("to", math.inf)
        if not begin < stop or (math.isfinite(stop) and begin > end):
            found = f"goes from {begin:g} to {stop:g} m"
            raise row.refuse(who, found, "a range on the track", "Exchange or correct from and to.")
        kind, side, where = (row.words[what] for what in ("kind", "side", "where"))
        walls.append(Wall(kind, side, where, begin, stop, row["height"], math.radians(row["angle"])))
    return tuple(walls)
