"""Real time in whole steps (V-01)."""

import pytest

from gelenk.view.clock import MOST_LAG, Clock


class Wall:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def wall():
    return Wall()


def run(clock, wall, seconds, tick=0.0173, most=10**9):
    taken = 0
    end = wall.now + seconds
    while wall.now < end - 1e-12:
        wall.now = min(end, wall.now + tick)
        steps = min(clock.due(), most)
        clock.took(steps)
        taken += steps
    return taken


@pytest.mark.parametrize("speed", [0.01, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("h", [1e-3, 0.0167, 0.1])
def test_the_remainder_is_kept(wall, speed, h):
    clock = Clock(h, speed=speed, wall=wall)
    clock.play()
    assert run(clock, wall, 20.0) == pytest.approx(20.0 * speed / h, abs=1.01)
    assert not clock.behind


def test_nothing_is_due_while_it_pauses(wall):
    clock = Clock(1e-3, wall=wall)
    assert run(clock, wall, 5.0) == 0
    clock.play()
    clock.pause()
    assert run(clock, wall, 5.0) == 0
    clock.play()
    assert clock.due() == 0  # the pause is not made up for


def test_single_steps_are_exact_and_end_play(wall):
    clock = Clock(1e-3, wall=wall)
    clock.play()
    wall.now += 0.1
    clock.ask(7)
    assert not clock.playing
    assert run(clock, wall, 1.0, most=3) == 7


def test_a_slow_simulation_is_said_to_be_behind_and_by_how_much(wall):
    clock = Clock(1e-3, wall=wall)
    clock.play()
    run(clock, wall, 5.0, tick=0.01, most=4)  # 0.4 of what is asked for
    assert clock.behind
    assert clock.factor == pytest.approx(0.4, rel=0.05)
    assert clock.due() <= MOST_LAG / 1e-3 + 1
    run(clock, wall, 5.0)
    assert not clock.behind
    assert clock.factor == pytest.approx(1.0, rel=0.05)


def test_a_hiccup_is_made_up_for_in_part_and_the_rest_is_told(wall):
    """Of half a second without a turn 40 ms are owed after it, and a step's remainder; all else is lost, and said."""
    clock = Clock(2e-4, wall=wall)
    clock.most_lag = 0.04
    clock.play()
    assert run(clock, wall, 1.0) == pytest.approx(5000, abs=1.01)
    assert clock.lost == 0.0
    wall.now += 0.5
    assert clock.due() in (200, 201)
    assert clock.behind
    assert clock.lost == pytest.approx(0.5 - 0.04, abs=1e-3)
    clock.took(clock.due())
    assert run(clock, wall, 2.0) == pytest.approx(10_000, abs=2.01)
    assert not clock.behind


def test_a_change_of_speed_counts_from_now_on(wall):
    clock = Clock(1e-3, speed=1.0, wall=wall)
    clock.play()
    wall.now += 0.01
    clock.speed = 0.1
    wall.now += 0.1
    assert clock.due() == 20


def test_wait_ends_when_the_next_step_is_due(wall):
    clock = Clock(0.1, speed=0.5, wall=wall)
    assert clock.wait() == float("inf")
    clock.play()
    assert clock.wait() == pytest.approx(0.2)
    wall.now += clock.wait()
    assert clock.due() == 1
