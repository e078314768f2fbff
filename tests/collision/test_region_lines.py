"""Lines that lie nearly along each other: how far their contact reaches (I-091, H-69)."""

import math

import numpy as np
import pytest
from convex_samples import pair
from region_samples import regions
from scipy.spatial.transform import Rotation

from gelenk.collision.region_lines import OFF, PARALLEL
from gelenk.collision.solid import BOX, CYLINDER

HALF, WIDE, GAP = 0.5, 0.1, 1e-3  # half length along world x, half width
EDGE_UP = Rotation.from_euler("x", 45, degrees=True).as_matrix()
AXIS_ALONG = Rotation.from_euler("y", 90, degrees=True).as_matrix()


def crossed(kind, angle):
    """Points of two solids, a line of each close to one of the other, the upper one turned about z; and the sizes."""
    if kind == BOX:
        size, R, high = (HALF, WIDE, WIDE), EDGE_UP, math.sqrt(2) * WIDE
    else:
        size, R, high = (WIDE, 0.0, HALF), AXIS_ALONG, WIDE
    turned = Rotation.from_euler("z", angle).as_matrix() @ R
    (points,) = regions(pair(kind, size, kind, size, (0.0, 0.0, 2 * high + GAP), R, turned), margin=0.01)
    return points, 3 * high + 2 * GAP  # centre to centre, centre of A to the contact, distance


@pytest.mark.parametrize("kind", [BOX, CYLINDER])
def test_parallel_lines_meet_along_their_whole_length(kind):
    points, _ = crossed(kind, 0.0)
    np.testing.assert_allclose(sorted(points.a[:, 0]), (-HALF, HALF), rtol=1e-12)
    np.testing.assert_allclose(points.d, GAP, atol=1e-15)


@pytest.mark.parametrize("angle", [0.002, 0.01, 0.8 * PARALLEL])
def test_edges_that_cross_meet_as_far_as_they_part_by_little(angle):
    """Seen from above they part by  x tan(angle / 2) 2  along the middle of both; each is off by a half of it."""
    points, scale = crossed(BOX, angle)
    reach = min(HALF, OFF * scale / math.tan(angle / 2))
    ends = np.sort(points.a[:, 0])
    np.testing.assert_allclose(ends[[0, -1]], (-reach, reach), rtol=2 * angle**2)
    assert np.abs(ends).min() < 1e-9  # where they cross
    aside = points.a[:, 1]
    assert np.abs(aside).max() <= HALF * angle  # between both edges
    assert np.abs(aside - points.a[:, 0] * math.tan(angle / 2)).max() <= OFF * scale * angle


def test_round_sides_that_cross_meet_along_their_length():
    """A side of radius R falls by  x^2 / (2 R):  5 mm aside, at the ends, by 0.1 mm."""
    points, scale = crossed(CYLINDER, 0.02)
    np.testing.assert_allclose(np.sort(points.a[:, 0])[[0, -1]], (-HALF, HALF), rtol=1e-3)
    assert OFF * scale > (HALF * 0.01) ** 2 / (2 * WIDE)
    assert np.abs(np.hypot(points.a[:, 1], points.a[:, 2]) - WIDE).max() <= OFF * scale
