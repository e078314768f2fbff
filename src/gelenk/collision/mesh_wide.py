"""The tree of boxes over a mesh with four children a node, for rays (V-20).

A ray spends its time waiting for the next node, so half as many levels are about twice as fast. A node takes the
children of its children in: of those that are no leaves the one with the largest box first, as that is the one a
random ray meets most likely.

Source: H. Dammertz, J. Hanika, A. Keller, Shallow bounding volume hierarchies for fast SIMD ray tracing (2008).
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.compile import helper, kernel

CHILDREN = 4
WIDE_COLUMNS = 8 * CHILDREN  # low x of all four, low y, low z, high x, high y, high z; links; counts of triangles


@helper
def half_area_of(box, node, side):
    """Half of the surface of a child's box."""
    k = 6 * side
    x, y, z = box[node, k + 3] - box[node, k], box[node, k + 4] - box[node, k + 1], box[node, k + 5] - box[node, k + 2]
    return x * y + y * z + z * x


@helper
def largest_inner(box, link, taken, count):
    """Which of the children taken so far is no leaf and has the largest box; -1 if all are leaves."""
    best, most = -1, -math.inf
    for k in range(count):
        if link[taken[k, 0], 2 + taken[k, 1]] == 0:
            area = half_area_of(box, taken[k, 0], taken[k, 1])
            if area > most:
                best, most = k, area
    return best


@kernel
def widen(box, link, taken, source, wide_out, link_out):
    """Rows of four children from rows of two: boxes (N, 12), links (N, 4) of one mesh; returns how many rows there are.

    ``taken`` (4, 2) and ``source`` (N,) are scratch: children by row and side, and the old row of every new one.
    """
    source[0], rows, row = 0, 1, 0
    while row < rows:
        node = source[row]
        taken[0, 0], taken[0, 1], taken[1, 0], taken[1, 1] = node, 0, node, 1
        count = 2 if box[node, 6] <= box[node, 9] else 1  # the root of one triangle has no second child
        while count < CHILDREN:
            k = largest_inner(box, link, taken, count)
            if k < 0:
                break
            inner = np.int64(link[taken[k, 0], taken[k, 1]])
            taken[k, 0], taken[k, 1], taken[count, 0], taken[count, 1] = inner, 0, inner, 1
            count += 1
        for k in range(CHILDREN):
            for side in range(6):
                empty = math.inf if side < 3 else -math.inf
                wide_out[row, CHILDREN * side + k] = box[taken[k, 0], 6 * taken[k, 1] + side] if k < count else empty
            if k < count:
                first, size = link[taken[k, 0], taken[k, 1]], link[taken[k, 0], 2 + taken[k, 1]]
                link_out[row, k], link_out[row, CHILDREN + k] = first, size
                if size == 0:
                    source[rows], link_out[row, k] = first, rows
                    rows += 1
        row += 1
    return rows
