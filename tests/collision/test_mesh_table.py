"""Triangles with their surroundings: normals over sides, tips, rims, and the packing of several meshes (V-20)."""

import math

import numpy as np
import pytest
from mesh_samples import EPS, ball_mesh, corners_of, cube, raw, sheet

from gelenk import compile as compiler
from gelenk.collision.facet import Facet
from gelenk.collision.mesh_table import mesh_bounds, mesh_facet, pack_meshes
from gelenk.errors import InputError
from gelenk.geometry.mesh import TriangleMesh

SIDES = ((0, 1, "n_pq"), (1, 2, "n_qs"), (2, 0, "n_sp"))


def facets(mesh):
    table = pack_meshes([mesh])
    return [mesh_facet(table, 0, t) for t in range(len(mesh.faces))]


def tent(height, size=1.0):
    """Two triangles over the square, with the fold along x = y raised (bends away) or lowered (bends inward)."""
    return raw([(0, 0, height), (size, 0, 0), (size, size, height), (0, size, 0)], [(0, 1, 2), (0, 2, 3)])


def test_cube_leans_over_its_edges_and_not_over_its_diagonals():
    mesh = cube()
    found = facets(mesh)
    normals = np.array([f.n for f in found])
    for f, face in zip(found, mesh.faces):
        assert f.tips == 7  # every corner of a cube is a tip
        assert np.array_equal([f.p, f.q, f.s], mesh.vertices[face])
        for i, j, name in SIDES:
            beside = [k for k, other in enumerate(mesh.faces) if {face[i], face[j]} <= set(other)]
            other = next(k for k in beside if not np.array_equal(mesh.faces[k], face))
            assert np.array_equal(getattr(f, name), normals[other])
    assert {tuple(n) for n in np.abs(normals)} == {(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)}


def test_a_hollow_turns_no_normal_and_has_no_tips_while_a_ridge_does():
    ridge, hollow = facets(tent(0.5)), facets(tent(-0.5))
    assert ridge[0].n_sp == ridge[1].n
    assert ridge[1].n_pq == ridge[0].n
    assert hollow[0].n_sp == hollow[0].n
    assert hollow[1].n_pq == hollow[1].n
    assert [f.tips for f in ridge] == [7, 7]
    assert [f.tips for f in hollow] == [2, 4]  # only the corners away from the fold


@pytest.mark.parametrize(
    "mesh", [tent(0.0), tent(0.3), sheet(3, 2, lambda x, y: x * y)], ids=["flat", "ridge", "sheet"]
)
def test_over_the_rim_the_normal_is_level_and_outward(mesh):
    count = 0
    uses = {}
    for face in mesh.faces:
        for i in range(3):
            side = frozenset((int(face[i]), int(face[(i + 1) % 3])))
            uses[side] = uses.get(side, 0) + 1
    for f, face in zip(facets(mesh), mesh.faces):
        for i, j, name in SIDES:
            if uses[frozenset((int(face[i]), int(face[j])))] == 1:
                n, side = np.array(getattr(f, name)), np.subtract(f[j], f[i])
                middle = np.mean([f.p, f.q, f.s], axis=0)
                assert abs(n @ f.n) < 8 * EPS
                assert abs(n @ side) < 8 * EPS
                assert n @ (np.array(f[i]) - middle) > 0.0
                assert n @ n == pytest.approx(1.0, abs=8 * EPS)
                count += 1
    assert count == sum(use == 1 for use in uses.values()) > 3


def test_flat_inside_of_a_sheet_has_no_tips_but_its_rim_does():
    mesh = sheet(4, 4, lambda x, y: 0.3 * x + 0.1)
    on_rim = (np.abs(mesh.vertices[:, :2]) == 0.5).any(axis=1)
    for f, face in zip(facets(mesh), mesh.faces):
        assert [bool(f.tips >> k & 1) for k in range(3)] == on_rim[face].tolist()


def test_ball_is_all_tips_and_its_cavity_has_none():
    mesh = ball_mesh(6, 8)
    assert all(f.tips == 7 for f in facets(mesh))
    inward = raw(mesh.vertices, mesh.faces[:, ::-1])
    assert all(f.tips == 0 and f.n == f.n_pq == f.n_qs == f.n_sp for f in facets(inward))


def test_side_of_three_triangles_and_of_two_that_turn_alike_is_a_rim():
    fan = raw([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)], [(0, 1, 2), (1, 0, 4), (0, 1, 3)])
    assert facets(fan)[0].n_pq == (0.0, -1.0, 0.0)
    alike = raw([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, -1, 0)], [(0, 1, 2), (0, 1, 3)])
    assert facets(alike)[0].n_pq == (0.0, -1.0, 0.0)


def test_a_sheet_folded_on_itself_bends_away():
    both = raw([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2), (0, 2, 1)])
    for f, m in zip(facets(both), ((0.0, 0.0, -1.0), (0.0, 0.0, 1.0))):
        assert (f.n_pq, f.n_qs, f.n_sp, f.tips) == (m, m, m, 7)


@pytest.mark.parametrize("scale", [1e-3, 1e4])
def test_scale_changes_no_surroundings(scale):
    one, other = pack_meshes([ball_mesh(7, 9, 1.0, 0.3)]), pack_meshes([ball_mesh(7, 9, scale, 0.3)])
    np.testing.assert_array_equal(one.across, other.across)
    np.testing.assert_array_equal(one.tips, other.tips)
    np.testing.assert_allclose(one.outward, other.outward, atol=32 * EPS)


def test_several_meshes_stand_one_after_the_other():
    meshes = [cube(2.0), ball_mesh(5, 6, 3.0), TriangleMesh(cube().vertices, cube().faces), tent(0.5)]
    table = pack_meshes(meshes)
    for k, mesh in enumerate(meshes):
        assert mesh_bounds(table, k) == (*mesh.vertices.min(axis=0), *mesh.vertices.max(axis=0))
        alone = pack_meshes([mesh])
        for t in range(len(mesh.faces)):
            f = mesh_facet(table, k, t)
            assert isinstance(f, Facet)
            assert f == mesh_facet(alone, 0, t)
            np.testing.assert_array_equal([f.p, f.q, f.s], corners_of(mesh)[t])


def test_an_empty_table_and_loose_vertices():
    table = pack_meshes([])
    full = pack_meshes([tent(0.1)])
    assert [(a.dtype, a.shape[1:]) for a in table] == [(a.dtype, a.shape[1:]) for a in full]  # kernels compile once
    assert len(table.mesh) == len(table.face) == len(table.box) == 0
    loose = raw([(9, 9, 9), (0, 0, 0), (1, 0, 0), (0, 1, 0)], [(1, 2, 3)])
    assert mesh_bounds(pack_meshes([loose]), 0) == (0, 0, 0, 1, 1, 0)


def test_bad_meshes_are_refused_by_number():
    good = tent(0.1)
    with pytest.raises(InputError, match=r"mesh 1: .*no vertex"):
        pack_meshes([good, raw(good.vertices, [(0, 1, 4)])])
    with pytest.raises(InputError, match=r"mesh 0: .*shape"):
        pack_meshes([raw(good.vertices, np.zeros((0, 3)))])
    with pytest.raises(InputError, match=r"mesh 0: .*finite"):
        pack_meshes([raw([(0, 0, math.nan), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])])


@pytest.mark.proof
@pytest.mark.skipif(not compiler.ENABLED, reason="takes minutes interpreted")
def test_proof_100_000_triangles_are_packed():
    """Each in one leaf."""
    mesh = ball_mesh(225, 225, 1.0, 0.1)
    table = pack_meshes([mesh])
    assert (np.sort(table.leaf_face) == np.arange(len(mesh.faces))).all()
