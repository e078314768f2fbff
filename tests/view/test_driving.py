"""What is added for driving: sounds (B-74 to B-76), cameras (B-67), overlay (B-68), dialog (B-64), ghosts, traces."""

import base64
import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.frame import GHOST
from gelenk.view.from_page import AskTraces, FormAct, SetField
from view.models import H, falling_simulation
from view.pages import Page, viewed


def choose():
    return gk.Dialog(
        "Set-up",
        [
            gk.NumberField("speed", 5, low=0, high=20, unit="m/s"),
            gk.ChoiceField("springs", "soft", ["soft", "hard"]),
            gk.TextField("pilot", "A. N. Other"),
        ],
        apply=lambda values: None,
    )


def files(folder, applied):
    def write(path, values):
        path.write_text(repr(values))

    def read(path):
        return eval(path.read_text())  # what write wrote, in a folder of the test

    dialog = choose()
    return gk.Dialog("Set-up", dialog.fields.values(), apply=applied.append, folder=folder, write=write, read=read)


def test_a_hit_is_told_by_its_number_and_the_loudest_is_heard():
    hit = gk.Hit("bumper")
    assert hit.now()[:2] == (0.0, 0.0)
    for loudness in (0.2, 0.9, 0.0, 0.4):
        hit.strike(loudness)
    assert hit.now()[:2] == (1.0, 0.9)
    hit.strike(0.1)
    assert hit.now()[:2] == (2.0, 0.1)
    hit.strike(0.0)  # no blow at all
    assert hit.now()[:2] == (2.0, 0.1)
    with pytest.raises(gk.InputError, match="loudness"):
        hit.strike(math.nan)


def test_noises_and_hits_reach_the_page_and_noise_is_silent_while_it_pauses():
    wind, hit = gk.Noise("wind", cutoff=300, volume=2.0), gk.Hit("hit")
    hit.strike(0.5)
    with viewed(falling_simulation(), outputs=[wind, hit], playing=False) as view, Page(view) as page:
        page.until(lambda: "outputs" in page.newest)
        assert page.newest["outputs"]["noises"] == {"wind": [300, 0, 0]}
        view.live.call(view.live.play)
        page.until(lambda: page.newest["outputs"]["noises"]["wind"] == [300, 1, 0])  # within what can be heard
        assert page.newest["outputs"]["hits"] == {"hit": [1, 0.5, 55, 0.35]}
        assert page.newest["scene"]["noises"] == ["wind", "hit"]


def test_declared_cameras_are_told_and_looked_through_by_name():
    cameras = [
        gk.CockpitCamera("pilot", "box", (0.1, 0, 0.4)),
        gk.FollowCamera("behind", "box"),
        gk.TracksideCamera("side", "box", [(0, 0, 1), (5, 0, 1)]),
    ]
    with viewed(falling_simulation(), playing=False, cameras=cameras, camera="behind") as view, Page(view) as page:
        page.until(lambda: {"rigs", "look"} <= page.newest.keys())
        assert [rig["what"] for rig in page.newest["rigs"]["rigs"]] == ["cockpit", "follow", "trackside"]
        assert page.newest["look"]["rig"] == "behind"
        view.look("side")
        page.until(lambda: page.newest["look"]["rig"] == "side")
        with pytest.raises(gk.InputError, match="pilot, behind, side"):
            view.look("bside")


def test_the_overlay_is_told_when_it_changes():
    overlay = gk.Overlay()
    overlay.speed, overlay.clock = 30.0, math.nan
    overlay.splits = [("50 m", 4.8, None), ("280 m", 16.2, -0.03)]
    overlay.g = (1.0, 2.0, 0.5)
    overlay.say("Start")
    with viewed(falling_simulation(), playing=False, overlay=overlay) as view, Page(view) as page:
        page.until(lambda: "hud" in page.newest)
        hud = page.newest["hud"]
        assert (hud["speed"], hud["clock"], hud["words"], hud["number"]) == (30, None, "Start", 1)
        assert hud["splits"][1] == {"name": "280 m", "time": 16.2, "behind": -0.03}
        overlay.clear()
        overlay.say("New best")
        page.until(lambda: page.newest["hud"]["number"] == 2)
        assert (page.newest["hud"]["speed"], page.newest["hud"]["splits"]) == (None, [])


def test_a_page_chooses_saves_loads_and_applies(tmp_path):
    applied = []
    dialog = files(tmp_path / "setups", applied)
    with viewed(falling_simulation(), playing=False, dialog=dialog) as view, Page(view) as page:
        page.until(lambda: "form" in page.newest)
        page.send(SetField("speed", 12.5))
        page.send(SetField("springs", text="hard"))
        page.send(FormAct("save", "mine"))
        page.until(lambda: page.newest["form"]["names"] == ["mine"])
        page.send(SetField("speed", 1.0))
        page.send(FormAct("load", "mine"))
        page.until(lambda: page.newest["form"]["said"] == "loaded mine")
        page.send(FormAct("apply"))
        page.until(lambda: applied)
    assert applied == [{"speed": 12.5, "springs": "hard", "pilot": "A. N. Other"}]
    assert [path.name for path in (tmp_path / "setups").iterdir()] == ["mine.toml"]


@pytest.mark.parametrize("name", ["../mine", "a/b", "", ".hidden", "x" * 41, "a\\b", "C:mine", "a.toml"])
def test_a_page_never_chooses_a_path(tmp_path, name):
    dialog = files(tmp_path / "setups", [])
    for act in (dialog.save, dialog.load):
        with pytest.raises(gk.InputError, match="name"):
            act(name)
    assert not (tmp_path / "setups").exists()


def test_values_beyond_their_fields_are_refused_and_the_old_ones_stay(tmp_path):
    dialog = files(tmp_path, [])
    for name, value, words in (
        ("speed", 21, "20"),
        ("springs", "none", "hard"),
        ("pilot", " ", "60"),
        ("x", 1, "pilot"),
    ):
        with pytest.raises(gk.InputError, match=words):
            dialog.set(name, value)
    (tmp_path / "bad.toml").write_text(repr({"speed": 5.0, "springs": "gone"}))
    with pytest.raises(gk.InputError, match="gone"):
        dialog.load("bad")
    assert dialog.values == choose().values


def test_a_refused_value_is_told_and_the_page_hears_the_true_one():
    with viewed(falling_simulation(), playing=False, dialog=choose()) as view, Page(view) as page:
        page.until(lambda: "form" in page.newest)
        del page.newest["form"]
        page.send(SetField("speed", 99.0))
        page.until(lambda: page.problems and "form" in page.newest)
        assert page.newest["form"]["fields"][0]["value"] == 5


def test_a_ghost_goes_along_by_the_time_since_the_start(tmp_path):
    before = falling_simulation()
    with before.run(0.5, output_dt=0.01, file=tmp_path / "best.h5") as run:
        started = [None]
        ghost = gk.Ghost(run, since=lambda sim: None if started[0] is None else sim.time - started[0])
        with viewed(falling_simulation(), playing=False, ghosts=[ghost]) as view, Page(view) as page:
            (told,) = page.newest["scene"]["ghosts"]
            assert told["name"] == "ghost"
            start = run.read("position")[0, 0]
            np.testing.assert_allclose(_ghost(page)[1, :3], start, atol=1e-6)  # of float32
            view.live.call(lambda: view.sim.step(100))
            started[0] = view.sim.time
            view.live.call(lambda: view.sim.step(round(0.1 / H)))
            view.live.call(view.session.refresh)
            page.until(lambda: page.frame.time == pytest.approx(view.sim.time))
            np.testing.assert_allclose(_ghost(page)[1, :3], run.read("position")[10, 0], atol=1e-5)
            view.put_ghosts()
            page.until(lambda: page.newest["scene"]["ghosts"] == [])


def _ghost(page):
    (payload,) = (section.payload for section in page.frame.sections if section.kind == GHOST)
    return np.frombuffer(payload, "<f4", offset=4).reshape(-1, 7)


def test_a_trace_keeps_points_some_way_apart_and_lifts_its_pen():
    trace = gk.Trace("runner", spacing=0.1)
    for k in range(21):
        trace.add(0.01 * k, (0.04 * k, 0, 0) if not 8 <= k < 12 else None)
    drawn = np.array(trace.points)
    lifted = np.isnan(drawn[:, 0])
    assert lifted.sum() == 1
    ways = np.linalg.norm(np.diff(drawn, axis=0), axis=1)
    assert np.nanmin(ways) >= 0.1
    assert trace.times == sorted(trace.times)


def test_pages_hear_what_is_drawn_and_late_ones_ask_for_all(tmp_path):
    trace = gk.Trace("shadow", lambda sim: sim["ball"].position * (1, 1, 0), spacing=0.0)
    with viewed(falling_simulation(), traces=[trace]) as view, Page(view) as page:
        page.until(lambda: len(trace.points) > 10)
        view.live.call(view.live.clock.pause)
        page.send(AskTraces())
        page.until(lambda: len(_points(page)) == len(trace.points))  # the parts sent while it ran are shorter
        points = _points(page)
        np.testing.assert_allclose(points, np.float32(trace.points))
        gk.save_traces([trace], tmp_path / "run.npz")
        epoch = trace.epoch
        view.live.call(view.live.reset)
        page.until(lambda: page.newest["traces"]["parts"][0]["epoch"] == epoch + 1)
    (loaded,) = gk.load_traces(tmp_path / "run.npz")
    np.testing.assert_allclose(np.float32(loaded.points), points)
    assert loaded.name == "shadow"


def _points(page):
    (part,) = page.newest.get("traces", {}).get("parts", [{"points": ""}])
    return np.frombuffer(base64.b64decode(part["points"]), "<f4").reshape(-1, 3)


@pytest.mark.parametrize("spoilt", [b"", b"no archive", b"PK\x03\x04 torn"])
def test_what_is_no_file_of_traces_is_named(tmp_path, spoilt):
    (tmp_path / "run.npz").write_bytes(spoilt)
    with pytest.raises(gk.InputError, match=r"run\.npz"):
        gk.load_traces(tmp_path / "run.npz")


def test_a_ghost_of_poses_that_were_kept_goes_between_them():
    times, poses = np.array([0.0, 1.0]), np.zeros((2, 3, 7))
    poses[:, :, 3] = 1.0
    poses[1, 1, :3] = (2.0, 0.0, 4.0)
    ghost = gk.Ghost((times, poses), since=lambda sim: 0.25)
    with viewed(falling_simulation(), playing=False, ghosts=[ghost]) as view, Page(view) as page:
        assert [node["name"] for node in page.newest["scene"]["ghosts"][0]["nodes"]] == ["world", "ball", "box"]
        np.testing.assert_allclose(_ghost(page)[1, :3], (0.5, 0, 1))
        with pytest.raises(gk.InputError, match="rising"):
            gk.Ghost((times[::-1], poses))
        assert view.address


def test_traces_are_there_in_a_replay(tmp_path):
    trace = gk.Trace("line")
    trace.add(0.0, (0, 0, 0))
    trace.add(0.1, (1, 0, 0))
    with falling_simulation().run(0.2, output_dt=0.01, file=tmp_path / "a.h5") as run:
        view = gk.replay(run, wait=False, browser=False, playing=False, traces=[trace])
        try:
            with Page(view) as page:
                page.send(AskTraces())
                page.until(lambda: "traces" in page.newest)
                assert page.newest["traces"]["parts"][0]["name"] == "line"
        finally:
            view.close()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"cameras": [gk.CockpitCamera("a", "bull", (0, 0, 0))]}, "ball"),
        ({"camera": "pilot"}, "front"),
        ({"overlay": "speed"}, "gk.Overlay"),
        ({"dialog": 1}, "gk.Dialog"),
        ({"ghosts": ["best.h5"]}, "gk.Ghost"),
        ({"traces": [1]}, "gk.Trace"),
        ({"outputs": ["wind"]}, "gk.Noise"),
        ({"frames": 0}, "frames"),
    ],
)
def test_what_does_not_fit_is_refused_at_the_door(how, words):
    with pytest.raises(gk.InputError, match=words):
        gk.view(falling_simulation(), wait=False, browser=False, **how)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gk.CockpitCamera("a", "b", (0, 0, 0), toward=(0, 0, 1)), "apart"),
        (lambda: gk.FollowCamera("a", "b", behind=0), "behind"),
        (lambda: gk.TracksideCamera("a", "b", []), "places"),
        (lambda: gk.Noise("a", cutoff=0), "cutoff"),
        (lambda: gk.Hit("a", pitch=1), "pitch"),
        (lambda: gk.Trace("a", 3), "function"),
        (lambda: gk.NumberField("a", 3, low=5, high=9), "9"),
        (lambda: gk.Dialog("a", [], apply=len, folder="x"), "write"),
        (lambda: gk.Overlay(driving=1), "driving"),
    ],
)
def test_what_cannot_be_is_refused_with_words(make, words):
    with pytest.raises(gk.InputError, match=words):
        make()
