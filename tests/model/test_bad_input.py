"""Bad input is refused at the door: who, what was found, what is allowed, what to do; in a scene also where."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gelenk as gk
from gelenk.checks import check_axis, check_number, check_table, check_vector
from gelenk.model import scene_read
from gelenk.model.scene_read import load_scene, read_scene
from gelenk.model.scene_write import save_scene

nan, inf = float("nan"), float("inf")
BALL = {"mass": 1.0, "inertia": (1.0, 1.0, 1.0)}


def assert_four_parts(error, element, found, allowed, remedy):
    """Each part is there, and all stand in the message."""
    assert error.element == element
    for name, text, pattern in (
        ("found", error.found, found),
        ("allowed", error.allowed, allowed),
        ("remedy", error.remedy, remedy),
    ):
        assert re.search(pattern, text), f"{name}: {text!r} lacks {pattern!r}"
    assert all(part in str(error) for part in (element, error.found, error.allowed, error.remedy))
    assert error.remedy[0].isupper()
    assert error.remedy[-1] in ".?"


def refused(call):
    with pytest.raises(gk.InputError) as caught:
        call()
    return caught.value


# --- through the builder -------------------------------------------------------------------------------------------


def build(fill):
    b = gk.Builder()
    fill(b)
    return b.build()


def with_body(**given):
    return lambda b: b.body("sled", **given)


def twice(first, second):
    def fill(b):
        first(b)
        second(b)

    return fill


def with_ball(*forces):
    def fill(b):
        b.body("ball", **BALL)
        b.particle("p", mass=1)
        for force in forces:
            b.add(force())

    return fill


MASS = (r"a finite number above 0 \[kg\]", "Give mass as a number in kg")
THREE_M = (r"3 finite numbers \[m\]", "Give at as 3 numbers in m")
UNIQUE = ("unique names", "Choose another name")
NO_TURN = ("length 1", r"Pass \(1, 0, 0, 0\) for no turn")
UNIT = ("length 1", r"Pass a unit vector, or normalise it with gk\.unit")

BUILDER = {
    # masses
    "negative mass": (with_body(mass=-1, inertia=(1, 1, 1)), "body 'sled'", r"mass is -1\.0", *MASS),
    "zero mass": (with_body(mass=0, inertia=(1, 1, 1)), "body 'sled'", r"mass is 0\.0", *MASS),
    "nan mass": (with_body(mass=nan, inertia=(1, 1, 1)), "body 'sled'", "mass is nan", *MASS),
    "infinite mass": (with_body(mass=inf, shape=gk.Sphere(1)), "body 'sled'", "mass is inf", *MASS),
    "mass as text": (with_body(mass="1", inertia=(1, 1, 1)), "body 'sled'", "mass is '1'", *MASS),
    "mass as bool": (with_body(mass=True, inertia=(1, 1, 1)), "body 'sled'", "mass is True", *MASS),
    "mass as array": (with_body(mass=np.ones(1), inertia=(1, 1, 1)), "body 'sled'", "mass is", *MASS),
    "static with a bad mass": (with_body(mass=-1, static=True), "body 'sled'", r"mass is -1\.0", *MASS),
    "negative particle": (lambda b: b.particle("p", mass=-1), "particle 'p'", r"mass is -1\.0", *MASS),
    "zero particle": (lambda b: b.particle("p", mass=0), "particle 'p'", r"mass is 0\.0", *MASS),
    "nan particle": (lambda b: b.particle("p", mass=nan), "particle 'p'", "mass is nan", *MASS),
    "particle without mass": (lambda b: b.particle("p"), "particle 'p'", "mass is None", *MASS),
    "static particle with a bad mass": (
        lambda b: b.particle("p", mass=nan, static=True),
        "particle 'p'",
        "mass is nan",
        *MASS,
    ),
    "next to no mass": (with_body(mass=5e-324, inertia=(1, 1, 1)), "body 'sled'", "mass is 5e-324", "1e-300", "Check"),
    "next to no particle": (
        lambda b: b.particle("p", mass=1e-310),
        "particle 'p'",
        "mass is 1e-310",
        "1e-300",
        "Check",
    ),
    "next to no inertia": (with_body(mass=1, inertia=[5e-324] * 3), "body 'sled'", "inertia is", "1e-300", "Check"),
    "endless inertia": (with_body(mass=1, inertia=[1e308] * 3), "body 'sled'", "inertia is", "at most 1e300", "Check"),
    "no mass": (with_body(), "body 'sled'", "neither mass nor shape", "mass and inertia, or shapes", "Give mass"),
    "mass alone": (with_body(mass=1), "body 'sled'", "a mass without an inertia", "mass and inertia", "Give mass"),
    "inertia alone": (with_body(inertia=(1, 1, 1)), "body 'sled'", "an inertia without a mass", "both", "Give mass"),
    "no density": (with_body(shape=gk.Sphere(1)), "body 'sled'", "sphere has no density", "above 0", "Give mass"),
    "mass and density": (
        with_body(shape=gk.Sphere(1), mass=1, density=1),
        "body 'sled'",
        "mass 1 and density 1 both given",
        "one of them",
        "Leave one out",
    ),
    "negative density": (
        with_body(shape=gk.Sphere(1), density=-1),
        "body 'sled'",
        r"density is -1\.0",
        r"above 0 \[kg/m\^3\]",
        "Give density",
    ),
    "moving plane": (with_body(shape=gk.Plane(), density=1), "body 'sled'", "mass properties", "plane", "Attach"),
    "too heavy": (with_body(shape=gk.Sphere(1e150), density=1), "body 'sled'", "mass is inf", "finite", "Give mass"),
    # inertias
    "inertia breaks A+B>=C": (
        with_body(mass=1, inertia=(1, 1, 3)),
        "body 'sled'",
        r"principal moments are \(1, 1, 3\) kg m\^2, and 1 \+ 1 = 2 is less than 3",
        r"A <= B <= C with A \+ B >= C",
        "Check the units",
    ),
    "inertia breaks A+B>=C, turned": (
        with_body(mass=1, inertia=[[2, 1, 0], [1, 2, 0], [0, 0, 0.5]]),
        "body 'sled'",
        r"0\.5 \+ 1 = 1\.5 is less than 3",
        r"A \+ B >= C",
        "Check the units",
    ),
    "inertia not positive definite": (
        with_body(mass=1, inertia=[[1, 2, 0], [2, 1, 0], [0, 0, 1]]),
        "body 'sled'",
        r"principal moments are \(-1, 1, 3\)",
        "three principal moments above 0",
        "Check the signs",
    ),
    "zero inertia": (with_body(mass=1, inertia=(0, 1, 1)), "body 'sled'", r"\(0, 1, 1\)", "above 0", "Check the signs"),
    "nan inertia": (with_body(mass=1, inertia=(1, nan, 1)), "body 'sled'", r"inertia\[1, 1\] is nan", "finite", "Give"),
    "inertia not symmetric": (
        with_body(mass=1, inertia=[[2, 1, 0], [0, 2, 0], [0, 0, 2]]),
        "body 'sled'",
        r"inertia\[0, 1\] is 1\.0 but inertia\[1, 0\] is 0\.0",
        "a symmetric tensor",
        "Give both entries the same value",
    ),
    "inertia of two": (
        with_body(mass=1, inertia=(1, 1)),
        "body 'sled'",
        r"inertia is \(1, 1\)",
        "three",
        "Give inertia",
    ),
    "ragged inertia": (
        with_body(mass=1, inertia=[[1], [1, 2], 3]),
        "body 'sled'",
        "inertia is",
        "three",
        "Give inertia",
    ),
    "inertia as text": (with_body(mass=1, inertia="abc"), "body 'sled'", "inertia is 'abc'", "three", "Give inertia"),
    # places and velocities
    "nan position": (with_body(**BALL, at=(0, nan, 0)), "body 'sled'", r"at is \(0, nan, 0\)", *THREE_M),
    "infinite position": (with_body(**BALL, at=(inf, 0, 0)), "body 'sled'", r"at is \(inf, 0, 0\)", *THREE_M),
    "numpy position": (
        with_body(**BALL, at=np.array([0, nan, 0])),
        "body 'sled'",
        r"at is \(0\.0, nan, 0\.0\)",
        *THREE_M,
    ),
    "position of two": (with_body(**BALL, at=(0, 1)), "body 'sled'", r"at is \(0, 1\)", *THREE_M),
    "position as text": (with_body(**BALL, at="012"), "body 'sled'", "at is '012'", *THREE_M),
    "position of texts": (with_body(**BALL, at=("0", "1", "2")), "body 'sled'", "at is", *THREE_M),
    "position of bools": (with_body(**BALL, at=(True, False, True)), "body 'sled'", "at is", *THREE_M),
    "position as number": (with_body(**BALL, at=1), "body 'sled'", "at is 1", *THREE_M),
    "nan velocity": (
        with_body(**BALL, velocity=(nan, 0, 0)),
        "body 'sled'",
        "velocity is",
        r"\[m/s\]",
        "Give velocity",
    ),
    "nan rate": (
        with_body(**BALL, angular_velocity=(nan, 0, 0)),
        "body 'sled'",
        "angular_velocity is",
        r"\[rad/s\]",
        "Give angular_velocity",
    ),
    "nan com": (with_body(**BALL, com=(nan, 0, 0)), "body 'sled'", "com is", r"\[m\]", "Give com"),
    "nan gravity": (lambda b: gk.Builder(gravity=(0, 0, nan)), "model", "gravity is", r"\[m/s\^2\]", "Give gravity"),
    "nan particle place": (lambda b: b.particle("p", mass=1, at=(nan, 0, 0)), "particle 'p'", "at is", *THREE_M),
    "nan frame place": (lambda b: b.frame("f", "world", at=(nan, 0, 0)), "frame 'f'", "at is", *THREE_M),
    "static with velocity": (
        with_body(static=True, velocity=(1, 0, 0)),
        "body 'sled'",
        "a static body with a velocity",
        "velocity 0",
        "Leave",
    ),
    "static particle with velocity": (
        lambda b: b.particle("p", static=True, velocity=(1, 0, 0)),
        "particle 'p'",
        "a static particle with a velocity",
        "velocity 0",
        "Leave",
    ),
    "static as text": (with_body(static="yes"), "body 'sled'", "static is 'yes'", "true or false", "Pass a bool"),
    "static particle as text": (
        lambda b: b.particle("p", static="yes"),
        "particle 'p'",
        "static is 'yes'",
        "true or false",
        "Pass a bool",
    ),
    # rotations
    "zero quaternion": (
        with_body(**BALL, rotation=(0, 0, 0, 0)),
        "body 'sled'",
        r"rotation is \(0\.0, 0\.0, 0\.0, 0\.0\) with length 0",
        *NO_TURN,
    ),
    "long quaternion": (
        with_body(**BALL, rotation=(1, 1, 0, 0)),
        "body 'sled'",
        r"rotation is \(1\.0, 1\.0, 0\.0, 0\.0\) with length 1\.41421",
        *UNIT,
    ),
    "short quaternion": (
        with_body(**BALL, rotation=(0.99999, 0, 0, 0)),
        "body 'sled'",
        r"with length 0\.99999$",
        *UNIT,
    ),
    "nan quaternion": (
        with_body(**BALL, rotation=(nan, 0, 0, 0)),
        "body 'sled'",
        r"rotation is \(nan, 0, 0, 0\)",
        "4 finite numbers",
        "Give rotation as a unit quaternion",
    ),
    "quaternion of three": (with_body(**BALL, rotation=(1, 0, 0)), "body 'sled'", "rotation is", "4 finite", "Give"),
    "frame quaternion": (lambda b: b.frame("f", "world", rotation=(2, 0, 0, 0)), "frame 'f'", "length 2", *UNIT),
    "zero axis": (
        lambda b: check_axis("hinge 'h'", "axis", (0, 0, 0)),
        "hinge 'h'",
        r"axis is \(0\.0, 0\.0, 0\.0\) with length 0",
        "length 1",
        r"Pass a direction such as \(0, 0, 1\)",
    ),
    "long axis": (lambda b: check_axis("hinge 'h'", "axis", (0, 3, 4)), "hinge 'h'", "with length 5", *UNIT),
    "nan axis": (
        lambda b: check_axis("hinge 'h'", "axis", (0, nan, 1)),
        "hinge 'h'",
        r"axis is \(0, nan, 1\)",
        "3 finite numbers",
        "Give axis",
    ),
    # names
    "two bodies": (twice(with_body(**BALL), with_body(**BALL)), "body 'sled'", "taken by a body", *UNIQUE),
    "body and particle": (
        twice(with_body(**BALL), lambda b: b.particle("sled", mass=1)),
        "particle 'sled'",
        "taken by a body",
        *UNIQUE,
    ),
    "particle and frame": (
        twice(lambda b: b.particle("x", mass=1), lambda b: b.frame("x", "world")),
        "frame 'x'",
        "taken by a particle",
        *UNIQUE,
    ),
    "two materials": (twice(*[lambda b: b.material("x")] * 2), "material 'x'", "taken", *UNIQUE),
    "two forces": (
        with_ball(lambda: gk.Drag("x", "p", 1), lambda: gk.Spring("x", "p", "ball", 1, 1)),
        "spring 'x'",
        "taken by another force",
        *UNIQUE,
    ),
    "world": (lambda b: b.body("world", **BALL), "body 'world'", "stands for the world", "another", "Choose another"),
    "empty name": (lambda b: b.body("", **BALL), "body", "name is ''", "letters, digits", "Choose another name"),
    "number as name": (lambda b: b.body(3, **BALL), "body", "name is 3", "letters, digits", "Choose another name"),
    "digit first": (lambda b: b.particle("1a", mass=1), "particle", "name is '1a'", "a letter first", "Choose"),
    "blank at the end": (lambda b: b.frame("a ", "world"), "frame", "name is 'a '", "inner spaces", "Choose"),
    "line in a name": (lambda b: b.material("a\nb"), "material", r"name is 'a\\nb'", "letters", "Choose"),
    "model name": (lambda b: gk.Builder(name="a/b"), "model", "name is 'a/b'", "letters", "Choose"),
    # references
    "unknown body of a frame": (
        twice(with_body(**BALL), lambda b: b.frame("f", "slet")),
        "frame 'f'",
        "body is 'slet', which does not exist",
        "'sled', 'world'",
        "Did you mean 'sled'?",
    ),
    "frame on a list": (lambda b: b.frame("f", ["world"]), "frame 'f'", "which does not exist", "'world'", "Did|Add"),
    "unknown material": (
        with_body(**BALL, shape=gk.Sphere(1), material="steel"),
        "body 'sled'",
        "material is 'steel', which does not exist",
        "nothing yet",
        "Add 'steel' first",
    ),
    "unknown material of a part": (
        with_body(**BALL, shape=gk.Part(gk.Sphere(1), material="steel")),
        "body 'sled'",
        "material is 'steel', which does not exist",
        "nothing yet",
        "Add 'steel' first",
    ),
    "material as number": (with_body(**BALL, material=3), "body 'sled'", "material is 3", "nothing yet", "Add"),
    "unknown end of a spring": (
        with_ball(lambda: gk.Spring("s", "ball", "bal", 1, 1)),
        "spring 's'",
        "b is 'bal', which does not exist",
        "'ball', 'p', 'world'",
        "Did you mean 'ball'?",
    ),
    "spring on a list": (with_ball(lambda: gk.Spring("s", "ball", ["p"], 1, 1)), "spring 's'", "b is", "'ball'", "Add"),
    "unknown body of a drag": (with_ball(lambda: gk.Drag("d", "x", 1)), "drag 'd'", "body is 'x'", "'ball'", "Add"),
    "unknown body of a wrench": (with_ball(lambda: gk.Wrench("w", "x")), "wrench 'w'", "body is 'x'", "'ball'", "Add"),
    "frame on nothing": (
        twice(lambda b: b.frame("f", "world"), lambda b: b.frame("g", "h")),
        "frame 'g'",
        "body is 'h', which does not exist",
        "'world'",
        "Add 'h' first",
    ),
    # forces
    "spring on itself": (lambda b: gk.Spring("s", "a", "a", 1, 1), "spring 's'", "both ends", "two", "Change"),
    "nan stiffness": (lambda b: gk.Spring("s", "a", "b", nan, 1), "spring 's'", "stiffness is nan", "N/m", "Give"),
    "negative damping": (
        lambda b: gk.Spring("s", "a", "b", 1, 1, -1),
        "spring 's'",
        "damping is -1",
        "least 0",
        "Give",
    ),
    "point beside a particle": (
        with_ball(lambda: gk.Spring("s", "ball", "p", 1, 1, at_b=(1, 0, 0))),
        "spring 's'",
        r"at_b is \(1\.0, 0\.0, 0\.0\) on a particle",
        r"\(0, 0, 0\)",
        "Leave at_b out",
    ),
    "torque on a particle": (
        with_ball(lambda: gk.Wrench("w", "p", torque=(1, 0, 0))),
        "wrench 'w'",
        "a torque on the particle 'p'",
        "a force only",
        "Leave torque out",
    ),
    "negative area": (lambda b: gk.Drag("d", "a", -1), "drag 'd'", "area is -1", "at least 0", "Give area"),
    "nan wind": (lambda b: gk.Drag("d", "a", 1, wind=(nan, 0, 0)), "drag 'd'", "wind is", "m/s", "Give wind"),
    "nan force": (lambda b: gk.Wrench("w", "a", force=(nan, 0, 0)), "wrench 'w'", "force is", "N", "Give force"),
    "nan row": (
        lambda b: gk.Wrench("w", "a", force=[(0, 0, 0), (nan, 0, 0)], times=(0, 1)),
        "wrench 'w'",
        r"row 1 of force is \(nan, 0\.0, 0\.0\)",
        "finite numbers",
        "Remove or mend that row",
    ),
    "rows missing": (
        lambda b: gk.Wrench("w", "a", force=[(0, 0, 0)], times=(0, 1)),
        "wrench 'w'",
        "force has 1 rows",
        "2, one a time",
        "Add or remove rows",
    ),
    "ragged rows": (
        lambda b: gk.Wrench("w", "a", force=[(0, 0, 0), (1, 2)], times=(0, 1)),
        "wrench 'w'",
        "force is",
        r"\(n, 3\)",
        "Give force",
    ),
    "force as number": (lambda b: gk.Wrench("w", "a", force=3, times=(0, 1)), "wrench 'w'", "force", "n, 3", "Give"),
    "times fall": (lambda b: gk.Wrench("w", "a", times=(1, 0)), "wrench 'w'", "times are", "rising", "Sort them"),
    "times as number": (lambda b: gk.Wrench("w", "a", times=3), "wrench 'w'", "times has shape", "n,", "Give times"),
    "unknown axes": (lambda b: gk.Wrench("w", "a", frame="moon"), "wrench 'w'", "frame is 'moon'", "'world'", "Choose"),
    "law without function": (lambda b: gk.Law("l", 3), "law 'l'", "function is 3", "a function", "Pass the function"),
    "compiled as text": (
        lambda b: gk.Law("l", lambda t, s, f: None, "yes"),
        "law 'l'",
        "compiled is 'yes'",
        "true",
        "Pass a bool",
    ),
    "no force": (lambda b: b.add("spring"), "add()", "'spring'", "an element such as", "Pass an element"),
    # materials and parts
    "restitution": (lambda b: b.material("m", restitution=2), "material 'm'", "restitution is 2", "at most 1", "Give"),
    "color": (lambda b: b.material("m", color=(2, 0, 0)), "material 'm'", "color is", "from 0 to 1", "Scale"),
    "shape as text": (with_body(**BALL, shape="sphere"), "body 'sled'", "shape is 'sphere'", "gk.Sphere", "Pass"),
    "part as text": (lambda b: gk.Part(gk.Sphere(1), view="no"), "part", "view is 'no'", "true", "Pass a bool"),
    "part of a number": (lambda b: gk.Part(gk.Sphere(1), material=3), "part", "material is 3", "name", "Pass a name"),
}


@pytest.mark.parametrize("name", BUILDER)
def test_builder_refuses(name):
    fill, element, found, allowed, remedy = BUILDER[name]
    error = refused(lambda: build(fill))
    assert_four_parts(error, element, found, allowed, remedy)
    assert error.line is None
    assert isinstance(error, ValueError)


def test_refused_elements_leave_the_builder_as_it_was():
    b = gk.Builder()
    b.body("a", **BALL)
    before = b.build()
    refused(lambda: b.body("b", mass=-1, inertia=(1, 1, 1)))
    refused(lambda: b.particle("p"))
    refused(lambda: b.frame("f", "x"))
    assert b.build() == before


@pytest.mark.parametrize("value", [10**400, [1], {}, object(), None, b"1", 1j])
def test_numbers_are_numbers(value):
    assert refused(lambda: check_number("body 'a'", "mass", value, "kg")).element == "body 'a'"
    assert refused(lambda: check_vector("body 'a'", "at", [0, value, 0], "m")).element == "body 'a'"
    assert refused(lambda: check_table("body 'a'", "times", [0, value], 0, "s")).element == "body 'a'"


def test_messages_show_numpy_numbers_plainly():
    error = refused(lambda: check_vector("body 'a'", "at", (np.float64(1.5), np.nan, np.int64(2)), "m"))
    assert error.found == "at is (1.5, nan, 2)"


# --- through a scene -----------------------------------------------------------------------------------------------

# The mark "<--" stands on the line that the error should name.
SCENES = {
    "negative mass": ("[body.a]\ninertia = [1, 1, 1]\nmass = -1 # <--", "body 'a'", "mass is -1", *MASS),
    "zero mass": ("[body.a]\n\nmass = 0 # <--\ninertia = [1, 1, 1]", "body 'a'", "mass is 0", *MASS),
    "nan mass": ("[body.a]\nmass = nan # <--\ninertia = [1, 1, 1]", "body 'a'", "mass is nan", *MASS),
    "text mass": ("[body.a]\nmass = '1' # <--\ninertia = [1, 1, 1]", "body 'a'", "mass is '1'", *MASS),
    "particle": ("x = 1\n[particle.p]\nmass = -inf # <--"[6:], "particle 'p'", "mass is -inf", *MASS),
    "particle without mass": ("\n[particle.p] # <--\nat = [0, 0, 0]", "particle 'p'", "mass is None", *MASS),
    "no mass": ("[body.'a b'] # <--\nat = [0, 0, 0]", "body 'a b'", "neither mass nor shape", "mass", "Give mass"),
    "A+B>=C": (
        "[body.a]\nmass = 1\ninertia = [ # <--\n1, 1,\n3]",
        "body 'a'",
        "principal moments are",
        r"A \+ B >= C",
        "Check",
    ),
    "not positive definite": (
        "[body.a]\nmass = 1\nat = [0, 0, 0]\ninertia = [[1, 2, 0], [2, 1, 0], [0, 0, 1]] # <--",
        "body 'a'",
        r"principal moments are \(-1, 1, 3\)",
        "above 0",
        "Check the signs",
    ),
    "inertia of texts": (
        "[body.a]\nmass = 1\ninertia = [1, 'b', 3] # <--",
        "body 'a'",
        "inertia is",
        "three",
        "Give inertia",
    ),
    "nan position": (
        "[body.a]\nmass = 1\ninertia = [1, 1, 1]\nat = [0, # <--\nnan, 0]",
        "body 'a'",
        r"at is \[0, nan, 0\]",
        *THREE_M,
    ),
    "infinite position": ("[particle.p]\nmass = 1\nat = [inf, 0, 0] # <--", "particle 'p'", "at is", *THREE_M),
    "gravity": ("name = 'x'\ngravity = [0, nan, 0] # <--", "model", "gravity is", "m/s", "Give gravity"),
    "model name": ("# x\nname = 3 # <--", "model", "name is 3", "letters", "Choose"),
    "zero quaternion": (
        "[body.a]\nrotation = [0, 0, 0, 0] # <--\nmass = 1\ninertia = [1, 1, 1]",
        "body 'a'",
        "rotation is .* with length 0",
        *NO_TURN,
    ),
    "long quaternion": (
        "[frame.f]\nbody = 'world'\nrotation = [1, 1, 0, 0] # <--",
        "frame 'f'",
        r"with length 1\.41421",
        *UNIT,
    ),
    "quaternion of a part": (
        "[body.a]\nstatic = true\n[[body.a.part]]\nshape = { plane = {} }\n[[body.a.part]]\n"
        "rotation = [0, 0, 0, 2] # <--\nshape = { plane = {} }",
        "part 2 of body 'a'",
        "with length 2",
        *UNIT,
    ),
    "two bodies": (
        "[body.a]\nstatic = true\n[body.b]\nstatic = true\n[body.a] # <--\nmass = 1",
        "body 'a'",
        "the name is taken: the table stands on line 1 already",
        *UNIQUE,
    ),
    "two odd bodies": (
        "[body.'a.b']\nstatic = true\n[ body . \"a.b\" ] # <--",
        "body 'a.b'",
        "the name is taken: the table stands on line 1",
        *UNIQUE,
    ),
    "body and particle": (
        "[particle.a] # <--\nmass = 1\n[body.a]\nstatic = true",
        "particle 'a'",
        "the name is taken by a body",
        *UNIQUE,
    ),
    "body and frame": (
        "[body.a]\nstatic = true\n\n[frame.a] # <--\nbody = 'world'",
        "frame 'a'",
        "the name is taken by a body",
        *UNIQUE,
    ),
    "world": ("[body.world] # <--\nstatic = true", "body 'world'", "the world itself", "another", "Choose"),
    "bad name": ("[body.'a/b'] # <--\nstatic = true", "body", "name is 'a/b'", "letters", "Choose"),
    "bad force name": (
        "[force.'a/b']\ndrag = { body = 'p', area = 1 } # <--",
        "drag",
        "name is 'a/b'",
        "letters",
        "Choose",
    ),
    "key twice": ("[body.a]\nmass = 1\nmass = 2 # <--", "scene", "overwrite.*'mass = 2", "TOML", "Remove one"),
    "unknown body of a frame": (
        "[frame.f]\nbody = 'sledd' # <--\n[body.sled]\nstatic = true",
        "frame 'f'",
        "body is 'sledd', which does not exist",
        "'sled', 'world'",
        "Did you mean 'sled'",
    ),
    "body of a frame as number": ("[frame.f]\nbody = [1] # <--", "frame 'f'", "body is", "'world'", "Add"),
    "frame without body": ("[frame.f] # <--\nat = [0, 0, 0]", "frame 'f'", "body is missing", "body, at", "Add body"),
    "unknown material": (
        "[material.steel]\n[body.a]\nstatic = true\nmaterial = 'stel' # <--",
        "body 'a'",
        "material is 'stel', which does not exist",
        "'steel'",
        "Did you mean 'steel'",
    ),
    "unknown material of a part": (
        "[material.steel]\n[body.a]\nstatic = true\n[[body.a.part]]\nmaterial = 'stel' # <--\nshape.plane = {}",
        "part 1 of body 'a'",
        "material is 'stel', which does not exist",
        "'steel'",
        "Did you mean 'steel'",
    ),
    "material as number": (
        "[body.a]\nstatic = true\nmaterial = 3 # <--",
        "body 'a'",
        "material is 3",
        "nothing",
        "Add",
    ),
    "unknown end of a spring": (
        "[particle.p]\nmass = 1\n[force.s.spring]\na = 'p'\nb = 'q' # <--\nstiffness = 1\nrest_length = 1",
        "spring 's'",
        "b is 'q', which does not exist",
        "'p', 'world'",
        "Add 'q' first",
    ),
    "unknown end in one line": (
        "[particle.p]\nmass = 1\n[force.s]\nspring = { a = 'p', b = 'q', stiffness = 1, rest_length = 1 } # <--",
        "spring 's'",
        "b is 'q', which does not exist",
        "'p', 'world'",
        "Add 'q' first",
    ),
    "point beside a particle": (
        "[particle.p]\nmass = 1\n[force.s.spring]\na = 'p'\nb = 'world'\nstiffness = 1\nrest_length = 1\n"
        "at_a = [1, 0, 0] # <--",
        "spring 's'",
        "at_a is",
        "0, 0, 0",
        "Leave at_a out",
    ),
    "torque on a particle": (
        "[particle.p]\nmass = 1\n[force.w.wrench]\nbody = 'p'\nforce = [1, 0, 0]\ntorque = [1, 0, 0] # <--",
        "wrench 'w'",
        "a torque on the particle 'p'",
        "a force only",
        "Leave torque out",
    ),
    "nan row": (
        "[force.w.wrench]\nbody = 'world'\ntimes = [0, 1]\nforce = [ # <--\n[0, 0, 0],\n[0, nan, 0]]",
        "wrench 'w'",
        "row 1 of force is",
        "finite",
        "Remove or mend",
    ),
    "negative stiffness": (
        "[force.s.spring]\na = 'p'\nb = 'world'\nstiffness = -1 # <--\nrest_length = 1",
        "spring 's'",
        "stiffness is -1",
        "at least 0",
        "Give stiffness",
    ),
    "text for a number": (
        "[force.s.spring]\na = 'p'\nb = 'world'\nstiffness = 'x' # <--\nrest_length = 1",
        "spring 's'",
        "stiffness is 'x'",
        "a number",
        "Give stiffness as a number",
    ),
    "number for a text": (
        "[force.s.spring]\na = 3 # <--\nb = 'world'\nstiffness = 1\nrest_length = 1",
        "spring 's'",
        "a is 3",
        "a text in quotes",
        "Give a as a text",
    ),
    "bool for a number": (
        "[force.d.drag]\nbody = 'p'\narea = true # <--",
        "drag 'd'",
        "area is True",
        "number",
        "Give",
    ),
    "number for a bool": ("[force.l]\nlaw = { compiled = 1 } # <--", "law 'l'", "compiled is 1", "true", "Give"),
    "missing field": ("[force.d.drag] # <--\nbody = 'p'", "drag 'd'", "area is missing", "body, area", "Add area"),
    "field of another": (
        "[force.d.drag]\nbody = 'p'\narea = 1\naire_density = 1 # <--",
        "drag 'd'",
        "unknown key 'aire_density'",
        "air_density",
        "Did you mean 'air_density'",
    ),
    "law without function": (
        "\n[force.gust]\nlaw = {} # <--",
        "law 'gust'",
        "its function is missing",
        "code is never read",
        r"laws=\{'gust': function\}",
    ),
    "function in a scene": (
        "[force.l]\nlaw = { function = 'print' } # <--",
        "law 'l'",
        "unknown key 'function'",
        "compiled",
        "Remove",
    ),
    "unknown kind": (
        "[force.m]\nmagnet = { strength = 1 } # <--",
        "force 'm'",
        "kind of force is 'magnet', which does not exist",
        "drag, spring, wrench, law",
        r"kinds=\(MyForce,\)",
    ),
    "nearly a kind": ("[force.m]\nsprin = {} # <--", "force 'm'", "'sprin'", "spring", "Did you mean 'spring'"),
    "no kind": ("[force.m] # <--", "force 'm'", r"keys are \[\]", "one kind of force", "Name the kind of force"),
    "two kinds": ("[force.m] # <--\ndrag = {}\nlaw = {}", "force 'm'", "'drag', 'law'", "one kind", "Name the kind"),
    "kind is a number": ("[force.m]\ndrag = 3 # <--", "drag 'm'", "drag is 3", "a table", r"Write drag = \{ body"),
    # keys, types, shapes
    "unknown table": (
        "gravity = [0, 0, 0]\n[bodies.a] # <--\nmass = 1",
        "scene",
        "unknown key 'bodies'",
        "name, gravity, exclude, material, body, particle, frame, force",
        "Did you mean 'body'",
    ),
    "unknown key": (
        "[body.a]\nmass = 1\ninertia = [1, 1, 1]\ndensty = 1 # <--",
        "body 'a'",
        "unknown key 'densty'",
        "shape, density, material, mass",
        "Did you mean 'density'",
    ),
    "dots in a name": (
        "[body.link]\nstatic = true\n[body.link.1] # <--\nmass = 1",
        "body 'link'",
        "unknown key '1'",
        "shape, density",
        'in quotes: "link.1"',
    ),
    "unknown key of a material": ("[material.m]\n'a b' = 1 # <--", "material 'm'", "'a b'", "density, fric", "Remove"),
    "bad material": ("[material.m]\ndensity = 1\nfriction = -1 # <--", "material 'm'", "friction is -1", "0", "Give"),
    "unknown key of a part": (
        "[body.a]\nstatic = true\npart = [{ shape = { plane = {} } },\n{ shape = { plane = {} }, viev = true }] # <--",
        "part 2 of body 'a'",
        "unknown key 'viev'",
        "shape, at, rotation",
        "Did you mean 'view'",
    ),
    "body is a number": ("body.a = 3 # <--", "body 'a'", "a is 3", r"\[body\.NAME\]", r"\[body\.a\]"),
    "all bodies are a number": ("body = 3 # <--", "scene", "body is 3", r"\[body\.NAME\]", r"\[body\.first\]"),
    "array of bodies": ("\n[[body]] # <--\nmass = 1", "scene", "body is", r"\[body\.NAME\]", r"\[body\.first\]"),
    "array of one body": ("[[body.a]] # <--\nmass = 1", "body 'a'", "a is", r"\[body\.NAME\]", r"\[body\.a\]"),
    "part is a table": (
        "[body.a]\nstatic = true\n[body.a.part] # <--\nshape.plane = {}",
        "body 'a'",
        "part is",
        "array of tables",
        r"\[\[body\.a\.part\]\]",
    ),
    "part is a number": ("[body.a]\npart = [3] # <--", "part 1 of body 'a'", "it is 3", "a table", "Write"),
    "part without shape": (
        "[body.a]\nstatic = true\n[[body.a.part]] # <--\nview = true",
        "part 1 of body 'a'",
        "shape is missing",
        "shape, at",
        "Add shape",
    ),
    "shape and part": (
        "[body.a]\nstatic = true\nshape = { plane = {} } # <--\n[[body.a.part]]\nshape = { plane = {} }",
        "body 'a'",
        "both shape and part",
        "single part",
        "Move the shape",
    ),
    "unknown shape": (
        "[body.a]\nshape = { spere = { radius = 1 } } # <--",
        "body 'a'",
        "shape is 'spere', which does not exist",
        "sphere, box, .*mesh",
        "Did you mean 'sphere'",
    ),
    "shape is a text": ("[body.a]\nshape = 'box' # <--", "body 'a'", "shape is 'box'", "one shape", "Name the shape"),
    "two shapes": (
        "[body.a]\nshape = { plane = {}, box = { size = [1, 1, 1] } } # <--",
        "body 'a'",
        "'plane', 'box'",
        "one shape",
        "Name the shape",
    ),
    "negative radius": (
        "[body.a]\ndensity = 1\n[body.a.shape.capsule]\nlength = 1\nradius = -1 # <--",
        "body 'a'",
        r"capsule: radius is -1\.0",
        "above 0",
        "Give radius",
    ),
    "missing radius": (
        "[body.a]\nshape = { sphere = {} } # <--",
        "body 'a'",
        "radius is missing",
        "radius",
        "Add radius",
    ),
    "unknown length": (
        "[body.a]\nshape = { sphere = { radius = 1, lenght = 2 } } # <--",
        "body 'a'",
        "unknown key 'lenght'",
        "radius",
        "Remove",
    ),
    "fat torus": (
        "[body.a]\nshape = { torus = { radius = 1, tube_radius = 2 } } # <--",
        "body 'a'",
        "torus: tube_radius is",
        "less than radius",
        "Measure",
    ),
    "size of a part": (
        "[body.a]\ndensity = 1\n[[body.a.part]]\nshape = { box = { size = [1, 'x', 3] } } # <--",
        "part 1 of body 'a'",
        r"box: size\[1\] is 'x'",
        "above 0",
        "Give",
    ),
    "static with velocity": (
        "[body.a]\nvelocity = [1, 0, 0]\nstatic = true # <--",
        "body 'a'",
        "a static body with a velocity",
        "velocity 0",
        "Leave",
    ),
    "static as text": ("[particle.p]\nstatic = 'no' # <--", "particle 'p'", "static is 'no'", "true", "Pass a bool"),
    "weighs as number": (
        "[body.a]\nstatic = true\n[[body.a.part]]\nshape.plane = {}\nweighs = 0 # <--",
        "part 1 of body 'a'",
        "weighs is 0",
        "true or false",
        "Pass a bool",
    ),
    "date": (
        "[particle.p]\nmass = 1979-05-27 # <--",
        "scene",
        "mass is the date or time 1979-05-27",
        "numbers",
        "Give",
    ),
    "time": ("[particle.p]\nmass = 1\nat = [0, # <--\n 07:32:00, 0]", "scene", "07:32:00", "numbers", "Give"),
    "large integer": (
        "[particle.p]\nmass = 100000000000000000000 # <--",
        "scene",
        "mass is a whole number of 67 bits",
        "64 bits",
        "1e20",
    ),
    "huge integer": ("[particle.p]\nmass = " + "9" * 5000 + " # <--", "scene", "4300 digits", "TOML", "Shorten"),
    # meshes
    "mesh from nowhere": (
        "[body.a]\nshape = { mesh = { file = 'a.stl' } } # <--",
        "body 'a'",
        "mesh file is 'a.stl', but the scene is a text without a folder",
        "read from a folder",
        "gk.load_scene",
    ),
    "mesh without triangles": (
        "[body.a]\nshape = { mesh = { vertices = '' } } # <--",
        "body 'a'",
        "triangles is missing",
        "vertices, triangles",
        "Add triangles",
    ),
    "mesh as text": (
        "[body.a]\nshape = { mesh = 'a.stl' } # <--",
        "body 'a'",
        "mesh is 'a.stl'",
        "a table",
        "Write mesh",
    ),
    "mesh with a key": (
        "[body.a]\nshape = { mesh = { vertice = '' } } # <--",
        "body 'a'",
        "unknown key 'vertice'",
        "file, scale, vertices, triangles",
        "Did you mean 'vertices'",
    ),
    "no base64": (
        "[body.a.shape.mesh]\nvertices = '*' # <--\ntriangles = ''",
        "body 'a'",
        r"mesh: vertices is '\*'",
        "base64 of little-endian float64",
        "Write the rows",
    ),
    "cut base64": (
        "[body.a.shape.mesh]\ntriangles = 'AAAA' # <--\nvertices = [[0, 0, 0]]",
        "body 'a'",
        "triangles is base64 of 3 bytes",
        "little-endian uint32",
        "Write the rows",
    ),
    "ragged rows": (
        "[body.a.shape.mesh]\nvertices = [ # <--\n[0, 0, 0], [1, 2]]\ntriangles = ''",
        "body 'a'",
        "vertices is",
        "rows of three",
        "Write the rows",
    ),
    "broken indices": (
        "[body.a.shape.mesh]\nvertices = [[0, 0, 0]]\ntriangles = [[0.5, 1, 2]] # <--",
        "body 'a'",
        "triangles is",
        "rows of three",
        "Write the rows",
    ),
    "open mesh": (
        "[body.a]\ndensity = 1\n[body.a.shape.mesh] # <--\n"
        "vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]",
        "body 'a'",
        "mesh: 3 edges belong to one triangle only",
        "edges used",
        "Close the hole",
    ),
    # TOML itself
    "open bracket": ("gravity = [0, 0, 1\n\nname = 'x' # <--", "scene", "array", "TOML", "Correct"),
    "no value": ("\n\nmass = # <--\n", "scene", "Invalid value, in 'mass =", "TOML", "Correct"),
    "open array": ("a = 1\nb = [1, # <--\n[2], [3,\n", "scene", ".", "TOML", "Correct"),
    "bare text": ("name = arm # <--\n", "scene", "Invalid value", "TOML", "texts stand in quotes"),
    "open text": ("a = 1\nname = 'arm # <--\nb = 2", "scene", ".", "TOML", "Correct"),
    "open end": ('x = 1\na = """ # <--\nb = 1\n\n', "scene", "Unterminated|Expected", "TOML", "Correct"),
    "control character": ("a = 1\nb = 'x\x00' # <--", "scene", "Illegal|Found invalid", "TOML", "Correct"),
    "inline key twice": ("a = 1\nb = { c = 1, c = 2 } # <--", "scene", "c", "TOML", "Remove one"),
    "table over a value": ("body = 1\n[body.a] # <--", "scene", "Cannot|overwrite", "TOML", "."),
    "table twice": ("[x.y.z]\n[x.y.z] # <--", "scene", "Cannot declare", "TOML", "Correct"),
}


@pytest.mark.parametrize("name", SCENES)
def test_scene_refuses_with_the_line(name):
    text, element, found, allowed, remedy = SCENES[name]
    (line,) = [i for i, row in enumerate(text.split("\n"), start=1) if "<--" in row]
    error = refused(lambda: read_scene(text))
    assert_four_parts(error, element, found, allowed, remedy)
    assert error.line == line
    assert str(error).startswith(f"line:{line}: ")
    windows = refused(lambda: read_scene(text.replace("\n", "\r\n"), file="arm.toml"))
    assert (windows.file, windows.line) == ("arm.toml", line)
    assert str(windows).startswith(f"arm.toml:{line}: ")


VALUES = (
    *("1", "-1", "0", "nan", "true", "''", "'world'", "[]", "{}", "[[]]", "[1, 2, 3]", "['a', 1, 2]", "[[1, 2], [3]]"),
    *("{ a = 1 }", "07:32:00", "[nan, 1, 2]", "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "[{}]", "[1, 0, 0, 0]", "9e99", "x"),
)
WHOLE = """name = 'a'
gravity = [0, 0, -9.81]
[material.steel]
density = 7850
color = [1, 0, 0]
[body.a]
shape = { capsule = { radius = 1, length = 2 } }
density = 1000
[body.b]
mass = 1
inertia = [1, 1, 1]
com = [0, 0, 1]
rotation = [1, 0, 0, 0]
part = [{ shape = { box = { size = [1, 2, 3] } }, material = 'steel', weighs = true }]
[body.c]
static = true
[body.c.shape.mesh]
vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
triangles = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
[particle.p]
mass = 1
[frame.f]
body = 'a'
[force.s]
spring = { a = 'a', b = 'p', stiffness = 10, rest_length = 1, at_a = [0, 0, 1] }
[force.w.wrench]
body = 'a'
times = [0, 1]
force = [[0, 0, 0], [1, 0, 0]]
frame = 'body'
[force.l]
law = { compiled = false }
"""


@settings(max_examples=300, deadline=None)
@given(st.sampled_from([m.end() for m in re.finditer(r"[=,{[] ?", WHOLE)]), st.sampled_from(VALUES))
def test_whatever_stands_in_a_scene_ends_in_a_model_or_an_error_with_a_line(start, value):
    end = re.compile(r"[],}\n]").search(WHOLE, start).start()
    try:
        read_scene(WHOLE[:start] + value + WHOLE[end:], laws={"l": print})
        return
    except gk.InputError as refusal:
        error = refusal
    assert error.line is not None
    assert all((error.element, error.found, error.allowed, error.remedy))


def test_the_whole_scene_is_good():
    assert len(read_scene(WHOLE, laws={"l": print}).forces) == 3


def test_file_and_line_stand_before_the_message(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("\n[body.a]\nmass = -1\ninertia = [1, 1, 1]\n")
    error = refused(lambda: load_scene(path))
    assert str(error) == (
        f"{path}:3: body 'a': mass is -1.0; allowed: a finite number above 0 [kg]. "
        "Give mass as a number in kg within that range."
    )


def test_law_that_does_not_compile_has_its_line():
    def wrong(t, state, loads):
        loads.nothing = 1

    if not gk.compile.ENABLED:
        pytest.skip("nothing is compiled")
    text = "[particle.p]\nmass = 1\n[force.l]\nlaw = { compiled = true }"
    error = refused(lambda: read_scene(text, laws={"l": wrong}))
    assert (error.element, error.line) == ("law 'l'", 4)


def test_errors_of_kinds_of_ones_own_have_their_line():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Odd(gk.Drag):
        kind = "odd"

        def __post_init__(self):
            raise ZeroDivisionError("never works")

    error = refused(lambda: read_scene("\n[force.o]\nodd = { body = 'p', area = 1 }", kinds=(Odd,)))
    assert_four_parts(error, "odd 'o'", "never works", "what Odd accepts", "docstring of Odd")
    assert error.line == 3


# --- files ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("/etc/passwd.stl", "../a.stl", "parts/../../a.stl", "parts/../..", "C:/a.stl", "C:a.stl", "\\a.stl"),
        *("//host/a.stl", "link.stl", "linked/a.stl", "a\\u0000.stl", ".."),
    ],
)
def test_mesh_files_outside_the_folder_are_refused(tmp_path, name):
    folder = tmp_path / "scene"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "a.stl").write_text("")
    (folder / "link.stl").symlink_to(tmp_path / "a.stl")
    (folder / "linked").symlink_to(tmp_path)
    scene = folder / "a.toml"
    quoted = name if "\\u" in name else name.replace("\\", "\\\\")
    scene.write_text(f'[body.a]\ndensity = 1\nshape = {{ mesh = {{ file = "{quoted}" }} }}')
    error = refused(lambda: load_scene(scene))
    assert_four_parts(error, "body 'a'", "mesh file is", "inside the folder of the scene", "Put the mesh beside")
    assert (error.file, error.line) == (str(scene), 3)


@pytest.mark.parametrize(
    ("mesh", "found", "line"),
    [
        ('file = "none.stl"', r"mesh none\.stl: the file cannot be read", 3),
        ('file = "a.toml"', r"mesh a\.toml: the file name ends in '\.toml'", 3),
        ('file = "bad.obj"', r"mesh bad\.obj, line 2: a line reads 'v 1 x'", 3),
        ('file = "bad.obj", scale = -1', r"scale is -1\.0", 3),
        ("file = 3", "mesh file is 3", 3),
        ('file = "bad.obj", vertices = ""', "unknown key 'vertices'", 3),
    ],
)
def test_bad_mesh_files_have_the_line_of_the_scene(tmp_path, mesh, found, line):
    (tmp_path / "bad.obj").write_text("# x\nv 1 x\n")
    scene = tmp_path / "a.toml"
    scene.write_text(f"[body.a]\ndensity = 1\nshape = {{ mesh = {{ {mesh} }} }}")
    error = refused(lambda: load_scene(scene))
    assert_four_parts(error, "body 'a'", found, ".", ".")
    assert (error.file, error.line) == (str(scene), line)


def test_files_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "a.toml"
    path.write_bytes(b"# x\nname = '\xff'\n")
    error = refused(lambda: load_scene(path))
    assert_four_parts(error, "scene 'a.toml'", "byte 12 is 0xff, which is not UTF-8", "UTF-8", "Save")
    assert error.line == 2


def test_large_files_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.toml"
    with path.open("wb") as stream:
        stream.truncate(scene_read.SIZE_LIMIT + 1)
    monkeypatch.setattr(scene_read, "SIZE_LIMIT", 2**20)
    error = refused(lambda: load_scene(path))
    assert_four_parts(error, "scene 'a.toml'", "more than 1 MiB", "at most 1 MiB", "files of their own")
    refused(lambda: read_scene("#" * (2**20 + 1)))
    read_scene("#" * 2**20)


def test_missing_files_are_refused(tmp_path):
    error = refused(lambda: load_scene(tmp_path / "none.toml"))
    assert_four_parts(error, "scene 'none.toml'", "cannot be read", "a file that exists", "Check the path")
    refused(lambda: load_scene(tmp_path))
    error = refused(lambda: save_scene(gk.Builder().build(), tmp_path / "none" / "a.toml"))
    assert_four_parts(error, "model 'model'", "cannot be written", "a folder that exists", "Check the path")


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 100_000, "a = " + "[" * 50_000 + "]" * 50_000, "a = " + "{a=" * 50_000]
)
def test_deep_brackets_are_refused(text):
    assert "nested too deeply" in refused(lambda: read_scene(text)).found
