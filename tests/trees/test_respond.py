"""Responses of four directions at a time against the mass matrix:  z = M^-1 w  (B-22)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.state import new_loads
from gelenk.trees.articulated import accelerations
from gelenk.trees.block import new_tree_work
from gelenk.trees.build import plan_tree
from gelenk.trees.directions import begin_direction, new_directions
from gelenk.trees.kinematics import kinematics, read_state
from gelenk.trees.respond import respond_all
from trees.random_trees import random_tree


@pytest.mark.parametrize(("count", "driven"), [(1, 0), (4, 0), (7, 2)])
def test_response_is_that_of_the_mass_matrix(count, driven):
    """Velocities of driven joints do not change, and the others as if these were not there."""
    model = random_tree(7, driven=driven)
    dynamics = gk.TreeDynamics(model)
    state, tree = model.initial_state(), plan_tree(model).tree
    work, loads = new_tree_work(tree, state), new_loads(state)
    read_state(tree, model.wired.memory(state.memory), state, work)
    kinematics(tree, work)
    accelerations(tree, model.system.masses, loads, work)
    nu = len(work.u)
    directions = new_directions(tree, len(state.p_WC), count, count * nu)
    for _ in range(count):
        begin_direction(tree, directions, 0, len(tree.link) - 1)
    rng = np.random.default_rng(6)
    directions.w[:] = rng.normal(size=len(directions.w)) * (rng.random(len(directions.w)) < 0.4)
    respond_all(tree, work, directions, 0, count)
    q, _ = dynamics.coordinates(state)
    M, used = dynamics.mass_matrix(q), directions.used[1]
    W, Z = directions.w[:used].reshape(count, -1), directions.z[:used].reshape(count, -1)
    assert W.shape[1] == nu
    free = tree.driven == 0
    assert (~free).sum() == driven
    np.testing.assert_array_equal(Z[:, ~free], 0.0)
    np.testing.assert_allclose((Z @ M)[:, free], W[:, free], rtol=0.0, atol=1e-10)
    np.testing.assert_allclose(directions.direction["diag"][:count], (W * Z).sum(axis=1), rtol=1e-12)
