"""What is asked of a tree at one (q, u), as compiled calls; :mod:`gelenk.trees.dynamics` asks (B-13 to B-15, T-49)."""

from __future__ import annotations

from gelenk.compile import kernel
from gelenk.integrators.scheme import applied_loads
from gelenk.math.vec3 import Vec3, triple
from gelenk.trees.articulated import accelerations
from gelenk.trees.composite import composite_mass_matrix
from gelenk.trees.kinematics import kinematics, read_state, store, write_state
from gelenk.trees.newton_euler import inverse_dynamics
from gelenk.trees.projected import jacobian_at, motion_at, projected_accelerations


@kernel
def ask_kinematics(tree, work):
    """Bodies of (q, u)."""
    kinematics(tree, work)


@kernel
def ask_state(tree, work, memory, state):
    """The state of (q, u), turned angles and places on curves included."""
    kinematics(tree, work)
    write_state(tree, work, memory, state)


@kernel
def ask_coordinates(tree, memory, state, work):
    """(q, u) of a state."""
    read_state(tree, memory, state, work)


@kernel
def ask_forward(tree, system, loads, work, t):
    """U' in linear time."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    accelerations(tree, system.masses, loads, work)


@kernel
def ask_projected(tree, system, loads, work, t, J, M, h):
    """U' by the mass matrix."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    projected_accelerations(tree, system.masses, loads, work, J, M, h)


@kernel
def ask_inverse(tree, system, loads, work, t, tau):
    """Forces for given u'."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    inverse_dynamics(tree, system.masses, loads, work, tau)


@kernel
def ask_matrix(tree, system, work, M):
    """Mass matrix."""
    kinematics(tree, work)
    composite_mass_matrix(tree, system.masses, work, M)


@kernel
def ask_jacobian(tree, work, n, x, y, z, J):
    """Jacobian of a point of link n, in the axes of its body from the centre of mass."""
    jacobian_at(tree, work, n, Vec3(x, y, z), J)


@kernel
def ask_motion(tree, work, n, x, y, z, out):
    """Velocities and accelerations of a point of link n."""
    motion_at(tree, work, n, Vec3(x, y, z), out)


@kernel
def ask_frame(tree, system, loads, work, t, n, x, y, z, tau, motion, load):
    """Motion of a point of link n for given u', and the force and couple about it that its joint passes on."""
    kinematics(tree, work)
    applied_loads(system, work.at, t, loads)
    inverse_dynamics(tree, system.masses, loads, work, tau)
    moving, p_W = work.moving[n], Vec3(x, y, z)
    f = triple(moving.f)
    store(load[0:3], f)
    store(load[3:6], triple(moving.n) + (triple(moving.p_N) - p_W).cross(f))
    motion_at(tree, work, n, p_W, motion)
