"""A model that begins where a simulation is now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.model.assembly import assembled, placed_anew
from gelenk.model.builder import Builder
from gelenk.model.mass import as_vector
from gelenk.model.model import Model
from gelenk.state import State


def begun_at(model: Model, state: State, broken: Iterable[str] = ()) -> Model:
    """The model with its bodies and particles where and as fast as a state has them; its joints go along.

    Joints that were placed in the world keep their places in both bodies, as frames in them. What steps leave open of
    joints is closed where it is more than models may have. Joints that are ``broken`` are left out, with what acts on
    them: nothing could close them.
    """
    placed = _placed(model, state)
    broken = list(broken)
    if not broken:
        return assembled(placed, [joint.name for joint in placed.joints])
    builder = Builder.from_model(placed)
    for name in broken:
        builder.remove(name, kind="joint", dependents=True)
    return builder.build(assemble=True, settled=builder.named("joint"))


def _placed(model: Model, state: State) -> Model:
    placed = placed_anew(model, state)
    bodies = list(placed.bodies)
    for i, body in enumerate(bodies, start=1):
        if not body.static:
            R = rotation_matrix(state.q_WB[i])
            w = R @ state.w_WB_B[i]
            v = state.v_WC[i] - np.cross(w, R @ np.array(body.com))
            bodies[i - 1] = replace(body, velocity=as_vector(v), angular_velocity=as_vector(w))
    first = len(bodies) + 1
    particles = tuple(
        particle if particle.static else replace(particle, velocity=as_vector(state.v_WC[first + k]))
        for k, particle in enumerate(placed.particles)
    )
    return replace(placed, bodies=tuple(bodies), particles=particles)
