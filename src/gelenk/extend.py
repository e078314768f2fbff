"""What a kind of force of your own needs, in one import; see examples/01_first_steps/06_own_kind_of_force.py.

An element (frozen dataclass, :class:`Labelled`) collects what the user gives, its ``block`` makes a NamedTuple of
arrays from all of them, and ``add_loads`` and ``add_energy`` are registered for that NamedTuple.
"""

from gelenk.checks import check_axis, check_choice, check_name, check_number, check_table, check_vector
from gelenk.compile import generic, helper, kernel, routine, value_type
from gelenk.forces.block import add_energy, add_force_at, add_loads, arm, point_velocity
from gelenk.forces.element import Labelled, Nodes, arms, column, node_indices, rows
from gelenk.integrators.scheme import applied_loads, derivative, new_status, step
from gelenk.math.quat import Quat, get4, put4, quat_exp, quat_log
from gelenk.math.rotation import Mat3, get33, rotation
from gelenk.math.vec3 import Vec3, get3, put3

__all__ = [
    "Labelled",
    "Mat3",
    "Nodes",
    "Quat",
    "Vec3",
    "add_energy",
    "add_force_at",
    "add_loads",
    "applied_loads",
    "arm",
    "arms",
    "check_axis",
    "check_choice",
    "check_name",
    "check_number",
    "check_table",
    "check_vector",
    "column",
    "derivative",
    "generic",
    "get3",
    "get4",
    "get33",
    "helper",
    "kernel",
    "new_status",
    "node_indices",
    "point_velocity",
    "put3",
    "put4",
    "quat_exp",
    "quat_log",
    "rotation",
    "routine",
    "rows",
    "step",
    "value_type",
]
