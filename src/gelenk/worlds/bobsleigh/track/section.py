"""One cross section: dimensions, corner points, an exact rational curve of degree 2 (B-41 to B-43).

In the plane of a section x points to the outer side of the curve and y up; point 3, where floor and banking meet, is
the origin. Functions take arrays over many sections at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

PIECES = 7  # line, quarter circle, line, ellipse, circle, line, circle
POINTS = 2 * PIECES + 1
RAW = ("HW2", "AK", "BI", "CE", "B", "A", "BT", "AT", "R1", "H1", "HZ", "R2", "H2", "eps1")


class Dimensions(NamedTuple):
    """The 14 dimensions of n sections, (n,) each, in m; eps in rad (bobsleigh 5.6)."""

    hW: np.ndarray  # straight part of the inner wall, points 0 to 1
    r0: np.ndarray  # fillet between inner wall and floor, 1 to 2
    lB: np.ndarray  # flat inner floor, 2 to 3
    dC: np.ndarray  # from point 3 outward to the track line
    b: np.ndarray  # horizontal semi-axis of the ellipse
    a: np.ndarray  # vertical semi-axis; 0 where the ellipse is flat
    bT: np.ndarray  # part of the ellipse that is used, 3 to 4, across
    aT: np.ndarray  # and up
    r1: np.ndarray  # upper circle, 4 to 5
    h1: np.ndarray  # its height; 0 for none
    eps: np.ndarray  # angle of the straight piece, 5 to 6, against the horizontal
    hZ: np.ndarray  # its height
    r2: np.ndarray  # top circle, 6 to 7
    h2: np.ndarray  # its height


def ellipse_end(b: np.ndarray, a: np.ndarray, bT: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height and slope angle of the ellipse  x^2/b^2 + (y - a)^2/a^2 = 1  at x = bT (A.4 with x^2):

    aT = a (1 - sqrt(1 - (bT/b)^2)),    tan eps_0 = a bT / (b sqrt(b^2 - bT^2))
    """
    rest = np.sqrt(1.0 - (bT / b) ** 2)
    return a * (1.0 - rest), np.arctan2(a * bT, b * b * rest)


def upper_circle(r1: np.ndarray, eps: np.ndarray, eps0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Extent of the circle from slope eps_0 to eps:  r1 (sin eps - sin eps_0),  r1 (cos eps_0 - cos eps)."""
    return r1 * (np.sin(eps) - np.sin(eps0)), r1 * (np.cos(eps0) - np.cos(eps))


def from_raw(raw: Mapping[str, np.ndarray]) -> Dimensions:
    """Dimensions of design data (A.1 to A.6). What is rounded and redundant is computed anew: sections are smooth.

    Of the end of the ellipse the longer of BT and AT is kept; with AT = 0 it is flat. eps1 may be its complement.
    """
    HW2, AK, BI, CE, B, A, BT, AT, R1, H1, HZ, R2, H2, eps1 = (np.asarray(raw[name], float) for name in RAW)
    eps = np.radians(np.where(eps1 >= 45.0, eps1, 90.0 - eps1))
    flat, wide = AT == 0.0, BT > AT
    safe = np.where(flat, 1.0, A)
    by_height = B * np.sqrt(np.maximum(1.0 - ((AT - safe) / safe) ** 2, 0.0))
    bT = np.where(flat, B - R1, np.where(wide, BT, by_height))
    a = np.where(flat, 0.0, A)
    aT, eps0 = ellipse_end(B, a, bT)
    aT = np.where(flat | wide, aT, AT)
    _, h1 = upper_circle(R1, eps, eps0)
    return Dimensions(HW2, AK, BI, CE, B, a, bT, aT, R1, np.where(H1 == 0.0, 0.0, h1), eps, HZ, R2, H2)


def by_rule(rule: Mapping[str, Sequence[float]], tau: np.ndarray) -> Dimensions:
    """Dimensions that grow with the banking tau, each  first + second x tau  (bobsleigh 9.5)."""
    value = {name: first + second * tau for name, (first, second) in rule.items()}
    eps, b, a, r1 = np.radians(value["eps"]), value["b"], value["a"], value["r1"]
    bT = b - value["bT_short"]
    aT, eps0 = ellipse_end(b, a, bT)
    _, h1 = upper_circle(r1, eps, eps0)
    start = (value["hW"], value["r0"], value["lB"], value["dC"])
    return Dimensions(*start, b, a, bT, aT, r1, h1, eps, value["hZ"], value["r2"], value["h2"])


def corner_points(d: Dimensions) -> np.ndarray:
    """(n, 8, 2) corner points 0 to 7, from the inner rim to the outer one (bobsleigh 3.12)."""
    _, eps0 = ellipse_end(d.b, d.a, d.bT)
    x1, _ = upper_circle(d.r1, d.eps, eps0)
    x1 = np.where(d.h1 == 0.0, 0.0, x1)
    x2 = x1 + d.hZ / np.tan(d.eps)
    side = d.r2 * np.sin(d.eps)
    # the top circle starts along (cos eps, sin eps); point 7 lies h2 higher on it
    x3 = x2 - side + np.sqrt(side**2 + 2.0 * d.r2 * d.h2 * np.cos(d.eps) - d.h2**2)
    zero, up = np.zeros_like(d.b), d.aT + d.h1
    x = (-d.lB - d.r0, -d.lB - d.r0, -d.lB, zero, d.bT, d.bT + x1, d.bT + x2, d.bT + x3)
    y = (d.r0 + d.hW, d.r0, zero, zero, d.aT, up, up + d.hZ, up + d.hZ + d.h2)
    return np.stack((np.stack(x, axis=1), np.stack(y, axis=1)), axis=2)


def control_points(d: Dimensions) -> tuple[np.ndarray, np.ndarray]:
    """(n, 15, 2) control points 0, m01, 1, m12, ... 7 and their (n, 15) weights; corners have weight 1 (3.13 to 3.15).

    A piece of a circle or an ellipse that turns by phi has, in any affine picture of it, its middle point where its end
    tangents meet, with weight cos(phi / 2): the corrected form of bobsleigh 8.3. The flat ellipse keeps that weight: a
    straight line all the same, and its parameter goes over into that of the ellipses beside it without a jump.
    """
    corner = corner_points(d)
    P, w = np.empty((len(d.b), POINTS, 2)), np.ones((len(d.b), POINTS))
    P[:, ::2] = corner
    for piece in (0, 2, 5):
        P[:, 2 * piece + 1] = 0.5 * (corner[:, piece] + corner[:, piece + 1])
    for piece, radius in ((1, d.r0), (4, d.r1), (6, d.r2)):
        P[:, 2 * piece + 1], w[:, 2 * piece + 1] = arc_middle(corner[:, piece], corner[:, piece + 1], radius)
    phi = np.arcsin(d.bT / d.b)
    P[:, 7] = corner[:, 3] + np.stack((d.b * np.tan(0.5 * phi), np.zeros_like(phi)), axis=1)
    w[:, 7] = np.cos(0.5 * phi)
    return P, w


def arc_middle(begin: np.ndarray, end: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middle control point and weight of arcs that turn to the left, (n, 2) and (n,) (3.14):

        sin(theta/2) = |d| / (2 r),    P_m = M + r sin(theta/2) tan(theta/2) n,    w = cos(theta/2)

    d from begin to end, M their middle, n = (d_y, -d_x)/|d|. Without length it is a point.
    """
    d = end - begin
    length = np.linalg.norm(d, axis=1)
    sin = np.minimum(0.5 * length / radius, 1.0 - 1e-12)
    cos = np.sqrt(1.0 - sin * sin)
    outward = np.stack((d[:, 1], -d[:, 0]), axis=1)  # |d| n,  and  r sin(theta/2) = |d| / 2
    return 0.5 * (begin + end) + (0.5 * sin / cos)[:, None] * outward, cos


def curve_points(P: np.ndarray, w: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(n, k, d) points of n curves at parameters v, 0 to 7, one unit a piece:

    X = ((1-t)^2 P_b + 2 t (1-t) w_m P_m + t^2 P_e) / ((1-t)^2 + 2 t (1-t) w_m + t^2)
    """
    piece = np.minimum(v.astype(int), PIECES - 1)
    t = v - piece
    basis = np.stack(((1.0 - t) ** 2, 2.0 * t * (1.0 - t), t * t))  # (3, k)
    index = np.stack((2 * piece, 2 * piece + 1, 2 * piece + 2))
    weight = basis * w[:, index]  # (n, 3, k)
    return (weight[..., None] * P[:, index]).sum(axis=1) / weight.sum(axis=1)[..., None]
