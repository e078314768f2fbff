"""Slider-crank: crank AB about the origin, rod BP, slider P on a straight guide along x.

World z is up, the mechanism lies in the x-z plane, hinge axes are +y. The guide is the line z = offset. Angles are
absolute, follow the right-hand rule about +y and are zero along +x: B = r (cos a, 0, -sin a).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class SliderCrank:
    crank: float  # r [m]
    rod: float  # l [m]
    offset: float = 0.0  # e, height of the guide [m]

    def __post_init__(self) -> None:
        if not self.rod > self.crank + abs(self.offset):
            raise ValueError(f"{self}: the rod must be longer than crank and offset together.")


class SliderMotion(NamedTuple):
    x: NDArray[np.float64]  # (...,) slider, the branch with x > x of B [m]
    speed: NDArray[np.float64]  # [m/s]
    second: NDArray[np.float64]  # [m/s^2]
    rod: NDArray[np.float64]  # angle of BP, between -pi/2 and pi/2 [rad]
    rod_rate: NDArray[np.float64]
    rod_second: NDArray[np.float64]


def slider_crank(
    mechanism: SliderCrank, angle: ArrayLike, rate: ArrayLike = 0.0, second: ArrayLike = 0.0
) -> SliderMotion:
    """Motion of slider and rod from that of the crank, all (...,).

        h = e + r sin a,    w = sqrt(l^2 - h^2),    x = r cos a + w,    sin(rod) = -h / l
        dx/da = -r sin a - h h_a / w,       d2x/da2 = -r cos a - (h_a^2 + h h_aa) / w - h^2 h_a^2 / w^3
        x' = dx/da a',   x'' = dx/da a'' + d2x/da2 a'^2,   and the same for the rod

    Source: Dresig & Holzweissig, Dynamics of Machinery, on the crank mechanism (expanded there in r / l).
    """
    a, w1, w2 = (np.asarray(v, dtype=float) for v in (angle, rate, second))
    r, length = mechanism.crank, mechanism.rod
    h, h_a, h_aa = mechanism.offset + r * np.sin(a), r * np.cos(a), -r * np.sin(a)
    w = np.sqrt((length - h) * (length + h))
    x_a = h_aa - h * h_a / w
    x_aa = -h_a - (h_a**2 + h * h_aa) / w - h**2 * h_a**2 / w**3
    g_a, g_aa = -h_a / w, -h_aa / w - h * h_a**2 / w**3
    return SliderMotion(
        h_a + w, x_a * w1, x_a * w2 + x_aa * w1**2, np.arctan2(-h, w), g_a * w1, g_a * w2 + g_aa * w1**2
    )


def crank_torque(mechanism: SliderCrank, angle: ArrayLike, force: ArrayLike) -> NDArray[np.float64]:
    """Torque about +y on the crank that holds a force along +x on the slider, massless parts: T = -F dx/da [N m]."""
    return -np.asarray(force, dtype=float) * slider_crank(mechanism, angle, 1.0).speed


def rod_thrust(mechanism: SliderCrank, angle: ArrayLike, force: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Push S of the rod on the slider along BP and force N of the guide on the slider along +z, massless parts [N].

    Balance at the slider:  S cos(rod) + F = 0,   -S sin(rod) + N = 0.
    """
    rod = slider_crank(mechanism, angle).rod
    thrust = -np.asarray(force, dtype=float) / np.cos(rod)
    return thrust, thrust * np.sin(rod)
