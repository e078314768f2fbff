"""Primitive shapes: their closed forms against other roads to the same numbers."""

import dataclasses
import math
import pickle

import numpy as np
import pytest
from geometry_samples import EPS
from scipy.integrate import quad

from gelenk.errors import InputError
from gelenk.geometry.mass import check_inertia, combine
from gelenk.geometry.mesh import TriangleMesh
from gelenk.geometry.mesh_mass import mesh_mass_properties
from gelenk.geometry.shapes import SHAPES, Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Shape, Sphere, Torus

ROUND = [
    Sphere(0.7),
    Capsule(radius=0.3, length=1.1),
    Cylinder(radius=0.4, length=0.9),
    Cone(radius=0.5, height=1.3),
    Ellipsoid((0.3, 0.6, 1.1)),
    Torus(radius=0.8, tube_radius=0.2),
]
SOLIDS = [*ROUND, Box((1.0, 2.0, 3.0))]


def slices(shape):
    """For a cut at height z: area, and integrals of x^2 and y^2 over the cut; with the lowest and highest z."""

    def disc(radius):
        return lambda z: (math.pi * radius(z) ** 2, math.pi / 4 * radius(z) ** 4, math.pi / 4 * radius(z) ** 4)

    match shape:
        case Sphere(r):
            return disc(lambda z: math.sqrt(max(r * r - z * z, 0.0))), -r, r
        case Capsule(r, length):
            half = length / 2
            return disc(lambda z: math.sqrt(max(r * r - max(abs(z) - half, 0.0) ** 2, 0.0))), -half - r, half + r
        case Cylinder(r, length):
            return disc(lambda z: r), -length / 2, length / 2
        case Cone(r, h):
            return disc(lambda z: r * (1 - z / h)), 0.0, h
        case Ellipsoid((a, b, c)):

            def ellipse(z):
                s = max(1.0 - (z / c) ** 2, 0.0)
                return math.pi * a * b * s, math.pi / 4 * a**3 * b * s * s, math.pi / 4 * a * b**3 * s * s

            return ellipse, -c, c
        case Torus(R, r):

            def ring(z):
                w = math.sqrt(max(r * r - z * z, 0.0))
                moment = math.pi / 4 * ((R + w) ** 4 - (R - w) ** 4)
                return math.pi * ((R + w) ** 2 - (R - w) ** 2), moment, moment

            return ring, -r, r
        case Box((x, y, z_size)):
            return lambda z: (x * y, x**3 * y / 12, x * y**3 / 12), -z_size / 2, z_size / 2
    raise AssertionError(shape)


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: shape.kind)
def test_closed_form_equals_integral_over_slices(shape):
    """V-105: mass, centre of mass and inertia by quadrature over horizontal cuts."""
    cut, low, high = slices(shape)
    # kinks of the capsule are given to the integrator; the rest is smooth but for square roots at the ends
    points = [-shape.length / 2, shape.length / 2] if isinstance(shape, Capsule) else None

    def integral(f):
        return quad(f, low, high, points=points, epsabs=1e-13, epsrel=1e-12, limit=200)[0]

    rho = 3.0
    volume = integral(lambda z: cut(z)[0])
    z_com = integral(lambda z: z * cut(z)[0]) / volume
    x2, y2 = integral(lambda z: cut(z)[1]), integral(lambda z: cut(z)[2])
    z2 = integral(lambda z: (z - z_com) ** 2 * cut(z)[0])
    found = shape.mass_properties(rho)
    # the accuracy asked of the quadrature, with a factor for its three results that meet in one moment
    assert found.mass == pytest.approx(rho * volume, rel=1e-10)
    np.testing.assert_allclose(found.com, [0, 0, z_com], atol=1e-10)
    np.testing.assert_allclose(found.inertia, rho * np.diag([y2 + z2, x2 + z2, x2 + y2]), rtol=1e-10, atol=0)


@pytest.mark.parametrize("shape", ROUND, ids=lambda shape: shape.kind)
def test_drawn_surface_converges_with_second_order(shape):
    """H-57: the mesh of a round shape misses mass and moments by c / resolution^2, always from inside."""
    counts = (32, 64, 128)
    exact = shape.mass_properties(1.0)
    errors = []
    for count in counts:
        mesh = mesh_mass_properties(*shape.triangles(count), 1.0)
        errors.append([exact.mass - mesh.mass, *(np.diag(exact.inertia) - np.diag(mesh.inertia))])
    slopes = [-np.polyfit(np.log(counts), np.log(column), 1)[0] for column in np.array(errors).T]
    assert (np.array(errors) > 0.0).all()
    # the next term of the error is smaller by (2 pi / 32)^2 = 0.04, which bends the slope by less than that
    np.testing.assert_allclose(slopes, 2.0, atol=0.03)


@pytest.mark.parametrize("resolution", [3, 4, 5, 7, 16])
@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: shape.kind)
def test_drawn_surface_is_closed_and_outward(shape, resolution):
    """H-52: also at the coarsest, every drawn shape is an admissible mesh that need not be turned round."""
    vertices, faces = shape.triangles(resolution)
    assert vertices.dtype == np.float64
    assert faces.dtype == np.uint32
    mesh = TriangleMesh(vertices, faces)
    np.testing.assert_array_equal(mesh.faces, faces)
    assert mesh.mass_properties(1.0).mass > 0.0


@pytest.mark.parametrize("shape", ROUND, ids=lambda shape: shape.kind)
def test_drawn_vertices_lie_on_the_surface(shape):
    x, y, z = shape.triangles(24)[0].T
    d = np.hypot(x, y)
    match shape:
        case Sphere(r):
            off = np.sqrt(d * d + z * z) - r
        case Capsule(r, length):
            off = np.hypot(d, np.maximum(np.abs(z) - length / 2, 0.0)) - r
        case Cylinder(r, length):
            off = np.maximum(d - r, np.abs(z) - length / 2)
        case Cone(r, h):
            off = np.maximum(d - r * (1 - z / h), -z)
        case Ellipsoid((a, b, c)):
            off = np.sqrt((x / a) ** 2 + (y / b) ** 2 + (z / c) ** 2) - 1
        case Torus(R, r):
            off = np.hypot(d - R, z) - r
    # sine, cosine and a root, each right to one rounding of numbers near 1
    np.testing.assert_allclose(off, 0.0, atol=8 * EPS)


def test_box_mesh_is_the_box():
    """H-57: flat faces leave nothing to approximate."""
    box = Box((1.0, 2.0, 3.0))
    found, exact = mesh_mass_properties(*box.triangles(), 2.0), box.mass_properties(2.0)
    assert found.mass == exact.mass
    np.testing.assert_allclose(found.inertia, exact.inertia, rtol=8 * EPS, atol=8 * EPS)


def test_capsule_is_a_cylinder_and_two_half_balls():
    """A.1: caps of no length between them are a ball; a long capsule is a rod."""
    ball, nearly = Sphere(0.5).mass_properties(2.0), Capsule(0.5, 1e-12).mass_properties(2.0)
    # the cylinder left between the caps has 1.5e-12 of the mass
    assert nearly.mass == pytest.approx(ball.mass, rel=1e-11)
    np.testing.assert_allclose(nearly.inertia, ball.inertia, rtol=1e-11)


def test_ellipsoid_with_equal_radii_is_a_ball():
    ball, ellipsoid = Sphere(0.5).mass_properties(2.0), Ellipsoid((0.5, 0.5, 0.5)).mass_properties(2.0)
    np.testing.assert_allclose(ellipsoid.inertia, ball.inertia, rtol=4 * EPS)


def test_truncated_cone_from_two_cones():
    """A.1: a cone is its tip and the frustum below it, so the frustum follows by difference and must be a real body."""
    whole, tip = Cone(1.0, 2.0).mass_properties(1.0), Cone(0.5, 1.0).mass_properties(1.0).moved((0, 0, 1.0))
    mass = whole.mass - tip.mass
    com = (whole.mass * whole.com - tip.mass * tip.com) / mass
    # centre of a frustum with radii R, r and height h: h/4 (R^2 + 2 R r + 3 r^2) / (R^2 + R r + r^2)
    assert com[2] == pytest.approx(0.25 * (1 + 2 * 0.5 + 3 * 0.25) / (1 + 0.5 + 0.25), rel=1e-14)
    inertia = whole.about(com) - tip.about(com)
    check_inertia("frustum", inertia)
    # about its axis: 3/10 m (R^5 - r^5) / (R^3 - r^3); subtraction of near numbers costs a digit
    assert inertia[2, 2] == pytest.approx(0.3 * mass * (1 - 0.5**5) / (1 - 0.5**3), rel=1e-14)


@pytest.mark.parametrize("shape", SOLIDS, ids=lambda shape: shape.kind)
def test_real_bodies(shape):
    """Moments of every shape satisfy what check_inertia asks, and twice the density is twice the body."""
    one, two = shape.mass_properties(1000.0), shape.mass_properties(2000.0)
    check_inertia(shape.kind, one.inertia)
    assert two.mass == 2 * one.mass
    np.testing.assert_array_equal(two.inertia, 2 * one.inertia)
    twins = combine([one, one])
    np.testing.assert_allclose(twins.inertia, two.inertia, rtol=2 * EPS)


@pytest.mark.parametrize("shape", [*SOLIDS, Plane()], ids=lambda shape: shape.kind)
def test_shapes_are_plain_values(shape):
    """Equal numbers make equal shapes, from lists and NumPy numbers too; none can be changed."""
    values = {field.name: getattr(shape, field.name) for field in dataclasses.fields(shape)}
    assert SHAPES[shape.kind](**values) == shape
    loose = {k: np.array(v) if isinstance(v, tuple) else np.float64(v) for k, v in values.items()}
    assert SHAPES[shape.kind](**loose) == shape
    assert pickle.loads(pickle.dumps(shape)) == shape
    assert hash(SHAPES[shape.kind](**loose)) == hash(shape)
    for value in values.values():
        assert type(value) is float or (type(value) is tuple and all(type(v) is float for v in value))
    assert isinstance(shape, Shape)
    with pytest.raises((dataclasses.FrozenInstanceError, TypeError)):
        shape.kind = "other"


def test_table_of_kinds():
    assert list(SHAPES) == ["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "torus", "plane"]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Sphere(0.0), ["sphere", "radius is 0.0", "above 0 [m]", "in m"]),
        (lambda: Sphere(-1), ["radius is -1.0"]),
        (lambda: Sphere(math.nan), ["radius is nan"]),
        (lambda: Sphere("1"), ["radius is '1'"]),
        (lambda: Sphere(None), ["radius is None"]),
        (lambda: Box((1, 2)), ["box", "size is (1, 2)", "three full edge lengths"]),
        (lambda: Box(1.0), ["size is 1.0"]),
        (lambda: Box("abc"), ["size is 'abc'"]),
        (lambda: Box((1, 0, 2)), ["size[1] is 0.0"]),
        (lambda: Capsule(radius=1, length=math.inf), ["capsule", "length is inf"]),
        (lambda: Cylinder(radius=-1, length=1), ["cylinder", "radius is -1.0"]),
        (lambda: Cone(radius=1, height=-2), ["cone", "height is -2.0"]),
        (lambda: Ellipsoid((1, 2, math.nan)), ["ellipsoid", "radii[2] is nan"]),
        (lambda: Torus(radius=0.2, tube_radius=0.8), ["torus", "tube_radius is 0.8", "less than radius"]),
        (lambda: Sphere(1).mass_properties(0.0), ["sphere", "density is 0.0", "[kg/m^3]"]),
        (lambda: Sphere(1).triangles(2), ["resolution is 2", "3 or more"]),
        (lambda: Box((1, 1, 1)).triangles(8.0), ["resolution is 8.0"]),
        (lambda: Plane().mass_properties(1.0), ["plane", "fixed body", "Attach the plane to the world"]),
        (lambda: Sphere(1e200).mass_properties(1.0), ["mass is inf"]),
    ],
)
def test_bad_input_is_named(make, words):
    with pytest.raises(InputError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)


def test_plane_is_drawn_facing_up():
    vertices, faces = Plane().triangles()
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a)[:, 2] > 0.0).all()
