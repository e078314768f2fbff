"""The references for joints satisfy their own equations, and each agrees with a second way to the same result.

Speeds, accelerations and forces are proven in integral form by `integral_residual` (rounding only); where an integrator
takes part, its error of some 1e-12 per step is the bound.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import roots_laguerre

from . import cardan, chain_statics, n_pendulum, slider_crank, two_link_arm
from .compound_pendulum import (
    CompoundPendulum,
    centre,
    compound_pendulum,
    energy,
    period,
    pivot_force,
)
from .floating_arm import FloatingArm, base_turn, floating_arm
from .four_bar import FourBar, coupler_thrust, crank_torque, four_bar, four_bar_motion, reduced
from .heavy_top import (
    HeavyTop,
    TopStart,
    heavy_top,
    nutation_limits,
    nutation_period,
    reaction,
    steady_precession,
)
from .n_pendulum import Link
from .quaternion import quat_about, quat_mul, rotation
from .test_exact import integral_residual

EPS = np.finfo(float).eps
G = 9.81


def close(actual, desired, *, rtol=0.0, atol=0.0):
    """Equal within what is stated and nothing else (numpy's own default adds rtol = 1e-7 to every atol)."""
    np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol)


def about_y(p, f):
    """Moment of the force f at p about +y."""
    return p[..., 2] * f[..., 0] - p[..., 0] * f[..., 2]


# ---- compound pendulum -----------------------------------------------------------------------------------------------

SWING = CompoundPendulum(mass=1.7, arm=0.4, inertia=0.11)
TOP_RATE = 2.0 * SWING.frequency  # at the bottom, just enough to reach the top
SWINGS = [
    (0.0, 0.0),
    (1e-8, 0.0),
    (0.3, 0.2),
    (-2.0, -1.0),
    (np.pi - 1e-3, 0.0),
    (np.pi, 0.0),  # the number nearest to pi: falls
    (0.0, TOP_RATE * (1 - 1e-9)),
    (0.0, TOP_RATE),  # goes up for ever
    (0.0, -TOP_RATE * (1 + 1e-9)),
    (1.0, 12.0),
    (-3.0, -9.0),
    (7.0, 1.0),  # has turned once before
    (-20.0, 15.0),
]


@pytest.mark.parametrize(("angle0", "rate0"), SWINGS)
def test_pendulum_solves_its_equation(angle0, rate0):
    def solution(t):
        return np.stack(compound_pendulum(t, SWING, angle0, rate0), axis=-1)

    def rhs(y):
        return np.stack([y[..., 1], -(SWING.frequency**2) * np.sin(y[..., 0])], axis=-1)

    t = np.linspace(-2.0, 10.0, 400)  # 0.03 s, a third of a radian at the fastest
    close(solution(np.zeros(1))[0], [angle0, rate0], rtol=8 * EPS, atol=8 * EPS * TOP_RATE)
    # The argument u reaches 10 s * rate / 2 and the angle 10 s * rate; both are rounded to EPS, times the rate.
    fastest = np.hypot(rate0, TOP_RATE)
    assert integral_residual(solution, rhs, t) < 2 * EPS * 10.0 * fastest * max(fastest, 1.0)
    close(
        energy(SWING, *solution(t).T), energy(SWING, angle0, rate0), rtol=1e-12, atol=1e-30
    )  # 100 rad at EPS, squared: 4e-14; near the top the height has 1e-16 of its largest value


@pytest.mark.parametrize(("angle0", "rate0"), [(0.3, 0.2), (-2.0, -1.0), (3.1, 0.0), (1.0, 12.0), (-3.0, -9.0)])
def test_pendulum_comes_back_after_its_period(angle0, rate0):
    T, t = period(SWING, angle0, rate0), np.linspace(0.0, 1.0, 7)
    now, later = compound_pendulum(t, SWING, angle0, rate0), compound_pendulum(t + 3 * T, SWING, angle0, rate0)
    turned = 3 * 2 * np.pi * np.sign(rate0) if abs(rate0) > 2 else 0.0
    close(later.angle, now.angle + turned, atol=1e-13)
    close(later.rate, now.rate, atol=1e-12)


def test_pendulum_limits():
    w0, a = SWING.frequency, 0.02
    # Series of 4 K / w0 in the amplitude; the next term is 11 a^4 / 3072 = 6e-10 and its follower below 1e-12.
    series = 2 * np.pi / w0 * (1 + a**2 / 16 + 11 * a**4 / 3072)
    assert period(SWING, a, 0.0) == pytest.approx(series, rel=1e-12)
    assert period(SWING, 0.0, TOP_RATE) == np.inf
    # Very fast turns: the rate is that of a free body, less a part of order (w0 / rate)^2 = 1e-6.
    assert period(SWING, 0.0, 1e3 * w0) == pytest.approx(2 * np.pi / (1e3 * w0), rel=2e-6)
    angle = compound_pendulum(1e3, SWING, 0.0, TOP_RATE).angle  # from the bottom to the top: approaches pi
    assert angle == pytest.approx(np.pi, abs=1e-15)
    with pytest.raises(ValueError, match="must be positive"):
        CompoundPendulum(1.0, 0.0, 1.0)


@pytest.mark.parametrize(("angle0", "rate0"), [(0.3, 0.2), (-2.8, -1.0), (1.0, 12.0)])
def test_pivot_force_moves_the_centre_and_turns_the_body(angle0, rate0):
    motion = compound_pendulum(np.linspace(0.0, 5.0, 301), SWING, angle0, rate0)
    f = pivot_force(SWING, *motion)

    def solution(t):
        angle, rate = compound_pendulum(t, SWING, angle0, rate0)
        p = centre(SWING, angle)
        v = np.stack([p[:, 2] * rate, 0 * rate, -p[:, 0] * rate], axis=-1)  # w x p with w = rate e_y
        return np.concatenate([p, v, angle[:, None], rate[:, None]], axis=-1)

    def rhs(y):
        p, v, angle, rate = y[:, :3], y[:, 3:6], y[:, 6], y[:, 7]
        f = pivot_force(SWING, angle, rate)
        second = about_y(-p, f) / SWING.inertia  # the force acts at the hinge, -p from the centre
        return np.concatenate([v, f / SWING.mass - [0, 0, G], rate[:, None], second[:, None]], axis=-1)

    # Phase 5 s * 12 rad/s rounded to EPS, times accelerations near 60 (m/s^2, rad/s^2).
    assert integral_residual(solution, rhs, np.linspace(0.0, 5.0, 301)) < EPS * 60 * 60
    np.testing.assert_array_equal(f[:, 1], 0.0)
    point = CompoundPendulum(2.0, 0.5, 0.0)
    close(pivot_force(point, 0.0, 0.0), [0, 0, 2.0 * G], atol=1e-14)
    close(pivot_force(point, 0.0, 2 * point.frequency), [0, 0, 5 * 2.0 * G], rtol=4 * EPS)
    # Level and at rest, to -x: the bar is free of force along itself; a point mass falls freely.
    close(pivot_force(point, np.pi / 2, 0.0), 0.0, atol=1e-14)


# ---- heavy top -------------------------------------------------------------------------------------------------------

TOP = HeavyTop(mass=0.5, arm=0.06, inertia_across=0.0025, inertia_axis=0.0007)
SPIN = 180.0
SLOW, FAST = steady_precession(TOP, 0.7, SPIN)
TOPS = [
    TopStart(0.7, 0.0, 0.0, SPIN),  # let go: cusps
    TopStart(0.7, 0.0, -3.0, SPIN),  # loops
    TopStart(0.7, 0.0, 2.0, SPIN),  # waves
    TopStart(1.3, -4.0, 2.0, -SPIN),
    TopStart(0.7, 0.0, SLOW, SPIN - SLOW * np.cos(0.7)),  # steady
    TopStart(0.7, 0.0, FAST, SPIN - FAST * np.cos(0.7)),
    TopStart(0.7, 1e-7, SLOW, SPIN - SLOW * np.cos(0.7)),  # nearly steady
    TopStart(2.4, 1.0, 5.0, 0.0),  # a spherical pendulum
    TopStart(2.9, 0.0, 1.0, 30.0),
]


def top_state(start):
    """(w_WB_B, q_WB, v of the centre) over time."""

    def solution(t):
        m = heavy_top(t, TOP, start)
        s, c = np.sin(m.psi), np.cos(m.psi)
        across = m.phi_rate * np.sin(m.theta)
        w = np.stack(
            [across * s + m.theta_rate * c, across * c - m.theta_rate * s, m.psi_rate + m.phi_rate * np.cos(m.theta)],
            axis=-1,
        )
        v = TOP.arm * np.einsum("nij,nj->ni", rotation(m.q_WB), np.cross(w, [0, 0, 1.0]))
        return np.concatenate([w, m.q_WB, v], axis=-1)

    return solution


def top_rhs(y):
    """Euler's equations about the fixed point, q' = 1/2 q o (0, w)."""
    inertia = np.array([TOP.inertia_across, TOP.inertia_across, TOP.inertia_axis])
    w, q = y[..., :3], y[..., 3:7]
    down_B = np.einsum("...ji,...j->...i", rotation(q), np.array([0, 0, -1.0]))
    torque = np.cross([0, 0, TOP.moment], down_B)
    zero_w = np.concatenate([np.zeros_like(w[..., :1]), w], axis=-1)
    return np.concatenate([(np.cross(inertia * w, w) + torque) / inertia, 0.5 * quat_mul(q, zero_w)], axis=-1)


@pytest.mark.parametrize("start", TOPS)
def test_heavy_top_solves_euler_equations(start):
    t, solution = np.linspace(-0.2, 1.0, 1201), top_state(start)  # 1 ms, 0.2 rad of spin

    def whole(t):
        return solution(t)[:, :7]

    # The part of w across the axis turns with the spin, so angles near 200 rad, rounded to EPS, show in it; its size is
    # that of the start and what the fall adds, sqrt(2 m g l / I1) = 15 rad/s at most.
    across = np.hypot(start.theta_rate, start.phi_rate * np.sin(start.theta)) + 15.0
    assert integral_residual(whole, top_rhs, t) < EPS * 200 * across
    m = heavy_top(0.0, TOP, start)
    close([m.theta, m.theta_rate, m.phi_rate, m.psi_rate], start, atol=1e-13 * SPIN)
    assert m.phi == 0.0
    assert m.psi == 0.0


@pytest.mark.parametrize("start", [TOPS[0], TOPS[3], TOPS[7]])
def test_heavy_top_agrees_with_an_integrator(start):
    t, solution = np.linspace(0.0, 0.25, 11), top_state(start)
    run = solve_ivp(lambda _, y: top_rhs(y), (0, t[-1]), solution(t)[0, :7], "DOP853", t, rtol=1e-12, atol=1e-13)
    # Some hundred steps of 1e-12, relative to the values up to 180, which mostly cancel.
    close(solution(t)[:, :7], run.y.T, atol=1e-11 * SPIN)


@pytest.mark.parametrize("start", TOPS)
def test_heavy_top_keeps_energy_and_momenta(start):
    m = heavy_top(np.linspace(0.0, 3.0, 301), TOP, start)
    s2, c = np.sin(m.theta) ** 2, np.cos(m.theta)
    p_psi = TOP.inertia_axis * (m.psi_rate + m.phi_rate * c)
    p_phi = TOP.inertia_across * s2 * m.phi_rate + p_psi * c
    tilt = 0.5 * TOP.inertia_across * (m.theta_rate**2 + s2 * m.phi_rate**2) + TOP.moment * c
    # Rounding of sines and elliptic functions; that of the time does not matter here.
    for value, size in ((p_psi, 0.13), (p_phi, 0.13), (tilt, TOP.moment + abs(tilt[0]))):
        close(value, value[0], atol=1e-14 * size)


@pytest.mark.parametrize("start", TOPS)
def test_nutation_stays_between_its_limits_and_repeats(start):
    low, high = nutation_limits(TOP, start)
    T = nutation_period(TOP, start)
    t = np.linspace(0.0, T, 4001)
    theta = heavy_top(t, TOP, start).theta
    assert np.all(theta >= low - 1e-14)
    assert np.all(theta <= high + 1e-14)
    # The largest of 4000 samples misses an extreme by at most (pi / 4000)^2 / 4 of the swing (times a shape factor).
    close([theta.min(), theta.max()], [low, high], atol=5e-6 * (high - low) + 1e-14)
    m = heavy_top(np.array([0.1, 0.1 + T, 0.1 + 2 * T]), TOP, start)
    close(m.theta, m.theta[0], atol=1e-14)
    close(m.phi_rate, m.phi_rate[0], atol=1e-12)
    assert m.phi[2] - m.phi[1] == pytest.approx(m.phi[1] - m.phi[0], abs=1e-12)  # the same advance each time


def test_steady_precession():
    t = np.linspace(0.0, 5.0, 11)
    for rate in (SLOW, FAST):
        balance = TOP.inertia_across * np.cos(0.7) * rate**2 - TOP.inertia_axis * SPIN * rate + TOP.moment
        assert balance == pytest.approx(0.0, abs=8 * EPS * TOP.inertia_axis * SPIN * rate)
        m = heavy_top(t, TOP, TopStart(0.7, 0.0, rate, SPIN - rate * np.cos(0.7)))
        close(m.theta, 0.7, atol=1e-14)  # needs the pair of roots without loss: sqrt(EPS) is 1e-8
        close(m.phi, rate * t, rtol=1e-13, atol=1e-13)
        close(m.psi, (SPIN - rate * np.cos(0.7)) * t, rtol=1e-13, atol=1e-13)
    # Fast spin: m g l / (I3 w3), but for a relative I1 cos(theta) SLOW / (I3 w3) = 0.04.
    close(SLOW, TOP.moment / (TOP.inertia_axis * SPIN), rtol=0.05)
    level, infinite = steady_precession(TOP, np.arccos(0.0), SPIN)
    assert level == pytest.approx(TOP.moment / (TOP.inertia_axis * SPIN), rel=1e-14)
    assert infinite > 1e15
    np.testing.assert_array_equal(steady_precession(TOP, 0.7, -SPIN), [-SLOW, -FAST])
    with pytest.raises(ValueError, match="too slow"):
        steady_precession(TOP, 0.7, 10.0)


@pytest.mark.parametrize("start", TOPS)
def test_reaction_at_the_fixed_point_moves_the_centre(start):
    solution = top_state(start)

    def whole(t):
        return np.column_stack([t, solution(t)[:, 7:]])

    def rhs(y):
        f = reaction(TOP, heavy_top(y[:, 0], TOP, start))
        return np.column_stack([np.ones(len(f)), f / TOP.mass - [0, 0, G]])

    # Speeds below 3 m/s made of angles to 100 rad at EPS.
    assert integral_residual(whole, rhs, np.linspace(0.0, 0.5, 501)) < 3 * 100 * 2 * EPS


def test_heavy_top_refuses_the_vertical():
    with pytest.raises(ValueError, match="vertical"):
        heavy_top(0.1, TOP, TopStart(2.0, 1.0, 0.0, 0.0))  # a plane pendulum, through the bottom
    w_axis, theta = 20.0, 0.5
    rate = TOP.inertia_axis * w_axis * (1 - np.cos(theta)) / (TOP.inertia_across * np.sin(theta) ** 2)  # p_phi = p_psi
    with pytest.raises(ValueError, match="vertical"):
        heavy_top(0.1, TOP, TopStart(theta, 30.0, rate, w_axis - rate * np.cos(theta)))  # through the top


# ---- chain of n links ------------------------------------------------------------------------------------------------

CHAIN = (Link.rod(1.0, 0.5), Link(0.7, 0.4, 0.03, 0.1), Link.rod(0.3, 0.6))


@pytest.mark.parametrize(("angle0", "rate0"), [(0.5, 0.0), (2.5, 1.0), (0.0, 12.0)])
def test_one_link_is_the_compound_pendulum(angle0, rate0):
    link, t = Link(1.7, 0.8, 0.11, 0.4), np.linspace(0.0, 6.0, 61)
    chain, exact = n_pendulum.n_pendulum(t, [link], angle0, rate0), compound_pendulum(t, SWING, angle0, rate0)
    # About 150 steps of 1e-12, growing with time along the motion (rate 12) and seen through order-7 interpolation.
    close(chain.angle[:, 0], exact.angle, atol=1e-9)
    close(chain.rate[:, 0], exact.rate, atol=5e-9)
    force = n_pendulum.hinge_forces([link], [angle0], [rate0])
    close(force[0], pivot_force(SWING, angle0, rate0), atol=1e-13)


def test_rods_have_their_inertia():
    rod, s = Link.rod(3.0, 0.8), np.linspace(-0.4, 0.4, 1001)
    assert (rod.mass, rod.length, rod.arm) == (3.0, 0.8, 0.4)
    assert rod.inertia == pytest.approx(np.trapezoid(s * s, s) * 3.0 / 0.8, rel=3e-6)  # trapezoids: 2 / n^2


def test_every_link_obeys_newton_and_euler():
    rng = np.random.default_rng(5)
    mass = np.array([link.mass for link in CHAIN])
    for _ in range(20):
        angle, rate, torque = rng.uniform(-3, 3, (3, 3))
        second = n_pendulum.acceleration(CHAIN, angle, rate, G, torque)
        f = np.vstack([n_pendulum.hinge_forces(CHAIN, angle, rate, G, torque), np.zeros(3)])
        T = np.append(torque, 0.0)

        def shifted(h, angle=angle, rate=rate, second=second):
            return n_pendulum.centres(CHAIN, angle + h * rate + 0.5 * h * h * second)

        # Second difference of the places along the parabola of the angles, by seven points: the error is h^6 / 560
        # times the eighth derivative (3^8 and the parabola's share) and EPS / h^2, both below 1e-9.
        h, stencil = 1e-3, np.array([2, -27, 270, -490, 270, -27, 2]) / 180
        p_second = sum(weight * shifted(k * h) for k, weight in zip(range(-3, 4), stencil, strict=True)) / h**2
        balance = f[:-1] - f[1:] - mass[:, None] * (p_second + np.array([0, 0, G]))
        close(balance, 0.0, atol=1e-8)
        # Moments about each centre are exact: upper hinge at -arm, lower at length - arm along the link.
        for k, link in enumerate(CHAIN):
            along = np.array([-np.sin(angle[k]), 0.0, -np.cos(angle[k])])
            moment = about_y(-link.arm * along, f[k]) - about_y((link.length - link.arm) * along, f[k + 1])
            assert link.inertia * second[k] == pytest.approx(moment + T[k] - T[k + 1], abs=1e-12)


def test_chain_keeps_energy_and_runs_backwards():
    t, start = np.linspace(0.0, 4.0, 81), np.array([0.8, 0.3, -0.5])
    motion = n_pendulum.n_pendulum(t, CHAIN, start, 0.0)
    E = n_pendulum.energy(CHAIN, *motion)
    close(E, E[0], atol=1e-10 * abs(E[0]))  # some 200 steps of 1e-12
    back = n_pendulum.n_pendulum(t, CHAIN, motion.angle[-1], -motion.rate[-1])
    close(back.angle[-1], start, atol=1e-9)  # both ways, little growth at this amplitude

    # Energy from bodies: height of the centres and their speeds by central differences of the motion itself.
    z = n_pendulum.centres(CHAIN, motion.angle)[..., 2]
    mass = np.array([link.mass for link in CHAIN])
    assert E[0] == pytest.approx(G * z[0] @ mass, rel=1e-14)
    a, w, h = motion.angle[40], motion.rate[40], 1e-6
    v = (n_pendulum.centres(CHAIN, a + h * w) - n_pendulum.centres(CHAIN, a - h * w)) / (2 * h)
    kinetic = 0.5 * mass @ np.sum(v * v, axis=1) + 0.5 * np.array([link.inertia for link in CHAIN]) @ w**2
    assert E[40] == pytest.approx(kinetic + G * z[40] @ mass, abs=1e-8)  # h^2 + EPS / h
    close(w @ n_pendulum.mass_matrix(CHAIN, a) @ w, 2 * kinetic, atol=1e-8)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_equal_beads_swing_at_the_zeros_of_laguerre_polynomials(n):
    """Point masses on a string of n equal pieces: w^2 l / g are the zeros of L_n (D. Bernoulli's chain)."""
    links, h = [Link.point(0.4, 0.25)] * n, 1e-5
    stiffness = np.stack([-n_pendulum.acceleration(links, h * e, np.zeros(n)) / h for e in np.eye(n)], axis=1)
    found = np.sort(np.linalg.eigvals(stiffness).real) * 0.25 / G
    close(found, roots_laguerre(n)[0], rtol=1e-7)  # h^2 and EPS / h, times the condition


# ---- two-link arm ----------------------------------------------------------------------------------------------------

ARM = two_link_arm.TwoLinkArm(m1=3.0, m2=1.4, l1=0.6, l2=0.45)


def arm_states():
    rng = np.random.default_rng(11)
    return [rng.uniform(-3, 3, (3, 2)) for _ in range(20)]


def test_arm_by_multipliers_is_the_arm_in_joint_space():
    for q, qd, torques in arm_states():
        qdd = two_link_arm.joint_acceleration(ARM, q, qd, torques)
        x_second, f_1, f_2 = two_link_arm.solve_kkt(ARM, q, qd, torques)
        size = 1.0 + np.abs(qdd).max()  # rounding times the condition of the 10 x 10 matrix, some hundred
        close(x_second[[2, 5]], np.cumsum(qdd), atol=2e-14 * size)
        for by_multipliers, by_newton in zip((f_1, f_2), two_link_arm.reactions(ARM, q, qd, qdd), strict=True):
            close(by_multipliers, by_newton, atol=2e-14 * size)
        close(two_link_arm.motor_torques(ARM, q, qd, qdd), torques, atol=2e-14 * size)

        # A third way: the chain of two rods without gravity, in absolute angles about its own axis.
        links = (Link.rod(ARM.m1, ARM.l1), Link.rod(ARM.m2, ARM.l2))
        chain = n_pendulum.acceleration(links, np.cumsum(q), np.cumsum(qd), 0.0, torques)
        close(chain, np.cumsum(qdd), atol=2e-14 * size)


def test_arm_jacobian_and_bias_are_derivatives_of_the_gaps():
    for q, qd, _ in arm_states():
        x, v, h = two_link_arm.bodies(ARM, q), two_link_arm.body_rates(ARM, q, qd), 1e-30
        close(two_link_arm.constraints(ARM, x), 0.0, atol=8 * EPS)
        columns = [two_link_arm.constraints(ARM, x + 1j * h * e).imag / h for e in np.eye(6)]
        close(two_link_arm.jacobian(ARM, q), np.stack(columns, axis=1), atol=4 * EPS)
        close(two_link_arm.jacobian(ARM, q) @ v, 0.0, atol=16 * EPS)
        close(two_link_arm.bodies(ARM, q + 1j * h * qd).imag / h, v, atol=16 * EPS)
        # J is sin and cos of the angles, so -J' x' by a central difference: error h^2 / 6 + EPS / h.
        d = 1e-5
        slope = (two_link_arm.jacobian(ARM, q + d * qd) - two_link_arm.jacobian(ARM, q - d * qd)) / (2 * d)
        close(two_link_arm.gap_bias(ARM, q, qd), -slope @ v, atol=1e-7)


def test_arm_turns_motor_power_into_kinetic_energy_and_the_misprints_do_not():
    printed_wrong = []
    for q, qd, torques in arm_states():
        qdd, h = two_link_arm.joint_acceleration(ARM, q, qd, torques), 1e-5

        def power(qdd, q=q, qd=qd, h=h):
            ahead, behind = (two_link_arm.kinetic_energy(ARM, q + s * qd, qd + s * qdd) for s in (h, -h))
            return (ahead - behind) / (2 * h)

        assert power(qdd) == pytest.approx(torques @ qd, abs=1e-6)  # h^2 times third derivatives near 1e3
        bias = two_link_arm.joint_bias(ARM, q, qd) * [1, -1]  # the sign as printed in (B.16)
        printed = np.linalg.solve(two_link_arm.joint_mass(ARM, q), torques - bias)
        printed_wrong.append(abs(power(printed) - torques @ qd))
    assert np.median(printed_wrong) > 0.1  # W, where the right sign leaves 1e-6

    # Joint mass matrix from the bodies: the inertia m l^2 / 12 fits, the printed m l^2 / 2 would not.
    q = arm_states()[0][0]
    S = np.stack([two_link_arm.body_rates(ARM, q, e) for e in np.eye(2)], axis=1)
    close(S.T @ (ARM.mass[:, None] * S), two_link_arm.joint_mass(ARM, q), atol=1e-15)


def test_arm_left_alone_keeps_energy_and_angular_momentum():
    def rhs(_, y):
        return np.concatenate([y[2:], two_link_arm.joint_acceleration(ARM, y[:2], y[2:], (0.0, 0.0))])

    run = solve_ivp(rhs, (0, 5), [0.3, -1.2, 2.0, -3.0], "DOP853", np.linspace(0, 5, 21), rtol=1e-12, atol=1e-13)
    T = [two_link_arm.kinetic_energy(ARM, y[:2], y[2:]) for y in run.y.T]
    L = [(two_link_arm.joint_mass(ARM, y[:2]) @ y[2:])[0] for y in run.y.T]
    close(T, T[0], rtol=1e-10)  # some hundred steps of 1e-12
    close(L, L[0], rtol=1e-10)


# ---- four-bar linkage ------------------------------------------------------------------------------------------------

BARS = [
    FourBar(0.3, 0.8, 0.6, 0.9),  # crank and rocker
    FourBar(0.3, 0.8, 0.6, 0.9, above=False),
    FourBar(0.9, 0.8, 0.7, 0.3),  # drag link: both go round
    FourBar(0.6, 0.7, 0.5, 0.9),  # rocks: no full turn, the range below is inside
]
TURN = np.linspace(0.4, 0.4 + 2 * np.pi, 201)


def reach_of(bar):
    return TURN if bar.turns_fully else np.linspace(-1.2, 1.2, 81)


@pytest.mark.parametrize("bar", BARS)
def test_four_bar_closes_and_obeys_freudenstein(bar):
    angle = reach_of(bar)
    at, D = four_bar(bar, angle), np.array([bar.ground, 0.0, 0.0])
    a, b, c, d = bar.crank, bar.coupler, bar.rocker, bar.ground
    close(np.linalg.norm(at.p_WB, axis=1), a, rtol=4 * EPS)
    close(np.linalg.norm(at.p_WC - at.p_WB, axis=1), b, rtol=8 * EPS)
    close(np.linalg.norm(at.p_WC - D, axis=1), c, rtol=1e-14)
    close(at.p_WC - D, c * np.stack([np.cos(at.rocker), 0 * angle, -np.sin(at.rocker)], 1), atol=1e-15)
    k1, k2, k3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    left = k1 * np.cos(at.rocker) - k2 * np.cos(angle) + k3
    close(left, np.cos(angle - at.rocker), atol=1e-14)
    if bar.ground > bar.crank:
        first = four_bar(bar, 0.0)
        assert (first.p_WC[2] > 0.0) == bar.above
    if not bar.turns_fully:
        with pytest.raises(ValueError, match="do not reach"):
            four_bar(bar, np.pi)


@pytest.mark.parametrize("bar", BARS)
def test_four_bar_speeds_and_accelerations(bar):
    middle, swing = (0.0, 1.1) if not bar.turns_fully else (1.0, 3.0)

    def crank(t):  # uneven, so that both the rate and the acceleration of the crank count
        return middle + swing * np.sin(t), swing * np.cos(t), -swing * np.sin(t)

    def solution(t):
        at = four_bar(bar, *crank(t))
        turns = np.unwrap(np.stack([at.coupler, at.rocker], 1), axis=0)
        return np.column_stack([t, turns, at.coupler_rate, at.rocker_rate])

    def rhs(y):
        at = four_bar(bar, *crank(y[:, 0]))
        return np.column_stack([np.ones(len(y)), at.coupler_rate, at.rocker_rate, at.coupler_second, at.rocker_second])

    # Rounding of the angles, times the crank's rate squared (9), times 1 / sin of the transmission angle to the third
    # power, as an acceleration has where coupler and rocker come close to a line.
    t = np.linspace(0.0, 2 * np.pi, 801)
    sine = np.min(np.abs(np.sin(solution(t)[:, 1] - solution(t)[:, 2])))
    assert integral_residual(solution, rhs, t) < 4 * EPS * 9 / sine**3


@pytest.mark.parametrize(
    ("lengths", "turns"),
    [
        ((0.3, 0.8, 0.6, 0.9), True),
        ((0.9, 0.8, 0.7, 0.3), True),
        ((0.6, 0.7, 0.5, 0.9), False),  # too short at the far side
        ((0.9, 0.3, 0.8, 0.7), False),  # too long at the near side
        ((0.3, 0.4, 0.9, 0.6), False),
    ],
)
def test_four_bar_knows_whether_its_crank_goes_round(lengths, turns):
    bar = FourBar(*lengths)
    assert bar.turns_fully == turns
    if turns:
        assert np.all(np.isfinite(four_bar(bar, np.linspace(0, 2 * np.pi, 721)).rocker))
    else:
        with pytest.raises(ValueError, match="do not reach"):
            four_bar(bar, np.linspace(0, 2 * np.pi, 721))


def test_parallelogram_keeps_its_coupler_level():
    bar = FourBar(0.4, 1.0, 0.4, 1.0)
    angle = np.linspace(-2.8, -0.3, 21)  # crank up (towards +z), where the open branch is the one above
    at = four_bar(bar, angle, 2.0, 3.0)
    close(at.coupler, 0.0, atol=1e-14)
    close(at.rocker, angle, atol=1e-14)
    close([at.rocker_rate, at.coupler_rate], [[2.0] * 21, [0.0] * 21], atol=1e-13)
    close([at.rocker_second, at.coupler_second], [[3.0] * 21, [0.0] * 21], atol=1e-12)
    close(crank_torque(bar, angle, 5.0), -5.0, rtol=1e-13)


@pytest.mark.parametrize("bar", BARS)
def test_four_bar_torque_by_virtual_work_and_by_the_force_in_the_coupler(bar):
    angle, load = reach_of(bar), 7.0
    at, thrust = four_bar(bar, angle), coupler_thrust(bar, angle, load)
    along = (at.p_WC - at.p_WB) / bar.coupler
    on_rocker = thrust[:, None] * along
    rounding = 1e-15 * np.abs(thrust).max()
    close(about_y(at.p_WC - [bar.ground, 0, 0], on_rocker), -load, atol=rounding)
    torque = crank_torque(bar, angle, load)
    close(torque + about_y(at.p_WB, -on_rocker), 0.0, atol=rounding)
    # A force at C does what its moment about D does.
    f = np.array([3.0, 0.0, -2.0])
    moment = about_y(at.p_WC - [bar.ground, 0, 0], f)
    close(crank_torque(bar, angle, f_C_W=f), crank_torque(bar, angle, moment), atol=1e-12)


@pytest.mark.parametrize("bar", BARS)
def test_four_bar_reduced_to_the_crank(bar):
    masses, angle = (1.0, 2.0, 1.5), reach_of(bar)

    def solution(angle):
        J, _, V, _ = reduced(bar, masses, angle)
        return np.column_stack([angle, J, V])

    def rhs(y):
        _, J1, _, V1 = reduced(bar, masses, y[:, 0])
        return np.column_stack([np.ones(len(y)), J1, V1])

    fine = np.linspace(angle[0], angle[-1], 801)
    J, _, V, _ = reduced(bar, masses, fine)
    assert integral_residual(solution, rhs, fine) < 50 * EPS * max(J.max(), np.abs(V).max())

    # Rods by the speeds of their ends:  T = m/6 (v1^2 + v1 v2 + v2^2), height at the middle.
    at, D = four_bar(bar, fine, 1.0), np.array([bar.ground, 0.0, 0.0])
    v_B = np.stack([at.p_WB[:, 2], 0 * fine, -at.p_WB[:, 0]], 1)
    v_C = at.rocker_rate[:, None] * np.stack([(at.p_WC - D)[:, 2], 0 * fine, -(at.p_WC - D)[:, 0]], 1)
    squares = [np.sum(v_B**2, 1), np.sum(v_B**2 + v_B * v_C + v_C**2, 1), np.sum(v_C**2, 1)]
    close(J, np.array(masses) / 3 @ squares, rtol=1e-14)
    heights = [0.5 * at.p_WB[:, 2], 0.5 * (at.p_WB + at.p_WC)[:, 2], 0.5 * at.p_WC[:, 2]]
    close(V, G * np.array(masses) @ heights, atol=1e-13)


def test_four_bar_left_alone_keeps_its_energy():
    bar, masses, t = BARS[0], (1.0, 2.0, 1.5), np.linspace(0.0, 3.0, 31)
    angle, rate = four_bar_motion(t, bar, masses, 0.3, 8.0, torque=0.5)
    J, _, V, _ = reduced(bar, masses, angle)
    E = 0.5 * J * rate**2 + V - 0.5 * angle
    close(E, E[0], rtol=1e-9)  # several hundred steps of 1e-12
    assert np.ptp(angle) > 6.0  # it went round


# ---- slider-crank ----------------------------------------------------------------------------------------------------

SLIDERS = [slider_crank.SliderCrank(0.1, 0.35), slider_crank.SliderCrank(0.2, 0.5, 0.15)]


@pytest.mark.parametrize("mechanism", SLIDERS)
def test_slider_crank(mechanism):
    def crank(t):
        return t + 0.5 * np.sin(2 * t), 1 + np.cos(2 * t), -2 * np.sin(2 * t)

    def solution(t):
        at = slider_crank.slider_crank(mechanism, *crank(t))
        return np.column_stack([t, at.x, at.speed, at.rod, at.rod_rate])

    def rhs(y):
        at = slider_crank.slider_crank(mechanism, *crank(y[:, 0]))
        return np.column_stack([np.ones(len(y)), at.speed, at.second, at.rod_rate, at.rod_second])

    assert (
        integral_residual(solution, rhs, np.linspace(0.0, 6.0, 201)) < 50 * EPS
    )  # a time of 6 s rounded, rates near 4

    at, B = slider_crank.slider_crank(mechanism, TURN), mechanism.crank * np.stack([np.cos(TURN), -np.sin(TURN)], 1)
    BP = np.stack([at.x, np.full_like(at.x, mechanism.offset)], 1) - B
    close(BP, mechanism.rod * np.stack([np.cos(at.rod), -np.sin(at.rod)], 1), atol=4 * EPS)
    # Dead centres: crank and rod in a line.
    reach = [np.sqrt((mechanism.rod + s * mechanism.crank) ** 2 - mechanism.offset**2) for s in (-1, 1)]
    fine = slider_crank.slider_crank(mechanism, np.linspace(0, 2 * np.pi, 20001)).x
    close([fine.min(), fine.max()], reach, atol=1e-7)  # (2 pi / 20000)^2 / 8 and the curvature


@pytest.mark.parametrize("mechanism", SLIDERS)
def test_slider_force_and_crank_torque(mechanism):
    force = 90.0
    at, torque = slider_crank.slider_crank(mechanism, TURN), slider_crank.crank_torque(mechanism, TURN, force)
    thrust, guide = slider_crank.rod_thrust(mechanism, TURN, force)
    along = np.stack([np.cos(at.rod), 0 * TURN, -np.sin(at.rod)], 1)
    whole = thrust[:, None] * along + np.stack([0 * TURN + force, 0 * TURN, guide], 1)
    close(whole, 0.0, atol=1e-13)
    B = mechanism.crank * np.stack([np.cos(TURN), 0 * TURN, -np.sin(TURN)], 1)
    close(torque + about_y(B, -thrust[:, None] * along), 0.0, atol=1e-13)
    # Ground, crank bearing and guide hold the mechanism: moments of all outer forces about A vanish.
    P = np.stack([at.x, 0 * TURN, np.full_like(at.x, mechanism.offset)], 1)
    outer = np.stack([0 * TURN + force, 0 * TURN, guide], 1)
    close(torque + about_y(P, outer), 0.0, atol=1e-12)
    with pytest.raises(ValueError, match="longer"):
        slider_crank.SliderCrank(0.2, 0.3, 0.15)


# ---- Cardan joint ----------------------------------------------------------------------------------------------------


def turned(axis, angle, vector):
    """Vector (3,) turned about a unit axis by the angles (n,), through quaternions."""
    return rotation(quat_about(axis, angle)) @ vector


@pytest.mark.parametrize("in_plane", [False, True])
@pytest.mark.parametrize("bend", [0.0, 0.3, -0.6, 1.2])
def test_cardan(bend, in_plane):
    angle, (e_in, e_out) = np.linspace(-7.0, 20.0, 301), cardan.shafts(bend)
    out = cardan.output_angle(angle, bend, in_plane=in_plane)
    # Each pin is its place at zero, turned with its shaft; the cross keeps them perpendicular.
    flat = turned([0, 1, 0], bend, [0, 0, 1.0])
    first = (np.array([0, 0, 1.0]), np.array([0, -1.0, 0])) if in_plane else (np.array([0, 1.0, 0]), flat)
    p_in, p_out = cardan.pins(angle, bend, in_plane=in_plane)
    close(p_in, turned(e_in, angle, first[0]), atol=30 * EPS)
    close(p_out, turned(e_out, out, first[1]), atol=30 * EPS)
    close(np.sum(p_in * p_out, 1), 0.0, atol=60 * EPS)  # angles to 20 rad, times 1 / cos(bend)
    close(cardan.output_angle(angle + 2 * np.pi, bend, in_plane=in_plane), out + 2 * np.pi, atol=1e-13)

    def solution(t):
        a = 2 * t + np.sin(t)
        rate, second = 2 + np.cos(t), -np.sin(t)
        ratio = cardan.speed_ratio(a, bend, in_plane=in_plane)
        return np.column_stack([t, cardan.output_angle(a, bend, in_plane=in_plane), rate * ratio, second])

    def rhs(y):
        t = y[:, 0]
        a, rate, second = 2 * t + np.sin(t), 2 + np.cos(t), -np.sin(t)
        out_second = cardan.output_second(a, rate, second, bend, in_plane=in_plane)
        return np.column_stack([np.ones(len(t)), y[:, 2], out_second, -np.cos(t)])

    # Input angles to 15 rad at EPS; the ratio changes by up to 1 / cos^3 per radian, rate 3.
    assert integral_residual(solution, rhs, np.linspace(0.0, 6.0, 601)) < 15 * EPS * 3 / np.cos(bend) ** 3

    ratio = cardan.speed_ratio(np.linspace(0, np.pi, 3), bend, in_plane=in_plane)
    ends = [np.cos(bend), 1 / np.cos(bend)]
    close(ratio[:2], ends[::-1] if in_plane else ends, rtol=4 * EPS)
    every = cardan.speed_ratio(angle, bend, in_plane=in_plane)
    assert every.min() >= np.cos(bend) * (1 - 4 * EPS)
    assert every.max() <= (1 + 4 * EPS) / np.cos(bend)


@pytest.mark.parametrize("in_plane", [False, True])
def test_cardan_passes_on_power(in_plane):
    bend, angle = 0.7, np.linspace(0.0, 6.0, 50)
    M = cardan.couple(angle, bend, 12.0, in_plane=in_plane)
    e_in, e_out = cardan.shafts(bend)
    close(M @ e_in, 12.0, rtol=8 * EPS)
    close(M @ e_out, 12.0 / cardan.speed_ratio(angle, bend, in_plane=in_plane), rtol=1e-13)
    for pin in cardan.pins(angle, bend, in_plane=in_plane):
        close(np.sum(M * pin, axis=1), 0.0, atol=1e-13)
    # Bearings of the input shaft carry at most T tan(bend).
    across = np.linalg.norm(M - 12.0 * e_in, axis=1)
    assert across.max() == pytest.approx(12.0 * np.tan(bend), rel=1e-2)
    with pytest.raises(ValueError, match="less than pi/2"):
        cardan.output_angle(0.0, 2.0)


@pytest.mark.parametrize(("bend_2", "shape"), [(0.5, 1), (0.5, -1), (0.3, 1)])
@pytest.mark.parametrize("twist", [0.0, 0.4, np.pi / 2])
def test_double_cardan(bend_2, shape, twist):
    bend_1, angle = 0.5, np.linspace(0.0, 9.0, 101)
    out = cardan.double_output_angle(angle, bend_1, bend_2, twist)
    # Geometry: middle shaft, its first pin, its second pin turned by the twist about it, the output's pin.
    _, e_middle = cardan.shafts(bend_1)
    _, e_out = cardan.shafts(bend_1 + shape * bend_2)  # W or Z shape
    pin = np.einsum("ij,nj->ni", rotation(quat_about(e_middle, twist)), cardan.pins(angle, bend_1)[1])
    last0 = np.cross(e_out, pin[0]) / np.linalg.norm(np.cross(e_out, pin[0]))
    close(np.sum(pin * turned(e_out, out, last0), axis=1), 0.0, atol=1e-14)
    ratio = cardan.double_speed_ratio(angle, bend_1, bend_2, twist)
    h = 1e-5  # central difference, h^2 / 6 times the third derivative, below 100
    ahead, behind = (cardan.double_output_angle(angle + s, bend_1, bend_2, twist) for s in (h, -h))
    close(ratio, (ahead - behind) / (2 * h), atol=1e-8)
    if twist == 0.0 and bend_1 == bend_2:
        close(out, angle, atol=16 * EPS)
        close(ratio, 1.0, rtol=8 * EPS)
    elif twist == np.pi / 2 and bend_1 == bend_2:  # built the wrong way, the unevenness is squared
        assert ratio[0] == pytest.approx(np.cos(bend_1) ** 2, rel=1e-14)


# ---- chains at rest --------------------------------------------------------------------------------------------------

ROPE = [Link.rod(0.2 + 0.05 * k, 0.3 - 0.01 * k) for k in range(8)] + [Link(0.6, 0.2, 0.01, 0.05)]


def assert_at_rest(links, rest, load=1.0):
    """Forces and moments of every link vanish, to rounding of the largest force."""
    for k, link in enumerate(links):
        weight = np.array([0, 0, -link.mass * G])
        lower = rest.f_W[k + 1] if k + 1 == len(links) else -rest.f_W[k + 1]
        close(rest.f_W[k] + lower + weight, 0.0, atol=1e-15 * load)
        moment = np.cross(link.length * rest.e_W[k], lower) + np.cross(link.arm * rest.e_W[k], weight)
        close(moment, 0.0, atol=1e-15 * load)
        close(rest.p_W[k + 1] - rest.p_W[k], link.length * rest.e_W[k], atol=1e-15)


def test_hanging_chain():
    mass, load = np.array([1.0, 2.0, 0.5]), 4.0
    close(chain_statics.hanging_forces(mass, load), G * np.array([7.5, 6.5, 4.5]), rtol=4 * EPS)
    links = [Link.rod(m, 0.3) for m in mass]
    rest = chain_statics.pulled_chain(links, [0, 0, -load * G])
    close(rest.f_W[:3, 2], chain_statics.hanging_forces(mass, load), rtol=4 * EPS)
    close(rest.p_W[-1], [0, 0, -0.9], atol=4 * EPS)
    # The same from the dynamics of a chain at rest, the load as a last bead.
    chain = [*links, Link.point(load, 1e-3)]
    f = n_pendulum.hinge_forces(chain, np.zeros(4), np.zeros(4))
    close(f[:3, 2], chain_statics.hanging_forces(mass, load), rtol=1e-13)


@pytest.mark.parametrize("f_end", [(3.0, 0.0, 0.0), (-2.0, 1.0, 30.0), (0.1, 0.0, -5.0)])
def test_chain_pulled_at_its_end(f_end):
    rest = chain_statics.pulled_chain(ROPE, f_end)
    assert_at_rest(ROPE, rest, load=50.0)
    weight = sum(link.mass for link in ROPE) * G
    close(rest.f_W[0] + f_end, [0, 0, weight], atol=1e-13)
    # The end as a result of its force, and the force as a result of the end.
    again = chain_statics.spanned_chain(ROPE, rest.p_W[-1])
    close(again.f_W[-1], f_end, atol=1e-9)  # rounding of the end, times the stiffness (1e3 N/m)


@pytest.mark.parametrize(
    "end", [(1.5, 0.0, 0.0), (0.3, -0.2, 0.9), (-2.0, 0.5, -0.8), (0.3, 0.0, 0.1), (2.31, 0.0, 0.0)]
)
def test_chain_between_two_points(end):
    rest = chain_statics.spanned_chain(ROPE, end)
    close(rest.p_W[-1], end, atol=1e-13)
    assert_at_rest(ROPE, rest, load=np.abs(rest.f_W).max())

    def height(e_W):  # of the common centre of mass
        p = np.vstack([np.zeros(3), np.cumsum([k.length * e for k, e in zip(ROPE, e_W, strict=True)], axis=0)])
        return sum(k.mass * (p[i] + k.arm * e_W[i])[2] for i, k in enumerate(ROPE)), p[-1]

    # Least height: any small change that keeps the end (to first order, by the multiplier f_end) lifts the chain.
    rng, base = np.random.default_rng(2), height(rest.e_W)[0]
    for _ in range(20):
        e = rest.e_W + 1e-3 * rng.normal(size=rest.e_W.shape)
        e /= np.linalg.norm(e, axis=1, keepdims=True)
        lifted, p_end = height(e)
        assert G * (lifted - base) - rest.f_W[-1] @ (p_end - end) > 0.0


def test_short_links_hang_as_a_catenary():
    half, length, weight = 0.8, 2.0, 3.0
    a = chain_statics.catenary(half, length)
    assert 2 * a * np.sinh(half / a) == pytest.approx(length, rel=1e-14)
    exact = np.array([weight * a, weight * 0.5 * length, a * (np.cosh(half / a) - 1)])  # pull, lift, sag
    errors = []
    for n in (16, 32, 64):
        rest = chain_statics.spanned_chain([Link.rod(weight * length / n / G, length / n)] * n, (2 * half, 0, 0))
        errors.append(np.array([*rest.f_W[-1][[0, 2]], -rest.p_W[n // 2, 2]]) - exact)
    errors = np.array(errors)
    close(errors[:, 1], 0.0, atol=1e-11)  # half the weight, for any links
    order = np.log2(errors[:-1, [0, 2]] / errors[1:, [0, 2]])
    close(order, 2.0, atol=0.02)  # error in 1 / n^2, next term 1 / n^4
    extrapolated = errors[2] + (errors[2] - errors[1]) / 3
    close(extrapolated, 0.0, atol=3.0 / 64**4)  # the term in 1 / n^4 is left, with a factor like that of 1 / n^2
    with pytest.raises(ValueError, match="nearer"):
        chain_statics.spanned_chain(ROPE, (5.0, 0.0, 0.0))
    with pytest.raises(ValueError, match="pushed"):
        chain_statics.spanned_chain(ROPE, (0.01, 0.0, 0.0))
    with pytest.raises(ValueError, match="does not reach"):
        chain_statics.catenary(1.0, 1.5)


# ---- floating arm ----------------------------------------------------------------------------------------------------

ONE = FloatingArm(12.0, 0.9, 0.35, (Link(3.0, 0.8, 0.2, 0.45),))
TWO = FloatingArm(12.0, 0.9, 0.35, (Link(3.0, 0.8, 0.2, 0.45), Link.rod(1.5, 0.6)))


def one_joint(t):
    return (1.5 * np.sin(t) + 0.8 * t)[:, None], (1.5 * np.cos(t) + 0.8)[:, None]


def two_joints(t):
    return (
        np.stack([1.5 * np.sin(t), np.cos(2 * t) + 0.3 * t], axis=-1),
        np.stack([1.5 * np.cos(t), -2 * np.sin(2 * t) + 0.3], axis=-1),
    )


@pytest.mark.parametrize(("arm", "joints"), [(ONE, one_joint), (TWO, two_joints)])
@pytest.mark.parametrize(("momentum", "v_centre"), [(0.0, (0.0, 0.0, 0.0)), (2.5, (0.1, 0.0, -0.3))])
def test_floating_arm_keeps_both_momenta(arm, joints, momentum, v_centre):
    t = np.linspace(0.5, 8.5, 161)

    def motion(t):
        return floating_arm(t, arm, joints, momentum=momentum, angle0=0.4, v_centre_W=v_centre)

    m = motion(t)
    mass = np.array([arm.mass, *(link.mass for link in arm.links)])
    inertia = np.array([arm.inertia, *(link.inertia for link in arm.links)])
    close(np.einsum("k,nkj->nj", mass, m.p_W), mass.sum() * np.outer(t - 0.5, v_centre), atol=1e-13)
    P = np.einsum("k,nkj->nj", mass, m.v_W)
    close(P, np.tile(mass.sum() * np.array(v_centre), (len(t), 1)), atol=1e-13)
    centre_W = np.outer(t - 0.5, v_centre)[:, None, :]
    L = m.rate @ inertia + about_y(m.p_W - centre_W, m.v_W) @ mass
    close(L, momentum, atol=1e-13)

    # The links hang together and show the prescribed joint angles.
    e = np.stack([np.cos(m.angle), 0 * m.angle, -np.sin(m.angle)], axis=-1)
    hinge = m.p_W[:, 0] + arm.joint * e[:, 0]
    for k, link in enumerate(arm.links, start=1):
        close(m.p_W[:, k] - link.arm * e[:, k], hinge, atol=1e-13)
        hinge = hinge + link.length * e[:, k]
    close(np.diff(m.angle, axis=1), joints(t)[0], atol=1e-13)

    # Rates are the derivatives of the places: Gauss points between the first and every later time.
    x, weight = np.polynomial.legendre.leggauss(20)
    s = (0.5 * (t[1:] + t[:-1])[:, None] + 0.025 * x).ravel()
    inner = motion(np.concatenate([[0.5], s]))
    for place, rate in ((m.angle, inner.rate[1:]), (m.p_W.reshape(161, -1), inner.v_W[1:].reshape(len(s), -1))):
        gain = np.einsum("ijk,j->ik", rate.reshape(160, 20, -1), 0.025 * weight)
        close(np.diff(place, axis=0), gain, atol=1e-13)  # 3000 sums of EPS on angles near 5


def test_one_link_turns_the_base_by_a_closed_form():
    t = np.linspace(0.0, 12.0, 241)
    q, m = one_joint(t)[0][:, 0], floating_arm(t, ONE, one_joint)
    close(m.angle[:, 0], base_turn(ONE, q[0], q), atol=1e-13)
    assert q[-1] > 2 * np.pi  # over the jump of the tangent
    # A whole turn of the joint, and the slope at a point by hand.
    turn = float(base_turn(ONE, 0.3, 0.3 + 2 * np.pi))
    mu = 12.0 * 3.0 / 15.0
    A, B = 1.1 + mu * (0.35**2 + 0.45**2), 2 * mu * 0.35 * 0.45
    D = 0.5 * (0.2 - 0.9 + mu * (0.45**2 - 0.35**2))
    assert turn == pytest.approx(-np.pi * (1 + 2 * D / np.sqrt(A * A - B * B)), rel=1e-14)
    # Two equal halves share the turn evenly; a heavy base stays.
    even = FloatingArm(2.0, 0.1, 0.5, (Link(2.0, 1.0, 0.1, 0.5),))
    assert base_turn(even, 0.0, 1.3) == pytest.approx(-0.65, rel=1e-14)
    heavy = FloatingArm(1e12, 1e12, 0.35, ONE.links)
    assert abs(base_turn(heavy, 0.0, 2.0)) < 1e-11


def test_a_closed_path_of_two_joints_leaves_the_base_turned():
    """What a cat does: the joints come back, the base does not; run backwards it does."""

    def loop(t):
        q = np.stack([np.sin(t), 1.5 * (1 - np.cos(t))], axis=-1)
        return q, np.stack([np.cos(t), 1.5 * np.sin(t)], axis=-1)

    def backwards(t):
        q, qd = loop(2 * np.pi - t)
        return q, -qd

    t = np.linspace(0.0, 2 * np.pi, 101)
    there = floating_arm(t, TWO, loop).angle[-1, 0]
    assert abs(there) > 1e-2
    assert floating_arm(t, TWO, backwards).angle[-1, 0] == pytest.approx(-there, abs=1e-14)
    still = floating_arm(t, TWO, lambda t: (np.zeros((len(t), 2)), np.zeros((len(t), 2))), momentum=3.0)
    close(np.diff(still.angle[:, 0]), still.rate[0, 0] * t[1], atol=1e-14)
