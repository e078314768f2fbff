"""The sled: nine bodies, eight hinges of which one is driven, springs, drag, 17 points that touch (B-50 to B-58).

Body axes are x left, y up, z forward. In the reference pose all runners stand on the ice and no spring is stretched.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gelenk.checks import check_vector
from gelenk.errors import InputError
from gelenk.forces.drag import Drag
from gelenk.joints.driven import Driven
from gelenk.joints.hinge import Hinge
from gelenk.joints.joint_spring import JointSpring
from gelenk.math.quat import Quat
from gelenk.math.rotation import Mat3, quat_from_rotation
from gelenk.model.builder import Builder
from gelenk.worlds.bobsleigh.looks import add_paints, looks_of
from gelenk.worlds.bobsleigh.setup import SPRINGS, Setup

STEERING_ACCELERATION = 50.0  # [rad/s^2] hands turn the steering no harder [S]


@dataclass(frozen=True)
class Stance:
    """Where a sled stands: its base point on the ice, and its axes."""

    at: np.ndarray  # (3,) point on the ice under the middle of the rear axle [m]
    R_WB: np.ndarray  # (3, 3) columns left, up, forward

    @classmethod
    def on(cls, at: ArrayLike, forward: ArrayLike, up: ArrayLike = (0.0, 0.0, 1.0)) -> Stance:
        """Looking along ``forward``, as upright as that allows."""
        given = {"at": at, "forward": forward, "up": up}
        p, f, u = (np.array(check_vector("sled", what, x, "m")) for what, x in given.items())
        left = np.cross(u, f)
        if not np.linalg.norm(left) > 1e-9 * np.linalg.norm(u) * np.linalg.norm(f):
            found = f"forward {tuple(f)} along up {tuple(u)}"
            raise InputError("sled", found, "two directions apart", "Let forward point along the track.")
        f, left = f / np.linalg.norm(f), left / np.linalg.norm(left)
        return cls(p, np.stack((left, np.cross(f, left), f), axis=1))

    @property
    def rotation(self) -> Quat:
        """Unit quaternion, body to world."""
        return quat_from_rotation(Mat3(*self.R_WB.ravel()))

    def point(self, r_B: ArrayLike) -> np.ndarray:
        """A point given in base axes, in the world [m]."""
        return self.at + self.R_WB @ np.asarray(r_B, dtype=np.float64)


@cache
def sled_data() -> dict[str, Any]:
    """Numbers of sled S1, see the file for their sources."""
    return tomllib.loads(files(__package__).joinpath("sled_s1.toml").read_text(encoding="utf-8"))


def origins() -> dict[str, np.ndarray]:
    """Origin of every body in base axes, in the reference pose [m]."""
    data = sled_data()
    found = {data["base"]: np.zeros(3)}
    for joint in data["joint"].values():
        found[joint["child"]] = found[joint["parent"]] + np.array(joint["at"])
    return found


def add_sled(builder: Builder, setup: Setup, stance: Stance, *, hands_hz: float | None = None) -> None:
    """Add a sled in its reference pose, moving forward at the start speed of the set-up.

    ``hands_hz`` is the corner of the filter through which hands steer it (B-63); a pilot model needs none.
    """
    add_paints(builder)
    data, velocity = sled_data(), tuple(setup.start_speed * stance.R_WB[:, 2])
    for name, r in origins().items():
        body = data["body"][name]
        builder.body(
            name,
            shape=looks_of(name),
            **body,
            at=tuple(stance.point(r)),
            rotation=tuple(stance.rotation),
            velocity=velocity,
        )
    for name, joint in data["joint"].items():
        add_joint(builder, setup, stance, name, joint, hands_hz)
    area = data["drag"]["area"] if setup.drag_area is None else setup.drag_area
    builder.add(Drag("air", data["drag"]["body"], area, data["drag"]["air_density"]))


def add_joint(
    builder: Builder, setup: Setup, stance: Stance, name: str, joint: dict[str, Any], hands_hz: float | None
) -> None:
    """A hinge with its spring and damper, or the driven one."""
    at = stance.point(origins()[joint["child"]])
    axis = stance.R_WB @ np.array(joint["axis"])
    builder.add(Hinge(name=name, a=joint["parent"], b=joint["child"], at=tuple(at), axis=tuple(axis)))
    if joint.get("driven", False):
        limit = STEERING_ACCELERATION
        builder.add(Driven(name="wheel", on=name, position=0.0, acceleration_max=limit, smooth_hz=hands_hz))
        return
    builder.add(JointSpring(name=f"{name} spring", on=name, damping=joint["damping"], **spring_law(setup, name, joint)))


def spring_law(setup: Setup, name: str, joint: dict[str, Any]) -> dict[str, float]:
    """Stiffness and kink of a joint with the springs and preload that were chosen (B-53, B-56).

    Without preload one of the two springs of the lever acts alone: the outer stiffness everywhere (bobsleigh 3.13).
    """
    chosen = {"middle": (setup.middle_springs, setup.middle_preload_deg)}
    chosen["pendulum"] = (setup.front_springs, setup.front_preload_deg)
    if name not in chosen:
        is_runner = joint["child"] in sled_data()["touch"]["runner"]["bodies"]
        if is_runner and setup.runner_stiffness is not None:
            return {"stiffness": setup.runner_stiffness}
        return {"stiffness": joint["stiffness"]}
    factor, kink_deg = SPRINGS[chosen[name][0]], chosen[name][1]
    kink = math.radians(joint["kink_deg"] if kink_deg is None else kink_deg)
    inner, outer = factor * joint["stiffness"], factor * joint["stiffness_beyond"]
    if kink == 0.0:
        return {"stiffness": outer}
    return {"stiffness": inner, "stiffness_beyond": outer, "kink": kink}
