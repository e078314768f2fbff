"""Pairs of shapes for `gelenk bench collide`: how they lie to each other, and how they move from call to call.

A state says how near they are, in shares of the size, which is about 1 m:

    apart     a gap of 10 %, five times the margin: the answer is "nothing"
    near      a gap of 1 %, within the margin of 2 %
    overlap   a depth of up to 2 %
    flat      faces on each other, 0.2 % deep: the whole region of contact is found

B drifts by 0.05 % of the size and turns by 0.5 mrad from frame to frame, some frames forth and back, as bodies move in
the steps of a simulation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.bench.engine import rotations, turned
from gelenk.collision.pair_batch import PairSet, find_references
from gelenk.collision.pair_table import EXACT, SEARCHED, fill_rows
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, PLANE, SPHERE, TRIANGLE
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work, new_tables
from gelenk.geometry.hull import ConvexHull

SEED = 4
NAMES = {
    SPHERE: "sphere",
    BOX: "box",
    CAPSULE: "capsule",
    CYLINDER: "cylinder",
    CONE: "cone",
    ELLIPSOID: "ellipsoid",
    HULL: "hull",
    TRIANGLE: "triangle",
    PLANE: "plane",
}
CASES = tuple(pair for pair in (*EXACT, *SEARCHED) if max(pair) <= PLANE)
STATES = {"apart": 0.1, "near": 0.01, "overlap": -0.02}  # signed distance [m]
FLAT = "flat"
FLAT_CASES = tuple(pair for pair in CASES if set(pair) <= {BOX, CYLINDER, PLANE})
MARGIN = 0.02  # [m]
DRIFT = 5e-4  # [m] and [rad] a frame
FRAMES = 8
ORDER = np.array([*range(FRAMES), *range(FRAMES - 2, 0, -1)])  # forth and back
HULLS = 8  # different ones


class Reference(NamedTuple):
    """Signed distances of a set, proven as far as they can be by support mappings alone."""

    d: np.ndarray  # (k, n) [m]
    n: np.ndarray  # (k, n, 3) normal from A to B


def cloud_hulls(vertices: int, count: int = HULLS) -> list[ConvexHull]:
    """Hulls of points on ellipsoids: every point is a vertex."""
    found = []
    for i in range(count):
        rng = np.random.default_rng([SEED, vertices, i])
        points = rng.normal(size=(vertices, 3))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        found.append(ConvexHull(points * rng.uniform(0.35, 0.6, 3)))
    return found


def pair_tables(hulls: Sequence[ConvexHull], cases: Sequence[tuple[int, int]], other: str | None = None) -> Tables:
    """Tables with the routines of some pairs."""
    tables = new_tables(hulls)
    fill_rows(tables.rows, cases, other)
    return tables


def pair_set(pair: tuple[int, int], state: str, n: int, tables: Tables, work: NarrowWork | None = None) -> PairSet:
    """The same numbers in every process; the first pairs are the same in any number."""
    work = new_narrow_work(tables) if work is None else work
    rng = np.random.default_rng([SEED, *pair, sorted((*STATES, FLAT)).index(state)])
    size, R, hull, way, drift, spin = _draw(rng, pair, n, len(tables.hulls.hull))
    r = np.zeros((n, 3))
    if state == FLAT:
        R[:, 1] = R[:, 0] @ rotations(np.column_stack((np.ones(n), 1e-4 * way[:, :2], way[:, 2])))
        top = np.where(np.array(pair) == PLANE, 0.0, size[:, :, 2])
        r[:, :2], r[:, 2] = 0.2 * drift[:, :2], top.sum(axis=1) - 0.002
        r = turned(R[:, 0], r)
    else:
        r = 3.0 * way
    still = PairSet(np.array(pair), hull, size, R[:, 0].copy(), R[None, :, 1].copy(), r[None].copy())
    if state != FLAT:
        found = reference(still, tables, work)
        r = r - found.n[0] * (found.d[0] - STATES[state])[:, None]
    k = np.arange(FRAMES)[:, None, None] - 0.5 * (FRAMES - 1)
    half = np.concatenate((np.ones((FRAMES, n, 1)), 0.5 * DRIFT * k * spin), axis=2)
    turn = rotations(half.reshape(-1, 4)).reshape(FRAMES, n, 3, 3)
    return still._replace(R_B=np.ascontiguousarray(turn @ R[None, :, 1]), r=np.ascontiguousarray(r + DRIFT * k * drift))


def _draw(rng: np.random.Generator, pair: tuple[int, int], n: int, hulls: int) -> tuple[np.ndarray, ...]:
    """Sizes, attitudes, which hulls, directions; corners of triangles are columns of their R."""
    size, R, hull = np.zeros((n, 2, 3)), np.zeros((n, 2, 3, 3)), np.zeros((n, 2), np.int64)
    units = np.zeros((3, n, 3))
    for i in range(n):
        size[i] = rng.uniform(0.3, 0.6, (2, 3))
        R[i] = rotations(rng.normal(size=(2, 4)))
        hull[i] = rng.integers(max(hulls, 1), size=2)
        corners = rng.uniform(0.5, 1.0, (2, 1, 3)) * np.eye(3)  # one on each axis
        for side in range(2):
            if pair[side] == TRIANGLE:
                R[i, side] = R[i, side] @ corners[side]
        units[:, i] = rng.normal(size=(3, 3))
    for side in range(2):
        if pair[side] != HULL:
            hull[:, side] = 0
    units /= np.linalg.norm(units, axis=2, keepdims=True)
    return size, R, hull, *units


def reference(pairs: PairSet, tables: Tables, work: NarrowWork | None = None) -> Reference:
    """Signed distance along the normal that a search without memory finds:

        d = n . r  +  min over B of n . b  -  max over A of n . a

    from the support mappings in closed form. It is a lower bound for every n; apart, the closest points prove it.
    """
    work = new_narrow_work(tables) if work is None else work
    frames, n = pairs.r.shape[:2]
    found = Reference(np.zeros((frames, n)), np.zeros((frames, n, 3)))
    find_references(pairs, tables, work, found.d, found.n)
    return found
