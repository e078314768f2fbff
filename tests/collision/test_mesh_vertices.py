"""Vertices, pieces and cones of normals of meshes (V-20)."""

from __future__ import annotations

import numpy as np
from closed_samples import rock, two_boxes
from surface_samples import box_mesh, sheet

from gelenk.collision.mesh_sides import RIM
from gelenk.collision.mesh_table import pack_meshes


def test_vertices_where_nothing_bends_outward_have_no_owner_and_others_one():
    """Of a box with faces of 3 x 3 cells the 4 inner vertices of each face are flat."""
    box = box_mesh(np.ones(3), 3)
    meshes = pack_meshes([box])
    on_planes = (np.abs(np.abs(box.vertices) - 1.0) < 1e-9).sum(axis=1)
    np.testing.assert_array_equal(meshes.owner == RIM, on_planes == 1)
    owned = np.flatnonzero(meshes.owner != RIM)
    assert all(v in box.faces[meshes.owner[v]] for v in owned)
    assert (pack_meshes([sheet([0, 1], [0, 1], lambda x, y: 0 * x)]).owner != RIM).all()  # its rim bends


def test_normals_at_corners_of_a_box_point_to_them():
    """Three right angles at each corner, however they are cut into triangles."""
    meshes = pack_meshes([box_mesh(np.ones(3), 1)])
    np.testing.assert_allclose(meshes.vertex_outward, meshes.vertex / np.sqrt(3.0), rtol=0, atol=1e-15)


def test_pieces_of_a_mesh_are_counted():
    meshes = pack_meshes([box_mesh(np.ones(3), 2), two_boxes()])
    assert meshes.mesh["shell_count"].tolist() == [1, 2]
    assert meshes.shell.tolist() == [0, 0, 12]


def test_cones_hold_all_normals_below_them():
    """n . axis >= cos h, for every triangle of every leaf and all nodes above; round-off of a few sums."""
    meshes = pack_meshes([rock(np.random.default_rng(1), 60, 0.1)])

    def normals(node, side):
        first, count = (int(x) for x in meshes.link[node, [12 + side, 14 + side]])
        if count:
            below = meshes.outward[meshes.leaf_face[first : first + count]]
        else:
            below = np.concatenate([normals(first, 0), normals(first, 1)])
        axis, cosine = meshes.cone[node, 5 * side : 5 * side + 3], meshes.cone[node, 5 * side + 3]
        assert (below @ axis).min() >= cosine - 1e-14
        return below

    assert len(normals(0, 0)) + len(normals(0, 1)) == len(meshes.face)
