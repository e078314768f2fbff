"""Compounds: shapes joined into one (V-32)."""

import pickle

import numpy as np
import pytest

import gelenk as gk
from gelenk.geometry.mass import combine
from gelenk.geometry.shapes import Shape
from gelenk.math.rotation import rotation_matrix

TURN = gk.unit((0.9, 0.1, -0.3, 0.2))
OTHER = gk.unit((0.2, 0.5, 0.1, -0.8))


def test_two_halves_weigh_as_the_whole():
    """A box cut in two: sums of products of numbers of order one, some ten operations of rounding each."""
    whole = gk.Box((2.0, 0.6, 0.4)).mass_properties(700.0)
    half = gk.Box((1.0, 0.6, 0.4))
    found = gk.Compound([(half, (-0.5, 0, 0)), (half, (0.5, 0, 0))]).mass_properties(700.0)
    assert found.mass == pytest.approx(whole.mass, rel=1e-15)
    np.testing.assert_allclose(found.com, whole.com, atol=1e-15)
    np.testing.assert_allclose(found.inertia, whole.inertia, rtol=1e-14, atol=1e-12)


def test_it_is_a_shape_and_a_value():
    children = [gk.Sphere(0.2), (gk.Box((1, 2, 3)), (1, 0, 0), TURN), (gk.Capsule(0.1, 1.0), (0, 2, 0))]
    made = gk.Compound(children)
    assert isinstance(made, Shape)
    assert made == gk.Compound(list(children)) == pickle.loads(pickle.dumps(made))
    assert hash(made) == hash(gk.Compound(children))
    assert made != gk.Compound(children[:2])
    assert repr(made) == "Compound(1 sphere, 1 box, 1 capsule)"


def test_nested_compounds_are_flattened():
    """p = p_C + R_C p_S, q = q_C q_S: mass and surface are those of the nested placing, up to rounding."""
    inner = gk.Compound([gk.Cone(0.3, 1.0), (gk.Box((1, 2, 3)), (1, 0.5, 0), OTHER)])
    outer = gk.Compound([(inner, (0.1, 0.2, 3.0), TURN), gk.Sphere(0.5)])
    assert [shape.kind for shape, _, _ in outer.children] == ["cone", "box", "sphere"]
    expected = combine(
        [inner.mass_properties(2.0).moved((0.1, 0.2, 3.0), rotation_matrix(TURN)), gk.Sphere(0.5).mass_properties(2.0)]
    )
    found = outer.mass_properties(2.0)
    np.testing.assert_allclose(found.com, expected.com, rtol=1e-14)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=0, atol=1e-13 * np.abs(expected.inertia).max())
    vertices, triangles = outer.triangles()
    count = len(inner.triangles()[0])
    placed = np.array((0.1, 0.2, 3.0)) + inner.triangles()[0] @ rotation_matrix(TURN).T
    np.testing.assert_allclose(vertices[:count], placed, rtol=0, atol=1e-14)
    assert triangles.dtype == np.uint32
    assert triangles.max() == len(vertices) - 1


@pytest.mark.parametrize(
    ("children", "words"),
    [
        ([], "compound: there are no children"),
        (gk.Sphere(1.0), "compound: children are Sphere"),
        ([gk.Sphere(1.0), 3], "child 1 of compound: it is 3"),
        ([(gk.Sphere(1.0), (0, 0))], "child 0 of compound: at is"),
        ([(gk.Sphere(1.0), (0, 0, 0), (1, 1, 0, 0))], "child 0 of compound: rotation is"),
        ([(gk.Sphere(1.0), (0, 0, float("nan")))], "child 0 of compound: at is"),
    ],
)
def test_bad_children_are_refused_by_number(children, words):
    with pytest.raises(gk.InputError) as caught:
        gk.Compound(children)
    assert str(caught.value).startswith(words)
    assert caught.value.remedy.endswith(".")


def test_a_plane_has_no_mass_here_either():
    with pytest.raises(gk.InputError, match="plane"):
        gk.Compound([gk.Plane(), gk.Sphere(1.0)]).mass_properties(1.0)
