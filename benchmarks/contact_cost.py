"""Cost of a contact and step from 100 to 10 000 boxes at rest, by one thread and by two, sizes and threads in turn.

    python benchmarks/contact_cost.py [--one-bin | --wall]

Piles of all sizes are as high, in bins as wide as they need. ``--one-bin`` drops 100 and 300 into the bin of 1000,
where they cover the floor: fewer pairs of boxes, more points a pair, and what they weigh lies on nobody. ``--wall``
builds walls of ten rows, longer and longer: each contact has the same neighbours in all sizes. In piles it has not:
a hundred boxes lie against floor and walls for the most part.

Every size comes to rest first; then all are stepped in turn, so that a machine that is busy for a while slows all of
them. Exactly 14 sweeps a step, so that no pile does less than another.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from gelenk.bench.box_scene import Boxes, BoxesScene, Still, WallScene
from gelenk.bench.gelenk_engine_box import box_model
from gelenk.contact.block import COUNT
from gelenk.contact.options import ContactOptions
from gelenk.methods.row_stepping import RowStepping
from gelenk.methods.rows_stepper import RowsStepper
from gelenk.model.model import Model
from gelenk.state import State
from gelenk.threads import set_threads

SIZES = {100: 1000, 300: 1000, 1000: 1000, 3000: 1200, 10_000: 1400}  # boxes, steps until they rest
ROUNDS, SWEEPS, h = 8, 14, 1 / 240


class Pile:
    """One pile at rest, stepped by several steppers."""

    threads = (1, 2)  # of each stepper
    scene = "alike"  # as high as the others

    def __init__(self, boxes: int, rest: int) -> None:
        model = box_model(self.made(boxes))
        self.boxes, self.steps = boxes, max(8, 15_000 // boxes)
        begin = model.initial_state()
        set_threads(2)
        self.stepper(model, begin).advance(0.0, h, 0, rest)
        self.steppers: list[RowsStepper] = []
        self.times: list[list[float]] = [[] for _ in self.threads]
        for threads in self.threads:
            set_threads(threads)
            state = model.initial_state()
            state.flat[:] = begin.flat
            self.steppers.append(self.stepper(model, state))
        for stepper in self.steppers:
            stepper.advance(0.0, h, 0, self.steps)  # finds what to begin with, and makes room

    @classmethod
    def made(cls, boxes: int) -> Boxes:
        """The scene of so many."""
        if cls.scene != "wall":
            return BoxesScene.make(boxes, alike=cls.scene == "alike")
        long = boxes // 10
        ground = Still((0.1 * long, 0.0, -0.5), (20.0 + 0.1 * long, 20.0, 0.5))
        return replace(WallScene.make(boxes, long=long), still=(ground,))

    @staticmethod
    def stepper(model: Model, state: State) -> RowsStepper:
        """That does as many sweeps a step as any other."""
        return RowStepping(h=h, contact=ContactOptions(sweeps=SWEEPS, newton=0, tolerance=0.0)).begin(model, state)

    def run(self, which: int) -> None:
        """Some steps of a stepper, timed [s]."""
        start = time.perf_counter()
        self.steppers[which].advance(0.0, h, 0, self.steps)
        self.times[which].append((time.perf_counter() - start) / self.steps)

    @property
    def contacts(self) -> int:
        """Of the last step."""
        return int(self.steppers[0].work.contact.contacts.number[COUNT])


AnyPile = TypeVar("AnyPile", bound=Pile)


def bring_to_rest(kind: type[AnyPile], sizes: Iterable[int]) -> list[AnyPile]:
    """A pile of each size."""
    piles = []
    for boxes in sizes:
        print(f"{boxes} boxes come to rest ...", file=sys.stderr, flush=True)
        piles.append(kind(boxes, SIZES.get(boxes, 1400)))
    return piles


def step_in_turn(piles: Sequence[Pile]) -> None:
    """All piles by all their steppers, round by round."""
    for _ in range(ROUNDS):
        for which in range(2):
            for pile in piles:
                pile.run(which)


def choose_scene() -> None:
    """The scene that the command line asks for."""
    Pile.scene = next((kind for kind in ("one-bin", "wall") if f"--{kind}" in sys.argv[1:]), "alike")


def main() -> None:
    """Bring all piles to rest, step them in turn, and print what a contact costs."""
    choose_scene()
    piles = bring_to_rest(Pile, SIZES)
    step_in_turn(piles)
    print(" boxes  contacts  one thread [ms]  two threads [ms]  ratio  us a contact and step   (best, median)")
    for pile in piles:
        one, two = (np.array([min(times), np.median(times)]) for times in pile.times)
        cost, ratio = one / pile.contacts * 1e6, one / two
        print(
            f"{pile.boxes:6d} {pile.contacts:9d} {one[0] * 1e3:8.3f} {one[1] * 1e3:8.3f} {two[0] * 1e3:8.3f} "
            f"{two[1] * 1e3:8.3f} {ratio[0]:6.2f} {ratio[1]:4.2f} {cost[0]:8.3f} {cost[1]:6.3f}"
        )


if __name__ == "__main__":
    main()
