"""Checks at the door. Each returns the value as plain floats, or refuses it by name."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from difflib import get_close_matches
from typing import Any

import numpy as np

from gelenk.errors import InputError

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]

# Up to this deviation of |q| or |axis| from 1 the input is taken as unit and rescaled: six printed digits.
UNIT_TOLERANCE = 1e-6
DIRECTIONS = {
    sign + axis: tuple((-1 if sign == "-" else 1) if k == n else 0 for k in range(3))
    for n, axis in enumerate("xyz")
    for sign in ("", "+", "-")
}
_NAME = re.compile(r"[^\W\d][\w\- ]*(\.[\w\- ]+)*", re.UNICODE)


def check_name(element: str, name: Any) -> str:
    """A name: letters, digits, ``_``, ``-``, space; parts joined by dots; it begins with a letter or ``_``."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name != name.strip():
        raise InputError(
            element,
            f"name is {name!r}",
            "letters, digits, '_', '-' and inner spaces, parts joined by '.', a letter first",
            "Choose another name.",
        )
    return name


def check_number(
    element: str,
    what: str,
    value: Any,
    unit: str,
    *,
    above: float | None = None,
    least: float | None = None,
    most: float | None = None,
    or_infinite: bool = False,
) -> float:
    """A finite number, or one that may be infinite, optionally strictly above, at least or at most a bound."""
    bounds = [f"above {above:g}"] if above is not None else []
    bounds += [f"at least {least:g}"] if least is not None else []
    bounds += [f"at most {most:g}"] if most is not None else []
    kind = "a number, also infinite," if or_infinite else "a finite number"
    allowed = " ".join([kind, " and ".join(bounds), f"[{unit}]"]).replace("  ", " ")
    remedy = f"Give {what} as a number{_in(unit)}."
    try:
        number = _float(value)
    except (TypeError, ValueError, OverflowError):
        raise InputError(element, f"{what} is {_show(value)}", allowed, remedy) from None
    good = (
        (math.isfinite(number) or (or_infinite and math.isinf(number)))
        and (above is None or number > above)
        and (least is None or number >= least)
        and (most is None or number <= most)
    )
    if not good:
        raise InputError(
            element,
            f"{what} is {number!r}",
            allowed,
            f"Give {what} as a number{_in(unit)} within that range." if math.isfinite(number) else remedy,
        )
    return number


def check_count(element: str, what: str, value: Any, *, least: int, most: int) -> int:
    """A whole number within bounds."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value <= most:
        allowed = f"a whole number from {least} to {most}"
        raise InputError(element, f"{what} is {value!r}", allowed, f"Give {what} as a whole number.")
    return int(value)


def check_vector(element: str, what: str, value: Any, unit: str) -> Vector:
    """Three finite numbers."""
    numbers = _numbers(element, what, value, 3, unit)
    return numbers[0], numbers[1], numbers[2]


def check_axis(element: str, what: str, value: Any) -> Vector:
    """A direction of unit length, rescaled if it is unit to six digits."""
    meant = DIRECTIONS.get(value.strip().lower()) if isinstance(value, str) else None
    remedy = f"Write {what}={meant}." if meant else f"Give {what} as 3 numbers such as (0, 0, 1)."
    a = _unit(element, what, _numbers(element, what, value, 3, "1", remedy), "gk.unit(axis)")
    return a[0], a[1], a[2]


def check_quaternion(element: str, what: str, value: Any) -> Quaternion:
    """A unit quaternion (w, x, y, z), rescaled if it is unit to six digits."""
    remedy = f"Give {what} as a unit quaternion (w, x, y, z); half the angle enters: (cos a/2, axis sin a/2)."
    q = _unit(element, what, _numbers(element, what, value, 4, "1", remedy), "gk.unit(q)")
    return q[0], q[1], q[2], q[3]


def _numbers(element: str, what: str, value: Any, count: int, unit: str, remedy: str = "") -> tuple[float, ...]:
    allowed = f"{count} finite numbers [{unit}]"
    remedy = remedy or f"Give {what} as {count} numbers{_in(unit)}."
    try:
        unordered = isinstance(value, (str, bytes, bytearray, Mapping, Set))
        numbers = () if unordered else tuple(map(_float, value))
    except (TypeError, ValueError, OverflowError):
        numbers = ()
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise InputError(element, f"{what} is {_show(value)}", allowed, remedy)
    return numbers


def _in(unit: str) -> str:
    return "" if unit == "1" else f" in {unit}"


def _float(value: Any) -> float:
    if isinstance(value, (bool, np.bool_, str, bytes)) or (isinstance(value, np.ndarray) and value.ndim):
        raise TypeError("not a number")
    return float(value)


def _unit(element: str, what: str, numbers: tuple[float, ...], how: str) -> tuple[float, ...]:
    length = math.sqrt(math.fsum(x * x for x in numbers))
    if not abs(length - 1.0) <= UNIT_TOLERANCE:
        none = "Pass (1, 0, 0, 0) for no turn." if len(numbers) == 4 else "Pass a direction such as (0, 0, 1)."
        remedy = f"Pass a unit vector, or normalise it with {how}." if any(numbers) else none
        raise InputError(element, f"{what} is {_show(numbers)} with length {length:.6g}", "length 1", remedy)
    # Already unit to round-off: keep the bits, also of what was rescaled below. Its length is off by at most 1.5 eps
    # (squares, root, quotient), seen through 1 eps of the length here: 2.5 eps = 5.6e-16 in all.
    if abs(length - 1.0) <= 1e-15:
        return numbers
    return tuple(x / length for x in numbers)


def check_table(element: str, what: str, value: Any, columns: int, unit: str) -> np.ndarray:
    """An (n, columns) table of finite numbers, or (n,) if columns is 0."""
    shape = f"(n, {columns})" if columns else "(n,)"
    allowed = f"finite numbers of shape {shape} [{unit}]"
    try:
        given = np.array(value)
        numbers = given.dtype.kind in "iuf"
        table = given.astype(np.float64, order="C") if numbers else np.empty(())
    except (TypeError, ValueError, OverflowError):
        numbers, table = False, np.empty(())
    right_shape = table.ndim == (2 if columns else 1) and (not columns or table.shape[1] == columns)
    if not right_shape or not table.size:
        found = f"has shape {table.shape}" if numbers else f"is {_show(value)}"
        raise InputError(element, f"{what} {found}", allowed, f"Give {what} as {shape} numbers.")
    if not np.isfinite(table).all():
        row = int(np.argwhere(~np.isfinite(table))[0][0])
        raise InputError(element, f"row {row} of {what} is {_show(table[row])}", allowed, "Remove or mend that row.")
    table.flags.writeable = False
    return table


def check_choice(element: str, what: str, value: Any, choices: Sequence[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(element, f"{what} is {value!r}", " or ".join(map(repr, choices)), f"Choose {what} from these.")
    return str(value)


def unknown(element: str, what: str, name: object, known: Iterable[str], otherwise: str = "") -> InputError:
    """Error for a reference to something that is not there, with the nearest names, or else what to do."""
    names = sorted(known)
    near = [n for n in names if n.lower() == str(name).lower()] or get_close_matches(str(name), names, n=3)
    shown = ", ".join(repr(n) for n in names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    otherwise = otherwise or f"Add {name!r} first, or correct the name."
    remedy = f"Did you mean {' or '.join(map(repr, near))}?" if near else otherwise
    return InputError(element, f"{what} is {name!r}, which does not exist", shown or "nothing yet", remedy)


def _show(value: Any) -> str:
    text = repr(tuple(value)) if isinstance(value, np.ndarray) and value.ndim == 1 else repr(value)
    text = " ".join(re.sub(r"np\.\w+\(([^()]*)\)", r"\1", text).split())
    return text if len(text) <= 120 else text[:117] + "..."


def unit(a: Sequence[float]) -> tuple[float, ...]:
    """The direction or quaternion ``a`` rescaled to length 1."""
    numbers = _numbers("unit()", "direction", a, len(a) if hasattr(a, "__len__") else 3, "1")
    largest = max(map(abs, numbers), default=0.0)
    if not largest > 0.0:
        raise InputError("unit()", f"{_show(a)} has length 0", "a length above 0", "Pass a direction.")
    numbers = tuple(x / largest for x in numbers)  # so that no square overflows
    length = math.sqrt(math.fsum(x * x for x in numbers))
    return tuple(x / length for x in numbers)


def check_names(element: str, what: str, value: Any) -> tuple[str, ...]:
    """Several names; one may be given as it is."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, (tuple, list)) or not all(isinstance(name, str) for name in names):
        raise InputError(element, f"{what} is {value!r}"[:100], "names", 'Pass a tuple such as ("gripper", "arm").')
    return tuple(dict.fromkeys(names))
