"""Worlds: whole systems that run by name. Each is a folder with its data beside it."""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from gelenk.checks import unknown
from gelenk.methods.method import Method
from gelenk.model.model import Model
from gelenk.run.run import Run

WORLDS = ("top",)


class World(Protocol):
    """What a world's module offers."""

    ABOUT: str
    T_END: float
    NEXT: tuple[tuple[str, str], ...]  # commands to try next, and what they show

    def build(self) -> Model:
        """The model, from the data beside the module."""
        ...

    def method(self) -> Method:
        """The method it is meant for."""
        ...

    def report(self, run: Run) -> list[tuple[str, str]]:
        """What happened, as lines of a table."""
        ...


def world(name: str) -> World:
    """The world of that name."""
    if name not in WORLDS:
        raise unknown("run", "world", name, WORLDS)
    module: World = import_module(f"gelenk.worlds.{name}")
    return module
