"""Driving the bobsleigh: what is kept of the best run, what is felt, and a start by hand (B-62 to B-81)."""

import csv
import math
from types import SimpleNamespace

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.space.events import CollisionEvent
from gelenk.worlds.bobsleigh.drive.best_run import EVERY, BestRun, PoseKeeper
from gelenk.worlds.bobsleigh.drive.controls import set_up, switches
from gelenk.worlds.bobsleigh.drive.drawn_lines import NAMES
from gelenk.worlds.bobsleigh.drive.feelings import FULL, Feelings
from gelenk.worlds.bobsleigh.drive.game import LOOK, STRONG, Game, H
from gelenk.worlds.bobsleigh.drive.logbook import Logbook
from gelenk.worlds.bobsleigh.drive.scene import HULL, NOSE, RUNNERS, Grounds
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track

needs_speed = pytest.mark.skipif(not compiler.ENABLED, reason="some thousand steps of a sled")


def kept(n=50):
    keeper = PoseKeeper()
    for k in range(2 * n):
        keeper.look(0.5 * EVERY * k, np.full((3, 7), float(k)))
    return keeper.run([1.0, 2.0])


def test_poses_are_kept_every_so_often():
    run = kept()
    np.testing.assert_allclose(np.diff(run.clock), EVERY)
    np.testing.assert_array_equal(run.poses[:, 0, 0], np.arange(0, 100, 2))


def test_the_best_run_comes_back_from_the_disk(tmp_path):
    file = tmp_path / "deep" / "best.npz"
    assert BestRun.load(file, 2) is None
    run = kept()
    run.save(file)
    back = BestRun.load(file, 2)
    np.testing.assert_array_equal(back.times, run.times)
    np.testing.assert_array_equal(back.poses, run.poses)
    assert BestRun.load(file, 3) is None  # of another track
    assert [path.name for path in file.parent.iterdir()] == ["best.npz"]


@pytest.mark.parametrize("spoilt", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_what_is_no_run_is_no_ghost(tmp_path, spoilt):
    file = tmp_path / "best.npz"
    file.write_bytes(spoilt)
    assert BestRun.load(file, 2) is None


class Still(SimpleNamespace):
    """A simulation of bodies that a test moves by hand."""

    def __getitem__(self, name):
        return self.bodies[name]


def body(velocity=(0, 0, 0)):
    return SimpleNamespace(position=np.zeros(3), velocity=np.array(velocity), rotation=np.eye(3))


def test_a_hit_is_as_hard_as_it_came_and_is_told_once():
    """Of all beginnings between two looks the fastest counts; those of runners and ends are no hits."""
    feel = Feelings()
    for kind, name, speed in (
        ("begin", NOSE, 1.5), ("begin", HULL, 0.4), ("end", NOSE, None), ("begin", "front runner left", 9.0),
    ):  # fmt: skip
        feel.hear(CollisionEvent(kind, "ice", name, 0, 0, 0.0, (0.0, 0.0, 0.0), speed))
    assert feel.hit() == 1.5
    assert feel.hit() == 0.0


def test_rest_weighs_one_g_and_a_curve_more():
    sim, feel = Still(bodies={HULL: body()}, contacts=[]), Feelings()
    for _ in range(200):
        feel.look(sim, 0.01)
    np.testing.assert_allclose(feel.load, (0, 0, 1), atol=1e-9)  # axes of the body are those of the world here
    for k in range(300):
        sim.bodies[HULL] = body((3 * 9.81 * 0.01 * k, 0, 0))
        feel.look(sim, 0.01)
    np.testing.assert_allclose(feel.load, (3, 0, 1), atol=1e-6)  # exp(-300 * 0.01 / 0.08) is gone


def sliding(slip_deg, load, roll_deg=0.0):
    """A runner that goes along z of its body, slides by an angle to its left and turns not, with a point loaded."""
    a = math.radians(slip_deg)
    normal = np.array((math.sin(math.radians(roll_deg)), math.cos(math.radians(roll_deg)), 0.0))
    touch = SimpleNamespace(b=RUNNERS[0], point=np.zeros(3), normal=normal, force=load * normal)
    state = SimpleNamespace(
        p_WC=np.zeros((2, 3)), v_WC=20.0 * np.array(((0, 0, 0), (math.sin(a), 0.0, math.cos(a)))),
        q_WB=np.array(((1.0, 0, 0, 0), (1.0, 0, 0, 0))), w_WB_B=np.zeros((2, 3)),
    )  # fmt: skip
    model = SimpleNamespace(index=lambda name: 1)
    return Still(bodies={HULL: body((0.0, 0.0, 20.0))}, contacts=[touch], state=state, model=model)


def test_slip_is_the_largest_angle_by_its_share_of_the_load():
    """Half the load that a point carries at rest counts half; on a slope of 30 degrees across, what goes into the ice
    is no slip:  atan(tan(slip) cos(roll))."""
    feel = Feelings()
    for slip, load, roll, found in ((5.0, FULL, 0.0, 5.0), (-5.0, 3 * FULL, 0.0, 5.0), (5.0, 0.5 * FULL, 0.0, 2.5)):
        feel.look(sliding(slip, load, roll), 0.01)
        assert math.degrees(feel.slip) == pytest.approx(found, rel=1e-9)
    feel.look(sliding(5.0, FULL, 30.0), 0.01)
    across = math.tan(math.radians(5.0)) * math.cos(math.radians(30.0))
    assert feel.slip == pytest.approx(math.atan(across), rel=1e-9)
    assert list(feel.marks) == [f"{RUNNERS[0]} rear point"]  # not ahead of the middle of the runner


def test_the_logbook_has_a_line_for_every_run(tmp_path):
    book = Logbook(tmp_path, (50.0, 100.0))
    book.end([(4.0, 10.0)], False)  # no run was begun
    assert not book.path.exists()
    (tmp_path / "runs").mkdir()
    for name, passed in (("a.h5", [(4.8, 11.0), (8.1, 15.5)]), ("b.h5", [(4.9, 10.9)])):
        book.begin(tmp_path / "runs" / name, Setup(pilot="Anna", front_springs="hard"))
        book.end(passed, name == "b.h5")
    rows = list(csv.DictReader(book.path.read_text().splitlines()))
    assert [row["file"] for row in rows] == ["a.h5", "b.h5"]
    assert (rows[0]["time_100"], rows[1]["time_100"]) == ("8.1000", "")
    assert [row["tipped_over"] for row in rows] == ["no", "yes"]
    assert {row["front_springs"] for row in rows} == {"hard"}
    assert Setup.load(tmp_path / "runs" / "b.toml").pilot == "Anna"


@pytest.fixture(scope="module")
def grounds():
    return Grounds(load_track("s13"))


def test_all_around_the_track_is_made(grounds):
    names = [piece.name for piece in grounds.scenery()]
    assert {"ice", "land", "conifers", "lamp posts", "banners", "sails"} <= set(names)
    assert [camera.name for camera in grounds.cameras()] == ["pilot", "behind", "trackside"]


@needs_speed
def test_a_game_starts_is_timed_heard_and_begun_anew(grounds, tmp_path):
    game = Game(grounds, Setup(start_speed=10.0), tmp_path)
    sim = game.simulation()
    begun = sim.state.flat.copy()
    sim.run(0.6, control=game.control, control_every=LOOK)
    assert game.timing.started == pytest.approx(0.0, abs=LOOK)  # the clock starts where the sled does
    assert game.overlay.speed == pytest.approx(np.linalg.norm(sim[HULL].velocity), rel=0.02)
    assert game.wind.volume > 0.05
    assert sorted(game.feelings.marks) == sorted(NAMES)  # all eight points draw
    assert game.feelings.load[1] == pytest.approx(1.0, abs=0.3)
    game.steering.value = -1.0  # to the left
    sim.run(1.0, control=game.control, control_every=LOOK)
    assert sim.sensors["steering.angle"] > 0.05
    game.restart()
    assert game.timing.started is None
    again = game.simulation()
    np.testing.assert_array_equal(again.state.flat, begun)  # B-81: every run begins alike


class Heard:
    """Takes what a sender is given."""

    def __init__(self):
        self.all = []

    def put(self, t, moment):
        self.all.append((t, moment))


@needs_speed
def test_the_force_of_the_ropes_is_that_of_the_contacts_of_the_front_runners(grounds, tmp_path):
    """B-77: the mean over 10 ms of the moments of all contacts of both front runners about the steering axis, from
    their forces step by step; axis and arms are those of the end of a step, hence a thousandth of what adds up."""
    heard = Heard()
    game = Game(grounds, Setup(start_speed=15.0), tmp_path, heard)
    sim = game.simulation()
    game.steering.value = 0.6
    sim.run(0.3, control=game.control, control_every=LOOK)
    steps, total, size = round(LOOK / H), 0.0, 0.0
    sim.contact_loads()
    for _ in range(steps):
        sim.step()
        head = sim["steering head"]
        up, anchor = head.rotation[:, 1], head.position - 0.5 * H * np.array(head.velocity)
        for c in sim.contacts:
            if c.b.startswith("front runner"):
                moment = float(up @ np.cross(c.point - anchor, c.force)) / steps
                total, size = total + moment, size + abs(moment)
    game.control(sim.time, sim)
    t, moment = heard.all[-1]
    assert t == sim.time
    assert moment == pytest.approx(total, abs=2e-3 * size)
    assert game.rumble.weak == pytest.approx(min(1.0, abs(moment) / STRONG))
    assert size > 5.0


def put(grounds, at, speed, across=0.0, up=0.0):
    """A sled that no one steers at an arc length and a height, with a velocity along the track and to the left."""
    model = grounds.model(Setup(start_speed=speed), at)
    sim, feel = gk.Simulation(model, gk.MoreauTree(h=H, order=1)), Feelings()
    left = grounds.track.line.at([at]).left[0]
    for one in model.bodies:
        if not one.static:
            sim.state.v_WC[model.index(one.name)] += across * left
            sim.state.p_WC[model.index(one.name)] += (0.0, 0.0, up)
    events = []
    sim.subscribe(feel.hear)
    sim.subscribe(events.append)
    return sim, feel, events


def followed(grounds, sim, feel, seconds, s):
    """(n, 3) arc length, offset and height every hundredth of a second."""
    made = []
    for _ in range(round(seconds / LOOK)):
        sim.step(round(LOOK / H))
        feel.look(sim, LOOK)
        place = grounds.track.line.project(sim[HULL].com, near=s)
        s = float(place.s[0])
        made.append((s, float(place.left[0]), float(place.height[0])))
    return np.array(made)


@needs_speed
def test_a_sled_too_fast_for_a_curve_hits_the_planking_and_stays_in_the_track(grounds):
    """B-48: at 45 m/s it climbs in curve 2 to its rim, 2.3 m above the line, and meets the boards there (part 1)."""
    sim, feel, events = put(grounds, 130.0, 45.0)
    way = followed(grounds, sim, feel, 1.6, 130.0)
    planked = [e for e in events if e.kind == "begin" and e.b in (HULL, NOSE) and e.part_a == 1]
    assert max(e.speed for e in planked) > 0.5
    assert feel.hit() == max(e.speed for e in events if e.kind == "begin" and e.b in (HULL, NOSE))
    assert 2.3 < way[:, 2].max() < 3.2  # it came up there, and not over
    assert way[-1, 2] < 0.5  # and is down again
    assert way[-1, 0] > 190.0
    assert sim.info["segments_lost"] == 0


@needs_speed
def test_a_sled_hits_a_closed_ramp_as_fast_as_it_came(grounds):
    """B-48, B-75: the ramp at the right from 300 m to 308 m is a board on the rim there. A sled that flies above the
    channel comes with 4 m/s across, and 12 m/s along a track that bends to the right with 1/85 to 1/50 m meanwhile,
    which takes away 12 m/s times 12 x 0.1 m/s over 60 m, 0.25 m/s."""
    sim, feel, events = put(grounds, 301.0, 12.0, -4.0, 0.8)
    way = followed(grounds, sim, feel, 0.4, 301.0)
    first = next(e for e in events if e.kind == "begin" and e.b in (HULL, NOSE))
    assert first.part_a == 1
    assert way[round(first.time / LOOK), 0] < 308.0
    assert first.speed == pytest.approx(4.0, abs=0.5)
    assert np.abs(way[:, 1]).max() < 0.8  # it does not go through
    assert sim.info["segments_lost"] == 0


@needs_speed
def test_a_sled_that_tips_over_goes_on_sliding_on_the_track(grounds):
    """B-80: nobody steers, so it falls in curve 1; it lies on its rim, slides on, is told, and loses speed to it."""
    sim, feel, _ = put(grounds, 60.0, 22.0, -1.0)
    way = followed(grounds, sim, feel, 4.0, 60.0)
    assert feel.tipped
    assert np.all(np.diff(way[:, 0]) > 0.0)  # on and on
    assert np.abs(way[:, 1]).max() < 2.5
    assert 0.0 < way[:, 2].min() < way[:, 2].max() < 2.6
    assert sim.info["segments_lost"] == 0
    assert np.isfinite(sim.state.flat).all()


def test_another_set_up_is_saved_and_read(grounds, tmp_path):
    game = Game(grounds, Setup(), tmp_path)
    dialog = set_up(game)
    dialog.set("start_speed", 11.0)
    dialog.set("front_springs", "hard")
    dialog.save("mine")
    dialog.set("start_speed", 5.0)
    dialog.load("mine")
    assert dialog.values["start_speed"] == 11.0
    assert Setup.load(tmp_path / "setups" / "mine.toml").front_springs == "hard"


def test_the_sun_is_moved_and_night_falls(grounds, tmp_path):
    game, told = Game(grounds, Setup(), tmp_path), []
    game.view = SimpleNamespace(light=told.append, show=lambda name, on: told.append((name, on)))
    by_name = {switch.name: switch for switch in switches(game)}
    for name, value in (("sun from", 90.0), ("sun height", 12.0), ("night", 1.0), ("sun sails", 1.0)):
        by_name[name].put(None, value)
    assert [(light.azimuth_deg, light.elevation_deg) for light in told[:2]] == [(90.0, 30.0), (90.0, 12.0)]
    assert len(told[2].lamps) == len(grounds.lamps)
    assert told[3] == ("sails", True)
    assert [by_name[name].value(None) for name in ("sun from", "sun height", "night", "sun sails")] == [90, 12, 1, 1]


def test_a_folder_that_cannot_keep_runs_is_refused_before_anybody_drives(tmp_path):
    from typer.testing import CliRunner

    from gelenk.cli import app

    taken = tmp_path / "taken"
    taken.write_text("a file")
    made = CliRunner().invoke(app, ["drive", "bobsleigh", "--no-browser", "--folder", str(taken)])
    assert isinstance(made.exception, gk.InputError)
    assert "a folder where runs can be written" in str(made.exception)
    assert "look at one" not in made.output


def test_a_world_that_cannot_be_driven_is_named():
    from typer.testing import CliRunner

    from gelenk.cli import app

    made = CliRunner().invoke(app, ["drive", "top"])
    assert isinstance(made.exception, gk.InputError)
    assert "bobsleigh" in str(made.exception)
