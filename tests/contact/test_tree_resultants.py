"""Resultants of contact on each body of a tree: force, and moment about its centre of mass (B-33, B-32)."""

import numpy as np
import pytest

import gelenk as gk
from trees.random_trees import moved

H = 1e-3
BODIES = "cart", "front", "back", "stick", "brick"


def cart(couples):
    """On two balls as wheels, pushed aslant, a stick that drags behind and a brick that slides about on the cart."""
    b = gk.Builder()
    b.material("m", friction=0.4, **couples)
    start, brick = {"velocity": (1.0, 0.4, 0), "material": "m"}, {"velocity": (0, 1.5, 0), "material": "m"}
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    b.body("cart", shape=gk.Box((1.0, 0.4, 0.1)), density=300.0, at=(0, 0, 0.3), angular_velocity=(0, 0, 0.5), **start)
    for name, x in (("front", 0.4), ("back", -0.4)):
        b.body(name, shape=gk.Sphere(0.2), density=400.0, at=(x, 0, 0.2002), **start)
        b.add(gk.Hinge(name=f"axle_{name}", a="cart", b=name, at=(x, 0, 0.2002), axis=(0, 1, 0)))
    turn = (np.cos(0.3), 0, np.sin(0.3), 0)
    b.body("stick", shape=gk.Capsule(0.03, 0.5), density=500.0, at=(-0.8, 0, 0.237), rotation=turn, **start)
    b.add(gk.Ball(name="hitch", a="cart", b="stick", at=(-0.5, 0, 0.3)))
    b.body("brick", shape=gk.Box((0.2, 0.1, 0.06)), density=2000.0, at=(0.1, 0, 0.3802), **brick)
    return b.build()


COUPLES = {"points": {}, "couples": {"rolling_friction": 0.004, "torsional_friction": 0.01}}


@pytest.mark.parametrize("couples", COUPLES.values(), ids=COUPLES)
def test_resultants_of_a_tree_are_its_contact_loads_and_balance(couples):
    """Of every step:  sum J_b^T (F_b, M_b) = j  with J of the centres of mass in its middle.

    What two bodies do to each other is opposite, so that forces of all bodies and the floor sum to zero, and moments
    about the origin to those of forces over gaps to the floor that are still open,  d n x F.  The brick, which no joint
    holds, moves by its own force,  m (v' - v) = h (F + m g).
    """
    model = cart(couples)
    sim, tree = gk.Simulation(model, gk.MoreauTree(h=H, order=1)), gk.TreeDynamics(model)
    weights = dict.fromkeys((*BODIES, "floor"), 0)
    for _ in range(150):
        q, u = tree.coordinates(sim.state)
        v = sim["brick"].velocity
        sim.contact_loads()
        sim.step()
        middle = moved(tree, q, u, 0.5 * H)
        placed = tree.state(middle)
        F = {name: sim.contact_force(name) for name in weights}
        M = {name: sim.contact_torque(name) for name in weights}
        size = max(1.0, *(abs(f).max() for f in F.values()))
        loads, j = sim.contact_loads(), np.zeros(tree.nu)
        for name in BODIES:
            j += tree.jacobian(middle, name).T @ np.hstack((F[name], M[name]))
        np.testing.assert_allclose([loads[name] for name in tree.names], j, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(sum(F.values()), 0.0, atol=1e-12 * size)
        about = [np.cross(placed.p_WC[model.index(name)], F[name]) + M[name] for name in weights]
        apart = [max(0.0, c.distance) * np.cross(c.normal, c.force) for c in sim.contacts if "floor" in (c.a, c.b)]
        np.testing.assert_allclose(sum(about), sum(apart), atol=1e-8 * size)  # (h w)^3 m of the middle
        brick = model.system.masses.mass[model.index("brick")]
        change = brick * (sim["brick"].velocity - v) / H
        np.testing.assert_allclose(change, F["brick"] + brick * np.array((0, 0, -9.81)), atol=1e-8 * size)
        for name in weights:
            weights[name] += bool(F[name].any())
    assert min(weights.values()) > 20


def test_loads_count_the_couples_of_impacts_too():
    """A ball that spins bounces and comes to rest:  I (w' - w) = sum h M  and  m (v' - v) = sum h (F + m g)."""
    b = gk.Builder()
    b.material("m", friction=0.3, restitution=0.6, rolling_friction=0.005, torsional_friction=0.02)
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    spin = {"velocity": (0.3, 0.1, 0), "angular_velocity": (3.0, -2.0, 25.0)}
    b.body("ball", shape=gk.Sphere(0.1), mass=2.0, at=(0, 0, 0.15), material="m", **spin)
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=H))
    inertia = 0.4 * 2.0 * 0.1**2
    v, w = sim["ball"].velocity, sim["ball"].angular_velocity
    turned, moved_by = np.zeros(3), np.zeros(3)
    for _ in range(500):
        sim.contact_loads()
        sim.step()
        loads, turn = sim.contact_loads(), gk.math.rotation.rotation_matrix(sim.state.q_WB[sim.model.index("ball")])
        moved_by += H * np.array([loads[f"ball.{x}"] for x in ("vx", "vy", "vz")]) - (0, 0, 2.0 * 9.81 * H)
        turned += H * turn @ [loads[f"ball.{x}"] for x in ("wx", "wy", "wz")]
    assert sim.info["impacts"] >= 3
    np.testing.assert_allclose(2.0 * (sim["ball"].velocity - v), moved_by, atol=1e-9)
    # turned to the world at the end of each step instead of its middle: h w / 2 of what the couple changes
    change = inertia * (sim["ball"].angular_velocity - w)
    np.testing.assert_allclose(change, turned, atol=0.5 * H * 25.0 * np.abs(change).max())
    assert abs(change[2]) > 0.01
