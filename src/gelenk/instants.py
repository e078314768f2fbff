"""Pictures of a run at single instants, made of rays: what contact knows, shaded and outlined."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.run.picture import PALETTE, STATIC, Camera
from gelenk.space.view import Layer, draw_shapes
from gelenk.space.world import CollisionWorld

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from gelenk.model.model import Model
    from gelenk.run.run import Run
    from gelenk.state import State


def state_at(run: Run, sample: int) -> State:
    """Poses and velocities of all bodies and particles at a sample; what joints remember is that of the start."""
    model = run.model
    state, n = model.initial_state(), len(model.bodies)
    if n:
        q = run.read("orientation")[sample]
        R, spin = rotation_matrix(q), run.read("angular_velocity")[sample]
        arm = np.einsum("nij,nj->ni", R, np.array([body.com for body in model.bodies]))
        state.p_WC[1 : n + 1] = run.read("position")[sample] + arm
        state.v_WC[1 : n + 1] = run.read("velocity")[sample] + np.cross(spin, arm)
        state.q_WB[1:], state.w_WB_B[1:] = q, np.einsum("nji,nj->ni", R, spin)
    if model.particles:
        state.p_WC[n + 1 :] = run.read("particle_position")[sample]
        state.v_WC[n + 1 :] = run.read("particle_velocity")[sample]
    return state


def colors_of(model: Model) -> dict[str, Any]:
    """Of the material of its first part for every body; else grey if it stands still, one of a few in turn if not."""
    materials = {material.name: material.color for material in model.materials}
    made: dict[str, Any] = {}
    for k, body in enumerate(model.bodies):
        own = [materials[part.material] for part in body.parts if part.material and part.collide]
        made[body.name] = own[0] if own else tuple(STATIC if body.static else PALETTE[k % len(PALETTE)])
    return made


def draw_instant(
    panel: Any,
    run: Run,
    sample: int,
    middle: Any,
    size: tuple[float, float],
    *,
    toward: Any = (0.454, -0.792, 0.408),
    colors: Mapping[str, Any] | None = None,
    pixels: int = 300,
) -> CollisionWorld:
    """Draw all bodies of a run at one sample into the axes ``panel``; returns the world with the contacts of it.

    Parameters
    ----------
    sample : which one; negative ones count from the last
    middle : (3,) what is in the middle of the picture, world [m]
    size : width and height of what is seen [m]
    toward : direction from the scene to the eye
    colors : by names of bodies, instead of those of their materials
    pixels : along the width
    """
    world = CollisionWorld(run.model).detect(state_at(run, sample))
    layer = Layer(color=colors_of(run.model) | dict(colors or {}))
    draw_shapes(panel, world, Camera(np.array(toward, dtype=float)), middle, size, [layer], pixels)
    return world


def save_small(figure: Figure, path: str | Path, dots: float = 80.0, colors: int = 128) -> None:
    """Save a picture with few colours, which shaded solids take well: a third of the size."""
    from PIL import Image

    made = BytesIO()
    figure.savefig(made, dpi=dots, format="png")
    few = Image.open(made).convert("RGB").quantize(colors, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
