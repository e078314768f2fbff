"""Torque-free bodies against Jacobi's elliptic functions and the symmetric closed form (I-014, I-017, I-018, I-019)."""

import numpy as np
import pytest

import gelenk as gk
from exact.free_top import flip_times, free_top
from exact.symmetric_top import body_precession_rate, symmetric_top
from methods.scenes import FIXED, INTEGRATORS, angle_between, finish, name, tilted, top

INERTIA = (1.0, 2.0, 3.0)
FLIPPING = (0.01, 4.0, 0.02)  # about the middle axis, slightly disturbed


def flip_run(integrator, h, t_end=12.0):
    model = top(INERTIA, FLIPPING)
    return gk.Simulation(model, gk.FreeMotion(h=h, integrator=integrator)).run(t_end, output_dt=0.01, progress=False)


@pytest.mark.parametrize("integrator", [gk.RungeKutta4(), gk.DormandPrince(relative=1e-11, absolute=1e-13)], ids=name)
def test_intermediate_axis_flip_follows_the_elliptic_functions(integrator):
    """Body rates and attitude over several flips.

    A flip multiplies an error by about the ratio of spin to disturbance, 4 / 0.02, once a flip; the step error of
    RK4 here is (h w)^5 / 120 = 1e-15 a step, 1e-12 in all before the first flip: 1e-7 leaves room for two flips.
    """
    run = flip_run(integrator, h=1e-3)
    exact = free_top(run.time, INERTIA, np.array(FLIPPING), np.array(tilted()))
    w_B = run["top"].angular_velocity_body
    assert np.abs(w_B - exact.w_WB_B).max() < 1e-7
    angles = [angle_between(q, p) for q, p in zip(run["top"].orientation, exact.q_WB)]
    assert max(angles) < 1e-7


def test_flips_happen_when_they_should():
    run = flip_run(gk.RungeKutta4(), h=1e-3, t_end=20.0)
    spin = run["top"].angular_velocity_body[:, 1]
    seen = run.time[np.flatnonzero(np.diff(np.sign(spin)))]
    expected = flip_times(20.0, INERTIA, np.array(FLIPPING))
    assert len(seen) == len(expected) >= 3
    np.testing.assert_allclose(seen, expected, atol=0.01)  # the time between samples


@pytest.mark.parametrize("axis", [0, 2])
def test_spin_about_an_outer_axis_is_stable(axis):
    w_B = np.full(3, 0.01)
    w_B[axis] = 4.0
    sim = finish(top(INERTIA, tuple(w_B)), gk.RungeKutta4(), 1e-3, 10.0)
    # Disturbances stay of their own size: the polhode is a small ellipse with an axis ratio under 2.
    assert np.abs(np.delete(sim.state.w_WB_B[1], axis)).max() < 0.04


@pytest.mark.parametrize("moments", [(2.0, 2.0, 1.0), (1.0, 1.0, 1.8)], ids=["prolate", "oblate"])
def test_symmetric_body_precesses_at_the_right_rate(moments):
    w_B = np.array([0.5, 0.0, 6.0])
    run = gk.Simulation(top(moments, tuple(w_B)), gk.FreeMotion(h=1e-3)).run(5.0, output_dt=0.01, progress=False)
    exact = symmetric_top(run.time, moments[0], moments[2], w_B, np.array(tilted()))
    # RK4: (h w)^4 / 120 w t = 4e-10 for h w = 6e-3 over 30 rad
    assert max(angle_between(q, p) for q, p in zip(run["top"].orientation, exact.q_WB)) < 1e-9
    seen = np.unwrap(np.arctan2(*run["top"].angular_velocity_body[:, 1::-1].T))
    rate = np.polyfit(run.time, seen, 1)[0]
    assert rate == pytest.approx(body_precession_rate(moments[0], moments[2], w_B), rel=1e-8)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=name)
def test_spin_about_a_principal_axis_is_exact_to_round_off_or_order(integrator):
    """The exponential map turns a constant spin exactly; the others err by their order, (h w)^(p+1) a step."""
    h, w, n = 1e-2, 5.0, 200
    sim = finish(top(INERTIA, (0.0, 0.0, w)), integrator, h, n * h)
    expected = gk.math.quat.Quat(*tilted()) * gk.math.rotation.quat_from_axis_angle((0, 0, 1), w * n * h)
    error = angle_between(sim["top"].orientation, np.array(expected))
    # Midpoint rules turn by 2 atan(h w / 2) or alike: (h w)^3 / 12 a step; RK4: (h w)^5 / 120.
    bound = {"semi_implicit_euler": 1e-13, "runge_kutta4": n * (h * w) ** 5 / 120, "ballistic": n * (h * w) ** 5 / 120}
    assert error <= bound.get(integrator.kind, 1e-8 if integrator.kind == "dormand_prince" else n * (h * w) ** 3 / 6)


@pytest.mark.parametrize("integrator", FIXED, ids=name)
def test_energy_and_angular_momentum_stay_within_the_order(integrator):
    """Drift over t = 5 s is C h^p: measured at h, it bounds what is seen at h / 2 by 2^-p (with 20 % for C)."""
    drifts = []
    for h in (4e-3, 2e-3):
        run = gk.Simulation(top(), gk.FreeMotion(h=h, integrator=integrator)).run(5.0, progress=False)
        drifts.append(run.drift())
    for what in ("energy", "angular_momentum"):
        coarse, fine = drifts[0][what], drifts[1][what]
        assert fine <= 1.2 * coarse * 0.5**integrator.order + 1e-12  # round-off of 2500 steps
    assert drifts[1]["momentum"] == 0.0  # no force: not a bit of it changes


def test_implicit_midpoint_keeps_the_rotational_energy_to_round_off():
    """Rotational energy is quadratic in w, so the midpoint rule keeps it; 10 000 steps of eps each at worst."""
    run = gk.Simulation(top(), gk.FreeMotion(h=5e-3, integrator=gk.ImplicitMidpoint())).run(50.0, progress=False)
    assert run.drift()["energy"] < 1e-13
    size = np.linalg.norm(run.angular_momentum - np.cross(run["top"].com, 2.0 * run["top"].velocity), axis=1)
    assert np.ptp(size) / size[0] < 1e-12


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=name)
def test_quaternions_stay_unit_to_round_off(integrator):
    run = gk.Simulation(top(), gk.FreeMotion(h=2e-3, integrator=integrator)).run(20.0, progress=False)
    assert np.abs(np.linalg.norm(run["top"].orientation, axis=1) - 1).max() < 5e-16


def test_full_inertia_tensor_moves_as_its_principal_axes_do():
    """The same body described in turned axes moves the same (I-016)."""
    R_BP = gk.math.rotation.rotation_matrix(gk.unit((0.6, 0.5, -0.4, 0.3)))
    tensor = R_BP @ np.diag(INERTIA) @ R_BP.T
    w_W = np.array([1.0, -2.0, 0.7])
    made = []
    for inertia, rotation in ((0.5 * (tensor + tensor.T), (1, 0, 0, 0)), (INERTIA, gk.unit((0.6, 0.5, -0.4, 0.3)))):
        b = gk.Builder(gravity=(0, 0, 0))
        b.body("top", mass=1.0, inertia=inertia, rotation=rotation, angular_velocity=w_W)
        made.append(finish(b.build(), gk.RungeKutta4(), 1e-3, 2.0)["top"].angular_velocity)
    np.testing.assert_allclose(made[0], made[1], atol=1e-11)  # 2000 steps of round-off and of tensor rounding


def test_body_frame_away_from_the_centre_of_mass_follows_it():
    """The origin of the body frame moves as a point of the body: p_WB = p_WC - R p_BC (B-02)."""
    com, w = np.array([0.3, -0.1, 0.2]), np.array([0.0, 0.0, 2.0])
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("offset", mass=1.0, inertia=(1.0, 1.0, 1.0), com=com, angular_velocity=w, velocity=(1.0, 0.0, 0.0))
    run = gk.Simulation(b.build(), gk.FreeMotion(h=1e-3)).run(2.0, progress=False)
    v_C = np.array([1.0, 0.0, 0.0]) + np.cross(w, com)
    np.testing.assert_allclose(run["offset"].com, com + run.time[:, None] * v_C, atol=1e-10)
    step = 2 * run.time[1]
    slope = (run["offset"].position[2:] - run["offset"].position[:-2]) / step
    np.testing.assert_allclose(slope, run["offset"].velocity[1:-1], atol=step**2)  # central difference, w^3 r / 24


@pytest.mark.parametrize("h", [5e-3, 0.2], ids=lambda h: f"h={h:g}")
def test_semi_implicit_euler_keeps_the_angular_momentum_and_never_runs_away(h):
    """80 000 steps, where Euler's equation alone gains energy without bound.

    The momentum is carried over exactly, but for round-off, so the energy stays between L^2 / 2 I_max and
    L^2 / 2 I_min even at a fifth of a turn a step; at 5 ms it keeps within (h w)^2.
    """
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("box", shape=gk.Box((0.4, 0.3, 0.2)), mass=1.0, angular_velocity=(1, 3, 2))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=h, integrator=gk.SemiImplicitEuler()))
    before = sim.ledger
    sim.advance(80_000 * h)
    after = sim.ledger
    L = np.linalg.norm(before[5:])
    np.testing.assert_allclose(after[5:], before[5:], atol=80_000 * 2.2e-16 * L)
    moments = np.diag(sim.model.system.masses.inertia_B[1])
    assert L**2 / (2 * max(moments)) <= after[0] * (1 + 1e-9)
    assert after[0] <= L**2 / (2 * min(moments)) * (1 + 1e-9)
    if h == 5e-3:
        assert after[0] == pytest.approx(before[0], rel=(h * 4) ** 2)
