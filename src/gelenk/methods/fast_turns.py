"""Bodies that turn too far in a step of order 4, told once, from the velocities that a batch of steps leaves.

Runge-Kutta keeps a motion of frequency w with a loss of energy of  (h w)^6 / 72  a step. A body that tumbles has w of
the size of its spin: 1 % of its energy goes in 1000 steps at 0.3 rad, half at 1. What turns evenly loses nothing at any
speed, be it a wheel on its axle or a ball; so the rate must change on the way too.
"""

from __future__ import annotations

import numpy as np

from gelenk.errors import AccuracyWarning, warn_user
from gelenk.methods.moreau_work import ORDER, MoreauTreeWork
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.trees.kind_table import SPIN, TABLE

MUCH = 0.25  # [rad] in a step: 1 % in some 3000 steps
CHANGE = 0.02  # of the rate in a step, below which it is even: a rotor on a base that tumbles by 0.005 rad
GOOD = 0.1  # [rad] in a step, with which the loss in 1000 steps is 1e-5
TURNS = {*SPIN, "angle", "angle_x", "angle_y"}  # velocities that turn


class TurnWatch:
    """Looks at the velocities of a tree between batches of steps, until it has warned."""

    def __init__(self, model: Model, work: MoreauTreeWork) -> None:
        self.active = int(work.options[ORDER]) == 4
        self._at: list[int] = []  # velocities
        self._of: list[int] = []  # which of the names each belongs to
        self._names: list[str] = []
        labels = {joint.name: joint.label for joint in model.joints}
        led = {int(x.u) for x in work.tree.led}
        for n, link in enumerate(work.tree.link if self.active else ()):
            words = enumerate(TABLE[link.kind].names, int(link.u))
            turns = [u for u, word in words if word in TURNS and u not in led]
            joint = int(work.joint_of[n]) if len(work.joint_of) else NONE
            body = f"body {model.nodes.names[int(link.node)]!r}"
            self._at += turns
            self._of += [n] * len(turns)
            self._names.append(labels[model.wired.names[joint]] if joint != NONE else body)
        self.active = self.active and len(self._at) > 0

    def look(self, work: MoreauTreeWork, h: float) -> None:
        """Say so if something turns far in a step, at a rate that changes."""
        turn, change = (
            h * np.sqrt(np.bincount(self._of, weights=np.square(x[self._at]))) for x in (work.work.u, work.work.du)
        )
        turn = np.where((change > CHANGE * turn / h) & (turn < np.inf), turn, 0.0)
        worst = int(turn.argmax())
        if not turn[worst] > MUCH:
            return
        self.active = False
        step = h * GOOD / turn[worst]
        warn_user(
            f"{self._names[worst]} turns by {turn[worst]:.2g} rad in a step, and not evenly: with order 4 that loses "
            f"1 % of its energy in 1000 steps at 0.3 rad, half at 1. Take steps of {step:.1g} s, 0.1 rad a step.",
            AccuracyWarning,
        )
