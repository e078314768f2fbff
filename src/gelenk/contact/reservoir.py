"""Friction sets of contacts in trees: each kind with its own projection (B-24 to B-27).

    -P_t in C(P_n),     g_t in the normal cone of C at -P_t

A disc or an ellipse is  mu P_n,  with sticking apart from sliding. The set of a runner (:mod:`gelenk.rows.runner_set`)
becomes wider with the load; the newest normal impulse of the same contact counts (bobsleigh 8.6).
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.sweep import friction
from gelenk.model.contact_law import RUNNER
from gelenk.rows.runner_set import nearest_in_runner_set, prox_runner
from gelenk.rows.sets import prox_ellipse


@helper
def take_reservoir(c, law, h):
    """Kind and numbers of the set of a contact; the load that counts is that of a step."""
    c.set, c.straight, c.across_min, c.full = law.set, law.straight, law.across_min, law.full_load * h


@helper
def runner_across(c, p_n):
    """Coefficient mu_b of a runner that has the normal impulse p_n:

    mu_min + (mu_max - mu_min) min(p_n, full) / full
    """
    return c.across_min + (c.across - c.across_min) * min(p_n, c.full) / c.full


@routine
def settle_friction(c, p_n, x, y, u_t, u_s):
    """New tangent impulse of a contact that has (x, y) and would move at (u_t, u_s), the others as they stand.

    A runner is solved exactly: the impulse of its set that is nearest, in the measure of its own matrix K, to the one
    that would stop it.
    """
    if c.set != RUNNER:
        return friction(c, p_n, x, y, u_t, u_s)
    K_tt, K_ts, K_ss = c.K[3], c.K[4], c.K[5]
    det = K_tt * K_ss - K_ts * K_ts
    X, Y = x - (K_ss * u_t - K_ts * u_s) / det, y - (K_tt * u_s - K_ts * u_t) / det
    return nearest_in_runner_set(X, Y, K_tt, K_ts, K_ss, c.straight * p_n, c.along * p_n, runner_across(c, p_n) * p_n)


@routine
def prox_friction(c, p_n, x, y):
    """Nearest point of the set at a normal impulse."""
    if c.set != RUNNER:
        return prox_ellipse(x, y, c.along * p_n, c.across * p_n)
    return prox_runner(x, y, c.straight * p_n, c.along * p_n, runner_across(c, p_n) * p_n)


@helper
def at_rim(c, x, y):
    """Whether friction (x, y) is all that there can be."""
    if c.set != RUNNER:
        a, b = c.along * c.p[0], c.across * c.p[0]
        return (x * b) ** 2 + (y * a) ** 2 >= 0.999 * a * a * b * b
    q = c.p[0] * 0.9995
    b = runner_across(c, c.p[0]) * q
    past, cap = max(abs(x) - c.straight * q, 0.0), (c.along - c.straight) * q
    return (past / cap) ** 2 + (y / b) ** 2 >= 1.0
