"""The shapes of a model as a compiled step sees them, and what they touch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.collision.broad.any_phase import AnyPhase, new_any_phase
from gelenk.collision.broad.pair_filter import PairFilter
from gelenk.collision.broad.phase import BroadPairs, new_pairs
from gelenk.collision.collider import Colliders, place_colliders, solid_of, vector
from gelenk.collision.contacts import Contacts as Found
from gelenk.collision.contacts import enlarged as more_found
from gelenk.collision.contacts import new_contacts as new_found
from gelenk.collision.manifold import POINT
from gelenk.collision.query.bounds import solid_bounds
from gelenk.collision.seam_links import Seams, new_seams
from gelenk.collision.seam_pass import compile_seams
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work
from gelenk.compile import kernel
from gelenk.math.vec3 import Vec3
from gelenk.model.colliders import model_colliders
from gelenk.model.model import Model

# what detection lacks; the step is taken again when it has it
READY, PAIRS, POINTS, SCRATCH, SEAMS, POINTS_ROOM, EVENTS_ROOM, PIVOT_ROOM = 0, 10, 11, 12, 13, 14, 15, 16
# numbers of a space: whether the pairs of this step are taken, how much room is needed, whether all is found already,
# and whether bodies are in the middle of the step
TAKEN, NEEDED, FOUND, MIDDLE = range(4)


WORKERS = 4  # most threads that look for points; each has scratch of its own
RUNNER, THREADS, FIND_PART, JOIN_PART = range(4)  # numbers of the team


class Space(NamedTuple):
    """The shapes of a model, and what they touch."""

    colliders: Colliders
    tables: Tables
    narrow: NarrowWork
    second: NarrowWork  # of further threads, see gelenk.contact.narrow_team
    third: NarrowWork
    fourth: NarrowWork
    seams: Seams
    found: Found
    phase: AnyPhase
    pairs: BroadPairs
    filter: PairFilter
    arm: np.ndarray  # (colliders,) farthest of its points from the centre of mass of its body [m]
    number: np.ndarray  # (4,) int64
    team: np.ndarray  # (4,) int64 threads and their tasks
    parts: np.ndarray  # (4, 3) int64 of each thread: points, what scratch lacked, where its points begin
    apart: np.ndarray  # (4, room) POINT, found by each thread


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
        new_narrow_work(made.tables),
        new_narrow_work(made.tables),
        new_narrow_work(made.tables),
        still_parts(model, colliders, found),
        found,
        new_any_phase(boxes, made.pairs),
        pairs,
        made.pairs,
        np.where(np.isfinite(arm), arm, 0.0),
        np.zeros(4, np.int64),
        np.array([0, 1, 0, 0]),
        np.zeros((WORKERS, 3), np.int64),
        np.zeros((WORKERS, 1), POINT).view(np.recarray),
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
        return with_room_apart(space._replace(found=found, seams=still_parts(model, space.colliders, found)))
    if missing == SCRATCH:
        more = [new_narrow_work(space.tables, 2 * (len(space.narrow.surface.found) + need)) for _ in range(WORKERS)]
        return space._replace(narrow=more[0], second=more[1], third=more[2], fourth=more[3])
    compile_seams(space.seams, space.tables.rows, space.colliders.item["kind"])
    return space


def with_team(space: Space, team: list[int]) -> Space:
    """The space with threads that look for points."""
    space.team[:] = team
    return with_room_apart(space)


def with_room_apart(space: Space) -> Space:
    """Room for the points that each thread finds, where there are several."""
    if space.team[THREADS] == 1:
        return space
    return space._replace(apart=np.zeros((WORKERS, len(space.found.contact)), POINT).view(np.recarray))
