"""Convex solids in and through closed meshes: points on both, and ways that part them (V-20, I-092, I-093).

What is promised of a contact with depth, however deep the overlap:

- the point on the mesh lies on its surface, or, where several directions push, as behind an inward edge, inside of it;
- the point on the solid lies on its surface;
- from the one to the other it is the distance along the normal, from the first to the second body;
- moved by the deepest point, or else by the shortest move that undoes all of them, the two overlap no more.

Points are a choice of those found. So in a rock with many directions, one pair of some thousands may keep a part of its
overlap.
"""

from __future__ import annotations

import numpy as np
import pytest
from closed_samples import ball_mesh
from surface_samples import ball, box, mesh, surface, touch_surface
from table_samples import MUCH
from through_samples import (
    NAMES,
    SIZES,
    closed_meshes,
    creased_meshes,
    find,
    in_creases,
    kerb,
    left,
    moved,
    off,
    swapped,
    through,
    undo,
    undone,
)

from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, SPHERE
from gelenk.collision.surface_work import LEFT_OUT
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.compile import ENABLED

MESHES = list(closed_meshes())
CREASED = list(creased_meshes())
KINDS = pytest.mark.parametrize("kind", SIZES, ids=[NAMES[k] for k in SIZES])
ON_MESH = 1e-9  # [m], sizes are about 1 m
ON_SOLID = {CONE: 1e-5, CYLINDER: 1e-5, ELLIPSOID: 1e-7}  # [m], else as of the mesh
KEPT = 1e-3  # share of pairs that may keep some overlap
IN_CREASES = 0.01  # share of pairs in creases that may keep some, or be moved more than LONGER times the known way
LONGER = 1.5
PARTED = 1e-6  # [m], what depths of curved solids are known to


def check_points(pairs, found):
    points, owner = found.all
    kind = int(pairs["kind"][0, 1])
    to_mesh, inside, to_solid = off(pairs, points, owner)
    assert to_mesh[~inside].max(initial=0.0) < ON_MESH
    deep = points.d < 0
    assert np.abs(to_solid[deep]).max() < ON_SOLID.get(kind, ON_MESH)
    way = pairs["r"][owner] + points.b - points.a - points.d[:, None] * points.n
    assert np.abs(way).max() < 1e-14
    assert np.abs(np.linalg.norm(points.n, axis=1) - 1).max() < 1e-14
    # one direction: on the surface itself
    first = found.out.n[:, 0][owner]
    turned = np.bincount(owner[deep], np.einsum("ij,ij->i", points.n, first)[deep] < 0.999, len(pairs)) > 0
    assert to_mesh[deep & ~turned[owner]].max(initial=0.0) < ON_MESH


def check_parted(pairs, found):
    """By the deepest point, or by all together."""
    best = found.deepest
    moved = pairs.copy()
    moved["r"] -= (best.d - PARTED)[:, None] * best.n
    d, inside = left(moved)
    stays = np.flatnonzero((d < -PARTED) | inside)
    for k in stays:
        points = found.out[k, : found.counts[k]]
        points = points[points.d < 0]
        move = undone(points.n, -points.d)
        moved["r"][k] = pairs["r"][k] + move * (1 + PARTED / np.linalg.norm(move))
    if len(stays):
        d, inside = left(moved[stays])
        kept = inside | (d < -2 * PARTED)
        assert kept.sum() <= len(pairs) * KEPT
        assert (d > 0.2 * best.d[stays]).all()


def check(rng, count, kind, name):
    pairs = through(rng, count, MESHES.index(name), kind)
    found = find(pairs, 1e-3)
    assert (found.deepest.d < 0).all()
    check_points(pairs, found)
    check_parted(pairs, found)
    # the mesh second: the same, seen from the other side
    other = find(swapped(pairs), 1e-3)
    np.testing.assert_array_equal(found.counts, other.counts)
    (p, _), (q, _) = found.all, other.all
    for mine, its in ((p.a, q.b), (p.b, q.a), (p.n, -q.n), (p.d, q.d)):
        np.testing.assert_array_equal(mine, its)


@KINDS
@pytest.mark.parametrize("name", MESHES)
def test_points_lie_on_both_and_ways_part(kind, name):
    check(np.random.default_rng((kind, MESHES.index(name), 1)), 40 if ENABLED else 2, kind, name)


@pytest.mark.proof
@KINDS
@pytest.mark.parametrize("name", MESHES)
def test_points_of_many_lie_on_both_and_ways_part(kind, name):
    check(np.random.default_rng((kind, MESHES.index(name), 2)), MUCH // 50, kind, name)


def crease_pairs(kind, name, count, seed):
    """Pairs in creases of a mesh, the push that brought them there, and moves that undo what is found."""
    index = CREASED.index(name)
    rng = np.random.default_rng((kind, index, seed))
    pairs, push = in_creases(rng, count, index, kind, name in ("kerb", "stairs", "hollow"))
    found = find(pairs, 1e-3) if len(pairs) else None
    return pairs, push, np.array([undo(found, k) for k in range(len(pairs))]).reshape(-1, 3)


def check_creases(kind, count, seed):
    """Moves part, and are about as short as the way back, which is a move that parts but not always the shortest.

    Three things are left. Points are a choice of those found, so a direction may be missing. Where a move ends in a
    facet beside which the plane of that facet lies outside the mesh, there is no point to push it away. And a finding
    pushes along the normal of its facet alone, so a thin hull that would leave past an end of the facet goes farther.
    """
    total, stays, longer = 0, [], []
    for name in ("kerb", "stairs", "hollow", "channel", "angle", "ring", "rock"):
        pairs, push, move = crease_pairs(kind, name, count, seed)
        if len(pairs):
            length, known = np.linalg.norm(move, axis=1), np.linalg.norm(push, axis=1) + 2 * PARTED
            d, inside = left(moved(pairs, move * (1 + PARTED / np.maximum(length, PARTED))[:, None]))
            rest = np.where(inside & (d >= 0), length, -d)  # inside as a whole, or how deep
            total += len(pairs)
            stays += [(name, r, k) for r, k in zip(rest, known, strict=True) if r > 2 * PARTED]
            longer += [(name, m, k) for m, k in zip(length, known, strict=True) if m > LONGER * k]
    allowed = int(IN_CREASES * total) + 1
    assert len(stays) <= allowed, stays
    assert len(longer) <= allowed, longer
    assert all(rest < 0.5 * known for _, rest, known in stays), stays


CREASE_KINDS = pytest.mark.parametrize("kind", [BOX, HULL, SPHERE, CAPSULE], ids=["box", "hull", "sphere", "capsule"])


@CREASE_KINDS
def test_moves_out_of_creases_part_and_are_short(kind):
    check_creases(kind, 50 if ENABLED else 1, 1)


@pytest.mark.proof
@CREASE_KINDS
def test_moves_out_of_many_creases_part_and_are_short(kind):
    check_creases(kind, MUCH // 125, 2)


def frame():
    """A frame of square section around a square hole: 1 m half width outside, 0.5 m inside, 0.2 m half height."""
    x = np.array([-1.0, -0.5, 0.5, 1.0])
    points = np.array([(x[i], x[j], z) for z in (-0.2, 0.2) for i in range(4) for j in range(4)])
    cells = [(i, j) for i in range(3) for j in range(3) if (i, j) != (1, 1)]
    faces = []
    for i, j in cells:
        around = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
        low = [4 * a + b for a, b in around]
        top = [k + 16 for k in low]
        squares = [top, low[::-1]]
        for k, beside in enumerate(((i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j))):
            if beside not in cells:
                squares.append([low[k], low[(k + 1) % 4], top[(k + 1) % 4], top[k]])
        faces += [f for a, b, c, d in squares for f in ((a, b, c), (a, c, d))]
    return mesh(points, faces)


@pytest.mark.parametrize("room", [160, 256, 512])
def test_depths_do_not_depend_on_the_scratch(room):
    """I-093: the list of triangles along a way is as long as the mesh, whatever room there is for those near."""
    tables = new_tables([], [ball_mesh(3000 if ENABLED else 200, 0.6)])
    place, B = np.array([0.21121441, -0.06431317, -0.17442847]), ball(0.2564)
    enough = new_narrow_work(tables, 10000)
    deep = touch_surface(surface(), B, place, 1e-3, tables, enough).d.min()
    assert enough.surface.counts[LEFT_OUT] == 0
    work = new_narrow_work(tables, room)
    points = touch_surface(surface(), B, place, 1e-3, tables, work)
    assert work.surface.counts[LEFT_OUT] == 0
    assert points.d.min() == deep
    # without that list it says so
    short = work._replace(surface=work.surface._replace(found_b=np.zeros(room, np.uint32)))
    points = touch_surface(surface(), B, place, 1e-3, tables, short)
    assert short.surface.counts[LEFT_OUT] > 0 or points.d.min() == deep


def test_findings_without_room_say_so():
    """I-093: a wavy plate has more findings than triangles near a ball, over faces, sides and corners."""
    x = np.linspace(-1, 1, 9)
    top = np.array([(a, b, 0.02 * (-1) ** (i + j)) for i, a in enumerate(x) for j, b in enumerate(x)])
    first = [9 * i + j for i in range(8) for j in range(8)]
    faces = [f for k in first for f in ((k, k + 9, k + 10), (k, k + 10, k + 1))]
    tables = new_tables([], [mesh(top, faces)])
    place, B = np.array([0.0, 0.0, 0.24]), box((0.5, 0.5, 0.25))
    enough = new_narrow_work(tables, 10000)
    points = touch_surface(surface(), B, place, 0.1, tables, enough)
    assert enough.surface.counts[0] > 64
    for room in range(8, 100):
        work = new_narrow_work(tables, room)
        mine = touch_surface(surface(), B, place, 0.1, tables, work)
        if work.surface.counts[LEFT_OUT] == 0:
            assert len(mine) == len(points)
            np.testing.assert_array_equal(mine.d, points.d)
            np.testing.assert_array_equal(mine.a, points.a)


@pytest.mark.parametrize("deep", [1e-5, 5e-4, 2e-3, 1e-2, 5e-2])
def test_a_box_between_floor_and_kerb_is_pushed_by_both(deep):
    """V-20: together they lead out by deep sqrt(2), while over the kerb alone it is 0.1 m and more."""
    tables = new_tables([], [kerb(0.1)])
    assert tables.meshes.mesh[0].closed
    points = touch_surface(surface(), box((0.5, 0.5, 0.5)), (0.5 + deep, 0.0, 0.5 - deep), 1e-3, tables)
    np.testing.assert_allclose(points.d, -deep, rtol=1e-9)
    up, back = (np.abs(points.n - n).max(1) < 1e-12 for n in ((0, 0, 1), (-1, 0, 0)))
    assert up.any()
    assert back.any()
    assert (up | back).all()


@pytest.mark.parametrize(("z", "up"), [(0.05, 1.0), (0.0, None), (-0.1, -1.0)])
def test_a_ball_in_a_hole_touches_the_rim_where_it_comes_out(z, up):
    """V-20: along its axis a ball of radius r leaves a hole of half width w with its middle sqrt(r^2 - w^2) above it.

    There it touches the middle of an edge of the rim; the hull around the frame it leaves over the hole.
    """
    tables = new_tables([], [frame()])
    assert tables.meshes.mesh[0].closed
    (point,) = touch_surface(surface(), ball(0.7), (0.0, 0.0, z), 1e-3, tables)
    up = up or np.sign(point.n[2])  # in the middle both ways are as short
    np.testing.assert_allclose(point.n, (0, 0, up), atol=1e-12)
    assert abs(point.d + np.sqrt(0.7**2 - 0.5**2) + 0.2 - up * z) < 1e-10
    np.testing.assert_allclose(np.sort(np.abs(point.a)), (0, 0.2, 0.5), atol=1e-10)
    assert abs(np.linalg.norm(point.b) - 0.7) < 1e-10
