"""Where a segment comes out of a smooth sheet: Newton's method from where it was, or from all parts near it (B-19).

As long as neither end of the segment has moved by what it was away from the sheet, nothing is to be sought. What is
closed is followed from step to step, and begins where it would be if it went on as before. What is near and not
followed is sought in all parts of the sheet whose discs it meets, the furthest crossing of them; so nothing is passed
over because a start was far off.
"""

from __future__ import annotations

import math

from gelenk.compile import helper, routine
from gelenk.contact.segment_block import CLOSED, LOST, OPEN, REACHED
from gelenk.geometry.sheet import cross_parts, newton_sheet
from gelenk.geometry.sheet_parts import parts_near
from gelenk.math.vec3 import triple

CLEAR = 0.6  # [m] distance up to which it is worth knowing how far the sheet is


@helper
def put_triple(out, a):
    """Put a vector into three numbers of a record."""
    out[0], out[1], out[2] = a.x, a.y, a.z


@routine
def look_at_sheet(sheet, mine, p, d, move):
    """What a segment meets at D = p with its way d, while D moves by ``move`` in the step; axes of the sheet."""
    before = mine.state
    step, low = move.norm(), min(0.0, (move @ d) / (d @ d))
    mine.state = OPEN
    if before == OPEN and moved(mine, p, p + d) + step < mine.clear:
        return
    if mine.uv[0] == mine.uv[0]:
        tau, n, s, v = newton_sheet(sheet, p, d, mine.uv[0] + mine.rate[0], mine.uv[1] + mine.rate[1])
        if d @ n > 0.0 and low <= tau <= REACHED[1]:
            note_place(mine, s, v)
            settle(mine, before, p, d, move, tau, n)
            return
    count, mine.clear = parts_near(sheet, p, d, step, CLEAR)
    put_triple(mine.found_at, p)
    put_triple(mine.end_at, p + d)
    tau, n, s, v = cross_parts(sheet, count, p, d, low, 1.0, 1.0)
    mine.uv[0], mine.uv[1] = s, v
    mine.rate[0] = mine.rate[1] = 0.0
    if tau >= low:
        settle(mine, before, p, d, move, tau, n)


@helper
def moved(mine, p, end):
    """How far the ends of a segment are from where the sheet was last sought, the farther of both."""
    a, b = p - triple(mine.found_at), end - triple(mine.end_at)
    return math.sqrt(max(a @ a, b @ b))


@helper
def note_place(mine, s, v):
    """Remember a place and by how much it has moved; pieces count on anew where a patch is mirrored."""
    ds, dv = s - mine.uv[0], v - mine.uv[1]
    mine.uv[0], mine.uv[1] = s, v
    mine.rate[0], mine.rate[1] = ds, dv if abs(dv) < 0.5 else 0.0


@routine
def settle(mine, before, p, d, move, tau, n):
    """State and contact of a segment that crosses the sheet at p + tau d."""
    if tau < 0.0 and not -tau * (n @ d) <= -(n @ move):
        return
    if tau > 1.0:
        mine.state = LOST if before != OPEN else OPEN
        return
    mine.state, mine.s, mine.clear = CLOSED, tau, 0.0
    put_triple(mine.point, p + d * tau)
    put_triple(mine.n, n)


@routine
def went_in_sheet(sheet, mine, start, end):
    """Whether the other end of a segment went into the ice on its way."""
    way, at = end - start, triple(mine.end_at)
    if not 0.0 < way @ way < math.inf:
        return False
    a, b = start - at, end - at
    if max(a @ a, b @ b) < mine.clear * mine.clear:
        return False
    count, _ = parts_near(sheet, start, way, 0.0, 0.0)
    tau, _, _, _ = cross_parts(sheet, count, start, way, 0.0, 1.0, -1.0)
    return tau >= 0.0
