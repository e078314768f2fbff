"""Rigid links joined into a tree: plain data that every adapter builds its own model from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from gelenk.math.rotation import Mat3, quat_from_rotation

Joint = Literal["ball", "hinge", "free"]


@dataclass(frozen=True)
class Link:
    """A box at rest, and the joint by which it hangs on its parent; a free one hangs on nothing.

    The body frame B sits in the centre of mass C along the edges, x along the link, so it is the principal frame.
    """

    name: str
    parent: int  # index of the link it hangs on, less than its own; -1 is the world
    joint: Joint
    p_WJ: np.ndarray  # (3,) joint at the start [m]
    axis_W: np.ndarray  # (3,) unit axis of a hinge at the start; no meaning for a ball
    p_WC: np.ndarray  # (3,) centre of mass at the start [m]
    R_WB: np.ndarray  # (3, 3) principal frame at the start
    edges: np.ndarray  # (3,) of the box, in body axes [m]
    mass: float  # [kg]

    @cached_property
    def inertia(self) -> np.ndarray:
        """(3,) principal moments of the box:  m/12 (b^2 + c^2, a^2 + c^2, a^2 + b^2) [kg m^2]."""
        squares = self.edges**2
        return self.mass / 12.0 * (squares.sum() - squares)

    @cached_property
    def inertia_W(self) -> np.ndarray:
        """(3, 3) inertia about the centre of mass in world axes at the start [kg m^2]."""
        return (self.R_WB * self.inertia) @ self.R_WB.T

    @cached_property
    def q_WB(self) -> np.ndarray:
        """(4,) principal frame as a quaternion w x y z."""
        return quaternion(self.R_WB)


@dataclass(frozen=True)
class Frame:
    """Where a link or the world is at the start."""

    p_W: np.ndarray  # (3,) [m]
    R_W: np.ndarray  # (3, 3)

    def point(self, p_W: np.ndarray) -> np.ndarray:
        """(3,) components in this frame of a place in the world [m]."""
        return self.R_W.T @ (p_W - self.p_W)


WORLD = Frame(np.zeros(3), np.eye(3))


def frame(links: Sequence[Link], i: int) -> Frame:
    """The body frame of link i; the world for -1."""
    return WORLD if i < 0 else Frame(links[i].p_WC, links[i].R_WB)


def rod(name: str, parent: int, joint: Joint, start: np.ndarray, end: np.ndarray, thick: float, mass: float) -> Link:
    """A box of square section from its joint at ``start`` to ``end``; a hinge turns about the world's y."""
    along = end - start
    length = float(np.linalg.norm(along))
    x = along / length
    aside = np.array([0.0, 0.0, 1.0]) if abs(x[1]) > 0.9 else np.array([0.0, 1.0, 0.0])  # not along the link
    z = np.cross(x, aside)
    z /= np.linalg.norm(z)
    R_WB = np.stack([x, np.cross(z, x), z], axis=1)
    edges = np.array([length, thick, thick])
    return Link(name, parent, joint, start, np.array([0.0, 1.0, 0.0]), 0.5 * (start + end), R_WB, edges, mass)


def pins(link: Link) -> list[np.ndarray]:
    """(3,) places from the joint [m], world axes, that hold it where an engine can only pin points.

    A hinge has two, a link's length apart: as strong against tilting as against shifting.
    """
    return [s * 0.5 * link.edges[0] * link.axis_W for s in ((0.0,) if link.joint == "ball" else (-1.0, 1.0))]


def quaternion(R: np.ndarray) -> np.ndarray:
    """(4,) unit quaternion w x y z of a rotation matrix."""
    return np.array(quat_from_rotation(Mat3(*R.ravel().tolist())))
