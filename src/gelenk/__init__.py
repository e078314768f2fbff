"""Gelenk: multibody dynamics in Python at compiled speed.

>>> import gelenk as gk
"""

from gelenk.checks import unit
from gelenk.errors import InputError
from gelenk.forces.drag import Drag
from gelenk.forces.law import Law
from gelenk.forces.spring import Spring
from gelenk.forces.wrench import Wrench
from gelenk.geometry.mass import MassProperties, principal_axes
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_files import load_mesh
from gelenk.geometry.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Sphere, Torus
from gelenk.integrators.ballistic import Ballistic
from gelenk.integrators.dormand_prince import DormandPrince
from gelenk.integrators.explicit_midpoint import ExplicitMidpoint
from gelenk.integrators.implicit_midpoint import ImplicitMidpoint
from gelenk.integrators.runge_kutta4 import RungeKutta4
from gelenk.integrators.semi_implicit_euler import SemiImplicitEuler
from gelenk.methods.free import FreeMotion
from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.model.parts import WORLD, Material, Part
from gelenk.model.scene_read import load_scene, read_scene
from gelenk.model.scene_write import save_scene, scene_text
from gelenk.run.run import Run, load_run
from gelenk.simulate import Simulation, SimulationError, simulate
from gelenk.state import Loads, State

__version__ = "0.1.0"
__all__ = [
    "WORLD",
    "Ballistic",
    "Box",
    "Builder",
    "Capsule",
    "Cone",
    "Cylinder",
    "DormandPrince",
    "Drag",
    "Ellipsoid",
    "ExplicitMidpoint",
    "FreeMotion",
    "ImplicitMidpoint",
    "InputError",
    "Law",
    "Loads",
    "MassProperties",
    "Material",
    "Model",
    "Part",
    "Plane",
    "Run",
    "RungeKutta4",
    "SemiImplicitEuler",
    "Simulation",
    "SimulationError",
    "Sphere",
    "Spring",
    "State",
    "Torus",
    "TriangleMesh",
    "Wrench",
    "load_mesh",
    "load_run",
    "load_scene",
    "principal_axes",
    "read_scene",
    "save_scene",
    "scene_text",
    "simulate",
    "unit",
]
