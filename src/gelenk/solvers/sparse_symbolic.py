"""Which entries a sparse LDL^T factor has, and where they lie: worked out once, since it depends on topology only.

The unknowns come in blocks, one a joint; two blocks are coupled if their joints share a moving body. So the joints of
one body are a clique, and the matrix is a sum of cliques. Eliminating a block joins all cliques it belongs to into one
new clique without it: that is the whole of symbolic elimination (the *element model*).

Order. The next block is one that belongs to a single clique, whatever its size: it leaves no new entry behind. A tree
of bodies is used up by this rule alone, so it has no fill. Where loops remain, the block with the fewest neighbours
comes next, counted from above as the sum of what its cliques hold outside the newest one. Blocks with the same
cliques cannot be told apart and go together. Source: George and Liu, SIAM Review 31 (1989);
Amestoy, Davis and Duff, SIAM J. Matrix Anal. Appl. 17 (1996).

Storage. A *panel* is a run of columns of L with the same rows below them, one dense array:

    column k of panel p     values[value[p] + k height : value[p] + (k + 1) height],   height = width + rows below

first the rows of the panel itself, then those below. So a column of L is contiguous, and a star of fifty joints on one
body is one dense triangle. Indices and values together are linear in the number of entries of L.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gelenk.errors import InputError

Panel = tuple[list[int], list[int]]  # blocks of its columns in order of elimination, blocks of the rows below


class SparsePattern(NamedTuple):
    """The entries of L. Rows and columns are counted in order of elimination; arrays are int64 where not said."""

    order: np.ndarray  # (n,) uint32, unknown that is eliminated k-th
    column: np.ndarray  # (p + 1,) first column of each panel
    value: np.ndarray  # (p + 1,) where its values begin
    row_start: np.ndarray  # (p + 1,) where its rows below begin in `rows`
    rows: np.ndarray  # uint32, rows below each panel, ascending
    update_start: np.ndarray  # (p + 1,) where the earlier panels that change it begin
    update_panel: np.ndarray  # which panel
    update_row: np.ndarray  # its first row, as a place in `rows`, that lies in the columns of the changed panel
    diagonal: np.ndarray  # (blocks, 3) address of each diagonal block: first entry, step of a row, step of a column
    pair: np.ndarray  # (pairs, 3) address of block (i, j) of each pair


def sparse_pattern(sizes: Sequence[int] | np.ndarray, pairs: Sequence[tuple[int, int]] | np.ndarray) -> SparsePattern:
    """Order the blocks and lay out the factor.

    Entry (r, c) of the block of pair k = (i, j), r in i and c in j, belongs at

        values[pair[k, 0] + r pair[k, 1] + c pair[k, 2]]

    and likewise on the diagonal, where the entries above it are never read. A pair may be given twice, in either
    direction: both share one place, so blocks are to be added, not stored.

    Parameters
    ----------
    sizes : rows of each block, at least 1
    pairs : (i, j) of coupled blocks, i != j
    """
    weight, pair = _checked(sizes, pairs)
    panels = _postordered(_merged(_eliminated(weight.tolist(), _cliques(len(weight), pair)), weight))
    return _layout(weight, pair, panels)


def stored_values(pattern: SparsePattern) -> int:
    """Length of the array of values."""
    return int(pattern.value[-1])


def _checked(
    sizes: Sequence[int] | np.ndarray, pairs: Sequence[tuple[int, int]] | np.ndarray
) -> tuple[np.ndarray, ...]:
    weight = np.asarray(sizes, dtype=np.int64).reshape(-1)
    pair = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    if len(weight) and weight.min() < 1:
        k = int(weight.argmin())
        raise InputError(f"block {k}", f"{weight[k]} rows", "at least 1 row", "Leave blocks without rows out.")
    wrong = (pair < 0).any(1) | (pair >= len(weight)).any(1) | (pair[:, 0] == pair[:, 1])
    if wrong.any():
        k = int(wrong.argmax())
        allowed = f"two different blocks from 0 to {len(weight) - 1}"
        raise InputError(f"pair {k}", f"couples {tuple(pair[k].tolist())}", allowed, "Correct or leave out the pair.")
    return weight, pair


# --- order and symbolic elimination ----------------------------------------------------------------------------------


def _cliques(count: int, pair: np.ndarray) -> list[list[int]]:
    """Cover all pairs by cliques, each as large as it grows from its first pair: the bodies, or unions of them."""
    neighbours: list[set[int]] = [set() for _ in range(count)]
    for i, j in pair.tolist():
        neighbours[i].add(j)
        neighbours[j].add(i)
    uncovered = [set(n) for n in neighbours]
    cliques = []
    for i in range(count):
        while uncovered[i]:
            j = min(uncovered[i])
            clique, candidates = [i, j], neighbours[i] & neighbours[j]
            while candidates:
                k = min(candidates)
                clique.append(k)
                candidates &= neighbours[k]
            for k in clique:
                uncovered[k].difference_update(clique)
            cliques.append(clique)
    return cliques


def _eliminated(size: list[int], cliques: list[list[int]]) -> list[Panel]:
    """Eliminate all blocks; blocks that go together are one panel."""
    members = dict(enumerate(map(set, cliques)))  # clique -> its variables; a variable stands for one or more blocks
    held: list[set[int]] = [set() for _ in size]  # variable -> its cliques
    for e, clique in members.items():
        for v in clique:
            held[v].add(e)
    weight, blocks = list(size), [[v] for v in range(len(size))]
    alive = [True] * len(size)

    def merge_twins(variables: set[int]) -> list[int]:
        """Merge those that belong to the same cliques, return who is left."""
        twins: dict[frozenset[int], list[int]] = {}
        for v in sorted(variables):
            twins.setdefault(frozenset(held[v]), []).append(v)
        for first, *others in twins.values():
            for v in others:
                blocks[first] += blocks[v]
                weight[first] += weight[v]
                alive[v] = False
                for e in held[v]:
                    members[e].discard(v)
        return [group[0] for group in twins.values()]

    def priority(v: int, neighbours: int) -> int:
        return 0 if len(held[v]) < 2 else neighbours

    extent = {e: sum(weight[v] for v in clique) for e, clique in members.items()}  # rows of each clique
    merge_twins({v for v in range(len(size)) if held[v]})
    urgency = [priority(v, sum(extent[e] - weight[v] for e in held[v])) for v in range(len(size))]
    heap = [(urgency[v], v) for v in range(len(size)) if alive[v]]
    heapq.heapify(heap)

    panels: list[Panel] = []
    while heap:
        key, pivot = heapq.heappop(heap)
        if not alive[pivot] or key != urgency[pivot]:
            continue  # an entry that a later one replaced
        alive[pivot] = False
        joined = held[pivot]
        reach = set().union(*(members.pop(e) for e in joined)) - {pivot}
        panels.append((blocks[pivot], [b for v in reach for b in blocks[v]]))

        # What the other cliques hold outside the new one; those that hold nothing there are part of it.
        outside: dict[int, int] = {}
        for v in reach:
            held[v] -= joined
            for e in held[v]:
                outside[e] = outside.get(e, extent[e]) - weight[v]
        swallowed = {e for e, rest in outside.items() if rest == 0}
        for e in swallowed:
            for v in members.pop(e):
                held[v].discard(e)
        if len(reach) > 1:
            new = len(cliques) + len(panels)
            members[new], extent[new], outside[new] = reach, sum(weight[v] for v in reach), 0
            for v in reach:
                held[v].add(new)
            left = merge_twins(set(reach))
        else:
            new, left = -1, list(reach)
        for v in left:
            beside = extent[new] - weight[v] if new >= 0 else 0
            urgency[v] = priority(v, beside + sum(outside[e] for e in held[v]))
            heapq.heappush(heap, (urgency[v], v))
    return panels


def _merged(panels: list[Panel], weight: np.ndarray) -> list[Panel]:
    """Join a panel with the one it changes next if that has the same rows, which adds no entry."""
    owner = np.empty(len(weight), dtype=np.int64)
    for p, (columns, _) in enumerate(panels):
        owner[columns] = p
    whole = [columns for columns, _ in panels]
    for p, (_, rows) in enumerate(panels):
        if rows:
            parent = int(owner[rows].min())
            if len(rows) == len(whole[parent]) + len(panels[parent][1]):
                whole[parent] = whole[p] + whole[parent]
                whole[p] = []
    return [(columns, rows) for columns, (_, rows) in zip(whole, panels) if columns]


def _postordered(panels: list[Panel]) -> list[Panel]:
    """Put each panel right after those that change it, so that memory is walked through in order."""
    owner = {b: p for p, (columns, _) in enumerate(panels) for b in columns}
    children: list[list[int]] = [[] for _ in panels]
    roots: list[int] = []
    for p, (_, rows) in enumerate(panels):
        above = children[min(owner[b] for b in rows)] if rows else roots
        above.append(p)
    order: list[int] = []
    stack = roots
    while stack:  # parents before children, then turned round
        order.append(stack.pop())
        stack.extend(children[order[-1]])
    return [panels[p] for p in reversed(order)]


# --- storage ---------------------------------------------------------------------------------------------------------


def _layout(weight: np.ndarray, pair: np.ndarray, panels: list[Panel]) -> SparsePattern:
    """Count rows and columns in scalars and lay the panels one after the other."""
    blocks = np.array([b for columns, _ in panels for b in columns], dtype=np.int64)
    end = np.cumsum(weight[blocks])
    first = np.empty(len(weight), dtype=np.int64)  # first column of each block
    first[blocks] = end - weight[blocks]
    panel_of_block = np.empty(len(weight), dtype=np.int64)
    panel_of_block[blocks] = np.repeat(np.arange(len(panels)), [len(columns) for columns, _ in panels])

    width = np.bincount(panel_of_block, weights=weight, minlength=len(panels)).astype(np.int64)
    column = _starts(width)
    below = np.array([b for _, rows in panels for b in rows], dtype=np.int64)
    panel_of_row = np.repeat(np.arange(len(panels)), [len(rows) for _, rows in panels])
    ascending = np.lexsort((first[below], panel_of_row))
    below, panel_of_row = below[ascending], panel_of_row[ascending]
    rows, panel_of_row = _runs(first[below], weight[below]), np.repeat(panel_of_row, weight[below])
    row_start = _starts(np.bincount(panel_of_row, minlength=len(panels)))
    height = width + np.diff(row_start)
    value = _starts(width * height)

    # A run of rows of one panel that lie in the columns of another is one update of the other by the one.
    target = np.searchsorted(column, rows, side="right") - 1
    begins = np.flatnonzero((np.diff(panel_of_row, prepend=-1) != 0) | (np.diff(target, prepend=-1) != 0))
    begins = begins[np.argsort(target[begins], kind="stable")]

    def address(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Place of the blocks (i, j) in the lower triangle, turned round where j comes after i."""
        turned = first[j] > first[i]
        low, high = np.where(turned, j, i), np.where(turned, i, j)  # row and column of L
        p = panel_of_block[high]
        n = len(end) and int(end[-1])
        place = width[p] - row_start[p] + np.searchsorted(panel_of_row * n + rows, p * n + first[low])
        place = np.where(panel_of_block[low] == p, first[low] - column[p], place)
        at = value[p] + (first[high] - column[p]) * height[p] + place
        return np.stack([at, np.where(turned, height[p], 1), np.where(turned, 1, height[p])], axis=1)

    every = np.arange(len(weight))
    source = np.cumsum(weight) - weight
    return SparsePattern(
        order=_runs(source[blocks], weight[blocks]).astype(np.uint32),
        column=column,
        value=value,
        row_start=row_start,
        rows=rows.astype(np.uint32),
        update_start=_starts(np.bincount(target[begins], minlength=len(panels))),
        update_panel=panel_of_row[begins],
        update_row=begins,
        diagonal=address(every, every),
        pair=address(pair[:, 0], pair[:, 1]),
    )


def _starts(counts: np.ndarray) -> np.ndarray:
    """Where each of several runs begins when they lie one after the other, and where the last ends."""
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def _runs(begin: np.ndarray, length: np.ndarray) -> np.ndarray:
    """begin[0], begin[0] + 1, ... length[0] of them, then those of the next run."""
    total = int(length.sum())
    skipped = np.cumsum(length) - length
    return np.repeat(begin - skipped, length) + np.arange(total)
