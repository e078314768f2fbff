"""Two point masses joined by a linear spring with damper, moving along their common line."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class TwoBodiesMotion(NamedTuple):
    p_WA: NDArray[np.float64]  # (n, 3) [m]
    p_WB: NDArray[np.float64]  # (n, 3) [m]
    v_WA: NDArray[np.float64]  # (n, 3) [m/s]
    v_WB: NDArray[np.float64]  # (n, 3) [m/s]


def damped_oscillator(
    t: ArrayLike, *, mass: float, stiffness: float, damping: float, x0: float, v0: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Position and velocity of  m x'' + c x' + k x = 0,  under, at and over critical damping, t >= 0.

        d = c / (2 m),   w0^2 = k / m,   D = w0^2 - d^2
        x  = exp(-d t) (x0 C + (v0 + d x0) S)           C = cos(sqrt(D) t),   S = sin(sqrt(D) t) / sqrt(D)
        x' = exp(-d t) (v0 C - (w0^2 x0 + d v0) S)      D = 0: C = 1, S = t;  D < 0: cosh, sinh

    Source: Landau & Lifshitz, Mechanics, section 25.
    """
    t = np.asarray(t, dtype=float)
    d, w0_squared = damping / (2.0 * mass), stiffness / mass
    D = w0_squared - d * d
    if D >= 0.0:
        w = np.sqrt(D)
        C = np.exp(-d * t) * np.cos(w * t)
        S = np.exp(-d * t) * t * np.sinc(w * t / np.pi)  # numpy's sinc(y) is sin(pi y) / (pi y): smooth at D = 0
    else:
        # exp(-d t) cosh(kappa t) without overflow; the slow rate kappa - d without cancellation.
        kappa = np.sqrt(-D)
        slow = np.exp(-w0_squared / (kappa + d) * t)
        C = 0.5 * slow * (1.0 + np.exp(-2.0 * kappa * t))
        S = -0.5 * slow * np.expm1(-2.0 * kappa * t) / kappa
    return x0 * C + (v0 + d * x0) * S, v0 * C - (w0_squared * x0 + d * v0) * S


def two_bodies_spring(
    t: ArrayLike,
    *,
    mass_A: float,
    mass_B: float,
    stiffness: float,
    rest_length: float,
    damping: float = 0.0,
    p_WA0: ArrayLike,
    p_WB0: ArrayLike,
    v_WA0: ArrayLike,
    v_WB0: ArrayLike,
) -> TwoBodiesMotion:
    """Both positions and velocities; the centre of mass S may drift in any direction.

        n = (p_B - p_A) / l,   force on A:  f = (k (l - l0) + c l') n,   on B: -f
        m e'' + c e' + k e = 0         e = l - l0,   m = m_A m_B / (m_A + m_B)    (reduced mass)
        p_S = p_S0 + v_S t             p_A = p_S - m_B / (m_A + m_B) l n,   p_B = p_S + m_A / (m_A + m_B) l n

    Source: Landau & Lifshitz, Mechanics, sections 13 (reduced mass) and 25 (damped oscillation).

    Does not cover: relative velocity across the line (the pair would turn), and lengths that reach zero, where the
    direction n flips. Both raise; the length is looked at in the requested times only.

    Parameters
    ----------
    t : (n,) or scalar, not negative [s]
    mass_A, mass_B : [kg];  stiffness : k [N/m];  rest_length : l0 [m];  damping : c [N s/m]
    p_WA0, p_WB0 : (3,) positions at t = 0 [m], apart from each other
    v_WA0, v_WB0 : (3,) velocities at t = 0 [m/s]; their difference lies along the line
    """
    if not (mass_A > 0.0 and mass_B > 0.0 and stiffness >= 0.0 and damping >= 0.0):
        raise ValueError(
            f"two_bodies_spring: masses ({mass_A!r}, {mass_B!r}) must be positive, "
            f"stiffness {stiffness!r} and damping {damping!r} not negative."
        )
    t = np.asarray(t, dtype=float)
    p_A0, p_B0, v_A0, v_B0 = (np.asarray(x, dtype=float) for x in (p_WA0, p_WB0, v_WA0, v_WB0))
    length0 = float(np.linalg.norm(p_B0 - p_A0))
    if length0 == 0.0:
        raise ValueError("two_bodies_spring: A and B start at the same point. Move them apart to give the line.")
    n_W = (p_B0 - p_A0) / length0
    v_AB = v_B0 - v_A0
    length_rate0 = float(v_AB @ n_W)
    across = float(np.linalg.norm(v_AB - length_rate0 * n_W))
    if across > 1e-12 * float(np.linalg.norm(v_A0) + np.linalg.norm(v_B0)):  # rounding of the input, times 1e4
        raise ValueError(
            f"two_bodies_spring: relative velocity across the line is {across:.3g} m/s, expected 0. "
            "Give both bodies the same velocity across the line."
        )

    mass = mass_A + mass_B
    stretch, length_rate = damped_oscillator(
        t,
        mass=mass_A * mass_B / mass,
        stiffness=stiffness,
        damping=damping,
        x0=length0 - rest_length,
        v0=length_rate0,
    )
    length = rest_length + stretch
    if np.any(length <= 0.0):
        raise ValueError(
            f"two_bodies_spring: length falls to {np.min(length):.3g} m, expected > 0. "
            "Use a longer rest length or a smaller amplitude."
        )
    v_S = (mass_A * v_A0 + mass_B * v_B0) / mass
    p_S = (mass_A * p_A0 + mass_B * p_B0) / mass + v_S * t[..., None]
    d, d_rate = length[..., None] * n_W, length_rate[..., None] * n_W
    return TwoBodiesMotion(
        p_WA=p_S - mass_B / mass * d,
        p_WB=p_S + mass_A / mass * d,
        v_WA=v_S - mass_B / mass * d_rate,
        v_WB=v_S + mass_A / mass * d_rate,
    )
