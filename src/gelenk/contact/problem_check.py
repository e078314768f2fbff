"""What makes arrays a contact problem: shapes, whole numbers, signs, unit vectors, entries of rows in their order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gelenk.errors import InputError

# number of axes of every array, and what its lengths count: nodes, contacts, rows, entries of rows
SHAPES = {
    "inverse_mass": ("nodes",),
    "inverse_inertia": ("nodes", 3, 3),
    "velocity": ("nodes", 6),
    "a": ("contacts",),
    "b": ("contacts",),
    "normal": ("contacts", 3),
    "tangent": ("contacts", 3),
    "arm_a": ("contacts", 3),
    "arm_b": ("contacts", 3),
    "want": ("contacts",),
    "soft": ("contacts",),
    "friction": ("contacts", 2),
    "couple_arms": ("contacts", 2),
    "row_first": ("rows + 1",),
    "row_node": ("entries",),
    "row_jacobian": ("entries", 6),
    "row_want": ("rows",),
    "row_soft": ("rows",),
    "row_low": ("rows",),
    "row_high": ("rows",),
    "impulse": ("contacts", 3),
    "couple": ("contacts", 3),
    "row_impulse": ("rows",),
}
WHOLE = ("a", "b", "row_first", "row_node")
ONE = {"nodes": "node", "contacts": "contact", "rows": "row", "rows + 1": "row", "entries": "entry"}
UNIT = 1e-6  # off from length 1 or from a right angle, which is what single precision leaves
CHECK = "Take it from sim.contact_problem(), or check the arrays."


def checked(given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The arrays of a problem, read-only copies; refused where they are none."""
    sizes = {"nodes": np.size(given["inverse_mass"]), "contacts": np.size(given["a"])}
    sizes |= {"rows": np.size(given["row_want"]), "entries": np.size(given["row_node"])}
    sizes["rows + 1"] = sizes["rows"] + 1
    made = {name: shaped(name, given[name], sizes) for name in SHAPES}
    for name, most in (("a", "nodes"), ("b", "nodes"), ("row_node", "nodes")):
        largest = int(made[name].max(initial=0))
        if len(made[name]) and largest >= sizes[most]:
            raise refused(f"{name} holds {largest}", f"numbers of the {sizes[most]} {most}")
    check_signs(made)
    check_nodes(made)
    check_axes(made)
    check_rows(made, sizes["entries"])
    for array in made.values():
        array.flags.writeable = False
    return made


def shaped(name: str, value: Any, sizes: Mapping[str, int]) -> np.ndarray:
    """An array of its own shape and kind, all of it finite but bounds."""
    axes = SHAPES[name]
    shape = tuple(sizes[x] if isinstance(x, str) else x for x in axes)
    array = np.array(value, np.float64, order="C")
    if array.shape != shape:
        raise refused(f"{name} has the shape {array.shape}", f"{shape}, that is {axes}")
    if name == "row_low":
        refuse_at(name, array, np.isnan(array) | (array == np.inf), "a number, or -inf for none", CHECK)
    elif name == "row_high":
        refuse_at(name, array, np.isnan(array) | (array == -np.inf), "a number, or inf for none", CHECK)
    elif name in WHOLE:
        bad = ~((array >= 0.0) & (array == np.floor(array)) & (array < 2**32))
        refuse_at(name, array, bad, "whole numbers from 0 on", "Count nodes and entries from 0 on.")
        return array.astype(np.uint32)
    else:
        refuse_at(name, array, ~np.isfinite(array), "finite numbers", CHECK)
    return array


def check_signs(made: Mapping[str, np.ndarray]) -> None:
    """Nothing below zero where that would drive what it should hold."""
    for name, remedy in (
        ("inverse_mass", "Make it 0 for what does not move."),
        ("soft", "Make it 0 for a rigid contact."),
        ("friction", "Make it 0 for a smooth contact."),
        ("couple_arms", "Make it 0 where nothing resists rotation."),
        ("row_soft", "Make it 0 for a rigid row."),
    ):
        refuse_at(name, made[name], made[name] < 0.0, "numbers of at least 0", remedy)


def check_nodes(made: Mapping[str, np.ndarray]) -> None:
    """Inverse inertia is symmetric with positive moments, or zero."""
    inertia = made["inverse_inertia"]
    largest = np.abs(inertia).max(axis=(1, 2), initial=0.0)
    skew = np.abs(inertia - inertia.transpose(0, 2, 1)).max(axis=(1, 2), initial=0.0)
    bad = (largest > 0.0) & ((np.linalg.eigvalsh(inertia).min(axis=1, initial=np.inf) <= 0.0) | (skew > UNIT * largest))
    remedy = "Pass the inverse of the inertia tensor about the centre of mass in world axes."
    refuse_at("inverse_inertia", inertia, bad, "a symmetric matrix with positive eigenvalues, or zeros", remedy)


def check_axes(made: Mapping[str, np.ndarray]) -> None:
    """Two bodies, one of which moves, and unit vectors at right angles."""
    a, b, n, t = (made[name] for name in ("a", "b", "normal", "tangent"))
    for k in np.flatnonzero(a == b)[:1]:
        raise refused(f"contact {k} has node {a[k]} as a and b", "two nodes", "Leave it out: nothing touches itself.")
    moves = (made["inverse_mass"] > 0.0) | made["inverse_inertia"].any(axis=(1, 2))
    for k in np.flatnonzero(~(moves[a] | moves[b]))[:1]:
        found = f"contact {k} is between nodes {a[k]} and {b[k]}, which do not move"
        raise refused(found, "contacts with something that moves", "Leave it out.")
    for name in ("normal", "tangent"):
        off = np.abs(np.linalg.norm(made[name], axis=1) - 1.0) > UNIT
        refuse_at(name, made[name], off, "unit vectors", "Divide it by its length.")
    slant = np.abs(np.einsum("cx,cx->c", n, t)) > UNIT
    remedy = "Take t - n (n . t), divided by its length."
    refuse_at("tangent", t, slant, "unit vectors perpendicular to the normal n", remedy)


def check_rows(made: Mapping[str, np.ndarray], entries: int) -> None:
    """Every entry belongs to one row, and bounds are in their order."""
    first, low, high = made["row_first"].astype(np.int64), made["row_low"], made["row_high"]
    remedy = "Make row_first the sum of the entries of all rows before each, and of all at its end."
    if first[0] != 0:
        raise refused(f"row_first begins with {first[0]}", "0 as its first number", remedy)
    falls = np.append(np.diff(first) < 0, False)
    for k in np.flatnonzero((first > entries) | falls)[:1]:
        found = f"row_first of row {k} is {first[k]}" + (f", above {first[k + 1]} of the next" if falls[k] else "")
        raise refused(found, f"numbers that do not fall, up to the {entries} entries", remedy)
    if first[-1] != entries:
        raise refused(f"row_first ends with {first[-1]}", f"the number of entries, {entries}, at its end", remedy)
    for k in np.flatnonzero(low > high)[:1]:
        found = f"row_low of row {k} is {low[k]}, above {high[k]}"
        raise refused(found, "row_low of at most row_high", "Exchange them.")


def refuse_at(name: str, array: np.ndarray, bad: np.ndarray, allowed: str, remedy: str) -> None:
    """Name the first node, contact, row or entry that is bad."""
    if not bad.any():
        return
    place = tuple(int(k) for k in np.argwhere(bad)[0])
    value = array[place]
    shown = f"{value}" if value.ndim == 0 else f"({', '.join(f'{x:g}' for x in value.ravel())})"
    raise refused(f"{name} of {ONE[str(SHAPES[name][0])]} {place[0]} is {shown}", allowed, remedy)


def refused(found: str, allowed: str, remedy: str = CHECK) -> InputError:
    """Data that is no problem."""
    return InputError("ContactProblem", found, allowed, remedy)
