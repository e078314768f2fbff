"""Uniform gravity (B-08)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.forces.block import add_energy, add_loads
from gelenk.math.vec3 import Vec3, get3, put3


class Gravity(NamedTuple):
    """f = m g at every centre of mass, potential  -m g . p.  Part of every model; g may be zero."""

    g_W: np.ndarray  # (3,) [m/s^2]


@add_loads.register(Gravity)
def _(block, masses, state, t, loads_out):
    g = Vec3(block.g_W[0], block.g_W[1], block.g_W[2])
    for i in range(masses.mass.shape[0]):
        put3(loads_out.force_W, i, get3(loads_out.force_W, i) + g * masses.mass[i])


@add_energy.register(Gravity)
def _(block, masses, state, t, energy_out):
    g = Vec3(block.g_W[0], block.g_W[1], block.g_W[2])
    for i in range(masses.mass.shape[0]):
        energy_out[0] -= masses.mass[i] * (g @ get3(state.p_WC, i))
