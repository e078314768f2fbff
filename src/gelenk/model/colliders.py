"""What of a model can touch what: its colliding parts as arrays, and which pairs of them are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.broad.pair_filter import ALL, PairFilter, new_filter
from gelenk.collision.collider import COLLIDER, Colliders, new_colliders, place_colliders
from gelenk.collision.join_tables import join_tables
from gelenk.collision.pair_table import fill_rows
from gelenk.collision.pieces import Piece, pieces_of
from gelenk.collision.solid import BALLS, FIELD, HULL, MAP, MESH
from gelenk.collision.tables import NarrowWork, Tables, new_narrow_work, new_tables
from gelenk.errors import InputError, warn_user
from gelenk.joints.joint import Joint
from gelenk.model.model import Model
from gelenk.model.parts import Part
from gelenk.state import new_state

# Contacts are reported from this share of the smallest extent of anything that moves on.
MARGIN_SHARE = 0.02
MOST_GROUPS = 32  # one bit each
DEFAULT_GROUP = "default"


class GroupWarning(UserWarning):
    """A part meets a group of parts that does not exist."""


Shapes = dict[int, dict[Any, int]]  # kind -> the shapes in its table, each with its place


@dataclass(frozen=True)
class ModelColliders:
    """Colliders of a model, and what they are called."""

    colliders: Colliders
    tables: Tables
    pairs: PairFilter
    groups: dict[str, int]  # name -> bit
    margin: float  # distance up to which contacts are reported [m]
    shapes: Shapes
    method: str | None


def model_colliders(model: Model, margin: float | None = None, method: str | None = None) -> ModelColliders:
    """Colliders of all parts that collide, in the order of bodies and parts.

    Parameters
    ----------
    margin : distance up to which contacts are reported [m]; 2 % of the smallest extent of what moves if left out
    method : another way for some pairs, see :data:`gelenk.collision.pair_table.OTHERS`
    """
    found = [
        (node, k, number, part, piece)
        for node, body in enumerate(model.bodies, start=1)
        for k, part in enumerate(body.parts)
        if part.collide
        for number, piece in enumerate(pieces_of(f"body {body.name!r}, part {k}", part.shape, part.at, part.rotation))
    ]
    shapes: Shapes = {HULL: {}, MESH: {}, FIELD: {}, BALLS: {}, MAP: {}}
    items = _items([piece for *_, piece in found], shapes)
    if found:
        items["node"], items["part"], items["piece"] = np.array([row[:3] for row in found]).T
        items["p_CS"] -= np.array([model.bodies[node - 1].com for node, *_ in found])
    tables = new_tables(*map(list, shapes.values()))
    moving = np.array([not model.bodies[node - 1].static for node, *_ in found], dtype=bool)
    fill_rows(tables.rows, product(np.unique(items["kind"][moving]), np.unique(items["kind"])), method)
    margin = _default_margin(tables, items, moving) if margin is None else margin
    items["margin"] = 0.5 * margin
    parts = [part for *_, part, _ in found]
    groups = _group_bits(parts)
    _warn_of_groups([(model.bodies[node - 1].name, k, part) for node, k, *_, part, _ in found])
    filter_ = new_filter(
        max(len(found), 1),
        moving=moving if len(found) else False,
        body=items["node"] if len(found) else None,
        group=np.array([_bits(groups, part.groups or (DEFAULT_GROUP,)) for part in parts] or 1),
        mask=np.array([_bits(groups, part.meets) if part.meets else ALL for part in parts] or ALL),
        excluded=excluded_pairs(model, set(items["node"].tolist())),
    )
    return ModelColliders(new_colliders(items), tables, filter_, groups, margin, shapes, method)


class Asked(NamedTuple):
    """A shape that is asked about: its pieces in its own frame, tables that hold it beside the model, and scratch."""

    shape: Any
    colliders: Colliders
    tables: Tables
    work: NarrowWork


def asked_shape(element: str, made: ModelColliders, shape: Any) -> Asked:
    """Make a shape ready for questions; only what the model does not have is packed."""
    pieces = list(pieces_of(element, shape))
    shapes = {kind: dict(known) for kind, known in made.shapes.items()}
    items = _items(pieces, shapes)
    added = {kind: list(shapes[kind])[len(made.shapes[kind]) :] for kind in shapes}
    tables = made.tables
    if any(added.values()):
        tables = join_tables(tables, new_tables(*added.values()))
        # in tables of a model the meshes of maps, and the hulls around meshes, stand between its own and what is added
        behind = (items["kind"] == MESH) & (items["table"] >= len(made.shapes[MESH]))
        items["table"][behind] += len(made.shapes[MAP])
        behind = (items["kind"] == HULL) & (items["table"] >= len(made.shapes[HULL]))
        items["table"][behind] += len(made.tables.hulls.hull) - len(made.shapes[HULL])
    fill_rows(tables.rows, product(np.unique(items["kind"]), np.unique(made.colliders.item["kind"])), made.method)
    return Asked(shape, new_colliders(items), tables, new_narrow_work(tables))


def _items(pieces: list[Piece], shapes: Shapes) -> np.ndarray:
    """Colliders of pieces, placed as in their frame; adds to the shapes of the tables."""
    items = np.zeros(len(pieces), COLLIDER).view(np.recarray)
    if pieces:
        items["kind"] = [piece.kind for piece in pieces]
        items["lengths"] = [piece.size for piece in pieces]
        items["p_CS"] = [piece.p for piece in pieces]
        items["R_BS"] = [piece.R for piece in pieces]
    for k, piece in enumerate(pieces):
        if piece.kind in shapes:  # equal shapes are one
            items["table"][k] = shapes[piece.kind].setdefault(piece.data, len(shapes[piece.kind]))
    return items


def _default_margin(tables: Tables, items: np.ndarray, moving: np.ndarray) -> float:
    """A share of the smallest extent of what moves, in its own axes."""
    upright = items[moving].copy()
    upright["node"], upright["p_CS"], upright["R_BS"] = 0, 0.0, np.eye(3)
    colliders = new_colliders(upright)
    place_colliders(colliders, tables, new_state(1, 1, 0))
    smallest = float((colliders.box[:, 3:] - colliders.box[:, :3]).min(initial=np.inf))
    return MARGIN_SHARE * smallest if np.isfinite(smallest) else 0.0


def _group_bits(parts: list[Part]) -> dict[str, int]:
    """A bit for every group that is named."""
    names = dict.fromkeys([DEFAULT_GROUP, *(name for part in parts for name in (*part.groups, *part.meets))])
    if len(names) > MOST_GROUPS:
        found = f"{len(names)} groups of parts"
        raise InputError("model", found, f"at most {MOST_GROUPS}, the default one included", "Join some groups.")
    return {name: 1 << bit for bit, name in enumerate(names)}


def _warn_of_groups(parts: list[tuple[str, int, Part]]) -> None:
    """Name the first part that meets a group in which no part is: it may be misspelt, and then nothing is met."""
    known = dict.fromkeys([DEFAULT_GROUP, *(name for *_, part in parts for name in part.groups)])
    for body, k, part in parts:
        for name in part.meets:
            if name not in known:
                names = ", ".join(repr(other) for other in known)
                what = f"body {body!r}, part {k} meets the group {name!r}, in which no part is; there are {names}"
                warn_user(what, GroupWarning)
                return


def _bits(groups: dict[str, int], names: tuple[str, ...]) -> int:
    return sum({groups[name] for name in names})


def excluded_pairs(model: Model, colliding: set[int]) -> list[tuple[int, int]]:
    """Bodies at the two ends of a joint, unless one of their joints lets them touch, and those that the model names."""
    touch: dict[tuple[int, int], bool] = {}
    for joint in model.joints:
        if isinstance(joint, Joint):
            a, b = sorted(model.nodes.site(joint.label, "body", end)[0] for end in (joint.a, joint.b))
            touch[a, b] = touch.get((a, b), False) or joint.collide
    for a, b in (sorted(map(model.index, pair)) for pair in model.excluded):
        touch[a, b] = False
    return sorted(pair for pair, may in touch.items() if not may and set(pair) <= colliding)
