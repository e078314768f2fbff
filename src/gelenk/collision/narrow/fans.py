"""Which candidates of a surface share a corner: found by its number in a few looks, however many candidates there are.

Buckets are rows (key, first, looked): keys are numbers of corners with the mark of the present use above them, so that
rows of earlier uses count as empty and nothing need be cleared. ``first`` is a place 3 row + k, corner k of a
candidate; ``after`` leads from there to the next place with the same corner. A key that finds its row taken goes to the
next one (D. E. Knuth, The Art of Computer Programming 3, section 6.4: open addressing, multiplicative hashing).
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.surface import surface_face, surface_vertices
from gelenk.collision.surface_work import LEFT_OUT, LISTED
from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3

END = -1  # after the last one
GOLDEN = 2654435769  # 2^32 over the golden ratio: spreads keys that follow each other
KEYS = 1 << 32
MARKS = 1 << 30  # uses until the buckets are cleared after all


@helper
def begin_buckets(surface, count):
    """Use the buckets for at most ``count`` keys from now on."""
    bits = 4
    while (1 << bits) < 2 * count and (1 << bits) < surface.bucket.shape[0]:
        bits += 1
    surface.counts[2] = bits
    surface.counts[6] += 1
    if surface.counts[6] == MARKS:
        surface.counts[6] = 1
        for i in range(surface.bucket.shape[0]):
            surface.bucket[i, 0] = 0


@helper
def bucket_of(surface, number):
    """Row of a key below 2^31; a new one is written down, with nothing in it."""
    key = surface.counts[6] * KEYS + number
    bits = surface.counts[2]
    at = ((number * GOLDEN) % KEYS) >> (32 - bits)
    while True:
        row = surface.bucket[at]
        if row[0] == key:
            return at
        if row[0] // KEYS != surface.counts[6]:
            row[0], row[1], row[2] = key, END, 0
            return at
        at = at + 1 if at + 1 < (1 << bits) else 0


@helper
def known_bucket(surface, number):
    """Row of a key, or -1."""
    key = surface.counts[6] * KEYS + number
    bits = surface.counts[2]
    at = ((number * GOLDEN) % KEYS) >> (32 - bits)
    while surface.bucket[at, 0] // KEYS == surface.counts[6]:
        if surface.bucket[at, 0] == key:
            return at
        at = at + 1 if at + 1 < (1 << bits) else 0
    return np.int64(-1)


@helper
def put_facet(F, row, surface):
    """Corners and normal of a candidate."""
    c, n = surface.corners[row], surface.outward[row]
    c[0], c[1], c[2], c[3], c[4], c[5] = F.p.x, F.p.y, F.p.z, F.q.x, F.q.y, F.q.z
    c[6], c[7], c[8] = F.s.x, F.s.y, F.s.z
    n[0], n[1], n[2] = F.n.x, F.n.y, F.n.z


@routine
def row_of(A, tables, surface, t):
    """Row of a triangle among the candidates once they are loaded; what is none yet becomes one, without its fans."""
    count = surface.counts[LISTED]
    for i in range(count):
        if surface.found[i] == t:
            return np.int64(i)
    if count == surface.found.shape[0]:
        surface.counts[LEFT_OUT] += 1
        return np.int64(0)
    surface.found[count] = t
    put_facet(surface_face(A, tables, t), count, surface)
    surface.counts[LISTED] = count + 1
    return np.int64(count)


@routine
def load_facets(A, tables, surface, count):
    """Corners, normals and fans of the candidates, once they are needed."""
    if surface.counts[4]:
        return
    surface.counts[4] = 1
    begin_buckets(surface, 3 * count)
    for i in range(count):
        t = np.int64(surface.found[i])
        put_facet(surface_face(A, tables, t), i, surface)
        a, b, s = surface_vertices(A, tables, t)
        put_in_fan(surface, i, 0, a)
        put_in_fan(surface, i, 1, b)
        put_in_fan(surface, i, 2, s)


@helper
def put_in_fan(surface, row, k, number):
    """Corner k of a candidate joins those with the same number."""
    place = 3 * row + k
    bucket = surface.bucket[bucket_of(surface, number)]
    surface.vertex[row, k] = number
    surface.after[place], bucket[1] = bucket[1], place


@helper
def fan_of(surface, row, k):
    """First place of the fan around corner k of a candidate."""
    return surface.bucket[bucket_of(surface, np.int64(surface.vertex[row, k])), 1]


@helper
def is_new(surface, row, k):
    """Whether a corner was not looked at yet; from now on it was."""
    bucket = surface.bucket[bucket_of(surface, np.int64(surface.vertex[row, k]))]
    new = bucket[2] == 0
    bucket[2] = 1
    return new


@helper
def beyond_side(surface, row, k):
    """Another candidate with side k of a candidate, or END."""
    number = surface.vertex[row, (k + 1) % 3]
    place = fan_of(surface, row, k)
    while place != END:
        other = place // 3
        v = surface.vertex[other]
        if other != row and (v[0] == number or v[1] == number or v[2] == number):
            return other
        place = surface.after[place]
    return np.int64(END)


@helper
def candidate_corner(surface, row, k):
    """Corner k of a candidate."""
    c = surface.corners[row]
    return Vec3(c[3 * k], c[3 * k + 1], c[3 * k + 2])


@routine
def stands_out(surface, row, k, m, lean):
    """Whether along m no triangle at a corner rises above it, and m is on the outer side of one of them."""
    outside = False
    place = fan_of(surface, row, k)
    while place != END:
        i, j = place // 3, place % 3
        x = candidate_corner(surface, i, j)
        e = candidate_corner(surface, i, (j + 1) % 3) - x
        f = candidate_corner(surface, i, (j + 2) % 3) - x
        if m @ e > lean * e.norm() or m @ f > lean * f.norm():
            return False
        n = surface.outward[i]
        outside = outside or m @ Vec3(n[0], n[1], n[2]) >= -lean
        place = surface.after[place]
    return outside
