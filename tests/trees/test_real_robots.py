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


def test_a_robot_that_floats_accelerates_as_in_pinocchio(pin, folder):
    (tree, q, u), (other, data, q_other, u_other), order = both(pin, f"{folder}/a1/a1.urdf", 7, free=True)
    tau = np.random.default_rng(7).normal(size=other.nv)
    tau[:6] = 0.0
    own = np.zeros(tree.nu)
    own[order[6:]] = tau[6:]
    forward = pin.aba(other, data, q_other, u_other, tau)[6:]
    got = tree.forward(q, u, own)[order[6:]]
    np.testing.assert_allclose(got, forward, rtol=0, atol=CLOSE * max(1, abs(forward).max()))
