"""Tracks made up for one question, such as a single curve, with the cross sections of S-13."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from gelenk.worlds.bobsleigh.track.read import load_track
from gelenk.worlds.bobsleigh.track.track import Track

SECTIONS = "[sections.rule]"


def short_track(
    name: str, curves: str, heights: str, *, start: float, start_height: float, finish: float, like: str = "s13"
) -> Track:
    """A track of tables written as text, as docs/bobsleigh.md says, without walls.

    Parameters
    ----------
    curves, heights : the two tables, with their titles
    start, start_height : where it begins [m]
    finish : where the clock stops [m]
    like : a track that comes with the package, whose rule for cross sections is taken
    """
    model = files(__package__).joinpath("data", like, "track.toml").read_text(encoding="utf-8")
    track = (
        f'name = "{name}"\nstart = {start!r}\nstart_height = {start_height!r}\nfinish = {finish!r}\n'
        f'curves = "curves.csv"\nheights = "heights.csv"\n{model[model.index(SECTIONS) :]}'
    )
    with TemporaryDirectory() as folder:
        for file, text in (("track.toml", track), ("curves.csv", curves), ("heights.csv", heights)):
            Path(folder, file).write_text(text, encoding="utf-8")
        return replace(load_track(folder), file=None)
