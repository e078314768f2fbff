"""One run of trees in minimal coordinates."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.checks import UNIT_TOLERANCE
from gelenk.compile import kernel, routine
from gelenk.contact.report import impact_info
from gelenk.contact.setup import with_more
from gelenk.contact.space_block import PAIRS
from gelenk.contact.tree_meeting import new_tree_meeting
from gelenk.contact.tree_newton import new_tree_newton
from gelenk.math.quat import Quat, get4, put4
from gelenk.math.vec3 import get3
from gelenk.methods.fast_turns import TurnWatch
from gelenk.methods.moreau_work import MoreauTreeWork, copy_to
from gelenk.methods.rows_stepper import RowsStepper, take_steps
from gelenk.methods.tree_books import open_books, work_by_name
from gelenk.model.model import Model
from gelenk.rows.block import NONE, Joints
from gelenk.state import State
from gelenk.trees.articulated import accelerations
from gelenk.trees.block import Tree
from gelenk.trees.directions import new_directions
from gelenk.trees.dynamics import velocity_names
from gelenk.trees.kinematics import kinematics, read_state, write_state
from gelenk.trees.momenta import fits, momenta
from gelenk.trees.rows import TreeRows, pieces_of_rows, with_room

SHORTEST = 1e-100  # length of a quaternion that still has a direction
NO_TURN, NO_NUMBER = 3, 4  # status: an orientation is none; what was set is none
BEYOND = (
    "places or velocities of a body are beyond all numbers: a step is too long for its forces, or they were set so. "
    "Use a smaller step, look at the forces, or set smaller numbers."
)
NO_DIRECTION = "the orientation of a body is a quaternion of length 0. Set state.q_WB to unit quaternions w x y z."


@kernel
def advance_tree(work, links, tally, system, state, t_start, h, first, count):
    """Take steps as :func:`gelenk.methods.rows_stepper.advance_rows` does, from velocities that joints allow."""
    if count > 0:
        work.status[0] = fit_turns(state)
        if work.status[0] != 0:
            return 0
        fit_velocities(work, system, state)
    return take_steps(work, links, tally, system, state, t_start, h, first, count)


@routine
def fit_turns(state):
    """Give orientations that were set by hand length 1; those without a direction have none that could be meant.

    Places and velocities that are no numbers would go unseen where joints do not leave them free.
    """
    for i in range(state.p_WC.shape[0]):
        if not (get3(state.p_WC, i).norm() < math.inf and get3(state.v_WC, i).norm() < math.inf):
            return NO_NUMBER
        if i < state.q_WB.shape[0]:
            q = get4(state.q_WB, i)
            square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z
            if not square > SHORTEST * SHORTEST or not get3(state.w_WB_B, i).norm() < math.inf:
                return NO_TURN if square <= SHORTEST * SHORTEST else NO_NUMBER
            if abs(square - 1.0) > 2.0 * UNIT_TOLERANCE:
                length = math.sqrt(square)
                put4(state.q_WB, i, Quat(q.w / length, q.x / length, q.y / length, q.z / length))
    return 0


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

    kernel = advance_tree
    in_middle = True

    def __init__(self, model: Model, state: State, work: MoreauTreeWork) -> None:
        RowsStepper.__init__(self, model, state, work)
        self._turns = TurnWatch(model, work)

    def advance(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take up to ``count`` steps; fewer only if one failed, see :meth:`why`."""
        done = RowsStepper.advance(self, t_start, h, first, count)
        if self._turns.active and done > 0:
            self._turns.look(self.work, h)
        return done

    def _with_room(self, t_start: float, h: float, first: int, count: int) -> int:
        """Take steps; where one lacks room for its contacts, make it and go on."""
        done = self._advance(t_start, h, first, count)
        while self.work.status[0] >= PAIRS:
            missing, self.work.status[0] = int(self.work.status[0]), 0
            contact = with_more(self.work.contact, self.model, missing)
            self.work = with_directions(self.work._replace(contact=contact))
            done += self._advance(t_start, h, first + done, count - done)
        return done

    def why(self) -> str:
        """Why the last call fell short."""
        ways = {NO_TURN: NO_DIRECTION, NO_NUMBER: BEYOND}
        return ways.get(int(self.work.status[0])) or RowsStepper.why(self)

    def contact_loads(self) -> dict[str, float]:
        """Mean force of contacts along each velocity of the tree since the last call, by its name [N], [N m] (B-32)."""
        felt, work, names = self.work.directions.felt, self.work, self.model.nodes.names
        joints = [NONE] * len(work.tree.link) if not len(work.joint_of) else work.joint_of
        found = []
        for link, j in zip(work.tree.link, joints):
            found += velocity_names(names[int(link.node)] if j == NONE else self.model.wired.names[int(j)], link)
        mean = felt[1:] / felt[0] if felt[0] > 0.0 else np.zeros(len(found))
        felt[:] = 0.0
        return dict(zip(found, mean.tolist(), strict=True))

    def work_done(self) -> dict[str, dict[str, float]]:
        """Work since the last call [J], see :mod:`gelenk.methods.tree_books`; the first call opens the books."""
        books, stages = self.work.books, self.work.contact
        found = work_by_name(books, self.model, self.work.tree, stages)
        open_books(books, stages)
        return found

    def memory(self) -> Any:
        """The tally of forces, what contacts did since it was asked for, and the work since then."""
        return RowsStepper.memory(self), self.work.directions.felt.copy(), self.work.books.flat.copy()

    def restore(self, memory: Any) -> None:
        """Go back to these, and forget a failure."""
        tally, felt, books = (None, 0.0, 0.0) if memory is None else memory
        RowsStepper.restore(self, tally)
        self.work.directions.felt[:] = felt
        self.work.books.flat[:] = books

    def info(self) -> dict[str, Any]:
        """Figures of the last step and since the start."""
        rows = RowsStepper.info(self) | {"rows": int(self.work.mine.sizes.sum())}
        if self.work.tree_address[0] and not self.work.contact.address[0]:
            rows |= impact_info(self.work.contact)
        return {"links": len(self.work.tree.link), "velocities": len(self.work.work.u)} | rows


def with_directions(work: MoreauTreeWork) -> MoreauTreeWork:
    """Room for the directions of all rows and contacts that there can be."""
    rows, contacts = len(work.joints.row), len(work.contact.contacts.contact) if work.tree_address[0] else 0
    most = sorted((int(piece.u_last) - int(piece.u) for piece in work.tree.piece), reverse=True)
    law = work.contact.contacts.law
    parts = 6 if (law["rolling"] > 0.0).any() or (law["torsional"] > 0.0).any() else 3
    points = parts * contacts
    numbers = numbers_of_rows(work.tree, work.joints, work.mine) + points * sum(most[:2])
    directions = new_directions(work.tree, len(work.directions.link_of), rows + points + 1, numbers + 1)
    directions.felt[:] = work.directions.felt
    mine = with_room(work.mine, work.tree, work.joints, len(directions.direction))
    newton = new_tree_newton(len(work.tree.piece), int(work.tree.sizes[1]), rows if contacts else 0, contacts, parts)
    meet = new_tree_meeting(work.tree, max(1, contacts), work.joints)
    return work._replace(directions=directions, mine=mine, newton=newton, meet=meet)


def numbers_of_rows(tree: Tree, joints: Joints, mine: TreeRows) -> int:
    """Numbers that the directions of all rows beside the tree take."""
    pieces = tree.piece[pieces_of_rows(mine, tree, joints)]
    return int((pieces["u_last"].astype(np.int64) - pieces["u"]).sum())
