"""A kind of force that is not built in."""

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.forces.block import add_energy, add_loads
from gelenk.forces.element import Labelled, column, node_indices
from gelenk.math.vec3 import Vec3, get3, put3


@dataclass(frozen=True, slots=True)
class Pull(Labelled):
    """A constant force along x."""

    kind: ClassVar[str] = "pull"

    name: str
    body: str
    strength: float

    @classmethod
    def block(cls, elements, nodes):
        return Pulls(node_indices(elements, "body", nodes), column(elements, "strength"))


class Pulls(NamedTuple):
    node: np.ndarray
    strength: np.ndarray


@add_loads.register(Pulls)
def _(pulls, masses, state, t, loads_out):
    for e in range(pulls.node.shape[0]):
        i = pulls.node[e]
        put3(loads_out.force_W, i, get3(loads_out.force_W, i) + Vec3(pulls.strength[e], 0.0, 0.0))


@add_energy.register(Pulls)
def _(pulls, masses, state, t, energy_out):
    pass
