"""Rigid body on a fixed hinge under gravity: swings of any amplitude, turns over the top, and the limit between them.

World z is up, the motion lies in the x-z plane, the hinge axis is +y through the origin. The angle follows the
right-hand rule about +y and is zero when the centre of mass hangs below the hinge, so a positive angle is towards -x:

    p_WC = d (-sin a, 0, -cos a)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .elliptic import complete_first, incomplete_first, jacobi


@dataclass(frozen=True)
class CompoundPendulum:
    mass: float  # [kg]
    arm: float  # d, hinge to centre of mass [m]
    inertia: float  # about the centre of mass, axis y [kg m^2]
    gravity: float = 9.81  # [m/s^2]

    def __post_init__(self) -> None:
        if not (self.mass > 0.0 and self.arm > 0.0 and self.inertia >= 0.0 and self.gravity > 0.0):
            raise ValueError(f"{self}: mass, arm and gravity must be positive, inertia not negative.")

    @property
    def frequency(self) -> float:
        """Small swings, w0 = sqrt(m g d / (I + m d^2)) [rad/s]."""
        return float(np.sqrt(self.mass * self.gravity * self.arm / (self.inertia + self.mass * self.arm**2)))


class PendulumMotion(NamedTuple):
    angle: NDArray[np.float64]  # (n,) counts full turns [rad]
    rate: NDArray[np.float64]  # (n,) [rad/s]


def down(angle: ArrayLike) -> NDArray[np.float64]:
    """The direction (0, 0, -1) turned about +y by the angle, (..., 3)."""
    a = np.asarray(angle, dtype=float)
    return np.stack([-np.sin(a), np.zeros_like(a), -np.cos(a)], axis=-1)


def across(angle: ArrayLike) -> NDArray[np.float64]:
    """Derivative of `down` by the angle, (..., 3); down'' = -down."""
    a = np.asarray(angle, dtype=float)
    return np.stack([-np.cos(a), np.zeros_like(a), np.sin(a)], axis=-1)


def parameters(pendulum: CompoundPendulum, angle0: float, rate0: float) -> tuple[float, float]:
    """Energy over that at the upright rest, k^2 = sin^2(a0/2) + (a0'/2w0)^2, and 1 - k^2 without cancellation."""
    r, c = rate0 / (2.0 * pendulum.frequency), float(np.cos(0.5 * angle0))
    return float(np.sin(0.5 * angle0) ** 2 + r * r), (c - r) * (c + r)


def period(pendulum: CompoundPendulum, angle0: float, rate0: float) -> float:
    """Time of a swing to and fro, 4 K(k^2) / w0, or of one turn, 2 K(1/k^2) / (k w0); infinite between them [s]."""
    k2, rest = parameters(pendulum, angle0, rate0)
    if rest >= 0.0:
        return 4.0 * complete_first(rest) / pendulum.frequency
    return 2.0 * complete_first(-rest / k2) / (np.sqrt(k2) * pendulum.frequency)


def compound_pendulum(t: ArrayLike, pendulum: CompoundPendulum, angle0: float, rate0: float) -> PendulumMotion:
    """Angle and rate at the times t (n,) [s], which may be negative.

        a'' = -w0^2 sin a,      k^2 as in `parameters`,      s = sign of the rate
        k < 1:   sin(a/2) = k sn,   cos(a/2) = dn,   a' = 2 k w0 cn      of  w0 t + u0 | k^2
        k >= 1:  a = 2 s am,                         a' = 2 s k w0 dn    of  k w0 t + u0 | 1/k^2

    A start at the number nearest to pi is not upright: it falls, after about 37 / w0.

    Source: Landau & Lifshitz, Mechanics, section 11, problem 1; DLMF 22.19(i).
    """
    t, w0 = np.asarray(t, dtype=float), pendulum.frequency
    turns = np.round(angle0 / (2.0 * np.pi))
    start = angle0 - 2.0 * np.pi * turns
    k2, rest = parameters(pendulum, start, rate0)
    k, s, c, r = np.sqrt(k2), np.sin(0.5 * start), np.cos(0.5 * start), rate0 / (2.0 * w0)
    if k2 == 0.0:
        return PendulumMotion(np.full_like(t, angle0), np.zeros_like(t))
    if rest > 0.0:
        u0 = incomplete_first(s / k, abs(r) / k, k2, rest)
        sn, cn, dn = jacobi(w0 * t + (u0 if r >= 0.0 else 2.0 * complete_first(rest) - u0), k2, rest)
        return PendulumMotion(2.0 * (np.pi * turns + np.arctan2(k * sn, dn)), 2.0 * k * w0 * cn)

    m, mc, sign = 1.0 / k2, -rest / k2, np.copysign(1.0, rate0)
    u, half_turn = k * w0 * t + incomplete_first(sign * s, abs(c), m, mc), 2.0 * complete_first(mc)
    passed = np.round(u / half_turn)  # zero where the half turn takes for ever
    sn, cn, dn = jacobi(u - (passed * half_turn if mc > 0.0 else 0.0), m, mc)
    amplitude = np.pi * passed + np.arctan2(sn, cn)
    return PendulumMotion(2.0 * (np.pi * turns + sign * amplitude), 2.0 * sign * k * w0 * dn)


def centre(pendulum: CompoundPendulum, angle: ArrayLike) -> NDArray[np.float64]:
    """Centre of mass p_WC (..., 3) [m]."""
    return pendulum.arm * down(angle)


def energy(pendulum: CompoundPendulum, angle: ArrayLike, rate: ArrayLike) -> NDArray[np.float64]:
    """Kinetic energy and height, zero at rest below the hinge [J]."""
    inertia = pendulum.inertia + pendulum.mass * pendulum.arm**2
    lift = 2.0 * pendulum.arm * np.sin(0.5 * np.asarray(angle, dtype=float)) ** 2
    return 0.5 * inertia * np.square(rate) + pendulum.mass * pendulum.gravity * lift


def pivot_force(pendulum: CompoundPendulum, angle: ArrayLike, rate: ArrayLike) -> NDArray[np.float64]:
    """Force of the hinge on the body in world (..., 3) [N]:  m (p'' + g e_z),  p'' = d (a'' down' - a'^2 down)."""
    a, w = np.asarray(angle, dtype=float)[..., None], np.asarray(rate, dtype=float)[..., None]
    turn = -(pendulum.frequency**2) * np.sin(a) * across(angle) - w * w * down(angle)
    return pendulum.mass * (pendulum.arm * turn + np.array([0.0, 0.0, pendulum.gravity]))
