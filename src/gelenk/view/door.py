"""Who may come in: hosts, origins and the token, checked before anything else is looked at.

On the loopback a page of another site could try to reach the server under a name of its own, or open a socket from
afar; the names that requests come under, and the origin of sockets, tell these apart. On other interfaces a token in
the address is asked for too.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from ipaddress import ip_address

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Door:
    """What a request must bring.

    Parameters
    ----------
    host : interface that is listened on
    port : where
    """

    def __init__(self, host: str, port: int) -> None:
        self.host, self.port = host, port
        self.names = (*LOOPBACK_NAMES, f"[{host}]" if ":" in host else host)  # that it may be called by
        self.token = "" if is_loopback(host) else secrets.token_urlsafe(24)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    def refuses(self, headers: Mapping[str, str], query: Mapping[str, str], *, entry: bool, socket: bool) -> str:
        """Why a request is refused, or ''.

        ``entry`` is true for the page itself and for sockets, which the token is asked for.
        """
        host = headers.get("host", "")
        name, _, port = host.rpartition(":")
        if not self.token and (name not in self.names or port != str(self.port)):
            return "this host name is not served"
        origin = headers.get("origin")
        if socket and origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return "this origin is not served"
        if (
            self.token
            and entry
            and not secrets.compare_digest(query.get("token", "").encode("utf-8", "replace"), self.token.encode())
        ):
            return "the token in the address is missing or wrong"
        return ""
