"""What materials do to each other where they touch: each brings its values, and a law of the pair replaces them.

Without a law of its own a pair has (V-39)

    friction       sqrt(mu_1 mu_2)           sliding, sticking and across the grain alike; equal ones stay
    restitution    min(e_1, e_2), or e_1 e_2 where a method is told so (I-096), along the tangents too (B-28)
    arms           the larger one            of rolling and torsional friction
    stiffness      1/k = 1/k_1 + 1/k_2       two spring-dampers in a row; 0 is hard, and hard with soft is the soft one
    damping        d = d_1 (k/k_1)^2 + d_2 (k/k_2)^2

and a part without a material takes on the values of what it touches.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_number, unit, unknown
from gelenk.errors import InputError

if TYPE_CHECKING:
    from gelenk.model.model import Model
    from gelenk.model.parts import Material

NO_MATERIAL = ""
BARE_FRICTION = 0.5  # of two parts without a material
BARE_GRAIN = (1.0, 0.0, 0.0)
# Unit and largest value of what materials and laws say about contact; all are 0 or more.
QUANTITIES: dict[str, tuple[str, float | None]] = {
    "friction": ("1", None),
    "static_friction": ("1", None),
    "friction_across": ("1", None),
    "rolling_friction": ("m", None),
    "torsional_friction": ("m", None),
    "restitution": ("1", 1.0),
    "slip_restitution": ("1", 1.0),
    "stiffness": ("N/m", 1e300),
    "damping": ("N s/m", 1e300),
}

LAW = np.dtype(
    [
        ("friction", "f8"),  # of sliding along the grain
        ("static_friction", "f8"),  # of sticking, at least that of sliding
        ("friction_across", "f8"),  # across the grain; as along it where there is no grain
        ("static_across", "f8"),
        ("restitution", "f8"),
        ("rolling", "f8"),  # [m] couple about axes in the tangent plane, per normal force
        ("torsional", "f8"),  # [m] couple about the normal, per normal force
        ("stiffness", "f8"),  # [N/m] of a contact point; 0: hard
        ("damping", "f8"),  # [N s/m]
        ("grain_of", "u4"),  # 0: alike in all directions; 1, 2: the grain is that of the first, second part
        ("set", "u4"),  # kind of the friction set: ELLIPSE or RUNNER
        ("straight", "f8"),  # of a runner: mu_r, half the length of its rectangle
        ("across_min", "f8"),  # mu_b without load; ``friction_across`` is that at full load
        ("full_load", "f8"),  # [N]
        ("slip_restitution", "f8"),  # of impacts, along the tangents
    ]
)
ELLIPSE, RUNNER = range(2)  # kinds of friction sets


@friendly
@dataclass(frozen=True, slots=True)
class ContactLaw:
    """How two materials act on each other, where it is not as their own values say. Made by :meth:`Builder.contact`.

    What is None is combined from the materials, see :mod:`gelenk.model.contact_law`. But ``friction`` alone holds for
    sticking and across the grain too, as it does in a :class:`Material`.

    Parameters
    ----------
    a, b : names of materials, "" for parts without one
    friction, static_friction : coefficients of sliding and of sticking
    friction_across : coefficient of sliding across the grain; the grain is that of the material whose own coefficients
        along and across differ more, that of ``a`` where they do alike
    rolling_friction, torsional_friction : arms [m]
    restitution, slip_restitution : coefficients of restitution along the normal and along the tangents, 0 to 1
    stiffness, damping : of one contact point [N/m, N s/m]; stiffness 0 is hard
    """

    a: str
    b: str
    friction: float | None = None
    static_friction: float | None = None
    friction_across: float | None = None
    rolling_friction: float | None = None
    torsional_friction: float | None = None
    restitution: float | None = None
    slip_restitution: float | None = None
    stiffness: float | None = None
    damping: float | None = None

    def __post_init__(self) -> None:
        for side in ("a", "b"):
            name = getattr(self, side)
            if not isinstance(name, str):
                found, allowed = f"{side} is {name!r}"[:160], 'the name of a material, or "" for none'
                raise InputError("contact()", found, allowed, "Pass two names, and values by their own.")
        check_contact_values(self.label, self, optional=QUANTITIES)
        if all(getattr(self, what) is None for what in QUANTITIES):
            remedy = "Give a value; without a law the values of the materials are combined."
            raise InputError(self.label, "a law without values", f"one or more of {', '.join(QUANTITIES)}", remedy)

    @property
    def label(self) -> str:
        """Who it is in messages."""
        return law_label(self.a, self.b)

    @property
    def pair(self) -> tuple[str, str]:
        """Both names, the same whichever was given first."""
        return (self.a, self.b) if self.a <= self.b else (self.b, self.a)


def law_label(a: str, b: str) -> str:
    """The law of two materials in messages."""
    return f"contact {a!r}, {b!r}"


def check_contact_values(label: str, item: Any, optional: Collection[str]) -> None:
    """Check what a material or a law says about contact, and keep it as plain floats."""
    for what, (unit_, most) in QUANTITIES.items():
        value = getattr(item, what)
        if value is not None or what not in optional:
            object.__setattr__(item, what, check_number(label, what, value, unit_, least=0, most=most))
    if item.stiffness and math.isinf(1.0 / item.stiffness):
        found = f"stiffness is {item.stiffness!r}, and 1 / {item.stiffness!r} is infinite"
        raise InputError(label, found, "0 for hard contact, or above 1e-300 [N/m]", "Check the units.")
    if item.friction is not None and item.static_friction is not None:
        check_static(label, item.static_friction, item.friction)
    if item.stiffness is not None and item.damping is not None:
        check_damping(label, item.damping, item.stiffness)


def check_static(label: str, static: float, friction: float, whose: str = "") -> None:
    """Refuse sticking weaker than sliding."""
    if static < friction:
        found = f"static_friction is {static!r}, below the friction of {friction!r}{whose}"
        remedy = "Raise static_friction or lower friction; without static_friction both are the same."
        raise InputError(label, found, f"at least {friction!r}", remedy)


def check_damping(label: str, damping: float, stiffness: float, whose: str = "") -> None:
    """Refuse damping where nothing yields."""
    if damping > 0.0 and stiffness == 0.0:
        found = f"damping is {damping!r} with the stiffness 0 of hard contact{whose}"
        remedy = "Give a stiffness too; for impacts that lose speed lower the restitution."
        raise InputError(label, found, "damping with a stiffness above 0", remedy)


def check_laws(materials: Mapping[str, Material], laws: Iterable[ContactLaw]) -> None:
    """Refuse laws of materials that do not exist, and those that do not go with what their materials give."""
    laws = tuple(laws)
    for law in laws:
        check_materials(law, materials)
    if laws:
        _tables(tuple(materials.values()), laws)


def check_materials(law: ContactLaw, materials: Mapping[str, Material]) -> None:
    """Refuse a law of materials that do not exist."""
    for name in (law.a, law.b):
        if name != NO_MATERIAL and name not in materials:
            raise unknown(law.label, "material", name, materials)


def law_table(model: Model, product: bool = False) -> tuple[np.recarray, dict[str, int]]:
    """(m, m) LAW of every two of the m - 1 materials and of none, index 0; and the index of every material by name.

    Symmetric but for ``grain_of``. Restitutions combine by their minimum, or by their product (V-39).
    """
    return _tables(model.materials, model.contacts, product)


def grain_table(model: Model) -> np.ndarray:
    """(m, 3) unit vectors along the grain of each material, in the axes of its parts, by the index of the table."""
    return np.array([unit(grain) for grain in (BARE_GRAIN, *(m.grain for m in model.materials))])


def _tables(
    materials: tuple[Material, ...], laws: tuple[ContactLaw, ...], product: bool = False
) -> tuple[np.recarray, dict[str, int]]:
    index = {NO_MATERIAL: 0, **{m.name: k for k, m in enumerate(materials, start=1)}}
    own = _own_values(materials)
    table = _combined(own, product)
    for law in laws:
        i, j = index[law.a], index[law.b]
        _apply(law, table[i, j])
        table[j, i] = table[i, j]
    _complete(table, own)
    for law in laws:  # where no grain is the stronger one, that of the first name counts
        i, j = index[law.a], index[law.b]
        if i and j and i != j and table[i, j]["grain_of"] and _strength(own[i]) == _strength(own[j]):
            table[i, j]["grain_of"], table[j, i]["grain_of"] = 1, 2
    return table.view(np.recarray), index


def _own_values(materials: tuple[Material, ...]) -> np.ndarray:
    """(m,) LAW of each material by itself, first of none."""
    own = np.zeros(len(materials) + 1, LAW)
    for row, m in zip(own[1:], materials):
        row["friction"] = m.friction
        row["static_friction"] = m.friction if m.static_friction is None else m.static_friction
        row["friction_across"] = m.friction if m.friction_across is None else m.friction_across
        row["restitution"], row["rolling"], row["torsional"] = m.restitution, m.rolling_friction, m.torsional_friction
        row["slip_restitution"], row["stiffness"], row["damping"] = m.slip_restitution, m.stiffness, m.damping
    for what in ("friction", "static_friction", "friction_across"):
        own[what][0] = BARE_FRICTION
    return own


def _combined(own: np.ndarray, product: bool) -> np.ndarray:
    """(m, m) LAW as the materials give it; ``static_across`` and ``grain_of`` are still open."""
    a, b = own[:, None], own[None, :]
    table = np.zeros((len(own), len(own)), LAW)
    for what in ("friction", "static_friction", "friction_across"):
        table[what] = np.where(a[what] == b[what], a[what], np.sqrt(a[what]) * np.sqrt(b[what]))
    table["static_friction"] = np.maximum(table["static_friction"], table["friction"])  # also to the last bit
    combine = np.multiply if product else np.minimum
    for what in ("restitution", "slip_restitution"):
        table[what] = combine(a[what], b[what])
    for what in ("rolling", "torsional"):
        table[what] = np.maximum(a[what], b[what])
    k_1, k_2 = np.broadcast_arrays(a["stiffness"], b["stiffness"])
    soft = (k_1 > 0.0) & (k_2 > 0.0)
    share_1, share_2 = (np.divide(k, k_1 + k_2, where=soft, out=np.ones_like(k)) for k in (k_2, k_1))  # k/k_1, k/k_2
    table["stiffness"] = np.where(soft, np.minimum(k_1, k_2) * np.maximum(share_1, share_2), np.maximum(k_1, k_2))
    table["damping"] = a["damping"] * share_1**2 + b["damping"] * share_2**2  # that of what is hard is 0
    table[0, :] = table[:, 0] = own
    return table


def _apply(law: ContactLaw, row: Any) -> None:
    """Replace what the materials give by what the law of the pair says."""
    if law.friction is not None:
        row["friction"] = row["static_friction"] = row["friction_across"] = law.friction
    if law.stiffness == 0.0:
        row["damping"] = 0.0
    replaced = {"rolling_friction": "rolling", "torsional_friction": "torsional"}
    for what in QUANTITIES:
        if getattr(law, what) is not None:
            row[replaced.get(what, what)] = getattr(law, what)
    given = " that the materials give"
    check_static(law.label, float(row["static_friction"]), float(row["friction"]), given)
    check_damping(law.label, float(row["damping"]), float(row["stiffness"]), given)


def _complete(table: np.ndarray, own: np.ndarray) -> None:
    """Sticking across the grain, in the proportion of sliding, and whose grain it is."""
    along, across, static = table["friction"], table["friction_across"], table["static_friction"]
    most = np.finfo(np.float64).max
    with np.errstate(over="ignore", under="ignore"):
        ratio = np.minimum(np.divide(static, along, where=along > 0.0, out=np.ones_like(along)), most)
        table["static_across"] = np.where(across == along, static, np.minimum(ratio * across, most))
    strength = np.array([-1.0, *map(_strength, own[1:])])
    order = np.arange(len(own))
    stronger, alike = strength[None, :] > strength[:, None], strength[None, :] == strength[:, None]
    second = stronger | (alike & (order[None, :] < order[:, None]))
    table["grain_of"] = np.where(across == along, 0, np.where(second, 2, 1))


def _strength(own: Any) -> float:
    """How much the coefficients of a material along and across its grain differ: their ratio, 1 without a grain."""
    low, high = sorted((float(own["friction"]), float(own["friction_across"])))
    if low == high:
        return 1.0
    return high / low if low > 0.0 else math.inf
