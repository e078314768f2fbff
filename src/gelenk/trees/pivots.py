"""Freedoms that move next to nothing: pivots of the elimination lost in round-off (B-15).

The mass matrix is regular where every velocity moves some mass. The recursion of :mod:`gelenk.trees.articulated` finds
its pivots,

    D_k = inertia that u_k moves while all that hangs on it gives way,       M_kk = the same with all of it rigid

as differences of numbers of the size of M_kk, so D_k is known to round-off of M_kk, 2e-16, and u_k' likewise. Turns of
one joint become each other as it moves, so the largest of their M_kk counts for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gelenk.compile import kernel, routine
from gelenk.errors import InputError
from gelenk.math.vec3 import Vec3, triple
from gelenk.model.model import Model
from gelenk.rows.block import NONE
from gelenk.state import new_loads
from gelenk.trees.articulated import accelerations, add_to_parent, mat, spatial_inertia
from gelenk.trees.block import Tree, new_tree_work
from gelenk.trees.kind_table import TABLE
from gelenk.trees.kinematics import kinematics, read_state

WEAK = 1e-13  # D_k / M_kk below which a thousandth of u_k' and more is round-off


@kernel
def find_pivots(tree, masses, memory, state, loads, work, share):
    """Share[k] = D_k / M_kk at a state."""
    read_state(tree, memory, state, work)
    kinematics(tree, work)
    composite_diagonal(tree, masses, work, share)
    share_turns(tree, work, share)
    accelerations(tree, masses, loads, work)
    for k in range(share.shape[0]):
        share[k] = 1.0 if tree.driven[k] == 1 else 1.0 / (work.column[k].inv * share[k])


@routine
def composite_diagonal(tree, masses, work, out):
    """Out[k] = M_kk, children first."""
    count, nothing = tree.link.shape[0], Vec3(0.0, 0.0, 0.0)
    for n in range(count):
        spatial_inertia(masses, tree.link[n], work.moving[n], work.at)
    for m in range(count):
        n = count - 1 - m
        link, moving = tree.link[n], work.moving[n]
        A, B, C = mat(moving.A), mat(moving.B), mat(moving.C)
        for k in range(link.u, link.last):
            v, w = triple(work.column[k].v), triple(work.column[k].w)
            out[k] = v @ (A @ v + B.tdot(w)) + w @ (B @ v + C @ w)
        if link.parent != NONE:
            add_to_parent(work.moving[link.parent], A, B, C, nothing, nothing, triple(moving.r))


@routine
def share_turns(tree, work, out):
    """The largest M_kk of the turns of a joint for all of them."""
    for n in range(tree.link.shape[0]):
        link, most = tree.link[n], 0.0
        for k in range(link.u, link.last):
            if triple(work.column[k].w).norm() > 0.0:
                most = max(most, out[k])
        for k in range(link.u, link.last):
            if triple(work.column[k].w).norm() > 0.0:
                out[k] = most


def check_pivots(
    element: str, model: Model, tree: Tree, names: tuple[str, ...], state: Any, *, implicit: bool = False
) -> None:
    """Refuse velocities that move no mass beyond round-off.

    A spring or damper in the joint is enough instead where the step takes it ``implicit``: it is added to the pivot.
    """
    share = np.ones(int(tree.sizes[1]))
    memory = model.wired.memory(state.memory)
    find_pivots(tree, model.system.masses, memory, state, new_loads(state), new_tree_work(tree, state), share)
    if implicit:
        share[tree.sprung["u"]] = 1.0
    weak = np.flatnonzero(~(share > WEAK))
    if not len(weak):
        return
    k = int(weak[np.argmin(np.nan_to_num(share[weak], nan=0.0))])
    link = tree.link[tree.of_u[k]]
    name = f"{names[int(tree.of_u[k])]}.{TABLE[link.kind].names[k - int(link.u)]}"
    found = f"{name!r} moves next to no mass: {max(share[k], 0.0):.1g} of that of all behind it, held rigid"
    damper = " or with a damper" if implicit else ""
    remedy = f"Give {model.nodes.names[int(link.node)]!r} inertia, or a joint without this freedom{damper}."
    raise InputError(element, found, f"at least {WEAK:g}, above round-off", remedy)
