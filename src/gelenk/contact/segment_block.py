"""Segment contacts of a model as arrays (B-19 to B-21).

A *set* is one element against one mesh or sheet of its ground; it has its segments and one law, and stands in reports
for a pair of shapes. Meshes lie in axes of their own, in which the ground never moves.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from gelenk.collision.corner_normals import corner_normals
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_table import Meshes, pack_meshes
from gelenk.errors import InputError
from gelenk.forces.runner_friction import RunnerFriction
from gelenk.forces.segment_contacts import SegmentContacts, unit_axis
from gelenk.geometry.lofted import LoftedSheet, no_sheet
from gelenk.geometry.shapes import Plane
from gelenk.geometry.sheet import Sheet
from gelenk.math.rotation import rotation_matrix
from gelenk.model.colliders import MARGIN_SHARE
from gelenk.model.contact_law import LAW, RUNNER
from gelenk.model.model import Model
from gelenk.rows.block import records

FACETS, BENT, SMOOTH = range(3)  # kinds of ground: triangles, these bent, a sheet; see gelenk.contact.segment_ground
ROOM = 64  # triangles that a segment keeps in mind
MARGIN, WIDE = 0.15, 0.6  # [m] by which the ball that finds them is larger than that of the segment; if none was near
PLANE_EXTENT = 1e4  # [m] half of what a plane is for segments
OPEN, CLOSED, LOST = 0, 1, 2  # states of a segment
REACHED = (-0.25, 2.0)  # places always looked at, in ways from D: bent triangles stand out, lost segments lie beyond
SIDES = 96  # of round shapes

SET = np.dtype(
    [
        ("node", "u4"),  # of the body, and of the ground
        ("ground", "u4"),
        ("kind", "u4"),
        ("mesh", "u4"),
        ("first", "u4"),  # its segments
        ("last", "u4"),
        ("law", "u4"),  # in the table of laws
        ("has_axis", "u4"),
        ("axis", "f8", (3,)),  # body axes
        ("ground_part", "u4"),  # which parts they stand for in events: behind those with shapes
        ("body_part", "u4"),
        ("p_GM", "f8", (3,)),  # from the centre of the ground to the origin of the mesh, axes of the ground [m]
        ("R_GM", "f8", (9,)),  # mesh to ground
        ("p_WM", "f8", (3,)),  # mesh to world at the step [m]
        ("R_WM", "f8", (9,)),
        ("touch", "u4"),  # 1 if one of its segments presses now, and in the step before
        ("was", "u4"),
    ]
)
SEGMENT = np.dtype(
    [
        ("p_CD", "f8", (3,)),  # from the centre of mass of the body to D, body axes [m]
        ("way", "f8", (3,)),  # body axes [m]
        ("middle", "f8"),  # of the ball about the places that are looked at, in ways from D
        ("radius", "f8"),  # of that ball [m]
        ("head", "f8", (3,)),  # the other end of the last step, mesh axes [m]; infinite before the first one
        ("found_at", "f8", (3,)),  # middle of the ball that triangles were found with, mesh axes [m]
        ("margin", "f8"),  # by which that ball was larger than that of the segment [m]
        ("near", "u4"),  # how many were found
        ("known", "u4"),  # 1 if all of them are kept in mind
        ("state", "u4"),  # OPEN, CLOSED or LOST
        ("t", "u4"),  # triangle of the mesh, or NONE
        ("uv", "f8", (2,)),  # place on a smooth sheet where the next search begins; no numbers if there is none
        ("rate", "f8", (2,)),  # by which that place moved in the last step
        ("end_at", "f8", (3,)),  # the other end when the sheet was last sought in all parts; D was at found_at [m]
        ("clear", "f8"),  # what the sheet was away then from all of the segment [m]
        ("s", "f8"),  # place of the crossing, in ways from D; below 0 if it will come there within the step
        ("point", "f8", (3,)),  # the crossing, mesh axes [m]
        ("n", "f8", (3,)),  # unit normal there, out of the ground, mesh axes
    ]
)
LOSSES, AT = range(2)  # numbers: segments lost since the start, index of the first contact of a step


class SegmentSets(NamedTuple):
    """All sets of a model."""

    set: np.ndarray  # (k,) SET
    segment: np.ndarray  # (n,) SEGMENT
    leaf: np.ndarray  # (n, ROOM) uint32 places of near triangles in the leaves of the mesh
    leaf_box: np.ndarray  # (n ROOM, 6) their boxes [m]
    all_near: np.ndarray  # (m,) uint32 scratch of one search
    meshes: Meshes
    sheet: Sheet  # the smooth one of the model, or none
    corner_normal: np.ndarray  # (F, 9) of bent meshes, in the order of the triangles; else without rows
    number: np.ndarray  # (2,) int64


def new_segment_sets(model: Model, first_law: int) -> SegmentSets:
    """The segments of a model; the laws of its elements begin at ``first_law`` of the table."""
    elements = segment_elements(model)
    meshes, sheet, normals, place = grounds_of(model, tuple(elements))
    sets: list[tuple[Any, ...]] = []
    tails, ways = [np.zeros((0, 3))], [np.zeros((0, 3))]
    count = 0
    for k, element in enumerate(elements):
        node, site = model.nodes.site(element.label, "body", element.body)
        ground, _ = model.nodes.site(element.label, "ground", element.ground)
        p, R = (np.zeros(3), np.eye(3)) if site is None else (np.array(tuple(site.r)), rotation_matrix(tuple(site.q)))
        tail = np.array(element.points) @ R.T
        tail += model.nodes.arm(node, (0.0, 0.0, 0.0)) if site is None else p
        axis = R @ np.array(unit_axis(element.axis))
        body = model.bodies[ground - 1]
        for part, mesh in place[body.name]:
            p_GM, R_GM = model.nodes.arm(ground, part.at), rotation_matrix(part.rotation)
            kind = SMOOTH if isinstance(part.shape, LoftedSheet) else BENT if element.smooth else FACETS
            segments = count, count + len(tail)
            has = int(element.axis is not None)
            parts = body.parts.index(part), len(model.bodies[node - 1].parts) + k
            head = node, ground, kind, mesh, *segments, first_law + k, has, axis
            sets.append((*head, *parts, p_GM, R_GM.ravel(), np.zeros(3), np.zeros(9), 0, 0))
            tails.append(tail)
            ways.append(np.array(element.segments) @ R.T)
            count += len(tail)
    segment = records(SEGMENT, count)
    segment["p_CD"], segment["way"] = np.concatenate(tails), np.concatenate(ways)
    length = np.linalg.norm(segment["way"], axis=1)
    segment["middle"], segment["radius"] = 0.5 * (REACHED[0] + REACHED[1]), 0.5 * (REACHED[1] - REACHED[0]) * length
    forget_segments(segment)
    most = int(meshes.mesh["face_count"].max(initial=0))
    return SegmentSets(
        np.array(sets, SET).view(np.recarray),
        segment,
        np.zeros((count, ROOM), np.uint32),
        np.zeros((count * ROOM, 6)),
        np.zeros(most, np.uint32),
        meshes,
        sheet,
        normals,
        np.zeros(2, np.int64),
    )


def forget_segments(segment: np.ndarray) -> None:
    """Nothing is known of an earlier step."""
    segment["head"] = segment["found_at"] = np.inf
    segment["state"], segment["t"], segment["uv"], segment["clear"] = OPEN, NONE, np.nan, 0.0
    segment["rate"] = segment["margin"] = 0.0


def segment_margin(model: Model) -> float:
    """What contacts of a model without colliding shapes take for small: a share of its shortest segment [m]."""
    ways = [way for element in segment_elements(model) for way in element.segments]
    return MARGIN_SHARE * min((float(np.linalg.norm(way)) for way in ways), default=0.0)


def segment_elements(model: Model) -> list[SegmentContacts]:
    """The segment contacts of a model."""
    return [force for force in model.forces if isinstance(force, SegmentContacts)]


def grounds_of(
    model: Model, elements: tuple[SegmentContacts, ...]
) -> tuple[Meshes, Sheet, np.ndarray, dict[str, list[tuple[Any, int]]]]:
    """Meshes and the sheet of all grounds, normals at their corners, and which meshes each ground has."""
    shapes: dict[Any, int] = {}
    place: dict[str, list[tuple[Any, int]]] = {}
    for element in elements:
        ground, _ = model.nodes.site(element.label, "ground", element.ground)
        body = model.bodies[ground - 1]
        place[body.name] = [
            (part, 0 if isinstance(part.shape, LoftedSheet) else shapes.setdefault(part.shape, len(shapes)))
            for part in body.parts
        ]
    sheets = {part.shape for row in place.values() for part, _ in row if isinstance(part.shape, LoftedSheet)}
    if len(sheets) > 1:
        found, remedy = f"{len(sheets)} different lofted sheets", "Join them as patches of one, or mesh the others."
        raise InputError(elements[0].label, found, "one in all grounds of a model", remedy)
    sheet = next(iter(sheets)).sheet if sheets else no_sheet()
    bent = any(element.smooth for element in elements)
    meshes, normals = packed(tuple(shapes), bent)
    stack, entry = np.zeros_like(meshes.stack), np.zeros_like(meshes.entry)
    return meshes._replace(stack=stack, entry=entry), sheet._replace(found=sheet.found.copy()), normals, place


class Triangles(NamedTuple):
    """Triangles of a shape."""

    vertices: np.ndarray
    faces: np.ndarray


@lru_cache(maxsize=4)
def packed(shapes: tuple[Any, ...], bent: bool) -> tuple[Meshes, np.ndarray]:
    """Meshes of shapes; kept, since large ones take seconds."""
    meshes = [triangles_of(shape) for shape in shapes]
    normals = [corner_normals(*mesh) for mesh in meshes] if bent else []
    return pack_meshes(meshes), np.concatenate([np.zeros((0, 9)), *normals])


def triangles_of(shape: Any) -> Triangles:
    """Triangles of a shape, of a plane a large square."""
    if isinstance(shape, Plane):
        a = PLANE_EXTENT
        corners = np.array([(-a, -a, 0.0), (a, -a, 0.0), (a, a, 0.0), (-a, a, 0.0)])
        return Triangles(corners, np.array([(0, 1, 2), (0, 2, 3)], np.uint32))
    vertices, faces = shape.triangles(SIDES)
    return Triangles(np.asarray(vertices, np.float64), np.asarray(faces))


def with_segment_laws(table: np.ndarray, model: Model) -> np.recarray:
    """The table of laws of materials, and behind them one for each element."""
    elements, m = segment_elements(model), len(table)
    whole = np.zeros((m + len(elements), m + len(elements)), LAW)
    whole[:m, :m] = table
    for k, element in enumerate(elements, start=m):
        row, mu = whole[k, k], element.friction
        row["restitution"], row["slip_restitution"] = element.restitution, element.slip_restitution
        if isinstance(mu, RunnerFriction):
            row["friction"] = row["static_friction"] = mu.along
            row["friction_across"] = row["static_across"] = mu.across_max
            row["set"], row["straight"] = RUNNER, mu.straight_share * mu.along
            row["across_min"], row["full_load"] = mu.across_min, mu.full_load
        else:
            for what in ("friction", "static_friction", "friction_across", "static_across"):
                row[what] = mu
    return whole.view(np.recarray)
