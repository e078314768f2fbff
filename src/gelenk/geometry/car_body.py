"""A car body by formulas: a closed mesh that is not convex, with cabin and wheel arches, for tests and pictures."""

from __future__ import annotations

import numpy as np

from gelenk.checks import check_count
from gelenk.geometry.mesh import TriangleMesh

LENGTH, HALF_WIDTH, SILL = 4.2, 0.86, 0.2  # [m]
# outline of the middle from above the front bumper over bonnet, windscreen, roof and rear window to the back, x z [m]
OUTLINE = np.array(
    [(0.0, 0.5), (0.12, 0.66), (1.15, 0.9), (1.9, 1.38), (2.4, 1.43), (3.0, 1.38), (3.75, 0.95), (4.1, 0.9), (4.2, 0.6)]
)
BELT, ROOF, ROOF_SHARE = 0.9, 1.43, 0.72  # above the belt the sides lean in, at the height of the roof to this share
BESIDE = 0.1  # the belt is at least this far below the outline [m]
WHEELS, ARCH_RADIUS = (0.85, 3.35), 0.38  # x of the axles; the arches are half circles above the sill [m]
ARCH_FROM, ARCH_DEPTH = 0.66, 0.06  # half of the distance of the inner walls, and the slope of these walls across [m]


def car_body(detail: int = 2) -> TriangleMesh:
    """Closed car body, x from the front to the back, y = 0 in the middle, z up from the road [m].

    Rings around the body at stations along x, and two ends. A ring goes over the floor, up the left side, over the roof
    and down the right side; the floor rises to the wheel arches at both ends.

    Parameters
    ----------
    detail : int
        About 1000 detail^2 triangles.
    """
    check_count("car body", "detail", detail, least=1, most=20)
    rings = np.stack([_ring(x, detail) for x in _stations(detail)])
    count, around, _ = rings.shape
    at = np.arange(count * around).reshape(count, around)
    a, b = at[:-1], at[1:]
    a_on, b_on = np.roll(a, -1, axis=1), np.roll(b, -1, axis=1)
    left, right = slice(around // 2), slice(around // 2, around)  # split as in a mirror
    sides = [np.stack((a, a_on, b_on, a, b_on, b), axis=-1)[:, left].reshape(-1, 3)]
    sides += [np.stack((a, a_on, b, a_on, b_on, b), axis=-1)[:, right].reshape(-1, 3)]
    # fans from a point in the middle of the first and the last ring
    ends = []
    for k, middle, turned in ((0, at.size, True), (count - 1, at.size + 1, False)):
        fan = np.column_stack((at[k], np.roll(at[k], -1), np.full(around, middle)))
        ends.append(fan[:, ::-1] if turned else fan)
    middles = rings[[0, -1]].mean(axis=1)
    vertices = np.concatenate((rings.reshape(-1, 3), middles))
    return TriangleMesh(vertices, np.concatenate((*sides, *ends)), element="car body")


def _stations(detail: int) -> np.ndarray:
    """Along x: evenly spaced, at the corners of the outline, and closer where the arches are steep."""
    even = np.linspace(0.0, LENGTH, 12 * detail + 1)
    arch = np.cos(np.pi * np.arange(4 * detail + 1) / (4 * detail))
    wanted = np.concatenate([OUTLINE[:, 0], *(x + ARCH_RADIUS * arch for x in WHEELS)])
    clear = np.abs(even[:, None] - wanted).min(axis=1) > 0.25 * LENGTH / (12 * detail)
    return np.unique(np.concatenate((wanted, even[clear])))


def _ring(x: float, detail: int) -> np.ndarray:
    """Points (k, 3) around the body at x, counter-clockwise seen from the back."""
    top = float(np.interp(x, *OUTLINE.T))
    arch = SILL + max((max(0.0, ARCH_RADIUS**2 - (x - wheel) ** 2) ** 0.5 for wheel in WHEELS), default=0.0)
    width = HALF_WIDTH * (1.0 - 0.12 * (2.0 * x / LENGTH - 1.0) ** 6)

    inner = np.linspace(0.0, ARCH_FROM, 3 * detail + 1)
    outer = np.linspace(ARCH_FROM + ARCH_DEPTH, width, detail + 1)
    floor = np.concatenate([np.c_[inner, np.full(len(inner), SILL)], np.c_[outer, np.full(len(outer), arch)]])
    belt = min(BELT, top - BESIDE)  # with points along it, so that the fold there is straight
    height = np.concatenate((np.linspace(arch, belt, 3 * detail + 1)[1:], np.linspace(belt, top, 2 * detail + 1)[1:]))
    lean = (1.0 - ROOF_SHARE) * np.clip((height - BELT) / (ROOF - BELT), 0.0, 1.0)
    side = np.c_[width * (1.0 - lean), height]
    share = np.linspace(1.0, 0.0, 4 * detail + 1)[1:]
    roof = np.c_[side[-1, 0] * share, top + 0.04 * (1.0 - share**2)]
    half = np.concatenate((floor, side, roof))  # from the middle of the floor to that of the roof, y above 0
    yz = np.concatenate((half, half[-2:0:-1] * [-1.0, 1.0]))
    return np.c_[np.full(len(yz), x), yz]
