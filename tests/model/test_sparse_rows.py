"""Models that begin where a simulation is now: what is solved for it grows with the joints, and no faster (V-103)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.model import sparse_rows
from gelenk.model.assembly import MEETS
from gelenk.model.pose_rows import coordinates_at, dense_jacobian, gaps, held_rows

H = 1e-3


def chain(count, method):
    """Rods on hinges, straight along x at the start, in mid-swing."""
    b = gk.Builder(name="chain")
    for k in range(count):
        b.body(f"rod {k}", mass=1.0, inertia=(0.01, 0.1, 0.1), at=(k + 0.5, 0, 0))
        before = f"rod {k - 1}" if k else "world"
        b.add(gk.Hinge(name=f"pin {k}", a=before, b=f"rod {k}", at=(k, 0, 0), axis=(0, 1, 0)))
    sim = gk.Simulation(b.build(), method)
    sim.step(20)
    return sim


def grip(sim):
    """A ball that holds the end of the chain where it is now."""
    last = sim.model.bodies[-1].name
    joint = gk.Ball(name="grip", a="world", b=last, at=tuple(sim[last].com))
    return sim.changed(lambda b: b.add(joint), from_now=True)


@pytest.fixture
def solved(monkeypatch):
    """(rows, numbers in the matrix, numbers in its factors) of every system that is solved."""
    sizes, factored = [], sparse_rows.factored

    def counted(K, damping):
        made = factored(K, damping)
        sizes.append((K.shape[0], K.nnz, made.L.nnz + made.U.nnz))
        return made

    monkeypatch.setattr(sparse_rows, "factored", counted)
    return sizes


def test_a_joint_on_a_long_chain_is_put_on_in_linear_work(solved):
    """Five rows of a hinge meet those of the hinge before and behind: 15 numbers a row, whatever the length.

    Their factors hold L and U, each of half the band with its diagonal, and what the order of elimination fills in:
    four bands are room enough. Dense they would hold 5 count numbers a row, 500 for 100 hinges.
    """
    for count in (20, 100):
        solved.clear()
        other = grip(chain(count, gk.RowStepping(h=H)))
        assert other.model.joints[-1].name == "grip"
        assert solved, "steps leave velocities that the hinges do not quite allow"
        for rows, matrix, factors in solved:
            assert rows <= 5 * count + 3
            assert matrix <= 15 * rows
            assert factors <= 60 * rows


def test_joints_of_a_running_chain_count_as_assembled(solved):
    """The chain is all but straight and held at both ends, where no motion closes what a step leaves open."""
    sim = chain(6, gk.RowStepping(h=H))
    state = sim.state
    assert 1e-12 < max(gap.worst for gap in gaps(sim.model, state, held_rows(sim.model))) < MEETS
    other = grip(sim)
    np.testing.assert_array_equal(other.model.initial_state().p_WC, state.p_WC, "nothing was moved")
    other.step(50)
    assert not np.isnan(other.state.flat).any()


def test_what_steps_leave_far_open_is_closed_and_can_be_changed_again():
    """A method that lets joints open by more than models may have: the model of now meets, and can be built anew."""
    sim = chain(6, gk.RowStepping(h=H))
    sim.state.p_WC[3] += (0.0, 0.0, 1e-4)
    assert max(gap.worst for gap in gaps(sim.model, sim.state, held_rows(sim.model))) > 10 * MEETS
    other = grip(sim)
    model = other.model
    assert max(gap.worst for gap in gaps(model, model.initial_state(), held_rows(model))) <= MEETS
    gk.Builder.from_model(model).build()
    np.testing.assert_array_equal(other.state.p_WC, sim.state.p_WC, "the simulation itself goes on from where it is")


def test_the_sparse_system_is_the_dense_one():
    sim = chain(5, gk.RowStepping(h=H))
    model, state, rows = sim.model, sim.state, held_rows(sim.model)
    now = coordinates_at(model, state)
    system = sparse_rows.RowSystem(model, state, now, rows)
    J = dense_jacobian(model, state, now, rows).reshape(len(rows), -1)
    np.testing.assert_array_equal(system.J.toarray(), J)
    K = J @ sparse_rows.inverse_masses(model, state).toarray() @ J.T
    scale = 1.0 / np.sqrt(np.diag(K))
    np.testing.assert_allclose(system.K.toarray(), K * scale[:, None] * scale, atol=1e-14)  # round-off of sums of six
    b = np.linspace(-1, 1, len(rows))
    np.testing.assert_allclose(K @ system.solve(b, 0.0), b, atol=1e-11)  # condition of the chain, 1e3, and round-off


def test_rows_hang_together_through_bodies_that_move_alone():
    """Two chains from one wall are two islands."""
    b = gk.Builder()
    for k in range(4):
        b.body(f"rod {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(0, k, 0))
        b.add(gk.Ball(name=f"pin {k}", a=f"rod {k - 1}" if k % 2 else "world", b=f"rod {k}", at=(0, k, 0)))
    model = b.build()
    rows = held_rows(model)
    is_open = np.zeros(len(rows), dtype=bool)
    assert sparse_rows.island(model, rows, is_open) == []
    is_open[7] = True
    assert sparse_rows.island(model, rows, is_open) == rows[6:]
