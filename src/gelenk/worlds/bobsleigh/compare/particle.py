"""A particle that slides on the ice of a track, unsteered: free to climb, swing and fly (bobsleigh 9.6b)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_number, check_vector
from gelenk.contact.slide import slide_steps
from gelenk.errors import InputError
from gelenk.geometry.ruled import RuledTrack, ruled_track
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.track import Track


@dataclass(frozen=True, kw_only=True)
class Particle:
    """What slides. Mass and drag are those of sled S1; the force sideways stands for its runners.

    Parameters
    ----------
    friction : isotropic
    sideways : rate at which motion across the track fades [1/s]
    sideways_most : that force as a share of the normal force
    """

    mass: float = 390.0
    drag_area: float = 0.2052
    air_density: float = 1.12
    friction: float = 0.004
    sideways: float = 6.0
    sideways_most: float = 0.08


class Slide(NamedTuple):
    """Motion of the particle, a row for each sample.

    t [s], position (n, 3) [m], velocity (n, 3) [m/s], gap (n,) to the ice [m], load (n,) normal force over weight,
    spent (n, 4) energy spent so far by friction, by the force sideways, by drag, by blows along the normal [J]; what
    has sunk into the ice and comes out again has that energy back. airborne (n,) time without ice so far [s].
    """

    t: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    gap: np.ndarray
    load: np.ndarray
    spent: np.ndarray
    airborne: np.ndarray


def ruled_ice(track: Track, count: int = 40) -> RuledTrack:
    """Sections of a track, every half metre, each by points evenly spaced to the left and to the right of its line."""
    banking = Banking(track)
    share = np.linspace(0.0, 1.0, count + 1)
    plane = np.empty((len(banking.s), 2 * count + 1, 2))
    for k, (x, y, w) in enumerate(zip(banking.x, banking.y, banking.w)):
        at = np.concatenate((w[0] * share[::-1], w[-1] * share[1:]))
        plane[k] = np.stack((np.interp(-at, -w, x), np.interp(-at, -w, y)), axis=1)
    line = track.line.at(banking.s)
    up = np.array([0.0, 0.0, 1.0])
    points = line.position[:, None] + plane[..., :1] * line.left[:, None] + plane[..., 1:] * up
    return ruled_track(banking.s, points, line.position, line.forward)


def slide_particle(
    track: RuledTrack,
    particle: Particle,
    position: ArrayLike,
    velocity: ArrayLike,
    t_end: float,
    *,
    h: float = 5e-4,
    every: int = 10,
) -> Slide:
    """Let a particle go; it stops where the track ends."""
    label = "particle"
    start = [check_vector(label, what, x, "m") for what, x in (("position", position), ("velocity", velocity))]
    step = check_number(label, "h", h, "s", above=0.0)
    if not isinstance(every, int) or every < 1:
        raise InputError(label, f"every is {every!r}", "a whole number of steps", "Give 1 or more.")
    count = round(check_number(label, "t_end", t_end, "s", above=0.0) / step / every)
    out = np.zeros((count + 1, 13))
    numbers = np.array(
        [
            particle.mass,
            0.5 * particle.air_density * particle.drag_area / particle.mass,
            particle.friction,
            particle.sideways,
            particle.sideways_most,
        ]
    )
    out[0, 0:6] = np.concatenate(start)
    rows = out[: slide_steps(track, numbers, step, every, out)]
    t = np.arange(len(rows)) * (step * every)
    return Slide(t, rows[:, 0:3], rows[:, 3:6], rows[:, 6], rows[:, 7], rows[:, 8:12], rows[:, 12])
