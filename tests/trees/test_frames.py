"""States of frames: motion and load of any point of a body, in one piece (T-48, T-49)."""

import numpy as np
import pytest

import gelenk as gk
from trees.random_trees import ALL, random_motion, random_tree

SEEDS = range(6)
ROUND = 1e-11  # of numbers of size 1 to 1000 in trees of eight bodies


def tree_of(seed):
    tree = gk.TreeDynamics(random_tree(seed, free=seed % 3 == 0, kinds=ALL))
    return tree, *random_motion(tree, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_frames_of_one_body_are_tied_as_a_rigid_link_ties_them(seed):
    """track-vehicles 3.10: v' = v + w x d, a' = a + w' x d + w x (w x d), and back f = f', t = t' + d x f'."""
    tree, q, u = tree_of(seed)
    du = np.random.default_rng(seed).normal(size=tree.nu)
    for body in tree.model.bodies:
        a, b = (tree.frame(q, u, body.name, p, du=du) for p in (None, (0.3, -0.2, 0.5)))
        d, size = b.r - a.r, ROUND * max(1.0, np.abs(a.force).max(), np.abs(a.dv).max())
        np.testing.assert_allclose(d, a.R @ (0.3, -0.2, 0.5), rtol=0, atol=size)
        np.testing.assert_allclose(b.v, a.v + np.cross(a.w, d), rtol=0, atol=size)
        outward = np.cross(a.dw, d) + np.cross(a.w, np.cross(a.w, d))
        np.testing.assert_allclose(b.dv, a.dv + outward, rtol=0, atol=size)
        np.testing.assert_allclose(a.force, b.force, rtol=0, atol=size)
        np.testing.assert_allclose(a.torque, b.torque + np.cross(d, b.force), rtol=0, atol=size)


@pytest.mark.parametrize("seed", SEEDS)
def test_loads_are_what_the_motion_of_all_behind_asks_for(seed):
    """Newton and Euler for a body with all that hangs on it:  f = sum m (a - g),  t = sum r x m (a - g) + I w' + ..."""
    tree, q, u = tree_of(seed)
    du = np.random.default_rng(seed).normal(size=tree.nu)
    masses, g = tree.model.system.masses, np.array(tree.model.gravity)
    names = [tree.model.nodes.names[int(x.node)] for x in tree.tree.link]
    coms = {body.name: body.com for body in tree.model.bodies}
    behind = {}
    for n, x in reversed(list(enumerate(tree.tree.link))):
        behind.setdefault(n, [n])
        if int(x.parent) < len(names):
            behind.setdefault(int(x.parent), [int(x.parent)]).extend(behind[n])
    for n, name in enumerate(names):
        found, force, torque = tree.frame(q, u, name, du=du), np.zeros(3), np.zeros(3)
        for k in behind[n]:
            s, node = tree.frame(q, u, names[k], coms[names[k]], du=du), int(tree.tree.link[k].node)
            pull, inertia = masses.mass[node] * (s.dv - g), s.R @ masses.inertia_B[node] @ s.R.T
            force += pull
            torque += np.cross(s.r - found.r, pull) + inertia @ s.dw + np.cross(s.w, inertia @ s.w)
        size = 10 * ROUND * max(1.0, np.abs(torque).max())
        np.testing.assert_allclose(found.force, force, rtol=0, atol=size)
        np.testing.assert_allclose(found.torque, torque, rtol=0, atol=size)


@pytest.mark.parametrize("seed", SEEDS)
def test_joints_pass_power_on_and_keep_none(seed):
    """T-48: what all loads do at the motion of their bodies, less what they take from parents, is tau.u."""
    tree, q, u = tree_of(seed)
    du = np.random.default_rng(seed).normal(size=tree.nu)
    names = [tree.model.nodes.names[int(x.node)] for x in tree.tree.link]
    power, size = 0.0, 1.0
    for n, name in enumerate(names):
        s, parent = tree.frame(q, u, name, du=du), int(tree.tree.link[n].parent)
        v, w = s.v, s.w
        if parent < len(names):  # the parent as a rigid body at the same point
            above = tree.frame(q, u, names[parent], du=du)
            v, w = v - above.v - np.cross(above.w, s.r - above.r), w - above.w
        power += s.force @ v + s.torque @ w
        size = max(size, np.abs(s.torque).max())
    assert power == pytest.approx(tree.inverse(q, u, du) @ u, abs=100 * ROUND * size)


def test_accelerations_that_are_left_out_are_those_of_the_forces():
    tree, q, u = tree_of(1)
    there, free = tree.frame(q, u, "b3", du=tree.forward(q, u)), tree.frame(q, u, "b3")
    for a, b in zip(there, free, strict=True):
        np.testing.assert_array_equal(a, b)


def test_names_that_mean_something_else_are_told_apart():
    tree, q, u = tree_of(1)
    for name, remedy in (("bb3", "Did you mean 'b3'"), ("j3", "It is a joint; the body that it moves is 'b3'")):
        with pytest.raises(gk.InputError, match=remedy):
            tree.frame(q, u, name)
    with pytest.raises(gk.InputError, match="It never moves"):
        tree.jacobian(q, "world")
