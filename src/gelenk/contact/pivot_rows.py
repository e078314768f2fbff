"""Rows of joints and contacts as one problem with bounds, for solvers that pivot (V-84, V-120, virtual-worlds 4.6).

The order is that of the solver: rows without bounds, bounded ones, normals of contacts, friction last (trap T-16). At a
contact with the normal impulse p_n friction acts along some lines or directions d,

    lines        p_d in [-mu' p_n, mu' p_n],    mu' = mu tan(pi / 2n)       their sum lies in a polygon around the disc
    directions   p_d >= 0,  sum of p_d <= p_n,  d as long as mu             their sum lies in a polygon within it

and couples of rolling and torsional friction do in the same way.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.pivot_block import (
    BOXES,
    COUNT_ROWS,
    FRICTION,
    GROUPS,
    JOINT_ROW,
    KIND,
    LINES,
    NORMAL,
    ROLL,
    SLIP,
    SPIN,
    UNLIMITED,
)
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, triple
from gelenk.rows.block import NONE
from gelenk.solvers.dense import six


@routine
def pose_rows(pivot, contacts, joints, bodies, rows):
    """All rows of a step, what they ask and between which bounds. Contacts begin without impulses.

    The answer holds the normal impulses of the step before, for the first bounds of friction.
    """
    number = pivot.number
    number[COUNT_ROWS] = number[GROUPS] = 0
    pivot.first[0] = 0
    for n in range(rows.counts[0]):
        r = rows.active[n]
        row, x, e = joints.row[r], rows.number[r], int(pivot.first[n])
        for k in range(row.entry_first, row.entry_last):
            i = joints.body[k]
            pivot.body[e] = i
            for j in range(6):
                pivot.J[e, j] = rows.J[k, j]
            answer_to(pivot, bodies, e)
            e += 1
        end_row(pivot, e, JOINT_ROW, r, x.ask, x.lo - x.p, x.hi - x.p, x.soft)
    number[UNLIMITED] = rows.counts[1]
    base = number[COUNT_ROWS]
    for k in range(contacts.number[COUNT]):
        c, n = contacts.contact[k], number[COUNT_ROWS]
        e = put_force(pivot, bodies, c, int(pivot.first[n]), triple(c.n))
        end_row(pivot, e, NORMAL, k, c.ask[0], c.least, math.inf, c.soft)
        pivot.dp[n] = c.last[0]
    number[FRICTION] = number[COUNT_ROWS]
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        put_friction(pivot, bodies, c, k, base + k, SLIP, c.along, c.across, c.ask[1], c.ask[2])
        if x.on == 1:
            put_spin(pivot, bodies, c, k, base + k, x.torsional, x.ask[0])
            put_friction(pivot, bodies, c, k, base + k, ROLL, x.rolling, x.rolling, x.ask[1], x.ask[2])


@helper
def end_row(pivot, e, kind, of, ask, least, most, soft):
    """The row whose last entry is before e; without an answer as yet."""
    n = pivot.number[COUNT_ROWS]
    pivot.first[n + 1], pivot.kind[n], pivot.of[n] = e, kind, of
    pivot.ask[n], pivot.least[n], pivot.most[n], pivot.soft[n] = ask, least, most, soft
    pivot.normal[n], pivot.dp[n] = NONE, 0.0
    pivot.number[COUNT_ROWS] = n + 1


@helper
def put_entry(pivot, bodies, e, node, f, t):
    """Gradient (f, t) on a node; nothing for what does not move. Returns the place behind it."""
    if bodies.inv_mass[node] == 0.0:
        return e
    J = pivot.J
    pivot.body[e] = node
    J[e, 0], J[e, 1], J[e, 2], J[e, 3], J[e, 4], J[e, 5] = f.x, f.y, f.z, t.x, t.y, t.z
    answer_to(pivot, bodies, e)
    return e + 1


@helper
def answer_to(pivot, bodies, e):
    """B = M^-1 J^T of an entry."""
    J, B, i = pivot.J, pivot.B, pivot.body[e]
    s = bodies.inv_mass[i]
    w = get33(bodies.inv_inertia_W, i) @ Vec3(J[e, 3], J[e, 4], J[e, 5])
    B[e, 0], B[e, 1], B[e, 2], B[e, 3], B[e, 4], B[e, 5] = s * J[e, 0], s * J[e, 1], s * J[e, 2], w.x, w.y, w.z


@helper
def put_force(pivot, bodies, c, e, d):
    """Velocity of b against a at the point along d:  J = (-d, -r_a x d, d, r_b x d)."""
    e = put_entry(pivot, bodies, e, c.a, -d, triple(c.r_a).cross(-d))
    return put_entry(pivot, bodies, e, c.b, d, triple(c.r_b).cross(d))


@helper
def put_couple(pivot, bodies, c, e, d):
    """Angular velocity of b against a about d."""
    none = Vec3(0.0, 0.0, 0.0)
    e = put_entry(pivot, bodies, e, c.a, none, -d)
    return put_entry(pivot, bodies, e, c.b, none, d)


@routine
def put_friction(pivot, bodies, c, k, normal, kind, along, across, ask_t, ask_s):
    """Rows in the tangent plane: along lines with two bounds, or in directions that share one bound."""
    number, largest = pivot.number, max(along, across)
    if largest == 0.0:
        return
    boxes, count = number[KIND] == BOXES, number[LINES]
    t, s = triple(c.t), triple(c.n).cross(triple(c.t))
    full, size, mu = 2.0 * math.pi, 1.0, 1.0
    if boxes:
        full, size, mu = math.pi, 1.0 / largest, largest * math.tan(0.5 * math.pi / count)
    else:
        pivot.group_normal[number[GROUPS]] = normal
    for m in range(count):
        angle, n = full * m / count, number[COUNT_ROWS]
        x, y = along * size * math.cos(angle), across * size * math.sin(angle)
        pivot.along[n, 0], pivot.along[n, 1] = x, y
        d, e = t * x + s * y, int(pivot.first[n])
        e = put_force(pivot, bodies, c, e, d) if kind == SLIP else put_couple(pivot, bodies, c, e, d)
        end_row(pivot, e, kind, k, x * ask_t + y * ask_s, 0.0, math.inf, 0.0)
        pivot.normal[n], pivot.mu[n], pivot.group[n] = normal, mu, number[GROUPS]
    if not boxes:
        number[GROUPS] += 1


@routine
def put_spin(pivot, bodies, c, k, normal, arm, ask):
    """Rows about the normal: one with two bounds, or two that share one."""
    number = pivot.number
    if arm == 0.0:
        return
    boxes = number[KIND] == BOXES
    if not boxes:
        pivot.group_normal[number[GROUPS]] = normal
    for m in range(1 if boxes else 2):
        n = number[COUNT_ROWS]
        x = 1.0 if boxes else (arm if m == 0 else -arm)
        pivot.along[n, 0], pivot.along[n, 1] = x, 0.0
        e = put_couple(pivot, bodies, c, int(pivot.first[n]), triple(c.n) * x)
        end_row(pivot, e, SPIN, k, x * ask, 0.0, math.inf, 0.0)
        pivot.normal[n], pivot.mu[n], pivot.group[n] = normal, arm, number[GROUPS]
    if not boxes:
        number[GROUPS] += 1


@routine
def fill_matrix(pivot, count):
    """The first rows as the pivoting takes them: A, what is asked, bounds. Rows meet where they share a body."""
    A, head, after, place = pivot.A, pivot.head, pivot.after, pivot.place
    for i in range(head.shape[0]):
        head[i] = NONE
    for n in range(count):
        for m in range(count):
            A[n, m] = 0.0
        for e in range(int(pivot.first[n]), int(pivot.first[n + 1])):
            i = pivot.body[e]
            other = head[i]
            while other != NONE:
                A[n, place[other]] += six(pivot.J[e], pivot.B[other])
                other = after[other]
            A[n, n] += six(pivot.J[e], pivot.B[e])
            after[e], place[e], head[i] = head[i], n, e
        pivot.scale[n] = A[n, n]
        A[n, n] += pivot.soft[n]
        pivot.beta[n], pivot.lo[n], pivot.hi[n] = pivot.ask[n], pivot.least[n], pivot.most[n]
    for n in range(count):
        for m in range(n):
            A[m, n] = A[n, m]


@routine
def take_answer(pivot, contacts, joints, bodies, rows):
    """Impulses to rows and contacts, and what they do to the velocities."""
    for n in range(pivot.number[COUNT_ROWS]):
        p, k = pivot.dp[n], pivot.of[n]
        if pivot.kind[n] == JOINT_ROW:
            rows.number[k].p += p
        elif pivot.kind[n] == NORMAL:
            contacts.contact[k].p[0] = p
        elif pivot.kind[n] == SLIP:
            contacts.contact[k].p[1] += p * pivot.along[n, 0]
            contacts.contact[k].p[2] += p * pivot.along[n, 1]
        elif pivot.kind[n] == SPIN:
            contacts.turn[k].p[0] += p * pivot.along[n, 0]
        else:
            contacts.turn[k].p[1] += p * pivot.along[n, 0]
            contacts.turn[k].p[2] += p * pivot.along[n, 1]
        for e in range(int(pivot.first[n]), int(pivot.first[n + 1])):
            for j in range(6):
                bodies.dV[pivot.body[e], j] += pivot.B[e, j] * p


@routine
def begin_anew(contacts, joints, bodies, rows):
    """No impulses of contacts, those of rows as they were, no change of velocities."""
    put_impulses_by(contacts)
    for n in range(rows.counts[0]):
        x = rows.number[rows.active[n]]
        x.p = x.before
    for i in range(bodies.dV.shape[0]):
        for k in range(6):
            bodies.dV[i, k] = 0.0


@helper
def put_impulses_by(contacts):
    """No impulses of contacts; those along the normal are kept for the first bounds of friction."""
    for k in range(contacts.number[COUNT]):
        contacts.contact[k].last[0] = contacts.contact[k].p[0]
        for j in range(3):
            contacts.contact[k].p[j] = contacts.turn[k].p[j] = 0.0
