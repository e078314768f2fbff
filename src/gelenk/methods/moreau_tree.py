"""MoreauTree: trees in minimal coordinates, joints eliminated and never open (bobsleigh 3.9, 4.9)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

import gelenk.methods.moreau_step  # noqa: F401  it registers the step
from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_count, check_names, check_number
from gelenk.contact.options import MOST_SWEEPS, ContactOptions
from gelenk.contact.setup import (
    AUTO,
    can_bounce,
    can_touch,
    check_awake,
    check_contact,
    check_newton,
    options_for,
    tree_stages,
)
from gelenk.contact.tree_contacts import TREE_STAGES, tree_plug
from gelenk.contact.tree_meeting import new_tree_meeting
from gelenk.contact.tree_newton import new_tree_newton
from gelenk.contact.tree_stops import bouncing_stops
from gelenk.errors import InputError
from gelenk.methods.moreau_work import MoreauTreeWork
from gelenk.methods.tree_books import new_books
from gelenk.methods.tree_stepper import TreeStepper, with_directions
from gelenk.model.model import Model
from gelenk.rows.assemble import new_bodies, new_coordinates, new_rows
from gelenk.rows.block import NONE, PUSH, Joints
from gelenk.rows.coordinate import ANGLE_X, ANGLE_Y, CURVE, SURFACE, TWIST
from gelenk.rows.guides import FROM_MIDDLE
from gelenk.state import State, new_loads
from gelenk.trees.block import Tree, new_tree_work
from gelenk.trees.build import Planned, check_cut, check_loops, check_masses, plan_tree
from gelenk.trees.directions import new_directions
from gelenk.trees.kind_table import COUNTED
from gelenk.trees.pivots import check_pivots
from gelenk.trees.rows import new_tree_rows

ORDERS = (1, 2, 4)
REMEMBERED = (TWIST, ANGLE_X, ANGLE_Y, *range(CURVE, SURFACE + 1))  # kinds of coordinates that have a memory
IMPACTS = ("sequential", "simultaneous")


@friendly
@dataclass(frozen=True, slots=True)
class MoreauTree:
    """Trees in minimal coordinates: joints are eliminated, exact to round-off, at linear cost; the rest are rows.

    Parameters
    ----------
    h : step [s]
    order : of smooth motion. 1: Moreau's midpoint rule; 2: the same with forces at the velocity of the middle; 4:
        Runge-Kutta, for models of joints and forces alone. If None, 4 where it can be, 1 where shapes can touch and
        none bounces, else 2. Impacts keep order 2. Where contacts, limits or motors begin and end to act, every order
        is 1
    cut : names of joints that close loops; they become rows, and what is left is a tree. "auto" cuts those that are
        left over when the tree is grown from the world, in the order in which joints were added
    contact : how contacts are treated; None lets bodies pass through each other. "auto" is ``ContactOptions()``, and
        None for one mechanism by itself, whose parts may overlap. Its ``sweeps`` are at least those given here
    sweeps : most sweeps over rows with bounds and contacts in a step
    relative, absolute : sweeps end when no impulse of a contact changes by more than  relative |P| + absolute  [N s],
        and no velocity of a row with bounds or a couple by more than ``relative`` [m/s], [rad/s] (B-31)
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
        check_newton("MoreauTree", self.contact)

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
        lasting = touch and not self._bounces(model)
        order = self.order or (1 if lasting else 2 if rows or len(planned.tree.sprung) else 4)
        if order == 4 and rows:
            found = f"order is 4, and {rows[0]} acts beside the joints"
            allowed = "joints and forces alone for order 4"
            raise InputError("MoreauTree", found, allowed, "Choose order=2, or leave order out.")
        check_pivots("MoreauTree", model, planned.tree, planned.names, state, implicit=order != 4)
        if options is not None and touch:
            options = replace(options, sweeps=max(options.sweeps, self.sweeps))
        return TreeStepper(model, state, self._work(model, state, planned, order, bool(rows), options))

    def _bounces(self, model: Model) -> bool:
        """Whether impacts have times of their own, so that a higher order is worth while."""
        return self.impacts == IMPACTS[0] and can_bounce(model, options_for(model, self.contact))

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
        meets = bool(contact.address[0]) or bouncing_stops(joints)
        address = [tree_plug.address(stage) if meets else 0 for stage in TREE_STAGES]
        if not contact.address[0]:
            contact.contacts.options[MOST_SWEEPS] = self.sweeps
        nq, nu = int(tree.sizes[0]), int(tree.sizes[1])
        beside = bool((mine.kept == 0).any()) or looks_beside(joints, tree)
        options_of_step = [order, self.sweeps, int(rows), int((joints.row["mode"] == PUSH).any()), int(beside)]
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
            np.array(options_of_step, np.int64),
            np.array([self.relative, self.absolute, float(IMPACTS.index(self.impacts))]),
            np.zeros(2),
            np.zeros(3, np.int64),
            contact,
            np.array(address, np.int64),
            new_tree_newton(1, 1, 0, 1),
            new_tree_meeting(tree, 1, joints),
            new_books(tree, len(contact.segments.set)),
        )
        return with_directions(work)


def named(planned: Planned) -> list[tuple[str, bool]]:
    """Name of each link's joint, and whether it has one."""
    return list(zip(planned.names, planned.jointed))


def inner_rows(tree: Tree) -> set[int]:
    """Rows that the tree takes in: given motions, and springs in its joints."""
    return {int(x.row) for taken in (tree.led, tree.sprung) for x in taken}


def looks_beside(joints: Joints, tree: Tree) -> bool:
    """Whether the memory of a coordinate has to be kept that no joint of the tree keeps, or joints may break."""
    own = {int(c) for x in tree.link if x.kind in COUNTED for c in (x.turns, x.turns_y)}
    pairs = [pair for pair in joints.pair if pair.points_only == 0]
    kinds = joints.coordinate["kind"]
    counted = {c for pair in pairs for c in range(int(pair.first), int(pair.last)) if kinds[c] in REMEMBERED}
    return bool(counted - own) or len(joints.breakable) > 0


def rows_beside(model: Model, planned: Planned) -> Sequence[str]:
    """Labels of rows that the tree does not keep by itself."""
    of_tree = {name for name, jointed in named(planned) if jointed}
    owners = {j for j, name in enumerate(model.wired.names) if name in of_tree}
    kept = new_tree_rows(model.wired.joints, owners, inner_rows(planned.tree)).kept
    return [label for label, yes in zip(model.wired.labels, kept) if not yes]


def is_plain_tree(model: Model) -> bool:
    """Whether joints and forces are all that moves the model: no loop, limit, motor or spring within a joint."""
    planned = plan_tree(model)
    weighed = all(model.system.masses.mass[link.node] > 0.0 for link in planned.tree.link)
    return weighed and not planned.left and not len(planned.tree.sprung) and not rows_beside(model, planned)
