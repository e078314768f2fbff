"""Driven joints: closed forms, inverse dynamics, work, and the same motion by three methods (B-09, B-32, B-22)."""

import numpy as np
import pytest

import gelenk as gk

W = 3.0
METHODS = {
    "rows": lambda h: gk.RowStepping(h=h, solver=gk.Tree()),
    "impulse": lambda h: gk.Impulse(h=h),
    "tree": lambda h: gk.MoreauTree(h=h),
    "tree_order_1": lambda h: gk.MoreauTree(h=h, order=1),
}


def turntable(**how):
    """A bead in a radial groove of a disc that turns about z at W from the start, 0.2 m from the axis."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("disc", mass=2.0, inertia=(1, 1, 1), angular_velocity=(0, 0, W))
    bead = {"mass": 0.5, "inertia": (0.01, 0.01, 0.01), "angular_velocity": (0, 0, W)}
    b.body("bead", at=(0.2, 0, 0), velocity=(0, 0.2 * W, 0), **bead)
    b.add(gk.Hinge(name="axle", a="world", b="disc", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Slider(name="groove", a="disc", b="bead", at=(0.2, 0, 0), axis=(1, 0, 0)))
    b.add(gk.Driven(name="motor", on="axle", **how))
    return b.build()


@pytest.mark.parametrize(
    ("name", "far", "off"),
    # errors of order 4, 1, 2 and 1 at 1 ms, times numbers of size 1 (rates 3/s over 0.6 s, cosh 1.8 = 3)
    [("tree", 1e-10, 1e-5), ("tree_order_1", 5e-3, 3e-2), ("impulse", 1e-5, 1e-4), ("rows", 5e-3, 3e-2)],
)
def test_a_bead_on_a_turntable_flies_outward(name, far, off):
    """r = r0 cosh w t,  torque 2 m w r r' in the middle of the last step, work of the drive = gain of energy."""
    h, t = 1e-3, 0.6
    sim = gk.Simulation(turntable(velocity=W), METHODS[name](h))
    start = sim.ledger[:2].sum()
    work = 0.0
    for _ in range(600):
        sim.advance(h)
        work += h * W * sim.sensors["motor.force"]
    assert sim.sensors["axle.angle"] == pytest.approx(W * t, abs=1e-8)
    assert sim.sensors["groove.position"] + 0.2 == pytest.approx(0.2 * np.cosh(W * t), abs=far)
    r, rate = 0.2 * np.cosh(W * (t - h / 2)), 0.2 * W * np.sinh(W * (t - h / 2))
    assert sim.sensors["motor.force"] == pytest.approx(2 * 0.5 * W * r * rate, abs=off)
    assert work == pytest.approx(sim.ledger[:2].sum() - start, abs=max(off, 1e-5))
    if name.startswith("tree"):
        assert sim.sensors["axle.torque"][2] == pytest.approx(0.0, abs=1e-12)  # the drive has it, not the bearing


def shaken(**how):
    """A pendulum on a slider along x: all kinds of input move the slider."""
    b = gk.Builder()
    b.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
    b.body("bob", mass=0.3, inertia=(0.01, 0.01, 0.01), at=(0.2, 0, -0.4))
    b.add(gk.Slider(name="rail", a="world", b="cart", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.Hinge(name="pin", a="cart", b="bob", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Driven(name="shaker", on="rail", **how))
    return b.build(assemble=True)


SINE = {"amplitude": 0.1, "frequency": 2.0, "phase": np.pi / 2, "offset": -0.1}


def sine(t):
    """Place and rate of SINE."""
    w = 2 * np.pi * 2.0
    return -0.1 + 0.1 * np.cos(w * t), -0.1 * w * np.sin(w * t)


def ended(method, **how):
    sim = gk.Simulation(shaken(**how), method)
    sim.advance(0.5)
    return sim


@pytest.fixture(scope="module")
def reference():
    """Order 4 at 0.25 ms errs by 1e-13."""
    return ended(gk.MoreauTree(h=2.5e-4), **SINE).sensors["pin.angle"]


@pytest.mark.parametrize(
    ("name", "order", "most"), [("tree", 4, 1e-9), ("impulse", 2, 1e-4), ("tree_order_1", 2, 1e-4), ("rows", 1, 3e-2)]
)
def test_methods_agree_by_their_order(name, order, most, reference):
    """Errors fall with h to the power of the order; the place of the drive is exact at the end of each step.

    No force on the one free coordinate depends on its velocity, so Moreau's own rule has order 2."""
    errors = []
    for h in (4e-3, 2e-3):
        sim = ended(METHODS[name](h), **SINE)
        errors.append(abs(sim.sensors["pin.angle"] - reference))
        assert sim.sensors["rail.position"] == pytest.approx(sine(0.5)[0], abs=1e-8)
    assert errors[1] < most
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.35)  # next power of h adds some 10 %


@pytest.mark.parametrize(("name", "order"), [("tree", 1), ("impulse", 2), ("rows", 1)])
@pytest.mark.parametrize("kind", ["position", "velocity"])
def test_inputs_lead_to_the_same_motion(name, order, kind, reference):
    """Backward differences, or a velocity held over each step: order 1. Impulse looks at places alone: order 2."""
    errors = []
    for h in (4e-3, 2e-3):
        sim = gk.Simulation(shaken(**{kind: 0.0}), METHODS[name](h))
        for k in range(round(0.5 / h)):
            place, rate = sine((k + 1) * h)[0], (sine((k + 1) * h)[0] - sine(k * h)[0]) / h
            sim.inputs[f"shaker.{kind}"] = place if kind == "position" else rate
            sim.advance(h)
        assert sim.sensors["rail.position"] == pytest.approx(sine(0.5)[0], abs=1e-8)
        errors.append(abs(sim.sensors["pin.angle"] - reference))
    assert errors[1] < 0.05
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.3)


def test_work_of_the_drive_is_the_gain_of_energy():
    """Midpoint rule over force times rate: the error falls as h^2."""
    errors = []
    for h in (4e-3, 2e-3):
        sim = gk.Simulation(shaken(**SINE), gk.MoreauTree(h=h))
        start, work = sim.ledger[:2].sum(), 0.0
        for k in range(round(0.5 / h)):
            sim.advance(h)
            work += h * sim.sensors["shaker.force"] * sine((k + 0.5) * h)[1]
        errors.append(abs(work - (sim.ledger[:2].sum() - start)))
    assert errors[1] < 1e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


@pytest.mark.parametrize(("times_limit", "stands"), [(1.3, True), (0.7, False)])
def test_a_pendulum_stands_upright_on_a_shaken_pivot(times_limit, stands):
    """Kapitza: a point mass on a rod of length l stands upright if  a^2 w^2 > 2 g l  for a << l."""
    length, a = 0.5, 0.02
    w = times_limit * np.sqrt(2 * 9.81 * length) / a
    b = gk.Builder()
    b.body("pivot", mass=1.0, inertia=(0.1, 0.1, 0.1))
    small = 1e-9  # of a point: changes the limit by its share of m l^2
    tilt = 0.1
    b.body("bob", mass=1.0, inertia=(small,) * 3, at=(length * np.sin(tilt), 0, length * np.cos(tilt)))
    b.add(gk.Slider(name="guide", a="world", b="pivot", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="pin", a="pivot", b="bob", at=(0, 0, 0), axis=(0, 1, 0)))
    shake = {"amplitude": a, "frequency": w / (2 * np.pi), "phase": np.pi / 2, "offset": -a}
    b.add(gk.Driven(name="shaker", on="guide", **shake))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=2e-4))
    most = 0.0
    for _ in range(300):
        sim.advance(0.01)
        most = max(most, abs(sim.sensors["pin.angle"] + tilt))
    assert (most < 0.3) is stands
    assert stands or most > 1.5


def arm():
    b = gk.Builder()
    b.body("upper", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.3, 0, 0))
    b.body("lower", mass=0.7, inertia=(0.05, 0.1, 0.1), at=(0.9, 0.1, 0))
    b.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="lower", b="upper", at=(0.6, 0, 0), axis=(0, 0, 1)))
    cosine = {"amplitude": 0.3, "phase": np.pi / 2, "offset": -0.3}
    b.add(gk.Driven(name="one", on="shoulder", frequency=1.0, **cosine))
    b.add(gk.Driven(name="two", on="elbow", frequency=1.7, **cosine))
    return b.build()


def test_the_drives_give_what_inverse_dynamics_ask_for():
    """Both hinges are driven, so all is known in the middle of a step; round-off of moments of size 10."""
    model, h = arm(), 1e-3
    sim = gk.Simulation(model, gk.MoreauTree(h=h))
    sim.advance(0.3)
    w, t = 2 * np.pi * np.array([1.0, 1.7]), 0.3 - h / 2
    q, u, du = -0.3 + 0.3 * np.cos(w * t), -0.3 * w * np.sin(w * t), -0.3 * w**2 * np.cos(w * t)
    tree = gk.TreeDynamics(model)
    assert tree.names == ("shoulder.angle", "elbow.angle")
    assert tree.driven.tolist() == [True, True]
    tau = tree.inverse(q, u, du)
    np.testing.assert_allclose([sim.sensors["one.force"], sim.sensors["two.force"]], tau, rtol=0, atol=1e-11)
    impulse = gk.Simulation(model, gk.Impulse(h=h))
    impulse.advance(0.3)
    found = [impulse.sensors["one.force"], impulse.sensors["two.force"]]
    np.testing.assert_allclose(found, tau, rtol=0, atol=2e-3)  # order 2 at 1 ms: (w h)^2 of moments of size 10
    for joint in ("shoulder", "elbow"):  # what bearings take is the same, too
        for what in ("force", "torque"):
            mine, other = sim.sensors[f"{joint}.{what}"], impulse.sensors[f"{joint}.{what}"]
            np.testing.assert_allclose(mine, other, rtol=0, atol=1e-2)


def test_forward_dynamics_take_what_is_driven_as_given():
    """Two of four are driven: the linear-time and the projected equations agree, and inverse takes them back."""
    b = gk.Builder()
    b.body("upper", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.3, 0, 0))
    b.body("lower", mass=0.7, inertia=(0.05, 0.1, 0.1), at=(0.9, 0.1, 0))
    b.add(gk.Cylindrical(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Universal(name="elbow", a="upper", b="lower", at=(0.6, 0, 0), axis=(0, 0, 1), x_axis=(1, 0, 0)))
    b.add(gk.Driven(name="one", on="shoulder.angle", velocity=1.0))
    b.add(gk.Driven(name="two", on="elbow.angle_x", velocity=1.0))
    tree = gk.TreeDynamics(b.build())
    q, u, tau = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, -2.0, 0.5, 0.7]), np.array([3.0, 0.0, 0.0, 0.2])
    given = np.array([0.0, 4.0, -5.0, 0.0])
    du = tree.forward(q, u, tau, du=given)
    assert tree.driven.tolist() == [False, True, True, False]
    np.testing.assert_array_equal(du[tree.driven], given[tree.driven])
    np.testing.assert_allclose(tree.forward(q, u, tau, du=given, projected=True), du, rtol=0, atol=1e-11)
    back = tree.inverse(q, u, du)
    np.testing.assert_allclose(back[~tree.driven], tau[~tree.driven], rtol=0, atol=1e-11)
    assert (abs(back[tree.driven]) > 0.1).all()  # what the drives must give


JOINTS = {
    "cylinder_angle": (gk.Cylindrical, "joint.angle", {}),
    "cylinder_position": (gk.Cylindrical, "joint.position", {}),
    "screw_angle": (gk.Screw, "joint.angle", {"lead": 2.0}),
    "screw_position": (gk.Screw, "joint.position", {"lead": 2.0}),
    "planar_y": (gk.Planar, "joint.y", {}),
    "planar_angle": (gk.Planar, "joint.angle", {}),
    "universal_x": (gk.Universal, "joint.angle_x", {}),
    "universal_y": (gk.Universal, "joint.angle_y", {}),
    "hinge": (gk.Hinge, "joint", {}),
}


@pytest.mark.parametrize("turned", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("name", JOINTS)
def test_any_coordinate_may_be_driven(name, turned):
    """Against Impulse, of order 2: h^2 = 1e-6 times numbers of size 1 to 100. Either side may be the world."""
    kind, on, more = JOINTS[name]
    b = gk.Builder()
    b.body("first", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(0.2, 0.1, 0))
    b.body("second", mass=0.5, inertia=(0.05, 0.1, 0.1), at=(0.5, 0.1, 0.2))
    a, c = ("first", "world") if turned else ("world", "first")
    if kind is gk.Universal:
        more = more | {"x_axis": (0, 1, 0)}
    b.add(kind(name="joint", a=a, b=c, at=(0, 0, 0), axis=(0.6, 0, 0.8), **more))
    b.add(gk.Ball(name="ball", a="first", b="second", at=(0.4, 0, 0)))
    b.add(gk.Driven(name="drive", on=on, times=(0.0, 0.2, 0.3, 0.5), places=(0.0, 0.3, 0.2, -0.2)))
    model = b.build()
    own, other = (gk.Simulation(model, method) for method in (gk.MoreauTree(h=1e-3), gk.Impulse(h=1e-3, contact=None)))
    for sim in (own, other):
        sim.advance(0.4)
    at = own.sensors[on if "." in on else f"{on}.angle"]
    assert at == pytest.approx(own.inputs["drive.position"], abs=1e-12)
    np.testing.assert_allclose(own.state.p_WC, other.state.p_WC, rtol=0, atol=5e-6)
    np.testing.assert_allclose(own.state.v_WC, other.state.v_WC, rtol=0, atol=5e-5)
    assert own.sensors["drive.force"] == pytest.approx(other.sensors["drive.force"], abs=5e-4)


def crank():
    """A four-bar whose crank is driven."""
    b = gk.Builder()
    ends = [((0, 0, 0), (0, 0, 0.5)), ((0, 0, 0.5), (1.1, 0, 1.0)), ((1.1, 0, 1.0), (1.3, 0, 0))]
    above = "world"
    for name, (begin, end) in zip(("crank", "rod", "rocker"), ends):
        b.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), at=np.add(begin, end) / 2)
        b.add(gk.Hinge(name=f"to_{name}", a=above, b=name, at=begin, axis=(0, 1, 0)))
        above = name
    b.add(gk.Hinge(name="ground", a="rocker", b="world", at=(1.3, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Driven(name="drive", on="to_crank", times=(0, 0.5), places=(0, 0.6), between="rest"))
    return b.build()


@pytest.mark.parametrize("cut", ["ground", "to_crank"])
def test_a_driven_crank_moves_its_loop(cut):
    """Nothing is free, so all places are known. Cut elsewhere, the drive is exact; cut there, it is a row like others,
    off by what Moreau's rule leaves of a step, h^2 times accelerations of size 10."""
    sim = gk.Simulation(crank(), gk.MoreauTree(h=1e-3, cut=(cut,)))
    sim.advance(0.25)
    angle = 0.3  # half of the ramp at half of the time
    off = 1e-12 if cut == "ground" else 1e-5
    assert sim.sensors["to_crank.angle"] == pytest.approx(angle, abs=off)
    other = gk.Simulation(crank(), gk.Impulse(h=1e-3, contact=None))
    other.advance(0.25)
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, rtol=0, atol=2e-5)
    assert sim.sensors["drive.force"] == pytest.approx(other.sensors["drive.force"], abs=0.2)
