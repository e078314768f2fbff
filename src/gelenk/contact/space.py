"""Where bodies touch, found inside a compiled step (virtual-worlds 4.2, step 2)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.any_phase import AnyPhase, new_any_phase
from gelenk.collision.broad.pair_filter import PairFilter
from gelenk.collision.broad.phase import BroadPairs, find_pairs, new_pairs
from gelenk.collision.collider import Colliders, place_all, place_colliders, solid_of, vector
from gelenk.collision.contacts import Contacts as Found
from gelenk.collision.contacts import carry_pairs, find_points
from gelenk.collision.contacts import enlarged as more_found
from gelenk.collision.contacts import new_contacts as new_found
from gelenk.collision.manifold import MANY
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.seam_links import Seams, new_seams
from gelenk.collision.seam_pass import compile_seams
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work
from gelenk.compile import kernel, routine
from gelenk.math.vec3 import Vec3, get3, put3
from gelenk.model.colliders import model_colliders
from gelenk.model.model import Model

# what detection lacks; the step is taken again when it has it
READY, PAIRS, POINTS, SCRATCH, SEAMS, POINTS_ROOM, EVENTS_ROOM, PIVOT_ROOM = 0, 10, 11, 12, 13, 14, 15, 16
# numbers of a space: whether the pairs of this step are taken, how much room is needed, whether all is found already
TAKEN, NEEDED, FOUND = range(3)


class Space(NamedTuple):
    """The shapes of a model, and what they touch."""

    colliders: Colliders
    tables: Tables
    narrow: NarrowWork
    seams: Seams
    found: Found
    phase: AnyPhase
    pairs: BroadPairs
    filter: PairFilter
    arm: np.ndarray  # (colliders,) farthest of its points from the centre of mass of its body [m]
    number: np.ndarray  # (3,) int64


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
        count = find_pairs(space.phase, space.colliders.box, space.filter, space.pairs)
        if count > space.pairs.pair.shape[0] or count > space.found.pair.shape[1]:
            space.number[NEEDED] = count
            return PAIRS
        carry_pairs(space.pairs, count, space.found)
        space.number[TAKEN] = 1
    find_points(space.colliders, space.tables, space.narrow, space.seams, space.found)
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


@kernel
def arms_of(colliders, tables, arm_out):
    """Farthest point of every collider from the centre of mass of its body, by its box there [m]."""
    for i in range(arm_out.shape[0]):
        b, p = solid_bounds(solid_of(colliders, i), tables), vector(colliders.item[i].p_CS)
        x, y, z = max(-b.x, b.x_high), max(-b.y, b.y_high), max(-b.z, b.z_high)
        arm_out[i] = p.norm() + Vec3(x, y, z).norm()


def new_space(model: Model, margin: float | None, method: str | None = None) -> Space:
    """Make the shapes of a model ready; what pairs they need is compiled here."""
    made = model_colliders(model, margin, method)
    colliders, n = made.colliders, len(made.colliders.item)
    boxes, arm = np.zeros((1, 6)), np.zeros(n)
    if n:
        place_colliders(colliders, made.tables, model.initial_state())
        arms_of(colliders, made.tables, arm)
        boxes = colliders.box
    pairs = new_pairs(max(n, 1))
    found = new_found(len(pairs.pair), 4 * len(pairs.pair))
    return Space(
        colliders,
        made.tables,
        new_narrow_work(made.tables),
        still_parts(model, colliders, found),
        found,
        new_any_phase(boxes, made.pairs),
        pairs,
        made.pairs,
        np.where(np.isfinite(arm), arm, 0.0),
        np.zeros(3, np.int64),
    )


def still_parts(model: Model, colliders: Colliders, found: Found) -> Seams:
    """Scratch for the seams of surroundings."""
    item = colliders.item
    still = [model.nodes.is_static(node) for node in item["node"].tolist()]
    return new_seams(still, item["kind"], found.pair.shape[1], len(found.contact))


def completed(space: Space, model: Model, missing: int) -> Space:
    """The space with what :func:`detect` lacked."""
    need = int(space.number[NEEDED])
    if missing == PAIRS:
        room = need + need // 4
        found = more_found(space.found, room, 0)
        return space._replace(
            pairs=new_pairs(len(space.arm), room), found=found, seams=still_parts(model, space.colliders, found)
        )
    if missing == POINTS:
        found = more_found(space.found, 0, need + need // 4)
        return space._replace(found=found, seams=still_parts(model, space.colliders, found))
    if missing == SCRATCH:
        return space._replace(narrow=new_narrow_work(space.tables, 2 * (len(space.narrow.surface.found) + need)))
    compile_seams(space.seams, space.tables.rows, space.colliders.item["kind"])
    return space
