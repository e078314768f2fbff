"""Contact in a step of two halves, as :class:`gelenk.methods.impulse.Impulse` takes it (I-095, I-099 to I-104).

The bodies fly with the velocities of the middle of the step, and contacts act on these and on those of the end:

    flight    u_n >= -gap / h,   u_t = 0        so that nothing overlaps at the end, and what sticks stays in place
    end       u_n >= 0,          u_t = 0        of the points that pressed in the flight

each within Coulomb's law for its own impulse. Under steady load each half bears half of it, so sliding and resting are
as exact as the scheme is, and no body is left with the speed that half a step of its weight gives it (trap 13 of
impulse-dynamics 8.2).
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.assemble import begin_contacts, gap_of, point_matrix, store
from gelenk.contact.block import COUNT, TURNS
from gelenk.contact.events import note_events
from gelenk.contact.heaps import points_changed
from gelenk.contact.points_team import ask_contacts, keep_contacts
from gelenk.contact.separate import separate
from gelenk.contact.settle import heaps_of_points
from gelenk.contact.sweep import change_at
from gelenk.contact.turn import ask_turns, respond_turn
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3, triple
from gelenk.rows.block import NONE

FAR = -1e30  # [m/s] asked of points that take no part
STEADY = 1e-5  # of an arm: what it may change by and count as still


@routine
def begin_flight(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Half of the impulses of the last step act at the start of the flight (I-111, trap 17)."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.p[j] *= 0.5
            x.p[j] *= 0.5
        foresee_arms(contacts, bodies, k, h)
    begin_contacts(contacts, bodies)
    return contacts.number[COUNT]


@helper
def foresee_arms(contacts, bodies, k, h):
    """How the arms of a contact will change in the flight: as they did in the last one, if it was there.

    That of a corner turns with its body, that of a ball stays. No arm changes faster than the bodies turn or move: that
    of a point that does has jumped from place to place.
    """
    c, x, last = contacts.contact[k], contacts.arms[k], contacts.figures[4]
    none = Vec3(0.0, 0.0, 0.0)
    store(x.change_a, none)
    store(x.change_b, none)
    if c.known != NONE and last > 0.0:
        old = contacts.arms[c.known]
        a, b = (triple(c.r_a) - triple(old.a)) * (h / last), (triple(c.r_b) - triple(old.b)) * (h / last)
        most = 1.5 * h * max(fastest(bodies, c.a, triple(c.r_a)), fastest(bodies, c.b, triple(c.r_b)))
        if a.norm() <= most and b.norm() <= most:
            store(x.change_a, a)
            store(x.change_b, b)


@helper
def fastest(bodies, i, r):
    """Speed of a body, or of its point at r by its rotation."""
    v = Vec3(bodies.V[i, 0], bodies.V[i, 1], bodies.V[i, 2]).norm()
    return max(v, Vec3(bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5]).norm() * r.norm())


@helper
def bend(bodies, c, x):
    """What the arms of the middle of the flight add to the velocity of a point, so that its way is the chord."""
    w_a = Vec3(bodies.V[c.a, 3], bodies.V[c.a, 4], bodies.V[c.a, 5])
    w_b = Vec3(bodies.V[c.b, 3], bodies.V[c.b, 4], bodies.V[c.b, 5])
    return (w_b.cross(triple(x.change_b)) - w_a.cross(triple(x.change_a))) * 0.5


@routine
def ask_flight(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack of the velocities of the flight, with the arms of its middle (I-104).

    A soft point gives half of its impulse,  p = h/2 (k_s depth + k_d rate),  so it yields twice as much by p.
    """
    contacts = stages.contacts
    ask_contacts(contacts, bodies, h, False)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t, u = triple(c.n), triple(c.t), bend(bodies, c, contacts.arms[k])
        c.ask[0] -= n @ u + c.soft * c.p[0]
        c.ask[1] -= t @ u
        c.ask[2] -= n.cross(t) @ u
        c.soft *= 2.0
    return contacts.number[COUNT]


@routine
def end_flight(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """The velocities of the flight are known: the gaps of its end, and the speeds that take overlaps out."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.ahead = h * (triple(c.n) @ bend(bodies, c, contacts.arms[k]))
        c.d += c.ahead
    for i in range(contacts.touched.shape[0]):
        contacts.touched[i] = 1  # the way of a flight is straight, that of free bodies too
    heaps_of_points(contacts, joints, rows, bodies)
    points_changed(contacts)
    separate(contacts, bodies, h)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.d, c.ahead = c.d - c.ahead, gap_of(contacts, c) + h * (triple(c.n) @ change_at(bodies.V, c))
    return contacts.number[COUNT]


@routine
def begin_end(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """The impulses of the flight are put by, and as many are the guess for the end, at its pose."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.spare_p[j], x.spare_p[j] = c.p[j], x.p[j]
        move_arms(state, bodies, c, contacts.arms[k])
        point_matrix(bodies, c)
        if contacts.number[TURNS] > 0 and x.on == 1:
            respond_turn(bodies, c, x)
    begin_contacts(contacts, bodies)
    return contacts.number[COUNT]


@helper
def move_arms(state, bodies, c, x):
    """Arms of the end of the flight, to one common point of both bodies, so that angular momentum is kept.

    It is in the middle of where each body foresees it; a body at rest sees no motion of its own, and follows. Arms that
    hardly change stay to the last bit: factors of heaps at rest are kept, and would feel even noise.
    """
    store(x.a, triple(c.r_a))
    store(x.b, triple(c.r_b))
    p_a, p_b = get3(state.p_WC, c.a), get3(state.p_WC, c.b)
    x_a, x_b = p_a + triple(c.r_a) + triple(x.change_a), p_b + triple(c.r_b) + triple(x.change_b)
    free = triple(c.r_b) if bodies.inv_mass[c.b] > 0.0 else triple(c.r_a)
    if (x_b - x_a).norm() + triple(x.change_a).norm() + triple(x.change_b).norm() <= STEADY * free.norm():
        return
    share = 0.5
    if bodies.inv_mass[c.a] == 0.0 or bodies.inv_mass[c.b] == 0.0:
        share = 1.0 if bodies.inv_mass[c.a] == 0.0 else 0.0
    middle = x_a + (x_b - x_a) * share
    store(c.r_a, middle - p_a)
    store(c.r_b, middle - p_b)


@routine
def ask_end(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What the points that pressed lack of the velocities of the end."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        n, t = triple(c.n), triple(c.t)
        u, want = change_at(bodies.V, c), 0.0
        law = contacts.law[c.law[0], c.law[1]]
        if c.soft > 0.0:
            want = -c.ahead * law.stiffness / (h * law.stiffness + law.damping)
        c.before = c.p[0]
        c.start[0], c.start[1], c.start[2] = c.p[0], c.p[1], c.p[2]
        c.ask[0] = want - n @ u - c.soft * c.p[0] if c.spare_p[0] > 0.0 else FAR
        c.ask[1], c.ask[2] = -(t @ u), -(n.cross(t) @ u)
    ask_turns(contacts, bodies)
    return contacts.number[COUNT]


@routine
def keep_halves(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Both impulses together are those of the step."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.p[j] += c.spare_p[j]
            x.p[j] += x.spare_p[j]
    note_events(stages.events, stages.space.found, contacts)
    keep_contacts(stages.space, contacts, state, bodies, h)
    contacts.figures[4] = h
    return contacts.number[COUNT]


@routine
def push_apart(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Move the bodies by what takes overlaps out,  h push."""
    move_by(masses, state, stages.contacts.push, h)
    return stages.contacts.number[COUNT]


@routine
def move_by(masses, state, way, scale):
    """Move bodies by ``scale`` times a way, (n, 6) in world axes; velocity and angular momentum in world axes stay."""
    for i in range(state.p_WC.shape[0]):
        if masses.inv_mass[i] > 0.0:
            put3(state.p_WC, i, get3(state.p_WC, i) + Vec3(way[i, 0], way[i, 1], way[i, 2]) * scale)
    for i in range(state.q_WB.shape[0]):
        r = Vec3(way[i, 3], way[i, 4], way[i, 5]) * scale
        if masses.inv_mass[i] > 0.0 and r @ r > 0.0:
            q = get4(state.q_WB, i)
            R = rotation(q)
            turn_B = quat_exp(R.tdot(r))
            L_B = get33(masses.inertia_B, i) @ get3(state.w_WB_B, i)
            put3(state.w_WB_B, i, get33(masses.inv_inertia_B, i) @ rotation(turn_B).tdot(L_B))
            put4(state.q_WB, i, (q * turn_B).unit())
