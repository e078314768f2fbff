"""Models from TOML text. A scene is data and may come from anywhere.

Nothing in it is executed, and the only other files that are read are meshes in its own folder. Whatever is wrong ends
in one error that names the element and the line.
"""

from __future__ import annotations

import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from gelenk.checks import unknown
from gelenk.errors import InputError
from gelenk.forces.law import Law
from gelenk.joints.kinds import JOINT_KINDS
from gelenk.model.builder import Builder
from gelenk.model.contact_law import law_label
from gelenk.model.model import CONTACT_KINDS, KINDS, Model
from gelenk.model.parts import Frame, Material, Part
from gelenk.model.scene_places import Places, Table, shown
from gelenk.model.scene_shapes import ShapeReader
from gelenk.model.toml_lines import Path as KeyPath
from gelenk.model.toml_lines import key_lines, last_key_line, line_of

SIZE_LIMIT = 256 * 2**20  # bytes; a mesh of a million triangles takes 32 MB
Laws = Mapping[str, Callable[..., None]]

TABLES = ("material", "body", "particle", "frame", "force", "joint")
# Field types of elements that a file can get wrong, and the words for them.
TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "str": (str, "a text in quotes"),
    "bool": (bool, "true or false"),
    "int": (int, "a whole number"),
    "float": ((int, float), "a number"),
}
_POSITION = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")


def load_scene(
    path: str | Path,
    *,
    laws: Laws | None = None,
    kinds: Sequence[type] = (),
    assemble: bool = False,
    merge: bool = False,
) -> Model:
    """Read a model from a scene file.

    Parameters
    ----------
    path : TOML file, UTF-8, at most 256 MiB
    laws : functions of the laws in the scene, by name; code is never read from a file
    kinds : classes of forces, joints and drives that are not built in
    assemble : move bodies until all joints meet; see :meth:`Builder.build`
    merge : make one body of those that rigid joints hold for good; see there
    """
    path = Path(path)
    element = f"scene {path.name!r}"
    try:
        with path.open("rb") as stream:
            data = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise InputError(
            element,
            f"the file cannot be read ({error.strerror or error})",
            "a file that exists and may be read",
            "Check the path; relative paths start in the working folder.",
            file=str(path),
        ) from error
    try:
        text = _refuse_large(element, data, str(path)).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            element,
            f"byte {error.start} is {data[error.start]:#04x}, which is not UTF-8",
            "text in UTF-8",
            "Save the file in UTF-8.",
            file=str(path),
            line=data.count(b"\n", 0, error.start) + 1,
        ) from None
    return read_scene(text, file=path, folder=path.parent, laws=laws, kinds=kinds, assemble=assemble, merge=merge)


def read_scene(
    text: str,
    *,
    file: str | Path | None = None,
    folder: str | Path | None = None,
    laws: Laws | None = None,
    kinds: Sequence[type] = (),
    assemble: bool = False,
    merge: bool = False,
) -> Model:
    """Read a model from the text of a scene.

    Parameters
    ----------
    text : TOML
    file : name for messages
    folder : where mesh files are looked for; without it there are none
    laws : functions of the laws in the scene, by name
    kinds : classes of forces, joints and drives that are not built in
    assemble : move bodies until all joints meet; see :meth:`Builder.build`
    merge : make one body of those that rigid joints hold for good; see there
    """
    name = None if file is None else str(file)
    element = "scene" if file is None else f"scene {Path(file).name!r}"
    text = _refuse_large(element, text, name).removeprefix("\ufeff")
    data = _parse(element, text, name)
    scene = _Scene(element, data, key_lines(text), name, None if folder is None else Path(folder), laws or {}, kinds)
    return scene.model(assemble, merge)


class _Scene(Places):
    """One reading: what the file holds, on which lines, and the builder it goes to."""

    def __init__(
        self,
        element: str,
        data: Table,
        lines: dict[KeyPath, int],
        file: str | None,
        folder: Path | None,
        laws: Laws,
        kinds: Sequence[type],
    ) -> None:
        super().__init__(element, data, lines, file)
        self.shapes = ShapeReader(self, folder)
        self.laws, self.kinds = laws, _kinds_by_word(kinds)
        self.builder = Builder()
        self.element_paths: dict[str, KeyPath] = {}  # label of a force or joint -> its place

    def model(self, assemble: bool, merge: bool) -> Model:
        """Check and add everything in the order in which one thing needs another."""
        self.check_values()
        self.check_keys(self.element, (), self.data, ("name", "gravity", "exclude", *TABLES, "contact"))
        with self.at(()):
            self.builder = Builder(**{key: self.data[key] for key in ("name", "gravity") if key in self.data})
        for name, path, table in self._tables("material", [f.name for f in fields(Material) if f.name != "name"]):
            with self.at(path):
                self.builder.material(name, **table)
        self._contacts(self.data.get("contact", []))
        for name, path, table in self._tables("body", [*_options(Builder.body), "part"]):
            self._body(name, path, table)
        self._exclude(self.data.get("exclude", []))
        for name, path, table in self._tables("particle", _options(Builder.particle)):
            with self.at(path):
                self.builder.particle(name, **table)
        frame_keys = [f.name for f in fields(Frame) if f.name not in ("name", "within")]
        for name, path, table in self._tables("frame", frame_keys, required=("body",)):
            with self.at(path):
                self.builder.frame(name, **table)
        for group in ("force", "joint"):
            for name, path, table in self._tables(group, None):
                self._element(group, name, path, table)
        try:
            return self.builder.build(assemble=assemble, merge=merge)
        except InputError as error:
            raise self.placed(error, self.element_paths.get(error.element, ())) from error.__cause__

    def _body(self, name: str, path: KeyPath, table: Table) -> None:
        element = f"body {name!r}"
        given = dict(table)
        parts = given.pop("part", None)
        if "shape" in given and parts is not None:
            raise self.error(
                (*path, "shape"),
                element,
                "both shape and part",
                "shape for a single part, or parts",
                f"Move the shape into a [[body.{name}.part]] of its own.",
            )
        if "shape" in given:
            given["shape"] = self.shapes.read(element, (*path, "shape"), given["shape"])
        elif parts is not None:
            if not isinstance(parts, list):
                raise self.error(
                    (*path, "part"),
                    element,
                    f"part is {shown(parts)}",
                    "an array of tables",
                    f"Begin each part with [[body.{name}.part]] in double brackets.",
                )
            given["shape"] = [self._part(name, (*path, "part", i), part) for i, part in enumerate(parts)]
        with self.at(path):
            self.builder.body(name, **given)

    def _exclude(self, pairs: Any) -> None:
        for pair in pairs if isinstance(pairs, list) else [pairs]:
            if not isinstance(pair, list) or len(pair) != 2:
                found, allowed = f"exclude is {shown(pairs)}", "pairs of names of bodies"
                raise self.error(("exclude",), self.element, found, allowed, 'Write exclude = [["a", "b"], ...].')
            with self.at(("exclude",), self.element):
                self.builder.exclude(*pair)

    def _contacts(self, laws: Any) -> None:
        """Laws of pairs of materials."""
        if not isinstance(laws, list):
            found, remedy = f"contact is {shown(laws)}", "Begin each law with [[contact]] in double brackets."
            raise self.error(("contact",), self.element, found, "an array of tables", remedy)
        materials = self.data.get("material", {})
        for i, table in enumerate(laws):
            path, element = ("contact", i), f"contact {i + 1}"
            self.check_keys(element, path, table, ["between", *_options(Builder.contact)], required=("between",))
            given = dict(table)
            pair = given.pop("between")
            if not isinstance(pair, list) or len(pair) != 2 or not all(isinstance(name, str) for name in pair):
                found, allowed = f"between is {shown(pair)}", 'two names of materials, "" for none'
                raise self.error((*path, "between"), element, found, allowed, 'Write between = ["rubber", "ice"].')
            label = law_label(*pair)
            with self.at((*path, "between")):
                for name in pair:
                    if name and name not in materials:
                        raise unknown(label, "material", name, materials)
            with self.at(path):
                self.builder.contact(*pair, **given)
            self.element_paths[label] = path

    def _part(self, body: str, path: KeyPath, table: Any) -> Part:
        element = f"part {int(path[-1]) + 1} of body {body!r}"
        self.check_keys(element, path, table, [f.name for f in fields(Part)], required=("shape",))
        shape = self.shapes.read(element, (*path, "shape"), table["shape"])
        with self.at(path, element):
            part = Part(**{**table, "shape": shape})
            if part.material and part.material not in self.data.get("material", {}):
                raise unknown(element, "material", part.material, self.data.get("material", {}))
        return part

    def _element(self, group: str, name: str, path: KeyPath, table: Table) -> None:
        """A force, or a joint, motor or gear, of the class that its one key names."""
        element = f"{group} {name!r}"
        how = f"For a {group} of your own pass its class: gk.load_scene(path, kinds=(My{group.title()},))."
        kind, given = self.only_key(element, path, table, f"kind of {group}", tuple(self.kinds[group]), how)
        path, cls = (*path, kind), self.kinds[group][kind]
        element = f"{kind} {name!r}"
        slots = {f.name: f for f in fields(cls) if f.init and f.name != "name"}
        values: Table = {}
        if cls is Law:
            del slots["function"]
        required = [f.name for f in slots.values() if f.default is MISSING and f.default_factory is MISSING]
        self.check_keys(element, path, given, list(slots), required=required)
        for key, value in given.items():
            word = slots[key].type if isinstance(slots[key].type, str) else getattr(slots[key].type, "__name__", "")
            types, allowed = TYPES.get(str(word), (object, ""))
            if not isinstance(value, types) or (isinstance(value, bool) and word in ("int", "float")):
                found = f"{key} is {shown(value)}"
                raise self.error((*path, key), element, found, allowed, f"Give {key} as {allowed}.")
            values[key] = _tuples(value)
        if cls is Law:
            values["function"] = self._function(element, path, name)
        with self.at(path):
            try:
                made = cls(name=name, **values)
            except InputError:
                raise
            except (TypeError, ValueError, ArithmeticError) as error:
                remedy = f"Look into the docstring of {cls.__name__}."
                raise InputError(element, str(error), f"what {cls.__name__} accepts", remedy) from error
            self.builder.add(made)
        self.element_paths[made.label] = path

    def _function(self, element: str, path: KeyPath, name: str) -> Callable[..., None]:
        try:
            return self.laws[name]
        except KeyError:
            raise self.error(
                path,
                element,
                "its function is missing",
                "a function for each law; code is never read from a scene",
                f"Pass it: gk.load_scene(path, laws={{{name!r}: function}}).",
            ) from None

    def _tables(
        self, kind: str, keys: Sequence[str] | None, required: Sequence[str] = ()
    ) -> Iterator[tuple[str, KeyPath, Table]]:
        """Every table ``[kind.NAME]`` with its name and place."""
        group = self.data.get(kind, {})
        tables = group.items() if isinstance(group, dict) else [("", group)]
        for name, table in tables:
            if not isinstance(table, dict) or not isinstance(group, dict):
                raise self.error(
                    (kind, name),
                    f"{kind} {name!r}" if name else self.element,
                    f"{name or kind} is {shown(table)}",
                    f"a table [{kind}.NAME] for each {kind}",
                    f"Begin with a line such as [{kind}.{name or 'first'}].",
                )
            if keys is not None:
                self.check_keys(f"{kind} {name!r}", (kind, name), table, keys, required)
            yield name, (kind, name), table


def _kinds_by_word(kinds: Sequence[type]) -> dict[str, dict[str, Any]]:
    """Word in a scene -> class, for the built-in kinds and those given: forces have a block, joints are wired."""
    tables: dict[str, dict[str, Any]] = {
        "force": {kind.kind: kind for kind in (*KINDS, *CONTACT_KINDS)},  # type: ignore[attr-defined]
        "joint": {kind.kind: kind for kind in JOINT_KINDS},  # type: ignore[attr-defined]
    }
    for kind in kinds:
        word, wired = getattr(kind, "kind", None), hasattr(kind, "wire")
        named = isinstance(word, str) and hasattr(kind, "__dataclass_fields__")
        if not (named and (wired or hasattr(kind, "block"))):
            allowed = "dataclasses of forces with kind and block, or of joints and drives with kind and wire"
            raise InputError("kinds", f"{kind!r}", allowed, "Pass the class.")
        if tables["joint" if wired else "force"].setdefault(str(word), kind) is not kind:
            remedy = "Change kind in one of them."
            raise InputError("kinds", f"{word!r} stands for two classes", "a word of its own for each kind", remedy)
    return tables


def _options(method: Callable[..., Any]) -> list[str]:
    """Names of the keyword arguments of a method of the builder: the keys of its table."""
    return [p.name for p in inspect.signature(method).parameters.values() if p.kind is p.KEYWORD_ONLY]


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def _refuse_large(element: str, data: Any, file: str | None) -> Any:
    if len(data) > SIZE_LIMIT:
        raise InputError(
            element,
            f"more than {SIZE_LIMIT >> 20} MiB",
            f"at most {SIZE_LIMIT >> 20} MiB",
            'Keep large meshes in files of their own beside the scene: mesh = { file = "part.stl" }.',
            file=file,
        )
    return data


def _parse(element: str, text: str, file: str | None) -> Table:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise InputError(
            element, "brackets nested too deeply", "a few levels of brackets", "Check the brackets.", file=file
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(element, text, file, str(error)) from None
    except ValueError as error:  # a number with thousands of digits
        long = re.search(r"\d[\d_]{4000}", text)
        line = text.count("\n", 0, long.start()) + 1 if long else None
        raise InputError(element, str(error), "TOML", "Shorten the number.", file=file, line=line) from None


def _syntax_error(element: str, text: str, file: str | None, message: str) -> InputError:
    """What the parser says, with the line and its text; a second table of one name is called that."""
    match = _POSITION.search(message)
    reason = message[: match.start()] if match else message
    line = int(match[1]) if match and match[1] else last_key_line(text)
    row = (text.split("\n", line)[line - 1 : line] or [""])[0].strip()
    if reason.startswith("Cannot declare") and (first := _first_mention(text, line, row)):
        kind, name, before = first
        return InputError(
            f"{kind} {name!r}",
            f"the name is taken: the table stands on line {before} already",
            "unique names",
            "Choose another name, or join the two tables.",
            file=file,
            line=line,
        )
    remedy = "Correct the line; texts stand in quotes, and the rules are on toml.io."
    if "overwrite" in reason or "uplicate" in reason:
        remedy = "Remove one of the two, or rename it."
    return InputError(element, f"{reason}, in {row[:80]!r}", "valid TOML", remedy, file=file, line=line)


def _first_mention(text: str, line: int, header: str) -> tuple[str, str, int] | None:
    """Kind, name and first line of a table whose header comes a second time on ``line``."""
    try:
        path = next(reversed(key_lines(header)))
        before = line_of(key_lines("\n".join(text.split("\n")[: line - 1])), path)
    except (ValueError, IndexError, StopIteration):
        return None
    return (str(path[0]), str(path[1]), before) if len(path) == 2 and before is not None else None
