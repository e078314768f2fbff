"""Kinds of joints that a tree eliminates: their numbers, and what each has (B-04, B-05).

What a kind does is in :mod:`gelenk.trees.kinds`.
"""

from __future__ import annotations

from typing import NamedTuple

from gelenk.rows.coordinate import ANGLE_X, ANGLE_Y, PLACE, SHIFT, TWIST

FIXED, HINGE, SLIDER, CYLINDRICAL, SCREW, UNIVERSAL, PLANAR, BALL, FREE, POINT, TRACK, BEAD, SPECK = range(13)
COUNTED = (HINGE, SCREW, CYLINDRICAL, UNIVERSAL, PLANAR)  # whose angles are coordinates of the tree and count turns

SPIN = ("wx", "wy", "wz")
VELOCITY = ("vx", "vy", "vz")


class Kind(NamedTuple):
    """What a kind of joint has."""

    joint: str  # of the model; empty for what no joint holds, and for particles at joints
    coordinates: int  # numbers q
    names: tuple[str, ...]  # of its velocities
    quaternion: int | None = None  # where it begins among the numbers q
    on_curve: bool = False
    measured: dict[tuple[int, int], int] = {}  # velocity that a coordinate (kind, axis) of rows belongs to


TABLE = (
    Kind("rigid", 0, ()),
    Kind("hinge", 1, ("angle",), measured={(TWIST, 2): 0}),
    Kind("slider", 1, ("position",), measured={(SHIFT, 2): 0}),
    Kind("cylindrical", 2, ("position", "angle"), measured={(SHIFT, 2): 0, (TWIST, 2): 1}),
    Kind("screw", 1, ("angle",), measured={(TWIST, 2): 0, (SHIFT, 2): 0}),
    Kind("universal", 2, ("angle_x", "angle_y"), measured={(ANGLE_X, 0): 0, (ANGLE_Y, 1): 1}),
    Kind("planar", 3, ("x", "y", "angle"), measured={(SHIFT, 0): 0, (SHIFT, 1): 1, (TWIST, 2): 2}),
    Kind("ball", 4, SPIN, quaternion=0),
    Kind("", 7, (*VELOCITY, *SPIN), quaternion=3),
    Kind("", 3, VELOCITY),
    Kind("slider_on_curve", 1, ("place",), on_curve=True, measured={(PLACE, 0): 0}),
    Kind("ball_on_curve", 5, ("place", *SPIN), quaternion=1, on_curve=True, measured={(PLACE, 0): 0}),
    Kind("", 1, ("place",), on_curve=True, measured={(PLACE, 0): 0}),
)
NUMBER = {kind.joint: n for n, kind in enumerate(TABLE) if kind.joint}  # of a joint of the model
CURVED = {name for name, n in NUMBER.items() if TABLE[n].on_curve}
