"""Heaps that stand, momentum that is kept, bodies that do not pass (V-100, I-100, X5)."""

import numpy as np
import pytest
from contact_scenes import G, boxes, moved, simulation

import gelenk as gk


def tower(n, size=0.1):
    return boxes({f"box{k}": (0, 0, size * (k + 0.5)) for k in range(n)}, size)


@pytest.mark.parametrize("h", [1e-3, 1 / 240, 1 / 60])
def test_a_tower_of_ten_stands(h, method):
    """Drift below the tolerance of the solver, 1e-7 m/s a box, times the time and the ten boxes."""
    sim = moved(tower(10), 2.0, h, method=method)
    place = sim.state.p_WC[2:]
    assert np.abs(place[:, :2]).max() < 1e-5
    assert np.abs(place[:, 2] - 0.1 * (np.arange(10) + 0.5)).max() < 1e-5
    assert np.abs(sim.state.v_WC).max() < 1e-5
    mass = sim.model.body("box0").mass
    foot = sum(c.force[2] for c in sim.contacts if c.a == "ground")
    assert foot == pytest.approx(10 * mass * G, rel=1e-3)


@pytest.mark.proof
def test_a_tower_of_ten_stands_for_a_minute(method):
    sim = moved(tower(10), 60.0, 1 / 240, method=method)
    place = sim.state.p_WC[2:]
    drift = np.abs(place - np.c_[np.zeros((10, 2)), 0.1 * (np.arange(10) + 0.5)]).max()
    assert drift < 1e-5  # of the 1e-4 that are asked for; the slop of each of ten contacts is 1e-5


BRICK = np.array([0.25, 0.12, 0.08])


def wall(rows=24, long=10):
    """252 bricks in stretcher bond, without mortar (X5): rows of ten, or nine and half a brick at both ends, in turn.

    Whole bricks there would have their centres right above the ends of those below: an equilibrium that does not last.
    """
    b = gk.Builder()
    b.material("brick", density=1800, friction=0.6)
    b.body("ground", shape=gk.Plane(), static=True)
    x, y, z = BRICK
    even = [(k * x, x) for k in range(long)]
    odd = [(-x / 4, x / 2), *((k * x + x / 2, x) for k in range(long - 1)), (long * x - 3 * x / 4, x / 2)]
    for row in range(rows):
        for k, (at, length) in enumerate(odd if row % 2 else even):
            b.body(f"brick{row}_{k}", shape=gk.Box((length, y, z)), material="brick", at=(at, 0, z * (row + 0.5)))
    return b.build()


@pytest.mark.parametrize("t", [0.25, pytest.param(60.0, marks=pytest.mark.proof)])
def test_a_wall_of_252_bricks_stands(t, method):
    """Drift below 0.1 mm in a minute, also in the first moments; it creeps at less than the tolerance of 1e-7 m/s."""
    model = wall()
    assert len(model.bodies) == 253
    start = model.initial_state().p_WC
    sim = moved(model, t, 1 / 240, method=method)
    drift = np.abs(sim.state.p_WC - start).max()
    assert drift < 2e-6 + 1e-7 * t
    foot = sum(c.force[2] for c in sim.contacts if c.a == "ground")
    assert foot == pytest.approx(sum(body.mass for body in model.bodies[1:]) * G, rel=1e-5)


def test_a_heavy_box_on_a_light_one_stands(method):
    """A million to one: sweeps alone would sink."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("light", shape=gk.Box((0.1, 0.1, 0.1)), density=1, at=(0, 0, 0.05))
    b.body("heavy", shape=gk.Box((0.1, 0.1, 0.1)), density=1e6, at=(0, 0, 0.15))
    with pytest.warns(gk.ContactWarning, match="heavy"):
        sim = moved(b.build(), 0.5, method=method)
    assert sim["heavy"].position[2] == pytest.approx(0.15, abs=1e-5)


def test_momentum_of_a_free_heap_is_kept(method):
    rng = np.random.default_rng(3)
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=0.4, restitution=0.5)
    for k in range(27):
        at = 0.25 * (np.array([k % 3, k // 3 % 3, k // 9]) - 1.0)
        q = rng.normal(size=4)
        b.body(
            f"box{k}",
            shape=gk.Box((0.1, 0.12, 0.14)),
            material="m",
            at=tuple(at),
            rotation=tuple(q / np.linalg.norm(q)),
            velocity=tuple(rng.normal(size=3) - 4 * at),
        )
    sim = simulation(b.build(), 2e-3, method)
    before = sim.ledger
    sim.advance(0.4)
    after = sim.ledger
    assert sim.info["impacts"] > 50
    np.testing.assert_allclose(after[2:5], before[2:5], atol=1e-12 * np.abs(sim.state.v_WC).max() * 27)
    assert after[0] < before[0]


@pytest.mark.parametrize("h", [1e-2, 1e-3])
def test_a_bullet_does_not_pass_a_plate(h, method):
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("plate", shape=gk.Box((0.005, 1, 1)), static=True)
    b.body("bullet", shape=gk.Sphere(0.005), density=8000, at=(-1.0, 0.013, 0.02), velocity=(300, 0, 0))
    sim = moved(b.build(), 0.05, h, method=method)
    assert sim["bullet"].position[0] < -0.007


def test_bodies_that_start_inside_each_other_come_out_gently(method):
    model = boxes({"a": (0, 0, 0.05), "b": (0.02, 0, 0.07)})
    with pytest.warns(gk.ContactWarning, match="'a' and 'b'"):
        sim, speed = moved(model, 1.0, samples=lambda s: np.abs(s.state.v_WC).max(), method=method)
    assert speed.max() < 2.0
    assert sim.info["overlap"] < 1e-4


def test_the_same_bits_from_run_to_run_and_for_any_batch(method):
    one = moved(tower(4), 0.1, 2e-3, method=method)
    many, _ = moved(tower(4), 0.1, 2e-3, samples=lambda s: s.time, method=method)
    assert one.state.flat.tobytes() == many.state.flat.tobytes()
