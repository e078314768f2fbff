"""From points where bodies touch to contacts of a step: frames, matrices, laws, and impulses to start from."""

from __future__ import annotations

import math

from gelenk.collision.closest import perpendicular
from gelenk.collision.collider import centre_of, matrix
from gelenk.collision.solid import SPHERE
from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, SLIDES, STEP, STICKS, TURNS
from gelenk.contact.lanes import AHEAD
from gelenk.contact.options import SLOP, SLOW, WARM
from gelenk.contact.sweep import change_at, push_pair
from gelenk.contact.turn import begin_turns, in_world, take_turn, warm_turn
from gelenk.math.pack import fetch_row
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3, triple
from gelenk.rows.block import NONE

NEAR = 2  # what ``hit`` is while impulses to start from are shared out


@routine
def take_pairs(space, contacts, state, bodies, h, first, last):
    """The points of some pairs as contacts, which lie in the order of the points."""
    found, side, warm = space.found, space.found.tally[0].now, h * contacts.options[WARM]
    for k in range(first, last):
        pair = found.pair[side, k]
        if pair.count == 0:
            continue
        before = contacts.slot[pair.slot]
        known = before.a == pair.a and before.b == pair.b and before.step == contacts.number[STEP]
        old, end = (before.first, before.first + before.count) if known else (0, 0)
        for j in range(pair.first, pair.first + pair.count):
            c = contacts.contact[j]
            fetch_row(contacts.contact, min(j + AHEAD, contacts.contact.shape[0] - 1))
            c.pair = k
            take_point(space, contacts, state, bodies, pair, found.contact[j], c)
            contacts.ends[j, 0], contacts.ends[j, 1] = c.a, c.b
            point_matrix(bodies, c)
            if contacts.number[TURNS] > 0:
                take_turn(contacts, bodies, j)
            begin_with(contacts, j, old, end, warm)
        if known:
            match_rest(contacts, bodies, pair.first, pair.first + pair.count, old, end, warm)
        choose_friction(contacts, bodies, pair.first, pair.first + pair.count, h)


@helper
def take_point(space, contacts, state, bodies, pair, point, c):
    """Where a contact is, and its law. Bodies that both move have one point in the middle of their surfaces, also while

    they are apart. A body that meets a fixed one, or bounces, has its own: arms of impacts come from there.
    """
    item = space.colliders.item
    c.a, c.b, c.collider_a, c.collider_b, c.hit = item[pair.a].node, item[pair.b].node, pair.a, pair.b, 0
    n = triple(point.n)
    x = centre_of(space.colliders, pair.a) + triple(point.a)  # on the surface of a
    law = contacts.law[contacts.material[pair.a], contacts.material[pair.b]]
    c.bounces = 1 if law.restitution > 0.0 or law.slip_restitution > 0.0 else 0
    moving = bodies.inv_mass[c.a] > 0.0 and bodies.inv_mass[c.b] > 0.0
    own = point.d > 0.0 and (c.bounces == 1 or not moving)
    in_a, in_b = (0.0, point.d) if own else (0.5 * point.d, 0.5 * point.d)
    store(c.x, x + n * in_a)
    store(c.n, n)
    store(c.r_a, x + n * in_a - get3(state.p_WC, c.a))
    store(c.r_b, x + n * in_b - get3(state.p_WC, c.b))
    c.d, c.feature_a, c.feature_b = point.d, point.feature_a, point.feature_b
    c.law[0], c.law[1] = contacts.material[pair.a], contacts.material[pair.b]
    store(c.t, first_tangent(space, contacts, pair, law, n))
    c.balls = (1 if item[pair.a].kind == SPHERE else 0) + (2 if item[pair.b].kind == SPHERE else 0)
    c.radius[0], c.radius[1] = item[pair.a].lengths[0], item[pair.b].lengths[0]
    c.soft = c.least = c.when = 0.0
    c.set = 0  # materials have discs and ellipses


@helper
def store(out, a):
    """Put a vector into three numbers of a record."""
    out[0], out[1], out[2] = a.x, a.y, a.z


@helper
def first_tangent(space, contacts, pair, law, n):
    """Along the grain of a material that has one, else any."""
    if law.grain_of > 0:
        i = pair.a if law.grain_of == 1 else pair.b
        g = matrix(space.colliders.place[i].R) @ get3(contacts.grain, contacts.material[i])
        g = g - n * (g @ n)
        size = g.norm()
        if size > 1e-6:  # a grain that stands up on the surface has no direction in it
            return g * (1.0 / size)
    return perpendicular(n)


@helper
def response_at(bodies, node, r, d, e):
    """Velocity along e of a point at r by a unit impulse along d there:  d.e / m + (r x e) . I^-1 (r x d)."""
    return bodies.inv_mass[node] * (d @ e) + r.cross(e) @ (get33(bodies.inv_inertia_W, node) @ r.cross(d))


@helper
def between(bodies, c, d, e):
    """Both bodies together."""
    return response_at(bodies, c.a, triple(c.r_a), d, e) + response_at(bodies, c.b, triple(c.r_b), d, e)


@helper
def point_matrix(bodies, c):
    """K of the point along n, t, n x t, and the larger eigenvalue of its tangent part."""
    n, t = triple(c.n), triple(c.t)
    s = n.cross(t)
    c.K[0], c.K[1], c.K[2] = between(bodies, c, n, n), between(bodies, c, n, t), between(bodies, c, n, s)
    c.K[3], c.K[4], c.K[5] = between(bodies, c, t, t), between(bodies, c, t, s), between(bodies, c, s, s)
    mean, half = 0.5 * (c.K[3] + c.K[5]), 0.5 * (c.K[3] - c.K[5])
    c.top = mean + math.sqrt(half * half + c.K[4] * c.K[4])


@helper
def begin_with(contacts, at, first, last, h):
    """Impulse of the same features in the last step, in the axes of now (I-111); a new one begins with none."""
    c = contacts.contact[at]
    c.p[0] = c.p[1] = c.p[2] = 0.0
    c.known = NONE
    for j in range(first, last):
        kept = contacts.kept[j]
        if kept.feature_a == c.feature_a and kept.feature_b == c.feature_b:
            take_over(contacts, at, j, h)
            return


@helper
def take_over(contacts, at, j, h):
    """Begin with the impulse that contact j of the last step left."""
    c, kept = contacts.contact[at], contacts.kept[j]
    c.known, kept.taken = j, 1
    f, n, t = triple(kept.force) * h, triple(c.n), triple(c.t)
    c.p[0] = max(0.0, f @ n)
    if c.p[0] > 0.0:
        c.p[1], c.p[2] = f @ t, f @ n.cross(t)
        warm_turn(contacts, at, triple(kept.couple), h)


@routine
def match_rest(contacts, bodies, begin, end, first, last, h):
    """Points of a pair whose features are new begin with what the nearest one left whose features are gone.

    Faces that cover each other change the names of their corners by the least noise, and a heap that begins with half
    of its impulses is farther from its solution than one that begins with none. What is left of points that nobody is
    near to is shared by the new ones in equal parts.
    """
    lost = 0
    for k in range(begin, end):
        if contacts.contact[k].known == NONE:
            j = nearest_left(contacts, arm_of(contacts.contact[k], bodies), first, last)
            lost += 1
            if j != NONE:
                take_over(contacts, k, j, h)
                contacts.contact[k].hit = NEAR
    if lost == 0:
        return
    rest = Vec3(0.0, 0.0, 0.0)
    for j in range(first, last):
        if contacts.kept[j].taken == 0:
            rest = rest + triple(contacts.kept[j].force)
    rest = rest * (h / lost)
    for k in range(begin, end):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        if (c.known == NONE or c.hit == NEAR) and rest @ n > 0.0:
            c.p[0], c.p[1], c.p[2] = c.p[0] + rest @ n, c.p[1] + rest @ t, c.p[2] + rest @ n.cross(t)
        c.hit = 0


@helper
def nearest_left(contacts, r, first, last):
    """The contact of the last step nearest to an arm r among those that nobody has taken, or NONE."""
    found, least = NONE, math.inf
    for j in range(first, last):
        if contacts.kept[j].taken == 0:
            d = triple(contacts.kept[j].arm) - r
            if d @ d < least:
                found, least = j, d @ d
    return found


@helper
def arm_of(c, bodies):
    """Arm of a contact in a body that moves, world axes."""
    return triple(c.r_b) if bodies.inv_mass[c.b] > 0.0 else triple(c.r_a)


@routine
def choose_friction(contacts, bodies, first, last, h):
    """Sticking or sliding at the start of the step (impulse-dynamics 4.9): a point sticks if it stuck in the last step,

    or if it moves slower than its bodies are made to by their forces in one step,  |u_t| < h |a| + slow.
    """
    slow = contacts.options[SLOW]
    for k in range(first, last):
        c = contacts.contact[k]
        c.state = contacts.kept[c.known].state if c.known != NONE else NONE
        if c.state != STICKS:
            n, u = triple(c.n), change_at(bodies.V, c)
            u = u - n * (n @ u)
            a = get3(contacts.load, c.b) - get3(contacts.load, c.a)
            c.state = STICKS if u.norm() < h * a.norm() + slow else SLIDES
        set_friction(contacts, c)


@helper
def set_friction(contacts, c):
    """Coefficients of a point by its state."""
    law = contacts.law[c.law[0], c.law[1]]
    if c.state == STICKS:
        c.along, c.across = law.static_friction, law.static_across
    else:
        c.along, c.across = law.friction, law.friction_across


@routine
def begin_contacts(contacts, bodies):
    """Let the impulses to start from act, on velocities that hold those of all forces."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        fetch_row(contacts.contact, min(k + AHEAD, contacts.number[COUNT] - 1))  # may be in the cache of another thread
        if c.p[0] > 0.0:
            n, t = triple(c.n), triple(c.t)
            push_pair(bodies, bodies.V, c, n * c.p[0] + t * c.p[1] + n.cross(t) * c.p[2])
    begin_turns(contacts, bodies)


@routine
def ask_points(contacts, bodies, h, falls, first, last):
    """What is missing of some contacts (V-83, trap T-28). A point that is d away may come as far and no farther:

        u_n >= -d / h,     u_t = 0

    Bodies that nothing pushes fly on a parabola, farther from a surface they fall to than their velocity at the end of
    the step says, by h^2/2 a. What bounces and does not meet within the step is therefore given room for it, or its
    flight would be braked just before the impact:

        u_n >= -d / h + h/2 a_n      if      d + h u_n - h^2/2 a_n >= 0

    ``falls`` says whether bodies move so.

    Points that are apart by no more than the slop touch, and ask for u_n >= 0: else those of one face would ask for
    velocities that no rigid body can have together, by the noise of their distances over h. Overlaps do not ask for
    speed; :mod:`gelenk.contact.separate` takes them out. A soft point (V-78, trap T-25) gives the impulse
    h (k_s depth + k_d rate)  of the end of the step:

        u_n + (c/h) p = (k/h) depth,      c = 1 / (h k_s + k_d),     k = h k_s c
    """
    tied = contacts.tied
    for k in range(first, last):
        c = contacts.contact[k]
        fetch_row(contacts.contact, min(k + AHEAD, last - 1))
        n, t = triple(c.n), triple(c.t)
        u, d = change_at(bodies.V, c), gap_of(contacts, c)
        want = -d / h if d > contacts.options[SLOP] else 0.0
        fall = 0.5 * h * min(0.0, n @ (get3(contacts.load, c.b) - get3(contacts.load, c.a)))
        if falls and c.bounces == 1 and tied[c.a] + tied[c.b] == 0 and d > 0.0 and d + h * (n @ u - fall) >= 0.0:
            want = -d / h + fall
        law = contacts.law[c.law[0], c.law[1]]
        if law.stiffness > 0.0 or law.damping > 0.0:
            s = h * law.stiffness + law.damping
            c.soft, want = 1.0 / (h * s), -d * law.stiffness / s
        c.before = c.p[0]
        c.start[0], c.start[1], c.start[2] = c.p[0], c.p[1], c.p[2]
        c.ask[0] = want - n @ u - c.soft * c.p[0]
        c.ask[1], c.ask[2] = -(t @ u), -(n.cross(t) @ u)


@helper
def gap_of(contacts, c):
    """Distance of a contact with what impacts have shifted:  d + J shift."""
    return c.d + triple(c.n) @ change_at(contacts.shift, c)


@routine
def touch_points(contacts, first, last):
    """Note which bodies some contacts push."""
    for k in range(first, last):
        c = contacts.contact[k]
        if c.p[0] > 0.0:
            contacts.touched[c.a] = contacts.touched[c.b] = 1


@routine
def keep_points(contacts, bodies, h, first, last):
    """What some contacts leave to the next step."""
    for k in range(first, last):
        c, kept = contacts.contact[k], contacts.kept[k]
        fetch_row(contacts.contact, min(k + AHEAD, last - 1))
        n, t = triple(c.n), triple(c.t)
        kept.feature_a, kept.feature_b = c.feature_a, c.feature_b
        kept.state, kept.taken = c.state if c.p[0] > 0.0 else NONE, 0
        store(kept.arm, arm_of(c, bodies))
        store(kept.force, (n * c.p[0] + t * c.p[1] + n.cross(t) * c.p[2]) * (1.0 / h))
        couple = Vec3(0.0, 0.0, 0.0)
        if contacts.number[TURNS] > 0 and contacts.turn[k].on == 1:
            couple = in_world(c, triple(contacts.turn[k].p)) * (1.0 / h)
        store(kept.couple, couple)


@routine
def keep_slots(space, contacts, first, last):
    """Where the next step finds what some pairs of this one left. Contacts lie in the order of their pairs."""
    side, step = space.found.tally[0].now, contacts.number[STEP]
    for k in range(first, last):
        pair = space.found.pair[side, k]
        slot = contacts.slot[pair.slot]
        slot.a, slot.b, slot.first, slot.count, slot.step = pair.a, pair.b, pair.first, pair.count, step


@helper
def acceleration(masses, state, loads, bodies, contacts):
    """Acceleration of all nodes by forces alone, world axes."""
    for i in range(state.p_WC.shape[0]):
        f, s = get3(loads.force_W, i), masses.inv_mass[i]
        contacts.load[i, 0], contacts.load[i, 1], contacts.load[i, 2] = s * f.x, s * f.y, s * f.z
    for i in range(state.q_WB.shape[0]):
        w = get33(bodies.inv_inertia_W, i) @ get3(loads.torque_W, i)
        contacts.load[i, 3], contacts.load[i, 4], contacts.load[i, 5] = w.x, w.y, w.z


@helper
def start_speeds(bodies, contacts):
    """Speed of all nodes before anything acts."""
    for i in range(contacts.speed.shape[0]):
        contacts.speed[i] = Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2]).norm()
