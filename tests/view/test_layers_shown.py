"""Layers: computed as the simulation has them, and only while a page wants them."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.frame import COLOURINGS, COLOURS, COLOURS_HEAD, CONTACTS
from gelenk.view.from_page import Show, Step
from gelenk.view.layers import ASLEEP, AWAKE, STILL, Layers
from gelenk.view.limits import BadValue
from gelenk.view.messages import read_message
from gelenk.view.session import Session
from view.models import falling_simulation
from view.pages import Page, viewed
from view.test_session import Heard, begun, turn_until


def standing():
    """Two boxes on each other and one beside them, on a floor; a ball in the air."""
    b = gk.Builder(name="standing")
    b.body("floor", shape=gk.Plane(), static=True)
    for name, at in {"low": (0, 0, 0.5), "high": (0, 0, 1.5), "beside": (3, 0, 0.5)}.items():
        b.body(name, shape=gk.Box((1, 1, 1)), at=at, density=100)
    b.body("ball", shape=gk.Sphere(0.3), at=(6, 0, 200), density=100, velocity=(5, 0, 0))
    return b.build()


@pytest.fixture(scope="module")
def stood():
    sim = gk.Simulation(standing(), gk.RowStepping(h=2e-3, contact=gk.ContactOptions(sleep=True, sleep_after=0.1)))
    sim.step(30)
    return sim


def sections(session, kind):
    from gelenk.view.frame import read_frame

    return [section.payload for section in read_frame(session.frame()).sections if section.kind == kind]


def colours(session, name):
    """Colours a node of one colouring, from 0 to 1."""
    found = coloured(session, name)
    return None if found is None else found[0]


def coloured(session, name):
    """Colours a node, and both ends of their scale."""
    for payload in sections(session, COLOURS):
        number, *ends = COLOURS_HEAD.unpack_from(payload)
        if number == COLOURINGS.index(name):
            return np.frombuffer(payload[COLOURS_HEAD.size :], dtype=np.uint8).reshape(-1, 3) / 255.0, ends
    return None


def shown(sim, *layers):
    session = Session(sim, playing=False)
    Heard(session)
    session.obey(1, Show(layers))
    return session


def test_nothing_is_sent_that_nobody_asked_for(stood):
    session = shown(stood)
    assert not sections(session, CONTACTS)
    assert not sections(session, COLOURS)


def test_contacts_are_those_of_the_simulation(stood):
    (payload,) = sections(shown(stood, "contacts"), CONTACTS)
    table = np.frombuffer(payload, dtype="<f4").reshape(-1, 6)
    assert len(table) == len(stood.contacts) >= 12
    np.testing.assert_allclose(table[:, :3], [c.point for c in stood.contacts], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(np.abs(table[:, 3:]), [np.abs(c.force) for c in stood.contacts], rtol=1e-6, atol=1e-4)
    on_floor = ["floor" in (c.a, c.b) for c in stood.contacts]
    assert np.all(table[on_floor, 5] > 0), "the floor pushes upward what stands on it"


def test_colours_by_load(stood):
    row = stood.model.nodes.names.index
    made = colours(shown(stood, "load"), "load")
    assert made[row("low")][0] > made[row("high")][0] > made[row("ball")][0], "what bears more is redder"
    np.testing.assert_allclose(made[row("floor")], STILL, atol=1 / 255)


def test_colours_by_speed(stood):
    row = stood.model.nodes.names.index
    made = colours(shown(stood, "speed"), "speed")
    assert np.argmax(made[row("ball")]) == 0
    assert np.argmax(made[row("low")]) == 2, "blue stands still"


def test_the_ends_of_the_scale_are_told(stood):
    """Red is the largest value of what moves, blue is none; colourings without numbers have no scale (V-117)."""
    session = shown(stood, "load", "speed", "cluster", "sleeping")
    loads, speeds = (coloured(session, name)[1] for name in ("load", "speed"))
    largest = max(load for name, load in gk.space.load_colors.contact_loads(stood).items() if name != "floor")
    assert loads == pytest.approx([0.0, largest], rel=1e-6)  # as exact as a float32
    assert speeds == pytest.approx([0.0, np.linalg.norm(stood["ball"].velocity)], rel=1e-6)
    assert [coloured(session, name)[1] for name in ("cluster", "sleeping")] == [[0.0, 0.0], [0.0, 0.0]]


def test_colours_by_cluster(stood):
    row = stood.model.nodes.names.index
    made = colours(shown(stood, "cluster"), "cluster")
    assert np.array_equal(made[row("low")], made[row("high")])
    assert len({tuple(made[row(name)]) for name in ("low", "beside", "ball", "floor")}) == 4


def test_colours_by_sleeping():
    sim = gk.Simulation(standing(), gk.RowStepping(h=2e-3, contact=gk.ContactOptions(sleep=True, sleep_after=0.1)))
    sim.step(400)
    assert "low" in sim.asleep
    row = sim.model.nodes.names.index
    made = colours(shown(sim, "sleeping"), "sleeping")
    np.testing.assert_allclose(made[row("low")], ASLEEP, atol=1 / 255)
    np.testing.assert_allclose(made[row("ball")], AWAKE, atol=1 / 255)


def test_several_pages_get_what_any_of_them_wants_and_no_more(stood):
    session = shown(stood, "load")
    session.obey(2, Show(("speed", "contacts")))
    assert colours(session, "load") is not None
    assert colours(session, "speed") is not None
    session.obey(2, Show(()))
    assert colours(session, "speed") is None
    assert not sections(session, CONTACTS)
    session.leave(1)
    session.turn()
    assert colours(session, "load") is None


def test_a_slow_layer_is_computed_less_often_while_it_plays(stood):
    now, playing, count = [0.0], [True], [0]
    layers = Layers(lambda: playing[0], lambda: now[0])

    def slow(sim):
        now[0] += 0.1
        count[0] += 1
        return layers_section

    layers_section = object()
    layers._make["contacts"] = slow
    layers.show(1, Show(("contacts",)))
    make = layers.makers[0]
    assert make(stood) is layers_section
    assert make(stood) is layers_section
    assert count[0] == 1
    now[0] += 2.1
    make(stood)
    assert count[0] == 2
    playing[0] = False
    make(stood)
    assert count[0] == 3, "what stands still is shown as it is"


def test_a_method_without_contacts_has_none_and_goes_on():
    session, heard = begun(falling_simulation())
    session.send(1, Show(("contacts", "load", "cluster", "sleeping", "speed")))
    session.send(1, Step(3))
    turn_until(session, lambda: session.steps == 3)
    assert not heard.problems()
    assert [len(s.payload) for s in heard.frames[-1].sections if s.kind == CONTACTS] == [0]


def test_a_page_that_watches_may_choose_its_layers_and_takes_them_along_when_it_goes():
    with viewed(falling_simulation(), playing=False) as view, Page(view) as driver:
        with Page(view) as watcher:
            watcher.send(Show(("speed",)))
            driver.until(lambda: driver.frame.sections)
            assert not watcher.problems
        driver.until(lambda: not view.session.layers.wanted)


def test_unknown_layers_are_refused():
    with pytest.raises(BadValue, match="none of"):
        read_message('{"kind":"show","layers":["everything"]}')
