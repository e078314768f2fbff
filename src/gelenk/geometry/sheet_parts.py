"""Parts of a sheet, each in a thin disc: which of them come near to a segment, and how far it is from all (B-20).

A part is a quarter of a piece in one cell. Its control points hold it, since all weights are positive; the disc that
holds these, with centre c, radius r, normal n and half thickness t, is as far from a segment as

    max( distance of c from the segment - r,  least |n . (x - c)| on the segment - t )

or farther. Cells, and groups of 16 and of 256 of them, lie in balls.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, routine
from gelenk.errors import InputError
from gelenk.math.vec3 import Vec3

QUARTERS = 4  # parts of a piece
GROUP = 16  # balls in the next larger one
RELATIVE = 1e-12  # by which discs and balls are larger than what rounding finds


@helper
def ball_beyond(ball, i, p, reach):
    """Whether ball i lies farther than ``reach`` from p."""
    w, far = Vec3(ball[i, 0], ball[i, 1], ball[i, 2]) - p, ball[i, 3] + reach
    return w @ w > far * far


@helper
def disc_distance(disc, k, p, d, limit):
    """What disc k is away from p + f d, 0 <= f <= 1, at least; or something above a limit."""
    if disc[k, 3] < 0.0:
        return math.inf  # a piece without length
    n = Vec3(disc[k, 4], disc[k, 5], disc[k, 6])
    w = Vec3(disc[k, 0], disc[k, 1], disc[k, 2]) - p
    first, last = -(w @ n), d @ n - w @ n
    flat = (min(abs(first), abs(last)) if first * last > 0.0 else 0.0) - disc[k, 7]
    if flat > limit:
        return flat
    dd = d @ d
    f = min(max((w @ d) / dd, 0.0), 1.0) if dd > 0.0 else 0.0
    return max((w - d * f).norm() - disc[k, 3], flat, 0.0)


@routine
def parts_near(sheet, p, d, reach, limit):
    """Parts within ``reach`` of the segment p + f d, left in the scratch of the sheet.

    Returns
    -------
    count : int
    clear : float
        What all of the sheet is away from the segment at least, or the limit if that is less [m].
    """
    middle, half = p + d * 0.5, 0.5 * d.norm()
    count, clear = 0, max(limit, reach)
    cells, parts = sheet.ball.shape[0], sheet.disc.shape[0] // max(sheet.ball.shape[0], 1)
    for far in range(sheet.farther.shape[0]):
        if ball_beyond(sheet.farther, far, middle, half + max(clear, reach)):
            continue
        for group in range(GROUP * far, min(GROUP * (far + 1), sheet.far.shape[0])):
            if ball_beyond(sheet.far, group, middle, half + max(clear, reach)):
                continue
            for i in range(GROUP * group, min(GROUP * (group + 1), cells)):
                if ball_beyond(sheet.ball, i, middle, half + max(clear, reach)):
                    continue
                for k in range(parts * i, parts * (i + 1)):
                    away = disc_distance(sheet.disc, k, p, d, max(clear, reach))
                    clear = min(clear, away)
                    if away <= reach:
                        sheet.found[count] = k
                        count += 1
    return count, clear


def discs_of(begin: np.ndarray, cubic: np.ndarray, empty: np.ndarray) -> np.ndarray:
    """Discs (m parts, 8) of all parts: centre, radius, normal, half thickness; radius -1 for pieces without length."""
    cells, pieces = empty.shape
    disc = np.empty((cells, pieces * QUARTERS, 8))
    for j in range(pieces):
        held = control_hull(begin, cubic[:, 2 * j : 2 * j + 3])
        for k in range(QUARTERS):
            disc[:, j * QUARTERS + k] = disc_around(held[k])
        disc[empty[:, j] != 0, j * QUARTERS : (j + 1) * QUARTERS, 3] = -1.0
    return np.ascontiguousarray(disc.reshape(-1, 8))


def control_hull(begin: np.ndarray, cubic: np.ndarray) -> list[np.ndarray]:
    """Control points (m, 12, 3) of the quarters of one piece in all cells: of degree 3 along and 2 across.

    Powers turn into Bernstein's polynomials by  b_j = sum_r C(j, r) / C(3, r) a_r L^r;  the quarter from u to w of a
    quadratic has the control points  B(u, u), B(u, w), B(w, w)  of its polar form.
    """
    length = np.diff(begin)[:, None, None, None] ** np.arange(4)[:, None]
    share = np.array([[math.comb(j, r) / math.comb(3, r) for r in range(4)] for j in range(4)])
    along = np.einsum("jr,mkrc->mkjc", share, cubic * length)
    quarters = []
    for k in range(QUARTERS):
        u, w = k / QUARTERS, (k + 1) / QUARTERS
        pairs = ((u, u), (u, w), (w, w))
        polar = np.array([[(1 - x) * (1 - y), x * (1 - y) + y * (1 - x), x * y] for x, y in pairs])
        points = np.einsum("ak,mkjc->majc", polar, along).reshape(len(along), 12, 4)
        if not (points[..., 3] > 0.0).all():
            s = float(begin[int(np.argmax((points[..., 3] <= 0.0).any(axis=1)))])
            found = f"weights swing below zero between sections behind s = {s:g} m"
            raise InputError("lofted sheet", found, "weights that change slowly", "Give more sections there.")
        quarters.append(points[..., :3] / points[..., 3:])
    return quarters


def disc_around(points: np.ndarray) -> np.ndarray:
    """Discs (m, 8) around sets of points (m, 12, 3), rows of four along for three across."""
    centre = 0.5 * (points.min(axis=1) + points.max(axis=1))
    n = np.cross(points[:, 11] - points[:, 0], points[:, 3] - points[:, 8])
    size = np.linalg.norm(n, axis=1)
    n = np.divide(n, size[:, None], out=np.tile([0.0, 0.0, 1.0], (len(n), 1)), where=size[:, None] > 0.0)
    away = points - centre[:, None]
    radius = np.linalg.norm(away, axis=2).max(axis=1)
    height = np.abs(np.einsum("mkc,mc->mk", away, n)).max(axis=1)
    slack = RELATIVE * (1.0 + np.abs(centre).max(axis=1))
    return np.column_stack((centre, radius + slack, n, height + slack))


def balls_of(centre: np.ndarray, radius: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Balls (k, 4) around groups of balls that begin at ``first``; those with a radius below 0 do not count."""
    weight = (radius >= 0.0).astype(float)
    many = np.maximum(np.add.reduceat(weight, first), 1.0)
    middle = np.add.reduceat(centre * weight[:, None], first, axis=0) / many[:, None]
    number = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(centre))))
    reach = np.linalg.norm(centre - middle[number], axis=1) + radius
    reach[radius < 0.0] = 0.0
    return np.column_stack((middle, np.maximum.reduceat(reach, first) * (1.0 + RELATIVE)))


def grouped(
    begin: np.ndarray, cubic: np.ndarray, empty: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Discs, and balls around cells, around groups of cells and around groups of these."""
    disc = discs_of(begin, cubic, empty)
    parts = QUARTERS * empty.shape[1]
    ball = balls_of(disc[:, :3], disc[:, 3], np.arange(0, len(disc), parts))
    far = balls_of(ball[:, :3], ball[:, 3], np.arange(0, len(ball), GROUP))
    return disc, ball, far, balls_of(far[:, :3], far[:, 3], np.arange(0, len(far), GROUP))
