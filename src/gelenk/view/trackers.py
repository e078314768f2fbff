"""Devices of six axes: a 3D mouse that gives velocities, and poses that a program reads from a tracker (V-112).

b.add(gk.DirectControl(name="hand", body="gripper", force_max=200, torque_max=20))
mouse = gk.SixAxes("mouse", to="hand", speed=0.5, turn=1.0)
gk.view(gk.Simulation(b.build()), inputs=[mouse])

b.add(gk.DirectControl(name="hand", body="glove", mode="pose", force_max=200, torque_max=20))
glove = gk.TrackedPose("glove", to="hand")
gk.view(sim, inputs=[glove], wait=False)
for position, orientation in tracker:  # of the program, in a thread of its own
    glove.put(position, orientation)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gelenk.arguments import friendly
from gelenk.checks import Quaternion, Vector, check_name, check_number, check_quaternion, check_vector
from gelenk.errors import InputError
from gelenk.view.devices import Input

RATES = ("vx", "vy", "vz", "wx", "wy", "wz")
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")


def whole_numbers(values: Any) -> tuple[Any, ...]:
    """A tuple of numbers; empty if it is none."""
    try:
        made = tuple(values)
    except TypeError:
        return ()
    return made if all(isinstance(value, int) for value in made) else ()


@friendly
class SixAxes:
    """A 3D mouse, which browsers offer as a gamepad of six axes; its pushes and turns are velocities.

    Parameters
    ----------
    name : what the page calls it; its inputs are "name vx" ... "name wz"
    to : a :class:`gelenk.DirectControl` of velocities that follows it, by name; nothing if left out, for functions that
        read ``velocity`` and ``angular_velocity``
    speed, turn : at the ends of its way [m/s], [rad/s]
    axes : numbers of the axes of the gamepad for x, y, z, and for turns about them
    signs : of the axes x, y, z of the device in those of the world, S = diag(signs). A 3D mouse has x to the right, y
        toward the user and z down, which is (1, -1, -1) where x is right and y is forward. An odd number of -1 is a
        mirror: no device can be held so, but it may count its axes left-handed. Its turns are mirrored too then, since
        an angular velocity is no arrow:  v = S v_D,  w = det(S) S w_D.  So it moves as one body, mirrored or not. To
        turn a single axis round, calibrate it on the page
    shared : as in :class:`gelenk.Input`
    """

    def __init__(
        self,
        name: str,
        *,
        to: str | None = None,
        speed: float = 1.0,
        turn: float = 1.0,
        axes: tuple[int, ...] = (0, 1, 2, 3, 4, 5),
        signs: tuple[int, ...] = (1, -1, -1),
        shared: bool = False,
    ) -> None:
        self.name = check_name("six axes", name)
        label = f"six axes {name!r}"
        if to is not None and not isinstance(to, str):
            raise InputError(label, f"to is {to!r}"[:100], "the name of a direct control", "Pass a name.")
        most = [
            check_number(label, what, v, u, above=0)
            for what, v, u in (("speed", speed, "m/s"), ("turn", turn, "rad/s"))
        ]
        given = {"axes": axes, "signs": signs}
        axes, signs = whole_numbers(axes), whole_numbers(signs)
        if len(axes) != 6 or len({*axes}) != 6:
            raise InputError(label, f"axes are {given['axes']!r}"[:100], "six different numbers", "Count from 0.")
        if len(signs) != 3 or any(sign not in (1, -1) for sign in signs):
            raise InputError(label, f"signs are {given['signs']!r}"[:100], "three of 1 and -1", "Try (1, -1, -1).")
        self.to = to
        mirror = signs[0] * signs[1] * signs[2]
        self.signs = (*signs, *(mirror * sign for sign in signs))  # of the six axes
        self.inputs = tuple(
            Input(
                f"{name} {rate}",
                low=-most[k // 3],
                high=most[k // 3],
                axis=axes[k],
                to=self._hand_on(rate, self.signs[k]),
                unit=("m/s", "rad/s")[k // 3],
                shared=shared,
            )
            for k, rate in enumerate(RATES)
        )

    def _hand_on(self, rate: str, sign: int) -> Callable[[Any, float], Any] | None:
        if self.to is None:
            return None
        name = f"{self.to}.{rate}"
        return lambda sim, value: sim.inputs.__setitem__(name, sign * value)

    def check(self, sim: Any) -> None:
        """Refuse a control that does not exist or follows something else."""
        if self.to is not None:
            _check_inputs(f"six axes {self.name!r}", sim, self.to, RATES, "velocity")

    @property
    def velocity(self) -> np.ndarray:
        """(3,) that it asks for now, world axes [m/s]."""
        return np.array([sign * device.value for sign, device in zip(self.signs[:3], self.inputs[:3])])

    @property
    def angular_velocity(self) -> np.ndarray:
        """(3,) that it asks for now, world axes [rad/s]."""
        return np.array([sign * device.value for sign, device in zip(self.signs[3:], self.inputs[3:])])

    def __repr__(self) -> str:
        return f"<six axes {self.name!r}: {self.velocity} m/s, {self.angular_velocity} rad/s>"


@friendly
class TrackedPose:
    """A pose that a device outside gives, such as a tracked glove; a program writes it with :meth:`put`.

    In a view it is handed on before steps. Elsewhere: ``sim.run(5.0, control=lambda t, sim: glove.apply(sim))``.

    Parameters
    ----------
    name : unique name
    to : a :class:`gelenk.DirectControl` of poses that follows it, by name, or a function of the simulation, the
        position and the orientation; nothing if left out, for functions that read ``position`` and ``orientation``
    at, scale : where the origin of the device is in the world [m], and how many metres of the world one of its own is;
        its axes are those of the world
    """

    def __init__(
        self,
        name: str,
        *,
        to: str | Callable[[Any, np.ndarray, np.ndarray], Any] | None = None,
        at: Any = (0.0, 0.0, 0.0),
        scale: float = 1.0,
    ) -> None:
        self.name = check_name("tracked pose", name)
        label = f"tracked pose {name!r}"
        if to is not None and not isinstance(to, str) and not callable(to):
            remedy = 'Pass "hand", or f with  def f(sim, position, orientation): ...'
            raise InputError(label, f"to is {to!r}"[:100], "the name of a direct control, or a function", remedy)
        self.to = to
        self.at, self.scale = check_vector(label, "at", at, "m"), check_number(label, "scale", scale, "1", above=0)
        self._pose: tuple[Vector, Quaternion] | None = None  # one thing, so that no half of it is ever read

    def put(self, position: Any, orientation: Any = (1.0, 0.0, 0.0, 0.0)) -> None:
        """What the device reads now: position [m] and unit quaternion w x y z; from any thread. The last one counts."""
        label = f"tracked pose {self.name!r}"
        place = check_vector(label, "position", position, "m")
        turn = check_quaternion(label, "orientation", orientation)
        x, y, z = (a + self.scale * p for a, p in zip(self.at, place))
        self._pose = (x, y, z), turn

    @property
    def position(self) -> np.ndarray | None:
        """(3,) in the world [m]; None before the first."""
        return None if self._pose is None else np.array(self._pose[0])

    @property
    def orientation(self) -> np.ndarray | None:
        """(4,) unit quaternion w x y z; None before the first."""
        return None if self._pose is None else np.array(self._pose[1])

    def check(self, sim: Any) -> None:
        """Refuse a control that does not exist or follows something else."""
        if isinstance(self.to, str):
            _check_inputs(f"tracked pose {self.name!r}", sim, self.to, POSE, "pose")

    def apply(self, sim: Any) -> None:
        """Hand on the last pose, between steps; nothing before the first."""
        pose = self._pose
        if pose is None or self.to is None:
            return
        if not isinstance(self.to, str):
            self.to(sim, np.array(pose[0]), np.array(pose[1]))
            return
        for word, value in zip(POSE, (*pose[0], *pose[1])):
            sim.inputs[f"{self.to}.{word}"] = value

    def __repr__(self) -> str:
        return f"<tracked pose {self.name!r}: {self._pose}>"


def _check_inputs(label: str, sim: Any, control: str, words: tuple[str, ...], mode: str) -> None:
    if not all(f"{control}.{word}" in sim.model.wired.inputs for word in words):
        allowed = f"the name of a gk.DirectControl with mode={mode!r}"
        raise InputError(label, f"to is {control!r}", allowed, "Add one to the model, or correct the name.")
