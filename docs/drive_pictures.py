"""Draw the pictures of a descent in README.md, docs/bobsleigh.md and docs/view.md, in a browser without a screen.

gelenk run bobsleigh --out runs/bobsleigh.h5
python docs/drive_pictures.py runs/bobsleigh.h5
"""

import sys
from pathlib import Path

from PIL import Image

from gelenk.run.run import load_run
from gelenk.view.snapshot import snapshots
from gelenk.worlds import dressed

PICTURES = Path(__file__).parent / "pictures"
COLOURS = 256  # of a picture, so that it stays below 300 kB
WANTED = (  # name, time of the run [s], camera, how it is dressed
    ("drive_cockpit", 12.0, "pilot", {}),
    ("drive_day", 10.0, "behind", {}),
    ("drive_curve", 36.0, "trackside", {}),
    ("drive_night", 14.0, "behind", {"night": True}),
    ("drive_sails", 47.5, "pilot", {"sails": True}),
    ("drive_replay", 25.0, "trackside", {}),
)


def draw(file: Path, only: list[str]) -> None:
    """All of them, or those that are named."""
    with load_run(file) as run:
        for name, at, camera, how in WANTED:
            if only and name not in only:
                continue
            path = PICTURES / f"{name}.png"
            path.unlink(missing_ok=True)
            list(snapshots(run, path, at=at, camera=camera, size=(1120, 630), clothes=dressed([run], **how)))
            with Image.open(path) as picture:
                full = picture.convert("RGB")
            palette = full.quantize(COLOURS, Image.Quantize.FASTOCTREE)
            full.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG).save(path, optimize=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), sys.argv[2:])
