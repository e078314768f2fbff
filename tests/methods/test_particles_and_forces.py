"""Particles, springs, drag and wrenches against closed forms and balances (I-006, I-007, I-011, I-012, B-08)."""

import numpy as np
import pytest

import gelenk as gk
from exact.ballistic import ballistic
from exact.two_bodies_spring import two_bodies_spring
from methods.scenes import FIXED, INTEGRATORS, SpringProblem, finish, name, tilted


def falling(n=1):
    b = gk.Builder(gravity=(0.5, 0, -9.81))
    for k in range(n):
        b.particle(f"p{k}", mass=0.2 + k, at=(k, 0, 1), velocity=(1, 2 - k, 3))
    return b.build()


@pytest.mark.parametrize("integrator", [i for i in INTEGRATORS if i.kind != "semi_implicit_euler"], ids=name)
def test_particle_under_constant_force_is_exact(integrator):
    """All but semi-implicit Euler reproduce a parabola: only round-off of 100 steps is left (I-012)."""
    sim = finish(falling(), integrator, 0.02, 2.0)
    exact = ballistic(2.0, mass=0.2, f_W=0.2 * np.array([0.5, 0, -9.81]), p_WB0=(0, 0, 1), v_WB0=(1, 2, 3))
    np.testing.assert_allclose(sim["p0"].position, exact[0], rtol=0, atol=100 * 2.2e-16 * 20)
    np.testing.assert_allclose(sim["p0"].velocity, exact[1], rtol=0, atol=100 * 2.2e-16 * 20)


def test_ballistic_step_of_any_length_is_exact():
    """One step of 2 s lands where the closed form does, to the last bits."""
    sim = finish(falling(), gk.Ballistic(), 2.0, 2.0)
    np.testing.assert_allclose(sim["p0"].position, [3.0, 4.0, 1 + 6 - 2 * 9.81], rtol=1e-15)


def test_semi_implicit_euler_errs_by_half_a_step_of_fall():
    """p = p0 + sum h (v0 + k h g) = exact + h t g / 2: known to the digit."""
    h, t = 0.01, 2.0
    sim = finish(falling(), gk.SemiImplicitEuler(), h, t)
    assert sim["p0"].position[2] - (1 + 3 * t - 0.5 * 9.81 * t**2) == pytest.approx(-0.5 * h * t * 9.81, rel=1e-10)


def test_statics_and_the_world_never_move():
    b = gk.Builder()
    b.body("floor", shape=gk.Box((1, 1, 1)), static=True, at=(0, 0, -1))
    b.particle("nail", static=True, at=(0, 0, 1))
    b.particle("bob", mass=1.0, at=(0, 0.3, 0))
    b.add(gk.Spring("a", "nail", "bob", stiffness=50, rest_length=1))
    b.add(gk.Spring("b", "floor", "bob", stiffness=50, rest_length=1))
    b.add(gk.Wrench("push", "floor", force=(1, 2, 3), torque=(1, 0, 0)))
    model = b.build()
    before = model.initial_state()
    sim = finish(model, gk.RungeKutta4(), 1e-3, 1.0)
    for i in (0, model.index("floor"), model.index("nail")):
        assert np.array_equal(sim.state.p_WC[i], before.p_WC[i])
        assert np.array_equal(sim.state.v_WC[i], np.zeros(3))
    assert np.array_equal(sim.state.q_WB, before.q_WB)
    assert not np.array_equal(sim["bob"].position, [0, 0.3, 0])


def test_two_bodies_on_a_spring_follow_the_closed_form():
    problem = SpringProblem()
    run = gk.Simulation(problem.model(), gk.FreeMotion(h=1e-3)).run(5.0, progress=False)
    start = {k: np.array(v) for k, v in problem.start.items()}
    exact = two_bodies_spring(run.time, **problem.data, **start)
    # RK4: (h w)^5 / 120 a step with w = sqrt(k / m_red) = 6.5 rad/s, 5000 steps: 1e-12, round-off alike
    np.testing.assert_allclose(run["a"].position, exact[0], atol=1e-10)
    np.testing.assert_allclose(run["b"].velocity, exact[3], atol=1e-10)


def tumbling_pair(damping=0.0):
    """Two tumbling boxes on two springs between off-centre points: every term of the spring law takes part."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("a", shape=gk.Box((0.2, 0.3, 0.4)), density=500, angular_velocity=(1, 2, -1), rotation=tilted())
    b.body("b", shape=gk.Box((0.3, 0.2, 0.2)), density=800, at=(1, 0, 0.1), velocity=(0, 0.5, 0))
    b.add(
        gk.Spring(
            "s", "a", "b", stiffness=400, rest_length=0.6, damping=damping, at_a=(0.1, 0.15, 0.2), at_b=(-0.15, 0, 0)
        )
    )
    b.add(
        gk.Spring(
            "t", "b", "a", stiffness=300, rest_length=0.7, damping=damping, at_a=(0.1, 0.1, 0), at_b=(0, -0.1, 0.1)
        )
    )
    return b.build()


@pytest.mark.parametrize("integrator", FIXED, ids=name)
def test_springs_between_bodies_keep_energy_and_both_momenta(integrator):
    """Energy and angular momentum err by C h^p; the momentum is a sum of opposite impulses, exact to round-off."""
    drifts = []
    for h in (1e-3, 5e-4):
        run = gk.Simulation(tumbling_pair(), gk.FreeMotion(h=h, integrator=integrator)).run(2.0, progress=False)
        drifts.append(run.drift())
    assert drifts[1]["momentum"] < 1e-13
    for what in ("energy", "angular_momentum"):
        assert drifts[1][what] <= 1.2 * drifts[0][what] * 0.5**integrator.order + 1e-13
    assert drifts[0]["energy"] < 0.05


def test_dampers_only_take_energy_and_keep_momenta():
    run = gk.Simulation(tumbling_pair(damping=3.0), gk.FreeMotion(h=5e-4)).run(3.0, progress=False)
    energy = run.series("energy")
    assert (np.diff(energy) < 1e-9 * energy[0]).all()
    assert energy[-1] < 0.9 * energy[0]
    assert run.drift()["momentum"] < 1e-13
    assert run.drift()["angular_momentum"] < 1e-9


def test_wrench_at_a_point_is_force_and_moment():
    """A force at arm r turns a ball with  w = r x f t / I  while it moves with  f t / m."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("ball", mass=2.0, inertia=(0.5, 0.5, 0.5))
    b.add(gk.Wrench("push", "ball", force=(0, 3, 0), torque=(0.2, 0, 0), at=(0.1, 0, 0), times=(0, 1e-6, 10)))
    sim = finish(b.build(), gk.RungeKutta4(), 1e-4, 1e-3)
    t = sim.time
    np.testing.assert_allclose(sim["ball"].velocity, [0, 1.5 * t, 0], rtol=1e-6)
    np.testing.assert_allclose(sim["ball"].angular_velocity, [0.4 * t, 0, 0.6 * t], rtol=1e-5, atol=1e-9)


def test_body_fixed_thrust_turns_with_the_body():
    """Thrust f along the body's x axis at constant spin w:  v = f/(m w) (sin w t, 1 - cos w t)."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("jet", mass=2.0, inertia=(1, 1, 1), angular_velocity=(0, 0, 3.0))
    b.add(gk.Wrench("thrust", "jet", force=(4, 0, 0), frame="body"))
    sim = finish(b.build(), gk.RungeKutta4(), 1e-3, 1.5)
    w, t = 3.0, 1.5
    expected = 4 / (2 * w) * np.array([np.sin(w * t), 1 - np.cos(w * t), 0])
    np.testing.assert_allclose(sim["jet"].velocity, expected, atol=1e-11)  # (h w)^4 / 120 times 4 / 2 w t


def test_table_of_forces_gives_its_integral():
    """A triangular pulse with corners on steps: momentum is its area, whatever the scheme makes of the slope."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=2.0)
    b.add(gk.Wrench("pulse", "p", force=[(0, 0, 0), (6, 0, 0), (0, 0, 0)], times=(0.1, 0.3, 0.4)))
    sim = finish(b.build(), gk.RungeKutta4(), 0.01, 0.5)
    # RK4 is Simpson's rule here, exact on the linear pieces; corners: one step sees an edge value, h f'/6 at most
    assert sim["p"].velocity[0] == pytest.approx(0.5 * 6 * 0.3 / 2.0, rel=1e-12)


def test_drag_takes_power_half_rho_cda_v_cubed():
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=1.0, velocity=(10, 0, 0))
    b.add(gk.Drag("air", "p", area=0.02, air_density=1.5, wind=(-2, 0, 0)))
    sim = finish(b.build(), gk.RungeKutta4(), 1e-4, 1.0)
    u0, k = 12.0, 0.5 * 1.5 * 0.02
    assert sim["p"].velocity[0] == pytest.approx(u0 / (1 + k * u0) - 2.0, rel=1e-12)


def stiff_pair():
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("a", mass=1e-3)
    b.particle("b", mass=1e-3, at=(1.1, 0, 0))
    b.add(gk.Spring("stiff", "a", "b", stiffness=1e6, rest_length=1))
    return b.build()


@pytest.mark.parametrize("h", [1e-5, 1e-3, 1e-1], ids=lambda h: f"h={h:g}")
def test_implicit_midpoint_keeps_the_energy_of_a_stiff_spring_at_any_step(h):
    """Along its line the energy of a linear spring is quadratic, so the rule keeps it, also at h w = 4500.

    Round-off of 200 steps is left: the stop of the iteration at 1e-15, and a few eps a step.
    """
    sim = gk.Simulation(stiff_pair(), gk.FreeMotion(h=h, integrator=gk.ImplicitMidpoint()))
    before = sim.ledger
    sim.advance(200 * h)
    assert sim.ledger[:2].sum() == pytest.approx(before[:2].sum(), rel=200 * 1e-15)
    assert np.abs(sim.ledger[2:5]).max() < 1e-10


def test_implicit_midpoint_slows_a_frequency_it_does_not_resolve_as_theory_says():
    """One step turns the phase of an oscillator by  2 atan(h w / 2)."""
    h, w = 1e-3, np.sqrt(1e6 / 0.5e-3)
    sim = gk.Simulation(stiff_pair(), gk.FreeMotion(h=h, integrator=gk.ImplicitMidpoint()))
    n = 7
    sim.advance(n * h)
    stretch = sim["b"].position[0] - sim["a"].position[0] - 1.0
    assert stretch == pytest.approx(0.1 * np.cos(2 * n * np.arctan(0.5 * h * w)), abs=1e-8)


def test_a_net_of_stiff_springs_takes_implicit_steps_far_beyond_the_explicit_limit():
    """Twenty masses in a row on springs with h w = 20: solved, momentum kept, energy bounded (it is not quadratic)."""
    b = gk.Builder(gravity=(0, 0, 0))
    for k in range(20):
        b.particle(f"p{k}", mass=0.01, at=(0.1 * k, 0.01 * (-1) ** k, 0), velocity=(0, 0.2 * np.sin(k), 0.1))
    for k in range(19):
        b.add(gk.Spring(f"s{k}", f"p{k}", f"p{k + 1}", stiffness=1e6, rest_length=np.hypot(0.1, 0.02)))
    model = b.build()
    run = gk.Simulation(model, gk.FreeMotion(h=2e-3, integrator=gk.ImplicitMidpoint())).run(0.2, progress=False)
    assert run.drift()["momentum"] < 1e-13
    energy = run.series("energy")
    assert energy.max() < 1.01 * energy[0]  # measured 1.002


def test_implicit_midpoint_says_when_a_step_was_not_solved():
    method = gk.FreeMotion(h=1e-3, integrator=gk.ImplicitMidpoint(iterations=1))
    with pytest.raises(gk.SimulationError, match=r"not solved within the iterations.*smaller h"):
        gk.Simulation(stiff_pair(), method).advance(0.1)
