"""A particle on the running surface, kept from drifting sideways as by runners: a first check (bobsleigh 9.6b)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from gelenk.geometry.sheet import Sheet, segments_sheet
from gelenk.worlds.bobsleigh.track.point_mass import G, PointMass
from gelenk.worlds.bobsleigh.track.track import Track

LATERAL_RATE = 6.0  # [1/s] lateral force  -6/s m v_lateral,
LATERAL_SHARE = 0.08  # limited to this share of the normal force
UP = np.array([0.0, 0.0, 1.0])
REACH = 0.1  # [m] of the segment to both sides of the particle


class ParticleRun(NamedTuple):
    """Series of a particle: time [s], positions (n, 3) [m], speed [m/s], normal force over m g, whether it touches."""

    t: np.ndarray
    position: np.ndarray
    speed: np.ndarray
    load: np.ndarray
    touching: np.ndarray


def slide_free(track: Track, point: PointMass, h: float = 5e-4, sheet: Sheet | None = None) -> ParticleRun:
    """Motion from the middle of the track at s = 0 until the finish, the steps of Moreau's midpoint rule.

    In each step the particle moves half a step; forces act; where it touches its velocity loses the part into the ice,
    whose impulse P_n bounds friction  mu P_n  along the motion and the lateral force along  n x t,
    t the direction of the track line.
    """
    sheet = track.sheet if sheet is None else sheet
    line = track.line
    at = line.at(0.0)
    u = point.start_speed * (at.forward[0] + at.slope[0] * np.array([0.0, 0.0, 1.0])) / math.hypot(1.0, at.slope[0])
    p, n = at.position[0], np.array([0.0, 0.0, 1.0])
    memory, tau, normal = np.array([[0.0, 3.5]]), np.empty(1), np.empty((1, 3))
    drag, gravity = 0.5 * point.air_density * point.drag_area / point.mass, np.array([0.0, 0.0, -G * h])
    s_grid = np.arange(line.start, line.end, 0.1)
    grid = line.at(s_grid)
    forward_grid = grid.forward + grid.slope[:, None] * np.array([0.0, 0.0, 1.0])
    rows = []
    while True:
        p = p + 0.5 * h * u
        for toward in (n, UP):  # in the air the last normal may miss the floor
            segments_sheet(sheet, (p - REACH * toward)[None], (2.0 * REACH * toward)[None], memory, tau, normal)
            if tau[0] <= 1.0:
                break
        s = memory[0, 0]
        u = u + gravity - (h * drag * math.sqrt(u @ u)) * u
        pressed = 0.0
        touches = bool(0.5 <= tau[0] <= 1.0)
        if touches:
            p = p + (2.0 * tau[0] - 1.0) * REACH * toward  # velocities alone would let it sink in over many steps
            n = normal[0].copy()
            pressed = max(-(u @ n), 0.0)
            u = u + pressed * n
            speed = math.sqrt(u @ u)
            u = u * max(1.0 - point.friction * pressed / speed, 0.0)
            forward = forward_grid[min(max(int((s - line.start) * 10.0), 0), len(s_grid) - 1)]
            side = np.cross(n, forward)
            side /= math.sqrt(side @ side)
            slip = u @ side
            u = u - math.copysign(min(LATERAL_RATE * h * abs(slip), LATERAL_SHARE * pressed), slip) * side
        p = p + 0.5 * h * u
        rows.append((*p, math.sqrt(u @ u), pressed / (G * h), touches))
        off = abs(p[2] - line.heights.at(s).height[0]) > 20.0 if len(rows) % 200 == 0 else False
        if s >= track.finish or len(rows) * h > 300.0 or off:
            break
    table = np.array(rows)
    t = h * np.arange(1, len(table) + 1)
    return ParticleRun(t, table[:, :3], table[:, 3], table[:, 4], table[:, 5] > 0.0)
