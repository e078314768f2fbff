"""Contact problems of whole scenes, taken from a step: what solvers are judged by."""

import functools
import math

import numpy as np
from contact_scenes import boxes, slope
from test_pivoting import car

import gelenk as gk


def wall(rows, width):
    """Bricks in a bond."""
    places = {}
    for k in range(rows):
        for i in range(width):
            places[f"brick{k}_{i}"] = (0.2 * (i + 0.5 * (k % 2)), 0, 0.1 * (k + 0.5))
    b = gk.Builder()
    b.material("m", density=2000, friction=0.6)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for name, at in places.items():
        b.body(name, shape=gk.Box((0.199, 0.1, 0.1)), material="m", at=at)
    return b.build()


def arch(stones=9, inner=0.8, outer=1.0, friction=0.7):
    """Half a ring of wedges between two fixed feet, without mortar."""
    b = gk.Builder()
    b.material("stone", density=2400, friction=friction)
    cut = np.linspace(0.0, math.pi, stones + 1)
    for side in (-1, 1):
        b.body(f"foot{side}", shape=gk.Box((0.4, 0.4, 0.2)), static=True, material="stone", at=(0.9 * side, 0, -0.1))
    for k in range(stones):
        middle = 0.5 * (cut[k] + cut[k + 1])
        centre = 0.5 * (inner + outer) * np.array([math.cos(middle), 0, math.sin(middle)])
        points = [
            np.array([r * math.cos(a), y, r * math.sin(a)]) - centre
            for r in (inner, outer)
            for a in cut[k : k + 2]
            for y in (-0.1, 0.1)
        ]
        b.body(f"stone{k}", shape=gk.ConvexHull(np.array(points)), material="stone", at=tuple(centre))
    return b.build()


def heap(count, seed=5):
    """Boxes that fall on each other in a corner of the world."""
    rng = np.random.default_rng(seed)
    b = gk.Builder()
    b.material("m", friction=0.5)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(count):
        at = (*(0.12 * rng.uniform(-1, 1, 2)), 0.1 + 0.11 * k)
        q = rng.normal(size=4)
        size = tuple(rng.uniform(0.06, 0.12, 3))
        b.body(f"box{k}", shape=gk.Box(size), material="m", at=at, rotation=tuple(q / np.linalg.norm(q)))
    return b.build()


def tower(n):
    return boxes({f"box{k}": (0, 0, 0.1 * (k + 0.5)) for k in range(n)})


SCENES = {  # model, time of the step [s]
    "slope": (lambda: slope(0.5, 0.3, velocity=(0.1, 0.2, 0)), 0.01),
    "tower": (lambda: tower(8), 0.02),
    "wall": (lambda: wall(3, 2), 0.02),
    "arch": (arch, 0.02),
    "car": (lambda: car(0.5), 0.05),
    "heap": (lambda: heap(12), 0.5),
    "large wall": (lambda: wall(8, 8), 0.02),
}


@functools.cache
def problem_of(scene):
    """The problem of a step of the scene."""
    make, time = SCENES[scene]
    sim = gk.Simulation(make(), gk.RowStepping(h=2e-3, contact=gk.ContactOptions()))
    sim.advance(time)
    return sim.contact_problem()
