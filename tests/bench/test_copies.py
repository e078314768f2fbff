"""The scene `batch`: the humanoid is what is said of it, and engines that are measured move alike."""

import numpy as np
import pytest

from gelenk.bench.copies import SPIN, STEP, OwnCopies, bench_batch, installed
from gelenk.bench.gelenk_engine_tree import tree_model
from gelenk.bench.humanoid import Humanoid
from gelenk.trees.dynamics import TreeDynamics


def test_the_humanoid_has_nineteen_bodies_and_weighs_what_a_man_does():
    scene = Humanoid.make()
    model = tree_model(scene)
    assert len(model.bodies) == len(scene.links) == 19
    assert TreeDynamics(model).nu == 6 + 18
    assert model.system.masses.mass.sum() == pytest.approx(78.0, rel=1e-14)


def test_a_small_batch_is_measured_and_order_four_keeps_the_energy():
    lines = []
    records = bench_batch((), 2, lines.append, rounds=1, piece=1)
    assert [r["variant"] for r in records] == ["order 1", "order 2", "order 4"]
    assert all(r["cpu_ms_per_step"] >= 0.0 and r["wall_ms_per_step"] > 0.0 for r in records)
    error = [r["accuracy"]["energy_error"] for r in records]
    assert error[2] < 1e-9 < error[1] < error[0] < 1e-2
    assert any("order 4" in line for line in lines)


@pytest.mark.parametrize("peer", ["mujoco", "pinocchio"])
def test_a_peer_moves_as_we_do(peer):
    pytest.importorskip(peer)
    given = Humanoid.make(), 2, STEP, SPIN, 2
    theirs, ours = installed([peer], print)[peer](*given), OwnCopies(*given, order=1)
    begun = ours.places(1)
    np.testing.assert_allclose(theirs.places(1), begun, rtol=0, atol=1e-14)
    for engine in (theirs, ours):
        engine.advance(20)
    t = 20 * STEP
    assert np.abs(ours.places(1) - begun).max() > 0.5 * 9.81 * t * t  # joints do turn
    # both are of order 1: bodies fall by g t (t +- h) / 2, and turning at 1 rad/s adds less than falling does
    assert np.abs(theirs.places(1) - ours.places(1)).max() < 0.5 * 9.81 * t * STEP + 1e-4
    kinetic, potential = np.array(theirs.energies(20)).T
    change = np.abs(kinetic + potential - kinetic[0] - potential[0])
    assert 0.0 < change[-1] < 78.0 * 9.81 * 9.81 * t * STEP  # m g times what an error of order 1 in the height may be
