"""`gelenk bench view`: what a view costs a simulation, how many frames reach a page, how many pictures it draws.

Two cases: many moving bodies, and one surface that deforms. The same simulation is stepped with and without a view, in
turn, in one process; the view has a page that only reads, in a process of its own. Where there is a browser, the page
is opened in it without a screen, and its pictures are counted.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gelenk.bench.collide_records import aligned
from gelenk.bench.rounds import Say
from gelenk.geometry.shapes import Box
from gelenk.methods.free import FreeMotion
from gelenk.model.builder import Builder
from gelenk.model.parts import Part
from gelenk.simulate import Simulation
from gelenk.view.messages import PROTOCOL
from gelenk.view.open import View
from gelenk.view.server import Server
from gelenk.view.session import TICK, Session

ABOUT = "a view of many bodies and of a surface: cost, frames, pictures"
BODIES, VERTICES = 2000, 20_000
ROUNDS, SECONDS = 5, 2.0  # measured with and without in turn, each so long
READER = Path(__file__).with_name("view_reader.py")
FASTER = 1000.0  # than real time: the simulation steps all the time
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
HEADING = ("case", "steps/s alone", "with view", "slower by", "processor", "frames/s", "pictures/s")


class Case(NamedTuple):
    """A simulation, and what is drawn beside its model."""

    name: str
    sim: Simulation
    setup: Callable[[View], Any] | None


def bench_view(size: int | None, say: Say) -> list[dict[str, Any]]:
    """Measure and print both cases; ``size`` is the number of bodies."""
    say(f"view: {ABOUT}; medians of {ROUNDS} rounds of {SECONDS:g} s each")
    records, rows = [], []
    for case in (bodies_case(BODIES if size is None else size), surface_case(VERTICES)):
        record = _measure(case, say)
        records.append(record)
        pictures = record["pictures_per_s"]
        rows.append(
            (
                case.name,
                f"{record['steps_per_s_alone']:.0f}",
                f"{record['steps_per_s_viewed']:.0f}",
                f"{100 * record['slowdown']:.1f} %",
                f"{100 * record['slowdown_processor']:.1f} %",
                f"{record['frames_per_s']:.1f}",
                "-" if pictures is None else f"{pictures:.1f}",
            )
        )
    for line in aligned([HEADING, *rows], 1):
        say(line)
    say("slower by: wall time of a step with a page that reads, against none, both as fast as they can")
    say("processor: the same by processor time of the thread that steps, which other programs disturb less")
    say("frames/s: that reach a page that only reads; pictures/s: of the page in a browser, at real time")
    if records[0]["pictures_per_s"] is None:
        say(f"no pictures: needs one of {', '.join(BROWSERS)}, and the package playwright")
    return records


def bodies_case(count: int) -> Case:
    """Boxes that turn and drift."""
    random = np.random.default_rng(1)
    b = Builder(name="many bodies", gravity=(0.0, 0.0, 0.0))
    for k in range(count):
        part = Part(Box((0.5, 0.4, 0.6)), collide=False, density=100.0)
        at = (float(k % 20), float((k // 20) % 10), 1.0 + k // 200)
        spin, drift = random.normal(size=3), 0.05 * random.normal(size=3)
        b.body(f"b{k}", shape=part, at=at, angular_velocity=tuple(spin), velocity=tuple(drift))
    return Case(f"{count} bodies", Simulation(b.build(), FreeMotion(h=1e-3)), None)


def surface_case(count: int) -> Case:
    """A sheet that waves, beside a few bodies that are stepped."""
    across = int(np.sqrt(count / 2))
    down = count // across
    x, y = np.meshgrid(np.linspace(0, 4, across), np.linspace(0, 4, down))
    first = np.arange((down - 1) * across).reshape(down - 1, across)[:, :-1].ravel()
    a, b, c, d = first, first + 1, first + across + 1, first + across
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    points = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3).astype(np.float32)

    def wave(sim: Simulation) -> np.ndarray:
        points[:, 2] = 0.3 * np.sin(3.0 * points[:, 0] + 20.0 * sim.time)
        return points

    few = bodies_case(200)
    return Case(f"{len(points)} vertices", few.sim, lambda made: made.surface("sheet", faces, vertices=wave))


def _measure(case: Case, say: Say) -> dict[str, Any]:
    case.sim.step(10)
    alone, viewed, frames = [], [], []
    for k in range(ROUNDS):
        say(f"{case.name}: round {k + 1} of {ROUNDS}")
        alone.append(_alone(case.sim))
        cost, seen = _viewed(case)
        viewed.append(cost)
        frames.append(seen)
    return {
        "scene": "view",
        "case": case.name,
        "steps_per_s_alone": 1.0 / statistics.median(cost.wall for cost in alone),
        "steps_per_s_viewed": 1.0 / statistics.median(cost.wall for cost in viewed),
        "slowdown": statistics.median(v.wall / a.wall - 1.0 for a, v in zip(alone, viewed)),
        "slowdown_processor": statistics.median(v.processor / a.processor - 1.0 for a, v in zip(alone, viewed)),
        "frames_per_s": statistics.median(frames),
        "pictures_per_s": _pictures(case),
    }


class Cost(NamedTuple):
    """Of a step [s]: wall time, and processor time of the thread that steps."""

    wall: float
    processor: float


def _alone(sim: Simulation) -> Cost:
    """In batches about as long as those of a view."""
    batch, taken = 1, 0
    begun = now = time.perf_counter()
    processor = time.thread_time()
    while now - begun < SECONDS:
        sim.step(batch)
        taken += batch
        last, now = now, time.perf_counter()
        batch = max(1, int(batch * TICK / max(now - last, 1e-6)))
    return Cost((now - begun) / taken, (time.thread_time() - processor) / taken)


def _viewed(case: Case) -> tuple[Cost, float]:
    """With a page that reads, and the frames a second that reach it."""
    with _served(case, speed=FASTER) as made, _reader(made.address) as lines:
        session = made.live
        session.begin()
        while not lines:  # until it has seen a frame
            session.turn()
        steps, begun, processor = session.steps, time.perf_counter(), time.thread_time()
        while len(lines) < 2:
            session.turn()
        steps = session.steps - steps
        cost = Cost((time.perf_counter() - begun) / steps, (time.thread_time() - processor) / steps)
    return cost, float(lines[1])


@contextmanager
def _served(case: Case, *, speed: float) -> Iterator[View]:
    session = Session(case.sim, speed=speed)
    server = Server(session)
    server.start()
    made = View(session, server)
    if case.setup is not None:
        case.setup(made)
    try:
        yield made
    finally:
        made.close()


@contextmanager
def _reader(address: str) -> Iterator[list[str]]:
    """The lines that a page in a process of its own has written so far."""
    socket = address.replace("http://", "ws://") + "ws"
    program = [sys.executable, str(READER), socket, str(PROTOCOL), str(SECONDS)]
    lines: list[str] = []
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as reader:

        def listen() -> None:
            for line in reader.stdout or ():
                lines.append(line)

        threading.Thread(target=listen, daemon=True).start()
        try:
            yield lines
        finally:
            reader.terminate()


def _pictures(case: Case) -> float | None:
    """Pictures a second of the page in a browser, at real time; None where there is none."""
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None or find_spec("playwright") is None:
        return None
    from playwright.sync_api import sync_playwright

    with _served(case, speed=1.0) as made, sync_playwright() as playwright:
        made.play_behind()
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(made.address)
        time.sleep(4.0 * SECONDS)  # until the picture has become as cheap as it must
        rates = []
        for _ in range(ROUNDS):
            first, begun = page.evaluate("gelenk.pictures"), time.perf_counter()
            time.sleep(SECONDS)
            rates.append((page.evaluate("gelenk.pictures") - first) / (time.perf_counter() - begun))
        browser.close()
    return statistics.median(rates)
