"""The process that splits a mesh: ``python decomposition_worker.py mesh.npz pieces.npz``.

It needs nothing of the package, and talks by files, since the library it calls prints at will.
"""

from __future__ import annotations

import sys

import numpy as np


def main(given: str, found: str) -> None:
    """Read vertices, faces and options, write the points of all pieces and where each piece begins."""
    import coacd

    coacd.set_log_level("error")
    with np.load(given, allow_pickle=False) as data:
        mesh = coacd.Mesh(data["vertices"], data["faces"])
        options = {name: data[name].item() for name in data.files if name not in ("vertices", "faces")}
    pieces = [points for points, _ in coacd.run_coacd(mesh, **options)]
    np.savez(found, points=np.concatenate(pieces), first=np.cumsum([0, *(len(piece) for piece in pieces)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
