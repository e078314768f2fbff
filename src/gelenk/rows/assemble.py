"""What a step computes of its rows: coordinates, Jacobians, and which rows ask for what."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.quat import Quat, get4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.rows.block import NONE, Joints, records
from gelenk.rows.coordinate import Frames, axis_of, coordinate, is_angle, unwrapped
from gelenk.rows.guides import GIVEN, RATE_OF_END
from gelenk.state import Masses, State

VALUE = np.dtype(  # a coordinate at one pose
    [
        ("value", "f8"),
        ("f", "f8", (3,)),  # force part of its gradient, world axes
    ]
)
MORE = np.dtype(  # what all but SHIFT have beside it
    [
        ("t", "f8", (3,)),  # couple part of the gradient
        ("place", "f8", (2,)),  # what to remember
    ]
)
NUMBERS = np.dtype(  # a row in this step
    [
        ("p", "f8"),  # impulse
        ("before", "f8"),  # impulse when the solver began
        ("ask", "f8"),  # change of J V + c/h p that a solver is asked for
        ("begin", "f8"),  # sum of the coordinates of a drive at the start of the step
        ("error", "f8"),  # sum of the coordinates minus rest
        ("rate", "f8"),  # J V
        ("want", "f8"),  # b + (k/h) e
        ("soft", "f8"),  # c/h
        ("diag", "f8"),  # J M^-1 J^T
        ("lo", "f8"),  # bounds of the impulse of this step
        ("hi", "f8"),
    ]
)


class Coordinates(NamedTuple):
    """All coordinates at one pose."""

    at: np.ndarray  # (C,) VALUE
    more: np.ndarray  # (C,) MORE
    point_W: np.ndarray  # (P, 3) where the forces act: origin of the frame in b [m]


class BodyWork(NamedTuple):
    """Velocities of all nodes in world axes, linear part first, and their inertia in world axes."""

    V: np.ndarray  # (n, 6)
    dV: np.ndarray  # (n, 6) what a solver changes
    inv_mass: np.ndarray  # (n,)
    inv_inertia_W: np.ndarray  # (n, 3, 3); zero for particles and statics


class RowWork(NamedTuple):
    """The rows in this step; index = row of the model."""

    J: np.ndarray  # (E, 6)
    B: np.ndarray  # (E, 6) M^-1 J^T
    number: np.ndarray  # (R,) NUMBERS
    active: np.ndarray  # (R,) uint32 rows that take part, in order
    counts: np.ndarray  # (2,) int64 how many, and how many of them are equalities
    given: np.ndarray  # (G,) GIVEN motions of guides


def new_coordinates(joints: Joints) -> Coordinates:
    """Space for the coordinates at one pose."""
    n = len(joints.coordinate)
    return Coordinates(records(VALUE, n), records(MORE, n), np.zeros((len(joints.pair), 3)))


def new_rows(joints: Joints, way: int = RATE_OF_END) -> RowWork:
    """Space for the rows of a step; ``way`` is how a method asks for rates of guides (:mod:`gelenk.rows.guides`)."""
    n, e = len(joints.row), len(joints.body)
    number, given = records(NUMBERS, n), records(GIVEN, len(joints.guides.guide))
    number.lo, number.hi = -np.inf, np.inf
    given.way = way
    return RowWork(np.zeros((e, 6)), np.zeros((e, 6)), number, np.zeros(n, np.uint32), np.zeros(2, np.int64), given)


def new_bodies(masses: Masses, state: State) -> BodyWork:
    """Space for the velocities."""
    n = len(state.p_WC)
    return BodyWork(np.zeros((n, 6)), np.zeros((n, 6)), masses.inv_mass, np.zeros((n, 3, 3)))


@helper
def fetch_bodies(masses, state, bodies):
    """Velocities and inverse inertia of all nodes in world axes:  J^-1 = R I^-1 R^T."""
    for i in range(state.p_WC.shape[0]):
        for k in range(3):
            bodies.V[i, k] = state.v_WC[i, k]
    for i in range(state.q_WB.shape[0]):
        R = rotation(get4(state.q_WB, i))
        w = R @ get3(state.w_WB_B, i)
        bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5] = w.x, w.y, w.z
        inverse_inertia(masses, bodies, i, R)


@helper
def inverse_inertia(masses, bodies, i, R):
    """Store R I^-1 R^T, exactly symmetric."""
    A = R.times(get33(masses.inv_inertia_B, i)).times(R.transposed())
    out = bodies.inv_inertia_W
    out[i, 0, 0], out[i, 1, 1], out[i, 2, 2] = A.xx, A.yy, A.zz
    out[i, 0, 1] = out[i, 1, 0] = A.xy
    out[i, 0, 2] = out[i, 2, 0] = A.xz
    out[i, 1, 2] = out[i, 2, 1] = A.yz


@helper
def vec_of(a):
    """Three numbers of a record as a vector."""
    return Vec3(a[0], a[1], a[2])


@helper
def quat_of(a):
    """Four numbers of a record as a quaternion."""
    return Quat(a[0], a[1], a[2], a[3])


@helper
def evaluate(joints, memory, state, out):
    """All coordinates at the pose of ``state``."""
    evaluate_pairs(joints, memory, state, out, 0, joints.pair.shape[0])


@routine
def evaluate_pairs(joints, memory, state, out, first, last):
    """The coordinates of some pairs at the pose of ``state``: values, gradients, places."""
    for k in range(first, last):
        pair = joints.pair[k]
        q_A, q_B = node_rotation(state, pair.a), node_rotation(state, pair.b)
        r_a, f_a = vec_of(pair.r_a), quat_of(pair.q_a)
        if pair.pose != NONE:
            i, x = pair.pose, memory.inputs
            r_a = Vec3(x[i], x[i + 1], x[i + 2])
            f_x = Quat(x[i + 3], x[i + 4], x[i + 5], x[i + 6])
            if f_x.norm() > 0.0:
                f_a = f_x.unit()
        p_a = get3(state.p_WC, pair.a) + rotation(q_A) @ r_a
        p_b = get3(state.p_WC, pair.b) + rotation(q_B) @ vec_of(pair.r_b)
        put3(out.point_W, k, p_b)
        q_a = q_A * f_a
        R_a = rotation(q_a)
        if pair.points_only == 1:
            r = p_b - p_a
            for c in range(pair.first, pair.last):
                at = out.at[c]
                d = axis_of(R_a, joints.coordinate[c].axis)
                at.value = d @ r
                at.f[0], at.f[1], at.f[2] = d.x, d.y, d.z
        else:
            q_b = q_B * quat_of(pair.q_b)
            frames = Frames(p_a, p_b, R_a, rotation(q_b), q_a.conj() * q_b)
            for c in range(pair.first, pair.last):
                what, at, more = joints.coordinate[c], out.at[c], out.more[c]
                before = (memory.coordinate[c, 0], memory.coordinate[c, 1])
                value, f, t, place = coordinate(
                    what.kind, what.axis, what.table, before, frames, joints.curves, joints.surfaces
                )
                at.value = value
                at.f[0], at.f[1], at.f[2] = f.x, f.y, f.z
                more.t[0], more.t[1], more.t[2] = t.x, t.y, t.z
                more.place[0], more.place[1] = place[0], place[1]


@routine
def count_turns(joints, memory, V, h, out, first, last):
    """Angles of some pairs where the velocities V lead in h: the turn nearest to where their rates would bring them,

        c(t + h) ~ c(t) + h c',      c' = t . (w_b - w_a)

    so that turns are counted also where a step takes more than half of one.
    """
    for k in range(first, last):
        if joints.pair[k].points_only == 1:
            continue
        for c in range(joints.pair[k].first, joints.pair[k].last):
            if is_angle(joints.coordinate[c].kind):
                at, more = out.at[c], out.more[c]
                at.value = unwrapped(at.value, memory.coordinate[c, 0] + h * angle_rate(joints, V, c, more))
                more.place[0] = at.value


@helper
def angle_rate(joints, V, c, more):
    """T . (w_b - w_a) of an angle, at most |w_b - w_a|: t grows without bound where an angle loses its meaning."""
    pair = joints.pair[joints.coordinate[c].pair]
    a, b = pair.a, pair.b
    w = Vec3(V[b, 3] - V[a, 3], V[b, 4] - V[a, 4], V[b, 5] - V[a, 5])
    most = w.norm()
    return min(max(vec_of(more.t) @ w, -most), most)


@helper
def node_rotation(state, node):
    """Orientation of a node; a particle stands upright, as the world does."""
    return get4(state.q_WB, node if node < state.q_WB.shape[0] else 0)


@helper
def jacobian(joints, state, now, rows):
    """J of every row."""
    jacobian_rows(joints, state, now, rows, 0, joints.row.shape[0])


@routine
def jacobian_rows(joints, state, now, rows, first, last):
    """J of some rows (V-122). The wrench (f, t) of a coordinate acts at its point:

    J_b = (f, (P - s_b) x f + t)        J_a = -(f, (P - s_a) x f + t)
    """
    J = rows.J
    for r in range(first, last):
        row = joints.row[r]
        for e in range(row.entry_first, row.entry_last):
            for k in range(6):
                J[e, k] = 0.0
        for m in range(row.term_first, row.term_last):
            term = joints.term[m]
            f, t = vec_of(now.at[term.coordinate].f) * term.factor, couple_of(now, term) * term.factor
            P = get3(now.point_W, joints.coordinate[term.coordinate].pair)
            if term.slot_a != NONE:
                add_wrench(J, joints.body, state, term.slot_a, P, -f, -t)
            if term.slot_b != NONE:
                add_wrench(J, joints.body, state, term.slot_b, P, f, t)


@helper
def couple_of(now, term):
    """Couple part of the gradient of a coordinate; a SHIFT has none."""
    if term.shift == 1:
        return Vec3(0.0, 0.0, 0.0)
    return vec_of(now.more[term.coordinate].t)


@routine
def responses(joints, bodies, rows, skip):
    """M^-1 J^T and the diagonal of J M^-1 J^T, for the rows that are not in ``skip``. Solvers call it to prepare."""
    for r in range(joints.row.shape[0]):
        if skip[r] == 1:
            continue
        respond(joints, bodies, rows, r)


@helper
def respond(joints, bodies, rows, r):
    """M^-1 J^T and J M^-1 J^T of row r."""
    J, B, row, d = rows.J, rows.B, joints.row[r], 0.0
    for e in range(row.entry_first, row.entry_last):
        i = joints.body[e]
        s = bodies.inv_mass[i]
        w = get33(bodies.inv_inertia_W, i) @ Vec3(J[e, 3], J[e, 4], J[e, 5])
        x, y, z = s * J[e, 0], s * J[e, 1], s * J[e, 2]
        B[e, 0], B[e, 1], B[e, 2] = x, y, z
        B[e, 3], B[e, 4], B[e, 5] = w.x, w.y, w.z
        d += x * J[e, 0] + y * J[e, 1] + z * J[e, 2] + w.x * J[e, 3] + w.y * J[e, 4] + w.z * J[e, 5]
    rows.number[r].diag = d


@helper
def add_wrench(J, body, state, e, P, f, t):
    """Add a wrench at P to an entry, as seen from the centre of mass of its node."""
    i = body[e]
    J[e, 0] += f.x
    J[e, 1] += f.y
    J[e, 2] += f.z
    if i < state.q_WB.shape[0]:
        m = (P - get3(state.p_WC, i)).cross(f) + t
        J[e, 3] += m.x
        J[e, 4] += m.y
        J[e, 5] += m.z


@helper
def row_rate(joints, J, V, r):
    """J V of row r."""
    row = joints.row[r]
    s = 0.0
    for e in range(row.entry_first, row.entry_last):
        i = joints.body[e]
        for k in range(6):
            s += J[e, k] * V[i, k]
    return s


@helper
def kick_row(joints, bodies, J, V, r, p):
    """V += M^-1 J^T p for row r, from J alone."""
    row = joints.row[r]
    for e in range(row.entry_first, row.entry_last):
        i = joints.body[e]
        s = p * bodies.inv_mass[i]
        w = get33(bodies.inv_inertia_W, i) @ Vec3(p * J[e, 3], p * J[e, 4], p * J[e, 5])
        V[i, 0] += s * J[e, 0]
        V[i, 1] += s * J[e, 1]
        V[i, 2] += s * J[e, 2]
        V[i, 3] += w.x
        V[i, 4] += w.y
        V[i, 5] += w.z


@helper
def push(joints, B, V, r, p):
    """V += M^-1 J^T p for row r, with the responses of a solver."""
    row = joints.row[r]
    for e in range(row.entry_first, row.entry_last):
        i = joints.body[e]
        for k in range(6):
            V[i, k] += B[e, k] * p


@helper
def row_error(joints, now, r):
    """Sum of the coordinates of row r minus its rest."""
    row = joints.row[r]
    s = -row.rest
    for m in range(row.term_first, row.term_last):
        s += joints.term[m].factor * now.at[joints.term[m].coordinate].value
    return s


@helper
def target_of(row, memory):
    """Set-point of a row."""
    if row.target == NONE:
        return 0.0
    return row.target_factor * memory.inputs[row.target]


@helper
def strength_of(row, memory):
    """Share of its bounds that a motor may use now."""
    if row.strength == NONE:
        return 1.0
    return memory.inputs[row.strength]


@helper
def is_broken(row, memory):
    """Whether the joint of a row is broken, or one that it ties."""
    if row.owner != NONE and memory.broken[row.owner] != 0.0:
        return True
    if row.with_a == NONE:
        return False
    return memory.broken[row.with_a] != 0.0 or memory.broken[row.with_b] != 0.0
