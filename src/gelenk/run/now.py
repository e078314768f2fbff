"""What a body or frame does now, and a push to it, between the steps of a simulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.checks import check_vector
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3, vec3
from gelenk.model.model import Model
from gelenk.rows.response import apply_angular_impulse, apply_impulse, velocity_at
from gelenk.state import State


class BodyNow:
    """What a body or particle does at the time a simulation has reached."""

    def __init__(self, model: Model, state: State, index: int) -> None:
        self._masses, self._state, self._index = model.system.masses, state, index
        self._com = vec3(model.nodes.arm(index, (0.0, 0.0, 0.0)))  # centre of mass to origin, body axes

    def __repr__(self) -> str:
        x, y, z = self.position
        return f"<node {self._index} at ({x:.6g}, {y:.6g}, {z:.6g}) m>"

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) R_WB."""
        return rotation_matrix(self.orientation)

    @property
    def orientation(self) -> np.ndarray:
        """(4,) unit quaternion w x y z, body to world; the identity for a particle."""
        q_WB = self._state.q_WB
        return q_WB[self._index].copy() if self._index < len(q_WB) else np.array([1.0, 0.0, 0.0, 0.0])

    @property
    def position(self) -> np.ndarray:
        """(3,) origin of the body frame in the world [m]."""
        return self._state.p_WC[self._index] + self.rotation @ self._com

    @property
    def com(self) -> np.ndarray:
        """(3,) centre of mass in the world [m]."""
        return self._state.p_WC[self._index].copy()

    @property
    def velocity(self) -> np.ndarray:
        """(3,) velocity of the origin of the body frame, world axes [m/s]."""
        v = self._state.v_WC[self._index]
        if self._index >= len(self._state.w_WB_B):
            return v.copy()
        w_B = Vec3(*self._state.w_WB_B[self._index].tolist())
        return v + self.rotation @ w_B.cross(self._com)

    @property
    def angular_velocity(self) -> np.ndarray:
        """(3,) world axes [rad/s]; zero for a particle."""
        w_B = self._state.w_WB_B
        return self.rotation @ w_B[self._index] if self._index < len(w_B) else np.zeros(3)

    @property
    def angular_velocity_body(self) -> np.ndarray:
        """(3,) body axes [rad/s]; zero for a particle."""
        w_B = self._state.w_WB_B
        return w_B[self._index].copy() if self._index < len(w_B) else np.zeros(3)

    def velocity_at(self, point: Any) -> np.ndarray:
        """(3,) velocity of the point of the body that is at ``point`` in the world now [m/s] (I-020)."""
        return np.array(velocity_at(self._state, self._index, self._arm(point)))

    def apply_impulse(self, impulse: Any, *, at: Any = None) -> None:
        """Change the motion at once by an impulse [N s] at a point in the world, or at the centre of mass (I-021)."""
        p = vec3(check_vector("apply_impulse()", "impulse", impulse, "N s"))
        apply_impulse(self._masses, self._state, self._index, self._arm(self.com if at is None else at), p)

    def apply_angular_impulse(self, impulse: Any) -> None:
        """Change the rotation at once by an angular impulse [N m s], world axes (I-021)."""
        p = vec3(check_vector("apply_angular_impulse()", "impulse", impulse, "N m s"))
        apply_angular_impulse(self._masses, self._state, self._index, p)

    def _arm(self, point: Any) -> Vec3:
        return vec3(np.array(check_vector("body", "point", point, "m")) - self._state.p_WC[self._index])


class FrameNow:
    """What a named frame does at the time a simulation has reached."""

    def __init__(self, model: Model, state: State, name: str) -> None:
        index, site = model.nodes.site("frame", "name", name)
        assert site is not None
        self.name, self._site = name, site
        self._body = BodyNow(model, state, index)

    def __repr__(self) -> str:
        x, y, z = self.position
        return f"<frame {self.name!r} at ({x:.6g}, {y:.6g}, {z:.6g}) m>"

    @property
    def orientation(self) -> np.ndarray:
        """(4,) unit quaternion w x y z, frame to world."""
        return np.array(Quat(*self._body.orientation.tolist()) * self._site.q)

    @property
    def rotation(self) -> np.ndarray:
        """(3, 3) frame to world."""
        return rotation_matrix(self.orientation)

    @property
    def position(self) -> np.ndarray:
        """(3,) its origin in the world [m]."""
        return self._body.com + self._body.rotation @ np.array(self._site.r)

    @property
    def velocity(self) -> np.ndarray:
        """(3,) of its origin, world axes [m/s]."""
        return self._body.velocity_at(self.position)

    @property
    def angular_velocity(self) -> np.ndarray:
        """(3,) world axes [rad/s]."""
        return self._body.angular_velocity
