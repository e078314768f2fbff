"""Clusters fall asleep when all of their bodies have been slow for some time (V-97, V-100, 4.10)."""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.unite import root_of, unite
from gelenk.graph.nearness import by_length, is_near
from gelenk.graph.rest_block import AFTER, AWAKE, CLUSTERS, FRESH, ROWS_ASLEEP, SLEEPING, SPEED, STORED, TURN
from gelenk.graph.waking import give_roles, is_still
from gelenk.math.vec3 import get3


@routine
def find_clusters(rest, contacts):
    """Sets of bodies that points of this step and joints tie; what is fixed ties nothing (trap T-17).

    All that is at joints is one set: rows are solved together, and so they sleep together. Where path lengths count,
    points tie nothing: bodies sleep one by one.
    """
    n = rest.parent.shape[0]
    for i in range(n):
        rest.parent[i] = i
    for k in range(contacts.number[COUNT] if not by_length(rest) else 0):
        c = contacts.contact[k]
        if rest.moves[c.a] == 1 and rest.moves[c.b] == 1:
            unite(rest.parent, c.a, c.b)
    first = n
    for i in range(n):
        if rest.tied[i] == 1:
            if first < n:
                unite(rest.parent, first, i)
            first = min(first, i)


@routine
def count_slow(rest, state, h):
    """How long each body has been slower than both thresholds, and the least of each cluster, at its root [s].

    Whether a cluster has been slow for long enough.
    """
    n, clusters, longest = rest.parent.shape[0], 0, 0.0
    for i in range(n):
        rest.least[i] = math.inf
    for i in range(n):
        if rest.moves[i] == 0 or rest.asleep[i] != AWAKE:
            continue
        slow = get3(state.v_WC, i).norm() < rest.options[SPEED]
        if i < state.q_WB.shape[0]:
            slow = slow and get3(state.w_WB_B, i).norm() < rest.options[TURN]
        rest.slow_for[i] = rest.slow_for[i] + h if slow and not is_near(rest, i) else 0.0
        r = root_of(rest.parent, i)
        clusters += 1 if r == i else 0
        rest.least[r] = min(rest.least[r], rest.slow_for[i])
    for i in range(n):
        if rest.least[i] < math.inf:
            longest = max(longest, rest.least[i])
    rest.number[CLUSTERS] = clusters
    return longest >= rest.options[AFTER]


@helper
def falls(rest, i):
    """Whether a node falls asleep now."""
    return rest.moves[i] == 1 and rest.asleep[i] == AWAKE and rest.least[root_of(rest.parent, i)] >= rest.options[AFTER]


@helper
def is_put_by(rest, c):
    """Whether a contact falls asleep: one of its bodies does, and the other does too or is still."""
    a, b = falls(rest, c.a), falls(rest, c.b)
    return (a and (b or is_still(rest, c.b))) or (b and is_still(rest, c.a))


@routine
def put_to_rest(rest, stages, memory, state):
    """Let clusters fall asleep: no velocity, no inverse mass, their contacts put by."""
    contacts, found, count = stages.contacts, stages.space.found, 0
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        count += 1 if is_put_by(rest, c) else 0
    if rest.number[STORED] + count > rest.contact.shape[0]:
        return  # no room to put them by: they stay awake
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if is_put_by(rest, c):
            kept, out = contacts.kept[k], rest.contact[rest.number[STORED]]
            pair = found.pair[found.tally[0].now, c.pair]
            out.a, out.b, out.collider_a, out.collider_b, out.touch = c.a, c.b, pair.a, pair.b, pair.touch
            out.feature_a, out.feature_b, out.state, out.d = c.feature_a, c.feature_b, kept.state, c.d
            for j in range(3):
                out.n[j], out.x[j], out.force[j], out.couple[j] = c.n[j], c.x[j], kept.force[j], kept.couple[j]
            c.p[0] = c.p[1] = c.p[2] = 0.0  # reported with those that sleep
            rest.number[STORED] += 1
    for i in range(rest.parent.shape[0]):
        if falls(rest, i):
            if rest.tied[i] == 1:
                rest.number[ROWS_ASLEEP] = 1
            rest.cluster[i] = root_of(rest.parent, i)
            stop(rest, state, i)
    for k in range(rest.inputs.shape[0]):
        rest.inputs[k] = memory.inputs[k]
    give_roles(rest, stages.space)


@helper
def stop(rest, state, i):
    """Freeze a node where it is."""
    rest.asleep[i] = FRESH
    rest.number[SLEEPING] += 1
    rest.inv_mass[i] = 0.0
    for k in range(3):
        state.v_WC[i, k] = 0.0
        rest.pose[i, k] = state.p_WC[i, k]
    if i < state.q_WB.shape[0]:
        for k in range(3):
            state.w_WB_B[i, k] = 0.0
            for j in range(3):
                rest.inv_inertia_B[i, j, k] = 0.0
        for k in range(4):
            rest.pose[i, 3 + k] = state.q_WB[i, k]
