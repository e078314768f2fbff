"""Gelenk's equations of motion of a tree of links, for `gelenk bench dynamics`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gelenk.bench.gelenk_engine_tree import tree_model
from gelenk.bench.tree_scene import Links
from gelenk.math.rotation import rotation_matrix
from gelenk.trees.dynamics import TreeDynamics, ask_forward, ask_inverse, ask_jacobian, ask_kinematics, ask_matrix

SPIN, TIME = 0.3, 1.0  # [rad/s] of u to get from the start to where all is asked, for so long [s]


class GelenkDynamics:
    """One compiled call each, at a state where all joints are turned and turn."""

    def __init__(self, scene: Links, *, dense: bool) -> None:
        self.scene, self.tree = scene, TreeDynamics(tree_model(scene))
        rng = np.random.default_rng(3)
        q, _ = self.tree.coordinates(self.tree.model.initial_state())
        self.q = self._turned(q, rng.normal(size=self.tree.nu) * SPIN)
        self.u, self.du, self.tau = rng.normal(size=(3, self.tree.nu))
        self.state = self.tree.state(self.q, self.u)
        n, last = self.tree.nu, len(scene.links) - 1
        self.body, self.point = scene.links[last].name, scene.p_CJ_B[last]
        self._link = self.tree._link[self.body]
        self._J = np.zeros((6, n))
        self._M: np.ndarray | None = np.zeros((n, n)) if dense else None
        self._arm = rotation_matrix(self.state.q_WB[-1]) @ self.point + self.state.p_WC[-1]
        self._found = np.zeros(n)

    def _turned(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Coordinates with an angle, or a rotation vector [rad], for each velocity of a hinge or ball."""
        q = q.copy()
        for link in self.tree.tree.link:
            count, at = int(link.last - link.u), int(link.q)
            if count == 1:
                q[at] += u[int(link.u)]
                continue
            half = 0.5 * u[int(link.last) - 3 : int(link.last)]
            size = float(np.linalg.norm(half))
            turn = np.array([np.cos(size), *(np.sinc(size / np.pi) * half)])
            at += count - 3
            w, v = q[at], q[at + 1 : at + 4].copy()
            q[at : at + 4] = [w * turn[0] - v @ turn[1:], *(w * turn[1:] + turn[0] * v + np.cross(v, turn[1:]))]
        return q

    def rotation(self, i: int) -> np.ndarray:
        """(3, 3) body axes of link i of the scene now."""
        return rotation_matrix(self.state.q_WB[i + 1])

    def velocities(self, i: int) -> tuple[slice, np.ndarray]:
        """Where the velocities of link i are among u, and the axes of its joint in its body."""
        link = self.tree.tree.link[self.tree._link[self.scene.links[i].name]]
        return slice(int(link.u), int(link.last)), rotation_matrix(link.q_b)

    def calls(self) -> dict[str, Callable[[], Any]]:
        """By quantity; the state is put first, and stays."""
        t, work = self.tree, self.tree._work
        t._put(self.q, self.u)
        ask_kinematics(t.tree, work)
        given = t.tree, t.model.system, t._loads, work, 0.0
        point = tuple(float(x) for x in self._arm)

        def forward() -> None:
            work.tau[:] = self.tau
            ask_forward(*given)

        def inverse() -> None:
            work.du[:] = self.du
            ask_inverse(*given, self._found)

        def jacobian() -> None:
            ask_kinematics(t.tree, work)
            ask_jacobian(t.tree, work, self._link, *point, self._J)

        made: dict[str, Callable[[], Any]] = {"forward": forward, "inverse": inverse, "jacobian": jacobian}
        if self._M is not None:
            made["matrix"] = lambda: ask_matrix(t.tree, t.model.system, work, self._M)
        return made

    def value(self, what: str) -> np.ndarray:
        """What the call has found."""
        self.calls()[what]()
        kept = {"forward": self.tree._work.du, "inverse": self._found, "jacobian": self._J, "matrix": self._M}
        return np.array(kept[what])

    def residual(self, du: np.ndarray) -> float:
        """How far u' is from  M u' = h + tau,  as a share of the largest tau."""
        return float(np.abs(self.tree.inverse(self.q, self.u, du) - self.tau).max() / np.abs(self.tau).max())

    def checked(self) -> CheckedDynamics:
        """The same by calls of a user."""
        return CheckedDynamics(self)


class CheckedDynamics:
    """As a user calls it."""

    def __init__(self, of: GelenkDynamics) -> None:
        self._of = of

    def calls(self) -> dict[str, Callable[[], Any]]:
        """By quantity."""
        of, t = self._of, self._of.tree
        made: dict[str, Callable[[], Any]] = {
            "forward": lambda: t.forward(of.q, of.u, of.tau),
            "inverse": lambda: t.inverse(of.q, of.u, of.du),
            "jacobian": lambda: t.jacobian(of.q, of.body, of.point),
        }
        if of._M is not None:
            made["matrix"] = lambda: t.mass_matrix(of.q)
        return made

    def value(self, what: str) -> np.ndarray:
        """What the call tells."""
        return np.array(self.calls()[what]())
