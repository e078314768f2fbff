"""Packs: four numbers that go through the same computation side by side, in one register of the processor.

Operators and the functions below work number by number. A Vec3 of packs is four vectors; its operators and
``cross`` work as they are:

>>> n = Vec3(splat(0.0), splat(0.0), Pack(1.0, 2.0, 3.0, 4.0))
>>> (n @ n).d
16.0

Compiled code holds a pack in one vector register. It gives the same bits as plain Python on any machine, since each
number is computed by itself with the same operations in the same order; a machine with narrower registers takes more of
them. Arrays of packs have four columns, a pack a row.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from gelenk.compile import compile_packs
from gelenk.math.vec3 import Vec3

LANES = 4


class Pack(NamedTuple):
    """Four numbers."""

    a: float
    b: float
    c: float
    d: float

    def __add__(x, y):
        """Sums."""
        return Pack(x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d)

    def __sub__(x, y):
        """Differences."""
        return Pack(x.a - y.a, x.b - y.b, x.c - y.c, x.d - y.d)

    def __mul__(x, y):
        """Products."""
        return Pack(x.a * y.a, x.b * y.b, x.c * y.c, x.d * y.d)

    def __truediv__(x, y):
        """Quotients; none of y may be 0."""
        return Pack(x.a / y.a, x.b / y.b, x.c / y.c, x.d / y.d)

    def __neg__(x):
        """Opposites."""
        return Pack(-x.a, -x.b, -x.c, -x.d)


def splat(s):
    """One number four times."""
    return Pack(s, s, s, s)


def larger(x, y):
    """The larger ones; y where they are equal."""
    return Pack(*(p if p > q else q for p, q in zip(x, y)))


def where_less(x, y, p, q):
    """P where x < y, else q."""
    return Pack(*(r if m < n else s for m, n, r, s in zip(x, y, p, q)))


def root(x):
    """Square roots; no x may be below 0."""
    return Pack(*(math.sqrt(p) for p in x))


def top_of(x):
    """The largest of four."""
    return max(max(x.a, x.b), max(x.c, x.d))


def sum_of(x):
    """Sum of four:  (a + b) + (c + d)."""
    return (x.a + x.b) + (x.c + x.d)


def pack_at(array, i):
    """Row i of an array with four columns."""
    return Pack(*(float(x) for x in array[i]))


def put_pack(array, i, x):
    """Store a pack in row i of an array with four columns."""
    array[i] = x


def fetch_row(array, i):
    """Row i of four columns, or record i, will be needed soon: have it brought near.

    Nothing else happens, also where there is no such row.
    """


def rows_at(array, rows, i, j, k):
    """Four packs: columns k to k + 3 of the four rows that  rows[i, j], ... rows[i, j + 3]  name."""
    block = [[float(x) for x in array[rows[i, j + m], k : k + LANES]] for m in range(LANES)]
    w, x, y, z = (Pack(*column) for column in zip(*block))
    return w, x, y, z


def put_rows(array, rows, i, j, k, w, x, y, z):
    """Store four packs where :func:`rows_at` takes them from, the last row last."""
    for m, values in enumerate(zip(w, x, y, z)):
        array[rows[i, j + m], k : k + LANES] = values


compile_packs(Pack, splat, larger, where_less, root, top_of, sum_of, pack_at, put_pack, fetch_row, rows_at, put_rows)

__all__ = ["LANES", "Pack", "Vec3", "fetch_row", "larger", "pack_at", "put_pack", "put_rows", "root", "rows_at"]
__all__ += ["splat", "sum_of", "top_of", "where_less"]
