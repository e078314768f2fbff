"""Free-floating base with an arm whose joint angles are prescribed: the base answers so that both momenta stay.

No gravity. The motion lies in the world x-z plane, joint axes are +y, angles follow the right-hand rule about +y.
The base's centre of mass is its origin, the first joint is at (joint, 0, 0) in base axes; at joint angle zero a link
points along the +x axis of the part before it. Inside, a point is the complex number x - i z (see `four_bar`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .four_bar import world
from .n_pendulum import Link

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FloatingArm:
    mass: float  # of the base [kg]
    inertia: float  # of the base about its centre of mass, axis y [kg m^2]
    joint: float  # base centre to first joint [m]
    links: tuple[Link, ...]  # inertia and arm as for a pendulum


class FloatingMotion(NamedTuple):
    angle: Floats  # (t, 1 + n) base and links, absolute [rad]
    rate: Floats  # (t, 1 + n) [rad/s]
    p_W: Floats  # (t, 1 + n, 3) centres of mass [m]
    v_W: Floats  # (t, 1 + n, 3) [m/s]


def _relative(arm: FloatingArm, q: Floats, qd: Floats) -> tuple[NDArray[np.complex128], ...]:
    """Places of all bodies from the common centre of mass in base axes, and their rates while the base stands."""
    turn, turn_rate = np.cumsum(q, axis=-1), np.cumsum(qd, axis=-1)
    place, rate = [np.zeros(q.shape[:-1], complex)], [np.zeros(q.shape[:-1], complex)]
    hinge, hinge_rate = place[0] + arm.joint, rate[0]
    for k, link in enumerate(arm.links):
        e = np.exp(1j * turn[..., k])
        e_rate = 1j * turn_rate[..., k] * e
        place.append(hinge + link.arm * e)
        rate.append(hinge_rate + link.arm * e_rate)
        hinge, hinge_rate = hinge + link.length * e, hinge_rate + link.length * e_rate
    share = np.array([arm.mass, *(link.mass for link in arm.links)])
    s, s_rate = np.stack(place, axis=-1), np.stack(rate, axis=-1)
    centre, centre_rate = s @ share / share.sum(), s_rate @ share / share.sum()
    return s - centre[..., None], s_rate - centre_rate[..., None]


def base_rate(arm: FloatingArm, q: ArrayLike, qd: ArrayLike, momentum: float = 0.0) -> Floats:
    """Rate of the base (...,) [rad/s] with the angular momentum L about the common centre of mass.

        L = H a' + h,    H = sum I_k + m_k |s_k|^2,    h = sum I_k (joint rates up to k) + m_k (s_k x s_k')_y

    s_k : from the common centre to that of body k, s_k' its rate in base axes.
    Source: conservation of angular momentum; Umetani & Yoshida, IEEE Trans. Robotics Autom. 5 (1989), 303-314.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    mass = np.array([arm.mass, *(link.mass for link in arm.links)])
    inertia = np.array([link.inertia for link in arm.links])
    s, s_rate = _relative(arm, q, qd)
    H = arm.inertia + inertia.sum() + np.abs(s) ** 2 @ mass
    return (momentum - np.cumsum(qd, axis=-1) @ inertia - (np.conj(s) * s_rate).imag @ mass) / H


def floating_arm(
    t: ArrayLike,
    arm: FloatingArm,
    joints: Callable[[Floats], tuple[Floats, Floats]],
    *,
    momentum: float = 0.0,
    angle0: float = 0.0,
    v_centre_W: ArrayLike = (0.0, 0.0, 0.0),
) -> FloatingMotion:
    """Motion at the increasing times t (n,) [s]; the common centre of mass starts at the origin and moves steadily.

    The rate of the base is a function of time alone, so its angle is a quadrature, by 20 Gauss points between
    neighbouring times: exact to rounding when these are short against the motion of the joints.

    joints : times (m,) to joint angles (m, n) and rates (m, n)
    momentum : angular momentum about the common centre of mass, about +y [kg m^2/s]
    """
    t = np.asarray(t, dtype=float)
    x, weight = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(t)[:, None]
    times = 0.5 * (t[1:] + t[:-1])[:, None] + half * x
    steps = np.sum(half * weight * base_rate(arm, *joints(times.ravel()), momentum).reshape(times.shape), axis=1)
    a = angle0 + np.concatenate([[0.0], np.cumsum(steps)])
    q, qd = joints(t)
    w = base_rate(arm, q, qd, momentum)
    s, s_rate = _relative(arm, q, qd)
    turn, v_W = np.exp(1j * a)[:, None], np.asarray(v_centre_W, dtype=float)
    p_W = world(turn * s) + (t - t[0])[:, None, None] * v_W
    angle = np.column_stack([a, a[:, None] + np.cumsum(q, axis=1)])
    rate = np.column_stack([w, w[:, None] + np.cumsum(qd, axis=1)])
    return FloatingMotion(angle, rate, p_W, world(turn * (s_rate + 1j * w[:, None] * s)) + v_W)


def base_turn(arm: FloatingArm, q_from: ArrayLike, q_to: ArrayLike) -> Floats:
    """Turn of the base while the joint of a one-link arm goes from one angle to another, no angular momentum [rad].

        da/dq = -(I1 + mu (c^2 + b c cos q)) / (A + B cos q)  = -1/2 - D / (A + B cos q)
        mu = m0 m1 / (m0 + m1),   A = I0 + I1 + mu (b^2 + c^2),   B = 2 mu b c,   2 D = I1 - I0 + mu (c^2 - b^2)
        integral of 1 / (A + B cos q) = 2 / R atan(k tan(q/2)),   R = sqrt(A^2 - B^2),   k = sqrt((A - B) / (A + B))

    It depends on the two angles only, not on the way through time; a whole turn leaves  -pi (1 + 2 D / R).
    """
    (link,) = arm.links
    mu, b, c = arm.mass * link.mass / (arm.mass + link.mass), arm.joint, link.arm
    A, B = arm.inertia + link.inertia + mu * (b * b + c * c), 2.0 * mu * b * c
    D = 0.5 * (link.inertia - arm.inertia + mu * (c * c - b * b))
    k, R = np.sqrt((A - B) / (A + B)), np.sqrt((A - B) * (A + B))

    def upto(q: ArrayLike) -> Floats:
        q = np.asarray(q, dtype=float)
        sin, cos = np.sin(0.5 * q), np.cos(0.5 * q)
        # atan(k tan(q/2)) without its jumps.
        smooth = 0.5 * q + np.arctan2((k - 1.0) * sin * cos, cos * cos + k * sin * sin)
        return -0.5 * q - 2.0 * D / R * smooth

    return upto(q_to) - upto(q_from)
