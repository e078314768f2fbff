"""A page without a browser, and a view to look at."""

import json
import time
from contextlib import ExitStack, contextmanager

from websockets.sync.client import connect

import gelenk as gk
from gelenk.view.frame import read_frame
from gelenk.view.messages import PROTOCOL, write_message

LONG = 20.0  # generous: machines differ [s]


@contextmanager
def viewed(sim, **options):
    """A view that plays in a thread of its own."""
    made = gk.view(sim, wait=False, browser=False, **options)
    try:
        yield made
    finally:
        made.close()


class Page:
    """Keeps the newest of what it was sent."""

    def __init__(self, view, key="", hello=True, **options):
        address = view.address.replace("http://", "ws://").replace("/?", "/ws?")
        address = address if "?" in address else address + "ws"
        self._open = ExitStack()
        self.socket = self._open.enter_context(connect(address, proxy=None, **options))
        self.newest, self.frame, self.frames, self.problems = {}, None, 0, []
        if hello:
            self.socket.send(json.dumps({"kind": "hello", "protocol": PROTOCOL, "key": key}))
            self.until(lambda: {"welcome", "scene", "status"} <= self.newest.keys() and self.frame is not None)

    @property
    def status(self):
        return self.newest["status"]

    @property
    def number(self):
        return self.newest["welcome"]["client"]

    def send(self, message):
        self.socket.send(message if isinstance(message, (str, bytes)) else write_message(message))

    def hear(self, timeout=LONG):
        data = self.socket.recv(timeout=timeout)
        if isinstance(data, bytes):
            self.frame = read_frame(data)
            self.frames += 1
        else:
            message = json.loads(data)
            self.newest[message["kind"]] = message
            if message["kind"] == "problem":
                self.problems.append(message["text"])

    def until(self, condition):
        end = time.monotonic() + LONG
        while not condition():
            assert time.monotonic() < end, f"waited too long; the last status is {self.newest.get('status')}"
            self.hear()

    def close(self):
        self._open.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
