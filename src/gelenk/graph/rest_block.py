"""Bodies at rest as arrays: who sleeps, with whom, and what a cluster needs to wake as if it had never slept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gelenk.contact.options import ContactOptions
from gelenk.contact.stages import ContactStages
from gelenk.model.model import Model
from gelenk.state import Masses

AWAKE, ASLEEP, FRESH = range(3)  # FRESH: asleep since the last step, its loads are still to be noted
SLEEPING, MOVING, STORED, ROWS_ASLEEP, CLUSTERS, WOKE = range(6)  # numbers
AFTER, SPEED, TURN, WITHIN, HIT = range(5)  # options; WITHIN is below 0 where path lengths do not count
WAKE, FALL = range(2)  # stages

SLEEPING_CONTACT = np.dtype(
    [
        ("a", "u4"),  # nodes
        ("b", "u4"),
        ("collider_a", "u4"),
        ("collider_b", "u4"),
        ("feature_a", "u4"),
        ("feature_b", "u4"),
        ("state", "u4"),  # sticks, slides or does not press
        ("touch", "u4"),  # 1 if its pair touches
        ("spare", "u4"),
        ("next", "u4"),  # with the same first moving collider, when clusters wake
        ("n", "f8", (3,)),  # unit normal from a to b
        ("x", "f8", (3,)),  # the point, world [m]
        ("force", "f8", (3,)),  # on b, world axes [N]
        ("couple", "f8", (3,)),  # [N m]
        ("d", "f8"),  # signed distance [m]
    ]
)


class RestSet(NamedTuple):
    """Which clusters sleep; without addresses where sleeping is off."""

    address: np.ndarray  # (2,) int64 of the stages
    asleep: np.ndarray  # (n,) uint32 AWAKE, ASLEEP or FRESH
    parent: np.ndarray  # (n,) uint32 clusters of the last step, by union-find
    cluster: np.ndarray  # (n,) uint32 the one in which a body fell asleep
    slow_for: np.ndarray  # (n,) how long a body has been slow [s]
    least: np.ndarray  # (n,) the least of them in a cluster, at its root [s]
    pose: np.ndarray  # (n, 7) where it sleeps
    load: np.ndarray  # (n, 6) force and torque on it there [N], [N m]
    inputs: np.ndarray  # (K,) of the joints when they fell asleep
    moves: np.ndarray  # (n,) uint32 1 for what can move
    tied: np.ndarray  # (n,) uint32 1 for what can move and is at a joint
    inv_mass: np.ndarray  # (n,) of the step: 0 while asleep
    inv_inertia_B: np.ndarray  # (bodies, 3, 3)
    own_mass: np.ndarray  # (n,) inverse, awake
    own_inertia: np.ndarray  # (bodies, 3, 3)
    contact: np.ndarray  # (capacity,) SLEEPING_CONTACT
    head: np.ndarray  # (colliders,) uint32 first contact of a collider, when clusters wake
    number: np.ndarray  # (6,) int64
    options: np.ndarray  # (5,) [s], [m/s], [rad/s], edges, [m/s]
    near: np.ndarray  # (n,) uint32 1 for the bodies from which paths begin
    length: np.ndarray  # (n,) uint32 edges to the nearest of them, NONE where there is no way
    edge: np.ndarray  # (joints, 2) uint32 nodes that joints tie
    reach: np.ndarray  # (n,) farthest point of its shapes from its centre of mass [m]


def new_rest(model: Model, options: ContactOptions | None, stages: ContactStages) -> RestSet:
    """All awake; no more than a few numbers where sleeping is off."""
    on = options is not None and options.sleep and bool(stages.address[0])
    masses, options = model.system.masses, options or ContactOptions()
    n, bodies = (len(masses.mass), len(masses.inertia_B)) if on else (1, 1)
    moves = (masses.inv_mass[:n] > 0.0).astype(np.uint32)
    near, within = np.zeros(n, np.uint32), float(options.wake_within if options.wake_near else -1)
    if on:
        near[[model.nodes.index("ContactOptions", "wake_near", name) for name in options.wake_near]] = 1
    reach, space = np.zeros(n), stages.space
    if on:
        np.maximum.at(reach, space.colliders.item["node"][: len(space.arm)], space.arm)
    number = np.zeros(6, np.int64)
    number[MOVING] = moves.sum()
    return RestSet(
        address=np.zeros(2, np.int64),
        asleep=np.zeros(n, np.uint32),
        parent=np.zeros(n, np.uint32),
        cluster=np.zeros(n, np.uint32),
        slow_for=np.zeros(n),
        least=np.zeros(n),
        pose=np.zeros((n, 7)),
        load=np.zeros((n, 6)),
        inputs=np.zeros(len(model.wired.inputs)),
        moves=moves,
        tied=stages.contacts.tied[:n] * moves,
        inv_mass=masses.inv_mass[:n].copy(),
        inv_inertia_B=masses.inv_inertia_B[:bodies].copy(),
        own_mass=masses.inv_mass[:n].copy(),
        own_inertia=masses.inv_inertia_B[:bodies].copy(),
        contact=np.zeros(len(stages.contacts.contact) if on else 1, SLEEPING_CONTACT).view(np.recarray),
        head=np.zeros(len(stages.space.arm), np.uint32),
        number=number,
        options=np.array([options.sleep_after, options.sleep_speed, options.sleep_turn, within, options.wake_speed]),
        near=near,
        length=np.zeros(n, np.uint32),
        edge=np.column_stack([model.wired.joints.pair[k][model.wired.joints.joint["pair"]] for k in "ab"]),
        reach=reach,
    )


def masses_awake(model: Model, rest: RestSet, on: bool) -> Masses:
    """Masses as a step sees them: what sleeps has no inverse mass, and so behaves as fixed (virtual-worlds 4.10)."""
    masses = model.system.masses
    if not on:
        return masses
    inv_mass, inv_inertia = rest.inv_mass.view(), rest.inv_inertia_B.view()
    inv_mass.flags.writeable = inv_inertia.flags.writeable = False  # of the same type as those of a model
    return masses._replace(inv_mass=inv_mass, inv_inertia_B=inv_inertia)
