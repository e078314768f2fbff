"""Cameras said in Python or on the command line: sides, points, bodies that they go along with."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.camera import USUAL, direction, read_camera
from view.models import falling_simulation
from view.pages import Page, viewed

BODIES = ["ball", "car: left"]


def test_sides_points_and_bodies():
    assert read_camera(None) is None
    assert read_camera("") is None
    assert read_camera("front").toward == (0.0, -1.0, 0.0)
    for given in ("3,0,1:1,0,1", ((3, 0, 1), (1, 0, 1)), [[3, 0, 1], [1.0, 0, 1]]):
        look = read_camera(given)
        assert (look.eye, look.target) == ((3.0, 0.0, 1.0), (1.0, 0.0, 1.0))
    assert read_camera("3,0,1").target == (0.0, 0.0, 0.0)
    look = read_camera("follow:ball", BODIES)
    assert (look.body, look.fixed, look.eye) == ("ball", False, None)
    look = read_camera("fixed:car: left:-6,0,2", BODIES)
    assert (look.body, look.fixed, look.eye) == ("car: left", True, (-6.0, 0.0, 2.0))


def test_directions_of_pictures_without_perspective():
    assert direction(None) is None
    assert direction(read_camera("top")) == (0.0, 0.0, 1.0)
    assert direction(read_camera("3,0,1:1,0,1")) == (2.0, 0.0, 0.0)
    assert direction(read_camera("follow:ball:1,2,3", BODIES)) == (1.0, 2.0, 3.0)
    assert direction(read_camera("follow:ball", BODIES)) is None
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])  # about z
    assert direction(read_camera("fixed:ball:1,2,3", BODIES), lambda body: quarter) == (-2.0, 1.0, 3.0)
    assert direction(read_camera("follow:ball:1,2,3", BODIES), lambda body: quarter) == (1.0, 2.0, 3.0)
    assert direction(read_camera("fixed:ball", BODIES), lambda body: quarter) == (-USUAL[1], USUAL[0], USUAL[2])


@pytest.mark.parametrize(
    "wrong",
    [
        "above", "1,2", "1,2,3:1,2,3", "nan,0,0", "1;alert(1)", "follow:", "follow:nobody", "fixed:ball:0,0,0",
        3, (1, 2, 3), ((1, 2), (0, 0, 0)), ((1, 2, 3), (1, 2, 3)), (("a", 0, 0), (0, 0, 0)),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_no_camera_is_refused(wrong):
    with pytest.raises(gk.InputError, match="camera"):
        read_camera(wrong, BODIES)


def test_pages_are_told_where_to_look_also_those_that_come_later():
    with viewed(falling_simulation(), playing=False, camera="follow:ball:1,-3,1") as view:
        with Page(view) as page:
            page.until(lambda: "look" in page.newest)
            assert page.newest["look"]["body"] == "ball"
            view.look(((5, 0, 2), (0, 0, 1)))
            page.until(lambda: page.newest["look"]["number"] == 2)
            assert page.newest["look"]["eye"] == [5.0, 0.0, 2.0]
        with Page(view) as later:
            later.until(lambda: "look" in later.newest)
            assert later.newest["look"]["number"] == 2
        with pytest.raises(gk.InputError, match="nobody"):
            view.look("follow:nobody")


def test_a_view_refuses_a_body_that_is_not_there():
    with pytest.raises(gk.InputError, match=r"camera.*nobody"):
        gk.view(falling_simulation(), camera="follow:nobody", wait=False, browser=False)
