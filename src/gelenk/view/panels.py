"""Panels of a world's own: a title and a function that gives rows of names and values, asked five times a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gelenk.checks import check_name
from gelenk.errors import InputError
from gelenk.simulate import Simulation
from gelenk.view.figures import shown
from gelenk.view.to_page import Panel, Panels

MOST_ROWS = 60

Rows = Callable[[Any], Mapping[str, Any]]


def check_panels(panels: Mapping[str, Rows] | None) -> dict[str, Rows]:
    """Titles and functions."""
    if panels is not None and not isinstance(panels, Mapping):
        raise InputError("view()", f"panels is {panels!r}"[:100], "a dict of title to function", "Pass a dict.")
    for title, rows in (panels or {}).items():
        check_name("panel", title)
        if not callable(rows):
            raise InputError(f"panel {title!r}", f"{rows!r}"[:80], "a function of the simulation", "Pass a function.")
    return dict(panels or {})


def panels_now(sim: Simulation, panels: Mapping[str, Rows]) -> Panels:
    """What they show now; a function that fails says so in its panel, and the simulation goes on."""
    made = []
    for title, rows in panels.items():
        try:
            told = tuple((str(name)[:80], shown(value)) for name, value in list(rows(sim).items())[:MOST_ROWS])
        except Exception as error:
            told = (("failed", f"{type(error).__name__}: {error}"[:200]),)
        made.append(Panel(title, told))
    return Panels(tuple(made))
