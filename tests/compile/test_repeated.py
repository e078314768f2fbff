"""Calls with the same blocks: the same results, types looked at once, and other blocks noticed."""

from typing import NamedTuple

import numpy as np
import pytest

from gelenk.compile import ENABLED, Repeated, kernel


class Sums(NamedTuple):
    """What is added up."""

    number: np.ndarray
    count: np.ndarray


@kernel
def add_up(sums, add, times):
    """Add a number so many times; the sum."""
    for _ in range(times):
        sums.number[0] += add
        sums.count[0] += 1
    return sums.number[0]


def blocks(kind=np.float64):
    return Sums(np.zeros(1, kind), np.zeros(1, np.int64))


def test_a_repeated_call_is_that_of_the_kernel():
    one, other, call = blocks(), blocks(), Repeated(add_up)
    for k in range(5):
        assert call((one,), 0.1 * k, k) == add_up(other, 0.1 * k, k)
    np.testing.assert_array_equal(one.number, other.number)
    assert one.count[0] == other.count[0] == 10


@pytest.mark.skipif(not ENABLED, reason="looks at the types of the compiler")
def test_types_are_looked_at_once_and_anew_for_other_blocks(monkeypatch):
    call, first, second, short = Repeated(add_up), blocks(), blocks(), blocks(np.float32)
    looked = []
    typeof = add_up.dispatcher.typeof_pyval
    monkeypatch.setattr(add_up, "_dispatcher", Looking(add_up.dispatcher, typeof, looked))
    for _ in range(3):
        call((first,), 1.0, 1)
    assert looked == [first, 1.0, 1]
    call((second,), 1.0, 1)
    call((short,), 1.0, 1)
    assert looked == [first, 1.0, 1, second, 1.0, 1, short, 1.0, 1]
    assert short.number.dtype == np.float32
    assert [first.number[0], second.number[0], short.number[0]] == [3.0, 1.0, 1.0]


class Looking:
    """A dispatcher that notes what it is asked for the type of."""

    def __init__(self, dispatcher, typeof, looked):
        self.compile, self._typeof, self._looked = dispatcher.compile, typeof, looked

    def typeof_pyval(self, value):
        self._looked.append(value)
        return self._typeof(value)


def test_a_run_that_exchanges_its_blocks_goes_on_with_the_new_ones():
    call, sums = Repeated(add_up), blocks()
    call((sums,), 2.0, 3)
    other = sums._replace(number=np.array([10.0]))
    assert call((other,), 2.0, 1) == 12.0
    assert call((sums,), 2.0, 1) == 8.0
