"""What acts on the coordinates of a tree from within: given motions, and springs with dampers (B-07, B-09).

A given motion takes its coordinate out of the unknowns: place, velocity and u' are known, and what the drive must give
comes from the inverse dynamics. A spring on a coordinate q is a force on its velocity u, with what the step changes of
u counted in, so that no stiffness is too stiff for a step:

    f = -k (q_M + h/4 (u' - u) - r) - c (u + u')/2      order 2: middle of the step
    f = -k (q_M + h u' - r) - c u'                      order 1: beyond its end, which takes fast vibrations out

What goes with u' - u is added to the inertia that the elimination of u sees.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from gelenk.compile import helper, routine
from gelenk.rows.assemble import target_of
from gelenk.rows.block import BOX, LED, NONE, SPRING, Joints, records
from gelenk.rows.coordinate import SHIFT
from gelenk.rows.springs import spring_line
from gelenk.trees.block import INNER
from gelenk.trees.kind_table import SCREW, TABLE


class Acting(NamedTuple):
    """Rows that a tree takes in."""

    led: Any  # (L,) INNER given motions
    sprung: Any  # (S,) INNER springs and dampers


def taken_in(joints: Joints, link: Any, link_of_pair: dict[int, int]) -> Acting:
    """Rows on one coordinate of an eliminated joint that are given motions, or springs without bounds."""
    found: dict[int, list[tuple[int, int, int, int, float]]] = {LED: [], SPRING: []}
    for r in range(len(joints.row)):
        row = joints.row[r]
        if int(row.mode) not in found or not without_bounds(row) or row.term_last - row.term_first != 1:
            continue
        term = joints.term[row.term_first]
        at = place_of(joints.coordinate[term.coordinate], link, link_of_pair)
        if at is not None:
            q, u, scale = at
            found[int(row.mode)].append((r, int(row.guide), q, u, scale * float(term.factor)))
    return Acting(*(as_records(found[mode]) for mode in (LED, SPRING)))


def joint_springs(joints: Joints, tree: Any, link_of_pair: dict[int, int]) -> Any:
    """Springs and dampers on coordinates of a tree, those with bounds too; INNER."""
    made = []
    for r in range(len(joints.row)):
        row = joints.row[r]
        if row.mode == SPRING and row.term_last - row.term_first == 1:
            term = joints.term[row.term_first]
            at = place_of(joints.coordinate[term.coordinate], tree.link, link_of_pair)
            if at is not None:
                made.append((r, NONE, at[0], at[1], at[2] * float(term.factor)))
    return as_records(made)


def without_bounds(row: Any) -> bool:
    """Whether a row may give any force, and acts for as long as its own joint."""
    return bool(row.low == -math.inf and row.high == math.inf and row.set == BOX and row.with_a == NONE)


def place_of(coordinate: Any, link: Any, link_of_pair: dict[int, int]) -> tuple[int, int, float] | None:
    """(q, u, scale) with  value = scale q  of a coordinate that a link of the tree has."""
    n = link_of_pair.get(int(coordinate.pair))
    if n is None:
        return None
    k = TABLE[link[n].kind].measured.get((int(coordinate.kind), int(coordinate.axis)))
    if k is None:
        return None
    scale = float(link[n].lead) if link[n].kind == SCREW and coordinate.kind == SHIFT else 1.0
    return int(link[n].q) + k, int(link[n].u) + k, scale


def as_records(rows: list[tuple[int, int, int, int, float]]) -> Any:
    """INNER records."""
    made = records(INNER, len(rows))
    for n, row in enumerate(rows):
        made[n] = row
    return made


@routine
def lead_places(tree, given, q, k):
    """Driven coordinates where they are at the start, in the middle or at the end of the step: k = 0, 1, 2."""
    for n in range(tree.led.shape[0]):
        x = tree.led[n]
        q[x.q] = given[x.guide].place[k] / x.scale


@routine
def lead_rates(tree, given, u, k):
    """Their velocities."""
    for n in range(tree.led.shape[0]):
        x = tree.led[n]
        u[x.u] = given[x.guide].rate[k] / x.scale


@routine
def lead_accelerations(tree, given, du, k):
    """Their u'."""
    for n in range(tree.led.shape[0]):
        x = tree.led[n]
        du[x.u] = given[x.guide].acceleration[k] / x.scale


@helper
def spring_at(row, memory, place, rate):
    """-F(place - rest) - c rate."""
    x = place - target_of(row, memory)
    k, f = spring_line(row, x)
    return -(k * x + f) - row.damping * rate


@routine
def spring_forces(tree, joints, memory, work, begin_u, h, order):
    """Generalised forces of springs in joints, and what they add to the inertia; explicit for order 4."""
    for k in range(work.tau.shape[0]):
        work.tau[k] = work.extra[k] = 0.0
    for n in range(tree.sprung.shape[0]):
        x = tree.sprung[n]
        row, s = joints.row[x.row], x.scale
        if order == 4:
            work.tau[x.u] += s * spring_at(row, memory, s * work.q[x.q], s * work.u[x.u])
            continue
        u = begin_u[x.u]
        ahead = h * u if order == 1 else 0.0
        place = s * (work.q[x.q] + ahead)
        work.tau[x.u] += s * spring_at(row, memory, place, s * u)
        work.extra[x.u] += s * s * h * change_of(row, memory, place, h, order)


@helper
def change_of(row, memory, place, h, order):
    """How much less a spring gives for u' - u = 1."""
    k, _ = spring_line(row, place - target_of(row, memory))
    if order == 1:
        return h * k + row.damping
    return 0.25 * h * k + 0.5 * row.damping


@routine
def spring_force(tree, joints, memory, work, begin_u, n, h, order):
    """What spring n gave in a step, with the u' that stand."""
    x = tree.sprung[n]
    row, s = joints.row[x.row], x.scale
    if order == 4:
        return spring_at(row, memory, s * work.q[x.q], s * work.u[x.u])
    u = begin_u[x.u]
    ahead = h * u if order == 1 else 0.0
    place = s * (work.q[x.q] + ahead)
    return spring_at(row, memory, place, s * u) - s * change_of(row, memory, place, h, order) * h * work.du[x.u]
