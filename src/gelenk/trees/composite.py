"""The mass matrix of a tree from composite bodies (B-15, T-47).

The *composite* of a link is the link with all that hangs on it, as one rigid body. What u_k = 1 gives it of momentum,
told about N of one ancestor after the other, has its components along their columns in row k of M:

    (f, n) = I_c s_k        M_kj = v_j.f + w_j.n        to the parent:  n <- n + r x f

It costs the number of velocities times the depth of the tree, where sums over all bodies
(:mod:`gelenk.trees.projected`, the second way to the same) are of cubic cost.

Source: R. Featherstone, Rigid Body Dynamics Algorithms, Springer (2008), section 6.2.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.math.vec3 import Vec3, triple
from gelenk.rows.block import NONE
from gelenk.trees.articulated import add_to_parent, mat, spatial_inertia


@routine
def composite_mass_matrix(tree, masses, work, M):
    """M (nu, nu) at the state that the kinematics left; symmetric to the last bit."""
    count, nothing = tree.link.shape[0], Vec3(0.0, 0.0, 0.0)
    for i in range(M.shape[0]):
        for k in range(M.shape[1]):
            M[i, k] = 0.0
    for n in range(count):
        spatial_inertia(masses, tree.link[n], work.moving[n], work.at)
    for m in range(count):
        n = count - 1 - m
        link, moving = tree.link[n], work.moving[n]
        A, B, C = mat(moving.A), mat(moving.B), mat(moving.C)
        for k in range(link.u, link.last):
            v, w = triple(work.column[k].v), triple(work.column[k].w)
            fill_row(tree, work, M, n, k, A @ v + B.tdot(w), B @ v + C @ w)
        if link.parent != NONE:
            add_to_parent(work.moving[link.parent], A, B, C, nothing, nothing, triple(moving.r))


@helper
def fill_row(tree, work, M, n, k, f, t):
    """Row and column k of M, whose link is n, from the momentum (f, t) about N of that link."""
    at, last = n, k + 1
    while at != NONE:
        link = tree.link[at]
        for j in range(link.u, last):
            M[k, j] = M[j, k] = triple(work.column[j].v) @ f + triple(work.column[j].w) @ t
        t = t + triple(work.moving[at].r).cross(f)
        at = link.parent
        last = tree.link[at].last if at != NONE else 0
