"""Takes a picture of every example scene through the live view, and writes the page that shows them all.

    python docs/example_pictures.py [NAME ...]

Scenes are shown as they begin, without compiling anything; a name takes only the examples whose file names hold it.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("GELENK_COMPILE", "0")

import importlib.util
import warnings
from pathlib import Path
from typing import Any

from PIL import Image

import gelenk as gk
from gelenk.view.snapshot import snapshots

DOCS = Path(__file__).parent
EXAMPLES = sorted((DOCS.parent / "examples").glob("*/[0-9]*.py"))
SIZE, COLOURS, COLUMNS = "480x320", 96, 3


def load(path: Path) -> Any:
    """The module of an example."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    sys.path.insert(0, str(path.parent))
    spec.loader.exec_module(module)
    return module


def picture_of(path: Path) -> Path:
    """Where the picture of an example lies."""
    return DOCS / "pictures" / f"scene_{path.stem}.png"


def take(path: Path) -> None:
    """One picture, with few colours."""
    target = picture_of(path)
    for made in snapshots(gk.Simulation(load(path).build()), target, size=SIZE):
        few = Image.open(made).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(made, optimize=True)


def page() -> str:
    """All pictures, as a table."""
    lines = ["# Gallery", "", "Every [example](examples.md) as the [live view](view.md) shows its beginning.", ""]
    lines += ["| " * COLUMNS + "|", "| --- " * COLUMNS + "|"]
    cells = []
    for path in EXAMPLES:
        if picture_of(path).exists():
            name = path.stem[3:].replace("_", " ")
            link = f"../{path.relative_to(DOCS.parent).as_posix()}"
            cells.append(f"![{name}](pictures/{picture_of(path).name})<br>[{name}]({link})")
    for k in range(0, len(cells), COLUMNS):
        row = cells[k : k + COLUMNS]
        lines.append("| " + " | ".join([*row, *[""] * (COLUMNS - len(row))]) + " |")
    return "\n".join(lines) + "\n"


def main(names: list[str]) -> None:
    """Take the pictures that are asked for."""
    warnings.simplefilter("ignore")
    for path in EXAMPLES:
        if not names or any(name in path.stem for name in names):
            try:
                take(path)
                sys.stdout.write(f"{picture_of(path).name}\n")
            except Exception as error:  # the others are taken all the same
                sys.stdout.write(f"{path.name}: {type(error).__name__}: {error}\n"[:300])
            sys.stdout.flush()
    (DOCS / "gallery.md").write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
