"""Torque-free rigid body with any moments of inertia: angular velocity and attitude in closed form.

Euler's equations in principal body axes, angular momentum constant in world:

    I1 w1' = (I2 - I3) w2 w3   and cyclic,      L_W = R_WB I w_B,      2T = w_B . I w_B

Axes are named by their part in the motion: c, about which w never changes sign, is the axis of the largest moment if
L^2 > 2T I_b and of the smallest if L^2 < 2T I_b; b is the axis of the middle moment; a is the third. In the frame P
with x along +-a, y along +-b, z along +-c, signs such that wx(0) >= 0, wz > 0 and P is right-handed:

    wx = A_a cn(u),   wy = s A_b sn(u),   wz = A_c dn(u),      u = u0 + p t,      s = sign(I_c - I_a)
    N_a = |L^2 - 2T I_a|,   N_b = |L^2 - 2T I_b|,   N_c = |L^2 - 2T I_c|
    A_a^2 = N_c / (I_a |I_c - I_a|),   A_b^2 = N_c / (I_b |I_c - I_b|),   A_c^2 = N_a / (I_c |I_c - I_a|)
    p^2   = |I_c - I_b| N_a / (I_a I_b I_c)
    m     = |I_b - I_a| N_c / (|I_c - I_b| N_a),       mc = 1 - m = |I_c - I_a| N_b / (|I_c - I_b| N_a)

mc = 0 is the separatrix L^2 = 2T I_b, where sn, cn, dn become tanh, sech, sech.

The attitude follows from L, fixed in world, as R_LP = Rz(phi) Ry(theta) Rz(psi) with z of frame L along L:

    L_P  = |L| (-sin theta cos psi, sin theta sin psi, cos theta)             gives theta and psi
    phi' = |L| (I_a wx^2 + I_b wy^2) / (I_a^2 wx^2 + I_b^2 wy^2)
         = |L| / I_b + |L| (1 / I_a - 1 / I_b) cn^2 / (cn^2 + r sn^2)         r = I_b (I_c - I_a) / (I_a (I_c - I_b))

whose integral is an elliptic integral of the third kind, evaluated by Carlson's R_J: no quadrature, no time stepping.

Source: Landau & Lifshitz, Mechanics, section 37; Whittaker, Analytical Dynamics, section 69; for the closed form in
numbers van Zon & Schofield, J. Comput. Phys. 225 (2007) 145-164.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .elliptic import cn_squared_integral, complete_first, incomplete_first, jacobi
from .quaternion import quat_about, quat_conj, quat_exp, quat_mul, quat_unit, rotation

E_Y, E_Z = np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0])


class FreeTopMotion(NamedTuple):
    w_WB_B: NDArray[np.float64]  # (n, 3) angular velocity in body axes [rad/s]
    q_WB: NDArray[np.float64]  # (n, 4) body to world, continuous in time: no sign jumps
    R_WB: NDArray[np.float64]  # (n, 3, 3)


@dataclass(frozen=True, slots=True)
class _Orbit:
    """The constants of one motion that is not steady; letters as in the head of this file."""

    inertia_P: NDArray[np.float64]  # (3,) I_a, I_b, I_c
    amplitude_P: NDArray[np.float64]  # (3,) A_a, s A_b, A_c
    R_BP: NDArray[np.float64]  # (3, 3) signed permutation
    m: float
    mc: float
    K: float  # quarter period in u, infinite on the separatrix
    u0: float  # in [-K, K]
    rate: float  # p = u'


def _checked(inertia: ArrayLike, w_WB_B0: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    I, w0 = np.asarray(inertia, dtype=float), np.asarray(w_WB_B0, dtype=float)  # noqa: E741
    if I.shape != (3,) or w0.shape != (3,) or not (np.all(np.isfinite(I)) and np.all(np.isfinite(w0))):
        raise ValueError(f"free top: inertia {I} and w_WB_B0 {w0} must be three finite numbers each.")
    if not np.all(I > 0.0):
        raise ValueError(f"free top: moments of inertia {I} must be positive.")
    return I, w0


def _orbit(inertia: ArrayLike, w_WB_B0: ArrayLike) -> _Orbit | None:
    """Constants of the motion, or None if w is constant (spin about a principal axis).

    Floats are rationals, so the differences of nearly equal products are taken without rounding. This matters at the
    separatrix: the time of a flip goes with log(mc), and mc is the small difference N_b.
    """
    I_float, w_float = _checked(inertia, w_WB_B0)
    I, w = [Fraction(float(x)) for x in I_float], [Fraction(float(x)) for x in w_float]  # noqa: E741
    if all((I[i] - I[j]) * w[i] * w[j] == 0 for i, j in ((0, 1), (1, 2), (2, 0))):
        return None

    # L^2 - 2T I_b chooses the axis that w goes round.
    small, b, large = sorted(range(3), key=lambda i: I[i])
    N_b = I[large] * (I[large] - I[b]) * w[large] ** 2 - I[small] * (I[b] - I[small]) * w[small] ** 2
    a, c = (small, large) if N_b >= 0 else (large, small)
    N_a = I[b] * abs(I[b] - I[a]) * w[b] ** 2 + I[c] * abs(I[c] - I[a]) * w[c] ** 2
    N_c = I[a] * abs(I[c] - I[a]) * w[a] ** 2 + I[b] * abs(I[c] - I[b]) * w[b] ** 2
    I_ca, I_cb, I_ba = abs(I[c] - I[a]), abs(I[c] - I[b]), abs(I[b] - I[a])
    m, mc = float(I_ba * N_c / (I_cb * N_a)), float(I_ca * abs(N_b) / (I_cb * N_a))
    rate = np.sqrt(float(I_cb * N_a / (I[a] * I[b] * I[c])))
    A_a, A_b = np.sqrt(float(N_c / (I[a] * I_ca))), np.sqrt(float(N_c / (I[b] * I_cb)))
    A_c = np.sqrt(float(N_a / (I[c] * I_ca)))
    sign = 1.0 if I[c] > I[a] else -1.0

    R_BP = np.zeros((3, 3))
    R_BP[a, 0] = -1.0 if w[a] < 0 else 1.0
    R_BP[c, 2] = -1.0 if w[c] < 0 else 1.0
    R_BP[:, 1] = np.cross(R_BP[:, 2], R_BP[:, 0])

    # Phase at t = 0; cn and sn are known, so their small values keep their digits.
    w_P = R_BP.T @ w_float
    cn0, sn0 = w_P[0] / A_a, sign * w_P[1] / A_b
    length = np.hypot(cn0, sn0)  # 1 but for rounding
    return _Orbit(
        inertia_P=I_float[[a, b, c]],
        amplitude_P=np.array([A_a, sign * A_b, A_c]),
        R_BP=R_BP,
        m=m,
        mc=mc,
        K=complete_first(mc),
        u0=float(incomplete_first(sn0 / length, cn0 / length, m, mc)),
        rate=float(rate),
    )


def _quat_of_signed_permutation(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """Either of the two quaternions of a rotation matrix; by the largest of the four components (Shepperd, 1978)."""
    four = np.array(
        [
            [1.0 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1.0 + R[0, 0] - R[1, 1] - R[2, 2], R[1, 0] + R[0, 1], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[1, 0] + R[0, 1], 1.0 - R[0, 0] + R[1, 1] - R[2, 2], R[2, 1] + R[1, 2]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2], 1.0 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )  # row i is 4 q_i q
    row = four[np.argmax(np.diag(four))]
    return row / np.linalg.norm(row)


def _euler_quat(phi: ArrayLike, theta: ArrayLike, psi: ArrayLike) -> NDArray[np.float64]:
    """q_LP = Rz(phi) Ry(theta) Rz(psi)."""
    return quat_mul(quat_mul(quat_about(E_Z, phi), quat_about(E_Y, theta)), quat_about(E_Z, psi))


def free_top(t: ArrayLike, inertia: ArrayLike, w_WB_B0: ArrayLike, q_WB0: ArrayLike) -> FreeTopMotion:
    """Angular velocity and attitude of a torque-free rigid body; equations and source in the head of this file.

    Moments may be in any order and may be equal. Nothing is approximated, also not near the separatrix; errors are
    rounding, about 1e-16 times the angle turned. The result belongs to the floats given: a w_WB_B0 meant for the
    separatrix, but rounded off it, flips again and again, with about 40 / growth_rate between flips. Moments (3, 4, 6)
    with w1 = 2 w3 lie on the separatrix exactly, also in floats.

    Parameters
    ----------
    t : (n,) or scalar [s], may be negative
    inertia : (3,) principal moments about the centre of mass, along the body axes [kg m^2], positive
    w_WB_B0 : (3,) angular velocity in body axes at t = 0 [rad/s]
    q_WB0 : (4,) attitude at t = 0
    """
    t = np.asarray(t, dtype=float)
    q0 = quat_unit(q_WB0, "free_top")
    orbit = _orbit(inertia, w_WB_B0)
    if orbit is None:
        w0 = np.asarray(w_WB_B0, dtype=float)
        q_WB = quat_mul(q0, quat_exp(w0, t))
        return FreeTopMotion(np.broadcast_to(w0, (*t.shape, 3)).copy(), q_WB, rotation(q_WB))

    # Angular velocity: u = v + 2 K j with |v| <= K; sn and cn change sign with each half turn j.
    I_a, I_b, I_c = orbit.inertia_P
    u = orbit.u0 + orbit.rate * t
    half_turns = np.round(u / (2.0 * orbit.K))
    v = u - 2.0 * orbit.K * half_turns if np.isfinite(orbit.K) else u
    sn, cn, dn = jacobi(v, orbit.m, orbit.mc)
    flip = 1.0 - 2.0 * np.mod(half_turns, 2.0)
    w_P = orbit.amplitude_P * np.stack([flip * cn, flip * sn, dn], axis=-1)

    # The direction of L in the body: chi = atan2(Ly, Lx) goes on by half a turn with each j, cn(v) is not negative.
    def polar_angles(w: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        L_P = orbit.inertia_P * w
        return np.arctan2(np.hypot(L_P[..., 0], L_P[..., 1]), L_P[..., 2]), np.arctan2(L_P[..., 1], L_P[..., 0])

    sense = np.sign(orbit.amplitude_P[1])
    theta, chi_v = polar_angles(w_P * np.stack([flip, flip, np.ones_like(flip)], axis=-1))
    chi = chi_v + sense * np.pi * half_turns
    w_P0 = orbit.R_BP.T @ np.asarray(w_WB_B0, dtype=float)
    theta0, chi0 = polar_angles(w_P0)

    # The angle about L: a mean turn and an integral of the third kind from u0 to u.
    L = float(np.linalg.norm(orbit.inertia_P * w_P0))
    r = I_b * (I_c - I_a) / (I_a * (I_c - I_b))
    sn0, cn0, _ = jacobi(orbit.u0, orbit.m, orbit.mc)
    integral = cn_squared_integral(sn, cn, orbit.m, orbit.mc, r)
    integral = integral - cn_squared_integral(sn0, cn0, orbit.m, orbit.mc, r)
    integral = integral + 2.0 * half_turns * cn_squared_integral(1.0, 0.0, orbit.m, orbit.mc, r)
    phi = L / I_b * t + L * (I_b - I_a) / (I_a * I_b) / orbit.rate * integral

    q_BP = _quat_of_signed_permutation(orbit.R_BP)
    q_PP0 = quat_mul(quat_conj(_euler_quat(0.0, theta0, np.pi - chi0)), _euler_quat(phi, theta, np.pi - chi))
    q_WB = quat_mul(quat_mul(quat_mul(q0, q_BP), q_PP0), quat_conj(q_BP))
    return FreeTopMotion(w_P @ orbit.R_BP.T, q_WB, rotation(q_WB))


def parameter(inertia: ArrayLike, w_WB_B0: ArrayLike) -> tuple[float, float]:
    """Parameter m of the elliptic functions and mc = 1 - m, both to full relative accuracy; mc = 0: separatrix."""
    orbit = _orbit(inertia, w_WB_B0)
    if orbit is None:
        raise ValueError("free top: w_WB_B0 is along a principal axis and stays constant; it has no parameter m.")
    return orbit.m, orbit.mc


def period(inertia: ArrayLike, w_WB_B0: ArrayLike) -> float:
    """Period of w in body axes,  4 K(m) / p [s]; infinite on the separatrix. The attitude in general has no period."""
    orbit = _orbit(inertia, w_WB_B0)
    if orbit is None:
        raise ValueError("free top: w_WB_B0 is along a principal axis and stays constant; it has no period.")
    return 4.0 * orbit.K / orbit.rate


def flip_interval(inertia: ArrayLike, w_WB_B0: ArrayLike) -> float:
    """Time between two flips of the spin about the middle axis (w_b changes sign),  2 K(m) / p [s]: half a period."""
    return 0.5 * period(inertia, w_WB_B0)


def flip_times(t_end: float, inertia: ArrayLike, w_WB_B0: ArrayLike) -> NDArray[np.float64]:
    """All times in [0, t_end] at which w_b passes zero, (n,) [s]; at most one on the separatrix, none if steady."""
    orbit = _orbit(inertia, w_WB_B0)
    if orbit is None:
        return np.zeros(0)
    first, step = -orbit.u0 / orbit.rate, 2.0 * orbit.K / orbit.rate
    if not np.isfinite(step):
        return np.array([first])[[0.0 <= first <= t_end]]
    if first < 0.0:
        first = (2.0 * orbit.K - orbit.u0) / orbit.rate
    return first + step * np.arange(max(0, int(np.floor((t_end - first) / step)) + 1))


def growth_rate(inertia: ArrayLike, spin: float) -> float:
    """Rate at which a disturbance of a spin about the middle axis grows or decays,  exp(+- lambda t) [1/s].

        lambda = |spin| sqrt((I3 - I2)(I2 - I1) / (I1 I3))        I1 <= I2 <= I3

    Source: linearised Euler equations; Landau & Lifshitz, Mechanics, section 37.
    """
    I1, I2, I3 = np.sort(np.asarray(inertia, dtype=float))
    return float(abs(spin) * np.sqrt((I3 - I2) * (I2 - I1) / (I1 * I3)))


def flip_interval_small(inertia: ArrayLike, w_WB_B0: ArrayLike) -> float:
    """Leading term of `flip_interval` for a spin w2 about the middle axis with small w1, w3 [s].

        (2 / lambda) ln(4 / sqrt(mc)),   mc = (I3 - I1) |I3 (I3 - I2) w3^2 - I1 (I2 - I1) w1^2|
                                              / (I2 (I3 - I2)(I2 - I1) w2^2)          I1 < I2 < I3

    The relative error is of order (w1^2 + w3^2) / w2^2.   Source: DLMF 19.12.1, K = ln(4 / k') + O(mc ln mc).
    """
    I, w = _checked(inertia, w_WB_B0)  # noqa: E741
    order = np.argsort(I)
    (I1, I2, I3), (w1, w2, w3) = I[order], w[order]
    mc = (I3 - I1) * abs(I3 * (I3 - I2) * w3**2 - I1 * (I2 - I1) * w1**2) / (I2 * (I3 - I2) * (I2 - I1) * w2**2)
    return float(2.0 / growth_rate(I, w2) * np.log(4.0 / np.sqrt(mc)))
