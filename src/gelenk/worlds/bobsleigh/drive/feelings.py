"""What a sled does that a driver hears, feels and sees, looked at a hundred times a second (B-74 to B-77)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gelenk.worlds.bobsleigh.drive.scene import HULL, NOSE, RUNNERS
from gelenk.worlds.bobsleigh.drive.senses import FAST_ENOUGH, slip_angle

G = 9.81
SMOOTH = 0.08  # [s] in which shown accelerations follow


@dataclass
class Feelings:
    """Speed [m/s], slip angle of the runners [rad], normal speed of a hit [m/s], loads to left, up, ahead [g]."""

    speed: float = 0.0
    slip: float = 0.0
    hit: float = 0.0
    load: np.ndarray = field(default_factory=lambda: np.array((0.0, 1.0, 0.0)))
    marks: dict[str, np.ndarray] = field(default_factory=dict)  # points that runners draw, by runner
    _velocity: np.ndarray | None = None
    _before: dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]] = field(default_factory=dict)
    _touched: frozenset[str] = frozenset()

    def rest(self) -> None:
        """Before a start."""
        self.__init__()  # type: ignore[misc]

    def look(self, sim: Any, passed: float) -> None:
        """After some time [s] since the last look."""
        hull = sim[HULL]
        velocity = np.array(hull.velocity)
        self.speed = float(np.linalg.norm(velocity))
        if self._velocity is not None and passed > 0.0:
            felt = (velocity - self._velocity) / passed + np.array((0.0, 0.0, G))
            now = hull.rotation.T @ felt / G
            self.load = self.load + min(1.0, passed / SMOOTH) * (now - self.load)
        self._velocity = velocity
        contacts = [c for c in sim.contacts if c.a == "ice" or c.b == "ice"]
        self._look_at_runners(sim, contacts)
        self._look_at_bumpers(sim, contacts)

    def _look_at_runners(self, sim: Any, contacts: list[Any]) -> None:
        """The largest slip of the runners on the ice, and where they draw."""
        self.slip, self.marks = 0.0, {}
        for contact in contacts:
            name = contact.b if contact.a == "ice" else contact.a
            if name not in RUNNERS:
                continue
            self.marks.setdefault(name, contact.point)
            if self.speed > FAST_ENOUGH:
                body = sim[name]
                aside, _, ahead = body.rotation.T @ np.array(body.velocity)
                self.slip = max(self.slip, abs(slip_angle(ahead, aside)))

    def _look_at_bumpers(self, sim: Any, contacts: list[Any]) -> None:
        """How fast a hull came that touches now and did not before: the velocity of the point at the last look."""
        self.hit, touched = 0.0, set()
        for contact in contacts:
            name = contact.b if contact.a == "ice" else contact.a
            if name not in (HULL, NOSE):
                continue
            touched.add(name)
            if name in self._touched or name not in self._before:
                continue
            at, v, w = self._before[name]
            outward = contact.normal if contact.a == "ice" else -contact.normal
            self.hit = max(self.hit, float(-(v + np.cross(w, contact.point - at)) @ outward))
        self._touched = frozenset(touched)
        for name in (HULL, NOSE):
            body = sim[name]
            self._before[name] = np.array(body.position), np.array(body.velocity), np.array(body.angular_velocity)
