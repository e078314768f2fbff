"""Memory for contacts, joints, stops and motors as rows of one problem that is solved by pivoting."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.polygon import around, ellipse, within
from gelenk.contact.warning import ContactWarning
from gelenk.errors import InputError, warn_user
from gelenk.rows.block import NONE, Joints
from gelenk.solvers.dantzig import MOST as MOST_DANTZIG
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.dantzig_pivot import DantzigWork, dantzig_work
from gelenk.solvers.lemke import MOST as MOST_LEMKE
from gelenk.solvers.lemke import Lemke
from gelenk.solvers.lemke_pivot import LemkeWork, lemke_work

# what pivots
OFF, BOXES, PYRAMIDS = range(3)
# numbers: what pivots, lines or directions of friction, rounds, rows of a contact; rows that a step needs, those of
# this problem, those without bounds, the first one of friction, sets of friction; rows of the joints of the model;
# whether it was said that there are many rows
KIND, LINES, ROUNDS, WIDTH, NEEDED, COUNT_ROWS, UNLIMITED, FRICTION, GROUPS, JOINT_ROWS, SAID = range(11)
NUMBERS = 11
# what a row is
JOINT_ROW, NORMAL, SLIP, SPIN, ROLL = range(5)
SLOW = 600  # rows from which on a step takes longer than a person waits for


class PivotWork(NamedTuple):
    """The problem of a step in the order of its rows: without bounds, bounded, normals, friction last (V-120)."""

    number: np.ndarray  # (NUMBERS,) int64
    tally: np.ndarray  # (4,) int64 solves, those that climbed the ladder, highest rung, those left without an answer
    add_on: np.ndarray  # (1,) on the diagonal, relative to it
    polygon: np.ndarray  # (3,) in which friction lies, see gelenk.contact.polygon
    A: np.ndarray  # (R, R) J M^-1 J^T + diag(c/h)
    scale: np.ndarray  # (R,) its diagonal without softness
    beta: np.ndarray  # (R,) what is asked, and bounds, as the pivoting changes them
    lo: np.ndarray
    hi: np.ndarray
    ask: np.ndarray  # (R,) as they are
    least: np.ndarray
    most: np.ndarray
    soft: np.ndarray  # (R,) c/h
    dp: np.ndarray  # (R,) the answer: changes of impulses of joints, impulses of contacts
    w: np.ndarray
    before: np.ndarray  # (R,) answer of the round before
    mu: np.ndarray  # (R,) of a row of friction: its bound over the impulse of its normal row
    normal: np.ndarray  # (R,) uint32 that row
    none: np.ndarray  # (R,) uint32 NONE
    scratch: np.ndarray  # (3, R)
    kind: np.ndarray  # (R,) uint32 JOINT_ROW, NORMAL, SLIP, SPIN or ROLL
    of: np.ndarray  # (R,) uint32 row of the model, or contact
    group: np.ndarray  # (R,) uint32 set of friction
    group_normal: np.ndarray  # (R,) uint32 its normal row
    where: np.ndarray  # (R,) uint32 place of a row in the elimination
    along: np.ndarray  # (R, 2) direction of a row of friction along t and n x t; about n in the first for SPIN
    first: np.ndarray  # (R + 1,) uint32 entries of the row
    body: np.ndarray  # (E,) uint32 node of an entry
    J: np.ndarray  # (E, 6)
    B: np.ndarray  # (E, 6) M^-1 J^T
    head: np.ndarray  # (n,) uint32 entry put down last on each node, or NONE
    after: np.ndarray  # (E,) uint32 the one before it, or NONE
    place: np.ndarray  # (E,) uint32 row that an entry belongs to
    dantzig: DantzigWork
    lemke: LemkeWork


def new_pivot(solver: Any, nodes: int, joints: Joints, rows: int, couples: bool = False) -> PivotWork:
    """Space for so many rows, those of joints among them; none if the solver does not pivot."""
    kind = BOXES if isinstance(solver, Dantzig) else PYRAMIDS if isinstance(solver, Lemke) else OFF
    R, E, lines = rows, len(joints.body) + 2 * rows, 0 if kind == OFF else solver.directions
    number = np.zeros(NUMBERS, np.int64)
    spin = kind  # rows of a couple about the normal: one with two bounds, or two of one sign
    number[[KIND, LINES, JOINT_ROWS]] = kind, lines, len(joints.row)
    number[WIDTH] = 1 + lines + (spin + lines if couples else 0)
    number[ROUNDS] = solver.rounds if isinstance(solver, Dantzig) else 1
    polygon = around(lines) if kind == BOXES else within(lines) if kind == PYRAMIDS else ellipse()
    lines_of = [np.zeros(R) for _ in range(12)]
    index = [np.zeros(R, np.uint32) for _ in range(7)]
    index[1][:] = NONE
    scale, beta, lo, hi, ask, least, most, soft, dp, w, before, mu = lines_of
    normal, none, row_kind, of, group, group_normal, where = index
    return PivotWork(
        number,
        np.zeros(4, np.int64),
        np.array([0.0 if kind == OFF else solver.add_on]),
        polygon,
        np.zeros((R, R)),
        scale,
        beta,
        lo,
        hi,
        ask,
        least,
        most,
        soft,
        dp,
        w,
        before,
        mu,
        normal,
        none,
        np.zeros((3, R)),
        row_kind,
        of,
        group,
        group_normal,
        where,
        np.zeros((R, 2)),
        np.zeros(R + 1, np.uint32),
        np.zeros(E, np.uint32),
        np.zeros((E, 6)),
        np.zeros((E, 6)),
        np.zeros(nodes, np.uint32),
        np.zeros(E, np.uint32),
        np.zeros(E, np.uint32),
        dantzig_work(R if kind == BOXES else 0),
        lemke_work(R if kind == PYRAMIDS else 0),
    )


def room_for(need: int, wanted: int) -> int:
    """Rows to make room for: as many as wanted, yet not past those that are to be warned of before they are needed."""
    return wanted if need >= SLOW else min(wanted, SLOW - 1)


def enlarged_pivot(pivot: PivotWork, joints: Joints) -> PivotWork:
    """The same with room for what the step lacked."""
    need, width, kind, lines = (int(pivot.number[k]) for k in (NEEDED, WIDTH, KIND, LINES))
    name, most = ("Dantzig", MOST_DANTZIG) if kind == BOXES else ("Lemke", MOST_LEMKE)
    if need > most:
        points = (need - len(joints.row)) // width
        found = f"{points} points of contact, which make {need} rows of a dense matrix with those of joints"
        remedy = "Use solver=gk.GaussSeidel() or gk.Tree(): their contacts are solved by sweeps and Newton's method."
        raise InputError(f"gk.{name}()", found, f"at most {most} rows, {width} a point", remedy)
    solver = Dantzig(directions=lines) if kind == BOXES else Lemke(directions=lines)
    new = new_pivot(solver, len(pivot.head), joints, room_for(need, min(need + need // 4, most)))
    new.number[:], new.tally[:], new.add_on[:] = pivot.number, pivot.tally, pivot.add_on
    if need >= SLOW and not pivot.number[SAID]:
        new.number[SAID] = 1
        warn_user(
            f"gk.{name}() solves {need} rows a step as one dense matrix, which takes seconds a step. "
            "Use solver=gk.GaussSeidel() or gk.Tree() for heaps: sweeps and Newton's method take their contacts.",
            ContactWarning,
        )
    return new
