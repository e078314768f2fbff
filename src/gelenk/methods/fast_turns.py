"""Bodies that turn too far in a step of order 4, told once, from the velocities that a batch of steps leaves.

Runge-Kutta keeps a motion of frequency w with a loss of energy of  (h w)^6 / 72  a step. A body that tumbles has w of
the size of its spin: 1 % of its energy goes in 1000 steps at 0.3 rad, half at 1. What turns evenly loses nothing at any
speed, be it a wheel on its axle or a ball; so the momentum  I w  must change on the way too, seen from the body.
"""

from __future__ import annotations

import numpy as np

from gelenk.errors import AccuracyWarning, warn_user
from gelenk.methods.moreau_work import ORDER, MoreauTreeWork
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.trees.kind_table import SPIN, TABLE

MUCH = 0.25  # [rad] in a step: 1 % in some 3000 steps
CHANGE = 0.02  # of the momentum in a step, below which it is even: a rotor on a base that tumbles by 0.005 rad
GOOD = 0.1  # [rad] in a step, with which the loss in 1000 steps is 1e-5
TURNS = {*SPIN, "angle", "angle_x", "angle_y"}  # names of velocities that turn


class TurnWatch:
    """Looks at the velocities of a tree between batches of steps, until it has warned."""

    def __init__(self, model: Model, work: MoreauTreeWork) -> None:
        self.active, tree, masses = int(work.options[ORDER]) == 4, work.tree, model.system.masses
        joints = work.joint_of if len(work.joint_of) else [NONE] * len(tree.link)
        labels = {joint.name: joint.label for joint in model.joints}
        led = {int(x.u) for x in tree.led}
        self._who: list[str] = []
        turns, weights = [], []  # velocities that turn, three of a body or one of an angle; what they weigh
        for link, j in zip(tree.link if self.active else (), joints):
            mine = [u for u, word in enumerate(TABLE[link.kind].names, int(link.u)) if word in TURNS and u not in led]
            whole = TABLE[link.kind].quaternion is not None
            for parts in [mine] if whole else [[u] * 3 for u in mine]:
                inertia = masses.inertia_B[link.node] if whole else np.eye(3)
                turns.append(parts)
                weights.append(inertia / np.abs(inertia).max())
                body = f"body {model.nodes.names[int(link.node)]!r}"
                self._who.append(body if j == NONE else labels[model.wired.names[int(j)]])
        self._at, self._weight = np.array(turns, np.int64).reshape(-1, 3), np.array(weights).reshape(-1, 3, 3)
        self._whole = self._at[:, 0] != self._at[:, 1]
        self.active = self.active and len(turns) > 0

    def look(self, work: MoreauTreeWork, h: float) -> None:
        """Say so if something turns far in a step, at a rate that changes."""
        u, du = work.work.u[self._at], work.work.du[self._at]
        turn = h * np.where(self._whole, np.linalg.norm(u, axis=1), abs(u[:, 0]))
        spin, change = (np.linalg.norm(np.einsum("nij,nj->ni", self._weight, x), axis=1) for x in (u, h * du))
        turn = np.where((change > CHANGE * spin) & (turn < np.inf), turn, 0.0)
        worst = int(turn.argmax())
        if not turn[worst] > MUCH:
            return
        self.active = False
        step = h * GOOD / turn[worst]
        warn_user(
            f"{self._who[worst]} turns by {turn[worst]:.2g} rad in a step, and not evenly: with order 4 that loses "
            f"1 % of its energy in 1000 steps at 0.3 rad, half at 1. Take steps of {step:.1g} s, 0.1 rad a step.",
            AccuracyWarning,
        )
