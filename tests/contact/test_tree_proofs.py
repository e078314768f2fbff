"""Non-smooth proofs of trees: impacts with friction by the equations of impulses, slip with a grain, no energy from
nowhere, reactions that turn, and the order that is due (B-25, B-28..B-32, V-50, V-84, T-53)."""

import numpy as np
import planar_impact
import pytest

import gelenk as gk
from exact.compound_pendulum import across, down
from exact.n_pendulum import Link, mass_matrix, reach
from gelenk.bench.reference import CASES, errors_of

G = 9.81
METHODS = [gk.MoreauTree, gk.RowStepping, gk.Impulse]


# ---- impacts of a double pendulum ------------------------------------------------------------------------------------

LINKS = [Link.rod(1.0, 0.6), Link.rod(0.7, 0.5)]
RADIUS = 0.01


def falling_arm(angle, rate, friction, restitution, gap):
    """Two rods on hinges over a plane without gravity, the end of the second a little ball that is to meet it."""
    C = reach(LINKS)
    p, v = C @ down(angle), C @ (np.asarray(rate)[:, None] * across(angle))
    lengths = np.array([link.length for link in LINKS])
    tip = lengths @ down(angle)
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("m", friction=friction, restitution=restitution)
    b.body("ground", shape=gk.Plane(), static=True, at=(0, 0, tip[2] - RADIUS - gap), material="m")
    hinge, above = np.zeros(3), "world"
    for k, link in enumerate(LINKS):
        ball = gk.Part(gk.Sphere(RADIUS), at=(0, 0, -0.5 * link.length), density=0.0) if k == 1 else None
        moments = {"mass": link.mass, "inertia": (link.inertia,) * 3}
        turn = (np.cos(0.5 * angle[k]), 0, np.sin(0.5 * angle[k]), 0)
        motion = {"at": p[k], "rotation": turn, "velocity": v[k], "angular_velocity": (0, rate[k], 0)}
        b.body(f"link{k}", **moments, **motion, **({"shape": ball, "material": "m"} if ball else {}))
        b.add(gk.Hinge(name=f"hinge{k}", a=above, b=f"link{k}", at=hinge, axis=(0, 1, 0)))
        hinge, above = hinge + link.length * down(angle[k]), f"link{k}"
    return b.build()


def rates_after(angle, rate, friction, restitution):
    """Rates after the impact:  M (w' - w) = J^T p,  u = J w,  with p by Newton's law and Coulomb's."""
    J = np.array([link.length * across(a) for link, a in zip(LINKS, angle)]).T[[2, 0]]
    J[1, 1] -= RADIUS  # the point of contact lies below the middle of the ball, which turns
    inverse = np.linalg.inv(mass_matrix(LINKS, angle))
    K, u = J @ inverse @ J.T, J @ rate
    p = planar_impact.newton((K[0, 0], K[0, 1], K[1, 1]), tuple(u), friction, restitution)
    slips = abs(p[1]) > 0.999 * friction * p[0]
    return u, rate + inverse @ J.T @ np.array(p), slips


IMPACTS = [
    ((0.3, 0.9), (-1.0, -2.5), 0.2, 0.5),
    ((0.3, 0.9), (-1.0, -2.5), 1.5, 0.5),
    ((-0.4, 0.5), (3.0, -1.0), 0.3, 0.0),
    ((-0.4, 0.5), (1.5, -4.0), 0.8, 0.9),
    ((0.6, -0.7), (-2.0, 2.0), 0.1, 0.7),
    ((0.6, -0.7), (-2.0, 2.0), 1.0, 0.3),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
@pytest.mark.parametrize(("angle", "rate", "friction", "restitution"), IMPACTS)
def test_an_arm_hits_the_ground_as_the_equations_of_impulses_say(angle, rate, friction, restitution, method):
    """Inertia forces change rates of up to 4 rad/s by w^2 h in each of the two steps that it takes, 3e-4; Impulse
    closes joints to 1e-9 m in a step, 1e-4 m/s."""
    h = 1e-5
    u, exact, _ = rates_after(angle, np.array(rate), friction, restitution)
    assert u[0] < -0.1
    model = falling_arm(angle, rate, friction, restitution, gap=0.25 * h * -u[0])
    sim = gk.Simulation(model, method(h=h, contact=gk.ContactOptions()))
    sim.step(2)
    seen = [sim[f"link{k}"].angular_velocity[1] for k in range(2)]
    np.testing.assert_allclose(seen, exact, rtol=0, atol=4e-4)


def test_impacts_above_stick_and_slip():
    assert {rates_after(a, np.array(w), mu, e)[2] for a, w, mu, e in IMPACTS} == {True, False}


# ---- slip with a grain -----------------------------------------------------------------------------------------------


def test_slip_askew_of_a_grain_decays_along_its_curve():
    """By the law of the ellipse  u_x' / u_y' = (a / b)^2 u_x / u_y,  so on the whole way

        u_x / u_x0 = (u_y / u_y0)^((a / b)^2)

    to order 1, h b g / u at u_y = 1/4; and no turn about the normal. Time is that of  u' = -g ... integrated along it.
    """
    a, b, h = 0.3, 0.6, 5e-4
    builder = gk.Builder()
    builder.material("wood", friction=a, friction_across=b, grain=(1, 0, 0))
    builder.body("ground", shape=gk.Plane(), static=True)
    start = {"velocity": (2.0, 2.0, 0), "material": "wood"}
    builder.body("block", shape=gk.Box((0.3, 0.3, 0.01)), density=500, at=(0, 0, 0.005), **start)
    sim, seen = gk.Simulation(builder.build(), gk.MoreauTree(h=h)), []
    while sim["block"].velocity[1] > 0.25:
        sim.step(20)
        seen.append(sim["block"].velocity[:2].copy())
    x, y = np.array(seen).T / 2.0
    np.testing.assert_allclose(x, y ** (a / b) ** 2, rtol=h * b * G / 0.25)
    # t = integral of  du_y / (g b^2 u_y / sqrt(a^2 u_x^2 + b^2 u_y^2))  from u_y to u_y0
    r = np.linspace(y[-1], 1.0, 20001)
    rate = G * b * b * r / np.hypot(a * r ** (a / b) ** 2, b * r)
    assert sim.time == pytest.approx(2.0 * np.trapezoid(1.0 / rate, r), abs=2 * h)
    assert abs(sim["block"].angular_velocity[2]) < 1e-9


# ---- energy ----------------------------------------------------------------------------------------------------------


def small_tree(seed, friction, restitution):
    """Three or four boxes and capsules on hinges and balls, thrown over a plane."""
    rng = np.random.default_rng(seed)
    b = gk.Builder()
    b.material("m", friction=friction, restitution=restitution)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    drift = rng.normal(size=3)
    for k in range(int(rng.integers(3, 5))):
        shape = gk.Box((0.3, 0.1, 0.08)) if rng.random() < 0.5 else gk.Sphere(0.08)
        b.body(f"b{k}", shape=shape, density=500, at=(0.4 * k, 0, 0.4), velocity=drift, material="m")
        if k > 0:
            kind, where = (gk.Ball, {}) if rng.random() < 0.5 else (gk.Hinge, {"axis": gk.unit(rng.normal(size=3))})
            b.add(kind(name=f"j{k}", a=f"b{k - 1}", b=f"b{k}", at=(0.4 * k - 0.2, 0, 0.4), **where))
    return b.build()


def gain(seed, friction, restitution, h, order=2):
    """Largest rise of the energy in 0.8 s, over that of the start above the ground."""
    sim = gk.Simulation(small_tree(seed, friction, restitution), gk.MoreauTree(h=h, order=order))
    energy = [sim.ledger[:2].sum()]
    for _ in range(40):
        sim.advance(0.02)
        energy.append(sim.ledger[:2].sum())
    assert sim.info["impacts"] > 0 or restitution == 0.0
    assert sim.info["energy_fed_in_impacts"] < 1e-9 * energy[0]
    return np.max(energy - np.minimum.accumulate(energy)) / energy[0]


@pytest.mark.parametrize(("friction", "restitution"), [(0.0, 0.6), (0.7, 0.0)])
def test_dropped_trees_never_gain_energy(friction, restitution):
    """Newton's law without friction, and friction without restitution, only take; what the steps err is below 1e-3."""
    assert max(gain(seed, friction, restitution, 5e-4) for seed in range(12)) < 1e-3


@pytest.mark.parametrize("order", [1, 2])
def test_what_elastic_trees_gain_falls_with_the_order_that_is_asked_for(order):
    """Impacts happen where and when they are due and forces change with them, so that what is gained is what flights
    gain: h^order. Single drops scatter, so it is seen in the sum of twelve, to a factor of two for an eighth of h."""
    coarse, fine = (sum(gain(seed, 0.0, 1.0, h, order) for seed in range(12)) for h in (1e-3, 1.25e-4))
    assert fine < 2.0 / 8.0**order * coarse
    if order == 2:
        assert coarse < 0.05  # of twelve; they turn at up to 80 rad/s


# ---- reactions -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.kind)
def test_reactions_of_an_unbalanced_rotor_turn_with_it(method, back):
    """Spin w about a slanting axis n through A, free of weight: constant, and on the rotor at A

        f = m w^2 n x (n x r),    T = w^2 n x I_A n        r from A to the centre, both as they are in the step's middle

    in world axes; on the world, as the second body, the opposite. Forces are of order 1 at least: h w.
    """
    n, w, h, t = np.array([1.0, 2.0, 2.0]) / 3.0, 5.0, 2e-4, 0.3
    inertia, mass, at = np.array([0.02, 0.05, 0.06]), 1.5, np.array([0.3, -0.1, 0.2])
    turn = np.array([0.8, 0.2, -0.4, 0.4]) / np.linalg.norm([0.8, 0.2, -0.4, 0.4])
    b = gk.Builder(gravity=(0, 0, 0))
    motion = {"at": at, "rotation": turn, "velocity": w * np.cross(n, at), "angular_velocity": w * n}
    b.body("rotor", mass=mass, inertia=inertia, **motion)
    first, second = ("rotor", "world") if back else ("world", "rotor")
    b.add(gk.Hinge(name="axle", a=first, b=second, at=(0, 0, 0), axis=n))
    sim = gk.Simulation(b.build(), method(h=h))
    sim.advance(t)
    angle = w * (t - 0.5 * h)
    N = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    R = np.eye(3) + np.sin(angle) * N + (1 - np.cos(angle)) * N @ N
    r = R @ at
    start = gk.math.rotation.rotation_matrix(turn)
    I_A = R @ start @ np.diag(inertia) @ start.T @ R.T + mass * (r @ r * np.eye(3) - np.outer(r, r))
    force, couple = mass * w**2 * np.cross(n, np.cross(n, r)), w**2 * np.cross(n, I_A @ n)
    sign = -1.0 if back else 1.0
    np.testing.assert_allclose(sim.sensors["axle.force"], sign * force, rtol=0, atol=3 * h * w * np.abs(force).max())
    np.testing.assert_allclose(sim.sensors["axle.torque"], sign * couple, rtol=0, atol=3 * h * w * np.abs(couple).max())


# ---- order -----------------------------------------------------------------------------------------------------------


def slope(counts, errors):
    return -np.polyfit(np.log(counts), np.log(errors), 1)[0]


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
@pytest.mark.parametrize("order", [1, 2])
def test_a_loop_has_the_order_that_is_asked_for(name, order):
    """Inertia forces depend on velocities, so Moreau's own rule has order 1."""
    case, counts = CASES[name], (40, 80, 160)
    truth, model = case.places(case.times), case.model()
    errors = [
        errors_of(case, gk.MoreauTree(h=case.t_end / 8 / n, order=order, cut="auto"), truth, model).max()
        for n in counts
    ]
    assert slope(counts, errors) == pytest.approx(order, abs=0.1)


@pytest.mark.parametrize("order", [1, 2, 4])
def test_forces_that_depend_on_velocities_have_the_order_that_is_asked_for(order):
    """A sled against drag,  v' = -k v^2,  x = log(1 + k v0 t) / k."""
    mass, speed, area, t, counts = 2.0, 8.0, 0.5, 1.0, (20, 40, 80)
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("sled", mass=mass, inertia=(1, 1, 1), velocity=(speed, 0, 0))
    b.add(gk.Slider(name="rail", a="world", b="sled", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.Drag("air", "sled", area=area, air_density=1.2))
    model, k, errors = b.build(), 0.5 * 1.2 * area / mass, []
    for n in counts:
        sim = gk.Simulation(model, gk.MoreauTree(h=t / n, order=order))
        sim.step(n)
        errors.append(abs(sim["sled"].position[0] - np.log(1 + k * speed * t) / k))
    assert slope(counts, errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("order", [1, 2])
def test_a_ball_is_exact_across_its_impacts(order):
    """Its flights are parabolas, and impacts have the times of these: round-off of some hundred steps."""
    case = CASES["bouncing ball"]
    truth, model = case.places(case.times), case.model()
    for n in (20, 80, 320):
        assert errors_of(case, gk.MoreauTree(h=case.t_end / 8 / n, order=order), truth, model).max() < 1e-11
