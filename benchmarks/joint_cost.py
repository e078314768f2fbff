"""Cost of a joint and step in chains of 10 to 10 000 ball joints in minimal coordinates, sizes in turn.

    python benchmarks/joint_cost.py

All chains are stepped in turn, round by round, in calls of many steps, so that a machine that is busy for a while slows
all of them; processor time, the least and the median of the rounds.
"""

from __future__ import annotations

import time

import numpy as np

from gelenk.joints.ball import Ball
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.model.builder import Builder
from gelenk.model.model import Model

SIZES, ORDERS = (10, 30, 100, 300, 1000, 3000, 10_000), (1, 4)
ROUNDS, WORK, h = 12, 20_000, 1e-5  # joints times steps in a call; steps so short that nothing whirls


def chain(count: int) -> Model:
    """Rods of 0.1 m on ball joints, level at the start."""
    b = Builder()
    for k in range(count):
        b.body(f"r{k}", mass=0.1, inertia=(1e-4, 1e-4, 1e-4), at=(0.1 * k + 0.05, 0.0, 0.0))
        b.add(Ball(name=f"j{k}", a=f"r{k - 1}" if k else "world", b=f"r{k}", at=(0.1 * k, 0.0, 0.0)))
    return b.build()


def main() -> None:
    """Step all chains in turn and print what a joint costs."""
    runs = {}
    for count in SIZES:
        model = chain(count)
        for order in ORDERS:
            runs[count, order] = (MoreauTree(h=h, order=order).begin(model, model.initial_state()), [])
    for k in range(ROUNDS + 1):
        for (count, _), (stepper, times) in runs.items():
            steps = max(2, WORK // count)
            begun = time.process_time()
            stepper.advance(0.0, h, 0, steps)
            if k > 0:  # the first call loads its kernel
                times.append(1e6 * (time.process_time() - begun) / (steps * count))
    print("joints   us a joint and step, order 1 (least, median)   order 4")
    for count in SIZES:
        cells = [f"{min(runs[count, o][1]):8.3f} {np.median(runs[count, o][1]):7.3f}" for o in ORDERS]
        print(f"{count:6d} {cells[0]} {cells[1]}")
    for order in ORDERS:
        least = [min(runs[count, order][1]) for count in SIZES]
        print(f"order {order}: dearest over cheapest joint {max(least) / min(least):.2f}")


if __name__ == "__main__":
    main()
