"""Gelenk in motion, as every scene of the bench runs it."""

from __future__ import annotations

from gelenk.bench.engine import BodyStates, body_states, rotations, turned
from gelenk.methods.method import Method
from gelenk.model.model import Model


class GelenkRunner:
    """A model and a method; k steps of the scene are one call of the compiled step.

    The bodies of the scene are the nodes from ``first`` on; node 0 is the world, and what stands still comes next. A
    step of the scene is ``split`` steps of the method.
    """

    def __init__(self, model: Model, method: Method, first: int = 1, split: int = 1) -> None:
        self._state, self._h, self._done = model.initial_state(), method.h, 0
        self._first, self._split = first, split
        self._stepper = method.begin(model, self._state)

    def advance(self, k: int) -> None:
        """Take k steps."""
        count = self._split * k
        taken = self._stepper.advance(0.0, self._h, self._done, count)
        if taken < count:
            raise RuntimeError(f"step {self._done + taken} failed: {self._stepper.why()}")
        self._done += count

    def state(self) -> BodyStates:
        """Where the bodies are now."""
        s, i = self._state, self._first
        R_WB = rotations(s.q_WB[i:])
        return body_states(s.p_WC[i:], R_WB, s.v_WC[i:], turned(R_WB, s.w_WB_B[i:]))
