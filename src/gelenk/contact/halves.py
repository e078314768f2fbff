"""Contact in a step of two halves, as :class:`gelenk.methods.impulse.Impulse` takes it (I-095, I-099 to I-104).

The bodies fly with the velocities of the middle of the step, and contacts act on these and on those of the end:

    flight    u_n >= -gap / h,   u_t = 0        so that nothing overlaps at the end, and what sticks stays in place
    end       u_n >= 0,          u_t = 0        of the points that pressed in the flight

each within Coulomb's law for its own impulse. Under steady load each half bears half of it, so sliding and resting are
as exact as the scheme is, and no body is left with the speed that half a step of its weight gives it (trap 13 of
impulse-dynamics 8.2).
"""

from __future__ import annotations

from gelenk.compile import routine
from gelenk.contact.assemble import ask_contacts, begin_contacts, gap_of, keep_contacts, point_matrix
from gelenk.contact.block import COUNT, TURNS
from gelenk.contact.events import note_events
from gelenk.contact.separate import separate
from gelenk.contact.sweep import change_at, triple
from gelenk.contact.turn import ask_turns, respond_turn
from gelenk.math.quat import get4, put4, quat_exp
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import Vec3, get3, put3

FAR = -1e30  # [m/s] asked of points that take no part


@routine
def begin_flight(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Half of the impulses of the last step act at the start of the flight (I-111, trap 17)."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.p[j] *= 0.5
            x.p[j] *= 0.5
    begin_contacts(contacts, bodies, h)
    return contacts.number[COUNT]


@routine
def ask_flight(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """What contacts lack of the velocities of the flight; a soft point gives half of its impulse,

    p = h/2 (k_s depth + k_d rate),  so it yields twice as much by p.
    """
    contacts = stages.contacts
    ask_contacts(contacts, bodies, stages.tied, h, False)
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.ask[0] -= c.soft * c.p[0]
        c.soft *= 2.0
    return contacts.number[COUNT]


@routine
def end_flight(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """The velocities of the flight are known: the gaps of its end, and the speeds that take overlaps out."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        c.ahead = gap_of(contacts, c) + h * (triple(c.n) @ change_at(bodies.V, c))
    separate(contacts, bodies, h)
    return contacts.number[COUNT]


@routine
def begin_end(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """The impulses of the flight are put by, and as many are the guess for the end, at its pose."""
    contacts = stages.contacts
    for k in range(contacts.number[COUNT]):
        c, x = contacts.contact[k], contacts.turn[k]
        for j in range(3):
            c.spare_p[j], x.spare_p[j] = c.p[j], x.p[j]
        point_matrix(bodies, c)
        if contacts.number[TURNS] > 0 and x.on == 1:
            respond_turn(bodies, c, x)
    begin_contacts(contacts, bodies, h)
    return contacts.number[COUNT]


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
    keep_contacts(stages.space, contacts, h)
    return contacts.number[COUNT]


@routine
def push_apart(stages, joints, memory, masses, state, loads, bodies, rows, h):
    """Move the bodies by what takes overlaps out,  h push."""
    move_by(masses, state, stages.contacts.push, h)
    return stages.contacts.number[COUNT]


@routine
def move_by(masses, state, way, scale):
    """Move bodies by ``scale`` times a way, (n, 6) in world axes; velocities in world axes stay."""
    for i in range(state.p_WC.shape[0]):
        if masses.inv_mass[i] > 0.0:
            put3(state.p_WC, i, get3(state.p_WC, i) + Vec3(way[i, 0], way[i, 1], way[i, 2]) * scale)
    for i in range(state.q_WB.shape[0]):
        r = Vec3(way[i, 3], way[i, 4], way[i, 5]) * scale
        if masses.inv_mass[i] > 0.0 and r @ r > 0.0:
            q = get4(state.q_WB, i)
            R = rotation(q)
            turn_B = quat_exp(R.tdot(r))
            put3(state.w_WB_B, i, rotation(turn_B).tdot(get3(state.w_WB_B, i)))
            put4(state.q_WB, i, (q * turn_B).unit())
