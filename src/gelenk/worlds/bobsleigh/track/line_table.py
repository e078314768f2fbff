"""The track line as polynomials, so that kernels can follow it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gelenk.geometry.space_line import LineTable

if TYPE_CHECKING:
    from gelenk.worlds.bobsleigh.track.line import TrackLine

CELL = 1.0  # [m] longest cell
HERMITE = np.array(  # polynomial on 0..1 from value, first and second derivative at 0, and the same at 1
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
        [-10.0, -6.0, -1.5, 10.0, -4.0, 0.5],
        [15.0, 8.0, 1.5, -15.0, 7.0, -1.0],
        [-6.0, -3.0, -0.5, 6.0, -3.0, 0.5],
    ]
)


def line_table(line: TrackLine) -> LineTable:
    """Table of a line: a quintic through both ends of each cell with two derivatives, no cell across a joint of pieces.

    The error of a cell is  l^6 |d6c/ds6| / 46080,  below 1e-11 m for cells of 1 m and radii above 8 m.
    """
    joints = np.concatenate((line.plan.s, line.heights.s, [line.start, line.end]))
    joints = np.unique(joints[(joints >= line.start) & (joints <= line.end)])
    joints = joints[np.append(True, np.diff(joints) > 1e-9)]
    parts = [np.linspace(a, b, math.ceil((b - a) / CELL) + 1)[:-1] for a, b in pairwise(joints)]
    s = np.append(np.concatenate(parts), line.end)
    ends = []
    for at, inside in ((s[:-1], 1e-9), (s[1:], -1e-9)):  # derivatives as seen from within the cell
        point, within = line.at(at), line.at(at + inside)
        first = within.forward + within.slope[:, None] * np.array([0.0, 0.0, 1.0])
        second = within.curvature[:, None] * within.left + within.bend[:, None] * np.array([0.0, 0.0, 1.0])
        first = first - inside * second
        ends += [point.position, first, second]
    length = np.diff(s)[:, None]
    scaled = np.stack((ends[0], ends[1] * length, ends[2] * length**2, ends[3], ends[4] * length, ends[5] * length**2))
    cell = np.einsum("ij,jnk->nki", HERMITE, scaled).reshape(len(length), 18)
    metres = np.arange(math.ceil(line.end - line.start) + 1) + line.start
    first_cell = np.clip(np.searchsorted(s, metres, side="right") - 1, 0, len(length) - 1)
    return LineTable(s, np.ascontiguousarray(cell), first_cell.astype(np.uint32))
