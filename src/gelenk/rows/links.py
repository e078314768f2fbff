"""Connections from outputs to inputs, as arrays (V-107). What follows them is in :mod:`gelenk.methods.follow`."""

from __future__ import annotations

import numpy as np

# what a link reads
AT = 0  # a coordinate
RATE = 1  # its rate
FORCE = 2  # of a row
REACTION = 3  # of a joint: force, then couple
POSITION = 4  # of a node: origin of the body frame
VELOCITY = 5
TURNING = 6  # angular velocity, world axes
ORIENTATION = 7

LINK = np.dtype(
    [
        ("kind", "u4"),
        ("index", "u4"),  # coordinate, row, joint or node
        ("axis", "u4"),
        ("input", "u4"),
        ("factor", "f8"),
        ("offset", "f8"),
        ("r", "f8", (3,)),  # centre of mass of a node to the origin of its frame, body axes [m]
    ]
)
