"""Union-find: sets of nodes that grow together, in nearly constant time an edge (V-97)."""

from __future__ import annotations

from gelenk.compile import helper


@helper
def root_of(parent, i):
    """The node that stands for the set of i; ways to it are halved as they are gone."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@helper
def unite(parent, i, j):
    """Make one set of those of i and j; the smaller number stands for it, whatever the order of the edges."""
    a, b = root_of(parent, i), root_of(parent, j)
    if a < b:
        parent[b] = a
    else:
        parent[a] = b
