"""Chains and trees: reactions at rest, momenta of what floats, few iterations, torn models, links that turn too far."""

import numpy as np
import pytest

import gelenk as gk
from exact.chain_statics import hanging_forces, pulled_chain
from exact.floating_arm import FloatingArm, base_rate, base_turn, floating_arm
from exact.n_pendulum import Link
from gelenk.compile import ENABLED
from methods.joint_models import (
    METHODS,
    angle_apart,
    angle_y,
    ball_chain_model,
    binary_tree_model,
    converges,
    floating_arm_model,
    hanging_chain_model,
    impulse,
    joint_gap,
    longer,
    motor_force,
    name,
    reaction,
    record,
    swept,
    v_chain_model,
)

# ---- statics ---------------------------------------------------------------------------------------------------------

LINKS = [Link.rod(0.5 + 0.005 * k, 0.1) for k in range(100)]
LOAD = 20.0


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_loaded_chain_of_100_hangs_on_the_right_forces(method):
    """Every joint carries all that hangs below it.

    Nothing moves, so one exact solve gives them: round-off of the solver, 1e-16 times the 100 joints squared.
    """
    model = hanging_chain_model(LINKS, np.tile([0.0, 0.0, -1.0], (100, 1)), load=LOAD)
    sim = gk.Simulation(model, method(1e-3))
    sim.advance(0.01)
    f = np.array([reaction(sim, f"joint{k}") for k in range(100)])
    exact = hanging_forces([link.mass for link in LINKS], LOAD)
    np.testing.assert_allclose(f[:, 2], exact, rtol=1e-9)
    assert np.abs(f[:, [0, 1, 3, 4, 5]]).max() < 1e-9 * exact[0]
    assert reaction(sim, "hook")[2] == pytest.approx(LOAD * 9.81, rel=1e-9)


def test_sweeps_over_a_chain_find_the_same_forces_in_the_end():
    """Gauss-Seidel takes of the order of n^2 sweeps; 20 links, and what a sweep changes is below 1e-12 m/s at the end.

    Changes fall by a share of about 1 - (pi / 2 n)^2 a sweep, so what is left is 200 times the last one, over h.
    """
    model = hanging_chain_model(LINKS[:20], np.tile([0.0, 0.0, -1.0], (20, 1)), load=LOAD)
    sim = gk.Simulation(model, swept(1e-3))
    sim.advance(2e-3)
    f = np.array([reaction(sim, f"joint{k}")[2] for k in range(20)])
    exact = hanging_forces([link.mass for link in LINKS[:20]], LOAD)
    np.testing.assert_allclose(f, exact, rtol=1e-6)


def test_chain_pulled_aside_bears_forces_along_its_links():
    """In the rest of `pulled_chain`, forces are inclined and each link stands so that no joint needs a couple."""
    f_end = (60.0, 0.0, -30.0)
    rest = pulled_chain(LINKS, f_end)
    sim = gk.Simulation(hanging_chain_model(LINKS, rest.e_W, f_end_W=f_end), impulse(1e-3))
    sim.advance(0.01)
    f = np.array([reaction(sim, f"joint{k}") for k in range(100)])
    # Poses are rounded to 1e-16 m, which 700 N turn into accelerations of the light links; measured 1e-9.
    np.testing.assert_allclose(f[:, :3], rest.f_W[:-1], atol=1e-7 * np.linalg.norm(rest.f_W[0]))
    assert np.abs(sim.state.v_WC).max() < 1e-9


# ---- what floats -----------------------------------------------------------------------------------------------------

ARM = FloatingArm(mass=12.0, inertia=0.9, joint=0.4, links=(Link.rod(3.0, 0.8), Link.rod(1.5, 0.6)))
Q0, SPEEDS = np.array([0.3, -0.9]), np.array([2.0, -1.2])


def turning(t):
    """Joint angles and rates under motors of constant speed."""
    return Q0 + np.multiply.outer(t, SPEEDS), np.broadcast_to(SPEEDS, (len(t), 2))


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_floating_base_answers_to_its_arm(method):
    """Motors turn the joints at given speeds; angle and place of the base follow from the momenta, to the order."""
    t_end, errors = 1.0, []
    steps = (50, 100, 200) if method is impulse else (800, 1600, 3200)
    for n in steps:
        time = np.linspace(0.0, t_end, 11)
        exact = floating_arm(time, ARM, turning, momentum=0.3, v_centre_W=(0.1, 0.0, -0.2))
        model = floating_arm_model(ARM, exact.p_W[0], exact.v_W[0], exact.angle[0], exact.rate[0], SPEEDS)
        run = record(model, method(t_end / n), t_end, 0.1)
        errors.append(
            [
                angle_apart(angle_y(run["base"]), exact.angle[:, 0]),
                np.abs(run["base"].position - exact.p_W[:, 0]).max(),
                np.abs(run["base"].angular_velocity[:, 1] - exact.rate[:, 0]).max(),
            ]
        )
        # Motors and joints push with opposite impulses at one point: 20 kg m/s, round-off of every step.
        drift = run.drift()
        assert drift["momentum"] < 1e-13 * n
        assert drift["angular_momentum"] < 1e-13 * n
    assert converges(steps, errors, method.order, floor=1e-7)


def test_base_turns_by_the_closed_form_whatever_the_speed():
    """One link, no momentum: the turn of the base depends on the joint angles alone, at two speeds and in between."""
    arm = FloatingArm(mass=12.0, inertia=0.9, joint=0.4, links=ARM.links[:1])
    turns = []
    for speed in (2.0, 5.0):
        q, qd = np.array([[0.2]]), np.array([[speed]])
        exact = floating_arm(
            np.array([0.0, 0.1]), arm, lambda t, w=speed: (0.2 + w * t[:, None], np.full((len(t), 1), w))
        )
        model = floating_arm_model(arm, exact.p_W[0], exact.v_W[0], exact.angle[0], exact.rate[0], [speed])
        sim = gk.Simulation(model, impulse(2e-3))
        assert exact.rate[0, 0] == pytest.approx(base_rate(arm, q, qd)[0], rel=1e-12)
        sim.advance(3.0 / speed)
        q = sim["base"].orientation
        turns.append(2.0 * np.arctan2(q[2], q[0]))
    exact = float(base_turn(arm, 0.2, 3.2))
    # Order 2: the link turns by h w = 0.01 in a step, (h w)^2 / 10 of the turn.
    np.testing.assert_allclose(turns, exact, atol=1e-4)


def test_motor_of_the_floating_arm_pushes_the_base_back():
    """Torque of the motor = change of the spin of the arm less the moments of the joint force; and on the base alike.

    On the base act the opposite of the joint's reaction and of the motor's torque, nothing else.
    """
    exact = floating_arm(np.array([0.0, 0.1]), ARM, turning)
    model = floating_arm_model(ARM, exact.p_W[0], exact.v_W[0], exact.angle[0], exact.rate[0], SPEEDS)
    h, errors = 1e-3, []
    sim = gk.Simulation(model, impulse(h))
    for _ in range(20):
        v, w, p = sim["base"].velocity, sim["base"].angular_velocity[1], sim["base"].position
        q = sim["base"].orientation
        sim.advance(h)
        f, torque = -reaction(sim, "joint0")[:3], -motor_force(sim, "motor0")
        turn = 2.0 * np.arctan2(q[2], q[0]) + 0.5 * h * w
        r = ARM.joint * np.array([np.cos(turn), 0.0, -np.sin(turn)])
        moment = r[2] * f[0] - r[0] * f[2] + torque
        push = ARM.mass * (sim["base"].velocity - v) / h
        spin = ARM.inertia * (sim["base"].angular_velocity[1] - w) / h
        errors.append([np.abs(push - f).max() / np.abs(f).max(), abs(spin - moment)])
        assert np.linalg.norm(sim["base"].position - p) > 0.0
    # The impulses of the start and end of a step act along axes that turn by h w = 2e-3 between them.
    assert np.max(errors, axis=0) == pytest.approx([0.0, 0.0], abs=2e-3 * 10.0)


@pytest.fixture(params=["floating", "on an axle"])
def tree(request):
    """The tree of X1 at rest, or turning at 2 rad/s about a vertical axle under gravity."""
    hinge = request.param != "floating"
    h = 1.0 / 60.0 if hinge else 1.0 / 30.0
    model = binary_tree_model(longer(7, 4), hinge=hinge, gravity=9.81 if hinge else 0.0)
    sim = gk.Simulation(model, impulse(h, tolerance=1e-6, velocity_tolerance=1e-6))
    if hinge:
        w_W = np.array([0.0, 0.0, 2.0])
        for i in range(1, len(sim.state.q_WB)):
            sim.state.w_WB_B[i] = gk.math.rotation.rotation_matrix(sim.state.q_WB[i]).T @ w_W
            sim.state.v_WC[i] = np.cross(w_W, sim.state.p_WC[i])
    else:  # 10 N m for one step on the first body of the tree; less on the smaller tree of interpreted runs
        sim["b1"].apply_angular_impulse((0.0, longer(10.0, 0.2) * h, 0.0))
    return sim


def test_tree_keeps_its_momenta_with_joints_within_the_tolerance_in_every_step(tree):
    """X1: joints within 1e-6 m; a floating tree keeps both momenta, one on an axle its spin about the vertical.

    Impulses come in opposite pairs at one point, so that only round-off of every step is left: some 100 bodies with
    momenta up to 30 kg m/s. Joints that are open by 1e-6 m change nothing about that.
    """
    before = tree.ledger
    floating = "axle" not in tree.model.wired.names
    for _ in range(longer(150, 8)):
        tree.advance(tree.method.h)
        assert tree.info["position_error"] <= 1e-6
        assert tree.info["residual"] <= 1e-6
    assert tree.info["worst_position_error"] <= 1e-6
    assert joint_gap(tree) <= 1e-6
    change = np.abs(tree.ledger - before)
    assert np.all(change[2:8] < 1e-12) if floating else change[7] < 1e-11
    assert np.abs(tree.state.v_WC[1:]).max() > 0.01  # it does move


# ---- X6, X7, and the preview direction -------------------------------------------------------------------------------


def test_one_iteration_per_step_stays_stable():
    """X6: a chain of ten falls and swings for 50 s with one sweep a step.

    Joints open by at most a fifth of a link while it is fastest, and close as it comes to rest: what one sweep leaves
    is taken up by the next step. Impulses that are late only brake, so the energy does not rise above its start.
    """
    method = gk.Impulse(0.01, solver=gk.GaussSeidel(sweeps=1), iterations=1, velocity_iterations=1)
    sim = gk.Simulation(ball_chain_model(10, fixed=True), method)
    start, gaps, energies = sim.ledger[:2].sum(), [], []
    for _ in range(longer(1000, 40)):
        sim.advance(0.05)
        gaps.append(joint_gap(sim))
        energies.append(sim.ledger[:2].sum() - start)
    assert max(gaps) < 0.2
    assert max(energies) < 0.01 * 10 * 9.81 * 5.0  # of the fall of ten links by five metres
    if len(gaps) == 1000:
        assert max(gaps[-100:]) < 0.05
        assert energies[-1] < -0.5 * 10 * 9.81 * 5.0


def torn_chain(method, seed):
    """A floating chain of eight whose bodies were thrown up to a metre aside and turned anyhow."""
    random = np.random.default_rng(seed)
    model = ball_chain_model(8, fixed=False, gravity=0.0)
    sim = gk.Simulation(model, method)
    for k in range(8):
        i = model.index(f"b{k}")
        sim.state.p_WC[i] += random.uniform(-1.0, 1.0, 3)
        q = random.normal(size=4)
        sim.state.q_WB[i] = q / np.linalg.norm(q)
    return sim


@pytest.mark.parametrize("solver", [gk.Tree(), gk.GaussSeidel(sweeps=200, tolerance=1e-12)], ids=["tree", "sweeps"])
@pytest.mark.skipif(not ENABLED, reason="some hundred steps of up to 20 iterations each, interpreted")
def test_torn_chain_comes_together_with_capped_impulses(solver):
    """X7: joints open by metres close to 1e-6 m within a few hundred steps, and both momenta stay where they were.

    With 1 N s a step on bodies of 1 kg, speeds stay near the metre per second that bridges the gaps in 100 steps.
    """
    sim = torn_chain(gk.Impulse(0.01, solver=solver, tolerance=1e-6, impulse_cap=1.0), seed=7)
    before = sim.ledger
    assert joint_gap(sim) > 1.0
    steps = 0
    while joint_gap(sim) > 1e-6 and steps < 400:
        sim.advance(0.01)
        steps += 1
    assert joint_gap(sim) <= 1e-6
    # Round-off of 8 bodies with momenta of 10 kg m/s over some hundred steps of 20 iterations.
    assert np.abs(sim.ledger - before)[2:8].max() < 1e-9


@pytest.mark.parametrize("up", [False, True], ids=["V", "inverted V"])
def test_short_links_released_from_a_v_do_not_blow_up(up):
    """Links of 2 cm that turn by more than a right angle in a step of 1/60 s (8.2, item 33).

    Pushing along the directions at the end of the step keeps them within their tolerance. The scheme neither keeps nor
    loses energy at such steps; it stays within half of what the fall sets free.
    """
    h, model = 1.0 / 60.0, v_chain_model(20, up=up)
    sim = gk.Simulation(model, impulse(h, tolerance=1e-4, velocity_tolerance=1e-4, iterations=50))
    start, free, most = sim.ledger[:2].sum(), 19e-3 * 9.81 * 0.17, 0.0
    for _ in range(longer(600, 20)):
        sim.advance(h)
        assert sim.info["position_error"] <= 1e-4
        most = max(most, sim.ledger[:2].sum() - start)
    assert most < 0.5 * free
    assert sim.info["turned_directions"] > 0
