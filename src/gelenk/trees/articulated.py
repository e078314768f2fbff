"""Accelerations of a tree in linear time: the articulated-body recursion (V-52, I-083; virtual-worlds 4.34).

Every link is told about its point N in world axes. Its inertia and its bias force are those of a rigid body,

    [[m E, -m d~], [m d~, I_C - m d~ d~]]      f = m w x (w x d) - F,    n = w x I_C w + d x (m w x (w x d)) - T - d x F

Inward, its degrees of freedom are eliminated one by one, a joint with several being as many joints in one place:

    U = I s,   D = s.U + e,   x = tau - s.p        I <- I - U U^T / D,    p <- p + U x / D

and what is left is added to the parent, with  p + I c.  Outward:  u' = (x - U.a) / D,  a <- a + s u'.  What is added to
the inertia of one velocity is e, as by implicit springs. What is given, s u', is part of c.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import Mat3, get33, rotation
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.rows.block import NONE
from gelenk.solvers.tree import plus
from gelenk.trees.kinematics import store


@routine
def accelerations(tree, masses, loads, work):
    """Work.du of all free joints and the accelerations of all links, at the state that the kinematics left."""
    for n in range(tree.link.shape[0]):
        rigid_inertia(masses, loads, tree.link[n], work.moving[n], work.at)
    for m in range(tree.link.shape[0]):
        n = tree.link.shape[0] - 1 - m
        eliminate(tree, work, n)
    for n in range(tree.link.shape[0]):
        go_out(tree, tree.link[n], n, work)


@helper
def mat(field):
    """A matrix from a field of nine numbers."""
    return Mat3(field[0], field[1], field[2], field[3], field[4], field[5], field[6], field[7], field[8])


@helper
def store_mat(field, M):
    """Write a matrix into a field of nine numbers."""
    field[0], field[1], field[2] = M.xx, M.xy, M.xz
    field[3], field[4], field[5] = M.yx, M.yy, M.yz
    field[6], field[7], field[8] = M.zx, M.zy, M.zz


@helper
def inertia_at(masses, at, node):
    """Inertia of a body about its centre, world axes; none for a particle."""
    if at.q_WB.shape[0] > node:
        R = rotation(get4(at.q_WB, node))
        return R.times(get33(masses.inertia_B, node)).times(R.transposed())
    return Mat3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@helper
def spatial_inertia(masses, link, moving, at):
    """Inertia of a link by itself, about N; returns that about its centre of mass."""
    m, d = masses.mass[link.node], triple(moving.d)
    inertia = inertia_at(masses, at, link.node)
    x, y, z = m * d.x, m * d.y, m * d.z
    store_mat(moving.A, Mat3(m, 0.0, 0.0, 0.0, m, 0.0, 0.0, 0.0, m))
    store_mat(moving.B, Mat3(0.0, -z, y, z, 0.0, -x, -y, x, 0.0))
    xx, yy, zz = x * d.x, y * d.y, z * d.z
    C = Mat3(
        inertia.xx + yy + zz,
        inertia.xy - x * d.y,
        inertia.xz - x * d.z,
        inertia.yx - x * d.y,
        inertia.yy + xx + zz,
        inertia.yz - y * d.z,
        inertia.zx - x * d.z,
        inertia.zy - y * d.z,
        inertia.zz + xx + yy,
    )
    store_mat(moving.C, C)
    return inertia


@helper
def rigid_inertia(masses, loads, link, moving, at):
    """Inertia and bias force of a link by itself, about N."""
    m, d, w = masses.mass[link.node], triple(moving.d), triple(moving.w)
    inertia = spatial_inertia(masses, link, moving, at)
    force = w.cross(w.cross(d)) * m - get3(loads.force_W, link.node)
    torque = w.cross(inertia @ w) + d.cross(force)
    if at.q_WB.shape[0] > link.node:
        torque = torque - get3(loads.torque_W, link.node)
    store(moving.f, force)
    store(moving.n, torque)


@helper
def eliminate(tree, work, n):
    """Take the freedoms of a link out of its inertia, and add what is left to its parent."""
    link, moving = tree.link[n], work.moving[n]
    A, B, C = mat(moving.A), mat(moving.B), mat(moving.C)
    f, t = triple(moving.f), triple(moving.n)
    c_N, c_w = triple(moving.c_N), triple(moving.c_w)
    for m in range(link.last - link.u):
        k = link.last - 1 - m
        column = work.column[k]
        v, w = triple(column.v), triple(column.w)
        if tree.driven[k] == 1:
            c_N, c_w = c_N + v * work.du[k], c_w + w * work.du[k]
            continue
        U_f, U_n = A @ v + B.tdot(w), B @ v + C @ w
        inv = 1.0 / (v @ U_f + w @ U_n + work.extra[k])
        rest = work.tau[k] - v @ f - w @ t
        store(column.f, U_f)
        store(column.n, U_n)
        column.inv, column.rest = inv, rest
        A, B, C = less(A, U_f, U_f, inv), less(B, U_n, U_f, inv), less(C, U_n, U_n, inv)
        f, t = f + U_f * (inv * rest), t + U_n * (inv * rest)
    if link.parent == NONE:
        return
    f, t = f + A @ c_N + B.tdot(c_w), t + B @ c_N + C @ c_w
    add_to_parent(work.moving[link.parent], A, B, C, f, t, triple(moving.r))


@helper
def add_to_parent(parent, A, B, C, f, t, r):
    """The same about the N of the parent, r away:  B + r~ A,  C + r~ B^T - B r~ - r~ A r~."""
    rA = cross_rows(r, A)
    B_P = plus(B, rA)
    C_P = plus(C, plus(cross_rows(r, B.transposed()), cross_columns(B_P, r)))
    store_mat(parent.A, plus(mat(parent.A), A))
    store_mat(parent.B, plus(mat(parent.B), B_P))
    store_mat(parent.C, plus(mat(parent.C), C_P))
    store(parent.f, triple(parent.f) + f)
    store(parent.n, triple(parent.n) + t + r.cross(f))


@helper
def go_out(tree, link, n, work):
    """Accelerations of a link from those of its parent."""
    moving = work.moving[n]
    a_N, a_w = triple(moving.c_N), triple(moving.c_w)
    if link.parent != NONE:
        parent = work.moving[link.parent]
        above = triple(parent.a_w)
        a_N, a_w = a_N + triple(parent.a_N) + above.cross(triple(moving.r)), a_w + above
    for k in range(link.u, link.last):
        if tree.driven[k] == 1:
            a_N, a_w = a_N + triple(work.column[k].v) * work.du[k], a_w + triple(work.column[k].w) * work.du[k]
    for k in range(link.u, link.last):
        if tree.driven[k] == 1:
            continue
        column = work.column[k]
        du = (column.rest - triple(column.f) @ a_N - triple(column.n) @ a_w) * column.inv
        work.du[k] = du
        a_N, a_w = a_N + triple(column.v) * du, a_w + triple(column.w) * du
    store(moving.a_N, a_N)
    store(moving.a_w, a_w)


@helper
def less(M, a, b, s):
    """M - s a b^T."""
    x, y, z = s * b.x, s * b.y, s * b.z
    return Mat3(
        M.xx - a.x * x,
        M.xy - a.x * y,
        M.xz - a.x * z,
        M.yx - a.y * x,
        M.yy - a.y * y,
        M.yz - a.y * z,
        M.zx - a.z * x,
        M.zy - a.z * y,
        M.zz - a.z * z,
    )


@helper
def cross_rows(r, M):
    """R~ M."""
    return Mat3(
        r.y * M.zx - r.z * M.yx,
        r.y * M.zy - r.z * M.yy,
        r.y * M.zz - r.z * M.yz,
        r.z * M.xx - r.x * M.zx,
        r.z * M.xy - r.x * M.zy,
        r.z * M.xz - r.x * M.zz,
        r.x * M.yx - r.y * M.xx,
        r.x * M.yy - r.y * M.xy,
        r.x * M.yz - r.y * M.xz,
    )


@helper
def cross_columns(M, r):
    """M r~^T: each row of M crossed,  r x row."""
    a = r.cross(Vec3(M.xx, M.xy, M.xz))
    b = r.cross(Vec3(M.yx, M.yy, M.yz))
    c = r.cross(Vec3(M.zx, M.zy, M.zz))
    return Mat3(a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z)
