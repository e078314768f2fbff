"""Limits at the start: a joint that begins beyond a stop would be thrown back within the first step."""

from __future__ import annotations

import math
from typing import Any

from gelenk.errors import InputError
from gelenk.model.model import Model
from gelenk.model.pose_rows import coordinates_at, error_of
from gelenk.rows.block import LIMIT

WITHIN = 1e-6  # [m or rad]; six printed digits


def soft(row: Any) -> bool:
    """Whether a stop yields, so that a joint may begin beyond it."""
    return bool(row.stiffness > 0.0 or row.damping > 0.0)


def check_start(model: Model) -> None:
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
