"""Linkages of rods in the x-z plane: models of joints alone, and their motion by an equation that no method uses.

A rod k is a body with the place (x, z) of its centre and its angle a about +y; along it points e = (cos a, -sin a).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.joints.hinge import Hinge
from gelenk.joints.slider import Slider
from gelenk.model.builder import Builder
from gelenk.model.model import Model

G = 9.81
WORLD = -1
SIDE = (0.0, 1.0, 0.0)


class Rod(NamedTuple):
    """A thin uniform rod between two points (x, z) [m], or with both alike a block of inertia 0.01 kg m^2."""

    begin: tuple[float, float]
    end: tuple[float, float]
    mass: float  # [kg]

    @property
    def centre(self) -> np.ndarray:
        """Its middle (x, z) [m]."""
        return 0.5 * (np.array(self.begin) + np.array(self.end))

    @property
    def inertia(self) -> float:
        """About its middle and y [kg m^2]."""
        square = float(np.sum((np.array(self.end) - np.array(self.begin)) ** 2))
        return self.mass * square / 12.0 or 0.01


class Pin(NamedTuple):
    """A hinge about y of two rods, or of the world (-1) and a rod, at a point (x, z) [m]."""

    a: int
    b: int
    at: tuple[float, float]


class Linkage(NamedTuple):
    """Rods at rest, their hinges, and rods that slide along x without turning."""

    rods: Sequence[Rod]
    pins: Sequence[Pin]
    guided: Sequence[int] = ()


def linkage_model(linkage: Linkage) -> Model:
    """Bodies r0, r1, ..., joints j0, j1, ... and guides g0, ..."""
    b = Builder(gravity=(0.0, 0.0, -G))
    for k, rod in enumerate(linkage.rods):
        x, z = rod.centre
        b.body(f"r{k}", mass=rod.mass, inertia=np.full(3, rod.inertia), at=(x, 0.0, z))
    for k, body in enumerate(linkage.guided):
        x, z = linkage.rods[body].centre
        b.add(Slider(name=f"g{k}", a="world", b=f"r{body}", at=(x, 0.0, z), axis=(1.0, 0.0, 0.0)))
    for k, pin in enumerate(linkage.pins):
        a = "world" if pin.a == WORLD else f"r{pin.a}"
        b.add(Hinge(name=f"j{k}", a=a, b=f"r{pin.b}", at=(pin.at[0], 0.0, pin.at[1]), axis=SIDE))
    return b.build()


def linkage_places(linkage: Linkage, times: np.ndarray) -> np.ndarray:
    """(times, rods, 3) centres [m], by Lagrange's equations of the first kind, to 1e-11.

        M q'' = f + J^T l,     J q'' = -J' q'          rows J: both points of a pin agree; guides keep z and a

    integrated by DOP853 with rtol 1e-12; what the rows drift in a second is of that size.
    Source: Hairer & Wanner, Solving Ordinary Differential Equations II, section VII.1 (index reduction).
    """
    from scipy.integrate import solve_ivp

    n, rods = len(linkage.rods), linkage.rods
    mass = np.array([[rod.mass, rod.mass, rod.inertia] for rod in rods]).ravel()
    weight = np.array([[0.0, -G * rod.mass, 0.0] for rod in rods]).ravel()
    q0 = np.array([[*rod.centre, 0.0] for rod in rods]).ravel()
    ends = [[(k, np.array(pin.at) - rods[k].centre) for k in (pin.a, pin.b) if k != WORLD] for pin in linkage.pins]

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: 3 * n], y[3 * n :]
        J: list[np.ndarray] = []
        bias: list[float] = []
        for pin in ends:
            rows, turn = np.zeros((2, 3 * n)), np.zeros(2)
            for sign, (k, r) in zip((1.0, -1.0), pin):
                c, s = np.cos(q[3 * k + 2]), np.sin(q[3 * k + 2])
                arm = np.array([c * r[0] + s * r[1], -s * r[0] + c * r[1]])
                rows[:, 3 * k : 3 * k + 2] = sign * np.eye(2)
                rows[:, 3 * k + 2] = sign * np.array([arm[1], -arm[0]])
                turn += sign * v[3 * k + 2] ** 2 * arm
            J += list(rows)
            bias += list(turn)
        for k in linkage.guided:
            J += [np.eye(3 * n)[3 * k + 1], np.eye(3 * n)[3 * k + 2]]
            bias += [0.0, 0.0]
        rows = np.array(J)
        A = np.block([[np.diag(mass), rows.T], [rows, np.zeros((len(J), len(J)))]])
        return np.concatenate([v, np.linalg.solve(A, np.concatenate([weight, bias]))[: 3 * n]])

    start = np.concatenate([q0, np.zeros(3 * n)])
    done = solve_ivp(rate, (0.0, times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=times)
    q = done.y[: 3 * n].T.reshape(len(times), n, 3)
    return np.stack([q[:, :, 0], np.zeros_like(q[:, :, 0]), q[:, :, 1]], axis=-1)


def chain(count: int, length: float = 1.0) -> Linkage:
    """A row of rods that starts level and at rest, on the world at the origin."""
    piece = length / count
    rods = [Rod((k * piece, 0.0), ((k + 1) * piece, 0.0), 1.0 / count) for k in range(count)]
    return Linkage(rods, [Pin(k - 1, k, (k * piece, 0.0)) for k in range(count)])


FOUR_BAR = Linkage(
    [Rod((0, 0), (0, 0.5), 1.0), Rod((0, 0.5), (1.1, 1.0), 2.0), Rod((1.1, 1.0), (1.3, 0), 1.0)],
    [Pin(WORLD, 0, (0, 0)), Pin(0, 1, (0, 0.5)), Pin(1, 2, (1.1, 1.0)), Pin(WORLD, 2, (1.3, 0))],
)
SLIDER_CRANK = Linkage(
    [Rod((0, 0), (0.1, 0.2), 1.0), Rod((0.1, 0.2), (0.8, 0), 1.5), Rod((0.8, 0), (0.8, 0), 2.0)],
    [Pin(WORLD, 0, (0, 0)), Pin(0, 1, (0.1, 0.2)), Pin(1, 2, (0.8, 0))],
    guided=(2,),
)
