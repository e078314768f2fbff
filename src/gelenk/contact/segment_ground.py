"""Where a segment comes out of its ground: one answer from every kind of ground (B-19, bobsleigh 4.6).

The answer is left in the segment: OPEN, CLOSED or LOST; the crossing as the place s in ways from D, its point and unit
normal in the axes of the mesh or sheet. CLOSED is also what will be so within the step, with s < 0: D is above the
ground by no more than it moves toward it,  -s n.d <= -n.(h v).  LOST is what lies behind its ground with its whole
length: less than two ways from where it was closed, or however far if its other end E went in since the last step and
it was not closed: it jumped, or came with E ahead or sideways, as a body does that turns over.
"""

from __future__ import annotations

import math

import numpy as np

from gelenk.collision.bent_facet import bent_facet, three
from gelenk.collision.broad.bounds import box_of_segment, get_box
from gelenk.collision.manifold import NONE
from gelenk.collision.mesh_build import put_box
from gelenk.collision.mesh_nearest import mesh_in_ball
from gelenk.collision.mesh_tree import leaf_box
from gelenk.collision.triangle_ray import line_triangle, sheared_line
from gelenk.compile import helper, routine
from gelenk.contact.segment_block import BENT, CLOSED, LOST, MARGIN, OPEN, REACHED, ROOM, SMOOTH, WIDE
from gelenk.contact.segment_sheet import look_at_sheet, put_triple, went_in_sheet
from gelenk.math.vec3 import get3, triple


@routine
def look(sets, n, i, p, d, move):
    """What segment i of set n meets at D = p with its way d, while D moves by ``move`` in the step; mesh axes."""
    ground, mine = sets.set[n], sets.segment[i]
    before, head = mine.state, triple(mine.head)
    if not head @ head < math.inf:
        head = p + d - move * 0.5  # the first step: it began there
    put_triple(mine.head, p + d)
    if ground.kind == SMOOTH:
        look_at_sheet(sets.sheet, mine, p, d, move)
        if mine.state == OPEN and before != LOST and went_in_sheet(sets.sheet, mine, head, p + d):
            mine.state = LOST
        return
    look_there(sets, ground, mine, i, p, d, move)
    if mine.state == OPEN and before != LOST and went_in(sets, ground, mine, i, d, head, p + d):
        mine.state = LOST


@routine
def look_there(sets, ground, mine, i, p, d, move):
    """The same, by where it is and whether it touched before."""
    before = mine.state
    middle = p + d * mine.middle
    low = min(REACHED[0], (move @ d) / (d @ d))
    more = (REACHED[0] - low) * d.norm()  # a long way in one step
    if not (triple(mine.found_at) - middle).norm() + more <= mine.margin:
        find_near(sets, ground, mine, i, middle, more)
    mine.state, mine.t = OPEN, NONE
    if mine.near == 0:
        return
    if mine.known == 0:
        find_near(sets, ground, mine, i, middle, more)
    s, k, beyond = deepest(sets, mine, i, p, d, low)
    if k == NONE:
        mine.state = LOST if before != OPEN and beyond <= REACHED[1] else OPEN
        return
    mesh = sets.meshes.mesh[ground.mesh]
    mine.t = sets.meshes.leaf_face[k]
    at = int(mesh.face) + int(mine.t)
    x, n_W = p + d * s, get3(sets.meshes.outward, at)
    if ground.kind == BENT:
        above, bent = above_facet(sets, int(k), at, n_W, x)
        s += above / (n_W @ d)
        x, n_W = p + d * s, bent
    if s < 0.0 and not -s * (n_W @ d) <= -(n_W @ move):
        return
    if s > 1.0:
        mine.state = LOST if before != OPEN else OPEN
        return
    mine.state, mine.s = CLOSED, s
    put_triple(mine.point, x)
    put_triple(mine.n, n_W)


@helper
def above_facet(sets, k, at, n, x):
    """Height of the bent surface over point x of the triangle in place k of the leaves, and the normal there."""
    c, m = sets.meshes.corner, sets.corner_normal
    return bent_facet(
        three(c, k, 0), three(c, k, 3), three(c, k, 6), three(m, at, 0), three(m, at, 3), three(m, at, 6), n, x
    )


@routine
def find_near(sets, ground, mine, i, middle, more):
    """All triangles within the ball about a segment and the margin; kept in mind if there is room for them.

    Where none was near before, a wider ball that is empty too serves for longer.
    """
    mine.margin = WIDE if mine.near == 0 and mine.margin > 0.0 else MARGIN
    count = mesh_in_ball(sets.meshes, ground.mesh, middle, mine.radius + mine.margin + more, sets.all_near)
    if count > 0 and mine.margin > MARGIN:
        mine.margin = MARGIN
        count = mesh_in_ball(sets.meshes, ground.mesh, middle, mine.radius + MARGIN + more, sets.all_near)
    mine.near, mine.known = count, 1 if count <= ROOM else 0
    put_triple(mine.found_at, middle)
    for j in range(count if mine.known == 1 else 0):
        k = sets.all_near[j]
        sets.leaf[i, j] = k
        put_box(sets.leaf_box, i * ROOM + j, 0, leaf_box(sets.meshes, k))


@routine
def deepest(sets, mine, i, p, d, low):
    """Largest place in low..1 where p + s d comes out of a triangle, its place in the leaves, and the next beyond 1."""
    found, hit, beyond = -math.inf, NONE, math.inf
    line, meshes = sheared_line(p, d), sets.meshes
    slack = 1e-15 * (p.norm() + mine.radius)
    reached = box_of_segment(p + d * low, p + d * REACHED[1], slack)
    for j in range(mine.near):
        k = sets.leaf[i, j] if mine.known == 1 else sets.all_near[j]
        if mine.known == 1 and not reached.meets(get_box(sets.leaf_box, i * ROOM + j)):
            continue
        s, facing = line_triangle(line, meshes.corner, k)
        if facing > 0.0 and s >= low:
            if s > 1.0:
                beyond = min(beyond, s)
            elif s > found or (s == found and meshes.leaf_face[k] < meshes.leaf_face[hit]):
                found, hit = s, k
    return found, hit, beyond


@routine
def went_in(sets, ground, mine, i, d, start, end):
    """Whether a point went in through a triangle on its way: one that is near, or any if the way is a long one."""
    way = end - start
    if not 0.0 < way @ way < math.inf:
        return False
    far = d @ d < way @ way
    if mine.near == 0 and not far:
        return False
    count, listed = np.int64(mine.near), mine.known == 1 and not far
    if not listed:
        count = mesh_in_ball(sets.meshes, ground.mesh, start + way * 0.5, 0.5 * way.norm(), sets.all_near)
    line, box = sheared_line(start, way), box_of_segment(start, end, 1e-15 * (start.norm() + way.norm()))
    for j in range(count):
        if listed and not box.meets(get_box(sets.leaf_box, i * ROOM + j)):
            continue
        s, facing = line_triangle(line, sets.meshes.corner, sets.leaf[i, j] if listed else sets.all_near[j])
        if facing < 0.0 and 0.0 <= s <= 1.0:
            return True
    return False
