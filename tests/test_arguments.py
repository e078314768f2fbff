"""Misspelt, foreign, missing and surplus arguments: the word that was meant instead of a TypeError."""

import inspect
import pickle

import pytest

import gelenk as gk


@pytest.fixture(scope="module")
def world():
    b = gk.Builder()
    b.body("ball", shape=gk.Sphere(0.5), density=1)
    return gk.CollisionWorld(b.build())


BALL = gk.Sphere(1.0)
CALLS = {
    "foreign size": (lambda w: gk.Box(half_extents=(1, 1, 1)), "Box", "unknown argument 'half_extents'", "'size'"),
    "three numbers": (lambda w: gk.Box(1, 1, 1), "Box", "3 arguments without a name", r"gk.Box\(size=...\)"),
    "nothing": (lambda w: gk.Capsule(0.1), "Capsule", "without length", "Pass length"),
    "plane": (
        lambda w: gk.Plane(normal=(0, 0, 1)),
        "Plane",
        "unknown argument 'normal'",
        "rotation= of the part or body",
    ),
    "hull": (lambda w: gk.ConvexHull(point=[]), "ConvexHull", "allowed: points", "'points'"),
    "part": (lambda w: gk.Part(BALL, colide=False), "Part", "unknown argument 'colide'", "'collide'"),
    "twice": (lambda w: gk.Part(BALL, shape=BALL), "Part", "shape twice", "Leave one"),
    "body": (lambda w: gk.Builder().body("a", pos=(0, 0, 0)), "body", "unknown argument 'pos'", "'at'"),
    "builder": (lambda w: gk.Builder(gravty=(0, 0, 0)), "Builder", "unknown argument 'gravty'", "'gravity'"),
    "material": (lambda w: gk.Builder().material("m", fricton=1), "Material", "'fricton'", "'friction'"),
    "world": (lambda w: gk.CollisionWorld(w.model, margn=0.1), "CollisionWorld", "'margn'", "'margin'"),
    "ray": (lambda w: w.ray((0, 0, 9), (0, 0, -1), max_distance=1), "ray", "'max_distance'", "'length'"),
    "closest": (lambda w: w.closest((0, 0, 9), max_distance=1), "closest", "'max_distance'", "'limit'"),
    "sweep": (lambda w: w.sweep(BALL, start=(0, 0, 0), end=(1, 0, 0)), "sweep", "unknown argument 'start'", "'at'"),
    "sweep end": (lambda w: w.sweep(BALL, (0, 0, 0), end=(1, 0, 0)), "sweep", "unknown argument 'end'", "'way'"),
    "mesh": (lambda w: gk.load_mesh("a.stl", scal=2), "load_mesh", "'scal'", "'scale'"),
    "hinge": (lambda w: gk.Hinge(name="h", a="a", b="b", pos=(0, 0, 0)), "hinge 'h'", "'pos'", "'at'"),
    "options": (lambda w: gk.ContactOptions(sleeping=True), "ContactOptions", "'sleeping'", "'sleep'"),
    "method": (lambda w: gk.RowStepping(hh=1e-3), "RowStepping", "'hh'", "'h'"),
    "solver": (lambda w: gk.GaussSeidel(iterations=3), "GaussSeidel", "'iterations'", ""),
    "spring": (lambda w: gk.Spring("s", "a", "b", stifness=1), "spring 's'", "'stifness'", "'stiffness'"),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments_are_refused_with_the_way(world, name):
    call, element, found, remedy = CALLS[name]
    with pytest.raises(gk.InputError, match=found) as error:
        call(world)
    assert error.value.element.startswith(element)
    assert error.match(remedy)
    assert error.value.__context__ is None  # one error to read, not two


def test_an_error_from_within_stays_what_it_is():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.5), density=1, at=(0, 0, 2))
    model = b.build()
    world, state = gk.CollisionWorld(model), model.initial_state()
    world.subscribe(lambda event, more: None)
    state.p_WC[2, 2] = 0.4
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'more'"):
        world.detect(state)


def test_signatures_and_copies_are_as_before():
    assert list(inspect.signature(gk.Box).parameters) == ["size"]
    assert "margin" in inspect.signature(gk.CollisionWorld).parameters
    assert inspect.signature(gk.CollisionWorld.ray).parameters["length"].default == float("inf")
    part = gk.Part(gk.Box((1, 2, 3)), at=(1, 0, 0))
    assert pickle.loads(pickle.dumps(part)) == part
