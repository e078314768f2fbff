"""Bodies that touch the ground, with closed forms: what falls, slides, rolls, topples and walks.

The ground is the plane z = 0. Slopes are made by tilted gravity, so x points downhill.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.bench.reference.turning import G, integrated
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.shapes import Box, Plane, Sphere
from gelenk.joints.hinge import Hinge
from gelenk.model.builder import Builder
from gelenk.model.model import Model


def ground(slope: float = 0.0, friction: float = 0.0, restitution: float = 0.0) -> Builder:
    """A plane of the material "m", tilted by an angle [rad]."""
    b = Builder(gravity=(G * np.sin(slope), 0.0, -G * np.cos(slope)))
    b.material("m", friction=friction, restitution=restitution)
    b.body("floor", shape=Plane(), static=True, material="m")
    return b


# ---- bouncing ball ---------------------------------------------------------------------------------------------------

DROP, BOUNCE, BALL = 0.3, 0.7, 0.05


def ball_model() -> Model:
    """A ball that falls on a plane without friction, thrown along x at 1 m/s."""
    b = ground(restitution=BOUNCE)
    b.body("ball", shape=Sphere(BALL), density=1000, at=(0, 0, BALL + DROP), velocity=(1, 0, 0), material="m")
    return b.build()


def ball_places(times: np.ndarray) -> np.ndarray:
    """(times, 1, 3): parabolas, each with the speed e times that of the one before."""
    speed, places = float(np.sqrt(2.0 * G * DROP)), []
    for t in times:
        since, up, height = t, 0.0, DROP
        land = speed / G
        while since > land:
            since, height = since - land, 0.0
            up = speed * BOUNCE if up == 0.0 else up * BOUNCE
            land = 2.0 * up / G
        places.append([[t, 0.0, BALL + height + up * since - 0.5 * G * since**2]])
    return np.array(places)


# ---- block with friction ---------------------------------------------------------------------------------------------

SLOPE, RUB, UPHILL = 0.5, 0.3, 1.5


def block_model() -> Model:
    """A block pushed uphill, which stops and slides back down."""
    b = ground(SLOPE, friction=RUB)
    b.body("block", shape=Box((0.4, 0.3, 0.1)), density=500, at=(0, 0, 0.05), velocity=(-UPHILL, 0, 0), material="m")
    return b.build()


def block_places(times: np.ndarray) -> np.ndarray:
    """(times, 1, 3):  a = g (sin + mu cos)  going up,  g (sin - mu cos)  going down."""
    up, down = (G * (np.sin(SLOPE) + sign * RUB * np.cos(SLOPE)) for sign in (1.0, -1.0))
    stop = UPHILL / up
    going_up = -UPHILL * times + 0.5 * up * times**2
    x = np.where(times < stop, going_up, -0.5 * UPHILL * stop + 0.5 * down * np.maximum(times - stop, 0.0) ** 2)
    return np.stack([x, np.zeros_like(x), np.full_like(x, 0.05)], axis=-1)[:, None, :]


# ---- cart on a slope -------------------------------------------------------------------------------------------------

CART, WHEEL, WHEEL_RADIUS, DOWNHILL = 2.0, 0.5, 0.1, 0.2


def cart_model() -> Model:
    """A box on four wheels on hinges, from rest."""
    b = ground(DOWNHILL, friction=0.9)
    b.body("cart", mass=CART, inertia=(0.05, 0.1, 0.1), at=(0, 0, 0.15))
    inertia = (0.4 * WHEEL * WHEEL_RADIUS**2,) * 3
    for k, (x, y) in enumerate(((0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2))):
        at = (x, y, WHEEL_RADIUS)
        b.body(f"wheel{k}", shape=Sphere(WHEEL_RADIUS), mass=WHEEL, inertia=inertia, at=at, material="m")
        b.add(Hinge(name=f"axle{k}", a="cart", b=f"wheel{k}", at=at, axis=(0, 1, 0)))
    return b.build()


def cart_places(times: np.ndarray) -> np.ndarray:
    """(times, 1, 3):  a = g sin(slope) M / (M + 4 I / r^2)."""
    total = CART + 4.0 * WHEEL
    a = G * np.sin(DOWNHILL) * total / (total + 4.0 * 0.4 * WHEEL)
    return np.stack([0.5 * a * times**2, 0.0 * times, 0.0 * times + 0.15], axis=-1)[:, None, :]


# ---- toppling tower --------------------------------------------------------------------------------------------------

SIDE, BRICKS, TIP = 0.1, 3, np.arctan(0.4)  # three cubes topple from tan = 1/3 on


def tower_model() -> Model:
    """Three cubes on each other on a slope on which the tower topples about its lower edge, from rest."""
    b = ground(TIP, friction=0.9)
    for k in range(BRICKS):
        b.body(f"brick{k}", shape=Box((SIDE,) * 3), density=600, at=(0, 0, SIDE * (k + 0.5)), material="m")
    return b.build()


def tower_places(times: np.ndarray) -> np.ndarray:
    """(times, bricks, 3): as one body about the edge, for as long as no joint between bricks opens,

    J a'' = sum m g . dp/da,       p = edge + turned by a (-s/2, z)
    """
    heights = SIDE * (np.arange(BRICKS) + 0.5)
    J = float(np.sum(SIDE**2 / 6.0 + SIDE**2 / 4.0 + heights**2))  # per mass of a brick

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        c, s = np.cos(y[0]), np.sin(y[0])
        dx, dz = 0.5 * SIDE * s + heights * c, 0.5 * SIDE * c - heights * s
        return np.array([y[1], G * float(np.sum(np.sin(TIP) * dx - np.cos(TIP) * dz)) / J])

    a = integrated(rate, np.zeros(2), times)[:, :1]
    x = 0.5 * SIDE - 0.5 * SIDE * np.cos(a) + heights * np.sin(a)
    return np.stack([x, 0.0 * x, 0.5 * SIDE * np.sin(a) + heights * np.cos(a)], axis=-1)


# ---- walking toy -----------------------------------------------------------------------------------------------------

SPOKES, LEG, HUB, RIDER, HANG, RAMP, PUSH = 8, 0.2, 1.0, 0.5, 0.08, 0.3, 2.0
HUB_INERTIA, RIDER_INERTIA = 0.01, 1e-3


def toy_model() -> Model:
    """A wheel of eight feet that walks down a ramp, a rider swinging at its hub; it stands on one foot first."""
    angles = 2.0 * np.pi * np.arange(SPOKES) / SPOKES
    feet = [(LEG * np.sin(a), y, -LEG * np.cos(a)) for a in angles for y in (-0.1, 0.1)]
    b = ground(RAMP, friction=2.0)
    motion: dict[str, Any] = {"at": (0, 0, LEG), "velocity": (PUSH * LEG, 0, 0), "angular_velocity": (0, PUSH, 0)}
    b.body("wheel", shape=ConvexHull(feet), mass=HUB, inertia=(HUB_INERTIA,) * 3, material="m", **motion)
    b.body("rider", mass=RIDER, inertia=(RIDER_INERTIA,) * 3, at=(0, 0, LEG - HANG), velocity=(PUSH * LEG, 0, 0))
    b.add(Hinge(name="hub", a="wheel", b="rider", at=(0, 0, LEG), axis=(0, 1, 0)))
    return b.build()


def toy_places(times: np.ndarray) -> np.ndarray:
    """(times, 2, 3) wheel and rider, in two coordinates: angle a of the leg on the ground, b of the rider.

        hub = foot + l (sin a, cos a),     rider = hub - d (sin b, cos b)
        M q'' = sum J^T m (g - J' q')                between steps, while  a < pi / 8
        M q'+ = sum J^T m v-                         at a step: an impulse at the new foot alone, a from pi/8 to -pi/8

    Source: McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990), the rimless wheel.
    """
    half, pull = np.pi / SPOKES, G * np.array([np.sin(RAMP), -np.cos(RAMP)])

    def jacobians(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hub = LEG * np.array([[np.cos(q[0]), 0.0], [-np.sin(q[0]), 0.0]])
        return hub, hub + HANG * np.array([[0.0, -np.cos(q[1])], [0.0, np.sin(q[1])]])

    def mass(hub: np.ndarray, rider: np.ndarray) -> np.ndarray:
        return HUB * hub.T @ hub + RIDER * rider.T @ rider + np.diag([HUB_INERTIA, RIDER_INERTIA])

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        hub, rider = jacobians(y)
        a = -LEG * y[2] ** 2 * np.array([np.sin(y[0]), np.cos(y[0])])
        swing = a + HANG * y[3] ** 2 * np.array([np.sin(y[1]), np.cos(y[1])])
        force = HUB * hub.T @ (pull - a) + RIDER * rider.T @ (pull - swing)
        return np.concatenate([y[2:], np.linalg.solve(mass(hub, rider), force)])

    def lands(_: float, y: np.ndarray) -> float:
        return float(y[0] - half)

    lands.terminal, lands.direction = True, 1.0  # type: ignore[attr-defined]
    from scipy.integrate import solve_ivp

    y, t, foot = np.array([0.0, 0.0, PUSH, 0.0]), 0.0, 0.0
    places: list[list[np.ndarray]] = []
    while len(places) < len(times):
        left = times[len(places) :]
        done = solve_ivp(rate, (t, left[-1]), y, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=left, events=lands)
        for q in np.asarray(done.y).T if len(done.t) else ():
            hub = np.array([foot + LEG * np.sin(q[0]), 0.0, LEG * np.cos(q[0])])
            places.append([hub, hub - HANG * np.array([np.sin(q[1]), 0.0, np.cos(q[1])])])
        if len(done.t_events[0]):
            t, y = float(done.t_events[0][0]), done.y_events[0][0]
            before, (hub, rider) = jacobians(y), jacobians(np.array([-half, y[1]]))
            momentum = HUB * hub.T @ before[0] @ y[2:] + RIDER * rider.T @ before[1] @ y[2:]
            momentum += np.array([HUB_INERTIA, RIDER_INERTIA]) * y[2:]
            y = np.concatenate([[-half, y[1]], np.linalg.solve(mass(hub, rider), momentum)])
            foot += 2.0 * LEG * np.sin(half)
    return np.array(places)
