"""The panels below a picture: conserved quantities as errors, and what is not conserved by design as what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.rows import block
from gelenk.run.plot import COLORS
from gelenk.run.signals import COORDINATE, DRIVE, FORCE

if TYPE_CHECKING:
    from gelenk.run.run import Run

MOTORS = (block.DRIVE, block.SERVO, block.PUSH, block.LED)
LINES = (*COLORS, "#b08d30")
MOST_TITLE, MOST_NAME = 52, 44  # letters above a panel, in a legend


def tidy(panel: Any, title: str) -> None:
    """Title, grid and time axis."""
    title = title if len(title) <= MOST_TITLE else title[: MOST_TITLE - 3] + "..."
    panel.set_title(title, fontsize=9, y=1.08)  # a fixed place: searching for one takes a quarter of the drawing time
    panel.locator_params(nbins=5)
    panel.set_xlabel("time [s]", fontsize=8)
    panel.tick_params(labelsize=7)
    panel.grid(alpha=0.25)


def draw_lines(panel: Any, run: Run, lines: dict[str, np.ndarray], title: str, columns: int = 3) -> None:
    """Several series with their names."""
    for k, (name, values) in enumerate(lines.items()):
        panel.plot(run.time, values, color=LINES[k], linewidth=1, label=name)
    shown = [name if len(name) <= MOST_NAME else name[: MOST_NAME - 3] + "..." for name in lines]
    columns = 1 if max(map(len, shown), default=0) > MOST_NAME // 2 + 4 else columns
    below = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.24), "frameon": False}
    panel.legend(panel.lines, shown, fontsize=7, ncols=columns, handlelength=1.2, columnspacing=1.2, **below)
    tidy(panel, title)


def draw_energy(panel: Any, run: Run, causes: dict[str, str]) -> None:
    """The error of the energy where it is conserved, else the energies themselves."""
    energy = run.series("energy")
    if "energy" not in causes:
        panel.plot(run.time, (energy - energy[0]) / run.energy_scale(), color="#333333", linewidth=1)
        tidy(panel, "change of energy / its median")
        return
    kinetic, potential = run.series("energy.kinetic"), run.series("energy.potential")
    lines = {"kinetic": kinetic, "potential": potential, "total": energy}
    draw_lines(panel, run, lines, f"energy [J], changed by {causes['energy']}")


def draw_momentum(panel: Any, run: Run, causes: dict[str, str]) -> None:
    """The error of the angular momentum where it is conserved, else forces of drives or joints, else itself."""
    table = run.angular_momentum
    if "angular_momentum" not in causes:
        size = max(float(np.linalg.norm(table, axis=1).max(initial=0.0)), 1e-300)
        lines = {axis: (table[:, k] - table[0, k]) / size for k, axis in enumerate("xyz")}
        draw_lines(panel, run, lines, "change of angular momentum / its size")
    elif run.signals.forces:
        felt = [(owner if name == "force" else f"{owner}.{name}", unit) for owner, name, unit in run.signals.forces]
        wired = run.parts.wired
        first = [row for row, force in enumerate(wired.forces) if wired.joints.row["mode"][force.row] in MOTORS]
        draw_signals(panel, run, "forces of drives", DRIVE, felt, first)
    elif run.signals.joints:
        felt = np.linalg.norm(run.read(FORCE), axis=2)
        chosen = largest(felt, range(felt.shape[1]))
        lines = {run.signals.joints[row]: felt[:, row] for row in chosen}
        draw_lines(panel, run, lines, f"length of joint forces [N]{some(chosen, run.signals.joints)}", columns=2)
    else:
        lines = {axis: table[:, k] for k, axis in enumerate("xyz")}
        title = f"angular momentum [N m s], changed by {causes['angular_momentum']}"
        draw_lines(panel, run, lines, title)


def draw_coordinates(panel: Any, run: Run) -> None:
    """Free coordinates of joints."""
    made = run.signals.coordinates
    count = {joint: sum(c[0] == joint for c in made) for joint, *_ in made}
    names = [(joint if count[joint] == 1 else f"{joint}.{name}", unit) for joint, name, _, unit in made]
    draw_signals(panel, run, "coordinates of joints", COORDINATE, names)


def draw_signals(
    panel: Any, run: Run, what: str, path: str, names: list[tuple[str, str]], first: Sequence[int] = ()
) -> None:
    """Columns of a table that have one unit: those of ``first``, if there are any, then those that change most."""
    unit, table = names[first[0] if first else 0][1], run.read(path)
    alike = [row for row, (_, other) in enumerate(names) if other == unit]
    rows = largest(table, alike, first)
    lines = {names[row][0]: table[:, row] for row in rows}
    draw_lines(panel, run, lines, f"{what} [{unit}]{some(rows, names)}", columns=2)


def largest(table: np.ndarray, rows: Iterable[int], first: Sequence[int] = ()) -> list[int]:
    """As many columns as there are colours: those of ``first``, then those that change most; in their order."""
    with np.errstate(all="ignore"):  # of a run that explodes
        change = np.ptp(table, axis=0)
    return sorted(sorted(rows, key=lambda row: (row not in first, -change[row]))[: len(LINES)])


def some(chosen: Any, whole: Any) -> str:
    """Whether these are not all."""
    return f", {len(chosen)} of {len(whole)}" if len(chosen) < len(whole) else ""
