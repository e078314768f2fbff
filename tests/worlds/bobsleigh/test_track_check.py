"""Checks and plots of tracks, tracks that ship, and files with mistakes."""

import shutil

import numpy as np
import pytest
from typer.testing import CliRunner

from gelenk.cli import app
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.track import load_track, track_names
from gelenk.worlds.bobsleigh.track.check import Limits, check_track, steady_heights
from gelenk.worlds.bobsleigh.track.particle import slide_free
from gelenk.worlds.bobsleigh.track.point_mass import PointMass, slide
from gelenk.worlds.bobsleigh.track.read import track_file

RACE = [4.8732, 16.2883, 30.2721, 39.1948, 46.9438, 52.3270]  # means of 80 runs (bobsleigh Table 6.1) [D]


@pytest.fixture(scope="module")
def like():
    return load_track("whistler-like")


def test_the_whistler_like_track_is_what_it_is_called(like):
    """16 curves, 152 m down over 1450 m; curves 4 and 7 are right, at 280 to 380 and 550 to 660 m (5.8)."""
    assert len(like.curves) == 16
    assert like.finish == 1450.0
    assert like.drop == pytest.approx(152.0, abs=0.01)
    for number, begin, end in ((4, 280.0, 380.0), (7, 550.0, 660.0)):
        curve = like.curves[number - 1]
        assert (curve.turn, curve.begin, curve.end) == (-1, begin, end)
    assert like.timing == (50.0, 280.0, 660.0, 960.0, 1244.0, 1450.0)


def test_its_heights_are_fitted_to_the_race(like):
    """A point mass with the effective friction 0.012 of bobsleigh 9.6a meets all means of the race to 1 %."""
    run = slide(like.line, PointMass(friction=0.012), like.finish)
    np.testing.assert_allclose(run.time_at(np.array(like.timing)), RACE, rtol=0.01)


@pytest.mark.parametrize(
    ("name", "splits"), [("s13", {280: 16.52, 660: 30.63, 980: 40.28, 1200: 45.97, 1450: 52.33}), ("whistler-like", {})]
)
def test_a_particle_runs_through_cleanly(name, splits):
    """Bobsleigh 9.6b, with its friction 0.004. Its surface has normals averaged over sections, ours is a spline: times
    agree to 0.5 %. It never leaves the channel, and on the Whistler-like track it needs 51 to 54 s.
    """
    track = load_track(name)
    run = slide_free(track, PointMass(friction=0.004))
    place = track.line.project(run.position, near=0.0)
    assert place.s[-1] == pytest.approx(track.finish, abs=0.5)
    for s, t in splits.items():
        assert np.interp(s, place.s, run.t) == pytest.approx(t, rel=5e-3)
    assert 51.0 < np.interp(1450.0, place.s, run.t) < 54.0
    assert place.height.max() < 2.6
    assert np.abs(place.left).max() < 1.9


@pytest.mark.parametrize("name", track_names())
def test_tracks_that_ship_have_no_faults(name):
    """B-92."""
    report = check_track(load_track(name))
    assert report.faults == 0
    assert max(curve.load for curve in report.curves) < 5.0


def test_the_steady_line_stands_where_the_section_is_as_steep_as_the_load(like):
    """In the full curve the ellipse rises by  a x / (b sqrt(b^2 - x^2)):  its height where that is tan angle."""
    patch = like.patches[6]
    middle = patch.s[patch.banking.argmax()]
    a, b = 2.6, 1.9
    tan = 0.8
    x = b * (q := tan * b / a) / np.sqrt(1.0 + q * q)
    exact = a * (1.0 - np.sqrt(1.0 - (x / b) ** 2))
    height, rim = steady_heights(patch, np.array([middle]), np.array([-9.81 * tan]), np.array([9.81]))
    assert height[0] == pytest.approx(exact, abs=0.12)  # an eighth of the piece is 0.2 m long
    assert rim[0] == pytest.approx(3.1, abs=0.05)


def test_what_is_nearest_to_the_limits_is_told(like):
    """The sharpest curve of the table has 27 m; clothoids end with the radius of their arcs, loads are the curves'."""
    report = check_track(like)
    found = report.extremes
    assert found.radius == pytest.approx(27.0)
    assert found.load == max(curve.load for curve in report.curves)
    assert found.gradient == pytest.approx(-like.line.at(like.line.samples).slope.min(), abs=1e-3)
    assert found.jump < 1e-12
    assert 0.3 < found.room < 1.0


def test_too_fast_a_track_has_faults(like):
    """Loads, gradients and radii beyond limits are faults with their place."""
    report = check_track(like, Limits(load=3.0, gradient=0.1, radius=30.0))
    words = " ".join(finding.what for finding in report.findings)
    assert report.faults
    for word in ("load of", "% downhill", "radius of"):
        assert word in words
    fast = check_track(like, point=PointMass(friction=0.0, start_speed=40.0))
    assert any("load of" in finding.what for finding in fast.findings)


def copy(tmp_path, change, name="s13"):
    """A copy of a track with some lines of a file replaced: {file: (old, new)}."""
    folder = tmp_path / "mine"
    shutil.copytree(track_file(name).parent, folder)
    for file, (old, new) in change.items():
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


def steps(tmp_path):
    """Limits of what is flung out: an ellipse that is used to 36 degrees, and walls of 50."""
    folder = copy(tmp_path, {"track.toml": ("eps = [88.0, 0.0]", "eps = [88.0, -38.0]")})
    toml = folder / "track.toml"
    text = toml.read_text(encoding="utf-8")
    toml.write_text(text.replace("bT_short = [0.10, 0.05]", "bT_short = [0.10, 0.90]"), encoding="utf-8")
    return folder


def test_where_a_sled_leaves_is_found(tmp_path):
    """With walls of 50 degrees and 4 g no steady line is left."""
    report = check_track(load_track(steps(tmp_path)))
    assert any("leaves over the rim" in finding.what for finding in report.findings if finding.severity == "fault")


MISTAKES = {  # file, what is replaced and by what, line it stands in, words of the message
    "gap": ("curves.csv", "3,1,205,", "3,1,215,", 5, ["curve 3", "a gap of 10 m", "begin = 205"]),
    "overlap": ("curves.csv", "3,1,205,", "3,1,195,", 5, ["an overlap of 10 m"]),
    "negative radius": ("curves.csv", ",35,36,", ",-35,36,", 5, ["radius is -35", "above 0", "turn"]),
    "no direction": ("curves.csv", "2,-1,130", "2,0,130", 4, ["turn is 0", "1 for left or -1 for right"]),
    "too long": ("curves.csv", "1,1,-40,60,26", "1,1,-40,60,126", 3, ["beyond its end", "214 m"]),
    "no A^2": ("curves.csv", "20,640,16", "20,0,16", 4, ["entry_a2 is 0", "entry_length x radius = 640"]),
    "columns": ("curves.csv", "2,-1,130,132,20,", "2,-1,130,132,", 4, ["10 columns", "allowed: 11"]),
    "misspelt column": ("heights.csv", "slope_out,radius", "slope_aus,radius", 2, ["no column slope_out"]),
    "word": ("heights.csv", "120,-0.155", "120,steep", 5, ["slope_in is 'steep'", "a finite number"]),
    "gradients apart": ("heights.csv", "120,-0.155", "120,-0.165", 5, ["slope_in is -0.165", "-0.155"]),
    "sign of the radius": ("heights.csv", "-0.135,500", "-0.135,-500", 5, ["radius is -500", "positive"]),
    "overlapping arcs": ("heights.csv", "-0.155,-400", "-0.155,-4000", 4, ["begins at", "do not overlap"]),
    "wall": ("walls.csv", "planking,outer", "planking,upper", 7, ["side is 'upper'", "inner, outer"]),
    "key": ("track.toml", "finish =", "finnish =", 5, ["'finnish'", "'finish'"]),
    "TOML": ("track.toml", "finish = 1450.0", "finish = ", 5, ["TOML"]),
    "finish": ("track.toml", "finish = 1450.0", "finish = 2000.0", 5, ["finish is 2000.0"]),
    "dimension": ("track.toml", "r1 = [0.10, 2.0]", "r1 = [0.10, -2.0]", 21, ["r1 goes from 0.1 to -1.9"]),
    "no file": ("track.toml", '"walls.csv"', '"wals.csv"', 9, ["no file", "wals.csv"]),
    "no table": ("track.toml", 'curves = "curves.csv"', "curves = 3", 7, ["curves is 3", 'curves = "curves.csv"']),
    "no name": ("track.toml", 'name = "S-13"', "name = 13", 2, ["name is 13", "a text"]),
    "no brackets": (
        "track.toml",
        "splits = [50.0, 280.0, 660.0, 960.0, 1244.0]",
        "splits = 50.0",
        6,
        ["[50.0, 280.0]"],
    ),
    "one number": ("track.toml", "r0 = [0.10, 0.0]", "r0 = 0.10", 15, ["r0 is 0.1", "two numbers in brackets"]),
    "angle of a rule": ("track.toml", "eps = [88.0, 0.0]", "eps = [88.0, 3.0]", 22, ["eps is 90.", "between 0 and 90"]),
    "ellipse": (
        "track.toml",
        "bT_short = [0.10, 0.05]",
        "bT_short = [5.0, 0.05]",
        20,
        ["in the straight", "at most b"],
    ),
    "turned back": ("track.toml", "eps = [88.0, 0.0]", "eps = [50.0, 0.0]", 22, ["at which the ellipse ends"]),
    "top circle": ("track.toml", "h2 = [0.0, 0.30]", "h2 = [0.0, 3.30]", 25, ["the top circle reaches"]),
    "angle of a wall": ("walls.csv", "banked,0.8,45", "banked,0.8,450", 7, ["angle is 450", "from -90 to 90"]),
    "before the track": ("heights.csv", "2,-0.020", "-100,-0.020", 3, ["before the track does, at -40 m"]),
    "floors apart": (
        "track.toml",
        "lB = [0.60, 0.0]",
        "lB = [0.65, 0.0]",
        16,
        ["curve 2", "at 130 m its floor", "0.050 m"],
    ),
    "walls apart": ("track.toml", "r0 = [0.10, 0.0]", "r0 = [0.30, 0.0]", 16, ["its sides", "0.203 m", "lB + r0 = b"]),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_named_with_their_line(tmp_path, mistake):
    """Issue 8, point 8: gaps, wrong columns, negative radii: file, line, what is allowed and what to do."""
    file, old, new, line, words = MISTAKES[mistake]
    folder = copy(tmp_path, {file: (old, new)})
    with pytest.raises(InputError) as caught:
        load_track(folder)
    error = caught.value
    assert error.remedy
    if line is not None:
        assert (error.file, error.line) == (file, line)
    for word in words:
        assert word in str(error)


def test_tables_of_spreadsheets(tmp_path):
    """A mark at the begin of a file is skipped; semicolons, and what is no text, are named."""
    folder = copy(tmp_path, {})
    curves = folder / "curves.csv"
    text = curves.read_text(encoding="utf-8")
    curves.write_text(text, encoding="utf-8-sig")
    assert len(load_track(folder).curves) == 13
    curves.write_text(text.replace(",", ";"), encoding="utf-8")
    with pytest.raises(InputError, match=r"curves.csv:2: .*semicolons between columns; allowed: commas"):
        load_track(folder)
    curves.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"curves.csv: .*a readable text file"):
        load_track(folder)


def test_tracks_and_files_that_cannot_be_drawn_are_refused(tmp_path):
    """Before anything is computed: names that are not there, and pictures that cannot be written."""
    for words, said in (
        (["s14"], "'s13'"),
        (["s13", "--out", str(tmp_path / "no" / "s13.png")], "does not exist"),
        (["s13", "--out", str(tmp_path / "s13.doc")], r"suffix '\.doc'"),
    ):
        with pytest.raises(InputError, match=said):
            CliRunner().invoke(app, ["track", "plot", *words], catch_exceptions=False)


def test_the_name_of_a_track_may_be_anything(tmp_path):
    """Files that are named after a track are written where they should be."""
    folder = copy(tmp_path, {"track.toml": ('name = "S-13"', 'name = "Lille/hammer: 94"')})
    assert load_track(folder).stem == "lille-hammer--94"
    assert load_track("whistler-like").stem == "whistler-like"


def raw_table(rows):
    """A table of design data."""
    head = "Sx,HW2,AK,BI,CE,B,A,BT,AT,R1,H1,HZ,R2,H2,eps1,other\n"
    return head + "".join(row + "\n" for row in rows)


STRAIGHT = "0.5,0.1,0.6,0,0.7,0,0,0,0.1,0.0965,0.45,1.5,0,88,7"


@pytest.mark.parametrize(
    ("rows", "line", "words"),
    [
        ([f"0,{STRAIGHT}", f"0,{STRAIGHT}"], 3, ["Sx is 0 after 0", "Sort the rows"]),
        ([f"0,{STRAIGHT.replace('0.1,0.6', '-0.1,0.6')}"], 2, ["section at 0 m", "AK is -0.1", "above 0"]),
        ([f"0,{STRAIGHT.replace(',88,', ',98,')}"], 2, ["eps1 is 98", "between 0 and 90"]),
        ([f"0,{STRAIGHT.replace('1.5,0,88', '0.1,0.5,88')}"], 2, ["H2 is 0.5", "R2 = 0.1"]),
    ],
)
def test_mistakes_in_sections_are_named(tmp_path, rows, line, words):
    """Tables of raw dimensions, with columns that are not needed (B-42)."""
    text = (track_file("s13")).read_text(encoding="utf-8")
    folder = copy(tmp_path, {"track.toml": (text[text.index("# Sections by rule") :], "")})
    toml = folder / "track.toml"
    toml.write_text(toml.read_text(encoding="utf-8") + 'sections = "sections.csv"\n', encoding="utf-8")
    (folder / "sections.csv").write_text(raw_table(rows), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_track(folder)
    assert (caught.value.file, caught.value.line) == ("sections.csv", line)
    for word in words:
        assert word in str(caught.value)


def test_curves_without_sections_are_refused(tmp_path):
    """A gap in a table of sections names the curve."""
    text = (track_file("s13")).read_text(encoding="utf-8")
    folder = copy(tmp_path, {"track.toml": (text[text.index("# Sections by rule") :], 'sections = "sections.csv"\n')})
    (folder / "sections.csv").write_text(raw_table([f"0,{STRAIGHT}", f"400,{STRAIGHT}"]), encoding="utf-8")
    with pytest.raises(InputError, match="no section between 130 and 205 m"):
        _ = load_track(folder).patches


def test_the_commands_print_and_draw(tmp_path):
    """B-88, B-92: `gelenk track check` ends with 1 where there is a fault, `gelenk track plot` writes a picture."""
    runner = CliRunner()
    good = runner.invoke(app, ["track", "check", "s13"])
    assert good.exit_code == 0, good.output
    assert "0 faults" in good.output
    assert "50.13 s at 1450 m" in good.output
    assert "largest load 4.30 g (limit 5), steepest 15.5 % (limit 20), smallest radius 27.0 m (limit 20)" in good.output
    bad = runner.invoke(app, ["track", "check", "s13", "--load", "3"])
    assert bad.exit_code == 1
    assert "fault at" in bad.output
    picture = tmp_path / "s13.png"
    drawn = runner.invoke(app, ["track", "plot", "s13", "--out", str(picture)])
    assert drawn.exit_code == 0, drawn.output
    assert picture.stat().st_size > 50_000
    unknown = runner.invoke(app, ["track", "check", "s14"])
    assert isinstance(unknown.exception, InputError)
    assert "'s13'" in str(unknown.exception)
