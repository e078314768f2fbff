"""Convex pieces of a mesh that is not convex (V-27, H-61), kept beside the mesh file."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_count, check_number
from gelenk.errors import InputError
from gelenk.geometry import decomposition_worker
from gelenk.geometry.compound import Compound
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_files import check_path, load_mesh
from gelenk.kernel_files import cache_root
from gelenk.progress import BETWEEN_SECONDS, Line

FORMAT = 1  # of the files of pieces
Options = dict[str, float | int]  # names as in coacd
DAMAGED = (OSError, EOFError, ValueError, KeyError, MemoryError, zipfile.BadZipFile)


@friendly
def decompose(
    mesh: TriangleMesh | str | Path,
    *,
    threshold: float = 0.05,
    most_pieces: int | None = None,
    seed: int = 0,
    scale: float = 1.0,
) -> Compound:
    """Split a closed mesh into convex hulls, in seconds to minutes.

    Pieces of a mesh file are kept beside it as ``<file>.pieces-<hash>.npz`` and read from there the next time, as long
    as mesh and options are the same; where that folder is not writable, in the user's cache folder. The same mesh,
    options and seed give the same pieces.

    The hulls together hold the mesh, within some 1e-4 of its extent, and stand out from it, so they are heavier. Take
    the mass from the mesh where that matters, by ``Part(mesh, collide=False)`` beside ``Part(pieces, weighs=False,
    view=False)``.

    Source: X. Wei, M. Liu, Z. Ling, H. Su, Approximate convex decomposition for 3D meshes with collision-aware
    concavity and tree search, ACM Trans. Graph. 41 (2022), through coacd.

    Parameters
    ----------
    mesh : TriangleMesh or path
        Path of a mesh file, as for :func:`gelenk.load_mesh`.
    threshold : float
        How hollow a piece may be, 0.01 to 1: its concavity by the source, a distance in units of half of the longest
        extent of the mesh. Smaller values make more pieces and take longer.
    most_pieces : int, optional
        Merge pieces down to this count, also past the threshold.
    seed : int
        Of the search for good cuts.
    scale : float
        Of a file, metres per unit, as for :func:`gelenk.load_mesh`; refused with a TriangleMesh, which is in metres.
    """
    path = None if isinstance(mesh, TriangleMesh) else check_path("decompose()", mesh, "a TriangleMesh or a path")
    element = "mesh" if path is None else f"mesh {path.name!r}"
    if path is None and scale != 1.0:
        found, allowed = f"scale is {scale!r} beside a TriangleMesh, which is in metres", "scale with a file alone"
        raise InputError("decompose()", found, allowed, "Load the mesh with gk.load_mesh(path, scale=...).")
    options: Options = {
        "threshold": check_number(element, "threshold", threshold, "1", least=0.01, most=1),
        "max_convex_hull": -1,
        "seed": check_count(element, "seed", seed, least=0, most=2**31 - 1),
    }
    if most_pieces is not None:
        options["max_convex_hull"] = check_count(element, "most_pieces", most_pieces, least=1, most=100_000)
    body = mesh if isinstance(mesh, TriangleMesh) else load_mesh(mesh, scale=scale)
    if path is None:
        return _search(element, body, options)
    key = _key(body, options)
    name = f"{path.name}.pieces-{key[:16]}.npz"
    places = [path.parent / name, cache_root() / name]
    for place in places:
        if kept := _read(place, key):
            return kept
    pieces = _search(element, body, options)
    _keep(places, key, [hull.vertices for hull, _, _ in pieces.children if isinstance(hull, ConvexHull)])
    return pieces


def _compound(element: str, pieces: list[FloatArray]) -> Compound:
    """Hulls of the pieces; slivers without volume, which cuts may leave, are passed over."""
    hulls = []
    for points in pieces:
        with contextlib.suppress(InputError):
            hulls.append(ConvexHull(points, element=f"piece of {element}"))
    if not hulls:
        raise _failed(element, "no piece has a volume")
    return Compound(hulls, element=f"pieces of {element}")


def _search(element: str, mesh: TriangleMesh, options: Options) -> Compound:
    """Hulls of the pieces, found in a process of its own, which can be stopped, may print and may even crash."""
    mesh.check_no_crossing(element)
    line = Line()
    with tempfile.TemporaryDirectory(prefix="gelenk-") as folder:
        given, found, said = (Path(folder, name) for name in ("mesh.npz", "pieces.npz", "said.txt"))
        middle, half = _frame(mesh)
        arrays: dict[str, Any] = {name: np.array(value) for name, value in options.items()}
        np.savez(given, vertices=(mesh.vertices - middle) / half, faces=mesh.faces.astype(np.int32), **arrays)
        command = [sys.executable, "-P", decomposition_worker.__file__, str(given), str(found)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
        with said.open("wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
            try:
                seconds = 0.0
                while process.poll() is None:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(BETWEEN_SECONDS)
                    seconds += BETWEEN_SECONDS
                    line.show(f"splitting {element} into convex pieces: {seconds:.0f} s  (Ctrl-C stops)")
            finally:
                process.kill()
                process.wait()
                line.done()
        if process.returncode != 0 or not found.exists():
            words = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise _failed(
                element, f"the search ended with code {process.returncode}: {(words or ['no word'])[-1][:160]}"
            )
        with np.load(found, allow_pickle=False) as data:
            pieces = np.split(middle + half * data["points"], data["first"][1:-1])
    return _compound(element, pieces)


def _frame(mesh: TriangleMesh) -> tuple[FloatArray, float]:
    """Middle of the bounding box, and half of its longest extent [m]."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    return 0.5 * (low + high), 0.5 * float((high - low).max())


def _failed(element: str, why: str) -> InputError:
    return InputError(
        element,
        f"it was not split into convex pieces ({why})",
        "a closed mesh that does not cross itself",
        "Repair the mesh or reduce its triangles; or build a gk.Compound of primitives by hand.",
    )


def _key(mesh: TriangleMesh, options: Options) -> str:
    """Hash of all that the pieces depend on."""
    from importlib.metadata import version

    digest = hashlib.sha256(repr((FORMAT, version("coacd"), sorted(options.items()))).encode())
    digest.update(mesh.vertices.tobytes())
    digest.update(mesh.faces.tobytes())
    return digest.hexdigest()


def _read(place: Path, key: str) -> Compound | None:
    """Pieces kept before; None where there are none, or where the file is damaged or of another mesh."""
    try:
        with np.load(io.BytesIO(place.read_bytes()), allow_pickle=False) as data:
            points, first, of = data["points"], data["first"], str(data["key"])
        steps = np.diff(first.astype(np.int64))
        good = of == key and points.dtype == np.float64 and points.ndim == 2 and first.ndim == 1 and len(first) > 1
        if not good or first[0] != 0 or first[-1] != len(points) or (steps < 4).any():
            return None
        return Compound([ConvexHull(piece) for piece in np.split(points, first[1:-1])])
    except DAMAGED:
        return None


def _keep(places: list[Path], key: str, pieces: list[FloatArray]) -> None:
    """Write the pieces to the first place that can be written, whole or not at all."""
    first = np.cumsum([0, *(len(piece) for piece in pieces)])
    for place in places:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=f".{place.name}.", suffix=".tmp", dir=place.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    np.savez(file, points=np.concatenate(pieces), first=first, key=np.array(key))
                os.replace(temporary, place)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError:
            continue
        if place is not places[0]:
            Line().done(f"gelenk: {places[0].parent} cannot be written; the pieces are kept as {place}")
        return
    Line().done(
        f"gelenk: neither {' nor '.join(str(p.parent) for p in places)} can be written; the pieces are not kept"
    )
