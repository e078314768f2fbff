"""Hulls, compounds and trees of balls in models, scenes and pictures (V-22, V-32, H-61, I-086)."""

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
    "compound": gk.Compound(
        [
            (gk.ConvexHull(RNG.normal(size=(20, 3))), (0.1, -0.0, 3.0), TURN),
            gk.Sphere(0.3),
            (gk.SphereTree(BOX), (0, 9, 0)),
            (BOX, (9.0, 0, 0)),
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
    """
    hull, compound = (part.shape for part in gk.read_scene(text).bodies[0].parts)
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


def test_drawn_as_its_triangles():
    from gelenk.run.picture import _solid

    vertices, triangles = _solid(model_of(SHAPES["compound"]).bodies[0])
    assert len(triangles) == len(SHAPES["compound"].triangles()[1])
    assert len(vertices) == len(SHAPES["compound"].triangles()[0])


def test_import_stays_light():
    code = "import sys, gelenk; print([m for m in ('scipy', 'numba', 'trimesh', 'coacd') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
