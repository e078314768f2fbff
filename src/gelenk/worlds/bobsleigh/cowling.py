"""Shapes of the hulls of a sled, to be looked at: rings of points, joined from one to the next.

Numbers are ours, after the rules of the sport: a two-man sled is at most 2.7 m long, and 0.67 m wide where it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gelenk.geometry.mesh import TriangleMesh

AROUND = 32  # points of a ring
# Of the front hull, in its frame: z [m], half its width, lowest and highest point of the ring there
FRONT = (
    (-0.14, 0.335, -0.14, 0.335), (0.10, 0.340, -0.15, 0.325), (0.40, 0.335, -0.15, 0.295), (0.70, 0.310, -0.15, 0.255),
    (0.95, 0.270, -0.14, 0.210), (1.15, 0.220, -0.12, 0.160), (1.30, 0.155, -0.09, 0.105), (1.38, 0.095, -0.06, 0.060),
    (1.42, 0.030, -0.03, 0.015),
)  # fmt: skip
# Of the rear hull, in its frame: z [m], half its width, height of its rim
TUB = ((-0.52, 0.300, 0.50), (-0.40, 0.325, 0.55), (0.00, 0.335, 0.58), (0.50, 0.335, 0.59), (0.98, 0.335, 0.585))
FLOOR, SHELL = 0.13, 0.03  # [m] lowest point of the tub, and how thick it is
STRIPE = 0.30  # [rad] half the angle of the stripe along the top of the front hull


def front_ring(half: float, low: float, high: float, lift: float = 0.0) -> np.ndarray:
    """(n, 2) points x, y of  |x / a|^2.6 + |(y - c) / b|^2.6 = 1,  from the top to the left and round."""
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    a, b, c = half + lift, 0.5 * (high - low) + lift, 0.5 * (high + low)
    x, y = np.sin(angle), np.cos(angle)
    return np.column_stack((a * np.sign(x) * np.abs(x) ** (2 / 2.6), c + b * np.sign(y) * np.abs(y) ** (2 / 2.6)))


def lofted(rings: Sequence[np.ndarray], z: Sequence[float], element: str) -> TriangleMesh:
    """Closed surface through rings (n, 2) at heights z, each with a lid on both ends, seen from outside."""
    n, k = len(rings[0]), len(rings)
    points = np.concatenate([np.column_stack((ring, np.full(n, at))) for ring, at in zip(rings, z)])
    i, j = np.meshgrid(np.arange(k - 1), np.arange(n), indexing="ij")
    a, b = (i * n + j).ravel(), (i * n + (j + 1) % n).ravel()
    sides = np.concatenate((np.stack((a, a + n, b), 1), np.stack((b, a + n, b + n), 1)))
    lids = [np.arange(n), (k - 1) * n + np.arange(n)[::-1]]
    return TriangleMesh.from_polygons(points, [*sides.tolist(), *(lid.tolist() for lid in lids)], element=element)


def front_cowling() -> TriangleMesh:
    """The nose, in the frame of the front hull."""
    return lofted([front_ring(*row[1:]) for row in FRONT], [row[0] for row in FRONT], "nose of the sled")


def front_stripe() -> TriangleMesh:
    """A stripe along its top, 4 mm proud of it."""
    rings = []
    for _, half, low, high in FRONT[:-1]:
        outer, inner = front_ring(half, low, high, 0.004), front_ring(half, low, high, -0.010)
        pick = np.argsort(-outer[:, 1], kind="stable")[:5]  # the five highest
        pick = pick[np.argsort(outer[pick, 0])]
        share = 0.42
        rings.append(np.concatenate((outer[pick] * (share, 1.0), (inner[pick] * (share, 1.0))[::-1])))
    return lofted([ring[::-1] for ring in rings], [row[0] for row in FRONT[:-1]], "stripe of the sled")


def tub_ring(half: float, rim: float) -> np.ndarray:
    """(n, 2) points of a shell that is open above: outside from the left rim down and up again, inside back."""
    low = FLOOR
    outside = np.array(
        (
            (half, rim), (half, low + 0.10), (half - 0.03, low + 0.03), (half - 0.10, low),
            (-half + 0.10, low), (-half + 0.03, low + 0.03), (-half, low + 0.10), (-half, rim),
        )
    )  # fmt: skip
    inside = np.array(
        (
            (-half + SHELL, rim), (-half + SHELL, low + 0.11), (-half + 0.06, low + 0.06), (-half + 0.11, low + SHELL),
            (half - 0.11, low + SHELL), (half - 0.06, low + 0.06), (half - SHELL, low + 0.11), (half - SHELL, rim),
        )
    )  # fmt: skip
    return np.concatenate((outside, inside))


def rear_tub() -> TriangleMesh:
    """The tub in which the crew sits, in the frame of the rear hull."""
    return lofted([tub_ring(half, rim)[::-1] for _, half, rim in TUB], [row[0] for row in TUB], "tub of the sled")
