"""Contacts in Newton's method: what points add to its matrix and its right-hand side, and the impulses that follow."""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import TURNS
from gelenk.contact.skyline import row_block
from gelenk.contact.sweep import change_at, push_pair
from gelenk.contact.turn import bound_turn, couple_since, in_world, turn_pair
from gelenk.math.quat import get4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, triple
from gelenk.rows.block import NONE
from gelenk.rows.sets import prox_ellipse

OUT, SLIDING, STICKING = 0, 1, 2


@helper
def turn_inertia(contacts, heap, masses, state):
    """Inertia of the bodies in world axes,  R I R^T."""
    out, sky = contacts.inertia, contacts.sky
    for k in range(heap.first, heap.last):
        i = sky.node[k]
        if i >= state.q_WB.shape[0]:  # a particle, which does not turn
            out[i, 0, 0] = out[i, 1, 1] = out[i, 2, 2] = masses.mass[i]
            continue
        R = rotation(get4(state.q_WB, i))
        A = R.times(get33(masses.inertia_B, i)).times(R.transposed())
        out[i, 0, 0], out[i, 0, 1], out[i, 0, 2] = A.xx, A.xy, A.xz
        out[i, 1, 0], out[i, 1, 1], out[i, 1, 2] = A.yx, A.yy, A.yz
        out[i, 2, 0], out[i, 2, 1], out[i, 2, 2] = A.zx, A.zy, A.zz


@routine
def begin_matrix(sky, contacts, heap, masses):
    """H = M."""
    for i in range(heap.first, heap.last):
        diagonal = row_block(sky, i, i)
        for j in range(sky.begin[i], diagonal + 1):
            for a in range(6):
                for b in range(6):
                    sky.block[j, a, b] = 0.0
        D, node = sky.block[diagonal], sky.node[i]
        for a in range(3):
            D[a, a] = masses.mass[node]
            for b in range(3):
                D[a + 3, b + 3] = contacts.inertia[node, a, b]


@routine
def add_points(sky, contacts, heap, W):
    """Add  W J^T J  of the points that press."""
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        if c.mode != OUT:
            n, t = triple(c.n), triple(c.t)
            add_row(sky, c, n, normal_weight(c, W))
            if c.mode == STICKING:
                add_row(sky, c, t, W)
                add_row(sky, c, n.cross(t), W)


@helper
def normal_weight(c, W):
    """W of the normal; that of a soft point is what it yields by,  p = before + (ask - u) / soft."""
    return 1.0 / c.soft if c.soft > 0.0 else W


@helper
def entry(d, m, k):
    """Component k of a row of J that is (d, m)."""
    if k < 3:
        return d.x if k == 0 else (d.y if k == 1 else d.z)
    return m.x if k == 3 else (m.y if k == 4 else m.z)


@routine
def add_row(sky, c, d, w):
    """Add  w J^T J  of the row along d:  J_b = (d, r_b x d),  J_a = -(d, r_a x d)."""
    i, j = sky.place[c.a], sky.place[c.b]
    m_a, m_b = triple(c.r_a).cross(d), triple(c.r_b).cross(d)
    if i != NONE:
        add_outer(sky.block[row_block(sky, np.int64(i), np.int64(i))], d, m_a, d, m_a, w)
    if j != NONE:
        add_outer(sky.block[row_block(sky, np.int64(j), np.int64(j))], d, m_b, d, m_b, w)
    if i != NONE and j != NONE:
        if i > j:
            add_outer(sky.block[row_block(sky, np.int64(i), np.int64(j))], d, m_a, d, m_b, -w)
        else:
            add_outer(sky.block[row_block(sky, np.int64(j), np.int64(i))], d, m_b, d, m_a, -w)


@helper
def add_outer(B, d, m, e, o, w):
    """B += w (d, m) (e, o)^T."""
    for a in range(6):
        s = w * entry(d, m, a)
        B[a, 0] += s * e.x
        B[a, 1] += s * e.y
        B[a, 2] += s * e.z
        B[a, 3] += s * o.x
        B[a, 4] += s * o.y
        B[a, 5] += s * o.z


@routine
def add_point_impulses(sky, contacts, heap, W):
    """Right-hand side  J^T (q - p_start)  of all points."""
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c = contacts.contact[k]
        add_impulse(sky, c, wish(c, W) - triple(c.start))
        if contacts.number[TURNS] > 0 and contacts.turn[k].on == 1:
            add_couple(sky, c, in_world(c, couple_since(contacts.turn[k])))


@helper
def wish(c, W):
    """The q of a point along n, t, n x t; one that slides has the friction that its goal is."""
    if c.mode == OUT:
        return Vec3(0.0, 0.0, 0.0)
    p_n = c.p[0] + W * c.ask[0] if c.soft == 0.0 else c.before + c.ask[0] / c.soft
    if c.mode == STICKING:
        return Vec3(p_n, c.p[1] + W * c.ask[1], c.p[2] + W * c.ask[2])
    return Vec3(p_n, c.goal[1], c.goal[2])


@helper
def add_couple(sky, c, q):
    """X += J^T q of a couple; couples stay as they are in a step, and sweeps change them."""
    i, j, none = sky.place[c.a], sky.place[c.b], Vec3(0.0, 0.0, 0.0)
    if i != NONE:
        add_wrench(sky.x, i, none, -q)
    if j != NONE:
        add_wrench(sky.x, j, none, q)


@helper
def add_impulse(sky, c, p):
    """X += J^T p."""
    n, t = triple(c.n), triple(c.t)
    f = n * p.x + t * p.y + n.cross(t) * p.z
    i, j = sky.place[c.a], sky.place[c.b]
    if i != NONE:
        add_wrench(sky.x, i, -f, -triple(c.r_a).cross(f))
    if j != NONE:
        add_wrench(sky.x, j, f, triple(c.r_b).cross(f))


@helper
def add_wrench(x, i, f, m):
    """Add a force and a couple to a row."""
    x[i, 0] += f.x
    x[i, 1] += f.y
    x[i, 2] += f.z
    x[i, 3] += m.x
    x[i, 4] += m.y
    x[i, 5] += m.z


@helper
def clear_side(sky, heap):
    """No right-hand side yet."""
    for i in range(heap.first, heap.last):
        for k in range(6):
            sky.x[i, k] = 0.0


@helper
def take_velocities(sky, heap, bodies):
    """The solution as dV of the bodies; whether it is finite."""
    good = True
    for i in range(heap.first, heap.last):
        for k in range(6):
            bodies.dV[sky.node[i], k] = sky.x[i, k]
            good = good and abs(sky.x[i, k]) < math.inf
    return good


@routine
def set_point_goals(contacts, heap, bodies, W):
    """Impulses that go with dV,  q - W J dV  of the rows that are held, and all the friction of points that slide.

    Returns the largest change of that friction, as a share of the pressure.
    """
    change = 0.0
    for i in range(heap.point_first, heap.point_last):
        c = contacts.contact[contacts.heaps.points[i]]
        q, u, n, t = wish(c, W), change_at(bodies.dV, c), triple(c.n), triple(c.t)
        c.goal[0] = q.x
        if c.mode != OUT:
            c.goal[0] -= normal_weight(c, W) * (n @ u)
        if c.mode == SLIDING:
            u_t, u_s = t @ u - c.ask[1], n.cross(t) @ u - c.ask[2]
            x, y = full_friction(c, c.goal[0], q.y - u_t / c.top, q.z - u_s / c.top)
            if c.goal[0] > 0.0:
                change = max(change, max(abs(x - q.y), abs(y - q.z)) / c.goal[0])
            c.goal[1], c.goal[2] = x, y
        else:
            c.goal[1], c.goal[2] = q.y, q.z
        if c.mode == STICKING:
            c.goal[1] -= W * (t @ u)
            c.goal[2] -= W * (n.cross(t) @ u)
    return change


@helper
def full_friction(c, p_n, x, y):
    """All the friction of a pressure, in the direction of (x, y):  (x/a)^2 + (y/b)^2 = 1  with  a, b = mu p_n."""
    a, b = c.along * max(p_n, 0.0), c.across * max(p_n, 0.0)
    if a <= 0.0 or b <= 0.0:
        return prox_ellipse(x, y, a, b)
    size = math.sqrt((x / a) * (x / a) + (y / b) * (y / b))
    if size <= 0.0:
        return 0.0, 0.0
    return x / size, y / size


@routine
def take_point_goals(contacts, heap, bodies):
    """Impulses at their goals, within their bounds, and dV of all points."""
    turns = contacts.number[TURNS] > 0
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c = contacts.contact[k]
        c.p[0] = max(0.0, c.goal[0]) if c.mode != OUT else 0.0
        c.p[1], c.p[2] = prox_ellipse(c.goal[1], c.goal[2], c.along * c.p[0], c.across * c.p[0])
        if turns:
            bound_turn(c, contacts.turn[k])
    apply_points(contacts, heap, bodies)


@routine
def apply_points(contacts, heap, bodies):
    """DV of the impulses since the start,  M^-1 J^T (p - p_start)."""
    for i in range(heap.first, heap.last):
        for k in range(6):
            bodies.dV[contacts.sky.node[i], k] = 0.0
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        x, y, z = c.p[0] - c.start[0], c.p[1] - c.start[1], c.p[2] - c.start[2]
        push_pair(bodies, bodies.dV, c, n * x + t * y + n.cross(t) * z)
        if contacts.number[TURNS] > 0 and contacts.turn[k].on == 1:
            turn_pair(bodies, bodies.dV, c, couple_since(contacts.turn[k]))


@routine
def store_solution(contacts, heap, bodies):
    """Remember impulses, couples and velocities."""
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.last[j], x.last[j] = c.p[j], x.p[j]
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        for j in range(6):
            contacts.last[node, j] = bodies.dV[node, j]


@routine
def recall_solution(contacts, heap, bodies):
    """Go back to what was remembered."""
    for i in range(heap.point_first, heap.point_last):
        k = contacts.heaps.points[i]
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.p[j], x.p[j] = c.last[j], x.last[j]
    for i in range(heap.first, heap.last):
        node = contacts.sky.node[i]
        for j in range(6):
            bodies.dV[node, j] = contacts.last[node, j]
