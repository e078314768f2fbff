"""Packs: four numbers side by side, compiled and in plain Python with the same bits."""

import numpy as np

from gelenk.compile import kernel
from gelenk.math.pack import (
    LANES,
    Pack,
    fetch_row,
    larger,
    pack_at,
    put_pack,
    put_rows,
    root,
    rows_at,
    splat,
    sum_of,
    top_of,
    where_less,
)
from gelenk.math.vec3 import Vec3


def everything(body, number, rows, out, ends):
    """Every operation once, from bodies through vectors to packs and back."""
    for i in range(rows.shape[0]):
        w, x, y, z = rows_at(body, rows, i, 0, 0)
        a, b, c, d = rows_at(body, rows, i, LANES, LANES)
        u, v = Vec3(w, x, y), Vec3(a, b, c)
        s = u.cross(v) * (u @ v) - -u + v
        q = larger(pack_at(number, i), s.x) / (root(larger(z, -z)) + splat(2.5))
        q = where_less(pack_at(number, i), d, q, -q)
        put_pack(out, i, q)
        ends[i, 0], ends[i, 1] = top_of(q), sum_of(q)
        put_rows(body, rows, i, 0, 0, s.x, s.y, s.z, q)


compiled = kernel(everything)


def test_compiled_packs_have_the_bits_of_python():
    rng = np.random.default_rng(5)
    body, number = rng.normal(size=(40, 2 * LANES)), rng.normal(size=(5, LANES))
    rows = rng.permutation(40).reshape(5, 2 * LANES).astype(np.uint32)
    found = []
    for run in (everything, compiled):
        b, out, ends = body.copy(), np.zeros((5, LANES)), np.zeros((5, 2))
        run(b, number, rows, out, ends)
        found.append((b, out, ends))
    for ours, plain in zip(*found):
        assert ours.tobytes() == plain.tobytes()


def test_operations_go_number_by_number():
    x, y = Pack(1.0, -2.0, 3.0, 0.5), Pack(2.0, 2.0, -4.0, 0.25)
    assert x + y == Pack(3.0, 0.0, -1.0, 0.75)
    assert x - y == Pack(-1.0, -4.0, 7.0, 0.25)
    assert x * y == Pack(2.0, -4.0, -12.0, 0.125)
    assert x / y == Pack(0.5, -1.0, -0.75, 2.0)
    assert -x == Pack(-1.0, 2.0, -3.0, -0.5)
    assert larger(x, y) == Pack(2.0, 2.0, 3.0, 0.5)
    assert where_less(x, y, splat(1.0), splat(0.0)) == Pack(1.0, 1.0, 0.0, 0.0)
    assert root(Pack(4.0, 9.0, 0.0, 1.0)) == Pack(2.0, 3.0, 0.0, 1.0)
    assert (top_of(x), sum_of(x)) == (3.0, 2.5)


def test_rows_of_bodies_become_packs_and_go_back():
    body = np.arange(48.0).reshape(6, 8)
    rows = np.array([[5, 0, 2, 4, 1, 1, 1, 1]], np.uint32)
    w, x, y, z = rows_at(body, rows, 0, 0, 4)
    assert w == Pack(44.0, 4.0, 20.0, 36.0)
    assert z == Pack(47.0, 7.0, 23.0, 39.0)
    copy = body.copy()
    put_rows(copy, rows, 0, 0, 4, w, x, y, z)
    np.testing.assert_array_equal(copy, body)
    put_rows(copy, rows, 0, 0, 4, z, y, x, w)
    np.testing.assert_array_equal(copy[5], [40, 41, 42, 43, 47, 46, 45, 44])
    np.testing.assert_array_equal(copy[[1, 3]], body[[1, 3]])


def bring_near(rows, records, first, last):
    """Rows and records that are there, and some that are not."""
    for i in range(first, last):
        fetch_row(rows, i)
        fetch_row(records, i)


def test_what_is_brought_near_stays_as_it_is_and_need_not_be_there():
    rows = np.random.default_rng(4).normal(size=(3, LANES))
    records = np.zeros(3, [("a", "f8", (40,)), ("b", "u4")]).view(np.recarray)
    records.a[:] = np.arange(40.0)
    rows_before, records_before = rows.copy(), records.copy()
    kernel(bring_near)(rows, records, -100_000, 100_000)
    assert (rows == rows_before).all()
    assert (records == records_before).all()
