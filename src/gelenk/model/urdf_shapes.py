"""What links of a URDF file look like and touch with: shapes, mesh files, colours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from gelenk.checks import Vector
from gelenk.errors import InputError
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_files import READERS, load_mesh
from gelenk.geometry.shapes import Box, Capsule, Cylinder, Shape, Sphere
from gelenk.math.spatial import Pose
from gelenk.model.urdf_xml import Node

SKIP = 'or leave such meshes out with meshes="skip".'


@dataclass(frozen=True)
class Looks:
    """A shape of a link, seen or touched."""

    shape: Shape
    pose: Pose  # in the link
    seen: bool  # else touched
    material: str  # name in the model, "" for none


@dataclass
class Materials:
    """Colours by name. A name that comes with a second colour gets a number."""

    prefix: str
    known: dict[str, Vector] = field(default_factory=dict)  # name in the file -> colour
    used: dict[str, Vector] = field(default_factory=dict)  # name in the model -> colour

    def learn(self, root: Node) -> None:
        """Materials that are declared for the whole robot."""
        for node in root.all("material"):
            self._color(node)

    def name(self, node: Node | None) -> str:
        """The material of a visual, by its name in the model; "" if it has no colour."""
        color = None if node is None else self._color(node)
        if node is None or color is None:
            return ""
        word = re.sub(r"[^\w\- ]", "_", node.attributes.get("name", "").strip()) or "color"
        word = self.prefix + (word if word[0].isalpha() or word[0] == "_" else f"_{word}")
        name, count = word, 1
        while self.used.setdefault(name, color) != color:
            count += 1
            name = f"{word} {count}"
        return name

    def _color(self, node: Node) -> Vector | None:
        name = node.attributes.get("name", "").strip()
        given = node.first("color")
        if given is None:
            return self.known.get(name)
        rgba = given.numbers("rgba", (3, 4))
        if not all(0.0 <= c <= 1.0 for c in rgba):
            raise given.error(f"rgba is {rgba}", "numbers from 0 to 1", "Scale the colour.")
        color = (rgba[0], rgba[1], rgba[2])
        if name:
            self.known.setdefault(name, color)
        return color


@dataclass
class Meshes:
    """Mesh files of a robot, each read once.

    Parameters
    ----------
    folder : of the URDF file
    packages : folders of packages, by name
    mode : "load", "skip" leaves out what cannot be loaded, "none" reads no mesh
    mend : whether a surface that is not closed, or touched and crossing itself, is replaced by its convex hull
    """

    folder: Path
    packages: Mapping[str, Any]
    mode: str
    mend: bool
    loaded: dict[tuple[str, tuple[float, ...]], TriangleMesh | None] = field(default_factory=dict)
    solid: dict[tuple[str, tuple[float, ...]], TriangleMesh | None] = field(default_factory=dict)  # those touched
    open: list[str] = field(default_factory=list)  # names of files replaced by their hull
    skipped: list[str] = field(default_factory=list)  # names of files left out, with the reason

    def shape(self, node: Node, touched: bool) -> TriangleMesh | None:
        """The mesh that ``<mesh>`` names, or None if it is left out; one that is touched does not cross itself."""
        if self.mode == "none":
            return None
        name, scale = node.text("filename"), node.numbers("scale", (1, 3), (1.0,))
        if not all(scale):
            raise node.error(f"scale of mesh {name!r} is {scale}", "numbers other than 0", "Correct the scale.")
        for of, load in ((self.loaded, self._load), (self.solid, self._uncrossed)):
            if (name, scale) not in of:
                try:
                    of[name, scale] = load(node.element, name, scale)
                except InputError as error:
                    if self.mode != "skip":
                        found = error.found if error.file is None else f"mesh {error.file}: {error.found}"
                        raise node.error(found, error.allowed, error.remedy) from error
                    self.skipped.append(f"{name} ({error.found})")
                    of[name, scale] = None
            if not touched or of[name, scale] is None:
                return of[name, scale]
        return self.solid[name, scale]

    def _uncrossed(self, element: str, name: str, scale: tuple[float, ...]) -> TriangleMesh:
        """The mesh that was loaded, or its hull if it cuts through itself."""
        mesh = self.loaded[name, scale]
        assert mesh is not None
        try:
            mesh.check_no_crossing(element)
        except InputError as error:
            hull = convex_hull(mesh.vertices) if self.mend else None
            if hull is None:
                raise InputError(element, f"mesh {name}: {error.found}", error.allowed, error.remedy) from error
            self.open.append(name)
            return hull
        return mesh

    def _load(self, element: str, name: str, scale: tuple[float, ...]) -> TriangleMesh:
        path = self._path(element, name)
        if not path.is_file():
            raise InputError(
                element, f"there is no mesh file {str(path)!r}", "a file that exists", f"Correct the path, {SKIP}"
            )
        try:
            mesh = load_mesh(path)
        except InputError as error:
            hull = convex_hull(points_of(path, element)) if self.mend else None
            if hull is None:
                raise InputError(
                    element, f"mesh {path}: {error.found}", error.allowed, f"Mend the mesh, {SKIP}"
                ) from error
            mesh = hull
            self.open.append(name)
        if scale == (1.0,) or scale == (1.0, 1.0, 1.0):
            return mesh
        return TriangleMesh(mesh.vertices * np.array(scale), mesh.faces, element=element)

    def _path(self, element: str, name: str) -> Path:
        scheme, separator, rest = name.partition("://")
        name = name.replace("\\", "/")
        if not separator and not name.startswith("//"):
            return self.folder / name
        if scheme == "file":
            return Path(re.sub(r"^/(?=[A-Za-z]:)", "", unquote(rest)))
        if scheme not in ("package", "model"):
            remedy = "Put the mesh beside the URDF file; nothing is fetched from a network."
            raise InputError(element, f"mesh {name!r}", "a path, package:// or file://", remedy)
        package, _, rest = rest.partition("/")
        if package in self.packages:
            return Path(self.packages[package]) / rest
        folder = self.folder.resolve()
        for above in (folder, *folder.parents):
            if above.name == package and (above / rest).is_file():
                return above / rest
            if (above / package / rest).is_file():
                return above / package / rest
        found = (
            f"mesh {name!r}, and neither {str(folder)!r} nor a folder above it holds that file of package {package!r}"
        )
        raise InputError(element, found, "packages whose folder is known", f"Pass packages={{{package!r}: folder}}.")


def read_shape(geometry: Node, meshes: Meshes, touched: bool) -> Shape | None:
    """The shape of ``<geometry>``, to be touched or only seen; None if it is left out."""
    known = [child for tag in ("box", "sphere", "cylinder", "capsule", "mesh") for child in geometry.all(tag)]
    if len(known) > 1 or not geometry.children:
        found = f"<geometry> with {len(known)} shapes"
        raise geometry.error(found, "one shape", "Give each shape a <visual> or <collision> of its own.")
    if not known:
        return None  # a shape of some other program; its tag is among those that are not used
    node = known[0]
    with node.place(node.element):
        if node.tag == "mesh":
            return meshes.shape(node, touched)
        if node.tag == "box":
            x, y, z = node.numbers("size", (3,))
            return Box((x, y, z))
        if node.tag == "sphere":
            return Sphere(node.number("radius"))
        return (Cylinder if node.tag == "cylinder" else Capsule)(node.number("radius"), node.number("length"))


def points_of(path: Path, element: str) -> np.ndarray:
    """All vertices of a mesh file, whatever surface they make; none if it cannot be read."""
    reader = READERS.get(path.suffix.lower())
    try:
        return np.empty((0, 3)) if reader is None else reader(path, element, path.read_bytes())[0]
    except Exception:  # load_mesh has said why
        return np.empty((0, 3))


def convex_hull(points: np.ndarray) -> TriangleMesh | None:
    """The smallest convex body around points, or None if they lie in a plane or are too few.

    Source: Barber, Dobkin and Huhdanpaa, The Quickhull algorithm for convex hulls, ACM TOMS 22 (1996), as in SciPy.
    """
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    used, faces = np.unique(hull.simplices, return_inverse=True)
    vertices, faces = points[used], faces.reshape(-1, 3)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    try:
        return TriangleMesh(vertices, faces)
    except InputError:  # needles of no area
        return None
