"""The server on the loopback: who comes in, who drives, and what bad messages do, which is nothing."""

import http.client
import json
import os
import random
import time

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

import gelenk as gk
from gelenk.view.door import Door
from gelenk.view.from_page import Drag, Pause, Ping, Play, Step, TakeDrive
from gelenk.view.messages import MOST_BYTES
from gelenk.view.server import PAGE, REPLACED
from view.models import H, falling_simulation
from view.pages import LONG, Page, viewed

pytestmark = pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="the page is not built: make install")


@pytest.fixture
def view():
    with viewed(falling_simulation(), playing=False) as made:
        yield made


def get(view, path="/", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", view.server.door.port, timeout=LONG)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_the_page_and_its_files_are_served(view):
    answer, body = get(view)
    assert answer.status == 200
    assert b"<!doctype html>" in body
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    script = body.split(b'src="./')[1].split(b'"')[0].decode()
    assert get(view, "/" + script)[0].status == 200


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/server.py", "/nothing", "//etc/passwd"])
def test_nothing_else_is_served(view, path):
    assert get(view, path)[0].status in (400, 404)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1:1", "", "localhost.evil.example"])
def test_other_host_names_are_refused(view, host):
    assert get(view, host=host)[0].status in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost"])
def test_sockets_from_other_origins_are_refused(view, origin):
    with pytest.raises(InvalidStatus):
        Page(view, origin=origin, hello=False)


def test_a_socket_of_the_own_page_is_let_in(view):
    with Page(view, origin=view.address.rstrip("/")) as page:
        assert page.newest["scene"]["name"] == "falling"


def test_other_interfaces_ask_for_the_token():
    door = Door("0.0.0.0", 80)
    assert len(door.token) >= 24
    assert door.token in door.address
    asked = {"headers": {"host": "box:80"}, "entry": True, "socket": True}
    assert "token" in door.refuses(query={}, **asked)
    assert "token" in door.refuses(query={"token": "é"}, **asked)
    assert door.refuses(query={"token": door.token}, **asked) == ""
    assert Door("127.0.0.1", 80).token == Door("localhost", 80).token == ""


def test_steps_over_the_socket_are_exact(view):
    with Page(view) as page:
        page.send(Step(17))
        page.until(lambda: page.status["steps"] == 17 and page.frame.time == 17 * H)
        other = falling_simulation()
        other.step(17)
        np.testing.assert_allclose(page.frame.poses[1, :3], other["ball"].position, rtol=1e-6)


def test_two_pages_see_the_same_frame(view):
    with Page(view) as one, Page(view) as two:
        one.send(Step(5))
        for page in (one, two):
            page.until(lambda page=page: page.frame.time == 5 * H)
        assert np.array_equal(one.frame.poses, two.frame.poses)
        assert one.frame.sequence == two.frame.sequence


def test_one_page_drives_at_a_time(view):
    with Page(view) as one, Page(view) as two:
        one.until(lambda: one.status["driver"] == one.number and one.status["clients"] == 2)
        two.send(Step(5))
        two.until(lambda: two.problems)
        assert "drive" in two.problems[0]
        two.send(TakeDrive())
        two.until(lambda: two.status["driver"] == two.number)
        two.send(Step(5))
        two.until(lambda: two.status["steps"] == 5)
        two.close()
        one.until(lambda: one.status["driver"] == one.number)


def test_a_page_that_comes_back_keeps_the_drive(view):
    with Page(view, key="one") as one, Page(view, key="two") as two, Page(view, key="one") as again:
        again.until(lambda: again.status["driver"] == again.number)
        assert again.number > two.number
        with pytest.raises(ConnectionClosed):
            one.until(lambda: False)


def test_a_ping_is_answered(view):
    with Page(view) as page:
        page.send(Ping(42))
        page.until(lambda: page.newest.get("pong") == {"kind": "pong", "number": 42})


def test_a_bad_message_is_answered_and_nothing_else(view):
    with Page(view) as page:
        page.send('{"kind": "step", "n": -1}')
        page.until(lambda: page.problems)
        page.send(Step(3))
        page.until(lambda: page.status["steps"] == 3)


def test_five_bad_messages_in_a_row_close_the_socket(view):
    with Page(view) as page:
        for _ in range(5):
            page.send("nonsense")
        with pytest.raises(ConnectionClosed):
            page.until(lambda: False)
    with Page(view) as page:  # and another comes in
        assert page.status["run"] == "paused"


@pytest.mark.parametrize("first", ['{"kind": "play"}', '{"kind": "hello", "protocol": 999}', "x", b"\x00\x01"])
def test_whoever_does_not_say_hello_is_not_let_in(view, first):
    page = Page(view, hello=False)
    page.send(first)
    with pytest.raises(ConnectionClosed):
        page.until(lambda: False)
    assert page.problems
    assert view.session.steps == 0


def test_a_huge_message_closes_its_socket_alone(view):
    with Page(view) as good, Page(view) as bad:
        bad.send("x" * (MOST_BYTES + 1))
        with pytest.raises(ConnectionClosed):
            bad.until(lambda: False)
        good.send(Step(2))
        good.until(lambda: good.status["steps"] == 2)


def test_hostile_messages_leave_the_simulation_as_it_is():
    sim = falling_simulation()
    rng = random.Random(1)
    words = ["kind", "step", "n", "play", "__class__", "body", "ball", "push", "impulse", "point", "speed", "factor"]
    values = [0, -1, 1e308, "x" * 300, [], {}, [[]], None, True, "\ud800", "';--", 10**400, [1, 2], {"a": {"b": []}}]

    def hostile():
        kind = rng.randrange(4)
        if kind == 0:
            return os.urandom(rng.randrange(200))
        if kind == 1:
            return "".join(chr(rng.randrange(1, 0x500)) for _ in range(rng.randrange(200)))
        made = {rng.choice(words): rng.choice(values) for _ in range(rng.randrange(5))}
        made["kind"] = rng.choice(["push", "drag", "speed", "delete", "add", "seek", "set_input", "reset!", "eval", 3])
        return json.dumps(made)

    with viewed(sim, playing=False) as view:
        for _ in range(40):
            with Page(view) as page:
                try:
                    for _ in range(8):
                        page.send(hostile())
                    page.until(lambda: False)
                except ConnectionClosed:
                    pass
        with Page(view) as page:
            page.send(Step(10))
            page.until(lambda: page.status["steps"] == 10)
    other = falling_simulation()
    other.step(10)
    assert np.array_equal(sim.state.flat, other.state.flat)


def test_a_page_that_does_not_read_does_not_hold_up_the_others(view):
    with Page(view, max_queue=1, close_timeout=0.5) as _, Page(view) as reading:
        reading.send(TakeDrive())
        reading.send(Play())
        begun = reading.frames
        reading.until(lambda: reading.frames > begun + 30)
        assert reading.status["run"] == "playing"
        reading.send(Pause())
        reading.until(lambda: reading.status["run"] == "paused")


def test_closing_ends_threads_and_frees_the_port():
    with viewed(falling_simulation()) as view:
        port = view.server.door.port
    time.sleep(0.05)
    with viewed(falling_simulation(), port=port) as again:
        assert again.server.door.port == port


def test_a_port_that_is_taken_is_said_so(view):
    with pytest.raises(gk.InputError, match="free port"):
        gk.view(falling_simulation(), wait=False, browser=False, port=view.server.door.port)


def test_a_notebook_shows_the_page(view):
    assert f'src="{view.address}"' in view._repr_html_()


def test_what_a_page_held_is_let_go_of_when_another_takes_the_drive(view):
    with Page(view) as one, Page(view) as two:
        one.send(Drag("ball", (0.0, 0.0, 0.0), (0.0, 0.0, 5.0)))
        one.send(Step(1))
        one.until(lambda: one.status["steps"] == 1)
        assert view.session.before_each
        two.send(TakeDrive())
        two.send(Step(1))
        two.until(lambda: two.status["steps"] == 2)
        assert not view.session.before_each


@pytest.mark.parametrize("driven", [False, True])
def test_a_driver_that_was_cut_off_drives_on_unless_another_has_driven(view, driven):
    with Page(view) as other:
        with Page(view, key="lid") as page:
            page.send(TakeDrive())
            page.until(lambda: page.status["driver"] == page.number)
        other.until(lambda: other.status["clients"] == 1 and other.status["driver"] == other.number)
        if driven:
            other.send(Step(1))
            other.until(lambda: other.status["steps"] == 1)
        with Page(view, key="lid") as page:
            page.until(lambda: page.status["clients"] == 2)
            assert page.status["driver"] == (other.number if driven else page.number)


def test_a_page_is_told_that_another_has_its_key(view):
    """Two copies of one page would otherwise push each other out for ever."""
    with Page(view, key="one") as one, Page(view, key="one"):
        with pytest.raises(ConnectionClosed) as closed:
            one.until(lambda: False)
        assert closed.value.rcvd.code == REPLACED
