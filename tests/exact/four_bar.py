"""Planar four-bar linkage: crank AB, coupler BC, rocker DC, ground AD.

World z is up, the linkage lies in the x-z plane, hinge axes are +y, A is the origin and D = (ground, 0, 0). Angles are
absolute, follow the right-hand rule about +y and are zero along +x: a bar at angle a points along (cos a, 0, -sin a).
Inside, a point is the complex number x - i z, so that a turn by a about +y is a product with exp(i a).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp


@dataclass(frozen=True)
class FourBar:
    crank: float  # a [m]
    coupler: float  # b [m]
    rocker: float  # c [m]
    ground: float  # d [m]
    above: bool = True  # C on the side of +z when D lies in the +x direction from B

    @property
    def turns_fully(self) -> bool:
        """The crank can go round (Grashof: |a - d| and a + d both lie between |b - c| and b + c)."""
        least, most = abs(self.coupler - self.rocker), self.coupler + self.rocker
        return least < abs(self.crank - self.ground) and self.crank + self.ground < most


class FourBarMotion(NamedTuple):
    coupler: NDArray[np.float64]  # (...,) angle, between -pi and pi [rad]
    rocker: NDArray[np.float64]
    coupler_rate: NDArray[np.float64]  # [rad/s]
    rocker_rate: NDArray[np.float64]
    coupler_second: NDArray[np.float64]  # [rad/s^2]
    rocker_second: NDArray[np.float64]
    p_WB: NDArray[np.float64]  # (..., 3) [m]
    p_WC: NDArray[np.float64]


def world(z: ArrayLike) -> NDArray[np.float64]:
    """Points or vectors of the plane, x - i z, as (..., 3)."""
    z = np.asarray(z, dtype=complex)
    return np.stack([z.real, np.zeros_like(z.real), -z.imag], axis=-1)


def four_bar(bar: FourBar, angle: ArrayLike, rate: ArrayLike = 0.0, second: ArrayLike = 0.0) -> FourBarMotion:
    """Positions, speeds and accelerations from those of the crank (t2, w2, e2), all (...,).

        B = a exp(i t2),   C from the triangle BCD by the law of cosines,   t3 = arg(C - B),  t4 = arg(C - D)
        w3 = -w2 a sin(t2 - t4) / (b sin(t3 - t4)),    w4 = w2 a sin(t2 - t3) / (c sin(t4 - t3))
        e3 b sin(t3 - t4) = -a (e2 sin + w2^2 cos)(t2 - t4) - b w3^2 cos(t3 - t4) + c w4^2
        e4 c sin(t4 - t3) =  a (e2 sin + w2^2 cos)(t2 - t3) + b w3^2 - c w4^2 cos(t4 - t3)

    Source: the loop AB + BC = AD + DC as complex numbers, differentiated twice; Norton, Design of Machinery, 4 to 7.
    """
    t2, w2, e2 = (np.asarray(v, dtype=float) for v in (angle, rate, second))
    a, b, c, d = bar.crank, bar.coupler, bar.rocker, bar.ground
    B = a * np.exp(1j * t2)
    f = np.abs(d - B)
    cosine = (b * b + f * f - c * c) / (2.0 * b * f)
    if not np.all(np.abs(cosine) < 1.0):
        raise ValueError(f"{bar}: coupler and rocker do not reach each other at some of these crank angles.")
    t3 = np.angle((d - B) * np.exp(-1j * np.arccos(cosine) * (1.0 if bar.above else -1.0)))
    C = B + b * np.exp(1j * t3)
    t4 = np.angle(C - d)
    sin34 = np.sin(t3 - t4)
    w3, w4 = -w2 * a * np.sin(t2 - t4) / (b * sin34), -w2 * a * np.sin(t2 - t3) / (c * sin34)
    on4 = a * (e2 * np.sin(t2 - t4) + w2**2 * np.cos(t2 - t4)) + b * w3**2 * np.cos(t3 - t4) - c * w4**2
    on3 = a * (e2 * np.sin(t2 - t3) + w2**2 * np.cos(t2 - t3)) + b * w3**2 - c * w4**2 * np.cos(t4 - t3)
    return FourBarMotion(t3, t4, w3, w4, -on4 / (b * sin34), -on3 / (c * sin34), world(B), world(C))


def crank_torque(
    bar: FourBar, angle: ArrayLike, rocker_torque: ArrayLike = 0.0, f_C_W: ArrayLike = (0.0, 0.0, 0.0)
) -> NDArray[np.float64]:
    """Torque on the crank that holds a torque on the rocker and a force at C, massless bars, (...,) [N m].

    Virtual work:  T2 + T4 w4/w2 + f . v_C/w2 = 0,   all torques about +y.
    """
    at, f = four_bar(bar, angle, 1.0), np.asarray(f_C_W, dtype=float)
    arm = at.p_WC - np.array([bar.ground, 0.0, 0.0])
    moment = arm[..., 2] * f[..., 0] - arm[..., 0] * f[..., 2]
    return -(np.asarray(rocker_torque, dtype=float) + moment) * at.rocker_rate


def coupler_thrust(bar: FourBar, angle: ArrayLike, rocker_torque: ArrayLike) -> NDArray[np.float64]:
    """Push of the coupler along BC that holds a torque on the rocker, massless bars: S = -T4 / (c sin(t3 - t4)) [N].

    S along BC is the force at every hinge: on the rocker at C, on the coupler at B, on the crank at A; its opposite
    acts on the crank at B and on the rocker at D.
    """
    at = four_bar(bar, angle)
    return -np.asarray(rocker_torque, dtype=float) / (bar.rocker * np.sin(at.coupler - at.rocker))


def reduced(
    bar: FourBar, masses: tuple[float, float, float], angle: ArrayLike, gravity: float = 9.81
) -> tuple[NDArray[np.float64], ...]:
    """Three uniform rods as seen at the crank: inertia J, its slope dJ/dt2 [kg m^2], height energy V, dV/dt2 [J].

    J = sum m |p'|^2 + m l^2/12 k^2,     ' by the crank angle,  p the middle of a rod,  k its rate over the crank's
    """
    t2 = np.asarray(angle, dtype=float)
    at = four_bar(bar, t2, 1.0)
    B = bar.crank * np.exp(1j * t2)
    DC = bar.rocker * np.exp(1j * at.rocker)
    C1, C2 = 1j * at.rocker_rate * DC, (1j * at.rocker_second - at.rocker_rate**2) * DC
    J, J1, V, V1 = np.zeros((4, *t2.shape))
    rods = (
        (bar.crank, 0.5 * B, 0.5j * B, -0.5 * B, 1.0, 0.0),
        (
            bar.coupler,
            0.5 * (B + bar.ground + DC),
            0.5 * (1j * B + C1),
            0.5 * (C2 - B),
            at.coupler_rate,
            at.coupler_second,
        ),
        (bar.rocker, bar.ground + 0.5 * DC, 0.5 * C1, 0.5 * C2, at.rocker_rate, at.rocker_second),
    )
    for mass, (length, p, p1, p2, k, k1) in zip(masses, rods, strict=True):
        J = J + mass * (np.abs(p1) ** 2 + length**2 / 12.0 * k**2)
        J1 = J1 + 2.0 * mass * ((np.conj(p1) * p2).real + length**2 / 12.0 * k * k1)
        V, V1 = V - mass * gravity * p.imag, V1 - mass * gravity * p1.imag
    return J, J1, V, V1


def four_bar_motion(
    t: ArrayLike,
    bar: FourBar,
    masses: tuple[float, float, float],
    angle0: float,
    rate0: float,
    gravity: float = 9.81,
    torque: float = 0.0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Crank angle and rate at the increasing times t (n,) of uniform rods under gravity and a constant crank torque.

    J t2'' + dJ/dt2 t2'^2 / 2 = T - dV/dt2,  integrated by DOP853 with rtol 1e-12; energy J t2'^2 / 2 + V - T t2.
    """
    t = np.asarray(t, dtype=float)

    def rhs(_: float, y: NDArray[np.float64]) -> list[float]:
        J, J1, _V, V1 = reduced(bar, masses, y[0], gravity)
        return [y[1], float((torque - V1 - 0.5 * J1 * y[1] ** 2) / J)]

    run = solve_ivp(rhs, (t[0], t[-1]), [angle0, rate0], method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t)
    if not run.success:
        raise RuntimeError(f"four_bar_motion: {run.message}")
    return run.y[0], run.y[1]
