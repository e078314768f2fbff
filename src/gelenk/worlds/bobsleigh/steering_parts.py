"""What turns the front axle: the moment of the ice about the steering axis, by the kind of force (B-77, bobsleigh 6.5).

In axes of the steering head, x left, y up, z forward, a force F at a lever (x, y, z) from a point of the axis has the
moment  z F_x - x F_z. For an axle that stands straight on ice of the height  c x z + k x^2 / 2,  with points at (+-b,
+-a), the load N on all four, runners whose hinges are r above their points, and springs K in these, that comes to

    normal forces     c (N (b^2 - a^2) - k b^2 (2 K + N r))
    friction along    mu b (N_left - N_right)

Where ice twists, c, one runner goes up a slope and the other one down: their normal forces turn the axle up the
wall, c N b^2. All else turns it down. Under each runner the ice leans the more to the inside the further ahead it is,
c N a^2. A nose that is pushed up is pushed back by its spring, so the climbing runner stands on its front point and the
other on its rear one, and both shift a little, c r b; where ice is hollow, k, these points lean on its sides. Friction
asks for loads alone: the axle turns to the runner that bears more.

Test: tests/worlds/bobsleigh/test_steering_parts.py
"""

from __future__ import annotations

from typing import Any

import numpy as np

FRONT = ("front runner left", "front runner right")
PARTS = ("normal forces", "friction along", "friction across")


def steering_parts(sim: Any) -> np.ndarray:
    """(3,) moments of normal forces, friction along and friction across about the steering axis, to the left [N m].

    They are those of the last step. Contacts act in its middle, the head is seen at its end, so they agree with
    ``sim.contact_loads()["steering.angle"]`` of one step to what the axis turns in half of it.
    """
    head, total = sim["steering head"], np.zeros(len(PARTS))
    left, axis, _ = head.rotation.T
    pivot = head.position - 0.5 * sim.method.h * head.velocity
    for c in sim.contacts:
        if c.b in FRONT or c.a in FRONT:
            n, force = np.array(c.normal), np.array(c.force)
            ahead = np.cross(left, n)
            ahead /= np.linalg.norm(ahead)
            normal, along = (force @ n) * n, (force @ ahead) * ahead
            arm = np.array(c.point) - pivot
            total += [axis @ np.cross(arm, part) for part in (normal, along, force - normal - along)]
    return total
