"""All solvers give the same answer to the same rows, judged by a residual that none of them computes (V-86 to V-91)."""

from itertools import pairwise

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.errors import InputError
from gelenk.rows.block import NONE
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.dense import dense_matrix, dense_work
from gelenk.solvers.lemke import Lemke
from gelenk.solvers.sparse import Sparse
from gelenk.solvers.split import PARTS, Split, acyclic_parts
from gelenk.solvers.tree import Tree
from solvers.row_models import DIRECT, SWEEPS, Problem, door, hanging_chain, name, necklace, random_model

FAST = compiler.ENABLED  # interpreted, sweeps take a millisecond each, and thousands of them are needed
SEEDS = range(8)


@pytest.fixture(scope="module")
def problems():
    """Trees, loops, drives and limits, all mixed, by seed and kind."""
    kinds = {"tree": {}, "loops": {"loops": 2}, "drives": {"drives": True}, "both": {"loops": 2, "drives": True}}
    return {(seed, kind): Problem(random_model(seed, **more)) for seed in SEEDS for kind, more in kinds.items()}


@pytest.mark.parametrize("solver", DIRECT, ids=name)
@pytest.mark.parametrize("kind", ["tree", "loops"])
def test_joints_alone_are_solved_as_by_least_squares(solver, kind, problems):
    """Round-off times the condition of A, up to 2e4 here: 1e-9 of velocities of 10 m/s is far above it."""
    for seed in SEEDS:
        residual, _, dV = problems[seed, kind].answer(solver)
        assert residual < 1e-10
        np.testing.assert_allclose(dV, problems[seed, kind].by_least_squares(), atol=1e-8)


@pytest.mark.parametrize("solver", DIRECT[1:], ids=name)
@pytest.mark.parametrize("kind", ["drives", "both"])
def test_motors_and_limits_are_solved_as_by_dantzig(solver, kind, problems):
    for seed in SEEDS:
        problem = problems[seed, kind]
        expected = problem.answer(Dantzig())
        residual, _, dV = problem.answer(solver)
        assert max(residual, expected[0]) < 1e-9  # repeated rows and a condition of 1e5 cost Sparse six digits of 16
        np.testing.assert_allclose(dV, expected[2], atol=1e-8)


def test_the_samples_have_rows_at_their_bounds_and_inside(problems):
    """Motors that suffice and motors that do not, stops that push and stops that let go."""
    at_bound = inside = 0
    for (_, kind), problem in problems.items():
        if kind in ("drives", "both"):
            _, p, _ = problem.answer(Dantzig())
            x = problem.rows.number[problem.active]
            bounded = (x.lo > -np.inf) | (x.hi < np.inf)
            at_bound += int((bounded & ((p == x.lo) | (p == x.hi))).sum())
            inside += int((bounded & (p > x.lo) & (p < x.hi)).sum())
    assert at_bound > 10
    assert inside > 10


@pytest.mark.parametrize("more", [{}, {"loops": 1}, {"drives": True}], ids=["tree", "loop", "drives"])
def test_many_sweeps_lead_to_the_same_answer(more):
    """Sweeps end where none changes a row by 1e-14; with a rate of 0.999 a sweep they are within 1e-11 then."""
    problem = Problem(random_model(3, bodies=4 if FAST else 2, **more))
    residual, _, dV = problem.answer(SWEEPS)
    assert residual < 1e-10
    np.testing.assert_allclose(dV, problem.answer(Dantzig())[2], atol=1e-8)


@pytest.mark.parametrize("solver", [*DIRECT, SWEEPS], ids=name)
def test_loaded_chain_hangs_on_the_sum_of_its_weights(solver):
    """At rest the top joint bears all masses. Sweeps converge as 1/links^2: their stop at 1e-14 leaves 1e-9."""
    links = 100 if FAST else 12 if solver is not SWEEPS else 3
    problem = Problem(hanging_chain(links, load=50.0), h=0.01)
    residual, p, dV = problem.answer(solver)
    weight = 9.81 * (50.0 + np.arange(links, -1, -1))
    np.testing.assert_allclose(p.reshape(-1, 3)[:, 2] / problem.h, weight, rtol=1e-8)
    np.testing.assert_allclose(p.reshape(-1, 3)[:, :2], 0.0, atol=1e-10)
    assert residual < 1e-10
    moving = dV[problem.bodies.inv_mass > 0.0]
    np.testing.assert_allclose(moving[:, 2], 0.01 * 9.81, rtol=1e-8)  # what gravity gave is taken back


@pytest.mark.parametrize("solver", DIRECT, ids=name)
def test_rows_of_broken_joints_take_no_part(solver):
    model = random_model(5, loops=1)
    whole, torn = Problem(model), Problem(model, broken=["j2", "loop0"])
    assert len(torn.active) < len(whole.active)
    residual, _, dV = torn.answer(solver)
    assert residual < 1e-10
    np.testing.assert_allclose(dV, torn.by_least_squares(), atol=1e-8)


@pytest.mark.parametrize("solver", DIRECT, ids=name)
def test_answers_repeat_bit_for_bit(solver, problems):
    """A fresh workspace, and one that has solved another problem before."""
    problem = problems[2, "both"]
    work = solver.workspace(problem.joints, problem.masses)
    first, again, fresh = problem.answer(solver, work), problem.answer(solver, work), problem.answer(solver)
    for other in (again, fresh):
        assert np.array_equal(first[1], other[1])
        assert np.array_equal(first[2], other[2])


@pytest.mark.parametrize("solver", DIRECT, ids=name)
def test_a_model_without_rows_is_left_alone(solver):
    b = gk.Builder()
    b.body("stone", shape=gk.Sphere(0.1), mass=1.0)
    residual, p, dV = Problem(b.build()).answer(solver)
    assert residual == 0.0
    assert p.size == 0
    assert not dV.any()


# --- dense -----------------------------------------------------------------------------------------------------------


def test_dense_matrix_is_that_of_the_full_product(problems):
    """E-28: entries only where rows share a body, both triangles the same to the bit."""
    for problem in problems.values():
        dense = dense_work(problem.joints, problem.masses, "test", 10_000)
        dense.A[:] = np.nan
        problem.answer(Dantzig())  # B and diagonals
        dense_matrix(dense, problem.joints, problem.rows)
        n = len(problem.active)
        np.testing.assert_allclose(dense.A[:n, :n], problem.A, atol=1e-13 * np.abs(problem.A).max())
        assert np.array_equal(dense.A[:n, :n], dense.A[:n, :n].T)


def test_dense_matrix_walks_along_shared_bodies_only():
    """Each list holds the entries of one body: in a chain at most those of two joints, however long it is."""
    problem = Problem(hanging_chain(10, load=1.0))
    dense = dense_work(problem.joints, problem.masses, "test", 10_000)
    problem.answer(Dantzig())
    dense_matrix(dense, problem.joints, problem.rows)
    for head in dense.head:
        length = 0
        while head != NONE:
            head, length = dense.after[head], length + 1
        assert length <= 6


def test_rows_that_repeat_climb_the_ladder_if_nothing_is_added():
    problem = Problem(door())
    work = Dantzig(add_on=0.0).workspace(problem.joints, problem.masses)
    residual, p, _ = problem.answer(Dantzig(add_on=0.0), work)
    assert work.tally.tolist() == [1, 1, 1, 0]
    assert residual < 2e-4 * 9.81 * problem.h * 15  # the first rung yields by 1e-4 of what each of 15 rows would
    assert np.isfinite(p).all()


@pytest.mark.parametrize("solver", [Dantzig(), Lemke()], ids=name)
def test_a_problem_without_answer_leaves_the_step_without_impulses(solver):
    problem = Problem(random_model(0))
    work = solver.workspace(problem.joints, problem.masses)
    problem.rows.number.ask[problem.active[3]] = np.nan
    _, p, dV = problem.answer(solver, work)
    assert work.tally[3] == 1
    assert not p.any()
    assert not dV.any()


# --- split -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [lambda: random_model(1, loops=3), lambda: necklace(9), door], ids=["random", "ring", "door"]
)
def test_parts_are_without_loops_and_hold_every_rigid_row_once(make):
    model = make()
    joints = model.wired.joints
    parts = acyclic_parts(joints, model.nodes.count)
    rows = np.concatenate([part.row for part in parts])
    assert len(parts) == PARTS
    assert sorted(rows) == list(range(int(joints.equalities[0])))
    for part in parts:
        group = list(range(len(part.edge)))  # union of bodies, by place
        for n, edge in enumerate(part.edge):
            if edge.parent != NONE:
                assert edge.parent > n  # children first: no way leads back
                group[n] = int(edge.parent)
        assert len(set(part.edge.body)) == len(part.edge)


def test_a_ring_is_closed_in_no_more_rounds_than_its_loop_has_rows():
    """Conjugate rounds end after as many as the second part has rows, here three; round-off may add one."""
    problem = Problem(necklace(12))
    solver = Split()
    work = solver.workspace(problem.joints, problem.masses)
    residual, _, dV = problem.answer(solver, work)
    assert work.loop.size == 3
    assert work.rounds[1] <= 4
    assert residual < 1e-12
    np.testing.assert_allclose(dV, problem.by_least_squares(), atol=1e-11)


def test_every_round_brings_the_answer_nearer():
    """I-076: the energy of the error falls from round to round, wherever one stops."""
    problem = Problem(random_model(6, bodies=10, loops=5))
    exact = problem.by_least_squares()
    mass = np.linalg.pinv(problem.inverse_mass)
    energies = []
    for rounds in range(1, 9):
        _, _, dV = problem.answer(Split(rounds=rounds))
        error = (dV - exact).reshape(-1)
        energies.append(error @ mass @ error)
    assert all(later <= earlier + 1e-18 for earlier, later in pairwise(energies))
    assert energies[-1] < 1e-2 * energies[0]


# --- in a method -----------------------------------------------------------------------------------------------------


def test_sparse_factor_serves_velocities_and_the_positions_of_the_next_step():
    """I-067: Impulse with the sparse solver and with the tree follow the same motion."""
    model = random_model(7, loops=2)
    ends = []
    for solver in (Sparse(), Tree()):
        sim = gk.Simulation(model, gk.Impulse(h=2e-3, solver=solver, tolerance=1e-10))
        sim.advance(0.02)
        assert sim.info["position_error"] <= 1e-10
        ends.append(sim.state.p_WC.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


# --- options ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: Dantzig(add_on=-1.0), "add_on"),
        (lambda: Lemke(add_on=np.nan), "add_on"),
        (lambda: Split(rounds=0), "rounds"),
        (lambda: Split(tolerance=-1e-3), "tolerance"),
    ],
)
def test_bad_options_are_named(make, word):
    with pytest.raises(InputError, match=word):
        make()


def test_too_many_rows_for_a_dense_matrix_are_refused():
    model = random_model(0)
    with pytest.raises(InputError, match="Sparse"):
        dense_work(model.wired.joints, model.system.masses, "Dantzig", 10)
