"""Limits and given motions at the start: what begins elsewhere would be thrown there within the first step."""

from __future__ import annotations

import math
from typing import Any

from gelenk.errors import InputError
from gelenk.model.model import Model
from gelenk.model.pose_rows import coordinates_at, error_of
from gelenk.rows.block import LIMIT
from gelenk.rows.guides import SINE, TABLE, motion_at_time
from gelenk.state import State

WITHIN = 1e-6  # [m or rad]; six printed digits


def soft(row: Any) -> bool:
    """Whether a stop yields, so that a joint may begin beyond it."""
    return bool(row.stiffness > 0.0 or row.damping > 0.0)


def check_start(model: Model) -> None:
    """Refuse joints that begin outside their limits, or where their function of time does not."""
    check_stops(model)
    check_guides(model, model.initial_state(), 0.0, WITHIN)


def check_guides(model: Model, state: State, t: float, within: float) -> None:
    """Refuse a state whose driven coordinates are not where their functions of time are at t."""
    joints = model.wired.joints
    timed = [g for g in range(len(joints.guides.guide)) if joints.guides.guide[g].kind in (SINE, TABLE)]
    at = coordinates_at(model, state) if timed else None
    for g in timed:
        place, now = motion_at_time(joints.guides, g, t)[0], at.at[joints.guides.guide[g].coordinate].value  # type: ignore[union-attr]
        if not abs(place - now) <= within * max(1.0, abs(place)):
            raise InputError(
                model.wired.labels[joints.guides.guide[g].row],
                f"its function of time is at {place:.6g} [m or rad] at {t:g} s, and the joint at {now:.6g}",
                "a motion that begins where the joint is, which is 0 for a joint placed by at and axis",
                "Shift it by offset or places, or place the joint by frames.",
            )


def check_stops(model: Model) -> None:
    """Refuse joints that begin outside their limits."""
    joints = model.wired.joints
    stops = [r for r in range(len(joints.row)) if joints.row[r].mode == LIMIT and not soft(joints.row[r])]
    if not stops:
        return
    at = coordinates_at(model, model.initial_state())
    labels = {joint.name: joint.label for joint in model.joints}
    for r in stops:
        row, value = joints.row[r], float(error_of(joints, at, r))
        if row.low - WITHIN <= value <= row.high + WITHIN:
            continue
        name = model.wired.names[row.owner]
        limit = f"above {row.high:g}" if math.isfinite(row.high) else f"below {row.low:g}"
        raise InputError(
            labels[name],
            f"it begins at {value:.6g} [m or rad], {limit}",
            "a start within its limits; a joint placed by at and axis counts from its start pose, which is 0",
            "Shift the limits, or give frames whose relative pose says where it stands.",
        )
