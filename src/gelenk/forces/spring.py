"""Spring with damper between two points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.checks import Vector, check_name, check_number, check_vector
from gelenk.compile import helper
from gelenk.errors import InputError
from gelenk.forces.block import add_energy, add_force_at, add_loads, arm, point_velocity
from gelenk.forces.element import Labelled, Nodes, arms, column, node_indices
from gelenk.math.vec3 import get3

EPS_LENGTH = 1e-12  # [m]; shorter springs have no direction and pull nowhere


@dataclass(frozen=True, slots=True)
class Spring(Labelled):
    """Spring and damper along the line from a point of ``a`` to a point of ``b``.

        f on a = (k (l - l0) + c l') n,     n = (Q - P) / l,     the opposite on b

    Parameters
    ----------
    name : unique name
    a, b : names of two different bodies or particles, or "world"
    stiffness : k [N/m]
    rest_length : l0 [m]
    damping : c [N s/m]
    at_a, at_b : the points P and Q in the body frames [m]
    """

    kind: ClassVar[str] = "spring"

    name: str
    a: str
    b: str
    stiffness: float
    rest_length: float
    damping: float = 0.0
    at_a: Vector = (0.0, 0.0, 0.0)
    at_b: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", check_name("spring", self.name))
        put(self, "stiffness", check_number(self.label, "stiffness", self.stiffness, "N/m", least=0))
        put(self, "rest_length", check_number(self.label, "rest_length", self.rest_length, "m", least=0))
        put(self, "damping", check_number(self.label, "damping", self.damping, "N s/m", least=0))
        put(self, "at_a", check_vector(self.label, "at_a", self.at_a, "m"))
        put(self, "at_b", check_vector(self.label, "at_b", self.at_b, "m"))
        if self.a == self.b:
            raise InputError(self.label, f"both ends are on {self.a!r}", "two different bodies", "Change a or b.")

    @classmethod
    def block(cls, elements: Sequence[Spring], nodes: Nodes) -> Springs:
        """All springs as arrays."""
        a, b = node_indices(elements, "a", nodes), node_indices(elements, "b", nodes)
        return Springs(
            a,
            b,
            arms(elements, a, "at_a", nodes),
            arms(elements, b, "at_b", nodes),
            column(elements, "stiffness"),
            column(elements, "rest_length"),
            column(elements, "damping"),
        )


class Springs(NamedTuple):
    """All springs of a model."""

    a: np.ndarray  # (n,) uint32
    b: np.ndarray  # (n,) uint32
    r_A: np.ndarray  # (n, 3) centre of mass to P, axes of a [m]
    r_B: np.ndarray  # (n, 3) centre of mass to Q, axes of b [m]
    stiffness: np.ndarray  # (n,) [N/m]
    rest_length: np.ndarray  # (n,) [m]
    damping: np.ndarray  # (n,) [N s/m]


@helper
def spring_force(p_WP, p_WQ, v_WP, v_WQ, stiffness, rest_length, damping):
    """Force on P [N]:  f = (k (l - l0) + c l') n,   n = (Q - P) / l."""
    d = p_WQ - p_WP
    length = max(d.norm(), EPS_LENGTH)
    n = d * (1.0 / length)
    rate = (v_WQ - v_WP) @ n
    return n * (stiffness * (length - rest_length) + damping * rate)


@add_loads.register(Springs)
def _(springs, masses, state, t, loads_out):
    for e in range(springs.a.shape[0]):
        a, b = springs.a[e], springs.b[e]
        r_A, r_B = get3(springs.r_A, e), get3(springs.r_B, e)
        r_CP, r_CQ = arm(state, a, r_A), arm(state, b, r_B)
        f = spring_force(
            get3(state.p_WC, a) + r_CP,
            get3(state.p_WC, b) + r_CQ,
            point_velocity(state, a, r_A),
            point_velocity(state, b, r_B),
            springs.stiffness[e],
            springs.rest_length[e],
            springs.damping[e],
        )
        add_force_at(loads_out, a, r_CP, f)
        add_force_at(loads_out, b, r_CQ, -f)


@add_energy.register(Springs)
def _(springs, masses, state, t, energy_out):
    for e in range(springs.a.shape[0]):
        a, b = springs.a[e], springs.b[e]
        p_WP = get3(state.p_WC, a) + arm(state, a, get3(springs.r_A, e))
        p_WQ = get3(state.p_WC, b) + arm(state, b, get3(springs.r_B, e))
        stretch = (p_WQ - p_WP).norm() - springs.rest_length[e]
        energy_out[0] += 0.5 * springs.stiffness[e] * stretch * stretch
