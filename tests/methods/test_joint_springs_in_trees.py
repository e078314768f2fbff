"""Springs and dampers in the joints of a tree: order, stiffness, forces, equations of motion (B-07, V-78)."""

import numpy as np
import pytest

import gelenk as gk

K, INERTIA = 40.0, 0.5


def flywheel(stiffness=K, damping=0.0, rest=0.0, speed=2.0, **more):
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), angular_velocity=(0, 0, speed))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.JointSpring(name="spring", on="axle", stiffness=stiffness, damping=damping, rest=rest, **more))
    return b.build()


def ended(model, method, t):
    sim = gk.Simulation(model, method)
    sim.advance(t)
    return sim


@pytest.mark.parametrize("order", [1, 2, 4])
def test_a_spring_in_a_hinge_swings_as_a_cosine(order):
    """Damped oscillator: errors fall with h^order, from some (w h)^order at w = 9/s."""
    c, t = 0.4, 0.5
    w0, d = np.sqrt(K / INERTIA), c / (2 * INERTIA)
    w = np.sqrt(w0**2 - d**2)
    x0 = -0.1  # from the rest at 0.1
    x = 0.1 + np.exp(-d * t) * (x0 * np.cos(w * t) + (2.0 + d * x0) / w * np.sin(w * t))
    model = flywheel(damping=c, rest=0.1)
    errors = [abs(ended(model, gk.MoreauTree(h=h, order=order), t).sensors["axle.angle"] - x) for h in (5e-3, 2.5e-3)]
    assert errors[1] < {1: 2e-2, 2: 1e-4, 4: 1e-7}[order]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)  # next power of h adds some 5 %


@pytest.mark.parametrize("order", [1, 2])
def test_no_spring_is_too_stiff(order):
    """w h = 450: with order 2 energy stays; with order 1 it is gone after some steps, and meanwhile the spring gives
    way by no more than what the half step moves that Moreau's rule takes before forces act."""
    model, h, speed = flywheel(stiffness=1e11, damping=0.0, speed=0.1), 1e-3, 0.1
    sim = gk.Simulation(model, gk.MoreauTree(h=h, order=order))
    energy, place = [], []
    for _ in range(50):
        sim.advance(h)
        energy.append(sim.ledger[:2].sum())
        place.append(abs(sim.sensors["axle.angle"]))
    begin = 0.5 * INERTIA * speed**2
    assert max(place) <= 0.5 * h * speed
    if order == 1:
        assert energy[-1] < 1e-6 * begin
    else:
        assert energy == pytest.approx([begin] * 50, rel=1e-3)  # round-off of 1e-16 k q^2 over many steps


def test_a_stiff_damper_stops_at_once_with_order_one():
    sim = gk.Simulation(flywheel(stiffness=0.0, damping=1e9), gk.MoreauTree(h=1e-3, order=1))
    sim.advance(1e-3)
    assert abs(sim.sensors["axle.rate"]) < 1e-5


def mixed():
    """A tree with springs on several kinds of joints, one with the world as side b."""
    b = gk.Builder()
    b.body("first", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.2, 0.1, 0))
    b.body("second", mass=0.5, inertia=(0.05, 0.1, 0.1), at=(0.5, 0.1, 0.2))
    b.body("third", mass=0.5, inertia=(0.05, 0.1, 0.1), at=(0.8, 0.1, 0.2))
    b.add(gk.Cylindrical(name="post", a="first", b="world", at=(0, 0, 0), axis=(0.6, 0, 0.8)))
    b.add(gk.Universal(name="cross", a="first", b="second", at=(0.4, 0, 0), axis=(0, 0, 1), x_axis=(1, 0, 0)))
    b.add(gk.Screw(name="thread", a="second", b="third", at=(0.6, 0, 0), axis=(0, 1, 0), lead=2.0))
    b.add(gk.JointSpring(name="one", on="post.position", stiffness=200.0, damping=2.0))
    b.add(gk.JointSpring(name="two", on="post.angle", stiffness=20.0))
    b.add(gk.JointSpring(name="three", on="cross.angle_y", stiffness=5.0, damping=0.1, rest=0.2))
    b.add(gk.JointSpring(name="four", on="cross.angle_x", damping=0.2))
    b.add(gk.JointSpring(name="five", on="thread.position", stiffness=100.0, damping=1.0))
    return b.build()


def test_forces_of_springs_and_reactions_are_those_of_impulse():
    """Both of order 2 at 0.5 ms: (w h)^2 of numbers of size 1 to 10, w up to 20/s. No row is left beside the tree."""
    model = mixed()
    own, other = (ended(model, m, 0.4) for m in (gk.MoreauTree(h=5e-4), gk.Impulse(h=5e-4, contact=None)))
    assert own.info["rows"] == 0
    np.testing.assert_allclose(own.state.p_WC, other.state.p_WC, rtol=0, atol=1e-5)
    np.testing.assert_allclose(own.state.v_WC, other.state.v_WC, rtol=0, atol=1e-4)
    for name in ("one", "two", "three", "four", "five"):
        assert own.sensors[f"{name}.force"] == pytest.approx(other.sensors[f"{name}.force"], abs=5e-2)  # half a step
    for joint in ("post", "cross", "thread"):
        for what in ("force", "torque"):
            mine, theirs = own.sensors[f"{joint}.{what}"], other.sensors[f"{joint}.{what}"]
            np.testing.assert_allclose(mine, theirs, rtol=0, atol=0.1)


def test_order_four_agrees_with_order_two():
    """Order 2 at 0.25 ms errs by 1e-6; order 4 by 1e-10."""
    model = mixed()
    own, other = (ended(model, gk.MoreauTree(h=2.5e-4, order=p), 0.4) for p in (4, 2))
    np.testing.assert_allclose(own.state.p_WC, other.state.p_WC, rtol=0, atol=5e-6)


def test_springs_keep_the_energy_that_they_are_given():
    model = flywheel()
    sim = gk.Simulation(model, gk.MoreauTree(h=1e-3, order=2))
    start = sim.ledger[:2].sum()
    sim.advance(20.0)
    assert sim.ledger[:2].sum() == pytest.approx(start, rel=1e-9)  # implicit midpoint rule of a linear oscillator


def test_springs_with_bounds_stay_rows():
    sim = gk.Simulation(flywheel(force_max=0.0), gk.MoreauTree(h=1e-3))
    sim.advance(0.01)
    assert sim.info["rows"] == 1
    assert sim.sensors["spring.force"] < 0.0


def test_equations_of_motion_count_springs_in():
    """Linear-time, projected and inverse dynamics; bounds too; and without."""
    model = mixed()
    tree, bare = gk.TreeDynamics(model), gk.TreeDynamics(model, springs=False)
    rng = np.random.default_rng(1)
    q, u, tau = rng.normal(size=tree.nq), rng.normal(size=tree.nu), rng.normal(size=tree.nu)
    du = tree.forward(q, u, tau)
    np.testing.assert_allclose(tree.forward(q, u, tau, projected=True), du, rtol=0, atol=1e-9)  # of size 1e3
    np.testing.assert_allclose(tree.inverse(q, u, du), tau, rtol=0, atol=1e-9)
    assert tree.names == ("post.position", "post.angle", "cross.angle_x", "cross.angle_y", "thread.angle")
    lead = 2.0 / (2 * np.pi)
    springs = np.array(
        [
            -200.0 * q[0] - 2.0 * u[0],
            -20.0 * q[1],
            -0.2 * u[2],
            -5.0 * (q[3] - 0.2) - 0.1 * u[3],
            lead * (-100.0 * lead * q[4] - 1.0 * lead * u[4]),
        ]
    )
    np.testing.assert_allclose(bare.inverse(q, u, du), tau + springs, rtol=0, atol=1e-9)
    one_sided = gk.TreeDynamics(flywheel(force_max=0.0))
    assert one_sided.forward([-0.5], [0.0]) == pytest.approx([0.0])
    assert one_sided.forward([0.5], [0.0]) == pytest.approx([-0.5 * K / INERTIA])
    with pytest.raises(gk.InputError, match="springs is 1"):
        gk.TreeDynamics(model, springs=1)


def test_springs_act_on_driven_joints_through_the_force_of_the_drive():
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA), angular_velocity=(0, 0, 2.0))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.JointSpring(name="spring", on="axle", stiffness=K, damping=0.3))
    b.add(gk.Driven(name="motor", on="axle", velocity=2.0))
    sim = ended(b.build(), gk.MoreauTree(h=1e-3), 0.1)
    assert sim.sensors["motor.force"] == pytest.approx(K * 2.0 * (0.1 - 5e-4) + 0.3 * 2.0, rel=1e-12)
    assert sim.sensors["motor.force"] == pytest.approx(-sim.sensors["spring.force"], rel=1e-12)
    assert sim.sensors["axle.torque"] == pytest.approx((0, 0, 0), abs=1e-12)
