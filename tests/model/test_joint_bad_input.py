"""Bad joints, motors and gears are refused at the door: who, what was found, what is allowed, what to do."""

import copy
import dataclasses
import pickle
import re
from dataclasses import fields, replace

import numpy as np
import pytest

import gelenk as gk
from model.sample_joints import CURVE, DRIVES, GRID, JOINTS, base_and_arm

nan, inf = float("nan"), float("inf")
AT = {"at": (0, 0, 0)}
Z = {**AT, "axis": (0, 0, 1)}
AB = {"a": "base", "b": "arm"}


def assert_four_parts(error, element, found, allowed, remedy):
    """Each part is there, and all stand in the message."""
    assert error.element == element
    for name, text, pattern in (
        ("found", error.found, found),
        ("allowed", error.allowed, allowed),
        ("remedy", error.remedy, remedy),
    ):
        assert re.search(pattern, text), f"{name}: {text!r} lacks {pattern!r}"
    assert all(part in str(error) for part in (element, error.found, error.allowed, error.remedy))
    assert error.remedy[0].isupper()
    assert error.remedy[-1] in ".?"


def refused(*makers):
    """The error of adding elements one after the other and building."""
    b = base_and_arm()

    def add_all():
        for make in makers:
            b.add(make())
        b.build()

    with pytest.raises(gk.InputError) as caught:
        add_all()
    return caught.value


def hinge(**given):
    return lambda: gk.Hinge(**{"name": "h", **AB, **Z, **given})


def made(kind, **given):
    return lambda: kind(**{"name": "x", **given})


def on_hinge(kind, **given):
    return hinge(), made(kind, **({"on": "h"} | given))


TWO = ("two different bodies", "Change a or b")
MOVES = ("at least one body that moves", "Remove the joint or free a body")
UNIT = ("length 1", r"Pass a unit vector, or normalise it with gk\.unit")
ZERO = ("length 1", r"Pass a direction such as \(0, 0, 1\)")
NUMBERS = ("3 finite numbers", "Give")
NAME = ("the name of a body or frame, or 'world'", "Pass a name as")

CASES = {
    # the two sides
    "itself": (hinge(b="base"), "hinge 'h'", "both sides are 'base'", *TWO),
    "itself through a frame": (
        hinge(a="grip", at=None, axis=None),
        "hinge 'h'",
        "'grip' and b is 'arm', .*same body",
        *TWO,
    ),
    "world and a frame in it": (hinge(a="world", b="nail"), "hinge 'h'", "the same body", *TWO),
    "unknown body": (
        hinge(b="amr"),
        "hinge 'h'",
        "b is 'amr', which does not exist",
        "'arm', 'base'",
        "Did you mean 'arm'",
    ),
    "unknown first body": (hinge(a="bse"), "hinge 'h'", "a is 'bse'", "'base'", "Did you mean 'base'"),
    "body as number": (hinge(a=3), "hinge 'h'", "a is 3", *NAME),
    "body as object": (hinge(b=None), "hinge 'h'", "b is None", *NAME),
    "body as array": (hinge(b=np.zeros(3)), "hinge 'h'", "b is array", *NAME),
    "joint as body": ((hinge(), made(gk.Ball, a="h", b="arm", **AT)), "ball 'x'", "a is 'h'", "'arm'", "Add 'h' first"),
    "static and world": (hinge(a="world", b="ground"), "hinge 'h'", "neither 'world' nor 'ground' can move", *MOVES),
    "static and nail": (made(gk.Distance, a="nail", b="ground"), "distance 'x'", "neither", *MOVES),
    "curve on static bodies": (
        made(gk.BallOnCurve, a="world", b="ground", points=CURVE, at=CURVE[0]),
        "ball_on_curve 'x'",
        "neither",
        *MOVES,
    ),
    "surface on static bodies": (
        made(gk.BallOnSurface, a="ground", b="world", points=GRID, at=GRID[0][0]),
        "ball_on_surface 'x'",
        "neither",
        *MOVES,
    ),
    "curve of itself": (made(gk.BallOnCurve, a="arm", b="grip", points=CURVE), "ball_on_curve 'x'", "same body", *TWO),
    "surface of itself": (made(gk.BallOnSurface, a="arm", b="grip", points=GRID), "ball_on_surface 'x'", "same", *TWO),
    "rod of itself": (made(gk.Distance, a="arm", b="grip"), "distance 'x'", "same body", *TWO),
    # particles
    "hinge of a particle": (hinge(b="bob"), "hinge 'h'", "b is the particle 'bob'", "a body", "holds points only"),
    "particle first": (
        made(gk.Ball, a="bob", b="arm", **AT),
        "ball 'x'",
        "a is the particle 'bob'",
        "a body, the world or a frame",
        "Make the particle b",
    ),
    "slider on a curve of a particle": (
        made(gk.SliderOnCurve, a="base", b="bob", points=CURVE),
        "slider_on_curve 'x'",
        "a particle on one side",
        "bodies",
        "Use a ball on a curve",
    ),
    "curve in a particle": (
        made(gk.BallOnCurve, a="bob", b="arm", points=CURVE, at=CURVE[0]),
        "ball_on_curve 'x'",
        "a particle",
        "bodies",
        "Use",
    ),
    "surface in a particle": (
        made(gk.BallOnSurface, a="bob", b="arm", points=GRID, **AT),
        "ball_on_surface 'x'",
        "a is 'bob'",
        "a body or the world",
        "Name the body",
    ),
    "place beside a particle": (
        made(gk.Ball, a="base", b="bob", at=(0, 0, 1.5)),
        "ball 'x'",
        r"at is 0\.5 m beside the particle 'bob'",
        "the place of the particle",
        "Leave at out",
    ),
    "rod to a point of a particle": (
        made(gk.Distance, a="base", b="bob", at_b=(0, 0, 0)),
        "distance 'x'",
        "at_b is given beside the particle 'bob'",
        "one of them",
        "Leave at_b out",
    ),
    "grip beside a particle": (
        made(gk.Grab, body="bob", force_max=1, at=(0, 0, 0)),
        "grab 'x'",
        "at is given beside the particle 'bob'",
        "one of them",
        "Leave at out",
    ),
    # places
    "no place": (hinge(at=None), "hinge 'h'", "no joint point", "at = ", "Pass at, or name frames"),
    "no axis": (hinge(axis=None), "hinge 'h'", "no axis", "a unit vector in the world", "Pass axis, or name frames"),
    "zero axis": (hinge(axis=(0, 0, 0)), "hinge 'h'", r"axis is \(0\.0, 0\.0, 0\.0\) with length 0", *ZERO),
    "long axis": (hinge(axis=(0, 3, 4)), "hinge 'h'", r"axis is \(0\.0, 3\.0, 4\.0\) with length 5", *UNIT),
    "nan axis": (hinge(axis=(0, nan, 1)), "hinge 'h'", r"axis is \(0, nan, 1\)", *NUMBERS),
    "axis of two": (hinge(axis=(0, 1)), "hinge 'h'", r"axis is \(0, 1\)", *NUMBERS),
    "axis as text": (hinge(axis="z"), "hinge 'h'", "axis is 'z'", "3 finite numbers", r"Write axis=\(0, 0, 1\)"),
    "axis as text with a sign": (
        hinge(axis="-X"),
        "hinge 'h'",
        "axis is '-X'",
        "3 finite numbers",
        r"Write axis=\(-1, 0, 0\)",
    ),
    "axis as a word": (hinge(axis="up"), "hinge 'h'", "axis is 'up'", "3 finite numbers", r"such as \(0, 0, 1\)"),
    "zero x axis": (hinge(x_axis=(0, 0, 0)), "hinge 'h'", "x_axis is .* with length 0", *ZERO),
    "x axis along": (
        hinge(x_axis=(0, 0.6, 0.8)),
        "hinge 'h'",
        r"x_axis is 36\.87 degrees from axis \(0\.0, 0\.0, 1\.0\)",
        "a right angle",
        "Choose x_axis across axis",
    ),
    "nan place": (hinge(at=(0, nan, 0)), "hinge 'h'", r"at is \(0, nan, 0\)", *NUMBERS),
    "infinite place": (hinge(at=(0, inf, 0)), "hinge 'h'", r"at is \(0, inf, 0\)", *NUMBERS),
    "place as text": (hinge(at="here"), "hinge 'h'", "at is 'here'", *NUMBERS),
    "place beside a frame": (
        hinge(b="grip", axis=None),
        "hinge 'h'",
        "at beside a frame",
        "one or the other",
        "Leave them out",
    ),
    "axis beside two frames": (
        hinge(a="nail", b="grip", at=None),
        "hinge 'h'",
        "axis beside two frames",
        "frames or at and axis",
        "Leave them out",
    ),
    "frames apart": (
        made(gk.Ball, a="nail", b="grip"),
        "ball 'x'",
        r"it stands open by 2\.7 m at the start",
        "at most 1e-06 m or rad",
        r"Move the bodies or frames .* build\(assemble=True\)",
    ),
    "no x axis": (
        made(gk.DampedHinge, **AB, **Z, stiffness=1.0),
        "damped_hinge 'x'",
        "no x_axis",
        "the direction of the spring",
        "Pass x_axis across axis",
    ),
    "no x axis for a loader": (
        made(gk.ArticulatedSteering, **AB, **Z),
        "articulated_steering 'x'",
        "no x_axis",
        "along the vehicle",
        "Pass x_axis",
    ),
    "place of a rod": (made(gk.Distance, **AB, **AT), "distance 'x'", "at is given", "at_a and at_b", "Leave at out"),
    "rod beside a frame": (
        made(gk.Distance, a="grip", b="base", at_a=(0, 0, 0)),
        "distance 'x'",
        "at_a is given beside the frame 'grip'",
        "one of them",
        "Leave at_a out",
    ),
    "rod of no length": (
        made(gk.Distance, **AB, at_a=(0, 0, 0), at_b=(0, 0, 0)),
        "distance 'x'",
        "both points are at the same place",
        "a distance above 0",
        "Use a ball joint",
    ),
    "rod of length 0": (made(gk.Distance, **AB, length=0), "distance 'x'", "length is 0", r"above 0 \[m\]", "Give"),
    "rod and rope": (
        made(gk.Distance, **AB, length=1, limits=(0, 1)),
        "distance 'x'",
        "length and limits",
        "one of them",
        "Leave one out",
    ),
    "no point on a curve": (
        made(gk.BallOnCurve, **AB, points=CURVE),
        "ball_on_curve 'x'",
        "no point of b",
        "at",
        "Pass",
    ),
    "no point on a surface": (
        made(gk.BallOnSurface, **AB, points=GRID),
        "ball_on_surface 'x'",
        "no point of b",
        "at",
        "Pass at",
    ),
    "curve in a frame": (
        made(gk.BallOnCurve, a="nail", b="arm", points=CURVE, **AT),
        "ball_on_curve 'x'",
        "a is the frame 'nail'",
        "a body or the world",
        "Name the body",
    ),
    "axis of a curve": (
        made(gk.BallOnCurve, **AB, **Z, points=CURVE),
        "ball_on_curve 'x'",
        "axis is given",
        "points and at",
        "Leave axis out",
    ),
    "point beside the curve": (
        made(gk.BallOnCurve, **AB, points=CURVE, at=(0, 0, 5)),
        "ball_on_curve 'x'",
        "it stands open by",
        "at most 1e-06",
        "assemble=True",
    ),
    "curve of two points": (
        made(gk.BallOnCurve, **AB, **AT, points=CURVE[:2]),
        "ball_on_curve 'x'",
        "it has 2 points",
        "at least 3",
        "Give more points",
    ),
    "closed as number": (
        made(gk.BallOnCurve, **AB, **AT, points=CURVE, closed=1),
        "ball_on_curve 'x'",
        "closed is 1",
        "true or false",
        "Pass a bool",
    ),
    "surface of a line": (
        made(gk.BallOnSurface, **AB, **AT, points=CURVE),
        "ball_on_surface 'x'",
        "points are not a grid",
        "m, n, 3",
        "Give rows of points",
    ),
    # limits
    "low above high": (
        hinge(limits=(1, -1)),
        "hinge 'h'",
        "limits of 'angle' are 1 to -1",
        "low at or below high",
        "Swap them",
    ),
    "nan limit": (hinge(limits=(nan, 1)), "hinge 'h'", r"limits of 'angle' are \(nan, 1\)", "two numbers", "Pass two"),
    "one limit": (hinge(limits=(1,)), "hinge 'h'", "limits of 'angle' are", "two numbers", "Pass two"),
    "three limits": (hinge(limits=(0, 1, 2)), "hinge 'h'", "limits of 'angle' are", "two numbers", "Pass two"),
    "limit as number": (hinge(limits=1.0), "hinge 'h'", "limits of 'angle' are 1", "two numbers", "Pass two"),
    "limits as text": (hinge(limits="01"), "hinge 'h'", "limits of 'angle' are '01'", "two numbers", "Pass two"),
    "limits of texts": (hinge(limits=("0", "1")), "hinge 'h'", "limits of 'angle' are", "two numbers", "Pass two"),
    "limits of bools": (hinge(limits=(False, True)), "hinge 'h'", "limits of 'angle' are", "two numbers", "Pass two"),
    "unknown limit": (hinge(limits={"angel": (0, 1)}), "hinge 'h'", "limits on 'angel'", "angle", "Use one of these"),
    "empty limit": (hinge(limits=((),)), "hinge 'h'", r"limits are \(\(\),\)", "low, high", "Give .coordinate"),
    "limits twice": (
        hinge(limits=(("angle", 0, 1), ("angle", 0, 2))),
        "hinge 'h'",
        "limits are",
        "one entry a coordinate",
        "Leave one out",
    ),
    "limits of a weld": (
        made(gk.Rigid, **AB, **AT, limits=(0, 1)),
        "rigid 'x'",
        r"limits are \(0, 1\)",
        "nothing of it is free",
        "Leave limits out",
    ),
    "limits of which": (
        made(gk.Cylindrical, **AB, **Z, limits=(0, 1)),
        "cylindrical 'x'",
        r"limits are \(0, 1\)",
        "position, angle",
        r"Say which coordinate: \{'position': \(low, high\)\}",
    ),
    # numbers of joints
    "no gain": (hinge(gain=0), "hinge 'h'", "gain is 0", r"above 0 and at most 1", "Give gain"),
    "large gain": (hinge(gain=1.5), "hinge 'h'", r"gain is 1\.5", "at most 1", "Give gain"),
    "negative break force": (hinge(break_force=-1), "hinge 'h'", "break_force is -1", r"above 0 \[N\]", "Give"),
    "nan break torque": (hinge(break_torque=nan), "hinge 'h'", "break_torque is nan", r"\[N m\]", "Give"),
    "break force as array": (hinge(break_force=np.ones(2)), "hinge 'h'", "break_force is", r"\[N\]", "Give"),
    "minus infinity": (hinge(break_force=-inf), "hinge 'h'", "break_force is -inf", "above 0", "Give"),
    "blocked as number": (hinge(blocked=1), "hinge 'h'", "blocked is 1", "true, false or left out", "Pass a bool"),
    "no lead": (made(gk.Screw, **AB, **Z, lead=0), "screw 'x'", "lead is 0", "an advance", "Use a hinge"),
    "nan lead": (made(gk.Screw, **AB, **Z, lead=nan), "screw 'x'", "lead is nan", r"\[m\]", "Give lead"),
    "suspension without spring": (
        made(gk.DampedHinge, **AB, **Z, x_axis=(1, 0, 0), stiffness=0),
        "damped_hinge 'x'",
        "stiffness is 0",
        r"above 0 \[N/m\]",
        "Give stiffness",
    ),
    "negative threshold": (
        made(gk.ArticulatedSteering, **AB, **Z, x_axis=(1, 0, 0), lock_below=-1),
        "articulated_steering 'x'",
        "lock_below is -1",
        "at least 0",
        "Give",
    ),
    # drives: what they act on
    "unknown joint": (
        on_hinge(gk.Servo, on="hh.angle"),
        "servo 'x'",
        "on is 'hh.angle', which does not exist",
        r"'h\.angle'",
        r"Did you mean 'h\.angle'",
    ),
    "unknown coordinate": (
        on_hinge(gk.Servo, on="h.position"),
        "servo 'x'",
        r"on is 'h\.position', and 'h' has no 'position'",
        r"'h\.angle'",
        "Choose one of these",
    ),
    "several coordinates": (
        (made(gk.Cylindrical, **AB, **Z), lambda: gk.ForceMotor(name="m", on="x", force=1)),
        "force_motor 'm'",
        "on is 'x', and 'x' has 2 coordinates",
        r"'x\.position', 'x\.angle'",
        "Choose one of these",
    ),
    "nothing free": (
        (made(gk.Rigid, **AB, **AT), lambda: gk.ForceMotor(name="m", on="x", force=1)),
        "force_motor 'm'",
        "on is 'x', which leaves none free",
        "a joint with a free coordinate",
        "Choose another joint",
    ),
    "motor on a body": (on_hinge(gk.Servo, on="arm"), "servo 'x'", "on is 'arm'", r"h\.angle", "Name the joint"),
    "motor on a motor": (
        (*on_hinge(gk.Servo), lambda: gk.Servo(name="y", on="x")),
        "servo 'y'",
        "on is 'x', which does not exist",
        "h.angle",
        "Add",
    ),
    "on as number": (on_hinge(gk.Servo, on=3), "servo 'x'", "on is 3", "the name of a joint", "Change on"),
    "gear of one": (
        (hinge(), made(gk.Gear, first="h", second="h")),
        "gear 'x'",
        "first is 'h' and second 'h', the same coordinate",
        "two different coordinates",
        "Change one",
    ),
    "gear of one by two names": (
        (hinge(), made(gk.Gear, first="h", second="h.angle")),
        "gear 'x'",
        "the same coordinate",
        "two different coordinates",
        "Change one",
    ),
    "differential of one": (
        (hinge(), made(gk.Differential, first="h.angle", second="h")),
        "differential 'x'",
        "the same coordinate",
        "two different",
        "Change one",
    ),
    "gear of an unknown joint": (
        (hinge(), made(gk.Gear, first="h", second="g")),
        "gear 'x'",
        "second is 'g', which does not exist",
        r"h\.angle",
        "Add|Did",
    ),
    "gear of a number": (
        (hinge(), made(gk.Gear, first=1, second="h")),
        "gear 'x'",
        "first is 1, which does not exist",
        r"h\.angle",
        "Add|Did",
    ),
    # drives: numbers
    "ratio 0": (made(gk.Gear, first="h", second="g", ratio=0), "gear 'x'", "ratio is 0", "other than 0", "Use a brake"),
    "nan ratio": (made(gk.Gear, first="h", second="g", ratio=nan), "gear 'x'", "ratio is nan", "finite", "Give ratio"),
    "positions as text": (
        made(gk.Gear, first="h", second="g", positions="no"),
        "gear 'x'",
        "positions is 'no'",
        "true or false",
        "Pass a bool",
    ),
    "negative force_max": (
        on_hinge(gk.VelocityMotor, speed=1, force_max=-1),
        "velocity_motor 'x'",
        "force_max is -1",
        "at least 0",
        "Give force_max",
    ),
    "force_max minus infinity": (
        on_hinge(gk.VelocityMotor, speed=1, force_max=-inf),
        "velocity_motor 'x'",
        "force_max is -inf",
        "at least 0",
        "Give force_max",
    ),
    "nan speed": (on_hinge(gk.VelocityMotor, speed=nan), "velocity_motor 'x'", "speed is nan", "rad/s", "Give speed"),
    "infinite speed": (on_hinge(gk.VelocityMotor, speed=inf), "velocity_motor 'x'", "speed is inf", "finite", "Give"),
    "speed as text": (on_hinge(gk.VelocityMotor, speed="1"), "velocity_motor 'x'", "speed is '1'", "finite", "Give"),
    "negative braking": (
        on_hinge(gk.VelocityMotor, speed=1, braking=-0.1),
        "velocity_motor 'x'",
        r"braking is -0\.1",
        "at least 0",
        "Give braking",
    ),
    "infinite braking": (
        on_hinge(gk.VelocityMotor, speed=1, braking=inf),
        "velocity_motor 'x'",
        "braking is inf",
        "finite",
        "Give",
    ),
    "negative kp": (on_hinge(gk.Servo, kp=-1), "servo 'x'", "kp is -1", "at least 0", "Give kp"),
    "nan ki": (on_hinge(gk.Servo, ki=nan), "servo 'x'", "ki is nan", "finite", "Give ki"),
    "servo with negative force": (on_hinge(gk.Servo, force_max=-2), "servo 'x'", "force_max is -2", "least 0", "Give"),
    "nan force": (on_hinge(gk.ForceMotor, force=nan), "force_motor 'x'", "force is nan", "N or N m", "Give force"),
    "negative stiffness": (
        on_hinge(gk.JointSpring, stiffness=-1),
        "joint_spring 'x'",
        "stiffness is -1",
        r"at least 0 \[N/m or N m/rad\]",
        "Give stiffness",
    ),
    "negative damping": (on_hinge(gk.JointSpring, damping=-1), "joint_spring 'x'", "damping is -1", "least 0", "Give"),
    "servo with negative kd": (on_hinge(gk.Servo, kd=-0.1), "servo 'x'", "kd is -0.1", "at least 0", "Give kd"),
    "spring that must push": (
        on_hinge(gk.JointSpring, stiffness=1, force_min=2),
        "joint_spring 'x'",
        "force_min is 2",
        "at most 0",
        "Give force_min",
    ),
    "spring force as text": (
        on_hinge(gk.JointSpring, stiffness=1, force_max="9"),
        "joint_spring 'x'",
        "force_max is '9'",
        "at least 0",
        "Give force_max",
    ),
    "nan spring force": (
        on_hinge(gk.JointSpring, stiffness=1, force_max=nan),
        "joint_spring 'x'",
        "force_max is nan",
        "at least 0",
        "Give",
    ),
    "differential with negative force": (
        made(gk.Differential, first="h", second="g", force_max=-1),
        "differential 'x'",
        "force_max is -1",
        "at least 0",
        "Give",
    ),
    # hands
    "hand on the ground": (
        made(gk.DirectControl, body="ground"),
        "direct_control 'x'",
        "body is 'ground', which cannot move",
        "a body that moves",
        "Name another",
    ),
    "hand on nothing": (made(gk.Grab, body="amr", force_max=1), "grab 'x'", "body is 'amr'", "'arm'", "Did you mean"),
    "unknown mode": (
        made(gk.DirectControl, body="arm", mode="speed"),
        "direct_control 'x'",
        "mode is 'speed'",
        "'velocity' or 'pose'",
        "Choose",
    ),
    "pose in a frame": (
        made(gk.DirectControl, body="arm", mode="pose", frame="base"),
        "direct_control 'x'",
        "frame is 'base' with a pose",
        "world",
        "Leave frame out",
    ),
    "measured against itself": (
        made(gk.DirectControl, body="arm", frame="grip"),
        "direct_control 'x'",
        "frame is 'grip'",
        "another body",
        "Measure against something else",
    ),
    "hand beside a frame": (
        made(gk.DirectControl, body="grip", at=(0, 0, 0)),
        "direct_control 'x'",
        "at is given beside the frame 'grip'",
        "one of them",
        "Leave at out",
    ),
    "no force": (made(gk.Grab, body="arm", force_max=0), "grab 'x'", "force_max is 0", r"above 0 \[N\]", "Give"),
    "negative torque": (
        made(gk.DirectControl, body="arm", torque_max=-1),
        "direct_control 'x'",
        "torque_max is -1",
        r"at least 0 \[N m\]",
        "Give",
    ),
    "nan target": (made(gk.Grab, body="arm", force_max=1, to=(0, 0, nan)), "grab 'x'", "to is", *NUMBERS),
    "no normal": (
        made(gk.Deceleration, body="arm", normal=(0, 0, 0), force_max=1),
        "deceleration 'x'",
        "normal is .* with length 0",
        *ZERO,
    ),
    # names
    "name of a body": (hinge(name="arm"), "hinge 'arm'", "taken by a body", "unique names", "Choose another name"),
    "name of a frame": (hinge(name="nail"), "hinge 'nail'", "taken by a frame", "unique names", "Choose another name"),
    "name of a particle": (hinge(name="bob"), "hinge 'bob'", "taken by a particle", "unique names", "Choose another"),
    "name of a joint": ((hinge(), hinge()), "hinge 'h'", "taken by a joint or drive", "unique names", "Choose another"),
    "motor like its joint": (
        on_hinge(gk.Servo, name="h"),
        "servo 'h'",
        "taken by a joint or drive",
        "unique",
        "Choose",
    ),
    "name of the world": (hinge(name="world"), "hinge 'world'", "stands for the world", "another", "Choose"),
    "name of a series": (hinge(name="energy"), "hinge 'energy'", "a series of every run", "another", "Choose"),
    "no name": (hinge(name=""), "hinge", "name is ''", "letters, digits", "Choose another name"),
    "name as number": (on_hinge(gk.Servo, name=1), "servo", "name is 1", "letters, digits", "Choose another name"),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name):
    makers, element, found, allowed, remedy = CASES[name]
    error = refused(*(makers if isinstance(makers, tuple) else (makers,)))
    assert_four_parts(error, element, found, allowed, remedy)


def test_a_body_may_not_take_the_name_of_a_joint():
    b = base_and_arm()
    b.add(hinge()())
    for add in (b.particle, b.body):
        with pytest.raises(gk.InputError, match="the name is taken by a joint or drive"):
            add("h", mass=1)


# --- every field of every kind ---------------------------------------------------------------------------------------

WRONG = [nan, -inf, "text", b"bytes", [], {}, object(), np.array([1.0, 2.0]), (1, 2, 3, 4), -1e400, True]


def names_of(element):
    return [field.name for field in fields(element)]


DRIVEN = [joint for joint in JOINTS if joint.kind in ("hinge", "cylindrical", "slider", "universal")]
FIELDS = [(e, f) for e in (*JOINTS, *DRIVES) for f in names_of(e) if f != "name"]


def error_of(element, field, wrong):
    """The error of giving a field of an element a wrong value, or None if it is accepted."""
    given = {f: getattr(element, f) for f in names_of(element)} | {field: wrong}
    b = base_and_arm()
    try:
        b.add(type(element)(**given))
        for joint in DRIVEN if element in DRIVES else ():
            b.add(joint)
        b.build()
    except gk.InputError as error:
        return error
    return None


@pytest.mark.parametrize(("element", "field"), FIELDS, ids=lambda x: x if isinstance(x, str) else x.kind)
def test_wrong_values_never_end_in_another_error(element, field):
    """Each field of each kind: refused by name, apart from the few values that are allowed after all."""
    found = [error_of(element, field, wrong) for wrong in WRONG]
    assert {error.element for error in found if error} == {element.label}
    # no limits at all or a pair as an array, a flag that is true, no lower bound of a force
    words = ("blocked", "closed", "closed_u", "closed_v", "collide", "positions", "merge", "separate_groups")
    flags = dict.fromkeys(words, 1)
    allowed = flags | {"limits": 3, "force_min": 2}
    assert found.count(None) <= allowed.get(field, 0)


def test_two_sensors_of_one_name_are_refused():
    """A grip reads its force as "hand.fx", which a motor may be called too."""
    b = gk.Builder()
    b.body("arm", mass=1, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.Grab(name="hand", body="arm", force_max=1.0))
    b.add(gk.ForceMotor(name="hand.fx", on="pin", force=1.0))
    with pytest.raises(gk.InputError, match=r"'hand\.fx'"):
        b.build()


@pytest.mark.parametrize(("low", "high"), [(0.1, 1.0), (-1.0, -0.1)])
def test_a_start_outside_the_limits_is_refused(low, high):
    """Without frames of its own a joint counts from its start pose."""
    b = gk.Builder()
    b.body("arm", mass=1, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0), axis=(0, 0, 1), limits=(low, high)))
    with pytest.raises(gk.InputError, match=r"hinge 'pin': it begins at 0 .*from its start pose.*Shift the limits"):
        b.build()


def test_a_motor_without_bounds_on_a_limited_joint_is_warned_of():
    b = gk.Builder()
    b.body("arm", mass=1, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0), axis=(0, 0, 1), limits=(-1, 1)))
    b.add(gk.VelocityMotor(name="motor", on="pin", speed=1.0))
    with pytest.warns(gk.DriveWarning, match=r"velocity_motor 'motor': 'pin' has limits.*Give force_max") as notes:
        assert b.build().wired.names == ("pin",)
    assert notes[0].filename == __file__  # at the line of build()


@pytest.mark.parametrize("method", [gk.Impulse, gk.RowStepping])
def test_a_warm_start_is_true_or_false(method):
    with pytest.raises(gk.InputError, match=r"warm_start is 'no'.*true or false"):
        method(warm_start="no")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: gk.Hinge("a", "b"),
            r"hinge: 2 arguments without a name; allowed: every argument by its name. "
            r"Write gk\.Hinge\(name=\.\.\., a=\.\.\., b=\.\.\., \.\.\.\)",
        ),
        (lambda: gk.Ball("j", a="world", b="arm"), r"ball: 1 arguments without a name"),
        (lambda: gk.VelocityMotor("m", "pin"), r"Write gk\.VelocityMotor\(name=\.\.\., on=\.\.\., "),
        (lambda: gk.Hinge(name="h", a="a", b="b", axes=(0, 0, 1)), "hinge 'h': unknown argument 'axes'.*mean 'axis'"),
        (lambda: gk.Hinge(name="h", a="a", b="b", colour="red"), "'colour'; allowed: name, a, b, at.*Leave it out"),
        (lambda: gk.VelocityMotor(name="m", on="h", sped=1), "velocity_motor 'm'.*Did you mean 'speed'"),
        (lambda: gk.Hinge(name="h", a="a"), r"hinge 'h': without b; allowed: gk\.Hinge\(.*Pass b\."),
        (lambda: gk.Spring("s", "a"), r"spring 's': without b, stiffness, rest_length"),
        (lambda: gk.Spring("s", "a", "b", stifness=1), "Did you mean 'stiffness'"),
        (lambda: gk.Spring("s", *range(9)), "10 arguments without a name; allowed: only name, a, b, stiffness"),
    ],
)
def test_arguments_that_an_element_does_not_have_are_answered_with_those_it_has(make, words):
    with pytest.raises(gk.InputError, match=words):
        make()


def test_elements_are_copied_pickled_and_replaced_as_before():
    pin = gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0), axis=(0, 0, 1), limits=(-1, 1))
    for copied in (copy.copy(pin), copy.deepcopy(pin), pickle.loads(pickle.dumps(pin)), dataclasses.replace(pin)):
        assert copied == pin
    spring = gk.Spring("s", "a", "b", 2.0, 1.0)
    assert dataclasses.replace(spring, damping=0.1) == gk.Spring("s", "a", "b", stiffness=2, rest_length=1, damping=0.1)


RIVALS = {
    "lock": (
        {"blocked": True},
        [gk.VelocityMotor(name="motor", on="pin", speed=1.0)],
        r"velocity_motor 'motor': hinge 'pin' can be locked, and nothing bounds the force.*Give force_max",
    ),
    "lock for later": (
        {"blocked": False},
        [gk.Servo(name="servo", on="pin.angle")],
        r"servo 'servo': hinge 'pin' can be locked, and nothing bounds the force.*Give force_max",
    ),
    "two motors": (
        {},
        [gk.VelocityMotor(name="one", on="pin", speed=1.0), gk.Servo(name="two", on="pin", target=1.0)],
        r"servo 'two': velocity_motor 'one' drives 'pin' too, and nothing bounds the force of either.*Give force_max",
    ),
}


@pytest.mark.parametrize("case", RIVALS)
def test_a_drive_without_bounds_warns_of_what_works_against_it(case):
    """Both sides are named; with a bound on the drive each gives way and nothing is said (V-72, V-79)."""
    held, drives, text = RIVALS[case]
    for bound in (False, True):
        b = gk.Builder()
        b.body("arm", mass=1.0, inertia=(1, 1, 1))
        b.add(gk.Hinge(name="pin", a="world", b="arm", at=(0, 0, 0), axis=(0, 0, 1), **held))
        for drive in drives:
            b.add(replace(drive, force_max=5.0) if bound else drive)
        if bound:
            b.build()  # warnings are errors here
        else:
            with pytest.warns(gk.DriveWarning, match=text):
                b.build()


@pytest.mark.parametrize("force_max", [-1.0, nan, "much", -inf])
def test_where_infinity_is_allowed_the_message_says_so(force_max):
    with pytest.raises(gk.InputError) as caught:
        gk.VelocityMotor(name="motor", on="pin", speed=1.0, force_max=force_max)
    assert caught.value.allowed == "a number, also infinite, at least 0 [N or N m]"
    assert gk.VelocityMotor(name="motor", on="pin", speed=1.0, force_max=inf).force_max == inf
