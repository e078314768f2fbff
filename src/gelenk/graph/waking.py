"""Clusters wake: something touches them, pushes them, moves them, or a set-point of a joint changes (V-100, 4.10).

A cluster wakes whole and at once, before the step in which it is needed, with the contact forces with which it fell
asleep. So what follows is what would have followed, had it never slept.
"""

from __future__ import annotations

from gelenk.collision.broad.pair_filter import MOVING as MOVES
from gelenk.collision.broad.pair_filter import STILL
from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT, STEP
from gelenk.graph.nearness import by_length, find_lengths, is_near, sleeper, wakes_by
from gelenk.graph.rest_block import ASLEEP, AWAKE, FRESH, ROWS_ASLEEP, SLEEPING, STORED, WOKE
from gelenk.rows.block import NONE

SAME = 1e-9  # of a load: smaller changes do not wake


@routine
def wake_changed(rest, stages, memory, state, loads):
    """Wake what was moved from outside, what other loads act on, and the joints if one of their inputs changed."""
    before = rest.number[SLEEPING]
    for i in range(rest.asleep.shape[0]):
        if rest.asleep[i] == FRESH:
            for k in range(6):
                rest.load[i, k] = load_of(loads, i, k)
            rest.asleep[i] = ASLEEP
        if rest.asleep[i] == ASLEEP and (was_moved(rest, state, i) or is_pushed(rest, loads, i)):
            wake_cluster(rest, i)
    if rest.number[ROWS_ASLEEP] == 1 and inputs_changed(rest, memory):
        for i in range(rest.tied.shape[0]):
            if rest.tied[i] == 1 and rest.asleep[i] != AWAKE:
                wake_cluster(rest, i)
    if rest.number[SLEEPING] < before:
        give_roles(rest, stages.space)


@helper
def load_of(loads, i, k):
    """Force, then torque; particles have none of the latter."""
    if k < 3:
        return loads.force_W[i, k]
    return loads.torque_W[i, k - 3] if i < loads.torque_W.shape[0] else 0.0


@helper
def is_pushed(rest, loads, i):
    """Whether the load on a body is not that of its sleep."""
    size, change = 0.0, 0.0
    for k in range(6):
        size = max(size, abs(rest.load[i, k]))
        change = max(change, abs(load_of(loads, i, k) - rest.load[i, k]))
    return not change <= SAME * size


@helper
def was_moved(rest, state, i):
    """Whether a body has a speed, or is not where it fell asleep."""
    moved = False
    for k in range(3):
        moved = moved or state.v_WC[i, k] != 0.0 or state.p_WC[i, k] != rest.pose[i, k]
    if i < state.q_WB.shape[0]:
        for k in range(3):
            moved = moved or state.w_WB_B[i, k] != 0.0
        for k in range(4):
            moved = moved or state.q_WB[i, k] != rest.pose[i, 3 + k]
    return moved


@helper
def inputs_changed(rest, memory):
    """Whether a set-point of a joint or drive is not that of its sleep."""
    changed = False
    for k in range(rest.inputs.shape[0]):
        changed = changed or rest.inputs[k] != memory.inputs[k]
    return changed


@routine
def wake_touched(rest, space, memory, state):
    """Wake every cluster that has a point with a body awake; whether there was one, so that pairs are to be found anew.

    A point that is near and does not touch counts: it may before the step is over. Where path lengths count, a touch
    alone does not wake.
    """
    before, found, item = rest.number[SLEEPING], space.found, space.colliders.item
    tally = found.tally[0]
    if by_length(rest):
        wake_by_length(rest, space, memory, state)
    else:
        for k in range(tally.pairs[tally.now]):
            pair = found.pair[tally.now, k]
            if pair.count > 0:
                a, b = item[pair.a].node, item[pair.b].node
                if sleeper(rest, a, b):
                    wake_cluster(rest, a)
                elif sleeper(rest, b, a):
                    wake_cluster(rest, b)
    forget_events(rest, space)
    if rest.number[SLEEPING] == before:
        return False
    give_roles(rest, space)
    for k in range(tally.pairs[tally.now]):
        pair = found.pair[tally.now, k]
        pair.touch = pair.was  # the next look at this step begins where this one did
    return True


@routine
def wake_by_length(rest, space, memory, state):
    """Wake what is near enough, what something fast touches, and what is left by what it touched."""
    found, item, tally = space.found, space.colliders.item, space.found.tally[0]
    find_lengths(rest, space, memory)
    for i in range(rest.length.shape[0]):
        if rest.asleep[i] != AWAKE and is_near(rest, i):
            wake_cluster(rest, i)
    for here in range(2):
        gone = here != tally.now  # pairs of the step before that are no more
        for k in range(tally.pairs[here]):
            pair = found.pair[here, k]
            a, b = item[pair.a].node, item[pair.b].node
            if sleeper(rest, a, b) and wakes_by(rest, state, pair, b, gone):
                wake_cluster(rest, a)
            elif sleeper(rest, b, a) and wakes_by(rest, state, pair, a, gone):
                wake_cluster(rest, b)


@helper
def forget_events(rest, space):
    """Pairs that sleep are no pairs, and have not ended to touch."""
    found, item = space.found, space.colliders.item
    tally = found.tally[0]
    for k in range(tally.pairs[1 - tally.now]):
        pair = found.pair[1 - tally.now, k]
        a, b = item[pair.a].node, item[pair.b].node
        if is_still(rest, a) and is_still(rest, b):
            pair.was = 0


@helper
def is_still(rest, i):
    """Whether a node is fixed or sleeps."""
    return rest.moves[i] == 0 or rest.asleep[i] != AWAKE


@routine
def wake_cluster(rest, node):
    """Give all that fell asleep with a body their masses back."""
    which = rest.cluster[node]
    for i in range(rest.asleep.shape[0]):
        if rest.asleep[i] != AWAKE and rest.cluster[i] == which:
            rest.asleep[i], rest.slow_for[i], rest.inv_mass[i] = AWAKE, 0.0, rest.own_mass[i]
            rest.number[SLEEPING] -= 1
            rest.number[WOKE] += 1
            if rest.tied[i] == 1:
                rest.number[ROWS_ASLEEP] = 0
            if i < rest.own_inertia.shape[0]:
                for j in range(3):
                    for k in range(3):
                        rest.inv_inertia_B[i, j, k] = rest.own_inertia[i, j, k]


@routine
def give_roles(rest, space):
    """Colliders of what sleeps are as still as surroundings: among themselves they are no pairs."""
    for c in range(space.arm.shape[0]):
        node = space.colliders.item[c].node
        if rest.moves[node] == 1:
            space.filter.element[c].role = MOVES if rest.asleep[node] == AWAKE else STILL


@routine
def begin_warm(rest, space, contacts):
    """Hand the forces of contacts that woke to the step, as if they were of the step before; the others stay."""
    found, item, tally = space.found, space.colliders.item, space.found.tally[0]
    link_contacts(rest)
    at = contacts.number[COUNT]
    for k in range(tally.pairs[tally.now]):
        pair = found.pair[tally.now, k]
        slot, first = contacts.slot[pair.slot], at
        s = rest.head[pair.a if rest.moves[item[pair.a].node] == 1 else pair.b]
        while s != NONE:
            c = rest.contact[s]
            if c.collider_a == pair.a and c.collider_b == pair.b and at < contacts.kept.shape[0]:
                kept = contacts.kept[at]
                kept.feature_a, kept.feature_b, kept.state, kept.taken = c.feature_a, c.feature_b, c.state, 0
                moves = c.b if rest.moves[c.b] == 1 else c.a
                for j in range(3):
                    kept.force[j], kept.couple[j] = c.force[j], c.couple[j]
                    kept.arm[j] = c.x[j] - rest.pose[moves, j]
                pair.was = c.touch
                at += 1
            s = c.next
        if at > first:
            slot.a, slot.b, slot.step = pair.a, pair.b, contacts.number[STEP]
            slot.first, slot.count = first, at - first
    forget_awake(rest)
    rest.number[WOKE] = 0


@helper
def link_contacts(rest):
    """Chain the contacts of each collider, the moving one of two, in their order."""
    for c in range(rest.head.shape[0]):
        rest.head[c] = NONE
    for s in range(rest.number[STORED] - 1, -1, -1):
        c = rest.contact[s]
        key = c.collider_a if rest.moves[c.a] == 1 else c.collider_b
        c.next = rest.head[key]
        rest.head[key] = s


@helper
def forget_awake(rest):
    """Keep the contacts of those that sleep still, in their order."""
    left = 0
    for s in range(rest.number[STORED]):
        c = rest.contact[s]
        if is_still(rest, c.a) and is_still(rest, c.b):
            copy_contact(c, rest.contact[left])
            left += 1
    rest.number[STORED] = left


@helper
def copy_contact(c, out):
    """All but the chain."""
    out.a, out.b, out.collider_a, out.collider_b = c.a, c.b, c.collider_a, c.collider_b
    out.feature_a, out.feature_b, out.state, out.touch, out.d = c.feature_a, c.feature_b, c.state, c.touch, c.d
    for j in range(3):
        out.n[j], out.x[j], out.force[j], out.couple[j] = c.n[j], c.x[j], c.force[j], c.couple[j]
