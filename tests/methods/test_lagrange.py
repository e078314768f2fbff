"""The reference method: closed forms, its order, its drift, and what stabilises it (I-078 to I-081, X23, E-1)."""

import numpy as np
import pytest

import gelenk as gk
from exact.chain_statics import hanging_forces
from exact.compound_pendulum import CompoundPendulum, centre, compound_pendulum, pivot_force
from exact.n_pendulum import Link
from gelenk.errors import InputError
from gelenk.methods.lagrange import Lagrange
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.tree import Tree
from methods.joint_models import hanging_chain_model, longer
from solvers.row_models import door

PENDULUM = CompoundPendulum(mass=2.0, arm=0.5, inertia=0.1)
ANGLE, RATE = 1.2, 0.7  # at the start


def pendulum():
    b = gk.Builder()
    p = centre(PENDULUM, ANGLE)
    spin = np.array([0.0, RATE, 0.0])
    q = (np.cos(ANGLE / 2), 0.0, np.sin(ANGLE / 2), 0.0)
    motion = {"rotation": q, "angular_velocity": spin, "velocity": np.cross(spin, p)}
    b.body("bob", mass=2.0, inertia=(0.2, 0.1, 0.15), at=p, **motion)
    b.add(gk.Hinge(name="hinge", a="world", b="bob", at=(0, 0, 0), axis=(0, 1, 0)))
    return b.build()


def point_on_line(mass, force):
    """E-1: a mass point on the line y = 2 x, under a force in the plane, without gravity."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("point", mass=mass, at=(0.3, 0.6, 0.0))
    b.add(gk.BallOnLine(name="line", a="world", b="point", axis=gk.unit((1.0, 2.0, 0.0))))
    b.add(gk.Wrench("pull", "point", force=(*force, 0.0)))
    return b.build()


def advanced(model, t_end=1.0, **options):
    sim = gk.Simulation(model, Lagrange(solver=Tree(), **options))
    sim.advance(t_end)
    return sim


def position_error(sim):
    exact = compound_pendulum([sim.time], PENDULUM, ANGLE, RATE)
    return float(np.linalg.norm(sim["bob"].position - centre(PENDULUM, exact.angle)[0]))


@pytest.mark.parametrize("seed", range(4))
def test_mass_point_on_a_line(seed):
    """E-1: a = (f1 + 2 f2, 2 f1 + 4 f2) / 5m, multiplier (f2 - 2 f1) / 5 on (2, -1); the large system says so too."""
    random = np.random.default_rng(seed)
    mass, (f1, f2) = random.uniform(0.5, 5.0), random.normal(size=2)
    model = point_on_line(mass, (f1, f2))
    sim = advanced(model, 0.01, h=0.01, stabilise="off")
    a = np.array([f1 + 2 * f2, 2 * f1 + 4 * f2, 0.0]) / (5 * mass)
    multiplier = (f2 - 2 * f1) / 5
    large = np.array([[mass, 0, -2], [0, mass, 1], [2, -1, 0]])  # M a - J^T m = f,  J a = 0
    np.testing.assert_allclose(np.linalg.solve(large, [f1, f2, 0]), [a[0], a[1], multiplier], atol=1e-12)
    np.testing.assert_allclose(sim["point"].velocity, 0.01 * a, atol=1e-13)
    reaction = model.wired.memory(sim.state.memory).reaction[0]
    np.testing.assert_allclose(reaction[:3], multiplier * np.array([2, -1, 0]), atol=1e-12)


def test_pendulum_converges_with_order_four():
    """Without stabilisation, so that nothing but Runge-Kutta is seen."""
    errors = [position_error(advanced(pendulum(), h=1.0 / n, stabilise="off")) for n in (40, 80, 160)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(4, abs=0.15)


def test_hinge_force_is_that_of_the_closed_form():
    """The mean over a step is the force in its middle up to h^2/24 of its second rate, some 500 N/s^2: 3e-4 N."""
    sim = advanced(pendulum(), 0.2, h=4e-3, stabilise="off")
    exact = compound_pendulum([sim.time - 2e-3], PENDULUM, ANGLE, RATE)
    force = pivot_force(PENDULUM, exact.angle, exact.rate)[0]
    reaction = sim.model.wired.memory(sim.state.memory).reaction[0]
    np.testing.assert_allclose(reaction[:3], force, atol=1e-3)
    np.testing.assert_allclose(reaction[3:], 0.0, atol=1e-6)


def test_loaded_chain_of_100_hangs_on_the_sum_of_its_weights():
    """Multipliers are the forces themselves: round-off, times the square of the joints."""
    n = longer(100, 20)
    links = [Link.rod(0.5 + 0.005 * k, 0.1) for k in range(n)]
    model = hanging_chain_model(links, np.tile([0.0, 0.0, -1.0], (n, 1)), load=20.0)
    sim = advanced(model, 2e-3, h=1e-3, stabilise="off")
    f = np.array([sim[f"joint{k}"].force for k in range(n)])
    exact = hanging_forces([link.mass for link in links], 20.0)
    np.testing.assert_allclose(f[:, 2], exact, rtol=1e-9)
    assert np.abs(f[:, :2]).max() < 1e-9 * exact[0]


def test_three_hinges_hold_a_door_with_the_same_forces_every_time():
    """Rows that repeat others: forces and couples are finite, bear the weight and its moment, and repeat."""
    shares, weight, z = [], 20.0 * 9.81, np.array([0.2, 1.0, 1.8])
    for _ in range(2):
        sim = advanced(door(), 5e-3, h=1e-3)
        shares.append(np.array([np.hstack([sim[f"hinge{k}"].force, sim[f"hinge{k}"].torque]) for k in range(3)]))
    f, couple = shares[0][:, :3], shares[0][:, 3:]
    assert np.array_equal(shares[0], shares[1])
    np.testing.assert_allclose(f.sum(axis=0), [0.0, 0.0, weight], atol=1e-6 * weight)
    np.testing.assert_allclose(couple[:, 1].sum() + z @ f[:, 0], -0.45 * weight, rtol=1e-6)


def test_errors_drift_without_stabilisation_and_impulses_beat_baumgarte():
    """X23. Left alone, errors grow with the square of time; Baumgarte keeps them at a level, impulses at round-off."""
    left = {}
    for stabilise in ("off", "baumgarte", "impulse"):
        sim = gk.Simulation(pendulum(), Lagrange(h=0.025, stabilise=stabilise, solver=Tree()))
        left[stabilise] = []
        for _ in range(3):
            worst = 0.0
            for _ in range(10):
                sim.advance(0.075)
                worst = max(worst, sim.info["position_error"])
            left[stabilise].append(worst)
    first, _, last = left["off"]
    assert last == pytest.approx(9 * first, rel=0.3)
    assert max(left["baumgarte"]) < 1.5 * left["baumgarte"][0]
    assert left["baumgarte"][2] < 0.5 * last
    assert max(left["impulse"]) < 1e-14


def test_dense_and_linear_time_solvers_move_alike():
    """I-078 and I-079: the same equations, so the same motion up to round-off."""
    ends = []
    for solver in (Dantzig(), Tree()):
        sim = gk.Simulation(pendulum(), Lagrange(h=0.01, stabilise="off", solver=solver))
        sim.advance(0.2)
        ends.append(sim.state.p_WC.copy())
        assert sim.info["worst_residual"] < 1e-12
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-13)


@pytest.mark.parametrize(
    "element",
    [
        gk.VelocityMotor(name="motor", on="hinge", speed=1.0),
        gk.JointSpring(name="motor", on="hinge", stiffness=3.0),
        gk.Grab(name="motor", body="bob", force_max=3.0),
    ],
    ids=lambda e: e.kind,
)
def test_what_accelerations_cannot_express_is_refused_by_name(element):
    b = gk.Builder.from_model(pendulum())
    b.add(element)
    with pytest.raises(InputError, match="motor"):
        gk.Simulation(b.build(), Lagrange())


def test_limits_are_refused_by_the_name_of_their_joint():
    b = gk.Builder()
    b.body("bob", mass=1.0, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="stopped", a="world", b="bob", at=(0, 0, 0), axis=(0, 0, 1), limits=(-1.0, 1.0)))
    with pytest.raises(InputError, match="limits of hinge 'stopped'"):
        gk.Simulation(b.build(), Lagrange())


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"h": 0.0}, "h is"),
        ({"stabilise": "yes"}, "stabilise"),
        ({"rate": -1.0}, "rate"),
        ({"h": 0.1, "rate": 20.0, "stabilise": "baumgarte"}, "rate h"),
        ({"solver": Tree}, "solver"),
    ],
)
def test_bad_options_are_named(options, word):
    with pytest.raises(InputError, match=word):
        Lagrange(**options)


def test_means_and_peaks_of_its_forces_can_be_recorded():
    b = gk.Builder()
    b.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(0.5, 0, 0))
    b.add(gk.Hinge(name="axle", a="world", b="bob", at=(0, 0, 0), axis=(0, 1, 0)))
    run = gk.Simulation(b.build(), gk.Lagrange(h=2e-3)).run(0.04, output_dt=0.02, progress=False, peaks=True)
    assert np.array_equal(run["axle"].force_peak[1:], run["axle"].force[1:])  # it grows while the bob falls
    assert np.all(run["axle"].force_mean[1:, 2] > 0)
