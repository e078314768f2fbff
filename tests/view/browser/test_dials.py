"""Instruments in a real browser: sliders act, plots fill, the tree has values, keys and gamepads steer, tones sound."""

import numpy as np
import pytest

import gelenk as gk
from view.browser.chromium import needs_browser, open_page, until, wait
from view.pages import viewed
from view.test_touch import arm

pytestmark = needs_browser


def test_sliders_act_while_it_runs(chromium):
    with viewed(arm()) as view, open_page(chromium, view) as page:
        page.click("#settings > summary")
        page.fill("input[type=range][data-name=gravity]", "2")
        page.fill("input[type=range][data-name='drive.speed']", "0.5")
        page.fill("input[type=number][data-name='stiffness of cord']", "250")
        page.keyboard.press("Enter")
        wait(page, "gelenk.frames > 5")

        def arrived():
            sim = view.session.sim
            return sim.model.gravity, sim.inputs["drive.speed"], sim.model.forces[0].stiffness

        wanted = ((0, 0, -2.0), 0.5, 250.0)
        for _ in range(100):
            if arrived() == wanted:
                break
            page.wait_for_timeout(100)
        assert arrived() == wanted
        shown = "document.querySelector(\"input[type=range][data-name='drive.speed']\").value"
        for _ in range(100):
            view.session.sim.inputs["drive.speed"] = -0.25  # again, since a change of the model may be under way
            if page.evaluate(shown) == "-0.25":
                break
            page.wait_for_timeout(100)
        assert page.evaluate(shown) == "-0.25"


def test_what_is_refused_goes_back(chromium):
    """A number beyond its bounds is told of, and field and slider show the true one again."""
    stop = gk.Parameter("stop", get=lambda sim: 0.5, set=lambda sim, x: None, low=0, high=3, unit="rad")
    with viewed(arm(), parameters=[stop], playing=False) as view, open_page(chromium, view) as page:
        page.click("#settings > summary")
        page.fill("input[type=number][data-name=stop]", "9")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=0 to 3 rad")
        page.evaluate("document.activeElement.blur()")
        for kind in ("number", "range"):
            wait(page, f"document.querySelector('input[type={kind}][data-name=stop]').value === '0.5'")


def test_a_switch(chromium):
    kept = {"lamp": 0.0}
    lamp = gk.Parameter("lamp", get=lambda sim: kept["lamp"], set=lambda sim, x: kept.update(lamp=x), switch=True)
    with viewed(arm(), parameters=[lamp], playing=False) as view, open_page(chromium, view) as page:
        page.click("#settings > summary")
        page.check("input[data-name=lamp]")
        until(page, lambda: kept["lamp"] == 1.0)
        page.uncheck("input[data-name=lamp]")
        until(page, lambda: kept["lamp"] == 0.0)
        assert view.session.sim.time == 0.0


def value_of(signal):
    return f"!!document.querySelector(\"[data-signal='{signal}']\")?.textContent"


def test_the_tree_shows_values_and_plots_fill(chromium, tmp_path):
    with viewed(arm(), signals={"twice": lambda sim: 2 * sim.time}) as view, open_page(chromium, view) as page:
        page.click("#explorer > summary")
        page.click("#tree [data-key=Joints] > summary")
        page.click("#tree [data-key='/elbow'] > summary")
        wait(page, value_of("elbow.force.z"))
        page.click("#tree [data-key=Whole] > summary")
        wait(page, value_of("energy"))
        page.click("[data-signal='elbow.angle']")
        page.click("[data-signal='elbow.force.z']")
        page.click("[data-signal='twice']")
        wait(page, "gelenk.samples('twice') > 30 && gelenk.samples('elbow.angle') > 30")
        assert page.locator("#plots canvas").count() == 3, "one chart a unit"
        assert "elbow.angle" in page.inner_text("#plots")
        page.click("#play")
        wait(page, "gelenk.status.run === 'paused'")
        page.wait_for_timeout(300)
        with page.expect_download() as got:
            page.click("#plot-csv")
        got.value.save_as(tmp_path / "plots.csv")
        head, *lines = (tmp_path / "plots.csv").read_text().splitlines()
        assert head == '"time [s]","elbow.angle [rad]","elbow.force.z [N]","twice"'
        last = [float(x) for x in lines[-1].split(",")]
        assert last[0] == view.session.sim.time
        assert last[1] == pytest.approx(view.session.sim["elbow"].angle)
        assert last[3] == pytest.approx(2 * last[0])
        with page.expect_download() as got:
            page.click("#plot-png")
        got.value.save_as(tmp_path / "plots.png")
        assert (tmp_path / "plots.png").read_bytes().startswith(b"\x89PNG")
        page.click("[data-signal='twice']")
        assert page.locator("#plots canvas").count() == 2
        page.click("#plot-clear")
        assert page.is_hidden("#plots")


def ink(page):
    """How many pixels of the first chart are painted, by column."""
    return page.evaluate(
        "(() => { const c = document.querySelector('#plots canvas');"
        " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, n = [];"
        " for (let x = 0; x < c.width; x++) { let k = 0;"
        " for (let y = 0; y < c.height; y++) k += d[4 * (y * c.width + x) + 3] > 100; n.push(k); } return n; })()"
    )


def test_plots_zoom_and_follow(chromium):
    with viewed(arm(), playing=False) as view, open_page(chromium, view) as page:
        page.click("#explorer > summary")
        page.click("#tree [data-key=Whole] > summary")
        page.click("[data-signal='kinetic energy']")
        page.fill("#count", "1000")
        page.click("#step")
        wait(page, "gelenk.status.steps === 1000 && gelenk.samples('kinetic energy') > 3")
        page.wait_for_timeout(300)
        before = ink(page)
        box = page.locator("#plots canvas").bounding_box()
        page.mouse.move(box["x"] + 60, box["y"] + 60)
        page.mouse.wheel(0, -1200)
        page.wait_for_timeout(300)
        zoomed = ink(page)
        assert np.count_nonzero(zoomed) > 1.5 * np.count_nonzero(before), "the curve fills more of it"
        page.focus("#plots canvas")
        page.keyboard.press("0")
        page.keyboard.press("-")
        page.wait_for_timeout(300)
        assert ink(page) != zoomed


def test_keys_reach_the_model_and_can_be_chosen(chromium):
    throttle = gk.Input("throttle", to="drive.speed", low=-2, high=4, up="KeyW", down="KeyS", rise=0.2)
    horn = gk.Input("horn", low=0, digital=True, up="Space")
    with viewed(arm(), inputs=[throttle, horn]) as view, open_page(chromium, view) as page:
        page.keyboard.down("KeyW")
        wait(page, "gelenk.inputs.throttle === 4")
        until(page, lambda: view.session.sim.inputs["drive.speed"] == 4.0)
        page.keyboard.up("KeyW")
        wait(page, "gelenk.inputs.throttle === 0")
        page.keyboard.down("KeyS")
        wait(page, "gelenk.inputs.throttle === -2")
        page.keyboard.up("KeyS")
        page.keyboard.down("Space")
        wait(page, "gelenk.inputs.horn === 1")
        until(page, lambda: horn.value == 1.0)
        page.keyboard.up("Space")
        assert page.evaluate("gelenk.status.run") == "playing", "a key that steers does nothing else"
        page.click("#inputs summary:has-text('what moves throttle')")
        page.click("[aria-label='key up of throttle']")
        page.keyboard.press("KeyI")
        assert page.inner_text("[aria-label='key up of throttle']") == "KeyI"
        page.reload()
        wait(page, "!!window.gelenk && gelenk.frames > 0 && gelenk.inputs.throttle === 0")
        page.keyboard.down("KeyI")
        wait(page, "gelenk.inputs.throttle === 4")
        page.keyboard.up("KeyI")


def test_pads_on_the_screen(chromium):
    throttle = gk.Input("throttle", to="drive.speed", low=-2, high=4)
    with viewed(arm(), inputs=[throttle]) as view, open_page(chromium, view) as page:
        box = page.locator("input.pad").bounding_box()
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, y)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 2, y, steps=4)
        wait(page, "gelenk.inputs.throttle > 3.5")
        until(page, lambda: view.session.sim.inputs["drive.speed"] > 3.5)
        page.mouse.up()
        wait(page, "gelenk.inputs.throttle === 0")


def test_a_gamepad_steers_and_vibrates(chromium):
    throttle = gk.Input("throttle", to="drive.speed", low=-2, high=4, axis=1)
    rumble = gk.Vibration(strong=0.5)
    with viewed(arm(), inputs=[throttle], outputs=[rumble]) as view, open_page(chromium, view) as page:
        page.evaluate(
            "window.stick = 0; window.felt = [];"
            "const play = (kind, effect) => { felt.push(effect.strongMagnitude); return Promise.resolve(); };"
            "const motor = { playEffect: play };"
            "navigator.getGamepads = () => [{ axes: [0, stick], buttons: [], vibrationActuator: motor }]"
        )
        page.evaluate("window.stick = 1")
        wait(page, "gelenk.inputs.throttle === 4")
        page.evaluate("window.stick = 0.05")
        wait(page, "gelenk.inputs.throttle === 0")
        page.evaluate("window.stick = -1")
        wait(page, "gelenk.inputs.throttle === -2")
        until(page, lambda: view.session.sim.inputs["drive.speed"] == -2.0)
        wait(page, "felt.length > 0 && felt[0] === 0.5")
        page.click("#inputs summary:has-text('what moves throttle')")
        page.evaluate("window.stick = 0.1")
        page.click("#inputs button:has-text('Calibrate')")
        for stick in (0.3, 0.5, 0.1, -0.3, 0.1):
            page.evaluate(f"window.stick = {stick}")
            page.wait_for_timeout(150)
        wait(page, "document.querySelector('#inputs').textContent.includes('Calibrate')")
        page.evaluate("window.stick = 0.5")
        wait(page, "gelenk.inputs.throttle === 4")


def test_tones_sound_after_a_touch(chromium):
    engine = gk.Tone("engine", pitch=80.0, volume=0.5)
    with viewed(arm(), outputs=[engine]) as view, open_page(chromium, view) as page:
        page.click("#name")
        wait(page, "gelenk.tones.engine && gelenk.tones.engine[0] === 80")
        engine.pitch = 120.0
        wait(page, "gelenk.tones.engine[0] === 120")
        page.uncheck("#sound")
        assert page.evaluate("Object.keys(gelenk.tones).length") == 0
        assert view.session.status().run == "playing"


def test_instruments_go_on_after_a_broken_line(chromium):
    with viewed(arm()) as view, open_page(chromium, view) as page:
        page.click("#explorer > summary")
        page.click("#tree [data-key=Whole] > summary")
        page.click("[data-signal='energy']")
        wait(page, "gelenk.samples('energy') > 5")
        page.evaluate("gelenk.drop()")
        wait(page, "gelenk.connections === 2 && gelenk.link === 'connected'")
        count = page.evaluate("gelenk.samples('energy')")
        wait(page, f"gelenk.samples('energy') > {count} + 5")
        assert len(view.session.handlers) > 10


def test_what_can_be_pressed_has_a_name(chromium):
    inputs = [gk.Input("throttle"), gk.Input("horn", low=0, digital=True)]
    with viewed(arm(), inputs=inputs) as view, open_page(chromium, view) as page:
        page.click("#settings > summary")
        page.click("#explorer > summary")
        nameless = page.evaluate(
            "[...document.querySelectorAll('button, input, select')].filter(e => !(e.textContent.trim() ||"
            " e.getAttribute('aria-label') || e.labels?.length || e.title)).map(e => e.outerHTML)"
        )
        assert nameless == []
        assert view.session.scene.devices


def test_a_line_that_breaks_lets_all_rest_and_be_silent(chromium):
    lever = gk.Input("lever", up="KeyW", rise=0)
    engine = gk.Tone("engine", pitch=80.0, volume=0.5)
    moved = []
    lever.to = lambda sim, value: moved.append(value)
    with viewed(arm(), inputs=[lever], outputs=[engine]) as view, open_page(chromium, view) as page:
        page.keyboard.down("KeyW")
        until(page, lambda: moved == [1.0])
        wait(page, "gelenk.tones.engine[1] === 0.5")
        page.evaluate("window.WebSocket = class { close() {} }; gelenk.drop()")
        wait(page, "document.body.dataset.link === 'lost'")
        assert page.evaluate("gelenk.tones.engine[1]") == 0
        until(page, lambda: moved == [1.0, 0.0])


def test_a_key_that_is_down_counts_again_after_a_break(chromium):
    lever = gk.Input("lever", up="KeyW", rise=0)
    moved = []
    lever.to = lambda sim, value: moved.append(value)
    with viewed(arm(), inputs=[lever]) as view, open_page(chromium, view) as page:
        page.keyboard.down("KeyW")
        until(page, lambda: moved == [1.0])
        page.evaluate("gelenk.drop()")
        until(page, lambda: moved[:3] == [1.0, 0.0, 1.0])


def test_a_3d_mouse_gives_six_velocities(chromium):
    """Browsers offer it as a gamepad of six axes (V-112)."""
    mouse = gk.SixAxes("mouse", speed=2.0, turn=1.0)
    with viewed(arm(), inputs=[mouse]) as view, open_page(chromium, view) as page:
        page.evaluate("window.puck = [0, 0, 0, 0, 0, 0]; navigator.getGamepads = () => [{ axes: puck, buttons: [] }]")
        page.evaluate("window.puck = [1, -1, 0, 0, 0, 1]")
        until(page, lambda: np.allclose(mouse.velocity, (2, 2, 0)) and np.allclose(mouse.angular_velocity, (0, 0, -1)))
        page.evaluate("window.puck = [0, 0, 0, 0, 0, 0]")
        until(page, lambda: not mouse.velocity.any() and not mouse.angular_velocity.any())
        assert view.session.status().run == "playing"
