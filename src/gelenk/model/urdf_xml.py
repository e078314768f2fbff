"""The elements of a URDF file with the lines they begin on. The file is data and may come from anywhere.

It is read without entities, document types, or any other file. What is not a number where one must be, or comes twice,
or is missing, ends in one error with the line; what has no meaning here is listed for a warning.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from gelenk.errors import InputError

SIZE_LIMIT = 64 * 2**20  # bytes
DEPTH_LIMIT = 100

# Tag -> (its attributes, its children). Whatever else a file holds is listed and passed over.
KNOWN: dict[str, tuple[str, str]] = {
    "robot": ("name version", "link joint material"),
    "link": ("name", "inertial visual collision"),
    "inertial": ("", "origin mass inertia"),
    "origin": ("xyz rpy quat_xyzw", ""),
    "mass": ("value", ""),
    "inertia": ("ixx ixy ixz iyy iyz izz", ""),
    "visual": ("name", "origin geometry material"),
    "collision": ("name", "origin geometry"),
    "geometry": ("", "box sphere cylinder capsule mesh"),
    "box": ("size", ""),
    "sphere": ("radius", ""),
    "cylinder": ("radius length", ""),
    "capsule": ("radius length", ""),
    "mesh": ("filename scale", ""),
    "material": ("name", "color"),
    "color": ("rgba", ""),
    "joint": ("name type", "origin parent child axis limit dynamics mimic"),
    "parent": ("link", ""),
    "child": ("link", ""),
    "axis": ("xyz", ""),
    "limit": ("lower upper effort velocity", ""),
    "dynamics": ("damping friction", ""),
    "mimic": ("joint multiplier offset", ""),
}


@dataclass
class Node:
    """One element of the file."""

    tag: str
    line: int
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)
    element: str = ""  # whom an error names

    def all(self, tag: str) -> list[Node]:
        """Children of that tag."""
        found = [child for child in self.children if child.tag == tag]
        for child in found:
            child.element = child.element or self.element
        return found

    def first(self, tag: str) -> Node | None:
        """The only child of that tag, or None."""
        found = self.all(tag)
        if len(found) > 1:
            raise found[1].error(f"<{tag}> comes {len(found)} times", "once", "Keep one of them.")
        return found[0] if found else None

    def need(self, tag: str) -> Node:
        """The only child of that tag."""
        child = self.first(tag)
        if child is None:
            raise self.error(f"no <{tag}> in <{self.tag}>", f"one <{tag}>", f"Add <{tag}> to <{self.tag}>.")
        return child

    def text(self, name: str) -> str:
        """An attribute that must be there."""
        value = self.attributes.get(name, "").strip()
        if not value:
            raise self.error(
                f"<{self.tag}> without {name}", f'{name}="..." in <{self.tag}>', f"Add {name} to <{self.tag}>."
            )
        return value

    def numbers(
        self, name: str, counts: tuple[int, ...], default: tuple[float, ...] | None = None, infinite: bool = False
    ) -> tuple[float, ...]:
        """Numbers of an attribute, parted by spaces; as many as one of the counts."""
        if default is not None and name not in self.attributes:
            return default
        value = self.text(name)
        try:
            if "_" in value:
                raise ValueError
            numbers = tuple(float(word) for word in value.split())
        except ValueError:
            numbers = ()
        usable = all(not math.isnan(x) if infinite else math.isfinite(x) for x in numbers)
        if len(numbers) not in counts or not usable:
            how_many = " or ".join(map(str, counts))
            allowed = f"{how_many} {'number' if counts == (1,) else 'numbers parted by spaces'}"
            raise self.error(f"{name} of <{self.tag}> is {value[:80]!r}", allowed, "Correct the numbers.")
        return numbers

    def number(self, name: str, default: float | None = None, infinite: bool = False) -> float:
        """One number."""
        return self.numbers(name, (1,), None if default is None else (default,), infinite)[0]

    def error(self, found: str, allowed: str, remedy: str) -> InputError:
        """An error in this element."""
        return InputError(self.element or f"<{self.tag}>", found, allowed, remedy, line=self.line)

    @contextmanager
    def place(self, element: str = "") -> Iterator[None]:
        """Give errors that come from inside the line of this element, and its name if they know none."""
        try:
            yield
        except InputError as error:
            if error.line is None and error.file is None:
                error.line = self.line
                error.element = element or error.element
            raise


def read_xml(path: Path) -> Node:
    """The root element of a file."""
    element = f"URDF {path.name!r}"
    try:
        with path.open("rb") as stream:
            data = stream.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise InputError(
            element,
            f"the file cannot be read ({error.strerror or error})",
            "a file that exists and may be read",
            "Check the path; relative paths start in the working folder.",
        ) from error
    if len(data) > SIZE_LIMIT:
        raise InputError(
            element, "the file is larger than 64 MiB", "at most 64 MiB", "Keep meshes in files of their own."
        )
    parser = expat.ParserCreate()
    # many files begin with empty lines, which XML forbids before its declaration
    above = data[: len(data) - len(data.lstrip())].count(b"\n")
    tops: list[Node] = []
    open_nodes: list[Node] = []

    def begin(tag: str, attributes: dict[str, str]) -> None:
        line = parser.CurrentLineNumber + above
        if tag.startswith("xacro:"):
            remedy = "Expand the macros first: xacro file.urdf.xacro > file.urdf"
            raise InputError(element, f"<{tag}>", "a URDF file without xacro macros", remedy, line=line)
        node = Node(tag, line, attributes)
        (open_nodes[-1].children if open_nodes else tops).append(node)
        open_nodes.append(node)
        if len(open_nodes) > DEPTH_LIMIT:
            found = f"elements nested {DEPTH_LIMIT} deep"
            raise InputError(element, found, "a robot", "Check where this file comes from.", line=line)

    def end(tag: str) -> None:
        open_nodes.pop()

    def refuse(*_: object) -> None:
        line = parser.CurrentLineNumber + above
        remedy = "Remove the <!DOCTYPE ...> part; a URDF file needs none."
        raise InputError(element, "a document type", "XML without document type and entities", remedy, line=line)

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data.lstrip(), True)
    except expat.ExpatError as error:
        why = expat.errors.messages.get(error.code, "not XML")
        found = f"broken XML ({why})"
        raise InputError(element, found, "well-formed XML", "Mend that line.", line=error.lineno + above) from None
    except (ValueError, LookupError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(element, f"no text ({error})", "XML in UTF-8", "Save the file in UTF-8.") from None
    root = tops[0]
    root.element = element
    if root.tag != "robot":
        raise root.error(f"the file begins with <{root.tag}>", "<robot>", "Pass a URDF file.")
    return root


def not_used(root: Node) -> list[str]:
    """Tags and attributes that have no meaning here, each once with its number and the line of the first."""
    found: dict[str, list[int]] = {}
    waiting = [root]
    while waiting:
        node = waiting.pop(0)
        attributes, children = (words.split() for words in KNOWN[node.tag])
        for name in node.attributes:
            if name not in attributes and not name.startswith("xmlns"):
                found.setdefault(f"{name} of <{node.tag}>", []).append(node.line)
        for child in node.children:
            if child.tag in children:
                waiting.append(child)
            else:
                place = "" if node is root else f" in <{node.tag}>"
                found.setdefault(f"<{child.tag}>{place}", []).append(child.line)
    return [
        f"{what} ({f'{len(lines)} times, first in ' if len(lines) > 1 else ''}line {min(lines)})"
        for what, lines in found.items()
    ]
