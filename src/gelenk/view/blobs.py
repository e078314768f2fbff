"""Blobs: large arrays that a page fetches once, as bytes, beside its socket.

A track of 0.7 million triangles is 17 MB of numbers. As text in a message it would be a third longer, be read by the
page in one go while nothing else moves, and be sent again with every scene. A blob is fetched under the hash of its
contents instead: what a page has it does not ask for again.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable

import numpy as np


class Blobs:
    """Bytes by the hash of their contents; put and read from any thread."""

    def __init__(self) -> None:
        self._all: dict[str, bytes] = {}
        self._lock = threading.Lock()

    def put(self, parts: Iterable[np.ndarray]) -> str:
        """Arrays one after the other, each padded to four bytes; gives the key."""
        data = b"".join(piece for part in parts for piece in _padded(part))
        key = hashlib.sha256(data).hexdigest()[:32]
        with self._lock:
            self._all.setdefault(key, data)
        return key

    def get(self, key: str) -> bytes | None:
        """What was put, or None."""
        with self._lock:
            return self._all.get(key)

    def keep(self, keys: Iterable[str]) -> None:
        """Forget all others."""
        with self._lock:
            wanted = set(keys)
            self._all = {key: data for key, data in self._all.items() if key in wanted}


def _padded(part: np.ndarray) -> tuple[bytes, bytes]:
    data = np.ascontiguousarray(part).tobytes()
    return data, bytes(-len(data) % 4)
