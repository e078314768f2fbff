"""The explorer's hand in a session: joints, drives and forces go and come, properties are edited (V-104, V-108)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.from_page import Attach, Edit, Push, Remove, Reset, Watch
from gelenk.view.limits import BadValue
from gelenk.view.messages import read_message
from gelenk.view.scene import describe
from model.sample_joints import JOINTS, base_and_arm
from view.models import H
from view.test_touch import arm, equipped, take


def sledge():
    """A box that slides over ice, with a name for its material, and a stop beside."""
    b = gk.Builder(name="sledge")
    b.material("ice", friction=0.0, density=100)
    b.body("floor", shape=gk.Plane(), static=True, material="ice")
    b.body("box", shape=gk.Box((0.4, 0.4, 0.2)), material="ice", at=(0, 0, 0.1), velocity=(1, 0, 0))
    b.body("stop", shape=gk.Box((0.2, 2, 1)), static=True, at=(9, 0, 0.5))
    return gk.Simulation(b.build(), gk.RowStepping(h=H))


@pytest.mark.parametrize(
    ("message", "joints", "forces"),
    [
        (Remove("joint", "elbow"), ["shoulder"], ["cord"]),
        (Remove("joint", "drive"), ["shoulder", "elbow"], ["cord"]),
        (Remove("force", "cord"), ["shoulder", "elbow", "drive"], []),
    ],
    ids=["joint", "drive", "force"],
)
def test_what_is_removed_acts_no_longer_and_the_state_goes_on(message, joints, forces):
    session, heard, _ = equipped(arm())
    take(session, Push("lower", (0.0, 0.0, -1.5), (3.0, 0.0, 0.0)), steps=100)
    before = session.sim
    take(session, message)
    sim = session.sim
    assert [joint.name for joint in sim.model.joints] == joints
    assert [force.name for force in sim.model.forces] == forces
    assert sim.time == before.time
    np.testing.assert_array_equal(sim.state.p_WC, before.state.p_WC)
    np.testing.assert_array_equal(sim.state.v_WC, before.state.v_WC)
    take(session, steps=200)
    before.step(200)
    assert np.abs(sim.state.p_WC - before.state.p_WC).max() > 1e-3, "it moves otherwise than with it"
    take(session, Reset())
    np.testing.assert_allclose(session.sim["lower"].position, (0, 0, -1.5), atol=1e-12)
    assert not heard.problems()


def test_a_removed_joint_lets_its_body_fall():
    session, heard, _ = equipped(arm())
    take(session, Remove("force", "cord"), Remove("joint", "elbow"), steps=200)
    t = 200 * H
    assert session.sim["lower"].com[2] == pytest.approx(-1.5 - 0.5 * 9.81 * t * t, abs=9.81 * t * H)
    assert session.sim["upper"].com[2] == pytest.approx(-0.5, abs=1e-6), "which still hangs"
    assert not heard.problems()


@pytest.mark.parametrize("what", ["hinge", "slider", "ball", "rigid"])
def test_a_joint_is_attached_where_bodies_are_now(what):
    session, heard, _ = equipped(arm())
    take(session, steps=100)
    centre = session.sim["ball"].com
    take(session, Attach(what, "world", "ball", axis=(1.0, 0.0, 0.0)))
    assert session.sim.model.joints[-1].name == f"{what} 1"
    assert session.sim.model.joints[-1].kind == what
    fallen = session.sim["ball"].com[2]
    assert fallen == centre[2]
    take(session, steps=200)
    np.testing.assert_allclose(session.sim["ball"].com[1:], centre[1:], atol=1e-6)  # tolerance of Impulse: 1e-7 m
    take(session, Reset())
    np.testing.assert_allclose(session.sim["ball"].com, centre, atol=1e-12)
    assert session.sim.time == pytest.approx(0.1), "a reset goes back to when it was attached"
    assert not heard.problems()


def test_a_spring_and_a_motor_are_attached():
    session, heard, _ = equipped(arm())
    take(session, Remove("force", "cord"), Remove("joint", "drive"), steps=10)
    take(session, Attach("spring", "world", "ball", at=(1.0, 0.0, 0.0), value=500.0, name="rope"), steps=10)
    take(session, Attach("motor", "shoulder", value=2.0), steps=300)
    assert session.sim["shoulder"].rate == pytest.approx(2.0, abs=1e-6)
    mass = session.sim.model.body("ball").mass
    lowest = session.sim["ball"].com[2]
    assert lowest > -0.5 - 0.01 - 2.1 * mass * 9.81 / 500.0, "it hangs: at most twice as low as at rest"
    assert not heard.problems()


def test_properties_of_what_is_watched_are_told_and_follow():
    session, heard, _ = equipped(arm())
    take(session, Watch(("upper", "elbow", "drive", "cord")))
    session.turn()
    told = {(o.what, o.name): {p.field: p.values for p in o.properties} for o in last(heard).owners}
    assert set(told) == {("body", "upper"), ("joint", "elbow"), ("joint", "drive"), ("force", "cord")}
    assert told["body", "upper"]["mass"] == (pytest.approx(10.0),)
    assert told["joint", "elbow"]["break_force"] == (None,), "no bound"
    assert told["force", "cord"]["stiffness"] == (100.0,)
    take(session, Edit("force", "cord", "stiffness", (300.0,)))
    session.turn()
    told = {o.name: {p.field: p.values for p in o.properties} for o in last(heard).owners}
    assert told["cord"]["stiffness"] == (300.0,)
    assert not heard.problems()


def last(heard):
    return [message for _, message in heard.told if message.kind == "properties"][-1]


def test_mass_place_and_velocity_are_edited_while_it_runs():
    session, heard, _ = equipped()
    take(session, steps=10)
    inertia = np.array(session.sim.model.body("box").inertia)
    mass = session.sim.model.body("box").mass
    velocity = session.sim["box"].velocity
    take(session, Edit("body", "box", "mass", (2.0 * mass,)))
    np.testing.assert_allclose(session.sim.model.body("box").inertia, 2.0 * inertia, rtol=1e-14)
    np.testing.assert_array_equal(session.sim["box"].velocity, velocity)
    take(session, Edit("body", "ball", "position", (3.0, 2.0, 1.0)), Edit("body", "ball", "velocity", (0.0, 0.0, 5.0)))
    take(session, Edit("body", "box", "angular_velocity", (0.0, 0.0, 2.0)))
    np.testing.assert_allclose(session.sim["ball"].position, (3, 2, 1), atol=1e-15)
    np.testing.assert_allclose(session.sim["box"].angular_velocity, (0, 0, 2), atol=1e-15)
    take(session, steps=100)
    np.testing.assert_allclose(session.sim["ball"].position, (3, 2, 1.5 - 0.5 * 9.81 * 0.01), atol=1e-3)
    assert not heard.problems()


def test_friction_of_a_material_and_a_static_body_are_edited():
    """On ice the box slides on; with friction mu it slows by mu g."""
    session, heard, _ = equipped(sledge())
    take(session, steps=50)
    assert session.sim["box"].velocity[0] == pytest.approx(1.0, abs=1e-6)
    take(session, Edit("material", "ice", "friction", (0.5,)), Edit("body", "stop", "position", (5.0, 0.0, 0.5)))
    np.testing.assert_array_equal(session.sim["stop"].position, (5, 0, 0.5))
    assert session.sim["box"].velocity[0] == pytest.approx(1.0, abs=1e-6)
    take(session, steps=100)
    assert session.sim["box"].velocity[0] == pytest.approx(1.0 - 0.5 * 9.81 * 0.1, abs=1e-3)
    assert not heard.problems()


def test_limits_and_set_points_are_edited():
    b = gk.Builder(name="flap")
    b.body("flap", shape=gk.Box((1, 0.1, 0.1)), at=(0.5, 0, 0), density=100)
    b.add(gk.Hinge(name="pin", a="world", b="flap", at=(0, 0, 0), axis=(0, 1, 0), limits=(-0.2, 0.2)))
    b.add(gk.Servo(name="servo", on="pin", target=0.0, force_max=1.0))
    session, heard, _ = equipped(gk.Simulation(b.build(), gk.Impulse(h=H)))
    take(session, steps=600)
    assert session.sim["pin"].angle == pytest.approx(0.2, abs=1e-3), "it lies at its stop"
    take(session, Edit("joint", "pin", "limits of angle", (-0.2, 0.5)), steps=600)
    assert session.sim["pin"].angle == pytest.approx(0.5, abs=1e-3)
    take(session, Edit("joint", "pin", "limits of angle", (None, None)), steps=600)
    assert session.sim["pin"].angle > 0.6
    take(session, Edit("joint", "servo", "force_max", (None,)), Edit("joint", "servo", "target", (0.1,)), steps=2000)
    assert session.sim["pin"].angle == pytest.approx(0.1, abs=1e-2)
    assert not heard.problems()


def test_one_part_of_a_vector_is_edited_and_the_others_keep_their_bits():
    """A page knows the others rounded, and as they were: it says the one that was written (V-108)."""
    session, heard, _ = equipped()
    take(session, steps=123)
    place, velocity = session.sim["ball"].position, session.sim["ball"].velocity
    take(session, Edit("body", "ball", "position", (7.0,), part=1), Edit("body", "ball", "velocity", (0.25,), part=0))
    np.testing.assert_array_equal(session.sim["ball"].position, (place[0], 7.0, place[2]))
    np.testing.assert_array_equal(session.sim["ball"].velocity, (0.25, velocity[1], velocity[2]))
    take(session, Edit("body", "ball", "position", (1.0,), part=3), Edit("body", "ball", "mass", (1.0,), part=1))
    take(session, Edit("body", "ball", "position", (1.0, 2.0, 3.0), part=0))
    assert len(heard.problems()) == 3, "there is no such part, and one part is one number"
    np.testing.assert_array_equal(session.sim["ball"].position, (place[0], 7.0, place[2]))


def test_one_limit_is_edited_and_the_other_stays():
    b = gk.Builder(name="flap")
    b.body("flap", shape=gk.Box((1, 0.1, 0.1)), at=(0.5, 0, 0), density=100)
    third = 1.0 / 3.0  # which no six digits hold
    b.add(gk.Hinge(name="pin", a="world", b="flap", at=(0, 0, 0), axis=(0, 1, 0), limits=(-third, third)))
    session, heard, _ = equipped(gk.Simulation(b.build(), gk.Impulse(h=H)))
    take(session, Edit("joint", "pin", "limits of angle", (0.5,), part=1))
    assert session.sim.model.joints[0].limits == (("angle", -third, 0.5),)
    take(session, Edit("joint", "pin", "limits of angle", (None,), part=1))
    assert session.sim.model.joints[0].limits == (("angle", -third, np.inf),)
    assert not heard.problems()


def cluster():
    """A box and a bead in free space, and a joint of two coordinates."""
    b = gk.Builder(name="cluster", gravity=(0, 0, 0))
    b.body("box", shape=gk.Part(gk.Box((1, 1, 1)), collide=False), density=10, at=(0, 0, 0), rotation=(0.6, 0, 0, 0.8))
    b.body("piston", shape=gk.Part(gk.Box((1, 1, 1)), collide=False), density=10, at=(5, 0, 0))
    b.particle("bead", mass=2.0, at=(2, 0, 0))
    b.add(gk.Cylindrical(name="bore", a="world", b="piston", at=(5, 0, 0), axis=(1, 0, 0)))
    return gk.Simulation(b.build(), gk.Impulse(h=H))


def test_a_spring_begins_where_it_is_put_on_the_first_body():
    """From a corner of the turned box to the bead: 0.5 m beside the centre line, at rest now."""
    session, heard, _ = equipped(cluster())
    take(session, Attach("spring", "box", "bead", at=(0.5, 0.5, 0.5), value=10.0))
    spring = session.sim.model.forces[-1]
    R = session.sim["box"].rotation
    np.testing.assert_allclose(R @ spring.at_a, (0.5, 0.5, 0.5), atol=1e-15)
    assert spring.rest_length == pytest.approx(np.sqrt(1.5**2 + 2 * 0.5**2), abs=1e-15)
    take(session, Attach("spring", "bead", "box", value=10.0), Attach("ball", "box", "bead", at=(2.0, 0.0, 0.0)))
    assert [force.name for force in session.sim.model.forces] == ["spring 1", "spring 2"]
    assert session.sim.model.joints[-1].name == "ball 1"
    assert not heard.problems()


def test_a_place_beside_a_particle_is_refused():
    """A particle has no point but its own: what cannot be is told, and not put elsewhere without a word."""
    session, heard, _ = equipped(cluster())
    model = session.sim.model
    take(session, Attach("ball", "world", "bead", at=(2.0, 0.1, 0.0)))
    take(session, Attach("spring", "bead", "box", at=(9.0, 0.0, 0.0), value=1.0))
    assert [("particle 'bead'" in text, "Leave the place out" in text) for text in heard.problems()] == [
        (True, True)
    ] * 2
    assert session.sim.model is model


def test_a_motor_drives_one_of_several_coordinates():
    session, heard, _ = equipped(cluster())
    assert set(session.scene.joints[0].free) == {"position", "angle"}
    take(session, Attach("motor", "bore", value=1.0))
    assert "bore.angle" in heard.problems()[0]
    take(session, Attach("motor", "bore.angle", value=2.0), Attach("motor", "bore.position", value=-0.5), steps=10)
    now = session.sim["piston"]
    np.testing.assert_allclose(now.velocity, (-0.5, 0, 0), atol=1e-9)
    np.testing.assert_allclose(now.angular_velocity, (2.0, 0, 0), atol=1e-9)
    assert len(heard.problems()) == 1


@pytest.mark.filterwarnings("ignore::UserWarning")  # of motors that nothing bounds
@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_whatever_is_told_to_be_free_can_be_driven(joint):
    """Every kind of joint: the page offers its coordinates as the model has them."""
    b = base_and_arm()
    b.add(joint)
    model = b.build()
    told = describe(model, H).joints[0].free
    assert set(told) >= {c.name for c in model.wired.coordinates}
    for coordinate in told:
        b = gk.Builder.from_model(model)
        b.add(gk.VelocityMotor(name="new motor", on=f"{joint.name}.{coordinate}", speed=0.0))
        b.build()


def test_bad_edits_are_told_and_change_nothing():
    session, heard, _ = equipped(arm())
    bad = [
        Edit("body", "upper", "mass", (0.0,)), Edit("body", "upper", "mass", (-1.0,)),
        Edit("body", "upper", "mass", (None,)), Edit("body", "upper", "mass", (1.0, 2.0)),
        Edit("body", "nobody", "mass", (1.0,)), Edit("body", "ball", "size", (1.0,)),
        Edit("body", "upper", "position", (0.0, 0.0, 5.0)), Edit("body", "ball", "position", (1e12, 0.0, 0.0)),
        Edit("body", "ball", "velocity", (1e9, 0.0, 0.0)), Edit("body", "ball", "position", (None, 0.0, 0.0)),
        Edit("force", "cord", "stiffness", (-1.0,)), Edit("joint", "elbow", "gain", (2.0,)),
        Edit("material", "gold", "friction", (0.5,)), Remove("joint", "cord"), Remove("force", "elbow"),
        Attach("hinge", "world", "nobody"), Attach("hinge", "upper", "world"), Attach("motor", "drive", value=1.0),
        Attach("ball", "ball", "ball"), Attach("hinge", "world", "ball", axis=(0.0, 0.0, 0.0)),
        Attach("ball", "world", "ball", name="elbow"), Attach("spring", "world", "ball", value=-5.0),
    ]  # fmt: skip
    flat, model = session.sim.state.flat.copy(), session.sim.model
    for k, message in enumerate(bad):
        take(session, message)
        assert len(heard.problems()) == k + 1, f"{message} was not refused"
    assert session.sim.model is model
    np.testing.assert_array_equal(session.sim.state.flat, flat)


@pytest.mark.parametrize(
    "text",
    [
        '{"kind":"remove","what":"body","name":"x"}',
        '{"kind":"edit","what":"body","name":"x","field":"mass","values":[1,2,3,4,5]}',
        '{"kind":"edit","what":"body","name":"x","field":"mass","values":["1"]}',
        '{"kind":"attach","what":"glue","a":"x"}',
        '{"kind":"attach","what":"hinge","a":"x","b":"y","at":[1,2]}',
    ],
)
def test_messages_that_are_not_as_declared_are_refused(text):
    with pytest.raises(BadValue):
        read_message(text)
