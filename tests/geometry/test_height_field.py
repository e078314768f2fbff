"""Height fields as shapes (V-21): values, checks, heights, mass, drawn surface."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
from geometry_samples import EPS

from gelenk.errors import InputError
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.shapes import Box, Shape


def rough(shape=(7, 5), scale=1.0, seed=0, **options):
    z = np.random.default_rng(seed).uniform(0.2, 1.0, shape)
    return HeightField(scale * z, (0.3 * scale, 0.5 * scale), **options)


def assert_same_mass(found, wanted, size, rounding):
    assert found.mass == pytest.approx(wanted.mass, rel=rounding)
    np.testing.assert_allclose(found.com, wanted.com, atol=rounding * size)
    np.testing.assert_allclose(found.inertia, wanted.inertia, atol=rounding * np.abs(wanted.inertia).max())


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
def test_mass_of_a_slab(scale):
    """V-21: a flat field weighs as the box it is, also far from the height zero."""
    field = HeightField(np.full((11, 7), 3.0 * scale), (0.1 * scale, 0.5 * scale), base=2.5 * scale)
    box = Box((1.0 * scale, 3.0 * scale, 0.5 * scale)).mass_properties(700.0).moved((0, 0, 2.75 * scale))
    assert_same_mass(field.mass_properties(700.0), box, scale, 100 * EPS)


@pytest.mark.parametrize("cells", [(1, 1), (4, 3)])
def test_mass_of_a_wedge(cells):
    """V-21: height c x / a over a x b:  V = a b c / 2, com at 2 a / 3, b / 2, c / 3;  I by x^2: a^2/18, z^2: c^2/18.

    x z of the triangle (0, 0), (a, 0), (a, c) about its centre of mass is a c / 36.
    """
    a, b, c, rho = 2.0, 0.7, 1.1, 30.0
    z = np.repeat(np.linspace(0, c, cells[0] + 1)[:, None], cells[1] + 1, axis=1)
    found = HeightField(z, (a / cells[0], b / cells[1]), base=0).mass_properties(rho)
    m = rho * a * b * c / 2
    assert found.mass == pytest.approx(m, rel=20 * EPS)
    np.testing.assert_allclose(found.com, [a / 6, 0, c / 3], atol=20 * EPS)
    xx, yy, zz, xz = m * a * a / 18, m * b * b / 12, m * c * c / 18, m * a * c / 36
    np.testing.assert_allclose(
        found.inertia, [[yy + zz, 0, -xz], [0, xx + zz, 0], [-xz, 0, xx + yy]], atol=50 * EPS * m
    )


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize("shape", [(2, 2), (2, 6), (7, 5), (30, 20)])
def test_mass_is_that_of_the_drawn_surface(shape, scale):
    """V-21: two roads, columns over the base and Gauss' theorem over the closed surface; the latter is checked too."""
    for base in (None, 0.0, -3.0 * scale):
        field = rough(shape, scale, base=base)
        mesh = TriangleMesh(*field.triangles())
        size = np.ptp(mesh.vertices, axis=0).max()
        assert_same_mass(field.mass_properties(1000.0), mesh.mass_properties(1000.0), size, 1e-13)


def test_surface_with_samples_at_the_base():
    """V-21: where the rim comes down to the base there is no side; the surface stays closed, every vertex is used."""
    z = np.array([[0, 0, 0, 1.0], [0, 2, 0, 0], [1, 1, 0, 0]])
    field = HeightField(z, 0.5, base=0)
    mesh = TriangleMesh(*field.triangles())  # refuses open edges, triangles without area, vertices that none uses
    assert_same_mass(field.mass_properties(1.0), mesh.mass_properties(1.0), 1.0, 1e-14)


def test_surface_of_one_cell():
    """V-21: two triangles above, two a side, four below; the diagonal runs from the low corner to the high one."""
    field = HeightField([[1.0, 2.0], [3.0, 4.0]], (2.0, 6.0), base=0)
    vertices, faces = field.triangles()
    assert (vertices.shape, faces.shape, faces.dtype) == ((9, 3), (14, 3), np.uint32)
    np.testing.assert_array_equal(vertices[faces[0]], [[-1, -3, 1], [1, -3, 3], [1, 3, 4]])
    np.testing.assert_array_equal(vertices[faces[1]], [[-1, -3, 1], [1, 3, 4], [-1, 3, 2]])


def test_height_at():
    """V-21: samples themselves, linear on each side of the diagonal, nan beyond; one number for one place."""
    field = rough()
    x, y = field.axes()
    np.testing.assert_allclose(field.height_at(x[:, None], y[None]), field.heights, rtol=4 * EPS)
    rng = np.random.default_rng(1)
    vertices, faces = field.triangles()
    top = vertices[faces[: 2 * 6 * 4]]
    share = rng.dirichlet(np.ones(3), len(top))[:, :, None]
    p = (share * top).sum(axis=1)
    np.testing.assert_allclose(field.height_at(p[:, 0], p[:, 1]), p[:, 2], rtol=1e-14)
    assert isinstance(float(field.height_at(0.0, 0.0)), float)
    assert np.ndim(field.height_at(0.0, 0.0)) == 0
    beyond = field.height_at([1.001 * x[-1], 0, np.nan], [0, -1.001 * y[-1], 0])
    assert np.isnan(beyond).all()


def test_default_base():
    """V-21: one larger spacing below the lowest sample."""
    field = HeightField([[1, 2], [3, 4]], (0.5, 2.0))
    assert field.base == -1.0
    assert field.spacing == (0.5, 2.0)
    assert HeightField([[1, 2], [3, 4]], 0.5).spacing == (0.5, 0.5)


def test_fields_are_values():
    """V-21: equal by their numbers, kept in sets, copied to other processes, not to be changed."""
    field, same = rough(), rough()
    assert isinstance(field, Shape)
    assert field.kind == "height_field"
    assert field == same
    assert hash(field) == hash(same)
    others = [rough(seed=1), rough(scale=2), rough(base=-9), HeightField(field.heights.T, field.spacing), "field"]
    assert all(field != other for other in others)
    for twin in (copy.deepcopy(field), pickle.loads(pickle.dumps(field))):
        assert twin == field
        assert not twin.heights.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        field.heights[0, 0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        field.base = 0
    z = np.zeros((2, 2))
    kept = HeightField(z, 1.0)
    z[0, 0] = 7
    assert kept.heights[0, 0] == 0
    assert repr(rough((2, 3))).startswith("HeightField(2 x 3 samples, spacing (0.3, 0.5) m, heights 0.")


@pytest.mark.parametrize(
    ("heights", "spacing", "base", "found", "remedy"),
    [
        ([[0, 1], [np.nan, 2]], 1.0, None, "heights[1, 0] is nan", "Fill these samples"),
        ([[0, np.inf], [1, 2]], 1.0, None, "heights[0, 1] is inf", "Fill these samples"),
        ([[0, 1, 2]], 1.0, None, "shape (1, 3)", "i along x and j along y"),
        ([0, 1, 2], 1.0, None, "shape (3,)", "i along x and j along y"),
        (np.broadcast_to(0.0, (2**16, 2**15)), 1.0, None, "shape (65536, 32768)", "samples at most"),
        ([[0, 1], [1, 2, 3]], 1.0, None, "row 1 of heights has 3 samples and row 0 has 2", "as many samples"),
        ([["a", "b"], ["c", "d"]], 1.0, None, "type <U1", "Give numbers in m"),
        ([[0, None], [1, 2]], 1.0, None, "type object", "fill samples that are missing"),
        ([[0, 1], [1, 2]], 0.0, None, "spacing is 0.0", "Give spacing"),
        ([[0, 1], [1, 2]], (1.0, -1.0), None, "spacing along y is -1.0", "Give spacing along y"),
        ([[0, 1], [1, 2]], (1.0, 1.0, 1.0), None, "spacing has 3 numbers", "Give two"),
        ([[0, 1], [1, 2]], "wide", None, "spacing is 'wide'", "Give spacing"),
        ([[0, 1], [-1, 2]], 1.0, -0.5, "heights[1, 0] is -1 m, below the base at -0.5 m", "Lower the base"),
        ([[1, 1], [1, 1]], 1.0, 1.0, "all 4 heights equal the base", "Lower the base"),
        ([[1, 1], [1, 1]], 1.0, np.nan, "base is nan", "Give base"),
    ],
)
def test_bad_input_is_refused_by_name(heights, spacing, base, found, remedy):
    """V-21: with the element, the sample and the remedy."""
    with pytest.raises(InputError) as refused:
        HeightField(heights, spacing, base=base, element="height field 'heap'")
    assert str(refused.value).startswith("height field 'heap': ")
    assert found in refused.value.found
    assert remedy in refused.value.remedy


def test_bad_density():
    with pytest.raises(InputError, match="density is 0"):
        rough().mass_properties(0)
