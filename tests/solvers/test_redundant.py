"""Joints that repeat each other: finite reactions, the same in every run, that balance the load (I-073, I-074)."""

import numpy as np
import pytest

import gelenk as gk
from exact.four_bar import FourBar, four_bar, reduced
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.gauss_seidel import GaussSeidel
from gelenk.solvers.lemke import Lemke
from gelenk.solvers.sparse import Sparse
from gelenk.solvers.tree import Tree
from solvers.row_models import CORNERS, DIRECT, Problem, crane_loop, door, name

SOLVERS = [*DIRECT, GaussSeidel(sweeps=2000, tolerance=1e-14)]
SHARING = [Dantzig(), Lemke(), Sparse()]  # the other solvers may leave the load to the joint that comes first
METHODS = [gk.RowStepping(h=1e-3, solver=Dantzig()), gk.Impulse(h=1e-3, solver=Sparse()), gk.Impulse(h=1e-3)]
WEIGHT = 20.0 * 9.81  # of the door [N]


def method_name(method):
    return f"{method.kind}-{method.solver.kind}"


@pytest.mark.parametrize("solver", SOLVERS, ids=name)
def test_three_hinges_hold_a_door(solver):
    """Whatever each hinge gives, together they bear the weight without turning the door."""
    problem = Problem(door())
    residual, p, _ = problem.answer(solver)
    given = problem.reaction(p, 1) / problem.h
    assert residual < 1e-11
    np.testing.assert_allclose(given, [0, 0, WEIGHT, 0, 0, 0], atol=1e-9 * WEIGHT)
    # 15 rows, of which ten repeat others: their impulses are of the size of the load, none of them stress of their own.
    assert np.abs(p).max() / problem.h < 1.001 * WEIGHT


@pytest.mark.parametrize("solver", SHARING, ids=name)
def test_equal_hinges_carry_equal_shares(solver):
    problem = Problem(door())
    _, p, _ = problem.answer(solver)
    upward = p.reshape(3, 5)[:, 2] / problem.h
    # A factor with a share c on its diagonal leaves round-off of eps / c where rows repeat: 2e-7 for c = 1e-9.
    np.testing.assert_allclose(upward, WEIGHT / 3, rtol=4 * np.finfo(float).eps / 1e-9)


@pytest.mark.parametrize("solver", SOLVERS, ids=name)
def test_a_braked_crane_loop_stands_by_statics(solver):
    """Every bar is balanced, and the torque of the brake is that of virtual work: M q' = -sum m g z'."""
    problem = Problem(crane_loop(braked=True))
    residual, p, _ = problem.answer(solver)
    assert residual < 1e-10
    total = 6.0 * 9.81
    for bar in range(3):
        lift = [0, 0, (1.0 + bar) * 9.81, 0, 0, 0]
        np.testing.assert_allclose(problem.reaction(p, 1 + bar) / problem.h, lift, atol=1e-8 * total)
    joints, brake = problem.J[:20], problem.J[20]
    free = np.flatnonzero(np.repeat(problem.bodies.inv_mass > 0.0, 6))
    motion = np.zeros(problem.J.shape[1])
    motion[free] = np.linalg.svd(joints[:, free])[2][-1]  # 20 rows of rank 17 in 18 coordinates: one is free
    np.testing.assert_allclose(joints @ motion, 0.0, atol=1e-12)
    power = sum((1.0 + bar) * 9.81 * motion[6 * (1 + bar) + 2] for bar in range(3))
    assert p[20] / problem.h == pytest.approx(power / (brake @ motion), rel=1e-8)


@pytest.mark.parametrize("solver", SOLVERS, ids=name)
@pytest.mark.parametrize("make", [door, lambda: crane_loop(braked=True)], ids=["door", "crane"])
def test_answers_to_redundant_rows_repeat_bit_for_bit(solver, make):
    """Of two problems that are built alike, and again in the same workspace."""
    one, other = Problem(make()), Problem(make())
    work = solver.workspace(one.joints, one.masses)
    answers = [one.answer(solver, work)[1], one.answer(solver, work)[1], other.answer(solver)[1]]
    assert np.isfinite(answers[0]).all()
    assert np.array_equal(answers[0], answers[1])
    assert np.array_equal(answers[0], answers[2])


CRANE = FourBar(*np.linalg.norm(np.diff(CORNERS, axis=0), axis=1), ground=0.8)


@pytest.mark.parametrize("method", METHODS, ids=method_name)
def test_sensors_of_a_braked_crane_loop_show_its_statics(method):
    """Each bar from the sensors alone: forces and moments about its centre vanish; the brake by virtual work.

    Nothing moves, so the sensors are right to what rows are met to, 1e-9 m/s times 3 kg over 1 ms.
    """
    sim = gk.Simulation(crane_loop(braked=True), method)
    sim.advance(0.01)
    np.testing.assert_allclose(four_bar(CRANE, -0.5 * np.pi).p_WC, CORNERS[2], atol=1e-12)  # the same loop
    brake = sim.sensors["brake.force"]
    assert brake == pytest.approx(reduced(CRANE, (1.0, 2.0, 3.0), -0.5 * np.pi)[3], rel=1e-5)
    f = np.array([sim.sensors[f"hinge{k}.force"] for k in range(4)])
    couple = np.array([sim.sensors[f"hinge{k}.torque"] for k in range(4)])
    couple[0] += (0.0, brake, 0.0)  # the motor is not part of its bearing
    for k in range(3):
        half = 0.5 * (CORNERS[k + 1] - CORNERS[k])
        np.testing.assert_allclose(f[k] - f[k + 1], [0, 0, (1.0 + k) * 9.81], atol=1e-4)
        moment = couple[k] - couple[k + 1] + np.cross(-half, f[k]) - np.cross(half, f[k + 1])
        np.testing.assert_allclose(moment, 0.0, atol=1e-4)


@pytest.mark.parametrize("method", METHODS, ids=method_name)
def test_sensors_of_a_door_show_its_statics(method):
    """Weight, and its moment about the foot of the hinge line, from the forces and couples of three hinges."""
    sim = gk.Simulation(door(), method)
    sim.advance(0.01)
    z = np.array([0.2, 1.0, 1.8])
    f = np.array([sim.sensors[f"hinge{k}.force"] for k in range(3)])
    couple = np.array([sim.sensors[f"hinge{k}.torque"] for k in range(3)])
    np.testing.assert_allclose(f.sum(axis=0), [0, 0, WEIGHT], atol=1e-6 * WEIGHT)
    moment = couple.sum(axis=0) + np.cross(np.outer(z, [0.0, 0.0, 1.0]), f).sum(axis=0)
    np.testing.assert_allclose(moment, [0, -0.45 * WEIGHT, 0], atol=1e-6 * WEIGHT)


@pytest.mark.parametrize("method", METHODS, ids=method_name)
@pytest.mark.parametrize("make", [lambda: door(turning=2.0), crane_loop], ids=["door", "crane"])
def test_no_inner_stress_grows_in_motion(method, make):
    """Errors of joints that repeat each other never agree to the last digit; they must not become forces.

    Reactions out of the plane of the crane would be such, and vertical ones of the door beside its weight.
    """
    model = make()
    sim = gk.Simulation(model, method)
    sim.advance(0.05)
    reaction = model.wired.memory(sim.state.memory).reaction
    assert np.isfinite(reaction).all()
    if len(model.bodies) == 1:
        assert reaction[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-6)
        assert np.abs(reaction[:, 2]).max() < 1.001 * WEIGHT
    else:
        np.testing.assert_allclose(reaction[:, 1], 0.0, atol=1e-5)  # [N], beside forces of 20 N
        np.testing.assert_allclose(reaction[:, 3:], 0.0, atol=1e-5)  # hinges of a planar loop bear no couple


@pytest.mark.parametrize("method", METHODS, ids=method_name)
def test_reactions_repeat_bit_for_bit(method):
    ends = []
    for _ in range(2):
        sim = gk.Simulation(crane_loop(), method)
        sim.advance(0.02)
        ends.append(sim.state.flat.copy())  # reactions are part of the state
    assert np.array_equal(ends[0], ends[1])


def test_methods_agree_on_the_reactions_of_a_loop():
    """Where reactions are unique, in the plane: RowStepping of order 1 and Impulse of order 2, after 0.02 s."""
    found = []
    for method in (gk.RowStepping(h=5e-4, solver=Dantzig()), gk.Impulse(h=5e-4, solver=Tree())):
        sim = gk.Simulation(crane_loop(), method)
        sim.advance(0.02)
        found.append(sim.model.wired.memory(sim.state.memory).reaction[:, [0, 2]])
    np.testing.assert_allclose(found[0], found[1], atol=0.05)  # [N]: a step changes them by 0.05 N
