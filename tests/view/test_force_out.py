"""The force that goes out (B-77): what a receiver hears is the mean over the window divided by the lever."""

import math
import socket

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.force_out import LEVER, PACKET, WINDOW, read_packet

H = 2e-4
PER_WINDOW = 50  # steps of H in a window


@pytest.fixture
def receiver():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.bind(("127.0.0.1", 0))
        opened.settimeout(5.0)
        yield opened


def heard(receiver, n):
    return [read_packet(receiver.recv(1024)) for _ in range(n)]


def test_a_receiver_hears_the_mean_of_each_window(receiver):
    rng = np.random.default_rng(0)
    moments = rng.normal(3.0, 40.0, 4 * PER_WINDOW)  # as noisy as contacts are
    with gk.ForceSender(receiver.getsockname()[1]) as sender:
        sender.put(0.0, 1e9)  # what was before the first step counts for nothing
        for k, moment in enumerate(moments, start=1):
            sender.put(k * H, moment)
        packets = heard(receiver, 4)
    assert [p[0] for p in packets] == [0, 1, 2, 3]
    np.testing.assert_allclose([p[1] for p in packets], WINDOW * np.arange(1, 5), atol=1e-12)
    means = moments.reshape(4, PER_WINDOW).mean(axis=1)
    np.testing.assert_allclose([p[2] for p in packets], means / LEVER, rtol=1e-11)  # round-off of 50 sums
    np.testing.assert_allclose([p[3] for p in packets], means, rtol=1e-11)
    last = read_packet(receiver.recv(1024))
    assert last[2] == 0.0  # at the end the device is told to let go


def test_a_reset_begins_a_new_window(receiver):
    with gk.ForceSender(receiver.getsockname()[1]) as sender:
        for k in range(20):
            sender.put(k * H, 100.0)
        for k in range(PER_WINDOW + 1):
            sender.put(k * H, 2.0)
        (packet,) = heard(receiver, 1)
        assert packet[3] == pytest.approx(2.0)


def test_a_moment_that_is_no_number_is_left_out(receiver):
    with gk.ForceSender(receiver.getsockname()[1]) as sender:
        for k in range(PER_WINDOW + 1):
            sender.put(k * H, math.nan if k % 2 else 4.0)
        assert heard(receiver, 1)[0][3] == pytest.approx(4.0)


def test_where_nobody_listens_the_simulation_goes_on():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.bind(("127.0.0.1", 0))
        port = opened.getsockname()[1]
    with gk.ForceSender(port) as sender:
        for k in range(10 * PER_WINDOW + 1):
            sender.put(k * H, 1.0)
        assert sender.sent + sender.dropped == 10


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"port": 0}, "65535"),
        ({"port": 5, "host": "10.0.0.1"}, "remote=True"),
        ({"port": 5, "host": "wheel.local"}, "numbers"),
        ({"port": 5, "lever": 0}, "lever"),
        ({"port": 5, "window": -1}, "window"),
    ],
)
def test_other_machines_and_other_nonsense_are_refused(how, words):
    with pytest.raises(gk.InputError, match=words):
        gk.ForceSender(**how)


def test_a_datagram_of_something_else_is_refused():
    with pytest.raises(ValueError, match="first four bytes"):
        read_packet(bytes(PACKET.size))
    with pytest.raises(ValueError, match="3 bytes"):
        read_packet(b"abc")
