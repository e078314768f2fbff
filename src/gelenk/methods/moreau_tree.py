"""MoreauTree: trees in minimal coordinates, joints eliminated and never open (bobsleigh 3.9, 4.9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.checks import check_count, check_names, check_number
from gelenk.compile import helper, kernel, routine
from gelenk.errors import InputError
from gelenk.integrators.scheme import applied_loads, step
from gelenk.methods.follow import follow, new_links
from gelenk.methods.free import WHY
from gelenk.methods.remember import add_reactions, clear_reactions, remember_forces, remember_places
from gelenk.methods.tally import count_in, new_tally
from gelenk.methods.tree_reactions import load_by_rows, tree_reactions
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    evaluate,
    fetch_bodies,
    jacobian,
    new_bodies,
    new_coordinates,
    new_rows,
)
from gelenk.rows.block import NONE, SERVO, JointMemory, Joints
from gelenk.rows.conditions import REACH, clear_rows, velocity_rows
from gelenk.state import Loads, State, new_loads
from gelenk.trees.articulated import accelerations
from gelenk.trees.block import Tree, TreeWork, new_tree_work
from gelenk.trees.build import Planned, check_loops, check_masses, plan_tree
from gelenk.trees.directions import Directions, new_directions, push_along, rate_along
from gelenk.trees.kinematics import kinematics, move_all, read_state, write_state
from gelenk.trees.rows import TreeRows, meet_equal, new_tree_rows, sweep_rows, tree_rows

AUTO = "auto"  # loops are cut where the tree ends
ORDERS = (1, 2, 4)
ORDER, SWEEPS, HAS_ROWS = range(3)
TOLERANCE, LAST, WORST = range(3)


class MoreauTreeWork(NamedTuple):
    """Scratch of one run."""

    tree: Tree
    work: TreeWork
    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    now: Coordinates
    rows: RowWork
    mine: TreeRows
    directions: Directions
    joint_of: np.ndarray  # (links,) uint32 joint of the model of each link, or NONE
    owner_in_tree: np.ndarray  # (J,) uint32 1 for joints that are eliminated
    begin_q: np.ndarray  # (nq,) of the start of the step
    begin_u: np.ndarray  # (nu,)
    sum_u: np.ndarray  # (nu,) of Runge's stages
    sum_du: np.ndarray  # (nu,)
    scratch_u: np.ndarray  # (nu,)
    options: np.ndarray  # (3,) int64 order, most sweeps, whether there are rows
    figures: np.ndarray  # (3,) tolerance; residual of the last step, largest since the start [m/s] or [rad/s]
    status: np.ndarray  # (3,) int64


@step.register(MoreauTreeWork)
def _(work, system, state, t, h):
    """One step, from bodies to coordinates, through the step, and back to bodies (bobsleigh 4.9)."""
    read_state(work.tree, work.memory, state, work.work)
    copy_to(work.begin_u, work.work.u)
    if work.options[ORDER] == 4:
        runge_step(work, system, t, h)
    else:
        midpoint_step(work, system, t, h)
    kinematics(work.tree, work.work)
    write_state(work.tree, work.work, work.memory, state)


@routine
def midpoint_step(work, system, t, h):
    """Moreau's midpoint rule (B-30):

        q_M = q + h/2 B u        u' = u + h a(q_M, u) + M^-1 (W p)        q' = q_M + h/2 B u'

    Without impulses, and where forces depend on positions alone, it has order 2. In most trees they depend on
    velocities too, by inertia; ``order`` 2 looks at them once more with the velocity of the middle, u + h/2 a.
    """
    tree, now = work.tree, work.work
    move_all(tree, now.q, now.u, 0.5 * h)
    evaluate_tree(work, system, t + 0.5 * h)
    if work.options[ORDER] == 2:
        for k in range(now.u.shape[0]):
            now.u[k] = work.begin_u[k] + 0.5 * h * now.du[k]
        evaluate_tree(work, system, t + 0.5 * h)
    for k in range(now.u.shape[0]):
        now.u[k] = work.begin_u[k] + h * now.du[k]
    if work.options[HAS_ROWS] == 1:
        solve_rows(work, system.masses, h)
        for k in range(now.u.shape[0]):
            now.du[k] = (now.u[k] - work.begin_u[k]) / h
    if work.joint_of.shape[0] > 0:
        tree_reactions(work, system.masses)
    move_all(tree, now.q, now.u, 0.5 * h)


@helper
def evaluate_tree(work, system, t):
    """Accelerations u' at (q, u), by forces alone."""
    kinematics(work.tree, work.work)
    applied_loads(system, work.work.at, t, work.loads)
    accelerations(work.tree, system.masses, work.loads, work.work)


@routine
def solve_rows(work, masses, h):
    """Loops, gears, limits, motors and springs: their impulses, and what they do to the velocities."""
    joints, memory, rows, mine, at, u = work.joints, work.memory, work.rows, work.mine, work.work.at, work.work.u
    fetch_bodies(masses, at, work.bodies)
    evaluate(joints, memory, at, work.now)
    jacobian(joints, at, work.now, rows)
    clear_rows(rows)
    for r in range(joints.row.shape[0]):
        rows.number[r].p = 0.0
    velocity_rows(joints, memory, work.now, work.bodies, rows, h, 1.0, REACH, 0, joints.row.shape[0])
    work.directions.used[0] = work.directions.used[1] = 0
    tree_rows(work.tree, work.work, work.directions, mine, joints, memory, work.bodies, rows, u, h)
    begin_rows(work, h)
    last, tolerance = 0.0, work.figures[TOLERANCE]
    for _ in range(work.options[SWEEPS] if mine.sizes[1] > 0 else 0):
        last = sweep_rows(work.tree, work.directions, mine, joints, rows, u)
        if last <= tolerance:
            break
    meet_equal(work.tree, work.directions, mine, rows, u)
    work.figures[LAST] = last
    work.figures[WORST] = max(work.figures[WORST], last)
    leave_rows(work, h)


@helper
def begin_rows(work, h):
    """Rows with bounds begin with their impulses of the last step."""
    joints, rows, mine, u = work.joints, work.rows, work.mine, work.work.u
    for n in range(mine.sizes[1]):
        r = mine.other[n]
        x, k = rows.number[r], joints.row[r].gain
        x.p = min(max(h * work.memory.impulse[r] / (1.0 + k), x.lo), x.hi)
        push_along(work.tree, work.directions, mine.place[r], u, x.p)


@helper
def leave_rows(work, h):
    """Forces for sensors, reactions of joints that are no part of the tree, impulses to start from."""
    joints, memory, rows, now = work.joints, work.memory, work.rows, work.now
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == SERVO and work.mine.place[r] >= 0:
            rows.number[r].error += h * rate_along(work.tree, work.directions, work.mine.place[r], work.work.u)
    remember_places(joints, memory, now, 0, joints.pair.shape[0])
    remember_forces(joints, memory, rows, h, 0, joints.row.shape[0])
    clear_reactions(joints, memory, 0, joints.joint.shape[0])
    add_reactions(joints, memory, now, 0, joints.row.shape[0])
    for r in range(joints.row.shape[0]):
        memory.impulse[r] = rows.number[r].p / h
    load_by_rows(work, rows, h)


@routine
def runge_step(work, system, t, h):
    """The classical Runge-Kutta scheme of order 4 on coordinates and velocities, for smooth motion."""
    tree, now = work.tree, work.work
    copy_to(work.begin_q, now.q)
    for k in range(now.u.shape[0]):
        work.sum_u[k] = work.sum_du[k] = 0.0
    for m in range(4):
        weight = 1.0 / 6.0 if m == 0 or m == 3 else 1.0 / 3.0
        evaluate_tree(work, system, t + (0.0 if m == 0 else h if m == 3 else 0.5 * h))
        ahead = h if m == 2 else 0.5 * h
        for k in range(now.u.shape[0]):
            work.sum_u[k] += weight * now.u[k]
            work.sum_du[k] += weight * now.du[k]
        if m == 2 and work.joint_of.shape[0] > 0:
            tree_reactions(work, system.masses)
        if m < 3:
            copy_to(now.q, work.begin_q)
            move_all(tree, now.q, now.u, ahead)
            for k in range(now.u.shape[0]):
                now.u[k] = work.begin_u[k] + ahead * now.du[k]
    for k in range(now.u.shape[0]):
        now.u[k] = work.begin_u[k] + h * work.sum_du[k]
    copy_to(now.q, work.begin_q)
    move_all(tree, now.q, work.sum_u, h)


@helper
def copy_to(out, a):
    """Copy numbers."""
    for k in range(a.shape[0]):
        out[k] = a[k]


@kernel
def advance_tree(work, links, tally, system, state, t_start, h, first, count):
    """Take steps first, first + 1, ...; inputs follow their outputs before, forces are counted in after each."""
    for k in range(count):
        follow(links, work.joints, work.memory, state)
        step(work, system, state, t_start + (first + k) * h, h)
        if work.status[0] != 0:
            return k
        count_in(tally, work.memory, h)
    return count


class TreeStepper:
    """Moves a state in place."""

    def __init__(self, model: Model, state: State, work: MoreauTreeWork) -> None:
        self.model, self.state, self.work = model, state, work
        self.tally, self.links = new_tally(model.wired), new_links(model.wired)

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take up to ``count`` steps; fewer only if one failed, see :meth:`why`."""
        work, links, tally = self.work, self.links, self.tally
        return int(advance_tree(work, links, tally, self.model.system, self.state, t_start, h, first, count))

    def why(self) -> str:
        """Why the last call fell short."""
        return WHY.get(int(self.work.status[0]), "")

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        made = {"links": len(self.work.tree.link), "velocities": len(self.work.work.u)}
        rows = {"rows": int(self.work.mine.sizes.sum())}
        figures = {"residual": float(self.work.figures[LAST]), "worst_residual": float(self.work.figures[WORST])}
        return made | rows | figures

    def memory(self) -> np.ndarray | None:
        """The tally of forces, if it is kept."""
        return self.tally.flat.copy() if self.tally.on[0] else None

    def restore(self, memory: np.ndarray | None) -> None:
        """Go back to a tally, and forget a failure."""
        self.work.status[0] = 0
        if memory is not None:
            self.tally.flat[:] = memory


@dataclass(frozen=True, slots=True)
class MoreauTree:
    """Trees in minimal coordinates: joints are eliminated, exact to round-off, at linear cost; the rest are rows.

    Parameters
    ----------
    h : step [s]
    order : of smooth motion. 1: Moreau's midpoint rule; 2: the same with forces at the velocity of the middle; 4:
        Runge-Kutta, for models of joints and forces alone. If None, 4 where it can be, else 2. Across impacts, and
        where limits or motors begin and end to act, every order is 1
    cut : names of joints that close loops; they become rows, and what is left is a tree. "auto" cuts those that are
        left over when the tree is grown from the world, in the order in which joints were added
    sweeps, tolerance : most sweeps over rows with bounds in a step, and the change of velocity at which they end [m/s]
    """

    kind: ClassVar[str] = "moreau_tree"

    h: float = 1e-3
    order: int | None = None
    cut: tuple[str, ...] | str = ()
    sweeps: int = 200
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "h", check_number("MoreauTree", "h", self.h, "s", above=0))
        if self.order is not None and (isinstance(self.order, bool) or self.order not in ORDERS):
            raise InputError("MoreauTree", f"order is {self.order!r}"[:80], "1, 2, 4 or None", "Choose one of these.")
        if self.cut != AUTO:
            put(self, "cut", check_names("MoreauTree", "cut", self.cut))
        put(self, "sweeps", check_count("MoreauTree", "sweeps", self.sweeps, least=1, most=10**9))
        put(self, "tolerance", check_number("MoreauTree", "tolerance", self.tolerance, "m/s", least=0))

    def begin(self, model: Model, state: State) -> TreeStepper:
        """Make ready to move ``state`` in place."""
        cut = () if isinstance(self.cut, str) else self.cut
        planned = plan_tree(model, cut)
        if self.cut != AUTO:
            check_loops("MoreauTree", model, planned, cut)
        check_masses("MoreauTree", model, planned)
        rows = rows_beside(model, planned)
        order = self.order or (2 if rows else 4)
        if order == 4 and rows:
            found = f"order is 4, and {rows[0]} acts beside the joints"
            allowed = "joints and forces alone for order 4"
            raise InputError("MoreauTree", found, allowed, "Choose order=2, or leave order out.")
        return TreeStepper(model, state, self._work(model, state, planned, order, bool(rows)))

    def _work(self, model: Model, state: State, planned: Planned, order: int, rows: bool) -> MoreauTreeWork:
        joints, tree = model.wired.joints, planned.tree
        names = {name: j for j, name in enumerate(model.wired.names)}
        joint_of = np.array([names.get(name, NONE) if edge else NONE for name, edge in named(planned)], np.uint32)
        in_tree = np.zeros(len(names), np.uint32)
        in_tree[joint_of[joint_of != NONE]] = 1
        mine = new_tree_rows(joints, set(np.flatnonzero(in_tree).tolist()))
        numbers = numbers_of_rows(tree, joints, mine)
        nq, nu = int(tree.sizes[0]), int(tree.sizes[1])
        return MoreauTreeWork(
            tree,
            new_tree_work(tree, state),
            joints,
            model.wired.memory(state.memory),
            new_loads(state),
            new_bodies(model.system.masses, state),
            new_coordinates(joints),
            new_rows(joints),
            mine,
            new_directions(tree, len(state.p_WC), len(joints.row) + 1, numbers + 1),
            joint_of if (joint_of != NONE).any() else joint_of[:0],
            in_tree,
            np.zeros(nq),
            np.zeros(nu),
            np.zeros(nu),
            np.zeros(nu),
            np.zeros(nu),
            np.array([order, self.sweeps, int(rows)], np.int64),
            np.array([self.tolerance, 0.0, 0.0]),
            np.zeros(3, np.int64),
        )


def named(planned: Planned) -> list[tuple[str, bool]]:
    """Name of each link's joint, and whether it has one."""
    return list(zip(planned.names, planned.jointed))


def rows_beside(model: Model, planned: Planned) -> Sequence[str]:
    """Labels of rows that the tree does not keep by itself."""
    of_tree = {name for name, jointed in named(planned) if jointed}
    owners = {j for j, name in enumerate(model.wired.names) if name in of_tree}
    kept = new_tree_rows(model.wired.joints, owners).kept
    return [label for label, yes in zip(model.wired.labels, kept) if not yes]


def numbers_of_rows(tree: Tree, joints: Joints, mine: TreeRows) -> int:
    """Numbers that the directions of all rows beside the tree take."""
    piece_of = {int(link.node): tree.piece[k] for link, k in zip(tree.link, tree.of_link)}
    firsts = [int(joints.body[row.entry_first]) for row, kept in zip(joints.row, mine.kept) if not kept]
    return sum(int(piece_of[node].u_last) - int(piece_of[node].u) for node in firsts)
