"""Times of impact are the same by the routine for simple shapes, that for convex ones and that for all (V-06)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.collision.impact_rows import any_impact, flat_impact, impact_plug, single_impact
from gelenk.math.rotation import rotation_matrix

FAR = (1e4, 0, 0)
EXTRA = {
    flat_impact: None,
    single_impact: gk.Cone(0.5, 1.0),
    any_impact: gk.HeightField(np.zeros((3, 3)), 1.0),
}


def impacts(extra, seed):
    """Boxes, balls and capsules that fly at each other and onto a plane, some of them overlapping; and one far away."""
    rng = np.random.default_rng(seed)
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    shapes = [gk.Box((0.4, 0.6, 0.8)), gk.Sphere(0.3), gk.Capsule(0.2, 0.6), gk.Box((1, 1, 0.1))]
    for k in range(8):
        at, turn = rng.uniform((-1.2, -1.2, 0.1), (1.2, 1.2, 2.0)), gk.unit(rng.normal(size=4))
        v, w = rng.normal(size=3) * 2.0, rng.normal(size=3) * 3.0
        b.body(f"b{k}", shape=shapes[k % 4], density=1, at=at, rotation=turn, velocity=v, angular_velocity=w)
    if extra is not None:
        b.body("far", shape=extra, static=True, at=FAR)
    model = b.build()
    return gk.CollisionWorld(model).impacts(model.initial_state(), 0.5)


@pytest.mark.parametrize("routine", [single_impact, any_impact])
def test_all_routines_find_the_same_impacts(routine):
    found = 0
    for seed in range(20):
        simple, other = impacts(EXTRA[flat_impact], seed), impacts(EXTRA[routine], seed)
        assert {(hit.a, hit.b) for hit in simple} == {(hit.a, hit.b) for hit in other}
        times = {(hit.a, hit.b): hit.time for hit in other}
        for hit in simple:
            assert hit.time == pytest.approx(times[hit.a, hit.b], abs=1e-5)
        found += len(simple)
    assert found > 100
    assert {flat_impact, routine} <= set(impact_plug._kernels)


@pytest.mark.parametrize("turn", [(1, 0, 0, 0), (0.9, 0.1, -0.3, 0.2)])
@pytest.mark.parametrize("shape", [gk.Sphere(0.2), gk.Capsule(0.1, 0.3), gk.Box((0.2, 0.3, 0.4))])
def test_normals_of_sides_are_exact(shape, turn):
    """Met at a millionth of the size, where nearest points alone tell a normal to 1e-10."""
    R = rotation_matrix(gk.unit(turn))
    b = gk.Builder()
    b.body("plate", shape=gk.Box((2, 2, 0.1)), static=True, rotation=gk.unit(turn))
    world = gk.CollisionWorld(b.build())
    for height in (3.0, 0.5):
        hit = world.sweep(
            shape, at=R @ (0.31, 0.17, height), way=R @ (0.1, 0.2, -4.0), rotation=gk.unit((1, 0.3, 0.2, 0))
        )
        np.testing.assert_allclose(hit.normal, R[:, 2], atol=1e-15)
