"""Lines to the server, of which there are only so many: one that is no socket of a page does not last.

Whoever opens lines and says nothing, or asks for the page and does not read it, would otherwise keep all others out,
and needs no token for it.
"""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST_LINES = 256
LOADED_WITHIN = 30.0  # the page and all that belongs to it [s]


class ShortLine(H11Protocol):
    """Answers requests for a while; a line that has become a socket by then stays."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A line is open."""
        super().connection_made(transport)
        if len(self.connections) > MOST_LINES:
            transport.abort()
        else:
            self._end = self.loop.call_later(LOADED_WITHIN, self._cut)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is closed."""
        super().connection_lost(exc)
        if hasattr(self, "_end"):
            self._end.cancel()

    def _cut(self) -> None:
        if self.transport.get_protocol() is self:
            self.transport.abort()
