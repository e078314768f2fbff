"""Convex pairs for tests: solids as arrays, one compiled loop over many pairs, and exhaustive references."""

import numpy as np
from scipy.spatial import ConvexHull

from gelenk import compile as compiler
from gelenk.collision.batch import ManyDistances, ManyPairs, distance_many
from gelenk.collision.gjk import new_convex_work
from gelenk.collision.pair_table import searched_pair
from gelenk.collision.solid import EDGE_RECORD, FACE_RECORD, HULL_RECORD, Hulls
from gelenk.collision.tables import new_tables

PAIR = np.dtype(
    [("kind", "i8", (2,)), ("table", "i8", (2,)), ("R", "f8", (2, 3, 3)), ("size", "f8", (2, 3)), ("r", "f8", (3,))]
)


def few(count, interpreted):
    """How many samples, compiled and interpreted."""
    return count if compiler.ENABLED else interpreted


def in_columns(pairs):
    """Pairs as the compiled loops take them."""
    return ManyPairs(*(np.ascontiguousarray(pairs[f]) for f in PAIR.names))


def tables_with(hulls=None, routine=None):
    """Tables with these hulls; all pairs go to the routine."""
    tables = new_tables()._replace(hulls=hulls or hull_table([CUBE]))
    if routine is not None:
        tables.rows[:] = (searched_pair.address(routine), 1, 0, 0)
    return tables


def find(pairs, hulls=None, guess=None, work=None, climbing=False):
    """Run all pairs."""
    pairs = np.atleast_1d(pairs)
    count = len(pairs)
    out = ManyDistances(np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(count))
    guess = np.zeros((count, 3)) if guess is None else np.ascontiguousarray(guess)
    distance_many(in_columns(pairs), guess, climbing, hulls or hull_table([CUBE]), work or new_convex_work(), out)
    return out


def hull_table(clouds):
    """Hulls of point clouds, faces left as triangles."""
    hull = np.zeros(len(clouds), HULL_RECORD)
    vertices, edges, faces, loops, loop_edges, fans = [], [], [], [], [], []
    vertex_count = 0
    for h, cloud in enumerate(clouds):
        shape = ConvexHull(cloud)
        old = shape.vertices
        new = {int(v): vertex_count + i for i, v in enumerate(old)}
        hull[h]["vertex_first"], hull[h]["vertex_last"] = vertex_count, vertex_count + len(old)
        hull[h]["edge_first"], hull[h]["face_first"] = len(edges), len(faces)
        numbers = {}
        fan = [[] for _ in old]
        for triangle, plane in zip(shape.simplices, shape.equations, strict=True):
            p, q, s = cloud[triangle]
            if np.cross(q - p, s - p) @ plane[:3] < 0:
                triangle = triangle[::-1]
            corners = [new[int(v)] for v in triangle]
            faces.append((len(loops), len(loops) + 3, plane[:3], -plane[3]))
            for t, u in zip(corners, corners[1:] + corners[:1], strict=True):
                key = (min(t, u), max(t, u))
                if key not in numbers:
                    numbers[key] = len(edges)
                    edges.append([t, u, len(faces) - 1, 0])
                    fan[t - vertex_count].append(numbers[key])
                    fan[u - vertex_count].append(numbers[key])
                else:
                    edges[numbers[key]][3] = len(faces) - 1
                loops.append(t)
                loop_edges.append(numbers[key])
        hull[h]["edge_last"], hull[h]["face_last"] = len(edges), len(faces)
        vertices.append(cloud[old])
        fans += fan
        vertex_count += len(old)
    fan_first = np.concatenate([[0], np.cumsum([len(f) for f in fans])]).astype(np.uint32)
    return Hulls(
        hull.view(np.recarray),
        np.concatenate(vertices).astype(float),
        np.array([tuple(e) for e in edges], EDGE_RECORD).view(np.recarray),
        np.array(faces, FACE_RECORD).view(np.recarray),
        np.array(loops, np.uint32),
        np.array(loop_edges, np.uint32),
        fan_first,
        np.array([e for f in fans for e in f], np.uint32),
        np.array([edges[e][0] + edges[e][1] - v for v, f in enumerate(fans) for e in f], np.uint32),
    )


CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)


def random_rotations(rng, count):
    """Uniform rotations (n, 3, 3)."""
    q = rng.normal(size=(count, 4))
    w, x, y, z = (q / np.linalg.norm(q, axis=1)[:, None]).T
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    ).transpose(2, 0, 1)


def pair(kind_a, size_a, kind_b, size_b, r, R_a=None, R_b=None, table_a=0, table_b=0):
    """One pair."""
    p = np.zeros(1, PAIR)
    p["kind"], p["table"] = (kind_a, kind_b), (table_a, table_b)
    p["R"][0, 0] = np.eye(3) if R_a is None else R_a
    p["R"][0, 1] = np.eye(3) if R_b is None else R_b
    p["size"][0, 0], p["size"][0, 1], p["r"] = size_a, size_b, r
    return p


def swapped(pairs):
    """The same pairs with A and B changed over."""
    s = pairs.copy()
    for field in ("kind", "table", "R", "size"):
        s[field] = pairs[field][:, ::-1]
    s["r"] = -pairs["r"]
    return s


# --- references by looking at every pair of features -----------------------------------------------------------------


def _segment_points(p, e):
    """Distances of the origin from segments p + t e."""
    t = np.clip(-np.sum(p * e, -1) / np.maximum(np.sum(e * e, -1), 1e-300), 0, 1)
    return np.linalg.norm(p + t[..., None] * e, axis=-1)


def _point_triangles(p, q, s):
    """Distances of the origin from triangles."""
    m = np.cross(q - p, s - p)
    m /= np.maximum(np.linalg.norm(m, axis=-1), 1e-300)[..., None]
    height = np.sum(m * p, -1)
    sides = [np.sum(np.cross(v - u, -u) * m, -1) for u, v in ((p, q), (q, s), (s, p))]
    inside = (sides[0] >= 0) & (sides[1] >= 0) & (sides[2] >= 0)
    edges = np.minimum.reduce([_segment_points(u, v - u) for u, v in ((p, q), (q, s), (s, p))])
    return np.where(inside, np.abs(height), edges)


def _segment_pairs(p, e, q, f):
    """Distances of segments p + t e from segments q + u f, all with all, where both feet are inside; else infinite."""
    r = p[:, None] - q[None]
    e, f = e[:, None], f[None]
    a, b, c = np.sum(e * e, -1), np.sum(e * f, -1), np.sum(f * f, -1)
    d, g = np.sum(e * r, -1), np.sum(f * r, -1)
    det = a * c - b * b
    with np.errstate(all="ignore"):
        t, u = (b * g - c * d) / det, (a * g - b * d) / det
        inside = (det > 1e-12 * a * c) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
        way = r + t[..., None] * e - u[..., None] * f
    return np.where(inside, np.linalg.norm(way, axis=-1), np.inf)


def widest_gap(va, edges_a, triangles_a, vb, edges_b, triangles_b):
    """Largest separation over all normals of faces and edges crossed: of overlapping polyhedra the signed distance."""
    ea, eb = va[edges_a[:, 1]] - va[edges_a[:, 0]], vb[edges_b[:, 1]] - vb[edges_b[:, 0]]
    na, nb = (
        np.cross(v[t[:, 1]] - v[t[:, 0]], v[t[:, 2]] - v[t[:, 0]]) for v, t in ((va, triangles_a), (vb, triangles_b))
    )
    m = np.concatenate([na, nb, np.cross(ea[:, None], eb[None]).reshape(-1, 3)])
    size = np.linalg.norm(m, axis=1)
    m = m[size > 1e-9 * size.max()] / size[size > 1e-9 * size.max(), None]
    along_a, along_b = va @ m.T, vb @ m.T
    return max((along_b.min(0) - along_a.max(0)).max(), (along_a.min(0) - along_b.max(0)).max())


def exhaustive(va, edges_a, triangles_a, vb, edges_b, triangles_b):
    """Signed distance of two polyhedra in one frame: over all features apart, all separating directions overlapping."""
    gap = widest_gap(va, edges_a, triangles_a, vb, edges_b, triangles_b)
    if gap <= 0:
        return gap
    ea, eb = va[edges_a[:, 1]] - va[edges_a[:, 0]], vb[edges_b[:, 1]] - vb[edges_b[:, 0]]
    best = _segment_pairs(va[edges_a[:, 0]], ea, vb[edges_b[:, 0]], eb).min()
    for points, others, triangles in ((va, vb, triangles_b), (vb, va, triangles_a)):
        p, q, s = (others[triangles[:, i]][None] - points[:, None] for i in range(3))
        best = min(best, _point_triangles(p, q, s).min())
    return best


def features(hulls, table):
    """Vertices, edges and triangles of a hull of a table, counted from zero."""
    h = hulls.hull[table]
    first = int(h["vertex_first"])
    vertices = hulls.vertex[first : h["vertex_last"]]
    e = hulls.edge[h["edge_first"] : h["edge_last"]]
    edges = np.stack([e["tail"], e["head"]], 1).astype(int) - first
    faces = hulls.face[h["face_first"] : h["face_last"]]
    triangles = np.array([hulls.loop[f["first"] : f["last"]] for f in faces]).astype(int) - first
    return vertices, edges, triangles


def exhaustive_hulls(hulls, pairs, measure=exhaustive):
    """Signed distances of pairs of hulls, or another measure of them."""
    parts = [features(hulls, t) for t in range(len(hulls.hull))]
    out = []
    for p in pairs:
        (va, ea, ta), (vb, eb, tb) = parts[p["table"][0]], parts[p["table"][1]]
        out.append(measure(va @ p["R"][0].T, ea, ta, vb @ p["R"][1].T + p["r"], eb, tb))
    return np.array(out)


# --- support functions, written a second time ------------------------------------------------------------------------


def reach(kind, size, R, n, vertices=None):
    """Support function max n . x of a whole solid, rounding included."""
    u = R.T @ n
    x, z = size[0], size[2]
    flat = np.hypot(u[0], u[1])
    return {
        0: lambda: x * np.linalg.norm(u),
        1: lambda: np.abs(u) @ size,
        2: lambda: z * abs(u[2]) + x * np.linalg.norm(u),
        3: lambda: x * flat + z * abs(u[2]),
        4: lambda: max(x * flat, z * u[2]),
        5: lambda: np.linalg.norm(size * u),
        6: lambda: (vertices @ u).max(),
        7: lambda: u.max(),
    }[int(kind)]()


def separation(hulls, pairs, n):
    """How far the pairs are apart along n: never above the signed distance, equal to it where n is the normal."""
    out = []
    for p, m in zip(pairs, n, strict=True):
        s = p["r"] @ m
        for side, sign in ((0, 1), (1, -1)):
            vertices = features(hulls, p["table"][side])[0] if p["kind"][side] == 6 else None
            s -= reach(p["kind"][side], p["size"][side], p["R"][side], sign * m, vertices)
        out.append(s)
    return np.array(out)


def random_pairs(rng, count, kinds, tables=0, far=(0.01, 0.3, 1.0, 2.0)):
    """Pairs of kinds (A, B) with sizes from 0.1 to 2, any attitude, centres at several distances."""
    p = np.zeros(count, PAIR)
    p["kind"] = kinds
    p["table"] = rng.integers(0, max(tables, 1), (count, 2))
    for side in range(2):
        p["R"][:, side] = random_rotations(rng, count)
        corners = p["kind"][:, side] == 7
        p["R"][corners, side] = rng.normal(size=(corners.sum(), 3, 3))
    p["size"] = 10.0 ** rng.uniform(-1.0, 0.3, (count, 2, 3))
    p["r"] = rng.normal(size=(count, 3)) * rng.choice(far, (count, 1))
    return p


def moved(pairs, Q):
    """The same pairs turned by one rotation each."""
    m = pairs.copy()
    m["R"] = np.einsum("nij,nkjl->nkil", Q, pairs["R"])
    m["r"] = np.einsum("nij,nj->ni", Q, pairs["r"])
    return m


def scaled(pairs, factor):
    """The same pairs in another size; not for hulls, whose size is in the table."""
    m = pairs.copy()
    corners = pairs["kind"] == 7
    m["R"][corners] *= factor
    m["size"] *= factor
    m["r"] *= factor
    return m


def lengths(pairs):
    """What rounding is of: a size of each pair."""
    corners = np.where(pairs["kind"] == 7, np.abs(pairs["R"]).max((2, 3)), 0.0).sum(1)
    return pairs["size"].sum((1, 2)) + np.linalg.norm(pairs["r"], axis=1) + corners
