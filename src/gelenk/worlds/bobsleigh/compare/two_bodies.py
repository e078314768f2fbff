"""A sled of two hulls on four points, as a simpler model to compare with (bobsleigh 1.4, after Arnold 2013).

Rear and front hull turn about the mid-joint without a spring; each stands on two hard points with the friction of
runners. The steered axle is a light body, so that the points of the front can turn. Crew, runners and axles are rigid
parts of the hulls: mass, centre of mass and inertia of the whole sled are those of S1. What touches boards is too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gelenk.forces.drag import Drag
from gelenk.forces.runner_friction import RunnerFriction
from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.joints.driven import Driven
from gelenk.joints.hinge import Hinge
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.worlds.bobsleigh.descent import start_stance
from gelenk.worlds.bobsleigh.ice import ice_parts
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import STEERING_ACCELERATION, Stance, origins, sled_data
from gelenk.worlds.bobsleigh.touch import ACROSS_RUNNER, FRONT_BUMPERS, REAR_BUMPERS, RIM, runner_friction
from gelenk.worlds.bobsleigh.track import Track

REAR, FRONT, AXLE = "rear hull", "front hull", "front axle"
REAR_PARTS = ("rear hull", "crew", "rear runner left", "rear runner right")
FRONT_PARTS = ("front hull", "steering head", "front runner left", "front runner right")
HALF_GAUGE, DEEP = 0.335, 0.10  # [m] of the runners, and length of their segments


def two_body_model(track: Track, setup: Setup, *, surface: str = "sheet") -> Model:
    """The same start as that of the whole sled; bodies and drive have its names, so that pilots can drive it."""
    builder = Builder(name=f"bobsleigh of two bodies on {track.name}")
    builder.body("ice", shape=ice_parts(track, surface), static=True)
    stance = start_stance(track)
    add_two_bodies(builder, setup, stance)
    add_points(builder, setup, "ice", smooth=surface != "facets")
    return builder.build()


def add_two_bodies(builder: Builder, setup: Setup, stance: Stance) -> None:
    """Two hulls, the steered axle, the hinges between them, drag."""
    at, joints, data = origins(), sled_data()["joint"], sled_data()["drag"]
    velocity = tuple(setup.start_speed * stance.R_WB[:, 2])
    for name, parts in ((REAR, REAR_PARTS), (FRONT, FRONT_PARTS), (AXLE, (AXLE,))):
        mass, com, inertia = together(parts, at[name])
        builder.body(
            name,
            mass=mass,
            com=tuple(com),
            inertia=inertia.tolist(),
            at=tuple(stance.point(at[name])),
            rotation=tuple(stance.rotation),
            velocity=velocity,
        )
    for joint, a, b, child in (("middle", REAR, FRONT, FRONT), ("steering", FRONT, AXLE, "steering head")):
        axis = stance.R_WB @ np.array(joints[joint]["axis"])
        builder.add(Hinge(name=joint, a=a, b=b, at=tuple(stance.point(at[child])), axis=tuple(axis)))
    builder.add(Driven(name="wheel", on="steering", position=0.0, acceleration_max=STEERING_ACCELERATION))
    area = data["area"] if setup.drag_area is None else setup.drag_area
    builder.add(Drag("air", data["body"], area, data["air_density"]))


def together(parts: Sequence[str], origin: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass from an origin, and inertia about it, of parts of S1 as one rigid body; base axes.

    I = sum of I_k + m_k (d.d E - d d^T),  d from the common centre to that of part k
    """
    bodies, at = sled_data()["body"], origins()
    mass = np.array([bodies[name]["mass"] for name in parts])
    centre = np.array([at[name] + bodies[name]["com"] for name in parts])
    com = mass @ centre / mass.sum()
    inertia = np.zeros((3, 3))
    for name, m, c in zip(parts, mass, centre):
        d = c - com
        inertia += np.diag(bodies[name]["inertia"]) + m * (d @ d * np.eye(3) - np.outer(d, d))
    return float(mass.sum()), com - origin, inertia


def add_points(builder: Builder, setup: Setup, ground: str, *, smooth: bool = False) -> None:
    """One point in the place of each runner, with the friction of both of its points; bumpers and rim as they are."""
    law = runner_friction(setup)
    both = RunnerFriction(
        along=law.along,
        straight_share=law.straight_share,
        across_min=law.across_min,
        across_max=law.across_max,
        full_load=2.0 * law.full_load,
    )
    for body in (REAR, AXLE):
        low = float(-origins()[body][1])
        points = (HALF_GAUGE, low, 0.0), (-HALF_GAUGE, low, 0.0)
        ways = (0.0, DEEP, 0.0), (0.0, DEEP, 0.0)
        name = f"runners of the {body} on {ground}"
        builder.add(SegmentContacts(name, body, points, ways, ground, friction=both, axis=ACROSS_RUNNER, smooth=smooth))
    touch = sled_data()["touch"]
    slide = {FRONT_BUMPERS: setup.bumper_friction, REAR_BUMPERS: setup.bumper_friction, RIM: setup.rim_friction}
    for kind, mu in slide.items():
        (body,) = touch[kind]["bodies"]
        builder.add(
            SegmentContacts(
                f"{kind} on {ground}",
                body,
                touch[kind]["points"],
                touch[kind]["segments"],
                ground,
                friction=mu,
                restitution=0.0 if kind == RIM else setup.bumper_restitution,
                smooth=smooth,
            )
        )
