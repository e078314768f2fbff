"""What stands around the track (B-65, B-66): low beside it, the same in every run, lamps where they light it."""

import numpy as np
import pytest

from gelenk.worlds.bobsleigh.drive.landmarks import bridge_places, bridges, houses, mountains
from gelenk.worlds.bobsleigh.drive.landscape import BELOW, CLEAR, LAMPS_EVERY, Landscape, ice
from gelenk.worlds.bobsleigh.track import load_track


@pytest.fixture(scope="module")
def land():
    return Landscape(load_track("s13").line)


def test_the_land_is_below_the_track_beside_it(land):
    """Within the strip where nothing grows it follows the line: the mean over points 4 m apart of a line that falls by
    less than 1 in 5 strays by less than the track lies above it."""
    s = np.arange(0.0, 1450.0, 7.0)
    for way in (-6.0, 0.0, 6.0):
        at = land.beside(s, way, 0.0)
        below = at[:, 2] - land.height(at[:, :2])
        assert below.min() > 0.0
        assert below.max() < 2 * BELOW


def test_the_land_has_no_cliffs(land):
    surface = land.land()
    a, b = surface.triangles[:, 0], surface.triangles[:, 1]
    step = np.abs(surface.vertices[a, 2] - surface.vertices[b, 2])
    away = np.linalg.norm(surface.vertices[a, :2] - surface.vertices[b, :2], axis=1)
    assert (step / away).max() < 1.6  # a man could climb it


def test_nothing_grows_on_the_track(land):
    for things in land.woods():
        place = land.line.project(things.at)
        beside = (place.s > land.line.start) & (place.s < land.line.end)
        assert np.abs(place.left[beside]).min() > CLEAR


def test_it_is_the_same_in_every_run(land):
    again = Landscape(land.line)
    for one, other in zip(again.woods(), Landscape(land.line).woods()):
        np.testing.assert_array_equal(one.at, other.at)
        np.testing.assert_array_equal(one.colours, other.colours)


def test_lamps_and_cameras_stand_beside_the_whole_track_on_the_inner_side(land):
    lamps, posts = land.lamps()
    place = land.line.project(lamps)
    assert (
        np.diff(place.s).max() < 1.3 * LAMPS_EVERY
    )  # the foot of a point beside a curve is not quite where it was set
    curvature = land.line.at(place.s).curvature
    bent = np.abs(curvature) > 0.01
    assert (np.sign(place.left[bent]) == np.sign(curvature[bent])).all()
    np.testing.assert_allclose(posts.at[:, 2] + posts.sizes[:, 2], lamps[:, 2])
    assert (land.line.project(land.cameras()).height > 2.0).all()


def test_sails_hang_over_the_curves_and_not_over_straights(land):
    sails = land.sails()
    place = land.line.project(sails.vertices)
    assert (np.abs(land.line.at(place.s).curvature) > 0).all()
    assert place.height.min() > 2.5  # a sled passes below
    assert not sails.shown


def test_the_ice_is_split_from_its_boards():
    class Mesh:
        vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 2.0)], dtype=float)
        normals = np.tile((0.0, 0.0, 1.0), (4, 1))
        s, across = np.array([0.0, 3.0, 3.0, 4.0]), np.array([0.0, 0.0, 1.0, 1.0])
        triangles = np.array([(0, 1, 2), (1, 3, 2)])
        boards = 1

    channel, boards = ice(Mesh, Mesh.vertices[:, 2])
    assert (len(channel.vertices), len(boards.vertices)) == (3, 3)
    np.testing.assert_array_equal(boards.vertices[boards.triangles[0]], Mesh.vertices[[1, 3, 2]])
    assert channel.gloss > boards.gloss
    assert (channel.texture, boards.texture) == ("ice", "wood")
    np.testing.assert_array_equal(channel.grain, [(0, 0), (3, 0), (3, 1)])
    assert channel.colours[0].sum() < channel.colours[1].sum()  # a mark at s = 0


def test_the_ice_goes_along_the_track_so_that_what_is_far_away_is_left_out():
    mesh = load_track("s13").smooth_mesh
    channel, _ = ice(mesh, 0.0 * mesh.s)
    begins = channel.grain[channel.triangles[:, 0], 0]
    assert (np.diff(begins) >= 0).all()


def test_bridges_lead_over_straights_and_a_sled_passes_below(land):
    timing = load_track("s13").timing
    s = bridge_places(land, timing)
    assert len(s) >= 3
    assert np.abs(land.line.at(s).curvature).max() < 1e-4
    decks, rails, _ = bridges(land, timing)
    for things in (decks, rails):
        assert land.line.project(things.at).height.min() > 4.0


def test_houses_stand_on_the_land_beside_the_track(land):
    walls, *_ = houses(land, load_track("s13").timing)
    place = land.line.project(walls.at)
    assert (np.abs(place.left) - 0.5 * walls.sizes[:, 0]).min() > 5.0
    assert np.abs(walls.at[:, 2] - land.height(walls.at[:, :2])).max() < 1.0


def test_mountains_stand_around_and_their_skyline_is_no_circle(land):
    crest = mountains(land, 2).vertices[-300:, 2]
    assert np.ptp(crest) > 150.0
    assert (np.linalg.norm(mountains(land, 2).vertices - mountains(land, 2).vertices.mean(axis=0), axis=1) > 400).all()
