"""Convex meshes are told from others, and have their hull (V-20)."""

import numpy as np
import pytest

import gelenk as gk

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


def test_a_dent_counts_from_a_billionth_of_the_size():
    """The middle of the top lies h below it, so corners rise above the planes of its faces by 2 h."""
    assert len(lifted(0.1).convex_hull().normals) == 9
    assert len(lifted(0.0).convex_hull().normals) == 6
    assert len(lifted(-3e-10).convex_hull().normals) == 6
    assert lifted(-1e-9).convex_hull() is None
    assert lifted(-0.1).convex_hull() is None


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
