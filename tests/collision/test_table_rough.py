"""Rows of trees of balls and of maps of distances: signs and distances within their resolution (V-22, V-26, V-28).

A tree is as far as the nearest of its last balls, which is checked to round-off. These balls hold the body, and none of
their points is farther from it than the diagonal of a cell: so a tree is never farther than its body, and never nearer
by more than that.

A map is told by its test points, no place of its surface being farther than SPACED cells from one, and by points of the
other solid put to the map, which is nowhere wrong by more than WRONG cells. Every point of the one solid is at least as
far from the other as the solids are; in an overlap of depth D none is deeper than D, since moved by D they are apart.
So with cells of edge h, apart and overlapping,

    d_map >= d - WRONG h,     and apart     d_map <= d + (SPACED + WRONG) h
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from rough_reference import balls_on_surface, chosen, corners_in_surface, places, points_in_box
from table_parts import MAP_BOX, by_parts, find_wholes, random_wholes, samples
from table_samples import APART, CONVEX, MUCH, named, swapped

from gelenk.collision.map_table import WRONG
from gelenk.collision.pair_table import SEARCHED
from gelenk.collision.solid import BALLS, CONE, ELLIPSOID, FIELD, HULL, MAP, MESH, SPHERE, TRIANGLE

pytestmark = pytest.mark.proof

TREES = [row for row in SEARCHED if row[0] == BALLS]
MAPS = [row for row in SEARCHED if row[0] == MAP]
SPACED = 1.01  # cells from any place of a surface to a test point, at most
SURE = 2.0  # cells: from this depth on no overlap is missed, of solids two cells thick; what tapers is four cells thick
HALF = 0.5 * np.array(MAP_BOX)
CORNERS = np.array(list(itertools.product((-1.0, 1.0), repeat=3))) * HALF
BOX_HULL, BUMPY = 3, 1  # hull that is the box of the first map; mesh of the second map and of the first tree


def each(rows):
    return pytest.mark.parametrize("kinds", rows, ids=[named(row) for row in rows])


def everything(pairs):
    """Signed distances, however far."""
    return find_wholes(pairs, np.full(len(pairs), np.inf)).deepest.d


def as_mesh(pairs):
    """The same pairs with mesh BUMPY for the first solid."""
    pairs = pairs.copy()
    pairs["kind"][:, 0], pairs["table"][:, 0] = MESH, BUMPY
    return pairs


# --- trees -----------------------------------------------------------------------------------------------------------


def check_nearest_ball(kinds, pairs, L, d):
    """That of the nearest ball; of maps, which are a mean of exact distances, within what these are wrong by."""
    if kinds[1] in (MESH, FIELD):
        np.testing.assert_array_less(np.abs(d - balls_on_surface(pairs)), APART * L)
    elif kinds[1] == MAP:
        for table in range(2):
            rows = chosen(pairs[pairs["table"][:, 1] == 0], table, 0)
            some = np.flatnonzero(pairs["table"][:, 1] == 0)[rows]
            ball = places(BALLS, table)
            exact = (points_in_box(pairs[some], 0, ball[:, :3], HALF) - ball[:, 3]).min(axis=1)
            assert (np.abs(d[some] - exact) <= WRONG * cell(0) + APART * L[some]).all()
    else:
        np.testing.assert_array_less(np.abs(d - by_parts(pairs)[0]), APART * L)


def check_body(pairs, L, d):
    """Trees of the bumpy mesh beside that mesh: never farther, never nearer by more than the diagonal of a cell."""
    some = chosen(pairs, 0, 0)
    body = as_mesh(pairs[some])
    exact, inside = by_parts(body)
    apart = (exact > APART * L[some]) & ~inside
    diagonal = 3.0**0.5 * tree_cell()
    assert (d[some] <= exact + APART * L[some])[apart].all()
    assert (d[some] >= exact - diagonal - APART * L[some])[apart].all()
    assert (d[some] < 0.0)[exact < -APART * L[some]].all()
    assert (d[some] < 0.0)[inside & (exact > APART * L[some])].all()
    assert apart.sum() > 0.02 * len(some)


def tree_cell():
    """Edge of the cells of the first tree, by the extent of its mesh and its two levels; cubes are 0.2 % larger."""
    record = samples().tables.meshes.mesh[BUMPY]
    return 1.002 * (record["high"] - record["low"]).max() / 4


@each(TREES)
def test_no_wrong_sign_in_many_pairs_of_trees(kinds):
    for k in range(10):
        pairs, L = random_wholes(np.random.default_rng((*kinds, 440 + k)), MUCH // 10, kinds)
        d = everything(pairs)
        assert (d < 0).sum() > 0.02 * len(pairs)
        check_nearest_ball(kinds, pairs, L, d)
        if kinds[1] in CONVEX:
            check_body(pairs, L, d)


# --- maps ------------------------------------------------------------------------------------------------------------


def cell(table):
    """Edge of the cells of a map."""
    return samples().tables.maps.map["cell"][table]


def map_pairs(kinds, seed, count, table):
    """Pairs with one of the maps; solids are at least two cells thick."""
    pairs, L = random_wholes(np.random.default_rng((*kinds, seed)), count, kinds)
    pairs["table"][:, 0] = table
    if kinds[1] == MAP:
        pairs["table"][:, 1] = 0
    if kinds[1] in CONVEX:
        taper = kinds[1] in (CONE, ELLIPSOID)
        pairs["size"][:, 1] = np.maximum(pairs["size"][:, 1], (2.0 if taper else 1.0) * cell(table))
    return pairs, L


def true_distance(kinds, pairs, table):
    """Signed distance of the bodies, to which depths of convex ones belong; else minus infinity where they overlap.

    Of a pair of surfaces that do not cut each other one may hold the other: then a corner of it tells.
    """
    box = pairs.copy()
    box["kind"][:, 0], box["table"][:, 0] = HULL, BOX_HULL
    if kinds[1] == MAP:
        box["kind"][:, 1], box["table"][:, 1] = HULL, BOX_HULL
    if table == 0 and kinds[1] not in (MESH, FIELD):
        return everything(box)
    if table == 0:
        d, inside = by_parts(swapped(box))
        if kinds[1] == MESH:
            for number in range(3):
                rows = chosen(pairs, number, 1)
                inside[rows] |= (points_in_box(pairs[rows], 1, places(MESH, number), HALF) < 0.0).any(axis=1)
    else:
        body = as_mesh(pairs)
        if kinds[1] == MAP:
            body["kind"][:, 1], body["table"][:, 1] = HULL, BOX_HULL
        d, inside = by_parts(body if kinds[1] != FIELD else swapped(body))
        if kinds[1] == MESH:
            inside |= by_parts(swapped(body))[1]
        elif kinds[1] in CONVEX or kinds[1] == MAP:
            inside |= corners_in_convex(pairs, places(MESH, BUMPY)) < 0.0
    return np.where(inside | (d < 0.0), -np.inf, d)


def corners_in_convex(pairs, corners):
    """Least signed distance of corners of A from a convex solid B, by balls without radius."""
    point, least = pairs.copy(), np.full(len(pairs), np.inf)
    point["kind"][:, 0], point["table"][:, 0], point["size"][:, 0] = SPHERE, 0, 0.0
    if pairs["kind"][0, 1] == MAP:
        point["kind"][:, 1], point["table"][:, 1] = HULL, BOX_HULL
    for corner in corners:
        point["r"] = pairs["r"] - pairs["R"][:, 0] @ corner
        least = np.minimum(least, everything(point))
    return least


def check_map(kinds, seed, count, table):
    """Signs and distances of one of the maps."""
    pairs, L = map_pairs(kinds, seed, count, table)
    d, of_map, h = true_distance(kinds, pairs, table), everything(pairs), cell(table)
    slack = APART * L
    assert (of_map >= d - WRONG * h - slack).all()
    apart = d > 0.0
    assert (of_map <= d + (SPACED + WRONG) * h + slack)[apart].all()
    assert apart.sum() > 0.01 * count
    if kinds[1] == TRIANGLE:  # thin: may be missed
        return
    if table == 0 and kinds[1] in (*CONVEX, MAP):
        sure = d < -SURE * h
    else:  # corners are test points: one inside is enough, by more than another map is wrong
        corners = CORNERS if table == 0 else places(MESH, BUMPY)
        deep = corners_in_surface if kinds[1] in (MESH, FIELD) else corners_in_convex
        sure = deep(pairs, corners) < -slack - (WRONG * h if kinds[1] == MAP else 0.0)
    assert (of_map < 0.0)[sure].all()
    assert sure.sum() > 0.01 * count


@each(MAPS)
@pytest.mark.parametrize("table", [0, 1], ids=["box", "bumpy"])
def test_no_wrong_sign_in_many_pairs_of_maps(kinds, table):
    for k in range(5):
        check_map(kinds, 450 + k, MUCH // 10, table)
