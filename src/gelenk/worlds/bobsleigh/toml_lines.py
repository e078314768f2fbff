"""Where in a TOML file a mistake stands."""

from __future__ import annotations

import re
import tomllib


def line_of(text: str, found: str) -> int | None:
    """Line of a file that sets what an error speaks of first."""
    for word in re.findall(r"[A-Za-z]\w*", found):
        at = re.search(rf"(?m)^\s*\"?{re.escape(word)}\"?\s*=", text)
        if at:
            return text.count("\n", 0, at.end()) + 1
    return None


def line_of_decoding(error: tomllib.TOMLDecodeError) -> int | None:
    """Line at which reading ended."""
    at = re.search(r"line (\d+)", str(error))
    return int(at.group(1)) if at else None
