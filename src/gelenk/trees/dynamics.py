"""TreeDynamics: the equations of motion of a model in minimal coordinates, to ask questions of (B-13 to B-15)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gelenk.checks import check_vector
from gelenk.compile import kernel
from gelenk.errors import InputError
from gelenk.integrators.scheme import applied_loads
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import Vec3
from gelenk.model.model import Model
from gelenk.state import State, new_loads
from gelenk.trees.articulated import accelerations
from gelenk.trees.block import (
    BALL,
    CYLINDRICAL,
    FIXED,
    FREE,
    HINGE,
    PLANAR,
    POINT,
    SCREW,
    SLIDER,
    UNIVERSAL,
    new_tree_work,
)
from gelenk.trees.build import check_masses, check_tree, plan_tree
from gelenk.trees.kinematics import kinematics, read_state
from gelenk.trees.newton_euler import inverse_dynamics
from gelenk.trees.projected import jacobian_at, mass_and_forces, projected_accelerations

SPIN = ("wx", "wy", "wz")
VELOCITY_NAMES = {
    FIXED: (),
    HINGE: ("angle",),
    SLIDER: ("position",),
    CYLINDRICAL: ("position", "angle"),
    SCREW: ("angle",),
    UNIVERSAL: ("angle_x", "angle_y"),
    PLANAR: ("x", "y", "angle"),
    BALL: SPIN,
    FREE: ("vx", "vy", "vz", *SPIN),
    POINT: ("vx", "vy", "vz"),
}


@kernel
def ask_kinematics(tree, work):
    """Bodies of (q, u)."""
    kinematics(tree, work)


@kernel
def ask_coordinates(tree, memory, state, work):
    """(q, u) of a state."""
    read_state(tree, memory, state, work)


@kernel
def ask_forward(tree, system, loads, work, t):
    """U' in linear time."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    accelerations(tree, system.masses, loads, work)


@kernel
def ask_projected(tree, system, loads, work, t, J, M, h):
    """U' by the mass matrix."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    projected_accelerations(tree, system.masses, loads, work, J, M, h)


@kernel
def ask_inverse(tree, system, loads, work, t, tau):
    """Forces for given u'."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    inverse_dynamics(tree, system.masses, loads, work, tau)


@kernel
def ask_matrix(tree, system, loads, work, t, J, M, h):
    """Mass matrix and forces."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    mass_and_forces(tree, system.masses, loads, work, J, M, h)


@kernel
def ask_jacobian(tree, work, n, x, y, z, J):
    """Jacobian of a point of link n, in the axes of its body from the centre of mass."""
    jacobian_at(tree, work, n, Vec3(x, y, z), J)


class TreeDynamics:
    """A model in minimal coordinates: coordinates ``q``, velocities ``u``, and  M(q) u' = h(q, u) + tau.

    Parameters
    ----------
    model : a model whose joints form trees
    cut : names of joints that are left out, so that what is left is a tree

    Forces of the model, gravity among them, are part of h; what acts in joints, as springs, motors, limits and gears,
    is not, and may be passed as tau. ``names`` has a name for each velocity. Bodies that no joint
    holds have their velocity in world axes and their angular velocity in their own; ball joints have the angular
    velocity of side b against side a in axes of b. See :mod:`gelenk.trees.kinds` for the coordinates of every joint.

    ::

        tree = gk.TreeDynamics(model)
        q, u = tree.coordinates(model.initial_state())
        du = tree.forward(q, u, tau)           # u', in linear time
        tau = tree.inverse(q, u, du)           # what leads to u'
        M, J = tree.mass_matrix(q), tree.jacobian(q, "hand")
    """

    def __init__(self, model: Model, cut: Sequence[str] = ()) -> None:
        if not isinstance(model, Model):
            raise InputError("TreeDynamics", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        planned = plan_tree(model, tuple(cut))
        check_tree("TreeDynamics", model, planned, tuple(cut))
        check_masses("TreeDynamics", model, planned)
        self.model, self.tree, self.joints = model, planned.tree, planned.names
        state = model.initial_state()
        self._state, self._work, self._loads = state, new_tree_work(self.tree, state), new_loads(state)
        self.nq, self.nu = int(self.tree.sizes[0]), int(self.tree.sizes[1])
        self.names = tuple(name for n, of in enumerate(self.joints) for name in velocity_names(of, self.tree.link[n]))
        self._link = {model.nodes.names[int(x.node)]: n for n, x in enumerate(self.tree.link)}

    def coordinates(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """(q, u) of a state of the model. What joints hold is taken as held."""
        ask_coordinates(self.tree, self.model.wired.memory(state.memory), state, self._work)
        return self._work.q.copy(), self._work.u.copy()

    def state(self, q: Any, u: Any = None) -> State:
        """The state in which (q, u) puts all bodies."""
        self._put(q, u)
        ask_kinematics(self.tree, self._work)
        made = self.model.initial_state()
        size = len(made.flat) - len(made.memory)
        made.flat[:size] = self._work.at.flat[:size]
        return made

    def forward(self, q: Any, u: Any, tau: Any = None, *, time: float = 0.0, projected: bool = False) -> np.ndarray:
        """U' under the forces of the model and ``tau``, in linear time, or by the mass matrix if ``projected``."""
        self._put(q, u)
        self._work.tau[:] = self._vector("tau", tau, self.nu)
        if projected:
            ask_projected(self.tree, self.model.system, self._loads, self._work, float(time), *self._dense())
        else:
            ask_forward(self.tree, self.model.system, self._loads, self._work, float(time))
        return self._work.du.copy()

    def inverse(self, q: Any, u: Any, du: Any, *, time: float = 0.0) -> np.ndarray:
        """Forces tau beside those of the model that lead to u'."""
        self._put(q, u)
        self._work.du[:] = self._vector("du", du, self.nu)
        tau = np.zeros(self.nu)
        ask_inverse(self.tree, self.model.system, self._loads, self._work, float(time), tau)
        return tau

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M(q), symmetric and positive definite."""
        self._put(q, None)
        self._work.tau[:] = 0.0
        J, M, h = self._dense()
        ask_matrix(self.tree, self.model.system, self._loads, self._work, 0.0, J, M, h)
        return M

    def jacobian(self, q: Any, body: str, point: Any = None) -> np.ndarray:
        """J (6, nu): velocity of a point fixed in a body, then its angular velocity, world axes, for each velocity.

        ``point`` is in the body frame [m]; the origin of the frame if left out.
        """
        self._put(q, None)
        ask_kinematics(self.tree, self._work)
        if body not in self._link:
            raise InputError("jacobian()", f"body is {body!r}", "a body that moves", "Name one of the tree.")
        n = self._link[body]
        node, at = int(self.tree.link[n].node), self._work.at
        arm = self.model.nodes.arm(
            node, check_vector("jacobian()", "point", (0, 0, 0) if point is None else point, "m")
        )
        p = at.p_WC[node] + (rotation_matrix(at.q_WB[node]) @ arm if node < len(at.q_WB) else arm)
        J = np.zeros((6, self.nu))
        ask_jacobian(self.tree, self._work, n, *(float(x) for x in p), J)
        return J

    def _dense(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.zeros((6, self.nu)), np.zeros((self.nu, self.nu)), np.zeros(self.nu)

    def _put(self, q: Any, u: Any) -> None:
        self._work.q[:] = self._vector("q", q, self.nq)
        self._work.u[:] = self._vector("u", u, self.nu)
        for x in self.tree.link:
            if x.kind in (BALL, FREE):
                turn = self._work.q[x.q + (3 if x.kind == FREE else 0) :][:4]
                length = float(np.linalg.norm(turn))
                if not abs(length - 1.0) < 1e-6:
                    found = f"a quaternion of length {length:.6g} among q, at {int(x.q)}"
                    raise InputError("TreeDynamics", found, "unit quaternions w x y z", "Divide it by its length.")
                turn /= length

    def _vector(self, what: str, values: Any, count: int) -> np.ndarray:
        """Numbers of a user; zero if left out."""
        if values is None:
            return np.zeros(count)
        try:
            made = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            made = np.array(np.nan)
        if made.shape != (count,) or not np.isfinite(made).all():
            found = f"{what} is {values!r}"[:100]
            raise InputError("TreeDynamics", found, f"{count} finite numbers", f"Pass one for each {what}.")
        return made


def velocity_names(joint: str, link: Any) -> list[str]:
    """Names of the velocities of a link."""
    return [f"{joint}.{word}" for word in VELOCITY_NAMES[int(link.kind)]]
