"""Which meshes are refused, and whether the message names the place."""

import numpy as np
import pytest
from geometry_samples import icosphere, inward, join
from hypothesis import given, settings
from hypothesis import strategies as st

from gelenk.errors import InputError
from gelenk.geometry.mesh_check import check_mesh
from gelenk.geometry.mesh_mass import mesh_volume
from gelenk.geometry.shapes import Box, Torus

BOX = Box((2.0, 2.0, 2.0)).triangles()


def message(vertices, faces):
    with pytest.raises(InputError) as caught:
        check_mesh("mesh 'hull.stl'", vertices, faces)
    text = str(caught.value)
    assert text.startswith("mesh 'hull.stl': ")
    assert "; allowed: " in text
    return text


def test_good_mesh_passes_unchanged():
    """H-52: and comes back as float64 and uint32 with the same numbers."""
    vertices, faces = check_mesh("mesh", BOX[0].tolist(), BOX[1].astype(np.int64).tolist())
    assert (vertices.dtype, faces.dtype) == (np.float64, np.uint32)
    np.testing.assert_array_equal(vertices, BOX[0])
    np.testing.assert_array_equal(faces, BOX[1])


def test_hole_names_its_edges():
    """H-52: a missing triangle leaves three edges, each named with its ends and the triangle beside it."""
    vertices, faces = BOX
    # triangle 2 of the box has the corners 4 5 7
    text = message(vertices, np.delete(faces, 2, axis=0))
    assert "3 edges belong to one triangle only" in text
    assert "hole" in text
    assert "edge 4-5 from (-1, -1, 1) to (1, -1, 1) of triangle" in text
    assert "edge 5-7" in text
    assert "edge 4-7" in text
    assert "more" not in text.split("; allowed")[0]
    assert "Close the hole" in text


def test_many_holes_show_three_and_count_the_rest():
    vertices, faces = icosphere(2)
    # every fourth triangle, one of each face of the icosahedron
    text = message(vertices, faces[np.arange(len(faces)) % 4 != 1])
    count = int(text.split(": ")[1].split()[0])
    assert count > 3
    assert f"and {count - 3} more" in text
    assert text.count("edge ") == 3


def test_turned_triangle_names_its_edges():
    """H-52: one triangle turned round disagrees with its three neighbours."""
    vertices, faces = BOX[0], BOX[1].copy()
    faces[2] = faces[2][::-1]
    text = message(vertices, faces)
    assert "3 edges are used twice in the same direction" in text
    assert "edge 4-5 from (-1, -1, 1) to (1, -1, 1) of triangles 2, " in text
    assert "turned round" in text
    assert "Swap two corners" in text


def test_single_sheet_on_an_edge_is_a_hole():
    """H-52: a fin with a front and a back is closed and holds nothing; without its back its free sides are holes."""
    vertices = np.concatenate((BOX[0], [(3.0, 0.0, 0.0)]))
    faces = np.concatenate((BOX[1], [(1, 3, 8), (3, 1, 8)])).astype(np.uint32)
    check_mesh("mesh", vertices, faces)
    text = message(vertices, faces[:-1])
    assert "2 edges belong to one triangle only" in text
    assert "edge 1-8 from (1, -1, -1) to (3, 0, 0) of triangle 12" in text


def test_inner_wall_cannot_be_paired():
    """H-52: a box with a wall across it: the four edges of the wall join three triangles."""
    wall = np.array([(0, 1, 7), (0, 7, 6)], dtype=np.uint32)
    text = message(BOX[0], np.concatenate((BOX[1], wall)))
    assert "4 edges join more than two triangles that cannot be paired" in text
    assert "and 1 more" in text
    # two tetrahedra on one another are one body; their common face is a wall
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, -1)], dtype=float)
    two = np.array([(0, 1, 3), (0, 3, 2), (1, 2, 3), (0, 4, 1), (0, 2, 4), (1, 4, 2)], dtype=np.uint32)
    check_mesh("mesh", vertices, two)
    text = message(vertices, np.concatenate((two, [(0, 1, 2)])).astype(np.uint32))
    assert "3 edges join more than two triangles that cannot be paired" in text
    assert "edge 0-1 from (0, 0, 0) to (1, 0, 0) of triangles 0, 3, 6" in text


def test_boxes_that_touch_along_an_edge_are_allowed():
    """H-52: four triangles on one edge, but two run along it each way, so they can be paired."""
    vertices, faces = join(BOX, (BOX[0] + np.array([2.0, 2.0, 0.0]), BOX[1]))
    # merge the two vertices of the common edge: 3 and 7 of the first are 0 and 4 of the second
    faces = faces.astype(np.int64)
    faces[faces == 8] = 3
    faces[faces == 12] = 7
    faces[faces > 12] -= 1
    faces[faces > 8] -= 1
    vertices = np.delete(vertices, [8, 12], axis=0)
    _, checked = check_mesh("mesh", vertices, faces)
    # two boxes of 8 m^3
    assert mesh_volume(vertices, checked)[0] == pytest.approx(16.0, rel=1e-14)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_vertex_that_is_no_number(value):
    vertices = BOX[0].copy()
    vertices[5, 1] = value
    text = message(vertices, BOX[1])
    assert f"1 vertex is not finite: vertex 5 at (1, {value:.6g}, 1)" in text


def test_index_out_of_range():
    faces = BOX[1].astype(np.int64)
    faces[7, 2] = 8
    assert "1 triangle has an index out of range: triangle 7 " in message(BOX[0], faces)
    assert "indices from 0 to 7" in message(BOX[0], faces)
    faces[7, 2] = -1
    assert "-1)" in message(BOX[0], faces)


def test_repeated_corner_has_no_area():
    faces = BOX[1].copy()
    faces[4, 1] = faces[4, 0]
    text = message(BOX[0], faces)
    assert "1 triangle has no area: triangle 4 (0, 0, 5) at (-1, -1, -1), (-1, -1, -1), (1, -1, 1)" in text


def test_corners_on_one_line_have_no_area():
    """Also where rounding leaves a little: thirds are not on the line to the last bit."""
    vertices = np.concatenate((BOX[0], [BOX[0][0] + (BOX[0][1] - BOX[0][0]) / 3.0]))
    faces = np.concatenate((BOX[1], [(0, 8, 1)])).astype(np.uint32)
    assert "triangle 12 (0, 8, 1)" in message(vertices, faces)


def test_duplicate_triangle():
    """The copy may start at another corner."""
    faces = np.concatenate((BOX[1], [np.roll(BOX[1][3], 1)]))
    text = message(BOX[0], faces)
    assert "1 triangle comes twice: 3 and 12, triangle 3 (4, 7, 6)" in text
    assert "Remove the copies" in text


def test_closed_sheet_has_no_volume():
    """A sheet with its own back is closed and pairs its edges, but holds nothing."""
    vertices = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0.1), (0, 1, 0.3)])
    sheet = np.array([(0, 1, 2), (0, 2, 3)], dtype=np.uint32)
    assert "encloses no volume" in message(*join_same(vertices, sheet, sheet[:, ::-1]))
    # turned in space the terms cancel only to rounding
    R = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    assert "encloses no volume" in message(vertices @ R.T + 7.0, np.concatenate((sheet, sheet[:, ::-1])))


def join_same(vertices, *faces):
    return vertices, np.concatenate(faces)


def test_thin_plate_has_volume():
    """A millionth of its width thick, in any direction, is still a body."""
    R = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    vertices, faces = Box((1.0, 1.0, 1e-6)).triangles()
    check_mesh("plate", vertices @ (R * np.linalg.det(R)).T, faces)


def test_loose_vertex():
    text = message(np.concatenate((BOX[0], [(9.0, 0.0, 0.5)])), BOX[1])
    assert "1 vertex belongs to no triangle: vertex 8 at (9, 0, 0.5)" in text


def test_inside_out_is_turned_round():
    """H-52, algorithm 4.2: negative volume as a whole is an orientation, not a fault."""
    vertices, faces = check_mesh("mesh", *inward(BOX))
    assert mesh_volume(vertices, faces)[0] == pytest.approx(8.0, rel=1e-15)


def test_hollow_body_inside_out_is_turned_round_as_a_whole():
    """H-52: the cavity stays a cavity."""
    hollow = join(BOX, inward((0.5 * BOX[0], BOX[1])))
    vertices, faces = check_mesh("mesh", *inward(hollow))
    assert mesh_volume(vertices, faces)[0] == pytest.approx(7.0, rel=1e-15)


def test_part_turned_inside_out_is_not_a_cavity():
    """H-52: an inward shell outside every other would count as negative mass."""
    stray = inward((0.5 * BOX[0] + np.array([5.0, 0.0, 0.0]), BOX[1]))
    text = message(*join(BOX, stray))
    assert "1 shell is turned inside out" in text
    assert "shell of 12 triangles from (4.5, -0.5, -0.5) to (5.5, 0.5, 0.5), with triangle 12 " in text
    assert "Turn round all triangles" in text


def test_part_turned_inside_out_in_the_hole_of_a_ring_is_not_a_cavity():
    """Within the box round the ring, but not within its matter."""
    ring = Torus(1.0, 0.3).triangles(24)
    stray = inward((0.2 * BOX[0], BOX[1]))
    assert "1 shell is turned inside out" in message(*join(ring, stray))
    within = inward((0.1 * BOX[0] + np.array([1.0, 0.0, 0.0]), BOX[1]))
    assert len(check_mesh("mesh", *join(ring, within))[1]) == len(ring[1]) + 12


def test_cavity_with_an_island():
    """H-52: shells may be nested to any depth, each turned the other way."""
    nested = join(BOX, inward((0.5 * BOX[0], BOX[1])), (0.25 * BOX[0], BOX[1]))
    vertices, faces = check_mesh("mesh", *nested)
    assert mesh_volume(vertices, faces)[0] == pytest.approx(8.0 - 1.0 + 1.0 / 8.0, rel=1e-14)


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        ([], [], ["shape (0,)", "(n, 3)"]),
        ([[0, 0], [1, 0]], BOX[1], ["shape (2, 2)"]),
        ([[0, 0, 0], [1, 0]], BOX[1], ["not rows of three numbers"]),
        (BOX[0], np.empty((0, 3), dtype=int), ["shape (0, 3)"]),
        (BOX[0], BOX[1].astype(float), ["type float64", "whole numbers"]),
        (BOX[0], BOX[1][:, :2], ["shape (12, 2)", "from_polygons"]),
    ],
)
def test_wrong_arrays(vertices, faces, words):
    text = message(vertices, faces)
    for word in words:
        assert word in text


@settings(deadline=None, max_examples=50)
@given(st.integers(0, 79), st.integers(0, 2), st.sampled_from(["drop", "turn", "double"]))
def test_no_single_fault_passes(face, corner, fault):
    """H-52: wherever one triangle of a ball is dropped, turned or doubled, it is found and an end of it is named."""
    vertices, faces = icosphere(2)
    a, b = sorted((int(faces[face, corner]), int(faces[face, (corner + 1) % 3])))
    if fault == "drop":
        text = message(vertices, np.delete(faces, face, axis=0))
        assert f"edge {a}-{b} " in text
    elif fault == "turn":
        broken = faces.copy()
        broken[face] = broken[face][::-1]
        assert f"edge {a}-{b} " in message(vertices, broken)
    else:
        text = message(vertices, np.concatenate((faces, [np.roll(faces[face], corner)])))
        assert f"{face} and 80" in text


def test_hundred_thousand_triangles_pass_and_one_hole_among_them_is_found():
    vertices, faces = Torus(1.0, 0.3).triangles(224)
    assert len(faces) > 100_000
    assert len(check_mesh("mesh", vertices, faces)[1]) == len(faces)
    a, b = sorted(faces[70_000][:2].tolist())
    text = message(vertices, np.delete(faces, 70_000, axis=0))
    assert f"edge {a}-{b} " in text
