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
it down. This is how the source explains the swings. On this sled, whose runners stand 0.67 m apart and slide with
0.004, that part is a newton metre. Ten times as much comes from the normal forces, which the concave ice turns inwards
where a runner climbs, and sideways friction, which opposes every turn of a runner about itself: the sum has the other
sign.
"""

import argparse
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.worlds.bobsleigh.analysis.curves import Bend, bends
from gelenk.worlds.bobsleigh.analysis.filters import low_pass
from gelenk.worlds.bobsleigh.descent import EVERY, Seat, descent_model
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import Track, load_track

SPEED, STEP, T_END = 26.0, 5e-4, 14.6  # [m/s], [s], [s]
FRONT = ("front runner left", "front runner right")
PARTS = ("normal forces", "friction along", "friction across")

TRACK = """
name = "two curves"
start = -20.0
start_height = 40.0
finish = 400.0
curves = "curves.csv"
heights = "heights.csv"
[sections.rule]          # channel on straights, banking of 88 degrees in the curves, as those of s13
hW = [0.50, 0.0]
r0 = [0.10, 0.0]
lB = [0.60, 0.0]
dC = [0.0, 0.0]
b = [0.70, 1.2]
a = [0.0, 2.6]
bT_short = [0.10, 0.05]
r1 = [0.10, 2.0]
eps = [88.0, 0.0]
hZ = [0.45, 0.25]
r2 = [1.5, 0.0]
h2 = [0.0, 0.30]
"""
CURVES = """curve,turn,begin,bend,entry_length,entry_a2,arc_length,radius,exit_length,exit_a2,end
1,1,-20,50,44,1188,4,27,42,1134,200
2,-1,200,260,44,1188,4,27,42,1134,430
"""
HEIGHTS = """middle,slope_in,slope_out,radius
420,-0.02,-0.01,200
"""


@cache
def track() -> Track:
    """From three text files in a folder."""
    with tempfile.TemporaryDirectory() as name:
        for file, text in (("track.toml", TRACK), ("curves.csv", CURVES), ("heights.csv", HEIGHTS)):
            Path(name, file).write_text(text)
        return load_track(name)


@cache
def curves() -> list[Bend]:
    s = np.arange(0.0, track().finish, 0.25)
    return bends(s, track().line.at(s).curvature)


@cache
def build() -> gk.Model:
    return descent_model(track(), Setup(start_speed=SPEED))


class StraightHands(Seat):
    """Steers on straights, holds the wheel in curves."""

    def __call__(self, t: float, sim: Any) -> None:
        super().__call__(t, sim)
        s = self.seen[-1][1]
        if any(bend.entry < s < bend.exit for bend in curves()):
            sim.inputs["wheel.position"] = 0.0


def parts_of_moment(sim: Any) -> np.ndarray:
    """(3,) what normal forces, friction along and friction across do about the axis of the steering [N m].

    Contacts act in the middle of a step, the head is seen at its end.
    """
    head, total = sim["steering head"], np.zeros(3)
    left, axis, _ = head.rotation.T
    pivot = head.position - 0.5 * sim.method.h * head.velocity
    for c in sim.contacts:
        if c.b in FRONT or c.a in FRONT:
            n, force = np.array(c.normal), np.array(c.force)
            ahead = np.cross(left, n)
            ahead /= np.linalg.norm(ahead)
            normal, along = (force @ n) * n, (force @ ahead) * ahead
            arm = np.array(c.point) - pivot
            total += [axis @ np.cross(arm, part) for part in (normal, along, force - normal - along)]
    return total


@cache
def simulate() -> gk.Run:
    sim = gk.Simulation(build(), gk.MoreauTree(h=STEP, order=1))
    seat = StraightHands(track(), Pilot(), Banking(track()))
    outputs = {
        "place": seat.place,
        "moment": lambda sim: sim.contact_loads()["steering.angle"],
        "parts": parts_of_moment,
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


def check(run: gk.Run) -> None:
    s, moment, parts = run["place"][:, 0], slow(run["moment"]), slow(run["parts"])
    most = np.abs(moment).max()
    for bend, ends in zip(curves(), clothoids()):
        entry, exit = (bend.side * largest(s, moment, *end) for end in ends)
        assert entry > 0.3 * most  # to the inside while the banking rises
        assert exit < -0.5 * most  # to the outside while it falls
        # Friction along the runners alone: up at the entry, down at the exit. Up is to the outside.
        entry, exit = (bend.side * largest(s, parts[:, 1], *end) for end in ends)
        assert entry < -0.3
        assert exit > 0.3
    straight = np.all([(s < bend.entry - 10.0) | (s > bend.exit + 5.0) for bend in curves()], axis=0)
    assert np.abs(moment[straight]).max() < 0.07 * most
    # Means over 20 steps on one side, one step of 20 on the other: their noise is what 2 Hz leave of it.
    assert np.abs(parts.sum(axis=1) - moment).max() < 0.05 * most


def picture(run: gk.Run, out: str) -> None:
    s, moment, parts = run["place"][:, 0], run["moment"], slow(run["parts"])
    figure = Figure(figsize=(11, 5.2), layout="constrained")
    panels = figure.subplots(2, 1, sharex=True)
    panels[0].plot(s, moment, color="#bbbbbb", linewidth=0.6, label="mean over 10 ms")
    panels[0].plot(s, slow(moment), color="#333333", label="below 2 Hz")
    for name, part, colour in zip(PARTS, parts.T, ("#4c72b0", "#c44e52", "#55a868")):
        panels[1].plot(s, part, color=colour, label=name)
    for panel in panels:
        for bend, curve in zip(curves(), track().curves):
            panel.axvspan(bend.entry, bend.exit, color="#888888", alpha=0.10, linewidth=0)
            for edge in (bend.entry + curve.entry_length, bend.exit - curve.exit_length):
                panel.axvline(edge, color="#888888", linewidth=0.6)
        panel.grid(alpha=0.25)
        panel.tick_params(labelsize=7)
        panel.legend(fontsize=8, loc="upper left")
    panels[0].set_title("moment of all contacts about the steering axis, positive to the left [N m]", fontsize=9)
    panels[1].set_title("its parts, below 2 Hz [N m]", fontsize=9)
    panels[1].set_xlabel("s [m]; a left and a right curve, arcs between the lines", fontsize=8)
    figure.suptitle("What the ropes tell: one swing where a curve begins, the other way where it ends", fontsize=12)
    figure.savefig(out, dpi=72)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Moment in the steering of a sled through two curves.")
    parser.add_argument("--out", default="steering_moment.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    s, moment = run["place"][:, 0], slow(run["moment"])
    for bend, (entry, exit) in zip(curves(), clothoids()):
        swings = f"{largest(s, moment, *entry):+.1f} N m at its entry, {largest(s, moment, *exit):+.1f} N m at its exit"
        print(f"curve {bend.number}, to the {'left' if bend.side > 0 else 'right'}: {swings}, positive to the left")
    print(f"raw up to {np.abs(run['moment']).max():.0f} N m, friction along the runners below 2 Hz up to ", end="")
    print(f"{np.abs(slow(run['parts'])[:, 1]).max():.1f} N m")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
