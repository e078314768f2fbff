"""Replays: recorded poses as they were, exact on samples and turned the short way between them."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.quat import Quat
from gelenk.view.frame import GHOST
from gelenk.view.from_page import Pause, Play, Replaying, Reset, Seek, Speed, Step, StepSamples
from gelenk.view.recorded import RecordedPoses, between
from gelenk.view.replay import Replay
from gelenk.view.server import PAGE
from view.models import H, falling, gallery
from view.pages import Page
from view.test_session import Heard, turn_until

DT = 20 * H


class Wall:
    """Wall time that passes when it is told to."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def run_of(t_end=1.0, start=0.0, lift=0.0):
    b = gk.Builder.from_model(falling())
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=H), time=start)
    if lift:
        sim["ball"].apply_impulse((0.0, 0.0, lift), at=tuple(sim["ball"].com))
    return sim.run(start + t_end, output_dt=DT)


@pytest.fixture(scope="module")
def recorded():
    return run_of()


def begun(*runs, **options):
    wall = Wall()
    replay = Replay(runs, playing=False, wall=wall, **options)
    heard = Heard(replay)
    replay.begin()
    return replay, heard, wall


def tell(replay, *messages):
    for message in messages:
        replay.send(1, message)
    turn_until(replay, replay.commands.empty)
    replay.turn()


def table(run, k):
    made = np.zeros((3, 7))
    made[0, 3] = 1.0
    for row, name in enumerate(("ball", "box"), start=1):
        made[row, :3], made[row, 3:] = run[name].position[k], run[name].orientation[k]
    return made.astype(np.float32)


def test_every_sample_is_shown_as_it_was(recorded):
    replay, heard, _ = begun(recorded)
    for k, t in enumerate(recorded.time):
        tell(replay, Seek(float(t)))
        assert heard.frames[-1].time == t
        assert np.array_equal(heard.frames[-1].poses, table(recorded, k))


def test_between_samples_it_turns_the_short_way(recorded):
    poses = RecordedPoses(recorded)
    middle = poses.at(0.5 * float(recorded.time[3] + recorded.time[4]))
    a, b = poses.at_sample(3), poses.at_sample(4)
    np.testing.assert_allclose(middle[:, :3], 0.5 * (a[:, :3] + b[:, :3]))
    np.testing.assert_allclose(np.linalg.norm(middle[:, 3:], axis=1), 1.0)
    back = Quat(*a[2, 3:] * [1, -1, -1, -1])
    half, whole = (back * Quat(*m[2, 3:]) for m in (middle, b))
    twice = half * half
    np.testing.assert_allclose([twice.w, twice.x, twice.y, twice.z], [whole.w, whole.x, whole.y, whole.z], atol=1e-12)


def test_quaternions_of_opposite_sign_are_the_same_turn():
    a = np.array([[0, 0, 0, 1.0, 0, 0, 0]])
    b = np.array([[1, 0, 0, -np.cos(0.2), 0, 0, -np.sin(0.2)]])
    made = between(a, b, 0.5)
    np.testing.assert_allclose(made[0], [0.5, 0, 0, np.cos(0.1), 0, 0, np.sin(0.1)], atol=1e-15)
    assert np.array_equal(between(a, a, 0.3), a)


def test_samples_only_shows_nothing_between(recorded):
    replay, heard, _ = begun(recorded)
    tell(replay, Replaying(backwards=False, loop=False, exact=True), Seek(3.7 * DT))
    assert np.array_equal(heard.frames[-1].poses, table(recorded, 3))
    assert heard.frames[-1].time == recorded.time[3]


def test_steps_go_from_sample_to_sample(recorded):
    replay, heard, _ = begun(recorded)
    tell(replay, StepSamples(1))
    assert replay.time == recorded.time[1]
    tell(replay, Step(3))
    assert replay.time == recorded.time[4]
    tell(replay, Seek(4.5 * DT), StepSamples(-1))
    assert replay.time == recorded.time[4]
    tell(replay, Seek(4.5 * DT), StepSamples(1))
    assert replay.time == recorded.time[5]
    tell(replay, StepSamples(-1000))
    assert replay.time == recorded.time[0]
    tell(replay, StepSamples(1000))
    assert replay.time == recorded.time[-1]
    assert heard.told[-1][1].kind == "figures"
    assert replay.playback().sample == len(recorded) - 1


def test_it_plays_at_any_speed_and_ends(recorded):
    replay, _, wall = begun(recorded)
    tell(replay, Speed(0.5), Play())
    wall.now += 0.4
    replay.turn()
    assert replay.time == pytest.approx(0.2, abs=1e-12)
    assert replay.status().run == "playing"
    tell(replay, Pause())
    wall.now += 100.0
    replay.turn()
    assert replay.time == pytest.approx(0.2, abs=1e-12)
    tell(replay, Speed(10.0), Play())
    wall.now += 1.0
    replay.turn()
    assert replay.time == recorded.time[-1]
    assert replay.status().run == "ended"
    tell(replay, Play())
    assert replay.time == recorded.time[0], "from the end it begins again"


def test_it_plays_backwards(recorded):
    replay, _, wall = begun(recorded)
    tell(replay, Replaying(backwards=True, loop=False, exact=False), Seek(0.8), Play())
    wall.now += 0.3
    replay.turn()
    assert replay.time == pytest.approx(0.5)
    wall.now += 1.0
    replay.turn()
    assert replay.time == 0.0
    assert not replay.playing


def test_it_goes_round(recorded):
    replay, _, wall = begun(recorded, loop=True)
    tell(replay, Seek(0.9), Play())
    wall.now += 0.3
    replay.turn()
    assert replay.time == pytest.approx(0.2)
    tell(replay, Replaying(backwards=True, loop=True, exact=False))
    wall.now += 0.5
    replay.turn()
    assert replay.time == pytest.approx(0.7)
    tell(replay, Reset())
    assert replay.time == 0.0


def test_times_outside_are_the_ends(recorded):
    replay, heard, _ = begun(recorded)
    tell(replay, Seek(-5.0))
    assert replay.time == 0.0
    tell(replay, Seek(1e300))
    assert np.array_equal(heard.frames[-1].poses, table(recorded, -1))


@pytest.mark.parametrize("align", ["start", "time"])
def test_ghosts_move_beside_the_first(recorded, align):
    other = run_of(t_end=0.6, start=0.2, lift=100.0)
    replay, heard, _ = begun(recorded, other, align=align)
    scene = replay.scene
    assert [ghost.name for ghost in scene.ghosts] == [other.title]
    assert len({item.colour for item in scene.ghosts[0].items}) == 1
    tell(replay, Seek(float(recorded.time[20])))
    (section,) = heard.frames[-1].sections
    assert section.kind == GHOST
    assert int.from_bytes(section.payload[:4], "little") == 1
    poses = np.frombuffer(section.payload[4:], dtype="<f4").reshape(-1, 7)
    sample = 20 if align == "start" else 10
    assert np.array_equal(poses, table(other, sample))
    assert replay.stop == 1.0
    assert np.array_equal(heard.frames[-1].poses, table(recorded, 20))


def test_static_bodies_are_no_ghosts():
    run = gk.simulate(gallery(), 0.1, method=gk.FreeMotion(h=H))
    replay, _, _ = begun(run, run)
    ghost = replay.scene.ghosts[0]
    moving = {ghost.nodes[item.node].name for item in ghost.items}
    assert "plane" not in moving
    assert {"sphere", "particle", "torus"} <= moving


def test_trails_lead_through_the_centres_of_mass(recorded):
    import base64

    _, heard, _ = begun(recorded)
    told = next(message for _, message in heard.told if message.kind == "trails")
    assert [trail.name for trail in told.trails] == ["ball", "box"]
    points = np.frombuffer(base64.b64decode(told.trails[1].points), dtype="<f4").reshape(-1, 3)
    times = np.frombuffer(base64.b64decode(told.trails[1].times), dtype="<f4")
    np.testing.assert_allclose(points, recorded["box"].com, rtol=1e-6)
    np.testing.assert_allclose(times, recorded.time, rtol=1e-6)


def test_a_simulation_cannot_be_steered_in_a_replay(recorded):
    replay, heard, _ = begun(recorded)
    from gelenk.view.from_page import (
        Record,
    )

    tell(replay, Record(True))
    assert "record" in heard.problems()[0]


def test_wrong_arguments_are_refused(recorded, tmp_path):
    with pytest.raises(gk.InputError, match="1 to"):
        gk.replay()
    with pytest.raises(gk.InputError, match="no such file"):
        gk.replay(tmp_path / "none.h5")
    with pytest.raises(gk.InputError, match="align"):
        gk.replay(recorded, align="end")
    with pytest.raises(gk.InputError, match="speed"):
        gk.replay(recorded, speed=-1.0)


@pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
def test_over_the_socket(recorded, tmp_path):
    file = recorded.save(tmp_path / "falling.h5")
    view = gk.replay(file, recorded, wait=False, playing=False, browser=False)
    with view, Page(view) as page:
        assert page.newest["scene"]["duration"] == 1.0
        page.send(Seek(float(recorded.time[30])))
        page.until(lambda: page.frame.time == recorded.time[30])
        assert np.array_equal(page.frame.poses, table(recorded, 30))
        page.until(lambda: page.newest["playback"]["sample"] == 30)
        assert page.newest["trails"]["trails"]
        with Page(view) as late:  # is told all of it too
            late.until(lambda: {"playback", "trails"} <= late.newest.keys())
            assert np.array_equal(late.frame.poses, page.frame.poses)
