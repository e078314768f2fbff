"""Pinocchio with many copies of a tree."""

from __future__ import annotations

from importlib import import_module

import numpy as np

from gelenk.bench.peers.pinocchio_tree import pinocchio_model
from gelenk.bench.tree_scene import Links


class PinocchioCopies:
    """Pinocchio's pool: accelerations of all copies by its threads; its integration goes copy by copy, in Python.

    v' = v + h a(q, v),   q' = q (+) h v'
    """

    def __init__(self, scene: Links, copies: int, h: float, spin: float, threads: int) -> None:
        pin = self._pin = import_module("pinocchio")
        self._links, self._h, self._threads = scene.links, h, threads
        model, self._joints = pinocchio_model(scene.links)
        v = np.full(model.nv, spin)
        v[:6] = 0.0
        self._model, self._begin = model, (pin.neutral(model), v)
        self._q, self._v = (np.asfortranarray(np.tile(x[:, None], (1, copies))) for x in self._begin)
        self._tau, self._a = (np.zeros((model.nv, copies), order="F") for _ in range(2))
        self._pool = pin.ModelPool(model, threads)

    def advance(self, steps: int) -> None:
        """Step all copies."""
        pin, model = self._pin, self._model
        for _ in range(steps):
            pin.abaInParallel(self._threads, self._pool, self._q, self._v, self._tau, self._a)
            self._v += self._h * self._a
            for k in range(self._q.shape[1]):
                self._q[:, k] = pin.integrate(model, self._q[:, k], self._h * self._v[:, k])

    def places(self, copy: int) -> np.ndarray:
        """(links, 3) centres of mass of one copy [m]."""
        data = self._model.createData()
        self._pin.forwardKinematics(self._model, data, self._q[:, copy])
        return np.array([data.oMi[j].act(link.p_WC - link.p_WJ) for link, j in zip(self._links, self._joints)])

    def energies(self, steps: int) -> list[tuple[float, float]]:
        """Kinetic and potential energy of one copy after each step, from the start [J]."""
        pin, model, data = self._pin, self._model, self._model.createData()
        q, v = self._begin
        seen = []
        for k in range(steps + 1):
            if k > 0:
                v = v + self._h * pin.aba(model, data, q, v, np.zeros(model.nv))
                q = pin.integrate(model, q, self._h * v)
            kinetic = pin.computeKineticEnergy(model, data, q, v)
            seen.append((float(kinetic), float(pin.computePotentialEnergy(model, data, q))))
        return seen
