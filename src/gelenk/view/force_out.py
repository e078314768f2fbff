"""Forces for a device outside, such as the motor of a steering rope, sent as datagrams (B-77).

Each datagram is 32 bytes, little endian:

    magic u32 "GLKF", sequence u32, time f64 [s], force f64 [N], moment f64 [N m]

``force`` is the mean over a window of what was put,  F = mean(M) / l,  with the lever l of the rope. Datagrams go to
the loopback unless another address is allowed. Sending never waits: what the system will not take at once is dropped,
and counted; the next one replaces it anyway.
"""

from __future__ import annotations

import math
import socket
import struct
from contextlib import suppress
from ipaddress import ip_address

from gelenk.arguments import friendly
from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.view.door import is_loopback

PACKET = struct.Struct("<IIddd")
MAGIC = 0x464B4C47  # "GLKF"
LEVER = 0.1  # [m] of the steering rope (bobsleigh 4.13)
WINDOW = 0.01  # [s] over which the mean is taken (bobsleigh 4.13)


@friendly
class ForceSender:
    """Sends a mean force every window of simulated time.

    Parameters
    ----------
    port : where it goes
    host : address; of this machine unless ``remote`` is true, since nothing about a datagram is secret or checked
    lever : from moment to force [m]
    window : over which the mean is taken [s]
    remote : whether another machine may be the target
    """

    def __init__(
        self, port: int, *, host: str = "127.0.0.1", lever: float = LEVER, window: float = WINDOW, remote: bool = False
    ) -> None:
        if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 65536:
            raise InputError("force sender", f"port is {port!r}"[:60], "a whole number from 1 to 65535", "Choose one.")
        address = "127.0.0.1" if host == "localhost" else host
        try:
            family = socket.AF_INET6 if ip_address(address).version == 6 else socket.AF_INET
        except ValueError:
            found = f"host is {host!r}"[:80]
            raise InputError("force sender", found, "an address in numbers", "Try 127.0.0.1.") from None
        if not is_loopback(address) and remote is not True:
            found = f"{host!r} is another machine"
            raise InputError("force sender", found, "this machine", "Pass remote=True if the network is yours.")
        self.lever = check_number("force sender", "lever", lever, "m", above=0.0)
        self.window = check_number("force sender", "window", window, "s", above=0.0)
        self._to = address, port
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self.sent = self.dropped = 0
        self.force = 0.0  # of the last window [N]
        self._begin: float | None = None
        self._last = 0.0
        self._sum = self._time = 0.0

    def put(self, t: float, moment: float) -> None:
        """The moment now [N m], which has acted since the last call; a datagram goes out when a window is over."""
        if self._begin is None or t <= self._last:  # the first one, or after a reset
            self._begin, self._last, self._sum, self._time = t, t, 0.0, 0.0
            return
        passed = t - self._last
        self._last = t
        if math.isfinite(moment):
            self._sum += moment * passed
            self._time += passed
        if t - self._begin >= self.window * (1.0 - 1e-9):
            mean = self._sum / self._time if self._time > 0.0 else 0.0
            self._send(t, mean)
            self._begin, self._sum, self._time = t, 0.0, 0.0

    def _send(self, t: float, moment: float) -> None:
        self.force = moment / self.lever
        data = PACKET.pack(MAGIC, (self.sent + self.dropped) & 0xFFFFFFFF, t, self.force, moment)
        try:
            self._socket.sendto(data, self._to)
            self.sent += 1
        except OSError:  # nobody listens, or there is no room: the simulation goes on
            self.dropped += 1

    def close(self) -> None:
        """Send no more; the device is told to let go."""
        if self._socket.fileno() >= 0:
            self._send(self._last, 0.0)
            with suppress(OSError):
                self._socket.close()

    def __enter__(self) -> ForceSender:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def read_packet(data: bytes) -> tuple[int, float, float, float]:
    """Sequence, time [s], force [N] and moment [N m] of a datagram."""
    if len(data) != PACKET.size:
        raise ValueError(f"a datagram of {len(data)} bytes, not {PACKET.size}")
    magic, sequence, time, force, moment = PACKET.unpack(data)
    if magic != MAGIC:
        raise ValueError("no force: the first four bytes are others")
    return sequence, time, force, moment
