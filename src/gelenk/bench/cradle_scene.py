"""Scene `cradle`: Newton's cradle of touching balls, restitution 1, the first one raised."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

GRAVITY = 9.81  # [m/s^2], along -z


@dataclass(frozen=True)
class CradleScene:
    """n balls side by side along x, each on a hinge about y; the hinges are on the line z = 0."""

    name: ClassVar[str] = "cradle"
    about: ClassVar[str] = "touching balls on hinges, the first one raised"
    figures: ClassVar[str] = (
        "transfer: after the first impact the last ball should rise as high as the first was and the others rest, "
        "largest deviation as a share of that angle; energy: change over the run as a share; "
        "overlap: largest of two neighbours [m]"
    )
    default_size: ClassVar[int] = 5
    dt: ClassVar[float] = 1e-3  # [s]
    t_end: ClassVar[float] = 5.0  # [s]
    radius: ClassVar[float] = 0.05  # [m]
    length: ClassVar[float] = 0.5  # from the hinge to the centre of the ball [m]
    raised: ClassVar[float] = 0.5  # angle of the first ball [rad]
    mass: ClassVar[float] = 1.0  # [kg]
    inertia: ClassVar[float] = 0.4 * mass * radius**2  # [kg m^2]

    count: int

    @classmethod
    def make(cls, size: int) -> CradleScene:
        """The cradle with that many balls."""
        return cls(size)

    @cached_property
    def hinge_x(self) -> np.ndarray:
        """(n,) places of the hinges along x [m]."""
        return 2.0 * self.radius * np.arange(self.count)

    @cached_property
    def angle(self) -> np.ndarray:
        """(n,) at the start, positive towards -x [rad]."""
        return np.where(np.arange(self.count) == 0, self.raised, 0.0)

    @cached_property
    def p_WC(self) -> np.ndarray:
        """(n, 3) centres at the start [m]."""
        x = self.hinge_x - self.length * np.sin(self.angle)
        return np.stack([x, np.zeros(self.count), -self.length * np.cos(self.angle)], axis=1)

    @property
    def period(self) -> float:
        """Of one ball, with the first term of its amplitude [s]."""
        arm = (self.length**2 + self.inertia / self.mass) / (GRAVITY * self.length)
        return float(2.0 * np.pi * np.sqrt(arm) * (1.0 + self.raised**2 / 16.0))
