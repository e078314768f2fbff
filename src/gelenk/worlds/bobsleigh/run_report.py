"""What is told of a recorded descent."""

from __future__ import annotations

import numpy as np

from gelenk.run.run import Run
from gelenk.worlds.bobsleigh.analysis.statistics import race_2010
from gelenk.worlds.bobsleigh.books import books_in
from gelenk.worlds.bobsleigh.descent import HULL, Descent, descent_of


def descent_in(run: Run) -> Descent:
    """The descent that a run file holds, which keeps the places of the measuring points too."""
    hull = run[HULL]
    velocity = hull.velocity + np.cross(hull.angular_velocity, hull.com - hull.position)
    speed = np.linalg.norm(velocity, axis=1)
    steering = run["steering"].angle
    return descent_of(run["timing"][0], np.column_stack((run.time, run["place"], speed, steering)))


def splits_beside_the_race(run: Run) -> list[tuple[str, str]]:
    """Times at the measuring points; the means of the race stand beside those at its places, on whatever track."""
    timing, made, race = run["timing"][0].tolist(), descent_in(run), race_2010()
    means = dict(zip(race.places.tolist(), race.mean.tolist()))
    rows = []
    for place, time, speed in zip(timing, made.times.tolist(), made.speeds.tolist()):
        beside = f", race of 2010 at Whistler {means[place]:.3f} s" if place in means else ""
        told = "not reached" if np.isnan(time) else f"{time:.3f} s at {3.6 * speed:.1f} km/h{beside}"
        rows.append(("finish" if place == timing[-1] else f"at {place:g} m", told))
    rows.append(("highest speed", f"{3.6 * made.speed.max():.1f} km/h"))
    rows.append(("highest above the track line", f"{made.height.max():.2f} m"))
    books = books_in(run)
    return rows if books is None else rows + books.rows()
