"""A contact problem, given as plain data, laid out as the solvers of a step take it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gelenk.contact.block import COUNT, SLIDES, TURNS, new_contacts
from gelenk.contact.options import ContactOptions
from gelenk.contact.pivot_block import WIDTH, new_pivot
from gelenk.contact.problem import ContactProblem, ContactSolution
from gelenk.contact.setup import new_stages, put_to_work
from gelenk.contact.stages import ContactStages
from gelenk.model.builder import Builder
from gelenk.rows.assemble import BodyWork, RowWork, new_rows
from gelenk.rows.block import BOX, NONE, ROW, Joints, records
from gelenk.state import Masses, State, new_loads, new_state


class Layout(NamedTuple):
    """Arguments of a stage of contact."""

    stages: ContactStages
    joints: Joints
    memory: Any
    masses: Masses
    state: State
    loads: Any
    bodies: BodyWork
    rows: RowWork
    h: float


def laid_out(
    problem: ContactProblem,
    options: ContactOptions,
    pivots: Any,
    begin: ContactSolution | None,
    now: ContactSolution | None = None,
) -> Layout:
    """All arrays; ``begin`` are impulses to start from, ``now`` those that have been found."""
    empty = Builder().build()
    joints, rows = row_arrays(problem, empty.wired.joints)
    nodes, count = len(problem.inverse_mass), len(problem.a)
    base = new_stages(empty, None)
    old = base.contacts
    sizes = max(count, 1), 1, nodes, len(problem.row_want)
    contacts = new_contacts(*sizes, old.law, old.grain, old.material, options.numbers(0.0))
    zero = ContactSolution(np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(len(problem.row_want)), 0.0, False, 0)
    start = begin or zero
    now = now or start
    V = problem.velocity + change(problem, start)
    put_to_work(base.space, contacts)
    fill_contacts(problem, contacts, V, start, now)
    number = rows.number
    number["want"], number["soft"], number["lo"], number["hi"] = (
        problem.row_want, problem.row_soft, problem.row_low, problem.row_high
    )  # fmt: skip
    number["before"], number["p"] = start.row_impulse, now.row_impulse
    number["ask"] = problem.row_want - row_rates(problem, V) - problem.row_soft * start.row_impulse
    pivot = base.pivot
    if pivots is not None:
        couples = bool((problem.couple_arms > 0.0).any())
        width = int(new_pivot(pivots, 0, joints, 0, couples).number[WIDTH])
        pivot = new_pivot(pivots, nodes, joints, len(joints.row) + count * width, couples)
    stages = base._replace(contacts=contacts, pivot=pivot)
    masses, state = node_arrays(problem)
    bodies = BodyWork(V, change(problem, now) - change(problem, start), masses.inv_mass, problem.inverse_inertia.copy())
    memory = empty.wired.memory(empty.initial_state().memory)
    return Layout(stages, joints, memory, masses, state, new_loads(state), bodies, rows, 1e-3)


def row_rates(problem: ContactProblem, V: np.ndarray) -> np.ndarray:
    """(rows,) J V, which is zero for a row without entries."""
    each = np.einsum("ek,ek->e", problem.row_jacobian, V[problem.row_node])
    made, first = np.zeros(len(problem.row_want)), problem.row_first.astype(np.int64)
    np.add.at(made, np.repeat(np.arange(len(made)), np.diff(first)), each)
    return made


def axes_of(problem: ContactProblem) -> np.ndarray:
    """(contacts, 3, 3) normal and tangents as rows."""
    return np.stack([problem.normal, problem.tangent, np.cross(problem.normal, problem.tangent)], axis=1)


def change(problem: ContactProblem, given: ContactSolution) -> np.ndarray:
    """(nodes, 6) what impulses do to the velocities,  M^-1 J^T p."""
    wrench = np.zeros((len(problem.inverse_mass), 6))
    axes = axes_of(problem)
    force = np.einsum("ckx,ck->cx", axes, given.impulse)
    couple = np.einsum("ckx,ck->cx", axes, given.couple)
    for node, arm, sign in ((problem.a, problem.arm_a, -1.0), (problem.b, problem.arm_b, 1.0)):
        np.add.at(wrench[:, :3], node, sign * force)
        np.add.at(wrench[:, 3:], node, sign * (np.cross(arm, force) + couple))
    entries = problem.row_first[1:].astype(np.int64) - problem.row_first[:-1]
    each = np.repeat(given.row_impulse, entries)
    np.add.at(wrench, problem.row_node, problem.row_jacobian * each[:, None])
    out = wrench.copy()
    out[:, :3] *= problem.inverse_mass[:, None]
    out[:, 3:] = np.einsum("nij,nj->ni", problem.inverse_inertia, wrench[:, 3:])
    return out


def contact_velocity(problem: ContactProblem, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(contacts, 3) velocity and angular velocity of b against a along the axes of each contact."""
    a, b, axes = problem.a, problem.b, axes_of(problem)
    u = V[b, :3] + np.cross(V[b, 3:], problem.arm_b) - V[a, :3] - np.cross(V[a, 3:], problem.arm_a)
    return np.einsum("ckx,cx->ck", axes, u), np.einsum("ckx,cx->ck", axes, V[b, 3:] - V[a, 3:])


def point_matrices(problem: ContactProblem) -> tuple[np.ndarray, np.ndarray]:
    """(contacts, 3, 3) answers of each point along its axes to impulses and to couples along them."""
    axes = axes_of(problem)
    K, G = np.zeros((2, len(problem.a), 3, 3))
    for node, arm in ((problem.a, problem.arm_a), (problem.b, problem.arm_b)):
        turns = np.cross(arm[:, None, :], axes)  # r x d
        inertia = problem.inverse_inertia[node]
        K += problem.inverse_mass[node][:, None, None] * np.einsum("cix,cjx->cij", axes, axes)
        K += np.einsum("cix,cxy,cjy->cij", turns, inertia, turns)
        G += np.einsum("cix,cxy,cjy->cij", axes, inertia, axes)
    return K, G


def fill_contacts(problem: Any, contacts: Any, V: np.ndarray, start: ContactSolution, now: ContactSolution) -> None:
    """The records of all contacts, with velocities V that hold the impulses to start from."""
    count = len(problem.a)
    c, x = contacts.contact[:count], contacts.turn[:count]
    K, G = point_matrices(problem)
    u, w = contact_velocity(problem, V)
    c["a"], c["b"], c["n"], c["t"] = problem.a, problem.b, problem.normal, problem.tangent
    contacts.ends[:count] = np.stack([problem.a, problem.b], axis=1)
    c["r_a"], c["r_b"], c["soft"], c["state"] = problem.arm_a, problem.arm_b, problem.soft, SLIDES
    c["along"], c["across"] = problem.friction.T
    upper = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    c["K"], x["G"] = (np.stack([A[:, i, j] for i, j in upper], axis=1) for A in (K, G))
    c["top"], x["top"] = (top_of(A) for A in (K, G))
    c["p"], c["start"], c["before"] = now.impulse, start.impulse, start.impulse[:, 0]
    c["ask"] = -u
    c["ask"][:, 0] += problem.want - problem.soft * start.impulse[:, 0]
    x["rolling"], x["torsional"] = problem.couple_arms.T
    x["on"] = (problem.couple_arms > 0.0).any(axis=1)
    x["p"], x["start"], x["ask"] = now.couple, start.couple, -w
    contacts.number[COUNT], contacts.number[TURNS] = count, int(x["on"].sum())


def top_of(A: np.ndarray) -> np.ndarray:
    """Larger eigenvalue of the tangent part of each matrix."""
    mean, half = 0.5 * (A[:, 1, 1] + A[:, 2, 2]), 0.5 * (A[:, 1, 1] - A[:, 2, 2])
    made: np.ndarray = mean + np.hypot(half, A[:, 1, 2])
    return made


def row_arrays(problem: ContactProblem, empty: Joints) -> tuple[Joints, RowWork]:
    """Rows of joints as the solvers of a step know them."""
    row = records(ROW, len(problem.row_want))
    row["set"], row["owner"], row["with_a"], row["with_b"], row["normal"] = BOX, NONE, NONE, NONE, NONE
    row["entry_first"], row["entry_last"] = problem.row_first[:-1], problem.row_first[1:]
    free = np.isinf(problem.row_low) & np.isinf(problem.row_high)
    equalities = int(np.argmin(np.append(free, False)))
    row["plain"] = (free & (problem.row_soft == 0.0)).astype(np.uint32)
    count = fixed(np.array([equalities], np.uint32))
    joints = empty._replace(row=fixed(row), body=problem.row_node, equalities=count)
    rows = new_rows(joints)
    rows.J[:] = problem.row_jacobian
    rows.active[:] = np.arange(len(row))
    rows.counts[:] = len(row), equalities
    return joints, rows


def node_arrays(problem: ContactProblem) -> tuple[Masses, State]:
    """Masses, as if all axes were those of the world."""
    nodes = len(problem.inverse_mass)
    with np.errstate(divide="ignore"):
        mass = np.where(problem.inverse_mass > 0.0, 1.0 / problem.inverse_mass, 0.0)
    inertia = np.zeros((nodes, 3, 3))
    for i in range(nodes):
        turns = problem.inverse_inertia[i].any()
        inertia[i] = np.linalg.inv(problem.inverse_inertia[i]) if turns else mass[i] * np.eye(3)
    state = new_state(nodes, nodes)
    return Masses(fixed(mass), problem.inverse_mass, fixed(inertia), problem.inverse_inertia), state


def fixed(array: Any) -> Any:
    """Read-only, as the arrays of a model are."""
    array.flags.writeable = False
    return array
