"""Scene files: written and read back bit by bit; written by hand; where each key stands."""

import json
import tomllib
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gelenk as gk
from gelenk.forces.element import Labelled, node_indices
from gelenk.forces.law import Laws
from gelenk.model.scene_read import load_scene, read_scene
from gelenk.model.scene_write import HEADER, save_scene, scene_text
from gelenk.model.toml_lines import key_lines, line_of

# --- random models -------------------------------------------------------------------------------------------------

ODD_NAMES = ("Größe", "link.1", "upper arm", "x-1", "_q", "Ω.β γ", "true", "inf", "a.b.c", "part", "name", "ÅÅ.1-2 ")
names = st.one_of(
    st.sampled_from([name.strip() for name in ODD_NAMES]),
    st.from_regex(r"[^\W\d][\w\- ]{0,6}(\.[\w\-]{1,3}){0,2}", fullmatch=True).map(str.strip),
).filter(lambda name: name != "world")
# of any size but so large that a product overflows: subnormal numbers and -0.0 are among them
floats = st.floats(-1e100, 1e100)
vectors = st.tuples(floats, floats, floats)
plain = st.floats(-10, 10)
points = st.tuples(plain, plain, plain)
lengths = st.floats(1e-2, 1e2)
positive = st.floats(1e-100, 1e100)
not_negative = st.floats(-0.0, 1e100)
quaternions = (
    st.tuples(plain, plain, plain, plain).filter(lambda q: sum(x * x for x in q) > 1e-6).map(gk.unit)
) | st.just((1.0, -0.0, 0.0, 5e-324))


@st.composite
def shapes(draw):
    kind = draw(st.sampled_from(["sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "torus", "mesh"]))
    a, b, c = draw(lengths), draw(lengths), draw(lengths)
    if kind == "mesh":
        vertices, faces = draw(st.sampled_from([gk.Box((a, b, c)), gk.Cone(a, b)])).triangles(5)
        return gk.TriangleMesh(vertices + np.array(draw(points)), faces[:, :: draw(st.sampled_from([1, -1]))])
    return {
        "sphere": lambda: gk.Sphere(a),
        "box": lambda: gk.Box((a, b, c)),
        "capsule": lambda: gk.Capsule(a, b),
        "cylinder": lambda: gk.Cylinder(a, b),
        "cone": lambda: gk.Cone(a, b),
        "ellipsoid": lambda: gk.Ellipsoid((a, b, c)),
        "torus": lambda: gk.Torus(a + b, b),
    }[kind]()


@st.composite
def parts(draw, materials):
    return gk.Part(
        draw(shapes()),
        at=draw(points),
        rotation=draw(quaternions),
        density=draw(st.sampled_from([0.0, -0.0, 7850.0, 1e-3])),
        material=draw(st.sampled_from(["", *materials])),
        view=draw(st.booleans()),
        collide=draw(st.booleans()),
        weighs=draw(st.booleans()),
    )


@st.composite
def tensors(draw):
    """Inertia of three point masses on the axes, turned."""
    p, q, r = draw(lengths), draw(lengths), draw(lengths)
    w, x, y, z = draw(quaternions)
    a = np.array([x, y, z])
    R = (w * w - a @ a) * np.eye(3) + 2 * np.outer(a, a) + 2 * w * np.cross(np.eye(3), -a)
    tensor = R @ np.diag([q + r, p + r, p + q]) @ R.T
    return draw(st.sampled_from([(q + r, p + r, p + q), 0.5 * (tensor + tensor.T)]))


@st.composite
def weights(draw, materials):
    """Keyword arguments that say what a body weighs and how it looks."""
    kind = draw(st.sampled_from(["numbers", "density", "mass", "static", "plane"]))
    if kind == "numbers":
        return {
            "mass": draw(positive),
            "inertia": draw(tensors()),
            "com": draw(st.none() | vectors),
            "shape": draw(st.lists(parts(materials), max_size=2)),
        }
    if kind == "static":
        return {"static": True, "shape": draw(st.lists(parts(materials), max_size=2))}
    if kind == "plane":
        return {"static": True, "shape": gk.Plane(), "mass": 1.0}
    shape = [draw(shapes()), *draw(st.lists(parts(materials), max_size=2))]
    given = {"shape": shape, "com": draw(st.none() | points), "material": draw(st.sampled_from(["", *materials]))}
    return given | {kind: draw(lengths)}


@st.composite
def forces(draw, name, nodes, bodies):
    kind = draw(st.sampled_from(["spring", "drag", "wrench", "table", "law"]))
    node = draw(st.sampled_from(nodes))
    at = draw(vectors) if node in bodies else (0.0, -0.0, 0.0)
    torque = draw(vectors) if node in bodies else (-0.0, 0.0, 0.0)
    if kind == "spring" and len(nodes) > 1:
        other = draw(st.sampled_from([n for n in nodes if n != node]))
        stiffness, rest, damping = draw(not_negative), draw(not_negative), draw(st.just(0.0) | not_negative)
        return gk.Spring(name, node, other, stiffness, rest, damping, at_a=at)
    if kind == "drag":
        return gk.Drag(name, node, draw(not_negative), draw(st.just(1.225) | not_negative), draw(vectors))
    if kind == "wrench":
        frame = draw(st.sampled_from(["world", "body"]))
        return gk.Wrench(name, node, force=draw(vectors), torque=torque, at=at, frame=frame)
    if kind == "table":
        times = sorted(draw(st.lists(plain, min_size=2, max_size=6, unique=True)))
        return gk.Wrench(name, node, force=[draw(vectors) for _ in times], torque=torque, at=at, times=times)
    return gk.Law(name, push)


def push(t, state, loads):
    loads.force_W[1, 0] += 1.0


@st.composite
def models(draw):
    b = gk.Builder(gravity=draw(st.just((0, 0, -9.81)) | vectors), name=draw(st.just("model") | names))
    materials = draw(st.lists(names, max_size=2, unique=True))
    unit, maybe = st.floats(-0.0, 1.0), st.none() | not_negative
    for name in materials:
        friction = draw(st.just(0.5) | not_negative)
        stiffness = draw(st.just(0.0) | lengths)
        b.material(
            name,
            density=draw(lengths),
            friction=friction,
            restitution=draw(unit),
            color=draw(st.tuples(unit, unit, unit)),
            static_friction=draw(st.none() | st.just(2 * friction)),
            friction_across=draw(maybe),
            grain=draw(st.just((1, 0, 0)) | vectors.filter(any)),
            rolling_friction=draw(st.just(0.0) | not_negative),
            torsional_friction=draw(st.just(0.0) | not_negative),
            stiffness=stiffness,
            damping=draw(st.just(0.0) | not_negative) if stiffness else 0.0,
        )
    for a, other in draw(
        st.lists(st.tuples(*[st.sampled_from(["", *materials])] * 2), max_size=3, unique_by=frozenset)
    ):
        values = {"friction": draw(maybe), "friction_across": draw(maybe), "rolling_friction": draw(maybe)}
        b.contact(a, other, restitution=draw(unit), torsional_friction=draw(maybe), **values)
    own = draw(st.lists(names, max_size=6, unique=True))
    bodies, particles, frames = own[0:2], own[2:4], own[4:6]
    for name in bodies:
        weight = draw(weights(materials))
        zero = st.just((0.0, -0.0, 0.0))
        moving = zero if weight.get("static") else vectors
        pose = {"at": draw(vectors), "rotation": draw(quaternions)}
        b.body(name, **weight, **pose, velocity=draw(moving), angular_velocity=draw(moving))
    for name in particles:
        if draw(st.booleans()):
            b.particle(name, mass=draw(positive), at=draw(vectors), velocity=draw(vectors))
        else:
            b.particle(name, at=draw(vectors), static=True)
    for name in frames:
        b.frame(name, draw(st.sampled_from(["world", *bodies])), at=draw(vectors), rotation=draw(quaternions))
    for name in draw(st.lists(names, max_size=4, unique=True)):
        b.add(draw(forces(name, ["world", *bodies, *particles], ["world", *bodies])))
    return b.build()


# --- bit by bit ----------------------------------------------------------------------------------------------------


def assert_same_bits(model, other):
    assert model == other
    assert scene_text(model) == scene_text(other)
    assert model.initial_state().flat.tobytes() == other.initial_state().flat.tobytes()
    for block, twin in zip((model.system.masses, *model.system.forces), (other.system.masses, *other.system.forces)):
        assert type(block) is type(twin)
        for a, b in zip(block, twin):
            assert (a.dtype, a.shape) == (b.dtype, b.shape)
            # the functions of laws lie somewhere else
            assert isinstance(block, Laws) or a.tobytes() == b.tobytes()


def laws_of(model):
    return {force.name: force.function for force in model.forces if isinstance(force, gk.Law)}


@settings(max_examples=150, deadline=None)
@given(models())
def test_what_is_written_is_read_back_bit_by_bit(model):
    assert_same_bits(model, read_scene(scene_text(model), laws=laws_of(model)))


@settings(max_examples=30, deadline=None)
@given(models())
def test_builder_from_model_makes_an_equal_model(model):
    assert_same_bits(model, gk.Builder.from_model(model).build())


def test_file_is_the_text_and_is_read_back(tmp_path):
    b = gk.Builder(name="Größe")
    b.body("a", shape=gk.Sphere(0.1), density=1000, at=(0.1, 1e-310, -0.0))
    model = b.build()
    save_scene(model, tmp_path / "a.toml")
    assert (tmp_path / "a.toml").read_bytes() == scene_text(model).encode("utf-8")
    assert_same_bits(model, load_scene(tmp_path / "a.toml"))
    assert_same_bits(model, load_scene(str(tmp_path / "a.toml")))


def test_numbers_at_the_edge_of_their_range():
    b = gk.Builder(gravity=(-0.0, 5e-324, 1.7976931348623157e308))
    b.particle(
        "p", mass=1e300, at=(-5e-324, 2.2250738585072014e-308, 0.1 + 0.2), velocity=(1e16, 123456789012345680.0, 1e22)
    )
    model = b.build()
    again = read_scene(scene_text(model))
    assert_same_bits(model, again)
    assert str(again.gravity[0]) == "-0.0"


def test_text_is_short_where_defaults_are_kept():
    b = gk.Builder()
    b.material("steel", density=7850)
    b.body("floor", shape=gk.Plane(), static=True)
    b.body("upper.arm", shape=gk.Box((1, 2, 3)), mass=12, inertia=(13, 10, 5), material="steel")
    b.particle("p", mass=1, at=(1, 2, 3))
    b.frame("tip", "upper.arm", at=(0, 0, 1))
    b.add(gk.Spring("pull", "p", "world", 10, 1))
    b.add(gk.Law("wind", push))
    assert (
        scene_text(b.build())
        == f"""{HEADER}
gravity = [0.0, 0.0, -9.81]

[material.steel]
density = 7850.0

[body.floor]
static = true

[[body.floor.part]]
shape = {{ plane = {{}} }}

[body."upper.arm"]
mass = 12.0
inertia = [[13.0, 0.0, 0.0], [0.0, 10.0, 0.0], [0.0, 0.0, 5.0]]

[[body."upper.arm".part]]
shape = {{ box = {{ size = [1.0, 2.0, 3.0] }} }}
material = "steel"

[particle.p]
mass = 1.0
at = [1.0, 2.0, 3.0]

[frame.tip]
body = "upper.arm"
at = [0.0, 0.0, 1.0]

[force.pull]
spring = {{ a = "p", b = "world", stiffness = 10.0, rest_length = 1.0 }}

[force.wind]
law = {{}}
"""
    )


def test_long_tables_have_a_row_a_line():
    b = gk.Builder()
    b.particle("p", mass=1)
    b.add(gk.Wrench("push", "p", force=np.arange(30.0).reshape(10, 3) / 7, times=np.arange(10.0)))
    text = scene_text(b.build())
    assert "[force.push.wrench]\n" in text
    assert max(map(len, text.splitlines())) <= 120
    assert_same_bits(b.build(), read_scene(text))


def test_order_is_kept():
    b = gk.Builder()
    for name in "zayb":
        b.material("m" + name)
        b.body(name, static=True)
        b.particle("p" + name, mass=1)
        b.frame("f" + name, name)
        b.add(gk.Drag(name, "p" + name, 1))
    again = read_scene(scene_text(b.build()))
    assert [x.name for x in again.bodies] == list("zayb")
    assert [x.name for x in again.forces] == list("zayb")
    assert again == b.build()


def test_equal_texts_tell_zero_from_minus_zero():
    texts = set()
    for x in (0.0, -0.0):
        b = gk.Builder()
        b.particle("p", mass=1, at=(x, 0, 0))
        texts.add(scene_text(b.build()))
    assert len(texts) == 2


# --- laws and kinds of one's own -----------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [False, True])
def test_functions_of_laws_are_given_when_reading(compiled):
    b = gk.Builder()
    b.particle("p", mass=1)
    b.add(gk.Law("wind", push, compiled=compiled))
    model = b.build()
    again = read_scene(scene_text(model), laws={"wind": push, "unused": push})
    assert_same_bits(model, again)
    assert again.forces[0].function is push
    assert again.forces[0].compiled is compiled


class Pulls(NamedTuple):
    node: np.ndarray
    strength: np.ndarray


@dataclass(frozen=True)
class Pull(Labelled):
    kind: ClassVar[str] = "my pull"
    name: str
    body: str
    strength: float
    count: int = 3
    table: tuple = ()
    flag: bool = False
    note: str = "plain"
    limit: float | None = None
    extra: tuple = (0.0, 1)

    @classmethod
    def block(cls, elements, nodes):
        return Pulls(node_indices(elements, "body", nodes), np.array([e.strength for e in elements]))


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {
            "count": -(2**63),
            "table": ((1.5, -0.0), (2, "x")),
            "flag": True,
            "note": 'say "no"\n\\ \x7f\t€',
            "limit": 1e-5,
        },
        {"note": "x" * 200, "table": ((), ((),)), "extra": (-0.0, 1)},
        {"strength": np.float64(0.1), "count": np.int64(7), "table": np.eye(2)},
        {"strength": float("inf")},
    ],
)
def test_kinds_of_ones_own(fields):
    b = gk.Builder()
    b.particle("p", mass=1)
    b.add(Pull("a", "p", **({"strength": 2.5} | fields)))
    b.add(gk.Drag("b", "p", 1))
    model = b.build()
    again = read_scene(scene_text(model), kinds=(Pull,))
    assert scene_text(again) == scene_text(model)
    assert type(again.forces[0]) is Pull
    if not isinstance(fields.get("table"), np.ndarray):
        assert_same_bits(model, again)


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"table": (1, push)}, "'function' has no place in TOML"),
        ({"note": "\ud800"}, "surrogate"),
        ({"count": 2**63}, "more than 64 bits"),
        ({"table": None}, "'NoneType' has no place in TOML"),
    ],
)
def test_what_toml_cannot_hold_is_refused(fields, found):
    b = gk.Builder()
    b.particle("p", mass=1)
    b.add(Pull("a", "p", 1.0, **fields))
    with pytest.raises(gk.InputError, match=found) as caught:
        scene_text(b.build())
    assert caught.value.element == "my pull 'a'"
    assert next(iter(fields)) + " is " in caught.value.found


def test_kinds_that_take_a_built_in_word_are_refused():
    class Drag2(gk.Drag):
        pass

    b = gk.Builder()
    b.particle("p", mass=1)
    b.add(Drag2("a", "p", 1.0))
    with pytest.raises(gk.InputError, match="calls itself 'drag'"):
        scene_text(b.build())
    with pytest.raises(gk.InputError, match="stands for two classes"):
        read_scene("", kinds=(Drag2,))
    with pytest.raises(gk.InputError, match="dataclasses of forces"):
        read_scene("", kinds=(int,))


# --- written by hand -----------------------------------------------------------------------------------------------


def test_scene_by_hand_equals_the_builder():
    text = """
name = "arm"
gravity = [0, 0, -10]
force.push.wrench = { body = "upper", force = [1, 0, 0] }      # before the body it acts on

[frame.tip]
body = "upper"
at = [0, 0, -0.5]

[material.steel]
density = 7850
color = [1, 0, 0]

[body.upper]
shape = { capsule = { radius = 0.02, length = 1.0 } }
density = 2700
at = [0, 0, -0.5]
rotation = [1, 0, 0, 0]
velocity = [1, 2, 3]

[body."lower arm"]
mass = 3
inertia = [1, 2, 2.5]
com = [0, 0.1, 0]
angular_velocity = [0, 0, 1]
part = [{ shape = { sphere = { radius = 1 } } }, { shape = { plane = {} }, view = false }]

[body.block]
material = "steel"
[[body.block.part]]
shape = { box = { size = [1, 2, 3] } }
[[body.block.part]]
shape.ellipsoid.radii = [1, 2, 3]
at = [0, 0, 5]
density = 10
collide = false

[body.ground]
static = true
shape = { plane = {} }

[particle.p1]
mass = 1.0
[particle.nail]
static = true
at = [0, 0, 1]

[force.pull]
spring = { a = "upper", b = "p1", stiffness = 10, rest_length = 1 }
[force.drag.drag]
body = "p1"
area = 1
[force.wind]
law = {}
"""
    b = gk.Builder(gravity=(0, 0, -10), name="arm")
    b.material("steel", density=7850, color=(1, 0, 0))
    b.body("upper", shape=gk.Capsule(0.02, 1), density=2700, at=(0, 0, -0.5), velocity=(1, 2, 3))
    hidden = gk.Part(gk.Plane(), view=False)
    b.body(
        "lower arm",
        mass=3,
        inertia=(1, 2, 2.5),
        com=(0, 0.1, 0),
        angular_velocity=(0, 0, 1),
        shape=[gk.Sphere(1), hidden],
    )
    light = gk.Part(gk.Ellipsoid((1, 2, 3)), at=(0, 0, 5), density=10, collide=False)
    b.body("block", shape=[gk.Box((1, 2, 3)), light], material="steel")
    b.body("ground", shape=gk.Plane(), static=True)
    b.particle("p1", mass=1)
    b.particle("nail", static=True, at=(0, 0, 1))
    b.frame("tip", "upper", at=(0, 0, -0.5))
    b.add(gk.Wrench("push", "upper", force=(1, 0, 0)))
    b.add(gk.Spring("pull", "upper", "p1", 10, 1))
    b.add(gk.Drag("drag", "p1", 1))
    b.add(gk.Law("wind", push))
    for ending in ("\n", "\r\n"):
        assert_same_bits(b.build(), read_scene(text.replace("\n", ending), laws={"wind": push}))
    assert_same_bits(b.build(), read_scene("\ufeff" + text, laws={"wind": push}))


def test_empty_scene_is_the_empty_model():
    assert read_scene("") == gk.Builder().build()
    assert read_scene("# nothing") == gk.Builder().build()


STL = """solid tetrahedron
{}
endsolid
""".format(
    "\n".join(
        "facet normal 0 0 0\nouter loop\n" + "\n".join(f"vertex {x} {y} {z}" for x, y, z in t) + "\nendloop\nendfacet"
        for t in (
            ((0, 0, 0), (0, 1, 0), (1, 0, 0)),
            ((0, 0, 0), (1, 0, 0), (0, 0, 1)),
            ((0, 0, 0), (0, 0, 1), (0, 1, 0)),
            ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        )
    )
)


def test_mesh_from_a_file_beside_the_scene(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "part.stl").write_text(STL)
    scene = tmp_path / "a.toml"
    mesh = '{ mesh = { file = "parts/part.stl", scale = 0.5 } }'
    scene.write_text(f"[body.a]\ndensity = 1000\nshape = {mesh}\n")
    model = load_scene(scene)
    b = gk.Builder()
    b.body("a", shape=gk.load_mesh(tmp_path / "parts" / "part.stl", scale=0.5), density=1000)
    assert_same_bits(model, b.build())
    assert model.bodies[0].mass == pytest.approx(1000 / 6 / 8)
    # written, it needs the file no longer
    assert_same_bits(model, read_scene(scene_text(model)))
    assert_same_bits(model, read_scene(scene.read_text(), folder=tmp_path))


def test_mesh_from_plain_rows():
    rows = """[body.a]
density = 1000
[body.a.shape.mesh]
vertices = [[0, 0, 0], [1, 0, 0],
            [0, 1.0, 0], [0, 0, 1]]
triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
"""
    model = read_scene(rows)
    assert model.bodies[0].mass == pytest.approx(1000 / 6)
    assert_same_bits(model, read_scene(scene_text(model)))


# --- on which line -------------------------------------------------------------------------------------------------


def key_paths(value, path=()):
    """Paths of all keys, and of all tables in arrays, of parsed TOML."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from key_paths(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            if isinstance(item, dict):
                yield (*path, i)
            yield from key_paths(item, (*path, i))


LINES = [
    ("a = 1\nb = 2", {("a",): 1, ("b",): 2}),
    ("\n# a = 1\n  b=2 # c = 3\n\n\tc = 3", {("b",): 3, ("c",): 5}),
    ("a = 1\r\n\r\nb = 2\r\n[c]\r\nd=1", {("a",): 1, ("b",): 3, ("c",): 4, ("c", "d"): 5}),
    ("[t]\na = 1\n[u.v]\nb = 2", {("t",): 1, ("t", "a"): 2, ("u",): 3, ("u", "v"): 3, ("u", "v", "b"): 4}),
    ("[t.u]\na = 1\n[t]\nb = 2", {("t",): 3, ("t", "u"): 1, ("t", "u", "a"): 2, ("t", "b"): 4}),
    (
        "[[t]]\na = 1\n[[t]]\na = 2\n[t.u]\nb = 3\n[[t.v]]\n[[t.v]]\nc = 1\n[[t]]\n[[t.v]]\nc = 2",
        {
            ("t",): 1,
            ("t", 0): 1,
            ("t", 0, "a"): 2,
            ("t", 1): 3,
            ("t", 1, "a"): 4,
            ("t", 1, "u"): 5,
            ("t", 1, "u", "b"): 6,
            ("t", 1, "v"): 7,
            ("t", 1, "v", 0): 7,
            ("t", 1, "v", 1): 8,
            ("t", 1, "v", 1, "c"): 9,
            ("t", 2): 10,
            ("t", 2, "v"): 11,
            ("t", 2, "v", 0): 11,
            ("t", 2, "v", 0, "c"): 12,
        },
    ),
    ("a = [ 1,\n 2, # ] x\n 3\n]\nb = 2", {("a",): 1, ("b",): 5}),
    ("a = [[1, 2], [\n3],\n[[4]], []\n]\nb = []\nc = 1", {("a",): 1, ("b",): 5, ("c",): 6}),
    ('a = """\nb = 1\n[c]\n\\"""\n"""\nd = 1', {("a",): 1, ("d",): 6}),
    ('a = """x"""""\nb = """"""\nc = """\\\\"""\nd = 1', {("a",): 1, ("b",): 2, ("c",): 3, ("d",): 4}),
    ("a = '''\nb = 1\n\\'''\nc = ''''x'''''\nd = ''''''\ne = 1", {("a",): 1, ("c",): 4, ("d",): 5, ("e",): 6}),
    ("a = \"\\\\\" # \"\nb = '\\' # '\nc = \"\"\nd = ''", {("a",): 1, ("b",): 2, ("c",): 3, ("d",): 4}),
    ('"a.b" = 1\n\'c "d\' = 2\n"" = 3\n"\\u00e9\\"#" = 4', {("a.b",): 1, ('c "d',): 2, ("",): 3, ('é"#',): 4}),
    ('[ a . "b c" . d ]\ne=1', {("a",): 1, ("a", "b c"): 1, ("a", "b c", "d"): 1, ("a", "b c", "d", "e"): 2}),
    ("a.b = 1\na . c = 2", {("a",): 1, ("a", "b"): 1, ("a", "c"): 2}),
    (
        "a = { b = 1, c.d = { e = [\n1,\n2] }, f = [\n{ g = 1 },\n{ g = 2, }] }\nh = {}".replace(", }", " }"),
        {
            ("a",): 1,
            ("a", "b"): 1,
            ("a", "c"): 1,
            ("a", "c", "d"): 1,
            ("a", "c", "d", "e"): 1,
            ("a", "f"): 3,
            ("a", "f", 0): 4,
            ("a", "f", 0, "g"): 4,
            ("a", "f", 1): 5,
            ("a", "f", 1, "g"): 5,
            ("h",): 6,
        },
    ),
    ("a = 1979-05-27 07:32:00\nb = [1979-05-27 07:32:00, 07:32:00]\nc = -inf", {("a",): 1, ("b",): 2, ("c",): 3}),
    ("[a]\n[b] # [c]\n[[d]]# x\ne = true#f = 1\n", {("a",): 1, ("b",): 2, ("d",): 3, ("d", 0): 3, ("d", 0, "e"): 4}),
    ("", {}),
    ("# only\n\n", {}),
]


@pytest.mark.parametrize(("text", "lines"), LINES)
def test_lines_by_hand(text, lines):
    assert key_lines(text) == lines
    assert set(key_paths(tomllib.loads(text))) == set(lines)


LITERALS = (
    *("1", "-0.5e-3", "true", "nan", "1979-05-27 07:32:00", "0xff", '""', "''", '"[a]\\" = {"', "'#\\'", "[]"),
    *('"""\n[b]\nc = 1\n"""', '"""a""""', '"""\\"""\n\\\n  """', "'''\n# '' \n'''", "''''x'''''", "[[1], [2, 3]]"),
)


class Writer:
    """Writes random TOML and notes the line of each key as it goes."""

    def __init__(self, data):
        self.draw, self.text, self.lines = data.draw, "", {}
        self.lengths = {}  # of arrays of tables

    def here(self):
        return self.text.count("\n") + 1

    def put(self, *texts):
        self.text += self.draw(st.sampled_from(texts))

    def key(self, key):
        forms = [json.dumps(key, ensure_ascii=False)]
        if key and all(c.isascii() and (c.isalnum() or c in "_-") for c in key):
            forms.append(key)
        if "'" not in key and "\n" not in key:
            forms.append(f"'{key}'")
        self.put(*forms)

    def assignment(self, path):
        for i, key in enumerate([self.draw(key_texts), *self.draw(tails)]):
            if i:
                self.put(".", " . ")
            self.key(key)
            path = (*path, key)
            self.lines.setdefault(path, self.here())
        self.put("=", " = ", "\t= ")
        return path

    def header(self):
        keys, repeated, path = self.draw(st.lists(key_texts, min_size=1, max_size=3)), self.draw(st.booleans()), ()
        self.text += "[[" if repeated else "["
        for i, key in enumerate(keys):
            if i:
                self.put(".", " . ")
                path = (*path, self.lengths[path] - 1) if path in self.lengths else path
            self.key(key)
            path = (*path, key)
            self.lines.setdefault(path, self.here())
        self.text += "]]\n" if repeated else "]\n"
        if repeated:
            self.lengths[path] = self.lengths.get(path, 0) + 1
            path = (*path, self.lengths[path] - 1)
        self.lines[path] = self.here() - 1
        return path

    def value(self, path, depth):
        kind = self.draw(st.sampled_from(["scalar", "array", "table"])) if depth else "scalar"
        if kind == "scalar":
            self.put(*LITERALS)
        elif kind == "array":
            self.text += "["
            for i in range(self.draw(st.integers(0, 3))):
                self.put(" ", "\n", "# ] } \" '\n", "")
                if i:
                    self.put(",", " ,\n ", ", # ,\n")
                self.value((*path, i), depth - 1)
            self.put("", "\n", " # x\n")
            self.text += "]"
        else:
            self.lines.setdefault(path, self.here())
            self.text += "{"
            for i in range(self.draw(st.integers(0, 3))):
                self.put(", " if i else " ", "," if i else "")
                self.value(self.assignment(path), depth - 1)
            self.put("}", " }")

    def table(self, path, depth):
        for _ in range(self.draw(st.integers(0, 3))):
            self.put("", "  ", "\n", "# a = 1\n")
            self.value(self.assignment(path), depth)
            self.put("\n", " # [x]\n", "\r\n\n")


key_texts = st.text(st.sampled_from("abAB01-_ .\"'\\#=[]{},\n\té€"), max_size=4)
tails = st.lists(key_texts, max_size=2)


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_lines_of_random_documents(data):
    w = Writer(data)
    w.table((), 3)
    for _ in range(data.draw(st.integers(0, 4))):
        w.table(w.header(), 2)
    try:
        parsed = tomllib.loads(w.text)
    except tomllib.TOMLDecodeError:
        assume(False)
    assert key_lines(w.text) == w.lines
    assert set(key_paths(parsed)) == set(w.lines)


def test_line_of_an_unknown_key_is_that_of_its_table():
    lines = key_lines("\n[a.b]\nc = 1")
    assert line_of(lines, ("a", "b", "c")) == 3
    assert line_of(lines, ("a", "b", "d", 0)) == 2
    assert line_of(lines, ("x",)) is None
    assert line_of(lines, ()) is None


def test_scanner_keeps_pace_with_long_strings_and_arrays():
    rows = ",\n".join(["[0.125, 1.5, 2.5]"] * 20000)
    text = f"a = '{'A' * 5_000_000}'\nb = \"{'A' * 5_000_000}\"\nc = [\n{rows}]\nd = 1"
    assert key_lines(text)["d",] == 20004
