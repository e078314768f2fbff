"""Scenes `boxes`, `stack` and `wall`: boxes in contact, with each other and with what stands still."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from gelenk.bench.engine import BodyStates, rotations

GRAVITY = 9.81  # [m/s^2], along -z
DENSITY = 1000.0  # [kg/m^3]
FRICTION = 0.5  # of every contact but in the funnel; nothing bounces
BOX_SCENES = ("boxes", "stack", "wall", "funnel")
SEED = 1
AT_REST = "creep: farthest that a body has come from its place [m]; speed: root of the mean square at the end [m/s]"


class Still(NamedTuple):
    """A box that does not move."""

    centre: tuple[float, float, float]  # [m]
    half: tuple[float, float, float]  # half edges [m]
    turn: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # unit quaternion w x y z, box to world


FLOOR = Still((0.0, 0.0, -0.5), (20.0, 20.0, 0.5))


@dataclass(frozen=True)
class Boxes:
    """What the scenes share: boxes at rest. The body frame sits in the centre along the edges."""

    name: ClassVar[str]
    about: ClassVar[str]
    figures: ClassVar[str]
    default_size: ClassVar[int]
    dt: ClassVar[float] = 1.0 / 240.0  # [s]
    t_end: ClassVar[float] = 5.0  # [s]
    stands: ClassVar[bool] = True  # whether everything should stay where it is
    friction: ClassVar[float] = FRICTION

    p_WC: np.ndarray  # (n, 3) [m]
    half: np.ndarray  # (n, 3) half edges [m]
    q_WB: np.ndarray  # (n, 4) unit quaternion w x y z, body to world
    still: tuple[Still, ...] = (FLOOR,)

    @cached_property
    def mass(self) -> np.ndarray:
        """(n,) [kg]."""
        return DENSITY * np.prod(2.0 * self.half, axis=1)

    @cached_property
    def start(self) -> BodyStates:
        """The boxes at the start, at rest."""
        return BodyStates(self.p_WC, rotations(self.q_WB), np.zeros_like(self.p_WC), np.zeros_like(self.p_WC))


class BoxesScene(Boxes):
    """n cubes of 0.1 m, each turned at random, in a loose block above an open bin of 1.5 m x 1.5 m."""

    name = "boxes"
    about = "cubes dropped into a bin"
    figures = (
        "mean and largest overlap of two boxes at the end, and the deepest of the samples [m]; lost: boxes outside"
    )
    default_size = 1000
    t_end = 2.0
    stands = False
    half_edge: ClassVar[float] = 0.05  # [m]
    inside: ClassVar[float] = 0.75  # half the width of the bin [m]
    thick: ClassVar[float] = 0.1  # half the thickness of its walls [m]

    @classmethod
    def make(cls, size: int, *, alike: bool = False) -> BoxesScene:
        """The same numbers for every engine: 8 x 8 columns, apart by more than the diagonal of a cube.

        More than 1000 have a bin and a block that are wider by the square root, so that the pile is as high; fewer have
        narrower ones only if piles are to be ``alike``, else they cover the floor of the same bin.
        """
        wide = (size / 1000.0) ** 0.5 if alike else max(1.0, (size / 1000.0) ** 0.5)
        columns, apart, edge = round(8 * wide), 3.5 * cls.half_edge, cls.inside * wide
        i = np.arange(size)
        place = np.stack([i % columns, i // columns % columns, i // columns**2], axis=1)
        p_WC = (place - [(columns - 1) / 2, (columns - 1) / 2, 0]) * apart + [0, 0, 0.1]
        q_WB = turned_at_random(size)
        return cls(p_WC, np.full((size, 3), cls.half_edge), q_WB, (FLOOR, *walls(edge, cls.thick, 3.0)))


class StackScene(Boxes):
    """n cubes of 0.1 m on top of each other."""

    name = "stack"
    about = "cubes in a tower that should stand still"
    figures = "largest overlap of two boxes at the end [m]; " + AT_REST
    default_size = 10

    @classmethod
    def make(cls, size: int) -> StackScene:
        """The tower of that many cubes."""
        h = 0.05
        p_WC = np.array([[0.0, 0.0, h * (2 * i + 1)] for i in range(size)])
        return cls(p_WC, np.full((size, 3), h), upright(size))


class WallScene(Boxes):
    """n bricks in stretcher bond: rows of ten, or ``long``, and of one less with half a brick at both ends, in turn."""

    name = "wall"
    about = "bricks in a wall that should stand still"
    figures = "largest overlap of two boxes at the end [m]; " + AT_REST
    default_size = 105

    @classmethod
    def make(cls, size: int, *, long: int = 10) -> WallScene:
        """The wall of that many bricks, from below; the last row may be short."""
        x, y, z = 0.1, 0.05, 0.05
        even = [(2 * i * x, x) for i in range(long)]
        odd = [(-x / 2, x / 2), *(((2 * i + 1) * x, x) for i in range(long - 1)), ((2 * long - 1.5) * x, x / 2)]
        p_WC: list[list[float]] = []
        half: list[list[float]] = []
        row = 0
        while len(p_WC) < size:
            for at, length in odd if row % 2 else even:
                p_WC.append([at, 0.0, z * (2 * row + 1)])
                half.append([length, y, z])
            row += 1
        return cls(np.array(p_WC[:size]), np.array(half[:size]), upright(size))


def upright(n: int) -> np.ndarray:
    """(n, 4) quaternions of bodies that are not turned."""
    return np.tile([1.0, 0.0, 0.0, 0.0], (n, 1))


def turned_at_random(n: int) -> np.ndarray:
    """(n, 4) quaternions, evenly spread, the same for every engine."""
    q_WB = np.random.default_rng(SEED).normal(size=(n, 4))
    q_WB /= np.linalg.norm(q_WB, axis=1, keepdims=True)
    return q_WB


def walls(inside: float, thick: float, high: float) -> list[Still]:
    """Four walls around a square of half the width ``inside``, each of half the thickness ``thick`` [m]."""
    far, z = inside + thick, 0.5 * high
    around = [Still((s * far, 0.0, z), (thick, far + thick, z)) for s in (1, -1)]
    return around + [Still((0.0, s * far, z), (far + thick, thick, z)) for s in (1, -1)]
