"""From coordinates to bodies and back: poses, velocities, columns, biases of all links (B-11 to B-14, T-48 to T-50).

Outward, from parents to children, with N of the parent at -r and the joint's own motion (v, w) against it:

    v_N = v_P + w_P x r + v                 w_c = w_P + w
    a_N = a_P + a_wP x r + c_N + v_k u_k'   c_N = w_P x (w_P x r) + 2 w_P x v + D v
    a_w = a_wP + c_w + w_k u_k'             c_w = w_P x w + D w

c are the pseudo-accelerations of one joint: what is left for u' = 0 (bobsleigh 3.3, 3.4).
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.quat import Quat, get4, put4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3, put3, triple
from gelenk.rows.block import NONE
from gelenk.trees.kind_table import FREE, POINT
from gelenk.trees.kinds import (
    angle_place,
    bias_turned_around,
    joint_bias,
    joint_column,
    joint_pose,
    move_coordinates,
    on_curve,
    read_coordinates,
    read_velocities,
    turn_rates,
    turned_around,
)


@helper
def store(field, v):
    """Write a vector into a field of three numbers."""
    field[0], field[1], field[2] = v.x, v.y, v.z


@helper
def quad(field):
    """A quaternion from a field of four numbers."""
    return Quat(field[0], field[1], field[2], field[3])


@routine
def kinematics(tree, work):
    """Bodies where (q, u) puts them, with their velocities, columns and biases; parents first."""
    for n in range(tree.link.shape[0]):
        place_link(tree.curves, tree.link[n], n, work)


@helper
def place_link(curves, link, n, work):
    """One link from its parent."""
    at, moving = work.at, work.moving[n]
    base = at.q_WB.shape[0] > link.stem
    q_P = get4(at.q_WB, link.stem) if base else Quat(1.0, 0.0, 0.0, 0.0)
    p_P, R_P = get3(at.p_WC, link.stem), rotation(q_P)
    r_ab, q_ab = joint_pose(link.kind, work.q, link.q, link.lead, curves, link.table)
    if link.back == 0:
        q_A = q_P * quad(link.q_a)
        R_a = rotation(q_A)
        p_N = p_P + R_P @ triple(link.r_a) + R_a @ r_ab
        q_B = q_A * q_ab
        q_W = q_B * quad(link.q_b).conj()
        R_b, R_W = rotation(q_B), rotation(q_W)
        d, apart = -(R_W @ triple(link.r_b)), Vec3(0.0, 0.0, 0.0)
    else:
        q_B = q_P * quad(link.q_b)
        q_A = q_B * q_ab.conj()
        R_a, R_b = rotation(q_A), rotation(q_B)
        apart = -(R_a @ r_ab)
        p_N = p_P + R_P @ triple(link.r_b) + apart
        q_W = q_A * quad(link.q_a).conj()
        R_W = rotation(q_W)
        d = -(R_W @ triple(link.r_a))
    put3(at.p_WC, link.node, p_N + d)
    if at.q_WB.shape[0] > link.node:
        put4(at.q_WB, link.node, q_W)
    store(moving.p_N, p_N)
    store(moving.d, d)
    move_link(curves, link, n, work, R_a, R_b, R_W, apart, p_N, d)


@helper
def move_link(curves, link, n, work, R_a, R_b, R_W, apart, p_N, d):
    """Velocities, columns and biases of a link that has its place."""
    at, moving = work.at, work.moving[n]
    v, w = Vec3(0.0, 0.0, 0.0), Vec3(0.0, 0.0, 0.0)
    s = work.q[link.q] if on_curve(link.kind) else 0.0
    for k in range(link.u, link.last):
        v_k, w_k = joint_column(link.kind, k - link.u, R_a, R_b, link.lead, curves, link.table, s)
        v, w = v + v_k * work.u[k], w + w_k * work.u[k]
        if link.back == 1:
            v_k, w_k = turned_around(v_k, w_k, apart)
        column = work.column[k]
        store(column.v, v_k)
        store(column.w, w_k)
    dv, dw = joint_bias(link.kind, work.u, link.u, R_a, R_b, curves, link.table, s)
    if link.back == 1:
        dv, dw = bias_turned_around(v, w, dv, dw, apart)
        v, w = turned_around(v, w, apart)
    if link.parent != NONE:
        parent = work.moving[link.parent]
        r, w_P = p_N - triple(parent.p_N), triple(parent.w)
        outward = w_P.cross(r)
        store(moving.r, r)
        store(moving.c_N, w_P.cross(outward) + w_P.cross(v) * 2.0 + dv)
        store(moving.c_w, w_P.cross(w) + dw)
        v, w = triple(parent.v_N) + outward + v, w_P + w
    else:
        store(moving.c_N, dv)
        store(moving.c_w, dw)
    store(moving.v_N, v)
    store(moving.w, w)
    put3(at.v_WC, link.node, v + w.cross(d))
    if at.q_WB.shape[0] > link.node:
        put3(at.w_WB_B, link.node, R_W.tdot(w))


@routine
def read_state(tree, memory, state, work):
    """(q, u) of bodies where a state has them; what joints hold is not looked at, so errors of it are gone."""
    for n in range(tree.link.shape[0]):
        link = tree.link[n]
        if link.kind == FREE or link.kind == POINT:
            read_free(link, state, work)
        else:
            read_joint(tree.curves, link, memory, state, work)


@helper
def read_free(link, state, work):
    """A body or particle that no joint holds; its frame is that of the body at its centre of mass."""
    p, v = get3(state.p_WC, link.node), get3(state.v_WC, link.node)
    for j, x in enumerate((p.x, p.y, p.z)):
        work.q[link.q + j] = x
    for j, x in enumerate((v.x, v.y, v.z)):
        work.u[link.u + j] = x
    if link.kind == FREE:
        q, w = get4(state.q_WB, link.node), get3(state.w_WB_B, link.node)
        for j, x in enumerate((q.w, q.x, q.y, q.z)):
            work.q[link.q + 3 + j] = x
        for j, x in enumerate((w.x, w.y, w.z)):
            work.u[link.u + 3 + j] = x


@helper
def read_joint(curves, link, memory, state, work):
    """Coordinates and velocities of a joint from its two frames."""
    a, b = (link.stem, link.node) if link.back == 0 else (link.node, link.stem)
    q_a, q_b = body_turn(state, a), body_turn(state, b)
    R_A, R_B = rotation(q_a), rotation(q_b)
    r_a, r_b = R_A @ triple(link.r_a), R_B @ triple(link.r_b)
    way = get3(state.p_WC, b) + r_b - get3(state.p_WC, a) - r_a  # P_a to P_b
    q_A, q_B = q_a * quad(link.q_a), q_b * quad(link.q_b)
    R_a, R_b = rotation(q_A), rotation(q_B)
    first = memory.coordinate[link.turns, 0] if link.turns != NONE else 0.0
    second = memory.coordinate[link.turns_y, 0] if link.turns_y != NONE and not on_curve(link.kind) else 0.0
    turn = q_A.conj() * q_B
    read_coordinates(link.kind, work.q, link.q, R_a.tdot(way), turn, first, second, curves, link.table)
    s = work.q[link.q] if on_curve(link.kind) else 0.0
    w_a, w_b = body_spin(state, a, R_A), body_spin(state, b, R_B)
    v = get3(state.v_WC, b) + w_b.cross(r_b) - get3(state.v_WC, a) - w_a.cross(r_a + way)
    read_velocities(link.kind, work.u, link.u, v, w_b - w_a, R_a, R_b, curves, link.table, s)


@helper
def body_turn(state, i):
    """Orientation of a node; that of a particle is the identity."""
    return get4(state.q_WB, i) if i < state.q_WB.shape[0] else Quat(1.0, 0.0, 0.0, 0.0)


@helper
def body_spin(state, i, R):
    """Angular velocity of a node, world axes."""
    return R @ get3(state.w_WB_B, i) if i < state.w_WB_B.shape[0] else Vec3(0.0, 0.0, 0.0)


@routine
def move_all(tree, q, u, h):
    """Coordinates after h at constant velocities:  q' = B(q) u."""
    for n in range(tree.link.shape[0]):
        link = tree.link[n]
        move_coordinates(link.kind, q, link.q, u, link.u, h)


@routine
def move_piece(tree, p, q, way):
    """Coordinates of one piece of the model after a way, in the measure of velocities."""
    for n in range(tree.piece[p].link, tree.piece[p].link_last):
        link = tree.link[n]
        move_coordinates(link.kind, q, link.q, way, link.u, 1.0)


@routine
def rates_all(tree, u, turn, out):
    """Rates of coordinates that are moved from where they were by ``turn``; see :func:`turn_rates`."""
    for n in range(tree.link.shape[0]):
        link = tree.link[n]
        turn_rates(link.kind, u, link.u, turn, out)


@routine
def write_state(tree, work, memory, state):
    """Bodies of an evaluation become those of a state, and turned angles are remembered."""
    at = work.at
    for n in range(tree.link.shape[0]):
        link = tree.link[n]
        put3(state.p_WC, link.node, get3(at.p_WC, link.node))
        put3(state.v_WC, link.node, get3(at.v_WC, link.node))
        if state.q_WB.shape[0] > link.node:
            put4(state.q_WB, link.node, get4(at.q_WB, link.node))
            put3(state.w_WB_B, link.node, get3(at.w_WB_B, link.node))
        if on_curve(link.kind):
            for c in range(link.turns, link.turns_y):
                memory.coordinate[c, 0] = work.q[link.q]
            continue
        if link.turns != NONE:
            memory.coordinate[link.turns, 0] = work.q[link.q + angle_place(link.kind)]
        if link.turns_y != NONE:
            memory.coordinate[link.turns_y, 0] = work.q[link.q + 1]
