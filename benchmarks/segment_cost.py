"""What it costs to look where the 17 segments of a bobsleigh meet the ice of S-13: smooth sheet against triangles.

    python benchmarks/segment_cost.py [seconds driven before] [kinds of ice, as sheet,mesh,facets]

A sled is driven into the track; from there on the points and ways of its segments are noted over some steps, and these
are looked at again and again on each kind of ice, all from a cold start. Best of many passes.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import gelenk as gk
from gelenk.compile import kernel
from gelenk.contact.segment_block import LOSSES, SegmentSets, forget_segments, new_segment_sets
from gelenk.contact.segment_ground import look
from gelenk.math.rotation import rotation_matrix
from gelenk.math.vec3 import get3
from gelenk.state import State
from gelenk.worlds.bobsleigh.descent import EVERY, HULL, H, Seat, descent_model
from gelenk.worlds.bobsleigh.pilot.banking import Banking
from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.track import load_track

STEPS, PASSES = 500, 40
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


@kernel
def look_again(sets: SegmentSets, set_of: np.ndarray, point: np.ndarray, way: np.ndarray, move: np.ndarray) -> int:
    """All segments in all steps; how often one was closed."""
    closed = 0
    for k in range(point.shape[0]):
        for i in range(point.shape[1]):
            look(sets, set_of[i], i, get3(point[k], i), get3(way[k], i), get3(move[k], i))
            closed += 1 if sets.segment[i].state == 1 else 0
    return closed


def rows_of(sets: SegmentSets, states: list[State]) -> Rows:
    """Points D, ways and moves (steps, segments, 3) of the segments, in the axes of the ground."""
    node = np.repeat(sets.set["node"], (sets.set["last"] - sets.set["first"]).astype(int))
    point, way, move = (np.empty((len(states), len(sets.segment), 3)) for _ in range(3))
    for k, state in enumerate(states):
        R = rotation_matrix(state.q_WB[node])
        r = (R @ sets.segment["p_CD"][:, :, None])[:, :, 0]
        w_W = (R @ state.w_WB_B[node][:, :, None])[:, :, 0]
        point[k], way[k] = state.p_WC[node] + r, (R @ sets.segment["way"][:, :, None])[:, :, 0]
        move[k] = H * (state.v_WC[node] + np.cross(w_W, r))
    return point, way, move


def cost(sets: SegmentSets, rows: Rows) -> tuple[float, float]:
    """Time a step [us], and contacts a step."""
    set_of = np.repeat(np.arange(len(sets.set)), (sets.set["last"] - sets.set["first"]).astype(int))
    best, closed = np.inf, 0
    for _ in range(PASSES):
        forget_segments(sets.segment)
        begun = time.perf_counter()
        closed = look_again(sets, set_of, *rows)
        best = min(best, time.perf_counter() - begun)
    assert sets.number[LOSSES] == 0
    return 1e6 * best / STEPS, closed / STEPS


def main() -> None:
    """Print a line for each kind of ice."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 16.5
    track = load_track("s13")
    models = {}
    for surface in sys.argv[2].split(",") if len(sys.argv) > 2 else ("sheet", "mesh", "facets"):
        begun = time.perf_counter()
        models[surface] = descent_model(track, Setup(), surface=surface)
        sim = gk.Simulation(models[surface], gk.MoreauTree(h=H, order=1))
        print(f"{surface}: made in {time.perf_counter() - begun:.1f} s, {len(gk.scene_text(sim.model)) / 1e6:.1f} MB")
    sim = gk.Simulation(next(iter(models.values())), gk.MoreauTree(h=H, order=1))
    sim.advance(seconds, control=Seat(track, Pilot(), Banking(track)), control_every=EVERY)
    print(f"driven to s = {track.line.project(sim[HULL].com).s[0]:.0f} m, {np.linalg.norm(sim[HULL].velocity):.1f} m/s")
    states = []
    for _ in range(STEPS):
        states.append(sim.model.initial_state())
        states[-1].flat[:] = sim.state.flat
        sim.step()
    for surface, model in models.items():
        sets = new_segment_sets(model, 0)
        us, closed = cost(sets, rows_of(sets, states))
        print(f"{surface}: {len(sets.segment)} segments, {us:.2f} us a step, {closed:.1f} closed")


if __name__ == "__main__":
    main()
