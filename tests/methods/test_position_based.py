"""Positions moved directly (V-49, I-084): what is kept, what is lost, and how fast it comes near the exact motion."""

from itertools import combinations, pairwise

import numpy as np
import pytest

import gelenk as gk
from exact.chain_statics import spanned_chain
from exact.compound_pendulum import CompoundPendulum, centre, compound_pendulum, pivot_force
from exact.n_pendulum import Link
from gelenk.errors import InputError
from methods.joint_models import longer, slopes

EPS = np.finfo(float).eps
BOB = CompoundPendulum(mass=1.5, arm=0.8, inertia=0.0)
G = 9.81


def rod(name, a, b, **options):
    return gk.Distance(name=name, a=a, b=b, **options)


def pendulum(angle, **options):
    """A particle on a rod to the origin, at rest at an angle."""
    b = gk.Builder()
    b.particle("bob", mass=BOB.mass, at=centre(BOB, angle))
    b.add(rod("rod", "world", "bob", **options))
    return b.build()


def row_of_particles(places, *, mass=0.2, gravity=G, hung=("first", "last")):
    """Particles p0, p1, ... with rods r0, r1, ... between neighbours, the first and the last fixed as asked."""
    b = gk.Builder(gravity=(0, 0, -gravity))
    for k, p in enumerate(places):
        fixed = (k == 0 and "first" in hung) or (k == len(places) - 1 and "last" in hung)
        b.particle(f"p{k}", mass=None if fixed else mass, at=p, static=fixed)
    for k in range(len(places) - 1):
        b.add(rod(f"r{k}", f"p{k}", f"p{k + 1}"))
    return b.build()


def places_of(sim, count):
    return np.array([sim[f"p{k}"].position for k in range(count)])


def lengths(p, pairs):
    return np.array([np.linalg.norm(p[j] - p[i]) for i, j in pairs])


# ---- what is kept ----------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::gelenk.StartWarning")  # velocities that rods change at once are the point here
@pytest.mark.parametrize("iterations", [1, 3, 30])
def test_momentum_of_a_free_net_is_kept_however_few_the_iterations(iterations):
    """Both ends of a rod take the same impulse, so only round-off is left, also a kilometre from the origin.

    A step rounds  v += w p  once for each rod end and sweep: at most  2 rods K steps eps m v,  and far less by chance.
    """
    random, n, steps = np.random.default_rng(5), 8, longer(2000, 100)
    b = gk.Builder(gravity=(0, 0, 0))
    for k in range(n):
        at, v = 1000.0 + random.normal(size=3), random.normal(size=3)
        b.particle(f"p{k}", mass=random.uniform(0.1, 3.0), at=at, velocity=v)
    for i, j in list(combinations(range(n), 2))[::2]:
        b.add(rod(f"r{i}{j}", f"p{i}", f"p{j}"))
    sim = gk.Simulation(b.build(), gk.PositionBased(0.005, iterations=iterations))
    before = sim.ledger[2:5].copy()
    sim.step(steps)
    moved = 3.0 * n  # [N s] bound of sum m v
    assert np.abs(sim.ledger[2:5] - before).max() < np.sqrt(2 * 14 * iterations * steps) * EPS * moved
    assert sim.ledger[0] > 0.01


def test_turning_pair_slows_down_exactly_as_its_recurrence_says():
    """Angular momentum is no invariant: rods pull along where their ends will be, not where they are.

    A pair that turned by the angle a in a step, its velocities along the chord, is predicted at  r + r (1 - cos a)
    outward and  r sin a  across, and taken back to its circle, so it next turns by

        a' = atan2(sin a, 2 - cos a) = a - a^3 + ...

    that is, w' = -h w^3: a share h w of the spin is lost in every radian. Each step rounds a few times.
    """
    h, steps, r, w = 0.01, longer(2000, 100), 0.5, 8.0
    b = gk.Builder(gravity=(0, 0, 0))
    turned = np.arctan2(h * w, 1.0)  # the first step begins with velocities along the tangent
    for name, side in (("a", -1.0), ("b", 1.0)):
        b.particle(name, mass=0.7, at=(side * r, 0, 0), velocity=(0, side * r * w, 0))
    b.add(rod("rod", "a", "b"))
    sim = gk.Simulation(b.build(), gk.PositionBased(h))
    total = turned
    for _ in range(steps - 1):
        turned = np.arctan2(np.sin(turned), 2.0 - np.cos(turned))
        total += turned
    sim.step(steps)
    np.testing.assert_allclose(sim["b"].position, r * np.array([np.cos(total), np.sin(total), 0.0]), atol=1e-11)
    assert sim.ledger[7] == pytest.approx(2 * 0.7 * r * r * np.sin(turned) / h, rel=1e-11)
    late = w / np.sqrt(1 + 2 * h * w * w * h * steps)  # w' = -h w^3
    assert sim.ledger[7] / (2 * 0.7 * r * r) == pytest.approx(late, rel=(h * w) ** 2)


def tetrahedron(spin):
    """Four particles and six rods that turn about an axis of their own in empty space: a rigid body (4.33)."""
    corners = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]) * 0.3
    away, drift = np.array([2, 0, 1]), np.array([0.3, -0.2, 0.1])
    b = gk.Builder(gravity=(0, 0, 0))
    for k, p in enumerate(corners):
        b.particle(f"p{k}", mass=0.5, at=p + away, velocity=np.cross(spin, p) + drift)
    for i, j in combinations(range(4), 2):
        b.add(rod(f"r{i}{j}", f"p{i}", f"p{j}"))
    return b.build()


def spin_momentum(sim):
    """Angular momentum about the centre of four equal particles."""
    p = places_of(sim, 4)
    v = np.array([sim[f"p{k}"].velocity for k in range(4)])
    return 0.5 * np.cross(p - p.mean(axis=0), v).sum(axis=0)


def test_four_particles_and_six_rods_are_a_rigid_body():
    """Lengths to the tolerance; of the spin is lost  h w^2 t,  and its axis turns by less, which vanish with the step.

    All axes of a tetrahedron are alike, so it turns steadily: w(t) = w / sqrt(1 + 2 h w^2 t) as a pair does, up to
    (h w)^2. The axis stays up to (h w)^2 too: rods are corrected one after the other, each as the others left it.
    """
    spin, t_end, edge = np.array([0.0, 0.0, 3.0]), 1.0, 0.6 * np.sqrt(2)
    lost = []
    steps = longer((200, 400, 800), (200, 400))
    for n in steps:
        h = t_end / n
        sim = gk.Simulation(tetrahedron(spin), gk.PositionBased(h, iterations=500, tolerance=1e-12))
        L = spin_momentum(sim)
        sim.advance(t_end)
        assert sim.info["converged"]
        np.testing.assert_allclose(lengths(places_of(sim, 4), combinations(range(4), 2)), edge, atol=2e-12)
        now = spin_momentum(sim)
        assert np.linalg.norm(np.cross(now, L)) < (3 * h) ** 2 * L @ L
        assert np.linalg.norm(now) / np.linalg.norm(L) == pytest.approx(
            (1 + 2 * h * 9.0 * t_end) ** -0.5, abs=(3 * h) ** 2
        )
        lost.append([1 - np.linalg.norm(now) / np.linalg.norm(L)])
    assert slopes(steps, lost) == pytest.approx([1], abs=0.1)


@pytest.mark.parametrize("angle", [0.3, 1.4, 3.1])
def test_energy_of_a_pendulum_is_damped_and_never_fed(angle):
    """Where a rod pulls, every step takes  m |v' - v|^2 / 2  and more; round-off of a step is a few eps of m g l.

    Near the top it pushes, which by itself feeds as much as that in the first order; what is left is a loss too.
    """
    sim = gk.Simulation(pendulum(angle), gk.PositionBased(0.01))
    energy = [sim.ledger[:2].sum()]
    for _ in range(longer(1000, 200)):
        sim.step()
        energy.append(sim.ledger[:2].sum())
    scale = BOB.mass * G * BOB.arm
    assert np.diff(energy).max() < 8 * EPS * scale
    assert energy[-1] < energy[0] - 0.01 * (1 - np.cos(angle)) * scale


def test_small_swings_fade_as_by_the_backward_rule_of_euler():
    """x' = (x + h v) / (1 + h^2 w^2),  a share h w of the energy lost in every radian; up to the angle squared."""
    angle, h, w2 = 1e-4, 0.02, G / BOB.arm
    sim = gk.Simulation(pendulum(angle), gk.PositionBased(h))
    x, v, steps = sim["bob"].position[0], 0.0, 200
    for _ in range(steps):
        x, last = (x + h * v) / (1 + h * h * w2), x
        v = (x - last) / h
    sim.step(steps)
    assert sim["bob"].position[0] == pytest.approx(x, abs=BOB.arm * angle * steps * angle**2)
    assert sim["bob"].velocity[0] == pytest.approx(v, abs=w2**0.5 * BOB.arm * angle * steps * angle**2)


@pytest.mark.parametrize("iterations", [1, 5, 100])
def test_swinging_chain_never_has_more_energy_than_at_its_start(iterations):
    """Also where the iterations do not suffice; it is let go stretched out level."""
    model = row_of_particles([(0.2 * k, 0, 0) for k in range(7)], hung=("first",))
    sim = gk.Simulation(model, gk.PositionBased(0.005, iterations=iterations))
    begin = sim.ledger[:2].sum()
    for _ in range(longer(600, 60)):
        sim.step()
        assert sim.ledger[:2].sum() < begin + 1e-12


def test_fixed_particles_and_bodies_stay_where_they_are():
    b = gk.Builder()
    b.particle("nail", static=True, at=(0, 0, 2))
    b.body("wall", shape=gk.Box((0.2, 1, 1)), static=True, at=(2, 0, 1), rotation=(0.8, 0, 0.6, 0))
    b.frame("hook", "wall", at=(0.1, 0.2, 0.3))
    b.particle("ball", mass=1.0, at=(1, 0, 1))
    b.add(rod("left", "nail", "ball"))
    b.add(rod("right", "hook", "ball"))
    sim = gk.Simulation(b.build(), gk.PositionBased(0.01, iterations=50))
    hook = sim["hook"].position.copy()
    long = [np.linalg.norm(sim["ball"].position - p) for p in ((0, 0, 2), hook)]
    sim.step(50)
    fixed = [sim.model.index(name) for name in ("world", "nail", "wall")]
    begin = sim.model.initial_state()
    np.testing.assert_array_equal(sim.state.p_WC[fixed], begin.p_WC[fixed])
    np.testing.assert_array_equal(sim.state.v_WC[fixed], 0.0)
    np.testing.assert_array_equal(sim.state.q_WB, begin.q_WB)
    now = [np.linalg.norm(sim["ball"].position - p) for p in ((0, 0, 2), hook)]
    np.testing.assert_allclose(now, long, atol=2e-6)  # the tolerance, and what the last rod leaves of the first
    assert np.linalg.norm(sim["ball"].position - (1, 0, 1)) > 0.05


# ---- how near it comes -----------------------------------------------------------------------------------------------


def test_pendulum_converges_with_order_one_to_the_closed_form():
    """Place, velocity and force of the rod, the last as a mean over a step, against Jacobi's functions."""
    angle, t_end = 1.2, 1.0
    exact = compound_pendulum([t_end], BOB, angle, 0.0)
    p, v = centre(BOB, exact.angle)[0], BOB.arm * exact.rate[0]
    steps, errors = (400, 800, 1600), []
    for n in steps:
        sim = gk.Simulation(pendulum(angle), gk.PositionBased(t_end / n))
        sim.advance(t_end)
        force = pivot_force(BOB, exact.angle, exact.rate)[0]
        bob = sim["bob"]
        errors.append(
            [
                np.linalg.norm(bob.position - p),
                abs(np.linalg.norm(bob.velocity) - abs(v)),
                np.linalg.norm(sim["rod"].force - force),
            ]
        )
    assert slopes(steps, errors) == pytest.approx([1, 1, 1], abs=0.15)


def test_it_moves_a_chain_as_the_method_of_order_two_does_when_the_step_is_short():
    """Half the step, half of what is between them: what is left of Impulse itself is a hundredth of that."""
    places = [(0.3 * k, 0.02 * k * k, 0) for k in range(5)]
    model = row_of_particles(places, hung=("first",))
    t_end, apart, steps = 0.4, [], longer((400, 800), (100, 200))
    reference = gk.Simulation(model, gk.Impulse(t_end / steps[-1]))
    reference.advance(t_end)
    for n in steps:
        sim = gk.Simulation(model, gk.PositionBased(t_end / n, iterations=1000, tolerance=1e-10))
        sim.advance(t_end)
        apart.append([np.linalg.norm(places_of(sim, 5) - places_of(reference, 5))])
    assert slopes(steps, apart) == pytest.approx([1], abs=0.15)


def rest_of_a_chain(iterations, h, links=8):
    """A chain between two nails brought to rest, by taking its velocities away in every step, and its exact rest.

    The slowest motion then fades by exp(-h^2 w^2) a step, w^2 about g / 2 m: in 6 / h^2 steps to 1e-13.
    """
    link, end = Link.point(0.2, 0.25), (1.5, 0.0, 0.1)
    exact = spanned_chain([*[link] * (links - 1), Link.point(1e-12, 0.25)], end)
    model = row_of_particles(exact.p_W)
    state = model.initial_state()
    state.v_WC[2:-1] = np.random.default_rng(2).normal(size=(links - 1, 3))  # what moves, away from rest
    sim = gk.Simulation(model, gk.PositionBased(h, iterations=iterations, tolerance=1e-13), state=state)
    sim.step(round(0.2 / h))

    def halt(_, sim):
        sim.state.v_WC[:] = 0.0

    sim.advance(round(6.0 / h**2) * h, control=halt)
    return sim, exact


def stretch_of(sim):
    return np.abs(lengths(places_of(sim, 9), pairwise(range(9))) - 0.25).max()


def test_rods_of_a_hanging_chain_stretch_less_with_more_iterations():
    """What falls by h^2 g in a step is carried up the chain rod by rod, the more of it the more sweeps there are."""
    stretch = [stretch_of(rest_of_a_chain(k, 0.05)[0]) for k in (2, 8, 32, 128)]
    assert all(more > 3 * less for more, less in pairwise(stretch))
    assert stretch[0] < 0.3 * 0.25
    assert stretch[-1] < 1e-6


def test_hanging_chain_comes_to_rest_as_a_catenary_up_to_the_square_of_the_step():
    """Shape and forces. Rods pull along where they would be h^2 g lower, so their rest is off by as much at most."""
    steps, errors = (0.04, 0.02), []
    for h in steps:
        sim, exact = rest_of_a_chain(150, h)
        assert stretch_of(sim) < 1e-7
        force = [sim[f"r{k}"].force for k in range(8)]  # on the lower end of a rod, as at the upper one of the link
        away = np.abs(places_of(sim, 9) - exact.p_W).max()
        assert away < h * h * G
        errors.append([away, np.abs(force - exact.f_W[:8]).max()])
    assert slopes(1.0 / np.array(steps), errors) == pytest.approx([2, 2], abs=0.12)  # h^2 g is a twentieth of a rod


def test_too_few_iterations_are_told():
    model = row_of_particles([(0.1 * k, 0, 0) for k in range(20)], hung=("first",))
    short, long = (gk.Simulation(model, gk.PositionBased(0.01, iterations=k)) for k in (2, 20000))
    for sim in (short, long):
        sim.step(5)
    assert short.info["iterations"] == 2
    assert not short.info["converged"]
    assert short.info["unconverged_steps"] == 5
    assert short.info["position_error"] > 1e-4
    assert short.info["residual"] >= short.info["position_error"] / 0.01
    assert long.info["converged"]
    assert long.info["unconverged_steps"] == 0
    assert long.info["iterations"] < 20000
    assert long.info["position_error"] < 1e-6  # the tolerance
    with pytest.warns(gk.AccuracyWarning, match=r"more iterations than 2 or a step below 0\.01 s"):
        short.run(0.3, progress=False)


# ---- what else it takes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("iterations", [20, 80])
def test_rods_that_yield_are_as_stiff_as_they_say_whatever_the_iterations(iterations):
    """Two masses one below the other on elastic rods: each stretches by the weight below it over its stiffness."""
    b = gk.Builder()
    b.particle("p0", mass=1.0, at=(0, 0, -1))
    b.particle("p1", mass=2.0, at=(0, 0, -2))
    b.add(rod("r0", "world", "p0", hold_stiffness=500.0, hold_damping=40.0))
    b.add(rod("r1", "p0", "p1", hold_stiffness=200.0, hold_damping=40.0))
    sim = gk.Simulation(b.build(), gk.PositionBased(0.01, iterations=iterations, tolerance=1e-12))
    sim.advance(10.0)
    down = [-sim["p0"].position[2] - 1.0, sim["p0"].position[2] - sim["p1"].position[2] - 1.0]
    np.testing.assert_allclose(down, [3 * G / 500, 2 * G / 200], rtol=1e-6)
    np.testing.assert_allclose([sim["r0"].force[2], sim["r1"].force[2]], [3 * G, 2 * G], rtol=1e-6)


def test_elastic_rod_swings_with_the_frequency_and_the_damping_of_the_backward_rule():
    """One row is solved at once: x' = (x + h v) / (1 + h d/m + h^2 k/m), v' = (x' - x) / h,  along a line."""
    m, k, d, h = 0.5, 80.0, 0.3, 0.02
    b = gk.Builder(gravity=(0, 0, 0))
    b.particle("p", mass=m, at=(1.0, 0, 0), velocity=(1.5, 0, 0))
    b.add(rod("r", "world", "p", hold_stiffness=k, hold_damping=d))
    sim = gk.Simulation(b.build(), gk.PositionBased(h))
    x, v = 0.0, 1.5
    for _ in range(50):
        v = (v - h * k / m * x) / (1 + h * d / m + h * h * k / m)
        x += h * v
        sim.step()
    assert sim["p"].position[0] - 1.0 == pytest.approx(x, abs=1e-13)
    assert sim["p"].velocity[0] == pytest.approx(v, abs=1e-12)


def test_rope_is_slack_until_it_is_straight_and_never_pushes():
    b = gk.Builder()
    b.particle("p", mass=0.4, at=(0.1, 0, 0))
    b.add(rod("rope", "world", "p", limits=(0.0, 1.0)))
    sim = gk.Simulation(b.build(), gk.PositionBased(0.01))
    energy, forces = sim.ledger[:2].sum(), []
    for n in range(200):
        sim.step()
        p = sim["p"].position
        if n < 40:  # 0.4 s of fall, 0.79 m: v = -g t, one step ahead of it
            np.testing.assert_allclose(p, [0.1, 0, -G * 1e-4 * (n + 1) * (n + 2) / 2], atol=1e-14)
        assert np.linalg.norm(p) < 1.0 + 4 * EPS
        forces.append(sim["rope"].force @ p)
        now = sim.ledger[:2].sum()
        assert now < energy + 1e-14
        energy = now
    assert max(forces) == 0.0  # it pulls towards the origin or not at all
    assert min(forces) < -0.4 * G


def test_particle_rests_on_a_ball_that_it_may_not_enter():
    """Unilateral contact with a fixed ball: a distance that may not be below its radius."""
    b = gk.Builder()
    b.particle("p", mass=0.4, at=(0, 0, 1.5))
    b.add(rod("ball", "world", "p", limits=(1.0, np.inf)))
    sim = gk.Simulation(b.build(), gk.PositionBased(0.01))
    sim.advance(1.0)
    np.testing.assert_allclose(sim["p"].position, [0, 0, 1], atol=4 * EPS)
    np.testing.assert_allclose(sim["ball"].force, [0, 0, 0.4 * G], rtol=1e-12, atol=1e-12)


def test_ball_that_yields_is_entered_by_the_weight_over_its_stiffness():
    b = gk.Builder()
    b.particle("p", mass=0.4, at=(0, 0, 1.2))
    b.add(rod("ball", "world", "p", limits=(1.0, np.inf), stop_stiffness=300.0, stop_damping=5.0))
    sim = gk.Simulation(b.build(), gk.PositionBased(0.005))
    sim.advance(0.1)
    assert np.all(sim["ball"].force == 0.0)  # it falls for 0.2 s
    sim.advance(5.0)
    assert sim["p"].position[2] == pytest.approx(1.0 - 0.4 * G / 300.0, abs=1e-9)
    assert sim["ball"].force[2] == pytest.approx(0.4 * G, rel=1e-9)


def test_bead_runs_round_a_wire():
    """On a circle as on a rod, apart from what a spline through 64 points misses of it, 4e-7 of the radius, and what
    that does in a second: some w t times as much."""
    angles = 2.0 * np.pi * np.arange(64) / 64
    b = gk.Builder()
    b.particle("bob", mass=BOB.mass, at=centre(BOB, angles[12]))
    b.add(gk.BallOnCurve(name="wire", a="world", b="bob", points=centre(BOB, angles), closed=True))
    method = gk.PositionBased(0.01, iterations=50, tolerance=1e-12)
    bead, bob = (gk.Simulation(model, method) for model in (b.build(), pendulum(angles[12])))
    for _ in range(100):
        bead.step()
        bob.step()
        np.testing.assert_allclose(bead["bob"].position, bob["bob"].position, atol=2e-6)
    assert bob["bob"].position[0] > 0.1  # from -0.74


def test_joints_that_hold_a_particle_to_places_of_the_world():
    """A bead on a slope runs down it with g sin a; one on a plane falls in it alone; a pinned one stays."""
    h, t_end = 0.01, 0.5
    b = gk.Builder()
    slope = gk.unit((3.0, 0.0, -4.0))
    for name in ("bead", "disc", "pinned"):
        b.particle(name, mass=0.3, at=(1, 2, 3))
    b.add(gk.BallOnLine(name="wire", a="world", b="bead", axis=slope))
    b.add(gk.BallOnPlane(name="table", a="world", b="disc", axis=slope))
    b.add(gk.Ball(name="pin", a="world", b="pinned"))
    sim = gk.Simulation(b.build(), gk.PositionBased(h))
    sim.advance(t_end)
    fallen = G * t_end * (t_end + h) / 2  # semi-implicit
    slope = np.array(slope)
    in_plane = np.array([0, 0, -1.0]) - slope * 0.8
    np.testing.assert_allclose(sim["bead"].position, (1, 2, 3) + 0.8 * fallen * slope, atol=1e-13)
    np.testing.assert_allclose(sim["disc"].position, (1, 2, 3) + fallen * in_plane, atol=1e-13)
    np.testing.assert_allclose(sim["pinned"].position, (1, 2, 3), atol=1e-15)
    np.testing.assert_allclose(sim["pin"].force, [0, 0, 0.3 * G], atol=1e-12)


def test_springs_act_as_forces():
    """Semi-implicit Euler: the same numbers as that scheme gives without rods."""
    b = gk.Builder()
    b.particle("p", mass=0.5, at=(0.3, 0, -1))
    b.add(gk.Spring("s", "world", "p", stiffness=30, rest_length=0.8, damping=0.2))
    model = b.build()
    ours, known = gk.PositionBased(0.01), gk.FreeMotion(0.01, integrator=gk.SemiImplicitEuler())
    ends = []
    for method in (ours, known):
        sim = gk.Simulation(model, method)
        sim.step(100)
        ends.append(np.hstack([sim["p"].position, sim["p"].velocity]))
    np.testing.assert_allclose(*ends, atol=1e-13)


def test_overloaded_rod_breaks_and_is_felt_no_more():
    sim = gk.Simulation(pendulum(1.4, break_force=1.5 * BOB.mass * G), gk.PositionBased(0.01))
    sim.advance(2.0)
    assert np.linalg.norm(sim["bob"].position) > 2.0
    assert np.all(sim["rod"].force == 0.0)
    assert sim.info["rows"] == 0


def test_runs_record_restart_and_come_in_any_batches_with_the_same_bits(tmp_path):
    model = row_of_particles([(0.2 * k, 0, 0) for k in range(6)])
    whole, parts = (gk.Simulation(model, gk.PositionBased(0.01, iterations=7)) for _ in range(2))
    whole.step(40)
    for count in (1, 12, 27):
        parts.step(count)
    np.testing.assert_array_equal(whole.state.flat, parts.state.flat)
    path = tmp_path / "net.h5"
    with pytest.warns(gk.AccuracyWarning, match="more iterations than 7"):
        gk.Simulation(model, whole.method).run(0.25, file=path, progress=False, output_dt=0.05, peaks=True)
    run = gk.load_run(path)
    assert 1e-3 < run.accuracy.distance < 1e-2
    assert np.all(np.linalg.norm(run["r2"].force_peak[1:], axis=1) >= np.linalg.norm(run["r2"].force_mean[1:], axis=1))
    assert run["r2"].force.shape == (6, 3)
    assert "PositionBased(h=0.01, iterations=7" in run.attributes["method"]
    later = gk.Simulation(model, whole.method, state=run.last_state[1], time=0.25)
    later.step(15)
    np.testing.assert_array_equal(later.state.flat, whole.state.flat)


# ---- what it refuses -------------------------------------------------------------------------------------------------


def test_bodies_that_move_are_refused_by_name():
    b = gk.Builder()
    b.body("floor", shape=gk.Plane(), static=True)
    b.body("crate", shape=gk.Box((1, 1, 1)), density=100.0, at=(0, 0, 3))
    b.particle("p", mass=1.0)
    with pytest.raises(InputError, match=r"(?s)PositionBased.*'crate'.*particles.*gk\.RowStepping\(\)"):
        gk.Simulation(b.build(), gk.PositionBased())


@pytest.mark.parametrize(
    ("element", "label"),
    [
        (gk.Grab(name="hand", body="bob", force_max=3.0), "hand"),
        (gk.DirectControl(name="hand", body="bob"), "hand"),
        (gk.ForceMotor(name="winch", on="rope.length", force=3.0), "winch"),
        (gk.VelocityMotor(name="winch", on="rope.length", speed=1.0, force_max=9.0), "winch"),
        (rod("blocked", "world", "bob", limits=(0.1, 2.0), blocked=True), "lock of .*blocked"),
    ],
    ids=lambda x: getattr(x, "kind", ""),
)
def test_drives_and_locks_are_refused_by_name(element, label):
    b = gk.Builder.from_model(pendulum(0.4))
    b.add(rod("rope", "world", "bob", limits=(0.1, 2.0)))
    b.add(element)
    with pytest.raises(InputError, match=rf"(?s)PositionBased.*{label}.*gk\.RowStepping\(\)"):
        gk.Simulation(b.build(), gk.PositionBased())


@pytest.mark.parametrize(
    ("options", "message"),
    [({"h": 0.0}, "h is"), ({"iterations": 0}, "iterations is 0"), ({"tolerance": -1.0}, "tolerance is")],
    ids=str,
)
def test_options_are_checked(options, message):
    with pytest.raises(InputError, match=message):
        gk.PositionBased(**options)


def test_contacts_and_events_are_those_of_other_methods():
    sim = gk.Simulation(pendulum(0.3), gk.PositionBased())
    assert sim.contacts == []
    with pytest.raises(InputError, match="a method with contact"):
        sim.subscribe(print)
