"""Faster lines: stretches go on as they were going, shifts act where they are, what is found is found again (B-91)."""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gelenk.cli import app
from gelenk.errors import InputError
from gelenk.worlds import bobsleigh
from gelenk.worlds.bobsleigh.best.best import Effort, best_line
from gelenk.worlds.bobsleigh.best.course import Course, CoursePlan
from gelenk.worlds.bobsleigh.best.line_file import BestLine
from gelenk.worlds.bobsleigh.best.places import Places
from gelenk.worlds.bobsleigh.best.proof import descents, without_shifts
from gelenk.worlds.bobsleigh.descent import descend
from gelenk.worlds.bobsleigh.pilot.pilot import CALM, Pilot, shift_line
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.plan import PlanCurve

S13 = load_track("s13")
H = 1e-3


@cache
def plan():
    """The first curve of S-13 and the straight before it, entered faster, so that a run is short."""
    line = TrackLine(PlanCurve(S13.curves[:1], -40.0), S13.line.heights)
    track = replace(S13, name="short", line=line, splits=(), finish=118.0, walls=())
    return CoursePlan(track=track, setup=Setup(start_speed=14.0), h=H)


@cache
def course():
    return Course(plan())


def test_a_shift_acts_no_further_than_to_the_second_place():
    s = np.array([0.0, 10.0, 25.0, 40.0, 50.0, 65.0, 80.0, 95.0])
    shift = np.array([0.0, 0.0, 0.3, -0.2, 0.1, 0.4, 0.0, 0.0])
    other = shift.copy()
    other[3] = 0.5
    at = np.linspace(-5.0, 100.0, 400)
    one, two = (np.array([shift_line(s, by, local=True)(x) for x in at]) for by in (shift, other))
    same = (at <= 10.0) | (at >= 65.0)
    np.testing.assert_array_equal(one[same], two[same])
    assert (one[~same] != two[~same]).mean() > 0.9
    line = shift_line(s, shift, local=True)
    assert [line(x) for x in s] == pytest.approx(shift.tolist(), abs=1e-12)
    assert one[[0, -1]].tolist() == [0.0, 0.0]


def test_places_lie_in_the_curves_and_free_ends_beside_them():
    places = Places.on(S13)
    assert len(places.bends) == len(places.of) == 13
    for bend, mine in zip(places.bends, places.of):
        assert ((places.s[mine] > bend.entry) & (places.s[mine] < bend.exit)).all()
    assert sum(mine.stop - mine.start for mine in places.of) == len(places.s) - 4
    assert (np.diff(places.s) > 5.0).all()
    assert places.begin(0) < places.bends[0].entry
    assert places.next_exit(12) == S13.finish


def test_a_stretch_goes_on_from_a_kept_moment():
    """State, hands and their memory: what follows is what would have followed, but for round-off.

    Joints take their coordinates anew from the poses of bodies, which costs the last digits; contact feeds them on.
    """
    pilot, shift = Pilot(delay=0.05), shift_line([20.0, 50.0, 80.0, 110.0], [0.0, 0.3, -0.3, 0.0], local=True)
    whole = course().drive(pilot, shift, course().start(), 118.0, keep=(60.0, 100.0))
    assert whole.arrived
    for moment, place in zip(whole.moments, (60.0, 100.0)):
        assert place - 4.0 < moment.s < place  # the last of the moments 0.05 s apart
        on = course().drive(pilot, shift, moment, 118.0)
        rows = whole.seen[-len(on.seen) :]
        np.testing.assert_allclose(on.seen[:, 1:], rows[:, 1:], rtol=0.0, atol=1e-9)
        assert on.time == pytest.approx(whole.time, abs=1e-10)


def test_a_stretch_that_does_not_arrive_says_so():
    off = shift_line([40.0, 60.0, 80.0, 100.0, 120.0], [0.0, 0.0, -3.0, -3.0, 0.0], local=True)
    made = course().drive(Pilot(offset_gain=20.0, damping=0.0), off, course().start(), 5000.0)
    assert not made.arrived
    assert np.isnan(made.speed)


@cache
def found(aim):
    told = []
    effort = Effort(rounds=1, size=4, workers=1, seed=3)
    made = best_line(plan(), Pilot(), aim=aim, effort=effort, told=lambda *what: told.append(what))
    return made, told


@pytest.mark.parametrize("aim", ["finish", "speed"])
def test_what_is_found_is_found_again_by_a_descent(aim):
    """A descent that knows nothing of the search gains the same, to round-off of the times; aim finish ends there."""
    made, told = found(aim)
    [curve] = made.found
    assert curve.number == 1
    assert curve.trials == 5
    assert curve.after <= curve.before
    assert [what[:3] for what in told] == [(1, 1, 1)]
    assert told[-1][3] == pytest.approx(curve.before - curve.after, abs=1e-12)
    calm, line = (
        descend(plan().track, model=course().model, banking=course().banking, pilot=Pilot(), shift=shift, h=H)
        for shift in (None, made.line.shift)
    )
    if aim == "finish":
        assert calm.times[-1] - line.times[-1] == pytest.approx(curve.before - curve.after, abs=1e-9)
    else:
        exit_ = Places.on(plan().track).bends[0].exit
        gained = [float(run.line.at([exit_]).speed[0]) for run in (line, calm)]
        assert gained[0] - gained[1] == pytest.approx(
            curve.before - curve.after, abs=2e-3
        )  # between looks it is linear


def test_equal_seeds_find_equal_lines():
    made, _ = found("finish")
    again = best_line(plan(), Pilot(), effort=Effort(rounds=1, size=4, workers=1, seed=3))
    assert again.line == made.line
    assert again.found == made.found


def test_ctrl_c_keeps_what_was_found():
    def press(*what):
        raise KeyboardInterrupt

    made = best_line(plan(), Pilot(), effort=Effort(rounds=5, size=4, workers=1, seed=3), told=press)
    assert made.stopped
    [curve] = made.found
    assert curve.trials == 5
    assert curve.after <= curve.before


def test_a_line_comes_back_from_its_file(tmp_path):
    made, _ = found("finish")
    line = replace(made.line, notes=("found in a test",))
    file = line.save(tmp_path / "short.toml")
    back = BestLine.load(file)
    assert replace(back, notes=line.notes) == line
    assert "# found in a test" in file.read_text()
    with pytest.raises(InputError, match=r"'short' on 'S-13'.*the track 'short'"):
        bobsleigh.build(track="s13", pilot=str(file))


def test_a_world_takes_a_line(tmp_path):
    """--pilot FILE: who steers is the pilot of the file, on its line."""
    line = BestLine(track="S-13", pilot=Pilot(name="mine", lag=0.2), places=(50.0, 60.0, 70.0), shifts=(0.0, 0.2, 0.0))
    pilot, shift = bobsleigh.pilot_and_line(str(line.save(tmp_path / "mine.toml")), "S-13")
    assert pilot == line.pilot
    assert shift(60.0) == pytest.approx(0.2)
    seat = bobsleigh.running("s13", str(tmp_path / "mine.toml"))["control"]
    assert seat.hands.pilot == line.pilot
    assert seat.hands.shift(60.0) == pytest.approx(0.2)
    assert bobsleigh.pilot_and_line("calm", "S-13") == (CALM, None)
    assert bobsleigh.pilot_and_line("nobody", "S-13") == (None, None)
    with pytest.raises(InputError, match=r"FILE\.toml"):
        bobsleigh.pilot_and_line("cal", "S-13")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("track = ", "TOML"),
        ("track = 'a'", "KeyError"),
        ("track = 'a'\n[pilot]\nnam = 'x'\n[line]\nshifts = [[0, 0], [1, 0]]", "TypeError"),
        ("track = 'a'\n[pilot]\n[line]\nshifts = [[0, 0, 1]]", "ValueError"),
        ("track = 'a'\n[pilot]\n[line]\nshifts = [[5, 0], [1, 0]]", "rising places"),
    ],
)
def test_files_that_are_no_line_are_refused(tmp_path, text, message):
    file = tmp_path / "line.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        BestLine.load(file)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"curves": [14]}, "curve"),
        ({"aim": "far"}, "aim"),
        ({"effort": {"spread": 0.0}}, "spread"),
    ],
)
def test_searches_that_cannot_be_are_refused(words, message):
    with pytest.raises(InputError, match=message):
        best_line(
            CoursePlan(track=S13, setup=Setup()),
            Pilot(),
            **{k: Effort(**v) if k == "effort" else v for k, v in words.items()},
        )


TRACK = """
name = "hill"
start = -20.0
start_height = 30.0
finish = 55.0
curves = "curves.csv"
heights = "heights.csv"
[sections.rule]
"""
CURVES = """curve,turn,begin,bend,entry_length,entry_a2,arc_length,radius,exit_length,exit_a2,end
1,-1,-20,8,20,1200,4,60,20,1200,90
"""
HEIGHTS = "middle,slope_in,slope_out,radius\n85,-0.10,-0.05,100\n"


def test_the_command_searches_proves_and_draws(tmp_path, monkeypatch):
    """What it writes can be driven, and whole descents at two steps gain what trials did, to a tenth of that."""
    monkeypatch.chdir(tmp_path)
    rule = [f"{k} = [{v[0]}, {v[1]}]" for k, v in S13.sections.rule.items()]
    for name, text in (("track.toml", TRACK + "\n".join(rule)), ("curves.csv", CURVES), ("heights.csv", HEIGHTS)):
        Path(name).write_text(text)
    Setup(start_speed=22.0).save("setup.toml")
    words = ["track", "best", ".", "--setup", "setup.toml", "--rounds", "2", "--workers", "1", "--out", "mine.toml"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    assert Path("mine.png").read_bytes().startswith(b"\x89PNG")
    line = BestLine.load("mine.toml")
    assert bobsleigh.pilot_and_line("mine.toml", "hill")[0] == line.pilot
    all_of_it = float(re.search(r"all together ([+-][\d.]+) s", done.output)[1])
    at_the_end = [float(x) for x in re.findall(r"ms +55 m .* s +([+-][\d.]+) s", done.output)]
    assert len(at_the_end) == 2
    assert all_of_it > 0.0
    assert at_the_end == pytest.approx([all_of_it] * 2, rel=0.1, abs=1.5e-4)  # four places are told


@pytest.mark.proof
def test_the_line_for_s13_is_faster_at_every_step():
    """Whole descents at 0.2 ms and 0.1 ms, apart from the search, whose trials took other steps.

    What a line gains depends on the step by some hundredths of a second, since a swing at one exit is the entry of the
    next curve; a quarter of a second is far above that.
    """
    line = BestLine.load(Path(__file__).parents[3] / "examples" / "07_bobsleigh" / "s13_line.toml")
    gained = []
    for calm, fast in descents(S13, Setup(), [without_shifts(line), line], (2e-4, 1e-4)):
        gained.append(calm.times - fast.times)
        assert calm.finished
        assert fast.finished
        assert fast.height.max() < 2.6
    assert gained[0][-1] > 0.25
    assert gained[1][-1] > 0.25
    np.testing.assert_allclose(gained[0], gained[1], atol=0.04)
    assert (np.diff(gained, axis=1) > -0.01).all()  # it gains all the way down
