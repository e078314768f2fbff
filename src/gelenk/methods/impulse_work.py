"""What Impulse keeps from step to step beside the state: scratch, options, figures."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gelenk.compile import helper, seconds
from gelenk.contact.stages import ContactStages
from gelenk.rows.assemble import BodyWork, Coordinates, RowWork
from gelenk.rows.block import JointMemory, Joints
from gelenk.state import Loads, State

TOLERANCE, VELOCITY_TOLERANCE, CAP, BUDGET, END, LIMIT = range(6)  # places in ImpulseWork.numbers
POSITION, VELOCITY, WARM, ALWAYS = range(4)  # places in ImpulseWork.options


class ImpulseWork(NamedTuple):
    """Scratch of one run."""

    joints: Joints
    memory: JointMemory
    loads: Loads
    bodies: BodyWork
    at: Coordinates  # at the pose looked at last
    rows: RowWork
    next: State
    solver: Any
    before: np.ndarray  # (R,) impulses of the position loop
    strain: np.ndarray  # (J,) scratch of the cap
    load: np.ndarray  # (nodes,) stiffness of all springs on a body, see gelenk.methods.spring_halves
    numbers: np.ndarray  # (6,) tolerance, velocity tolerance, cap, time budget, when that of this step ends, limit
    options: np.ndarray  # (4,) int64 most position iterations, most velocity iterations, warm start, prepare anew
    ready: np.ndarray  # (1,) int64 1 if rows and factors are those of the state
    figures: np.ndarray  # (5,) residual now and at worst, position error left now and at worst, torn part of it
    counts: np.ndarray  # (4,) int64 steps, position iterations, turns to the preview direction, shortened steps
    kept: np.ndarray  # the state at the start of a step that may have to be taken again
    force_sum: np.ndarray  # (R,) forces of the parts of such a step [N] or [N m]
    reaction_sum: np.ndarray  # (J, 6)
    status: np.ndarray  # (3,) int64
    contact: ContactStages


@helper
def late(numbers, share):
    """Whether a share of the time budget of this step is used up; positions leave some of it to velocities (I-002)."""
    if numbers[BUDGET] == math.inf:
        return False
    return seconds() > numbers[END] - (1.0 - share) * numbers[BUDGET]
