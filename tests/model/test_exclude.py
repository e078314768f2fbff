"""Pairs of bodies that never collide, in models, scene files, merged bodies and changed copies."""

import copy
import pickle

import pytest

import gelenk as gk


def balls(*pairs):
    b = gk.Builder()
    for k, name in enumerate("abc"):
        b.body(name, shape=gk.Sphere(0.6), density=1, at=(k, 0, 0))
    for pair in pairs:
        b.exclude(*pair)
    return b


def met(model):
    return {(c.a, c.b) for c in gk.CollisionWorld(model)}


def test_excluded_bodies_never_meet_and_are_seen_as_before():
    assert met(balls().build()) == {("a", "b"), ("b", "c")}
    model = balls(("b", "a")).build()
    assert met(model) == {("b", "c")}
    world = gk.CollisionWorld(model)
    assert world.nearest("a", "b").distance == pytest.approx(-0.2)
    assert world.ray((0, 0, 5), (0, 0, -1)).body == "a"


def test_the_order_in_which_pairs_are_named_does_not_matter():
    one, other = balls(("a", "b"), ("c", "b")).build(), balls(("b", "c"), ("b", "a"), ("a", "b")).build()
    assert one == other
    assert one != balls(("a", "b")).build()
    assert one.excluded == (("a", "b"), ("b", "c"))
    assert gk.scene_text(one) == gk.scene_text(other)


def test_exclusion_counts_also_where_a_joint_lets_neighbours_touch():
    b = balls(("a", "b"))
    b.add(gk.Hinge(name="h", a="a", b="b", at=(0.5, 0, 0), axis=(0, 0, 1), collide=True))
    assert met(b.build()) == {("b", "c")}


def test_scenes_copies_and_other_processes_keep_it():
    model = balls(("a", "b"), ("b", "c")).build()
    text = gk.scene_text(model)
    assert 'exclude = [["a", "b"], ["b", "c"]]' in text
    for same in (gk.read_scene(text), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert same == model
        assert met(same) == set()


def test_changed_copies_keep_it_and_forget_bodies_that_are_gone():
    b = gk.Builder.from_model(balls(("a", "b"), ("b", "c")).build())
    b.remove("b")
    b.body("b", shape=gk.Sphere(0.6), density=1, at=(1, 0, 0))
    assert met(b.build()) == set()
    b.remove("a")
    assert b.build().excluded == (("c", "b"),)


def test_merged_bodies_inherit_it():
    b = balls(("a", "b"))
    b.add(gk.Rigid(name="weld", a="b", b="c", at=(1.5, 0, 0)))
    model = b.build(merge=True)
    assert model.excluded == (("a", "b"),)
    assert met(model) == set()


@pytest.mark.parametrize(
    ("pair", "message"), [(("a", "d"), "'d', which does not exist"), (("a", "a"), "'a' twice"), (("a", 3), "body is 3")]
)
def test_wrong_names_are_refused(pair, message):
    with pytest.raises(gk.InputError, match=message):
        balls(pair)


@pytest.mark.parametrize("text", ['exclude = ["a", "b"]', 'exclude = [["a"]]', "exclude = 3", 'exclude = [["a", "x"]]'])
def test_wrong_pairs_in_scenes_are_refused_with_their_line(text):
    scene = f"{text}\n[body.a]\nshape = {{ sphere = {{ radius = 1 }} }}\ndensity = 1\n"
    with pytest.raises(gk.InputError, match=r"line:1: .*exclude|line:1: .*'x', which does not exist"):
        gk.read_scene(scene)
