"""Commands on recorded descents: export, lines, steering, plots of anything; learning (B-69, B-70, B-84 to B-87)."""

from functools import cache

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import gelenk as gk
from gelenk.cli import app
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.runs import bends_of, lines_of, steering_moment
from gelenk.worlds.bobsleigh.descent import Seat, descent_model
from gelenk.worlds.bobsleigh.ensemble import Case, save_times
from gelenk.worlds.bobsleigh.pilot.easy_line import EasyLine
from gelenk.worlds.bobsleigh.pilot.learn import learn
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
from gelenk.worlds.bobsleigh.pilot.programme import Programme
from gelenk.worlds.bobsleigh.record_xml import load_xml
from gelenk.worlds.bobsleigh.recording import about, recording
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track
from gelenk.worlds.bobsleigh.track.point_mass import PointMass, slide

S13 = load_track("s13")
T_END = 2.5


@cache
def known():
    return descent_model(S13, Setup()), EasyLine(S13)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The first 20 m of a descent as ``gelenk run bobsleigh`` records it."""
    model, line = known()
    path = tmp_path_factory.mktemp("runs") / "one.h5"
    sim = gk.Simulation(model, gk.MoreauTree(h=2e-4, order=1))
    asked = recording(Seat(S13, Pilot(), line))
    sim.run(T_END, file=path, progress=False, about=about(Setup(), "s13"), **asked).close()
    return path


def call(*words):
    """A command that works."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def drawn(path):
    with Image.open(path) as picture:
        return len(picture.convert("L").getcolors(256)) > 20  # lines, letters and their edges


def test_a_run_is_exported_as_text(file, tmp_path):
    call("export", file, "--out", tmp_path / "run.xml")
    record = load_xml(tmp_path / "run.xml")
    assert (record.track, record.setup, len(record["t"])) == ("s13", Setup(), 251)
    assert np.isnan(record.times).all()


def test_a_run_of_something_else_is_refused(tmp_path):
    b = gk.Builder()
    b.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    gk.simulate(b.build(), 0.1, file=tmp_path / "ball.h5", progress=False).close()
    with pytest.raises(InputError, match="a run of bobsleigh"):
        CliRunner().invoke(app, ["export", str(tmp_path / "ball.h5"), "--out", "x.xml"], catch_exceptions=False)
    with pytest.raises(InputError, match="runs of gelenk run bobsleigh"):
        lines_of([tmp_path / "ball.h5"])


def test_lines_and_steering_are_drawn_from_run_files(file, tmp_path):
    call("track", "lines", file, file, "--out", tmp_path / "lines.png")
    assert drawn(tmp_path / "lines.png")
    call("track", "steering", file, "--out", tmp_path / "steering.png")
    assert drawn(tmp_path / "steering.png")
    with gk.load_run(file) as run:
        s, moment, h = steering_moment(run)
    assert (len(s), h) == (250, pytest.approx(0.01))
    assert float(slide(S13.line, PointMass(friction=0.004), 50.0).time_at(s[-1])) == pytest.approx(T_END, rel=1e-3)
    assert np.abs(moment).max() < 500.0
    assert [bend.side for bend in bends_of(S13)][:4] == [1, -1, 1, -1]


@pytest.mark.parametrize("series", ["place", "steering.angle", "sway.rate", "rear hull.position", "loads", "work"])
def test_any_recorded_variable_is_plotted(file, tmp_path, series):
    """B-87: motion, coordinates, what the world adds."""
    call("plot", file, series, "--out", tmp_path / "plot.png")
    assert drawn(tmp_path / "plot.png")


def test_a_pilot_learns_what_he_missed():
    """Curve 1 three times: what he misses becomes less, and what he knows is a table that is read back."""
    from dataclasses import replace

    from gelenk.worlds.bobsleigh.track.line import TrackLine
    from gelenk.worlds.bobsleigh.track.plan import PlanCurve

    line = TrackLine(PlanCurve(S13.curves[:1], -40.0), S13.line.heights)
    track = replace(S13, name="short", line=line, splits=(), finish=110.0, walls=(), file=None)
    missed = []

    def told(number, lesson):
        run = lesson.run
        w = [lesson.programme.across(*row) for row in zip(run.s, run.left, run.height)]
        missed.append(float(np.std(w - np.interp(run.s, lesson.programme.s, lesson.programme.line))))

    best = learn(track, descent_model(track, Setup()), Pilot(), runs=2, told=told)
    assert best.run.finished
    assert len(missed) == 1 or missed[-1] < 0.8 * missed[0]


def test_a_programme_is_read_as_it_was_written(tmp_path):
    s = np.arange(0.0, 100.0, 0.5)
    made = Programme(known()[1].banking, s, np.sin(s / 10), np.cos(s / 10))
    made.save(tmp_path / "programme.csv", "a note")
    again = Programme.load(tmp_path / "programme.csv", made.banking)
    assert again.target(33.0, 20.0) == pytest.approx(np.sin(3.3), abs=2e-3)  # between rows 1 m apart
    assert again.steering(33.0) == pytest.approx(np.radians(np.cos(3.3)), abs=1e-4)
    finer = again.at(np.arange(0.0, 98.0, 0.5))  # as learning goes on from it
    assert finer.target(33.0, 20.0) == pytest.approx(again.target(33.0, 20.0), abs=1e-12)
    assert (len(again.s), len(finer.s)) == (100, 196)


@pytest.mark.parametrize(("command", "suffix"), [("runs", "png"), ("best", "toml"), ("learn", "csv")])
def test_a_folder_that_is_not_there_is_refused_before_anything_is_driven(command, suffix, tmp_path):
    """Nothing is compiled and no world is made before that, which would take longer than this test may."""
    target = tmp_path / "missing" / f"made.{suffix}"
    result = CliRunner().invoke(app, ["track", command, "s13", "--out", str(target)])
    assert result.exit_code != 0
    assert "missing' does not exist" in result.output + str(result.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--out", "missing/a.h5"], "missing' does not exist"),
        (["--out", "a.txt"], "suffix '.txt'"),
        (["--t-end", "-1"], "--t-end is -1"),
        (["--output-dt", "0"], "--output-dt is 0"),
        (["--track", "s14"], "'s13'"),
        (["--pilot", "nemo"], "'calm'"),
        (["--pilot", "nemo.toml"], "nemo.toml"),
        (["--setup", "nemo.toml"], "nemo.toml"),
        (["--surface", "snow"], "'sheet'"),
    ],
)
def test_a_run_that_cannot_be_is_refused_before_a_model_is_made(words, said, tmp_path, monkeypatch):
    """Issue 8, point 8: at once, and nothing is left in the folder."""
    from gelenk.worlds.bobsleigh import descent

    def never(*_):
        raise AssertionError("a model was made")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(descent, "add_sled", never)
    with pytest.raises(InputError) as caught:
        CliRunner().invoke(app, ["run", "bobsleigh", *words], catch_exceptions=False)
    assert said in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_times_of_runs_are_kept_by_their_seeds(tmp_path):
    cases = [Case(7, np.array([4.8, np.nan]), np.zeros(2)), Case(3, np.array([4.9, 52.25]), np.zeros(2))]
    save_times((50.0, 1450.0), cases, tmp_path / "times.csv")
    assert (tmp_path / "times.csv").read_text().splitlines() == ["seed,50 m,1450 m", "3,4.9,52.25", "7,4.8,"]
