"""Quadratic drag of the air (B-08)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.checks import Vector, check_name, check_number, check_vector
from gelenk.forces.block import add_energy, add_loads
from gelenk.forces.element import Labelled, Nodes, column, node_indices, rows
from gelenk.math.vec3 import get3, put3


@dataclass(frozen=True, slots=True)
class Drag(Labelled):
    """Drag at the centre of mass of a body or particle.

        f = -1/2 rho (c_d A) |u| u,      u = v - wind

    Source: bobsleigh 3.5.

    Parameters
    ----------
    name : unique name
    body : name of the body or particle
    area : drag area c_d A [m^2]
    air_density : rho [kg/m^3]; the default is dry air at 15 C and sea level
    wind : velocity of the air in world axes [m/s]
    """

    kind: ClassVar[str] = "drag"

    name: str
    body: str
    area: float
    air_density: float = 1.225
    wind: Vector = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", check_name("drag", self.name))
        put(self, "area", check_number(self.label, "area", self.area, "m^2", least=0))
        put(self, "air_density", check_number(self.label, "air_density", self.air_density, "kg/m^3", least=0))
        put(self, "wind", check_vector(self.label, "wind", self.wind, "m/s"))

    @classmethod
    def block(cls, elements: Sequence[Drag], nodes: Nodes) -> Drags:
        """All drags as arrays."""
        factor = 0.5 * column(elements, "air_density") * column(elements, "area")
        return Drags(node_indices(elements, "body", nodes), factor, rows(elements, "wind"))


class Drags(NamedTuple):
    """All drags of a model."""

    node: np.ndarray  # (n,) uint32
    factor: np.ndarray  # (n,) 1/2 rho c_d A [kg/m]
    wind_W: np.ndarray  # (n, 3) [m/s]


@add_loads.register(Drags)
def _(drags, masses, state, t, loads_out):
    for e in range(drags.node.shape[0]):
        i = drags.node[e]
        u = get3(state.v_WC, i) - get3(drags.wind_W, e)
        put3(loads_out.force_W, i, get3(loads_out.force_W, i) - u * (drags.factor[e] * u.norm()))


@add_energy.register(Drags)
def _(drags, masses, state, t, energy_out):
    pass
