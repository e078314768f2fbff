"""Triangle meshes from files: STL, OBJ, PLY, glTF and GLB.

A file is data and may come from anywhere. Nothing in it is executed, nothing is fetched from the network, materials
and images are not opened, and the only other files that are read are the buffers of a glTF, from its own folder.
Whatever is wrong with a file ends in one error that names it.
"""

from __future__ import annotations

import io
import json
import os
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.geometry.mass import FloatArray
from gelenk.geometry.mesh import TriangleMesh, split_polygons

# Points of all triangles in a file: vertices (n, 3) [file unit] and corners (m, 3).
Soup = tuple[FloatArray, NDArray[np.int64]]

# Extensions of a glTF file that only change how it looks; any other required one changes its geometry.
LOOKS_ONLY = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "KHR_lights_")

# Normals of neighbours whose angle is closer than this to a half turn lie on each other: 1 - cos of 1e-4 rad.
FOLDED = 5e-9


@friendly
def load_mesh(path: str | Path, *, scale: float = 1.0) -> TriangleMesh:
    """Read a closed triangle mesh from a file.

    Vertices with equal coordinates are merged, because STL has no indices and other formats repeat vertices along
    seams of colour; triangles that have two corners at one point vanish with it, and so do vertices that no triangle
    uses. Parts of a glTF scene are placed by their nodes and become shells of one mesh. Polygons of an OBJ file may
    have any simple shape, polygons of a PLY file must be convex. Axes are kept as they are in the file, also for glTF
    whose usual up is y.

    Parameters
    ----------
    path : str or Path
        File ending in .stl, .obj, .ply, .gltf or .glb.
    scale : float
        Metres in one unit of the file: 1e-3 for millimetres.

    Returns
    -------
    TriangleMesh
        Checked as by :func:`gelenk.geometry.mesh_check.check_mesh`; [m].
    """
    path = check_path("load_mesh()", path)
    element = f"mesh {path.name!r}"
    scale = check_number(element, "scale", scale, "m per unit of the file", above=0)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise InputError(
            element,
            f"the file name ends in {path.suffix!r}",
            " ".join(READERS),
            "Convert the file to one of these formats.",
            file=str(path),
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(
            element,
            f"the file cannot be read ({error.strerror or error})",
            "a file that exists and may be read",
            "Check the path; relative paths start in the working folder.",
            file=str(path),
        ) from error
    try:
        vertices, corners = _merge(*reader(path, element, data))
        if len(corners) == 0:
            raise InputError(
                element, "the file holds no triangles", "a closed triangle mesh", "Export the surface as a mesh."
            )
        return TriangleMesh(vertices * scale, corners, element=element)
    except InputError as error:
        error.file = str(path)
        raise
    except Exception as error:
        raise InputError(
            element,
            f"the file is broken ({type(error).__name__}: {_first_line(error)})",
            f"a complete {path.suffix[1:].upper()} file",
            "Open it in the program that wrote it and save it again.",
            file=str(path),
        ) from error


def check_path(call: str, path: Any, allowed: str = "the path of a file") -> Path:
    """A path from a text or a path."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(path, bytes):
        raise InputError(call, f"{path!r}"[:100], allowed, "Pass the name of a mesh file, such as 'car.obj'.")
    return Path(path)


def _read_stl(path: Path, element: str, data: bytes) -> Soup:
    return _with_trimesh(data, "stl", None)


def _read_ply(path: Path, element: str, data: bytes) -> Soup:
    vertices, corners = _merge(*_with_trimesh(data, "ply", None))
    if folded := _folded_pairs(vertices, corners):
        i, j = folded[0]
        raise InputError(
            element,
            f"{len(folded)} pairs of triangles lie on each other, the first at {vertices[i]} to {vertices[j]}: "
            "a polygon that is not convex was split wrongly",
            "triangles or convex polygons in a PLY file",
            "Save triangles, or save as OBJ, where polygons may have any shape.",
        )
    return vertices, corners


def _read_gltf(path: Path, element: str, data: bytes) -> Soup:
    header = _gltf_header(path, data)
    required = [name for name in header.get("extensionsRequired", []) if not str(name).startswith(LOOKS_ONLY)]
    sparse = any("sparse" in accessor for accessor in header.get("accessors", []))
    if required or sparse:
        raise InputError(
            element,
            f"the file needs {', '.join(str(name) for name in required) or 'sparse accessors'}",
            "plain uncompressed geometry",
            "Export again without compression or quantisation.",
        )
    return _with_trimesh(data, path.suffix[1:].lower(), _FolderResolver(path.parent, element))


def _read_obj(path: Path, element: str, data: bytes) -> Soup:
    """Vertices and polygons of a Wavefront OBJ file; normals, groups, materials and the rest are passed over."""
    vertices: list[list[float]] = []
    polygons: list[list[int]] = []
    lines: list[int] = []
    begun = ""
    for number, raw in enumerate(data.decode("utf-8", errors="replace").split("\n"), start=1):
        line = begun + raw.rstrip("\r")
        # a backslash joins a line to the next one
        begun = line[:-1] + " " if line.endswith("\\") else ""
        if begun:
            continue
        words = line.partition("#")[0].split()
        if not words or words[0] not in ("v", "f"):
            continue
        try:
            if words[0] == "v":
                x, y, z = (float(word) for word in words[1:4])
                vertices.append([x, y, z])
            else:
                # i, i/t, i//n or i/t/n, counted from 1; negative numbers count back from the last vertex
                indices = [int(word.partition("/")[0]) for word in words[1:]]
                polygon = [i - 1 if i > 0 else len(vertices) + i for i in indices]
                if len(polygon) < 3 or 0 in indices or min(polygon) < 0:
                    raise ValueError
                polygons.append(polygon)
                lines.append(number)
        except ValueError:
            raise InputError(
                element,
                f"a line reads {line.strip()[:60]!r}",
                "'v x y z' with three numbers, 'f i j k ...' with three or more corners counted from 1",
                "Correct the line or export the file again.",
                line=number,
            ) from None
    if not polygons:
        return np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    for polygon, number in zip(polygons, lines):  # not before: vertices may come after the faces that use them
        if max(polygon) >= len(vertices):
            found, allowed = f"a face has the corner {max(polygon) + 1}", f"corners from 1 to {len(vertices)}"
            raise InputError(element, found, allowed, "Correct the line or export the file again.", line=number)
    points = np.array(vertices, dtype=np.float64).reshape(-1, 3)
    return points, split_polygons(element, points, polygons).astype(np.int64)


# One table of what can be read; a new format is one new function.
READERS: dict[str, Callable[[Path, str, bytes], Soup]] = {
    ".stl": _read_stl,
    ".obj": _read_obj,
    ".ply": _read_ply,
    ".gltf": _read_gltf,
    ".glb": _read_gltf,
}


class _FolderResolver:
    """Gives a reader the buffers named by a glTF file, from the folder of that file and from nowhere else."""

    def __init__(self, folder: Path, element: str) -> None:
        self.folder, self.element = folder.resolve(), element

    def get(self, name: str) -> bytes:
        target = (self.folder / unquote(name)).resolve()
        if "://" in name or not target.is_relative_to(self.folder) or not target.is_file():
            raise InputError(
                self.element,
                f"the file refers to {name!r}",
                f"buffers that lie in {str(self.folder)!r}",
                "Put the buffer beside the file, or export one GLB file.",
            )
        return target.read_bytes()

    __getitem__ = get


def _with_trimesh(data: bytes, file_type: str, resolver: Any) -> Soup:
    """All triangles of a file, placed by the nodes of its scene."""
    import trimesh

    with warnings.catch_warnings():
        # the reader's own deprecations are not ours to show, but text that is no number must not be cut off silently
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message="string or file could not be read to its end")
        scene: Any = trimesh.load(
            io.BytesIO(data),
            file_type=file_type,
            resolver=resolver,
            force="scene",
            process=False,
            skip_materials=True,
        )
    vertices, corners, offset = [], [], 0
    # by part and place: names of nodes may hold random letters
    places = [scene.graph[node] for node in scene.graph.nodes_geometry]
    rank = {name: i for i, name in enumerate(scene.geometry)}
    for T, name in sorted(places, key=lambda place: (rank[place[1]], place[0].tobytes())):
        part = scene.geometry[name]
        if not hasattr(part, "faces"):
            continue
        # merge before placing: copies of a vertex then share their rounding
        points, faces = _merge(np.asarray(part.vertices, dtype=np.float64), np.asarray(part.faces, dtype=np.int64))
        if len(faces) == 0:
            continue
        if not np.array_equal(T, np.eye(4)):
            # term by term: a matrix product may round one vertex differently in two parts that meet there
            x, y, z = points.T
            points = np.stack([T[k, 0] * x + T[k, 1] * y + T[k, 2] * z + T[k, 3] for k in range(3)], axis=1)
        # a mirrored part would be inside out
        faces = faces[:, ::-1] if np.linalg.det(T[:3, :3]) < 0.0 else faces
        vertices.append(points)
        corners.append(faces + offset)
        offset += len(points)
    if not corners:
        return np.empty((0, 3)), np.empty((0, 3), dtype=np.int64)
    return np.concatenate(vertices), np.concatenate(corners)


def _gltf_header(path: Path, data: bytes) -> dict[str, Any]:
    """The JSON part of a glTF or GLB file."""
    if path.suffix.lower() == ".glb":
        # 12 bytes for the file, then length and type of the first chunk
        magic, _version, _length, size, _kind = struct.unpack_from("<4sIIII", data)
        if magic != b"glTF":
            raise ValueError("no GLB header")
        data = data[20 : 20 + size]
    header = json.loads(data.decode("utf-8"))
    if not isinstance(header, dict):
        raise ValueError("no glTF header")
    return header


def _merge(vertices: FloatArray, corners: NDArray[np.int64]) -> Soup:
    """Merge vertices with equal coordinates; drop triangles that lose a corner and vertices without a triangle.

    A triangle with two corners at one point has no area, and the two sides that remain of it cancel, so the surface
    stays closed without it. Vertices keep the order in which they first appear.
    """
    if len(corners) == 0 or len(vertices) == 0:
        return vertices, corners[:0]
    if corners.min() < 0 or corners.max() >= len(vertices):
        raise ValueError(f"a triangle refers to vertex {corners.max()}, the file has {len(vertices)}")
    points = vertices + 0.0  # -0.0 becomes 0.0: equal places get equal bits
    order = np.lexsort((points[:, 2], points[:, 1], points[:, 0]))
    new = np.concatenate(([True], (points[order[1:]] != points[order[:-1]]).any(axis=1)))
    # lexsort is stable, so the first of each group is the first in the file
    first = np.empty(len(points), dtype=np.int64)
    first[order] = order[new][np.cumsum(new) - 1]
    corners = first[corners]
    whole = (corners != np.roll(corners, 1, axis=1)).all(axis=1)
    used, corners_new = np.unique(corners[whole], return_inverse=True)
    return points[used], corners_new.reshape(-1, 3)


def _folded_pairs(vertices: FloatArray, corners: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Edges between triangles that lie on each other, as when a polygon is fanned across its own border."""
    a, b, c = (vertices[corners[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    length = np.sqrt((normal**2).sum(axis=1))
    normal /= np.where(length > 0.0, length, 1.0)[:, None]
    start, end = corners.ravel(), np.roll(corners, -1, axis=1).ravel()
    key = np.minimum(start, end) * len(vertices) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    pair = np.flatnonzero(key[order[1:]] == key[order[:-1]])
    i, j = order[pair], order[pair + 1]
    opposite = (normal[i // 3] * normal[j // 3]).sum(axis=1) < -1.0 + FOLDED
    return [(int(start[side]), int(end[side])) for side in i[opposite]]


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:120] if lines else "no message"
