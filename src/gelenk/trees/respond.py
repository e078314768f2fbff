"""Responses of many directions, four at a time: what unit impulses do to a tree (B-22).

Inward, from the ends of a tree to its root, a generalised impulse w_k and the impulse (f, t) on all beyond its joint
leave  x = w_k - s.(f, t);  outward,  z_k = (x - U.a) / D  and  a <- a + s z_k,  with the columns s and the factors U
and D of :mod:`gelenk.trees.articulated`. Packs hold four directions of one piece, whose links and columns are read
once for the four.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.pack import LANES, pack_at, put_pack, splat
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import NONE, zeros_in_lines

F, T, V, W = 0, 3, 6, 9  # packs of a link: impulse and couple on it, change of the velocity of N and of turning
OF_LINK = 12


class Four(NamedTuple):
    """Scratch of four responses; a row is a pack."""

    on: np.ndarray  # (links,) uint32 1 where an impulse acts beyond the link
    kick: np.ndarray  # (links OF_LINK, 4)
    w: np.ndarray  # (nu, 4)
    rest: np.ndarray  # (nu, 4)
    z: np.ndarray  # (nu, 4)
    to: np.ndarray  # (4,) int64 where velocity 0 would be in the numbers of each direction
    taken: np.ndarray  # (1,) int64 directions in it


def new_four(links: int, velocities: int) -> Four:
    """Scratch for a tree."""
    w, rest, z = (zeros_in_lines((velocities, LANES)) for _ in range(3))
    kick = zeros_in_lines((links * OF_LINK, LANES))
    return Four(np.zeros(links, np.uint32), kick, w, rest, z, np.zeros(LANES, np.int64), np.zeros(1, np.int64))


@routine
def respond_all(tree, work, directions, first, last):
    """Responses and  w.z  of some directions, by the factors that the accelerations left."""
    for s in range(2):
        begin_four(directions.four)
        of = np.int64(-1)
        for k in range(first, last):
            x = directions.direction[k]
            if x.spans <= s:
                continue
            piece, at = np.int64(x.piece[s]), np.int64(x.at)
            if s == 1:
                at += numbers_of(tree.piece[x.piece[0]])
            if piece != of or directions.four.taken[0] == LANES:
                respond_four(tree, work, directions, of)
                of = piece
            directions.four.to[directions.four.taken[0]] = at - np.int64(tree.piece[piece].u)
            directions.four.taken[0] += 1
        respond_four(tree, work, directions, of)
    for k in range(first, last):
        sum_up(tree, directions, k)


@helper
def begin_four(four):
    """No direction yet."""
    four.taken[0] = 0


@helper
def numbers_of(piece):
    """Velocities of a piece."""
    return np.int64(piece.u_last) - np.int64(piece.u)


@helper
def sum_up(tree, directions, k):
    """W.z of direction k."""
    x = directions.direction[k]
    at, total = np.int64(x.at), 0.0
    for s in range(x.spans):
        for _ in range(numbers_of(tree.piece[x.piece[s]])):
            total += directions.w[at] * directions.z[at]
            at += 1
    x.diag = total


@helper
def four_at(packs, i):
    """Four vectors."""
    return Vec3(pack_at(packs, i), pack_at(packs, i + 1), pack_at(packs, i + 2))


@helper
def put_four(packs, i, v):
    """Store four vectors."""
    put_pack(packs, i, v.x)
    put_pack(packs, i + 1, v.y)
    put_pack(packs, i + 2, v.z)


@helper
def same(a):
    """One vector four times."""
    return Vec3(splat(a[0]), splat(a[1]), splat(a[2]))


@routine
def respond_four(tree, work, directions, of):
    """Change of the velocities of one piece by the generalised impulses of up to four directions."""
    four = directions.four
    if four.taken[0] == 0:
        return
    piece = tree.piece[of]
    fetch_four(directions.w, four, piece)
    inward(tree, work, four, piece)
    outward(tree, work, four, piece)
    for j in range(four.taken[0]):
        for i in range(piece.u, piece.u_last):
            directions.z[four.to[j] + i] = four.z[i, j]
    four.taken[0] = 0


@helper
def fetch_four(w, four, piece):
    """Their impulses; none where there are fewer than four."""
    for i in range(piece.u, piece.u_last):
        put_pack(four.w, i, splat(0.0))
    for j in range(four.taken[0]):
        for i in range(piece.u, piece.u_last):
            four.w[i, j] = w[four.to[j] + i]


@helper
def inward(tree, work, four, piece):
    """From the ends to the root: what is left of impulses beyond each freedom."""
    zero = splat(0.0)
    for n in range(piece.link, piece.link_last):
        four.on[n] = 0
        put_four(four.kick, OF_LINK * n + F, Vec3(zero, zero, zero))
        put_four(four.kick, OF_LINK * n + T, Vec3(zero, zero, zero))
    for m in range(piece.link_last - piece.link):
        n = piece.link_last - 1 - m
        link = tree.link[n]
        for i in range(link.u, link.last):
            if four.w[i, 0] != 0.0 or four.w[i, 1] != 0.0 or four.w[i, 2] != 0.0 or four.w[i, 3] != 0.0:
                four.on[n] = 1
        if four.on[n] == 0:
            continue
        f, t = four_at(four.kick, OF_LINK * n + F), four_at(four.kick, OF_LINK * n + T)
        for j in range(link.last - link.u):
            i = link.last - 1 - j
            if tree.driven[i] == 0:
                column = work.column[i]
                rest = pack_at(four.w, i) - same(column.v) @ f - same(column.w) @ t
                put_pack(four.rest, i, rest)
                share = rest * splat(column.inv)
                f, t = f + same(column.f) * share, t + same(column.n) * share
        if link.parent != NONE:
            four.on[link.parent] = 1
            at = OF_LINK * np.int64(link.parent)
            put_four(four.kick, at + F, four_at(four.kick, at + F) + f)
            put_four(four.kick, at + T, four_at(four.kick, at + T) + t + same(work.moving[n].r).cross(f))


@helper
def outward(tree, work, four, piece):
    """From the root to the ends: how velocities change."""
    zero = splat(0.0)
    for n in range(piece.link, piece.link_last):
        link = tree.link[n]
        v, w = Vec3(zero, zero, zero), Vec3(zero, zero, zero)
        if link.parent != NONE:
            at = OF_LINK * np.int64(link.parent)
            w = four_at(four.kick, at + W)
            v = four_at(four.kick, at + V) + w.cross(same(work.moving[n].r))
        for i in range(link.u, link.last):
            change = zero
            if tree.driven[i] == 0:
                column = work.column[i]
                start = pack_at(four.rest, i) if four.on[n] == 1 else zero
                change = (start - same(column.f) @ v - same(column.n) @ w) * splat(column.inv)
                v, w = v + same(column.v) * change, w + same(column.w) * change
            put_pack(four.z, i, change)
        put_four(four.kick, OF_LINK * n + V, v)
        put_four(four.kick, OF_LINK * n + W, w)
