"""Lines that runners drew on the ice, live and from recorded runs alike (B-71).

Each runner touches by two points, and each of them draws a line where it is on the ice.
"""

from __future__ import annotations

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.run.run import Run
from gelenk.view.to_page import Colour
from gelenk.view.traces import Trace
from gelenk.worlds.bobsleigh.drive.scene import RUNNERS
from gelenk.worlds.bobsleigh.sled import sled_data
from gelenk.worlds.bobsleigh.track.section import PIECES, curve_points
from gelenk.worlds.bobsleigh.track.track import Track

POINTS = ("front", "rear")  # of a runner, as in the data of the sled
SPACING = 0.2  # [m] between two points of a line
NAMES = tuple(f"{runner} {point} point" for runner in RUNNERS for point in POINTS)
COLOURS: tuple[Colour, ...] = ((0.13, 0.22, 0.42), (0.62, 0.16, 0.12), (0.10, 0.42, 0.20), (0.42, 0.20, 0.50))
FINE = 12  # points of a piece of a section
ON_ICE = 0.008  # [m] nearer than this a point draws: sections half a metre apart tell where the ice is to 3 mm


def drawn_lines(run: Run, track: Track, name: str = "", colour: Colour = COLOURS[0]) -> list[Trace]:
    """Lines of all points of the runners of a recorded run, where they were on the ice."""
    t, points = run.time, sled_data()["touch"]["runner"]["points"]
    made = []
    for runner in RUNNERS:
        body = run[runner]
        R = rotation_matrix(body.orientation)
        for which, point in zip(POINTS, points):
            at = body.position + R @ np.array(point)
            trace = Trace(f"{name}{runner} {which} point", spacing=SPACING, colour=colour)
            near = above_ice(track, at) < ON_ICE
            for time, place, drawing in zip(t.tolist(), at.tolist(), near.tolist()):
                trace.add(time, place if drawing else None)
            made.append(trace)
    return made


def above_ice(track: Track, points: np.ndarray) -> np.ndarray:
    """(n,) distance of a history of points to the section of the track at their arc length [m]; boards do not count.

    d = min over chords of  |p - (a + t (b - a))|,   t = (p - a) . (b - a) / |b - a|^2  within 0 and 1
    """
    v = np.arange(PIECES * FINE + 1) / FINE
    s = np.concatenate([patch.s for patch in track.patches])
    xy = np.concatenate([curve_points(patch.xy, patch.weights, v) for patch in track.patches])
    place = track.line.project(points, near=float(track.line.project(points[:1]).s[0]))
    row = np.clip(np.searchsorted(s, place.s) - 1, 0, len(s) - 2)
    wide = s[row + 1] - s[row]
    share = np.clip((place.s - s[row]) / np.where(wide > 0, wide, 1.0), 0.0, 1.0)[:, None, None]
    made = np.empty(len(points))
    for part in np.array_split(np.arange(len(points)), max(1, len(points) // 1000)):
        line = (1 - share[part]) * xy[row[part]] + share[part] * xy[row[part] + 1]
        p = np.column_stack((-place.left[part], place.height[part]))[:, None]
        a, way = line[:, :-1], np.diff(line, axis=1)
        square = np.maximum((way**2).sum(axis=2), 1e-30)
        t = np.clip(((p - a) * way).sum(axis=2) / square, 0.0, 1.0)
        made[part] = np.sqrt((((p - a) - t[..., None] * way) ** 2).sum(axis=2).min(axis=1))
    return made
