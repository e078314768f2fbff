"""Stops of joints in impacts of trees: what swings into a limit comes back (B-28).

A limit is a condition on one coordinate, so its gap  g = c - low  or  high - c  is known at any time within a step, and
its rate is  +-w.u  of the direction of its row. An impact there obeys Newton's law as a contact does,

    g' <- -e g',      P >= 0

at its own time, with contacts and stops that are met at the same time. ``stop_restitution`` of the joint is e. Stops
that yield have springs instead of impacts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gelenk.compile import helper, routine
from gelenk.contact.options import SLOP, SLOW
from gelenk.rows.block import LIMIT, Joints, records
from gelenk.trees.directions import push_along, rate_along
from gelenk.trees.equal_rows import answer

STOP = np.dtype(
    [
        ("row", "u4"),
        ("spare", "u4"),
        ("side", "f8"),  # 1 for a low limit, -1 for a high one: what an impulse of the row has for its sign
        ("bound", "f8"),  # the limit [m] or [rad]
        ("e", "f8"),  # its coefficient of restitution
        ("gap", "f8"),  # in the middle of the step [m] or [rad]
        ("time", "f8"),  # of its impact in this round, or infinite [s]
        ("before", "f8"),  # g' before the impact
        ("p", "f8"),  # its impulse
    ]
)


def bouncing_stops(joints: Joints) -> bool:
    """Whether a limit of the model gives speed back."""
    return bool((joints.row["restitution"] > 0.0).any())


def new_stops(joints: Joints) -> Any:
    """All limits that do not yield, where one of them gives speed back; else none."""
    row = joints.row
    hard = (row["mode"] == LIMIT) & (row["stiffness"] == 0.0) & (row["damping"] == 0.0)
    rows = np.flatnonzero(hard) if bouncing_stops(joints) else np.zeros(0, np.int64)
    made = records(STOP, len(rows))
    low = row["low"][rows] > -math.inf
    made["row"], made["e"], made["time"] = rows, row["restitution"][rows], math.inf
    made["side"], made["bound"] = np.where(low, 1.0, -1.0), np.where(low, row["low"][rows], row["high"][rows])
    return made


@helper
def acts(directions, mine, x):
    """Whether a stop is near and can change any velocity."""
    k = mine.place[x.row]
    return k >= 0 and directions.direction[k].diag > 0.0


@helper
def speed_to_stop(tree, directions, mine, x, u):
    """Rate of the gap of a stop."""
    return x.side * rate_along(tree, directions, mine.place[x.row], u)


@routine
def find_stops(tree, directions, mine, rows, stop, fix):
    """Gaps of all stops in the middle of the step, which has moved by ``fix`` since rows were placed."""
    for s in range(stop.shape[0]):
        x = stop[s]
        x.time = math.inf
        if acts(directions, mine, x):
            x.gap = x.side * (rows.number[x.row].error - x.bound) + speed_to_stop(tree, directions, mine, x, fix)


@helper
def resting_speed_of_stop(contacts, bent, h):
    """Speed below which a stop does not give any back: what forces do in two steps."""
    return 2.0 * h * abs(bent) + contacts.options[SLOW]


@routine
def begin_stop(tree, directions, mine, x, u):
    """An impact at a stop begins."""
    x.before, x.p = speed_to_stop(tree, directions, mine, x, u), 0.0


@routine
def settle_stop(tree, directions, mine, x, u):
    """Project the impulse of an impact at a stop; returns the change of its velocity."""
    k = mine.place[x.row]
    d = directions.direction[k].diag
    rate = speed_to_stop(tree, directions, mine, x, u)
    p = max(0.0, x.p - (rate + x.e * x.before) / d)
    change = p - x.p
    if change != 0.0:
        push_along(tree, directions, k, u, x.side * change)
        x.p = p
    return abs(change) * d


@routine
def end_stop(tree, directions, mine, rows, x, u, given):
    """Note the impulse of a stop and what rows without bounds gave against it; returns its work,  1/2 P (g' + g'')."""
    answer(mine, rows, mine.place[x.row], x.side * x.p)
    given[x.row] += x.side * x.p
    return 0.5 * x.p * (x.before + speed_to_stop(tree, directions, mine, x, u))


@routine
def hold_stops_back(contacts, tree, directions, mine, rows, meet, u, simultaneous, last, h):
    """Stops that are still to be met give nothing yet: they would brake what is to come back from them.

    In a step that only looks at forces, ``last`` is not set, and no impact has been solved: what flies at a stop does
    not meet it there.
    """
    for s in range(meet.stop.shape[0]):
        x = meet.stop[s]
        if x.e == 0.0 or not acts(directions, mine, x):
            continue
        rate, begin = speed_to_stop(tree, directions, mine, x, u), speed_to_stop(tree, directions, mine, x, meet.start)
        if rate >= -resting_speed_of_stop(contacts, (rate - begin) / h, h):
            continue
        gap = x.side * (rows.number[x.row].error - x.bound) + speed_to_stop(tree, directions, mine, x, meet.fix)
        apart = gap > contacts.options[SLOP] if simultaneous else gap + 0.5 * h * rate > 0.0
        if apart or not last:
            rows.number[x.row].lo = rows.number[x.row].hi = 0.0
