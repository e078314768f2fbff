"""Scene `funnel`: cubes fall through a funnel into a container (impulse-dynamics X4, I-197)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, cos, pi, radians, sin, tan
from typing import ClassVar

import numpy as np

from gelenk.bench.box_scene import FLOOR, Boxes, Still, turned_at_random, walls


@dataclass(frozen=True)
class FunnelScene(Boxes):
    """n cubes of 0.1 m in a loose block above a funnel of twelve slanted boxes over an open container.

    The thesis gives the cubes and their number, but not the funnel: it has 50 degrees, and a mouth so wide that cubes
    do not arch over it.
    """

    name = "funnel"
    about = "cubes through a funnel into a container"
    figures = (
        "outside: cubes that are not in the container at the end; mean overlap of two boxes at the end, deepest of all "
        "samples, walls counted [m]; speed: largest at the end [m/s]"
    )
    default_size = 1000
    t_end = 3.0
    stands = False
    friction = 0.15
    edge: ClassVar[float] = 0.1  # of a cube [m]
    apart: ClassVar[float] = 0.175  # in the block at the start, more than the diagonal [m]
    drop: ClassVar[float] = 0.15  # from the mouth to the rim of the container [m]
    thick: ClassVar[float] = 0.05  # half of it, of panels and walls [m]
    sides: ClassVar[int] = 12
    steep: ClassVar[float] = radians(50)

    inside: float = 0.0  # half the width of the container [m]
    rim: float = 0.0  # its height [m]

    @classmethod
    def make(cls, size: int) -> FunnelScene:
        """The same numbers for every engine."""
        side = ceil(size ** (1 / 3))
        inside, mouth = cls.edge * max(3.5, 0.8 * side), cls.edge * max(2.5, 0.65 * side)
        rim = 0.2 + 1.7 * size * cls.edge**3 / (2.0 * inside) ** 2
        top = 0.78 * side * cls.apart + 0.12
        rise, bottom = (top - mouth) * tan(cls.steep), rim + cls.drop
        i = np.arange(size)
        place = np.stack([i % side, i // side % side, i // side**2], axis=1)
        p_WC = (place - [(side - 1) / 2, (side - 1) / 2, 0]) * cls.apart + [0, 0, bottom + 0.85 * rise + cls.edge]
        panels = [cls.panel(k, mouth, top, bottom) for k in range(cls.sides)]
        still = (FLOOR, *walls(inside, cls.thick, rim), *panels)
        return cls(p_WC, np.full((size, 3), 0.5 * cls.edge), turned_at_random(size), still, inside, rim)

    @classmethod
    def panel(cls, k: int, mouth: float, top: float, bottom: float) -> Still:
        """One side of the funnel: its inner face rises from the mouth outwards.

        It is as wide as the top, so panels cross each other outside of the funnel, and nowhere within.
        """
        c, s, t = cos(cls.steep), sin(cls.steep), cls.thick
        out, z = 0.5 * (mouth + top) + s * t, bottom + 0.5 * (top - mouth) * s / c - c * t
        around = 2.0 * pi * k / cls.sides
        half = (0.5 * (top - mouth) / c, top * tan(pi / cls.sides), t)
        a, b = 0.5 * around, -0.5 * cls.steep  # about z, after about y
        turn = (cos(a) * cos(b), -sin(a) * sin(b), cos(a) * sin(b), sin(a) * cos(b))
        return Still((out * cos(around), out * sin(around), z), half, turn)
