"""Cost of a closed loop and step when many loops are in one world, beside each other and tied to nothing.

    python benchmarks/loop_cost.py [--most 100]

Four-bars on the ground, each a piece of the model by itself: its loop is five rows. Sizes are stepped in turn, round by
round; processor time, the least of the rounds. What a loop costs should not depend on how many others there are.
"""

from __future__ import annotations

import argparse
import time

from gelenk.joints.hinge import Hinge
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.model.builder import Builder
from gelenk.model.model import Model

SIZES, ROUNDS, WORK, h = (1, 10, 30, 100, 300), 7, 300, 1e-3  # WORK: loops times steps in a call


def four_bars(count: int) -> Model:
    """Crank, coupler and rocker as a parallelogram aslant, again and again side by side."""
    b = Builder()
    for k in range(count):
        y = 0.5 * k
        places = {"crank": (0.15, y, 0.1), "coupler": (0.6, y, 0.2), "rocker": (1.05, y, 0.1)}
        for name, at in places.items():
            b.body(f"{name}{k}", mass=1.0, inertia=(0.01, 0.02, 0.02), at=at)
        pins = {"A": ("world", "crank", 0.0, 0.0), "B": ("crank", "coupler", 0.3, 0.2),
                "C": ("coupler", "rocker", 0.9, 0.2), "D": ("rocker", "world", 1.2, 0.0)}  # fmt: skip
        for name, (one, two, x, z) in pins.items():
            ends = {"a": one if one == "world" else f"{one}{k}", "b": two if two == "world" else f"{two}{k}"}
            b.add(Hinge(name=f"{name}{k}", **ends, at=(x, y, z), axis=(0, 1, 0)))
    return b.build()


def main() -> None:
    """Step all worlds in turn and print what a loop costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=SIZES[-1], help="most loops in one world")
    sizes = [count for count in SIZES if count <= parser.parse_args().most]
    runs = {}
    for count in sizes:
        model = four_bars(count)
        runs[count] = (MoreauTree(h=h, cut="auto").begin(model, model.initial_state()), [])
    for k in range(ROUNDS + 1):
        for count, (stepper, times) in runs.items():
            steps = max(2, WORK // count)
            begun = time.process_time()
            stepper.advance(0.0, h, 0, steps)
            if k > 0:  # the first call loads its kernel
                times.append(1e6 * (time.process_time() - begun) / (steps * count))
    print("loops   us a loop and step")
    for count in sizes:
        print(f"{count:5d} {min(runs[count][1]):9.2f}")


if __name__ == "__main__":
    main()
