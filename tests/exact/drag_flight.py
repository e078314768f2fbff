"""Vertical flight with quadratic drag."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class DragFlight(NamedTuple):
    z: NDArray[np.float64]  # (n,) height, up positive [m]
    v: NDArray[np.float64]  # (n,) vertical velocity, up positive [m/s]


def _check(mass: float, gravity: float, drag: float) -> None:
    if not (mass > 0.0 and gravity > 0.0 and drag > 0.0):
        raise ValueError(
            f"drag flight: mass {mass!r}, gravity {gravity!r} and drag {drag!r} must be positive. "
            "Without drag use exact.ballistic."
        )


def terminal_speed(*, mass: float, gravity: float, drag: float) -> float:
    """Speed at which drag carries the weight,  v_T = sqrt(m g / c) [m/s]."""
    _check(mass, gravity, drag)
    return float(np.sqrt(mass * gravity / drag))


def apex_time(*, mass: float, gravity: float, drag: float, v0: float) -> float:
    """Time from launch to v = 0,  t_a = (v_T / g) atan(v0 / v_T) [s]; zero if launched downwards."""
    v_T = terminal_speed(mass=mass, gravity=gravity, drag=drag)
    return float(v_T / gravity * np.arctan(max(v0, 0.0) / v_T))


def apex_height(*, mass: float, gravity: float, drag: float, v0: float) -> float:
    """Height of the apex above the launch,  v_T^2 / (2 g) ln(1 + v0^2 / v_T^2) [m]; zero if launched downwards."""
    v_T = terminal_speed(mass=mass, gravity=gravity, drag=drag)
    return float(v_T**2 / (2.0 * gravity) * np.log1p((max(v0, 0.0) / v_T) ** 2))


def _rise(tau: NDArray[np.float64], b: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scaled motion while rising from speed b: (ln(cos tau + b sin tau), speed up)."""
    gain = np.log1p(b * np.sin(tau) - 2.0 * np.sin(0.5 * tau) ** 2)
    return gain, (b - np.tan(tau)) / (1.0 + b * np.tan(tau))


def _fall(tau: NDArray[np.float64], b: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scaled motion while falling from speed b: (ln(cosh tau + b sinh tau), speed down)."""
    # Short times: small minus small, so that weak drag keeps its digits. Long times: no overflow of cosh.
    short = np.minimum(tau, 1.0)
    loss_short = np.log1p(b * np.sinh(short) + 2.0 * np.sinh(0.5 * short) ** 2)
    loss_long = tau + np.log1p(-0.5 * (b - 1.0) * np.expm1(-2.0 * tau))
    return np.where(tau < 1.0, loss_short, loss_long), (b + np.tanh(tau)) / (1.0 + b * np.tanh(tau))


def drag_flight(t: ArrayLike, *, mass: float, gravity: float, drag: float, z0: float, v0: float) -> DragFlight:
    """Height and velocity of a body thrown straight up or down.

        m v' = -m g - c v |v|,      z' = v,      v_T = sqrt(m g / c),   tau = g t / v_T,   b = |v0| / v_T

        rising    v =  v_T tan(atan b - tau)              z = z0 + (v_T^2 / g) ln(cos tau + b sin tau)
        falling   v = -v_T (b + tanh tau)/(1 + b tanh tau) z = z0 - (v_T^2 / g) ln(cosh tau + b sinh tau)

    A launch upwards rises until the apex, v_T/g atan b, and falls from rest there (v = -v_T tanh). A launch downwards
    may be faster than v_T; the same formula then is the coth branch.

    Source: separation of variables in both branches; Synge & Griffith, Principles of Mechanics, on resisted motion.

    Parameters
    ----------
    t : (n,) or scalar, not negative [s]
    mass : [kg];  gravity : g [m/s^2];  drag : c in f = c v^2 [N s^2/m^2 = kg/m]; all positive
    z0, v0 : height [m] and velocity [m/s] at t = 0, up positive
    """
    v_T = terminal_speed(mass=mass, gravity=gravity, drag=drag)
    t = np.asarray(t, dtype=float)
    if np.any(t < 0.0):
        raise ValueError(f"drag_flight: earliest time is {np.min(t):.3g}, expected t >= 0 (the launch).")
    b = abs(v0) / v_T
    if v0 <= 0.0:
        loss, speed = _fall(gravity * t / v_T, b)
        return DragFlight(z0 - v_T**2 / gravity * loss, -v_T * speed)

    t_apex = apex_time(mass=mass, gravity=gravity, drag=drag, v0=v0)
    z_apex = z0 + apex_height(mass=mass, gravity=gravity, drag=drag, v0=v0)
    gain, speed_up = _rise(gravity * np.minimum(t, t_apex) / v_T, b)
    loss, speed_down = _fall(gravity * np.maximum(t - t_apex, 0.0) / v_T, 0.0)
    rising = t < t_apex
    z = np.where(rising, z0 + v_T**2 / gravity * gain, z_apex - v_T**2 / gravity * loss)
    return DragFlight(z, np.where(rising, v_T * speed_up, -v_T * speed_down))
