"""Convex meshes are told from others, and have their hull (V-20), also from files in float32."""

import struct

import numpy as np
import pytest

import gelenk as gk
from gelenk.geometry.mesh_convex import MOVED, ONE_FACE, is_convex

CUBE = gk.Box((1.0, 1.0, 1.0)).triangles()


def lifted(height):
    """A cube of edge 1 m whose top is four triangles around its middle, which is lifted."""
    vertices, faces = CUBE
    top = np.flatnonzero((vertices[faces][:, :, 2] == 0.5).all(axis=1))
    (a, b, c), other = faces[top[0]], faces[top[1]]
    (d,) = set(other.tolist()) - {a, b, c}
    corners = np.array([a, b, c, d])
    around = corners[np.argsort(np.arctan2(vertices[corners, 1], vertices[corners, 0]))]
    roof = [(around[k], around[(k + 1) % 4], len(vertices)) for k in range(4)]
    return gk.TriangleMesh([*vertices, (0, 0, 0.5 + height)], [*np.delete(faces, top, axis=0), *roof])


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("shape", [gk.Box((1, 2, 3)), gk.Sphere(1.0), gk.Cone(0.5, 2.0), gk.Cylinder(1.0, 0.02)])
def test_meshes_of_convex_shapes_have_hulls_of_the_same_volume(shape, scale):
    mesh = gk.TriangleMesh(*shape.triangles(16)).scaled(scale)
    hull = mesh.convex_hull()
    assert hull.mass_properties(1.0).mass == pytest.approx(mesh.mass_properties(1.0).mass, rel=1e-9)
    assert mesh.convex_hull() is hull


def test_a_dent_counts_from_the_rounding_of_float32():
    """The middle of the top lies h below it, those of its faces h / 3, which may be twice the way of a corner."""
    assert len(lifted(0.1).convex_hull().normals) == 9
    assert len(lifted(0.0).convex_hull().normals) == 6
    assert len(lifted(-3e-10).convex_hull().normals) == 6
    assert len(lifted(-5.9 * MOVED).convex_hull().normals) == 6
    assert lifted(-6.1 * MOVED).convex_hull() is None
    assert lifted(-0.1).convex_hull() is None


def split_box(size, n):
    """A box whose faces are n x n squares of two triangles, as few as 6 n^2 + 2 vertices."""
    place, vertices, faces = {}, [], []
    step = np.arange(n + 1) / n - 0.5

    def index(p):
        return place.setdefault(tuple(p), len(place))

    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for side in (-0.5, 0.5):
            for i in range(n):
                for j in range(n):
                    p = np.full((4, 3), side)
                    p[:, u], p[:, v] = step[[i, i + 1, i + 1, i]], step[[j, j, j + 1, j + 1]]
                    a, b, c, d = (index(corner) for corner in (p if side > 0 else p[::-1]))
                    faces += [(a, b, c), (a, c, d)]
    vertices = np.array(list(place)) * size
    return vertices, np.array(faces)


def ball():
    """Sixty points of a sphere and what they enclose."""
    points = np.random.default_rng(0).normal(size=(60, 3))
    return gk.ConvexHull(points / np.linalg.norm(points, axis=1)[:, None]).triangles()


BODIES = {
    "box": (gk.Box((1, 2, 3)).triangles(), 8, 6),
    "sheet": (gk.Box((2, 1, 1e-3)).triangles(), 8, 6),
    "box of 384 triangles": (split_box(1.0, 8), 8, 6),
    "cylinder": (gk.Cylinder(0.5, 1.0).triangles(64), 128, 66),
    "cone": (gk.Cone(0.5, 1.0).triangles(48), 49, 49),
    "ball": (ball(), 60, 116),
}


def through_stl(path, vertices, faces, scale):
    """A mesh of size 1 m or so as a file in float32 and back."""
    x = np.asarray(vertices / scale, np.float32)
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *x[face].ravel(), 0) for face in faces)
    path.write_bytes(bytes(80) + struct.pack("<I", len(faces)) + rows)
    return gk.load_mesh(path, scale=scale)


def turned(vertices, rng):
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return np.asarray(vertices) @ (Q * np.linalg.det(Q)).T


@pytest.mark.parametrize("scale", [1.0, 1e-3])
@pytest.mark.parametrize("name", list(BODIES))
def test_convex_bodies_from_files_in_float32_have_their_hull(tmp_path, name, scale):
    """Faces are flat again, and the hull holds the mesh but for some rounding."""
    (vertices, faces), corners, sides = BODIES[name]
    rng = np.random.default_rng(1)
    rounded = 0
    for _ in range(10):
        mesh = through_stl(tmp_path / "x.stl", turned(vertices, rng), faces, scale)
        rounded += not is_convex(mesh.vertices, mesh.faces)
        hull = mesh.convex_hull()
        assert len(hull.vertices) == corners
        assert len(hull.normals) == sides
        bound = ONE_FACE * MOVED * np.ptp(mesh.vertices, axis=0).max()
        assert (mesh.vertices @ hull.normals.T - hull.offsets).max() <= bound
        off = np.linalg.norm(hull.vertices[:, None] - mesh.vertices, axis=2).min(axis=1)
        assert off.max() <= bound
        for first, last, n, d in zip(hull.face_first, hull.face_first[1:], hull.normals, hull.offsets):
            assert np.abs(hull.vertices[hull.loop[first:last]] @ n - d).max() < 1e-10
    assert rounded > 2 or name == "ball"


@pytest.mark.parametrize("dent", [2e-6, 1e-4])
def test_dents_beyond_rounding_stay_in_files_in_float32(tmp_path, dent):
    rng = np.random.default_rng(2)
    vertices, faces = split_box(1.0, 4)
    middle = np.flatnonzero((vertices == (0.0, 0.0, 0.5)).all(axis=1))
    for height, is_hull in ((-dent, False), (dent, True), (0.0, True)):
        x = vertices.copy()
        x[middle, 2] += height
        mesh = through_stl(tmp_path / "x.stl", turned(x, rng), faces, 1.0)
        # a bump is no dent, but makes one around itself
        assert (mesh.convex_hull() is not None) == (is_hull and height == 0.0)


def test_a_thin_plate_with_a_hole_is_not_convex():
    """As thin as rounding, all its faces lie near those of its hull."""
    outer, inner = (
        0.5 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]),
        0.25 * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]),
    )
    for thickness in (1e-8, 1e-7, 1e-6, 1e-4):
        x = np.array([(*p, z) for z in (0.0, thickness) for ring in (outer, inner) for p in ring])
        faces = []
        for k in range(4):
            m = (k + 1) % 4
            for a, b, c, d in (
                (8 + k, 8 + m, 12 + m, 12 + k),  # top
                (k, 4 + k, 4 + m, m),
                (k, m, 8 + m, 8 + k),  # outside
                (4 + m, 4 + k, 12 + k, 12 + m),
            ):
                faces += [(a, b, c), (a, c, d)]
        assert gk.TriangleMesh(x, faces).convex_hull() is None


def test_rings_cavities_and_several_shells_are_not_convex():
    vertices, faces = CUBE
    cavity = gk.TriangleMesh([*vertices, *0.5 * vertices], [*faces, *(faces[:, ::-1] + len(vertices))])
    two = gk.TriangleMesh([*vertices, *np.add(vertices, (2, 0, 0))], [*faces, *(faces + len(vertices))])
    ring = gk.TriangleMesh(*gk.Torus(1.0, 0.3).triangles(12))
    assert [mesh.convex_hull() for mesh in (cavity, two, ring)] == [None] * 3


def test_triangles_thin_as_a_line_do_not_matter():
    """A corner 1e-13 beside an edge of the cube, in the plane of its top: the triangles there have no sure plane."""
    mesh = gk.TriangleMesh(*CUBE)
    vertices, faces = mesh.vertices, mesh.faces.astype(int).tolist()
    (tail, head) = (int(np.flatnonzero((vertices == p).all(axis=1))[0]) for p in ((-0.5, 0.5, 0.5), (0.5, 0.5, 0.5)))
    on_edge = [f for f in faces if tail in f and head in f]
    new = len(vertices)
    split = [[new if v == end else v for v in f] for f in on_edge for end in (tail, head)]
    thin = gk.TriangleMesh([*vertices, (0.1, 0.5 - 1e-13, 0.5)], [*(f for f in faces if f not in on_edge), *split])
    assert len(thin.convex_hull().vertices) in (8, 9)


def test_large_meshes_stay_surfaces():
    """More than 500 corners, or 2000 vertices; a box of many triangles has eight corners."""
    fine, finer = (gk.TriangleMesh(*gk.Sphere(1.0).triangles(n)) for n in (40, 96))
    assert 500 < len(fine.vertices) < 2000 < len(finer.vertices)
    assert [mesh.convex_hull() for mesh in (fine, finer)] == [None, None]
    plate = gk.TriangleMesh(*gk.HeightField(np.zeros((25, 25)), 0.1, base=-1.0).triangles())
    assert len(plate.vertices) > 600
    assert len(plate.convex_hull().vertices) == 8
