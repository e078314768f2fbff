"""Pages that are connected: what each is still to be sent, and who of them drives."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import replace
from typing import Any

from gelenk.view.messages import Message, write_message
from gelenk.view.to_page import Status

# of these only the newest counts
REPLACED = (
    "scene", "status", "figures", "values", "settings", "frozen", "outputs",
    "recording", "playback", "trails", "panels", "properties", "look", "light", "scenery",
    "rigs", "hud", "form",
)  # fmt: skip
MOST_WAITING = 1000  # other messages that a page may leave waiting


class Client:
    """One page: a place for the newest frame, places for the newest of some messages, a line of the others."""

    def __init__(self, number: int, key: str) -> None:
        self.number, self.key = number, key
        self.newest: dict[str, str] = {}
        self.line: deque[str] = deque(maxlen=MOST_WAITING)
        self.frame: bytes | None = None
        self.wake = asyncio.Event()
        self.gone = asyncio.Event()
        self.replaced = False  # another page came under its key

    def put(self, kind: str, text: str) -> None:
        """Something to send."""
        if kind in REPLACED:
            self.newest[kind] = text
        else:
            self.line.append(text)
        self.wake.set()

    def show(self, frame: bytes) -> None:
        """A frame in place of the one that waits."""
        self.frame = frame
        self.wake.set()

    async def feed(self, socket: Any) -> None:
        """Send what there is, as fast as the page takes it; frames that it has no time for are never sent."""
        while True:
            await self.wake.wait()
            self.wake.clear()
            while self.line:
                await socket.send_text(self.line.popleft())
            scene, frame = self.newest.pop("scene", None), self.frame  # both at once: no frame comes before its scene
            self.frame = None
            if scene is not None:
                await socket.send_text(scene)
            if frame is not None:
                await socket.send_bytes(frame)
            for kind in REPLACED:  # after the frame: a status is never ahead of the picture
                await self._send_newest(socket, kind)

    async def _send_newest(self, socket: Any, kind: str) -> None:
        text = self.newest.pop(kind, None)
        if text is not None:
            await socket.send_text(text)


class Pace:
    """How fast a page is read: whoever sends more than so many messages a second is kept waiting for the next."""

    def __init__(self, most: int) -> None:
        self._most, self._left = most, float(most)
        self._at: float | None = None

    async def wait(self) -> None:
        """Before a message is read."""
        now = asyncio.get_running_loop().time()
        if self._at is not None:
            self._left = min(float(self._most), self._left + (now - self._at) * self._most)
        self._at = now
        self._left -= 1.0
        if self._left < 0.0:
            await asyncio.sleep(-self._left / self._most)


class Clients:
    """All pages, and the one that drives. Used in the thread of the server alone."""

    def __init__(self) -> None:
        self.all: dict[int, Client] = {}
        self.driver: int | None = None
        self._cut_off = ""  # key of a page that drove and is gone, while the one that drives instead has done nothing
        self._count = 0
        self._status: Status | None = None
        self._kept: dict[str, str] = {}  # newest messages to all, for pages that come later
        self._frame: bytes | None = None

    def join(self, key: str) -> Client:
        """A new page; one that comes back under its key takes the place of its former self, and its drive.

        It has its drive back also where it was given away meanwhile, to one that has made no use of it.
        """
        self._count += 1
        client = Client(self._count, key)
        before = next((other for other in self.all.values() if key and other.key == key), None)
        drives = self.driver is None or (before is not None and self.driver == before.number)
        drives = drives or (key != "" and key == self._cut_off)
        if before is not None:
            before.replaced = True
            self._drop(before)
        self.all[client.number] = client
        if drives:
            self.driver, self._cut_off = client.number, ""
        for kind, text in self._kept.items():
            client.put(kind, text)
        if self._frame is not None:
            client.show(self._frame)
        self.tell_status()
        return client

    def leave(self, client: Client) -> None:
        """A page that is gone; if it drove, the one that has been there longest drives."""
        if self.all.get(client.number) is client:
            self._drop(client)
            if self.driver == client.number:
                self.driver, self._cut_off = next(iter(self.all), None), self._cut_off or client.key
            self.tell_status()

    def _drop(self, client: Client) -> None:
        del self.all[client.number]
        client.gone.set()

    def take_drive(self, client: Client) -> None:
        """Let another page drive."""
        self.driver, self._cut_off = client.number, ""
        self.tell_status()

    def drives(self, client: Client) -> bool:
        """Whether it may steer; who does has the drive for good."""
        if self.driver != client.number:
            return False
        self._cut_off = ""
        return True

    def tell_status(self) -> None:
        """The last status again, with who drives now."""
        if self._status is not None:
            self.tell(None, self._status)

    def tell(self, number: int | None, message: Message) -> None:
        """A message for one page, or for all."""
        if isinstance(message, Status):
            self._status = message
            message = replace(message, driver=self.driver, clients=len(self.all))
        text = write_message(message)
        if number is None and message.kind in REPLACED:
            self._kept[message.kind] = text
        for client in list(self.all.values()):
            if number in (None, client.number):
                client.put(message.kind, text)

    def show(self, frame: bytes) -> None:
        """The newest frame."""
        self._frame = frame
        for client in self.all.values():
            client.show(frame)
