"""Elements: what a user adds to a builder, as plain checked data. Every force and, later, every joint is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from gelenk.arguments import unknown_argument
from gelenk.checks import Vector
from gelenk.errors import InputError


class Nodes(Protocol):
    """Where named bodies and particles stand in the arrays of a model."""

    def index(self, element: str, what: str, name: str) -> int:
        """Index of a node; refuses a name that does not exist."""
        ...

    def arm(self, index: int, point_B: Vector) -> np.ndarray:
        """Vector from the centre of mass to a point given in the body frame, body axes [m]."""
        ...

    def is_particle(self, index: int) -> bool:
        """Whether the node has no orientation."""
        ...


class Element(Protocol):
    """One force. Subclasses are frozen dataclasses whose fields are numbers, tuples, strings or arrays."""

    kind: ClassVar[str]  # the word for it in scene files

    @property
    def name(self) -> str:
        """Unique name."""
        ...

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        ...

    @classmethod
    def block(cls, elements: Sequence[Any], nodes: Nodes) -> Any:
        """All elements of this kind as arrays; checks what only the whole model can tell."""
        ...


class Labelled:
    """Gives an element its label, and refuses arguments that it does not have."""

    kind: ClassVar[str]
    name: str

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Check the arguments by name; without any, as copies are made, there is nothing to check."""
        if (args or kwargs) and is_dataclass(cls):
            check_arguments(cls, args, kwargs)
        return object.__new__(cls)

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        return f"{self.kind} {self.name!r}"


def check_arguments(kind: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse too many arguments without names, unknown ones and missing ones, and say what to write."""
    own = [f for f in fields(kind) if f.init]
    names, in_order = [f.name for f in own], [f.name for f in own if not f.kw_only]
    given = kwargs.get("name", args[0] if args and in_order else None)
    element = f"{kind.kind} {given!r}"[:80] if isinstance(given, str) else kind.kind
    needed = [f.name for f in own if f.default is MISSING and f.default_factory is MISSING]
    call = f"gk.{kind.__name__}({', '.join(f'{name}=...' for name in needed)}, ...)"
    if len(args) > len(in_order):
        allowed = f"only {', '.join(in_order)} without their names" if in_order else "every argument by its name"
        raise InputError(element, f"{len(args)} arguments without a name", allowed, f"Write {call}.")
    for name in kwargs:
        if name not in names:
            raise unknown_argument(element, name, names)
    missing = [name for name in needed if name not in kwargs and name not in in_order[: len(args)]]
    if missing:
        raise InputError(element, f"without {', '.join(missing)}", call, f"Pass {', '.join(missing)}.")


def node_indices(elements: Sequence[Any], field: str, nodes: Nodes) -> np.ndarray:
    """(n,) uint32 indices of the nodes that a field of each element names."""
    return np.array([nodes.index(e.label, field, getattr(e, field)) for e in elements], dtype=np.uint32)


def arms(elements: Sequence[Any], indices: np.ndarray, field: str, nodes: Nodes) -> np.ndarray:
    """(n, 3) vectors from the centre of mass to the points that a field of each element gives."""
    for e, i in zip(elements, indices):
        if nodes.is_particle(int(i)) and any(getattr(e, field)):
            found = f"{field} is {getattr(e, field)} on a particle, which is a point"
            raise InputError(e.label, found, "(0, 0, 0)", f"Leave {field} out.")
    rows = [nodes.arm(int(i), getattr(e, field)) for e, i in zip(elements, indices)]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def column(elements: Sequence[Any], field: str) -> np.ndarray:
    """(n,) float64 values of a field."""
    return np.array([getattr(e, field) for e in elements], dtype=np.float64)


def rows(elements: Sequence[Any], field: str) -> np.ndarray:
    """(n, 3) float64 values of a field of 3-vectors."""
    return np.array([getattr(e, field) for e in elements], dtype=np.float64).reshape(-1, 3)
