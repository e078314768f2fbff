"""What a run of trees keeps from step to step, see :mod:`gelenk.methods.moreau_step`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper
from gelenk.contact.stages import ContactStages
from gelenk.contact.tree_meeting import TreeMeeting
from gelenk.contact.tree_newton import TreeNewton
from gelenk.methods.tree_books import TreeBooks
from gelenk.rows.assemble import BodyWork, Coordinates, RowWork
from gelenk.rows.block import JointMemory, Joints
from gelenk.state import Loads
from gelenk.trees.block import Tree, TreeWork
from gelenk.trees.directions import Directions
from gelenk.trees.rows import TreeRows

ORDER, SWEEPS, HAS_ROWS, PUSHES, BESIDE = range(5)  # of the options
MIDDLE, END = 1, 2  # of the step, see gelenk.rows.guides.GIVEN


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
    options: np.ndarray  # (5,) int64 order, most sweeps, whether there are rows or contacts, force motors, and rows or
    # coordinates that the tree does not keep by itself
    numbers: np.ndarray  # (3,) see gelenk.contact.tree_lasting
    figures: np.ndarray  # (2,) residual of the last step, largest since the start [m/s] or [rad/s]
    status: np.ndarray  # (3,) int64
    contact: ContactStages
    tree_address: np.ndarray  # (6,) int64 where contacts are solved, 0 without
    newton: TreeNewton
    meet: TreeMeeting
    books: TreeBooks


@helper
def copy_to(out, a):
    """Copy numbers."""
    for k in range(a.shape[0]):
        out[k] = a[k]
