"""Bodies that turn in space: a heavy top and a rolling coin, by Euler's equation in vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gelenk.geometry.shapes import Cylinder, Plane
from gelenk.joints.ball import Ball
from gelenk.model.builder import Builder
from gelenk.model.model import Model

G = 9.81
TILT, MASS = 0.6, 0.5
ARM, ACROSS, ALONG, SPIN = 0.1, 8e-4, 1.2e-3, 60.0  # of the top
RADIUS, THICK, ROLL, LEAN = 0.1, 0.01, 9.0, 0.3  # of the coin
UP = np.array([0.0, 0.0, 1.0])


def turned_about_x(angle: float) -> tuple[float, float, float, float]:
    """Quaternion of a turn about x."""
    return (float(np.cos(0.5 * angle)), float(np.sin(0.5 * angle)), 0.0, 0.0)


def heavy_top_model() -> Model:
    """A symmetric top on a ball joint at its tip, let go with spin alone: it nods as it goes round."""
    axis = np.array([0.0, -np.sin(TILT), np.cos(TILT)])
    b = Builder(gravity=(0.0, 0.0, -G))
    moments: dict[str, Any] = {"mass": MASS, "inertia": (ACROSS, ACROSS, ALONG)}
    b.body("top", **moments, at=ARM * axis, rotation=turned_about_x(TILT), angular_velocity=SPIN * axis)
    b.add(Ball(name="tip", a="world", b="top", at=(0.0, 0.0, 0.0)))
    return b.build()


def heavy_top_places(times: np.ndarray) -> np.ndarray:
    """(times, 1, 3) centre of mass [m].

    I1 w' about the tip:   L' = l e x (-m g z),    e' = w x e,     w = (L - (L . e) e) / I1 + (L . e) / I3 e
    """
    across = ACROSS + MASS * ARM**2
    e0 = np.array([0.0, -np.sin(TILT), np.cos(TILT)])

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        e, L = y[:3], y[3:]
        w = (L - (L @ e) * e) / across
        return np.concatenate([np.cross(w, e), np.cross(ARM * e, -MASS * G * UP)])

    y = integrated(rate, np.concatenate([e0, ALONG * SPIN * e0]), times)
    return ARM * y[:, None, :3]


def coin_model() -> Model:
    """A coin on its edge that leans and rolls without slip, its axis along the body's z."""
    e, r, w = coin_start()
    b = Builder(gravity=(0.0, 0.0, -G))
    b.material("metal", friction=2.0)
    b.body("floor", shape=Plane(), static=True, material="metal")
    start: dict[str, Any] = {"at": -r, "velocity": -np.cross(w, r), "angular_velocity": w}
    turn = turned_about_x(float(np.arctan2(-e[1], e[2])))
    b.body("coin", shape=Cylinder(RADIUS, THICK), mass=MASS, rotation=turn, material="metal", **start)
    return b.build()


def coin_start() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axis e, upward; from the centre to the point of contact; angular velocity."""
    e = np.array([0.0, -np.cos(LEAN), np.sin(LEAN)])
    return e, to_contact(e), ROLL * e


def to_contact(e: np.ndarray) -> np.ndarray:
    """From the centre to the lowest point of the rim below, for an axis e that points upward [m]."""
    u = UP - (UP @ e) * e
    return -RADIUS * u / np.linalg.norm(u) - 0.5 * THICK * e


def coin_places(times: np.ndarray) -> np.ndarray:
    """(times, 1, 3) centre [m]."""
    return coin_motion(times)[:, None, :3]


def coin_motion(times: np.ndarray) -> np.ndarray:
    """(times, 9) centre [m], axis e and angular velocity w of a body that rolls,  v = -w x r,  r = r(e):

        I w' + w x I w = r x f,     f = m (v' + g z),     v' = -w' x r - w x r',     e' = w x e

    With  r' = (dr/de) e'  by a difference of the fourth order. Source: Routh, Advanced Rigid Dynamics, chapter V.
    """
    along = 0.5 * MASS * RADIUS**2
    across = MASS * (3.0 * RADIUS**2 + THICK**2) / 12.0

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        e, w = y[3:6], y[6:9]
        turn = np.cross(w, e)
        r = to_contact(e)
        d = 1e-3 / max(1.0, float(np.linalg.norm(turn)))
        near, far = (to_contact(e + k * d * turn) - to_contact(e - k * d * turn) for k in (1.0, 2.0))
        r_rate = (8.0 * near - far) / (12.0 * d)
        inertia = across * np.eye(3) + (along - across) * np.outer(e, e)
        R = cross_matrix(r)
        known = -np.cross(w, inertia @ w) + MASS * np.cross(r, G * UP - np.cross(w, r_rate))
        return np.concatenate([-np.cross(w, r), turn, np.linalg.solve(inertia - MASS * R @ R, known)])

    e, r, w = coin_start()
    return integrated(rate, np.concatenate([-r, e, w]), times)


def cross_matrix(r: np.ndarray) -> np.ndarray:
    """The matrix of  r x."""
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def integrated(rate: Callable[[float, np.ndarray], np.ndarray], start: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(times, numbers) by DOP853 with rtol 1e-11."""
    from scipy.integrate import solve_ivp

    done = solve_ivp(rate, (0.0, times[-1]), start, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=times)
    return done.y.T
