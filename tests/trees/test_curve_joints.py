"""Joints along a space curve in minimal coordinates: subspace, closed forms, loops (T-75)."""

import numpy as np
import pytest

import gelenk as gk
from exact.compound_pendulum import CompoundPendulum, compound_pendulum
from gelenk.geometry.curve_eval import curve_bend, curve_frame, pack_curves
from trees.random_trees import unit

G = 9.81


def wire(seed=0, count=9):
    rng = np.random.default_rng(seed)
    return tuple(map(tuple, np.cumsum(rng.normal(size=(count, 3)) + np.array([0.6, 0, 0]), axis=0)))


@pytest.mark.parametrize("closed", [False, True])
def test_the_rotation_of_the_frame_is_that_of_differences(closed):
    """Central differences over 1e-6 m: e^2 and 1e-16 / e, some 1e-9 times derivatives of size 10 to 100."""
    curve = gk.Curve(wire(1), closed)
    curves, e = pack_curves([curve]), 1e-6
    for s in np.linspace(0.03, 0.97, 23) * curve.length:
        (b1, b2, *_), (a1, a2, *_) = curve_frame(curves, 0, s - e), curve_frame(curves, 0, s + e)
        n1, n2, *_ = curve_frame(curves, 0, s)
        before, now, after = (np.column_stack([n.cross(m), n, m]) for n, m in ((b1, b2), (n1, n2), (a1, a2)))
        rate = (after - before) / (2 * e) @ now.T
        turn, bend = curve_bend(curves, 0, s)
        np.testing.assert_allclose(turn, (rate[2, 1], rate[0, 2], rate[1, 0]), rtol=0, atol=1e-6)
        slope = (np.array(curve_bend(curves, 0, s + e)[0]) - curve_bend(curves, 0, s - e)[0]) / (2 * e)
        np.testing.assert_allclose(bend, slope, rtol=0, atol=1e-5 * max(1.0, abs(slope).max()))


def ride(back=False):
    """A car on a wire that a turning body carries, a ball on another wire, and a particle on a third; forth or back."""
    b = gk.Builder(gravity=(0.3, -0.4, -9.81))
    b.body("base", mass=2.0, inertia=(0.5, 0.6, 0.7), at=(0.1, 0.2, 0.3), rotation=unit(np.array([1.0, 0.2, 0.3, 0.1])))
    points = [wire(2), wire(3), wire(4)]
    curves = [gk.Curve(p) for p in points]
    places = [tuple(curve.at(np.array([0.4 * curve.length]))[0]) for curve in curves]
    b.body("car", mass=1.0, inertia=(0.1, 0.2, 0.25), at=np.add(places[0], (0.1, 0.2, 0)), com=(0.1, 0, 0.05))
    b.body("bob", mass=0.7, inertia=(0.1, 0.2, 0.25), at=np.add(places[1], (0, 0.2, 0.1)))
    b.particle("speck", mass=0.3, at=places[2])
    b.add(gk.Hinge(name="axle", a="world", b="base", at=(0, 0, 0), axis=(0.6, 0, 0.8)))
    ends = [("base", "car"), ("car", "bob")]
    for name, kind, p, at, (a, c) in zip(("track", "ring"), (gk.SliderOnCurve, gk.BallOnCurve), points, places, ends):
        a, c = (c, a) if back else (a, c)
        b.add(kind(name=name, a=a, b=c, points=p, at=at))
    b.add(gk.BallOnCurve(name="groove", a="base", b="speck", points=points[2]))
    return b.build()


NAMES = {"axle.angle", "track.place", "ring.place", "ring.wx", "ring.wy", "ring.wz", "groove.place"}


def motion(tree, seed=0):
    """(q, u) near the start."""
    rng = np.random.default_rng(seed)
    q, _ = tree.coordinates(tree.model.initial_state())
    q = q + 0.2 * rng.normal(size=tree.nq)
    k = next(int(x.q) for x, name in zip(tree.tree.link, tree.joints) if name == "ring")
    q[k + 1 : k + 5] = unit(q[k + 1 : k + 5])
    return q, rng.normal(size=tree.nu)


def moved(tree, q, u, h):
    """Coordinates after h at constant velocities."""
    q, k = q.copy(), 0
    for x, name in zip(tree.tree.link, tree.joints):
        k, i = int(x.q), int(x.u)
        q[k] += h * u[i]
        if name == "ring":
            e = q[k + 1 : k + 5]
            w = np.array([0.0, *(0.5 * h * u[i + 1 : i + 4])])
            rate = [-e[1:] @ w[1:], *(e[0] * w[1:] + np.cross(e[1:], w[1:]))]
            q[k + 1 : k + 5] = unit(e + rate)
    return q


@pytest.mark.parametrize("back", [False, True], ids=["forth", "back"])
def test_trees_with_curves_obey_the_identities_of_trees(back):
    """As for other joints (test_tree_dynamics): velocities and accelerations against differences of 1e-5 s, equations
    of motion by three ways to round-off of numbers of size 100."""
    tree = gk.TreeDynamics(ride(back))
    assert set(tree.names) == NAMES
    q, u = motion(tree)
    q_again, u_again = tree.coordinates(tree.state(q, u))
    np.testing.assert_allclose(u_again, u, rtol=0, atol=1e-10)
    np.testing.assert_allclose(tree.state(q_again).p_WC, tree.state(q).p_WC, rtol=0, atol=1e-10)
    h, rng = 1e-5, np.random.default_rng(1)
    tau, now = rng.normal(size=tree.nu), tree.state(q, u)
    du = tree.forward(q, u, tau)
    ahead, behind = (tree.state(moved(tree, q, u, s), u + s * du) for s in (h, -h))
    np.testing.assert_allclose((ahead.p_WC - behind.p_WC) / (2 * h), now.v_WC, rtol=0, atol=1e-6)
    size = abs(du).max()
    np.testing.assert_allclose(tree.forward(q, u, tau, projected=True), du, rtol=0, atol=1e-10 * size)
    np.testing.assert_allclose(tree.inverse(q, u, du), tau, rtol=0, atol=1e-9)
    M = tree.mass_matrix(q)
    np.testing.assert_allclose(M, M.T, rtol=0, atol=1e-12)
    assert (np.linalg.eigvalsh(M) > 0).all()
    masses = tree.model.system.masses  # power of all forces = rate of kinetic energy: accelerations are right
    power = tau @ u + sum(masses.mass[n] * np.dot((0.3, -0.4, -9.81), now.v_WC[n]) for n in range(len(now.p_WC)))
    energy = []
    for state in (behind, ahead):
        turn = sum(state.w_WB_B[n] @ masses.inertia_B[n] @ state.w_WB_B[n] for n in range(1, len(state.q_WB)))
        energy.append(0.5 * (turn + sum(m * v @ v for m, v in zip(masses.mass, state.v_WC))))
    assert (energy[1] - energy[0]) / (2 * h) == pytest.approx(power, abs=1e-5 * max(1.0, abs(power)))


@pytest.mark.parametrize("back", [False, True], ids=["forth", "back"])
def test_trees_with_curves_move_as_by_impulse(back):
    """Two methods that share no equation. Impulse has order 2; differences fall by four as h is halved."""
    model, apart = ride(back), []
    for h in (1e-3, 5e-4):
        own, other = (gk.Simulation(model, m) for m in (gk.MoreauTree(h=h), gk.Impulse(h=h, contact=None)))
        for sim in (own, other):
            sim.advance(0.1)
        apart.append(abs(own.state.p_WC - other.state.p_WC).max())
        assert own.info["rows"] == 0
    assert apart[1] < 1e-5
    assert apart[0] / apart[1] == pytest.approx(4, abs=0.6)
    for what in ("force", "torque"):
        mine, theirs = own.sensors[f"track.{what}"], other.sensors[f"track.{what}"]
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=2e-2 * max(1.0, abs(np.array(theirs)).max()))


def bead_on(points, start, closed=False, method=None, **more):
    b = gk.Builder()
    b.particle("bead", mass=0.2, at=start)
    b.add(gk.BallOnCurve(name="wire", a="world", b="bead", points=tuple(map(tuple, points)), closed=closed))
    for element in more.get("add", ()):
        b.add(element)
    return gk.Simulation(b.build(), method or gk.MoreauTree(h=1e-3))


def test_a_bead_slides_down_a_helix():
    """s = g sin(slope) t^2 / 2; the spline through 400 points errs by (2 pi / 100)^4 of its radius, 1e-6 m.

    Across, the wire gives  curvature s'^2  towards the axis and takes the weight that does not accelerate."""
    r, pitch = 0.5, 0.4
    turn = np.linspace(0, 4 * 2 * np.pi, 401)
    points = np.column_stack([r * np.cos(turn), r * np.sin(turn), -pitch * turn / (2 * np.pi)])
    length = np.hypot(r, pitch / (2 * np.pi))  # of a radian
    sine = pitch / (2 * np.pi) / length
    sim = bead_on(points, points[0])
    sim.advance(1.5)
    s = 0.5 * G * sine * 1.5**2
    angle = s / length
    exact = (r * np.cos(angle), r * np.sin(angle), -pitch * angle / (2 * np.pi))
    np.testing.assert_allclose(sim.state.p_WC[1], exact, rtol=0, atol=2e-5)
    assert sim.sensors["wire.place"] == pytest.approx(s, abs=2e-5)
    t = 1.5 - 5e-4  # reactions are those of the middle of the step
    angle, speed = 0.5 * G * sine * t**2 / length, G * sine * t
    inward = -np.array([np.cos(angle), np.sin(angle), 0.0])
    along = np.array([-r * np.sin(angle), r * np.cos(angle), -pitch / (2 * np.pi)]) / length
    force = 0.2 * (r / length**2 * speed**2 * inward + G * sine * along + (0, 0, G))
    np.testing.assert_allclose(sim.sensors["wire.force"], force, rtol=0, atol=2e-2)  # c'' of the spline errs by 1e-3


@pytest.mark.parametrize("start", [0.3, 0.9])
def test_a_bead_on_a_cycloid_takes_the_same_time_from_everywhere(start):
    """s = s0 cos(t sqrt(g / 4 R)), s from the lowest point; spline through 600 points, away from the cusps."""
    R = 0.4
    turn = np.linspace(0.3, 2 * np.pi - 0.3, 600)
    points = np.column_stack([R * (turn - np.sin(turn)), 0 * turn, R * (np.cos(turn) - 1)])
    at = np.pi * (1 - start * 0.9)
    sim = bead_on(points, (R * (at - np.sin(at)), 0, R * (np.cos(at) - 1)))
    quarter = 0.5 * np.pi * np.sqrt(4 * R / G)
    middle = 4 * R * np.cos(0.15)  # way from the first point to the lowest one
    lowest = []
    for _ in range(2):
        sim.advance(quarter if not lowest else 2 * quarter)
        lowest.append(sim.sensors["wire.place"] - middle)
    assert lowest == pytest.approx([0.0, 0.0], abs=1e-5)
    assert abs(sim.sensors["wire.rate"]) == pytest.approx(4 * R * np.cos(at / 2) * np.sqrt(G / (4 * R)), abs=1e-4)


def circle(count=400):
    turn = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.column_stack([np.sin(turn), 0 * turn, -np.cos(turn)])


def test_a_bead_on_a_circle_is_a_pendulum():
    """From the horizontal, through many swings; the spline of 400 points errs by 1e-9 m, the step by 1e-9."""
    sim = bead_on(circle(), (1, 0, 0), closed=True)
    start = sim.ledger[:2].sum()
    sim.advance(5.0)
    x = sim.state.p_WC[1]
    angle = compound_pendulum([5.0], CompoundPendulum(mass=0.2, arm=1.0, inertia=0.0), np.pi / 2, 0.0).angle[0]
    assert np.arctan2(x[0], -x[2]) == pytest.approx(angle, abs=1e-6)
    assert sim.ledger[:2].sum() == pytest.approx(start, abs=1e-8)


def test_a_car_on_a_closed_track_keeps_its_energy_and_counts_its_turns():
    """A closed wire in space, fast enough for turns. Rates of its curvature jump at its points, which costs h times
    a power of some watts, of either sign, at each: 1e-4 of the energy, less with shorter steps."""
    turn = np.linspace(0, 2 * np.pi, 80, endpoint=False)
    points = np.column_stack([3 * np.cos(turn), 2 * np.sin(turn), 0.3 * np.sin(2 * turn)])
    b = gk.Builder()
    b.body("car", mass=1.0, inertia=(0.1, 0.2, 0.25), at=points[0], velocity=(0, 8.0, 2.0))
    b.add(
        gk.SliderOnCurve(name="track", a="world", b="car", points=tuple(map(tuple, points)), closed=True, at=points[0])
    )
    model = b.build(assemble=True)
    length, errors = gk.Curve(tuple(map(tuple, points)), True).length, []
    for h in (2e-3, 2.5e-4):
        sim = gk.Simulation(model, gk.MoreauTree(h=h))
        start, worst = sim.ledger[:2].sum(), 0.0
        for _ in range(60):
            sim.advance(0.1)
            worst = max(worst, abs(sim.ledger[:2].sum() / start - 1))
        errors.append(worst)
        assert sim.sensors["track.place"] > 2 * length
    assert errors[1] < 2e-4
    assert errors[1] < 0.3 * errors[0]


def test_a_driven_bead_presses_outward():
    """At constant speed v on a circle of radius 1 without weight: m v^2, and no force of the drive."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("bead", mass=0.2, at=(0, 0, -1), velocity=(2.0, 0, 0))
    points = tuple(map(tuple, circle()))
    b.add(gk.BallOnCurve(name="wire", a="world", b="bead", points=points, closed=True))
    b.add(gk.Driven(name="drive", on="wire", velocity=2.0))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-3))
    sim.advance(1.0)
    assert np.linalg.norm(sim.sensors["wire.force"]) == pytest.approx(0.2 * 2.0**2, rel=1e-3)  # c'' of the spline
    assert sim.sensors["drive.force"] == pytest.approx(0.0, abs=1e-4)
    assert sim.sensors["wire.place"] % (2 * np.pi) == pytest.approx(2.0, abs=1e-6)  # the length of the spline


def test_a_curve_that_closes_a_loop_is_a_row_as_before():
    """A crank whose pin runs in a slot: the hinge is eliminated, the slot is left to rows."""
    b = gk.Builder()
    b.body("crank", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    b.body("yoke", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1.0, 0, 1.0))
    b.add(gk.Hinge(name="axle", a="world", b="crank", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Slider(name="guide", a="world", b="yoke", at=(1, 0, 1), axis=(1, 0, 0)))
    b.add(gk.BallOnCurve(name="slot", a="yoke", b="crank", points=((1, 0, -2), (1, 0, 0), (1, 0, 2)), at=(1, 0, 0)))
    model = b.build()
    sim = gk.Simulation(model, gk.MoreauTree(h=1e-3))
    other = gk.Simulation(model, gk.Impulse(h=1e-3, contact=None))
    for run in (sim, other):
        run.advance(0.3)
    assert sim.info["rows"] == 2
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, rtol=0, atol=1e-4)  # order 2 of both, loops by rows
