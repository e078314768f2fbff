"""Block Cholesky factors of  H = M + J^T W J  over the bodies in contact, stored as a skyline.

Bodies are put in the reverse order of Cuthill and McKee, which keeps neighbours near each other. Row i of the factor
L holds 6 x 6 blocks from its first neighbour on up to the diagonal; what lies between fills up, what lies before stays
zero. Bodies that do not hang together share no blocks: every heap (:mod:`gelenk.contact.heaps`) has rows of its own,
and is factored and solved by itself.

Source: E. Cuthill, J. McKee, Reducing the bandwidth of sparse symmetric matrices (1969); A. George, J. W. Liu, Computer
solution of large sparse positive definite systems (1981), chapter 4.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.rows.block import NONE


class Skyline(NamedTuple):
    """The factor and its order."""

    place: np.ndarray  # (n,) uint32 of a node in the order, or NONE
    node: np.ndarray  # (n,) uint32 in order
    first: np.ndarray  # (n,) uint32 first block of a row
    begin: np.ndarray  # (n + 1,) int64 where the blocks of a row lie
    block: np.ndarray  # (room, 6, 6) L, rows of blocks one after the other
    x: np.ndarray  # (n, 6) right-hand side and solution, in order
    degree: np.ndarray  # (n + 2,) int64 neighbours, then where they begin in ``near``
    near: np.ndarray  # (2 edges,) uint32 neighbours of each node
    # of a heap, at its lowest node
    factored: np.ndarray  # (n,) int64 of which sets it is the factor; 0 for none
    factored_at: np.ndarray  # (n,) int64 where the blocks of that factor begin
    calm: np.ndarray  # (n,) int64 1 if it rests; see gelenk.contact.settle
    seen: np.ndarray  # (n,) int64 when it was last there


def new_skyline(nodes: int, room: int, edges: int) -> Skyline:
    """Space for a factor of so many blocks of bodies with so many contacts."""
    return Skyline(
        np.zeros(nodes, np.uint32),
        np.zeros(nodes, np.uint32),
        np.zeros(nodes, np.uint32),
        np.zeros(nodes + 1, np.int64),
        np.zeros((room, 6, 6)),
        np.zeros((nodes, 6)),
        np.zeros(nodes + 2, np.int64),
        np.zeros(2 * edges, np.uint32),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
    )


@routine
def order_heap(sky, start, total):
    """Number the bodies that hang together with one, from ``total`` on; returns the next number."""
    end = number_from(sky, far_body(sky, start, total), total)
    for k in range((end - total) // 2):  # the reverse order fills less
        i, j = total + k, end - 1 - k
        sky.node[i], sky.node[j] = sky.node[j], sky.node[i]
    for k in range(total, end):
        sky.place[sky.node[k]] = k
    return end


@routine
def plan_factor(sky, first, last, begin):
    """First blocks of the rows of a heap, whose blocks lie from ``begin`` on; returns where they end."""
    for k in range(first, last):
        low, i = np.int64(k), sky.node[k]
        for j in range(sky.degree[i], sky.degree[i + 1]):
            low = min(low, np.int64(sky.place[sky.near[j]]))
        sky.first[k], sky.begin[k] = low, begin
        begin += k - low + 1
    return begin


@helper
def link_bodies(sky, ends, count, joints, rows, active, inv_mass):
    """Neighbours of every moving body: twice the same, once to count them and once to put them down."""
    degree = sky.degree
    for i in range(degree.shape[0]):
        degree[i] = 0
    for put in range(2):
        a_last, b_last = NONE, NONE
        for k in range(count):
            a, b = ends[k, 0], ends[k, 1]
            if a != a_last or b != b_last:
                a_last, b_last = a, b
                link(sky, a, b, inv_mass, put)
        for n in range(active):
            row = joints.row[rows.active[n]]
            for e in range(row.entry_first, row.entry_last):
                for f in range(row.entry_first, e + 1):
                    if f < e or row.entry_last == row.entry_first + 1:
                        link(sky, joints.body[e], joints.body[f], inv_mass, put)
        if put == 0:
            for i in range(2, degree.shape[0]):
                degree[i] += degree[i - 1]


@helper
def link(sky, a, b, inv_mass, put):
    """Count, or put down, that a and b are neighbours; one that only touches what is still is its own neighbour."""
    degree = sky.degree
    if inv_mass[a] > 0.0:
        if put == 0:
            degree[a + 2] += 1
        else:
            sky.near[degree[a + 1]] = b if inv_mass[b] > 0.0 else a
            degree[a + 1] += 1
    if inv_mass[b] > 0.0 and a != b:
        if put == 0:
            degree[b + 2] += 1
        else:
            sky.near[degree[b + 1]] = a if inv_mass[a] > 0.0 else b
            degree[b + 1] += 1


@helper
def far_body(sky, start, total):
    """A body at the end of the heap of another: the last that a search from it meets."""
    end = number_from(sky, start, total)
    last = sky.node[end - 1]
    for k in range(total, end):
        sky.place[sky.node[k]] = NONE
    return last


@routine
def number_from(sky, root, total):
    """Number a heap by breadth from one body on; returns the next number."""
    head = total
    sky.node[total], sky.place[root] = root, total
    total += 1
    while head < total:
        i = sky.node[head]
        head += 1
        for j in range(sky.degree[i], sky.degree[i + 1]):
            o = sky.near[j]
            if sky.place[o] == NONE:
                sky.node[total], sky.place[o] = o, total
                total += 1
    return total


@helper
def row_block(sky, i, j):
    """Where block (i, j), j <= i in order, lies."""
    return sky.begin[i] + j - np.int64(sky.first[i])


@routine
def factor(sky, first, last):
    """H = L L^T in place, row by row, of the heap with these rows:

    L_ij = (H_ij - sum_k L_ik L_jk^T) L_jj^-T,      L_ii = chol(H_ii - sum_k L_ik L_ik^T)
    """
    for i in range(first, last):
        low = np.int64(sky.first[i])
        for j in range(low, i + 1):
            S = sky.block[row_block(sky, i, j)]
            for k in range(max(low, np.int64(sky.first[j])), j):
                take_product(S, sky.block[row_block(sky, i, k)], sky.block[row_block(sky, j, k)])
            if j < i:
                divide(S, sky.block[row_block(sky, j, j)])
            else:
                cholesky(S)


@routine
def take_product(S, X, Y):
    """S -= X Y^T."""
    for a in range(6):
        for b in range(6):
            s = 0.0
            for m in range(6):
                s += X[a, m] * Y[b, m]
            S[a, b] -= s


@routine
def divide(S, L):
    """S <- S L^-T  with a lower triangle L."""
    for a in range(6):
        for b in range(6):
            s = S[a, b]
            for m in range(b):
                s -= S[a, m] * L[b, m]
            S[a, b] = s / L[b, b]


@routine
def cholesky(S):
    """Lower triangle L of  S = L L^T  in place; S is positive definite."""
    for b in range(6):
        s = S[b, b]
        for m in range(b):
            s -= S[b, m] * S[b, m]
        root = math.sqrt(max(s, 1e-300))
        S[b, b] = root
        for a in range(b + 1, 6):
            s = S[a, b]
            for m in range(b):
                s -= S[a, m] * S[b, m]
            S[a, b] = s / root


@routine
def solve_factor(sky, first, last):
    """X <- H^-1 x, of the heap with these rows."""
    x = sky.x
    for i in range(first, last):
        for j in range(np.int64(sky.first[i]), i):
            L = sky.block[row_block(sky, i, j)]
            for a in range(6):
                s = 0.0
                for m in range(6):
                    s += L[a, m] * x[j, m]
                x[i, a] -= s
        L = sky.block[row_block(sky, i, i)]
        for a in range(6):
            s = x[i, a]
            for m in range(a):
                s -= L[a, m] * x[i, m]
            x[i, a] = s / L[a, a]
    for i in range(last - 1, first - 1, -1):
        L = sky.block[row_block(sky, i, i)]
        for a in range(5, -1, -1):
            s = x[i, a]
            for m in range(a + 1, 6):
                s -= L[m, a] * x[i, m]
            x[i, a] = s / L[a, a]
        for j in range(np.int64(sky.first[i]), i):
            L = sky.block[row_block(sky, i, j)]
            for m in range(6):
                s = 0.0
                for a in range(6):
                    s += L[a, m] * x[i, a]
                x[j, m] -= s
