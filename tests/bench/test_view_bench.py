"""The bench of the view: both cases are measured and told; how fast they are is not judged here."""

import pytest

from gelenk.bench import bench, view
from gelenk.view.server import PAGE


@pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
def test_both_cases_are_measured(monkeypatch):
    monkeypatch.setattr(view, "ROUNDS", 1)
    monkeypatch.setattr(view, "SECONDS", 0.3)
    monkeypatch.setattr(view, "VERTICES", 200)
    monkeypatch.setattr(view, "BROWSERS", ())
    lines = []
    records = bench("view", "none", size=30, say=lines.append)
    assert [record["case"] for record in records] == ["30 bodies", "200 vertices"]
    for record in records:
        assert record["steps_per_s_viewed"] > 0
        assert record["frames_per_s"] > 0
        assert record["pictures_per_s"] is None
    assert any(line.startswith("30 bodies  ") for line in lines)


def test_a_surface_has_the_vertices_that_are_asked_for():
    case = view.surface_case(20_000)
    assert case.name == "20000 vertices"
