"""The sled on flat ice, on a slope, against a wall, on its side and in a turn (B-55, B-57, B-58, B-60)."""

import math
from contextlib import nullcontext

import numpy as np
import pytest
from scipy.optimize import fsolve

import gelenk as gk
from gelenk import compile as compiler
from gelenk.contact.warning import ContactWarning
from gelenk.math.rotation import rotation_matrix
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import Stance, add_sled
from gelenk.worlds.bobsleigh.touch import add_touch, runner_friction

MASS, G, H = 390.0, 9.81, 2e-4
TIGHT = gk.MoreauTree(h=H, order=1, relative=1e-10, absolute=1e-12, sweeps=2000)
needs_speed = pytest.mark.skipif(not compiler.ENABLED, reason="many thousand steps")


def on_ice(slope=0.0, setup=None, *, up=None, at=(0.0, 0.0, 0.0), walls=(), velocity=None):
    """A sled on a plane that falls by a slope along +x; walls are (name, origin, normal), ``up`` tips it over."""
    setup = setup or Setup()
    a = math.atan(slope)
    forward, n = (math.cos(a), 0.0, -math.sin(a)), (math.sin(a), 0.0, math.cos(a))
    b = gk.Builder()
    b.body("ice", shape=gk.Part(gk.Plane(), collide=False), static=True, rotation=turn_to(n))
    add_sled(b, setup, Stance.on(at, forward, n if up is None else up))
    if velocity is not None:
        for name in [name for name, body in b.named("body").items() if not body.static]:
            b.change(name, kind="body", velocity=velocity)
    add_touch(b, setup, "ice")
    for name, origin, normal in walls:
        b.body(name, shape=gk.Part(gk.Plane(), collide=False), static=True, at=origin, rotation=turn_to(normal))
        add_touch(b, setup, name)
    return b.build(), np.array(forward), np.array(n)


def go_to(sim, time):
    """Whole steps up to a time."""
    sim.step(round((time - sim.time) / sim.method.h))


def turn_to(n):
    """Quaternion that takes z to n by the shortest way."""
    w = math.sqrt(0.5 * (1.0 + n[2]))
    return (w, -n[1] / (2.0 * w), n[0] / (2.0 * w), 0.0)


def test_it_has_seventeen_points():
    """8 of runners with an axis, 4 of bumpers with restitution, 5 of the rim."""
    model, *_ = on_ice()
    touch = [f for f in model.forces if isinstance(f, gk.SegmentContacts)]
    points = {f.name: len(f.points) for f in touch}
    assert sum(points.values()) == 17
    runners = [f for f in touch if isinstance(f.friction, gk.RunnerFriction)]
    assert sum(len(f.points) for f in runners) == 8
    assert {f.restitution for f in touch if "bumper" in f.name} == {0.05}
    assert {f.friction for f in touch if "rim" in f.name} == {0.1}


def test_on_a_slope_its_runners_carry_it_and_brake_by_mu():
    """Bobsleigh 9.6 c: eight contacts, N = m g cos, friction along = mu_t N; N to what the springs still swing."""
    model, forward, n = on_ice(0.1)
    sim = gk.Simulation(model, method=TIGHT)
    go_to(sim, 1.5 if compiler.ENABLED else 0.01)
    force = [c.force for c in sim.contacts]
    assert len(force) == 8
    normal = sum(f @ n for f in force)
    along = sum(f @ forward for f in force)
    assert normal == pytest.approx(MASS * G / math.sqrt(1.01), rel=1e-9 if compiler.ENABLED else 0.02)
    assert along == pytest.approx(-0.004 * normal, rel=1e-9 if compiler.ENABLED else 1e-5)
    assert sim.info["segments_lost"] == 0
    assert sim.info["unconverged_steps"] == 0


@needs_speed
def test_sweeps_are_few_at_the_tolerances_of_the_source():
    """1e-6 and 1e-4 N s: 1.2 sweeps a step are named (bobsleigh 9.6 c)."""
    model, *_ = on_ice(0.1)
    sim = gk.Simulation(model, method=gk.MoreauTree(h=H, relative=1e-6, absolute=1e-4))
    go_to(sim, 1.0)
    assert sim.info["contact_sweeps"] / 5000 < 1.5


@needs_speed
def test_springs_of_runners_and_crew_swing_and_die_out():
    """The sway of the crew begins with 1 rad/s and dies out, as do all runners (B-55)."""
    model, *_ = on_ice(setup=Setup(start_speed=0.0))
    b = gk.Builder.from_model(model)
    b.change("crew", kind="body", angular_velocity=(1.0, 0.0, 0.0))
    sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=H, relative=1e-8, absolute=1e-8))
    go_to(sim, 0.02)
    assert abs(sim["sway"].rate) > 0.1
    swung = abs(sim["sway"].angle)
    assert swung > 0.005
    go_to(sim, 2.0)
    for joint in ("sway", "rear left", "rear right", "front left", "front right"):
        assert abs(sim[joint].rate) < 1e-5
    assert abs(sim["sway"].angle) < 0.02 * swung


@needs_speed
def test_lateral_slip_dies_out_as_the_closed_form_says():
    """A point with the law of the runners, integrated finely, loses its slip as the sled does.

    mu_b does not depend on the load here; the sled also rolls and yaws a little, and its runners then lie otherwise.
    """
    setup = Setup(friction_across_min=0.05, friction_across_max=0.05, drag_area=0.0)
    speed, slip, dt = 20.0, 0.3, 1e-4
    model, *_ = on_ice(setup=setup, velocity=(speed, slip, 0.0))
    law = gk.RunnerFriction(across_min=0.05, across_max=0.05)
    sim = gk.Simulation(model, method=gk.MoreauTree(h=H))
    mass, v = model.system.masses.mass, np.array([speed, slip])
    for t in (0.1, 0.2, 0.4):
        steps = round((t - sim.time) / dt)
        for _ in range(steps):
            v = v + dt * G * np.array(law.sliding(*v, 1.0))
        go_to(sim, t)
        assert float(mass @ sim.state.v_WC[:, 1]) / MASS == pytest.approx(v[1], abs=0.05 * slip)


@needs_speed
def test_a_bumper_springs_back_by_its_restitution_and_the_hull_turns_back():
    """A sled that heads 5 degrees into a wall: the front bumper leaves with 0.05 of its speed (bobsleigh 6.3).

    Springs and friction change the speed of that point by h a in the step of the hit, below 0.02 m/s at 10 us.
    """
    a, h = math.radians(-5.0), 1e-5
    b = gk.Builder()
    b.body("ice", shape=gk.Part(gk.Plane(), collide=False), static=True)
    forward = np.array((math.cos(a), math.sin(a), 0.0))
    add_sled(b, Setup(start_speed=15.0), Stance.on((0.0, 0.0, 0.0), forward))
    add_touch(b, Setup(), "ice")
    wall = (0.0, -0.65, 0.0)
    b.body("wall", shape=gk.Part(gk.Plane(), collide=False), static=True, at=wall, rotation=turn_to((0.0, 1.0, 0.0)))
    add_touch(b, Setup(), "wall")
    model = b.build()
    sim = gk.Simulation(model, method=gk.MoreauTree(h=h))
    while not sim.impacts:
        sim.step()
    (hit,) = sim.impacts
    assert (hit.a, hit.b) == ("wall", "front hull")
    k = model.index("front hull")
    w = sim["front hull"].angular_velocity
    v = sim.state.v_WC[k] + np.cross(w, hit.point - sim.state.p_WC[k])
    assert 0.5 < hit.speed < 15.0 * math.sin(-a) + 0.2
    assert v[1] == pytest.approx(0.05 * hit.speed, abs=0.02)
    yaw = sim["rear hull"].angular_velocity[2]
    assert yaw > 0.1  # left, back into the direction of the wall
    speed = np.linalg.norm(sim["rear hull"].velocity)
    go_to(sim, sim.time + 0.05)
    assert np.linalg.norm(sim["rear hull"].velocity) < speed + 0.1
    assert sim.info["segments_lost"] == 0


@needs_speed
def test_a_sled_that_has_tipped_over_goes_on_sliding():
    """It lies on three points of its rim, and slides by Coulomb's law with 0.1 there (B-58, bobsleigh 6.10).

    All five points are on the rear hull. Later the nose dives, sideways to its segments and where it has no points
    that face down, which is told: it is in the ice, and no longer to be believed.
    """
    out = np.cross((-0.33, 0.13, -0.6), (0.0, 0.0, -1.1))  # of the plane through middle and one side
    x, y, _ = -out / np.linalg.norm(out)
    setup = Setup(start_speed=20.0, drag_area=0.0)
    height = 0.33 * x + 0.62 * y
    model, *_ = on_ice(setup=setup, up=(0.0, x, -y), at=(0.0, 0.0, height + 1e-4))
    sim = gk.Simulation(model, method=gk.MoreauTree(h=H))
    mass, velocity = model.system.masses.mass, []
    for t in (0.1, 0.4, 2.0):
        with pytest.warns(ContactWarning, match="gone through") if t == 2.0 else nullcontext():
            go_to(sim, t)
        velocity.append(mass @ sim.state.v_WC / MASS)
        assert (sim.info["segments_lost"] > 0) == (t == 2.0)
        assert t == 2.0 or {c.b for c in sim.contacts} <= {"rear hull"}
    fall = velocity[1][2] - velocity[0][2]
    assert velocity[0][0] - velocity[1][0] == pytest.approx(0.1 * (0.3 * G + fall), rel=0.02)  # it turns a little
    assert velocity[2][0] > 15.0
    assert np.isfinite(sim.state.flat).all()


def steered(setup, speed, angle_deg, time):
    """Yaw rate after steering to an angle at once and so long."""
    model, *_ = on_ice(setup=setup, velocity=(speed, 0.0, 0.0))
    sim = gk.Simulation(model, method=gk.MoreauTree(h=H))
    go_to(sim, 0.1)
    sim.inputs["wheel.position"] = math.radians(angle_deg)
    go_to(sim, time)
    return sim["rear hull"].angular_velocity[2], sim


def planar_turn(model, law, speed, angle):
    """Steady yaw rate of a plate on eight runners whose front axle is turned: side force m v w, no couple.

    Loads are those of standing still; forces are the closed form of sliding at every point.
    """
    mass, start = model.system.masses.mass, model.initial_state()
    centre = float(mass @ start.p_WC[:, 0]) / MASS
    share = centre / 1.69
    points = []
    for axle, turn, load in ((0.0, 0.0, 1.0 - share), (1.69, angle, share)):
        c, s = math.cos(turn), math.sin(turn)
        for y in (0.335, -0.335):
            for x in (0.25, -0.25):
                points.append((axle + c * x - s * y - centre, s * x + c * y, turn, 0.25 * load * MASS * G))

    def unbalanced(u):
        side, couple = -MASS * speed * u[1], 0.0
        for x, y, turn, load in points:
            c, s = math.cos(turn), math.sin(turn)
            v_x, v_y = speed - u[1] * y, u[0] + u[1] * x
            f_t, f_b = law.sliding(c * v_x + s * v_y, c * v_y - s * v_x, load)
            f_x, f_y = c * f_t - s * f_b, s * f_t + c * f_b
            side, couple = side + f_y, couple + x * f_y - y * f_x
        return side, couple

    return fsolve(unbalanced, (0.0, speed * math.tan(angle) / 1.69))[1]


@needs_speed
def test_with_full_grip_it_follows_the_circle_of_a_bicycle_but_for_slip():
    """R = L / tan(beta) at 3 m/s, where 2 degrees need a fifth of the grip, and 9 % less by what slip there is:

    runners of two points 0.5 m apart do not like to turn. A plate with the same friction says how much; it neither
    rolls nor yields, and loads do not shift (0.02 g at 0.3 m above 0.67 m), hence 2 %.
    """
    grip = Setup(full_load=10.0, drag_area=0.0)
    rate, sim = steered(grip, 3.0, 2.0, 1.5)
    speed, angle = np.linalg.norm(sim["rear hull"].velocity), math.radians(2.0)
    assert rate == pytest.approx(speed * math.tan(angle) / 1.69, rel=0.12)  # positive is to the left
    assert rate == pytest.approx(planar_turn(sim.model, runner_friction(grip), speed, angle), rel=0.02)
    right, _ = steered(grip, 3.0, -2.0, 1.5)
    assert right == pytest.approx(-rate, rel=1e-6)


@needs_speed
def test_contacts_of_the_front_turn_the_steering():
    """i of the driven hinge: the moment about its axis of all contacts of both front runners (B-32).

    Forces act at the middle of the step, where axis and anchor are half a step back; the mean holds over many steps.
    """
    sim = steered(Setup(drag_area=0.0), 10.0, 3.0, 0.2)[1]
    sim.contact_loads()
    sim.step()
    loads, model = sim.contact_loads(), sim.model
    k = model.index("steering head")
    anchor = sim.state.p_WC[k] - 0.5 * H * sim.state.v_WC[k]  # its centre of mass lies in the axis
    up = rotation_matrix(sim.state.q_WB[k])[:, 1]
    front = [c for c in sim.contacts if c.b.startswith("front runner")]
    moments = [up @ np.cross(c.point - anchor, c.force) for c in front]
    size = sum(map(abs, moments))
    assert size > 1.0
    assert loads["steering.angle"] == pytest.approx(sum(moments), abs=1e-3 * size)  # the axis turns in half a step


@needs_speed
def test_without_load_it_hardly_steers():
    """mu_b at its minimum against its maximum, 4 degrees at 10 m/s: clearly weaker (bobsleigh 6.4)."""
    light, _ = steered(Setup(full_load=1e6, drag_area=0.0), 10.0, 4.0, 0.5)
    loaded, _ = steered(Setup(full_load=10.0, drag_area=0.0), 10.0, 4.0, 0.5)
    assert 0.0 < light < 0.5 * loaded


@needs_speed
def test_energy_is_lost_to_friction_drag_and_dampers_alone():
    """Over 0.5 s with slip, every step: E' - E = friction + drag + damping, each power at the mean velocity.

    What is missing is of the order of h: the work of springs and gravity over a step against the rise of their energy.
    """
    setup = Setup()
    missing = []
    for h in (2e-4, 1e-4):
        model, *_ = on_ice(0.1, setup=setup, velocity=(20.0, 0.5, -2.0))
        sim = gk.Simulation(model, method=gk.MoreauTree(h=h))
        go_to(sim, 0.05)
        start, lost, index = energy(sim), 0.0, model.index
        hull = index("rear hull")
        old_v, old_w = sim.state.v_WC.copy(), {k: sim[n].angular_velocity for k, n in enumerate(model.nodes.names) if k}
        for _ in range(round(0.3 / h)):
            sim.step()
            w = {k: sim[n].angular_velocity for k, n in enumerate(model.nodes.names) if k}
            for c in sim.contacts:
                k = index(c.b)
                r = c.point - sim.state.p_WC[k]
                mean_v = 0.5 * (old_v[k] + sim.state.v_WC[k])
                lost -= h * c.force @ (mean_v + np.cross(0.5 * (old_w[k] + w[k]), r))
            v = 0.5 * (old_v[hull] + sim.state.v_WC[hull])
            lost += h * 0.5 * 1.12 * 0.2052 * np.linalg.norm(v) ** 3
            for joint, d in DAMPERS.items():
                lost += h * d * sim[joint].rate ** 2
            old_v, old_w = sim.state.v_WC.copy(), w
        missing.append(abs(start - energy(sim) - lost) / lost)
    assert missing[0] < 0.01
    assert missing[1] < 0.6 * missing[0] + 1e-4


def energy(sim):
    """Kinetic and potential energy, that of springs in joints included [J]."""
    return float(sum(sim.ledger[:2]))


DAMPERS = {"middle": 60.0, "pendulum": 60.0, "sway": 400.0} | {
    f"{end} {side}": 20.0 for end in ("rear", "front") for side in ("left", "right")
}
