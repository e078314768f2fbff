"""The six basic joints that all others are made of (I-031 to I-037): what each holds of a pair of frames.

A part is a list of (kind of coordinate, axis, rest). The line of T2, the normal of T1 and the axis of R2 are the z axis
of the joint; R1 keeps the x axis of the first frame at a right angle to the y axis of the second.
"""

from __future__ import annotations

import math

from gelenk.rows.coordinate import SHIFT, SKEW, TILT, TURN

Part = tuple[tuple[int, int, float], ...]

T3: Part = ((SHIFT, 0, 0.0), (SHIFT, 1, 0.0), (SHIFT, 2, 0.0))  # a common point
T2: Part = ((SHIFT, 0, 0.0), (SHIFT, 1, 0.0))  # a point on a line
T1: Part = ((SHIFT, 2, 0.0),)  # a point in a plane
R3: Part = ((TURN, 0, 0.0), (TURN, 1, 0.0), (TURN, 2, 0.0))  # no relative rotation
R2: Part = ((TILT, 0, 0.0), (TILT, 1, 0.0))  # rotation about one axis
R1: Part = ((SKEW, 0, math.pi / 2),)  # rotation about two axes
