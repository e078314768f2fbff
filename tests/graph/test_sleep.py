"""Clusters that rest are frozen, and wake as if they had never slept (V-97, V-100, virtual-worlds 4.10).

Two runs are compared, one with and one without sleeping. A cluster falls asleep with velocities v at most, so runs can
differ from then on by no more than v, and by what their motion makes of it later: the towers here rest to 1e-9 m/s.
Contacts are solved to 1e-11 m/s, so that the impulses to start from do not show.
"""

import numpy as np
import pytest

import gelenk as gk

H = 1 / 240
SIZE = 0.1


def method(sleep=True, **options):
    exact = {"tolerance": 1e-11, "sweeps": 3000}
    return gk.RowStepping(h=H, contact=gk.ContactOptions(sleep=sleep, **exact, **options))


def scene(places, *, restitution=0.0, gravity=(0, 0, -9.81), **more):
    """Boxes on a plane by name, and further bodies as (shape, options)."""
    b = gk.Builder(gravity=gravity)
    b.material("m", friction=0.5, restitution=restitution, density=1000)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for name, at in places.items():
        b.body(name, shape=gk.Box((SIZE, SIZE, SIZE)), material="m", at=at)
    for name, (shape, options) in more.items():
        b.body(name, shape=shape, material="m", **options)
    return b


def column(name, n, x=0.0):
    return {f"{name}{k}": (x, 0, SIZE * (k + 0.5)) for k in range(n)}


def both(model, t, act=None):
    """The same run with sleeping and without."""
    made = []
    for sleep in (True, False):
        sim = gk.Simulation(model, method(sleep))
        made.append(sim)
        for until, what in [*(act or []), (t, None)]:
            sim.advance(until - sim.time)
            if what is not None:
                what(sim)
    return made


def test_a_tower_sleeps_and_does_not_change():
    model = scene(column("box", 10)).build()
    sim, other = both(model, 0.6)
    assert set(sim.asleep) == {f"box{k}" for k in range(10)}
    assert other.asleep == ()
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-9)
    np.testing.assert_allclose(sim.state.q_WB, other.state.q_WB, atol=1e-9)
    assert not sim.state.v_WC.any()
    assert not sim.state.w_WB_B.any()
    before = sim.state.flat.copy()
    sim.advance(10.0)
    assert np.array_equal(before, sim.state.flat)
    mass = model.body("box0").mass
    for k, below in enumerate(["ground", *(f"box{k}" for k in range(9))]):
        force = sum(c.force[2] for c in sim.contacts if (c.a, c.b) == (below, f"box{k}"))
        assert force == pytest.approx((10 - k) * mass * 9.81, rel=1e-6)


@pytest.mark.parametrize(("restitution", "boxes"), [(0.0, 5), (0.5, 3)])
def test_a_ball_wakes_a_tower_as_if_it_had_not_slept(restitution, boxes):
    """Runs are compared at the end of the step of the hit, since what follows multiplies what they differ by.

    They differ by 1e-15 m/s before it, and by the order of the names of equal corners, which noise decides; so sweeps
    begin with other shares of the same load, and end when they change by 1e-11 m/s, some 1e-7 m/s from the solution.
    A tower of five that bounces has hundreds of impacts in that step, each of which multiplies it again.
    """
    ball = {"at": (-3.0, 0.01, 0.3), "velocity": (4.0, 0, 0), "angular_velocity": (0, 4.0 / 0.3, 0)}
    model = scene(column("box", boxes), restitution=restitution, ball=(gk.Sphere(0.3), ball)).build()
    sim, other = both(model, 0.62)
    assert len(sim.asleep) == boxes
    sim, other = both(model, 160 * H)
    assert sim.asleep == ()
    assert sim.state.v_WC[2, 0] > 0.1  # the lowest box is hit
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-8)
    np.testing.assert_allclose(sim.state.v_WC, other.state.v_WC, atol=1e-6)


def test_only_the_cluster_that_is_touched_wakes():
    """A ball falls on the left one of two columns, which share their ground: fixed bodies connect nothing."""
    ball = (gk.Sphere(0.05), {"at": (0, 0, 2.5)})
    model = scene(column("left", 3) | column("right", 3, x=0.5), ball=ball).build()
    sim = gk.Simulation(model, method())
    sim.advance(0.6)
    assert len(sim.asleep) == 6
    right = [model.index(f"right{k}") for k in range(3)]
    before = sim.state.p_WC[right].copy()
    sim.advance(0.15)  # the ball is there after sqrt(2 * 2.15 / g) = 0.66 s
    assert set(sim.asleep) == {"right0", "right1", "right2"}
    assert np.array_equal(before, sim.state.p_WC[right])
    sim.advance(2.0)
    assert {f"{name}{k}" for name in ("left", "right") for k in range(3)} <= set(sim.asleep)


def test_an_impact_passes_through_sleeping_balls_that_do_not_touch():
    """Gaps of 10 um: all of them meet within one step, and each slept by itself."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("steel", density=7800, friction=0.0, restitution=1.0)
    b.body("first", shape=gk.Sphere(0.05), material="steel", at=(-1.0, 0, 0), velocity=(1.3, 0, 0))
    for k in range(4):
        b.body(f"ball{k}", shape=gk.Sphere(0.05), material="steel", at=(k * (0.1 + 1e-5), 0, 0))
    sim, other = both(b.build(), 0.65)
    assert set(sim.asleep) == {f"ball{k}" for k in range(4)}
    sim, other = both(b.build(), 1.0)
    assert sim["ball3"].velocity[0] == pytest.approx(1.3, rel=1e-9)
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-12)
    np.testing.assert_allclose(sim.state.v_WC, other.state.v_WC, atol=1e-12)


def test_a_load_that_changes_wakes():
    """The push of a law begins at 1 s and is more than friction holds."""
    b = scene(column("box", 2))

    def push(t, state, loads):
        if t >= 1.0:
            loads.force_W[3, 0] += 8.0

    b.add(gk.Law("push", push))
    model = b.build()
    assert model.index("box1") == 3
    sim, other = both(model, 0.9)
    assert len(sim.asleep) == 2
    sim, other = both(model, 1.2)
    assert sim.asleep == ()
    assert sim["box1"].position[0] > 0.01
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-8)


def test_a_neighbour_that_is_taken_away_lets_the_others_fall():
    def take(sim):
        sim.state.p_WC[sim.model.index("box0")] += (5, 0, 0)

    sim, other = both(scene(column("box", 3)).build(), 0.85, [(0.7, take)])
    assert sim["box2"].position[2] < 0.25 - 0.07  # after 0.15 s: g t^2 / 2 = 0.11 m, less what the ground stops
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-8)


def test_a_body_that_is_given_a_velocity_wakes():
    def kick(sim):
        sim.state.v_WC[sim.model.index("box0")] = (1, 0, 0)

    sim, other = both(scene(column("box", 1)).build(), 0.8, [(0.7, kick)])
    assert sim["box0"].position[0] > 0.05
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-8)


def arm():
    """A lever on a post with a motor; it rests on the ground, and a box beside it rests too."""
    b = scene(column("box", 1, x=2.0))
    b.body("lever", shape=gk.Box((0.6, 0.1, 0.1)), material="m", at=(0, 0, 0.05))
    b.add(gk.Hinge(name="pin", a="world", b="lever", at=(-0.3, 0, 0.05), axis=(0, -1, 0)))
    b.add(gk.VelocityMotor(name="motor", on="pin", speed=0.0, force_max=1000.0))
    return b.build()


def test_a_set_point_that_changes_wakes_the_joints():
    def lift(sim):
        sim.inputs["motor.speed"] = 2.0

    model = arm()
    sim, other = both(model, 0.7)
    assert set(sim.asleep) == {"lever", "box0"}
    force = sim.sensors["motor.force"]
    sim.advance(1.0)
    assert sim.sensors["motor.force"] == force  # ground and motor share the weight as when they fell asleep
    sim, other = both(model, 1.0, [(0.7, lift)])
    assert sim.asleep == ("box0",)
    assert sim["pin"].angle == pytest.approx(0.6, abs=0.02)
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-7)
    assert sim["pin"].angle == pytest.approx(other["pin"].angle, abs=1e-7)


def test_joints_sleep_while_others_move():
    """What the rows remember stays, and a ball that rolls past is not held up."""
    model = arm()
    b = gk.Builder.from_model(model)
    b.body("ball", shape=gk.Sphere(0.1), material="m", at=(0, 3, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 10, 0))
    model = b.build()
    sim, other = both(model, 1.5)
    assert set(sim.asleep) == {"lever", "box0"}
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-7)
    np.testing.assert_allclose(sim["ball"].velocity, (1, 0, 0), atol=1e-6)


def test_what_is_slow_for_a_moment_does_not_sleep():
    """A swing at its turning points, and a ball at the top of its flight."""
    b = gk.Builder()
    b.material("m", density=1000, restitution=0.0)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    b.body("swing", shape=gk.Sphere(0.1), material="m", at=(0.5, 0, 1))
    b.add(gk.Hinge(name="pivot", a="world", b="swing", at=(0, 0, 2), axis=(0, 1, 0)))
    b.body("ball", shape=gk.Sphere(0.1), material="m", at=(5, 0, 0.2), velocity=(0, 0, 8))
    sim, other = both(b.build(), 1.6)
    assert sim.asleep == ()
    np.testing.assert_array_equal(sim.state.p_WC, other.state.p_WC)


def test_dropped_boxes_all_come_to_sleep():
    """Thirty boxes fall onto each other; asleep none overlaps by more than the slop, and nothing moves any more."""
    rng = np.random.default_rng(5)
    b = scene({})
    for k in range(30):
        q = rng.normal(size=4)
        at = (*rng.uniform(-0.15, 0.15, 2), 0.15 + 0.15 * k)
        b.body(f"box{k}", shape=gk.Box((0.1, 0.1, 0.1)), material="m", at=at, rotation=tuple(q / np.linalg.norm(q)))
    sim = gk.Simulation(b.build(), method())
    sim.advance(12.0)
    assert len(sim.asleep) == 30
    before = sim.state.flat.copy()
    sim.advance(1.0)
    assert np.array_equal(before, sim.state.flat)
    weight = sum(sim.model.body(f"box{k}").mass for k in range(30)) * 9.81
    assert sum(c.force[2] for c in sim.contacts if c.a == "ground") == pytest.approx(weight, rel=0.01)


@pytest.mark.parametrize(
    "wrong", [{"sleep": 1}, {"sleep_after": 0.0}, {"sleep_speed": -1.0}, {"sleep_turn": "slow"}], ids=str
)
def test_bad_options_are_named(wrong):
    with pytest.raises(gk.InputError, match=next(iter(wrong))):
        gk.ContactOptions(**wrong)


def test_sleeping_neither_begins_nor_ends_a_touch():
    """Events of a ball that falls on one of two columns at 0.66 s are those of the run without sleeping."""
    ball = (gk.Sphere(0.05), {"at": (0, 0, 2.5)})
    model = scene(column("left", 2) | column("right", 2, x=0.5), ball=ball).build()
    told = []
    for sleep in (True, False):
        sim = gk.Simulation(model, method(sleep))
        events = []
        sim.subscribe(events.append)
        sim.advance(1.2)
        assert sleep == (len(sim.asleep) >= 2)
        told.append([(e.kind, e.a, e.b, round(e.time / H)) for e in events])
    assert told[0] == told[1]
    assert any("ball" in event for event in told[0])


def test_couples_of_rolling_sleep_and_wake():
    """A ball on a slope that rolling friction holds: its couple is reported asleep, and holds on after a tap."""
    b = gk.Builder(gravity=(0.3, 0, -9.81))
    b.material("m", friction=0.5, density=1000, rolling_friction=0.01)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    b.body("ball", shape=gk.Sphere(0.1), material="m", at=(0, 0, 0.1))
    model = b.build()

    def tap(sim):
        sim.state.w_WB_B[2] = (0, 0.5, 0)
        sim.state.v_WC[2] = (0.05, 0, 0)

    sim, other = both(model, 0.7)
    assert sim.asleep == ("ball",)
    (point,) = sim.contacts
    weight = model.body("ball").mass
    assert abs(point.couple[1]) == pytest.approx(weight * 0.3 * 0.1, rel=1e-6)  # m g_x r
    sim, other = both(model, 0.72, [(0.7, tap)])
    np.testing.assert_allclose(sim.state.p_WC, other.state.p_WC, atol=1e-9)
    np.testing.assert_allclose(sim.state.w_WB_B, other.state.w_WB_B, atol=1e-8)
