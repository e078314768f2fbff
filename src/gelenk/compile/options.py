"""Whether there is a compiler at all, and the options it is called with."""

from __future__ import annotations

import os
from typing import Any

ENABLED = os.environ.get("GELENK_COMPILE", "1").strip().lower() not in ("0", "off", "false", "no")

# IEEE division; no reference counting in inner loops, so that an accidental allocation is a compile error.
FLAGS: dict[str, Any] = {"error_model": "numpy", "_nrt": False}
INNER: dict[str, Any] = {**FLAGS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # not called from outside
INLINE: dict[str, Any] = {**INNER, "forceinline": True}
CALLED: dict[str, Any] = {**INNER, "forceinline": False}  # said aloud, lest it takes over that of its caller
