"""Inputs that follow outputs: connections between components, at the start of every step (V-107)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper, routine
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3
from gelenk.methods.observe_joints import motion_at, motion_of_pair
from gelenk.model.wired import Wired
from gelenk.rows.assemble import Coordinates, evaluate_pairs, new_coordinates, vec_of
from gelenk.rows.links import AT, FORCE, ORIENTATION, POSITION, RATE, REACTION, TURNING


class Links(NamedTuple):
    """Connections of one run."""

    link: np.ndarray  # (L,) LINK
    now: Coordinates  # scratch


def new_links(wired: Wired) -> Links:
    """The connections of a model."""
    return Links(wired.links, new_coordinates(wired.joints))


@helper
def follow(links, joints, memory, state):
    """Set every connected input:  input = sum of (factor output + offset)."""
    if links.link.shape[0] > 0:
        follow_links(links, joints, memory, state)


@routine
def follow_links(links, joints, memory, state):
    """Read all outputs, write all inputs; no output depends on an input before the step is taken."""
    for k in range(links.link.shape[0]):
        memory.inputs[links.link[k].input] = 0.0
    for k in range(links.link.shape[0]):
        link = links.link[k]
        memory.inputs[link.input] += link.factor * output(links, joints, memory, state, link) + link.offset


@helper
def output(links, joints, memory, state, link):
    """What a link reads; forces are means over the step before."""
    i, kind = link.index, link.kind
    if kind in (AT, RATE):
        now, pair = links.now, np.int64(joints.coordinate[i].pair)
        evaluate_pairs(joints, memory, state, now, pair, pair + 1)
        if kind == AT:
            return now.at[i].value
        u, w = motion_of_pair(joints, state, now, pair)
        return vec_of(now.at[i].f) @ u + vec_of(now.more[i].t) @ w
    if kind == FORCE:
        return memory.force[i]
    if kind == REACTION:
        return memory.reaction[i, link.axis]
    if kind == ORIENTATION:
        return state.q_WB[i, link.axis]
    P = get3(state.p_WC, i)
    if i < state.q_WB.shape[0]:
        P = P + rotation(get4(state.q_WB, i)) @ vec_of(link.r)
    if kind == POSITION:
        return along(P, link.axis)
    u, w = motion_at(state, i, P)
    return along(w if kind == TURNING else u, link.axis)


@helper
def along(v, axis):
    """One component of a vector."""
    return v.x if axis == 0 else (v.y if axis == 1 else v.z)
