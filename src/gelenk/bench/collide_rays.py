"""Fourth table of `gelenk bench collide`: rays against a bumpy ball of many triangles.

The baseline is every triangle for every ray in array operations, which is what one writes without a tree, on a few
rays. It shares no code with the tree, and what it finds is the reference.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

from gelenk.bench.collide_records import Record, least, record, result_hash
from gelenk.bench.rounds import Say
from gelenk.collision.mesh_ray import rays_mesh
from gelenk.collision.mesh_table import pack_meshes

TRIANGLES, RAYS, PLAIN_RAYS, ROUNDS = 100_000, 5_000, 24, 60
SEED = 6


def bumpy_ball(triangles: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (v, 3) and faces (t, 3) of a ball of about 1 m with bumps of a tenth: a cube blown up."""
    m = math.ceil((triangles / 12) ** 0.5)
    i, j = (k.ravel() for k in np.meshgrid(np.arange(m), np.arange(m), indexing="ij"))
    square = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
    corners = []
    for axis in range(3):
        for end, turn in ((m, (0, 1, 2, 3)), (0, (3, 2, 1, 0))):
            around = np.empty((m * m, 4, 3), dtype=np.int64)
            around[:, :, axis] = end
            for k, corner in enumerate(turn):
                around[:, k, (axis + 1) % 3], around[:, k, (axis + 2) % 3] = square[corner]
            corners.append(around)
    lattice, index = np.unique(np.concatenate(corners).reshape(-1, 3), axis=0, return_inverse=True)
    loop = index.reshape(-1, 4)
    p = np.tan((lattice / m - 0.5) * (0.5 * np.pi))  # squares of about equal size on the ball
    p /= np.linalg.norm(p, axis=1, keepdims=True)
    p *= (1.0 + 0.1 * np.sin(7.0 * p[:, 0]) * np.cos(5.0 * p[:, 1]) * np.sin(6.0 * p[:, 2] + 1.0))[:, None]
    return p, np.concatenate((loop[:, [0, 1, 2]], loop[:, [0, 2, 3]])).astype(np.uint32)


def rays_towards(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts on a ball of 3 m, unit directions to points of a disc of 1.4 m about the middle: most of them hit."""
    rng = np.random.default_rng(SEED)
    start, aim = rng.normal(size=(2, n, 3))
    start *= 3.0 / np.linalg.norm(start, axis=1, keepdims=True)
    aim *= (1.4 * np.sqrt(rng.random(n)) / np.linalg.norm(aim, axis=1))[:, None]
    way = aim - start
    return start, np.ascontiguousarray(way / np.linalg.norm(way, axis=1, keepdims=True))


def plain_hit(corners: np.ndarray, start: np.ndarray, way: np.ndarray) -> float:
    """Where one ray hits any of (t, 3, 3) corners first: Moeller and Trumbore, J. Graphics Tools 2 (1997)."""
    e, f = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    m = np.cross(way, f)
    det = np.einsum("ti,ti->t", e, m)
    with np.errstate(divide="ignore", invalid="ignore"):
        to = start - corners[:, 0]
        u = np.einsum("ti,ti->t", to, m) / det
        q = np.cross(to, e)
        v, s = q @ way / det, np.einsum("ti,ti->t", q, f) / det
        return float(np.min(s, where=(u >= 0) & (v >= 0) & (u + v <= 1) & (s >= 0), initial=np.inf))


def bench_rays(
    say: Say, triangles: int = TRIANGLES, n: int = RAYS, rounds: int = ROUNDS, plain: int = PLAIN_RAYS
) -> list[Record]:
    """Records of the tree and of the baseline."""
    vertices, faces = bumpy_ball(triangles)
    meshes = pack_meshes([SimpleNamespace(vertices=vertices, faces=faces)])
    start, way = rays_towards(n)
    far, s, normal, t = np.full(n, np.inf), np.zeros(n), np.zeros((n, 3)), np.zeros(n, np.uint32)
    rays_mesh(meshes, 0, start, way, far, s, normal, t)
    us = 1e6 * least(lambda: rays_mesh(meshes, 0, start, way, far, s, normal, t), rounds) / n
    corners = vertices[faces]
    exact = np.array([plain_hit(corners, start[i], way[i]) for i in range(plain)])
    plain_us = 1e6 * least(lambda: plain_hit(corners, start[0], way[0]), 3)
    both = np.isfinite(exact)
    error = float(np.abs(s[:plain][both] - exact[both]).max(initial=0.0))
    wrong = int(np.sum(np.isfinite(s[:plain]) != both))
    hits = float(np.isfinite(s).mean())
    case = f"{len(faces)} triangles"
    say(f"  {case}: {us:.3f} us a ray")
    return [
        record("rays", case, "gelenk", us, error=error, wrong=wrong, hits=hits, hash=result_hash(s)),
        record("rays", case, "numpy", plain_us, error=0.0, wrong=0, hits=float(both.mean()), hash=result_hash(exact)),
    ]


HEADING = ("engine", "triangles", "us/ray", "ratio", "hits", "error", "hash")


def rows(records: list[Record]) -> list[list[str]]:
    """A line for every engine."""
    unit = records[0]["us"]
    return [
        [
            r["engine"],
            r["case"].split()[0],
            f"{r['us']:.3f}",
            f"{r['us'] / unit:.3g}",
            f"{100 * r['hits']:.0f} %",
            "reference"
            if r["engine"] == "numpy"
            else f"{r['error']:.0e}" + (f", {r['wrong']} wrong" if r["wrong"] else ""),
            r["hash"],
        ]
        for r in records
    ]
