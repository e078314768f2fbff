"""Worlds: whole systems that run by name. Each is a folder with its data beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from gelenk.checks import unknown
from gelenk.errors import InputError
from gelenk.methods.method import Method
from gelenk.model.model import Model
from gelenk.run.recorder import new_path
from gelenk.run.run import Run

WORLDS = ("top", "bobsleigh")


class World(Protocol):
    """What a world's module offers. One with choices has more:

    - ``OPTIONS``, what can be chosen by ``--NAME VALUE`` and what it means; ``build`` takes these by name
    - ``pictures(run, stem, **options)``, which draws pictures of its own in place of the usual one beside a run file
    - ``dressed(runs, **how)``, what :func:`gelenk.replay` is to show around its runs; None for runs of others
    - ``running(**options)``, what ``Simulation.run`` is to be called with: a control, outputs, the time between samples
    - ``export(run, file)``, which writes a run as text (.xml)
    """

    ABOUT: str
    T_END: float
    NEXT: tuple[tuple[str, str], ...]  # commands to try next, and what they show; {run}, and options as {track}

    def build(self) -> Model:
        """The model, from the data beside the module."""
        ...

    def method(self) -> Method:
        """The method it is meant for."""
        ...

    def report(self, run: Run) -> list[tuple[str, str]]:
        """What happened, as lines of a table."""
        ...


def choices(name: str, words: Sequence[str]) -> dict[str, str]:
    """Options of a world from the words of a command line: ``--track s13`` or ``--track=s13``."""
    known: Mapping[str, str] = getattr(world(name), "OPTIONS", {}) if name in WORLDS else {}
    found: dict[str, str] = {}
    left = list(words)
    while left:
        what, given, value = left.pop(0).partition("=")
        option = what.removeprefix("--")
        if not what.startswith("--") or option not in known:
            allowed = ", ".join(f"--{k} ({v})" for k, v in known.items()) or "the options of gelenk run --help"
            raise InputError("run", f"{what!r}", allowed, "Check the spelling.")
        if not given:
            if not left or left[0].startswith("--"):
                raise InputError("run", f"--{option} without a value", known[option], f"Write --{option} VALUE.")
            value = left.pop(0)
        found[option] = value
    return found


def export_xml(run: Run, file: str | Path) -> Path:
    """Write a run as its world does; only runs of worlds with records of their own can be."""
    path = new_path("record", file, (".xml",), not_over=run.path)
    name = run.attributes.get("about.world")
    write = getattr(world(name), "export", None) if name in WORLDS else None
    if write is None:
        found = "a run of no world, or of one without records"
        raise InputError("export", found, "a run of bobsleigh", "Export a table instead: --out run.csv.")
    write(run, path)
    return path


def world(name: str) -> World:
    """The world of that name."""
    if name not in WORLDS:
        raise unknown("run", "world", name, WORLDS)
    module: World = import_module(f"gelenk.worlds.{name}")
    return module


def dressed(runs: Sequence[Run], **how: Any) -> dict[str, Any]:
    """What :func:`gelenk.replay` is to show around recorded runs; nothing for runs of no world that says so."""
    for name in WORLDS:
        dress = getattr(world(name), "dressed", None)
        found: dict[str, Any] | None = None if dress is None else dress(runs, **how)
        if found is not None:
            return found
    return {}


def pictures_of(name: str, words: Sequence[str]) -> Callable[[Run, Path], list[tuple[str, Path]]] | None:
    """What draws the pictures of a world beside its run file; None if it has none of its own."""
    draw = getattr(world(name), "pictures", None) if name in WORLDS else None
    if draw is None:
        return None
    options = choices(name, words)
    return lambda run, path: draw(run, path, **options)
