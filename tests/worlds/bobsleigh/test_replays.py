"""Recorded descents, seen again: lines of the runners, clock, track around them, pictures (B-71, B-89)."""

import csv
import shutil

import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from gelenk import compile as compiler
from gelenk.run.run import load_run
from gelenk.view.from_page import Pause, Play, Reset
from gelenk.view.overlay import Overlay
from gelenk.worlds import dressed
from gelenk.worlds.bobsleigh.analysis.runs import descent_on, lines_of, track_of
from gelenk.worlds.bobsleigh.drive.best_run import BestRun
from gelenk.worlds.bobsleigh.drive.drawn_lines import NAMES, ON_ICE, SPACING, above_ice, drawn_lines
from gelenk.worlds.bobsleigh.drive.game import LOOK, PAUSED, Game, H, play
from gelenk.worlds.bobsleigh.drive.replays import Clockwork
from gelenk.worlds.bobsleigh.drive.scene import HULL, Grounds
from gelenk.worlds.bobsleigh.drive.sketch import sketch
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.pilot import Hands, Pilot
from gelenk.worlds.bobsleigh.recording import about, folder_name
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.read import track_file
from view.pages import Page

pytestmark = pytest.mark.skipif(not compiler.ENABLED, reason="some thousand steps of a sled")


@pytest.fixture(scope="module")
def grounds():
    return Grounds(load_track("s13"))


@pytest.fixture(scope="module")
def driven(grounds, tmp_path_factory):
    """A second and a half from the start on, with the live lines and clock of the game."""
    game = Game(grounds, Setup(start_speed=14.0), tmp_path_factory.mktemp("drive"))
    sim, seen = game.simulation(), []

    def control(t, sim):
        game.control(t, sim)
        seen.append({name: np.array(point) for name, point in game.feelings.marks.items()})

    return sim.run(1.5, control=control, control_every=LOOK, output_dt=LOOK, progress=False), seen


def test_lines_of_a_file_are_those_that_were_drawn_live(grounds, driven):
    """Every point that touched in a step was on the ice at that sample: contacts are those of the step before, 3 mm on
    the way at 14 m/s, and the ice between sections is known to some mm."""
    run, seen = driven
    lines = {line.name: np.array(line.points) for line in drawn_lines(run, grounds.track)}
    assert sorted(lines) == sorted(NAMES)
    for name, points in lines.items():
        drawn = points[np.isfinite(points[:, 0])]
        assert np.linalg.norm(np.diff(drawn, axis=0), axis=1).min() >= SPACING
        live = np.array([marks[name] for marks in seen[2:] if name in marks])
        assert above_ice(grounds.track, live).max() < ON_ICE
        nearest = min(np.linalg.norm(live - drawn[len(drawn) // 2], axis=1))
        assert nearest < 14.0 * 1.1 * H + 1e-3 + 0.5 * 14.0 * LOOK
        assert len(drawn) > 0.8 * 14.0 * 1.5 / (SPACING + 14.0 * LOOK)


def test_a_runner_in_the_air_draws_nothing(grounds):
    """Let go 0.5 m above the ice it falls for sqrt(2 h / g) = 0.32 s."""
    model = grounds.model(Setup(start_speed=10.0), 20.0)
    sim = gk.Simulation(model, gk.MoreauTree(h=H, order=1))
    for one in model.bodies:
        if not one.static:
            sim.state.p_WC[model.index(one.name)] += (0.0, 0.0, 0.5)
    run = sim.run(0.6, output_dt=LOOK, progress=False)
    for line in drawn_lines(run, grounds.track):
        assert line.times[0] == pytest.approx(np.sqrt(2 * 0.5 / 9.81), abs=0.03)  # the slope of the track is 1 in 8


def test_the_clock_over_a_replay_is_that_of_the_drive(driven, grounds):
    run, _ = driven
    clock, overlay = Clockwork(run, grounds.track), Overlay()
    clock.show(overlay, 1.0)
    hull = run[HULL]
    k = round(1.0 / LOOK)
    assert overlay.speed == pytest.approx(np.linalg.norm(hull.velocity[k]), rel=1e-3)
    assert overlay.clock == pytest.approx(1.0, abs=1e-3)  # the sled begins where the clock does
    assert overlay.splits == []
    assert overlay.g[1] == pytest.approx(1.0, abs=0.2)


def test_the_track_of_a_run_is_found_or_asked_for(driven):
    run, _ = driven
    assert track_of(run).name == "S-13"
    for name, words in (("bobsleigh on S-13", "Name that one"), ("bobsleigh on the moon", "--track FOLDER")):
        b = gk.Builder(name=name)
        b.body(HULL, shape=gk.Sphere(1.0), density=1.0, at=(0, 0, 5000))
        with pytest.raises(gk.InputError, match=words):
            track_of(gk.Simulation(b.build(), gk.FreeMotion(h=0.01)).run(0.1))
    assert dressed([falling()]) == {}


def test_lines_of_a_run_driven_by_hand_are_those_of_its_clock(driven, grounds, tmp_path):
    """It keeps no places of its own: they are found beside the track, and the sled was where its speed took it."""
    run, _ = driven
    track, lines = lines_of([run.save(tmp_path / "mine.h5")])
    line = lines["mine"]
    assert track.name == "S-13"
    way = np.concatenate(([0.0], np.cumsum(0.5 * (line.speed[1:] + line.speed[:-1]) * np.diff(line.t))))
    # along the plan, which is shorter than the way by 1 - cos of at most 7 degrees
    assert line.s[-1] - line.s[0] == pytest.approx(way[-1], rel=8e-3)
    assert np.abs(line.offset).max() < 0.05
    assert descent_on(run, track).times == pytest.approx(Clockwork(run, track).times, nan_ok=True)


def test_a_track_of_ones_own_is_found_where_it_was(driven, tmp_path, monkeypatch):
    """Wherever one is; where it was moved, it is asked for."""
    folder = tmp_path / "hill"
    shutil.copytree(track_file("s13").parent, folder)
    text = (folder / "track.toml").read_text(encoding="utf-8")
    (folder / "track.toml").write_text(text.replace('"S-13"', '"Hill"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    texts = about(Setup(), "hill")
    assert texts["track"] == str(folder.resolve())
    assert folder_name(texts["track"]) == "hill"
    assert about(Setup(), "S13")["track"] == "s13"
    b = gk.Builder(name="bobsleigh on Hill")
    b.body(HULL, shape=gk.Sphere(1.0), density=1.0, at=tuple(load_track("hill").line.at([30.0]).position[0]))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=0.01))
    sim.run(0.1, file=tmp_path / "one.h5", about=texts, progress=False).close()
    monkeypatch.chdir("/")
    with load_run(tmp_path / "one.h5") as run:
        assert track_of(run).name == "Hill"
        folder.rename(tmp_path / "moved")
        with pytest.raises(gk.InputError, match=r"track 'Hill'.*--track FOLDER"):
            track_of(run)
        assert track_of(run, tmp_path / "moved").name == "Hill"


def falling():
    b = gk.Builder(name="stone")
    b.body("stone", shape=gk.Sphere(0.1), density=2000)
    return gk.simulate(b.build(), t_end=0.1)


def test_a_replay_wears_its_track(driven):
    run, _ = driven
    view = gk.replay(run, wait=False, browser=False, playing=False, **dressed([run]))
    try:
        with Page(view) as page:
            page.until(lambda: {"scenery", "rigs", "hud", "light"} <= page.newest.keys())
            names = [node["name"] for node in page.newest["scene"]["nodes"]]
            assert all(names[item["node"]] != "ice" for item in page.newest["scene"]["items"])
            assert {"ice", "boards", "mountains"} <= {piece["name"] for piece in page.newest["scenery"]["pieces"]}
            assert [rig["name"] for rig in page.newest["rigs"]["rigs"]] == ["pilot", "behind", "trackside"]
            assert page.newest["look"]["rig"] == "behind"
            view.look("pilot")
            page.until(lambda: page.newest["look"]["rig"] == "pilot")
    finally:
        view.close()


def test_a_sketch_shows_the_red_sled_on_the_ice(driven, grounds, tmp_path):
    run, _ = driven
    file = sketch(run, grounds.track, len(run) - 1, tmp_path / "sled.png")
    picture = np.asarray(Image.open(file).convert("RGB")).astype(int)
    tall, wide, _ = picture.shape
    red = (picture[..., 0] > 110) & (picture[..., 1] < 60) & (picture[..., 2] < 70)
    assert 0.002 < red.mean() < 0.2
    y, x = np.argwhere(red).mean(axis=0)
    assert 0.3 * wide < x < 0.7 * wide
    assert 0.35 * tall < y < 0.85 * tall
    below = picture[int(0.9 * tall), int(0.45 * wide) : int(0.55 * wide)]
    assert (below.min(axis=1) > 140).mean() > 0.9  # ice


def test_every_run_is_kept_with_its_set_up_and_a_line_in_the_logbook(grounds, tmp_path):
    """Begun anew twice, and closed in the middle of a third: all are whole files, of which one can make replays."""
    view = play(grounds, Setup(pilot="Anna"), folder=tmp_path, wait=False, browser=False)
    try:
        with Page(view) as page:
            assert not (tmp_path / "runs").exists()  # nothing before a start
            for wanted in (1, 2):
                page.send(Play())
                page.until(lambda: view.sim.time > 0.1)
                page.send(Pause())
                page.until(lambda: page.newest.get("hud", {}).get("note") == PAUSED)
                page.send(Reset())
                page.until(lambda wanted=wanted: len(lines(tmp_path)) == wanted)
            assert view.live.clock.most_lag == 0.04
    finally:
        view.close()
    files, rows = sorted((tmp_path / "runs").glob("*.h5")), lines(tmp_path)
    assert {row["file"] for row in rows} == {file.name for file in files}
    assert len(rows) >= 2
    for k, row in enumerate(rows):
        file = tmp_path / "runs" / row["file"]
        with load_run(file) as run:
            assert run.status == ("finished" if k < 2 else "interrupted")
            assert run.time[-1] > 0.05 or k == 2
            np.testing.assert_allclose(np.diff(run.time)[:-1], LOOK, atol=1e-9)
        assert Setup.load(file.with_suffix(".toml")).pilot == "Anna"


def lines(folder):
    if not (folder / "runs.csv").exists():
        return []
    return list(csv.DictReader((folder / "runs.csv").read_text().splitlines()))


@pytest.mark.proof
def test_a_whole_run_through_the_hands_is_the_best_and_goes_along_as_a_ghost(grounds, tmp_path):
    """The pilot model moves the ropes in 12 bits; behind filter and limits it comes down S-13, is timed and kept."""
    game = Game(grounds, Setup(), tmp_path)
    sim, hands, line = game.simulation(), Hands(Pilot(), Banking(grounds.track), LOOK), grounds.track.line
    seen = {"s": 0.0, "hits": 0.0, "moment": 0.0}

    def control(t, sim):
        place = line.project(sim[HULL].com, near=seen["s"])
        seen["s"] = float(place.s[0])
        speed = float(np.linalg.norm(sim[HULL].velocity))
        angle = hands.steer(seen["s"], float(place.left[0]), float(place.height[0]), speed)
        hand = -np.sign(angle) * (abs(angle) / np.radians(10.0)) ** game.setup.directness
        game.steering.value = round(hand * 2047) / 2047
        game.control(t, sim)
        seen["moment"] = max(seen["moment"], abs(game._moment))

    while seen["s"] < grounds.track.finish + 5.0 and sim.time < 60.0:
        sim.advance(0.5, control=control, control_every=LOOK)
    assert game.timing.finished
    assert not game.feelings.tipped
    assert game.timing.passed[-1].time == pytest.approx(51.7, abs=0.5)  # the pilot model alone: 51.74 s
    assert BestRun.load(game.best_file, len(grounds.track.timing)) is not None
    assert 20.0 < seen["moment"] < 1000.0
    game.restart()
    (ghost,) = game.ghosts()
    at_start = ghost.poses(sim)
    assert np.linalg.norm(at_start[sim.model.index(HULL), :3] - line.at([0.0]).position[0]) < 3.0
