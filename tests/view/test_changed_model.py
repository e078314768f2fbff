"""A model that is changed while it runs: sliders, events and groups go on."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.from_page import Add, Delete, Freeze, SetParameter
from view.models import H
from view.test_touch import equipped, take


def pair():
    """A ball that falls on a floor, beside a box that stands on it."""
    b = gk.Builder(name="pair")
    b.body("floor", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 0.205), density=1000)
    b.body("box", shape=gk.Box((0.3, 0.3, 0.3)), at=(1, 0, 0.15), density=1000)
    b.body("lid", shape=gk.Box((0.3, 0.3, 0.1)), at=(3, 0, 1), density=1000)
    return gk.Simulation(b.build(), gk.RowStepping(h=H))


@pytest.mark.parametrize("value", [0.0, 3.0])
def test_sliders_keep_their_ends_and_their_direction(value):
    b = gk.Builder(name="sideways", gravity=(0, -30.0, 0))
    b.body("ball", shape=gk.Sphere(0.1), density=1000)
    b.add(gk.Spring(name="cord", a="world", b="ball", stiffness=100.0, rest_length=1.0))
    session, heard, _ = equipped(gk.Simulation(b.build(), gk.FreeMotion(h=H)))
    ends = {p.name: (p.least, p.most) for p in session.scene.parameters}
    for name, whole in (("gravity", 30.0), ("stiffness of cord", 100.0)):
        take(session, SetParameter(name, value))
        take(session, SetParameter(name, whole))
    assert not heard.problems()
    np.testing.assert_allclose(session.sim.model.gravity, (0, -30.0, 0))
    assert {p.name: (p.least, p.most) for p in session.scene.parameters} == ends


def test_events_go_on_in_a_changed_model():
    """The ball lands once, the box stands; two changes without a step between add no event."""
    sim, events = pair(), []
    sim.step(1)
    sim.subscribe(events.append)
    session, heard, _ = equipped(sim)
    take(session, SetParameter("gravity", 5.0))
    take(session, SetParameter("gravity", 8.0), steps=200)
    assert [(e.kind, {e.a, e.b}) for e in events if "box" in (e.a, e.b)] == []
    assert [e.kind for e in events if {e.a, e.b} == {"floor", "ball"}][:1] == ["begin"]
    take(session, Delete("box"), steps=5)
    assert [(e.kind, {e.a, e.b}) for e in events if "box" in (e.a, e.b)] == [("end", {"floor", "box"})]
    assert not heard.problems()


def test_what_was_merged_stays_so_in_a_changed_model():
    sim = pair()
    sim.merge("raft", "box", "lid")
    session, heard, equipment = equipped(sim)
    take(session, Freeze("ball", True), SetParameter("gravity", 5.0))
    take(session, Add("sphere", (0.1,), (5.0, 0.0, 3.0)), steps=20)
    assert set(session.sim.groups) == {"raft", "frozen in the view"}
    assert ("box", "lid") in session.sim.merged
    take(session, Freeze("ball", False), Delete("lid"), steps=3)
    assert session.sim.groups == ()
    assert equipment.touch.frozen == ()
    assert not heard.problems()


def test_a_parameter_that_changes_how_it_looks_is_seen():
    def shape(b, x):
        b.change("cord", at_a=(x, 0.0, 0.0))

    end = gk.Parameter("end", get=lambda sim: sim.model.forces[0].at_a[0], change=shape, high=2)
    b = gk.Builder(name="hung")
    b.body("ball", shape=gk.Sphere(0.1), density=1000)
    b.add(gk.Spring(name="cord", a="world", b="ball", stiffness=100.0, rest_length=1.0))
    session, heard, _ = equipped(gk.Simulation(b.build(), gk.FreeMotion(h=H)), parameters=[end])
    take(session, SetParameter("gravity", 2.0))
    assert session.scene.number == 0, "another gravity looks the same"
    take(session, SetParameter("end", 1.5))
    assert session.scene.bands[0].at_a == (1.5, 0.0, 0.0)
    assert session.scene.number == 1
    assert not heard.problems()


def test_parameters_of_all_three_kinds_as_the_documents_have_them():
    """An input of the model, something of the program, a change of the model."""
    b = gk.Builder(name="flap")
    b.body("flap", shape=gk.Box((1, 0.1, 0.1)), at=(0.5, 0, 0), density=100)
    b.add(gk.Hinge(name="elbow", a="world", b="flap", at=(0, 0, 0), axis=(0, 1, 0), limits=(-1, 1)))
    b.add(gk.VelocityMotor(name="drive", on="elbow", speed=0.0, force_max=100))
    wind = [0.0]

    def stop(sim):
        elbow = next(joint for joint in sim.model.joints if joint.name == "elbow")
        return elbow.limits[0][2]

    parameters = [
        gk.Parameter("speed", input="drive.speed", low=0, high=5, unit="m/s"),
        gk.Parameter("wind", get=lambda sim: wind[0], set=lambda sim, x: wind.__setitem__(0, x), high=20, unit="m/s"),
        gk.Parameter("stop", get=stop, change=lambda b, x: b.change("elbow", limits=(-x, x)), high=3, unit="rad"),
    ]
    session, heard, _ = equipped(gk.Simulation(b.build(), gk.Impulse(h=H)), parameters=parameters)
    take(session, SetParameter("speed", 2.0), SetParameter("wind", 7.0), SetParameter("stop", 0.5), steps=400)
    assert wind == [7.0]
    assert session.sim["elbow"].angle == pytest.approx(0.5, abs=1e-3), "the motor holds it at the new stop"
    told = [message.parameters for _, message in heard.told if message.kind == "settings"][-1]
    assert (told["speed"], told["wind"], told["stop"]) == (2.0, 7.0, 0.5)
    assert not heard.problems()
