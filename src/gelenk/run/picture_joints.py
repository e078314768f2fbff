"""Joints in a picture: a dot where each is, a short line along its axis, a line for a rod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gelenk.joints.cylindrical import Cylindrical
from gelenk.joints.distance import Distance
from gelenk.joints.hinge import Hinge
from gelenk.joints.screw import Screw
from gelenk.joints.slider import Slider
from gelenk.joints.suspension import DampedHinge
from gelenk.math.rotation import rotation_matrix

if TYPE_CHECKING:
    from gelenk.run.run import Run

WITH_AXIS = (Cylindrical, DampedHinge, Hinge, Screw, Slider)  # whose z axis tells what they do
AXIS_LENGTH = 0.5  # of the largest body
MOST_JOINTS = 1000
PARALLEL = 1e-3  # cosines off by less
COLOR = "#222222"


class JointPlaces(NamedTuple):
    """Where joints are at k samples."""

    anchor: np.ndarray  # (k, J, 3) joint point on b, world
    other: np.ndarray  # (k, J, 3) joint point on a
    axis: np.ndarray  # (k, J, 3) z axis of the joint in b
    has_axis: np.ndarray  # (J,)
    is_rod: np.ndarray  # (J,)


def joint_places(run: Run, samples: np.ndarray) -> JointPlaces:
    """The frames of all joints, carried along with their bodies."""
    model, k = run.parts, len(samples)
    elements = {element.name: element for element in model.joints}
    kinds = [elements[name] for name in model.wired.names[:MOST_JOINTS]]
    pairs = model.wired.joints.pair[model.wired.joints.joint["pair"][: len(kinds)]]
    p_WC = np.zeros((k, model.nodes.count, 3))
    R_W = np.tile(np.eye(3), (k, model.nodes.count, 1, 1))
    n = len(model.bodies) + 1
    if model.bodies:
        R_W[:, 1:n] = rotation_matrix(run.read("orientation")[samples])
        com = np.array([body.com for body in model.bodies])
        p_WC[:, 1:n] = run.read("position")[samples] + (R_W[:, 1:n] @ com[:, :, None])[..., 0]
    if model.particles:
        p_WC[:, n:] = run.read("particle_position")[samples]

    def point(node: np.ndarray, arm: np.ndarray) -> np.ndarray:
        made: np.ndarray = p_WC[:, node] + (R_W[:, node] @ arm[:, :, None])[..., 0]
        return made

    axis_B = rotation_matrix(pairs["q_b"])[:, :, 2]
    return JointPlaces(
        anchor=point(pairs["b"], pairs["r_b"]),
        other=point(pairs["a"], pairs["r_a"]),
        axis=(R_W[:, pairs["b"]] @ axis_B[:, :, None])[..., 0],
        has_axis=np.array([isinstance(element, WITH_AXIS) for element in kinds], dtype=bool),
        is_rod=np.array([isinstance(element, Distance) for element in kinds], dtype=bool),
    )


def is_anchored(run: Run) -> bool:
    """Whether a joint ties something to what is fixed."""
    nodes, pairs = run.parts.nodes, run.parts.wired.joints.pair[run.parts.wired.joints.joint["pair"]]
    return any(nodes.is_static(int(node)) for node in (*pairs["a"], *pairs["b"]))


def plane_normal(run: Run, samples: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """The direction that all hinges turn about, if sliders stay across it and there are no other joints.

    Pointing to the same side as ``otherwise``, which comes back where there is no such direction.
    """
    kinds = {element.name: element for element in run.parts.joints}
    names = run.parts.wired.names
    turning = np.array([isinstance(kinds[name], (Hinge, DampedHinge)) for name in names], dtype=bool)
    sliding = np.array([isinstance(kinds[name], Slider) for name in names], dtype=bool)
    if not turning.any() or not (turning | sliding).all() or len(names) > MOST_JOINTS:
        return otherwise
    axis = joint_places(run, samples).axis
    normal: np.ndarray = axis[0, turning.argmax()]
    along = np.abs(axis @ normal)
    if along[:, turning].min() < 1.0 - PARALLEL or along[:, sliding].max(initial=0.0) > PARALLEL:
        return otherwise
    return normal if normal @ otherwise >= 0.0 else -normal


def draw_joints(panel: Any, camera: Any, places: JointPlaces, side: np.ndarray, length: float) -> None:
    """Draw them over the bodies with axes of a length.

    ``side`` sets each instant beside the last; where it is zero, later instants are darker.
    """
    from matplotlib.collections import LineCollection

    k = len(places.anchor)
    for i in range(k):
        shift, shade = i * side, 1.0 if side.any() else (i + 1) / k
        half = 0.5 * length * places.axis[i]
        ends = [(places.anchor[i] - half, places.anchor[i] + half, places.has_axis, 1.4)]
        ends += [(places.other[i], places.anchor[i], places.is_rod, 1.0)]
        for first, last, wanted, width in ends:
            lines, _ = camera.project(np.stack([first[wanted], last[wanted]], axis=1) + shift)
            if len(lines):
                panel.add_collection(LineCollection(list(lines), colors=COLOR, linewidths=width, alpha=shade, zorder=3))
        rods = places.is_rod
        dots, _ = camera.project(np.concatenate([places.anchor[i], places.other[i][rods]]) + shift)
        panel.plot(dots[:, 0], dots[:, 1], "o", markersize=2.5, color=COLOR, alpha=shade, zorder=3)
