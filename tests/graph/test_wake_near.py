"""Bodies far from chosen ones in the contact graph sleep, and wake when they are near (V-100, virtual-worlds 4.10).

Contacts are solved to 1e-11 m/s, and a column at rest moves by 1e-9 m/s at most, as in test_sleep.
"""

import numpy as np
import pytest

import gelenk as gk

H, SIZE, G = 1 / 240, 0.1, 9.81


def method(**options):
    exact = {"tolerance": 1e-11, "sweeps": 3000, "sleep": True, "sleep_after": 0.2}
    return gk.RowStepping(h=H, contact=gk.ContactOptions(**(exact | options)))


def column(n, **more):
    """Boxes on each other, and further bodies as (shape, options)."""
    b = gk.Builder()
    b.material("m", friction=0.5, density=1000)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(n):
        b.body(f"box{k}", shape=gk.Box((SIZE, SIZE, SIZE)), material="m", at=(0, 0, SIZE * (k + 0.5)))
    for name, (shape, options) in more.items():
        b.body(name, shape=shape, material="m", **options)
    return b.build()


def names(*numbers):
    return {f"box{k}" for k in numbers}


@pytest.mark.parametrize("within", [0, 1, 2, 4])
def test_what_is_farther_sleeps_and_what_is_nearer_does_not(within):
    """The top box is the chosen one, and box k is 5 - k contacts away; the path ends at the ground."""
    model = column(6)
    sim = gk.Simulation(model, method(wake_near=("box5",), wake_within=within))
    awake = gk.Simulation(model, method(sleep=False))
    for s in (sim, awake):
        s.advance(0.6)
    assert set(sim.asleep) == names(*range(5 - within))
    np.testing.assert_allclose(sim.state.p_WC, awake.state.p_WC, atol=1e-9)
    lengths = gk.ContactGraph(model, sim.contacts).path_lengths(["box5"], through_fixed=False)
    assert {name for name, length in lengths.items() if within < length and name in names(*range(6))} == set(sim.asleep)
    weight = model.body("box0").mass * G
    for k, below in enumerate(["ground", *(f"box{k}" for k in range(5))]):  # each contact is told once
        force = sim.contact_force(f"box{k}", below)
        np.testing.assert_allclose(force, (0, 0, (6 - k) * weight), rtol=1e-6, atol=1e-6)
    assert sim.info["asleep"] == 5 - within


def test_they_wake_one_by_one_when_the_chosen_one_comes():
    """A ball comes down on a sleeping column: two boxes wake, in time and no more; nothing else moves at all."""
    model = column(5, ball=(gk.Sphere(0.05), {"at": (0, 0, 1.0)}))
    sim = gk.Simulation(model, method(wake_near="ball", wake_within=2, wake_speed=100.0))
    sim.advance(0.3)
    assert set(sim.asleep) == names(0, 1, 2, 3, 4)
    before = sim.state.p_WC.copy()
    sim.advance(0.3)  # it falls 0.45 m in 0.303 s
    assert set(sim.asleep) == names(0, 1, 2)
    sim.advance(0.5)
    assert set(sim.asleep) == names(0, 1, 2)
    rows = [model.index(f"box{k}") for k in range(3)]
    assert np.array_equal(before[rows], sim.state.p_WC[rows])
    held = (2 * model.body("box0").mass + model.body("ball").mass) * G
    np.testing.assert_allclose(sim.contact_force("box3", "box2"), (0, 0, held), rtol=1e-4, atol=1e-3)
    sim.state.p_WC[model.index("ball")] = (2.0, 0, 0.5)  # taken away, all are far again
    sim.advance(0.4)
    assert set(sim.asleep) == names(0, 1, 2, 3, 4)


def test_a_sleeping_body_is_an_obstacle_unless_what_hits_it_is_fast():
    start = {"at": (-0.3, 0, 0.05), "velocity": (1.0, 0, 0), "angular_velocity": (0, 20.0, 0)}
    far = {"at": (9, 9, 0.05)}
    moved = {}
    for wake_speed in (0.5, 5.0):
        model = column(1, bullet=(gk.Sphere(0.05), start), hand=(gk.Sphere(0.05), far))
        sim = gk.Simulation(model, method(wake_near="hand", wake_speed=wake_speed, sleep_after=0.05))
        sim.advance(0.15)
        assert "box0" in sim.asleep
        before = sim["box0"].position[0]
        sim.advance(0.45)
        moved[wake_speed] = sim["box0"].position[0] - before
    assert moved[5.0] == 0.0
    assert moved[0.5] > 1e-3


@pytest.mark.parametrize("spin", [30.0, 0.3])
def test_a_body_that_spins_in_place_wakes_what_it_touches(spin):
    """A wheel is put on a sleeping box on ice while it turns: points of its rim are fast, its centre is not.

    At 30 rad/s they move by 1.5 m/s and drag the box along,  m x'' = -mu m_wheel g, as if it had never slept. At 0.3
    rad/s that is 15 mm/s, and the box is an obstacle still.
    """
    b = gk.Builder()
    b.material("m", friction=0.5, density=1000)
    b.material("ice", friction=0.0)
    b.body("ground", shape=gk.Plane(), static=True, material="ice")
    b.body("hand", shape=gk.Sphere(0.05), material="m", at=(9, 9, 0.05))
    b.body("box", shape=gk.Box((SIZE, SIZE, SIZE)), material="m", at=(0, 0, 0.5 * SIZE))
    b.body("wheel", shape=gk.Sphere(0.05), material="m", at=(5, 5, 5), angular_velocity=(0, spin, 0))
    model, velocity = b.build(), []
    for sleeps in (True, False):
        options = {"wake_near": "hand", "wake_within": 0, "sleep_after": 0.04} if sleeps else {"sleep": False}
        sim = gk.Simulation(model, method(**options))
        sim.advance(12 * H)
        assert ("box" in sim.asleep) == sleeps
        sim.state.p_WC[model.index("wheel")] = 0, 0, SIZE + 0.05
        sim.state.v_WC[model.index("wheel")] = 0
        sim.advance(6 * H)
        assert ("box" in sim.asleep) == (sleeps and spin < 1.0)
        velocity.append(sim["box"].velocity)
    expected = -0.5 * model.body("wheel").mass * G * 6 * H / model.body("box").mass
    if spin > 1.0:
        assert velocity[1][0] == pytest.approx(expected, rel=1e-6)
        np.testing.assert_allclose(velocity[0], velocity[1], atol=1e-9)
    else:
        np.testing.assert_array_equal(velocity[0], 0.0)


@pytest.mark.parametrize("way", [(3, 0, 0), (0.11, 0, 0)], ids=["far", "beside"])
def test_what_loses_its_support_wakes_and_the_end_of_its_touch_is_told(way):
    """The chosen box, below a sleeping one, is taken away: the other falls as one that never slept."""
    told, paths = [], []
    for sleep in ({"wake_near": "box0", "wake_within": 0}, {"sleep": False}):
        sim = gk.Simulation(column(2), method(**sleep))
        events = []
        sim.subscribe(events.append)
        sim.advance(0.4)
        assert set(sim.asleep) == (names() if sleep.get("sleep") is False else names(1))
        sim.state.p_WC[sim.model.index("box0")] += way
        sim.advance(0.1)
        told.append([(e.kind, e.a, e.b, round(e.time / H)) for e in events])
        paths.append(sim["box1"].position)
    np.testing.assert_allclose(paths[0], paths[1], atol=1e-9)
    assert paths[0][2] < 1.5 * SIZE - 0.04
    assert told[0] == told[1]
    assert ("end", "box0", "box1") in [event[:3] for event in told[0]]


def test_fast_bodies_do_not_sleep_however_far_they_are():
    far = {"at": (5, 0, 0.05), "velocity": (1.0, 0, 0), "angular_velocity": (0, 20.0, 0)}
    sim = gk.Simulation(column(1, ball=(gk.Sphere(0.05), far)), method(wake_near="box0", wake_within=0))
    sim.advance(0.6)
    assert sim.asleep == ()
    np.testing.assert_allclose(sim["ball"].velocity, (1, 0, 0), atol=1e-6)


def test_joints_are_part_of_the_path():
    """A rod on a hinge rests on the ground, a box lies on the rod; the hinge leads from its post to both."""
    b = gk.Builder.from_model(column(0))
    b.body("post", shape=gk.Box((0.1, 0.1, 0.1)), density=1000, at=(-0.5, 0, 0.05))
    b.body("rod", shape=gk.Box((0.8, 0.1, 0.1)), density=1000, at=(0, 0, 0.05))
    b.add(gk.Hinge(name="pin", a="post", b="rod", at=(-0.42, 0, 0.05), axis=(0, 1, 0)))
    b.body("box", shape=gk.Box((0.1, 0.1, 0.1)), density=1000, at=(0.2, 0, 0.15))
    b.body("lid", shape=gk.Box((0.1, 0.1, 0.1)), density=1000, at=(0.2, 0, 0.25))
    sim = gk.Simulation(b.build(), method(wake_near="post", wake_within=2))
    sim.advance(0.6)
    assert sim.asleep == ("lid",)


@pytest.mark.parametrize(
    "wrong",
    [{"wake_near": 3}, {"wake_within": -1}, {"wake_speed": 0.0}, {"wake_near": "a", "sleep": False}],
    ids=str,
)
def test_bad_options_are_named(wrong):
    with pytest.raises(gk.InputError, match=next(iter(wrong))):
        gk.ContactOptions(**({"sleep": True} | wrong))


def test_a_body_that_does_not_exist_is_named():
    with pytest.raises(gk.InputError, match=r"wake_near.*boks0"):
        gk.Simulation(column(1), method(wake_near="boks0"))


@pytest.mark.parametrize("wrong", [{"sleep": True}, {"shock": "optimised"}], ids=str)
def test_impulse_refuses_what_it_does_not_have(wrong):
    with pytest.raises(gk.InputError, match=rf"{next(iter(wrong))}.*RowStepping"):
        gk.Impulse(contact=gk.ContactOptions(**wrong))
