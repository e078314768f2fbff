"""Where bodies touch, found inside a compiled step (virtual-worlds 4.2, step 2)."""

from __future__ import annotations

from gelenk.collision.broad.phase import find_pairs
from gelenk.collision.collider import place_all
from gelenk.collision.contacts import carry_pairs
from gelenk.collision.manifold import MANY
from gelenk.compile import routine
from gelenk.contact.narrow_team import find_all
from gelenk.contact.space_block import FOUND, MIDDLE, NEEDED, PAIRS, POINTS, READY, SCRATCH, SEAMS, TAKEN
from gelenk.math.vec3 import get3, put3


@routine
def detect(space, state, h):
    """All pairs of colliders that can meet in a step, and their points; READY or what is missing.

    Colliders look ahead:  d <= margin + h |u|  with u the most that their points can move against each other.
    """
    if space.number[FOUND] == 1:
        space.number[FOUND] = 0
        return READY
    if space.number[TAKEN] == 0:
        look_ahead(space, state, h)
        place_all(space.colliders, space.tables, state)
        if space.number[MIDDLE] == 1:
            look_behind(space)
        count = find_pairs(space.phase, space.colliders.box, space.filter, space.pairs)
        if count > space.pairs.pair.shape[0] or count > space.found.pair.shape[1]:
            space.number[NEEDED] = count
            return PAIRS
        carry_pairs(space.pairs, count, space.found)
        space.number[TAKEN] = 1
    find_all(space)
    tally = space.found.tally[0]
    if tally.points > space.found.contact.shape[0] - MANY:
        space.number[NEEDED] = tally.points
        return POINTS
    if tally.missed > 0:
        space.number[NEEDED] = tally.missed
        return SCRATCH
    if tally.seams > 0 and space.seams.address[0] == 0:
        return SEAMS
    space.number[TAKEN] = 0
    return READY


@routine
def look_ahead(space, state, h):
    """Way of every collider in the step,  h v,  and the most that its points move beside it,  h |w| arm."""
    for i in range(space.arm.shape[0]):
        node = space.colliders.item[i].node
        put3(space.colliders.way, i, get3(state.v_WC, node) * h)
        space.colliders.turn[i] = get3(state.w_WB_B, node).norm() * space.arm[i] * h


@routine
def look_behind(space):
    """Boxes also over the way up to the middle of the step, of colliders that move by more than their thickness there.

    What is slower still meets at its middle what it met on its way.
    """
    box = space.colliders.box
    for i in range(box.shape[0]):
        way = get3(space.colliders.way, i)
        thick = min(
            box[i, 3] - box[i, 0] - abs(way.x), box[i, 4] - box[i, 1] - abs(way.y), box[i, 5] - box[i, 2] - abs(way.z)
        )
        if 0.5 * way.norm() > thick - 2.0 * (space.colliders.item[i].margin + space.colliders.turn[i]):
            back = way * 0.5
            box[i, 0], box[i, 3] = box[i, 0] - max(back.x, 0.0), box[i, 3] - min(back.x, 0.0)
            box[i, 1], box[i, 4] = box[i, 1] - max(back.y, 0.0), box[i, 4] - min(back.y, 0.0)
            box[i, 2], box[i, 5] = box[i, 2] - max(back.z, 0.0), box[i, 5] - min(back.z, 0.0)
