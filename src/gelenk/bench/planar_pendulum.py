"""The independent reference of the planar scenes: a row of links in angles, integrated to round-off."""

from __future__ import annotations

import numpy as np

from gelenk.bench.tree_scene import GRAVITY, Links


def last_centre(scene: Links, t: float) -> np.ndarray:
    """(3,) true centre of mass of the last link at time t [m].

    Link i points along e_i = (cos a_i, 0, -sin a_i). Its centre of mass is C_i = sum_k L_ik e_k, where L_ik is the
    length of link k < i, the distance from joint to centre for k = i, and 0 beyond. Lagrange's equations in the a_k:

        sum_j A_kj (cos(a_k - a_j) a_j'' + sin(a_k - a_j) a_j'^2)  +  I_k a_k''  =  g B_k cos a_k

        A_kj = sum_i m_i L_ik L_ij,    B_k = sum_i m_i L_ik,    I moment of the link about its centre and y

    No joint has to be kept and nothing is shared with any engine. Source: Goldstein, Classical Mechanics, ch. 1.
    """
    from scipy.integrate import solve_ivp

    n = len(scene.links)
    L = np.tril(np.tile([link.edges[0] for link in scene.links], (n, 1)), -1)
    L += np.diag([float(np.linalg.norm(link.p_WC - link.p_WJ)) for link in scene.links])
    A, B = L.T @ (scene.mass[:, None] * L), scene.mass @ L
    moment = np.diag([link.inertia_W[1, 1] for link in scene.links])

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        a, a_rate = y[:n], y[n:]
        apart = a[:, None] - a[None, :]
        force = GRAVITY * B * np.cos(a) - (A * np.sin(apart)) @ a_rate**2
        return np.concatenate([a_rate, np.linalg.solve(A * np.cos(apart) + moment, force)])

    done = solve_ivp(rate, (0.0, t), np.zeros(2 * n), method="DOP853", rtol=1e-12, atol=1e-12)
    a = done.y[:n, -1]
    return np.array([L[-1] @ np.cos(a), 0.0, -(L[-1] @ np.sin(a))])
