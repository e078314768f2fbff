"""One contact of a small dense problem: what it lacks, and its own part of a step of Newton's method (B-25 to B-27)."""

from __future__ import annotations

import math

from gelenk.compile import routine
from gelenk.contact.reservoir import runner_across
from gelenk.model.contact_law import RUNNER

LITTLE = 1e-10  # of the diagonal, see gelenk.contact.tree_newton
MISSING, E_T, E_S, F_T, F_S, SOFT = range(6)  # of a contact: what its normal lacks; dP_f = e - F dP_n; c/h


@routine
def look_at(c, dense, k):
    """Whether contact k presses, its residual as :func:`gelenk.contact.sweep.point_residual` measures it, and its own

    part of a step of Newton's method, see :func:`gelenk.contact.tree_laws.contact_equations`.
    """
    G, p, face, i = dense.G, dense.p, dense.face, 3 * k
    D = G[i, i] + c.soft
    missing = -dense.rate[i] - c.soft * p[i]
    wish = p[i] + missing / D
    if not wish > 0.0:
        return False, p[i] * D
    left = abs(wish - p[i]) * D
    face[k, MISSING], face[k, SOFT] = missing, c.soft
    a, b, slope, ahead = c.along, c.across, 0.0, 0.0
    if c.set == RUNNER:
        a, b = c.along - c.straight, runner_across(c, p[i])
        slope = (c.across - c.across_min) / c.full if p[i] < c.full else 0.0
        ahead = c.straight / a if a > 0.0 else 0.0
    if not (a > 0.0 and b > 0.0):
        face[k, E_T], face[k, E_S], face[k, F_T], face[k, F_S] = -p[i + 1], -p[i + 2], 0.0, 0.0
        return True, max(left, math.hypot(p[i + 1], p[i + 2]) * c.top)
    u_t, u_s, x, y = dense.rate[i + 1], dense.rate[i + 2], p[i + 1] / a, p[i + 2] / b
    r, load = 1.0 / (c.top * max(a, b) ** 2), max(p[i], 0.0)
    y_t, y_s = x - r * a * u_t, y - r * b * u_s
    # rows of  L dg_f + M dP_f + N dP_n = q,  first those of sticking
    L_tt, L_ts, L_st, L_ss = 1.0, 0.0, 0.0, 1.0
    M_tt, M_ts, M_st, M_ss = LITTLE * G[i + 1, i + 1], 0.0, 0.0, LITTLE * G[i + 2, i + 2]
    N_t, N_s, q_t, q_s = 0.0, 0.0, -u_t, -u_s
    near_t, near_s = y_t, y_s  # in the set
    if ahead > 0.0 and abs(y_t) <= ahead * wish:
        if abs(y_s) > wish:
            side = math.copysign(1.0, y_s)
            near_s = side * wish
            L_ss, M_ss, N_s = 0.0, 1.0, -side * (b + slope * load)
            q_s = side * b * load - p[i + 2]
    else:
        ahead = math.copysign(ahead, y_t)
        y_t -= ahead * wish
        size = math.sqrt(y_t * y_t + y_s * y_s)
        if size > wish:
            d_t, d_s, share = y_t / size, y_s / size, load / size
            near_t, near_s = (d_t + ahead) * wish, d_s * wish
            m_tt, m_ts, m_ss = share * (1.0 - d_t * d_t), -share * d_t * d_s, share * (1.0 - d_s * d_s)
            wider = slope * p[i + 2] / (b * b)
            shift = wider + r * slope * u_s
            L_tt, L_ts, L_st, L_ss = m_tt * r * a, m_ts * r * b, m_ts * r * a, m_ss * r * b
            M_tt, M_ts, M_st, M_ss = (1.0 - m_tt) / a, -m_ts / b, -m_ts / a, (1.0 - m_ss) / b
            N_t = m_tt * ahead + m_ts * shift - ahead - d_t
            N_s = m_ts * ahead + m_ss * shift - wider - d_s
            q_t, q_s = load * (ahead + d_t) - x, load * d_s - y
    K_nt, K_ns, K_tt, K_ts, K_ss = G[i, i + 1], G[i, i + 2], G[i + 1, i + 1], G[i + 1, i + 2], G[i + 2, i + 2]
    B_tt, B_ts = M_tt + L_tt * K_tt + L_ts * K_ts, M_ts + L_tt * K_ts + L_ts * K_ss
    B_st, B_ss = M_st + L_st * K_tt + L_ss * K_ts, M_ss + L_st * K_ts + L_ss * K_ss
    A_t, A_s = N_t + L_tt * K_nt + L_ts * K_ns, N_s + L_st * K_nt + L_ss * K_ns
    det = 1.0 / (B_tt * B_ss - B_ts * B_st)
    face[k, E_T], face[k, E_S] = (B_ss * q_t - B_ts * q_s) * det, (B_tt * q_s - B_st * q_t) * det
    face[k, F_T], face[k, F_S] = (B_ss * A_t - B_ts * A_s) * det, (B_tt * A_s - B_st * A_t) * det
    return True, max(left, math.hypot(a * (x - near_t), b * (y - near_s)) * c.top)
