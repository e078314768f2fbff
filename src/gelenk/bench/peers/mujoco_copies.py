"""MuJoCo with many copies of a tree."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from gelenk.bench.peers.mujoco_tree import mujoco_spec, nested_bodies
from gelenk.bench.tree_scene import Links


class MujocoCopies:
    """MuJoCo's rollout: all steps of all copies in one call, on its threads. It keeps every state on the way."""

    def __init__(self, scene: Links, copies: int, h: float, spin: float, threads: int) -> None:
        mj = self._mj = import_module("mujoco")
        spec = mujoco_spec(h)
        spec.option.enableflags |= int(mj.mjtEnableBit.mjENBL_ENERGY)
        nested_bodies(spec, scene)
        model = self._model = spec.compile()
        spec.option.enableflags = 0
        self._stepped = spec.compile()  # energies cost time
        self._ids = [model.body(link.name).id for link in scene.links]
        self._all = mj.mjtState.mjSTATE_FULLPHYSICS
        self._begin = np.zeros(mj.mj_stateSize(model, self._all))
        data = mj.MjData(model)
        data.qvel[6:] = spin
        mj.mj_getState(model, data, self._begin, self._all)
        self._states = np.tile(self._begin, (copies, 1))
        self._data = [mj.MjData(self._stepped) for _ in range(threads)]
        self._rollout = import_module("mujoco.rollout").Rollout(nthread=threads)

    def advance(self, steps: int) -> None:
        """Step all copies."""
        states, _ = self._rollout.rollout(self._stepped, self._data, self._states, nstep=steps)
        self._states = np.ascontiguousarray(states[:, -1])

    def places(self, copy: int) -> np.ndarray:
        """(links, 3) centres of mass of one copy [m]."""
        data = self._put(self._states[copy])
        self._mj.mj_kinematics(self._model, data)
        return np.array(data.xipos[self._ids])

    def energies(self, steps: int) -> list[tuple[float, float]]:
        """Kinetic and potential energy of one copy after each step, from the start [J]."""
        data, seen = self._put(self._begin), []
        for k in range(steps + 1):
            if k > 0:
                self._mj.mj_step(self._model, data)
            self._mj.mj_forward(self._model, data)  # what a step leaves is of its beginning
            seen.append((float(data.energy[1]), float(data.energy[0])))
        return seen

    def _put(self, state: np.ndarray) -> Any:
        data = self._mj.MjData(self._model)
        self._mj.mj_setState(self._model, data, state, self._all)
        return data
