"""The code in the README runs, and its two ways to say one model say the same."""

import re
from pathlib import Path

import numpy as np

import gelenk as gk

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)[1]


def test_ten_lines_run_and_equal_the_scene_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope: dict = {}
    exec(block("python"), scope)
    assert scope["run"].status == "finished"
    assert (tmp_path / "band.png").stat().st_size > 10_000
    scene = gk.read_scene(block("toml"))
    for a, b in zip(scene.initial_state(), scope["model"].initial_state()):
        assert np.array_equal(a, b)
    assert scene.forces == scope["model"].forces
    assert scene == scope["model"]
