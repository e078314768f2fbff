"""Triangle meshes as shapes, and polygons split into triangles."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from geometry_samples import EPS, icosphere, inward, numbers, rotations
from hypothesis import given, settings
from hypothesis import strategies as st

from gelenk.errors import InputError
from gelenk.geometry.mesh import TriangleMesh, split_polygons
from gelenk.geometry.shapes import Box, Cone, Shape

L_SHAPE = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
# a comb with three teeth, a spiral, an arrow head, a bar with corners along straight sides, and a C
OUTLINES = {
    "L": L_SHAPE,
    "comb": [(0, 0), (5, 0), (5, 3), (4, 3), (4, 1), (3, 1), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)],
    "spiral": [(0, 0), (5, 0), (5, 5), (1, 5), (1, 2), (3, 2), (3, 3), (2, 3), (2, 4), (4, 4), (4, 1), (0, 1)],
    "arrow": [(0, 0), (2, 1), (0, 2), (0.5, 1)],
    "bar": [(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (1, 1), (0, 1)],
    "triangle with flat corners": [(0, 0), (1, 0), (2, 0), (1, 1), (0, 2), (0, 1)],
    "C": [(0, 0), (3, 0), (3, 1), (1, 1), (1, 2), (3, 2), (3, 3), (0, 3)],
    "hexagon": [(2, 0), (1, 2), (-1, 2), (-2, 0), (-1, -2), (1, -2)],
}


def shoelace(outline):
    x, y = np.array(outline, dtype=float).T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def prism(outline, height=1.0):
    """Vertices and polygons of an outline pulled up."""
    flat = np.array(outline, dtype=float)
    n = len(flat)
    vertices = np.concatenate((np.c_[flat, np.zeros(n)], np.c_[flat, np.full(n, height)]))
    sides = [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    return vertices, [list(range(n))[::-1], list(range(n, 2 * n)), *sides]


def areas(points, triangles):
    a, b, c = (np.array(points, dtype=float)[triangles[:, k]] for k in range(3))
    return 0.5 * ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])


@pytest.mark.parametrize("start", range(12))
@pytest.mark.parametrize("name", OUTLINES)
def test_polygons_of_any_shape_are_covered_once(name, start):
    """H-53: k - 2 triangles, all turned like the polygon, that together have its area: none overlaps."""
    outline = OUTLINES[name]
    polygon = list(np.roll(np.arange(len(outline)), start))
    vertices = np.c_[np.array(outline, dtype=float), np.zeros(len(outline))]
    triangles = split_polygons("mesh", vertices, [polygon])
    assert len(triangles) == len(outline) - 2
    found = areas(outline, triangles)
    assert (found > 0.0).all()
    # small whole numbers: no rounding
    assert found.sum() == shoelace(outline)
    # every side of the polygon is a side of exactly one triangle, so neighbours in a mesh still meet
    sides = {(int(t[k]), int(t[(k + 1) % 3])) for t in triangles for k in range(3)}
    assert {(i, (i + 1) % len(outline)) for i in range(len(outline))} <= sides
    # and the middle of each triangle lies inside the outline
    for t in triangles:
        assert inside(np.mean(np.array(outline, dtype=float)[t], axis=0), outline)


def inside(point, outline):
    """Even number of crossings to the right is outside."""
    x, y = point
    crossings = 0
    for (x0, y0), (x1, y1) in zip(outline, outline[1:] + outline[:1]):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            crossings += 1
    return crossings % 2 == 1


@pytest.mark.parametrize("name", OUTLINES)
def test_prisms_weigh_area_times_height(name):
    """H-53, H-50: polygons become a closed mesh with the volume of the prism."""
    mesh = TriangleMesh.from_polygons(*prism(OUTLINES[name], 2.0))
    # sums of some twenty terms of whole numbers over 6
    assert mesh.mass_properties(1.0).mass == pytest.approx(2.0 * shoelace(OUTLINES[name]), rel=20 * EPS)


@settings(deadline=None, max_examples=60)
@given(st.lists(numbers(0.25, 1.0), min_size=5, max_size=24), rotations, st.integers(0, 23))
def test_star_shaped_polygons_in_any_plane(radii, R, start):
    """H-53: corners at random distances round a point, turned in space, starting anywhere."""
    k = len(radii)
    angle = 2 * np.pi * np.arange(k) / k
    outline = np.c_[radii * np.cos(angle), radii * np.sin(angle)]
    vertices, polygons = prism(outline)
    polygons = [list(np.roll(polygon, start)) for polygon in polygons]
    mesh = TriangleMesh.from_polygons(vertices @ R.T, polygons)
    assert len(mesh.faces) == 2 * (k - 2) + 2 * k
    # vertices of size 1 are rounded by the rotation; areas down to 0.06
    assert mesh.mass_properties(1.0).mass == pytest.approx(shoelace(outline), rel=2000 * EPS)


def test_order_of_polygons_is_kept():
    """H-53: triangles, squares and larger polygons mixed; the parts of polygon i come before those of i + 1."""
    vertices, polygons = prism(L_SHAPE)
    triangles = split_polygons("mesh", vertices, polygons)
    owner = []
    for triangle in triangles:
        owner.append(next(i for i, polygon in enumerate(polygons) if set(triangle.tolist()) <= set(polygon)))
    assert owner == sorted(owner)


def test_warped_faces_still_meet():
    """H-53: a box with one corner pulled out has faces that are not flat; the mesh is closed all the same."""
    vertices, _ = Box((1.0, 1.0, 1.0)).triangles()
    vertices = vertices.copy()
    vertices[7] += 0.2
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    assert TriangleMesh.from_polygons(vertices, quads).mass_properties(1.0).mass > 1.0


def test_hole_by_a_seam():
    """H-53: a square with a square hole, drawn as one polygon that passes its seam twice."""
    outer, inner = [(0, 0), (3, 0), (3, 3), (0, 3)], [(1, 1), (1, 2), (2, 2), (2, 1)]
    vertices = np.c_[np.array(outer + inner, dtype=float), np.zeros(8)]
    polygon = [0, 1, 2, 3, 0, 4, 5, 6, 7, 4]
    triangles = split_polygons("mesh", vertices, [polygon])
    found = areas(outer + inner, triangles)
    assert (found > 0.0).all()
    assert found.sum() == 8.0


FLAT = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (3, 0, 0)], dtype=float)
BOW = np.array([(0, 0, 0), (2, 2, 0), (2, 0, 0), (0, 1, 0)], dtype=float)
STAR = np.array([(np.cos(a), np.sin(a), 0.0) for a in 4 * np.pi * np.arange(5) / 5])


@pytest.mark.parametrize(
    ("vertices", "polygons", "words"),
    [
        (FLAT, [], ["no polygon"]),
        (FLAT, [[0, 1, 2], [0, 1]], ["polygon 1 has 2 corners", "three or more"]),
        (FLAT, [[0, 1, 2, 9]], ["polygon 0 has corners (0, 1, 2, 9)", "0 to 5"]),
        (FLAT, [[0, 1, -2]], ["(0, 1, -2)"]),
        (FLAT, [[0, 1, 2], [0, 1.5, 2]], ["polygon 1 has corners (0, 1.5, 2)", "whole numbers"]),
        (FLAT, [[0, 1, 4, 5]], ["polygon 0 with corners (0, 1, 4, 5) encloses no area"]),
        (FLAT, [[0, 2, 1, 3]], ["encloses no area"]),
        (FLAT, [[0, 4, 1, 3]], ["cannot be split without triangles that overlap or have no area"]),
        (BOW, [[0, 1, 2, 3]], ["(0, 1, 2, 3) crosses itself: its sides 0-1 and 2-3 cut"]),
        (STAR, [[0, 1, 2, 3, 4]], ["polygon 0 with corners (0, 1, 2, 3, 4) crosses itself", "cut through each other"]),
        ([(0, 0, np.nan)] * 4, [[0, 1, 2, 3]], ["4 vertices are not finite: vertex 0", "and 1 more"]),
    ],
)
def test_bad_polygons_are_named(vertices, polygons, words):
    """H-53: degenerate and crossing polygons say which they are."""
    with pytest.raises(InputError) as caught:
        TriangleMesh.from_polygons(vertices, polygons, element="mesh 'cap'")
    for word in ["mesh 'cap'", *words]:
        assert word in str(caught.value)


def test_recentred_has_its_centre_at_the_origin():
    """H-54: the shift leads back, and the inertia about the centre of mass does not change."""
    cone = TriangleMesh(*Cone(0.5, 2.0).triangles(12))
    moved, shift = cone.recentred()
    before, after = cone.mass_properties(3.0), moved.mass_properties(3.0)
    # a height of 2 m rounded twice
    np.testing.assert_allclose(after.com, 0.0, atol=4 * EPS)
    np.testing.assert_allclose(shift, [0, 0, 0.5], atol=4 * EPS)
    np.testing.assert_allclose(moved.vertices + shift, cone.vertices, atol=2 * EPS)
    np.testing.assert_allclose(after.inertia, before.inertia, atol=10 * EPS)


def test_scaled_by_two():
    """Mass grows with the third power, moments with the fifth; a power of two is exact."""
    mesh = TriangleMesh(*icosphere(2))
    one, two = mesh.mass_properties(1.0), mesh.scaled(2.0).mass_properties(1.0)
    assert two.mass == 8.0 * one.mass
    np.testing.assert_array_equal(two.inertia, 32.0 * one.inertia)
    with pytest.raises(InputError, match=r"factor is -1\.0"):
        mesh.scaled(-1.0)
    with pytest.raises(InputError, match=r"density is 0\.0"):
        mesh.mass_properties(0.0)


def test_mesh_is_a_value():
    """Equal bits make equal meshes; nothing can be written; copies keep all of it."""
    mesh = TriangleMesh(*icosphere(2))
    assert isinstance(mesh, Shape)
    assert mesh.kind == "mesh"
    for twin in (TriangleMesh(*icosphere(2)), pickle.loads(pickle.dumps(mesh)), copy.deepcopy(mesh)):
        assert twin == mesh
        assert hash(twin) == hash(mesh)
        for array in (twin.vertices, twin.faces):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        mesh.vertices = None
    bumped = mesh.vertices.copy()
    bumped[0, 0] = np.nextafter(bumped[0, 0], 9.0)
    assert TriangleMesh(bumped, mesh.faces) != mesh
    assert mesh != 1
    assert repr(mesh) == "TriangleMesh(42 vertices, 80 triangles)"
    assert mesh.triangles(5)[0] is mesh.vertices


def test_caller_keeps_his_arrays():
    """The mesh copies: writing to the input later changes nothing."""
    vertices, faces = icosphere(1)
    mesh = TriangleMesh(vertices, faces)
    vertices[0] = 7.0
    faces[0] = 0
    assert mesh == TriangleMesh(*icosphere(1))


def test_mesh_given_inside_out_is_turned_round():
    assert TriangleMesh(*inward(icosphere(2))).mass_properties(1.0).mass > 0.0


def test_error_carries_the_name():
    with pytest.raises(InputError, match=r"mesh 'hull'.*hole"):
        TriangleMesh(*[icosphere(1)[0], icosphere(1)[1][:-1]], element="mesh 'hull'")
