"""Mass properties of closed meshes: published tables, cavities, covariance and a second road."""

import numpy as np
import pytest
from geometry_samples import EPS, box_grid, bumpy_balls, icosphere, inward, join, rotations, translations
from hypothesis import given, settings

from gelenk.geometry.mass import MassProperties, combine
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_mass import mesh_mass_properties, mesh_volume
from gelenk.geometry.shapes import Box, Sphere, Torus

# half a unit of the last printed digit
PRINTED = 0.5e-5


def weights_one_kilogram(mesh, ideal_volume):
    """Volume and moments with the density that gives the ideal body 1 kg, as in the tables."""
    properties = TriangleMesh(*mesh).mass_properties(1.0 / ideal_volume)
    inertia = properties.inertia
    off_diagonal = [inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    # the sums run over up to 1e5 terms of size 1e-4 and less: their rounding stays below 1e-15 kg m^2
    np.testing.assert_allclose(off_diagonal, 0.0, atol=1e-15)
    np.testing.assert_allclose(properties.com, 0.0, atol=1e-15)
    return [properties.mass * ideal_volume, *np.diag(inertia)]


@pytest.mark.parametrize(
    ("frequency", "count", "volume", "moment"), [(2, 80, 3.65871, 0.31950), (20, 8000, 4.18298, 0.39908)]
)
def test_table_of_the_sphere(frequency, count, volume, moment):
    """H-57: unit sphere from an icosahedron, subdivided and projected."""
    mesh = icosphere(frequency)
    assert len(mesh[1]) == count
    found = weights_one_kilogram(mesh, 4.0 / 3.0 * np.pi)
    np.testing.assert_allclose(found, [volume, moment, moment, moment], atol=PRINTED, rtol=0)


@pytest.mark.parametrize(("cells", "count"), [((2, 2, 4), 80), ((2, 4, 7), 200), ((20, 20, 40), 8000)])
def test_table_of_the_box(cells, count):
    """H-57: a box is exact whatever its tessellation; the table prints 6.00000, 1.08333, 0.83333, 0.41667."""
    mesh = box_grid((1.0, 2.0, 3.0), cells)
    assert len(mesh[1]) == count
    found = weights_one_kilogram(mesh, 6.0)
    np.testing.assert_allclose(found, [6.0, 1.08333, 0.83333, 0.41667], atol=PRINTED, rtol=0)
    # and exact means exact: sums of up to 8000 terms, pairwise, round to a few eps
    np.testing.assert_allclose(found, [6.0, 13 / 12, 10 / 12, 5 / 12], rtol=50 * EPS)


@pytest.mark.parametrize(
    ("n", "row"),
    [
        (8, [0.51200, 0.25127, 0.25127, 0.48792]),
        (16, [0.59985, 0.31896, 0.31896, 0.61941]),
        (64, [0.62963, 0.34332, 0.34332, 0.66673]),
        (128, [0.63115, 0.34458, 0.34458, 0.66918]),
    ],
)
def test_table_of_the_torus(n, row):
    """H-57: torus 0.8 m, 0.2 m from grids of n x n cells, 128 to 32768 triangles."""
    torus = Torus(radius=0.8, tube_radius=0.2)
    mesh = torus.triangles(n)
    assert len(mesh[1]) == 2 * n * n
    found = weights_one_kilogram(mesh, 2 * np.pi**2 * 0.8 * 0.2**2)
    np.testing.assert_allclose(found, row, atol=PRINTED, rtol=0)


def test_last_rows_of_the_tables():
    """H-57: the ideal bodies."""
    assert Sphere(1.0).mass_properties(1.0).mass == pytest.approx(4.18879, abs=PRINTED)
    torus = Torus(0.8, 0.2)
    volume = torus.mass_properties(1.0).mass
    assert volume == pytest.approx(0.63165, abs=PRINTED)
    np.testing.assert_allclose(np.diag(torus.mass_properties(1.0 / volume).inertia), [0.345, 0.345, 0.67], atol=PRINTED)


def by_tetrahedra(vertices, faces, density):
    """The second road: signed tetrahedra from the origin, shifted to the centre of mass at the end."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    V = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    s = a + b + c
    volume = V.sum()
    com = (V[:, None] * s).sum(axis=0) / 4.0 / volume
    S = sum(np.einsum("i,ij,ik->jk", V, p, p) for p in (a, b, c, s)) / 20.0 - volume * np.outer(com, com)
    return MassProperties(density * volume, com, density * (np.trace(S) * np.eye(3) - S))


def by_written_out_polynomials(vertices, faces):
    """The third road: the surface integrals term by term about the origin, without any factoring."""
    p, q, r = (vertices[faces[:, k]] for k in range(3))
    n = np.cross(q - p, r - p)
    V = (n[:, 0] * (p + q + r)[:, 0]).sum() / 6
    S = (n * (p * p + q * q + r * r + p * q + q * r + r * p)).sum(axis=0) / 24
    C = n * (p**3 + p * p * q + p * p * r + p * q * q + p * q * r + p * r * r + q**3 + q * q * r + q * r * r + r**3)

    def P(k, m):
        a, b, c, A, B, D = p[:, k], q[:, k], r[:, k], p[:, m], q[:, m], r[:, m]
        terms = 3 * a * a * A + a * a * B + a * a * D + 2 * a * A * b + 2 * a * A * c + 2 * a * b * B + a * b * D
        terms += a * B * c + 2 * a * c * D + A * b * b + A * b * c + A * c * c + 3 * b * b * B + b * b * D
        terms += 2 * b * B * c + 2 * b * c * D + B * c * c + 3 * c * c * D
        return (n[:, k] * terms).sum() / 120

    Cx, Cy, Cz = C.sum(axis=0) / 60
    xy, xz, yz = P(0, 1), P(0, 2), P(1, 2)
    return V, S / V, np.array([[Cy + Cz, -xy, -xz], [-xy, Cx + Cz, -yz], [-xz, -yz, Cx + Cy]])


@settings(deadline=None, max_examples=50)
@given(bumpy_balls)
def test_surface_integrals_equal_signed_tetrahedra(mesh):
    """H-50, I-015: two formulas with nothing in common but the body."""
    found, other = mesh_mass_properties(*mesh, 3.0), by_tetrahedra(*mesh, 3.0)
    # 80 terms with radii up to 2, masses up to 100: 100 roundings of the whole
    assert found.mass == pytest.approx(other.mass, rel=100 * EPS)
    np.testing.assert_allclose(found.com, other.com, atol=100 * EPS)
    np.testing.assert_allclose(found.inertia, other.inertia, atol=100 * EPS * 4 * found.mass)


@settings(deadline=None, max_examples=50)
@given(bumpy_balls)
def test_factored_sums_equal_the_written_out_polynomials(mesh):
    """H-50: ten integrals, each polynomial term by term."""
    found = mesh_mass_properties(*mesh, 1.0)
    volume, com, about_origin = by_written_out_polynomials(*mesh)
    assert found.mass == pytest.approx(volume, rel=100 * EPS)
    np.testing.assert_allclose(found.com, com, atol=100 * EPS)
    np.testing.assert_allclose(found.about((0, 0, 0)), about_origin, atol=100 * EPS * 4 * found.mass)


@settings(deadline=None, max_examples=50)
@given(bumpy_balls, translations, rotations)
def test_moving_the_mesh_moves_the_properties(mesh, t, R):
    """H-50: turning and shifting the vertices does what MassProperties.moved says (A.6)."""
    vertices, faces = mesh
    found = mesh_mass_properties(vertices @ R.T + t, faces, 2.0)
    expected = mesh_mass_properties(vertices, faces, 2.0).moved(t, R)
    # shifted vertices, up to 180 m away, are rounded to eps 180 m; that changes a body of 1 m by as many parts
    shift = 180.0 * EPS
    assert found.mass == pytest.approx(expected.mass, rel=20 * shift)
    np.testing.assert_allclose(found.com, expected.com, atol=20 * shift)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=20 * shift * 4 * found.mass)


def test_no_digits_are_lost_far_from_the_origin():
    """H-54: a torus 1000 km away, moved without rounding its vertices, has the same inertia to 12 digits.

    Vertices are multiples of 2^-20 m, so that adding 2^20 m is exact. Second moments about the origin are 1e12 times
    larger than the result and would leave four digits.
    """
    vertices, faces = Torus(0.8, 0.2).triangles(16)
    vertices = np.round(vertices * 2**20) / 2**20
    near = mesh_mass_properties(vertices, faces, 1.0)
    far = mesh_mass_properties(vertices + 2.0**20, faces, 1.0)
    assert far.mass == pytest.approx(near.mass, rel=20 * EPS)
    np.testing.assert_allclose(far.inertia, near.inertia, atol=20 * EPS)
    # the centre itself is a number near 1e6 and rounds there
    np.testing.assert_allclose(far.com, near.com + 2.0**20, atol=2 * EPS * 2**20)
    # tetrahedra from the origin do not even get the volume of 0.6 m^3 right
    a, b, c = ((vertices + 2.0**20)[faces[:, k]] for k in range(3))
    assert abs(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 - near.mass) > 1.0


def test_hollow_box():
    """H-52: an inward shell is a cavity; the result is the difference of the two boxes."""
    outer, inner = Box((2.0, 3.0, 4.0)), Box((1.0, 1.0, 1.0))
    shift = np.array([0.25, -0.5, 1.0])
    cavity = inward((inner.triangles()[0] + shift, inner.triangles()[1]))
    found = TriangleMesh(*join(outer.triangles(), cavity)).mass_properties(5.0)
    whole, hole = outer.mass_properties(5.0), inner.mass_properties(5.0).moved(shift)
    assert found.mass == pytest.approx(whole.mass - hole.mass, rel=10 * EPS)
    com = -hole.mass * hole.com / (whole.mass - hole.mass)
    np.testing.assert_allclose(found.com, com, atol=10 * EPS)
    np.testing.assert_allclose(found.inertia, whole.about(com) - hole.about(com), atol=20 * EPS * whole.mass)


def test_hollow_sphere():
    """H-52: a shell of radii 1 and 1/2 is the outer ball less the inner one; lengths halve, inertia falls by 2^5."""
    ball = icosphere(6)
    found = TriangleMesh(*join(ball, inward((0.5 * ball[0], ball[1])))).mass_properties(1.0)
    solid = TriangleMesh(*ball).mass_properties(1.0)
    assert found.mass == pytest.approx(solid.mass * (1 - 1 / 8), rel=50 * EPS)
    np.testing.assert_allclose(np.diag(found.inertia), np.diag(solid.inertia) * (1 - 1 / 32), rtol=50 * EPS)


def test_two_shells_are_two_parts():
    """H-52: two closed shells in one mesh weigh and turn like two joined parts."""
    ball, box = icosphere(3), Box((1.0, 2.0, 0.5)).triangles()
    moved = (box[0] + np.array([3.0, 1.0, -2.0]), box[1])
    found = TriangleMesh(*join(ball, moved)).mass_properties(2.0)
    expected = combine([TriangleMesh(*ball).mass_properties(2.0), TriangleMesh(*moved).mass_properties(2.0)])
    assert found.mass == pytest.approx(expected.mass, rel=50 * EPS)
    np.testing.assert_allclose(found.com, expected.com, atol=50 * EPS)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=50 * EPS * expected.mass * 16)


def test_constant_density_scales_everything():
    """H-51: density enters as a factor."""
    mesh = TriangleMesh(*icosphere(2))
    one, many = mesh.mass_properties(1.0), mesh.mass_properties(1024.0)
    assert many.mass == 1024.0 * one.mass
    np.testing.assert_array_equal(many.inertia, 1024.0 * one.inertia)
    np.testing.assert_array_equal(many.com, one.com)


def test_volume_is_signed():
    """H-50: inside out is minus the volume, which is how a wrong orientation is found."""
    ball = icosphere(2)
    volume, magnitude = mesh_volume(*ball)
    assert mesh_volume(*inward(ball)) == (pytest.approx(-volume, rel=4 * EPS), pytest.approx(magnitude, rel=4 * EPS))
