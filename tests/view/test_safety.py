"""The view as an attacker sees it: names, origins, tokens, floods, and messages of every kind bent out of shape."""

import http.client
import json
import random
import socket
import time
from contextlib import ExitStack, suppress

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import gelenk as gk
from gelenk.view import door, lines
from gelenk.view.door import Door
from gelenk.view.from_page import FROM_PAGE, Ping, Record, Step
from gelenk.view.limits import hints_of
from gelenk.view.messages import MOST_BYTES
from gelenk.view.server import MOST_CLIENTS, PAGE
from view.models import H, falling_simulation
from view.pages import LONG, Page, viewed

pytestmark = pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")
FUZZ = 3.0  # [s]


@pytest.fixture
def view():
    with viewed(falling_simulation(), playing=False) as made:
        yield made


def get(address, port, path="/", method="GET", **headers):
    connection = http.client.HTTPConnection(address, port, timeout=LONG)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def can_listen(host):
    try:
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return True
    except OSError:
        return False


@pytest.mark.parametrize("host", ["127.0.0.2", "::1", "localhost"])
def test_other_addresses_of_the_loopback(host):
    if not can_listen(host):
        pytest.skip(f"{host} is not there")
    with viewed(falling_simulation(), playing=False, host=host) as view, Page(view, close_timeout=0.2) as page:
        assert page.newest["scene"]["name"] == "falling"
        port = view.server.door.port
        assert get(host, port)[0].status == 200
        assert get(host, port, host=f"evil.example:{port}")[0].status == 403


def test_another_interface_lets_nobody_in_without_the_token(monkeypatch):
    """The loopback taken for a strange interface, so that the door is tested for real."""
    monkeypatch.setattr(door, "is_loopback", lambda host: False)
    with viewed(falling_simulation(), playing=False) as view:
        token, port = view.server.door.token, view.server.door.port
        assert len(token) >= 32
        for path in ("/", "/index.html", "/?token=", f"/?token={token[:-1]}", f"/?token={token}x", "/?TOKEN=" + token):
            assert get("127.0.0.1", port, path)[0].status == 403
        answer, _ = get("127.0.0.1", port, f"/?token={token}")
        assert answer.status == 200
        assert answer.headers["referrer-policy"] == "no-referrer", "the token is told to nobody"
        with Page(view, close_timeout=0.2) as page:
            assert page.status["run"] == "paused"
        with pytest.raises(InvalidStatus):
            Page(Elsewhere(f"http://127.0.0.1:{port}/?token=wrong"), hello=False)
        with pytest.raises(InvalidStatus):
            Page(Elsewhere(f"http://127.0.0.1:{port}/"), hello=False)
        with pytest.raises(InvalidStatus):
            Page(view, hello=False, origin="http://evil.example")


class Elsewhere:
    """A view under another address."""

    def __init__(self, address):
        self.address = address


def test_tokens_differ_and_are_long():
    tokens = {Door("0.0.0.0", 80).token for _ in range(50)}
    assert len(tokens) == 50


@pytest.mark.parametrize(
    "path",
    [
        "/..%2fserver.py", "/%2e%2e%2f%2e%2e%2fcli.py", "/assets/../../server.py", "/assets/%2e%2e/%2e%2e/door.py",
        "/..\\server.py", "/%00", "/assets/", "/%5c..%5cserver.py", "/////etc/passwd", "/file:///etc/passwd",
    ],
)  # fmt: skip
def test_paths_lead_nowhere_else(view, path):
    answer, body = get("127.0.0.1", view.server.door.port, path)
    assert answer.status in (400, 404)
    assert b"import" not in body


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_nothing_can_be_written(view, method):
    assert get("127.0.0.1", view.server.door.port, method=method)[0].status == 405


def test_headers_let_a_notebook_of_this_machine_in_and_nobody_else(view):
    port = view.server.door.port
    for answer in (get("127.0.0.1", port)[0], get("127.0.0.1", port, host="evil.example")[0]):
        policy = dict(part.strip().partition(" ")[::2] for part in answer.headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'self'"
        assert "http://localhost:*" in policy["frame-ancestors"]
        assert not set(policy["frame-ancestors"].split()) & {"*", "http:", "https:"}
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "x-frame-options" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers


def test_sockets_are_bounded_and_room_comes_back(view):
    with ExitStack() as open_pages:
        pages = [open_pages.enter_context(Page(view, close_timeout=0.2)) for _ in range(MOST_CLIENTS)]
        with pytest.raises((ConnectionClosed, InvalidStatus)):
            Page(view, close_timeout=0.2)
        refused = 0
        for _ in range(MOST_CLIENTS + 5):  # who never says hello takes room too
            try:
                open_pages.enter_context(Page(view, hello=False, close_timeout=0.2))
            except InvalidStatus:
                refused += 1
        assert refused >= 5
        pages[0].send(Step(3))
        pages[0].until(lambda: pages[0].status["steps"] == 3)
    end = time.monotonic() + LONG
    while view.server.clients.all:
        assert time.monotonic() < end
        time.sleep(0.02)
    with Page(view, close_timeout=0.2) as page:
        assert page.status["clients"] == 1


def test_a_flood_is_read_slowly_and_the_driver_goes_on(view):
    with Page(view, close_timeout=0.2) as driver, Page(view, close_timeout=0.2) as flood:
        for k in range(2000):
            flood.send(Ping(k))
        begun = time.monotonic()
        driver.send(Step(5))
        driver.until(lambda: driver.status["steps"] == 5)
        assert time.monotonic() - begun < 2.0


def test_connections_that_say_nothing_or_half_do_no_harm(view):
    port = view.server.door.port
    with ExitStack() as held:
        for k in range(60):
            line = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            line.sendall((b"", b"GET / HT", b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1", b"\x00\xff" * 50)[k % 4])
        with Page(view, close_timeout=0.2) as page:
            page.send(Step(2))
            page.until(lambda: page.status["steps"] == 2)


def test_lines_that_only_stay_open_keep_nobody_out_for_long(monkeypatch):
    monkeypatch.setattr(lines, "MOST_LINES", 40)
    monkeypatch.setattr(lines, "LOADED_WITHIN", 1.0)
    with viewed(falling_simulation(), playing=False) as view, Page(view) as page, ExitStack() as held:
        port = view.server.door.port
        for k in range(100):
            line = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            with suppress(OSError):
                line.sendall((b"", b"GET / HTTP/1.1\r\nHost: 127.")[k % 2])
        end = time.monotonic() + LONG
        while True:
            with suppress(OSError, http.client.HTTPException):
                if get("127.0.0.1", port)[0].status == 200:
                    break
            assert time.monotonic() < end
            time.sleep(0.1)
        page.send(Step(2))
        page.until(lambda: page.status["steps"] == 2)


def some_value(rng, hint):
    """Something that may or may not be of a type."""
    text = str(hint)
    if rng.random() < 0.3:
        odd = [
            None,
            True,
            -1,
            0,
            1e308,
            -1e308,
            1e-320,
            "",
            "x" * 300,
            [],
            {},
            [[[]]],
            "\x00",
            "__class__",
            2**70,
            [1, 2, 3],
        ]
        return rng.choice(odd)
    if "tuple" in text:
        return [some_value(rng, float) for _ in range(rng.choice([0, 1, 3, 3, 3, 4]))]
    if "bool" in text:
        return rng.random() < 0.5
    if "int" in text and "float" not in text:
        return rng.randrange(-5, 2000)
    if "float" in text:
        return rng.uniform(-10, 10) * 10.0 ** rng.randrange(-8, 8)
    if "Literal" in text:
        return rng.choice(["sphere", "box", "torus", "plane"])
    return rng.choice(["ball", "box", "world", "none", "../../etc/passwd", "{0.__class__}", "%s%n", "a" * 199])


def bent(rng):
    """A message of some kind with its fields filled by chance, sometimes cut, doubled or garbled."""
    kind = rng.choice(FROM_PAGE)
    made = {"kind": kind.kind} | {
        name: some_value(rng, hint) for name, hint in hints_of(kind).items() if name != "kind"
    }
    if rng.random() < 0.15:
        made.pop(rng.choice(list(made)))
    if rng.random() < 0.1:
        made[rng.choice(["__init__", "extra", "kind"])] = some_value(rng, str)
    text = json.dumps(made)
    chance = rng.random()
    if chance < 0.1:
        return text[: rng.randrange(len(text))]
    if chance < 0.2:
        k = rng.randrange(len(text))
        return text[:k] + chr(rng.randrange(1, 0xD7FF)) + text[k + 1 :]
    if chance < 0.25:
        return text.encode()
    if chance < 0.27:
        return "[" * rng.randrange(1, MOST_BYTES)
    return text


def fuzz(view, rng, key=""):
    """Send bent messages for some seconds; whoever is thrown out comes again. Returns how many were sent."""
    sent, end = 0, time.monotonic() + FUZZ
    while time.monotonic() < end:
        with Page(view, key=key, close_timeout=0.2) as page:
            try:
                for _ in range(30):
                    page.send(bent(rng))
                    sent += 1
                    if rng.random() < 0.2:
                        page.hear(0.01)
            except (ConnectionClosed, TimeoutError):
                pass
    return sent


def test_messages_of_those_who_watch_change_no_bit(tmp_path):
    sim = falling_simulation()
    rng = random.Random(6)
    with viewed(sim, playing=False, runs=tmp_path / "runs") as view, Page(view, key="driver") as driver:
        view.server.clients.take_drive = lambda client: None  # they would drive after that, as they may
        driver.send(Step(7))
        driver.until(lambda: driver.status["steps"] == 7)
        assert fuzz(view, rng) > 100
        driver.send(Step(13))
        driver.until(lambda: driver.status["steps"] == 20)
        assert driver.status["driver"] == driver.number
    other = falling_simulation()
    other.step(20)
    assert np.array_equal(sim.state.flat, other.state.flat)
    assert not (tmp_path / "runs").exists()


def test_messages_of_the_driver_leave_a_simulation_that_goes_on(tmp_path):
    """Whatever a driver does by chance, a reset gives the same bits as if nothing had happened."""
    sim = falling_simulation()
    rng = random.Random(7)
    with viewed(sim, playing=False, runs=tmp_path / "runs") as view:
        fuzz(view, rng, key="driver")
        with Page(view, close_timeout=0.2) as page:
            page.send('{"kind": "take_drive"}')
            for word in ("pause", "reset"):
                page.send(json.dumps({"kind": word}))
            page.send(Record(False))
            page.until(lambda: page.status["steps"] == 0 and page.status["run"] == "paused")
            page.send(Step(20))
            page.until(lambda: page.status["steps"] == 20)
            same = view.session.sim is sim
    if same:  # no body was added or deleted
        other = falling_simulation()
        other.step(20)
        assert np.array_equal(sim.state.flat, other.state.flat)
    runs = list((tmp_path / "runs").glob("*")) if (tmp_path / "runs").exists() else []
    assert all(path.suffix == ".h5" and path.parent == tmp_path / "runs" for path in runs)
    assert not list(tmp_path.glob("*.h5"))


def test_the_line_comes_back_after_the_server_cut_it(view):
    with Page(view, key="lid") as page:
        page.send(Step(4))
        page.until(lambda: page.status["steps"] == 4)
        view.server._call(next(iter(view.server.clients.all.values())).gone.set)
        with pytest.raises(ConnectionClosed):
            page.until(lambda: False)
    with Page(view, key="lid") as page:
        assert page.frame.time == 4 * H
        page.until(lambda: page.status["driver"] == page.number)


def test_a_notebook_gets_the_view_at_once(monkeypatch):
    import sys
    from types import ModuleType, SimpleNamespace

    shell = ModuleType("IPython")
    shell.get_ipython = lambda: SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", shell)
    sim = falling_simulation()
    view = gk.view(sim, playing=False)
    try:
        assert view._thread.is_alive()
        assert view._thread.daemon, "it ends with the kernel"
        html = view._repr_html_()
        assert html.startswith("<iframe")
        assert view.address in html
    finally:
        view.close()
    assert not view._thread.is_alive()
