"""Solids of all convex kinds in and through closed meshes, and what their contacts are worth, found the slow way.

Every pair overlaps: a point of the solid is a point of the mesh, on its surface or inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from closed_samples import ball_mesh, bent_mesh, rock, torus_mesh, two_boxes, winding
from surface_samples import box_mesh, mesh
from table_parts import nearest_parts, new_parts, view_taken
from table_reference import new_clouds, outside, to_triangle
from table_samples import CUBE, PAIR, Found, random_rotations, run_pairs

from gelenk.collision.manifold import MANY, POINT, new_memory, new_points
from gelenk.collision.pair_table import fill_rows
from gelenk.collision.solid import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, HULL, MESH, SPHERE, TRIANGLE, Solid
from gelenk.collision.tables import new_narrow_work, new_tables
from gelenk.compile import kernel
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.mesh import TriangleMesh
from gelenk.math.rotation import get33
from gelenk.math.vec3 import Vec3, get3

SPIKE = np.array([(0.02, 0, -0.9), (-0.01, 0.017, -0.9), (-0.01, -0.017, -0.9), (0, 0, 0.9)])
# needle, plate and stout of each kind; sizes as the solids have them
SIZES = {
    SPHERE: [(0.05, 0, 0), (0.2, 0, 0), (0.5, 0, 0)],
    BOX: [(0.01, 0.015, 0.9), (0.4, 0.5, 0.02), (0.3, 0.2, 0.25)],
    CAPSULE: [(0.01, 0, 0.9), (0.2, 0, 0.3), (0.1, 0, 0.7)],
    CYLINDER: [(0.01, 0, 0.9), (0.5, 0, 0.02), (0.3, 0, 0.25)],
    CONE: [(0.02, 0, 1.8), (0.6, 0, 0.1), (0.42, 0, 0.75)],
    ELLIPSOID: [(0.01, 0.015, 0.9), (0.5, 0.4, 0.03), (0.5, 0.3, 0.38)],
    HULL: [(0, 0, 0)] * 3,
}
NAMES = {SPHERE: "sphere", BOX: "box", CAPSULE: "capsule", CYLINDER: "cylinder", CONE: "cone", ELLIPSOID: "ellipsoid"}
NAMES[HULL] = "hull"


def channel(thick=0.06):
    """A U along y: two walls on a floor."""
    t = thick
    outline = np.array([(0, 0), (1, 0), (1, 1), (1 - t, 1), (1 - t, t), (t, t), (t, 1), (0, 1)])
    caps = np.array([(0, 1, 4), (1, 2, 3), (1, 3, 4), (0, 4, 5), (0, 5, 7), (5, 6, 7)])
    points = np.array([(x - 0.5, y, z - 0.5) for y in (-0.7, 0.0, 0.7) for x, z in outline])
    faces = [*caps, *(caps[:, ::-1] + 16)]
    for j in range(2):
        for i in range(8):
            a, b = 8 * j + i, 8 * j + (i + 1) % 8
            faces += [(a, a + 8, b + 8), (a, b + 8, b)]
    return mesh(points, faces)


def closed_meshes():
    """By name: rings, plates, profiles, rocks."""
    return {
        "ring": torus_mesh(0.6, 0.2),
        "wire": torus_mesh(0.8, 0.03, 20, 6),
        "plate": box_mesh(np.array([0.6, 0.5, 0.015]), 3),
        "ball": ball_mesh(60, 0.6),
        "angle": bent_mesh(0.4),
        "channel": channel(),
        "rock": rock(np.random.default_rng(9), 60, 0.12),
        "two": two_boxes(),
    }


def extruded(outline, caps, half):
    """A profile in x and z along y."""
    n = len(outline)
    points = [(x, y, z) for y in (-half, half) for x, z in outline]
    faces = [f for a, b, c in caps for f in ((a, b, c), (a + n, c + n, b + n))]
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, i + n, j + n), (i, j + n, j)]
    return mesh(points, faces)


def kerb(high, ends=3.0, deep=1.0, edge=1.0):
    """A floor at z = 0 with a kerb from x = edge on."""
    outline = [(-ends, -deep), (ends, -deep), (ends, high), (edge, high), (edge, 0), (-ends, 0)]
    return extruded(outline, ((0, 1, 4), (1, 2, 3), (1, 3, 4), (0, 4, 5)), ends)


def stairs(high=0.06, count=4):
    """Steps that rise along x: over every tread a strip of the profile down to the floor."""
    x, floor = np.linspace(-1, 1, count + 1), -0.3
    outline = [(a, floor) for a in x]  # below, from left to right
    for i in range(count - 1, -1, -1):  # treads and risers, from right to left
        outline += [(x[i + 1], high * i - 0.1), (x[i], high * i - 0.1)]
    caps = []
    for i in range(count):
        right = count + 1 + 2 * (count - 1 - i)
        left = right + 1
        caps += [(i, i + 1, right), (i, right, left)]
        if i > 0:  # the riser ends on the next tread below, which is a corner of this strip as well
            caps[-1:] = [(i, right, right + 2), (right + 2, right, left)]
    return extruded(outline, caps, 0.8)


class Scene(NamedTuple):
    """Tables of meshes and hulls, and the same in parts."""

    shapes: list
    tables: object
    work: object
    parts: object
    clouds: object


_scene: list[Scene] = []


def creased_meshes():
    """Those of :func:`closed_meshes`, and some with floors and walls."""
    return closed_meshes() | {"kerb": kerb(0.1, 1.0, 0.4, 0.4), "stairs": stairs(), "hollow": hollow(0.6, 0.5)}


def hollow(outer, inner):
    """A cube with a cube cut out of its middle."""
    a, b = box_mesh(np.full(3, outer)), box_mesh(np.full(3, inner))
    return mesh(np.concatenate((a.vertices, b.vertices)), np.concatenate((a.faces, b.faces[:, ::-1] + len(a.vertices))))


def scene():
    """Made once."""
    if not _scene:
        stone = np.random.default_rng(5).normal(size=(16, 3))
        stone *= 0.45 / np.linalg.norm(stone, axis=1, keepdims=True)
        clouds = [SPIKE, CUBE * (0.4, 0.3, 0.02), stone]
        shapes = list(creased_meshes().values())
        tables = new_tables([ConvexHull(c) for c in clouds], shapes)
        assert tables.meshes.mesh.closed.all()
        parts = new_parts([s.vertices[s.faces] for s in shapes])
        _scene.append(Scene(shapes, tables, new_narrow_work(tables), parts, new_clouds(clouds)))
    return _scene[0]


def places(rng, shape, count):
    """Points of a mesh: half of them on triangles, half anywhere inside."""
    corner = shape.vertices[shape.faces]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    which = rng.choice(len(corner), count, p=area / area.sum())
    on = np.einsum("nk,nki->ni", rng.dirichlet((1, 1, 1), count), corner[which])
    low, high = shape.vertices.min(0), shape.vertices.max(0)
    inside = np.zeros((0, 3))
    while len(inside) < count:
        x = rng.uniform(low, high, (4 * count, 3))
        inside = np.concatenate((inside, x[winding(x, shape.vertices, shape.faces) > 0.5]))
    return np.where(rng.random(count)[:, None] < 0.5, on, inside[:count])


def through(rng, count, index, kind):
    """Pairs of a mesh and a solid that overlap."""
    s = scene()
    p = np.zeros(count, PAIR)
    form = rng.integers(0, 3, count)
    p["kind"], p["table"][:, 0], p["table"][:, 1] = (MESH, kind), index, form
    p["R"][:, 0], p["R"][:, 1] = random_rotations(rng, count), random_rotations(rng, count)
    p["size"][:, 1] = np.array(SIZES[kind])[form]
    z = p["size"][:, 1, 2]
    along = rng.uniform(-0.95, 0.95, count)
    if kind == CONE:
        along = 0.5 * (1 + along) * z
    elif kind == HULL:
        along = np.where(form == 0, 0.8 * along, 0.0)
    else:
        along = along * np.where(kind == SPHERE, 0.0, z)
    x = np.einsum("nij,nj->ni", p["R"][:, 0], places(rng, s.shapes[index], count))
    p["r"] = x - p["R"][:, 1, :, 2] * along[:, None]
    return p


def swapped(p):
    """The solid first, the mesh second."""
    q = p.copy()
    for name in ("kind", "table", "R", "size"):
        q[name] = p[name][:, ::-1]
    q["r"] = -p["r"]
    return q


def find(pairs, margin):
    """Points of pairs."""
    s, n = scene(), len(pairs)
    fill_rows(s.tables.rows, [tuple(int(k) for k in pairs["kind"][0])])
    out, counts = np.zeros((n, MANY), POINT).view(np.recarray), np.zeros(n, np.int64)
    columns = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    run_pairs(*columns, np.full(n, margin), s.tables, new_memory(n), s.work, out, counts)
    return Found(out, counts)


@kernel
def measure(kind, table, R, size, r, owner, a, b, parts, clouds, to_mesh_out, in_mesh_out, to_solid_out):
    """Of points a and b of pairs (mesh, solid): distance of a to the surface, whether it is inside, height of b."""
    for i in range(owner.shape[0]):
        k = owner[i]
        first, last = parts.first[table[k, 0]], parts.first[table[k, 0] + 1]
        x, least = get33(R[k], 0).tdot(get3(a, i)), np.inf
        for f in range(first, last):
            c = parts.corner[f]
            p, q, s = Vec3(c[0], c[1], c[2]), Vec3(c[3], c[4], c[5]), Vec3(c[6], c[7], c[8])
            least = min(least, to_triangle(x, p, q, s))
        to_mesh_out[i] = least
        in_mesh_out[i] = view_taken(parts, first, last, x) > 0.5
        B = Solid(kind[k, 1], table[k, 1], get33(R[k], 1), get3(size[k], 1))
        to_solid_out[i] = outside(B, clouds, get3(b, i))


def off(pairs, points, owner):
    """Distance of points to the mesh, whether they are inside of it, and height of the others over the solid."""
    s, n = scene(), len(points)
    to_mesh, inside, to_solid = np.zeros(n), np.zeros(n, bool), np.zeros(n)
    columns = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    a, b = np.ascontiguousarray(points.a), np.ascontiguousarray(points.b)
    measure(*columns, owner, a, b, s.parts, s.clouds, to_mesh, inside, to_solid)
    return to_mesh, inside, to_solid


def left(pairs):
    """Least distance of a solid and the triangles, and whether a point of it is inside."""
    s, n = scene(), len(pairs)
    fill_rows(s.tables.rows, [(TRIANGLE, int(pairs["kind"][0, 1]))])
    d, inside = np.zeros(n), np.zeros(n, bool)
    columns = [np.ascontiguousarray(pairs[f]) for f in PAIR.names]
    nearest_parts(*columns, s.parts, s.parts, s.tables, new_memory(1), s.work, new_points(), d, inside)
    return d, inside


def whole(shape):
    """As a shape for a builder."""
    return TriangleMesh(shape.vertices, shape.faces)


def undo(found, k):
    """Shortest move that undoes the points of a pair that overlap."""
    points = found.out[k, : found.counts[k]]
    points = points[points.d < 0]
    return undone(points.n, -points.d) if len(points) else np.zeros(3)


def nearest_normals(pairs):
    """Normals of the nearest points of pairs, and whether there are any."""
    found = find(pairs, 1e-4)
    n, has = np.zeros((len(pairs), 3)), found.counts > 0
    for k in np.flatnonzero(has):
        n[k] = found.out[k, found.out.d[k, : found.counts[k]].argmin()].n
    return n, has


def is_apart(pairs):
    """Whether pairs do not overlap."""
    d, inside = left(pairs)
    return (d > 0) & ~inside


def slid(pairs, u, most):
    """Pairs moved along u until they touch, and whether they do within ``most``: coarse steps, then halves."""
    low, high = np.zeros(len(pairs)), np.full(len(pairs), np.nan)
    for s in np.linspace(0, most, 13)[1:]:
        free, still = is_apart(moved(pairs, s * u)), np.isnan(high)
        high = np.where(still & ~free, s, high)
        low = np.where(still & free, s, low)
    hit = ~np.isnan(high)
    high = np.where(hit, high, low)
    for _ in range(24):
        middle = 0.5 * (low + high)
        free = is_apart(moved(pairs, middle[:, None] * u))
        low, high = np.where(free, middle, low), np.where(free, high, middle)
    return moved(pairs, low[:, None] * u), hit


def moved(pairs, w):
    """The second bodies of pairs moved by w."""
    q = pairs.copy()
    q["r"] += w
    return q


def in_creases(rng, count, index, kind, upright):
    """Pairs pushed into creases, and the push: the way back is known to part them.

    From a random overlap a solid goes out until it touches, slides on until it touches at another place, and is pushed
    a little against both normals. ``upright``: meshes are not turned, nor are half of the solids.
    """
    pairs = through(rng, count, index, kind)
    if upright:
        pairs["R"][:, 0] = np.eye(3)
        if kind != SPHERE:
            pairs["R"][rng.random(count) < 0.5, 1] = np.eye(3)
    found = find(pairs, 1e-3)
    out = np.array([undo(found, k) for k in range(count)])
    pairs = moved(pairs, out * (1 + 1e-6 / np.maximum(np.linalg.norm(out, axis=1), 1e-9))[:, None])
    good = is_apart(pairs)
    first, has = nearest_normals(pairs)
    good &= has
    u = rng.normal(size=(count, 3))
    u -= np.einsum("ij,ij->i", u, first)[:, None] * first
    u /= np.linalg.norm(u, axis=1)[:, None]
    pairs, hit = slid(moved(pairs, 1e-6 * first), u, 1.0)
    second, has = nearest_normals(pairs)
    good &= hit & has & (np.einsum("ij,ij->i", first, second) < 0.99) & is_apart(pairs)
    deep = rng.choice([1e-4, 1e-3, 1e-2], count)[:, None]
    push = -deep * (first * rng.uniform(0.3, 1, (count, 1)) + second * rng.uniform(0.3, 1, (count, 1)))
    pairs = moved(pairs, push)
    d, _ = left(pairs)
    good &= d < 0
    return pairs[good], push[good]


def undone(n, depth):
    """Shortest move w with  n . w >= depth  for every row, by Hildreth's method."""
    push, G = np.zeros(len(n)), n @ n.T
    for _ in range(3000):
        for i in range(len(n)):
            push[i] = max(0.0, push[i] + depth[i] - G[i] @ push)
    return n.T @ push
