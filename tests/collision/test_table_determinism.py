"""The same scene of all shapes: the same bits in every process, the same pairs whatever finds and remembers them."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gelenk as gk
from gelenk.compile import ENABLED
from surfaces import surface_of

pytestmark = pytest.mark.proof

DETECTIONS = 50 if ENABLED else 2


def scene():
    """Sixty bodies of all kinds over a plane and hills."""
    rng = np.random.default_rng(51)
    kinds = (
        lambda: gk.Sphere(0.3),
        lambda: gk.Box((0.6, 0.4, 0.5)),
        lambda: gk.Capsule(0.2, 0.6),
        lambda: gk.Cylinder(0.25, 0.5),
        lambda: gk.Cone(0.3, 0.6),
        lambda: gk.Ellipsoid((0.6, 0.5, 0.35)),
        lambda: gk.ConvexHull(rng.normal(size=(12, 3)) * 0.25),
        lambda: surface_of(gk.ConvexHull(rng.normal(size=(8, 3)) * 0.25)),
        lambda: gk.SphereTree(gk.TriangleMesh(*gk.Box((0.5, 0.5, 0.5)).triangles()), levels=2),
    )
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    hills = gk.HeightField(0.1 * rng.random((9, 9)) - 0.05, 0.5)
    b.body("hills", shape=hills, static=True, at=(0.2, 0.1, 0))
    for k in range(60):
        q = gk.unit(rng.normal(size=4))
        b.body(f"b{k}", shape=kinds[k % len(kinds)](), density=500, at=rng.uniform((-1.5, -1.5, 0), 1.5), rotation=q)
    return b.build()


def states(model):
    """Poses of bodies that fall and turn, known in advance."""
    rng = np.random.default_rng(52)
    state = model.initial_state()
    fall, spin = rng.normal(size=state.p_WC.shape) * 0.01, rng.normal(size=state.q_WB.shape) * 0.02
    for _ in range(DETECTIONS):
        yield state
        state.p_WC[3:] += fall[3:] - (0, 0, 0.005)
        q = state.q_WB[3:] + spin[3:]
        state.q_WB[3:] = q / np.linalg.norm(q, axis=1)[:, None]


def fingerprint(**options):
    """Hash of all points of all detections, and the pairs that touch in each."""
    model = scene()
    world, digest, pairs = gk.CollisionWorld(model, margin=0.02, **options), hashlib.sha256(), []
    for state in states(model):
        world.detect(state)
        digest.update(world.points.tobytes())
        pairs.append(sorted((int(p.a), int(p.b)) for p in world.pairs if p.count))
    return digest.hexdigest(), pairs


def test_two_processes_give_the_same_bits():
    code = "import test_table_determinism as t; print(t.fingerprint()[0])"
    here = Path(__file__).parent
    path = os.pathsep.join([str(here), *sys.path])
    runs = [
        subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in (1, 2)
    ]
    assert runs[0] == runs[1] == fingerprint()[0] + "\n"


def test_broad_phases_and_memory_find_the_same_pairs():
    bits, pairs = fingerprint(broad="all pairs")
    assert sum(map(len, pairs)) > 50 * DETECTIONS
    for broad in ("sweep", "tree", "grid"):
        assert fingerprint(broad=broad) == (bits, pairs)
    model = scene()
    for state, expected in zip(states(model), pairs, strict=True):  # a new world each time remembers nothing
        world = gk.CollisionWorld(model, margin=0.02, broad="all pairs").detect(state)
        assert sorted((int(p.a), int(p.b)) for p in world.pairs if p.count) == expected
