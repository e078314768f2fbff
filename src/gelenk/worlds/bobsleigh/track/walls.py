"""Boundary elements above the rims of the channel: extra walls, planking, closed ramps (B-48)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

KINDS = ("wall", "planking", "ramp")
SIDES = ("left", "right", "inner", "outer")
WHERE = ("always", "straight", "banked", "replace")
BANKED = 0.2  # banking above which planking stands (bobsleigh 9.5)


@dataclass(frozen=True, slots=True)
class Wall:
    """Flat boards on a rim, over a range of the track.

    Parameters
    ----------
    kind : what it stands for
    side : of the track, or of its curves
    where : everywhere, on straight track alone (banking 0), on banked track, or in place of all others there
    begin, end : range [m]
    height : along the board [m]
    angle : 0 upright; above 0 towards the track from the direction in which the section ends (planking), or from
        upright (walls) [rad]
    """

    kind: str
    side: str
    where: str
    begin: float
    end: float
    height: float
    angle: float

    def on(self, side: str, turn: int, s: np.ndarray, banking: np.ndarray) -> np.ndarray:
        """Where it stands on the "left" or "right" side of a patch, (m,) bool."""
        outer = "right" if turn > 0 else "left"
        own = (
            outer if self.side == "outer" else ("left" if turn > 0 else "right") if self.side == "inner" else self.side
        )
        if own != side:
            return np.zeros(len(s), bool)
        there = (s >= self.begin - 1e-9) & (s <= self.end + 1e-9)
        if self.where == "straight":
            return there & (banking == 0.0)
        return there & (banking > BANKED) if self.where == "banked" else there


def standing(walls: Sequence[Wall], side: str, turn: int, s: np.ndarray, banking: np.ndarray) -> np.ndarray:
    """(m,) index of the wall that stands on a side at each place; -1 for none. What replaces others comes first."""
    found = np.full(len(s), -1)
    for replacing in (False, True):
        for k, wall in enumerate(walls):
            if (wall.where == "replace") == replacing:
                found[wall.on(side, turn, s, banking)] = k
    return found


def board(wall: Wall, outward: float, tangent: np.ndarray) -> np.ndarray:
    """(m, 2) from the rim to the far edge of boards, in the planes of sections, x to the right and y up.

    ``outward`` is +1 on the right side and -1 on the left; ``tangent`` (m, 2) unit, in which the section ends there.
    """
    direction = tangent if wall.kind == "planking" else np.broadcast_to([0.0, 1.0], tangent.shape)
    sin, cos = np.sin(outward * wall.angle), np.cos(outward * wall.angle)
    x, y = direction[:, 0], direction[:, 1]
    return wall.height * np.stack((cos * x - sin * y, sin * x + cos * y), axis=1)
