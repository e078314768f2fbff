"""The builder and the model: what a body weighs, what cannot be changed, how a model is copied."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gelenk as gk
from gelenk.checks import UNIT_TOLERANCE, check_axis, check_quaternion
from gelenk.model.scene_write import scene_text


def sample():
    """A model with something of every kind."""
    b = gk.Builder(name="sample")
    b.material("steel", density=7850)
    b.body("box", shape=gk.Box((1, 2, 3)), material="steel", at=(1, 2, 3), angular_velocity=(0, 0, 1))
    b.body("mesh", shape=gk.TriangleMesh(*gk.Cone(1, 2).triangles(8)), density=500, com=(0.1, 0, 0))
    b.body("floor", shape=gk.Plane(), static=True)
    b.particle("p", mass=2, velocity=(1, 0, 0))
    b.particle("nail", static=True)
    b.frame("tip", "box", at=(0, 0, 1.5))
    b.frame("origin", "world")
    b.add(gk.Spring("pull", "box", "p", 10, 1, at_a=(0, 0, 1)))
    b.add(gk.Spring("rope", "nail", gk.WORLD, 10, 1))
    b.add(gk.Drag("air", "p", 0.1))
    b.add(gk.Wrench("push", "box", force=[(0, 0, 0), (1, 0, 0)], times=(0, 1)))
    b.add(gk.Law("wind", lambda t, state, loads: None))
    return b.build()


def arrays(model):
    return [a for block in (model.system.masses, *model.system.forces) for a in block]


# --- immutable -----------------------------------------------------------------------------------------------------


def test_model_cannot_be_changed():
    model = sample()
    for item in (model, *model.bodies, *model.particles, *model.frames, *model.materials, *model.forces):
        with pytest.raises(dataclasses.FrozenInstanceError):
            item.name = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        model.bodies[0].parts[0].density = 1.0
    for field in ("bodies", "particles", "frames", "materials", "forces", "gravity"):
        assert isinstance(getattr(model, field), tuple)


def test_arrays_of_a_model_are_read_only():
    for a in (*arrays(sample()), *sample().body("mesh").parts[0].shape.triangles()):
        assert not a.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            a[...] = 0


def test_model_keeps_no_hold_on_what_it_was_given():
    at, size, force = np.array([1.0, 2, 3]), [1.0, 1, 1], np.ones((2, 3))
    vertices, faces = gk.Box((1, 1, 1)).triangles()
    b = gk.Builder()
    b.body("a", shape=[gk.Box(size), gk.TriangleMesh(vertices, faces)], density=1, at=at)
    b.add(gk.Wrench("w", "a", force=force, times=[0, 1]))
    model = b.build()
    text = scene_text(model)
    for a in (at, force, vertices, faces):
        a[...] = 0
    size[0] = 5
    assert scene_text(model) == text


def test_states_are_fresh_and_may_be_written():
    model = sample()
    state = model.initial_state()
    state.flat[...] = 7.0
    assert not np.array_equal(model.initial_state().flat, state.flat)


def test_later_changes_of_a_builder_leave_its_model_alone():
    b = gk.Builder()
    b.particle("a", mass=1)
    model = b.build()
    b.particle("b", mass=1)
    assert [p.name for p in model.particles] == ["a"]
    assert model != b.build()


# --- copies --------------------------------------------------------------------------------------------------------


def test_from_model_gives_an_equal_model():
    model = sample()
    copy = gk.Builder.from_model(model).build()
    assert copy == model
    assert hash(copy) == hash(model)
    assert all(np.array_equal(a, b) for a, b in zip(arrays(copy), arrays(model)) if a.dtype != np.uint64)


def test_from_model_can_be_added_to():
    b = gk.Builder.from_model(sample())
    b.particle("new", mass=1)
    b.body("new body", shape=gk.Sphere(1), material="steel")
    b.add(gk.Drag("new", "new", 1))
    model = b.build()
    assert model.index("new") == 6 + 1
    assert len(sample().particles) == 2
    with pytest.raises(gk.InputError, match="the name is taken by a body"):
        b.particle("box", mass=1)


def test_equality_sees_every_number():
    model = sample()
    for change in ({"name": "x"}, {"gravity": (0.0, 0.0, 0.0)}, {"bodies": model.bodies[:2]}):
        fields = {f.name: getattr(model, f.name) for f in dataclasses.fields(model) if f.init}
        if "bodies" in change:
            fields["frames"] = ()
        assert gk.Model(**(fields | change)) != model


# --- what bodies weigh ---------------------------------------------------------------------------------------------


def body(**given):
    b = gk.Builder()
    b.material("lead", density=11340)
    b.material("paint", friction=0.3)
    b.body("a", **given)
    return b.build().bodies[0]


def test_numbers_win_over_shapes():
    box = gk.Box((1, 2, 3))
    by_density, by_mass = body(shape=box, density=2), body(shape=box, mass=12)
    assert by_density.mass == 12.0
    assert by_density.inertia[0][0] == 13.0
    assert by_mass.inertia == by_density.inertia
    assert body(shape=box, mass=12, com=(0, 0, 1)).com == (0.0, 0.0, 1.0)
    assert body(shape=box, mass=12, inertia=(1, 1, 1)).inertia == ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_density_of_a_part_wins_over_material_and_body():
    ball = gk.Sphere(1)
    volume = ball.mass_properties(1.0).mass
    assert body(shape=ball, density=3, material="lead").mass == pytest.approx(11340 * volume)
    assert body(shape=gk.Part(ball, density=5), density=3, material="lead").mass == pytest.approx(5 * volume)
    assert body(shape=ball, density=3, material="paint").mass == pytest.approx(3 * volume)
    assert body(shape=ball, material="paint").mass == pytest.approx(1000 * volume)
    hollow = [gk.Part(ball, density=5), gk.Part(gk.Box((9, 9, 9)), weighs=False)]
    assert body(shape=hollow).mass == pytest.approx(5 * volume)


def test_static_bodies_weigh_nothing_and_need_no_mass():
    b = gk.Builder()
    b.body("floor", shape=gk.Plane(), static=True, at=(0, 0, -1))
    b.body("wall", static=True, mass=5, inertia=(1, 1, 1))
    b.particle("nail", static=True, mass=3)
    model = b.build()
    assert [x.mass for x in (*model.bodies, *model.particles)] == [0.0] * 3
    assert not model.system.masses.inv_mass.any()
    assert not model.system.masses.inv_inertia_B.any()
    assert model.initial_state().p_WC[1].tolist() == [0, 0, -1]


def test_the_world_is_row_zero():
    model = sample()
    assert model.index("world") == 0
    assert model.initial_state().q_WB[0].tolist() == [1, 0, 0, 0]
    assert model.system.masses.inv_mass[0] == 0.0
    springs = model.system.forces[2]
    assert springs.b.tolist() == [model.index("p"), 0]


def test_inertia_keeps_the_bits_it_was_given():
    tensor = np.array([[2.0, 0.1, 0.3], [0.1, 2.5, -0.0], [0.3, -0.0, 3.0]])
    given = body(mass=0.1 + 0.2, inertia=tensor, com=(-0.0, 5e-324, 1e-17))
    assert np.array(given.inertia).tobytes() == tensor.tobytes()
    assert np.array(given.com).tobytes() == np.array([-0.0, 5e-324, 1e-17]).tobytes()


# --- unit vectors --------------------------------------------------------------------------------------------------

component = st.floats(-1, 1)


@given(st.tuples(*[component] * 4), st.floats(-1, 1))
def test_rescaled_quaternions_are_taken_as_they_are(q, off):
    length = np.sqrt(sum(x * x for x in q))
    if length < 1e-3:
        return
    nearly = tuple(x / length * (1 + 0.99 * UNIT_TOLERANCE * off) for x in q)
    once = check_quaternion("body 'a'", "rotation", nearly)
    assert check_quaternion("body 'a'", "rotation", once) == once
    assert sum(x * x for x in once) == pytest.approx(1.0, abs=1e-15)


@given(st.tuples(*[component] * 3), st.floats(-1, 1))
def test_rescaled_axes_are_taken_as_they_are(a, off):
    length = np.sqrt(sum(x * x for x in a))
    if length < 1e-3:
        return
    once = check_axis("hinge 'a'", "axis", tuple(x / length * (1 + 0.99 * UNIT_TOLERANCE * off) for x in a))
    assert check_axis("hinge 'a'", "axis", once) == once


def test_unit_makes_what_is_accepted():
    assert check_axis("hinge 'a'", "axis", gk.unit((3, 0, 4))) == (0.6, 0.0, 0.8)
    with pytest.raises(gk.InputError, match="a length above 0"):
        gk.unit((0, 0, 0))
