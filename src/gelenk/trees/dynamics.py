"""TreeDynamics: the equations of motion of a model in minimal coordinates, to ask questions of (B-13 to B-15)."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from gelenk.checks import check_number, check_vector
from gelenk.errors import InputError
from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.state import State, new_loads
from gelenk.trees.block import Tree, new_tree_work
from gelenk.trees.breadth import ByBreadth, by_breadth
from gelenk.trees.build import AUTO, check_cut, check_masses, check_tree, plan_tree
from gelenk.trees.inner import joint_springs, spring_at
from gelenk.trees.kind_table import TABLE
from gelenk.trees.pivots import check_pivots
from gelenk.trees.questions import (
    ask_coordinates,
    ask_forward,
    ask_frame,
    ask_inverse,
    ask_jacobian,
    ask_kinematics,
    ask_matrix,
    ask_motion,
    ask_projected,
    ask_state,
)


class FrameState(NamedTuple):
    """All that a frame of a body does and bears, world axes (T-49): its motion, and the load that goes through it."""

    R: np.ndarray  # (3, 3) axes of the body, as columns
    r: np.ndarray  # (3,) where the point is [m]
    w: np.ndarray  # (3,) angular velocity [rad/s]
    v: np.ndarray  # (3,) velocity [m/s]
    dw: np.ndarray  # (3,) angular acceleration [rad/s^2]
    dv: np.ndarray  # (3,) acceleration [m/s^2]
    torque: np.ndarray  # (3,) couple on the body and all that hangs on it, by its joint, about the point [N m]
    force: np.ndarray  # (3,) and the force [N]


class TreeDynamics:
    """A model in minimal coordinates: coordinates ``q``, velocities ``u``, and  M(q) u' = h(q, u) + tau.

    Parameters
    ----------
    model : a model whose joints form trees
    cut : names of joints that are left out, so that what is left is a tree; "auto" leaves out those that close loops
    springs : whether springs and dampers in joints (:class:`JointSpring`, damping of URDF files) are part of h

    Forces of the model, gravity among them, are part of h; motors, limits and gears are not, and may be passed as tau.
    Velocities of driven joints (:class:`Driven`) are given: ``driven`` says which, ``forward`` takes their u' and
    leaves their tau alone, ``inverse`` tells what they must give. ``names`` has a name for each velocity. Bodies that
    no joint holds have their velocity in world axes and their angular velocity in their own; ball joints have the
    angular velocity of side b against side a in axes of b. See :mod:`gelenk.trees.kinds` for the
    coordinates of every joint.

    ::

        tree = gk.TreeDynamics(model)
        q, u = tree.coordinates(model.initial_state())
        du = tree.forward(q, u, tau)           # u', in linear time
        tau = tree.inverse(q, u, du)           # what leads to u'
        M, J = tree.mass_matrix(q), tree.jacobian(q, "hand")
        v = tree.velocity(q, u, "hand")        # J u
        a = J @ du + tree.pseudo_acceleration(q, u, "hand")
    """

    def __init__(self, model: Model, cut: Sequence[str] | str = (), *, springs: bool = True) -> None:
        if not isinstance(model, Model):
            raise InputError("TreeDynamics", f"model is {model!r}"[:100], "a Model", "Pass builder.build().")
        if not isinstance(springs, bool):
            raise InputError("TreeDynamics", f"springs is {springs!r}"[:80], "true or false", "Pass a bool.")
        names = check_cut("TreeDynamics", model, cut)
        planned = plan_tree(model, names)
        check_tree("TreeDynamics", model, planned, names, auto=cut == AUTO)
        check_masses("TreeDynamics", model, planned)
        self.model, self.tree, self.joints = model, planned.tree, planned.names
        self.driven = planned.tree.driven == 1
        self._springs = joint_springs(model.wired.joints, planned.tree, planned.pairs) if springs else []
        state = model.initial_state()
        self._state, self._work, self._loads = state, new_tree_work(self.tree, state), new_loads(state)
        self.nq, self.nu = int(self.tree.sizes[0]), int(self.tree.sizes[1])
        self._turns = quaternions(self.tree)
        check_pivots("TreeDynamics", model, self.tree, planned.names, state)
        self.names = tuple(name for n, of in enumerate(self.joints) for name in velocity_names(of, self.tree.link[n]))
        self._link = {model.nodes.names[int(x.node)]: n for n, x in enumerate(self.tree.link)}

    def coordinates(self, state: State) -> tuple[np.ndarray, np.ndarray]:
        """(q, u) of a state of the model. What joints hold is taken as held."""
        self._check_state(state)
        ask_coordinates(self.tree, self.model.wired.memory(state.memory), state, self._work)
        return self._work.q.copy(), self._work.u.copy()

    def state(self, q: Any, u: Any = None) -> State:
        """The state in which (q, u) puts all bodies."""
        self._put(q, u)
        made = self.model.initial_state()
        ask_state(self.tree, self._work, self.model.wired.memory(made.memory), made)
        return made

    def forward(
        self, q: Any, u: Any, tau: Any = None, *, du: Any = None, time: float = 0.0, projected: bool = False
    ) -> np.ndarray:
        """U' under the forces of the model and ``tau``, in linear time, or by the mass matrix if ``projected``.

        ``du`` has u' of driven joints in their places, zero if left out.
        """
        t = check_number("TreeDynamics", "time", time, "s")
        self._put(q, u)
        self._work.tau[:] = self._vector("tau", tau, self.nu) + self._spring_forces()
        self._work.du[:] = self._vector("du", du, self.nu)
        if projected:
            ask_projected(self.tree, self.model.system, self._loads, self._work, t, *self._dense())
        else:
            ask_forward(self.tree, self.model.system, self._loads, self._work, t)
        return finite("forward()", "u'", self._work.du.copy())

    def inverse(self, q: Any, u: Any, du: Any, *, time: float = 0.0) -> np.ndarray:
        """Forces tau beside those of the model that lead to u'."""
        t = check_number("TreeDynamics", "time", time, "s")
        self._put(q, u)
        self._work.du[:] = self._vector("du", du, self.nu)
        tau = np.zeros(self.nu)
        ask_inverse(self.tree, self.model.system, self._loads, self._work, t, tau)
        return finite("inverse()", "tau", tau - self._spring_forces())

    def mass_matrix(self, q: Any) -> np.ndarray:
        """M(q), symmetric and positive definite."""
        self._put(q, None)
        M = np.zeros((self.nu, self.nu))
        ask_matrix(self.tree, self.model.system, self._work, M)
        return M

    def jacobian(self, q: Any, body: str, point: Any = None) -> np.ndarray:
        """J (6, nu): velocity of a point fixed in a body, then its angular velocity, world axes, for each velocity.

        ``point`` is in the body frame [m]; the origin of the frame if left out.
        """
        self._put(q, None)
        n, p = self._point("jacobian()", body, point)
        J = np.zeros((6, self.nu))
        ask_jacobian(self.tree, self._work, n, *p, J)
        return J

    def velocity(self, q: Any, u: Any, body: str, point: Any = None) -> np.ndarray:
        """(6,) velocity of a point of a body, then its angular velocity, world axes; ``point`` as for Jacobians."""
        return self._motion("velocity()", q, u, None, body, point)[:6]

    def acceleration(self, q: Any, u: Any, du: Any, body: str, point: Any = None) -> np.ndarray:
        """(6,) acceleration of a point fixed in a body, then its angular acceleration, world axes, for given u'."""
        return self._motion("acceleration()", q, u, self._vector("du", du, self.nu), body, point)[6:]

    def pseudo_velocity(self, q: Any, u: Any, body: str, point: Any = None) -> np.ndarray:
        """What driven joints alone do to the velocity (B-13):  v = J u + nu  with J of free joints;  nu = H m."""
        return self._motion("pseudo_velocity()", q, self._vector("u", u, self.nu) * self.driven, None, body, point)[:6]

    def pseudo_acceleration(self, q: Any, u: Any, body: str, point: Any = None, *, du: Any = None) -> np.ndarray:
        """Acceleration where no free joint accelerates (B-13):  a = J u' + kappa;  ``du`` has u' of driven joints."""
        given = self._vector("du", du, self.nu) * self.driven
        return self._motion("pseudo_acceleration()", q, u, given, body, point)[6:]

    def frame(self, q: Any, u: Any, body: str, point: Any = None, *, du: Any = None, time: float = 0.0) -> FrameState:
        """State of a frame of a body: axes, place, velocities, accelerations, and the load through its joint (T-49).

        ``du`` are the accelerations; those under the forces of the model if left out. The load is what the joint
        passes to the body and all that hangs on it, springs in the joint included, moved to the point.
        """
        given = self.forward(q, u, time=time) if du is None else self._vector("du", du, self.nu)
        self._put(q, u)
        n, p = self._point("frame()", body, point)
        self._work.du[:] = given
        motion, load = np.zeros(12), np.zeros(6)
        t = check_number("frame()", "time", time, "s")
        system = self.model.system
        ask_frame(self.tree, system, self._loads, self._work, t, n, *p, np.zeros(self.nu), motion, load)
        finite("frame()", "the motion", motion)
        node, at = int(self.tree.link[n].node), self._work.at
        R = rotation_matrix(at.q_WB[node]) if node < len(at.q_WB) else np.eye(3)
        v, w, dv, dw = motion.reshape(4, 3)
        return FrameState(R, np.array(p), w, v, dw, dv, load[3:], load[:3])

    def by_breadth(self) -> ByBreadth:
        """Names of joints, bodies and contact points, level by level from the world (B-12)."""
        return by_breadth(self.model, self.tree, self.joints)

    def _motion(self, call: str, q: Any, u: Any, du: np.ndarray | None, body: str, point: Any) -> np.ndarray:
        """(12,) velocities and accelerations of a point."""
        self._put(q, u)
        n, p = self._point(call, body, point)
        self._work.du[:] = 0.0 if du is None else du
        out = np.zeros(12)
        ask_motion(self.tree, self._work, n, *p, out)
        return finite(call, "the motion", out)

    def _point(self, call: str, body: str, point: Any) -> tuple[int, tuple[float, ...]]:
        """Link of a body, and where (q, u) puts a point of it, world axes."""
        ask_kinematics(self.tree, self._work)
        if not isinstance(body, str):
            raise InputError(call, f"body is {body!r}"[:80], "a body that moves", "Name one of the tree.")
        if body not in self._link:
            raise self._no_body(call, body)
        n = self._link[body]
        node, at = int(self.tree.link[n].node), self._work.at
        arm = self.model.nodes.arm(node, check_vector(call, "point", (0, 0, 0) if point is None else point, "m"))
        p = at.p_WC[node] + (rotation_matrix(at.q_WB[node]) @ arm if node < len(at.q_WB) else arm)
        return n, tuple(float(x) for x in p)

    def _no_body(self, call: str, name: str) -> InputError:
        """What to do about a name that no moving body has."""
        names = list(self._link)
        if name in self.joints:
            moved = names[self.joints.index(name)]
            remedy = f"It is a joint; the body that it moves is {moved!r}."
        elif name in self.model.nodes.names or name == "world":
            remedy = "It never moves."
        else:
            near = get_close_matches(name, names, n=1)
            remedy = f"Did you mean {near[0]!r}?" if near else "Name one of the tree."
        return InputError(call, f"body is {name!r}"[:80], "a body that moves", remedy)

    def _spring_forces(self) -> np.ndarray:
        """Generalised forces of springs in joints at the (q, u) that stand."""
        tau, memory = np.zeros(self.nu), self.model.wired.memory(self._state.memory)
        for x in self._springs:
            row = self.model.wired.joints.row[x.row]
            f = spring_at(row, memory, x.scale * self._work.q[x.q], x.scale * self._work.u[x.u])
            tau[x.u] += x.scale * min(max(f, row.low), row.high)
        return tau

    def _dense(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return np.zeros((6, self.nu)), np.zeros((self.nu, self.nu)), np.zeros(self.nu)

    def _put(self, q: Any, u: Any) -> None:
        self._work.q[:] = self._vector("q", q, self.nq)
        self._work.u[:] = self._vector("u", u, self.nu)
        turns = self._work.q[self._turns]
        length = np.linalg.norm(turns, axis=1)
        for n in np.flatnonzero(~(abs(length - 1.0) < 1e-6))[:1]:
            found = f"a quaternion of length {length[n]:.6g} among q, at {self._turns[n, 0]}"
            raise InputError("TreeDynamics", found, "unit quaternions w x y z", "Divide it by its length.")
        self._work.q[self._turns] = turns / length[:, None]

    def _check_state(self, state: Any) -> None:
        """A state of this model, with finite numbers."""
        own = self._state
        found = f"{type(state).__name__} {state!r}"[:80] if not isinstance(state, State) else ""
        if not found and any(getattr(state, f).shape != getattr(own, f).shape for f in ("p_WC", "q_WB", "memory")):
            found = f"a state of {len(state.q_WB) - 1} bodies, {len(state.p_WC) - len(state.q_WB)} particles and "
            found += f"{len(state.memory)} numbers of memory"
        if found:
            remedy = "Pass model.initial_state(), or the state of a simulation of this model."
            raise InputError("coordinates()", found, "a state of the model", remedy)
        bad = [n for n in range(len(state.p_WC)) if not np.isfinite([state.p_WC[n], state.v_WC[n]]).all()]
        bad += [n for n in range(len(state.q_WB)) if not np.isfinite([*state.q_WB[n], *state.w_WB_B[n]]).all()]
        if bad or not np.isfinite(state.memory).all():
            name = repr(self.model.nodes.names[bad[0]]) if bad else "the memory of joints"
            raise InputError("coordinates()", f"{name} has numbers that are not finite", "finite numbers", "Mend it.")

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


def finite(call: str, what: str, found: np.ndarray) -> np.ndarray:
    """What was asked for, if q and u are of a size at which it can be told."""
    if not np.isfinite(found).all():
        remedy = "Ask for smaller q, u and tau, and look at the force laws there."
        raise InputError(call, f"{what} is not finite at this q and u", "finite numbers", remedy)
    return found


def quaternions(tree: Tree) -> np.ndarray:
    """(n, 4) places of all quaternions among q."""
    places = [TABLE[x.kind].quaternion for x in tree.link]
    first = [int(x.q) + place for x, place in zip(tree.link, places) if place is not None]
    return np.array(first, np.int64)[:, None] + np.arange(4)


def velocity_names(joint: str, link: Any) -> list[str]:
    """Names of the velocities of a link."""
    return [f"{joint}.{word}" for word in TABLE[link.kind].names]
