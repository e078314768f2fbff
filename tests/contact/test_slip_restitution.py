"""Restitution along the tangents, of materials, against closed forms: a spinning ball, a rod aslant (B-28, I-096)."""

import numpy as np
import pytest
from planar_impact import newton

import gelenk as gk

METHODS = [gk.MoreauTree(h=1e-3), gk.RowStepping(h=1e-3), gk.Impulse(h=1e-3)]
M, R, INERTIA = 2.0, 0.1, 0.008
BALLS = [(10.0, 0.6, 0.0), (10.0, 0.6, 0.7), (0.2, 0.6, 0.7), (10.0, 1.0, 1.0), (5.0, 0.0, 0.5)]  # mu, e, e_t


def ball(mu, e, e_t, speed=(1.0, 0.0, -2.0), spin=(0.0, 30.0, 0.0)):
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=mu, restitution=e, slip_restitution=e_t)
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    moments = {"mass": M, "inertia": (INERTIA,) * 3}
    b.body(
        "ball", shape=gk.Sphere(R), at=(0, 0, 0.1013), velocity=speed, angular_velocity=spin, material="m", **moments
    )
    return b.build()


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
@pytest.mark.parametrize(("mu", "e", "e_t"), BALLS)
def test_a_spinning_ball_turns_its_slip_round(method, mu, e, e_t):
    """g_t' = -e_t g_t, or all the friction there is; one point under the centre, so that directions do not couple:

    P_n = m (1 + e) v_n,    P_t = min( (1 + e_t) g_t / (1/m + r^2/I), mu P_n ),    v' = v - P_t/m,  w' = w + r P_t/I
    """
    sim = gk.Simulation(ball(mu, e, e_t), method=method)
    sim.step(3)
    slip = 1.0 - 30.0 * R
    P_t = np.sign(slip) * min((1.0 + e_t) * abs(slip) / (1.0 / M + R * R / INERTIA), mu * M * (1.0 + e) * 2.0)
    np.testing.assert_allclose(sim["ball"].velocity, (1.0 - P_t / M, 0.0, 2.0 * e), rtol=0, atol=1e-9)
    np.testing.assert_allclose(sim["ball"].angular_velocity, (0.0, 30.0 + R * P_t / INERTIA, 0.0), rtol=0, atol=1e-8)
    if e == e_t == 1.0:
        assert sim.info["energy_lost_in_impacts"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
@pytest.mark.parametrize(("mu", "e_t"), [(5.0, 0.5), (0.1, 0.5)])
def test_a_rod_aslant_obeys_both_laws_at_once(method, mu, e_t):
    """Where the arm couples them,  K p = (-(1 + e) g_n, -(1 + e_t) g_t)  within the cone, else all of the friction.

    The closed form of friction alone serves with  (1 + e_t) g_t  in the place of g_t. It meets the ground half a step
    from now, where trees look for contacts.
    """
    e, tilt, half, speed, h = 0.4, 0.6, 0.3, np.array([0.8, 0.0, -1.5]), 1e-4
    m, about = 1.2, 0.05
    arm = half * np.array([np.sin(tilt), 0.0, -np.cos(tilt)])  # from the centre to the lower ball of the rod
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=mu, restitution=e, slip_restitution=e_t)
    b.body("floor", shape=gk.Plane(), static=True, material="m")
    tip = gk.Part(gk.Sphere(1e-3), at=tuple(arm), density=0.0)
    at = (0.0, 0.0, 1e-3 - 0.5 * h * speed[2] - arm[2])
    b.body("rod", shape=tip, mass=m, inertia=(about,) * 3, at=at, velocity=tuple(speed), material="m")
    sim = gk.Simulation(b.build(), method=type(method)(h=h))
    sim.step(1)
    r = arm - [0, 0, 1e-3]
    nn, tt, nt = 1 / m + r[0] ** 2 / about, 1 / m + r[2] ** 2 / about, -r[0] * r[2] / about
    p_n, p_t = newton((nn, nt, tt), (speed[2], (1.0 + e_t) * speed[0]), mu, e)
    after = speed + np.array([p_t, 0.0, p_n]) / m
    np.testing.assert_allclose(sim["rod"].velocity, after, rtol=0, atol=1e-9)
    spin = np.cross(r, [p_t, 0.0, p_n])[1] / about
    assert sim["rod"].angular_velocity[1] == pytest.approx(spin, abs=1e-8)


def test_pairs_combine_it_as_restitution():
    """The smaller one, the product where a method is told so, or what a law of the pair says."""
    from gelenk.model.contact_law import law_table

    b = gk.Builder()
    for name, e_t in (("a", 0.8), ("b", 0.5)):
        b.material(name, slip_restitution=e_t)
    model = b.build()
    table, at = law_table(model)
    assert table[at["a"], at["b"]]["slip_restitution"] == 0.5
    assert law_table(model, product=True)[0][at["a"], at["b"]]["slip_restitution"] == 0.4
    b.contact("a", "b", slip_restitution=0.9)
    assert law_table(b.build())[0][at["b"], at["a"]]["slip_restitution"] == 0.9


def test_laws_that_know_none_refuse_it():
    model = ball(0.5, 0.5, 0.5)
    for law in ("poisson", "stronge"):
        method = gk.RowStepping(contact=gk.ContactOptions(impacts=law))
        with pytest.raises(gk.InputError, match=f"impacts='{law}' with materials that have a slip_restitution"):
            gk.Simulation(model, method=method)
    with pytest.raises(gk.InputError, match="slip_restitution"):
        gk.Builder().material("m", slip_restitution=1.2)
