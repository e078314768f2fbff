"""Velocities and accelerations of points by free and by driven joints; lists by breadth (B-01, B-12 to B-14)."""

import numpy as np
import pytest

import gelenk as gk
from trees.random_trees import ALL, BALL, BEAD, FREE, moved, random_motion, random_tree

SEEDS = range(12)
ROUND = 1e-11  # of numbers of size 1 to 1000 in trees of eight bodies
POINT = (0.2, -0.1, 0.3)


def tree_of(seed):
    """A random tree of all joints, hinges and sliders driven among them."""
    return gk.TreeDynamics(random_tree(seed, free=seed % 3 == 0, kinds=ALL, driven=2))


def test_the_trees_have_every_joint():
    trees = [tree_of(seed) for seed in SEEDS]
    kinds = {joint.kind for tree in trees for joint in tree.model.joints}
    assert {*ALL, "driven"} == kinds
    assert {BALL, FREE, BEAD} <= {int(link.kind) for tree in trees for link in tree.tree.link}
    assert sum(tree.driven.any() for tree in trees) > 6


@pytest.mark.parametrize("seed", SEEDS)
def test_columns_are_what_unit_velocities_do(seed):
    """B-14: J and H column by column, by the transfer of velocities from body to body, for u = e_k."""
    tree = tree_of(seed)
    q, _ = random_motion(tree, seed)
    for body in tree.model.bodies:
        J = tree.jacobian(q, body.name, POINT)
        columns = np.array([tree.velocity(q, e, body.name, POINT) for e in np.eye(tree.nu)]).T
        np.testing.assert_allclose(J, columns, rtol=0, atol=ROUND * max(1.0, abs(J).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_motion_of_points_is_split_into_free_and_driven(seed):
    """bobsleigh 3.4:  v = J u + nu,  nu = H m,  a = J u' + kappa;  and J^T f is what f does to free joints, H^T f to
    driven ones (B-01, B-13)."""
    tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    du = np.random.default_rng(seed).normal(size=tree.nu)
    free, given = ~tree.driven, tree.driven
    for body in tree.model.bodies:
        columns = tree.jacobian(q, body.name, POINT)
        J, H = columns[:, free], columns[:, given]
        nu, v = tree.pseudo_velocity(q, u, body.name, POINT), tree.velocity(q, u, body.name, POINT)
        kappa = tree.pseudo_acceleration(q, u, body.name, POINT, du=du)
        size = ROUND * max(1.0, abs(kappa).max(), abs(columns).max())
        np.testing.assert_allclose(nu, H @ u[given], rtol=0, atol=size)
        np.testing.assert_allclose(v, J @ u[free] + nu, rtol=0, atol=size)
        a = tree.acceleration(q, u, du, body.name, POINT)
        np.testing.assert_allclose(a, J @ du[free] + kappa, rtol=0, atol=size)
        alone = tree.pseudo_acceleration(q, u, body.name, POINT)  # with driven joints at constant speed
        np.testing.assert_allclose(kappa, alone + H @ du[given], rtol=0, atol=size)


@pytest.mark.parametrize("seed", SEEDS)
def test_pseudo_accelerations_are_rates_of_velocities_at_constant_u(seed):
    """kappa = dv/dt along q' = B u, u' = 0, by central differences: error h^2 and 1e-16 / h, some 1e-9 times numbers of
    size 100. Curves are splines whose third derivatives, of size 100, jump at their points."""
    tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    h = 1e-5
    for body in tree.model.bodies:
        ahead, behind = (tree.velocity(moved(tree, q, u, s), u, body.name, POINT) for s in (h, -h))
        kappa = tree.pseudo_acceleration(q, u, body.name, POINT)
        np.testing.assert_allclose((ahead - behind) / (2 * h), kappa, rtol=0, atol=1e-7 * max(10.0, abs(kappa).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_momentum_of_free_trees_changes_by_gravity_alone(seed):
    """Sum m a = m g and the rate of angular momentum about the centre of mass is zero, whatever the joints do."""
    tree = gk.TreeDynamics(random_tree(seed, free=True, kinds=ALL))
    q, u = random_motion(tree, seed)
    tau = np.random.default_rng(seed).normal(size=tree.nu)
    tau[:6] = 0.0  # of the joints alone
    du = tree.forward(q, u, tau)
    state, masses = tree.state(q, u), tree.model.system.masses
    centre = masses.mass @ state.p_WC / masses.mass.sum()
    force, torque, size = np.zeros(3), np.zeros(3), 1.0
    for n, body in enumerate(tree.model.bodies, start=1):
        a = tree.acceleration(q, u, du, body.name, body.com)
        R = gk.math.rotation.rotation_matrix(state.q_WB[n])
        inertia, w = R @ masses.inertia_B[n] @ R.T, tree.velocity(q, u, body.name)[3:]
        force += masses.mass[n] * a[:3]
        torque += np.cross(state.p_WC[n] - centre, masses.mass[n] * a[:3])
        torque += inertia @ a[3:] + np.cross(w, inertia @ w)
        size = max(size, abs(a).max())
    np.testing.assert_allclose(force, masses.mass.sum() * np.array(tree.model.gravity), rtol=0, atol=ROUND * size)
    np.testing.assert_allclose(torque, 0.0, rtol=0, atol=10 * ROUND * size)


def test_lists_go_level_by_level():
    """The tree of bobsleigh 4.2: O-0-1-{2-4, 3}. Depth first it is 0 1 2 4 3, breadth first 0 1 2 3 4 (B-11, B-12)."""
    b = gk.Builder()
    b.body("ice", shape=gk.Plane(), static=True)
    for name, parent in (("b0", "world"), ("b1", "b0"), ("b2", "b1"), ("b3", "b1"), ("b4", "b2")):
        b.body(name, mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1))
        if parent != "world":
            b.add(gk.Ball(name=f"j{name[1]}", a=parent, b=name, at=(0, 0, 1)))
    b.body("other", mass=1.0, inertia=(1, 1, 1), at=(9, 0, 1))
    for body, count in (("b4", 1), ("b3", 2), ("b0", 1)):
        points, ways = [(0, 0, -0.1 * k) for k in range(count)], [(0, 0, 0.1)] * count
        b.add(gk.SegmentContacts(f"feet_{body}", body, points, ways, "ice"))
    tree = gk.TreeDynamics(b.build())
    lists = tree.by_breadth()
    assert tree.joints == ("b0", "j1", "j2", "j4", "j3", "other")
    assert lists.joints == ("b0", "other", "j1", "j2", "j3", "j4")
    assert lists.bodies == ("b0", "other", "b1", "b2", "b3", "b4")
    assert lists.contacts == (("feet_b0", 0), ("feet_b3", 0), ("feet_b3", 1), ("feet_b4", 0))
    parents = {"b1": "b0", "b2": "b1", "b3": "b1", "b4": "b2"}
    assert all(lists.bodies.index(parent) < lists.bodies.index(child) for child, parent in parents.items())


@pytest.mark.parametrize("seed", range(10))
def test_lists_are_those_of_the_recipe_on_random_trees(seed):
    """Algorithms 2.1 and 2.2 of bobsleigh 4.2 and 4.3 word by word, from the joints of the model alone (B-11, B-12).

    Thirty bodies and their joints are named in any order, either side of a joint may be the parent; feet on some.
    """
    rng, count = np.random.default_rng(seed), 30
    above = [None, *(f"b{rng.integers(0, n)}" if rng.random() < 0.85 else "world" for n in range(1, count))]
    above[0] = "world"
    b = gk.Builder()
    b.body("ice", shape=gk.Plane(), static=True)
    for n in rng.permutation(count):
        b.body(f"b{n}", mass=1.0, inertia=(1, 1, 1), at=(0, 0, 1))
    outgoing, contacts = {}, {}
    for n in rng.permutation(count):
        ends = (above[n], f"b{n}") if rng.random() < 0.5 else (f"b{n}", above[n])
        b.add(gk.Ball(name=f"j{n}", a=ends[0], b=ends[1], at=(0, 0, 1)))
        outgoing.setdefault(above[n], []).append((f"j{n}", f"b{n}"))
    for k, n in enumerate(rng.integers(0, count, 12)):
        points = [(0, 0, -0.1 * (i + 1)) for i in range(1 + k % 2)]
        b.add(gk.SegmentContacts(f"feet{k}", f"b{n}", points, [(0, 0, 0.1)] * len(points), "ice"))
        contacts.setdefault(f"b{n}", []).extend((f"feet{k}", i) for i in range(len(points)))

    def construct_state(body):
        for joint, child in outgoing.get(body, ()):
            depth.append(joint)
            construct_state(child)

    depth = []
    construct_state("world")
    joints = [joint for joint, _ in outgoing["world"]]
    bodies, feet = [child for _, child in outgoing["world"]], []
    for body in bodies:  # grows
        joints += [joint for joint, _ in outgoing.get(body, ())]
        bodies += [child for _, child in outgoing.get(body, ())]
        feet += contacts.get(body, ())
    tree = gk.TreeDynamics(b.build())
    assert tree.joints == tuple(depth)
    assert tree.by_breadth() == (tuple(joints), tuple(bodies), tuple(feet))


def test_contact_forces_act_on_free_and_driven_joints_by_their_jacobians():
    """B-32:  j = sum J^T F, i = sum H^T F  in the middle of the step, and  j.u + i.m = sum F.v  of the points.

    A hull on two feet with an arm that is driven down and one that hangs freely, all feet on the ice, sliding.
    """
    b = gk.Builder()
    b.body("ice", shape=gk.Plane(), static=True)
    b.body("hull", mass=3.0, inertia=(0.2, 0.3, 0.4), at=(0, 0, 0.3), velocity=(0.5, 0.3, 0))
    b.body("arm", mass=0.5, inertia=(0.01, 0.02, 0.02), at=(0.6, 0, 0.2), velocity=(0.5, 0.3, 0))
    b.body("tail", mass=0.4, inertia=(0.01, 0.02, 0.02), at=(-0.6, 0, 0.2), velocity=(0.5, 0.3, 0))
    b.add(gk.Hinge(name="shoulder", a="hull", b="arm", at=(0.3, 0, 0.3), axis=(0.6, 0.8, 0)))
    b.add(gk.Hinge(name="hip", a="hull", b="tail", at=(-0.3, 0, 0.3), axis=(0, 0.8, 0.6)))
    b.add(gk.Driven(name="motor", on="shoulder", amplitude=0.05, frequency=2.0, phase=-np.pi / 2, offset=0.05))
    feet = {"hull": [(0.1, 0.2, -0.3), (0.1, -0.2, -0.3)], "arm": [(0.2, 0, -0.2)], "tail": [(-0.2, 0, -0.2)]}
    for body, points in feet.items():
        b.add(gk.SegmentContacts(f"feet_{body}", body, points, [(0, 0, 0.1)] * len(points), "ice", friction=0.3))
    model, h = b.build(), 1e-3
    sim, tree = gk.Simulation(model, gk.MoreauTree(h=h, order=1)), gk.TreeDynamics(model)
    drive = next(int(x.q) for x, name in zip(tree.tree.link, tree.joints) if name == "shoulder")
    touched = set()
    for _ in range(40):
        q, u = tree.coordinates(sim.state)
        sim.contact_loads()
        sim.step()
        middle = moved(tree, q, u, 0.5 * h)
        middle[drive] = 0.05 * (1.0 - np.cos(4 * np.pi * (sim.time - 0.5 * h)))
        placed, (_, after) = tree.state(middle), tree.coordinates(sim.state)
        expected, power = np.zeros(tree.nu), 0.0
        for c in sim.contacts:
            n = model.index(c.b)
            R = gk.math.rotation.rotation_matrix(placed.q_WB[n])
            point = R.T @ (c.point - placed.p_WC[n])
            expected += tree.jacobian(middle, c.b, point)[:3].T @ c.force
            power += c.force @ tree.velocity(middle, after, c.b, point)[:3]
            touched.add(c.b)
        loads = sim.contact_loads()
        found = np.array([loads[name] for name in tree.names])
        size = 1e-9 * max(1.0, abs(expected).max())  # of forces some 100 times the weight where a foot lands
        np.testing.assert_allclose(found, expected, rtol=0, atol=size)
        assert found @ after == pytest.approx(power, abs=10 * size)
    assert touched == set(feet)
