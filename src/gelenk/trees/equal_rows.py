"""Rows of a tree without bounds, solved at once: loops, gears, rods (V-52, T-53).

    G p = want - w.u          G = w_i.z_j + c/h

by L D L^T without those that others already imply: the three of a plane loop in space that do nothing new. Rows of
different pieces of the model know nothing of each other, so G is a block for each piece, and a hundred four-bars side
by side cost a hundred times one. All other rows and contacts then act with responses that leave these rows alone,

    z <- z - z_E G^-1 (w_E.z)

so that loops stay closed whatever limits, motors and contacts do.
"""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.trees.directions import MOST_SPANS, coupling, push_along, rate_along

IMPLIED = 1e-10  # of a row's own response: what is left of it beside others, if it follows from them
NOTHING = 1e-22  # of its response between loose bodies: what round-off leaves of a row that joints hold


@helper
def add_equal(directions, mine, r, loose):
    """Row r has no bounds in this step: one more of its piece. Rows come piece by piece."""
    n, p = mine.sizes[0], directions.direction[mine.place[r]].piece[0]
    mine.equal[n], mine.loose[n] = r, loose
    if mine.block[p, 1] == 0:
        mine.block[p, 0] = n
    mine.block[p, 1] = mine.sizes[0] = n + 1


@routine
def factorise(tree, directions, mine, rows):
    """G = L D L^T of the rows without bounds, piece by piece; a row that others imply gets no pivot, D = 0."""
    for p in range(mine.block.shape[0]):
        factorise_block(tree, directions, mine, rows, mine.block[p, 0], mine.block[p, 1] - mine.block[p, 0])


@routine
def factorise_block(tree, directions, mine, rows, a, n):
    """G = L D L^T of n rows from a on."""
    G = mine.G
    for i in range(n):
        for j in range(i + 1):
            G[a + i, j] = coupling(tree, directions, mine.place[mine.equal[a + i]], mine.place[mine.equal[a + j]])
        G[a + i, i] += rows.number[mine.equal[a + i]].soft
    for i in range(n):
        size = G[a + i, i]
        for j in range(i):
            s = G[a + i, j]
            for k in range(j):
                s -= G[a + i, k] * G[a + j, k] * G[a + k, k]
            G[a + i, j] = s / G[a + j, j] if G[a + j, j] > 0.0 else 0.0
        d = G[a + i, i]
        for k in range(i):
            d -= G[a + i, k] * G[a + i, k] * G[a + k, k]
        G[a + i, i] = d if d > IMPLIED * size and size > NOTHING * mine.loose[a + i] else 0.0


@routine
def solve_block(mine, a, n):
    """G^-1 goal, over the goal, for n rows of one piece from a on; nothing for rows that others imply."""
    G, x = mine.G, mine.goal
    for i in range(n):
        for k in range(i):
            x[a + i] -= G[a + i, k] * x[a + k]
    for i in range(n):
        x[a + i] = x[a + i] / G[a + i, i] if G[a + i, i] > 0.0 else 0.0
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            x[a + i] -= G[a + k, i] * x[a + k]
        if G[a + i, i] == 0.0:
            x[a + i] = 0.0


@routine
def meet_equal(tree, directions, mine, rows, u):
    """Solve the rows without bounds for what they lack of the velocities u, and let them act."""
    for i in range(mine.sizes[0]):
        x = rows.number[mine.equal[i]]
        mine.goal[i] = x.want - rate_along(tree, directions, mine.place[mine.equal[i]], u) - x.soft * x.p
    for p in range(mine.block.shape[0]):
        solve_block(mine, mine.block[p, 0], mine.block[p, 1] - mine.block[p, 0])
    for i in range(mine.sizes[0]):
        rows.number[mine.equal[i]].p += mine.goal[i]
        push_along(tree, directions, mine.place[mine.equal[i]], u, mine.goal[i])


@routine
def equal_residual(tree, directions, mine, rows, u):
    """How far rows without bounds are from what they ask [m/s], [rad/s]: rows that others imply may contradict them."""
    worst = 0.0
    for i in range(mine.sizes[0]):
        x = rows.number[mine.equal[i]]
        missing = x.want - rate_along(tree, directions, mine.place[mine.equal[i]], u) - x.soft * x.p
        worst = max(worst, abs(missing))
    return worst


@routine
def constrain(tree, directions, mine, k):
    """Response of direction k with the rows without bounds held:  z <- z - z_E G^-1 (w_E.z), piece by piece."""
    if mine.sizes[0] == 0:
        return
    x = directions.direction[k]
    for s in range(2 * MOST_SPANS):
        mine.reach[k, s] = 0
    at, held = x.at, False
    for s in range(x.spans):
        piece, a, b = tree.piece[x.piece[s]], mine.block[x.piece[s], 0], mine.block[x.piece[s], 1]
        size = int(piece.u_last) - int(piece.u)
        if b > a:
            hold_block(tree, directions, mine, k, s * mine.G.shape[1], a, b, at, size)
            mine.reach[k, 2 * s], mine.reach[k, 2 * s + 1], held = a, b, True
        at += size
    if held:
        x.diag = coupling(tree, directions, k, k)


@routine
def hold_block(tree, directions, mine, k, to, a, b, at, size):
    """Rows a to b of one piece held, whose numbers in the response of direction k begin at ``at``."""
    for i in range(a, b):
        mine.goal[i] = coupling(tree, directions, mine.place[mine.equal[i]], k)
    solve_block(mine, a, b - a)
    for i in range(a, b):
        mine.reply[k, to + i - a] = mine.goal[i]
        e = directions.direction[mine.place[mine.equal[i]]]
        if mine.goal[i] != 0.0:
            for m in range(size):
                directions.z[at + m] -= directions.z[e.at + m] * mine.goal[i]


@routine
def answer(mine, rows, k, p):
    """Count in what the rows without bounds gave against an impulse along direction k."""
    for s in range(MOST_SPANS if mine.sizes[0] > 0 else 0):
        a, b, at = mine.reach[k, 2 * s], mine.reach[k, 2 * s + 1], s * mine.G.shape[1]
        for i in range(a, b):
            rows.number[mine.equal[i]].p -= mine.reply[k, at + i - a] * p
