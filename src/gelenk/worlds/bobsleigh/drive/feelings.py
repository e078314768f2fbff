"""What a sled does that a driver hears, feels and sees, looked at a hundred times a second (B-74 to B-77)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gelenk.math.rotation import rotation_matrix
from gelenk.space.events import CollisionEvent
from gelenk.worlds.bobsleigh.drive.scene import HULL, NOSE, RUNNERS
from gelenk.worlds.bobsleigh.drive.senses import FAST_ENOUGH, slip_angle

G = 9.81
SMOOTH = 0.08  # [s] in which shown accelerations follow
FULL = 390.0 * G / 8.0  # [N] on a point of a runner from which on its slip counts whole: what it carries at rest
RIM = 0.5  # [m] above the base of the hull, beyond which it touches by its rim


@dataclass
class Feelings:
    """Speed [m/s], slip of the runners [rad], normal speed of a hit [m/s], loads to left, up, ahead [g].

    ``tipped`` tells whether the sled has touched by its rim since it started.
    """

    speed: float = 0.0
    slip: float = 0.0
    load: np.ndarray = field(default_factory=lambda: np.array((0.0, 1.0, 0.0)))
    marks: dict[str, np.ndarray] = field(default_factory=dict)  # where points of runners draw, by their names
    tipped: bool = False
    _hit: float = 0.0
    _velocity: np.ndarray | None = None

    def rest(self) -> None:
        """Before a start."""
        self.__init__()  # type: ignore[misc]

    def hear(self, event: CollisionEvent) -> None:
        """A part of the sled began or ended to touch: of hulls the speed counts at which they came (B-75)."""
        if event.kind == "begin" and {event.a, event.b} & {HULL, NOSE}:
            self._hit = max(self._hit, event.speed or 0.0)

    def hit(self) -> float:
        """Speed at which the hardest hit since the last call came, along the normal [m/s]; 0 if there was none."""
        hardest, self._hit = self._hit, 0.0
        return hardest

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
        contacts = sim.contacts
        self._look_at_runners(sim, [c for c in contacts if c.b in RUNNERS])
        self.tipped = self.tipped or any(
            float(hull.rotation[:, 1] @ (c.point - hull.position)) > RIM for c in contacts if c.b == HULL
        )

    def _look_at_runners(self, sim: Any, contacts: list[Any]) -> None:
        """The largest slip of a point of a runner on the ice, by its share of the load (B-76), and where they draw.

        slip = max over points of  min(1, N / N_0) |atan2(v_b, v_t)|,   v = v_C + w x r  of a point, t along the runner
        """
        self.slip, self.marks = 0.0, {}
        axes: dict[str, np.ndarray] = {}
        for contact in contacts:
            name, state = contact.b, sim.state
            k = sim.model.index(name)
            if name not in axes:
                axes[name] = rotation_matrix(state.q_WB[k])
            R, n = axes[name], contact.normal
            front = R[:, 2] @ (contact.point - state.p_WC[k]) > 0.0
            self.marks[f"{name} {'front' if front else 'rear'} point"] = contact.point
            if self.speed <= FAST_ENOUGH:
                continue
            v = state.v_WC[k] + np.cross(R @ state.w_WB_B[k], contact.point - state.p_WC[k])
            ahead = R[:, 2] - (R[:, 2] @ n) * n
            ahead /= np.linalg.norm(ahead)
            slip = abs(slip_angle(float(v @ ahead), float(v @ np.cross(n, ahead))))
            self.slip = max(self.slip, slip * min(1.0, float(contact.force @ n) / FULL))
