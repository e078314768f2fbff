"""Joints, springs and motors that a hand puts on while it runs (V-103)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.checks import unknown
from gelenk.errors import InputError
from gelenk.forces.spring import Spring
from gelenk.joints.ball import Ball
from gelenk.joints.hinge import Hinge
from gelenk.joints.rigid import Rigid
from gelenk.joints.slider import Slider
from gelenk.joints.velocity_motor import VelocityMotor
from gelenk.model.builder import Builder
from gelenk.model.parts import WORLD
from gelenk.simulate import Simulation
from gelenk.view.from_page import Attach

JOINTS: dict[str, Any] = {"hinge": Hinge, "slider": Slider, "ball": Ball, "rigid": Rigid}


def attach(builder: Builder, sim: Simulation, wanted: Attach) -> str:
    """Add what is wanted to a builder that begins where the simulation is now; returns its name."""
    model = sim.model
    name = wanted.name or _new_name(builder, wanted.what)
    if wanted.what == "motor":
        return builder.add(VelocityMotor(name=name, on=wanted.a, speed=wanted.value))
    for end in (wanted.a, wanted.b):
        if end not in model.nodes.names:
            raise unknown("attach", "body", end, model.nodes.names)
    if wanted.b == WORLD:
        raise InputError("attach", "the world as the second of two", "a body that moves", "Name the world first.")
    at = tuple(sim[wanted.b].com.tolist()) if wanted.at is None else wanted.at
    if wanted.what == "spring":
        return builder.add(_spring(sim, wanted, name, at))
    kind = JOINTS[wanted.what]
    axis = {"axis": wanted.axis} if kind.needs_axis else {}
    place = {} if model.nodes.is_particle(model.index(wanted.b)) else {"at": at}
    return builder.add(kind(name=name, a=wanted.a, b=wanted.b, **place, **axis))


def _spring(sim: Simulation, wanted: Attach, name: str, at: Any) -> Spring:
    """From the centre of mass of the first, or the point if that is the world, to that of the second; at rest now."""
    far = sim[wanted.b].com
    near = np.array(at) if wanted.a == WORLD else sim[wanted.a].com
    ends = [_in_body(sim, end, point) for end, point in ((wanted.a, near), (wanted.b, far))]
    length = float(np.linalg.norm(far - near))
    return Spring(name, wanted.a, wanted.b, wanted.value, length, at_a=ends[0], at_b=ends[1])


def _in_body(sim: Simulation, body: str, point: np.ndarray) -> tuple[float, float, float]:
    if body == WORLD:
        x, y, z = point.tolist()
    else:
        now = sim[body]
        x, y, z = (now.rotation.T @ (point - now.position)).tolist()
    return x, y, z


def _new_name(builder: Builder, what: str) -> str:
    taken = {*builder._bodies, *builder._particles, *builder._frames, *builder._joints, *builder._forces}
    return next(name for k in range(1, len(taken) + 2) if (name := f"{what} {k}") not in taken)
