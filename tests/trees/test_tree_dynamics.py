"""Trees in minimal coordinates: identities at random states of random trees (B-10..B-17, V-52, I-083, T-47..T-51)."""

import numpy as np
import pytest

import gelenk as gk
from trees.random_trees import ALL, moved, random_motion, random_tree

SEEDS = range(12)
ROUND = 1e-12  # of numbers of size 1 to 100 in trees of eight bodies: some hundred operations of 1e-16 each, and pivots


def tree_of(seed, **more):
    model = random_tree(seed, free=seed % 3 == 0, kinds=ALL, **more)
    return model, gk.TreeDynamics(model)


def axes(state):
    """(n, 3, 3) axes of all bodies as columns; the sign of a quaternion does not count."""
    return np.array([gk.math.rotation.rotation_matrix(turn) for turn in state.q_WB])


@pytest.mark.parametrize("seed", SEEDS)
def test_bodies_give_back_their_coordinates(seed):
    _, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    q_again, u_again = tree.coordinates(tree.state(q, u))
    np.testing.assert_allclose(u_again, u, rtol=0, atol=ROUND * 10)
    there, again = tree.state(q), tree.state(q_again)  # turns and signs of quaternions may differ, places may not
    np.testing.assert_allclose(again.p_WC, there.p_WC, rtol=0, atol=ROUND * 10)
    np.testing.assert_allclose(axes(again), axes(there), rtol=0, atol=ROUND * 10)


@pytest.mark.parametrize("seed", SEEDS)
def test_velocities_are_rates_of_places(seed):
    """v = dp/dt and R w~ = dR/dt with w in axes of the body, by central differences: error h^2 and 1e-16 / h, which

    h = 1e-5 balances at 1e-10 times the rates."""
    _, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    h = 1e-5
    ahead, behind = (tree.state(moved(tree, q, u, s), u) for s in (h, -h))
    now = tree.state(q, u)
    np.testing.assert_allclose((ahead.p_WC - behind.p_WC) / (2 * h), now.v_WC, rtol=0, atol=1e-7)
    turns = [R @ np.cross(w, np.eye(3)).T for R, w in zip(axes(now), now.w_WB_B)]  # rows of cross: w x e_k
    np.testing.assert_allclose((axes(ahead) - axes(behind)) / (2 * h), turns, rtol=0, atol=1e-7)


@pytest.mark.parametrize("seed", SEEDS)
def test_linear_time_and_projected_equations_agree(seed):
    _, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    tau = np.random.default_rng(seed).normal(size=tree.nu)
    du = tree.forward(q, u, tau)
    np.testing.assert_allclose(
        tree.forward(q, u, tau, projected=True), du, rtol=0, atol=ROUND * max(1.0, abs(du).max())
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_dynamics_undo_forward_dynamics(seed):
    _, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    tau = np.random.default_rng(seed).normal(size=tree.nu)
    back = tree.inverse(q, u, tree.forward(q, u, tau))
    np.testing.assert_allclose(back, tau, rtol=0, atol=ROUND * 100)  # tau beside forces of size 100


@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_are_rates_of_velocities(seed):
    """The pseudo-accelerations of every joint, turned around or not: dv/dt of all bodies along a motion with u'."""
    model, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    du = np.random.default_rng(seed).normal(size=tree.nu)
    h = 1e-5
    ahead = tree.state(moved(tree, q, u + 0.5 * h * du, h), u + h * du)
    behind = tree.state(moved(tree, q, u - 0.5 * h * du, -h), u - h * du)
    acceleration = (ahead.v_WC - behind.v_WC) / (2 * h)
    # tau = sum J^T (m (a - g)) + ..., so the force at the root of a free tree is that of all accelerations
    forces = (acceleration - np.array(model.gravity)) * model.system.masses.mass[:, None]
    tree.inverse(q, u, du)
    for n, link in enumerate(tree.tree.link):
        below = [n]
        for k in range(n + 1, len(tree.tree.link)):
            if tree.tree.link[k].parent in below:
                below.append(k)
        nodes = [int(tree.tree.link[k].node) for k in below]
        through = np.array(tree._work.moving[n].f)
        np.testing.assert_allclose(through, forces[nodes].sum(axis=0), rtol=0, atol=1e-5, err_msg=str(link.kind))


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_symmetric_positive_and_twice_the_kinetic_energy(seed):
    model, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    M = tree.mass_matrix(q)
    np.testing.assert_allclose(M, M.T, rtol=0, atol=ROUND * abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0.0
    s, masses = tree.state(q, u), model.system.masses
    kinetic = 0.5 * (masses.mass @ (s.v_WC**2).sum(axis=1))
    kinetic += 0.5 * np.einsum("ni,nij,nj", s.w_WB_B, masses.inertia_B, s.w_WB_B)
    assert 0.5 * u @ M @ u == pytest.approx(kinetic, rel=ROUND * 10)


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_what_inverse_dynamics_asks_for(seed):
    """M e_k = tau(u' = e_k) - tau(u' = 0), by the recursion that knows no matrix; symmetric to the last bit."""
    _, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    M, rest = tree.mass_matrix(q), tree.inverse(q, u, np.zeros(tree.nu))
    columns = np.array([tree.inverse(q, u, e) - rest for e in np.eye(tree.nu)]).T
    np.testing.assert_array_equal(M, M.T)
    np.testing.assert_allclose(M, columns, rtol=0, atol=ROUND * max(abs(M).max(), abs(rest).max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_jacobians_are_those_of_differences(seed):
    model, tree = tree_of(seed)
    q, _ = random_motion(tree, seed)
    point, h = np.array([0.2, -0.1, 0.3]), 1e-5
    name = model.bodies[-1].name
    J = tree.jacobian(q, name, point)

    def place(q):
        pose = tree.state(q)
        i = len(model.bodies)
        R = gk.math.rotation.rotation_matrix(pose.q_WB[i])
        return pose.p_WC[i] + R @ (point - np.array(model.bodies[-1].com))

    for k in range(tree.nu):
        e = np.eye(tree.nu)[k]
        numeric = (place(moved(tree, q, e, h)) - place(moved(tree, q, e, -h))) / (2 * h)
        np.testing.assert_allclose(J[:3, k], numeric, rtol=0, atol=1e-8)


@pytest.mark.parametrize("seed", SEEDS)
def test_power_of_forces_is_the_rate_of_energy(seed):
    """T' = u.(M u') + u.M'u/2 = u.(tau + h + ...):  d/dt of kinetic and potential energy is the power of tau."""
    model, tree = tree_of(seed)
    q, u = random_motion(tree, seed)
    tau = np.random.default_rng(seed).normal(size=tree.nu)
    du, h = tree.forward(q, u, tau), 1e-5

    def energy(s):
        masses = model.system.masses
        kinetic = 0.5 * (masses.mass @ (s.v_WC**2).sum(axis=1))
        kinetic += 0.5 * np.einsum("ni,nij,nj", s.w_WB_B, masses.inertia_B, s.w_WB_B)
        return kinetic - masses.mass @ (s.p_WC @ np.array(model.gravity))

    ahead = energy(tree.state(moved(tree, q, u + 0.5 * h * du, h), u + h * du))
    behind = energy(tree.state(moved(tree, q, u - 0.5 * h * du, -h), u - h * du))
    scale = 1.0 + abs(du).max() ** 2
    assert (ahead - behind) / (2 * h) == pytest.approx(tau @ u, abs=1e-6 * scale)


def test_ten_thousand_links_do_not_exhaust_the_stack():
    b = gk.Builder()
    for k in range(10_000):
        b.body(f"b{k}", mass=0.1, inertia=(1e-3, 1e-3, 1e-3), at=(0.05 + 0.1 * k, 0, 0))
        b.add(gk.Ball(name=f"j{k}", a="world" if k == 0 else f"b{k - 1}", b=f"b{k}", at=(0.1 * k, 0, 0)))
    tree = gk.TreeDynamics(b.build())
    q, u = tree.coordinates(tree.model.initial_state())
    du = tree.forward(q, u)
    first = tree.names.index("j9999.wy")
    # the far end of a long row falls as if it were alone: a_N - g = 0 within what its neighbours hold back
    assert np.isfinite(du).all()
    assert abs(du[first]) < 1.0


def test_names_of_velocities_say_what_they_are():
    b = gk.Builder()
    b.body("hull", mass=1, inertia=(1, 1, 1))
    b.body("wheel", mass=1, inertia=(1, 1, 1), at=(1, 0, 0))
    b.add(gk.Hinge(name="axle", a="hull", b="wheel", at=(1, 0, 0), axis=(0, 1, 0)))
    tree = gk.TreeDynamics(b.build())
    assert tree.names == (*(f"hull.{w}" for w in ("vx", "vy", "vz", "wx", "wy", "wz")), "axle.angle")


def test_what_is_no_tree_is_refused_with_its_joint():
    b = gk.Builder()
    for k in range(2):
        b.body(f"b{k}", mass=1, inertia=(1, 1, 1), at=(k, 0, 0))
    b.add(gk.Ball(name="one", a="world", b="b0", at=(0, 0, 1)))
    b.add(gk.Ball(name="two", a="b0", b="b1", at=(0.5, 0, 0)))
    b.add(gk.Ball(name="three", a="b1", b="world", at=(1, 0, 1)))
    with pytest.raises(gk.InputError, match=r"'three'.*cut"):
        gk.TreeDynamics(b.build())
    assert gk.TreeDynamics(b.build(), cut=("three",)).nu == 6
    with pytest.raises(gk.InputError, match="thre"):
        gk.TreeDynamics(b.build(), cut=("thre",))


@pytest.mark.parametrize(("what", "values"), [("q", [0.0]), ("u", [np.nan] * 7), ("tau", ["x"] * 7), ("q", [0.0] * 8)])
def test_wrong_numbers_are_refused(what, values):
    b = gk.Builder()
    b.body("hull", mass=1, inertia=(1, 1, 1))
    b.body("wheel", mass=1, inertia=(1, 1, 1), at=(1, 0, 0))
    b.add(gk.Hinge(name="axle", a="hull", b="wheel", at=(1, 0, 0), axis=(0, 1, 0)))
    tree = gk.TreeDynamics(b.build())
    q, u = tree.coordinates(tree.model.initial_state())
    given = {"q": q, "u": u, "tau": np.zeros(tree.nu)} | {what: values}
    with pytest.raises(gk.InputError, match="TreeDynamics"):
        tree.forward(**given)


def test_states_of_other_models_are_refused():
    tree, other = gk.TreeDynamics(random_tree(1)), random_tree(2, 5)
    with pytest.raises(gk.InputError, match="a state of 5 bodies, 0 particles"):
        tree.coordinates(other.initial_state())
    with pytest.raises(gk.InputError, match="allowed: a state of the model"):
        tree.coordinates(np.zeros(3))
    state = tree.model.initial_state()
    state.v_WC[2, 1] = np.nan
    with pytest.raises(gk.InputError, match="'b1' has numbers that are not finite"):
        tree.coordinates(state)
    state.v_WC[2, 1] = 0.0
    for length in (0.0, 1.0 + 1e-5, 2.0):
        state.q_WB[3] = (length, 0.0, 0.0, 0.0)
        with pytest.raises(gk.InputError, match=r"'b2' has a quaternion of length .*Divide it by its length"):
            tree.coordinates(state)


@pytest.mark.parametrize("time", [np.nan, np.inf, "now", None])
def test_times_are_finite(time):
    tree = gk.TreeDynamics(random_tree(1))
    q, u = random_motion(tree, 1)
    for ask in (tree.forward, tree.inverse):
        with pytest.raises(gk.InputError, match="time is"):
            ask(q, u, u, time=time)


def triangle():
    b = gk.Builder()
    for name in "abc":
        b.body(name, mass=1.0, inertia=(1, 1, 1))
    for name, (a, c) in {"one": "ab", "two": "bc", "three": "ca"}.items():
        b.add(gk.Ball(name=name, a=a, b=c, at=(0, 0, 0)))
    return b


def test_a_tree_may_cut_itself():
    """The three balls in a ring leave 6 + 3 + 3 velocities; names go through one check with "auto" too."""
    model = triangle().build()
    assert gk.TreeDynamics(model, cut="auto").nu == gk.TreeDynamics(model, cut="three").nu == 12
    for make in (lambda cut: gk.TreeDynamics(model, cut=cut), lambda cut: gk.Simulation(model, gk.MoreauTree(cut=cut))):
        with pytest.raises(gk.InputError, match=r'no joint has the name .*Write cut="auto", alone'):
            make(("auto",))
        with pytest.raises(gk.InputError, match="cut is 'Auto'"):
            make("Auto")
        with pytest.raises(gk.InputError, match="cut is 3"):
            make(3)


def test_cuts_within_bodies_that_become_one_are_no_longer_asked_for():
    """A door on two hinges, one of which is cut, becomes one with its frame while it falls, and comes off again."""
    b = gk.Builder()
    b.body("frame", mass=1.0, inertia=(1, 1, 1))
    b.body("door", mass=1.0, inertia=(1, 1, 1), at=(0.5, 0, 0), angular_velocity=(0, 0, 1.0), velocity=(0, 0.5, 0))
    b.add(gk.Hinge(name="low", a="frame", b="door", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Hinge(name="high", a="frame", b="door", at=(0, 0, 1), axis=(0, 0, 1)))
    sim = gk.Simulation(b.build(), gk.MoreauTree(h=1e-3, cut=("high",)))
    sim.advance(0.01)
    angle = sim.sensors["low.angle"]
    sim.merge("shut", "frame", "door")
    sim.advance(0.05)
    assert sim.sensors["low.angle"] == pytest.approx(angle, abs=1e-12)
    assert sim.state.p_WC[1, 2] == pytest.approx(-0.5 * 9.81 * 0.06**2, abs=1e-9)
    sim.split("shut")
    sim.advance(0.01)
    assert sim.info["rows"] == 5
