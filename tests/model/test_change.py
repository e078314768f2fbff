"""A changed copy of a model: elements changed, replaced and removed by name."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.model.parts import Particle


def arm():
    b = gk.Builder(name="arm")
    b.material("steel", density=7850)
    b.body("upper", shape=gk.Box((0.1, 0.1, 1)), material="steel", at=(0, 0, -0.5))
    b.body("lower", shape=gk.Box((0.1, 0.1, 1)), density=500, at=(0, 0, -1.5))
    b.particle("bob", mass=1.0, at=(0, 0, -3))
    b.frame("tip", "lower", at=(0, 0, -0.5))
    b.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="upper", b="lower", at=(0, 0, -1), axis=(0, 1, 0), limits=(-2, 2)))
    b.add(gk.VelocityMotor(name="drive", on="elbow", speed=1.0, force_max=3.0))
    b.add(gk.Spring("rope", "lower", "bob", stiffness=10, rest_length=1, at_a=(0, 0, -0.5)))
    b.add(gk.Drag("bob", "bob", area=0.1))  # forces have names of their own
    return b.build()


def changed():
    return gk.Builder.from_model(arm())


def test_values_of_an_element_can_be_changed_and_all_else_stays():
    b = changed()
    b.change("elbow", limits=(-1, 1), break_force=100)
    b.change("drive", speed=-2.0)
    b.change("rope", stiffness=20)
    model, own = b.build(), arm()
    assert [e.name for e in model.joints] == [e.name for e in own.joints]
    expected = gk.Hinge(
        name="elbow", a="upper", b="lower", at=(0, 0, -1), axis=(0, 1, 0), limits=(-1, 1), break_force=100
    )
    assert model.joints[1] == expected
    assert gk.Simulation(model).inputs["drive.speed"] == -2.0
    assert model.forces[0].stiffness == 20
    assert (model.bodies, model.joints[0], model.forces[1]) == (own.bodies, own.joints[0], own.forces[1])
    assert own == arm()  # the model it came from is as it was


def test_an_element_can_be_replaced_by_another_kind_in_its_place():
    b = changed()
    b.replace(gk.Universal(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 0, 1), x_axis=(1, 0, 0)))
    b.replace(gk.Wrench("rope", "bob", force=(0, 0, 1)))
    model = b.build()
    assert [e.kind for e in model.joints] == ["universal", "hinge", "velocity_motor"]
    assert [e.kind for e in model.forces] == ["wrench", "drag"]
    assert model.wired.names == ("shoulder", "elbow")


def test_removing_all_that_was_added_gives_the_model_before():
    b = changed()
    b.remove("rope")
    b.remove("bob", kind="force")
    b.remove("bob")
    b.remove("drive")
    b.remove("elbow")
    b.remove("tip")
    b.remove("lower")
    fresh = gk.Builder(name="arm")
    fresh.material("steel", density=7850)
    fresh.body("upper", shape=gk.Box((0.1, 0.1, 1)), material="steel", at=(0, 0, -0.5))
    fresh.add(gk.Hinge(name="shoulder", a="world", b="upper", at=(0, 0, 0), axis=(0, 1, 0)))
    assert b.build() == fresh.build()


def test_a_body_can_be_removed_and_added_anew():
    b = changed()
    b.remove("lower")
    b.body("lower", mass=1.0, inertia=(1, 1, 1), at=(0, 0, -1.5))
    model = b.build()
    assert model.body("lower").mass == 1.0
    assert np.allclose(model.initial_state().p_WC[model.index("lower")], (0, 0, -1.5))


def test_bodies_particles_frames_and_materials_are_changed_by_their_kind():
    """The inertia goes with the mass, as if the density were another; what is not named stays."""
    b = changed()
    before = b.named("body")["lower"]
    b.change("lower", kind="body", mass=2 * before.mass, at=(0, 0, -2), velocity=(1, 0, 0))
    b.change("bob", kind="particle", mass=3.0, at=(0, 1, -3))
    b.change("tip", kind="frame", at=(0, 0, -0.25))
    b.change("steel", kind="material", friction=0.9)
    b.change("bob", kind="force", area=0.2)
    after = b.named("body")["lower"]
    np.testing.assert_array_equal(after.inertia, 2 * np.array(before.inertia))
    assert (after.at, after.velocity, after.parts) == ((0, 0, -2), (1, 0, 0), before.parts)
    assert b.named("particle")["bob"] == Particle("bob", 3.0, (0.0, 1.0, -3.0), (0.0, 0.0, 0.0), False)
    assert b.named("frame")["tip"].at == (0, 0, -0.25)
    assert (b.named("material")["steel"].friction, b.named("material")["steel"].density) == (0.9, 7850)
    assert b.named("force")["bob"].area == 0.2
    b.named("body").clear()
    assert b.named("body"), "what is given is a copy"


def test_laws_of_pairs_are_changed_in_whichever_order():
    b = changed()
    b.material("ice")
    b.contact("steel", "ice", friction=0.1, restitution=0.5)
    b.change_contact("ice", "steel", friction=0.2)
    assert (b.law("steel", "ice").friction, b.law("ice", "steel").restitution) == (0.2, 0.5)
    with pytest.raises(gk.InputError, match=r"change_contact\(\).*no law"):
        b.change_contact("ice", "ice", friction=0.2)


def test_new_names_are_free_among_all_that_has_one():
    b = changed()
    assert b.new_name("elbow") == "elbow 1"
    b.add(gk.Drag("elbow 1", "bob", area=0.1))
    b.frame("elbow 2", "lower")
    assert b.new_name("elbow") == "elbow 3"


@pytest.mark.parametrize(
    ("do", "words"),
    [
        (lambda b: b.change("lower", kind="body", mass=0), "body 'lower': mass is 0"),
        (lambda b: b.change("lower", kind="body", size=1), "body 'lower': value to change is 'size'"),
        (lambda b: b.change("lower", kind="body", at=(0, 0)), "body 'lower': at"),
        (lambda b: b.change("lower", kind="body", name="x"), "body 'lower': another name"),
        (lambda b: b.change("lowr", kind="body", mass=1), r"change\(\): body is 'lowr'.*Did you mean 'lower'"),
        (lambda b: b.change("lower", kind="ghost", mass=1), "kind is 'ghost'"),
        (lambda b: b.change("bob", kind="particle", rotation=(1, 0, 0, 0)), "particle 'bob': value to change"),
        (lambda b: b.named("ghost"), "kind is 'ghost'"),
        (lambda b: b.change("elbo", limits=(0, 1)), r"element is 'elbo', .*Did you mean 'elbow'"),
        (lambda b: b.change("lower", at=(0, 0, 0)), "'lower' is a body.*Remove it and add it anew"),
        (lambda b: b.change(["elbow"]), r"the name of an element is \['elbow'\]; allowed: a text"),
        (lambda b: b.change("elbow", limit=(0, 1)), "hinge 'elbow': unknown argument 'limit'.*Did you mean 'limits'"),
        (lambda b: b.change("elbow", limits=(1, 0)), "low at or below high"),
        (lambda b: b.change("elbow", name="knee"), "hinge 'elbow': another name"),
        (lambda b: b.replace(gk.Ball(name="wrist", a="upper", b="lower", at=(0, 0, -1))), "'wrist', which does not"),
        (lambda b: b.replace(gk.Drag("elbow", "lower", area=1)), "drag 'elbow': .* place of hinge 'elbow'"),
        (lambda b: b.replace("elbow"), r"replace\(\): 'elbow'; allowed: an element"),
        (lambda b: b.remove("wrist"), r"remove\(\): name is 'wrist'"),
        (lambda b: b.remove(3), r"remove\(\): name is 3"),
        (lambda b: b.remove("bob"), "a particle and a force.*kind='particle' or 'force'"),
        (lambda b: b.remove("bob", kind="ghost"), "kind is 'ghost'"),
    ],
)
def test_what_cannot_be_changed_is_refused_and_nothing_is_lost(do, words):
    b = changed()
    with pytest.raises(gk.InputError, match=words):
        do(b)
    assert b.build() == arm()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lower", "frame 'tip': body is 'lower', which does not exist"),
        ("elbow", "velocity_motor 'drive'.*'elbow'"),
        ("upper", "hinge 'shoulder'.*'upper'"),
        ("steel", "body 'upper': material is 'steel', which does not exist"),
    ],
)
def test_what_still_refers_to_something_removed_is_named_when_the_model_is_built(name, words):
    b = changed()
    b.remove(name)
    with pytest.raises(gk.InputError, match=words):
        b.build()
