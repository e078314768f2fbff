"""What a run records of joints and drives: names, values, units, tables, pictures."""

import csv
import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.methods.observe_joints import JointWatch
from gelenk.run import recorder

H = 5e-3
METHOD = gk.Impulse(h=H)


def machine():
    """A driven crank with a cardan joint, a rod to a particle, a sprung slider, and a latch that can break."""
    b = gk.Builder(name="machine")
    b.body("crank", shape=gk.Box((0.4, 0.05, 0.05)), density=1000, at=(0.2, 0, 0))
    b.body("shaft", shape=gk.Box((0.05, 0.05, 0.4)), density=1000, at=(0.4, 0, -0.2), angular_velocity=(1, 0.5, 0))
    b.body("sled", shape=gk.Box((0.1, 0.1, 0.1)), density=1000, at=(-1, 0, 0))
    b.particle("bob", mass=0.3, at=(0.4, 0, -0.9))
    b.add(gk.Hinge(name="axle", a="world", b="crank", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Universal(name="cardan", a="crank", b="shaft", at=(0.4, 0, 0), axis=(0, 0, 1), x_axis=(1, 0, 0)))
    b.add(gk.Distance(name="rod", a="shaft", b="bob", at_a=(0.4, 0, -0.4), break_force=1e6))
    b.add(gk.Slider(name="rail", a="world", b="sled", at=(-1, 0, 0), axis=(1, 0, 0)))
    b.add(gk.VelocityMotor(name="drive", on="axle", speed=2.0, force_max=50.0))
    b.add(gk.JointSpring(name="buffer", on="rail", stiffness=200.0, rest=0.1))
    return b.build()


NAMES = [
    "axle.angle",
    "axle.rate",
    "axle.force",
    "axle.torque",
    "axle.broken",
    "cardan.angle_x",
    "cardan.angle_x_rate",
    "cardan.angle_y",
    "cardan.angle_y_rate",
    "cardan.force",
    "cardan.torque",
    "cardan.broken",
    "rod.length",
    "rod.rate",
    "rod.force",
    "rod.torque",
    "rod.broken",
    "rail.position",
    "rail.rate",
    "rail.force",
    "rail.torque",
    "rail.broken",
    "drive.force",
    "buffer.force",
]


def started(model):
    return gk.Simulation(model, METHOD)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "machine.h5"
    sensed = {f"now {name}": lambda sim, name=name: sim.sensors[name] for name in NAMES}
    started(machine()).run(0.1, output_dt=2 * H, outputs=sensed, file=path, progress=False).close()
    return path


@pytest.fixture
def run(path):
    with gk.load_run(path) as run:
        yield run


def test_all_that_joints_and_drives_give_is_listed(run):
    owners = ("axle", "cardan", "rod", "rail", "drive", "buffer")
    assert [n for n in run.names if n.split(".")[0] in owners] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_what_is_recorded_is_what_the_sensor_read(run, name):
    series = run.series(name)
    owner, _, what = name.partition(".")
    assert np.array_equal(series, run[f"now {name}"])
    assert np.array_equal(series, getattr(run[owner], what))
    assert len(series) == 11
    if what in ("force", "torque") and owner in ("axle", "cardan", "rod", "rail"):
        assert series.shape == (11, 3)
        assert np.array_equal(run[f"{name}.y"], series[:, 1])


def test_the_series_follow_the_bodies(run):
    # The axle is at the origin and the crank turns about y: its x axis gives the angle. The joint is met to 1e-9.
    R = run["crank"].rotation
    np.testing.assert_allclose(run["axle"].angle, np.arctan2(-R[:, 2, 0], R[:, 0, 0]), atol=3e-9)
    np.testing.assert_allclose(run["axle"].rate, run["crank"].angular_velocity[:, 1], atol=1e-12)
    np.testing.assert_allclose(run["rail"].position, run["sled"].position[:, 0] + 1, atol=3e-9)
    np.testing.assert_allclose(run["rail"].rate, run["sled"].velocity[:, 0], atol=1e-12)
    tip = run["shaft"].position + R_times(run["shaft"].rotation, (0, 0, -0.2))
    np.testing.assert_allclose(run["rod"].length, np.linalg.norm(run["bob"].position - tip, axis=1), atol=1e-14)


def R_times(R, a):
    return np.einsum("kij,j->ki", R, a)


def test_angles_count_on_over_all_turns():
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wheel", mass=1.0, inertia=(1, 1, 2), angular_velocity=(0, 0, -7.0))
    b.add(gk.Hinge(name="hub", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    run = gk.simulate(b.build(), 2.0, method=gk.Impulse(h=0.05), progress=False)
    # A free wheel about its own axis turns exactly; 40 steps of round-off of an angle of 14.
    np.testing.assert_allclose(run["hub"].angle, -7.0 * run.time, atol=1e-12)
    np.testing.assert_allclose(run["hub"].rate, -7.0, atol=1e-12)


def test_only_what_exists_is_recorded():
    b = gk.Builder()
    b.particle("bob", mass=1.0, at=(1, 0, 0))
    b.add(gk.Ball(name="hook", a="world", b="bob"))
    run = started(b.build()).run(2 * H, progress=False)
    assert {"joint_force", "joint_torque"} <= set(run._file)
    assert not {"joint_coordinate", "joint_rate", "joint_broken", "drive_force"} & set(run._file)
    assert [n for n in run.names if n.startswith("hook")] == ["hook.force", "hook.torque"]
    with pytest.raises(AttributeError, match=r"joint 'hook' has no 'angle'; it gives force, torque"):
        _ = run["hook"].angle


def test_a_run_without_joints_has_no_columns_of_them():
    b = gk.Builder()
    b.particle("stone", mass=1.0)
    run = gk.simulate(b.build(), 0.01, progress=False)
    assert not [path for path in run._file if path.startswith(("joint", "drive"))]
    assert not list(run.signals.names())


@pytest.mark.parametrize(
    ("name", "near"), [("axle.angel", "axle.angle"), ("cardan.angle", "cardan.angle_x"), ("driv.force", "drive.force")]
)
def test_a_wrong_name_is_answered_with_near_ones(run, name, near):
    with pytest.raises(gk.InputError, match=r"does not exist.*Did you mean") as caught:
        run[name]
    assert repr(near) in caught.value.remedy


def test_a_joint_is_not_taken_for_a_series(run):
    with pytest.raises(gk.InputError, match=r"'axle' is a joint.*Use axle.angle, axle.rate"):
        run.series("axle")
    with pytest.raises(gk.InputError, match=r"'drive' is a drive.*Use drive.force"):
        run.series("drive")


@pytest.mark.parametrize("name", ["axle", "axle.angle", "drive.mine"])
def test_an_output_cannot_have_the_name_of_a_joint(name):
    with pytest.raises(gk.InputError, match="a body, a joint or a series"):
        started(machine()).run(H, outputs={name: lambda sim: 1.0}, progress=False)


def test_how_many_samples_are_held_does_not_show(run, monkeypatch):
    monkeypatch.setattr(recorder, "BUFFER_NUMBERS", 1)
    again = started(machine()).run(0.1, output_dt=2 * H, progress=False)
    for name in NAMES:
        assert np.array_equal(again[name], run[name]), name


def test_plots_name_the_unit(run, tmp_path):
    names = (
        "axle.angle",
        "cardan.angle_y_rate",
        "rail.rate",
        "axle.force",
        "rod.torque.x",
        "drive.force",
        "buffer.force",
    )
    figure = run.plot(*names, file=tmp_path / "joints.png")
    units = ("rad", "rad/s", "m/s", "N", "N m", "N m", "N")
    assert [axes.get_ylabel() for axes in figure.axes] == [f"{n} [{u}]" for n, u in zip(names, units)]
    assert (tmp_path / "joints.png").stat().st_size > 5000


def test_a_table_holds_every_number(run, tmp_path):
    run.export(tmp_path / "joints.csv", *NAMES)
    with open(tmp_path / "joints.csv", newline="", encoding="utf-8") as f:
        headings, *rows = csv.reader(f)
    table = np.array(rows, dtype=np.float64)
    assert table.shape == (11, 1 + len(NAMES) + 2 * 8)  # eight of them are vectors
    for column, heading in enumerate(headings):
        assert table[:, column].tobytes() == np.ascontiguousarray(run.series(heading)).tobytes(), heading


def test_joints_are_drawn(run, tmp_path):
    from gelenk.run.picture_joints import joint_places

    places = joint_places(run, np.array([0, 10]))
    assert list(places.has_axis) == [True, False, False, True]
    assert list(places.is_rod) == [False, False, True, False]
    np.testing.assert_allclose(places.anchor[0], [(0, 0, 0), (0.4, 0, 0), (0.4, 0, -0.9), (-1, 0, 0)], atol=1e-15)
    np.testing.assert_allclose(places.other[0, 2], (0.4, 0, -0.4), atol=1e-15)
    np.testing.assert_allclose(places.axis[0, [0, 3]], [(0, 1, 0), (1, 0, 0)], atol=1e-15)
    # Both sides of a joint are at one place, to its tolerance; a slide along its axis aside.
    np.testing.assert_allclose(places.anchor[1, :2], places.other[1, :2], atol=3e-9)
    scene = run.picture(tmp_path / "scene.png", instants=2).axes[0]
    dots = [line for line in scene.lines if len(line.get_xdata()) == 5 and line.get_marker() == "o"]
    assert len(dots) == 2  # instants, each with four joints and the other end of the rod
    assert len(scene.collections) == 1 + 4  # solids; axes and rods at two instants
    assert (tmp_path / "scene.png").stat().st_size > 10_000


# --- values and rates of every kind of coordinate --------------------------------------------------------------------


def every_coordinate():
    """Bodies in any pose and motion, with every named coordinate between them; the joints stand open."""
    b = gk.Builder(gravity=(0, 0, 0))
    random = np.random.default_rng(3)
    for name in ("a", "b"):
        b.body(
            name,
            mass=1.0,
            inertia=(1, 2, 2.5),
            com=(0.1, 0.2, -0.1),
            at=random.normal(size=3),
            rotation=gk.unit(random.normal(size=4)),
            velocity=random.normal(size=3),
            angular_velocity=random.normal(size=3),
        )
    b.particle("p", mass=1.0, at=(1, 1, 1), velocity=random.normal(size=3))
    at, axis = (0.3, 0.2, 0.1), (0, 0.6, 0.8)
    place = {"a": "a", "b": "b", "at": at, "axis": axis}
    b.add(gk.Hinge(name="hinge", **place))
    b.add(gk.Universal(name="universal", **place))
    b.add(gk.Cylindrical(name="cylindrical", **place))
    b.add(gk.Planar(name="planar", **place))
    b.add(gk.Screw(name="screw", lead=0.1, **place))
    b.add(gk.Ball(name="ball", **place, limits={"swing": (0, 1), "twist": (-1, 1)}))
    b.add(gk.BallOnLine(name="line", a="a", b="p", axis=axis))
    b.add(gk.Distance(name="rod", a="a", b="p"))
    points = [(math.cos(s), math.sin(s), 0.1 * s) for s in np.linspace(0, 3, 8)]
    b.add(gk.BallOnCurve(name="curve", a="a", b="b", at=points[3], points=points))
    return b.build()


def moved(state, dt):
    """The state after a short time at constant velocities, rotations in body axes."""
    from gelenk.math.quat import Quat, quat_exp
    from gelenk.math.vec3 import Vec3

    state.p_WC[:] += dt * state.v_WC
    for i, w in enumerate(state.w_WB_B):
        state.q_WB[i] = Quat(*state.q_WB[i]) * quat_exp(Vec3(*(dt * w)))
    return state


def test_rates_are_the_slopes_of_the_values():
    model = every_coordinate()
    random = np.random.default_rng(4)
    bent = random.normal(size=(2, 3)) * 0.3  # away from where it was built, so that no coordinate is special

    def at(dt):
        state = model.initial_state()
        v, w = state.v_WC.copy(), state.w_WB_B.copy()
        state.v_WC[1:3], state.w_WB_B[1:3] = bent, bent[::-1]
        moved(state, 1.0)
        state.v_WC[:], state.w_WB_B[:] = v, w
        return JointWatch(model.wired, moved(state, dt)).look()

    e = 1e-5
    slopes = (at(e)[0] - at(-e)[0]) / (2 * e)
    value, rate, _ = at(0.0)
    assert len(value) == len(model.wired.coordinates) == 15
    assert np.abs(rate).min() > 1e-3
    # A central difference is off by e^2 c'''/6, with c''' up to a few hundred here, and by round-off eps / e = 2e-11.
    np.testing.assert_allclose(rate, slopes, atol=1e-7)


@pytest.mark.parametrize(
    ("numbers", "energy"),
    [
        ({"stiffness": 100.0, "rest": 0.2}, 0.5 * 100 * 0.2**2),
        ({"stiffness": 100.0, "rest": -0.2, "damping": 3.0}, 0.5 * 100 * 0.2**2),
        # a hundredth of a metre up to the bound of 1 N, then 0.19 m at 1 N
        ({"stiffness": 100.0, "rest": 0.2, "force_max": 1.0}, 0.5 * 100 * 0.01**2 + 0.19),
        ({"stiffness": 100.0, "rest": 0.2, "force_max": 0.0}, 0.0),
        ({"damping": 3.0}, 0.0),
    ],
)
def test_springs_in_joints_hold_potential_energy(numbers, energy):
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("sled", mass=1.0, inertia=(1, 1, 1))
    b.add(gk.Slider(name="rail", a="world", b="sled", at=(0, 0, 0), axis=(1, 0, 0)))
    b.add(gk.JointSpring(name="spring", on="rail", **numbers))
    assert started(b.build()).ledger[1] == pytest.approx(energy, rel=1e-14)


# --- why energy and momenta change -----------------------------------------------------------------------------------


def pair(*, to="b", gravity=(0, 0, 0), drives=(), **options):
    b = gk.Builder(gravity=gravity)
    b.body("a", mass=1.0, inertia=(1, 1, 1))
    b.body("b", mass=1.0, inertia=(1, 1, 1), at=(1, 0, 0), static=to == "wall")
    b.body("wall", static=True)
    b.add(gk.Hinge(name="j", a=to, b="a", at=(0.5, 0, 0), axis=(0, 0, 1), **options))
    for drive in drives:
        b.add(drive)
    return b.build()


OUTER = {"momentum": "joints to what is fixed", "angular_momentum": "joints to what is fixed"}


@pytest.mark.parametrize(
    ("model", "causes"),
    [
        (pair(), {}),
        (pair(to="world"), OUTER),
        (pair(to="wall"), OUTER),
        (pair(limits=(-1, 1)), {"energy": "stops"}),
        (pair(blocked=True), {"energy": "locks"}),
        (pair(drives=[gk.JointSpring(name="s", on="j", stiffness=1.0)]), {}),
        (pair(drives=[gk.JointSpring(name="s", on="j", stiffness=1.0, damping=0.1)]), {"energy": "dampers"}),
        (pair(drives=[gk.VelocityMotor(name="m", on="j", speed=1.0)]), {"energy": "motors"}),
        (pair(drives=[gk.ForceMotor(name="m", on="j", force=1.0)]), {"energy": "motors"}),
        (pair(drives=[gk.Grab(name="g", body="a", force_max=1.0)]), {"energy": "grips", **OUTER}),
    ],
    ids=str,
)
def test_a_run_knows_why_energy_and_momenta_change(model, causes):
    from gelenk.run.causes import outer_causes

    assert outer_causes(model) == causes


def test_contact_is_a_cause_of_change_where_it_acts():
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True)
    b.body("ball", shape=gk.Sphere(0.1), density=1000, at=(2, 0, 0), velocity=(-1, 0, 0))
    model = b.build()
    met = gk.simulate(model, 0.01, progress=False)
    fixed = "contact with what is fixed"
    assert met.outer_causes() == {"energy": "friction and impacts", "momentum": fixed, "angular_momentum": fixed}
    assert gk.simulate(model, 0.01, method=gk.FreeMotion(), progress=False).outer_causes() == {}


def test_what_has_no_cause_does_not_drift():
    """A floating pair with an ideal joint and a spring of a force law keeps everything."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("a", mass=1.0, inertia=(0.1, 0.2, 0.25), angular_velocity=(1, 2, 0.5))
    b.body("b", mass=2.0, inertia=(0.2, 0.2, 0.3), at=(1, 0, 0), velocity=(0, 0.5, 0))
    b.add(gk.Ball(name="j", a="a", b="b", at=(0.5, 0, 0)))
    run = started(b.build()).run(0.2, progress=False)
    assert run.outer_causes() == {}
    drift = run.drift()
    # Momenta to round-off of 40 steps. Energy of a second-order scheme: (h w)^2 / 12 = 1e-5 with w near 2 rad/s, and
    # a first step that makes the velocities fit the joint; only from the sample after it is energy conserved.
    assert drift["momentum"] < 1e-14
    assert drift["angular_momentum"] < 1e-14
    energy = run["energy"][1:]
    assert np.ptp(energy) < 1e-4 * energy[0]


# --- what is not conserved by design ---------------------------------------------------------------------------------


def panels(run):
    """Title and names of the lines of each panel below a picture."""
    return [
        (axes.get_title(), [line.get_label() for line in axes.lines if not line.get_label().startswith("_")])
        for axes in run.picture().axes[1:]
    ]


def test_a_picture_of_a_driven_model_shows_energies_coordinates_and_drives(run):
    assert panels(run) == [
        ("energy [J], changed by friction and impacts, motors", ["kinetic", "potential", "total"]),
        ("coordinates of joints [rad], 3 of 5", ["axle", "cardan.angle_x", "cardan.angle_y"]),
        ("forces of drives [N m], 1 of 2", ["drive"]),
    ]
    drawn = run.picture().axes[3].lines[0].get_ydata()
    assert np.array_equal(drawn, run["drive"].force)


def test_a_picture_of_a_pendulum_shows_its_energy_error_and_the_force_of_its_joint():
    b = gk.Builder()
    b.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(1, 0, 0))
    b.add(gk.Hinge(name="pin", a="world", b="bob", at=(0, 0, 0), axis=(0, 1, 0)))
    run = started(b.build()).run(0.05, progress=False)
    shown = panels(run)
    assert shown[0][0] == "change of energy / its median"
    assert shown[1:] == [("coordinates of joints [rad]", ["pin"]), ("length of joint forces [N]", ["pin"])]
    drawn = run.picture().axes[3].lines[0].get_ydata()
    assert np.array_equal(drawn, np.linalg.norm(run["pin"].force, axis=1))


def test_a_picture_of_joints_that_float_shows_the_error_of_the_angular_momentum():
    b = gk.Builder(gravity=(0, 0, 0))
    for k in (0, 1):
        b.body(f"half {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), at=(k, 0, 0), angular_velocity=(0, 0, k))
    b.add(gk.Hinge(name="pin", a="half 0", b="half 1", at=(0.5, 0, 0), axis=(0, 0, 1)))
    b.add(gk.VelocityMotor(name="drive", on="pin", speed=3.0, force_max=1.0))
    run = started(b.build()).run(0.05, progress=False)
    assert [title for title, _ in panels(run)] == [
        "energy [J], changed by motors",
        "coordinates of joints [rad]",
        "change of angular momentum / its size",
    ]


def test_drift_says_what_is_not_conserved_by_design(run):
    drift = run.drift()
    assert drift.causes == run.outer_causes()
    assert drift.causes["energy"] == "friction and impacts, motors"
    assert f"'energy': {drift['energy']:.3g} (not conserved here: friction and impacts, motors)" in repr(drift)
    assert [*drift] == ["energy", "momentum", "angular_momentum", "joints_open", "joints_turned", "residual"]
