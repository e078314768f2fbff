"""MoreauTree: trees in minimal coordinates, joints eliminated and never open (bobsleigh 3.9, 4.9)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_count, check_names, check_number
from gelenk.compile import helper, kernel, routine
from gelenk.contact.converged import judge_step
from gelenk.contact.options import ContactOptions
from gelenk.contact.setup import AUTO, can_touch, check_awake, check_contact, options_for, tree_stages, with_more
from gelenk.contact.space_block import PAIRS
from gelenk.contact.stages import FINISH, ContactStages
from gelenk.contact.tree_contacts import RELATIVE, run_tree_contacts, tree_contacts, tree_plug
from gelenk.contact.tree_newton import TreeNewton, new_tree_newton
from gelenk.errors import InputError
from gelenk.integrators.scheme import applied_loads, step
from gelenk.methods.contact_stage import contact_stage, find_contacts
from gelenk.methods.follow import follow
from gelenk.methods.lead import lead
from gelenk.methods.remember import add_reactions, break_joints, clear_reactions, remember_forces, remember_places
from gelenk.methods.rows_stepper import RowsStepper
from gelenk.methods.tally import count_in
from gelenk.methods.tree_reactions import load_by_contacts, load_by_row, load_by_rows, tree_reactions
from gelenk.model.contact_law import law_table
from gelenk.model.model import Model
from gelenk.rows.assemble import (
    BodyWork,
    Coordinates,
    RowWork,
    evaluate,
    fetch_bodies,
    is_broken,
    jacobian,
    jacobian_rows,
    new_bodies,
    new_coordinates,
    new_rows,
    target_of,
)
from gelenk.rows.block import NONE, PUSH, SERVO, JointMemory, Joints
from gelenk.rows.conditions import REACH, clear_rows, velocity_rows
from gelenk.rows.guides import FROM_MIDDLE
from gelenk.state import Loads, State, new_loads
from gelenk.trees.articulated import accelerations
from gelenk.trees.block import Tree, TreeWork, new_tree_work
from gelenk.trees.build import Planned, check_cut, check_loops, check_masses, plan_tree
from gelenk.trees.directions import Directions, new_directions, push_along, rate_along
from gelenk.trees.inner import lead_accelerations, lead_places, lead_rates, spring_forces
from gelenk.trees.kinematics import kinematics, move_all, rates_all, read_state, write_state
from gelenk.trees.momenta import fits, momenta
from gelenk.trees.rows import TreeRows, answer, meet_equal, new_tree_rows, sweep_rows, tree_rows

ORDERS = (1, 2, 4)
ORDER, SWEEPS, HAS_ROWS, PUSHES = range(4)
MIDDLE, END = 1, 2  # of the step, see gelenk.rows.guides.GIVEN
IMPACTS = ("sequential", "simultaneous")


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
    sum_u: np.ndarray  # (nu,) of Runge's stages; with contact, the velocities that take overlaps out
    sum_du: np.ndarray  # (nu,)
    scratch_u: np.ndarray  # (nu,)
    rate_u: np.ndarray  # (nu,) rates of coordinates in a stage of Runge's
    options: np.ndarray  # (4,) int64 order, most sweeps, whether there are rows or contacts, and force motors
    numbers: np.ndarray  # (3,) see gelenk.contact.tree_contacts
    figures: np.ndarray  # (2,) residual of the last step, largest since the start [m/s] or [rad/s]
    status: np.ndarray  # (3,) int64
    contact: ContactStages
    tree_address: np.ndarray  # (1,) int64 where contacts are solved, 0 without
    newton: TreeNewton


@step.register(MoreauTreeWork)
def _(work, system, state, t, h):
    """One step, from bodies to coordinates, through the step, and back to bodies (bobsleigh 4.9)."""
    read_state(work.tree, work.memory, state, work.work)
    copy_to(work.begin_u, work.work.u)
    if work.options[ORDER] == 4:
        runge_step(work, system, t, h)
    elif not midpoint_step(work, system, t, h):
        return  # the state is as it was, and the status says what is missing
    kinematics(work.tree, work.work)
    write_state(work.tree, work.work, work.memory, state)
    contact_stage(work, system.masses, work.work.at, h, FINISH)


@routine
def midpoint_step(work, system, t, h):
    """Moreau's midpoint rule (B-30):

        q_M = q + h/2 B u        u' = u + h a(q_M, u) + M^-1 (W p)        q' = q_M + h/2 B u'

    Without impulses, and where forces depend on positions alone, it has order 2. In most trees they depend on
    velocities too, by inertia; ``order`` 2 looks at them once more with the velocity of the middle, (u + u') / 2.
    Driven coordinates are where they have to be, in the middle and at the end.
    """
    tree, now = work.tree, work.work
    given = work.rows.given
    move_all(tree, now.q, now.u, 0.5 * h)
    lead_places(tree, given, now.q, MIDDLE)
    for left in range(work.options[ORDER] - 1, -1, -1):
        lead_rates(tree, given, now.u, MIDDLE)
        lead_accelerations(tree, given, now.du, MIDDLE)
        evaluate_tree(work, system, t + 0.5 * h, h)
        for k in range(now.u.shape[0]):
            now.u[k] = work.begin_u[k] + h * now.du[k]
        lead_rates(tree, given, now.u, END)
        if work.options[HAS_ROWS] == 1:
            if left == 0 and find_contacts(work, system.masses, now.at, h) != 0:
                return False
            solve_rows(work, system.masses, h, left == 0)
        if left > 0:
            for k in range(now.u.shape[0]):
                now.u[k] = 0.5 * (work.begin_u[k] + now.u[k])
    if work.options[HAS_ROWS] == 1:
        leave_rows(work, h)
        for k in range(now.u.shape[0]):
            now.du[k] = (now.u[k] - work.begin_u[k]) / h
        lead_accelerations(tree, given, now.du, MIDDLE)
    if work.joint_of.shape[0] > 0:
        tree_reactions(work, system.masses, h, work.options[ORDER])
    move_all(tree, now.q, now.u, 0.5 * h)
    if work.tree_address[0] != 0:
        move_all(tree, now.q, work.sum_u, h)
    lead_places(tree, given, now.q, END)
    return True


@helper
def evaluate_tree(work, system, t, h):
    """Accelerations u' at (q, u), by forces and springs in joints alone."""
    kinematics(work.tree, work.work)
    applied_loads(system, work.work.at, t, work.loads)
    if work.tree.sprung.shape[0] > 0:
        spring_forces(work.tree, work.joints, work.memory, work.work, work.begin_u, h, work.options[ORDER])
    if work.options[PUSHES] == 1:
        push_motors(work)
    accelerations(work.tree, system.masses, work.loads, work.work)


@routine
def push_motors(work):
    """Force motors as loads on both of their bodies."""
    joints, rows, at = work.joints, work.rows, work.work.at
    evaluate(joints, work.memory, at, work.now)
    for r in range(joints.equalities[0], joints.row.shape[0]):
        if joints.row[r].mode == PUSH and not is_broken(joints.row[r], work.memory):
            jacobian_rows(joints, at, work.now, rows, r, r + 1)
            load_by_row(work, rows, r, target_of(joints.row[r], work.memory))


@routine
def solve_rows(work, masses, h, last):
    """Loops, gears, limits, motors, springs, and at last contacts: their impulses, and what they do to velocities."""
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
    if work.tree_address[0] != 0 and last:
        solve_contacts(work, h)
    else:
        sweep_alone(work)
    for n in range(mine.sizes[1]):
        answer(mine, rows, mine.place[mine.other[n]], rows.number[mine.other[n]].p)
    meet_equal(work.tree, work.directions, mine, rows, u)
    work.figures[1] = max(work.figures[0], work.figures[1])


@helper
def sweep_alone(work):
    """Rows with bounds in a step without contacts."""
    work.figures[0] = 0.0
    for _ in range(work.options[SWEEPS] if work.mine.sizes[1] > 0 else 0):
        work.figures[0] = sweep_rows(work.tree, work.directions, work.mine, work.joints, work.rows, work.work.u)
        if work.figures[0] <= work.numbers[RELATIVE]:
            break


@helper
def solve_contacts(work, h):
    """Rows with bounds and contacts together."""
    copy_to(work.scratch_u, work.begin_u)  # which impacts change, beside the velocities with forces
    run_tree_contacts(
        work.tree_address[0],
        work.contact,
        work.tree,
        work.work,
        work.directions,
        work.mine,
        work.joints,
        work.rows,
        work.newton,
        work.scratch_u,
        work.work.u,
        work.sum_u,
        work.numbers,
        h,
    )
    work.figures[0] = work.contact.contacts.figures[3]
    judge_step(work.contact.contacts, work.figures[0], h)


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
    break_joints(joints, memory)
    for r in range(joints.row.shape[0]):
        memory.impulse[r] = rows.number[r].p / h
    load_by_rows(work, rows, h)
    if work.tree_address[0] != 0:
        load_by_contacts(work, h)


@routine
def runge_step(work, system, t, h):
    """The classical Runge-Kutta scheme of order 4 on coordinates and velocities, for smooth motion.

    Turns in space are summed as vectors from the start of the step, with rates that allow for their order.
    """
    tree, now, turn = work.tree, work.work, work.scratch_u
    copy_to(work.begin_q, now.q)
    for k in range(now.u.shape[0]):
        work.sum_u[k] = work.sum_du[k] = turn[k] = 0.0
    for m in range(4):
        weight, k = 1.0 / 6.0 if m == 0 or m == 3 else 1.0 / 3.0, (m + 1) // 2
        lead_places(tree, work.rows.given, now.q, k)
        lead_rates(tree, work.rows.given, now.u, k)
        lead_accelerations(tree, work.rows.given, now.du, k)
        evaluate_tree(work, system, t + 0.5 * k * h, h)
        ahead = h if m == 2 else 0.5 * h
        rates_all(tree, now.u, turn, work.rate_u)
        for k in range(now.u.shape[0]):
            work.sum_u[k] += weight * work.rate_u[k]
            work.sum_du[k] += weight * now.du[k]
        if m == 2 and work.joint_of.shape[0] > 0:
            tree_reactions(work, system.masses, h, 4)
        if m < 3:
            copy_to(now.q, work.begin_q)
            move_all(tree, now.q, work.rate_u, ahead)
            for k in range(now.u.shape[0]):
                now.u[k] = work.begin_u[k] + ahead * now.du[k]
                turn[k] = ahead * work.rate_u[k]
    for k in range(now.u.shape[0]):
        now.u[k] = work.begin_u[k] + h * work.sum_du[k]
    copy_to(now.q, work.begin_q)
    move_all(tree, now.q, work.sum_u, h)
    lead_rates(tree, work.rows.given, now.u, END)
    lead_places(tree, work.rows.given, now.q, END)


@helper
def copy_to(out, a):
    """Copy numbers."""
    for k in range(a.shape[0]):
        out[k] = a[k]


@kernel
def advance_tree(work, links, tally, system, state, t_start, h, first, count):
    """Take steps as :func:`gelenk.methods.rows_stepper.advance_rows` does, from velocities that joints allow."""
    if count > 0:
        fit_velocities(work, system, state)
    for k in range(count):
        follow(links, work.joints, work.memory, state)
        lead(links, work.joints, work.memory, work.rows, state, t_start + (first + k) * h, h)
        step(work, system, state, t_start + (first + k) * h, h)
        if work.status[0] != 0:
            return k
        count_in(tally, work.memory, h)
    return count


@routine
def fit_velocities(work, system, state):
    """Where velocities of bodies are none that joints allow, as after a blow, take those with the same momenta,

        M u = sum J^T (m v, I w)

    which is what the blow leaves (T-47). Bodies that do not move are where the state has them.
    """
    tree, now = work.tree, work.work
    copy_to(now.at.flat, state.flat)
    read_state(tree, work.memory, state, now)
    kinematics(tree, now)
    if fits(tree, now, state):
        return
    momenta(tree, system.masses, now, state, work.scratch_u)
    for k in range(now.u.shape[0]):
        now.du[k] = now.u[k]  # of driven joints, which no blow changes
        now.u[k], now.tau[k], now.extra[k] = 0.0, work.scratch_u[k], 0.0
    for k in range(work.loads.flat.shape[0]):
        work.loads.flat[k] = 0.0
    kinematics(tree, now)
    accelerations(tree, system.masses, work.loads, now)
    for k in range(now.u.shape[0]):
        now.u[k], now.tau[k] = now.du[k], 0.0
    kinematics(tree, now)
    write_state(tree, now, work.memory, state)


class TreeStepper(RowsStepper):
    """Moves a state in place."""

    def _advance(self, t_start: float, h: float, first: int, count: int) -> int:
        work, links, tally = self.work, self.links, self.tally
        return int(advance_tree(work, links, tally, self.system, self.state, t_start, h, first, count))

    def _with_room(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take steps; where one lacks room for its contacts, make it and go on."""
        done = self._advance(t_start, h, first, count)
        while self.work.status[0] >= PAIRS:
            missing, self.work.status[0] = int(self.work.status[0]), 0
            contact = with_more(self.work.contact, self.model, missing)
            self.work = with_directions(self.work._replace(contact=contact))
            done += self._advance(t_start, h, first + done, count - done)
        return done

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        rows = RowsStepper.info(self) | {"rows": int(self.work.mine.sizes.sum())}
        return {"links": len(self.work.tree.link), "velocities": len(self.work.work.u)} | rows


def with_directions(work: MoreauTreeWork) -> MoreauTreeWork:
    """Room for the directions of all rows and contacts that there can be."""
    rows, contacts = len(work.joints.row), len(work.contact.contacts.contact) if work.tree_address[0] else 0
    most = sorted((int(piece.u_last) - int(piece.u) for piece in work.tree.piece), reverse=True)
    numbers = numbers_of_rows(work.tree, work.joints, work.mine) + 3 * contacts * sum(most[:2])
    directions = new_directions(work.tree, len(work.directions.link_of), rows + 3 * contacts + 1, numbers + 1)
    reply = np.zeros((len(directions.direction), work.mine.reply.shape[1]))
    newton = new_tree_newton(rows + 3 * contacts if contacts else 1)
    return work._replace(directions=directions, mine=work.mine._replace(reply=reply), newton=newton)


@friendly
@dataclass(frozen=True, slots=True)
class MoreauTree:
    """Trees in minimal coordinates: joints are eliminated, exact to round-off, at linear cost; the rest are rows.

    Parameters
    ----------
    h : step [s]
    order : of smooth motion. 1: Moreau's midpoint rule; 2: the same with forces at the velocity of the middle; 4:
        Runge-Kutta, for models of joints and forces alone. If None, 4 where it can be, 1 where shapes can touch, else
        2. Across impacts, where limits or motors begin and end to act, and with springs and dampers in joints, every
        order is 1
    cut : names of joints that close loops; they become rows, and what is left is a tree. "auto" cuts those that are
        left over when the tree is grown from the world, in the order in which joints were added
    contact : how contacts are treated; None lets bodies pass through each other. "auto" is ``ContactOptions()``, and
        None for one mechanism by itself, whose parts may overlap. Its ``sweeps`` are at least those given here
    sweeps : most sweeps over rows with bounds and contacts in a step
    relative, absolute : sweeps end when no impulse changes by more than  relative |P| + absolute  [N s] (B-31)
    impacts : "sequential" lets an impact pass from body to body, as through a row of balls; "simultaneous" solves
        all closed contacts at once by Newton's law, as Moreau's rule does (B-28, B-29)
    """

    kind: ClassVar[str] = "moreau_tree"

    h: float = 1e-3
    order: int | None = None
    cut: tuple[str, ...] | str = ()
    contact: ContactOptions | str | None = AUTO
    sweeps: int = 200
    relative: float = 1e-10
    absolute: float = 1e-12
    impacts: str = IMPACTS[0]

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "h", check_number("MoreauTree", "h", self.h, "s", above=0))
        if self.order is not None and (isinstance(self.order, bool) or self.order not in ORDERS):
            raise InputError("MoreauTree", f"order is {self.order!r}"[:80], "1, 2, 4 or None", "Choose one of these.")
        if self.cut != AUTO:
            put(self, "cut", check_names("MoreauTree", "cut", self.cut))
        put(self, "sweeps", check_count("MoreauTree", "sweeps", self.sweeps, least=1, most=10**9))
        put(self, "relative", check_number("MoreauTree", "relative", self.relative, "1", least=0))
        put(self, "absolute", check_number("MoreauTree", "absolute", self.absolute, "N s", least=0))
        check_choice("MoreauTree", "impacts", self.impacts, IMPACTS)
        check_contact("MoreauTree", self.contact)
        check_awake("MoreauTree", self.contact)

    def without_joints(self, names: Collection[str]) -> MoreauTree:
        """The same for a model in which these joints are within bodies that have become one."""
        if isinstance(self.cut, str):
            return self
        return replace(self, cut=tuple(name for name in self.cut if name not in names))

    def begin(self, model: Model, state: State) -> TreeStepper:
        """Make ready to move ``state`` in place."""
        cut = check_cut("MoreauTree", model, self.cut)
        planned = plan_tree(model, cut)
        if self.cut != AUTO:
            check_loops("MoreauTree", model, planned, cut)
        check_masses("MoreauTree", model, planned)
        options = options_for(model, self.contact)
        touch = options is not None and can_touch(model)
        rows = [*rows_beside(model, planned), *(["contact"] if touch else [])]
        order = self.order or (1 if touch else 2 if rows or len(planned.tree.sprung) else 4)
        if order == 4 and rows:
            found = f"order is 4, and {rows[0]} acts beside the joints"
            allowed = "joints and forces alone for order 4"
            raise InputError("MoreauTree", found, allowed, "Choose order=2, or leave order out.")
        if options is not None and touch:
            check_couples(model)
            options = replace(options, sweeps=max(options.sweeps, self.sweeps))
        return TreeStepper(model, state, self._work(model, state, planned, order, bool(rows), options))

    def _work(
        self, model: Model, state: State, planned: Planned, order: int, rows: bool, options: ContactOptions | None
    ) -> MoreauTreeWork:
        joints, tree = model.wired.joints, planned.tree
        names = {name: j for j, name in enumerate(model.wired.names)}
        joint_of = np.array([names.get(name, NONE) if edge else NONE for name, edge in named(planned)], np.uint32)
        in_tree = np.zeros(len(names), np.uint32)
        in_tree[joint_of[joint_of != NONE]] = 1
        mine = new_tree_rows(joints, set(np.flatnonzero(in_tree).tolist()), inner_rows(tree))
        contact = tree_stages(model, options)
        address = tree_plug.address(tree_contacts) if contact.address[0] else 0
        nq, nu = int(tree.sizes[0]), int(tree.sizes[1])
        work = MoreauTreeWork(
            tree,
            new_tree_work(tree, state),
            joints,
            model.wired.memory(state.memory),
            new_loads(state),
            new_bodies(model.system.masses, state),
            new_coordinates(joints),
            new_rows(joints, FROM_MIDDLE),
            mine,
            new_directions(tree, len(state.p_WC), 1, 1),
            joint_of if (joint_of != NONE).any() else joint_of[:0],
            in_tree,
            np.zeros(nq),
            np.zeros(nu),
            np.zeros(nu),
            np.zeros(nu),
            np.zeros(nu),
            np.zeros(nu),
            np.array([order, self.sweeps, int(rows), int((joints.row["mode"] == PUSH).any())], np.int64),
            np.array([self.relative, self.absolute, float(IMPACTS.index(self.impacts))]),
            np.zeros(2),
            np.zeros(3, np.int64),
            contact,
            np.array([address], np.int64),
            new_tree_newton(1),
        )
        return with_directions(work)


def check_couples(model: Model) -> None:
    """Refuse materials whose contacts resist rolling or drilling, which trees do not carry yet."""
    law, _ = law_table(model)
    if (law["rolling"] > 0.0).any() or (law["torsional"] > 0.0).any():
        found = "a material with rolling or torsional friction"
        raise InputError("MoreauTree", found, "friction of sliding alone", "Use gk.RowStepping() or gk.Impulse().")


def named(planned: Planned) -> list[tuple[str, bool]]:
    """Name of each link's joint, and whether it has one."""
    return list(zip(planned.names, planned.jointed))


def inner_rows(tree: Tree) -> set[int]:
    """Rows that the tree takes in: given motions, and springs in its joints."""
    return {int(x.row) for taken in (tree.led, tree.sprung) for x in taken}


def rows_beside(model: Model, planned: Planned) -> Sequence[str]:
    """Labels of rows that the tree does not keep by itself."""
    of_tree = {name for name, jointed in named(planned) if jointed}
    owners = {j for j, name in enumerate(model.wired.names) if name in of_tree}
    kept = new_tree_rows(model.wired.joints, owners, inner_rows(planned.tree)).kept
    return [label for label, yes in zip(model.wired.labels, kept) if not yes]


def numbers_of_rows(tree: Tree, joints: Joints, mine: TreeRows) -> int:
    """Numbers that the directions of all rows beside the tree take."""
    piece_of = {int(link.node): tree.piece[k] for link, k in zip(tree.link, tree.of_link)}
    firsts = [int(joints.body[row.entry_first]) for row, kept in zip(joints.row, mine.kept) if not kept]
    return sum(int(piece_of[node].u_last) - int(piece_of[node].u) for node in firsts)
