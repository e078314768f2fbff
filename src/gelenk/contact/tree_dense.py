"""Contacts of one mechanism that slide: all of them at once, on a small dense matrix (B-25, B-31, B-62).

Where all contacts of a step touch one piece of the model, and no row with bounds and no couple is beside them, the
problem is small: with  G = w_i.z_j  once a step, velocities are  g = G P + c,  and neither the tree nor its directions
are looked at until it is solved. A step of Newton's method on the laws (:mod:`gelenk.contact.tree_newton`) is split:

    own contact:    B dP_f = c - A dP_n          friction from its normal impulse, by its law and its own block of G
    all normals:    (G_nn - G_nf B^-1 A) dP_n = missing - G_nf B^-1 c

What friction of one contact does to friction of another is left to the next step. Of contacts that slide this is
little: friction turns with their velocity, which changes by little in a step, so that errors become smaller by a factor
of some hundred each time. Where they stick it may not do at all, and sweeps and Newton's method on everything follow as
elsewhere. They also do where normal impulses are not determined, as under the four feet of a table: a pivot vanishes.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, TURNS
from gelenk.contact.options import NEWTON_STEPS
from gelenk.contact.tree_face import E_S, E_T, F_S, F_T, MISSING, SOFT, look_at
from gelenk.math.pack import LANES, pack_at, put_pack, splat
from gelenk.rows.block import zeros_in_lines

MOST = 24  # contacts; of more, groups are as good
STEPS = 10  # most of them
PIVOT = 1e-9  # of the diagonal: below, a normal impulse is not determined
RELATIVE, ABSOLUTE = range(2)  # numbers of the method


class TreeDense(NamedTuple):
    """Scratch; directions of contacts in their order."""

    z: np.ndarray  # (nu packs, 4) responses; row i packs + j has velocity i of directions 4 j, ... 4 j + 3
    G: np.ndarray  # (3 C, 4 packs)
    rows: np.ndarray  # (3 C packs, 4) the same memory
    p: np.ndarray  # (3 C,) impulses
    start: np.ndarray  # (3 C,) with which it began
    change: np.ndarray  # (3 C,) of a step
    g: np.ndarray  # (packs, 4) velocities less those asked for
    rate: np.ndarray  # (4 packs,) the same memory
    face: np.ndarray  # (C, 6) see above
    press: np.ndarray  # (C,) int64 contacts that press
    S: np.ndarray  # (C, C)
    b: np.ndarray  # (C,)
    number: np.ndarray  # (1,) int64 whether G is that of all contacts of this step
    figures: np.ndarray  # (1,) residual before the last step [m/s]


def new_tree_dense(velocities: int, contacts: int) -> TreeDense:
    """Space for so many contacts, or as many as are worth while."""
    n = min(contacts, MOST)
    packs = packs_of(n)
    G, g = zeros_in_lines((3 * n, LANES * packs)), zeros_in_lines((packs, LANES))
    p, start, change = np.zeros((3, 3 * n))
    return TreeDense(
        zeros_in_lines((velocities * packs, LANES)),
        G,
        G.reshape(-1, LANES),
        p,
        start,
        change,
        g,
        g.reshape(-1),
        np.zeros((n, 6)),
        np.zeros(n, np.int64),
        np.zeros((n, n)),
        np.zeros(n),
        np.zeros(1, np.int64),
        np.zeros(1),
    )


@helper
def packs_of(contacts):
    """Packs that take the directions of so many contacts."""
    return (3 * contacts + LANES - 1) // LANES


@routine
def gather_dense(contacts, tree, directions, mine, dense, u, first):
    """G of all contacts and their velocities, if they are of one piece alone; whether that is so."""
    n = contacts.number[COUNT]
    dense.number[0] = 0
    if n == 0 or n > dense.face.shape[0] or mine.sizes[1] > 0 or contacts.number[TURNS] > 0:
        return False
    if contacts.options[NEWTON_STEPS] == 0.0:
        return False
    x = directions.direction[first]
    at, of = np.int64(x.at), x.piece[0]
    for k in range(first, first + 3 * n):
        own = directions.direction[k]
        if own.spans != 1 or own.piece[0] != of:
            return False
    for k in range(n):
        if not (contacts.contact[k].K[0] > 0.0 and contacts.contact[k].top > 0.0):
            return False
    size, packs = np.int64(tree.piece[of].u_last) - np.int64(tree.piece[of].u), packs_of(n)
    take_responses(directions.z, dense.z, at, size, 3 * n, packs)
    row = packs_of(dense.face.shape[0])
    for k in range(n):
        own = at + 3 * k * size
        for j in range((3 * k + 2) // LANES + 1):
            x = y = z = splat(0.0)
            for i in range(size):
                theirs = pack_at(dense.z, i * packs + j)
                x = x + splat(directions.w[own + i]) * theirs
                y = y + splat(directions.w[own + size + i]) * theirs
                z = z + splat(directions.w[own + 2 * size + i]) * theirs
            put_pack(dense.rows, 3 * k * row + j, x)
            put_pack(dense.rows, (3 * k + 1) * row + j, y)
            put_pack(dense.rows, (3 * k + 2) * row + j, z)
    for a in range(3 * n):
        for b in range(a):
            dense.G[b, a] = dense.G[a, b]
    dense.number[0] = 1
    take_rates(tree, directions, dense, u, first, 3 * n)
    return True


@routine
def take_rates(tree, directions, dense, u, first, count):
    """W.u of all directions."""
    x = directions.direction[first]
    begin, at = np.int64(tree.piece[x.piece[0]].u), np.int64(x.at)
    size = np.int64(tree.piece[x.piece[0]].u_last) - begin
    for k in range(count):
        total = 0.0
        for i in range(size):
            total += directions.w[at + k * size + i] * u[begin + i]
        dense.rate[k] = total


@helper
def take_responses(z, packed, at, size, count, packs):
    """Responses of directions as packs of four; those beyond the last are none."""
    for i in range(size):
        put_pack(packed, i * packs + packs - 1, splat(0.0))
    for k in range(count):
        j, lane = k // LANES, k % LANES
        for i in range(size):
            packed[i * packs + j, lane] = z[at + k * size + i]


@helper
def add_rates(dense, c, k, contacts):
    """What the impulse of contact k does to the velocities of all."""
    row = packs_of(dense.face.shape[0])
    for j in range(packs_of(contacts)):
        total = pack_at(dense.g, j)
        for i in range(3):
            total = total + pack_at(dense.rows, (3 * k + i) * row + j) * splat(c.p[i])
        put_pack(dense.g, j, total)


@routine
def settle_dense(contacts, tree, directions, dense, u, numbers, first, acting):
    """Solve all lasting contacts; how many steps it took, or 0 if it was not to be, and nothing has changed.

    ``acting`` says whether impulses act on u already; else they are part of the velocities of contacts alone.
    """
    n = contacts.number[COUNT]
    if acting:
        take_rates(tree, directions, dense, u, first, 3 * n)
    for k in range(n):
        c = contacts.contact[k]
        for i in range(3):
            m = 3 * k + i
            dense.p[m], dense.start[m], dense.change[m] = c.p[i], c.p[i] if acting else 0.0, 0.0
            dense.rate[m] -= c.ask[i]
    for m in range(STEPS):
        count, worst = look_at_all(contacts, dense)
        if not solve_normals(dense, count, n):
            return 0
        moving = take_step(dense, 3 * n, numbers)
        dense.figures[0] = worst
        if not worst < math.inf:
            return 0
        if not moving:
            finish_dense(contacts, tree, directions, dense, u, first)
            return m + 1
    return 0


@routine
def look_at_all(contacts, dense):
    """What each contact lacks; how many press, and the largest residual [m/s]."""
    count, worst = 0, 0.0
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] == math.inf:
            continue
        presses, left = look_at(contacts.contact[k], dense, k)
        worst = max(worst, left)
        if presses:
            dense.press[count] = k
            count += 1
        else:
            for i in range(3):
                dense.change[3 * k + i] = -dense.p[3 * k + i]
    return count, worst


@routine
def solve_normals(dense, count, every):
    """Changes of the impulses of all that presses; whether their normal impulses are determined."""
    G, S, b, face, press = dense.G, dense.S, dense.b, dense.face, dense.press
    for m in range(count):
        i = 3 * press[m]
        total = face[press[m], MISSING]
        for n in range(count):
            k = press[n]
            S[m, n] = G[i, 3 * k] - G[i, 3 * k + 1] * face[k, F_T] - G[i, 3 * k + 2] * face[k, F_S]
            total -= G[i, 3 * k + 1] * face[k, E_T] + G[i, 3 * k + 2] * face[k, E_S]
        S[m, m] += face[press[m], SOFT]
        b[m] = total
    open_up(dense, count, every)
    if not eliminate_in_order(S, b, count):
        return False
    for m in range(count):
        k = press[m]
        dense.change[3 * k] = b[m]
        dense.change[3 * k + 1] = face[k, E_T] - face[k, F_T] * b[m]
        dense.change[3 * k + 2] = face[k, E_S] - face[k, F_S] * b[m]
    return True


@helper
def open_up(dense, count, every):
    """What contacts that open leave to the others."""
    m = 0
    for k in range(every):
        if m < count and dense.press[m] == k:
            m += 1
            continue
        for i in range(3 * k, 3 * k + 3):
            for n in range(count if dense.change[i] != 0.0 else 0):
                dense.b[n] -= dense.G[3 * dense.press[n], i] * dense.change[i]


@helper
def eliminate_in_order(S, b, n):
    """Solve S x = b, x over b, by pivots of the diagonal; whether none of them vanishes."""
    for k in range(n):
        size = abs(S[k, k])
        for j in range(k):
            f = S[k, j] * S[j, j]  # which holds its inverse
            for i in range(j + 1, n):
                S[k, i] -= f * S[j, i]
            b[k] -= f * b[j]
        if not S[k, k] > PIVOT * size:
            return False
        S[k, k] = 1.0 / S[k, k]
    for m in range(n):
        i = n - 1 - m
        total = b[i]
        for j in range(i + 1, n):
            total -= S[i, j] * b[j]
        b[i] = total * S[i, i]
    return True


@routine
def take_step(dense, n, numbers):
    """Change all impulses, and velocities with them; whether an impulse moves by more than  e_r |P| + e_a."""
    moving = False
    for i in range(n):
        dense.p[i] += dense.change[i]
        least = numbers[RELATIVE] * abs(dense.p[i]) + numbers[ABSOLUTE]
        moving = moving or not (dense.change[i] == 0.0 or abs(dense.change[i]) < least)
    packs, row = (n + LANES - 1) // LANES, packs_of(dense.face.shape[0])
    for j in range(packs):
        total = pack_at(dense.g, j)
        for i in range(n):
            total = total + pack_at(dense.rows, i * row + j) * splat(dense.change[i])
        put_pack(dense.g, j, total)
    return moving


@routine
def finish_dense(contacts, tree, directions, dense, u, first):
    """Impulses back to the contacts, and velocities to the tree."""
    for k in range(contacts.number[COUNT]):
        if contacts.time[k] == math.inf:
            continue
        c = contacts.contact[k]
        for i in range(3):
            c.p[i] = dense.p[3 * k + i] if dense.p[3 * k] > 0.0 else 0.0
            dense.change[3 * k + i] = c.p[i] - dense.start[3 * k + i]
    push_all(tree, directions, dense, u, first, 3 * contacts.number[COUNT])


@helper
def push_all(tree, directions, dense, u, first, count):
    """U += z P  of all directions, by their changes."""
    x = directions.direction[first]
    piece = tree.piece[x.piece[0]]
    at = np.int64(x.at)
    for k in range(count):
        p = dense.change[k]
        for i in range(piece.u, piece.u_last):
            u[i] += directions.z[at] * p
            at += 1
