"""Laws of contacts and rows of trees as equations for the changes of their impulses (B-24..B-27, B-31, B-94).

Laws are projections, P = prox(P - r (g - wanted)), and g = G P + c  with  G = w_i.z_j.  Where the projection does
nothing, the velocity is as asked for; where it clamps, the impulse stands at its bound; where friction slides, the
impulse lies on the rim,

    P_t = P_n d,      d = y/|y|,      y = P_t - r g_t            dP_t = d dP_n + P_n/|y| (1 - d d^T)(dP_t - r dg_t)

in tangents scaled by the coefficients of friction, which make a disc of the ellipse and keep the law, since velocities
are scaled the other way (B-27). A runner (B-26) has half of such a disc at each end of a rectangle that grows with
the load, and its coefficient across grows with the load too: with s the half length of the rectangle over that of an
end,

    P_t/a = +-s P_n + P_n d_t        P_s/b(P_n) = P_n d_s        y = (P_t/a - r a g_t -+ s P_n,  P_s/b - r b g_s)

and between the ends, where it sticks along, d = (0, +-1). Couples of a contact (B-94) are further unknowns: that of
rolling has a disc of its own, that about the normal an interval, both as wide as the load makes them.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.reservoir import runner_across
from gelenk.model.contact_law import RUNNER
from gelenk.trees.directions import rate_along

LITTLE = 1e-10  # of its diagonal, added to it


@helper
def free_row(newton, i, n, soft, missing):
    """The velocity is as asked for:  G_i dP + soft dP_i = missing."""
    for j in range(n):
        newton.A[i, j] = newton.G[i, j]
    newton.A[i, i] += soft
    newton.change[i] = missing


@helper
def fixed_row(newton, i, n, change):
    """The impulse goes to its bound:  dP_i = change."""
    for j in range(n):
        newton.A[i, j] = 0.0
    newton.A[i, i], newton.change[i] = 1.0, change


@helper
def row_equation(x, tree, directions, u, newton, i, n):
    """Of a row with bounds."""
    missing = x.want - rate_along(tree, directions, newton.place[i], u) - x.soft * x.p
    wish = x.p + missing / (newton.G[i, i] + x.soft)
    if wish < x.lo:
        fixed_row(newton, i, n, x.lo - x.p)
    elif wish > x.hi:
        fixed_row(newton, i, n, x.hi - x.p)
    else:
        free_row(newton, i, n, x.soft, missing)


@routine
def contact_equations(c, tree, directions, u, newton, i, n):
    """Of a contact, see the module; returns the normal impulse that its law asks for."""
    missing = c.ask[0] - rate_along(tree, directions, newton.place[i], u) - c.soft * c.p[0]
    wish = c.p[0] + missing / (newton.G[i, i] + c.soft)
    if wish <= 0.0:
        for m in range(3):
            fixed_row(newton, i + m, n, -c.p[m])
        return 0.0
    free_row(newton, i, n, c.soft, missing)
    a, b, slope, ahead = c.along, c.across, 0.0, 0.0
    if c.set == RUNNER:
        a, b = c.along - c.straight, runner_across(c, c.p[0])
        slope = (c.across - c.across_min) / c.full if c.p[0] < c.full else 0.0
        ahead = c.straight / a if a > 0.0 else 0.0
    if not (a > 0.0 and b > 0.0 and c.top > 0.0):
        fixed_row(newton, i + 1, n, -c.p[1])
        fixed_row(newton, i + 2, n, -c.p[2])
        return wish
    u_t = rate_along(tree, directions, newton.place[i + 1], u) - c.ask[1]
    u_s = rate_along(tree, directions, newton.place[i + 2], u) - c.ask[2]
    r = 1.0 / (c.top * max(a, b) ** 2)
    y_t, y_s = c.p[1] / a - r * a * u_t, c.p[2] / b - r * b * u_s
    if abs(y_t) <= ahead * wish and ahead > 0.0:
        free_row(newton, i + 1, n, LITTLE * newton.G[i + 1, i + 1], -u_t)
        if abs(y_s) <= wish:
            free_row(newton, i + 2, n, LITTLE * newton.G[i + 2, i + 2], -u_s)
        else:
            side_row(newton, i, i + 2, n, math.copysign(1.0, y_s), b, slope, c.p[0], c.p[2])
        return wish
    ahead = math.copysign(ahead, y_t)
    y_t -= ahead * wish
    size = math.hypot(y_t, y_s)
    if size <= wish:
        free_row(newton, i + 1, n, LITTLE * newton.G[i + 1, i + 1], -u_t)
        free_row(newton, i + 2, n, LITTLE * newton.G[i + 2, i + 2], -u_s)
        return wish
    load, ends = max(c.p[0], 0.0), (a, b, ahead, slope, u_s)
    slide_rows(newton, i, i + 1, n, y_t / size, y_s / size, r, load / size, ends, load, c.p[1], c.p[2])
    return wish


@routine
def couple_equations(c, x, wish, tree, directions, u, newton, i, n):
    """Of the couples of a contact, the third unknown after its normal impulse and those behind it."""
    if x.G[0] > 0.0 and x.torsional > 0.0 and wish > 0.0:
        w = rate_along(tree, directions, newton.place[i + 3], u)
        y = x.p[0] - w / x.G[0]
        if abs(y) <= x.torsional * wish:
            free_row(newton, i + 3, n, LITTLE * newton.G[i + 3, i + 3], -w)
        else:
            side_row(newton, i, i + 3, n, math.copysign(1.0, y), x.torsional, 0.0, c.p[0], x.p[0])
    else:
        fixed_row(newton, i + 3, n, -x.p[0])
    a = x.rolling
    if not (x.top > 0.0 and a > 0.0 and wish > 0.0):
        fixed_row(newton, i + 4, n, -x.p[1])
        fixed_row(newton, i + 5, n, -x.p[2])
        return
    w_t = rate_along(tree, directions, newton.place[i + 4], u)
    w_s = rate_along(tree, directions, newton.place[i + 5], u)
    r = 1.0 / (x.top * a * a)
    y_t, y_s = x.p[1] / a - r * a * w_t, x.p[2] / a - r * a * w_s
    size = math.hypot(y_t, y_s)
    if size <= wish:
        free_row(newton, i + 4, n, LITTLE * newton.G[i + 4, i + 4], -w_t)
        free_row(newton, i + 5, n, LITTLE * newton.G[i + 5, i + 5], -w_s)
        return
    load, disc = max(c.p[0], 0.0), (a, a, 0.0, 0.0, w_s)
    slide_rows(newton, i, i + 4, n, y_t / size, y_s / size, r, load / size, disc, load, x.p[1], x.p[2])


@helper
def side_row(newton, i, m, n, side, b, slope, load, p):
    """Impulse m is as large as the normal one, i, lets it:  p = +- b P_n,  where b grows by ``slope`` with P_n."""
    for j in range(n):
        newton.A[m, j] = 0.0
    newton.A[m, m] = 1.0
    newton.A[m, i] = -side * (b + slope * load)
    newton.change[m] = side * b * load - p


@helper
def slide_rows(newton, i, t, n, d_t, d_s, r, share, ends, load, p_t, p_s):
    """Friction at its rim, of unknowns t and t + 1 beside the normal one, i, with  share = P_n / |y|.

    ``ends`` are half axes a and b of an end per load, how far it is ahead of the middle over a, how b grows with the
    load, and the velocity across.
    """
    a, b, ahead, slope, u_s = ends
    m_tt, m_ts, m_ss = share * (1.0 - d_t * d_t), -share * d_t * d_s, share * (1.0 - d_s * d_s)
    for j in range(n):
        g_t, g_s = r * a * newton.G[t, j], r * b * newton.G[t + 1, j]
        newton.A[t, j] = m_tt * g_t + m_ts * g_s
        newton.A[t + 1, j] = m_ts * g_t + m_ss * g_s
    wider = slope * p_s / (b * b)  # of P_s / b, by which that of a larger load is less
    shift = wider + r * slope * u_s  # and of y_s
    newton.A[t, i] += m_tt * ahead + m_ts * shift - ahead - d_t
    newton.A[t + 1, i] += m_ts * ahead + m_ss * shift - wider - d_s
    newton.A[t, t] += (1.0 - m_tt) / a
    newton.A[t, t + 1] -= m_ts / b
    newton.A[t + 1, t] -= m_ts / a
    newton.A[t + 1, t + 1] += (1.0 - m_ss) / b
    newton.change[t] = load * (ahead + d_t) - p_t / a
    newton.change[t + 1] = load * d_s - p_s / b
