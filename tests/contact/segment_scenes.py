"""Scenes of segment contacts."""

import math
from dataclasses import replace

import numpy as np

import gelenk as gk

EXACT = gk.MoreauTree(h=1e-3)
CORNERS = [(x, y, -0.1) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]


def block(slope=0.0, velocity=(0.0, 0.0, 0.0), at=0.1, inertia=(0.1, 0.2, 0.3), **touch):
    """A box on a plane that falls along +x by an angle, with its four lower corners; velocity in axes of the plane."""
    q = (math.cos(0.5 * slope), 0.0, math.sin(0.5 * slope), 0.0)
    R = np.array([(math.cos(slope), 0, math.sin(slope)), (0, 1, 0), (-math.sin(slope), 0, math.cos(slope))])
    b = gk.Builder()
    b.body("ice", shape=gk.Plane(), static=True, rotation=q)
    place, v = R @ (0.0, 0.0, at), R @ np.array(velocity)
    b.body("box", mass=2.0, inertia=inertia, at=tuple(place), rotation=q, velocity=tuple(v))
    b.add(gk.SegmentContacts("feet", "box", CORNERS, [(0.0, 0.0, 0.1)] * 4, "ice", **touch))
    return b.build(), R


def gutter(radius, chord, half_deg=40.0, width=1.0, under=0.5):
    """A channel bent upward, of chords of a circle about (0, 0, radius), as a closed mesh; its vertices lie on it."""
    count = round(2.0 * math.radians(half_deg) * radius / chord)
    angle = np.linspace(-math.radians(half_deg), math.radians(half_deg), count + 1)
    line = np.column_stack((radius * np.sin(angle), radius - radius * np.cos(angle)))
    below = line + under * np.column_stack((np.sin(angle), -np.cos(angle)))
    rows = [(x, y, z) for y in (-width, width) for x, z in (*line, *below)]
    n = count + 1
    polygons = []
    for k in range(count):
        a, b, side = k, k + 1, 2 * n
        polygons += [(a, b, side + b, side + a), (n + a, n + side + a, n + side + b, n + b)]  # above, below
        polygons += [(a, n + a, n + b, b), (side + a, side + b, side + n + b, side + n + a)]
    polygons += [(0, 2 * n, 3 * n, n), (n - 1, 2 * n - 1, 4 * n - 1, 3 * n - 1)]
    return gk.TriangleMesh.from_polygons(rows, polygons), 2.0 * math.radians(half_deg) / count


def bead(radius, chord, speed, smooth, start_deg=-30.0):
    """A point that slides in a gutter without friction or weight, from an angle on; its segment points upward."""
    mesh, turn = gutter(radius, chord)
    a = math.radians(start_deg)
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("track", shape=gk.Part(mesh, collide=False), static=True)
    at = (radius * math.sin(a), 0.0, radius - radius * math.cos(a))
    b.body("bead", mass=1.0, inertia=(1, 1, 1), at=at, velocity=(speed * math.cos(a), 0.0, speed * math.sin(a)))
    b.add(gk.SegmentContacts("foot", "bead", [(0, 0, 0)], [(0, 0, 0.1)], "track", friction=0.0, smooth=smooth))
    return b.build(), turn


def round_sheet(radius, half_deg=40.0, width=1.0, pieces=4):
    """The same channel without chords: arcs of the circle, straight along y."""
    step = math.radians(half_deg) / pieces  # half of an arc
    angle = step * np.arange(-pieces, pieces + 1)
    w = np.where(np.arange(2 * pieces + 1) % 2 == 0, 1.0, math.cos(step))
    row = np.column_stack((radius * np.sin(angle) / w, np.zeros(len(w)), radius - radius * np.cos(angle) / w))
    return gk.LoftedSheet((-width, width), [row - np.array((0, y, 0)) for y in (width, -width)], [w, w])


def flat_sheet(half=5.0, cells=4):
    """A square of a plane, with three pieces across."""
    y = np.linspace(-half, half, cells + 1)
    return gk.LoftedSheet(y, [[(x, s, 0.0) for x in np.linspace(-half, half, 7)] for s in y])


def on_sheet(model, sheet, name):
    """The same model with a sheet in place of the shape of its ground."""
    part = gk.Part(sheet, collide=False, weighs=False)
    return replace(model, bodies=tuple(replace(b, parts=(part,)) if b.name == name else b for b in model.bodies))
