"""Plots, pictures and tables of a run."""

import csv
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

import gelenk as gk
from run.models import started, stone, swarm, tumblers


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "tumblers.h5"
    outputs = {"pair": lambda sim: np.array([sim.time, 1 / 3])}
    started(tumblers()).run(0.5, output_dt=0.01, outputs=outputs, file=path, progress=False).close()
    return path


@pytest.fixture
def run(path):
    with gk.load_run(path) as run:
        yield run


def assert_drawn(path):
    """An image of its kind that is not blank."""
    if path.suffix == ".svg":
        assert ET.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
        assert path.stat().st_size > 5000
    elif path.suffix == ".pdf":
        assert path.read_bytes().startswith(b"%PDF")
    else:
        assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB"))
        assert pixels.shape[0] > 200
        assert pixels.shape[1] > 600
        colors = pixels.astype(np.int64) @ [65536, 256, 1]
        assert len(np.unique(colors)) > 20  # text, lines and solids, not one colour


def test_panels_say_whether_a_quantity_is_conserved(run):
    """Where it is, its error is drawn; where it is not, the quantity itself and why it changes."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.body("top", mass=1.0, inertia=(1, 2, 3), angular_velocity=(0, 1, 0.1))
    free = started(b.build()).run(0.1, progress=False)
    assert [axes.get_title() for axes in free.picture().axes[1::2]] == [
        "change of energy / its median",
        "change of angular momentum / its size",
    ]
    shown = [axes.get_title() for axes in run.picture().axes[1::2]]
    assert shown[0] == "energy [J], changed by drag, dampers"
    assert shown[1].startswith("angular momentum [N m s], changed by gravity")
    assert "not conserved" not in repr(free.drift())
    assert "(not conserved here: drag, dampers)" in repr(run.drift())


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
def test_plots_are_written_as_the_suffix_says(run, tmp_path, suffix):
    target = tmp_path / f"plot{suffix}"
    figure = run.plot("energy", "plate.angular_velocity", "plate.orientation", "pair", "bead.position.z", file=target)
    assert_drawn(target.rename(target.with_suffix(suffix.lower())))
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert labels == [
        "energy [J]",
        "plate.angular_velocity [rad/s, world axes]",
        "plate.orientation",
        "pair",
        "bead.position.z [m]",
    ]
    assert len(figure.axes[1].lines) == 3
    assert np.array_equal(figure.axes[4].lines[0].get_ydata(), run["bead"].position[:, 2])
    assert np.array_equal(figure.axes[4].lines[0].get_xdata(), run.time)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_scene_is_drawn(run, tmp_path, suffix):
    target = tmp_path / f"scene{suffix}"
    run.picture(target)
    assert_drawn(target)


def pendulum(axis=(0, 1, 0), at=(1, 0, 0)):
    b = gk.Builder(name="pendulum")
    b.body("rod", shape=gk.Box((0.1, 0.1, 0.1)), mass=1, at=at)
    b.add(gk.Hinge(name="pin", a="world", b="rod", at=(0, 0, 0), axis=axis))
    return b


def test_instants_in_a_row_do_not_overlap():
    """Solids of one instant end before those of the next begin, and each time stands below its own."""
    run = gk.simulate(pendulum().build(), 0.5, method=gk.Impulse(h=0.02), progress=False)
    scene = run.picture().axes[0]
    x = np.array([path.vertices[:, 0].mean() for path in scene.collections[0].get_paths()])
    middles = np.array([text.get_position()[0] for text in scene.texts])
    assert 5 <= len(middles) <= 9
    pitch = np.diff(middles)
    np.testing.assert_allclose(pitch, pitch[0])
    assert np.all(np.abs(x[:, None] - middles).min(axis=1) < pitch[0] / 2)
    nearest = np.abs(x[:, None] - middles).argmin(axis=1)
    assert set(nearest) == set(range(len(middles)))


def test_a_planar_mechanism_is_seen_along_its_axes():
    """The rod of length 1 keeps its length in the picture."""
    from gelenk.run.picture_joints import plane_normal

    front = np.array([0.5, -0.8, 0.3])
    for axis, seen in (((0, 1, 0), (0, -1, 0)), ((0, 0, 1), (0, 0, 1))):
        run = gk.simulate(pendulum(axis).build(), 0.1, method=gk.Impulse(h=0.02), progress=False)
        np.testing.assert_allclose(plane_normal(run, np.array([0, 5]), front), seen, atol=1e-12)
        assert run.picture().axes[0].lines
    b = pendulum()
    b.body("fork", shape=gk.Box((0.1, 0.1, 0.1)), mass=1, at=(2, 0, 0))
    b.add(gk.Hinge(name="tilt", a="rod", b="fork", at=(2, 0, 0), axis=(1, 0, 0)))
    run = gk.simulate(b.build(), 0.1, method=gk.Impulse(h=0.02), progress=False)
    assert plane_normal(run, np.array([0, 5]), front) is front


def test_what_is_at_rest_is_drawn_once():
    b = pendulum(at=(0, 0, -1))
    run = gk.simulate(b.build(), 0.1, method=gk.Impulse(h=0.02), progress=False)
    scene = run.picture().axes[0]
    assert [text.get_text() for text in scene.texts] == ["at rest from 0 to 0.1 s"]


def test_legends_stand_below_their_panels_and_the_title_is_short(run):
    figure = run.picture()
    figure.canvas.draw()
    legends = [axes.get_legend() for axes in figure.axes[1:] if axes.get_legend()]
    assert legends
    for legend in legends:
        assert legend.get_window_extent().y1 < legend.axes.get_window_extent().y0
        assert legend.get_window_extent().y0 > 0
    assert figure.get_suptitle() == "tumblers: FreeMotion, h = 0.001 s"


def test_the_panel_of_forces_shows_motors_first_then_what_changes_most():
    """Six springs were added before the motor, which gives next to nothing."""
    b = gk.Builder(gravity=(0, 0, 0))
    for i in range(6):
        at = (i, 0, 0)
        b.body(f"wheel {i}", mass=1, inertia=(1, 1, 1), at=at, angular_velocity=(0, 0, 1 + i))
        b.add(gk.Hinge(name=f"axle {i}", a="world", b=f"wheel {i}", at=at, axis=(0, 0, 1)))
        b.add(gk.JointSpring(name=f"spring {i}", on=f"axle {i}", stiffness=1))
    b.add(gk.VelocityMotor(name="motor", on="axle 0", speed=0, force_max=1e-3))
    run = gk.simulate(b.build(), 0.1, method=gk.Impulse(h=0.02), progress=False)
    panel = run.picture().axes[3]
    assert [line.get_label() for line in panel.lines] == ["spring 2", "spring 3", "spring 4", "spring 5", "motor"]
    assert panel.get_title() == "forces of drives [N m], 5 of 7"


def test_without_a_file_a_figure_comes_back(run, tmp_path):
    assert run.plot().axes[0].get_ylabel() == "energy [J]"
    assert len(run.picture(instants=3).axes) == 4
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("model", [stone(), swarm(5), gk.Builder().build()], ids=["stone", "swarm", "nothing"])
def test_a_picture_can_be_drawn_of_particles_and_of_nothing(model, tmp_path):
    run = started(model).run(0.01, progress=False)
    run.picture(tmp_path / "a.png")
    assert_drawn(tmp_path / "a.png")


def test_a_picture_of_a_run_stopped_at_its_first_sample(tmp_path):
    import signal

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    press = {"press": lambda sim: signal.raise_signal(signal.SIGINT) or 1.0 if sim.time > 0 else 1.0}
    run = started(tumblers()).run(1.0, output_dt=0.5, outputs=press, progress=False)
    signal.signal(signal.SIGINT, before)
    assert run.status == "interrupted"
    run.picture(tmp_path / "a.png")
    run.plot("energy", file=tmp_path / "b.png")
    assert_drawn(tmp_path / "a.png")


def test_a_table_reads_back_to_the_same_bits(run, tmp_path):
    assert run.export(tmp_path / "all.csv") == tmp_path / "all.csv"
    with open(tmp_path / "all.csv", newline="", encoding="utf-8") as f:
        headings, *rows = csv.reader(f)
    table = np.array(rows, dtype=np.float64)
    assert table.shape == (51, len(headings))
    assert len(set(headings)) == len(headings)
    for column, heading in enumerate(headings):
        assert table[:, column].tobytes() == run.series(heading).tobytes(), heading
    assert headings[0] == "time"
    assert {"energy.total", "plate.position.x", "arm.upper.orientation.w", "bead.velocity.z", "pair.1"} <= set(headings)
    # every recorded number is there, the post included
    assert len(headings) == 1 + 3 + 3 + 3 + 3 * 16 + 6 + 2


def test_a_table_of_chosen_series(run, tmp_path):
    run.export(tmp_path / "some.csv", "bead.position", "energy", "pair.0")
    text = (tmp_path / "some.csv").read_text().splitlines()
    assert text[0] == "time,bead.position.x,bead.position.y,bead.position.z,energy,pair.0"
    assert len(text) == 52
    run.export(tmp_path / "time.csv", "time")
    assert (tmp_path / "time.csv").read_text().splitlines()[0] == "time"


@pytest.mark.parametrize("write", ["plot", "picture", "export"])
def test_places_where_nothing_can_be_written_are_refused(run, tmp_path, write):
    def to(target):
        return run.plot("energy", file=target) if write == "plot" else getattr(run, write)(target)

    good = ".csv" if write == "export" else ".png"
    for name in ("a.txt", "a", ".png", "a.h5"):
        with pytest.raises(gk.InputError, match=r"suffix.*\.(png|csv)"):
            to(tmp_path / name)
    with pytest.raises(gk.InputError, match="does not exist"):
        to(tmp_path / "no" / f"a{good}")
    (tmp_path / f"folder{good}").mkdir()
    with pytest.raises(gk.InputError, match="a folder"):
        to(tmp_path / f"folder{good}")
    assert [p.name for p in tmp_path.iterdir()] == [f"folder{good}"]
    # What was drawn before is drawn anew: pictures and tables can always be made again.
    target = tmp_path / f"a{good}"
    target.write_text("old")
    to(target)
    assert not target.read_bytes().startswith(b"old")


@pytest.mark.parametrize("write", ["plot", "picture", "export"])
def test_nothing_is_written_over_the_run_itself(path, tmp_path, write):
    """A run file that was renamed to look like a picture or a table."""
    own = tmp_path / ("run.csv" if write == "export" else "run.png")
    own.write_bytes(path.read_bytes())
    with gk.load_run(own) as run, pytest.raises(gk.InputError, match="the run itself"):
        run.plot("energy", file=own) if write == "plot" else getattr(run, write)(own)
    assert own.read_bytes() == path.read_bytes()


@pytest.mark.parametrize("write", ["plot", "export"])
def test_a_wrong_name_writes_nothing(run, tmp_path, write):
    def plot():
        run.plot("plate.positon", file=tmp_path / "a.png")

    def export():
        run.export(tmp_path / "a.csv", "plate.positon")

    with pytest.raises(gk.InputError, match="Did you mean"):
        plot() if write == "plot" else export()
    assert not list(tmp_path.iterdir())


def test_more_panels_than_a_picture_holds_are_refused(run, tmp_path):
    with pytest.raises(gk.InputError, match="panels"):
        run.plot(*["energy"] * 500, file=tmp_path / "a.png")
