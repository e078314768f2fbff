"""Driving lines: curves found from the curvature, runs compared over s, arcs classified (B-84, B-85)."""

import math

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.analysis.curves import Bend, bends
from gelenk.worlds.bobsleigh.analysis.lines import Line, classify, compare, lines_table, tops

S = np.arange(0.0, 300.0, 0.5)


def curvature(s, entry, length_in, arc, length_out, radius, side):
    """Clothoid, arc, clothoid."""
    corners = np.cumsum([entry, length_in, arc, length_out])
    return np.interp(s, corners, (0.0, side / radius, side / radius, 0.0))


TRACK = curvature(S, 40, 20, 10, 20, 30, 1) + curvature(S, 90, 30, 5, 15, 25, -1) + curvature(S, 150, 20, 9, 20, 40, -1)


def test_curves_are_found_where_they_begin_and_end():
    """Within what a clothoid of 20 m and 40 m radius needs to reach the threshold of 1e-4 /m: 0.08 m."""
    found = bends(S, TRACK)
    assert [b.side for b in found] == [1, -1, -1]
    assert [b.number for b in found] == [1, 2, 3]
    assert [b.entry for b in found] == pytest.approx([40, 90, 150], abs=0.09)
    assert [b.exit for b in found] == pytest.approx([90, 140, 199], abs=0.09)
    assert [b.radius for b in found] == pytest.approx([30, 25, 40], rel=2e-3)
    assert found[0].middle == pytest.approx(65, abs=0.05)  # symmetric
    # Entry of 15 /R of a turn of (15 + 5 + 7.5) /R: half the turn is before the arc begins.
    turn = (30 / 2 + 5 + 15 / 2) / 2
    assert found[1].middle == pytest.approx(90 + math.sqrt(2 * 30 * turn), abs=0.05)


def test_a_track_without_curves_has_none():
    assert bends(S, np.zeros_like(S)) == []
    with pytest.raises(InputError, match="one for each"):
        bends(S, np.zeros(3))


def line(height=lambda s: 0 * s, speed=20.0, offset=0.0):
    return Line.of(S, S / speed, np.full_like(S, speed), height(S), np.full_like(S, offset))


def test_differences_of_two_even_runs():
    """21 m/s beside 20: 1 m/s faster everywhere, ahead by s (1/20 - 1/21)."""
    made = compare(line(speed=21.0), line(), 40.0, 90.0)
    assert made.s[[0, -1]].tolist() == [40.0, 90.0]
    assert made.speed == pytest.approx(np.ones(101), rel=1e-12)
    assert made.t == pytest.approx(made.s * (1 / 21 - 1 / 20), rel=1e-9)
    assert (made.t < 0).all()
    with pytest.raises(InputError, match="where the run was"):
        compare(line(), line(), 0.0, 400.0)


def test_what_slid_backwards_is_no_place_of_a_line():
    s = np.array([0.0, 1.0, 2.0, 1.5, 1.8, 2.5, 3.0])
    made = Line.of(s, np.arange(7.0), s, s, s)
    assert made.s.tolist() == [0.0, 1.0, 2.0, 2.5, 3.0]
    assert made.t.tolist() == [0.0, 1.0, 2.0, 5.0, 6.0]


def test_tops_need_a_fall_on_both_sides():
    x = np.linspace(0, 4 * np.pi, 401)
    assert tops(-np.cos(x), 0.15).tolist() == [100, 300]
    assert tops(-np.cos(x) + 0.02 * np.sin(40 * x), 0.15).size == 2  # ripple is no arc
    assert tops(x, 0.15).size == 0  # still rising
    assert tops(-x, 0.15).size == 0
    assert tops(np.zeros(0), 0.15).size == 0


BEND = Bend(number=1, side=1, entry=40.0, exit=90.0, middle=65.0, radius=30.0)


def arc(top, width):
    """A rounded line that is 1.5 m high at its top."""
    return lambda s: 1.5 * np.exp(-(((s - top) / width) ** 2))


@pytest.mark.parametrize(("top", "when"), [(52.0, "early"), (66.0, "middle"), (77.0, "late")])
def test_one_arc_is_early_or_late(top, when):
    found = classify(line(arc(top, 5.0)), BEND)
    assert found.kind == "one arc"
    assert found.when == when
    assert found.arcs == pytest.approx([top], abs=0.5)
    assert found.highest == pytest.approx(1.5, rel=1e-2)


def test_two_arcs_entry_side_and_loss():
    """Of a left curve the outside is on the right, where b_S is negative."""
    two = line(lambda s: arc(54, 5)(s) + arc(77, 5)(s), speed=19.0, offset=-0.2)
    found = classify(two, BEND, reference=line())
    assert found.kind == "two arcs"
    assert found.entry_side == "outside"
    assert found.loss == pytest.approx(50 / 19 - 50 / 20, rel=1e-9)
    assert found.exit_speed == 19.0
    other = Bend(number=1, side=-1, entry=40.0, exit=90.0, middle=65.0, radius=30.0)
    assert classify(two, other).entry_side == "inside"
    assert classify(line(offset=0.01), BEND).entry_side == "middle"
    flat = classify(line(), BEND)
    assert flat.kind == "flat"
    assert math.isnan(flat.loss)
    heading, first, _ = lines_table([found, flat])
    assert len(heading) == len(first)
    assert first[1] == "two arcs"
