"""The sled S1 as a model: what it weighs, where its parts are, how it can move, its springs and set-ups."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.setup import Setup, preloaded_lever
from gelenk.worlds.bobsleigh.sled import Stance, add_sled, origins, sled_data
from gelenk.worlds.bobsleigh.steering import steering_angle

LEVEL = Stance.on((0, 0, 0), forward=(0, 1, 0))


def sled(stance=LEVEL, gravity=(0, 0, -9.81), **setup):
    b = gk.Builder(gravity=gravity)
    add_sled(b, Setup(**setup), stance)
    return b.build()


def test_it_weighs_what_the_rules_allow_and_stands_on_its_runners():
    """390 kg in all, gauge 0.67 m, axles 1.69 m apart, pivots 0.12 m above the ice (bobsleigh 9)."""
    model = sled()
    assert sum(body.mass for body in model.bodies) == pytest.approx(390.0, rel=1e-15)
    at = origins()
    left, right, front = at["rear runner left"], at["rear runner right"], at["front runner left"]
    assert left - right == pytest.approx([0.67, 0, 0], abs=1e-15)
    assert front - left == pytest.approx([0, 0, 1.69], abs=1e-15)
    assert [p[1] for name, p in at.items() if "runner" in name] == pytest.approx([0.12] * 4, abs=1e-15)
    assert len(model.bodies) == 9


def test_it_has_thirteen_degrees_of_freedom_and_one_input():
    tree = gk.TreeDynamics(sled())
    assert len(tree.driven) == 14
    assert int(np.sum(tree.driven)) == 1
    q, _ = tree.coordinates(sled().initial_state())
    assert len(q) == 15  # a quaternion for three turns, and the steering angle
    eigenvalues = np.linalg.eigvalsh(tree.mass_matrix(q))
    assert eigenvalues[0] > 0


def test_touching_points_are_seventeen():
    """Eight of runners, four of bumpers, five of the rim (B-57); all segments point into the sled."""
    touch = sled_data()["touch"]
    counts = {name: len(t["bodies"]) * len(t["points"]) for name, t in touch.items()}
    assert counts == {"runner": 8, "front bumper": 2, "rear bumper": 2, "rim": 5}
    for name, t in touch.items():
        for p, d in zip(t["points"], t["segments"]):
            assert np.dot(p, d) < 0, name


def test_a_falling_sled_falls_as_one_and_its_air_drag_acts_on_the_rear_hull():
    """In free fall no spring acts: all bodies fall by g t^2 / 2, to round-off of Moreau's rule.

    With drag the momentum changes by the force of 3.5 alone, to order 1: relative 4e-3 of the change of speed. It acts
    above the common centre, so that the hull begins to pitch and its velocity, with the drag, turns by some 1e-5 rad.
    """
    model = sled(start_speed=30.0, drag_area=0.0)
    sim = gk.Simulation(model, gk.MoreauTree(h=2e-4))
    begin = sim.state.p_WC[1:10].copy()
    sim.advance(0.05)
    fallen = sim.state.p_WC[1:10] - begin - [0, 1.5, -0.5 * 9.81 * 0.05**2]
    assert np.abs(fallen).max() < 1e-12
    sim = gk.Simulation(sled(start_speed=30.0, gravity=(0, 0, 0)), gk.MoreauTree(h=2e-4))
    masses = np.array([body.mass for body in model.bodies])
    before = (masses[:, None] * sim.state.v_WC[1:10]).sum(axis=0)
    sim.advance(0.05)
    after = (masses[:, None] * sim.state.v_WC[1:10]).sum(axis=0)
    force = 0.5 * 1.12 * 0.2052 * 30.0**2
    assert after - before == pytest.approx([0, -force * 0.05, 0], rel=4e-3, abs=2e-5 * force * 0.05)


def test_the_steering_head_follows_its_input_and_turns_the_front_runners_left():
    """A positive angle takes forward (z) towards left (x): runners of the front axle point to the left."""
    sim = gk.Simulation(sled(gravity=(0, 0, 0), start_speed=0.0, drag_area=0.0), gk.MoreauTree(h=2e-4))
    sim.inputs["wheel.position"] = math.radians(5.0)
    sim.advance(0.5)
    hull, head = (sim.state.q_WB[1 + list(origins()).index(name)] for name in ("front hull", "steering head"))
    relative = gk_rotation(hull).T @ gk_rotation(head)
    assert math.degrees(math.atan2(relative[0, 2], relative[2, 2])) == pytest.approx(5.0, abs=1e-6)


def gk_rotation(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_springs_of_the_set_up_act_in_the_joints():
    """At 5 deg, beyond the kink of 3 deg: M = c1 kink + c2 (5 deg - kink), times the factor of the spring set."""
    kink, angle = math.radians(3.0), math.radians(5.0)
    for springs, factor in (("soft", 0.5), ("standard", 1.0), ("hard", 2.0)):
        moment = _moment_of_middle(angle, middle_springs=springs)
        assert moment == pytest.approx(factor * (3000.0 * kink + 1500.0 * (angle - kink)), rel=1e-12)
    assert _moment_of_middle(angle, middle_preload_deg=0.0) == pytest.approx(1500.0 * angle, rel=1e-12)
    assert _moment_of_middle(angle, middle_preload_deg=5.0) == pytest.approx(3000.0 * angle, rel=1e-12)


def test_runners_have_the_springs_of_the_sled_or_of_the_set_up():
    """2000 N m/rad at all four hinges, or what is chosen; 0 lets runners pitch freely."""
    for joint in ("front left", "front right", "rear left", "rear right"):
        assert _restoring_moment(joint, 0.01) == pytest.approx(20.0, rel=1e-12)
        assert _restoring_moment(joint, 0.01, runner_stiffness=500.0) == pytest.approx(5.0, rel=1e-12)
        assert _restoring_moment(joint, 0.01, runner_stiffness=0.0) == pytest.approx(0.0, abs=1e-12)


def _moment_of_middle(angle, **setup):
    return _restoring_moment("middle", angle, **setup)


def _restoring_moment(joint, angle, **setup):
    """What inverse dynamics at rest must give, without gravity."""
    model = sled(gravity=(0, 0, 0), start_speed=0.0, **setup)
    tree = gk.TreeDynamics(model)
    q, u = tree.coordinates(model.initial_state())
    place = next(n for n, name in enumerate(tree.names) if joint in name)
    q[place + 1] = angle  # the quaternion of the base has one number more than its velocities
    tau = tree.inverse(q, np.zeros_like(u), np.zeros_like(u))
    return tau[place]


def test_a_lever_between_preloaded_springs_is_a_kinked_spring():
    """The exact mechanism, M = cos a l F_c(l sin a), agrees with c1, c2 and the kink to a^2 of it (B-54)."""
    c, lever, preload = 60_000.0, 0.15, 0.006
    c1, c2, kink = preloaded_lever(c, lever, preload)

    def exact(a):
        z = lever * math.sin(a)
        force = 2 * c * z if abs(z) <= preload else c * (z + math.copysign(preload, z))
        return math.cos(a) * lever * force

    for a in np.radians([0.5, 2.0, 4.0, 6.0]):
        kinked = c1 * a if a <= kink else c1 * kink + c2 * (a - kink)
        assert kinked == pytest.approx(exact(a), rel=a**2)


def test_the_steering_map_is_odd_and_bounded():
    """Fixed points -1, 0, 1; flat at 0 for a directness below 1; never beyond 10 deg (bobsleigh 6.2)."""
    end = math.radians(10.0)
    for d in (5 / 8, 5 / 7, 1.0, 2.0):
        hands = np.linspace(-1, 1, 201)
        angles = np.array([steering_angle(i, d) for i in hands])
        assert np.all(np.diff(angles) > 0)
        assert angles == pytest.approx(-angles[::-1], abs=1e-15)  # places of linspace are round to 1e-16
        assert angles[[0, 100, 200]] == pytest.approx([-end, 0, end], abs=1e-16)
    assert steering_angle(1e-3, 5 / 8) / 1e-3 < 0.02 * end
    assert steering_angle(7.0) == pytest.approx(end)


def test_set_ups_are_saved_and_loaded(tmp_path):
    setup = Setup(pilot='Anna "Ice" \\ M.', directness=0.65, middle_springs="hard", runner_stiffness=0.0)
    assert Setup.load(setup.save(tmp_path / "anna.toml")) == setup


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({"start_speed": -1.0}, "start_speed"),
        ({"directness": 0.0}, "directness"),
        ({"middle_springs": "springy"}, "middle_springs"),
        ({"friction_across_max": 0.01}, "friction_across_max"),
        ({"bumper_restitution": 1.2}, "bumper_restitution"),
        ({"runner_stiffness": -1.0}, "runner_stiffness"),
        ({"straight_share": 1.0}, "straight_share"),
        ({"pilot": " "}, "pilot"),
    ],
)
def test_bad_set_ups_are_refused(values, found):
    with pytest.raises(InputError, match=found):
        Setup(**values)


def test_bad_set_up_files_are_named(tmp_path):
    file = tmp_path / "broken.toml"
    file.write_text("start_speed = = 3\n")
    with pytest.raises(InputError, match=r"broken.toml.*line 1"):
        Setup.load(file)
    file.write_text("directness = 0.6\nstart_sped = 3\n")
    with pytest.raises(InputError, match=r"broken.toml:2: .*start_sped.*'start_speed'"):
        Setup.load(file)
    file.write_text("# mine\npilot = 'Anna'\ndirectness = -0.6\n")
    with pytest.raises(InputError, match=r"broken.toml:3: .*directness is -0.6"):
        Setup.load(file)
    with pytest.raises(InputError, match=r"missing.toml"):
        Setup.load(tmp_path / "missing.toml")


def test_a_stance_needs_two_directions():
    with pytest.raises(InputError, match="apart"):
        Stance.on((0, 0, 0), forward=(0, 0, 2))
