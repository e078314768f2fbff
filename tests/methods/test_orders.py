"""Every scheme converges with the order it states, on three motions with closed forms (I-012, I-013, I-018, I-019)."""

import numpy as np
import pytest

import gelenk as gk
from methods.scenes import (
    FIXED,
    PROBLEMS,
    DragProblem,
    FastTopProblem,
    SpringProblem,
    ThrowProblem,
    TopProblem,
    finish,
    name,
)


def observed_order(problem, integrator, steps):
    """Slope of log(error) over log(h)."""
    model = problem.model()
    errors = [problem.error(finish(model, integrator, problem.t_end / n, problem.t_end)) for n in steps]
    return -np.polyfit(np.log(steps), np.log(errors), 1)[0]


@pytest.mark.parametrize("problem", PROBLEMS, ids=name)
@pytest.mark.parametrize("integrator", FIXED, ids=name)
def test_observed_order_is_the_stated_one(integrator, problem):
    stated = integrator.order
    if isinstance(problem, TopProblem):  # no forces: what is left is the rotation
        stated = getattr(integrator, "free_rotation_order", stated)
    assert observed_order(problem, integrator, problem.steps) == pytest.approx(stated, abs=0.1)


@pytest.mark.parametrize("problem", [SpringProblem(), DragProblem()], ids=name)
def test_ballistic_is_of_order_one_when_forces_change(problem):
    """Frozen forces cost all but the first order (I-007). Finer steps: its errors cancel in part at coarse ones."""
    assert observed_order(problem, gk.Ballistic(), (800, 1600, 3200, 6400)) == pytest.approx(1, abs=0.1)


def test_ballistic_turns_a_free_body_with_order_four():
    """No torque to freeze: what is left is the Runge-Kutta step of the rotation (I-018)."""
    stated = gk.Ballistic.free_rotation_order
    assert observed_order(TopProblem(), gk.Ballistic(), TopProblem.steps) == pytest.approx(stated, abs=0.1)


def test_semi_implicit_euler_is_of_order_one_under_torque():
    """A body on a torsional pull: order 1 once a torque acts that follows the motion."""

    def pull(t, state, loads):
        q = state.q_WB[1]
        loads.torque_W[1, 2] -= 20.0 * 2.0 * q[3] * q[0]

    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(1.0, 1.0, 2.0), angular_velocity=(0, 0, 2.0))
    b.add(gk.Law("pull", pull))
    model = b.build()
    exact = finish(model, gk.DormandPrince(relative=1e-12, absolute=1e-14), 1.0, 1.0)["wheel"].angular_velocity[2]
    errors = [
        abs(finish(model, gk.SemiImplicitEuler(), 1.0 / n, 1.0)["wheel"].angular_velocity[2] - exact)
        for n in (400, 800, 1600)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1, abs=0.1)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("problem", [FastTopProblem(), SpringProblem()], ids=name)
def test_embedded_pair_has_order_five_in_single_steps(problem):
    """A tolerance that accepts everything leaves one inner step a step: the order of the propagated solution.

    Without the fall: there the term of order 6 outweighs that of order 5 down to round-off, and 6 would be seen.
    """
    loose = gk.DormandPrince(relative=0.1, absolute=1e9)
    assert observed_order(problem, loose, (80, 160, 320)) == pytest.approx(5, abs=0.1)
    assert finish(problem.model(), loose, problem.t_end / 20, problem.t_end)._stepper.status.tolist() == [0, 20, 0]


@pytest.mark.parametrize("problem", PROBLEMS, ids=name)
@pytest.mark.parametrize("tolerance", [1e-5, 1e-7, 1e-9])
def test_adaptive_error_follows_the_tolerance(problem, tolerance):
    """The error a step is kept under the tolerance; over the few tens of steps it adds up to ten times that at most."""
    sim = finish(
        problem.model(), gk.DormandPrince(relative=tolerance, absolute=tolerance), problem.t_end, problem.t_end
    )
    assert problem.error(sim) < 10 * tolerance
    assert sim.time == problem.t_end


def test_adaptive_takes_fewer_steps_when_the_tolerance_is_looser():
    counts = []
    for tolerance in (1e-11, 1e-8, 1e-5):
        sim = finish(TopProblem().model(), gk.DormandPrince(relative=tolerance, absolute=tolerance), 1.0, 1.0)
        counts.append(int(sim._stepper.status[1]))
    # Order 5 and error a step ~ tolerance: the number of steps goes with tolerance^(-1/5), 4 times for three decades.
    assert 2.5 < counts[0] / counts[1] < 6
    assert 2 < counts[1] / counts[2] < 6


@pytest.mark.parametrize("integrator", FIXED, ids=name)
def test_throw_through_the_apex_is_right(integrator):
    """At the apex |v| v has a kink in its second derivative: order 2 is left, but the motion converges all the same."""
    problem = ThrowProblem()
    errors = [problem.error(finish(problem.model(), integrator, problem.t_end / n, problem.t_end)) for n in (200, 1600)]
    assert errors[0] < 0.2  # semi-implicit Euler errs by about h times the change of speed, 0.01 s 20 m/s
    assert errors[1] < errors[0] / 6  # eight times finer: at least order 1


def test_adaptive_pair_takes_back_a_trial_that_leaves_the_domain_of_a_force():
    """A law without a value beyond |x| = 1.5: the first trial over a whole second ends there and is not accepted."""

    def well(t, state, loads):
        x = state.p_WC[1, 0]
        loads.force_W[1, 0] -= 40.0 * x if abs(x) < 1.5 else np.nan

    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=1.0, at=(1.0, 0, 0))
    b.add(gk.Law("well", well))
    sim = finish(b.build(), gk.DormandPrince(), 1.0, 2.0)
    assert sim["p"].position[0] == pytest.approx(np.cos(np.sqrt(40.0) * 2.0), abs=1e-7)
    assert sim.info["rejected"] > 0


def test_a_short_interval_does_not_make_the_adaptive_pair_forget_its_step():
    sim = gk.Simulation(TopProblem().model(), gk.FreeMotion(h=0.5, integrator=gk.DormandPrince()))
    sim.advance(1.0)
    natural = sim._stepper.work.control[0]
    sim.advance(1e-6)
    assert sim._stepper.work.control[0] >= natural


@pytest.mark.parametrize("problem", [SpringProblem(), TopProblem(), DragProblem()], ids=name)
@pytest.mark.parametrize("integrator", [gk.ExplicitEuler(), gk.ImplicitEuler()], ids=name)
def test_eulers_schemes_are_of_order_one(integrator, problem):
    """Fine steps: the next term, of relative size h, is below a thousandth there."""
    assert observed_order(problem, integrator, (3200, 6400, 12800)) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("integrator", "sign"), [(gk.ExplicitEuler(), 1), (gk.ImplicitEuler(), -1)], ids=str)
def test_eulers_schemes_change_the_energy_of_a_spring_by_their_factor(integrator, sign):
    """Of a step  y' = (1 + h A) y  or  (1 - h A) y' = y,  |1 +- i h w|^2 = 1 + h^2 w^2;  round-off of 200 steps."""
    k, m, h, n = 40.0, 2.5, 0.05, 200
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("mass", mass=m, at=(1.3, 0, 0), velocity=(0.4, 0, 0))
    b.add(gk.Spring("spring", "world", "mass", stiffness=k, rest_length=0.0))
    sim = finish(b.build(), integrator, h, n * h)
    x, v = sim["mass"].position[0], sim["mass"].velocity[0]
    grown = (0.5 * m * v**2 + 0.5 * k * x**2) / (0.5 * m * 0.4**2 + 0.5 * k * 1.3**2)
    assert grown == pytest.approx((1 + h**2 * k / m) ** (sign * n), rel=1e-10)
