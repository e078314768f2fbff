"""What the joints of a model do at a state: their coordinates and rates, and the energy in their springs (V-116)."""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, kernel
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3
from gelenk.model.wired import Wired
from gelenk.rows.assemble import evaluate, is_broken, new_coordinates, row_error, target_of, vec_of
from gelenk.rows.block import LIMIT, SPRING
from gelenk.rows.conditions import way_to_stop
from gelenk.rows.springs import spring_energy, stiffest
from gelenk.state import State


@kernel
def observe_joints(joints, memory, state, now, value_out, rate_out, energy_out):
    """Value of every coordinate, angles over all turns, its rate, and the sum of the energies of springs in rows:

    c' = f . (u_b - u_a) + t . (w_b - w_a)        u = velocity of the point at P_b,   (f, t) = gradient of c
    """
    evaluate(joints, memory, state, now)
    for k in range(joints.pair.shape[0]):
        u, w = motion_of_pair(joints, state, now, k)
        for c in range(joints.pair[k].first, joints.pair[k].last):
            at, more = now.at[c], now.more[c]
            value_out[c] = at.value
            rate_out[c] = vec_of(at.f) @ u + vec_of(more.t) @ w
    energy_out[0] = 0.0
    for r in range(joints.row.shape[0]):
        row = joints.row[r]
        if stiffest(row) > 0.0 and (row.mode == LIMIT or row.mode == SPRING) and not is_broken(row, memory):
            x = row_error(joints, now, r)
            if row.mode == LIMIT:
                x = min(way_to_stop(row, x), 0.0)
                energy_out[0] += 0.5 * row.stiffness * x * x
                continue
            x -= target_of(row, memory)
            energy_out[0] += spring_energy(row, x)


@helper
def motion_of_pair(joints, state, now, k):
    """(u, w) of node b against node a of a pair, at its point."""
    pair, P = joints.pair[k], get3(now.point_W, k)
    u_a, w_a = motion_at(state, pair.a, P)
    u_b, w_b = motion_at(state, pair.b, P)
    return u_b - u_a, w_b - w_a


@helper
def motion_at(state, i, P):
    """(u, w) of node i: velocity of its point at P, and angular velocity, world axes."""
    v = get3(state.v_WC, i)
    if i >= state.q_WB.shape[0]:
        return v, Vec3(0.0, 0.0, 0.0)
    w = rotation(get4(state.q_WB, i)) @ get3(state.w_WB_B, i)
    return v + w.cross(P - get3(state.p_WC, i)), w


class JointWatch:
    """Looks at the joints of one state again and again, without new arrays."""

    def __init__(self, wired: Wired, state: State) -> None:
        self._joints, self._memory, self._state = wired.joints, wired.memory(state.memory), state
        self._now = new_coordinates(wired.joints)
        self._value, self._rate = (np.zeros(len(wired.joints.coordinate)) for _ in range(2))
        self._energy = np.zeros(1)
        self.seen = self._value  # of all coordinates, as they were at the last look
        self._places = np.array([c.place for c in wired.coordinates], dtype=np.intp)

    def look(self) -> tuple[np.ndarray, np.ndarray, float]:
        """Values and rates of the named coordinates, in their order, and the energy of springs in joints [J]."""
        if len(self._joints.pair):
            observe_joints(self._joints, self._memory, self._state, self._now, self._value, self._rate, self._energy)
        return self._value[self._places], self._rate[self._places], float(self._energy[0])
