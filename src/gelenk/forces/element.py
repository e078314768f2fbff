"""Elements: what a user adds to a builder, as plain checked data. Every force and, later, every joint is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np

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
    """Gives an element its label."""

    kind: ClassVar[str]
    name: str

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        return f"{self.kind} {self.name!r}"


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
