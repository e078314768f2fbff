"""A page that does nothing but read, run as a program of its own: address, protocol, seconds.

Writes a line when the first frame has come, and then how many came a second.
"""

from __future__ import annotations

import json
import sys
import time


def read(address: str, protocol: int, seconds: float) -> None:
    """Read frames for so long."""
    from websockets.sync.client import connect

    with connect(address, proxy=None, max_size=None) as socket:
        socket.send(json.dumps({"kind": "hello", "protocol": protocol}))
        while not isinstance(socket.recv(), bytes):
            pass
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        frames, begun = 0, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            frames += isinstance(socket.recv(), bytes)
        sys.stdout.write(f"{frames / (time.perf_counter() - begun)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    read(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
