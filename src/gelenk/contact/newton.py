"""Newton's method for all contacts at once, where sweeps are slow: towers, walls, arches (V-50).

Which points press and which stick is taken from the impulses as they stand. With that, the impulses follow from

    p = q - W J dV,        M dV = J^T (p - p_start)        =>    (M + J^T W J) dV = J^T (q - p_start)

the step of the augmented Lagrangian: W is so large that one step meets the conditions but for a millionth, and q is the
impulse of now plus W times what is asked for; points that slide keep their friction, points that part have none. What
comes out is taken only if the residual of the problem is smaller with it; sweeps before and after it find the sets.

Source: P. Alart, A. Curnier, A mixed formulation for frictional contact problems prone to Newton like solution methods,
CMAME 92 (1991).
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, SWEEPS, TURNS
from gelenk.contact.skyline import BODIES, FACTORED, factor, row_block, solve_factor
from gelenk.contact.sweep import change_at, contact_residual, push_pair, sweep_contacts, triple
from gelenk.contact.turn import bound_turns, couple_since, in_world, store_turns, turn_pair
from gelenk.math.quat import get4
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3
from gelenk.rows.sets import prox_ellipse

WEIGHT = 1e6  # W over the largest mass
SEARCHES = 6  # of sets in a step
FINE = 1e-2  # of the tolerance: it costs little to come so close, and a tower sways by many times the residual
EDGE = 1e-12  # [m/s] by which a point must near to press
OUT, SLIDING, STICKING = 0, 1, 2


@routine
def polish(contacts, masses, state, bodies, steps, tolerance):
    """Newton's method, until it comes much closer than the tolerance; whether it met it.

    A step that does not help is taken back: one with the factor of the last step is tried with its own.
    """
    sky = contacts.sky
    turn_inertia(contacts, masses, state)
    best, kept = contact_residual(bodies, contacts), sky.number[FACTORED]
    for _ in range(steps):
        store_solution(contacts, bodies)
        old = find_sets(contacts, bodies) == kept  # the factor of the last step may do
        if not search_sets(sky, contacts, masses, bodies):
            recall_solution(contacts, bodies)
            return False
        take_step(contacts, bodies)
        contacts.number[SWEEPS] += 2
        sweep_contacts(bodies, contacts, False)
        sweep_contacts(bodies, contacts, True)
        now = contact_residual(bodies, contacts)
        if not now < best:
            recall_solution(contacts, bodies)
            if not old:
                break
            kept = sky.number[FACTORED] = 0
            continue
        best = now
        if best <= FINE * tolerance:
            break
    return best <= tolerance


@routine
def search_sets(sky, contacts, masses, bodies):
    """Velocities dV and goals of the impulses for the sets; the sets by these, and so on until they stay the same.

    Whether the velocities are finite. If the sets do not come to rest, the last ones are taken.
    """
    mass = 0.0
    for i in range(sky.number[BODIES]):
        mass = max(mass, masses.mass[sky.node[i]])
    sets = hash_sets(contacts)
    for _ in range(SEARCHES):
        if sets != sky.number[FACTORED]:
            assemble(sky, contacts, masses, WEIGHT * mass)
            factor(sky)
            sky.number[FACTORED] = sets
        if not newton_step(sky, contacts, bodies, WEIGHT * mass):
            return False
        change_sets(contacts, bodies)
        before, sets = sets, hash_sets(contacts)
        if sets == before:
            break
    return True


@helper
def hash_sets(contacts):
    """A number that tells sets apart, never 0."""
    sets = np.int64(1)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        sets = (sets * 1000003 + np.int64(c.mode) + 4 * np.int64(c.a) + 16 * np.int64(c.b)) & 0x7FFFFFFFF
    return sets + 1


@routine
def change_sets(contacts, bodies):
    """Sets by the goals: points that would pull part, points beyond their friction slide, points that near press.

    Points that slide along their friction instead of against it stick.
    """
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        u = change_at(bodies.dV, c)
        if c.mode == OUT:
            c.mode = STICKING if n @ u < c.ask[0] - EDGE else OUT
        elif c.goal[0] <= 0.0:
            c.mode = OUT
        elif c.mode == STICKING:
            a, b = c.along * c.goal[0], c.across * c.goal[0]
            x, y = c.goal[1] * b, c.goal[2] * a
            c.mode = STICKING if x * x + y * y <= a * a * b * b else SLIDING
        else:
            along = c.goal[1] * (t @ u - c.ask[1]) + c.goal[2] * (n.cross(t) @ u - c.ask[2])
            c.mode = STICKING if along > 0.0 else SLIDING


@helper
def turn_inertia(contacts, masses, state):
    """Inertia of the bodies in world axes,  R I R^T."""
    out, sky = contacts.inertia, contacts.sky
    for k in range(sky.number[BODIES]):
        i = sky.node[k]
        R = rotation(get4(state.q_WB, i))
        A = R.times(get33(masses.inertia_B, i)).times(R.transposed())
        out[i, 0, 0], out[i, 0, 1], out[i, 0, 2] = A.xx, A.xy, A.xz
        out[i, 1, 0], out[i, 1, 1], out[i, 1, 2] = A.yx, A.yy, A.yz
        out[i, 2, 0], out[i, 2, 1], out[i, 2, 2] = A.zx, A.zy, A.zz


@routine
def find_sets(contacts, bodies):
    """Which points part, slide or stick, by impulses and velocities as they stand; a number that tells sets apart."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        u = change_at(bodies.dV, c)
        p_n = c.p[0] + (c.ask[0] - n @ u - c.soft * (c.p[0] - c.before)) / (c.K[0] + c.soft)
        c.mode = OUT
        if p_n > 0.0:
            x, y = c.p[1] - (t @ u - c.ask[1]) / c.top, c.p[2] - (n.cross(t) @ u - c.ask[2]) / c.top
            a, b = c.along * p_n, c.across * p_n
            inside = x * x * b * b + y * y * a * a < a * a * b * b
            c.mode = STICKING if inside else SLIDING
    return hash_sets(contacts)


@routine
def assemble(sky, contacts, masses, W):
    """H = M + J^T W J  over the points that press."""
    for i in range(sky.number[BODIES]):
        for j in range(sky.begin[i], sky.begin[i + 1]):
            for a in range(6):
                for b in range(6):
                    sky.block[j, a, b] = 0.0
        D, node = sky.block[sky.begin[i + 1] - 1], sky.node[i]
        for a in range(3):
            D[a, a] = masses.mass[node]
            for b in range(3):
                D[a + 3, b + 3] = contacts.inertia[node, a, b]
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
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
    n = sky.number[BODIES]
    if i < n:
        add_outer(sky.block[sky.begin[i + 1] - 1], d, m_a, d, m_a, w)
    if j < n:
        add_outer(sky.block[sky.begin[j + 1] - 1], d, m_b, d, m_b, w)
    if i < n and j < n:
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
def newton_step(sky, contacts, bodies, W):
    """Velocities of the sets as they are and the impulses that go with them, whatever these are; whether finite."""
    n = sky.number[BODIES]
    for i in range(n):
        for k in range(6):
            sky.x[i, k] = 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        add_impulse(sky, c, wish(c, W) - triple(c.start))
        if contacts.number[TURNS] > 0 and contacts.turn[k].on == 1:
            add_couple(sky, c, in_world(c, couple_since(contacts.turn[k])))
    solve_factor(sky)
    good = True
    for i in range(n):
        for k in range(6):
            bodies.dV[sky.node[i], k] = sky.x[i, k]
            good = good and abs(sky.x[i, k]) < math.inf
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        q, u, n_, t = wish(c, W), change_at(bodies.dV, c), triple(c.n), triple(c.t)
        c.goal[0], c.goal[1], c.goal[2] = q.x, q.y, q.z
        if c.mode != OUT:
            c.goal[0] -= normal_weight(c, W) * (n_ @ u)
        if c.mode == STICKING:
            c.goal[1] -= W * (t @ u)
            c.goal[2] -= W * (n_.cross(t) @ u)
    return good


@helper
def wish(c, W):
    """The q of a point along n, t, n x t; one that slides keeps all the friction of its pressure, in its direction."""
    if c.mode == OUT:
        return Vec3(0.0, 0.0, 0.0)
    p_n = c.p[0] + W * c.ask[0] if c.soft == 0.0 else c.before + c.ask[0] / c.soft
    if c.mode == STICKING:
        return Vec3(p_n, c.p[1] + W * c.ask[1], c.p[2] + W * c.ask[2])
    return Vec3(p_n, c.p[1], c.p[2])


@routine
def take_step(contacts, bodies):
    """Impulses at the goals, within their bounds, and the velocities that go with them."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.p[0] = max(0.0, c.goal[0]) if c.mode != OUT else 0.0
        c.p[1], c.p[2] = prox_ellipse(c.goal[1], c.goal[2], c.along * c.p[0], c.across * c.p[0])
    bound_turns(contacts)
    apply_all(contacts, bodies)


@helper
def add_couple(sky, c, q):
    """X += J^T q of a couple; couples stay as they are in a step, and sweeps change them."""
    i, j, total, none = sky.place[c.a], sky.place[c.b], sky.number[BODIES], Vec3(0.0, 0.0, 0.0)
    if i < total:
        add_wrench(sky.x, i, none, -q)
    if j < total:
        add_wrench(sky.x, j, none, q)


@helper
def add_impulse(sky, c, p):
    """X += J^T p."""
    n, t = triple(c.n), triple(c.t)
    f = n * p.x + t * p.y + n.cross(t) * p.z
    i, j, total = sky.place[c.a], sky.place[c.b], sky.number[BODIES]
    if i < total:
        add_wrench(sky.x, i, -f, -triple(c.r_a).cross(f))
    if j < total:
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


@routine
def apply_all(contacts, bodies):
    """DV of the impulses since the start,  M^-1 J^T (p - p_start)."""
    for i in range(bodies.dV.shape[0]):
        for k in range(6):
            bodies.dV[i, k] = 0.0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        x, y, z = c.p[0] - c.start[0], c.p[1] - c.start[1], c.p[2] - c.start[2]
        push_pair(bodies, bodies.dV, c, n * x + t * y + n.cross(t) * z)
        if contacts.number[TURNS] > 0 and contacts.turn[k].on == 1:
            turn_pair(bodies, bodies.dV, c, couple_since(contacts.turn[k]))


@routine
def store_solution(contacts, bodies):
    """Remember impulses and velocities."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        for j in range(3):
            c.last[j] = c.p[j]
    store_turns(contacts, False)
    for i in range(bodies.dV.shape[0]):
        for j in range(6):
            contacts.last[i, j] = bodies.dV[i, j]


@routine
def recall_solution(contacts, bodies):
    """Go back to what was remembered."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        for j in range(3):
            c.p[j] = c.last[j]
    store_turns(contacts, True)
    for i in range(bodies.dV.shape[0]):
        for j in range(6):
            bodies.dV[i, j] = contacts.last[i, j]
