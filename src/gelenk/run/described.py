"""A method and its options in words, for progress lines and run files."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, is_dataclass
from typing import Any


def method_name(method: Any) -> str:
    """A method in a few words: its kind and that of its solver or scheme, which are compiled together."""
    parts = [getattr(method, part, None) for part in ("solver", "integrator")]
    kinds = [str(getattr(part, "kind", type(part).__name__)) for part in parts if part is not None]
    return " with ".join([str(getattr(method, "kind", type(method).__name__)), *kinds])


def described(part: Any) -> dict[str, Any]:
    """An integrator or solver for the run file: its kind and its options."""
    plain = is_dataclass(part) and not isinstance(part, type)
    options = {f.name: getattr(part, f.name) for f in fields(part)} if plain else {"repr": repr(part)}
    made = {name: described(value) if is_dataclass(value) else value for name, value in options.items()}
    return {"kind": getattr(part, "kind", "?"), **made}


def options_text(method: Any) -> str:
    """All options of a method, as JSON."""
    options = asdict(method) if is_dataclass(method) and not isinstance(method, type) else {}
    for part in ("integrator", "solver"):
        if hasattr(method, part):
            options[part] = described(getattr(method, part))
    return json.dumps(options, default=repr)
