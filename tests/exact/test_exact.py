"""The closed forms satisfy their own differential equations, initial values and invariants.

Three roads: `solve_ivp` (as independent as can be, limited by its own error), the equation in integral form over short
intervals (limited by rounding only), and 60-digit Taylor integration (a few stored numbers) where motion is unstable.
"""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipkm1

from .ballistic import ballistic
from .drag_flight import apex_height, apex_time, drag_flight, terminal_speed
from .elliptic import complete_first, incomplete_first, jacobi
from .free_top import (
    flip_interval,
    flip_interval_small,
    flip_times,
    free_top,
    growth_rate,
    parameter,
    period,
)
from .quaternion import quat_exp, quat_mul, rotation
from .symmetric_top import body_precession_rate, symmetric_top, world_precession_rate
from .two_bodies_spring import damped_oscillator, two_bodies_spring

Q0 = np.array([0.5, -0.5, 0.1, 0.7])  # unit length
EPS = np.finfo(float).eps


# ---- helpers ---------------------------------------------------------------------------------------------------------


def integrate(rhs, t, y0):
    """Reference by DOP853; its global error is about (number of steps) * 1e-12 where the motion is stable."""
    run = solve_ivp(rhs, (t[0], t[-1]), y0, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=t)
    assert run.success
    return run.y.T


def integral_residual(solution, rhs, t):
    """Largest |y(t2) - y(t1) - integral of rhs(y(s)) ds| over the intervals of t, by 20-point Gauss-Legendre.

    The rule is exact to rounding when an interval is short against the motion (here below half a radian), so a
    solution of the equation leaves a few EPS; no error of an integrator and no growth of errors enters.
    """
    x, weight = np.polynomial.legendre.leggauss(20)
    half = 0.5 * np.diff(t)[:, None]
    s = 0.5 * (t[1:] + t[:-1])[:, None] + half * x
    rates = rhs(solution(s.ravel())).reshape(*s.shape, -1)
    return np.max(np.abs(np.diff(solution(t), axis=0) - np.einsum("ij,ijk->ik", half * weight, rates)))


def top_rhs(inertia):
    """Euler's equations and q' = 1/2 q o (0, w), for y = (w, q) of shape (..., 7)."""
    inertia = np.asarray(inertia, dtype=float)

    def rhs(y):
        w, q = y[..., :3], y[..., 3:]
        zero_w = np.concatenate([np.zeros_like(w[..., :1]), w], axis=-1)
        return np.concatenate([np.cross(inertia * w, w) / inertia, 0.5 * quat_mul(q, zero_w)], axis=-1)

    return rhs


def top_solution(inertia, w0):
    def solution(t):
        motion = free_top(t, inertia, w0, Q0)
        return np.concatenate([motion.w_WB_B, motion.q_WB], axis=-1)

    return solution


# ---- elliptic functions ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("m", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_jacobi_agrees_with_scipy(m):
    u = np.linspace(-9.0, 9.0, 301)
    # scipy's own error is some EPS, times the sensitivity to the rounding of m, which is below 1 / mc = 100.
    np.testing.assert_allclose(jacobi(u, m, 1.0 - m), ellipj(u, m)[:3], atol=200 * EPS)


@pytest.mark.parametrize("mc", [1.0, 0.3, 1e-4, 1e-8, 1e-16, 1e-30, 1e-100])
def test_jacobi_solves_its_equation_and_inverts(mc):
    m, K = 1.0 - mc, complete_first(mc)
    assert pytest.approx(ellipkm1(mc), rel=4 * EPS) == K

    def solution(u):
        return np.stack(jacobi(u, m, mc), axis=-1)

    def rhs(y):
        sn, cn, dn = np.moveaxis(y, -1, 0)
        return np.stack([cn * dn, -sn * dn, -m * sn * cn], axis=-1)

    # Rounding of u reaches EPS * 2 K at the ends; the derivatives are at most 1.
    assert integral_residual(solution, rhs, np.linspace(-2 * K, 2 * K, 200)) < 20 * EPS * (1 + K)

    # Near u = K both cn and dn fall to sqrt(mc); where cn is well above, it is good to relative EPS * u.
    u = np.linspace(-0.9 * K, 0.9 * K, 101)
    sn, cn, _ = jacobi(u, m, mc)
    np.testing.assert_allclose(incomplete_first(sn, cn, m, mc), u, rtol=50 * EPS, atol=4 * EPS)


def test_jacobi_becomes_hyperbolic_on_the_separatrix():
    u = np.array([-800.0, -3.0, 0.0, 1e-200, 2.0, 800.0])  # cosh(800) would overflow
    sn, cn, dn = jacobi(u, 1.0, 0.0)
    np.testing.assert_array_equal(sn, np.tanh(u))
    np.testing.assert_array_equal(cn, dn)
    np.testing.assert_allclose(cn[1:5], 1.0 / np.cosh(u[1:5]), rtol=4 * EPS)
    # jacobi differs from its limit by mc / 4 * (sinh u cosh u - u) at most (DLMF 22.10.7), here 1e-20 * cosh^2(3).
    np.testing.assert_allclose(jacobi(u[1:5], 1.0, 1e-20), jacobi(u[1:5], 1.0, 0.0), rtol=4 * EPS)


# ---- free top --------------------------------------------------------------------------------------------------------

STABLE = [
    ((1.0, 2.0, 3.0), (0.3, 1.0, 0.4)),  # L^2 < 2T I2: about the smallest moment
    ((1.0, 2.0, 3.0), (0.3, 1.0, -0.9)),  # L^2 > 2T I2: about the largest
    ((3.0, 1.0, 2.0), (-1.0, 0.2, -0.5)),
    ((2.0, 3.0, 1.0), (0.5, -0.7, 0.9)),
    ((0.1, 2.0, 2.05), (1.0, 1.0, 0.3)),  # a slender rod
    ((2.0, 2.0, 3.0), (0.3, 0.4, 1.0)),  # two equal
    ((3.0, 2.0, 2.0), (0.3, 0.4, 1.0)),
    ((2.0, 3.0, 2.0), (0.3, 0.4, 1.0)),
    ((2.0, 2.0, 2.0), (0.3, 0.4, 1.0)),  # all equal
    ((1.0, 2.0, 3.0), (0.0, -2.0, 0.0)),  # middle axis, undisturbed: steady
    ((1.0, 2.0, 3.0), (0.0, 0.0, 0.0)),  # at rest
    ((1.0, 2.0, 3.0), (1e-9, -1e-9, 2.0)),  # close to steady
    ((1.9999999, 2.0, 3.0), (0.1, -0.2, 0.05)),  # nearly equal
    ((1.0, 2.9999999, 3.0), (1.0, 1.0, 1.0)),
    ((1.0, 1.0 + 1e-12, 1.05), (1.4, 0.6, 1e-9)),  # goes round x, with a period of 2e7 s
]
UNSTABLE = [
    ((1.0, 2.0, 3.0), (0.05, 3.0, 0.0)),  # middle axis, disturbed along the smallest
    ((1.0, 2.0, 3.0), (0.0, -3.0, 0.05)),  # along the largest
    ((3.0, 1.0, 2.0), (0.02, 0.04, -2.5)),
    ((1.0, 2.0, 3.0), (1e-4, 3.0, 0.0)),
    ((2.0, 3.0, 1.0), (-3.0, 1e-12, 1e-11)),
    ((1.0, 2.0, 3.0), (np.sqrt(3.0), 0.7, 1.0)),  # mc = 1e-16
    ((1.0, 2.0, 3.0), (np.sqrt(3.0) * (1 + 1e-9), -0.7, -1.0)),  # mc = 2e-9
    ((3.0, 4.0, 6.0), (2.0, 1.0, 1.0)),  # separatrix, exactly
    ((3.0, 4.0, 6.0), (-2.0, 1.0, 1.0)),
    ((6.0, 3.0, 4.0), (-1.0, 2.0, -5.0)),
]


@pytest.mark.parametrize(("inertia", "w0"), STABLE + UNSTABLE)
def test_top_solves_euler_equations(inertia, w0):
    t = np.linspace(-3.0, 25.0, 400)  # 0.07 s, a fifth of a radian
    residual = integral_residual(top_solution(inertia, w0), top_rhs(inertia), t)
    # Angles up to 25 s * |L| / I_min rad are rounded to EPS each; w scales the rate.
    turned = 25.0 * np.max(np.abs(np.array(inertia) * w0)) / min(inertia)
    assert residual < 4 * EPS * (1 + turned) * max(1.0, np.max(np.abs(w0)))


@pytest.mark.parametrize(("inertia", "w0"), STABLE + UNSTABLE)
def test_top_starts_where_told_and_takes_single_times(inertia, w0):
    motion = free_top(0.0, inertia, w0, Q0)
    np.testing.assert_allclose(motion.w_WB_B, w0, atol=8 * EPS * np.max(np.abs(w0)))
    np.testing.assert_allclose(motion.q_WB, Q0, atol=8 * EPS)
    assert motion.R_WB.shape == (3, 3)


@pytest.mark.parametrize(("inertia", "w0"), STABLE + UNSTABLE)
def test_top_keeps_energy_and_angular_momentum(inertia, w0):
    t = np.linspace(0.0, 100.0, 1001)
    w, q, R_WB = free_top(t, inertia, w0, Q0)
    inertia, w0 = np.array(inertia), np.array(w0)
    T0, L_W0 = inertia @ w0**2, rotation(Q0) @ (inertia * w0)
    L_W = np.einsum("nij,nj->ni", R_WB, inertia * w)
    # Rounding of sn, cn, dn and of the four quaternion products: some ten EPS; 1e-12 would be visible physics.
    np.testing.assert_allclose(w**2 @ inertia, T0, rtol=1e-13)
    np.testing.assert_allclose(L_W, np.broadcast_to(L_W0, L_W.shape), atol=1e-13 * np.linalg.norm(L_W0))
    np.testing.assert_allclose(np.linalg.norm(inertia * w, axis=1), np.linalg.norm(L_W0), rtol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(q, axis=1), 1.0, rtol=20 * EPS)


@pytest.mark.parametrize("inertia", list(permutations((1.0, 2.0, 3.0))))
def test_top_in_every_order_of_moments_and_every_octant(inertia):
    t = np.linspace(0.0, 6.0, 60)
    for signs in product((-1.0, 1.0), repeat=3):
        for size in permutations((0.5, 0.7, 0.9)):
            w0 = np.array(signs) * size
            # 6 s with |L| / I_min < 3 rad/s, each radian rounded to EPS.
            assert integral_residual(top_solution(inertia, w0), top_rhs(inertia), t) < 4 * EPS * 20
            np.testing.assert_allclose(top_solution(inertia, w0)(np.zeros(1))[0], [*w0, *Q0], atol=8 * EPS)


@pytest.mark.parametrize(("inertia", "w0"), STABLE + UNSTABLE[:3])
def test_top_agrees_with_numerical_integration(inertia, w0):
    t = np.linspace(0.0, 20.0, 101)
    rhs = top_rhs(inertia)
    reference = integrate(lambda _, y: rhs(y), t, [*w0, *Q0])
    # Stable motion: some hundred steps of 1e-12. A passage of the middle axis is governed by mc, the distance of the
    # two conserved quantities from the separatrix; their drift of 1e-12 a step counts relative to it.
    tolerance = 1e-10
    if (inertia, w0) in UNSTABLE:
        tolerance /= parameter(inertia, w0)[1]
    np.testing.assert_allclose(top_solution(inertia, w0)(t), reference, atol=tolerance)


# Rows: moments, w at t = 0, time, then w and q there. From a Taylor method of order 40 with steps below 0.1 s in
# 60-digit arithmetic (mpmath), started from exactly these floats and Q0 at unit length; its energy drift was below
# 1e-48. The times lie within a flip where one can, so that an error in its time shows.
TAYLOR = [
    (  # second flip of a spin with disturbance 1e-4, mc = 1e-9
        (1.0, 2.0, 3.0),
        (1e-4, 3.0, 0.0),
        20.0,
        (2.7259573804451023, -1.2526597183580526, 1.5738322263404407),
        (-0.5252256783516089, -0.520343500517416, 0.39160045469392646, 0.5477496801942326),
    ),
    (  # mc = 1e-17
        (1.0, 2.0, 3.0),
        (1e-8, 3.0, 0.0),
        12.0,
        (2.9781796765707895, 0.36117283128816163, -1.719452837963218),
        (-0.08675750618775349, 0.2764854559201034, 0.1846669128603058, 0.939109716209655),
    ),
    (  # mc = 2e-13
        (3.0, 1.0, 2.0),
        (1e-6, -2e-6, -2.5),
        12.0,
        (-1.433958140367001, -2.483688355042831, -0.28511779149789374),
        (-0.2797220937900396, -0.2338914606014792, -0.6279718789525918, -0.6875330204056925),
    ),
    (  # mc = 1e-23
        (2.0, 3.0, 1.0),
        (-3.0, 1e-12, 1e-11),
        16.0,
        (0.17742162616691431, 1.7290191406852893, 2.9947489989260014),
        (0.5720545876372897, 0.6664116090003023, 0.07026024320520129, 0.4729826787288353),
    ),
    (  # mc = 2e-8, disturbance hidden in large components
        (3.0, 4.0, 6.0),
        (2.00000002, -1.0, -1.0),
        24.0,
        (0.9539218042857227, -2.115723854906827, 0.4769608811767818),
        (-0.42256538265262217, 0.3317994865617503, -0.6310080918753133, -0.5596216454792274),
    ),
    (  # separatrix, exactly
        (3.0, 4.0, 6.0),
        (2.0, 1.0, 1.0),
        9.0,
        (0.0024676613912837982, 2.3452064193750974, 0.0012338306956418991),
        (-0.23018150330670473, 0.4445639141938082, -0.8611221147293605, 0.08858953243007879),
    ),
    (  # nearly symmetric, period 3e4 s
        (2.0, 2.0000001, 3.0),
        (1.5, 1.2, 1e-5),
        24.0,
        (1.4998663588927215, 1.2001670323258904, 8.559963000993896e-06),
        (-0.5305065548654491, 0.2853105642824106, -0.7982220271783576, -0.001507475014099665),
    ),
]


@pytest.mark.parametrize(("inertia", "w0", "t", "w_WB_B", "q_WB"), TAYLOR)
def test_top_agrees_with_60_digit_taylor_integration(inertia, w0, t, w_WB_B, q_WB):
    motion = free_top(t, inertia, w0, Q0)
    # Rounding of the phase, EPS * K with K < 30, times |w'| < 6; reached: 1e-14.
    np.testing.assert_allclose(motion.w_WB_B, w_WB_B, atol=5e-14)
    np.testing.assert_allclose(motion.q_WB, q_WB, atol=5e-14)  # some ten rad rounded to EPS; reached: 4e-15


def test_top_continued_from_a_later_state_is_the_same_motion():
    inertia, w0, t = (2.0, 3.0, 1.0), (0.5, -0.7, 0.9), np.linspace(0.0, 10.0, 50)
    middle = free_top(4.0, inertia, w0, Q0)
    on = free_top(t, inertia, middle.w_WB_B, middle.q_WB)
    back = free_top(-4.0, inertia, middle.w_WB_B, middle.q_WB)
    np.testing.assert_allclose(on.w_WB_B, free_top(t + 4.0, inertia, w0, Q0).w_WB_B, atol=1e-13)  # 15 rad, not unstable
    np.testing.assert_allclose(on.q_WB, free_top(t + 4.0, inertia, w0, Q0).q_WB, atol=1e-13)
    np.testing.assert_allclose([*back.w_WB_B, *back.q_WB], [*w0, *Q0], atol=1e-13)


def test_top_quaternion_has_no_sign_jumps():
    for inertia, w0 in STABLE + UNSTABLE:
        t = np.linspace(0.0, 60.0, 6001)
        w, q, _ = free_top(t, inertia, w0, Q0)
        # |q'| = |w| / 2; the chord is shorter than the arc.
        speed = np.max(np.linalg.norm(w, axis=1))
        assert np.all(np.linalg.norm(np.diff(q, axis=0), axis=1) <= 0.5 * speed * 0.01 * (1 + 1e-9) + 1e-14)


@pytest.mark.parametrize(("inertia", "w0"), [*STABLE[:8], *UNSTABLE[:7]])
def test_top_period(inertia, w0):
    T, t = period(inertia, w0), np.linspace(0.0, 5.0, 51)
    w = free_top(t, inertia, w0, Q0).w_WB_B
    after = free_top(t + T, inertia, w0, Q0).w_WB_B
    np.testing.assert_allclose(after, w, atol=1e-13 * (1 + T))  # t + T is rounded, |w'| < 6
    half = free_top(t + T / 2, inertia, w0, Q0).w_WB_B  # two components change sign after half a period
    np.testing.assert_allclose(np.abs(half), np.abs(w), atol=1e-13 * (1 + T))
    assert np.max(np.abs(half - w)) > 0.1


@pytest.mark.parametrize(("inertia", "w0"), UNSTABLE[:7])
def test_flips_happen_when_told(inertia, w0):
    middle = int(np.argsort(inertia)[1])
    times = flip_times(120.0, inertia, w0)
    assert len(times) >= 1
    np.testing.assert_allclose(np.diff(times), flip_interval(inertia, w0), rtol=1e-14)
    np.testing.assert_allclose(
        free_top(times, inertia, w0, Q0).w_WB_B[:, middle], 0.0, atol=1e-12
    )  # 120 s * EPS * |w'|
    # Midway the spin is turned over, and only there does its sign change.
    t = np.linspace(0.0, 120.0, 5000)
    spin = free_top(t, inertia, w0, Q0).w_WB_B[:, middle]
    assert np.count_nonzero(np.diff(np.sign(spin))) == len(times)


def test_separatrix_flips_at_most_once_and_ends_on_the_middle_axis():
    inertia, w0 = (3.0, 4.0, 6.0), (2.0, 1.0, 1.0)
    assert parameter(inertia, w0) == (1.0, 0.0)
    assert period(inertia, w0) == np.inf
    # w2' = (I3 - I1) w3 w1 / I2 > 0: comes from -|w2| and has flipped before t = 0; mirrored, it still has to.
    assert len(flip_times(1e3, inertia, w0)) == 0
    (t_flip,) = flip_times(1e3, inertia, (2.0, -1.0, 1.0))
    end = free_top(np.array([-1e3, t_flip, 1e3]), inertia, (2.0, -1.0, 1.0), Q0).w_WB_B
    top_speed = np.sqrt(5.5)  # 2T = 3*4 + 4*1 + 6*1 = 4 w2^2
    np.testing.assert_allclose(end[[0, 2]], [[0, -top_speed, 0], [0, top_speed, 0]], atol=1e-14)
    assert abs(end[1, 1]) < 1e-15


@pytest.mark.parametrize("size", [1e-2, 1e-4, 1e-8, 1e-12])
@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (0.3, -0.8)])
def test_flip_interval_of_a_small_disturbance(size, direction):
    inertia, spin = (1.5, 2.0, 2.7), 3.0
    w0 = (size * direction[0], spin, size * direction[1])
    # Next terms are of relative order (size / spin)^2 with factors of order one; then rounding of the logarithm.
    expected = flip_interval_small(inertia, w0)
    assert flip_interval(inertia, w0) == pytest.approx(expected, rel=5 * (size / spin) ** 2 + 1e-14)


def test_disturbance_of_the_middle_axis_grows_at_the_stated_rate():
    inertia, spin, w1 = np.array([1.5, 2.0, 2.7]), 3.0, 1e-9
    rate = growth_rate(inertia, spin)
    # The growing direction of the linearised equations: w3 / w1 from I1 w1' = (I2 - I3) w2 w3 = I1 rate w1.
    w3 = inertia[0] * rate * w1 / ((inertia[1] - inertia[2]) * spin)
    t = np.linspace(0.0, 5.0, 11)  # grows to 1e-6: quadratic terms are 1e-12 relative
    w = free_top(t, inertia, (w1, spin, w3), Q0).w_WB_B
    # mc cancels to rounding here: the decaying part is EPS * w1, the growing one is right to relative 1e-12.
    np.testing.assert_allclose(w[:, 0], w1 * np.exp(rate * t), rtol=1e-10)


def test_top_says_what_is_wrong():
    with pytest.raises(ValueError, match="must be positive"):
        free_top(0.0, (1.0, 0.0, 1.0), (1.0, 0.0, 0.0), Q0)
    with pytest.raises(ValueError, match="expected \\(4,\\) and 1"):
        free_top(0.0, (1.0, 1.0, 1.0), (1.0, 0.0, 0.0), 2.0 * Q0)
    with pytest.raises(ValueError, match="no period"):
        period((1.0, 2.0, 3.0), (0.0, 1.0, 0.0))


# ---- symmetric top ---------------------------------------------------------------------------------------------------

SYMMETRIC = [
    (2.0, 3.0, (0.3, -0.4, 1.0)),  # flat
    (2.0, 0.5, (0.3, -0.4, 5.0)),  # slender
    (2.0, 2.0, (0.3, -0.4, 1.0)),  # round
    (2.0, 3.0, (0.3, -0.4, 0.0)),  # tumbling
    (2.0, 3.0, (0.0, 0.0, -2.0)),  # steady
]


@pytest.mark.parametrize(("across", "axis", "w0"), SYMMETRIC)
def test_symmetric_top(across, axis, w0):
    inertia, t = np.array([across, across, axis]), np.linspace(0.0, 20.0, 201)

    def solution(t):
        motion = symmetric_top(t, across, axis, w0, Q0)
        return np.concatenate([motion.w_WB_B, motion.q_WB], axis=-1)

    rhs = top_rhs(inertia)
    assert integral_residual(solution, rhs, t) < 100 * EPS * np.linalg.norm(w0)  # 100 rad at most, rounded to EPS
    # Some hundred steps of 1e-12.
    np.testing.assert_allclose(solution(t), integrate(lambda _, y: rhs(y), t, [*w0, *Q0]), atol=1e-10)
    # The general top with two equal moments is the same motion, by other formulas; 100 rad at EPS.
    np.testing.assert_allclose(solution(t), top_solution(inertia, w0)(t), atol=1e-13 * max(1.0, np.linalg.norm(w0)))

    w, _, R_WB = symmetric_top(t, across, axis, w0, Q0)
    L_W = np.einsum("nij,nj->ni", R_WB, inertia * w)
    np.testing.assert_allclose(L_W, np.broadcast_to(L_W[0], L_W.shape), atol=1e-12)
    np.testing.assert_allclose(w**2 @ inertia, inertia @ np.square(w0), rtol=1e-13)


def test_symmetric_top_precesses_at_the_stated_rates():
    across, axis, w0 = 2.0, 3.0, (0.3, -0.4, 1.0)
    body, world = body_precession_rate(across, axis, w0), world_precession_rate(across, axis, w0)
    assert body == pytest.approx(0.5, rel=1e-15)
    assert world == pytest.approx(np.sqrt(0.6**2 + 0.8**2 + 3.0**2) / 2.0, rel=1e-15)
    t = np.array([0.0, 2 * np.pi / body, 2 * np.pi / world])
    w, _, R_WB = symmetric_top(t, across, axis, w0, Q0)
    np.testing.assert_allclose(w[1], w0, atol=1e-14)  # w is back in the body,
    np.testing.assert_allclose(R_WB[2, :, 2], R_WB[0, :, 2], atol=1e-14)  # and the axis is back in the world


# ---- two bodies on a spring ------------------------------------------------------------------------------------------

PAIR = {"mass_A": 1.3, "mass_B": 0.4, "stiffness": 25.0, "rest_length": 0.8}
LINE = np.array([0.6, 0.0, -0.8])
DRIFT = np.array([0.2, -0.5, 1.0])
PAIR_START = {"p_WA0": np.array([0.1, 0.2, 0.3]), "v_WA0": DRIFT - 0.3 * LINE, "v_WB0": DRIFT + 0.9 * LINE}
CRITICAL = 2.0 * np.sqrt(25.0 * 1.3 * 0.4 / 1.7)


@pytest.mark.parametrize("damping", [0.0, 0.3, CRITICAL * (1 - 1e-9), CRITICAL, CRITICAL * (1 + 1e-9), 40.0])
def test_two_bodies_spring(damping):
    t = np.linspace(0.0, 4.0, 101)
    start = PAIR_START | {"p_WB0": PAIR_START["p_WA0"] + 1.1 * LINE}
    m_A, m_B, k, l0 = PAIR["mass_A"], PAIR["mass_B"], PAIR["stiffness"], PAIR["rest_length"]

    def solution(t):
        return np.concatenate(two_bodies_spring(t, damping=damping, **PAIR, **start), axis=-1)

    def rhs(y):
        p_A, p_B, v_A, v_B = np.split(y, 4, axis=-1)
        length = np.linalg.norm(p_B - p_A, axis=-1, keepdims=True)
        n = (p_B - p_A) / length
        rate = np.sum((v_B - v_A) * n, axis=-1, keepdims=True)
        f = (k * (length - l0) + damping * rate) * n
        return np.concatenate([v_A, v_B, f / m_A, -f / m_B], axis=-1)

    y0 = np.concatenate([start["p_WA0"], start["p_WB0"], start["v_WA0"], start["v_WB0"]])
    np.testing.assert_allclose(solution(t)[0], y0, atol=4 * EPS)
    # The phase reaches 9 rad/s * 4 s and is rounded to EPS, the speed of B swings by 2.3 m/s: 80 EPS, doubled.
    assert integral_residual(solution, rhs, t) < 160 * EPS
    np.testing.assert_allclose(solution(t), integrate(lambda _, y: rhs(y), t, y0), atol=1e-10)  # 100 steps of 1e-12

    p_A, p_B, v_A, v_B = np.split(solution(t), 4, axis=-1)
    np.testing.assert_allclose(m_A * v_A + m_B * v_B, np.tile(m_A * y0[6:9] + m_B * y0[9:], (len(t), 1)), atol=1e-14)
    stretch = np.linalg.norm(p_B - p_A, axis=1) - l0
    energy = 0.5 * (m_A * np.sum(v_A**2, axis=1) + m_B * np.sum(v_B**2, axis=1) + k * stretch**2)
    if damping == 0.0:
        np.testing.assert_allclose(energy, energy[0], rtol=1e-14)
    else:
        assert np.all(np.diff(energy) <= 1e-15)


def test_oscillator_is_smooth_through_critical_damping_and_does_not_overflow():
    t = np.linspace(0.0, 5.0, 51)
    near = [
        damped_oscillator(t, mass=1.0, stiffness=1.0, damping=2.0 * x, x0=1.0, v0=-0.5)
        for x in (1 - 1e-12, 1.0, 1 + 1e-12)
    ]
    # x changes by |dx / d damping| < t x0 per unit of damping: 1e-11.
    np.testing.assert_allclose(near[0], near[1], atol=2e-11)
    np.testing.assert_allclose(near[2], near[1], atol=2e-11)
    x, v = damped_oscillator(1e6, mass=1.0, stiffness=1.0, damping=1e4, x0=1.0, v0=0.0)
    assert x == pytest.approx(np.exp(-100.0), rel=1e-5)  # slow rate k / c (1 + 1e-8), hundred times
    assert v == pytest.approx(-1e-4 * x, rel=1e-7)


def test_two_bodies_spring_refuses_what_it_does_not_cover():
    start = PAIR_START | {"p_WB0": PAIR_START["p_WA0"] + 1.1 * LINE}
    with pytest.raises(ValueError, match="across the line"):
        two_bodies_spring(1.0, **PAIR, **(start | {"v_WB0": np.array([0.0, 1.0, 0.0])}))
    with pytest.raises(ValueError, match="length falls"):
        two_bodies_spring(np.linspace(0, 1, 50), **PAIR, **(start | {"p_WB0": start["p_WA0"] + 3.0 * LINE}))
    with pytest.raises(ValueError, match="same point"):
        two_bodies_spring(1.0, **PAIR, **(start | {"p_WB0": start["p_WA0"]}))


# ---- flight ----------------------------------------------------------------------------------------------------------

BALL = {"mass": 0.145, "gravity": 9.81, "drag": 1.3e-3}  # a baseball: terminal speed 33 m/s


@pytest.mark.parametrize("v0", [45.0, 3.0, 0.0, -10.0, -33.0, -80.0])
def test_drag_flight(v0):
    def solution(t):
        return np.stack(drag_flight(t, z0=2.0, v0=v0, **BALL), axis=-1)

    def rhs(y):
        v = y[..., 1]
        return np.stack([v, -BALL["gravity"] - BALL["drag"] / BALL["mass"] * v * np.abs(v)], axis=-1)

    t_apex = apex_time(v0=v0, **BALL)
    np.testing.assert_allclose(solution(np.zeros(1))[0], [2.0, v0], rtol=4 * EPS)
    # The rate has a kink at the apex (v |v|), so the two branches are taken alone; heights to 300 m are rounded.
    for t in (np.linspace(0.0, t_apex, 41), np.linspace(t_apex, 12.0, 81)):
        assert integral_residual(solution, rhs, t) < 4 * EPS * 300
    np.testing.assert_allclose(
        solution(np.array([t_apex]))[0], [2.0 + apex_height(v0=v0, **BALL), min(v0, 0.0)], atol=1e-13
    )

    # 100 steps of 1e-12 on values of some hundred; the kink costs a short step, which the error control sees.
    t = np.linspace(0.0, 12.0, 121)
    np.testing.assert_allclose(solution(t), integrate(lambda _, y: rhs(y), t, [2.0, v0]), rtol=1e-10, atol=1e-9)


def test_drag_flight_limits():
    v_T = terminal_speed(**BALL)
    assert BALL["drag"] * v_T**2 == pytest.approx(BALL["mass"] * BALL["gravity"], rel=4 * EPS)
    assert drag_flight(1e4, z0=0.0, v0=30.0, **BALL).v == pytest.approx(-v_T, rel=4 * EPS)  # cosh would overflow
    # Almost no drag: the parabola; the drag removes c v^2 / m = 1e-10 m/s^2, and rounding must not be larger.
    t = np.linspace(0.0, 5.0, 51)
    thin = drag_flight(t, mass=1.0, gravity=9.81, drag=1e-13, z0=1.0, v0=20.0)
    parabola = ballistic(t, mass=1.0, f_W=(0.0, 0.0, -9.81), p_WB0=(0.0, 0.0, 1.0), v_WB0=(0.0, 0.0, 20.0))
    np.testing.assert_allclose(thin.z, parabola.p_WB[:, 2], atol=1e-9)
    np.testing.assert_allclose(thin.v, parabola.v_WB[:, 2], atol=1e-9)
    with pytest.raises(ValueError, match="ballistic"):
        drag_flight(1.0, mass=1.0, gravity=9.81, drag=0.0, z0=0.0, v0=1.0)
    with pytest.raises(ValueError, match="t >= 0"):
        drag_flight(-1.0, z0=0.0, v0=1.0, **BALL)


def test_ballistic():
    mass, f_W = 2.5, np.array([0.3, -1.0, -9.81 * 2.5])
    p0, v0 = np.array([1.0, 2.0, 3.0]), np.array([-4.0, 5.0, 6.0])

    def solution(t):
        return np.concatenate(ballistic(t, mass=mass, f_W=f_W, p_WB0=p0, v_WB0=v0), axis=-1)

    t = np.linspace(0.0, 2.0, 21)
    np.testing.assert_array_equal(solution(t)[0], [*p0, *v0])
    reference = integrate(lambda _, y: np.concatenate([y[3:], f_W / mass]), t, np.concatenate([p0, v0]))
    np.testing.assert_allclose(solution(t), reference, atol=1e-12)  # a polynomial of degree 2: the method is exact
    height = solution(t)[:, 2]
    energy = 0.5 * mass * np.sum(solution(t)[:, 3:] ** 2, axis=1) - solution(t)[:, :3] @ f_W
    np.testing.assert_allclose(energy, energy[0], rtol=1e-14)
    assert np.max(height) == pytest.approx(3.0 + 36.0 / (2 * 9.81), abs=0.5 * 9.81 * 0.05**2)  # apex within half a step
    assert ballistic(1.0, mass=mass, f_W=f_W, p_WB0=p0, v_WB0=v0).p_WB.shape == (3,)


# ---- quaternions -----------------------------------------------------------------------------------------------------


def test_quaternion_conventions():
    # A quarter turn about z takes the body's x to the world's y.
    q_WB = quat_exp([0.0, 0.0, np.pi / 2], 1.0)
    np.testing.assert_allclose(rotation(q_WB) @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=2 * EPS)
    q_BC = quat_exp([0.3, -1.0, 0.4], 1.0)
    np.testing.assert_allclose(rotation(quat_mul(q_WB, q_BC)), rotation(q_WB) @ rotation(q_BC), atol=8 * EPS)
