"""Shapes in scene files: sizes by name, and meshes, hulls and rasters as base64 of their arrays, rows, or files."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path, PureWindowsPath
from typing import Any

import numpy as np

from gelenk.errors import InputError
from gelenk.geometry.compound import ALL_SHAPES, SIMPLE_SHAPES, Compound
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_files import load_mesh
from gelenk.geometry.shapes import SHAPES, Shape
from gelenk.geometry.sphere_tree import SphereTree
from gelenk.model.parts import ORIGIN, UPRIGHT
from gelenk.model.scene_places import Places, shown
from gelenk.model.toml_lines import Path as KeyPath
from gelenk.model.toml_text import Pairs, given, inline, unless_default, value_text


class ShapeReader:
    """Reads the shapes of one scene; mesh files are looked for in its folder, if it has one."""

    def __init__(self, places: Places, folder: Path | None) -> None:
        self.places, self.folder = places, folder

    def read(self, element: str, path: KeyPath, value: Any, known: Sequence[str] = tuple(ALL_SHAPES)) -> Shape:
        """The shape that a table ``{ kind = { ... } }`` describes."""
        kind, table = self.places.only_key(element, path, value, "shape", known, "")
        path = (*path, kind)
        if kind == "mesh":
            return self._mesh(element, path, table)
        if kind == "hull":
            return self._hull(element, path, table)
        if kind == "height_field":
            return self._height_field(element, path, table)
        if kind == "compound":
            return self._compound(element, path, table)
        if kind == "lofted_sheet":
            return self._lofted_sheet(element, path, table)
        if kind == "sphere_tree":
            mesh = self._mesh(element, path, table, ("levels",))
            with self.places.at(path, element, "sphere_tree: "):
                return SphereTree(mesh, **{key: table[key] for key in ("levels",) if key in table})
        if kind == "distance_map":
            mesh = self._mesh(element, path, table, ("cells", "exact"))
            with self.places.at(path, element, "distance_map: "):
                return DistanceMap(mesh, **{key: table[key] for key in ("cells", "exact") if key in table})
        shape = SHAPES[kind]
        names = [field.name for field in fields(shape)]  # type: ignore[arg-type]
        self.places.check_keys(element, path, table, names, required=names)
        with self.places.at(path, element, f"{kind}: "):
            return shape(**table)

    def _hull(self, element: str, path: KeyPath, table: Any) -> ConvexHull:
        """The hull of points, from base64 of their numbers or from plain rows."""
        self.places.check_keys(element, path, table, ("points",), required=("points",))
        points = self._rows(element, (*path, "points"), table["points"], "<f8")
        with self.places.at(path, element, "hull: "):
            return ConvexHull(points)

    def _height_field(self, element: str, path: KeyPath, table: Any) -> HeightField:
        """Heights as rows, or as base64 with the numbers of samples along x and y beside it."""
        keys = ("heights", "samples", "spacing", "base")
        self.places.check_keys(element, path, table, keys, required=("heights", "spacing"))
        heights = table["heights"]
        if isinstance(heights, str):
            self.places.check_keys(element, path, table, keys, required=("samples",))
            heights = self._raster(element, path, heights, table["samples"])
        elif "samples" in table:
            found, allowed = "height_field: heights in rows, and samples", "samples beside base64 alone"
            raise self.places.error((*path, "samples"), element, found, allowed, "Remove samples; the rows tell them.")
        with self.places.at(path, element, "height_field: "):
            return HeightField(heights, table["spacing"], base=table.get("base"))

    def _lofted_sheet(self, element: str, path: KeyPath, table: Any) -> LoftedSheet:
        """Sections as rows, or as base64 with the numbers of sections and of control points across beside it."""
        keys = ("s", "points", "weights", "count", "patches", "ruled")
        self.places.check_keys(element, path, table, keys, required=("s", "points"))
        given = {key: table[key] for key in keys if key in table}
        if any(isinstance(given.get(key), str) for key in keys[:3]):
            self.places.check_keys(element, path, table, keys, required=("count",))
            count = given.pop("count")
            if not (isinstance(count, list) and len(count) == 2 and all(type(n) is int and n > 0 for n in count)):
                found, allowed = (
                    f"lofted_sheet: count is {shown(count)}",
                    "how many sections and points, as [n, 2 k + 1]",
                )
                raise self.places.error((*path, "count"), element, found, allowed, "Give two whole numbers above 0.")
            for key, shape in (("s", count[:1]), ("points", [*count, 3]), ("weights", count)):
                if isinstance(given.get(key), str):
                    given[key] = self._packed(element, (*path, key), given[key], shape)
        elif "count" in given:
            found, allowed = "lofted_sheet: sections in rows, and count", "count beside base64 alone"
            raise self.places.error((*path, "count"), element, found, allowed, "Remove count; the rows tell it.")
        with self.places.at(path, element, "lofted_sheet: "):
            return LoftedSheet(**given)

    def _packed(self, element: str, path: KeyPath, text: str, shape: Sequence[int]) -> np.ndarray:
        """An array from base64 of little-endian numbers."""
        found = f"{path[-1]} is {shown(text)}"
        try:
            data = base64.b64decode(text, validate=True)
            found = f"{path[-1]} is base64 of {len(data)} bytes"
            if len(data) == 8 * int(np.prod(shape)):
                return np.frombuffer(data, "<f8").reshape(tuple(shape))
        except binascii.Error:
            pass
        wanted = " x ".join(map(str, shape))
        allowed = f"rows of numbers, or base64 of {wanted} little-endian float64 numbers"
        remedy = "Write the rows as arrays, or save the model again with gk.save_scene."
        raise self.places.error(path, element, f"{path[-2]}: {found}", allowed, remedy)

    def _raster(self, element: str, path: KeyPath, text: str, samples: Any) -> np.ndarray:
        """(nx, ny) array from base64 of little-endian numbers, row by row."""
        counts = isinstance(samples, list) and len(samples) == 2 and all(type(n) is int and n > 0 for n in samples)
        if not counts:
            found, allowed = f"height_field: samples is {shown(samples)}", "how many along x and along y, as [nx, ny]"
            raise self.places.error((*path, "samples"), element, found, allowed, "Give two whole numbers above 0.")
        found = f"heights is {shown(text)}"
        try:
            data = base64.b64decode(text, validate=True)
            found = f"heights is base64 of {len(data)} bytes"
            if len(data) == 8 * samples[0] * samples[1]:
                return np.frombuffer(data, "<f8").reshape(samples)
        except binascii.Error:
            pass
        raise self.places.error(
            (*path, "heights"),
            element,
            f"height_field: {found}",
            f"rows of numbers, or base64 of {samples[0]} x {samples[1]} little-endian float64 numbers",
            "Write the rows as [[z, z, ...], ...], or save the model again with gk.save_scene.",
        )

    def _compound(self, element: str, path: KeyPath, table: Any) -> Compound:
        """Children with the keys of a part that say where they sit; none is a compound itself."""
        self.places.check_keys(element, path, table, ("children",), required=("children",))
        path = (*path, "children")
        rows, children = table["children"], []
        if not isinstance(rows, list):
            found, remedy = (
                f"compound: children are {shown(rows)}",
                "Write children = [{ shape = ..., at = ... }, ...].",
            )
            raise self.places.error(path, element, found, "an array of tables", remedy)
        for i, row in enumerate(rows):
            child, place = f"child {i} of {element}", (*path, i)
            self.places.check_keys(child, place, row, ("shape", "at", "rotation"), required=("shape",))
            shape = self.read(child, (*place, "shape"), row["shape"], tuple(SIMPLE_SHAPES))
            children.append((shape, row.get("at", ORIGIN), row.get("rotation", UPRIGHT)))
        with self.places.at(path[:-1], element, "compound: "):
            return Compound(children)

    def _mesh(self, element: str, path: KeyPath, table: Any, more: tuple[str, ...] = ()) -> TriangleMesh:
        """A mesh from a file beside the scene, from base64 of its arrays, or from plain rows of numbers."""
        if isinstance(table, dict) and "file" in table:
            self.places.check_keys(element, path, table, ("file", "scale", *more))
            target = self._mesh_path(element, (*path, "file"), table["file"])
            try:
                return load_mesh(target, scale=table.get("scale", 1.0))
            except InputError as error:
                where = table["file"] + (f", line {error.line}" if error.line is not None else "")
                key = "scale" if error.found.startswith("scale ") else "file"
                found = f"mesh {where}: {error.found}"
                raise self.places.error((*path, key), element, found, error.allowed, error.remedy) from error
        arrays = ("vertices", "triangles")
        self.places.check_keys(element, path, table, ("file", "scale", *arrays, *more))
        self.places.check_keys(element, path, table, (*arrays, *more), required=arrays)
        vertices = self._rows(element, (*path, "vertices"), table["vertices"], "<f8")
        triangles = self._rows(element, (*path, "triangles"), table["triangles"], "<u4")
        with self.places.at(path, element, "mesh: "):
            return TriangleMesh(vertices, triangles)

    def _rows(self, element: str, path: KeyPath, value: Any, dtype: str) -> np.ndarray:
        """(n, 3) array from base64 of little-endian numbers or from an array of rows."""
        kind = "float64" if dtype == "<f8" else "uint32"
        found = f"{path[-1]} is {shown(value)}"
        try:
            if isinstance(value, str):
                data = base64.b64decode(value, validate=True)
                found = f"{path[-1]} is base64 of {len(data)} bytes"
                return np.frombuffer(data, dtype).reshape(-1, 3).astype(kind)
            rows = np.array(value)
            if rows.ndim == 2 and rows.shape[1] == 3 and rows.dtype.kind in ("if" if kind == "float64" else "i"):
                return rows
        except (binascii.Error, ValueError, TypeError):
            pass
        raise self.places.error(
            path,
            element,
            f"{path[-2]}: {found}",
            f"rows of three numbers, or base64 of little-endian {kind} numbers, three a row",
            "Write the rows as [[x, y, z], ...], or save the model again with gk.save_scene.",
        )

    def _mesh_path(self, element: str, path: KeyPath, file: Any) -> Path:
        """A file in the folder of the scene or below it. Scenes come from anywhere and must not read elsewhere."""
        if self.folder is None:
            raise self.places.error(
                path,
                element,
                f"mesh file is {file!r}, but the scene is a text without a folder",
                "mesh files for scenes read from a folder",
                "Use gk.load_scene(path), or pass folder= to read_scene.",
            )
        folder = self.folder.resolve()
        try:
            foreign = PureWindowsPath(file)
            target = (folder / file).resolve()
            good = not foreign.is_absolute() and not foreign.drive and not foreign.root
            good = good and target.is_relative_to(folder)
        except (TypeError, ValueError, OSError, RuntimeError):
            good = False
        if not good:
            raise self.places.error(
                path,
                element,
                f"mesh file is {shown(file)}",
                "a path inside the folder of the scene, neither absolute nor leading out of it by '..' or a link",
                "Put the mesh beside the scene; scenes may come from others, so they read nothing elsewhere.",
            )
        return target


def shape_text(element: str, shape: Any) -> str:
    """TOML text of a shape, which :meth:`ShapeReader.read` turns back, bit by bit."""
    if ALL_SHAPES.get(shape.kind) is not type(shape):
        raise InputError(
            element,
            f"a shape of class {type(shape).__name__!r}",
            ", ".join(ALL_SHAPES),
            "Turn it into a mesh or a built-in shape before saving.",
        )
    if isinstance(shape, Compound):
        children = [
            inline({"shape": shape_text(element, child)} | unless_default(at=at, rotation=q))
            for child, at, q in shape.children
        ]
        return inline({shape.kind: inline({"children": f"[{', '.join(children)}]"})})
    if isinstance(shape, SphereTree):
        return inline({shape.kind: inline(_mesh_text(shape.mesh) | {"levels": value_text(shape.levels)})})
    if isinstance(shape, DistanceMap):
        options = {"cells": value_text(shape.cells), "exact": value_text(shape.exact)}
        return inline({shape.kind: inline(_mesh_text(shape.mesh) | options)})
    if isinstance(shape, TriangleMesh):
        return inline({shape.kind: inline(_mesh_text(shape))})
    if isinstance(shape, ConvexHull):
        return inline({shape.kind: inline({"points": _base64(shape.vertices, "<f8")})})
    if isinstance(shape, HeightField):
        raster = {"heights": _base64(shape.heights, "<f8"), "samples": value_text(shape.heights.shape)}
        more = {"spacing": value_text(shape.spacing), "base": value_text(shape.base)}
        return inline({shape.kind: inline(raster | more)})
    if isinstance(shape, LoftedSheet):
        arrays = {key: _base64(getattr(shape, key), "<f8") for key in ("s", "points", "weights")}
        more = {"count": value_text(shape.points.shape[:2]), "patches": value_text(shape.patches)}
        return inline({shape.kind: inline(arrays | more | {"ruled": value_text(shape.ruled)})})
    return inline({shape.kind: inline(given(element, shape))})


def _mesh_text(mesh: TriangleMesh) -> Pairs:
    return {"vertices": _base64(mesh.vertices, "<f8"), "triangles": _base64(mesh.faces, "<u4")}


def _base64(array: np.ndarray, dtype: str) -> str:
    # a literal string: the parser reads it several times faster than a quoted one
    return "'" + base64.b64encode(array.astype(dtype).tobytes()).decode("ascii") + "'"
