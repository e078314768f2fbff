"""Light and scenery (B-65, B-66): what a page is told, and the bytes that it fetches."""

import math
import urllib.error
import urllib.request

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.blobs import Blobs
from gelenk.view.scene import describe
from gelenk.view.scenery import smooth_normals
from view.models import falling_simulation
from view.pages import LONG, Page, viewed

TRIANGLE = [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]
UNIT = 1.0 / 32767  # of a normal in 16 bits


def fetch(view, key):
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{view.address}blob/{key}", timeout=LONG) as answer:
        return answer.read()


@pytest.mark.parametrize(
    ("azimuth", "elevation", "sun"),
    [(0, 0, (0, 1, 0)), (90, 0, (1, 0, 0)), (180, 30, (0, -math.cos(math.pi / 6), 0.5)), (45, 90, (0, 0, 1))],
)
def test_the_sun_stands_where_azimuth_and_elevation_say(azimuth, elevation, sun):
    np.testing.assert_allclose(gk.Daylight(azimuth, elevation).sun, sun, atol=1e-15)


def test_a_page_hears_of_the_light_also_when_it_comes_later():
    with viewed(falling_simulation(), playing=False, light=gk.Daylight(90, 0)) as view:
        with Page(view) as page:
            page.until(lambda: page.newest.get("light", {}).get("mode") == "day")
            view.light(gk.Night([(1, 2, 3)], reach=20))
            page.until(lambda: page.newest["light"]["mode"] == "night")
            assert page.newest["light"]["lamps"] == [[1, 2, 3]]
        with Page(view) as late:
            late.until(lambda: "light" in late.newest)
            assert late.newest["light"]["mode"] == "night"


def test_numbers_of_a_surface_come_as_bytes():
    vertices, triangles = TRIANGLE
    colours = np.array([(1, 0, 0), (0, 1, 0), (0, 0, 1)])
    hill = gk.ScenerySurface("hill", vertices, triangles, colours=colours)
    with viewed(falling_simulation(), playing=False, scenery=[hill]) as view, Page(view) as page:
        page.until(lambda: page.newest.get("scenery", {}).get("pieces"))
        (piece,) = page.newest["scenery"]["pieces"]
        data = fetch(view, piece["blob"])
        assert len(data) == 3 * (12 + 8 + 4) + 12
        np.testing.assert_array_equal(np.frombuffer(data, "<f4", 9).reshape(3, 3), vertices)
        normals = np.frombuffer(data, "<i2", 12, 36).reshape(3, 4)
        np.testing.assert_allclose(UNIT * normals[:, :3], np.tile((0, 0, 1), (3, 1)), atol=UNIT)
        np.testing.assert_array_equal(np.frombuffer(data, "u1", 12, 60).reshape(3, 4)[:, :3], 255 * colours)
        np.testing.assert_array_equal(np.frombuffer(data, "<u4", 3, 72), (0, 1, 2))
        with pytest.raises(urllib.error.HTTPError, match="404"):
            fetch(view, "0" * 32)


def test_a_texture_lies_on_ways_behind_the_triangles():
    ways = [(0.0, 0.5), (1.0, 0.5), (2.0, 3.0)]
    ice = gk.ScenerySurface("ice", *TRIANGLE, texture="ice", grain=ways)
    blobs = Blobs()
    piece = ice.piece(blobs)
    assert piece.texture == "ice"
    np.testing.assert_array_equal(np.frombuffer(blobs.get(piece.blob), "<f4", 6, 84).reshape(3, 2), ways)
    with pytest.raises(gk.InputError, match="a texture without grain"):
        gk.ScenerySurface("ice", *TRIANGLE, texture="ice")
    with pytest.raises(gk.InputError, match="'wood'"):
        gk.ScenerySurface("ice", *TRIANGLE, texture="oak", grain=ways)


def test_scenery_is_shown_and_hidden_by_name():
    sails = gk.ScenerySurface("sails", *TRIANGLE, shown=False)
    trees = gk.SceneryCopies("wood", "conifer", [(0, 0, 0), (5, 0, 0)], sizes=[3, 4])
    with viewed(falling_simulation(), playing=False, scenery=[sails, trees]) as view, Page(view) as page:
        page.until(lambda: len(page.newest.get("scenery", {}).get("pieces", ())) == 2)
        assert [piece["shown"] for piece in page.newest["scenery"]["pieces"]] == [False, True]
        before = [piece["blob"] for piece in page.newest["scenery"]["pieces"]]
        view.show("sails")
        page.until(lambda: page.newest["scenery"]["pieces"][0]["shown"])
        assert [piece["blob"] for piece in page.newest["scenery"]["pieces"]] == before  # nothing is fetched again
        with pytest.raises(gk.InputError, match="'sails', 'wood'"):
            view.show("sail")


def test_sizes_of_copies_are_factors_or_lengths_along_their_axes():
    rows = gk.SceneryCopies("a", "box", [(1, 2, 3), (4, 5, 6)], sizes=[2, 3], headings_deg=90)
    lengths = gk.SceneryCopies("b", "box", [(1, 2, 3), (4, 5, 6)], sizes=(1, 2, 3))
    np.testing.assert_array_equal(rows.sizes, [(2, 2, 2), (3, 3, 3)])
    np.testing.assert_array_equal(lengths.sizes, [(1, 2, 3), (1, 2, 3)])
    np.testing.assert_allclose(rows.headings, math.pi / 2)


def test_normals_of_a_dome_are_those_of_the_sphere():
    """They are means over triangles, which tends to the truth with the square of the edge: 1/20 rad here."""
    vertices, faces = gk.Sphere(1.0).triangles(64)
    normals = smooth_normals(np.asarray(vertices), np.asarray(faces))
    outward = np.sign((normals * vertices).sum(axis=1).mean())
    assert np.abs((normals * vertices).sum(axis=1) * outward - 1.0).max() < (2 * math.pi / 64) ** 2


def test_a_large_surface_of_a_model_is_fetched_by_itself():
    field = gk.HeightField(np.sin(np.arange(200.0))[:, None] * np.ones(200), 0.5)
    vertices, faces = field.triangles()
    b = gk.Builder(name="field")
    b.body("field", shape=field, static=True)
    blobs = Blobs()
    model = b.build()
    (told,) = describe(model, 1e-3, blobs=blobs).geometries
    assert (told.vertices, told.faces, told.corners) == ("", "", len(vertices))
    np.testing.assert_array_equal((told.low, told.high), (np.min(vertices, axis=0), np.max(vertices, axis=0)))
    data = blobs.get(told.blob)
    np.testing.assert_array_equal(np.frombuffer(data, "<f4", 3 * told.corners).reshape(-1, 3), np.float32(vertices))
    assert len(data) == 12 * (told.corners + len(faces))
    assert describe(model, 1e-3).geometries[0].vertices  # without blobs it is told as text


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: gk.Daylight(elevation_deg=100), "elevation_deg"),
        (lambda: gk.Night([(1, 2)]), "points"),
        (lambda: gk.Night(reach=0), "reach"),
        (lambda: gk.ScenerySurface("a", [(0, 0, 0)], [(0, 0, 1)]), "from 0 to 0"),
        (lambda: gk.ScenerySurface("a", *TRIANGLE, colours=(255, 0, 0)), "255"),
        (lambda: gk.ScenerySurface("a", *TRIANGLE, normals=[(0, 0, 1)]), "1 normals for 3"),
        (lambda: gk.SceneryCopies("a", "palm", [(0, 0, 0)]), "conifer"),
        (lambda: gk.SceneryCopies("a", "tree", [(0, 0, math.nan)]), "finite"),
        (lambda: gk.SceneryCopies("a", "tree", [(0, 0, 0)] * 4, sizes=[1, 2]), "sizes"),
        (lambda: gk.view(falling_simulation(), light="day", wait=False), "gk.Daylight"),
        (lambda: gk.view(falling_simulation(), scenery=["wood"], wait=False), "SceneryCopies"),
    ],
)
def test_what_cannot_be_is_refused_with_words(make, words):
    with pytest.raises(gk.InputError, match=words):
        make()
