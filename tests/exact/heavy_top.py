"""Symmetric top with one fixed point under gravity: nutation, precession and spin by elliptic functions.

World z is up, the fixed point is the origin, the body's z axis is the symmetry axis and runs from the fixed point to
the centre of mass. Euler angles z-x-z:  R_WB = Rz(phi) Rx(theta) Rz(psi),  theta = 0 upright.
Conserved besides the energy:  p_psi = I3 w3  and  p_phi = I1 sin^2(theta) phi' + p_psi cos(theta).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import elliprf, elliprj

from .elliptic import complete_first, incomplete_first, jacobi
from .quaternion import quat_about, quat_mul


@dataclass(frozen=True)
class HeavyTop:
    mass: float  # [kg]
    arm: float  # fixed point to centre of mass [m]
    inertia_across: float  # I1 about the fixed point: that about the centre of mass + m arm^2 [kg m^2]
    inertia_axis: float  # I3 [kg m^2]
    gravity: float = 9.81  # [m/s^2]

    def __post_init__(self) -> None:
        if not min(self.mass, self.arm, self.inertia_across, self.inertia_axis, self.gravity) > 0.0:
            raise ValueError(f"{self}: every value must be positive.")

    @property
    def moment(self) -> float:
        """m g l [N m]."""
        return self.mass * self.gravity * self.arm


class TopStart(NamedTuple):
    theta: float  # [rad], between 0 and pi
    theta_rate: float  # [rad/s]
    phi_rate: float
    psi_rate: float


class HeavyTopMotion(NamedTuple):
    theta: NDArray[np.float64]  # (n,) [rad]
    phi: NDArray[np.float64]  # zero at t = 0
    psi: NDArray[np.float64]  # zero at t = 0
    theta_rate: NDArray[np.float64]  # (n,) [rad/s]
    phi_rate: NDArray[np.float64]
    psi_rate: NDArray[np.float64]

    @property
    def q_WB(self) -> NDArray[np.float64]:
        """Attitude, (n, 4)."""
        tilted = quat_mul(quat_about([0, 0, 1], self.phi), quat_about([1, 0, 0], self.theta))
        return quat_mul(tilted, quat_about([0, 0, 1], self.psi))


def _roots(top: HeavyTop, start: TopStart) -> tuple[float, float, float]:
    """Roots x1 <= 0 <= x2 < x3 of u'^2 = alpha (x - x1)(x - x2)(x - x3), x = u - u0, u = cos(theta).

    Taylor coefficients about the start, the large root by Newton from above, then the quadratic that is left, whose
    discriminant is a sum of squares: no digits are lost near steady precession, where x1 and x2 meet.
    """
    u0, s2, n = np.cos(start.theta), np.sin(start.theta) ** 2, start.phi_rate
    b = top.inertia_axis / top.inertia_across * (start.psi_rate + n * u0)
    c3 = 2.0 * top.moment / top.inertia_across
    c0, speed2 = s2 * start.theta_rate**2, start.theta_rate**2 + s2 * n * n
    c1 = -2.0 * u0 * start.theta_rate**2 + s2 * (2.0 * n * (b - u0 * n) - c3)
    c2 = -speed2 + 2.0 * c3 * u0 - b * b
    x3, last = 1.0 + max(abs(c0), abs(c1), abs(c2)) / c3, np.inf
    while x3 < last:
        last = x3
        x3 -= (((c3 * x3 + c2) * x3 + c1) * x3 + c0) / ((3.0 * c3 * x3 + 2.0 * c2) * x3 + c1)
    q0 = -c0 / x3
    q1 = (q0 - c1) / x3
    far = -0.5 * (q1 + np.copysign(np.sqrt(q1 * q1 - 4.0 * c3 * q0), q1))
    pair = (far / c3, q0 / far if far != 0.0 else 0.0)
    return min(pair), max(pair), last


def nutation_limits(top: HeavyTop, start: TopStart) -> tuple[float, float]:
    """Smallest and largest theta [rad]."""
    x1, x2, _ = _roots(top, start)
    u0 = np.cos(start.theta)
    return float(np.arccos(min(u0 + x2, 1.0))), float(np.arccos(max(u0 + x1, -1.0)))


def nutation_period(top: HeavyTop, start: TopStart) -> float:
    """Time from one smallest theta to the next, 2 K / W [s]."""
    x1, x2, x3 = _roots(top, start)
    return 2.0 * complete_first((x3 - x2) / (x3 - x1)) / np.sqrt(top.moment * (x3 - x1) / (2.0 * top.inertia_across))


def heavy_top(t: ArrayLike, top: HeavyTop, start: TopStart) -> HeavyTopMotion:
    """Motion at the times t (n,) [s] of a top whose axis does not pass the vertical (there phi jumps; refused).

        cos(theta) = u1 + (u2 - u1) sn^2(W t + d | m),   W^2 = m g l (u3 - u1) / 2 I1,   m = (u2 - u1) / (u3 - u1)
        2 I1 phi' = (p_phi - p_psi) / (1 - u) + (p_phi + p_psi) / (1 + u),     psi' = p_psi / I3 - phi' u

    phi and psi are integrals of the third kind, in Carlson's form.
    Source: Landau & Lifshitz, Mechanics, section 35, problem 1; Whittaker, Analytical Dynamics, article 73.
    """
    t, I1, I3 = np.asarray(t, dtype=float), top.inertia_across, top.inertia_axis
    u0, s0 = np.cos(start.theta), np.sin(start.theta)
    x1, x2, x3 = _roots(top, start)
    below, above = 2.0 * np.cos(0.5 * start.theta) ** 2, 2.0 * np.sin(0.5 * start.theta) ** 2  # 1 + u0, 1 - u0
    if not (above - x2 > 1e-9 and below + x1 > 1e-9):
        raise ValueError(f"heavy_top: {start} passes the vertical, where the Euler angles have no value.")
    m, mc, W = (x2 - x1) / (x3 - x1), (x3 - x2) / (x3 - x1), np.sqrt(top.moment * (x3 - x1) / (2.0 * I1))
    d = 0.0
    if x2 > x1:
        d = float(incomplete_first(np.sqrt(-x1 / (x2 - x1)), np.sqrt(x2 / (x2 - x1)), m, mc))
    d = np.copysign(d, -s0 * start.theta_rate)
    sn, cn, dn = jacobi(W * t + d, m, mc)
    u, su2 = u0 + x1 + (x2 - x1) * sn * sn, (above - x1 - (x2 - x1) * sn**2) * (below + x1 + (x2 - x1) * sn**2)

    def third(arg: NDArray[np.float64] | float, p_end: float) -> NDArray[np.float64]:
        """Integral of 1 / (1 - n sn^2) from 0, p_end = 1 - n."""
        n, halves = 1.0 - p_end, np.round(np.asarray(arg) / (2.0 * complete_first(mc)))
        s, c, _ = jacobi(arg - 2.0 * complete_first(mc) * halves, m, mc)
        y, p = mc + m * c * c, c * c + p_end * s * s
        part = s * (elliprf(c * c, y, 1.0) + n / 3.0 * s * s * elliprj(c * c, y, 1.0, p))
        return 2.0 * halves * (elliprf(0.0, mc, 1.0) + n / 3.0 * elliprj(0.0, mc, 1.0, p_end)) + part

    def mean(first: float, last: float) -> NDArray[np.float64]:
        """Integral over time of the inverse of a distance that is `first` at u1 and `last` at u2."""
        return (third(W * t + d, last / first) - third(d, last / first)) / (W * first)

    p_psi = I3 * (start.psi_rate + start.phi_rate * u0)
    p_phi = I1 * s0 * s0 * start.phi_rate + p_psi * u0
    up, low = (p_phi - p_psi) / (2.0 * I1), (p_phi + p_psi) / (2.0 * I1)
    to_top, to_bottom = mean(above - x1, above - x2), mean(below + x1, below + x2)
    phi_rate = (p_phi - p_psi * u) / (I1 * su2)
    # In phi' u:  u / (1 - u) = 1 / (1 - u) - 1  and  u / (1 + u) = 1 - 1 / (1 + u).
    psi = (p_psi / I3 + up - low) * t - up * to_top + low * to_bottom
    theta_rate = -2.0 * (x2 - x1) * W * sn * cn * dn / np.sqrt(su2)
    return HeavyTopMotion(
        np.arctan2(np.sqrt(su2), u), up * to_top + low * to_bottom, psi, theta_rate, phi_rate, p_psi / I3 - phi_rate * u
    )


def steady_precession(top: HeavyTop, theta: float, w_axis: float) -> tuple[float, float]:
    """Slow and fast phi' with constant theta [rad/s]; w_axis = w3 = psi' + phi' cos(theta).

    I1 cos(theta) phi'^2 - I3 w3 phi' + m g l = 0       the fast one is infinite for a level axis
    """
    spin, c = top.inertia_axis * w_axis, top.inertia_across * np.cos(theta)
    square = spin * spin - 4.0 * c * top.moment
    if square < 0.0 or spin == 0.0:
        raise ValueError(f"steady_precession: {w_axis!r} rad/s is too slow, (I3 w3)^2 < 4 I1 m g l cos(theta).")
    total = spin + np.copysign(np.sqrt(square), spin)
    return 2.0 * top.moment / total, total / (2.0 * c) if c != 0.0 else np.copysign(np.inf, spin)


def reaction(top: HeavyTop, motion: HeavyTopMotion) -> NDArray[np.float64]:
    """Force on the top at the fixed point in world (n, 3) [N]:  m (l e'' + g e_z),  e the axis.

    From the moment balance,  I1 e x e'' = l e x (-m g e_z) - I3 w3 e',  and e . e'' = -|e'|^2.
    """
    sin, cos = np.sin(motion.theta), np.cos(motion.theta)
    e = np.stack([sin * np.sin(motion.phi), -sin * np.cos(motion.phi), cos], axis=-1)
    level = np.stack([np.cos(motion.phi), np.sin(motion.phi), np.zeros_like(sin)], axis=-1)
    rate = motion.theta_rate[..., None] * np.cross(level, e) + motion.phi_rate[..., None] * np.cross([0, 0, 1.0], e)
    spin = top.inertia_axis * (motion.psi_rate + motion.phi_rate * cos)[..., None]
    turn = (np.cross(e, [0, 0, -top.moment]) - spin * rate) / top.inertia_across
    second = np.cross(turn, e) - np.sum(rate * rate, axis=-1, keepdims=True) * e
    return top.mass * (top.arm * second + np.array([0.0, 0.0, top.gravity]))
