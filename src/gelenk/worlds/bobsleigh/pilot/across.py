"""How a sled moves across the sections of a track while it runs along them: the equation behind easy lines (B-90)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gelenk.worlds.bobsleigh.pilot.banking import Banking

HALF_GAUGE = 0.335  # [m] half of what runners are apart
CENTRE = 0.28  # [m] of the mass above the runners
ROLL = 0.08  # [m^2] inertia about the way along, by the mass
MASS = 390.0  # [kg]
BUMPER = (0.45, 0.22)  # [m] bumpers to the side of the middle, and above the runners
ENDS = np.array((1.35, -0.9))  # [m] where they are along the sled, from the centre of its rear hull
MARGIN = 0.04  # [m] that bumpers should stay away from walls
GRIP, MORE_GRIP, MOST_GRIP = 0.02, 0.08 / 16000.0, 0.10  # of eight points: without load, a newton's more [1/N], at most
GRID = np.linspace(-4.5, 4.5, 301)  # [m] places across where sections are known
SMOOTH = 3.0, 3.0  # sections and places of the grid over which derivatives are taken


class Across:
    """Sections as curves on which the centre of mass moves.

    A sled with the middle of its runners at w has its centre at  r(s, w)  in the section plane, x to the left and y up,
    CENTRE above the chord between its runners, which has the slope phi(s, w). It runs along with v, so that

        (r_w.r_w + k^2 phi_w^2) w'' + r_w.r_ww w'^2 + 2 v r_w.r_sw w' + v^2 r_w.r_ss = r_w.(-v^2 kappa, -g') + u |r_w|

    with  g' = g cos a + v^2 h''  and what runners push across, u. Terms with r_s are what ice does that rises or falls
    along the way: at 30 m/s as much as a third of the weight.

    Parameters
    ----------
    banking : sections
    rows : which of them, in their order
    """

    def __init__(self, banking: Banking, rows: np.ndarray) -> None:
        self.banking = banking
        self.s, self.curvature = banking.s[rows], banking.curvature[rows]
        self.down, self.bend = banking.down[rows], banking.bend[rows]
        sections = [(banking.x[i], banking.y[i], banking.w[i]) for i in rows]
        frames = np.array([_frames(*section) for section in sections])  # (n, 3, grid): x, y, slope
        self.free = np.array([_free(x, y, *frame) for (x, y, _), frame in zip(sections, frames)])
        x, y, phi = np.moveaxis(_smooth(frames), 1, 0)
        d = GRID[1] - GRID[0]
        x_w, y_w, phi_w = (np.gradient(z, d, axis=1) for z in (x, y, phi))
        x_s, y_s = (np.gradient(z, self.s, axis=0) for z in (x, y))
        x_ss, y_ss = (np.gradient(z, self.s, axis=0) for z in (x_s, y_s))
        x_sw, y_sw = (np.gradient(z, self.s, axis=0) for z in (x_w, y_w))
        x_ww, y_ww = (np.gradient(z, d, axis=1) for z in (x_w, y_w))
        length = np.maximum(np.hypot(x_w, y_w), 0.1)
        self.inertia = (x_w**2 + y_w**2 + ROLL * phi_w**2) / length
        self.turn = (x_w * x_ww + y_w * y_ww) / length
        self.twist = (x_w * x_sw + y_w * y_sw) / length
        self.rise = (x_w * x_ss + y_w * y_ss) / length
        self.side, self.up = x_w / length, y_w / length

    def beyond(self, w: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """(2, n) how far bumpers of the front and of the rear are in the margin of a wall, signed [m].

        A sled heads along its line w(s), so that bumpers ahead of and behind its centre are w' m away from it.
        """
        at = w + np.outer(ENDS, slope)
        made: np.ndarray = at - np.clip(at, self.free[:, 0], self.free[:, 1])
        return made

    def at_speed(self, v: np.ndarray) -> Motion:
        """The equation for speeds along the track."""
        down = self.down + v * v * self.bend
        force = v * v * self.curvature
        load = np.hypot(down, force)
        grip = np.minimum(GRIP + MORE_GRIP * MASS * load, MOST_GRIP) * load
        rest = (v * v)[:, None] * self.rise + force[:, None] * self.side + down[:, None] * self.up
        return Motion(self, v, grip, rest)


@dataclass(frozen=True, eq=False)
class Motion:
    """The equation for given speeds v(s).

    Parameters
    ----------
    v : (n,) [m/s]
    grip : (n,) what runners can push across [m/s^2]
    rest : (n, grid) what does not depend on motion across
    """

    across: Across
    v: np.ndarray
    grip: np.ndarray
    rest: np.ndarray

    def push(self, w: np.ndarray, rate: np.ndarray, bend: np.ndarray) -> tuple[np.ndarray, ...]:
        """(n,) u [m/s^2] along a line w with its rates w' and w'', and the derivatives of u by the three."""
        a, row = self.across, np.arange(len(w))
        place = np.clip((w - GRID[0]) / (GRID[1] - GRID[0]), 0.0, len(GRID) - 1.001)
        at = place.astype(np.intp)

        def here(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            low, high = table[row, at], table[row, at + 1]
            return low + (place - at) * (high - low), (high - low) / (GRID[1] - GRID[0])

        (inertia, di), (turn, dt), (twist, dw), (rest, dr) = (here(z) for z in (a.inertia, a.turn, a.twist, self.rest))
        way = 2.0 * self.v * rate
        u = inertia * bend + turn * rate**2 + twist * way + rest
        by_w = di * bend + dt * rate**2 + dw * way + dr
        return u, by_w, 2.0 * turn * rate + 2.0 * self.v * twist, inertia


def _smooth(table: np.ndarray) -> np.ndarray:
    """Means along and across."""
    from scipy.ndimage import gaussian_filter

    made: np.ndarray = gaussian_filter(table, (SMOOTH[0], 0.0, SMOOTH[1]), mode="nearest")
    return made


def _frames(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass (x to the left, y) and slope of the chord between the runners, with their middle at the grid."""
    way = -w  # rises to the right
    (a, b), (p, q) = (np.interp(np.stack((-GRID - HALF_GAUGE, -GRID + HALF_GAUGE)), way, z) for z in (x, y))
    size = np.maximum(np.hypot(a - b, p - q), 1e-9)
    left, rise = (a - b) / size, (p - q) / size  # from the right runner to the left one
    return 0.5 * (a + b) - CENTRE * rise, 0.5 * (p + q) + CENTRE * left, np.unwrap(np.arctan2(-rise, left))


def _free(x: np.ndarray, y: np.ndarray, c_x: np.ndarray, c_y: np.ndarray, phi: np.ndarray) -> tuple[float, float]:
    """Between which places across no bumper is in the wall of a section, seen from its middle."""
    left, rise = np.cos(phi), -np.sin(phi)
    hit = np.zeros(len(GRID), dtype=bool)
    for side in (BUMPER[0] + MARGIN, -BUMPER[0] - MARGIN):
        up = BUMPER[1] - CENTRE
        hit |= np.interp(-(c_x + side * left - up * rise), -x, y) > c_y + side * rise + up * left
    walls = GRID[hit]
    return float(walls[walls < 0.0].max(initial=GRID[0])), float(walls[walls > 0.0].min(initial=GRID[-1]))
