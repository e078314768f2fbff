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
AWAY = 1e-6  # [m] from a particle; six printed digits


def attach(builder: Builder, sim: Simulation, wanted: Attach) -> str:
    """Add what is wanted to a builder that begins where the simulation is now; returns its name."""
    model = sim.model
    name = wanted.name or builder.new_name(wanted.what)
    if wanted.what == "motor":
        return builder.add(VelocityMotor(name=name, on=wanted.a, speed=wanted.value))
    for end in (wanted.a, wanted.b):
        if end not in model.nodes.names:
            raise unknown("attach", "body", end, model.nodes.names)
    if wanted.b == WORLD:
        raise InputError("attach", "the world as the second of two", "a body that moves", "Name the world first.")
    if wanted.what == "spring":
        return builder.add(_spring(sim, wanted, name))
    kind = JOINTS[wanted.what]
    axis = {"axis": wanted.axis} if kind.needs_axis else {}
    if model.nodes.is_particle(model.index(wanted.b)):
        _check_at_particle(sim, wanted.b, wanted.at)
        return builder.add(kind(name=name, a=wanted.a, b=wanted.b, **axis))
    at = tuple(sim[wanted.b].com.tolist()) if wanted.at is None else wanted.at
    return builder.add(kind(name=name, a=wanted.a, b=wanted.b, at=at, **axis))


def _spring(sim: Simulation, wanted: Attach, name: str) -> Spring:
    """From a point of the first to the centre of mass of the second; at rest now.

    The point is the centre of mass of the first if none is given, and that of the second if the first is the world.
    """
    far = sim[wanted.b].com
    near = far if wanted.a == WORLD else sim[wanted.a].com
    if wanted.at is not None:
        if wanted.a != WORLD and sim.model.nodes.is_particle(sim.model.index(wanted.a)):
            _check_at_particle(sim, wanted.a, wanted.at)
        else:
            near = np.array(wanted.at)
    ends = [_in_body(sim, end, point) for end, point in ((wanted.a, near), (wanted.b, far))]
    length = float(np.linalg.norm(far - near))
    return Spring(name, wanted.a, wanted.b, wanted.value, length, at_a=ends[0], at_b=ends[1])


def _check_at_particle(sim: Simulation, particle: str, at: Any) -> None:
    """Refuse a place beside a particle, which has no point but its own."""
    place = sim[particle].position
    if at is not None and float(np.linalg.norm(np.array(at) - place)) > AWAY:
        found = f"the place {at} [m], and the particle is at {tuple(round(x, 6) for x in place.tolist())}"
        raise InputError(f"particle {particle!r}", found, "the place where it is", "Leave the place out.")


def _in_body(sim: Simulation, body: str, point: np.ndarray) -> tuple[float, float, float]:
    if body == WORLD:
        x, y, z = point.tolist()
    elif sim.model.nodes.is_particle(sim.model.index(body)):
        x = y = z = 0.0
    else:
        now = sim[body]
        x, y, z = (now.rotation.T @ (point - now.position)).tolist()
    return x, y, z
