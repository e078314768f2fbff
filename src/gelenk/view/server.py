"""The server: the page and its socket, in a thread of its own.

It hands on what pages send to the session, and to the pages what the session tells. A message that is not as
:mod:`gelenk.view.messages` has it is answered and otherwise ignored; a page that sends nothing else is shown the door.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from gelenk.errors import InputError
from gelenk.view.clients import Client, Clients, Pace
from gelenk.view.desk import Desk
from gelenk.view.door import Door
from gelenk.view.from_page import WATCHING, Hello, Ping, TakeDrive
from gelenk.view.limits import BadValue
from gelenk.view.lines import ShortLine
from gelenk.view.messages import MOST_BYTES, PROTOCOL, Message, read_message, write_message
from gelenk.view.to_page import Pong, Problem, Welcome

PAGE = Path(__file__).parent / "page"
MOST_BAD = 5  # bad messages in a row
MOST_CLIENTS = 32
MOST_SOCKETS = 2 * MOST_CLIENTS  # with those that have not said hello yet
HELLO_WITHIN = 10.0  # [s]
MOST_MESSAGES = 300  # that a page may send within a second; it is read more slowly then
POLICY, FULL, REPLACED = 1008, 1013, 4001  # codes of closed sockets; the last: another page has its key
HEADERS = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self' http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


class Server:
    """Serves one session; ``start`` returns when it listens, ``stop`` when it is gone.

    Parameters
    ----------
    session : what is served
    host : interface; others than the loopback ask for a token
    port : 0 takes a free one
    """

    def __init__(self, session: Desk, *, host: str = "127.0.0.1", port: int = 0) -> None:
        if not (PAGE / "index.html").exists():
            remedy = "Install the package again: pip install -e ."
            raise InputError("view", "no page in the package", "a package with its page built", remedy)
        self.session = session
        self._socket = _listen(host, port)
        self.door = Door(host, int(self._socket.getsockname()[1]))
        self.clients = Clients()
        self._sockets = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = threading.Event()
        config = uvicorn.Config(
            _Guard(self._app(), self.door),
            http=ShortLine,
            ws="websockets-sansio",
            ws_max_size=MOST_BYTES,
            ws_per_message_deflate=False,
            ws_ping_interval=10.0,
            ws_ping_timeout=20.0,
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            timeout_graceful_shutdown=1,
        )
        self._uvicorn = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="gelenk view server", daemon=True)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return self.door.address

    def start(self) -> None:
        """Listen, and hear of the session from now on."""
        self.clients.tell(None, self.session.scene)
        self._thread.start()
        if not self._ready.wait(10.0):
            raise InputError("view", "the server did not start", "a free port", "Try another port.")
        self.session.outlets.append(self)

    def stop(self) -> None:
        """Close all sockets and end the thread."""
        with suppress(ValueError):
            self.session.outlets.remove(self)
        self._uvicorn.should_exit = True
        self._thread.join(5.0)
        self._socket.close()

    # called from the thread of the session

    def frame(self, data: bytes) -> None:
        """The newest frame."""
        self._call(self.clients.show, data)

    def tell(self, client: int | None, message: Message) -> None:
        """A message of the session."""
        self._call(self.clients.tell, client, message)

    def _call(self, function: Callable[..., None], *arguments: Any) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(function, *arguments)

    # in the thread of the server

    def _serve(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            self._ready.set()
            await self._uvicorn.serve(sockets=[self._socket])

        asyncio.run(serve())

    def _app(self) -> Starlette:
        page = StaticFiles(directory=PAGE, html=True)
        blobs = Route("/blob/{key}", self._blob)
        return Starlette(routes=[WebSocketRoute("/ws", self._talk), blobs, Mount("/", page)])

    async def _blob(self, request: Request) -> Response:
        """Large arrays, by the hash of their contents."""
        data = self.session.blobs.get(request.path_params["key"])
        if data is None:
            return PlainTextResponse("no such blob", status_code=404)
        return Response(data, media_type="application/octet-stream")

    async def _talk(self, ws: WebSocket) -> None:
        """One socket, if there is room for it."""
        if self._sockets >= MOST_SOCKETS:
            await ws.close(FULL)
            return
        self._sockets += 1
        try:
            await self._talk_with(ws)
        finally:
            self._sockets -= 1

    async def _talk_with(self, ws: WebSocket) -> None:
        """One page, from its hello to its end."""
        await ws.accept()
        try:
            hello = await asyncio.wait_for(self._hello(ws), HELLO_WITHIN)
        except (TimeoutError, WebSocketDisconnect):
            hello = None
        if hello is None or len(self.clients.all) >= MOST_CLIENTS:
            with suppress(RuntimeError):
                await ws.close(POLICY if hello is None else FULL)
            return
        client = self.clients.join(hello.key)
        client.line.appendleft(write_message(Welcome(PROTOCOL, client.number, _version())))
        tasks = [asyncio.ensure_future(work) for work in (client.feed(ws), self._hear(ws, client), client.gone.wait())]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.clients.leave(client)
            self.session.leave(client.number)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(RuntimeError):
                await ws.close(REPLACED if client.replaced else POLICY)

    async def _hello(self, ws: WebSocket) -> Hello | None:
        """What a page says first; None if it is no hello of this protocol."""
        try:
            message = read_message(_content(await ws.receive()))
        except BadValue as error:
            message, why = None, str(error)
        if isinstance(message, Hello) and message.protocol == PROTOCOL:
            return message
        if message is not None:
            why = f"the first message is a hello of protocol {PROTOCOL}. Reload the page."
        await ws.send_text(write_message(Problem(why)))
        return None

    async def _hear(self, ws: WebSocket, client: Client) -> None:
        """Hand on commands until the socket is closed, or too many in a row were bad."""
        bad, pace = 0, Pace(MOST_MESSAGES)
        while bad < MOST_BAD:
            try:
                await pace.wait()
                message = read_message(_content(await ws.receive()))
                bad = 0
            except BadValue as error:
                bad += 1
                client.put("problem", write_message(Problem(str(error))))
            except WebSocketDisconnect:
                return
            else:
                self._take(client, message)
        await asyncio.sleep(0.05)  # so that the last answer gets out

    def _take(self, client: Client, message: Message) -> None:
        if isinstance(message, Ping):
            client.put("pong", write_message(Pong(message.number)))
        elif isinstance(message, TakeDrive):
            self._hand_over(client)
        elif isinstance(message, Hello):
            pass
        elif not (isinstance(message, WATCHING) or self.clients.drives(client) or self.session.is_open(message)):
            client.put("problem", write_message(Problem("this page watches. Take the drive first.")))
        elif not self.session.send(client.number, message):
            client.put("problem", write_message(Problem(f"too many commands at once; {message.kind!r} was left out.")))

    def _hand_over(self, client: Client) -> None:
        """Let another page drive; what the last one held is let go of, since it may no longer say so."""
        before = self.clients.driver
        self.clients.take_drive(client)
        if before is not None and before != self.clients.driver:
            self.session.let_go(before)


class _Guard:
    """Asks the door before anything else sees a request."""

    def __init__(self, app: Any, door: Door) -> None:
        self.app, self.door = app, door

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request, sockets = HTTPConnection(scope), scope["type"] == "websocket"
        entry = sockets or scope["path"] in ("/", "/index.html") or scope["path"].startswith("/blob/")
        why = self.door.refuses(request.headers, request.query_params, entry=entry, socket=sockets)
        if why and sockets:
            await send({"type": "websocket.close", "code": POLICY, "reason": why})
        elif why:
            await PlainTextResponse(why, status_code=403)(scope, receive, _with_headers(send))
        else:
            await self.app(scope, receive, send if sockets else _with_headers(send))


def _with_headers(send: Any) -> Any:
    extra = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sending(event: Any) -> None:
        if event["type"] == "http.response.start":
            event = {**event, "headers": [*event.get("headers", ()), *extra]}
        await send(event)

    return sending


def _content(event: Any) -> str | bytes:
    """Text or bytes of what was received; the end of the socket raises."""
    if event["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(event.get("code", 1000))
    text = event.get("text")
    return text if text is not None else event.get("bytes") or b""


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gelenk")
    except PackageNotFoundError:
        return ""


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or an error that says what to do."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        found = f"host {host!r} and port {port}: {error}"
        raise InputError("view", found, "an interface of this machine and a free port", "Leave both out.") from None
