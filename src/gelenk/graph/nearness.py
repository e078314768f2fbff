"""Bodies sleep and wake by how far they are from chosen ones in the contact graph (V-100, virtual-worlds 4.4.2, 4.10).

A body whose path to the chosen ones has more edges than the threshold sleeps as soon as it has been slow for long
enough, whatever its neighbours do, and is a fixed obstacle to them. It wakes when the path is no longer than the
threshold, when something fast touches it, and when something that touched it leaves it: it may have borne on that.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.graph.levels import shorten
from gelenk.graph.rest_block import AWAKE, HIT, STORED, WITHIN
from gelenk.math.vec3 import get3
from gelenk.rows.block import NONE


@helper
def by_length(rest):
    """Whether path lengths count."""
    return rest.options[WITHIN] >= 0.0


@helper
def is_near(rest, i):
    """Whether a node is so near that it must be awake."""
    return by_length(rest) and rest.length[i] != NONE and rest.length[i] <= rest.options[WITHIN]


@routine
def find_lengths(rest, space, memory):
    """Edges from every node to the nearest chosen one: pairs with a point, contacts that sleep, joints that hold.

    Lengths fall along the edges until none falls any more, which gives those of a breadth-first search. Ways lead
    through no fixed body: all that stands on one ground is not near each other for that.
    """
    found, item, tally = space.found, space.colliders.item, space.found.tally[0]
    for i in range(rest.length.shape[0]):
        rest.length[i] = 0 if rest.near[i] == 1 else NONE
    falls = True
    while falls:
        falls = False
        for k in range(tally.pairs[tally.now]):
            pair = found.pair[tally.now, k]
            if pair.count > 0:
                falls = tie(rest, item[pair.a].node, item[pair.b].node) or falls
        for s in range(rest.number[STORED]):
            falls = tie(rest, rest.contact[s].a, rest.contact[s].b) or falls
        for k in range(rest.edge.shape[0]):
            if memory.broken[k] == 0.0:
                falls = tie(rest, rest.edge[k, 0], rest.edge[k, 1]) or falls


@helper
def tie(rest, a, b):
    """Let an edge of two nodes shorten their lengths; of what is fixed, chosen ones alone begin a path."""
    passes_a, passes_b = rest.moves[a] == 1 or rest.near[a] == 1, rest.moves[b] == 1 or rest.near[b] == 1
    return passes_a and passes_b and shorten(rest.length, a, b)


@helper
def wakes_by(rest, state, pair, other, gone):
    """Whether a pair wakes the one that sleeps: the other one is fast, or has left it."""
    if gone:
        return pair.was == 1
    leaves = pair.was == 1 and pair.count == 0
    return leaves or (pair.count > 0 and fastest(rest, state, other) > rest.options[HIT])


@helper
def fastest(rest, state, i):
    """Most speed that a point of a body can have,  |v| + |w| r,  r how far the farthest is from its centre [m/s]."""
    v = get3(state.v_WC, i).norm()
    return v + get3(state.w_WB_B, i).norm() * rest.reach[i] if i < state.w_WB_B.shape[0] else v


@helper
def sleeper(rest, a, b):
    """Whether node a can move and sleeps, and b can move and is awake."""
    return rest.moves[a] == 1 and rest.moves[b] == 1 and rest.asleep[a] != AWAKE and rest.asleep[b] == AWAKE
