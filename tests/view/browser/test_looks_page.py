"""How bodies look: what is selected is marked, those of one grey are told apart; and small things of the panels."""

import numpy as np

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, pixels, wait
from view.models import H
from view.pages import viewed

pytestmark = needs_browser
ORANGE = (255, 138, 31)


def tower():
    """Bricks of one material on each other."""
    b = gk.Builder(name="tower", gravity=(0, 0, 0))
    b.material("stone")
    for k in range(6):
        brick = gk.Part(gk.Box((0.4, 0.4, 0.2)), material="stone", collide=False)
        b.body(f"brick{k}", shape=brick, at=(0, 0, 0.1 + 0.2 * k))
    return gk.Simulation(b.build(), gk.FreeMotion(h=H))


def test_what_is_selected_is_marked(chromium, view):
    def orange():
        page.wait_for_timeout(300)
        return (np.abs(pixels(page)[60:560, :660] - ORANGE).max(axis=2) < 30).sum()

    with open_page(chromium, view) as page:
        assert orange() == 0
        for name in ("ball", "box"):
            page.mouse.click(*page.evaluate(f"gelenk.onPage(...gelenk.pose('{name}').slice(0, 3))"))
            wait(page, f"document.querySelector('#selected').value.startsWith('{name}')")
            assert orange() > 100
        page.mouse.click(30, 500)
        wait(page, "document.querySelector('#selected').value.startsWith('press')")
        assert orange() == 0


def test_bricks_of_one_grey_are_told_apart(chromium):
    with viewed(tower(), playing=False) as view, open_page(chromium, view) as page:
        page.keyboard.press("2")  # from the front
        page.wait_for_timeout(800)
        places = [page.evaluate(f"gelenk.onPage(0.05, -0.2, {0.1 * k})") for k in range(1, 12)]
        grey = pixels(page).sum(axis=2) / 3
        rows = [[grey[round(y) + d, round(x)] for d in range(-3, 4)] for x, y in places]
        faces, joints = rows[0::2], rows[1::2]
        for low, joint, high in zip(faces, joints, faces[1:], strict=False):
            assert min(joint) < min(min(low), min(high)) - 8, "an edge between them"
            assert abs(np.mean(low) - np.mean(high)) > 2, "and another shade"


def test_the_scale_of_colours_is_told(chromium, view):
    """Numbers with units at both ends, those of the colours that are seen (V-117)."""
    fastest = max(np.linalg.norm(view.sim[name].velocity) for name in ("ball", "box"))
    with open_page(chromium, view) as page:
        page.click("#picture summary")
        assert page.is_hidden("#scale")
        for colouring, least, most in (("load", "0 N", "force 0 N"), ("speed", "0 m/s", f"speed {fastest:.3g} m/s")):
            page.select_option("#colouring", colouring)
            wait(page, f"gelenk.colouring === '{colouring}'")
            assert [page.inner_text(f"#scale-{end}") for end in ("least", "most")] == [least, most]
        page.select_option("#colouring", "cluster")
        assert page.is_hidden("#scale")


def test_space_plays_after_a_box_was_ticked_with_the_pointer(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#drags")
        page.keyboard.press(" ")
        wait(page, "gelenk.status.run === 'playing'")
        assert not page.is_checked("#drags")
        page.focus("#drags")
        page.keyboard.press(" ")
        assert page.is_checked("#drags"), "with keys it is ticked as ever"
        assert page.evaluate("document.activeElement.id") == "drags"
        assert page.evaluate("gelenk.status.run") == "playing"


def test_an_error_goes_when_it_is_tried_again(chromium, view):
    with open_page(chromium, view) as page:
        page.click("#adding > summary")
        page.fill("#add-name", "ball")
        page.click("#add")
        wait(page, "document.querySelector('#notes').textContent.includes('taken')")
        page.fill("#add-name", "other")
        page.click("#add")
        wait(page, "gelenk.pose('other') !== null")
        assert page.inner_text("#notes") == ""
