"""All kinds of joints and of what acts on them, by the word that stands for them in a scene."""

from __future__ import annotations

from gelenk.joints.articulated_steering import ArticulatedSteering
from gelenk.joints.ball import Ball
from gelenk.joints.ball_on_line import BallOnLine
from gelenk.joints.ball_on_plane import BallOnPlane
from gelenk.joints.connection import Connection
from gelenk.joints.control import Deceleration, DirectControl, Grab
from gelenk.joints.cylindrical import Cylindrical
from gelenk.joints.distance import Distance
from gelenk.joints.driven import Driven
from gelenk.joints.force_motor import ForceMotor
from gelenk.joints.gear import Differential, Gear
from gelenk.joints.hinge import Hinge
from gelenk.joints.joint_spring import JointSpring
from gelenk.joints.on_curve import BallOnCurve, SliderOnCurve
from gelenk.joints.on_surface import BallOnSurface
from gelenk.joints.planar import Planar
from gelenk.joints.rigid import Rigid
from gelenk.joints.screw import Screw
from gelenk.joints.servo import Servo
from gelenk.joints.slider import Slider
from gelenk.joints.suspension import DampedHinge, SteeredSuspension
from gelenk.joints.universal import Universal
from gelenk.joints.velocity_motor import VelocityMotor

JOINT_KINDS: tuple[type, ...] = (
    ArticulatedSteering,
    Ball,
    BallOnCurve,
    BallOnLine,
    BallOnPlane,
    BallOnSurface,
    Connection,
    Cylindrical,
    DampedHinge,
    Deceleration,
    Differential,
    DirectControl,
    Distance,
    Driven,
    ForceMotor,
    Gear,
    Grab,
    Hinge,
    JointSpring,
    Planar,
    Rigid,
    Screw,
    Servo,
    Slider,
    SliderOnCurve,
    SteeredSuspension,
    Universal,
    VelocityMotor,
)
