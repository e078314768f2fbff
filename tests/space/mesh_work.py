"""Counts the work of a step over a mesh: calls of functions in the code of the kernels, run without compiling.

    GELENK_COMPILE=0 python mesh_work.py visual|physical CELLS...

Prints a line a mesh: triangles, calls in two steps, contacts.
"""

import sys
import warnings

import numpy as np

import gelenk as gk

CELL = 0.1  # edges of the triangles [m]


def ground(cells):
    """A closed slab with a wavy top, of so many cells along each side: 4 cells^2 triangles of one size."""
    n = cells + 1
    line = CELL * (np.arange(n) - 0.5 * cells)
    x, y = np.meshgrid(line, line, indexing="ij")
    top = np.arange(n * n).reshape(n, n)
    below = top.copy()
    below[1:-1, 1:-1] = n * n + np.arange((n - 2) ** 2).reshape(n - 2, n - 2)
    points = np.stack([x, y, 0.02 * np.sin(7 * x) * np.cos(5 * y)], axis=-1)
    low = points[1:-1, 1:-1].copy()
    low[..., 2] = -0.5

    def faces(k):
        a, b, c, d = (part.ravel() for part in (k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]))
        return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])

    vertices = np.concatenate([points.reshape(-1, 3), low.reshape(-1, 3)])
    return gk.TriangleMesh(vertices, np.concatenate([faces(top), faces(below)[:, ::-1]]))


def work(mesh, physical):
    """Calls in two steps of a box and a ball that lie on the mesh, or on a plane if it is only seen; and contacts."""
    b = gk.Builder()
    b.body("ground", shape=gk.Part(mesh, collide=physical, weighs=False), static=True)
    if not physical:
        b.body("floor", shape=gk.Plane(), static=True)
    b.body("box", shape=gk.Box((0.5, 0.4, 0.3)), at=(0.01, 0.02, 0.15 + 0.018 * physical), density=500)
    b.body("ball", shape=gk.Sphere(0.2), at=(1.01, 0.02, 0.2 + 0.01 * physical), density=500)
    sim = gk.Simulation(b.build(), gk.RowStepping(h=2e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they begin a little inside the waves
        sim.step(3)
    calls = [0]

    def count(frame, event, argument):
        calls[0] += event == "call"

    sys.setprofile(count)
    sim.step(2)
    sys.setprofile(None)
    return calls[0], len(sim.contacts)


if __name__ == "__main__":
    for size in sys.argv[2:]:
        mesh = ground(int(size))
        print(len(mesh.faces), *work(mesh, sys.argv[1] == "physical"), flush=True)
