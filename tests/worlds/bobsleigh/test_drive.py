"""Driving the bobsleigh: what is kept of the best run, what is felt, and a start by hand (B-62 to B-81)."""

from types import SimpleNamespace

import numpy as np
import pytest

import gelenk as gk
from gelenk import compile as compiler
from gelenk.worlds.bobsleigh.drive.best_run import EVERY, BestRun, PoseKeeper
from gelenk.worlds.bobsleigh.drive.feelings import Feelings
from gelenk.worlds.bobsleigh.drive.game import LOOK, Game
from gelenk.worlds.bobsleigh.drive.scene import HULL, NOSE, Grounds
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track


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


def body(velocity=(0, 0, 0), turn=(0, 0, 0)):
    R = np.eye(3)
    return SimpleNamespace(
        position=np.zeros(3), velocity=np.array(velocity), angular_velocity=np.array(turn), rotation=R
    )


def touch(name, point, normal):
    return SimpleNamespace(a="ice", b=name, point=np.array(point), normal=np.array(normal))


def test_a_hit_is_as_hard_as_the_point_came_before_it():
    """The ice is to the left, its normal points to the right (-x): the point comes with  v + w x r  along it."""
    bodies = {HULL: body(), NOSE: body((3.0, 0, 0), (0, 0, -1.0))}
    sim, feel = Still(bodies=bodies, contacts=[]), Feelings()
    feel.look(sim, 0.01)
    assert feel.hit == 0.0
    bodies[NOSE] = body((0, 0, 0))  # after the impact it has turned round or stopped
    sim.contacts = [touch(NOSE, (0.0, 0.5, 0.0), (-1.0, 0.0, 0.0))]
    feel.look(sim, 0.01)
    assert feel.hit == pytest.approx(3.0 + 0.5)  # w x r = (0, 0, -1) x (0, 0.5, 0) = (0.5, 0, 0)
    feel.look(sim, 0.01)
    assert feel.hit == 0.0  # it leans there, and hits no more


def test_rest_weighs_one_g_and_a_curve_more():
    sim, feel = Still(bodies={HULL: body(), NOSE: body()}, contacts=[]), Feelings()
    for _ in range(200):
        feel.look(sim, 0.01)
    np.testing.assert_allclose(feel.load, (0, 0, 1), atol=1e-9)  # axes of the body are those of the world here
    for k in range(300):
        sim.bodies[HULL] = body((3 * 9.81 * 0.01 * k, 0, 0))
        feel.look(sim, 0.01)
    np.testing.assert_allclose(feel.load, (3, 0, 1), atol=1e-6)  # exp(-300 * 0.01 / 0.08) is gone


@pytest.fixture(scope="module")
def grounds():
    return Grounds(load_track("s13"))


def test_all_around_the_track_is_made(grounds):
    names = [piece.name for piece in grounds.scenery()]
    assert {"ice", "land", "conifers", "lamp posts", "banners", "sails"} <= set(names)
    assert [camera.name for camera in grounds.cameras()] == ["pilot", "behind", "trackside"]


@pytest.mark.skipif(not compiler.ENABLED, reason="some thousand steps of a sled")
def test_a_game_starts_is_timed_heard_and_begun_anew(grounds, tmp_path):
    game = Game(grounds, Setup(start_speed=10.0), tmp_path)
    sim = game.simulation()
    begun = sim.state.flat.copy()
    sim.run(0.6, control=game.control)
    assert game.timing.started == pytest.approx(0.0, abs=LOOK)  # the clock starts where the sled does
    assert game.overlay.speed == pytest.approx(np.linalg.norm(sim[HULL].velocity), rel=0.02)
    assert game.wind.volume > 0.05
    assert game.feelings.marks
    assert game.feelings.load[1] == pytest.approx(1.0, abs=0.3)
    game.steering.value = -1.0  # to the left
    sim.run(1.0, control=game.control)
    assert sim.sensors["steering.angle"] > 0.05
    game.restart()
    assert game.timing.started is None
    again = game.simulation()
    np.testing.assert_array_equal(again.state.flat, begun)  # B-81: every run begins alike


def test_another_set_up_is_saved_and_read(grounds, tmp_path):
    game = Game(grounds, Setup(), tmp_path)
    dialog = game.dialog()
    dialog.set("start_speed", 11.0)
    dialog.set("front_springs", "hard")
    dialog.save("mine")
    dialog.set("start_speed", 5.0)
    dialog.load("mine")
    assert dialog.values["start_speed"] == 11.0
    assert Setup.load(tmp_path / "setups" / "mine.toml").front_springs == "hard"


def test_a_world_that_cannot_be_driven_is_named():
    from typer.testing import CliRunner

    from gelenk.cli import app

    made = CliRunner().invoke(app, ["drive", "top"])
    assert isinstance(made.exception, gk.InputError)
    assert "bobsleigh" in str(made.exception)
