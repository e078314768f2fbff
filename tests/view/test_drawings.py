"""Surfaces and lines that a program draws: told once, sent with every frame, given up when their source fails."""

import base64

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.frame import LINES, SURFACE, read_frame
from gelenk.view.from_page import Step
from gelenk.view.scene import describe
from view.models import falling, falling_simulation
from view.pages import Page, viewed
from view.test_session import begun, turn_until

SQUARE = np.array([[0, 1, 2], [0, 2, 3]])
FLAT = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)


def raised(z):
    return FLAT + np.array([0, 0, z])


def payloads(frame, kind):
    return [(int.from_bytes(s.payload[:4], "little"), s.payload[4:]) for s in frame.sections if s.kind == kind]


def test_a_surface_is_told_and_its_vertices_follow():
    session, heard = begun()
    session.surface("sail", SQUARE, vertices=lambda sim: raised(sim.time), colour=(1, 0, 0))
    session.send(1, Step(5))
    turn_until(session, lambda: session.steps == 5 and heard.frames[-1].time == session.sim.time)
    (skin,) = session.scene.skins
    assert (skin.name, skin.vertices, skin.colour) == ("sail", 4, (1.0, 0.0, 0.0))
    assert np.array_equal(np.frombuffer(base64.b64decode(skin.faces), "<u4").reshape(-1, 3), SQUARE)
    ((number, data),) = payloads(heard.frames[-1], SURFACE)
    assert number == 0
    np.testing.assert_allclose(np.frombuffer(data, "<f4").reshape(-1, 3), raised(session.sim.time), rtol=1e-6)
    assert heard.frames[-1].scene == session.scene.number == 1


def test_lines_may_be_any_number():
    session, _ = begun()
    count = [3]
    session.surface("sail", SQUARE, vertices=lambda sim: FLAT)
    session.lines("rays", ends=lambda sim: np.ones((count[0], 2, 3)))
    for n in (3, 0, 7):
        count[0] = n
        ((number, data),) = payloads(read_frame(session.frame()), LINES)
        assert (number, len(data)) == (0, 24 * n)


def test_one_of_the_same_name_is_replaced_and_one_can_be_taken_away():
    session, _ = begun()
    for z in (1.0, 2.0):
        session.surface("sail", SQUARE, vertices=lambda sim, z=z: raised(z))
    ((_, data),) = payloads(read_frame(session.frame()), SURFACE)
    assert np.frombuffer(data, "<f4")[2] == 2.0
    session.undraw("sail")
    assert session.scene.skins == ()
    assert not read_frame(session.frame()).sections
    with pytest.raises(gk.InputError, match="nothing is drawn"):
        session.undraw("sail")


@pytest.mark.parametrize("source", [lambda sim: FLAT[:3], lambda sim: 1 / 0, lambda sim: [[1, 2]], lambda sim: "text"])
def test_a_source_that_fails_is_told_of_once_and_the_rest_goes_on(source):
    session, heard = begun()
    session.surface("bad", SQUARE, vertices=source)
    session.surface("good", SQUARE, vertices=lambda sim: FLAT)
    for _ in range(3):
        frame = read_frame(session.frame())
    assert [number for number, _ in payloads(frame, SURFACE)] == [1], "numbers stay"
    assert len(heard.problems()) == 1
    assert "'bad' is drawn no longer" in heard.problems()[0]


@pytest.mark.parametrize(
    "given",
    [
        {"triangles": [[0, 1]]},
        {"triangles": [[0.5, 1, 2]]},
        {"triangles": [[-1, 1, 2]]},
        {"vertices": FLAT},
        {"name": ""},
        {"colour": (1, 2, 3)},
        {"colour": "red"},
    ],
)
def test_what_cannot_be_drawn_is_refused_at_once(given):
    session, _ = begun()
    good = {"name": "sail", "triangles": SQUARE, "vertices": lambda sim: FLAT, "colour": (0, 0, 0)}
    with pytest.raises(gk.InputError):
        session.surface(**(good | given))
    assert session.scene.number == 0


def test_drawings_stay_with_another_model():
    session, _ = begun()
    session.surface("sail", SQUARE, vertices=lambda sim: FLAT)
    session.exchange(gk.Simulation(falling(), gk.FreeMotion(h=1e-3)))
    assert [skin.name for skin in session.scene.skins] == ["sail"]


def test_a_view_draws_from_the_start():
    def setup(view):
        view.surface("sail", SQUARE, vertices=lambda sim: FLAT)
        view.lines("rays", ends=lambda sim: np.zeros((2, 2, 3)))

    with viewed(falling_simulation(), playing=False, setup=setup) as view, Page(view) as page:
        page.until(lambda: len(page.frame.sections) == 2)
        assert page.newest["scene"]["skins"][0]["name"] == "sail"
        view.undraw("rays")
        page.until(lambda: len(page.frame.sections) == 1)


def test_springs_are_told():
    b = gk.Builder(name="spring")
    b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 2), density=1000)
    b.add(gk.Spring(name="rope", a="world", b="ball", stiffness=10, rest_length=1, at_a=(0, 0, 3), at_b=(0, 0, 0.2)))
    (band,) = describe(b.build(), 1e-3).bands
    assert (band.name, band.a, band.b, band.at_a, band.at_b) == ("rope", 0, 1, (0, 0, 3), (0, 0, 0.2))
