"""Coordinates that follow a given motion: where each has to be in a step, looked up at its start (B-09)."""

from __future__ import annotations

import numpy as np

from gelenk.compile import helper, routine
from gelenk.methods.observe_joints import motion_of_pair
from gelenk.rows.assemble import evaluate_pairs, vec_of
from gelenk.rows.guides import guide_step


@helper
def lead(links, joints, memory, rows, state, t, h):
    """What all guides give in the step from t to t + h."""
    if joints.guides.guide.shape[0] > 0:
        lead_all(links, joints, memory, rows, state, t, h)


@routine
def lead_all(links, joints, memory, rows, state, t, h):
    """Places and rates as they stand, and what leads on from them; steps in which limits held are counted."""
    now = links.now
    for g in range(joints.guides.guide.shape[0]):
        guide = joints.guides.guide[g]
        c = guide.coordinate
        pair = np.int64(joints.coordinate[c].pair)
        evaluate_pairs(joints, memory, state, now, pair, pair + 1)
        u, w = motion_of_pair(joints, state, now, pair)
        rate = vec_of(now.at[c].f) @ u + vec_of(now.more[c].t) @ w
        held = guide_step(joints.guides, g, rows.given[g], memory.inputs, now.at[c].value, rate, t, h)
        memory.integral[guide.row] += held
