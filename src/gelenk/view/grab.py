"""A hand on a body: a critically damped spring with a capped impulse a step (I-005, I-059 to I-062).

The held point is to move as a critically damped oscillator of rate w about the target. One step h of it, taken
implicitly so that no step is too long, asks for the velocity

    v' = (v - h w^2 e) / (1 + h w)^2,        e = place - target,

and the impulse  p = K^-1 (v' - v - h g)  gives it, weight included, to a body that nothing else holds, with
K = 1/m - [r] J^-1 [r] of the held point. From rest at e_0 the distance is then

    e_n = e_0 (1 + n h w / (1 + h w)) (1 + h w)^-n

which never passes the target. Far targets count as if they were e_max away, so that the pull keeps within its cap and
what it brings into motion it can also stop; |p| <= h f_max holds whatever happens. The impulse acts between steps:
joints and contacts of the step that follows answer to it as to any other force, and win.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.math.rotation import rotation_matrix
from gelenk.simulate import Simulation

RATE = 12.0  # w [1/s]: a body follows within a third of a second
WEIGHTS = 20.0  # cap of the force, in weights of the body
EARTH = 9.81  # where there is no gravity, weights are those on Earth [m/s^2]
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
        self._inv_mass, self._inverse_B = float(masses.inv_mass[index]), masses.inv_inertia_B if self._turns else None
        self._inertia_B = masses.inertia_B if self._turns else None
        self._gravity = np.array(model.gravity)
        weight = float(np.linalg.norm(self._gravity)) or EARTH
        self.force_max = strength * WEIGHTS * weight / self._inv_mass
        self._farthest = self.force_max * self._inv_mass / RATE**2

    def place(self, sim: Simulation) -> np.ndarray:
        """(3,) where the held point is [m]."""
        place: np.ndarray = sim.state.p_WC[self._index] + self._arm(sim)
        return place

    def _arm(self, sim: Simulation) -> np.ndarray:
        if not self._turns:
            return self._arm_B
        arm: np.ndarray = rotation_matrix(sim.state.q_WB[self._index]) @ self._arm_B
        return arm

    def pull(self, sim: Simulation) -> np.ndarray:
        """Give the impulse of one step [N s]; returns it."""
        h, now = sim.method.h, sim[self.body]
        arm = self._arm(sim)
        place = now.com + arm
        error = place - self.target
        away = float(np.linalg.norm(error))
        if away > self._farthest:
            error *= self._farthest / away
        v = now.velocity_at(place)
        wanted = (v - h * RATE**2 * error) / (1.0 + h * RATE) ** 2
        impulse = np.linalg.solve(self._response(sim, arm), wanted - v - h * self._gravity)
        size = float(np.linalg.norm(impulse))
        if size > h * self.force_max:
            impulse *= h * self.force_max / size
        now.apply_impulse(impulse, at=place)
        if self._inertia_B is not None:
            J = now.rotation @ self._inertia_B[self._index] @ now.rotation.T
            now.apply_angular_impulse(-h * CALM / (1.0 + h * CALM) * (J @ now.angular_velocity))
        return np.asarray(impulse)

    def _response(self, sim: Simulation, arm: np.ndarray) -> np.ndarray:
        """(3, 3) K: velocity of the point a unit of impulse there [1/kg]."""
        K = self._inv_mass * np.eye(3)
        if self._inverse_B is not None:
            R = rotation_matrix(sim.state.q_WB[self._index])
            x, y, z = arm
            cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
            K -= cross @ R @ self._inverse_B[self._index] @ R.T @ cross
        return K
