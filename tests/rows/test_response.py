"""Impulses and response matrices: balances, symmetry, and agreement with what an impulse really does (I-020..I-022)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gelenk as gk
from gelenk.compile import kernel
from gelenk.math.vec3 import Vec3, vec3
from gelenk.rows.response import (
    angular_velocity_W,
    apply_angular_impulse,
    apply_impulse,
    inverse_inertia_W,
    response_K,
    response_U,
    response_W,
    velocity_at,
)

vectors = st.tuples(*[st.floats(-2, 2)] * 3).map(vec3)
nodes = st.sampled_from(["box", "dot", "wall", "world"])
INERTIA = np.array([[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 2.5]])


def model():
    b = gk.Builder()
    b.body("box", mass=3.0, inertia=INERTIA, rotation=gk.unit((0.7, 0.3, -0.5, 0.2)), angular_velocity=(1, -2, 0.5))
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True)
    b.particle("dot", mass=0.4, at=(0.7, -0.2, 0.4), velocity=(1, 0, 0))
    return b.build()


MODEL = model()
MASSES = MODEL.system.masses


def matrix(m):
    return np.array(m).reshape(3, 3)


@given(nodes, vectors, vectors, vectors)
def test_K_is_the_change_of_velocity_that_an_impulse_makes(node, ra, rb, p):
    i, state = MODEL.index(node), MODEL.initial_state()
    before = np.array(velocity_at(state, i, ra))
    apply_impulse(MASSES, state, i, rb, p)
    change = np.array(velocity_at(state, i, ra)) - before
    np.testing.assert_allclose(change, matrix(response_K(MASSES, state, i, ra, rb)) @ np.array(p), atol=2e-14)


@given(nodes, vectors, vectors)
def test_W_U_and_L_are_what_they_say(node, r, spin):
    i, state = MODEL.index(node), MODEL.initial_state()
    u, w = np.array(velocity_at(state, i, r)), np.array(angular_velocity_W(state, i))
    apply_angular_impulse(MASSES, state, i, spin)
    du, dw = np.array(velocity_at(state, i, r)) - u, np.array(angular_velocity_W(state, i)) - w
    np.testing.assert_allclose(dw, matrix(inverse_inertia_W(MASSES, state, i)) @ np.array(spin), atol=1e-14)
    np.testing.assert_allclose(du, matrix(response_U(MASSES, state, i, r)) @ np.array(spin), atol=2e-14)
    apply_impulse(MASSES, state, i, r, spin)
    dw = np.array(angular_velocity_W(state, i)) - w - dw
    np.testing.assert_allclose(dw, matrix(response_W(MASSES, state, i, r)) @ np.array(spin), atol=2e-14)


@given(vectors, vectors)
def test_symmetries_of_the_spec(ra, rb):
    """K_ab^T = K_ba, W^T = U, K_aa and L symmetric positive definite for a dynamic body."""
    i, state = MODEL.index("box"), MODEL.initial_state()
    K_ab, K_ba = (matrix(response_K(MASSES, state, i, *r)) for r in ((ra, rb), (rb, ra)))
    np.testing.assert_allclose(K_ab.T, K_ba, atol=1e-14)
    K_aa, L = matrix(response_K(MASSES, state, i, ra, ra)), matrix(inverse_inertia_W(MASSES, state, i))
    assert np.linalg.eigvalsh(0.5 * (K_aa + K_aa.T)).min() > 0
    assert np.linalg.eigvalsh(0.5 * (L + L.T)).min() > 0
    W, U = matrix(response_W(MASSES, state, i, ra)), matrix(response_U(MASSES, state, i, ra))
    np.testing.assert_allclose(W.T, U, atol=1e-15)
    # U = -r* J^-1 written out, not taken from W
    r_skew = np.array([[0, -ra.z, ra.y], [ra.z, 0, -ra.x], [-ra.y, ra.x, 0]])
    np.testing.assert_allclose(U, -r_skew @ L, atol=1e-14)


@pytest.mark.parametrize("node", ["wall", "world"])
def test_static_nodes_do_not_answer(node):
    i, state = MODEL.index(node), MODEL.initial_state()
    r = vec3((1, 2, 3))
    for m in (response_K(MASSES, state, i, r, r), response_W(MASSES, state, i, r), inverse_inertia_W(MASSES, state, i)):
        assert not np.any(matrix(m))


def test_particle_answers_with_its_mass_alone():
    i, state = MODEL.index("dot"), MODEL.initial_state()
    r = vec3((0, 0, 0))
    np.testing.assert_array_equal(matrix(response_K(MASSES, state, i, r, r)), np.eye(3) / 0.4)
    assert not np.any(matrix(response_U(MASSES, state, i, r)))


@given(vectors)
def test_opposite_impulses_at_one_point_keep_both_momenta(impulse):
    """A pair of impulses at a common point changes neither momentum nor angular momentum of the pair (I-010)."""
    sim = gk.Simulation(MODEL)
    before = sim.ledger
    common = sim["dot"].position
    for node, sign in (("box", 1.0), ("dot", -1.0)):
        i = MODEL.index(node)
        apply_impulse(MASSES, sim.state, i, vec3(common - sim.state.p_WC[i]), impulse * sign)
    np.testing.assert_allclose(sim.ledger[2:], before[2:], atol=1e-13)


def test_pushing_a_body_of_a_simulation_changes_its_momenta_by_the_impulse():
    sim = gk.Simulation(MODEL)
    before = sim.ledger
    p, at = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.4])
    sim["box"].apply_impulse(p, at=at)
    after = sim.ledger
    np.testing.assert_allclose(after[2:5] - before[2:5], p, atol=1e-14)
    np.testing.assert_allclose(after[5:] - before[5:], np.cross(at, p), atol=1e-14)
    sim["box"].apply_angular_impulse((0.0, 0.0, 2.0))
    np.testing.assert_allclose(sim.ledger[5:] - after[5:], [0, 0, 2], atol=1e-14)


@kernel
def everything(masses, state, node, out):
    r = Vec3(out[0], out[1], out[2])
    out[0] = response_K(masses, state, node, r, r).xy
    out[1] = response_W(masses, state, node, r).xy
    out[2] = response_U(masses, state, node, r).yz
    apply_impulse(masses, state, node, r, r)


def test_compiled_and_interpreted_agree_bit_by_bit():
    made = []
    for run in (everything, everything.python):
        state, out = MODEL.initial_state(), np.array([0.1, 0.2, 0.3])
        run(MASSES, state, np.uint32(MODEL.index("box")), out)
        made.append((state.flat, out))
    assert np.array_equal(made[0][0], made[1][0])
    assert np.array_equal(made[0][1], made[1][1])
