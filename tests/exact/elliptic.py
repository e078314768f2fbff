"""Jacobi elliptic functions and elliptic integrals by the complementary parameter mc = 1 - m.

Near a separatrix m rounds to 1 while mc still has all its digits; `scipy.special.ellipj` takes m and loses them.
Here m + mc = 1, 0 <= m <= 1, and every sum is of positive terms:

    1 - m sn^2 = mc + m cn^2,       1 - (1 - r) sn^2 = cn^2 + r sn^2
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import elliprc, elliprf, elliprj


def complete_first(mc: float) -> float:
    """Quarter period K = R_F(0, mc, 1); infinite for mc = 0.   Source: DLMF 19.25.1."""
    return float(elliprf(0.0, mc, 1.0)) if mc > 0.0 else float("inf")


def incomplete_first(sn: ArrayLike, cn: ArrayLike, m: float, mc: float) -> NDArray[np.float64]:
    """The u in [-K, K] with the given sn(u) and cn(u) >= 0:  u = sn R_F(cn^2, mc + m cn^2, 1).   Source: DLMF 19.25.5.

    Takes both functions, not the angle, so that the digits of a small cn near u = K are kept.
    """
    sn, cn = np.asarray(sn, dtype=float), np.asarray(cn, dtype=float)
    if mc == 0.0:
        return np.arcsinh(sn / cn)
    return sn * elliprf(cn * cn, mc + m * cn * cn, 1.0)


def cn_squared_integral(sn: ArrayLike, cn: ArrayLike, m: float, mc: float, r: float) -> NDArray[np.float64]:
    """Integral of  cn^2 / (cn^2 + r sn^2)  from 0 to u, for |u| <= K, r > 0; sn and cn are those of u.

    In Legendre's form this is (r Pi(n; am u | m) - u) / (r - 1) with n = 1 - r: a difference of nearly equal terms when
    r is large or near 1. Carlson's change of the last argument of R_J makes it a sum of positive terms,
    y = mc + m cn^2:

        sn ( mc sn^2 / (3 r) R_J(cn^2, y, 1, cn^2 + mc sn^2 / r)  +  cn R_C(y, (cn^2 + r sn^2)(cn^2 + mc sn^2 / r)) )

    For mc = 0 it is elementary, sn R_C(1, cn^2 + r sn^2).

    Source: DLMF 19.25.14 and 19.21.12; Carlson, Numer. Algorithms 10 (1995).
    """
    sn, cn = np.asarray(sn, dtype=float), np.asarray(cn, dtype=float)
    if mc == 0.0:
        return sn * elliprc(1.0, cn * cn + r * sn * sn)
    y, p, q = mc + m * cn * cn, cn * cn + r * sn * sn, cn * cn + mc / r * sn * sn
    return sn * (mc / (3.0 * r) * sn * sn * elliprj(cn * cn, y, 1.0, q) + cn * elliprc(y, p * q))


def jacobi(u: ArrayLike, m: float, mc: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Jacobi functions sn, cn, dn of u.

    Descending Landen transformation through cn/sn, which keeps the relative digits of a small cn and dn.
    For mc = 0: tanh, sech, sech.

    Source: Bulirsch, Numer. Math. 7 (1965), 78-90, procedure sncndn; DLMF 22.20.
    """
    u = np.asarray(u, dtype=float)
    if mc == 0.0:
        e = np.exp(-np.abs(u))
        sech = 2.0 * e / (1.0 + e * e)
        return np.tanh(u), sech, sech

    # Arithmetic-geometric mean of 1 and k' = sqrt(mc).
    means = [(1.0, float(np.sqrt(mc)))]
    while abs(means[-1][0] - means[-1][1]) > 1e-8 * means[-1][0]:  # the next step squares this
        a, b = means[-1]
        means.append((0.5 * (a + b), float(np.sqrt(a * b))))
    mean = 0.5 * sum(means[-1])

    sin, cos = np.sin(mean * u), np.cos(mean * u)
    at_zero = np.abs(sin) < 1e-150  # only |u| < 1e-150 comes here, where sn = u; the square of cn/sn would overflow
    cot = cos / np.where(at_zero, 1.0, sin)
    c = mean * cot
    dn = np.ones_like(u)
    for a, b in reversed(means):
        square = c * cot
        c = c * dn
        dn = (b + square) / (a + square)
        cot = c / a
    sn = np.where(at_zero, u, np.copysign(1.0 / np.hypot(c, 1.0), sin))
    cn = np.where(at_zero, 1.0, c * sn)
    # The ladder gives dn too; this form of it stays consistent with cn where both vanish.
    return sn, cn, np.sqrt(mc + m * cn * cn)
