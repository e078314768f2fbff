"""Scenes `chain`, `tree` and `pendulum`: links hung from the world by ball joints or hinges, let go at rest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import cos, sin
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates
from gelenk.bench.links import Joint, Link, frame, rod

GRAVITY = 9.81  # [m/s^2], along -z
TREE_SCENES = ("chain", "tree", "pendulum")
OVER_THE_RUN = (
    "joint drift: widest gap of a joint [m]; energy: largest change as a share of the largest kinetic energy; "
    "both over the samples of the run"
)
EARLY = (
    "; position: centre of the last link at 0.2 s [m], early so that the method counts and not chaos, "
    "against the planar pendulum in angles"
)


@dataclass(frozen=True)
class Links:
    """What the scenes share: links at rest, each after its parent, and where their joints are."""

    name: ClassVar[str]
    about: ClassVar[str]
    figures: ClassVar[str]
    default_size: ClassVar[int]
    dt: ClassVar[float] = 1e-3  # [s]
    t_end: ClassVar[float] = 1.0  # [s]
    planar: ClassVar[bool] = False  # one row of links that stays in the plane y = 0

    links: tuple[Link, ...]

    @cached_property
    def parent(self) -> np.ndarray:
        """(n,) index of the link each one hangs on; -1 is the world."""
        return np.array([link.parent for link in self.links])

    @cached_property
    def mass(self) -> np.ndarray:
        """(n,) [kg]."""
        return np.array([link.mass for link in self.links])

    @cached_property
    def inertia(self) -> np.ndarray:
        """(n, 3) principal moments [kg m^2]."""
        return np.array([link.inertia for link in self.links])

    @cached_property
    def p_CJ_B(self) -> np.ndarray:
        """(n, 3) joint of each link from its own centre of mass, in its own axes [m]."""
        return np.array([frame(self.links, i).point(link.p_WJ) for i, link in enumerate(self.links)])

    @cached_property
    def p_PJ_P(self) -> np.ndarray:
        """(n, 3) joint of each link from its parent's centre of mass, in the parent's axes [m]; or of the world."""
        return np.array([frame(self.links, link.parent).point(link.p_WJ) for link in self.links])

    @cached_property
    def start(self) -> BodyStates:
        """The links at the start, at rest."""
        p_WC, R_WB = np.array([link.p_WC for link in self.links]), np.array([link.R_WB for link in self.links])
        return BodyStates(p_WC, R_WB, np.zeros_like(p_WC), np.zeros_like(p_WC))


class ChainScene(Links):
    """n links in a row, released from the horizontal. Ball joints, but the motion stays in the plane y = 0."""

    name = "chain"
    about = "ball joints in a chain released from the horizontal"
    figures = OVER_THE_RUN + EARLY
    default_size = 100
    planar = True

    @classmethod
    def make(cls, size: int) -> ChainScene:
        """The chain with that many joints."""
        return cls(_row(size, "ball"))


class PendulumScene(Links):
    """n links in a row with hinges about y, released from the horizontal: ten seconds of a chaotic motion."""

    name = "pendulum"
    about = "hinges in a planar pendulum released from the horizontal"
    figures = OVER_THE_RUN + EARLY
    default_size = 5
    t_end = 10.0
    planar = True

    @classmethod
    def make(cls, size: int) -> PendulumScene:
        """The pendulum with that many joints."""
        return cls(_row(size, "hinge"))


class TreeScene(Links):
    """A binary tree of ball joints, hung at its root with the twigs to the side.

    Link i hangs on link (i - 1) // 2, so 2^k - 1 links fill k levels; in any other number the last level is not full.
    Siblings leave their parent by 0.5 rad to both sides, in planes that change from level to level.
    """

    name = "tree"
    about = "ball joints in a binary tree hung at its root"
    figures = OVER_THE_RUN
    default_size = 127
    length: ClassVar[float] = 0.3  # [m]
    thick: ClassVar[float] = 0.04  # [m]
    link_mass: ClassVar[float] = 0.2  # [kg]
    spread: ClassVar[float] = 0.5  # [rad]

    @classmethod
    def make(cls, size: int) -> TreeScene:
        """The tree with that many joints."""
        along, ends, links = [np.array([1.0, 0.0, 0.0])], [np.array([cls.length, 0.0, 0.0])], []
        links.append(rod("link0", -1, "ball", np.zeros(3), ends[0], cls.thick, cls.link_mass))
        for i in range(1, size):
            parent, level = (i - 1) // 2, (i + 1).bit_length() - 1
            aside = np.array([0.0, 1.0, 0.0] if level % 2 else [0.0, 0.0, 1.0])
            way = along[parent] * cos(cls.spread) + aside * (sin(cls.spread) if i % 2 else -sin(cls.spread))
            way /= np.linalg.norm(way)
            along.append(way)
            ends.append(ends[parent] + cls.length * way)
            links.append(rod(f"link{i}", parent, "ball", ends[parent], ends[i], cls.thick, cls.link_mass))
        return cls(tuple(links))


def _row(size: int, joint: Joint) -> tuple[Link, ...]:
    """Links of 0.1 m and 0.1 kg along x, the first hung from the origin."""
    ends = np.zeros((size + 1, 3))
    ends[:, 0] = 0.1 * np.arange(size + 1)
    return tuple(rod(f"link{i}", i - 1, joint, ends[i], ends[i + 1], 0.02, 0.1) for i in range(size))
