"""Messages between page and simulation, read and written.

Text messages are JSON objects with a ``kind`` and the fields of one dataclass of :mod:`gelenk.view.from_page` or
:mod:`gelenk.view.to_page`; frames are binary, see :mod:`gelenk.view.frame`. The TypeScript types are generated from
these (:mod:`gelenk.view.typescript`) when the page is built, without the rest of the package, so this file imports none
of it.

A message of the page is checked field by field when it is read. It is refused as a whole or taken as a whole.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from gelenk.view.from_page import FROM_PAGE
from gelenk.view.limits import BadValue, made_of

PROTOCOL = 4  # a page of another number is told to reload
MOST_BYTES = 64 * 1024  # of a message of a page
Message = Any  # one of their dataclasses
_READ = {kind.kind: kind for kind in FROM_PAGE}  # type: ignore[attr-defined]


def read_message(text: str | bytes) -> Message:
    """The message of a page, checked; anything else raises :class:`BadValue` and nothing else."""
    if not isinstance(text, str):
        raise BadValue("a message is text, not bytes")
    if len(text) > MOST_BYTES or len(text.encode("utf-8", "replace")) > MOST_BYTES:
        raise BadValue(f"a message is at most {MOST_BYTES} bytes long")
    try:
        given = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):  # also whole numbers of too many digits
        raise BadValue("a message is a JSON object") from None
    if not isinstance(given, dict):
        raise BadValue("a message is a JSON object")
    kind = given.pop("kind", None)
    if not isinstance(kind, str) or kind not in _READ:
        raise BadValue(f"a message has a kind, one of {', '.join(_READ)}")
    return made_of(_READ[kind], given, kind)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def write_message(message: Message) -> str:
    """A message as text; a number that is not finite would be no JSON, and raises ValueError."""
    return json.dumps({"kind": message.kind, **asdict(message)}, allow_nan=False, separators=(",", ":"))
