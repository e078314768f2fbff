"""Plots of runs: that the lines drawn are the numbers meant, with the curves marked (B-82, B-84, B-86)."""

import numpy as np
import pytest
from PIL import Image

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.curves import bends
from gelenk.worlds.bobsleigh.analysis.filters import low_pass
from gelenk.worlds.bobsleigh.analysis.lines import Line
from gelenk.worlds.bobsleigh.analysis.plots import plot_lines, plot_splits, plot_steering
from gelenk.worlds.bobsleigh.analysis.statistics import race_2010

S = np.arange(0.0, 300.0, 0.5)
BENDS = bends(S, np.interp(S, [40, 60, 70, 90, 150, 170, 180, 200], [0, 0.03, 0.03, 0, 0, -0.03, -0.03, 0]))


def line(speed):
    return Line.of(S, S / speed, np.full_like(S, speed), np.sin(S / 20), np.cos(S / 20))


def test_lines_beside_a_reference(tmp_path):
    figure = plot_lines({"02": line(20.0), "07": line(21.0)}, "02", 30.0, 100.0, bends=BENDS, file=tmp_path / "l.png")
    dv, dt, height, offset = figure.axes
    assert [x.get_label() for x in dv.lines] == ["02", "07"]
    assert dv.lines[1].get_ydata() == pytest.approx(1.0)
    s = dt.lines[1].get_xdata()
    assert dt.lines[1].get_ydata() == pytest.approx(s / 21 - s / 20)
    assert height.lines[0].get_ydata() == pytest.approx(np.sin(s / 20), abs=1e-4)
    assert offset.lines[0].get_ydata() == pytest.approx(np.cos(s / 20), abs=1e-4)
    assert [text.get_text() for text in dv.texts] == ["1"]  # the second curve is not seen
    with Image.open(tmp_path / "l.png") as picture:
        assert picture.size[0] > 500
    speed, *place = plot_lines({"02": line(20.0)}, "02", 30.0, 100.0).axes  # alone it has nothing beside it
    assert (speed.get_ylabel(), len(place)) == ("speed [m/s]", 2)
    assert speed.lines[0].get_ydata() == pytest.approx(20.0)
    with pytest.raises(InputError, match="Name one of the runs"):
        plot_lines({"02": line(20.0)}, "01", 30.0, 100.0)


def test_histograms_count_the_runs():
    race = race_2010()
    times = race.mean + race.sigma * np.random.default_rng(3).standard_normal((80, 6))
    times[5, 4:] = np.nan  # a crash
    figure = plot_splits(times, race)
    heights = [sum(patch.get_height() for patch in panel.patches[:-1]) for panel in figure.axes]
    assert heights == [80, 80, 80, 80, 79, 79]
    assert figure.axes[5].lines[1].get_xdata()[0] == pytest.approx(np.nanmean(times[:, 5]))
    with pytest.raises(InputError, match="A row for each run"):
        plot_splits(times[:, :3], race)


def test_the_steering_moment_is_drawn_twice():
    moment = np.sin(S / 3) + np.random.default_rng(4).standard_normal(len(S))
    raw, slow = plot_steering(S, moment, 0.01, bends=BENDS).axes
    assert raw.lines[0].get_ydata().tolist() == moment.tolist()
    assert slow.lines[0].get_ydata() == pytest.approx(low_pass(moment, 0.01, 2.0))
    assert [text.get_text() for text in raw.texts] == ["1", "2"]
