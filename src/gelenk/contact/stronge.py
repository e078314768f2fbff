"""Stronge's law of restitution: an impact of one point followed along its normal impulse (V-38, virtual-worlds 3.17).

An impact is short but not without length: while the normal impulse p grows, the velocity u of the point changes by

    du/dp = K (1, f),      f = friction of the present slip: most there is against it, or what keeps it at rest

so slip may stop, stay or turn round before the bodies part. Compression ends where u_n = 0. The work of the normal
impulse tells when the impact is over,

    work in restitution = e^2 (work taken in compression)

and since friction takes work too, no impact feeds energy, whatever slip does. With the half axes a, b of the friction
ellipse and  D = diag(a, b),  z = D u_t,  every law of friction is that of a unit circle:

    d = z / |z|,    f = -D d,     dz/dp = D k - D K_t D d,      du_n/dp = K_nn - (D k) . d         k = (K_nt, K_ns)

Where d stays (in a plane, for balls, at rest and in new slip after rest) all of it is linear and solved exactly. Where
slip turns aside, short pieces with the direction of their middle are used, or with that of their end where it settles
faster than slip changes; friction takes work in each.

Source: W. J. Stronge, Rigid body collisions with friction, Proc. R. Soc. A 431 (1990).
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.sweep import push_pair
from gelenk.math.vec3 import Vec3, triple

PIECES = 4000  # most of one impact
PIECE = 0.05  # part of the slip that a piece may change where its direction turns
STILL = 1e-9  # of the velocities: slip below it has stopped
STRAIGHT = 1e-12  # sine of the angle between slip and its change


@routine
def energetic_impact(bodies, c, e):
    """Impulse of an impact of one point by itself, whose velocity is -ask; it acts on dV."""
    p = energetic_impulse(c, Vec3(-c.ask[0], -c.ask[1], -c.ask[2]), e)
    n, t = triple(c.n), triple(c.t)
    c.p[0], c.p[1], c.p[2] = p.x, p.y, p.z
    push_pair(bodies, bodies.dV, c, n * p.x + t * p.y + n.cross(t) * p.z)


@routine
def energetic_impulse(c, u, e):
    """Impulse along n, t, n x t of an impact that begins with the velocity u."""
    a, b = c.along, c.across
    k_t, k_s = a * c.K[1], b * c.K[2]
    K_tt, K_ts, K_ss = a * a * c.K[3], a * b * c.K[4], b * b * c.K[5]
    u_n, x, y = u.x, a * u.y, b * u.z
    still = STILL * (math.hypot(x, y) + max(a, b) * abs(u_n))
    p_n, p_t, p_s, taken, given = 0.0, 0.0, 0.0, 0.0, 0.0
    for _ in range(PIECES):
        size, end, piece = math.hypot(x, y), math.inf, math.inf
        stops = False
        if size <= still:
            x, y = 0.0, 0.0
            d_t, d_s = direction_at_rest(K_tt, K_ts, K_ss, k_t, k_s)
            g_t, g_s = k_t - K_tt * d_t - K_ts * d_s, k_s - K_ts * d_t - K_ss * d_s
            if d_t * d_t + d_s * d_s < 1.0:
                g_t, g_s = 0.0, 0.0
        else:
            d_t, d_s = x / size, y / size
            g_t, g_s = k_t - K_tt * d_t - K_ts * d_s, k_s - K_ts * d_t - K_ss * d_s
            change, along = math.hypot(g_t, g_s), g_t * d_t + g_s * d_s
            if abs(d_t * g_s - d_s * g_t) <= STRAIGHT * change:
                if along < 0.0:
                    piece, stops = size / -along, True
            else:
                piece = PIECE * size / change
                m_t, m_s = x + 0.5 * piece * g_t, y + 0.5 * piece * g_s
                d_t, d_s = m_t / math.hypot(m_t, m_s), m_s / math.hypot(m_t, m_s)
                if piece * (K_tt + K_ss) > size:  # the direction settles within the piece: that of its end
                    m_t, m_s = x + piece * k_t, y + piece * k_s
                    d_t, d_s = direction_at_rest(piece * K_tt, piece * K_ts, piece * K_ss, m_t, m_s)
                g_t, g_s = k_t - K_tt * d_t - K_ts * d_s, k_s - K_ts * d_t - K_ss * d_s
        s = c.K[0] - k_t * d_t - k_s * d_s
        if u_n < 0.0:
            end = -u_n / s if s > 0.0 else math.inf
        else:
            left = e * e * taken - given
            if left <= 0.0:
                break
            square = u_n * u_n + 2.0 * s * left
            end = 2.0 * left / (u_n + math.sqrt(square)) if square > 0.0 else -u_n / s  # else it is pressed anew
        step = min(end, piece)
        if step == math.inf:
            break
        new = u_n + s * step
        work = 0.5 * step * (u_n + new)
        over = step == end and u_n >= 0.0 and new > 0.0
        if u_n < 0.0:
            taken -= work
            new = 0.0 if step == end else new
        else:
            given += work
        u_n = new
        x, y = (0.0, 0.0) if stops and step == piece else (x + g_t * step, y + g_s * step)
        p_n, p_t, p_s = p_n + step, p_t - a * d_t * step, p_s - b * d_s * step
        if over:
            break
    return Vec3(p_n, p_t, p_s)


@helper
def direction_at_rest(K_tt, K_ts, K_ss, k_t, k_s):
    """Friction d of a point at rest: what keeps it there,  K d = k,  if |d| <= 1. Else it begins to slip along d,

    (l + K) d = k,    |d| = 1,    l > 0      found by halving, since |d| falls as l grows and l <= |k|
    """
    d_t, d_s = resisting(K_tt, K_ts, K_ss, k_t, k_s)
    if d_t * d_t + d_s * d_s <= 1.0:
        return d_t, d_s
    low, high = 0.0, math.hypot(k_t, k_s)
    for _ in range(60):
        m = 0.5 * (low + high)
        d_t, d_s = resisting(K_tt + m, K_ts, K_ss + m, k_t, k_s)
        if d_t * d_t + d_s * d_s > 1.0:
            low = m
        else:
            high = m
    size = math.hypot(d_t, d_s)
    return d_t / size, d_s / size


@helper
def resisting(K_tt, K_ts, K_ss, k_t, k_s):
    """Solution of  K d = k;  of rank one where there is friction along one axis alone, and none without friction."""
    sum_, det = K_tt + K_ss, K_tt * K_ss - K_ts * K_ts
    if sum_ <= 0.0:
        return 0.0, 0.0
    if det <= 1e-14 * sum_ * sum_:
        return k_t / sum_, k_s / sum_
    return (K_ss * k_t - K_ts * k_s) / det, (K_tt * k_s - K_ts * k_t) / det
