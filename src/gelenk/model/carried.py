"""Joints carried along when bodies move to another start.

Most joints give points and axes in the world at the start. When bodies move, what is fixed in them must move with
them, and angles and positions must go on counting from the pose in which the joint was modelled. So a joint that was
placed in the world gets two frames, one in each body, and everything else has its points moved.
"""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from typing import Any

import numpy as np

from gelenk.checks import Vector
from gelenk.joints.control import Deceleration, DirectControl, Grab
from gelenk.joints.distance import Distance
from gelenk.joints.joint import Joint
from gelenk.joints.on_curve import BallOnCurve
from gelenk.joints.on_surface import BallOnSurface
from gelenk.math.rotation import rotation_matrix
from gelenk.model.mass import as_vector
from gelenk.model.model import Model
from gelenk.model.parts import WORLD, Body, Frame, Particle


class Move:
    """From the start of a model to a new one: who moved, and the frames that joints need for it."""

    def __init__(self, model: Model, bodies: tuple[Body, ...], particles: tuple[Particle, ...]) -> None:
        self.model, self.frames = model, list(model.frames)
        self._body_of = {frame.name: frame.body for frame in model.frames}
        old: tuple[Any, ...] = (*model.bodies, *model.particles)
        new: tuple[Any, ...] = (*bodies, *particles)
        self._change = {x.name: (x, y) for x, y in zip(old, new) if x != y}
        self._pair = {name: model.wired.joints.joint[j].pair for j, name in enumerate(model.wired.names)}
        self._taken = {*model.nodes.names, *self._body_of, *(joint.name for joint in model.joints)}

    def moved(self, name: str) -> bool:
        """Whether a body, a particle, or the body of a frame moved."""
        return self._body_of.get(name, name) in self._change

    def point(self, name: str, p_W: Any) -> Any:
        """Where a point goes that was at p in the world and is fixed in a body; None stays None."""
        if p_W is None or not self.moved(name):
            return p_W
        old, new = self._change[self._body_of.get(name, name)]
        if isinstance(old, Particle):
            return as_vector(np.array(p_W) + np.array(new.at) - np.array(old.at))
        p_B = rotation_matrix(old.rotation).T @ (np.array(p_W) - np.array(old.at))
        return as_vector(np.array(new.at) + rotation_matrix(new.rotation) @ p_B)

    def frame(self, joint: Joint, side: str) -> str:
        """Name of the frame of a joint on its side a or b; made if the joint does not name one. A particle has none."""
        name = getattr(joint, side)
        pair = self.model.wired.joints.pair[self._pair[joint.name]]
        if name in self._body_of or self.model.nodes.is_particle(int(pair[side])):
            return str(name)
        com = self.model.body(name).com if name != WORLD else (0.0, 0.0, 0.0)
        made = f"{joint.name}.{side}"
        while made in self._taken:
            made += "_"
        self._taken.add(made)
        self.frames.append(Frame(made, name, as_vector(pair[f"r_{side}"] + np.array(com)), tuple(pair[f"q_{side}"])))
        return made


@singledispatch
def carried(element: Any, move: Move) -> Any:
    """An element after a move. Register your own kind here if it keeps points in the world."""
    return element


@carried.register
def _(joint: Joint, move: Move) -> Any:
    if not (move.moved(joint.a) or move.moved(joint.b)):
        return joint
    return replace(joint, a=move.frame(joint, "a"), b=move.frame(joint, "b"), at=None, axis=None, x_axis=None)


@carried.register
def _(joint: Distance, move: Move) -> Any:
    return replace(joint, at_a=move.point(joint.a, joint.at_a), at_b=move.point(joint.b, joint.at_b))


@carried.register
def _(joint: BallOnCurve, move: Move) -> Any:
    points = tuple(move.point(joint.a, p) for p in joint.points)
    return replace(joint, points=points, at=move.point(joint.b, joint.at))


@carried.register
def _(joint: BallOnSurface, move: Move) -> Any:
    points: tuple[tuple[Vector, ...], ...] = tuple(tuple(move.point(joint.a, p) for p in row) for row in joint.points)
    return replace(joint, points=points, at=move.point(joint.b, joint.at))


@carried.register(DirectControl)
@carried.register(Grab)
@carried.register(Deceleration)
def _(hand: Any, move: Move) -> Any:
    return replace(hand, at=move.point(hand.body, hand.at))
