"""Every analytic pair: signed distance proven by its own points, and what must not change it."""

from __future__ import annotations

import numpy as np
import pytest
from narrow_samples import certify, check_points, moved, random_solid, solid, touch, turn
from scipy.spatial.transform import Rotation

from gelenk.collision.narrow.box_box import box_box
from gelenk.collision.narrow.capsule_box import capsule_box
from gelenk.collision.narrow.capsule_capsule import capsule_capsule
from gelenk.collision.narrow.capsule_triangle import capsule_triangle
from gelenk.collision.narrow.sphere_box import sphere_box
from gelenk.collision.narrow.sphere_capsule import sphere_capsule
from gelenk.collision.narrow.sphere_cone import sphere_cone
from gelenk.collision.narrow.sphere_cylinder import sphere_cylinder
from gelenk.collision.narrow.sphere_sphere import sphere_sphere
from gelenk.collision.narrow.sphere_triangle import sphere_triangle
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, SPHERE, TRIANGLE

PAIRS = [
    (sphere_sphere, SPHERE, SPHERE),
    (sphere_box, SPHERE, BOX),
    (sphere_capsule, SPHERE, CAPSULE),
    (sphere_cylinder, SPHERE, CYLINDER),
    (sphere_cone, SPHERE, CONE),
    (sphere_triangle, SPHERE, TRIANGLE),
    (capsule_capsule, CAPSULE, CAPSULE),
    (capsule_box, CAPSULE, BOX),
    (capsule_triangle, CAPSULE, TRIANGLE),
    (box_box, BOX, BOX),
]
every_pair = pytest.mark.parametrize(("routine", "a", "b"), PAIRS, ids=[p[0].__name__ for p in PAIRS])
SHARP = 1e-9  # of the size; what the routines promise


@every_pair
@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_signed_distance_is_proven_by_the_points(routine, a, b, scale):
    rng = np.random.default_rng(11)
    for _ in range(80):
        A, B = random_solid(a, rng, scale), random_solid(b, rng, scale)
        r = scale * rng.normal(size=3) * rng.choice([0.1, 0.6, 1.5])
        margin = 10 * scale
        points = touch(routine, A, B, r, margin)
        check_points(points, A, B, r, margin, 1e-12 * scale)
        certify(points, A, B, r, SHARP * scale, rng)


@every_pair
def test_thin_and_nearly_parallel_solids_too(routine, a, b):
    rng = np.random.default_rng(12)
    for _ in range(100):
        A, B = random_solid(a, rng), random_solid(b, rng)
        thin = 10.0 ** rng.uniform(-4, 0, 3)
        B = B._replace(size=type(B.size)(*(thin * B.size).tolist()))
        if TRIANGLE not in (a, b):
            B = moved(B._replace(R=A.R), turn(rng, 10.0 ** rng.uniform(-12, -1)))
        r = rng.normal(size=3) * rng.choice([0.1, 0.6, 1.5])
        points = touch(routine, A, B, r, 10.0)
        check_points(points, A, B, r, 10.0, 1e-12)
        certify(points, A, B, r, SHARP, rng)


@every_pair
def test_touching_solids_have_distance_zero(routine, a, b):
    """Moved along the normal by the distance they touch, whatever touches; a hair on they are apart or overlap."""
    rng = np.random.default_rng(13)
    for _ in range(60):
        A, B = random_solid(a, rng), random_solid(b, rng)
        way = rng.normal(size=3)
        r = 4.0 * way / np.linalg.norm(way)
        p = touch(routine, A, B, r, 10.0)
        p = p[p.d.argmin()]
        for d in (0.0, 1e-7, 1e-3):
            points = touch(routine, A, B, r - (p.d - d) * p.n, 0.01)
            assert abs(points.d.min() - d) < SHARP
        # between two corners there is a shorter way out than back
        points = touch(routine, A, B, r - (p.d + 1e-7) * p.n, 0.01)
        assert -1e-7 - SHARP < points.d.min() < SHARP


@every_pair
def test_rigid_motion_changes_nothing(routine, a, b):
    rng = np.random.default_rng(14)
    for _ in range(60):
        A, B = random_solid(a, rng), random_solid(b, rng)
        r, Q = rng.normal(size=3), turn(rng)
        one, two = touch(routine, A, B, r, 10.0), touch(routine, moved(A, Q), moved(B, Q), Q @ r, 10.0)
        assert abs(one.d.min() - two.d.min()) < SHARP
        assert np.abs(two[two.d.argmin()].n - Q @ one[one.d.argmin()].n).max() < 1e-6


@pytest.mark.parametrize(("routine", "kind"), [(f, a) for f, a, b in PAIRS if a == b])
def test_swapping_solids_of_one_kind_swaps_the_points(routine, kind):
    rng = np.random.default_rng(15)
    for _ in range(60):
        A, B, r = random_solid(kind, rng), random_solid(kind, rng), 1.5 * rng.normal(size=3)
        one, two = touch(routine, A, B, r, 10.0), touch(routine, B, A, -r, 10.0)
        one, two = one[one.d.argmin()], two[two.d.argmin()]
        assert abs(one.d - two.d) < SHARP
        assert np.abs(one.n + two.n).max() < 1e-6


@every_pair
def test_distance_is_continuous_along_paths(routine, a, b):
    """Solids no larger than 2 that move by s and turn by w change their distance by no more than |s| + 2 |w|."""
    rng = np.random.default_rng(16)
    for _ in range(6):
        A, B, r = random_solid(a, rng), random_solid(b, rng), rng.normal(size=3)
        spin = rng.normal(size=3) * 0.005
        Q, way = Rotation.from_rotvec(spin).as_matrix(), rng.normal(size=3) * 0.01
        last = None
        for _ in range(60):
            d = touch(routine, A, B, r, 100.0).d.min()
            if last is not None:
                assert abs(d - last) <= np.linalg.norm(way) + 2 * np.linalg.norm(spin) + 2 * SHARP
            last, B, r = d, moved(B, Q), r + way


@every_pair
def test_nothing_is_reported_beyond_the_margin(routine, a, b):
    rng = np.random.default_rng(17)
    for _ in range(60):
        A, B, r = random_solid(a, rng), random_solid(b, rng), 2 * rng.normal(size=3)
        d = touch(routine, A, B, r, 10.0).d.min()
        if d < 1e-9:
            continue
        assert len(touch(routine, A, B, r, d - 1e-9)) == 0
        near = touch(routine, A, B, r, d + 1e-9)
        assert len(near) > 0
        assert near.d.max() <= d + 1e-9


@every_pair
def test_one_centre_and_no_size_give_finite_points(routine, a, b):
    """Where the normal is anyone's choice there is one, of unit length."""
    for A in (random_solid(a, np.random.default_rng(18)), solid(a, np.eye(3), (0, 0, 0))):
        for B in (A if a == b else random_solid(b, np.random.default_rng(19)), solid(b, np.eye(3), (0, 0, 0))):
            if CONE in (A.kind, B.kind) and 0 in (A.size.z, B.size.z):
                continue
            points = touch(routine, A, B, (0.0, 0.0, 0.0), 10.0)
            check_points(points, A, B, np.zeros(3), 10.0, 1e-12)
