"""Steering moment: what a driver feels in the ropes tells where a curve begins and where it ends.

A sled goes through a left and a right curve with long straights between. In the curves the hands only hold the
wheel; on the straights they bring the sled back to the middle. The moment of all contacts about the axis of the
steering is as rough as ice is; its mean over a hundredth of a second is what a motor in a simulator would be told, and
what is slower than 2 Hz is what a pilot feels. It swings one way where the banking rises and the other way where it
falls, and is gone on the straights. Pilots steer by these swings.

Proof. The second curve is the mirror image of the first, and has its swings with the other sign. The moment is also
the sum over the points of both front runners of what a force does at its lever, taken from the contacts
one by one; both ways agree. That sum has three parts. Friction along the runners follows the load: where the banking
rises the outer runner bears more, drags more, and turns the sled upwards; where it falls the inner one does, and turns
it down. This is how the source explains the swings. With runners 0.67 m apart that slide with 0.004 it is a newton
metre. Ten times as much comes from normal forces, because the ice twists under the axle and is hollow. Which way these
turn it is decided by the springs in the hinges of the runners: with those of this sled, 2000 N m/rad, downwards at the
entry; in runners that pitch freely upwards, and out of the curve at its exit, as pilots of the source feel it. A sled
of each kind goes through the curves here. Their ways are the same to some centimetres.
"""

import argparse
from functools import cache
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.worlds.bobsleigh.analysis.curves import Bend
from gelenk.worlds.bobsleigh.analysis.filters import low_pass
from gelenk.worlds.bobsleigh.analysis.runs import bends_of
from gelenk.worlds.bobsleigh.descent import EVERY, Seat, descent_model
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.steering_parts import PARTS, steering_parts
from gelenk.worlds.bobsleigh.track import Track
from gelenk.worlds.bobsleigh.track.short import short_track

SPEED, STEP, T_END = 26.0, 5e-4, 14.6  # [m/s], [s], [s]
FREE, SPRUNG = 0.0, None  # stiffness of the hinges of the runners; None is that of the sled

CURVES = """curve,turn,begin,bend,entry_length,entry_a2,arc_length,radius,exit_length,exit_a2,end
1,1,-20,50,44,1188,4,27,42,1134,200
2,-1,200,260,44,1188,4,27,42,1134,430
"""
HEIGHTS = """middle,slope_in,slope_out,radius
420,-0.02,-0.01,200
"""


@cache
def track() -> Track:
    """From two tables, with the cross sections of S-13."""
    return short_track("two curves", CURVES, HEIGHTS, start=-20.0, start_height=40.0, finish=400.0)


@cache
def curves() -> list[Bend]:
    return bends_of(track())


@cache
def build(hinges: float | None = SPRUNG) -> gk.Model:
    return descent_model(track(), Setup(start_speed=SPEED, runner_stiffness=hinges))


class StraightHands(Seat):
    """Steers on straights, holds the wheel in curves."""

    def __call__(self, t: float, sim: Any) -> None:
        super().__call__(t, sim)
        s = self.seen[-1][1]
        if any(bend.entry < s < bend.exit for bend in curves()):
            sim.inputs["wheel.position"] = 0.0


@cache
def simulate(hinges: float | None = SPRUNG) -> gk.Run:
    sim = gk.Simulation(build(hinges), gk.MoreauTree(h=STEP, order=1))
    seat = StraightHands(track(), Pilot(), Banking(track()))
    outputs = {
        "place": seat.place,
        "moment": lambda sim: sim.contact_loads()["steering.angle"],
        "parts": steering_parts,
    }
    return sim.run(T_END, output_dt=EVERY, control=seat, control_every=EVERY, outputs=outputs, progress=False)


def slow(values: np.ndarray) -> np.ndarray:
    """What is slower than 2 Hz."""
    return low_pass(values, EVERY)


def largest(s: np.ndarray, values: np.ndarray, begin: float, end: float) -> float:
    """The value of largest size between two places."""
    inside = values[(s >= begin) & (s <= end)]
    return float(inside[np.argmax(np.abs(inside))])


def clothoids() -> list[tuple[tuple[float, float], tuple[float, float]]]:
    """Of each curve the outer 60 % of both clothoids, where the banking rises and falls [m]."""
    lengths = [(0.6 * curve.entry_length, 0.6 * curve.exit_length) for curve in track().curves]
    return [((b.entry, b.entry + a), (b.exit - z, b.exit)) for b, (a, z) in zip(curves(), lengths)]


def swings(run: gk.Run, series: np.ndarray) -> list[tuple[float, float]]:
    """The largest value of a series at the entry and at the exit of each curve, positive to its inside: downwards."""
    s = run["place"][:, 0]
    return [tuple(bend.side * largest(s, series, *end) for end in ends) for bend, ends in zip(curves(), clothoids())]


def check(run: gk.Run) -> None:
    free = simulate(FREE)
    for one in (run, free):
        s, moment, parts = one["place"][:, 0], slow(one["moment"]), slow(one["parts"])
        most = np.abs(moment).max()
        # Friction along the runners alone: up at the entry, down at the exit.
        for entry, exit in swings(one, parts[:, 1]):
            assert entry < -0.3
            assert exit > 0.3
        straight = np.all([(s < bend.entry - 10.0) | (s > bend.exit + 5.0) for bend in curves()], axis=0)
        assert np.abs(moment[straight]).max() < 0.07 * most
        # Means over 20 steps on one side, one step of 20 on the other: their noise is what 2 Hz leave of it.
        assert np.abs(parts.sum(axis=1) - moment).max() < 0.05 * most
    for entry, exit in swings(run, slow(run["moment"])):  # with the springs of this sled
        assert entry > 5.0
        assert exit < -5.0
    for entry, exit in swings(free, slow(free["moment"])):  # with free hinges
        assert entry < -4.0
        assert exit > 4.0
    s, left = run["place"][:, :2].T
    apart = np.abs(np.interp(s, *free["place"][:, :2].T) - left)
    assert max(apart[(s > bend.entry) & (s < bend.exit)].max() for bend in curves()) < 0.05


def picture(run: gk.Run, out: str) -> None:
    free = simulate(FREE)
    figure = Figure(figsize=(11, 7.2), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True)
    s, moment = run["place"][:, 0], run["moment"]
    panels[0].plot(s, moment, color="#bbbbbb", linewidth=0.6, label="mean over 10 ms")
    panels[0].plot(s, slow(moment), color="#333333", label="below 2 Hz")
    panels[0].plot(free["place"][:, 0], slow(free["moment"]), "--", color="#c44e52", label="with free hinges")
    for panel, one in zip(panels[1:], (run, free)):
        for name, part, colour in zip(PARTS, slow(one["parts"]).T, ("#4c72b0", "#c44e52", "#55a868")):
            panel.plot(one["place"][:, 0], part, color=colour, label=name)
    for panel in panels:
        for bend, curve in zip(curves(), track().curves):
            panel.axvspan(bend.entry, bend.exit, color="#888888", alpha=0.10, linewidth=0)
            for edge in (bend.entry + curve.entry_length, bend.exit - curve.exit_length):
                panel.axvline(edge, color="#888888", linewidth=0.6)
        panel.grid(alpha=0.25)
        panel.tick_params(labelsize=7)
        panel.legend(fontsize=8, loc="upper left")
    panels[0].set_title("moment of all contacts about the steering axis, positive to the left [N m]", fontsize=9)
    panels[1].set_title("its parts below 2 Hz, runners in springs of 2000 N m/rad [N m]", fontsize=9)
    panels[2].set_title("its parts below 2 Hz, runners that pitch freely [N m]", fontsize=9)
    panels[2].set_xlabel("s [m]; a left and a right curve, arcs between the lines", fontsize=8)
    figure.suptitle("What the ropes tell: one swing where a curve begins, the other way where it ends", fontsize=12)
    figure.savefig(out, dpi=72)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Moment in the steering of a sled through two curves.")
    parser.add_argument("--out", default="steering_moment.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    for told, one in (("springs of the sled", run), ("free hinges", simulate(FREE))):
        felt = swings(one, slow(one["moment"]))
        sides = (f"{entry:+.1f} N m at the entry, {exit:+.1f} at the exit" for entry, exit in felt)
        print(f"{told}, positive is down: {'; '.join(sides)}")
    print(f"raw up to {np.abs(run['moment']).max():.0f} N m, friction along the runners below 2 Hz up to ", end="")
    print(f"{np.abs(slow(run['parts'])[:, 1]).max():.1f} N m")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
