"""Imports point one way, as docs/architecture.md draws it, and only the folder compile knows the compiler."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "gelenk"
LAYERS = [
    {"errors", "kernel_files"},
    {"compile"},
    {"arguments", "checks", "math", "progress", "state"},
    {"geometry", "threads"},
    {"collision", "forces", "rows"},
    {"joints"},
    {"model"},
    {"integrators", "solvers"},
    {"trees"},
    {"contact"},
    {"graph"},
    {"methods"},
    {"run", "space"},
    {"batch", "extend", "instants", "simulate", "warmup"},
    {"view"},
    {"doctor", "worlds"},
    {"bench"},
    {"cli_best"},
    {"cli_drive", "cli_replay", "cli_track"},
    {"cli"},
    {"__main__"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
FILES = sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def imported(path):
    """Full names of everything a file imports, also inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    for name in imported(path):
        parts = name.split(".")
        if parts[0] == "gelenk" and len(parts) > 1 and parts[1] in LEVEL and parts[1] != own:
            assert LEVEL[parts[1]] < LEVEL[own], f"{path.name} ({own}) must not import {parts[1]}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_one_folder_knows_the_compiler(path):
    if path.relative_to(PACKAGE).parts[0] != "compile":
        assert not {n.split(".")[0] for n in imported(path)} & {"numba", "llvmlite"}


def test_every_folder_and_file_has_its_layer():
    assert {p.relative_to(PACKAGE).parts[0].removesuffix(".py") for p in FILES} <= set(LEVEL)
