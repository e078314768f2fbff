"""Landmarks by which pilots know where they are: mountains around, houses, bridges, banners, gates (B-65)."""

from __future__ import annotations

import numpy as np

from gelenk.view.scenery import SceneryCopies, ScenerySurface
from gelenk.worlds.bobsleigh.drive.landscape import BELOW, LAMP_BESIDE, Landscape

BANNERS = np.array([(0.78, 0.14, 0.12), (0.10, 0.28, 0.66), (0.94, 0.78, 0.16), (0.12, 0.48, 0.26), (0.95, 0.95, 0.95)])
GATE = (0.85, 0.20, 0.12)
WOOD, ROOF, GLASS = (0.52, 0.37, 0.24), (0.93, 0.95, 0.98), (0.16, 0.22, 0.28)
FOREST, CLIFF, SUMMIT = np.array((0.22, 0.30, 0.28)), np.array((0.46, 0.47, 0.50)), np.array((0.93, 0.95, 0.98))
DECK = 4.6  # [m] from the line to a bridge
BRIDGES_APART = 260.0  # [m]
RING = np.array((0.0, 0.12, 0.3, 0.5, 0.7, 0.85, 1.0))  # rings of the mountains, from the valley to the crest
WIDTH, HEIGHT, VALLEY = 1600.0, 520.0, 70.0  # [m] of the mountains, and how far the valley lies below the finish


def landmarks(land: Landscape, places: tuple[float, ...], seed: int = 2) -> list[ScenerySurface | SceneryCopies]:
    """All of them; ``places`` are the arc lengths of the measuring points."""
    return [mountains(land, seed), *banners(land), *gates(land, places), *bridges(land, places), *houses(land, places)]


def mountains(land: Landscape, seed: int) -> ScenerySurface:
    """A ring of them around the track, forest below, cliffs above, snow on their crests; the crest goes up and down by

    sum over k of  a_k |sin(k angle / 2 + phase)|,   a_k ~ 1 / sqrt(k),

    so every direction has a skyline of its own.
    """
    rng = np.random.default_rng(seed)
    at = land.line.at(land.line.samples).position
    middle, low = 0.5 * (at.min(axis=0) + at.max(axis=0)), float(at[:, 2].min())
    near = 0.5 * float(np.linalg.norm(np.ptp(at[:, :2], axis=0))) + 150.0
    n = 300
    angle = 2 * np.pi * np.arange(n) / n
    crest = np.zeros(n)
    for k in (2, 4, 6, 10, 14, 22, 38, 62):
        crest += np.abs(np.sin(0.5 * k * angle + rng.uniform(0, 2 * np.pi))) / np.sqrt(k)
    crest = 0.35 + 0.65 * (crest - crest.min()) / np.ptp(crest)
    t = RING[:, None]
    rough = 1.0 + 0.10 * rng.normal(size=(len(RING), n)) * np.minimum(1.0, 4 * t * (1.05 - t))
    up = HEIGHT * (t * t * (3 - 2 * t)) * crest * rough
    way = near + WIDTH * t * (1.0 + 0.05 * rng.normal(size=(len(RING), n)) * (t > 0))
    x, y = middle[0] + way * np.cos(angle), middle[1] + way * np.sin(angle)
    points = np.stack((x, y, low - VALLEY + up), axis=-1)
    rock = np.clip((up - 110.0) / 60.0, 0, 1)[..., None]
    snow = np.clip((up - 200.0 - 40 * rng.normal(size=up.shape)) / 60.0, 0, 1)[..., None]
    valley = np.clip(1.0 - up / 25.0, 0, 1)[..., None]
    colours = FOREST * (1 - rock) + CLIFF * rock
    colours = colours * (1 - snow) + SUMMIT * snow
    colours = colours * (1 - valley) + SUMMIT * valley
    i, j = np.meshgrid(np.arange(len(RING) - 1), np.arange(n), indexing="ij")
    a, b = (i * n + j).ravel(), (i * n + (j + 1) % n).ravel()
    faces = np.concatenate((np.stack((a, a + n, b), 1), np.stack((b, a + n, b + n), 1)))
    return ScenerySurface("mountains", points.reshape(-1, 3), faces, colours=colours.reshape(-1, 3), shadow=False)


def banners(land: Landscape) -> list[SceneryCopies]:
    """Coloured ones every 60 m, on the outer side of curves."""
    s = np.arange(land.line.start + 30.0, land.line.end - 10.0, 60.0)
    at = land.beside(s, LAMP_BESIDE + 0.8, -BELOW, -land.inner(s))
    sizes = np.tile((1.0, 3.2, BELOW + 1.9), (len(s), 1))
    heading, colours = np.degrees(land.line.at(s).heading), BANNERS[np.arange(len(s)) % len(BANNERS)]
    return [SceneryCopies("banners", "banner", at, sizes=sizes, headings_deg=heading, colours=colours)]


def gates(land: Landscape, places: tuple[float, ...]) -> list[SceneryCopies]:
    """Posts with a beam over the start of the clock and every measuring point."""
    s = np.array((0.0, *places))
    both = np.concatenate([land.beside(s, LAMP_BESIDE, -BELOW, side) for side in (1.0, -1.0)])
    tall, wide = np.tile((3.0, 3.0, 5.5 + BELOW), (len(both), 1)), np.tile((2 * LAMP_BESIDE, 0.15, 0.7), (len(s), 1))
    across = np.degrees(land.line.at(s).heading)
    beams = land.beside(s, 0.0, 5.2)
    return [
        SceneryCopies("gates", "post", both, sizes=tall, colours=GATE),
        SceneryCopies("beams", "box", beams, sizes=wide, headings_deg=across, colours=GATE),
    ]


def bridge_places(land: Landscape, places: tuple[float, ...]) -> np.ndarray:
    """Arc lengths of foot-bridges: on straights, some way from each other and from the gates."""
    s = np.arange(120.0, land.line.end - 60.0, 5.0)
    level = np.abs(land.line.at(s).curvature) < 1e-4
    level &= np.abs(s[:, None] - np.array((0.0, *places))).min(axis=1) > 25.0
    taken: list[float] = []
    for place in s[level]:
        if not taken or place - taken[-1] > BRIDGES_APART:
            taken.append(float(place))
    return np.array(taken)


def bridges(land: Landscape, places: tuple[float, ...]) -> list[SceneryCopies]:
    """A deck with rails over the track, on a tower at either side."""
    s = bridge_places(land, places)
    if not len(s):
        return []
    line = land.line.at(s)
    turned, ahead = np.degrees(line.heading), line.forward
    wide = 2 * LAMP_BESIDE + 3.0
    decks = np.tile((wide, 1.8, 0.25), (len(s), 1))
    rails = np.tile((wide, 0.06, 1.0), (2 * len(s), 1))
    at_rails = np.concatenate([land.beside(s, 0.0, DECK) + side * 0.87 * ahead for side in (1.0, -1.0)])
    towers = np.concatenate([land.beside(s, LAMP_BESIDE + 0.8, -BELOW, side) for side in (1.0, -1.0)])
    tall = np.tile((1.2, 1.5, DECK + BELOW), (len(towers), 1))
    two = np.tile(turned, 2)
    return [
        SceneryCopies("bridges", "box", land.beside(s, 0.0, DECK), sizes=decks, headings_deg=turned, colours=WOOD),
        SceneryCopies("bridge rails", "box", at_rails, sizes=rails, headings_deg=two, colours=BANNERS[0]),
        SceneryCopies("bridge towers", "box", towers, sizes=tall, headings_deg=two, colours=WOOD),
    ]


def houses(land: Landscape, places: tuple[float, ...]) -> list[SceneryCopies]:
    """The house of the start, that of the finish, and huts beside the track; snow on their roofs."""
    s = np.concatenate(([land.line.start + 14.0, places[-1] + 12.0], np.arange(180.0, places[-1] - 60.0, 170.0)))
    s = s[s < land.line.end - 5.0]
    side = np.where(np.arange(len(s)) % 2 == 0, 1.0, -1.0)
    size = np.array([(9.0, 16.0, 7.0), (9.0, 18.0, 6.0)] + [(4.0, 5.0, 3.2)] * (len(s) - 2))[: len(s)]
    at = land.beside(s, 0.0, 0.0) + land.line.at(s).left * (side * (6.5 + 0.5 * size[:, 0]))[:, None]
    at[:, 2] = land.height(at[:, :2]) - 0.5
    heading = np.degrees(land.line.at(s).heading)
    up = np.array((0.0, 0.0, 1.0))
    roofs, panes = size * (1.12, 1.06, 0.0) + (0, 0, 0.5), size * (1.01, 0.8, 0.28)
    how = {"headings_deg": heading}
    return [
        SceneryCopies("houses", "box", at, sizes=size, colours=WOOD, **how),
        SceneryCopies("roofs", "box", at + size[:, 2:] * up, sizes=roofs, colours=ROOF, **how),
        SceneryCopies("windows", "box", at + 0.5 * size[:, 2:] * up, sizes=panes, colours=GLASS, **how),
    ]
