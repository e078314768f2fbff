"""One suite for every kind of joint and drive: what holds, what is free, what is conserved, how errors fade."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.joints.kinds import JOINT_KINDS
from gelenk.math.quat import Quat, quat_log
from gelenk.math.rotation import rotation_matrix
from gelenk.rows.block import LIMIT, LOCK, SPRING
from joints.joint_samples import (
    CONTROLS,
    COVERED,
    DRIVES,
    IDEAL,
    JOINTS,
    builder,
    coordinate_values,
    drive_model,
    holding,
    joint_model,
    memory_of,
    open_up,
    put,
    reaction_of,
    spot_of,
    turned,
)
from rows.finite_difference import check_rows, check_wrench_pairs, copy_of, row_jacobian, row_sums

SEEDS = (0, 1)
SIDES = ("a", "world")
EPS = np.finfo(float).eps
# Sweeps until round-off: what is left of a row is then far below every tolerance here.
EXACT = gk.GaussSeidel(sweeps=100_000, tolerance=1e-15)


def limited(name):
    """Limits far away on every named coordinate, and a lock that is open: rows to look at that do nothing."""
    free = [coordinate[0] for coordinate in JOINTS[name].kind.free]
    return {"limits": dict.fromkeys(free, (-90.0, 90.0)), "blocked": False} if free and name != "distance" else {}


def test_every_kind_has_a_sample():
    assert set(JOINT_KINDS) == COVERED


# --- geometry --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", JOINTS)
def test_joints_meet_at_assembly(name, side):
    """Whatever poses the bodies have at the start, the joint stands closed there; 1e-15 a product of rotations."""
    for seed in SEEDS:
        model = joint_model(name, seed, side)
        rows = holding(model)
        np.testing.assert_allclose(row_sums(model, model.initial_state())[rows], 0.0, atol=4e-15)


@pytest.mark.parametrize("name", JOINTS)
def test_rows_are_gradients(name):
    """Rows that hold, limits, locks and springs, in allowed poses and torn apart by half a metre and a radian."""
    for seed in SEEDS:
        model, rng = joint_model(name, seed, **limited(name)), np.random.default_rng(seed)
        modes = model.wired.joints.row.mode
        free = JOINTS[name].kind.free if name != "distance" else ()
        assert len(free) <= np.count_nonzero(modes == LIMIT) <= 2 * len(free)
        assert np.count_nonzero(modes == LOCK) == len(free)
        sample = JOINTS[name]
        state = put(model, model.initial_state(), *sample.place(*sample.pick(rng)))
        check_rows(model, state, bend=0.2)
        check_wrench_pairs(model, state)
        near = 0.1 if "curve" in name or "surface" in name else 0.3
        open_up(model, state, rng, near, 0.3)
        check_rows(model, state, bend=0.1)
        check_wrench_pairs(model, state)


@pytest.mark.parametrize("name", [*DRIVES, *CONTROLS])
def test_rows_of_drives_are_gradients(name):
    """Also over three bodies and over four."""
    for seed in SEEDS:
        model, rng = drive_model(name, seed), np.random.default_rng(seed)
        state = open_up(model, model.initial_state(), rng, 0.2, 0.3)
        check_rows(model, state, bend=0.1)
        if name in DRIVES:
            check_wrench_pairs(model, state)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", JOINTS)
def test_free_directions_are_free_and_all_others_are_not(name, side):
    """Along its free parameters a joint stays closed, its coordinates read them, and no row resists them.

    The tangents of the allowed poses by central differences with s = 1e-4 are right to s^2 = 1e-8.
    """
    sample, s = JOINTS[name], 1e-4
    for seed in SEEDS:
        model, rng = joint_model(name, seed, side), np.random.default_rng(seed)
        rows, b = holding(model), model.wired.joints.pair[0].b
        assert len(rows) == sample.rank
        start = model.initial_state()
        values = sample.pick(rng)
        state = put(model, copy_of(start), *sample.place(*values))
        np.testing.assert_allclose(row_sums(model, state)[rows], 0.0, atol=1e-14)
        measured = coordinate_values(model, state)
        for what, value in sample.named(*values).items():
            assert measured[f"joint.{what}"] == pytest.approx(value, abs=1e-14)
        J = row_jacobian(model, state)[rows]
        assert np.linalg.matrix_rank(J.reshape(len(rows), -1), tol=1e-9) == sample.rank
        tangents = np.zeros((sample.free, 6))
        for k, step in enumerate(np.eye(sample.free) * s):
            ahead, behind = (put(model, copy_of(start), *sample.place(*(values + t * step))) for t in (1, -1))
            tangents[k, :3] = (ahead.p_WC[b] - behind.p_WC[b]) / (2 * s)
            q, p = (Quat(*map(float, x.q_WB[b])) for x in (ahead, behind))
            tangents[k, 3:] = np.array(quat_log(q * p.conj())) / (2 * s)
        np.testing.assert_allclose(J[:, b] @ tangents.T, 0.0, atol=1e-7)
        assert sample.free == 6 - sample.rank == np.linalg.matrix_rank(tangents, tol=1e-4)


ALONG = {  # which axis of the user a coordinate is counted along (m) or about (rad)
    "hinge": {"angle": "about axis"},
    "slider": {"position": "along axis"},
    "cylindrical": {"position": "along axis", "angle": "about axis"},
    "universal": {"angle_x": "about x_axis", "angle_y": "about y_axis"},
    "planar": {"x": "along x_axis", "y": "along y_axis", "angle": "about axis"},
    "ball_on_line": {"position": "along axis"},
    "ball_on_plane": {"x": "along x_axis", "y": "along y_axis"},
    "articulated_steering": {"twist": "about x_axis", "steer": "about axis"},
    "damped_hinge": {"spin": "about axis", "travel": "along x_axis"},
    "steered_suspension": {"spin": "about axis", "steer": "about x_axis", "travel": "along x_axis"},
}


@pytest.mark.parametrize("name", ALONG)
def test_coordinates_are_counted_along_the_axes_that_are_given(name):
    """b moved by 0.2 m or 0.2 rad along or about an axis of the user reads so, with its sign; nothing else moves."""
    for seed in SEEDS:
        b, rng = builder(seed)
        spot = spot_of(rng)
        b.add(JOINTS[name].joint(spot, **({"x_axis": spot.x_axis} if "x_axis" in str(ALONG[name]) else {})))
        model = b.build()
        given = {"axis": spot.axis, "x_axis": spot.x_axis, "y_axis": np.cross(spot.axis, spot.x_axis)}
        for what, way in ALONG[name].items():
            how, axis = way.split()
            step, state, i = 0.2 * np.array(given[axis]), model.initial_state(), model.index("b")
            if how == "along":
                state.p_WC[i] += step
            else:
                turn = turned(*step)
                state.p_WC[i] = spot.at + rotation_matrix(turn) @ (state.p_WC[i] - spot.at)
                state.q_WB[i] = turn * Quat(*map(float, state.q_WB[i]))
            read = coordinate_values(model, state)
            for other in ALONG[name]:
                assert read[f"joint.{other}"] == pytest.approx(0.2 if other == what else 0.0, abs=1e-14)


@pytest.mark.parametrize(("name", "springs"), [("damped_hinge", 1), ("steered_suspension", 1), ("hinge", 0)])
def test_springs_of_suspensions_are_one_soft_row(name, springs):
    model = joint_model(name)
    assert np.count_nonzero(model.wired.joints.row.mode == SPRING) == springs


# --- work and momentum -----------------------------------------------------------------------------------------------


def angular_velocity_used(before, after, node, h):
    """Angular velocity that turned a node over a step, world axes."""
    q, p = (Quat(*map(float, s.q_WB[node])) for s in (after, before))
    return np.array(quat_log(q * p.conj())) / h


@pytest.mark.parametrize("name", IDEAL)
def test_ideal_joints_do_no_work_and_their_reaction_is_what_moves_b(name):
    """The reaction has no power on the velocities that the joint lets through, and is all that differs from free fall.

    One step with stabilisation off from a closed joint: the new velocities meet the rows of the pose at the start.
    """
    h = 1e-2
    sample, rng = JOINTS[name], np.random.default_rng(3)
    model = joint_model(name, 3, gravity=(1.0, -2.0, -9.0))
    state = put(model, model.initial_state(), *sample.place(*sample.pick(rng)))
    sim = gk.Simulation(model, gk.RowStepping(h=h, solver=EXACT, stabilise="off"), state=state)
    before = copy_of(sim.state)
    sim.advance(h)
    force, couple = np.split(reaction_of(sim, "joint"), 2)
    assert np.linalg.norm(force) > 0.1
    pair = model.wired.joints.pair[0]
    anchor = before.p_WC[pair.b] + rotation_matrix(before.q_WB[pair.b]) @ pair.r_b
    motion = []  # of both bodies at the anchor
    for node in (pair.a, pair.b):
        w = angular_velocity_used(before, sim.state, node, h)
        motion.append((sim.state.v_WC[node] + np.cross(w, anchor - before.p_WC[node]), w))
    (u_a, w_a), (u_b, w_b) = motion
    # power of some newton and some metres per second, to the round-off of w from quaternions, eps / h
    assert abs(force @ (u_b - u_a) + couple @ (w_b - w_a)) < 1e-11
    mass, g = model.system.masses.mass[pair.b], np.array(model.gravity)
    change = mass * (sim.state.v_WC[pair.b] - before.v_WC[pair.b])
    np.testing.assert_allclose(change, h * (mass * g + force), atol=1e-13)
    spins = []  # angular momentum of b about its centre of mass
    for s in (before, sim.state):
        R = rotation_matrix(s.q_WB[pair.b])
        spins.append(R @ model.system.masses.inertia_B[pair.b] @ s.w_WB_B[pair.b])
    torque = couple + np.cross(anchor - before.p_WC[pair.b], force)
    np.testing.assert_allclose(spins[1] - spins[0], h * torque, atol=1e-13)


def momenta_kept(model, state, method, steps=3):
    """Assert that linear and angular momentum stay, to round-off of what the impulses exchange.

    Impulses along directions of the end of a step, which Impulse takes where a joint turns far within it, change the
    angular momentum (impulse-dynamics 4.12): then the linear one alone is looked at.
    """
    sim = gk.Simulation(model, method, state=state)
    before, exchanged = sim.ledger[2:].copy(), 0.0
    for _ in range(steps):
        sim.advance(method.h)
        exchanged += np.abs(memory_of(sim).force).sum() * method.h
    assert exchanged > 0.0
    kept = slice(0, 3) if sim.info.get("turned_directions") else slice(0, 6)
    atol = 100 * EPS * (1 + np.abs(before).max() + exchanged)
    np.testing.assert_allclose(sim.ledger[2:][kept], before[kept], rtol=0, atol=atol)
    return sim


METHODS = {
    "row_stepping": gk.RowStepping(h=1e-2),
    "pre": gk.RowStepping(h=1e-2, stabilise="pre"),
    "impulse": gk.Impulse(h=1e-2),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", JOINTS)
def test_a_free_pair_keeps_its_momenta(name, method):
    """In an allowed pose, and with the joint open by centimetres and tenths of a radian (T-1)."""
    sample = JOINTS[name]
    for size in (0.0, 0.03):
        model, rng = joint_model(name, 5), np.random.default_rng(5)
        state = put(model, model.initial_state(), *sample.place(*sample.pick(rng)))
        sim = momenta_kept(model, open_up(model, state, rng, size, 3 * size), METHODS[method])
        assert sim.info.get("turned_directions", 0) == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [n for n in JOINTS if JOINTS[n].named(*[0.5] * JOINTS[n].free) and n != "distance"])
def test_limits_and_locks_keep_the_momenta(name, method):
    """Every coordinate stands beyond a limit, or is locked."""
    sample = JOINTS[name]
    values = np.full(sample.free, 0.5)
    start = sample.named(*np.zeros(sample.free))
    limits = {what: (-9.0, 0.5 * (start[what] + value)) for what, value in sample.named(*values).items()}
    for more in ({"limits": limits}, {"blocked": True}):
        model = joint_model(name, 6, **more)
        state = put(model, model.initial_state(), *sample.place(*values))
        momenta_kept(model, state, METHODS[method])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", DRIVES)
def test_drives_keep_the_momenta(name, method):
    """Motors at work and at their bounds, springs, gears over three and four bodies; joints closed and open."""
    for size in (0.0, 0.03):
        model, rng = drive_model(name, 7), np.random.default_rng(7)
        momenta_kept(model, open_up(model, model.initial_state(), rng, size, 3 * size), METHODS[method])


# --- errors fade -----------------------------------------------------------------------------------------------------

GAIN = 0.3
POINTS = ["rigid", "ball", "hinge", "slider", "cylindrical", "universal", "planar", "ball_on_line", "ball_on_plane"]


def errors_over_a_step(model, state, stabilise):
    """Errors of the rows that hold, before and after one step from rest."""
    sim = gk.Simulation(model, gk.RowStepping(h=1e-2, solver=EXACT, stabilise=stabilise), state=state)
    rows = holding(model)
    before = row_sums(model, sim.state)[rows]
    sim.advance(1e-2)
    return before, row_sums(model, sim.state)[rows]


def at_the_centre(name):
    """A joint of the world and b at the centre of mass of b, which then moves without turning, and its state."""
    b, rng = builder(2, moving=False)
    made = b.build()
    centre = tuple(made.initial_state().p_WC[made.index("b")])
    b.add(JOINTS[name].joint(spot_of(rng)._replace(at=centre), "world", gain=GAIN))
    model = b.build()
    return model, model.initial_state(), model.index("b")


@pytest.mark.parametrize("name", POINTS)
def test_errors_of_linear_rows_contract_by_the_gain(name):
    """e' = (1 - k) e  exactly, since the coordinates are linear in what moves."""
    model, state, b = at_the_centre(name)
    state.p_WC[b] += (0.05, -0.08, 0.06)
    before, after = errors_over_a_step(model, state, "baumgarte")
    assert np.abs(before).max() > 0.01
    np.testing.assert_allclose(after, (1 - GAIN) * before, rtol=0, atol=20 * EPS)


def opened_at_rest(name, side, size):
    """A joint in an allowed pose without a load on its springs, opened by ``size`` in one generic direction."""
    sample = JOINTS[name]
    model, rng = joint_model(name, 4, side, moving=False, gain=GAIN), np.random.default_rng(4)
    values = sample.pick(rng)
    if "travel" in sample.named(*values):
        values[0] = 0.0
    state = put(model, model.initial_state(), *sample.place(*values))
    return model, open_up(model, state, rng, size, size)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", JOINTS)
def test_errors_contract_by_the_gain_to_second_order(name, side):
    """e' - (1 - k) e  falls with the square of e: by four when e is halved, up to the next order, a few per cent."""
    missed = []
    for size in (2e-3, 1e-3):
        before, after = errors_over_a_step(*opened_at_rest(name, side, size), "baumgarte")
        assert np.abs(before).max() > 0.1 * size
        missed.append(np.abs(after - (1 - GAIN) * before).max())
    assert missed[1] < missed[0] / 3.7


@pytest.mark.parametrize("name", JOINTS)
def test_stabilisation_ahead_of_the_step_closes_joints(name):
    """Three rounds with the directions of the start, each wrong by about e: what is left falls as e^4 (V-47)."""
    left = [np.abs(errors_over_a_step(*opened_at_rest(name, "a", e), "pre")[1]).max() for e in (0.01, 0.005)]
    assert left[0] < 2e-5
    assert left[1] < left[0] / 13 + 20 * EPS


@pytest.mark.parametrize("name", JOINTS)
def test_stabilisation_after_the_step_closes_joints(name):
    """Three rounds of Newton, e to the eighth: 1e-16 and what the curvature of the rows makes of it (V-57)."""
    before, after = errors_over_a_step(*opened_at_rest(name, "a", 0.01), "post")
    assert np.abs(before).max() > 1e-3
    assert np.abs(after).max() < 1e-10


@pytest.mark.parametrize("name", JOINTS)
def test_switched_off_stabilisation_leaves_errors_alone(name):
    """From rest nothing moves, but for the rounding of quaternions; a spring pushes by  h^2 k e / m = 1e-4 (V-59)."""
    model, state = opened_at_rest(name, "a", 0.01)
    before, after = errors_over_a_step(model, state, "off")
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-14 if name in IDEAL else 1e-4)


@pytest.mark.parametrize("name", JOINTS)
def test_impulses_close_joints_within_a_step(name):
    model, state = opened_at_rest(name, "a", 0.02)
    sim = gk.Simulation(model, METHODS["impulse"], state=state)
    sim.advance(METHODS["impulse"].h)
    left = row_sums(model, sim.state)[holding(model)]
    assert np.linalg.norm(left) <= 2 * METHODS["impulse"].tolerance


@pytest.mark.parametrize("name", JOINTS)
def test_a_torn_pair_is_put_together(name):
    """A pair torn apart by decimetres and turned by half a radian closes by at most a stride a step, and stays (I-110).

    The error of a joint is at most that of its rows, 1.5 m and 1.5 rad here: 15 strides of 0.2 and some steps more.
    """
    for seed in SEEDS:
        model, rng = joint_model(name, seed), np.random.default_rng(seed)
        sample = JOINTS[name]
        whole = put(model, model.initial_state(), *sample.place(*sample.pick(rng)))
        torn = open_up(model, whole, rng, 0.2, 0.4)
        sim = gk.Simulation(model, gk.Impulse(h=1e-2), state=torn)
        errors = []
        for _ in range(35):
            sim.advance(1e-2)
            errors.append(sim.info["position_error"])
        assert errors[-1] <= 1e-9
        assert max(np.diff(errors)) <= 1e-9
        at_once = gk.Simulation(model, gk.Impulse(h=1e-2), state=torn)
        at_once.advance(35e-2)  # one call of many steps closes it too
        np.testing.assert_array_equal(at_once.state.flat, sim.state.flat)
