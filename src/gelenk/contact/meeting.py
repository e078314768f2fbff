"""Where bodies meet: the one common point at which an impulse acts on both, so that angular momentum is kept.

At the time t of an impact a body is at  p(t) = p + shift + t V + t^2/2 a,  and the points of both surfaces that were
found at the start of the step have gone with their bodies:

    delta = (p_b(t) + r_b) - (p_a(t) + r_a)            as much as they are apart when the gap is closed

An impulse P that acts at both of them would change the angular momentum by  delta x P,  which is of the order of the
step. So both get arms to one point. Along the normal a point moves as its body turns, by  t n . (w x r);  along the
surface it stays below a ball, which rolls off under it, and half-way between the points of other bodies. The point of a
body that cannot move follows the other one. Two balls meet on the line of their centres, so their normal turns.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.assemble import point_matrix, store
from gelenk.contact.block import COUNT
from gelenk.contact.sweep import change_at
from gelenk.math.vec3 import Vec3, get3, triple

FIRST, SECOND = 1, 2  # which of the two shapes of a contact are balls
NEAR = 1e-14  # of the arms: points so close together are one


@helper
def place_at(contacts, bodies, p_WC, i, t):
    """Centre of mass of node i at time t within the step, world [m]."""
    V, way = bodies.V, contacts.shift
    v, s = Vec3(V[i, 0], V[i, 1], V[i, 2]), Vec3(way[i, 0], way[i, 1], way[i, 2])
    return get3(p_WC, i) + s + v * t + get3(contacts.load, i) * (0.5 * t * t)


@helper
def turned(bodies, i, r, n, t):
    """The arm r after a time t, moved along n as its body turns:  r + n (t n . (w x r))."""
    w = Vec3(bodies.V[i, 3], bodies.V[i, 4], bodies.V[i, 5])
    return r + n * (t * (n @ w.cross(r)))


@helper
def share_of(bodies, c):
    """What of the way between both points the first one goes, the second one the rest."""
    if bodies.inv_mass[c.a] == 0.0 or bodies.inv_mass[c.b] == 0.0:
        return 1.0 if bodies.inv_mass[c.a] == 0.0 else 0.0
    if c.balls == FIRST or c.balls == SECOND:
        return 1.0 if c.balls == SECOND else 0.0
    return 0.5


@routine
def meet_at(contacts, bodies, p_WC, c, t):
    """Arms, matrix and distance of a contact that meets at time t; its gap is zero then, or its overlap what it was."""
    gap = min(0.0, c.d + triple(c.n) @ gone(contacts, bodies, c, t))
    p_a, p_b = place_at(contacts, bodies, p_WC, c.a, t), place_at(contacts, bodies, p_WC, c.b, t)
    if c.balls == FIRST + SECOND:
        turn_normal(c, p_a, p_b)
    n, since = triple(c.n), t - c.when
    r_a, r_b = turned(bodies, c.a, triple(c.r_a), n, since), turned(bodies, c.b, triple(c.r_b), n, since)
    common_point(bodies, c, p_a, p_b, r_a, r_b)
    point_matrix(bodies, c)
    c.d, c.when = gap - n @ gone(contacts, bodies, c, t), t


@helper
def gone(contacts, bodies, c, t):
    """Way of b against a at the point until time t:  J shift + t J V + t^2/2 J a."""
    return change_at(contacts.shift, c) + change_at(bodies.V, c) * t + change_at(contacts.load, c) * (0.5 * t * t)


@helper
def common_point(bodies, c, p_a, p_b, r_a, r_b):
    """Arms to one point between p_a + r_a and p_b + r_b."""
    share = share_of(bodies, c)
    delta = (p_b + r_b) - (p_a + r_a)
    store(c.r_a, r_a + delta * share)
    store(c.r_b, r_b - delta * (1.0 - share))


@helper
def turn_normal(c, p_a, p_b):
    """The normal of two balls along the line of their centres, which is where their arms, less the radii, lead."""
    n = triple(c.n)
    o_a, o_b = triple(c.r_a) - n * c.radius[0], triple(c.r_b) + n * c.radius[1]
    line = (p_b + o_b) - (p_a + o_a)
    size = line.norm()
    if size > 0.0:
        n = line * (1.0 / size)
        t = triple(c.t)
        t = t - n * (t @ n)
        store(c.n, n)
        store(c.t, t * (1.0 / t.norm()))
        store(c.r_a, o_a + n * c.radius[0])
        store(c.r_b, o_b - n * c.radius[1])


@routine
def meet_at_rest(contacts, bodies, p_WC):
    """One point for contacts of two moving bodies, where impacts have shifted them or each had its own to bounce."""
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if bodies.inv_mass[c.a] == 0.0 or bodies.inv_mass[c.b] == 0.0:
            continue
        r_a, r_b = triple(c.r_a), triple(c.r_b)
        p_a, p_b = place_at(contacts, bodies, p_WC, c.a, 0.0), place_at(contacts, bodies, p_WC, c.b, 0.0)
        if ((p_b + r_b) - (p_a + r_a)).norm() > NEAR * (r_a.norm() + r_b.norm()):
            gap = c.d + triple(c.n) @ change_at(contacts.shift, c)
            common_point(bodies, c, p_a, p_b, r_a, r_b)
            point_matrix(bodies, c)
            c.d = gap - triple(c.n) @ change_at(contacts.shift, c)
