"""TypeScript types of all messages, generated when the page is built."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from gelenk.view.from_page import FROM_PAGE, MOST_STEPS
from gelenk.view.limits import hints_of
from gelenk.view.messages import PROTOCOL
from gelenk.view.to_page import PARTS, TO_PAGE

HEAD = "// Generated from src/gelenk/view/from_page.py and to_page.py. Changes here are lost."


def typescript() -> str:
    """The whole of client/src/messages.ts."""
    parts = [HEAD, f"export const PROTOCOL = {PROTOCOL};\nexport const MOST_STEPS = {MOST_STEPS};"]
    parts += [_interface(kind, optional=False) for kind in (*PARTS, *TO_PAGE)]
    parts += [_interface(kind, optional=True) for kind in FROM_PAGE]
    parts += [f"export type {name} = {' | '.join(kind.__name__ for kind in kinds)};" for name, kinds in UNIONS.items()]
    return "\n\n".join(parts) + "\n"


UNIONS = {"FromPage": FROM_PAGE, "ToPage": TO_PAGE}


def _interface(kind: type, *, optional: bool) -> str:
    """One message; fields with a default may be left out by the page, and are always there from the simulation."""
    lines = [f"/** {(kind.__doc__ or '').strip().splitlines()[0]} */", f"export interface {kind.__name__} {{"]
    if hasattr(kind, "kind"):
        lines.append(f'  kind: "{kind.kind}";')
    hints = hints_of(kind)
    for f in fields(kind):
        may_lack = optional and not (f.default is MISSING and f.default_factory is MISSING)
        lines.append(f"  {f.name}{'?' if may_lack else ''}: {type_text(hints[f.name])};")
    return "\n".join([*lines, "}"])


def type_text(hint: Any) -> str:
    """A Python type as TypeScript has it."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    origin, inner = get_origin(hint), get_args(hint)
    simple = {int: "number", float: "number", str: "string", bool: "boolean", NoneType: "null"}
    if hint in simple:
        return simple[hint]
    if origin is Literal:
        return " | ".join(f'"{word}"' for word in inner)
    if origin in (Union, UnionType):
        return " | ".join(map(type_text, inner))
    if origin is tuple and inner[-1] is Ellipsis:
        return f"({type_text(inner[0])})[]" if "|" in type_text(inner[0]) else f"{type_text(inner[0])}[]"
    if origin is tuple:
        return f"[{', '.join(map(type_text, inner))}]"
    if origin is dict:
        return f"{{ [name: {type_text(inner[0])}]: {type_text(inner[1])} }}"
    if is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    raise TypeError(f"no TypeScript for {hint!r}")
