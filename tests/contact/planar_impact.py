"""Impacts of one point in a plane with friction, in closed form, for three laws of restitution.

The point moves at (u_n, u_t), u_n < 0, and an impulse (p_n, p_t) changes that by K (p_n, p_t) with K = (nn, nt, tt).
"""

import math


def newton(K, u, mu, e):
    """u_n' = -e u_n;  the point ends at rest along the plane if |p_t| <= mu p_n does it, else slides against p_t."""
    nn, nt, tt = K
    u_n, u_t = u
    det = nn * tt - nt * nt
    up = -(1 + e) * u_n
    p_n, p_t = (tt * up + nt * u_t) / det, (-nt * up - nn * u_t) / det
    if abs(p_t) <= mu * p_n:
        return p_n, p_t
    slides = []
    for sign in (1, -1):  # of the slip that is left
        p_n = up / (nn - sign * mu * nt)
        p_t = -sign * mu * p_n
        if p_n > 0 and sign * (u_t + nt * p_n + tt * p_t) > 0:
            slides.append((p_n, p_t))
    assert len(slides) == 1
    return slides[0]


def poisson(K, u, mu, e):
    """(1 + e) times the normal impulse of a stop; friction of the whole impulse."""
    _, nt, tt = K
    p_n = (1 + e) * newton(K, u, mu, 0.0)[0]
    stick = -(u[1] + nt * p_n) / tt
    return p_n, min(max(stick, -mu * p_n), mu * p_n)


def stronge(K, u, mu, e):
    """Slip with the sign of u_t until it stops at p_s, then rest or slip the other way; e^2 of the work comes back.

    u_n(p) = u_n + A p  before p_s,   B (p - p_s) more after it;   work is the area under it.
    """
    nn, nt, tt = K
    u_n, u_t = u
    sign = math.copysign(1.0, u_t)
    A, slip_rate = nn - sign * mu * nt, nt - sign * mu * tt
    p_s = -u_t / slip_rate if u_t * slip_rate < 0 or u_t == 0 else math.inf
    f = -nt / tt
    if abs(f) > mu:
        f = math.copysign(mu, f)
    B = nn + nt * f
    v_s = u_n + A * p_s if p_s < math.inf else math.inf  # normal speed when slip stops
    if v_s >= 0:  # compression ends in slip
        taken = u_n * u_n / (2 * A)
        p = (-u_n + math.sqrt(2 * A * e * e * taken)) / A
        if p <= p_s:
            return p, -sign * mu * p
        given = v_s * v_s / (2 * A)
        p = p_s + (-v_s + math.sqrt(v_s * v_s + 2 * B * (e * e * taken - given))) / B
    else:
        taken = -p_s * (u_n + v_s) / 2 + v_s * v_s / (2 * B)
        p = p_s + (-v_s + math.sqrt(2 * B * e * e * taken)) / B
    return p, -sign * mu * p_s + f * (p - p_s)


LAWS = {"newton": newton, "poisson": poisson, "stronge": stronge}


def gain(K, u, p):
    """Energy that an impulse feeds,  1/2 p . (u + u') [J]."""
    nn, nt, tt = K
    after = (u[0] + nn * p[0] + nt * p[1], u[1] + nt * p[0] + tt * p[1])
    return 0.5 * (p[0] * (u[0] + after[0]) + p[1] * (u[1] + after[1]))
