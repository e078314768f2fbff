"""A hand on a body: a critically damped spring with a capped impulse a step (I-005, I-059 to I-062).

The held point is to move as a critically damped oscillator of rate w about the target. One step h of it, taken
implicitly so that no step is too long, asks for the velocity

    v' = (v - h w^2 e) / (1 + h w)^2,        e = place - target,

and the impulse  p = K^-1 (v' - v - h g)  gives it, weight included, to a body that nothing else holds, with
K = 1/m - [r] J^-1 [r] of the held point. From rest at e_0 the distance is then

    e_n = e_0 (1 + n h w / (1 + h w)) (1 + h w)^-n

which never passes the target. Far targets count as if they were e_max away, so that the pull keeps within its cap and
what it brings into motion it can also stop; |p| <= h f_max holds whatever happens, and |r x p| <= h f_max times a few
radii of gyration, which points far out on a light arm come upon. The impulse acts between steps:
joints and contacts of the step that follows answer to it as to any other force, and win.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.math.rotation import rotation_matrix
from gelenk.run.now import BodyNow
from gelenk.simulate import Simulation

RATE = 12.0  # w [1/s]: a body follows within a third of a second
WEIGHTS = 20.0  # cap of the force, in weights of the body
EARTH = 9.81  # where there is no gravity, weights are those on Earth [m/s^2]
LONGEST_ARM = 4.0  # of the turning moment, in radii of gyration; points of a solid body lie within two
CALM = 5.0  # rate at which the body's own turning dies away while it is held [1/s]


class Grip:
    """Holds a point of a body or particle, given in its frame [m], and pulls it to ``target`` in the world [m].

    ``strength`` scales the cap of the force, ``force_max`` [N].
    """

    def __init__(self, sim: Simulation, body: str, point: Any, target: Any, strength: float = 1.0) -> None:
        model = sim.model
        index = model.index(body)
        masses = model.system.masses
        if masses.inv_mass[index] == 0.0:
            raise InputError("drag", f"{body!r}, which is static", "a body that moves", "Take another one.")
        self.body, self.point, self.target = body, tuple(point), np.array(target, dtype=float)
        self.strength = strength
        self._index, self._arm_B = index, np.array(model.nodes.arm(index, self.point))
        self._turns = not model.nodes.is_particle(index)
        self._inv_mass = float(masses.inv_mass[index])
        self._inertia_B = masses.inertia_B[index if self._turns else 0]
        self._inverse_B = masses.inv_inertia_B[index if self._turns else 0]
        self._gravity = np.array(model.gravity)
        self._reach = math.inf
        if self._turns:
            self._reach = LONGEST_ARM * math.sqrt(0.5 * float(np.trace(masses.inertia_B[index])) * self._inv_mass)
        weight = float(np.linalg.norm(self._gravity)) or EARTH
        self.force_max = strength * WEIGHTS * weight / self._inv_mass
        self._farthest = self.force_max * self._inv_mass / RATE**2

    def place(self, sim: Simulation) -> np.ndarray:
        """(3,) where the held point is [m]."""
        place: np.ndarray = sim.state.p_WC[self._index] + self._rotation(sim) @ self._arm_B
        return place

    def _rotation(self, sim: Simulation) -> np.ndarray:
        return rotation_matrix(sim.state.q_WB[self._index]) if self._turns else np.eye(3)

    def pull(self, sim: Simulation) -> np.ndarray:
        """Give the impulse of one step [N s]; returns it."""
        h, R = sim.method.h, self._rotation(sim)
        arm = R @ self._arm_B
        x, y, z = arm
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # [r]
        error = sim.state.p_WC[self._index] + arm - self.target
        away = math.sqrt(error @ error)
        if away > self._farthest:
            error *= self._farthest / away
        v = sim.state.v_WC[self._index].copy()
        K = self._inv_mass * np.eye(3)  # velocity of the point a unit of impulse there [1/kg]
        if self._turns:
            w = R @ sim.state.w_WB_B[self._index]
            v -= cross @ w
            K -= cross @ R @ self._inverse_B @ R.T @ cross
        wanted = (v - h * RATE**2 * error) / (1.0 + h * RATE) ** 2
        impulse: np.ndarray = np.linalg.solve(K, wanted - v - h * self._gravity)
        moment = cross @ impulse
        size = max(math.sqrt(impulse @ impulse), math.sqrt(moment @ moment) / self._reach)
        if size > h * self.force_max:
            impulse *= h * self.force_max / size
        now = BodyNow(sim.model, sim.state, self._index)
        now.apply_impulse(impulse, at=sim.state.p_WC[self._index] + arm)
        if self._turns:
            w = R @ sim.state.w_WB_B[self._index]
            now.apply_angular_impulse(-h * CALM / (1.0 + h * CALM) * (R @ self._inertia_B @ R.T @ w))
        return impulse
