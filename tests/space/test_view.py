"""Pictures made of rays show shapes where they are and contacts on top."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_contacts, draw_shapes, look

ABOVE = Camera(np.array([0.0, 0.0, 1.0]))


@pytest.fixture(scope="module")
def world():
    b = gk.Builder()
    b.body("ball", shape=gk.Part(gk.Sphere(0.5), groups="balls"), static=True)
    b.body("cube", shape=gk.Part(gk.Box((1, 1, 1)), groups="cubes"), density=1, at=(0.9, 0, 0))
    return gk.CollisionWorld(b.build())


def test_a_ball_is_seen_as_a_disc_with_its_normals(world):
    n = 64
    seen = look(world, ABOVE, (0, 0, 0), (2, 2), (n, n), Layer("balls"))
    x = ((np.arange(n) + 0.5) / n - 0.5) * 2
    off = np.hypot(*np.meshgrid(x, x))
    there = np.isfinite(seen.nearness)
    np.testing.assert_array_equal(there, off <= 0.5)
    np.testing.assert_allclose(seen.nearness[there], np.sqrt(0.25 - off[there] ** 2), atol=1e-12)
    np.testing.assert_allclose(seen.normal[there][:, 2], 2 * seen.nearness[there], atol=1e-12)


def test_what_is_far_from_the_middle_is_left_out(world):
    seen = look(world, ABOVE, (0, 0, 0.5), (2, 2), (20, 20), Layer("cubes", within=0.6))
    assert 0 < np.isfinite(seen.nearness).sum() < np.isfinite(look(world, ABOVE, (0, 0, 0.5), (2, 2), (20, 20),
                                                                  Layer("cubes")).nearness).sum()  # fmt: skip


def test_layers_are_mixed_by_depth_and_opacity(world):
    panel = Figure().add_subplot()
    red, blue = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    draw_shapes(panel, world, ABOVE, (0.45, 0, 0), (2, 1), [Layer("balls", red), Layer("cubes", blue, 0.5)], 80)
    picture = np.asarray(panel.images[0].get_array())
    assert picture.shape == (40, 80, 3)
    left, both, right = picture[20, 15], picture[20, 38], picture[20, 65]
    assert left[0] > 0.3
    assert left[2] == 0
    assert both[0] > 0.1
    assert both[2] > 0.1  # the ball through the cube, which is nearer
    assert right[2] > right[0] > 0.4  # the cube on white
    assert (picture[0, 0] == 1).all()


def test_every_contact_is_a_dot_and_an_arrow(world):
    panel = Figure().add_subplot()
    draw_contacts(panel, world, ABOVE, 0.2)
    assert len(panel.lines) == len(panel.texts) == len(world) > 0


@pytest.fixture
def crate(monkeypatch):
    monkeypatch.setattr("gelenk.space.picture.PIXELS", 20)
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("mountain", shape=gk.Box((50, 50, 50)), static=True, at=(0, 500, 0))
    b.body("crate", shape=gk.Box((1, 1, 1)), density=1, at=(2, 3, 0.5))
    return gk.CollisionWorld(b.build(), margin=0.0)


def test_contacts_behind_a_shape_are_hollow(crate):
    """Of the four corners that the crate stands on, one is behind it for an eye in front, right and above."""
    (panel,) = crate.picture().axes
    faces = [line.get_markerfacecolor() for line in panel.lines]
    assert len(faces) == 4
    assert faces.count("none") == 1


def test_a_picture_shows_what_moves_or_what_it_is_told_to(crate, tmp_path):
    (panel,) = crate.picture(tmp_path / "crate.png", toward=(0, 0, 1)).axes
    assert (tmp_path / "crate.png").stat().st_size > 1000
    assert sum(panel.get_xlim()) / 2 == pytest.approx(2)
    assert np.ptp(panel.get_xlim()) == pytest.approx(1.15)
    (panel,) = crate.picture(toward=(0, 0, 1), middle=(0, 0, 0), width=4).axes
    np.testing.assert_allclose(panel.get_xlim(), (-2, 2))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"path": "a.bmp"}, "'a.bmp'"), ({"toward": (0, 0, 0)}, "toward is 0"), ({"width": -1}, "width")],
)
def test_pictures_are_asked_for_as_they_can_be(crate, options, message):
    with pytest.raises(gk.InputError, match=message):
        crate.picture(**options)
