"""Frames that hang on frames: a tree of places with one body at its root (V-102).

The tree is for those who build. Every frame also has its place in the body, which is all that joints, sensors and
steps look at: dynamics is flat.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gelenk.checks import Quaternion, Vector
from gelenk.errors import InputError
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.model.mass import as_vector
from gelenk.model.parts import Frame


def hung(frame: Frame, parent: Frame) -> Frame:
    """A frame whose place is given in another frame, and its place in the body:  p = p_P + R_P p_F,  q = q_P q_F."""
    at, rotation = frame.within[1:] if frame.within else (frame.at, frame.rotation)
    p = np.array(parent.at) + rotation_matrix(parent.rotation) @ np.array(at)
    q = (Quat(*parent.rotation) * Quat(*rotation)).unit()
    within: tuple[str, Vector, Quaternion] = (parent.name, at, rotation)
    return replace(frame, body=parent.body, at=as_vector(p), rotation=(q.w, q.x, q.y, q.z), within=within)


def resolved(frames: Iterable[Frame]) -> list[Frame]:
    """Frames with their places in the bodies computed anew, each after the one that it hangs on."""
    given = {frame.name: frame for frame in frames}
    made: dict[str, Frame] = {}
    for name in given:
        chain: list[str] = []  # up to one that is done, or hangs on a body
        while name not in made:
            if name in chain:
                found = f"it hangs on itself: {' on '.join(map(repr, [*chain, name]))}"
                raise InputError(f"frame {name!r}", found, "frames that lead to a body", "Hang one of them on a body.")
            chain.append(name)
            within = given[name].within
            if within is None:
                break
            if within[0] not in given:
                found, remedy = (
                    f"it hangs on the frame {within[0]!r}, which does not exist",
                    "Remove it too, or add that.",
                )
                raise InputError(f"frame {name!r}", found, "a frame of the model", remedy)
            name = within[0]
        for one in reversed(chain):
            frame = given[one]
            made[one] = frame if frame.within is None else hung(frame, made[frame.within[0]])
    return list(made.values())
