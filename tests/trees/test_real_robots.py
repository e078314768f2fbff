"""Real robots in minimal coordinates, against Pinocchio (B-15, V-52; 1e-10 is asked for)."""

import warnings

import numpy as np
import pytest

import gelenk as gk

FILES = (
    "kuka_iiwa/model.urdf",
    "franka_panda/panda.urdf",
    "a1/a1.urdf",
)  # xarm6 has inertias that no body can have, which are mended
CLOSE = 1e-10


@pytest.fixture(scope="module")
def folder():
    reason = "PyBullet's robots are missing: pip install pybullet"
    return pytest.importorskip("pybullet_data", reason=reason).getDataPath()


@pytest.fixture(scope="module")
def pin():
    return pytest.importorskip("pinocchio", reason="Pinocchio is missing: pip install pin")


def both(pin, file, seed, free=False):
    """The robot here and there in the same random motion: (tree, q, u), (model, data, q, u), order of the joints."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = {"base": "free" if free else "fixed", "meshes": "none"}
        own = gk.load_urdf(file, **options)
        start = {
            name: rng.uniform(max(j.lower, -3), min(j.upper, 3)) for name, j in own.joints.items() if not j.follows
        }
        own = gk.load_urdf(file, **options, joints=start)
    tree = gk.TreeDynamics(own.builder.build(), springs=False)  # Pinocchio leaves damping out
    q, _ = tree.coordinates(tree.model.initial_state())
    other = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()) if free else pin.buildModelFromUrdf(file)
    q_other, u_other, u = pin.neutral(other), np.zeros(other.nv), np.zeros(tree.nu)
    order = np.zeros(other.nv, int)
    by_name = {name.rpartition(".")[0]: k for k, name in enumerate(tree.names)}
    for name, j in own.joints.items():
        at = other.joints[other.getJointId(name)]
        angle = j.start[0]
        q_other[at.idx_q : at.idx_q + at.nq] = [angle] if at.nq == 1 else [np.cos(angle), np.sin(angle)]
        order[at.idx_v] = by_name[j.name]
        u[by_name[j.name]] = u_other[at.idx_v] = rng.normal()
    return (tree, q, u), (other, other.createData(), q_other, u_other), order


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("seed", range(3))
def test_equations_of_motion_agree_with_pinocchio(pin, folder, file, seed):
    (tree, q, u), (other, data, q_other, u_other), order = both(pin, f"{folder}/{file}", seed)
    rng = np.random.default_rng(seed)
    tau, du = rng.normal(size=other.nv), rng.normal(size=other.nv)
    tau_own, du_own = np.zeros(tree.nu), np.zeros(tree.nu)
    tau_own[order], du_own[order] = tau, du
    M = pin.crba(other, data, q_other)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(tree.mass_matrix(q)[np.ix_(order, order)], M, rtol=0, atol=CLOSE)
    forward = pin.aba(other, data, q_other, u_other, tau)
    np.testing.assert_allclose(
        tree.forward(q, u, tau_own)[order], forward, rtol=0, atol=CLOSE * max(1, abs(forward).max())
    )
    inverse = pin.rnea(other, data, q_other, u_other, du)
    np.testing.assert_allclose(
        tree.inverse(q, u, du_own)[order], inverse, rtol=0, atol=CLOSE * max(1, abs(inverse).max())
    )


@pytest.mark.parametrize("file", FILES)
def test_jacobians_agree_with_pinocchio(pin, folder, file):
    (tree, q, _), (other, data, q_other, _), order = both(pin, f"{folder}/{file}", 5)
    pin.computeJointJacobians(other, data, q_other)
    for j in range(1, other.njoints):
        child = next(n for n, name in enumerate(tree.joints) if name == other.names[j])
        body = tree.model.nodes.names[int(tree.tree.link[child].node)]
        # Pinocchio: velocity of the joint's origin, world axes; that point in the axes of the body here
        J = pin.getJointJacobian(other, data, j, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        state, i = tree.state(q), int(tree.tree.link[child].node)
        R = gk.math.rotation.rotation_matrix(state.q_WB[i])
        com = np.array(tree.model.body(body).com)
        point = com + R.T @ (data.oMi[j].translation - state.p_WC[i])
        np.testing.assert_allclose(tree.jacobian(q, body, point)[:, order], J, rtol=0, atol=CLOSE)


def skew(x):
    """[x]  with  [x] y = x x y."""
    return np.cross(np.eye(3), x)


@pytest.mark.parametrize("seed", range(3))
def test_a_robot_that_floats_agrees_with_pinocchio(pin, folder, seed):
    """Its base is anywhere, turned, and moves. Pinocchio's base has the velocity of its origin O in its own axes, here

    it has that of its centre of mass C in world axes:  v_C = R (v_O + w x c),  so with that as u = A u_pin

        M_pin = A^T M A    tau_pin = A^T tau    u' = A u_pin' + A' u_pin,  A' u_pin = R w x (v_O + w x c)    J_pin = J A
    """
    (tree, q, u), (other, data, q_other, u_other), order = both(pin, f"{folder}/a1/a1.urdf", seed, free=True)
    rng = np.random.default_rng(seed)
    p_WO, turn, v_O, w = rng.normal(size=3), rng.normal(size=4), rng.normal(size=3), rng.normal(size=3)
    turn /= np.linalg.norm(turn)
    R, c = gk.math.rotation.rotation_matrix(turn), np.array(tree.model.body("trunk").com)
    q[:3], q[3:7] = p_WO + R @ c, turn
    q_other[:3], q_other[3:7] = p_WO, turn[[1, 2, 3, 0]]
    u_other[:3], u_other[3:6] = v_O, w
    order[:6] = range(6)
    A = np.eye(other.nv)
    A[:3, :3], A[:3, 3:6] = R, -R @ skew(c)
    drift = np.zeros(other.nv)
    drift[:3] = R @ np.cross(w, v_O + np.cross(w, c))
    u[order] = A @ u_other

    M = pin.crba(other, data, q_other)
    M = np.triu(M) + np.triu(M, 1).T
    np.testing.assert_allclose(A.T @ tree.mass_matrix(q)[np.ix_(order, order)] @ A, M, rtol=0, atol=CLOSE)

    tau, du, mine = rng.normal(size=other.nv), rng.normal(size=other.nv), np.zeros(tree.nu)
    forward = pin.aba(other, data, q_other, u_other, tau)
    mine[order] = np.linalg.solve(A.T, tau)
    got = tree.forward(q, u, mine)[order]
    np.testing.assert_allclose(got, A @ forward + drift, rtol=0, atol=CLOSE * max(1, abs(forward).max()))

    inverse = pin.rnea(other, data, q_other, u_other, du)
    mine[order] = A @ du + drift
    got = A.T @ tree.inverse(q, u, mine)[order]
    np.testing.assert_allclose(got, inverse, rtol=0, atol=CLOSE * max(1, abs(inverse).max()))

    pin.computeJointJacobians(other, data, q_other)
    state = tree.state(q)
    for j in range(1, other.njoints):
        i = 1 if j == 1 else int(tree.tree.link[list(tree.joints).index(other.names[j])].node)
        body = tree.model.nodes.names[i]
        R_WB = gk.math.rotation.rotation_matrix(state.q_WB[i])
        point = np.array(tree.model.body(body).com) + R_WB.T @ (data.oMi[j].translation - state.p_WC[i])
        J = pin.getJointJacobian(other, data, j, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(tree.jacobian(q, body, point)[:, order] @ A, J, rtol=0, atol=CLOSE)
