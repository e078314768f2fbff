"""Other engines, one small file each. Nothing of them is imported before a worker runs one.

A file here offers ``ENGINES``: scene name to a class as :class:`gelenk.bench.engine.Engine` describes it.
"""

from __future__ import annotations

from typing import NamedTuple


class Peer(NamedTuple):
    """Where an engine comes from."""

    module: str  # what is imported
    package: str  # what is installed


PEERS: dict[str, Peer] = {
    "dart": Peer("dartpy", "dartpy"),
    "drake": Peer("pydrake", "drake"),
    "exudyn": Peer("exudyn", "exudyn"),
    "mujoco": Peer("mujoco", "mujoco"),
    "newton": Peer("newton", "newton"),
    "ode": Peer("ode", "python3-pyode, from Debian"),
    "opensim": Peer("opensim", "opensim"),
    "pinocchio": Peer("pinocchio", "pin"),
    "pybullet": Peer("pybullet", "pybullet"),
    "pypbd": Peer("pypbd", "pyPBD"),
}
# find contacts only: for the scene "collide"
COLLIDERS: dict[str, Peer] = {"coal": Peer("coal", "coal")}
