"""Hulls, compounds, trees of balls and height fields in models, scenes and pictures (V-21, V-22, V-32, H-61, I-086)."""

import subprocess
import sys

import numpy as np
import pytest

import gelenk as gk

RNG = np.random.default_rng(5)
TURN = gk.unit((0.9, 0.1, -0.3, 0.2))
BOX = gk.TriangleMesh(*gk.Box((1, 2, 3)).triangles())
SHAPES = {
    "hull": gk.ConvexHull(RNG.normal(size=(50, 3))),
    "hull of a lattice": gk.ConvexHull(RNG.integers(0, 4, (60, 3)) * 0.1),
    "tree": gk.SphereTree(BOX, 4),
    "field": gk.HeightField(RNG.normal(size=(5, 7)), (0.1, 0.3)),
    "field with a base": gk.HeightField([[0.0, -0.0], [1e-300, 0.1]], 0.7, base=-0.1),
    "map": gk.DistanceMap(BOX, 8),
    "exact map": gk.DistanceMap(BOX, 16, exact=True),
    "compound": gk.Compound(
        [
            (gk.ConvexHull(RNG.normal(size=(20, 3))), (0.1, -0.0, 3.0), TURN),
            gk.Sphere(0.3),
            (gk.SphereTree(BOX), (0, 9, 0)),
            (gk.DistanceMap(BOX), (0, -9, 0)),
            (BOX, (9.0, 0, 0)),
            (gk.HeightField(RNG.normal(size=(3, 2)), 2.0), (0, 0, 9)),
        ]
    ),
}


def model_of(shape):
    b = gk.Builder()
    b.body("rock", shape=gk.Part(shape, at=(0.1, 0.2, 0.3), rotation=TURN), density=2700.0)
    return b.build()


@pytest.mark.parametrize("name", SHAPES)
def test_scene_is_read_back_bit_by_bit(name):
    model = model_of(SHAPES[name])
    text = gk.scene_text(model)
    back = gk.read_scene(text)
    assert back == model
    assert gk.scene_text(back) == text
    shape = back.bodies[0].parts[0].shape
    assert shape == SHAPES[name]
    np.testing.assert_array_equal(shape.triangles()[0], SHAPES[name].triangles()[0])


@pytest.mark.parametrize("name", SHAPES)
def test_body_weighs_what_its_shape_weighs(name):
    body, alone = model_of(SHAPES[name]).bodies[0], SHAPES[name].mass_properties(2700.0)
    assert body.mass == alone.mass


def test_by_hand():
    text = """
    [body.rock]
    density = 1000.0
    [[body.rock.part]]
    shape = { hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]] } }
    [[body.rock.part]]
    shape = { compound = { children = [ { shape = { sphere = { radius = 0.1 } }, at = [0, 0, 2] },
                                        { shape = { box = { size = [1, 1, 1] } } } ] } }
    [[body.rock.part]]
    shape = { height_field = { heights = [[0, 1, 0], [1, 2, 1.5]], spacing = 0.5 } }
    """
    hull, compound, field = (part.shape for part in gk.read_scene(text).bodies[0].parts)
    assert field == gk.HeightField([[0, 1, 0], [1, 2, 1.5]], (0.5, 0.5))
    assert hull == gk.ConvexHull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    assert compound == gk.Compound([(gk.Sphere(0.1), (0, 0, 2)), gk.Box((1, 1, 1))])


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ("{ hull = { points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] } }", "hull: 3 points"),
        ("{ hull = { points = 'AAAA' } }", "hull: points is base64 of 3 bytes"),
        ("{ hull = {} }", "points"),
        ("{ compound = { children = [] } }", "compound: there are no children"),
        ("{ compound = { children = 3 } }", "compound: children are 3"),
        ("{ compound = { children = [ { at = [0, 0, 0] } ] } }", "shape"),
        ("{ compound = { children = [ { shape = { sphere = { radius = 0 } } } ] } }", "sphere: radius is 0.0"),
        ("{ compound = { children = [ { shape = { compound = { children = [] } } } ] } }", "'compound'"),
        ("{ height_field = { heights = [[0, 0], [0, 0, 0]], spacing = 1 } }", "height_field: row 1 of heights has 3"),
        ("{ height_field = { heights = [[0, 0], [0, nan]], spacing = 1 } }", "height_field: heights[1, 1] is nan"),
        ("{ height_field = { heights = [[0, 0], [0, 0]], spacing = 0 } }", "height_field: spacing is 0"),
        ("{ height_field = { heights = [[0, 0], [0, 0]], spacing = 1, base = 2 } }", "below the base at 2 m"),
        ("{ height_field = { heights = [[0, 0], [0, 0]] } }", "spacing is missing"),
        ("{ height_field = { heights = 'AAAA', spacing = 1 } }", "samples is missing"),
        ("{ height_field = { heights = 'AAAA', spacing = 1, samples = [2, 2] } }", "heights is base64 of 3 bytes"),
        ("{ height_field = { heights = '###', spacing = 1, samples = [2, 2] } }", "height_field: heights is '###'"),
        ("{ height_field = { heights = 'AAAA', spacing = 1, samples = [2, -2] } }", "samples is [2, -2]"),
        ("{ height_field = { heights = [[0, 0], [0, 0]], spacing = 1, samples = [2, 2] } }", "in rows, and samples"),
        ("{ height_field = { heights = [[0, 0], [0, 0]], spacing = 1, step = 1 } }", "unknown key 'step'"),
        ("{ sphere_tree = { vertices = [[0, 0, 0]], triangles = [[0, 0, 0]], levels = 9 } }", "mesh: "),
    ],
)
def test_errors_name_line_and_element(shape, words):
    with pytest.raises(gk.InputError) as caught:
        gk.read_scene(f"[body.rock]\ndensity = 1.0\nshape = {shape}\n")
    assert words in str(caught.value)
    assert "body 'rock'" in caught.value.element
    assert caught.value.line == 3


def test_levels_of_a_tree_of_balls():
    with pytest.raises(gk.InputError, match="levels is 8; allowed: a whole number from 1 to 7"):
        gk.SphereTree(BOX, 8)
    with pytest.raises(gk.InputError, match="mesh is Box"):
        gk.SphereTree(gk.Box((1, 1, 1)), 3)


def test_seen_weighed_and_touched_apart():
    """Mass from the mesh, contact by a proxy of primitives, a third shape to look at (V-32)."""
    b = gk.Builder()
    b.body(
        "car",
        shape=[
            gk.Part(BOX, view=False, collide=False),
            gk.Part(gk.Compound([gk.Sphere(2.0)]), view=False, weighs=False),
            gk.Part(gk.Cone(1.0, 1.0), collide=False, weighs=False),
        ],
        density=10.0,
    )
    body = b.build().bodies[0]
    assert body.mass == pytest.approx(60.0, rel=1e-14)
    assert [[p.view, p.collide, p.weighs] for p in body.parts] == [
        [False, False, True],
        [False, True, False],
        [True, False, False],
    ]


@pytest.mark.parametrize("name", ["compound", "field"])
def test_drawn_as_its_triangles(name):
    from gelenk.run.picture import _solid

    vertices, triangles = _solid(model_of(SHAPES[name]).bodies[0])
    assert len(triangles) == len(SHAPES[name].triangles()[1])
    assert len(vertices) == len(SHAPES[name].triangles()[0])


def test_who_touches_whom_is_read_back():
    """Groups of parts, and joints whose bodies touch (V-96)."""
    b = gk.Builder()
    parts = [
        gk.Part(gk.Sphere(0.1), groups=("tyres", "left"), meets=("ground",)),
        gk.Part(gk.Sphere(0.1), groups="right", collide=False),
        gk.Part(gk.Sphere(0.1), meets=("default", "a b.c")),
    ]
    b.body("car", shape=parts, density=1.0)
    b.body("wheel", shape=gk.Sphere(0.1), density=1.0)
    b.add(gk.Hinge(name="axle", a="car", b="wheel", at=(0, 0, 0), axis=(0, 1, 0), collide=True))
    b.add(gk.Ball(name="hook", a="world", b="car", at=(0, 0, 1)))
    model = b.build()
    text = gk.scene_text(model)
    back = gk.read_scene(text)
    assert back == model
    assert gk.scene_text(back) == text
    assert [(p.groups, p.meets) for p in back.bodies[0].parts] == [
        (("tyres", "left"), ("ground",)),
        (("right",), ()),
        ((), ("default", "a b.c")),
    ]
    assert [joint.collide for joint in back.joints] == [True, False]
    assert text.count("collide") == 2  # what is not said is left out


@pytest.mark.parametrize("line", ["groups = [1]", "meets = 3", "groups = [['a']]"])
def test_bad_groups_name_their_line(line):
    text = f"[body.car]\ndensity = 1.0\n[[body.car.part]]\nshape = {{ sphere = {{ radius = 0.1 }} }}\n{line}\n"
    with pytest.raises(gk.InputError, match="names of groups") as caught:
        gk.read_scene(text)
    assert (caught.value.element, caught.value.line) == ("part 1 of body 'car'", 5)


@pytest.mark.parametrize("shape", [gk.HeightField(np.ones((3, 3)), 1.0), gk.HeightField([[0, 1], [2, 3]], (0.5, 2.0))])
def test_a_field_may_move_as_the_solid_above_its_base(shape):
    b = gk.Builder()
    b.body("stone", shape=shape, density=100.0)
    body, solid = b.build().bodies[0], gk.TriangleMesh(*shape.triangles()).mass_properties(100.0)
    assert body.mass == pytest.approx(solid.mass, rel=1e-14)
    np.testing.assert_allclose(body.com, solid.com, atol=1e-14)
    np.testing.assert_allclose(body.inertia, solid.inertia, rtol=0, atol=1e-13 * np.abs(solid.inertia).max())


def test_a_plane_moves_only_with_mass_of_others():
    """A plane without end weighs nothing: it is refused where its mass is asked for."""
    b = gk.Builder()
    for given in ({"density": 1.0}, {"mass": 1.0}):
        with pytest.raises(gk.InputError, match=r"body 'floor': mass properties .* allowed: a plane without density"):
            b.body("floor", shape=[gk.Sphere(1.0), gk.Plane()], **given)
    b.body("given", shape=gk.Plane(), mass=2.0, inertia=(1, 1, 1))
    b.body("of the ball", shape=[gk.Sphere(1.0), gk.Part(gk.Plane(), weighs=False)], density=1.0)
    b.body("fixed", shape=gk.Plane(), static=True)
    given, ball, fixed = b.build().bodies
    assert (given.mass, fixed.static) == (2.0, True)
    assert ball.mass == gk.Sphere(1.0).mass_properties(1.0).mass


def test_import_stays_light():
    code = "import sys, gelenk; print([m for m in ('scipy', 'numba', 'trimesh', 'coacd') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
