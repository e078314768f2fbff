"""Forces of joints and drives between two samples: their mean, and the largest of all steps."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.compile import helper
from gelenk.model.wired import Wired
from gelenk.rows.block import JointMemory


class ForceTally(NamedTuple):
    """What was felt since :func:`begin_tally`; all numbers are views of ``flat``."""

    on: np.ndarray  # (1,) int64, whether steps are counted in
    row: np.ndarray  # (D,) rows of drives
    flat: np.ndarray
    time: np.ndarray  # (1,) since the start [s]
    joint_sum: np.ndarray  # (J, 6) integral of force [N s] and couple [N m s]
    joint_peak: np.ndarray  # (J, 6) the longest force [N], the longest couple [N m]
    drive_sum: np.ndarray  # (D,) [N s] or [N m s]
    drive_peak: np.ndarray  # (D,) the largest, with its sign [N] or [N m]


def new_tally(wired: Wired) -> ForceTally:
    """A tally that is off."""
    J, D = len(wired.names), len(wired.forces)
    flat = np.zeros(1 + 12 * J + 2 * D)
    time, joint_sum, joint_peak, drive_sum, drive_peak = np.split(flat, np.cumsum([1, 6 * J, 6 * J, D]))
    row = np.array([felt.row for felt in wired.forces], dtype=np.uint32)
    on = np.zeros(1, dtype=np.int64)
    shape = (J, 6)
    return ForceTally(on, row, flat, time, joint_sum.reshape(shape), joint_peak.reshape(shape), drive_sum, drive_peak)


@helper
def count_in(tally, memory, h):
    """Add a step of length h:  sum += h F,  peak = the F of largest |F|."""
    if tally.on[0] == 0:
        return
    tally.time[0] += h
    for j in range(tally.joint_sum.shape[0]):
        for k in range(6):
            tally.joint_sum[j, k] += h * memory.reaction[j, k]
        for first in (0, 3):
            if square(memory.reaction, j, first) > square(tally.joint_peak, j, first):
                for k in range(first, first + 3):
                    tally.joint_peak[j, k] = memory.reaction[j, k]
    for d in range(tally.row.shape[0]):
        force = memory.force[tally.row[d]]
        tally.drive_sum[d] += h * force
        if abs(force) > abs(tally.drive_peak[d]):
            tally.drive_peak[d] = force


@helper
def square(table, j, first):
    """Square of the length of the vector at (j, first)."""
    return table[j, first] ** 2 + table[j, first + 1] ** 2 + table[j, first + 2] ** 2


def begin_tally(tally: ForceTally, *, on: bool) -> None:
    """Forget everything; steps from here on are counted in if ``on``."""
    tally.flat[:] = 0.0
    tally.on[0] = int(on)


def read_tally(tally: ForceTally, memory: JointMemory) -> np.ndarray:
    """(12 J + 2 D) means of joints, peaks of joints, means of drives, peaks of drives.

    Where no step was taken they are the forces as they stand.
    """
    felt = memory.force[tally.row]
    if not tally.time[0] > 0.0:
        return np.concatenate([memory.reaction.ravel(), memory.reaction.ravel(), felt, felt])
    mean, drive_mean = tally.joint_sum / tally.time[0], tally.drive_sum / tally.time[0]
    return np.concatenate([mean.ravel(), tally.joint_peak.ravel(), drive_mean, tally.drive_peak])
