"""Rows of a model, as arrays: what is the same in every step. What a step computes is in :mod:`gelenk.rows.assemble`.

A row is one scalar condition on the velocities of up to four bodies (virtual-worlds V-41, V-122):

    J V' + (c/h) p = b + (k/h) e,      p in a convex set

J is the gradient of a sum of coordinates, so it has at most two bodies for each of its (at most two) terms. The *mode*
of a row tells where its target b, its error e, its compliance c, its gain k and its set come from.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.geometry.curve_eval import Curves
from gelenk.geometry.surface_eval import Surfaces
from gelenk.rows.guides import Guides

NONE = 0xFFFFFFFF  # an index that points nowhere
LINE = 64  # bytes of a cache line

# modes
HOLD = 0  # a joint: the sum of coordinates stays at its rest; may be bounded
LIMIT = 1  # a stop: the sum stays between low and high (V-71, I-026)
DRIVE = 2  # a velocity motor or a brake (V-72, V-80)
SERVO = 3  # a position motor: PID to a velocity (V-74)
PUSH = 4  # a force motor: a load along the row, no condition (V-73)
SPRING = 5  # spring and damper, implicit (V-78)
LOCK = 6  # holds the place it has when its input becomes other than zero (V-79)
LED = 7  # the sum follows a given motion (B-09, see gelenk.rows.guides)

# sets of the impulses
BOX = 0  # an interval, half-line or everything, each row for itself
BALL = 1  # three rows from this one on: |p| <= radius (I-062)
ELLIPSE = 2  # two rows from this one on: (p1/mu1)^2 + (p2/mu2)^2 <= p_n^2 of the normal row (Coulomb)
INNER = 3  # a later row of a BALL or an ELLIPSE


PAIR = np.dtype(  # two frames, one in each of two nodes
    [
        ("a", "u4"),  # node of the first frame
        ("b", "u4"),  # node of the second
        ("pose", "u4"),  # first of seven inputs that give the frame in a instead, or NONE
        ("points_only", "u4"),  # 1 if all its coordinates are SHIFT
        ("first", "u4"),  # its coordinates
        ("last", "u4"),
        ("r_a", "f8", (3,)),  # centre of mass of a to the origin of its frame, body axes [m]
        ("r_b", "f8", (3,)),
        ("q_a", "f8", (4,)),  # axes of the frame in body a
        ("q_b", "f8", (4,)),
    ]
)
COORDINATE = np.dtype(
    [("kind", "u4"), ("axis", "u4"), ("pair", "u4"), ("table", "u4")]
)  # table: which curve or surface
ROW = np.dtype(  # what every sweep reads comes first and fills a cache line
    [
        ("mode", "u4"),
        ("owner", "u4"),  # joint whose breaking ends the row, or NONE
        ("bearing", "u4"),  # 1 if its impulse belongs to the reaction of the owner
        ("set", "u4"),
        ("plain", "u4"),  # 1 for a row of a joint or gear that nothing bounds: most rows
        ("term_first", "u4"),
        ("term_last", "u4"),
        ("entry_first", "u4"),
        ("entry_last", "u4"),
        ("with_a", "u4"),  # joints whose breaking ends the row too, or NONE
        ("with_b", "u4"),
        ("target", "u4"),  # input, or NONE for zero
        ("rest", "f8"),  # value of the sum where the error is zero
        ("gain", "f8"),  # error reduction k of HOLD, LIMIT and LOCK; 0 for conditions on velocities only
        ("stiffness", "f8"),  # [N/m] or [N m/rad]
        ("damping", "f8"),  # [N s/m] or [N m s/rad]
        ("low", "f8"),  # limits, or the least force [N] or [N m]
        ("high", "f8"),
        ("target_factor", "f8"),
        ("kp", "f8"),  # [1/s]; of a LOCK the value of its input below which it holds
        ("ki", "f8"),  # [1/s^2]
        ("kd", "f8"),
        ("radius", "f8"),  # [N] of a BALL; coefficient of friction of an ELLIPSE
        ("normal", "u4"),  # row whose impulse scales an ELLIPSE, or NONE
        ("strength", "u4"),  # input that scales the bounds, or NONE
        ("guide", "u4"),  # that a LED row follows, or NONE
        ("spare_u", "u4"),
        ("kink", "f8"),  # way from its rest at which a spring bends, infinite for a straight one [m] or [rad]
        ("beyond", "f8"),  # stiffness from there on
        ("restitution", "f8"),  # of a LIMIT, see gelenk.contact.tree_stops
        ("spare", "f8", (2,)),  # up to three cache lines
    ]
)
# a coordinate in a row; slot: the entry its body adds to, NONE if the body does not move; shift: 1 if it is a SHIFT
TERM = np.dtype([("coordinate", "u4"), ("slot_a", "u4"), ("slot_b", "u4"), ("shift", "u4"), ("factor", "f8")])
JOINT = np.dtype([("pair", "u4"), ("spare", "u4"), ("break_force", "f8"), ("break_torque", "f8")])


class Joints(NamedTuple):
    """All pairs, coordinates and rows of a model. Rows without bounds come first, friction would come last."""

    pair: np.ndarray  # (P,) PAIR
    coordinate: np.ndarray  # (C,) COORDINATE, sorted by pair
    row: np.ndarray  # (R,) ROW
    term: np.ndarray  # (T,) TERM
    body: np.ndarray  # (E,) uint32 node of each entry of the Jacobian
    joint: np.ndarray  # (J,) JOINT; the anchor of its reaction is the second origin of its pair
    equalities: np.ndarray  # (1,) uint32 rows of mode HOLD without bounds, which come first
    strip: np.ndarray  # (S + 1,) STRIP over all pairs and the equalities
    breakable: np.ndarray  # (k,) uint32 joints that can break
    curves: Curves
    surfaces: Surfaces
    guides: Guides


class JointMemory(NamedTuple):
    """What rows hold from step to step: views of ``State.memory``."""

    inputs: np.ndarray  # (K,) set-points
    coordinate: np.ndarray  # (C, 2) angle to count on from, place on a curve or surface
    impulse: np.ndarray  # (R,) of the last step over its length, to start from [N] or [N m]
    force: np.ndarray  # (R,) mean over the last step [N] or [N m]
    integral: np.ndarray  # (R,) of the error of a servo, place of a lock
    reaction: np.ndarray  # (J, 6) force [N] and couple [N m] on b at the anchor, world axes, mean over the last step
    broken: np.ndarray  # (J,) 1 if it is
    segment: np.ndarray  # (S, 4) of segment contacts: force, world axes [N]; 1 + whether it sticks or slides, or 0


def memory_sizes(joints: Joints, inputs: int, segments: int = 0) -> tuple[int, ...]:
    """Numbers in each part of the memory."""
    C, R, J = len(joints.coordinate), len(joints.row), len(joints.joint)
    return (inputs, 2 * C, R, R, R, 6 * J, J, 4 * segments)


def memory_of(memory: np.ndarray, joints: Joints, inputs: int, segments: int = 0) -> JointMemory:
    """View the memory of a state."""
    parts, at = [], 0
    for size in memory_sizes(joints, inputs, segments):
        parts.append(memory[at : at + size])
        at += size
    k, c, p, f, i, w, x, s = parts
    return JointMemory(k, c.reshape(-1, 2), p, f, i, w.reshape(-1, 6), x, s.reshape(-1, 4))


def records(dtype: np.dtype, count: int) -> Any:
    """Zero records whose fields read as attributes, compiled or not; the first begins a cache line."""
    return zeros_in_lines(count, dtype).view(np.recarray)


def zeros_in_lines(shape: int | tuple[int, ...], dtype: Any = float) -> np.ndarray:
    """Zeros of which the first begins a cache line, so that a row of 32 or 64 bytes never lies in two."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    space = np.zeros(size + LINE, np.uint8)
    begin = -space.ctypes.data % LINE
    return space[begin : begin + size].view(dtype).reshape(shape)
