"""Cost of a contact and step from 100 to 10 000 boxes at rest, by one thread and by two, sizes and threads in turn.

    python benchmarks/contact_cost.py

Every size comes to rest first; then all are stepped in turn, so that a machine that is busy for a while slows all of
them. Exactly 14 sweeps a step, so that no pile does less than another.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from gelenk.bench.box_scene import BoxesScene
from gelenk.bench.gelenk_engine_box import box_model
from gelenk.contact.options import ContactOptions
from gelenk.methods.row_stepping import RowStepping
from gelenk.threads import set_threads

SIZES = {100: 1000, 300: 1000, 1000: 1000, 3000: 1200, 10_000: 1400}  # boxes, steps until they rest
ROUNDS, h = 8, 1 / 240


class Pile:
    """One pile at rest, stepped by one thread and by two."""

    def __init__(self, boxes: int, rest: int) -> None:
        model = box_model(BoxesScene.make(boxes))
        self.boxes, self.steps = boxes, max(8, 15_000 // boxes)
        begin = model.initial_state()
        set_threads(2)
        self.stepper(model, begin).advance(0.0, h, 0, rest)
        self.steppers, self.times = {}, {1: [], 2: []}
        for threads in (1, 2):
            set_threads(threads)
            state = model.initial_state()
            state.flat[:] = begin.flat
            self.steppers[threads] = self.stepper(model, state)
            self.run(threads)
        self.times = {1: [], 2: []}

    @staticmethod
    def stepper(model, state):
        """That does as many sweeps a step as any other."""
        return RowStepping(h=h, contact=ContactOptions(sweeps=14, newton=0, tolerance=0.0)).begin(model, state)

    def run(self, threads: int) -> None:
        """Some steps, timed."""
        start = time.perf_counter()
        self.steppers[threads].advance(0.0, h, 0, self.steps)
        self.times[threads].append((time.perf_counter() - start) / self.steps)

    @property
    def contacts(self) -> int:
        """Of the last step."""
        return int(self.steppers[1].work.contact.contacts.number[0])


def main() -> None:
    """Bring all piles to rest, step them in turn, and print what a contact costs."""
    piles = []
    for boxes, rest in SIZES.items():
        print(f"{boxes} boxes come to rest ...", file=sys.stderr, flush=True)
        piles.append(Pile(boxes, rest))
    for _ in range(ROUNDS):
        for threads in (1, 2):
            for pile in piles:
                pile.run(threads)
    print(" boxes  contacts  one thread [ms]  two threads [ms]  ratio  us a contact and step   (best, median)")
    for pile in piles:
        one, two = (np.array([min(pile.times[k]), np.median(pile.times[k])]) for k in (1, 2))
        cost, ratio = one / pile.contacts * 1e6, one / two
        print(
            f"{pile.boxes:6d} {pile.contacts:9d} {one[0] * 1e3:8.3f} {one[1] * 1e3:8.3f} {two[0] * 1e3:8.3f} "
            f"{two[1] * 1e3:8.3f} {ratio[0]:6.2f} {ratio[1]:4.2f} {cost[0]:8.3f} {cost[1]:6.3f}"
        )


if __name__ == "__main__":
    main()
