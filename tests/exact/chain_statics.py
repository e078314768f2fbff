"""Chains of rigid links at rest under gravity: joint forces and shape.

World z is up; the first joint is the origin, link 1 hangs on it, every joint is free to turn (ball or hinge).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq

from .n_pendulum import Link


class ChainRest(NamedTuple):
    p_W: NDArray[np.float64]  # (n + 1, 3) joints, the first at the origin, the last the free end [m]
    e_W: NDArray[np.float64]  # (n, 3) direction of each link
    f_W: NDArray[np.float64]  # (n + 1, 3) force on link k at its upper joint; last: on the chain at its end [N]


def hanging_forces(mass: ArrayLike, load: float = 0.0, gravity: float = 9.81) -> NDArray[np.float64]:
    """Upward force on each body at its upper joint, vertical chain (n,) [N]:  g (load + all masses from there down).

    mass : (n,) from top to bottom [kg];   load : mass at the end [kg]
    """
    return gravity * (load + np.cumsum(np.asarray(mass, dtype=float)[::-1])[::-1])


def pulled_chain(links: Sequence[Link], f_end_W: ArrayLike, gravity: float = 9.81) -> ChainRest:
    """Rest of a chain whose last end is pulled by a given force (3,) [N]; closed form.

    P_i = F + sum over k > i of W_k           load at the lower joint of link i
    e_i  parallel to  l_i P_i + d_i W_i       no moment about its upper joint; the stable one of the two ways
    f_i = -(P_i + W_i)                        at the upper joint
    """
    length, arm = np.array([link.length for link in links]), np.array([link.arm for link in links])
    weight = np.array([[0.0, 0.0, -link.mass * gravity] for link in links])
    below = np.asarray(f_end_W, dtype=float) + np.cumsum(weight[::-1], axis=0)[::-1] - weight
    pull = length[:, None] * below + arm[:, None] * weight
    e_W = pull / np.linalg.norm(pull, axis=1, keepdims=True)
    p_W = np.vstack([np.zeros(3), np.cumsum(length[:, None] * e_W, axis=0)])
    return ChainRest(p_W, e_W, np.vstack([-(below + weight), f_end_W]))


def spanned_chain(links: Sequence[Link], p_end_W: ArrayLike, gravity: float = 9.81) -> ChainRest:
    """Rest of a chain between the origin and the point p_end_W (3,) [m], not below or above it: discrete catenary.

    The end of the chain is the gradient of a convex function of the end force F,

        phi(F) = sum |l_i P_i(F) + d_i W_i|,      grad = sum l_i e_i,      Hessian = sum l_i^2 (1 - e_i e_i^T) / |..|

    so the force with grad = p_end is the minimum of phi - F . p_end and the only one. Newton's method finds it from a
    start by bisection: the end rises with the vertical part of F, and at equal height moves out with the level part.
    Every link is pulled in this rest. Ends closer to a vertical line than a link is long may allow none; refused.
    """
    end, total = np.asarray(p_end_W, dtype=float), sum(link.length for link in links)
    if not (np.hypot(end[0], end[1]) > 0.0 and np.linalg.norm(end) < total):
        raise ValueError(f"spanned_chain: end {end} must be off the vertical and nearer than {total} m.")
    across = np.array([end[0], end[1], 0.0]) / np.hypot(end[0], end[1])  # the chain hangs in this vertical plane
    plane = np.stack([across, [0.0, 0.0, 1.0]])
    length, arm = np.array([link.length for link in links]), np.array([link.arm for link in links])
    weight = np.array([link.mass * gravity for link in links])
    lever = np.zeros((len(links), 2))  # l_i (weights below) + d_i W_i
    lever[:, 1] = -(length * (np.cumsum(weight[::-1])[::-1] - weight) + arm * weight)

    def gap(x: ArrayLike) -> NDArray[np.float64]:
        pull = np.outer(length, x) + lever
        return length @ (pull / np.linalg.norm(pull, axis=1, keepdims=True)) - plane @ end

    def out(level: float) -> NDArray[np.float64]:
        """The force with this level part that brings the end to its height."""
        reach = weight.sum() + level
        while gap([level, -reach])[1] > 0.0 or gap([level, reach])[1] < 0.0:
            reach *= 2.0
        return np.array([level, brentq(lambda lift: gap([level, lift])[1], -reach, reach)])

    least, most = 1e-6 * weight.sum(), weight.sum()
    if gap(out(least))[0] > 0.0:
        raise ValueError(f"spanned_chain: end {end} is so close that a link at the bottom may be pushed.")
    while gap(out(most))[0] < 0.0:
        most *= 2.0
    x = out(brentq(lambda level: gap(out(level))[0], least, most, rtol=1e-6))
    for _ in range(4):  # from six digits to all; one more for rounding
        pull = np.outer(length, x) + lever
        size = np.linalg.norm(pull, axis=1, keepdims=True)
        share, e = length[:, None] ** 2 / size, pull / size
        x = x - np.linalg.solve(share.sum() * np.eye(2) - e.T @ (share * e), gap(x))
    return pulled_chain(links, x @ plane, gravity)


def catenary(half_span: float, length: float) -> float:
    """Parameter a of a level catenary z = a cosh(x / a): 2 a sinh(half_span / a) = length [m]. Limit of short links.

    With weight w per metre the horizontal force is w a and that at the ends w a cosh(half_span / a).
    """
    ratio = length / (2.0 * half_span)
    if not ratio > 1.0:
        raise ValueError(f"catenary: length {length} m does not reach across {2.0 * half_span} m.")
    # Newton for sinh x = ratio x, a convex function; sinh x / x > 1 + x^2 / 6, so the start is above the root.
    x, last = np.sqrt(6.0 * (ratio - 1.0)), np.inf
    while x < last:
        last, x = x, x - (np.sinh(x) - ratio * x) / (np.cosh(x) - ratio)
    return float(half_span / last)
