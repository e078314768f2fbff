"""Gelenk: multibody dynamics in Python at compiled speed.

>>> import gelenk as gk
"""

from gelenk.batch import Batch
from gelenk.checks import unit
from gelenk.collision.separating_move import separating_move
from gelenk.contact.options import ContactOptions
from gelenk.contact.problem import ContactProblem, ContactSolution
from gelenk.contact.report import ContactForce, ContactImpact
from gelenk.contact.warning import ContactWarning
from gelenk.errors import AccuracyWarning, InputError
from gelenk.forces.drag import Drag
from gelenk.forces.law import Law
from gelenk.forces.runner_friction import RunnerFriction
from gelenk.forces.segment_contacts import SegmentContacts
from gelenk.forces.spring import Spring
from gelenk.forces.wrench import Wrench
from gelenk.geometry.angles import cardan, cardan_angles, turned
from gelenk.geometry.compound import Compound
from gelenk.geometry.curve import Curve
from gelenk.geometry.decomposition import decompose
from gelenk.geometry.distance_map import DistanceMap
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.mass import MassProperties, principal_axes
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_files import load_mesh
from gelenk.geometry.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere, Torus
from gelenk.geometry.sphere_tree import SphereTree
from gelenk.geometry.surface import Surface
from gelenk.graph.edges import Requirement
from gelenk.graph.graph import Cluster, ContactGraph
from gelenk.graph.groups import with_collider_groups
from gelenk.integrators.ballistic import Ballistic
from gelenk.integrators.dormand_prince import DormandPrince
from gelenk.integrators.explicit_euler import ExplicitEuler
from gelenk.integrators.explicit_midpoint import ExplicitMidpoint
from gelenk.integrators.implicit_euler import ImplicitEuler
from gelenk.integrators.implicit_midpoint import ImplicitMidpoint
from gelenk.integrators.runge_kutta4 import RungeKutta4
from gelenk.integrators.semi_implicit_euler import SemiImplicitEuler
from gelenk.joints.articulated_steering import ArticulatedSteering
from gelenk.joints.ball import Ball
from gelenk.joints.ball_on_line import BallOnLine
from gelenk.joints.ball_on_plane import BallOnPlane
from gelenk.joints.connection import Connection
from gelenk.joints.control import Deceleration, DirectControl, Grab
from gelenk.joints.cylindrical import Cylindrical
from gelenk.joints.distance import Distance
from gelenk.joints.drive import DriveWarning
from gelenk.joints.driven import Driven, JumpWarning
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
from gelenk.methods.auto_merge import MergeWarning, Merging
from gelenk.methods.free import FreeMotion
from gelenk.methods.impulse import Impulse
from gelenk.methods.lagrange import Lagrange
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.methods.position_based import PositionBased
from gelenk.methods.row_stepping import RowStepping
from gelenk.model.builder import Builder
from gelenk.model.colliders import GroupWarning
from gelenk.model.contact_law import ContactLaw
from gelenk.model.model import Model
from gelenk.model.parts import WORLD, Material, Part
from gelenk.model.redundancy import JointReport, check_joints
from gelenk.model.scene_read import load_scene, read_scene
from gelenk.model.scene_write import save_scene, scene_text
from gelenk.model.start_velocities import StartWarning
from gelenk.model.urdf import UrdfWarning, load_urdf
from gelenk.model.urdf_robot import Robot, RobotJoint
from gelenk.run.run import Run, load_run
from gelenk.simulate import Simulation, SimulationError, simulate
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.gauss_seidel import GaussSeidel
from gelenk.solvers.lemke import Lemke
from gelenk.solvers.sparse import Sparse
from gelenk.solvers.split import Split
from gelenk.solvers.tree import Tree
from gelenk.space.events import CollisionEvent
from gelenk.space.load_colors import load_color, load_colors
from gelenk.space.records import BoxHit, ClosestPoint, Contact, Impact, Overlap, RayHit, SweepHit
from gelenk.space.world import CollisionWorld
from gelenk.state import Loads, State
from gelenk.threads import get_threads, set_threads
from gelenk.trees.dynamics import TreeDynamics
from gelenk.view.devices import Input, Tone, Vibration
from gelenk.view.dialog import ChoiceField, Dialog, NumberField, TextField
from gelenk.view.force_out import ForceSender
from gelenk.view.light import Daylight, Night
from gelenk.view.live_ghosts import Ghost
from gelenk.view.open import View, replay, view
from gelenk.view.overlay import Overlay
from gelenk.view.parameters import Parameter
from gelenk.view.rigs import CockpitCamera, FollowCamera, TracksideCamera
from gelenk.view.scenery import SceneryCopies, ScenerySurface
from gelenk.view.sounds import Hit, Noise
from gelenk.view.traces import Trace, load_traces, save_traces
from gelenk.view.trackers import SixAxes, TrackedPose

__version__ = "0.1.0"
__all__ = [
    "WORLD",
    "AccuracyWarning",
    "ArticulatedSteering",
    "Ball",
    "BallOnCurve",
    "BallOnLine",
    "BallOnPlane",
    "BallOnSurface",
    "Ballistic",
    "Batch",
    "Box",
    "BoxHit",
    "Builder",
    "Capsule",
    "ChoiceField",
    "ClosestPoint",
    "Cluster",
    "CockpitCamera",
    "CollisionEvent",
    "CollisionWorld",
    "Compound",
    "Cone",
    "Connection",
    "Contact",
    "ContactForce",
    "ContactGraph",
    "ContactImpact",
    "ContactLaw",
    "ContactOptions",
    "ContactProblem",
    "ContactSolution",
    "ContactWarning",
    "ConvexHull",
    "Curve",
    "Cylinder",
    "Cylindrical",
    "DampedHinge",
    "Dantzig",
    "Daylight",
    "Deceleration",
    "Dialog",
    "Differential",
    "DirectControl",
    "Distance",
    "DistanceMap",
    "DormandPrince",
    "Drag",
    "DriveWarning",
    "Driven",
    "Ellipsoid",
    "ExplicitEuler",
    "ExplicitMidpoint",
    "FollowCamera",
    "ForceMotor",
    "ForceSender",
    "FreeMotion",
    "GaussSeidel",
    "Gear",
    "Ghost",
    "Grab",
    "GroupWarning",
    "HeightField",
    "Hinge",
    "Hit",
    "Impact",
    "ImplicitEuler",
    "ImplicitMidpoint",
    "Impulse",
    "Input",
    "InputError",
    "JointReport",
    "JointSpring",
    "JumpWarning",
    "Lagrange",
    "Law",
    "Lemke",
    "Loads",
    "LoftedSheet",
    "MassProperties",
    "Material",
    "MergeWarning",
    "Merging",
    "Model",
    "MoreauTree",
    "Night",
    "Noise",
    "NumberField",
    "Overlap",
    "Overlay",
    "Parameter",
    "Part",
    "Planar",
    "Plane",
    "PositionBased",
    "RayHit",
    "Requirement",
    "Rigid",
    "Robot",
    "RobotJoint",
    "RowStepping",
    "Run",
    "RungeKutta4",
    "RunnerFriction",
    "SceneryCopies",
    "ScenerySurface",
    "Screw",
    "SegmentContacts",
    "SemiImplicitEuler",
    "Servo",
    "Simulation",
    "SimulationError",
    "SixAxes",
    "Slider",
    "SliderOnCurve",
    "Sparse",
    "Sphere",
    "SphereTree",
    "Split",
    "Spring",
    "StartWarning",
    "State",
    "SteeredSuspension",
    "Surface",
    "SweepHit",
    "TextField",
    "Tone",
    "Torus",
    "Trace",
    "TrackedPose",
    "TracksideCamera",
    "Tree",
    "TreeDynamics",
    "TriangleMesh",
    "Universal",
    "UrdfWarning",
    "VelocityMotor",
    "Vibration",
    "View",
    "Wrench",
    "cardan",
    "cardan_angles",
    "check_joints",
    "decompose",
    "get_threads",
    "load_color",
    "load_colors",
    "load_mesh",
    "load_run",
    "load_scene",
    "load_traces",
    "load_urdf",
    "principal_axes",
    "read_scene",
    "replay",
    "save_scene",
    "save_traces",
    "scene_text",
    "separating_move",
    "set_threads",
    "simulate",
    "turned",
    "unit",
    "view",
    "with_collider_groups",
]
