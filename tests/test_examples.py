"""Every example builds, runs, passes its own check, draws its picture and stands in the gallery."""

import ast
import importlib.util
import re
import sys
from functools import cache
from pathlib import Path

import pytest

import gelenk as gk

ROOT = Path(__file__).parents[1]
FILES = sorted(ROOT.glob("examples/*/[0-9]*.py"))
GALLERY = ROOT / "docs" / "examples.md"
LARGEST_PICTURE = 80_000  # bytes; the gallery shall load at once

each_example = pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)


@cache
def load(path):
    """Import an example once: a kind of force may be registered once only."""
    name = f"example_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def picture_of(path):
    return ROOT / "docs" / "pictures" / f"example_{path.stem}.png"


def test_there_are_examples():
    assert len(FILES) >= 10


@pytest.mark.skipif(not gk.compile.ENABLED, reason="examples are long for interpreted code")
@each_example
def test_example_passes_its_check(path, tmp_path, monkeypatch, capsys):
    example = load(path)
    assert isinstance(example.build(), gk.Model)
    run = example.simulate()
    assert isinstance(run, gk.Run)
    assert run.status == "finished"
    example.check(run)
    # What a user sees: the lines and the picture of main, with the run and its check taken from above.
    simulate = example.simulate
    monkeypatch.setattr(example, "simulate", lambda *a, **k: simulate(*a, **k) if a or k else run)
    monkeypatch.setattr(example, "check", lambda run: None)
    if hasattr(example, "milliseconds_a_step"):  # times are drawn of two sizes, which make a curve
        sizes = "SIZES" if hasattr(example, "SIZES") else "LINKS"
        monkeypatch.setattr(example, sizes, getattr(example, sizes)[:2])
    capsys.readouterr()
    example.main(["--out", str(tmp_path / "picture.png")])
    assert 2 <= len(capsys.readouterr().out.splitlines()) <= 5
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@each_example
def test_docstring_is_a_page(path):
    """A title line, what is shown, and which closed form proves it."""
    page = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert page
    assert re.match(r"[A-Z][\w, ]+: .+\.\n\n", page), "begin with 'Title: one sentence.' and an empty line"
    assert "Proof." in page


@each_example
def test_gallery_shows_it(path):
    link = f"](../{path.relative_to(ROOT).as_posix()})"
    picture = f"](pictures/{picture_of(path).name})"
    text = GALLERY.read_text(encoding="utf-8")
    assert link in text
    assert picture in text
    assert picture_of(path).stat().st_size < LARGEST_PICTURE


def test_gallery_names_nothing_else():
    text = GALLERY.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        assert (GALLERY.parent / target).is_file(), target
    shown = {picture_of(path) for path in FILES}
    assert set((ROOT / "docs" / "pictures").glob("example_*.png")) == shown
