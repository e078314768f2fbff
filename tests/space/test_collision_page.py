"""The code on the page about collision runs, and says what its comments say."""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "collision.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("gelenk.space.picture.PIXELS", 20)
    first, exchange = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    scope: dict = {}
    exec(first, scope)
    world = scope["world"]
    hit = world.ray((0, 0, 10), (0, 0, -1))
    assert f"# RayHit(body={hit.body!r}, part={hit.part}, distance={round(hit.distance, 1)}, ...)" in first
    assert (tmp_path / "contacts.png").stat().st_size > 1000
    exec(exchange, scope)
    assert world.nearest("ground", "ball").distance == pytest.approx(1.0, abs=2e-3)  # it rests on the crate
    assert world.ray((10, 0, 1), (-1, 0, 0)).body == "wall"
    assert scope["sim"].time == pytest.approx(0.1)
