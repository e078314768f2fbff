"""Planar two-link arm with a motor in each joint (SCARA), by joint coordinates and by multipliers.

Both joint axes are vertical, +z, and the motion lies in the level x-y plane, so gravity does nothing. The links are
thin uniform rods, inertia m l^2 / 12. Joint angles q = (phi1, phi2) follow the right-hand rule about +z; phi1 is that
of link 1 from the x axis, phi2 that of link 2 from link 1; phi3 = phi1 + phi2. Motor M1 turns link 1 against the
ground, M2 turns link 2 against link 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class TwoLinkArm:
    m1: float  # [kg]
    m2: float
    l1: float  # [m]
    l2: float

    @property
    def mass(self) -> NDArray[np.float64]:
        """Diagonal of the mass matrix over x = (s1x, s1y, phi1, s2x, s2y, phi3)."""
        i1, i2 = self.m1 * self.l1**2 / 12.0, self.m2 * self.l2**2 / 12.0
        return np.array([self.m1, self.m1, i1, self.m2, self.m2, i2])


class ArmSolution(NamedTuple):
    x_second: NDArray[np.float64]  # (6,) accelerations of both bodies [m/s^2, rad/s^2]
    f_1: NDArray[np.float64]  # (2,) force of the ground on link 1 at its joint, x and y [N]
    f_2: NDArray[np.float64]  # (2,) force of link 1 on link 2 at their joint [N]


def joint_mass(arm: TwoLinkArm, q: ArrayLike) -> NDArray[np.float64]:
    """Mass matrix over (phi1, phi2), (2, 2) [kg m^2]."""
    m1, m2, l1, l2, c = arm.m1, arm.m2, arm.l1, arm.l2, np.cos(np.asarray(q)[1])
    corner = l2 * m2 * (3.0 * l1 * c + 2.0 * l2) / 6.0
    return np.array(
        [[l1 * l2 * m2 * c + (l1**2 * (m1 + 3.0 * m2) + l2**2 * m2) / 3.0, corner], [corner, l2**2 * m2 / 3.0]]
    )


def joint_bias(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """Centrifugal and Coriolis terms on the side of the mass matrix, (2,) [N m].

    h = l1 l2 m2 sin(phi2) (-phi1' phi2' - phi2'^2 / 2,  +phi1'^2 / 2)
    """
    (_, phi2), (w1, w2) = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    return arm.l1 * arm.l2 * arm.m2 * np.sin(phi2) * np.array([-w1 * w2 - 0.5 * w2 * w2, 0.5 * w1 * w1])


def motor_torques(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> NDArray[np.float64]:
    """Torques (M1, M2) that give the joint accelerations qdd [N m]."""
    return joint_mass(arm, q) @ np.asarray(qdd, dtype=float) + joint_bias(arm, q, qd)


def joint_acceleration(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike, torques: ArrayLike) -> NDArray[np.float64]:
    """Joint accelerations (phi1'', phi2'') under the motor torques (M1, M2) [rad/s^2]."""
    return np.linalg.solve(joint_mass(arm, q), np.asarray(torques, dtype=float) - joint_bias(arm, q, qd))


def kinetic_energy(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike) -> float:
    """Of both links, from the speeds of their bodies [J]."""
    v = body_rates(arm, q, qd)
    return float(0.5 * v @ (arm.mass * v))


def bodies(arm: TwoLinkArm, q: ArrayLike) -> NDArray[np.float64]:
    """x = (s1x, s1y, phi1, s2x, s2y, phi3) at the joint angles q."""
    a1, a3 = np.cumsum(np.asarray(q))
    e1, e3 = np.array([np.cos(a1), np.sin(a1)]), np.array([np.cos(a3), np.sin(a3)])
    return np.concatenate([0.5 * arm.l1 * e1, [a1], arm.l1 * e1 + 0.5 * arm.l2 * e3, [a3]])


def body_rates(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """x' (6,) at the joint angles q and rates qd [m/s, rad/s]."""
    (a1, a3), (w1, w3) = np.cumsum(np.asarray(q)), np.cumsum(np.asarray(qd))
    v1, v3 = arm.l1 * w1 * np.array([-np.sin(a1), np.cos(a1)]), arm.l2 * w3 * np.array([-np.sin(a3), np.cos(a3)])
    return np.concatenate([0.5 * v1, [w1], v1 + 0.5 * v3, [w3]])


def constraints(arm: TwoLinkArm, x: ArrayLike) -> NDArray[np.float64]:
    """Gaps of the two joints (4,) [m]:  s1 - l1/2 e1,   s2 - l2/2 e3 - s1 - l1/2 e1."""
    x = np.asarray(x)
    e1, e3 = np.array([np.cos(x[2]), np.sin(x[2])]), np.array([np.cos(x[5]), np.sin(x[5])])
    return np.concatenate([x[:2] - 0.5 * arm.l1 * e1, x[3:5] - 0.5 * arm.l2 * e3 - x[:2] - 0.5 * arm.l1 * e1])


def jacobian(arm: TwoLinkArm, q: ArrayLike) -> NDArray[np.float64]:
    """Derivative J of the gaps by x, (4, 6)."""
    a1, a3 = np.cumsum(np.asarray(q, dtype=float))
    s1, c1 = 0.5 * arm.l1 * np.sin(a1), 0.5 * arm.l1 * np.cos(a1)
    s3, c3 = 0.5 * arm.l2 * np.sin(a3), 0.5 * arm.l2 * np.cos(a3)
    return np.array([[1, 0, s1, 0, 0, 0], [0, 1, -c1, 0, 0, 0], [-1, 0, s1, 1, 0, s3], [0, -1, -c1, 0, 1, -c3]])


def gap_bias(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
    """b = -J' x' in  J x'' = b, (4,) [m/s^2]."""
    (a1, a3), (w1, w3) = np.cumsum(np.asarray(q, dtype=float)), np.cumsum(np.asarray(qd, dtype=float))
    in1 = 0.5 * arm.l1 * w1 * w1 * np.array([np.cos(a1), np.sin(a1)])
    in3 = 0.5 * arm.l2 * w3 * w3 * np.array([np.cos(a3), np.sin(a3)])
    return np.concatenate([-in1, -in1 - in3])


def kkt_matrix(arm: TwoLinkArm, q: ArrayLike) -> NDArray[np.float64]:
    """[[M, -J^T], [J, 0]], (10, 10), over the accelerations and the joint forces."""
    J = jacobian(arm, q)
    return np.block([[np.diag(arm.mass), -J.T], [J, np.zeros((4, 4))]])


def solve_kkt(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike, torques: ArrayLike) -> ArmSolution:
    """Accelerations and joint forces from  M x'' = f + J^T lam,  J x'' = b,  f = (0, 0, M1 - M2, 0, 0, M2)."""
    M1, M2 = np.asarray(torques, dtype=float)
    load = np.concatenate([[0.0, 0.0, M1 - M2, 0.0, 0.0, M2], gap_bias(arm, q, qd)])
    solution = np.linalg.solve(kkt_matrix(arm, q), load)
    return ArmSolution(solution[:6], solution[6:8], solution[8:])


def reactions(arm: TwoLinkArm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> tuple[NDArray[np.float64], ...]:
    """Forces (f_1, f_2) as in `ArmSolution`, by Newton's law:  f_2 = m2 s2'',  f_1 = m1 s1'' + m2 s2''."""
    (a1, a3), (w1, w3), (b1, b3) = (np.cumsum(np.asarray(v, dtype=float)) for v in (q, qd, qdd))
    second1 = arm.l1 * np.array([-np.sin(a1) * b1 - np.cos(a1) * w1**2, np.cos(a1) * b1 - np.sin(a1) * w1**2])
    second3 = arm.l2 * np.array([-np.sin(a3) * b3 - np.cos(a3) * w3**2, np.cos(a3) * b3 - np.sin(a3) * w3**2])
    f_2 = arm.m2 * (second1 + 0.5 * second3)
    return 0.5 * arm.m1 * second1 + f_2, f_2
