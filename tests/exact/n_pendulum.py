"""Planar chain of n links on hinges under gravity, in absolute angles: no constraint is left to be enforced.

World z is up, the motion lies in the x-z plane, every hinge axis is +y and the first hinge is the origin. Angle a_i is
that of link i in the world, not to its neighbour; right-hand rule about +y, zero hanging down, positive towards -x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import solve_ivp

from .compound_pendulum import across, down


@dataclass(frozen=True)
class Link:
    mass: float  # [kg]
    length: float  # upper to lower hinge [m]
    inertia: float  # about the centre of mass, axis y [kg m^2]
    arm: float  # upper hinge to centre of mass, along the link [m]

    @classmethod
    def rod(cls, mass: float, length: float) -> Link:
        """Thin uniform rod, I = m l^2 / 12."""
        return cls(mass, length, mass * length**2 / 12.0, 0.5 * length)

    @classmethod
    def point(cls, mass: float, length: float) -> Link:
        """Point mass at the lower end of a massless rod."""
        return cls(mass, length, 0.0, length)


class ChainMotion(NamedTuple):
    angle: NDArray[np.float64]  # (t, n) [rad]
    rate: NDArray[np.float64]  # (t, n) [rad/s]


def reach(links: Sequence[Link]) -> NDArray[np.float64]:
    """(n, n) with  p_i = sum_j reach_ij down(a_j)  the centre of link i: lengths above it and its own arm [m]."""
    length = np.array([link.length for link in links])
    return np.tril(np.tile(length, (len(links), 1)), -1) + np.diag([link.arm for link in links])


def coefficients(links: Sequence[Link]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Constants of  T = 1/2 sum A_ij cos(a_i - a_j) a_i' a_j'  and  V = -g sum B_i cos a_i  in kg m^2 and kg m."""
    mass, C = np.array([link.mass for link in links]), reach(links)
    return C.T @ (mass[:, None] * C) + np.diag([link.inertia for link in links]), C.T @ mass


def mass_matrix(links: Sequence[Link], angle: ArrayLike) -> NDArray[np.float64]:
    """M_ij = A_ij cos(a_i - a_j), (n, n) [kg m^2]."""
    return coefficients(links)[0] * np.cos(np.subtract.outer(angle, angle))


def acceleration(
    links: Sequence[Link], angle: ArrayLike, rate: ArrayLike, gravity: float = 9.81, torque: ArrayLike = 0.0
) -> NDArray[np.float64]:
    """Second derivatives of the angles (n,) [rad/s^2] by Lagrange's equations.

        sum_j A_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) + g B_i sin a_i = T_i - T_{i+1}

    torque : T_i about +y on link i, and its opposite on link i - 1 (T_1: on the world), scalar or (n,) [N m]
    """
    angle, rate = np.asarray(angle, dtype=float), np.asarray(rate, dtype=float)
    A, B = coefficients(links)
    apart = np.subtract.outer(angle, angle)
    T = np.append(np.broadcast_to(np.asarray(torque, dtype=float), angle.shape), 0.0)
    load = T[:-1] - T[1:] - (A * np.sin(apart)) @ (rate * rate) - gravity * B * np.sin(angle)
    return np.linalg.solve(A * np.cos(apart), load)


def n_pendulum(
    t: ArrayLike, links: Sequence[Link], angle0: ArrayLike, rate0: ArrayLike, gravity: float = 9.81
) -> ChainMotion:
    """Motion at the increasing times t (n,) [s] by DOP853 with rtol 1e-12, atol 1e-13.

    The error is some 1e-12 per step where the motion is regular (one link from 2.5 rad: 1e-10 rad after 10 s). Two and
    more links at large amplitude are chaotic and it grows exponentially: compare over few swings only.
    Source: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, section II.5 (the method).
    """
    t, n = np.asarray(t, dtype=float), len(links)

    def rhs(_: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([y[n:], acceleration(links, y[:n], y[n:], gravity)])

    y0 = np.concatenate([np.broadcast_to(angle0, n), np.broadcast_to(rate0, n)])
    run = solve_ivp(rhs, (t[0], t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t)
    if not run.success:
        raise RuntimeError(f"n_pendulum: {run.message}")
    return ChainMotion(run.y[:n].T, run.y[n:].T)


def centres(links: Sequence[Link], angle: ArrayLike) -> NDArray[np.float64]:
    """Centres of mass of the links in world (..., n, 3) [m]."""
    return reach(links) @ down(angle)


def energy(links: Sequence[Link], angle: ArrayLike, rate: ArrayLike, gravity: float = 9.81) -> NDArray[np.float64]:
    """Kinetic energy and height of the whole chain, zero at rest with all centres at z = 0, (...,) [J]."""
    A, B = coefficients(links)
    a, w = np.asarray(angle, dtype=float), np.asarray(rate, dtype=float)
    kinetic = 0.5 * np.einsum("...i,ij,...j->...", w * np.cos(a), A, w * np.cos(a))
    kinetic += 0.5 * np.einsum("...i,ij,...j->...", w * np.sin(a), A, w * np.sin(a))
    return kinetic - gravity * np.cos(a) @ B


def hinge_forces(
    links: Sequence[Link], angle: ArrayLike, rate: ArrayLike, gravity: float = 9.81, torque: ArrayLike = 0.0
) -> NDArray[np.float64]:
    """Force on link k at its upper hinge in world (n, 3) [N]:  f_k = sum over i >= k of m_i (p_i'' + g e_z)."""
    second = acceleration(links, angle, rate, gravity, torque)[:, None] * across(angle)
    p_second = reach(links) @ (second - np.square(rate)[:, None] * down(angle))
    mass = np.array([link.mass for link in links])[:, None]
    return np.cumsum((mass * (p_second - gravity * down(0.0)))[::-1], axis=0)[::-1]
