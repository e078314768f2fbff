"""One sample of every kind of joint and drive, in generic poses, with what each leaves free in closed form.

A joint is known by the poses that it allows: :attr:`Sample.place` gives, for any values of its free parameters, where
the joint frame of b stands as seen from the joint frame of a. Nothing of it is taken from the rows under test.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import gelenk as gk
from gelenk.math.quat import Quat, quat_exp
from gelenk.math.rotation import Mat3, quat_from_rotation, rotation_matrix
from gelenk.math.vec3 import Vec3
from gelenk.rows.block import HOLD
from rows.finite_difference import coordinates_at

ORIGIN = np.zeros(3)
LEAD = 0.4  # of the screw [m]
WIRE = gk.Curve.along(lambda t: (0.8 * math.cos(t), 0.8 * math.sin(t), 0.3 * t), 0.0, 5.0, 8)
WIRE_AT = 2.1  # [m], in the middle between two knots
DISH = gk.Surface.from_function(lambda u, v: (u, v, 0.2 * u * u - 0.1 * u * v), (-1.5, 1.5), (-1.5, 1.5), (9, 9))
DISH_AT = (4.3, 3.6)  # [cells]


def turned(x=0.0, y=0.0, z=0.0):
    """Rotation by a vector."""
    return quat_exp(Vec3(float(x), float(y), float(z)))


def axes(*columns):
    """Rotation whose columns are three axes."""
    return quat_from_rotation(Mat3(*(float(x) for x in np.stack(columns, axis=1).ravel())))


def wire_frame(s):
    """Rotation to the axes t, n1, n2 of the wire at s."""
    t, n1 = WIRE.tangent(s), WIRE.normal(s)
    return axes(t, n1, np.cross(t, n1))


class Spot(NamedTuple):
    """Where a joint is put in the world at the start."""

    at: tuple[float, float, float]
    axis: tuple[float, float, float]
    x_axis: tuple[float, float, float]


class Sample(NamedTuple):
    """A kind of joint, and what it allows."""

    kind: type
    rank: int  # rows that hold (virtual-worlds 5.2, 5.3)
    free: int  # free parameters: 6 - rank, springs count as free
    place: Callable[..., tuple[np.ndarray, Quat]]  # parameters -> (r, q) of b against a, axes of a
    named: Callable[..., dict[str, float]]  # parameters -> values of the coordinates that have names
    own: Callable[[Spot], dict]  # arguments of the joint

    def joint(self, spot, a="a", b="b", name="joint", **more):
        """The element."""
        return self.kind(name=name, a=a, b=b, **(self.own(spot) | more))

    def pick(self, rng, reach=1.0):
        """Generic values of the free parameters; on curves and surfaces near the start."""
        return rng.uniform(-reach, reach, self.free)


def at_axis(spot):
    return {"at": spot.at, "axis": spot.axis}


def at_both_axes(spot):
    return {"at": spot.at, "axis": spot.axis, "x_axis": spot.x_axis}


def nothing(*_):
    return {}


JOINTS = {
    "rigid": Sample(gk.Rigid, 6, 0, lambda: (ORIGIN, turned()), nothing, lambda s: {"at": s.at}),
    "ball": Sample(gk.Ball, 3, 3, lambda x, y, z: (ORIGIN, turned(x, y, z)), nothing, lambda s: {"at": s.at}),
    "hinge": Sample(gk.Hinge, 5, 1, lambda a: (ORIGIN, turned(z=a)), lambda a: {"angle": a}, at_axis),
    "rigid_on_points": Sample(gk.Rigid, 6, 0, lambda: (ORIGIN, turned()), nothing, lambda s: {"at": s.at, "arm": 0.6}),
    "hinge_on_pins": Sample(
        gk.Hinge, 5, 1, lambda a: (ORIGIN, turned(z=a)), lambda a: {"angle": a}, lambda s: at_axis(s) | {"arm": 0.7}
    ),
    "slider": Sample(gk.Slider, 5, 1, lambda s: ((0, 0, s), turned()), lambda s: {"position": s}, at_axis),
    "cylindrical": Sample(
        gk.Cylindrical,
        4,
        2,
        lambda s, a: ((0, 0, s), turned(z=a)),
        lambda s, a: {"position": s, "angle": a},
        at_axis,
    ),
    "universal": Sample(
        gk.Universal,
        4,
        2,
        lambda a, b: (ORIGIN, turned(x=a) * turned(y=b)),
        lambda a, b: {"angle_x": a, "angle_y": b},
        at_both_axes,
    ),
    "planar": Sample(
        gk.Planar,
        3,
        3,
        lambda x, y, a: ((x, y, 0), turned(z=a)),
        lambda x, y, a: {"x": x, "y": y, "angle": a},
        at_both_axes,
    ),
    "screw": Sample(
        gk.Screw,
        5,
        1,
        lambda a: ((0, 0, LEAD * a / (2 * math.pi)), turned(z=a)),
        lambda a: {"angle": a, "position": LEAD * a / (2 * math.pi)},
        lambda s: at_axis(s) | {"lead": LEAD},
    ),
    "ball_on_line": Sample(
        gk.BallOnLine,
        2,
        4,
        lambda s, x, y, z: ((0, 0, s), turned(x, y, z)),
        lambda s, *_: {"position": s},
        at_axis,
    ),
    "ball_on_plane": Sample(
        gk.BallOnPlane,
        1,
        5,
        lambda u, v, x, y, z: ((u, v, 0), turned(x, y, z)),
        lambda u, v, *_: {"x": u, "y": v},
        at_both_axes,
    ),
    "ball_on_curve": Sample(
        gk.BallOnCurve,
        2,
        4,
        lambda s, x, y, z: (WIRE.at(WIRE_AT + 0.2 * s), turned(x, y, z)),
        lambda s, *_: {"place": WIRE_AT + 0.2 * s},
        lambda _: {"at": tuple(WIRE.at(WIRE_AT)), "points": WIRE.points},
    ),
    "slider_on_curve": Sample(
        gk.SliderOnCurve,
        5,
        1,
        lambda s: (WIRE.at(WIRE_AT + 0.2 * s), wire_frame(WIRE_AT + 0.2 * s)),
        lambda s: {"place": WIRE_AT + 0.2 * s},
        lambda _: {"at": tuple(WIRE.at(WIRE_AT)), "points": WIRE.points},
    ),
    "ball_on_surface": Sample(
        gk.BallOnSurface,
        1,
        5,
        lambda u, v, x, y, z: (DISH.at(DISH_AT[0] + 0.3 * u, DISH_AT[1] + 0.3 * v), turned(x, y, z)),
        nothing,
        lambda _: {"at": tuple(DISH.at(*DISH_AT)), "points": DISH.points},
    ),
    "distance": Sample(
        gk.Distance,
        1,
        5,
        lambda u, v, x, y, z: (rotation_matrix(turned(u, v)) @ (0, 0, 0.75), turned(x, y, z)),
        lambda *_: {"length": 0.75},
        lambda s: {"at_a": s.at, "at_b": tuple(np.array(s.at) + 0.75 * np.array(s.axis))},
    ),
    "articulated_steering": Sample(
        gk.ArticulatedSteering,
        4,
        2,
        lambda a, b: (ORIGIN, turned(x=a) * turned(y=b)),
        lambda a, b: {"twist": a, "steer": b},
        at_both_axes,
    ),
    "damped_hinge": Sample(
        gk.DampedHinge,
        4,
        2,
        lambda s, a: ((s, 0, 0), turned(z=a)),
        lambda s, a: {"travel": s, "spin": a},
        lambda s: at_both_axes(s) | {"stiffness": 300.0, "damping": 20.0},
    ),
    "steered_suspension": Sample(
        gk.SteeredSuspension,
        3,
        3,
        lambda s, a, b: ((s, 0, 0), turned(x=a) * turned(y=b)),
        lambda s, a, b: {"travel": s, "steer": a, "spin": b},
        lambda s: at_both_axes(s) | {"stiffness": 300.0, "damping": 20.0},
    ),
}
IDEAL = [name for name in JOINTS if name not in ("damped_hinge", "steered_suspension")]  # without springs


def two_hinges(b, spot, a):
    """Two wheels b and c on a, about different axes."""
    other = tuple(np.add(spot.at, (0.3, -0.2, 0.4)))
    b.add(gk.Hinge(name="left", a=a, b="b", at=spot.at, axis=spot.axis))
    b.add(gk.Hinge(name="right", a=a, b="c", at=other, axis=spot.x_axis))


def hinge_and(drive):
    def add(b, spot, a):
        b.add(gk.Hinge(name="joint", a=a, b="b", at=spot.at, axis=spot.axis))
        b.add(drive)

    return add


def hinges_and(drive):
    def add(b, spot, a):
        two_hinges(b, spot, a)
        b.add(drive)

    return add


def slider_and(drive):
    def add(b, spot, a):
        b.add(gk.Slider(name="joint", a=a, b="b", at=spot.at, axis=spot.axis))
        b.add(drive)

    return add


def rack(b, spot, a):
    """A pinion b on a and a rack c that slides on a further body d: a gear over four bodies."""
    b.body("d", mass=1.1, inertia=(0.2, 0.25, 0.3), at=(0.4, 0.1, -0.6), angular_velocity=(0.1, 0.3, -0.2))
    b.add(gk.Hinge(name="pinion", a=a, b="b", at=spot.at, axis=spot.axis))
    b.add(gk.Slider(name="rack", a="d", b="c", at=(0.2, 0.2, 0.1), axis=spot.x_axis))
    b.add(gk.Gear(name="drive", first="rack", second="pinion", ratio=0.2))


def alone(control):
    def add(b, spot, a):
        b.add(control)

    return add


DRIVES = {
    "velocity_motor": (gk.VelocityMotor, hinge_and(gk.VelocityMotor(name="drive", on="joint", speed=2.0))),
    "weak_motor": (gk.VelocityMotor, hinge_and(gk.VelocityMotor(name="drive", on="joint", speed=9.0, force_max=0.3))),
    "force_motor": (gk.ForceMotor, slider_and(gk.ForceMotor(name="drive", on="joint", force=3.0))),
    "servo": (gk.Servo, hinge_and(gk.Servo(name="drive", on="joint", target=0.5, kp=8.0, ki=2.0, kd=0.1))),
    "driven": (gk.Driven, hinge_and(gk.Driven(name="drive", on="joint", velocity=2.0))),
    "driven_in_time": (gk.Driven, slider_and(gk.Driven(name="drive", on="joint", times=(0, 1), places=(0, 0.3)))),
    "joint_spring": (
        gk.JointSpring,
        slider_and(gk.JointSpring(name="drive", on="joint", stiffness=200.0, damping=3.0, rest=0.1)),
    ),
    "gear": (gk.Gear, hinges_and(gk.Gear(name="drive", first="left", second="right", ratio=-1.5))),
    "gear_of_rates": (gk.Gear, hinges_and(gk.Gear(name="drive", first="left", second="right", positions=False))),
    "rack": (gk.Gear, rack),
    "differential": (
        gk.Differential,
        hinges_and(gk.Differential(name="drive", first="left", second="right", speed=1.0)),
    ),
}
CONTROLS = {  # a hand from outside: they act on one body against the world
    "velocity_control": (
        gk.DirectControl,
        alone(gk.DirectControl(name="hand", body="b", force_max=5.0, torque_max=1.0)),
    ),
    "pose_control": (gk.DirectControl, alone(gk.DirectControl(name="hand", body="b", mode="pose"))),
    "grab": (gk.Grab, alone(gk.Grab(name="hand", body="b", to=(0.5, 0.5, 0.5), force_max=5.0))),
    "deceleration": (gk.Deceleration, alone(gk.Deceleration(name="hand", body="b", normal=(0, 0, 1), force_max=5.0))),
}
COVERED = {sample.kind for sample in JOINTS.values()} | {kind for kind, _ in (DRIVES | CONTROLS).values()}
COVERED |= {gk.Connection}  # has no rows; see test_connections.py


def spot_of(rng):
    """A joint point near the bodies, and axes that are no axes of anything else."""
    x, y = rng.normal(size=(2, 3))
    z = np.cross(x, y)
    z, x = z / np.linalg.norm(z), x / np.linalg.norm(x)
    return Spot(tuple(rng.uniform(-0.3, 0.3, 3)), tuple(z), tuple(x))


def inertia_of(rng):
    """Inertia of a few point masses: full, and one that a body can have."""
    points = rng.normal(size=(6, 3)) * 0.4
    return np.eye(3) * (points**2).sum() / 3 - np.einsum("ik,il->kl", points, points) / 3


def builder(seed=0, gravity=(0, 0, 0), moving=True):
    """Three bodies in generic poses, with generic inertia and velocities; and their generator of random numbers."""
    rng = np.random.default_rng(seed)
    b = gk.Builder(gravity=gravity)
    speed = 0.5 if moving else 0.0
    for name in "abc":
        b.body(
            name,
            mass=rng.uniform(0.5, 2.0),
            com=rng.uniform(-0.1, 0.1, 3),
            inertia=inertia_of(rng),
            at=rng.uniform(-0.6, 0.6, 3),
            rotation=turned(*rng.normal(size=3)),
            velocity=speed * rng.normal(size=3),
            angular_velocity=speed * rng.normal(size=3),
        )
    return b, rng


def joint_model(name, seed=0, a="a", gravity=(0, 0, 0), moving=True, **more):
    """A model of one joint."""
    b, rng = builder(seed, gravity, moving)
    b.add(JOINTS[name].joint(spot_of(rng), a, **more))
    return b.build()


def drive_model(name, seed=0, a="a", gravity=(0, 0, 0)):
    """A model of one drive with the joints it needs, or of one control."""
    b, rng = builder(seed, gravity)
    (DRIVES | CONTROLS)[name][1](b, spot_of(rng), a)
    return b.build()


def put(model, state, r, q):
    """Move the second body of the first pair so that its joint frame is at r, q, seen from the frame in the first."""
    pair = model.wired.joints.pair[0]
    q_a = Quat(*map(float, state.q_WB[pair.a])) * Quat(*map(float, pair.q_a))
    q_b = q_a * q * Quat(*map(float, pair.q_b)).conj()
    origin = state.p_WC[pair.a] + rotation_matrix(state.q_WB[pair.a]) @ pair.r_a + rotation_matrix(q_a) @ r
    state.q_WB[pair.b] = q_b
    state.p_WC[pair.b] = origin - rotation_matrix(q_b) @ pair.r_b
    return state


def open_up(model, state, rng, shift, angle):
    """Displace every body that moves, so that its joints stand open."""
    for i in np.flatnonzero(model.system.masses.inv_mass):
        state.p_WC[i] += shift * rng.normal(size=3)
        state.q_WB[i] = turned(*(angle * rng.normal(size=3))) * Quat(*map(float, state.q_WB[i]))
    return state


def holding(model):
    """Indices of the rows that hold a place, without bounds."""
    return [r for r in range(int(model.wired.joints.equalities[0])) if model.wired.joints.row[r].mode == HOLD]


def memory_of(sim):
    """What the rows of a simulation remember."""
    return sim.model.wired.memory(sim.state.memory)


def set_input(sim, name, value):
    """Change a set-point."""
    memory_of(sim).inputs[sim.model.wired.inputs[name]] = value


def coordinate_values(model, state):
    """Values of all named coordinates at a pose, by "joint.coordinate"."""
    at = coordinates_at(model, state).at
    return {f"{c.joint}.{c.name}": float(at[c.place].value) for c in model.wired.coordinates}


def coordinate_of(sim, name):
    """Value of one named coordinate now."""
    return coordinate_values(sim.model, sim.state)[name]


def force_of(sim, name):
    """Mean force of a drive over the last step."""
    (row,) = (felt.row for felt in sim.model.wired.forces if felt.name == name)
    return float(memory_of(sim).force[row])


def reaction_of(sim, joint):
    """Force and couple of a joint on b at its anchor, mean over the last step."""
    return memory_of(sim).reaction[sim.model.wired.names.index(joint)].copy()
