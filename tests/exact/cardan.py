"""Universal (Cardan) joint between two shafts that meet at a bend angle, and two of them with a shaft between.

The input shaft runs along +x, the output shaft along Ry(bend) e_x = (cos b, 0, -sin b); each angle follows the
right-hand rule about its own shaft. At angle zero the input fork's pin is +y, normal to the plane of the shafts, and
the output fork's pin is Ry(bend) e_z. The pins stay perpendicular:

    p_in = Rx(in) e_y,      p_out = Ry(b) Rx(out) e_z,      p_in . p_out = 0    =>    tan(out) = cos(b) tan(in)

With `in_plane` the roles are swapped: input pin +z in the plane at zero, output pin -y,  tan(out) = tan(in) / cos(b).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def _factor(bend: float, in_plane: bool) -> float:
    """The k in tan(out) = k tan(in)."""
    if not abs(bend) < 0.5 * np.pi:
        raise ValueError(f"cardan: bend is {bend!r} rad, expected less than pi/2 either way.")
    return float(1.0 / np.cos(bend) if in_plane else np.cos(bend))


def output_angle(angle: ArrayLike, bend: float, *, in_plane: bool = False) -> Floats:
    """Angle of the output shaft, continuous over many turns [rad].

    out = in + atan((k - 1) s c / (c^2 + k s^2)),   s, c of the input angle
    """
    a, k = np.asarray(angle, dtype=float), _factor(bend, in_plane)
    s, c = np.sin(a), np.cos(a)
    return a + np.arctan2((k - 1.0) * s * c, c * c + k * s * s)


def speed_ratio(angle: ArrayLike, bend: float, *, in_plane: bool = False) -> Floats:
    """d out / d in = k / (c^2 + k^2 s^2); between cos(bend) and 1 / cos(bend), twice a turn."""
    a, k = np.asarray(angle, dtype=float), _factor(bend, in_plane)
    return k / (np.cos(a) ** 2 + (k * np.sin(a)) ** 2)


def output_second(
    angle: ArrayLike, rate: ArrayLike, second: ArrayLike, bend: float, *, in_plane: bool = False
) -> Floats:
    """Acceleration of the output shaft [rad/s^2]:  out'' = r in'' + r_a in'^2,   r_a = r^2 (1 - k^2) sin(2 in) / k."""
    ratio, k = speed_ratio(angle, bend, in_plane=in_plane), _factor(bend, in_plane)
    slope = ratio**2 * (1.0 - k * k) * np.sin(2.0 * np.asarray(angle, dtype=float)) / k
    return ratio * np.asarray(second, dtype=float) + slope * np.square(rate)


def pins(angle: ArrayLike, bend: float, *, in_plane: bool = False) -> tuple[Floats, Floats]:
    """Unit vectors along the pins of the input and the output fork in world, (..., 3) each."""
    a, out = np.asarray(angle, dtype=float), output_angle(angle, bend, in_plane=in_plane)
    quarter = 0.5 * np.pi * in_plane
    p_in = np.stack([np.zeros_like(a), np.cos(a + quarter), np.sin(a + quarter)], axis=-1)
    s, c = np.sin(out + quarter), np.cos(out + quarter)
    return p_in, np.stack([np.sin(bend) * c, -s, np.cos(bend) * c], axis=-1)


def shafts(bend: float) -> tuple[Floats, Floats]:
    """Unit vectors along the input and the output shaft in world."""
    return np.array([1.0, 0.0, 0.0]), np.array([np.cos(bend), 0.0, -np.sin(bend)])


def couple(angle: ArrayLike, bend: float, torque: ArrayLike, *, in_plane: bool = False) -> Floats:
    """Moment M that the cross (no mass) takes from the input and gives to the output fork, world (..., 3) [N m].

    The cross turns freely about both pins, so M = m (p_in x p_out); M . e_in is the input torque. The part of M across
    a shaft is what its bearings carry; M . e_out = torque / ratio, so no power is lost.
    """
    normal = np.cross(*pins(angle, bend, in_plane=in_plane))
    return normal * (np.asarray(torque, dtype=float) / (normal @ shafts(bend)[0]))[..., None]


def double_output_angle(angle: ArrayLike, bend_1: float, bend_2: float, twist: float = 0.0) -> Floats:
    """Output angle of two joints with a shaft between, all shafts in one plane, zero at input zero [rad].

    The forks of the middle shaft lie in one plane for twist = 0, so the second joint sees its pin `in_plane`:

        tan(out) = tan(in) cos(bend_1) / cos(bend_2)       out = in for equal bends: constant velocity, Z or W shape

    twist : of the middle shaft's second fork against its first, about the shaft [rad]; pi/2 is the wrong way to build
    """
    middle = output_angle(angle, bend_1)
    return output_angle(middle + twist, bend_2, in_plane=True) - output_angle(twist, bend_2, in_plane=True)


def double_speed_ratio(angle: ArrayLike, bend_1: float, bend_2: float, twist: float = 0.0) -> Floats:
    """d out / d in of two joints: the product of both ratios."""
    second = speed_ratio(output_angle(angle, bend_1) + twist, bend_2, in_plane=True)
    return speed_ratio(angle, bend_1) * second
