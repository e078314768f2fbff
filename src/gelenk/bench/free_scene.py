"""Scene `free`: boxes that tumble and fall, contact switched off. All of the work is the step itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from gelenk.bench.engine import BodyStates, rotations, turned, turned_back

GRAVITY = 9.81  # [m/s^2], along -z
DENSITY = 1000.0  # [kg/m^3]
SPACING = 3.0  # [m]; ten edges, and near enough to the origin for engines in single precision
SEED = 20


@dataclass(frozen=True)
class FreeScene:
    """n boxes with three different edges each, in random attitudes, with random velocities.

    The body frame sits in the centre of mass along the edges, so it is the principal frame.
    """

    name: ClassVar[str] = "free"
    about: ClassVar[str] = "free tumbling boxes under gravity, no contact"
    figures: ClassVar[str] = (
        "attitude [rad], position [m], energy and angular momentum as shares; largest over the bodies"
    )
    default_size: ClassVar[int] = 1000
    dt: ClassVar[float] = 1e-3  # [s]
    t_end: ClassVar[float] = 1.0  # [s]

    half: np.ndarray  # (n, 3) half edges [m]
    mass: np.ndarray  # (n,) [kg]
    inertia: np.ndarray  # (n, 3) principal moments [kg m^2]
    p_WC: np.ndarray  # (n, 3) centre of mass [m]
    q_WB: np.ndarray  # (n, 4) unit quaternion w x y z, body to world
    v_WC: np.ndarray  # (n, 3) [m/s]
    w_WB: np.ndarray  # (n, 3) world axes [rad/s]

    @classmethod
    def make(cls, size: int) -> FreeScene:
        """The same numbers for every engine; the first boxes are the same in any size."""
        edge, place = np.empty((size, 3)), np.empty((size, 3))
        q, v, w = np.empty((size, 4)), np.empty((size, 3)), np.empty((size, 3))
        for i in range(size):
            rng = np.random.default_rng([SEED, i])
            # 1 : 1.2-1.6 : 1.8-2.6 in any order, so that no two moments are near each other
            edge[i] = rng.uniform(0.1, 0.2) * rng.permutation([1.0, rng.uniform(1.2, 1.6), rng.uniform(1.8, 2.6)])
            place[i] = np.array([i % 10, i // 10 % 10, i // 100]) * SPACING
            q[i], v[i], w[i] = rng.normal(size=4), rng.normal(size=3), 3.0 * rng.normal(size=3)
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        mass = DENSITY * np.prod(edge, axis=1)
        a, b, c = (edge**2).T
        inertia = (mass / 12.0)[:, None] * np.stack([b + c, a + c, a + b], axis=1)
        return cls(edge / 2.0, mass, inertia, place, q, v, w)

    @cached_property
    def start(self) -> BodyStates:
        """The bodies at the start."""
        return BodyStates(self.p_WC, self.R_WB, self.v_WC, self.w_WB)

    @cached_property
    def R_WB(self) -> np.ndarray:
        """(n, 3, 3) attitudes at the start."""
        return rotations(self.q_WB)

    @cached_property
    def w_WB_B(self) -> np.ndarray:
        """(n, 3) angular velocity in body axes at the start [rad/s]."""
        return turned_back(self.R_WB, self.w_WB)

    def accuracy(self, states: BodyStates, t: float) -> dict[str, float]:
        """How far an engine is off at time t, the largest over the bodies, from what it hands back alone.

        ``attitude_error``          angle between the attitude and the true one [rad]
        ``position_error``          distance from the parabola [m]
        ``energy_error``            change of energy over the larger kinetic energy, start or end
        ``angular_momentum_error``  change of R I w over its size
        """
        parabola = self.p_WC + t * self.v_WC + np.array([0.0, 0.0, -0.5 * GRAVITY * t * t])
        E0, K0, L0 = self._ledger(self.start)
        E, K, L = self._ledger(states)
        return {
            "attitude_error": float(_angle(states.R_WB, self.attitude(t)).max()),
            "position_error": float(np.linalg.norm(states.p_WC - parabola, axis=1).max()),
            "energy_error": float((np.abs(E - E0) / np.maximum(K, K0)).max()),
            "angular_momentum_error": float((np.linalg.norm(L - L0, axis=1) / np.linalg.norm(L0, axis=1)).max()),
        }

    def attitude(self, t: float) -> np.ndarray:
        """(n, 3, 3) true attitudes at time t: Euler's equations by a method of order 8 to round-off.

        I w' = -w x I w,    q' = 1/2 q (0, w)      (body axes)

        Independent of every engine; agrees with the closed form in elliptic functions to 1e-12 rad (test_bench.py).
        """
        from scipy.integrate import solve_ivp

        n, inertia = len(self.mass), self.inertia.T
        gain = (np.roll(inertia, -1, axis=0) - np.roll(inertia, 1, axis=0)) / inertia  # (I2 - I3) / I1, cyclic

        def rate(_: float, y: np.ndarray) -> np.ndarray:
            out = np.empty((7, n))
            s, x, y_, z, a, b, c = y.reshape(7, n)
            out[0] = -0.5 * (x * a + y_ * b + z * c)
            out[1] = 0.5 * (s * a + y_ * c - z * b)
            out[2] = 0.5 * (s * b + z * a - x * c)
            out[3] = 0.5 * (s * c + x * b - y_ * a)
            out[4], out[5], out[6] = gain[0] * b * c, gain[1] * c * a, gain[2] * a * b
            return out.ravel()

        start = np.concatenate([self.q_WB.T, self.w_WB_B.T]).ravel()
        # The steps are chosen by the mean over all bodies; the cap keeps them short for the fastest one too.
        done = solve_ivp(rate, (0.0, t), start, method="DOP853", rtol=1e-13, atol=1e-14, max_step=0.01)
        return rotations(done.y[:, -1].reshape(7, n)[:4].T)

    def _ledger(self, states: BodyStates) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Energy and kinetic energy (n,) [J], angular momentum about the centre of mass (n, 3) [N m s]."""
        w_B = turned_back(states.R_WB, states.w_WB)
        spin_B = self.inertia * w_B
        kinetic = 0.5 * self.mass * np.sum(states.v_WC**2, axis=1) + 0.5 * np.sum(spin_B * w_B, axis=1)
        fall = self.mass * GRAVITY * (states.p_WC - self.p_WC)[:, 2]  # from the start, so that no height swamps it
        return kinetic + fall, kinetic, turned(states.R_WB, spin_B)


def _angle(R: np.ndarray, S: np.ndarray) -> np.ndarray:
    """(n,) angle between attitudes [rad]:  |R - S| = 2 sqrt(2) sin(angle / 2), exact to round-off for small angles."""
    chord = np.linalg.norm((R - S).reshape(-1, 9), axis=1) / (2.0 * np.sqrt(2.0))
    return 2.0 * np.arcsin(np.minimum(chord, 1.0))
