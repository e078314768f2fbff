"""Pictures without a desktop: the page of the view in a browser without a screen, or rays where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from gelenk.checks import check_number
from gelenk.errors import InputError
from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.run.recorder import new_path
from gelenk.run.run import Run
from gelenk.simulate import Simulation
from gelenk.state import State
from gelenk.view.browser import Browser, find_browser
from gelenk.view.camera import direction, read_camera
from gelenk.view.light import check_light
from gelenk.view.replay import Replay
from gelenk.view.rigs import check_cameras
from gelenk.view.scenery import Sceneries
from gelenk.view.session import Session
from gelenk.view.to_page import Look, Rigs

LEAST, MOST = 16, 8192  # pixels along a side
MOST_PICTURES = 10_000
PATIENCE = 0.5  # for what a page asks for [s]
NO_BROWSER = "no chromium here, so the picture is made of rays: what collides, without particles, joints and shadows"

Note = Callable[[str], Any]


def snapshots(
    source: Simulation | Run,
    out: str | Path,
    *,
    at: float | None = None,
    every: float | None = None,
    size: str | tuple[int, int] = "1280x720",
    camera: Any = "",
    dark: bool = False,
    rays: bool = False,
    note: Note = lambda text: None,
    clothes: Mapping[str, Any] | None = None,
) -> Iterator[Path]:
    """Take pictures of a simulation, which is moved on for it, or of a run; gives the files as they are written.

    Parameters
    ----------
    out : file to write (.png); of several, with numbers from 0000 on
    at : time of the picture, or of the last one [s]; now if left out, or the end of a run of which there are several
    every : time between pictures [s]; one picture if left out
    size : width and height [pixels], "1280x720"
    camera : as in :func:`gelenk.view`; the whole scene from the front, right and above if left out
    dark : on a dark stage
    rays : without a browser
    note : told what is not as asked for
    clothes : of a run: light, scenery, cameras, traces, hidden, overlay, following and the camera if none is chosen, as
        of :func:`gelenk.replay`; without a browser there are none
    """
    worn = dict(clothes or {})
    path = new_path("picture", out, (".png",))
    shape = checked_size(size)
    declared = [one.name for one in worn.get("cameras", ())]
    chosen = camera or worn.get("camera", "")
    look = read_camera(chosen, source.model.nodes.names[1:], element="snapshot", declared=declared)
    times = picture_times(source, at, every)
    program = None if rays else find_browser()
    if program is None and not rays:
        note(NO_BROWSER)
    made = (
        _rays(source, times, shape, look) if program is None else _page(source, times, shape, look, dark, program, worn)
    )
    for k, data in enumerate(made):
        target = path if every is None else path.with_name(f"{path.stem}_{k:04d}{path.suffix}")
        target.write_bytes(data)
        yield target


def picture_times(source: Simulation | Run, at: float | None, every: float | None) -> list[float]:
    """When pictures are taken [s]."""
    if isinstance(source, Run):
        if not len(source):
            raise InputError(f"run {source.title!r}", "no sample in it", "a run with samples", "Run it again.")
        first, last = float(source.time[0]), float(source.time[-1])
    else:
        first, last = source.time, math.inf
    if at is not None:
        at = check_number("snapshot", "at", at, "s", least=first)
        if at > last + 1e-9 * abs(last):
            raise InputError("snapshot", f"at is {at:g} s", f"{first:g} to {last:g} s", "Choose a time of the run.")
        at = min(at, last)
    if every is None:
        return [first if at is None else at]
    every = check_number("snapshot", "every", every, "s", above=0)
    if at is None and last == math.inf:
        raise InputError("snapshot", "every without at", "the time of the last picture too", "Add --at.")
    count = math.floor(((last if at is None else at) - first) / every + 1e-9) + 1
    if count > MOST_PICTURES:
        raise InputError("snapshot", f"{count} pictures", f"at most {MOST_PICTURES}", "Choose a larger time between.")
    return [first + k * every for k in range(count)]


def checked_size(size: str | tuple[int, int]) -> tuple[int, int]:
    """Width and height [pixels]."""
    try:
        width, height = (int(part) for part in (size.lower().split("x") if isinstance(size, str) else size))
        if LEAST <= width <= MOST and LEAST <= height <= MOST:
            return width, height
    except (TypeError, ValueError):
        pass
    raise InputError("snapshot", f"size is {size!r}"[:80], f"WIDTHxHEIGHT from {LEAST} to {MOST}", "Try 1280x720.")


def _page(
    source: Simulation | Run,
    times: Sequence[float],
    size: tuple[int, int],
    look: Look | None,
    dark: bool,
    program: str,
    worn: Mapping[str, Any],
) -> Iterator[bytes]:
    """Pictures of the page, one after the other in one browser."""
    from gelenk.view.server import Server

    session: Replay | Session
    if isinstance(source, Run):
        session = Replay([source], playing=False, hidden=worn.get("hidden", ()))
    else:
        session = Session(source, playing=False)
    _move(session, times[0])
    server = Server(session)
    server.start()
    if isinstance(session, Replay):
        _dress(session, worn)
    try:
        with Browser(program, size, dark=dark) as browser:
            session.begin()
            session.look(look)
            browser.open(f"{server.address}#picture")
            browser.wait("'gelenk' in window && gelenk.frames > 0 && gelenk.pictures > 0")
            session.take_commands(PATIENCE)  # the page asks for lines on the ground
            for t in times:
                _move(session, t)
                session.refresh()
                now = session.time if isinstance(session, Replay) else session.sim.time
                looked = f"gelenk.looked === {session.looks}"
                shown = f"Math.abs(gelenk.time - {now!r}) < 1e-9 && gelenk.scenery.ready"
                drawn = any(len(line.times) > 1 and line.times[1] <= now for line in worn.get("traces", ()))
                browser.wait(f"{shown} && {looked}" + (" && gelenk.traces > 0" if drawn else ""))
                yield browser.picture()
    finally:
        server.stop()


def _dress(session: Replay, worn: Mapping[str, Any]) -> None:
    """Tell the page of what is around a replay."""
    session.put_traces(worn.get("traces", ()))
    if "cameras" in worn:
        session.tell(None, Rigs(check_cameras(worn["cameras"], [node.name for node in session.scene.nodes[1:]])))
    session.tell(None, check_light(worn.get("light"), "snapshot"))
    scenery = Sceneries(session.blobs)
    scenery.add(worn.get("scenery", ()))
    session.tell(None, scenery.told)
    following, overlay = worn.get("following"), worn.get("overlay")
    if following is not None:
        session.on_publish.append(lambda now: following(session.time))
    if overlay is not None:
        overlay.join(session)


def _move(session: Session | Replay, t: float) -> None:
    if isinstance(session, Replay):
        session.seek(t)
    elif t > session.sim.time:
        session.sim.advance(t - session.sim.time)


def _rays(
    source: Simulation | Run, times: Sequence[float], size: tuple[int, int], look: Look | None
) -> Iterator[bytes]:
    """Pictures made of rays."""
    import numpy as np

    from gelenk.instants import state_at
    from gelenk.view.ray_picture import RayPicture

    model = source.model
    artist = RayPicture(model, size)
    for t in times:
        if isinstance(source, Run):
            state = state_at(source, int(np.abs(source.time - t).argmin()))
        else:
            source.advance(max(0.0, t - source.time))
            state = source.state
        yield artist.png(state, direction(look, partial(_axes, model, state)))


def _axes(model: Model, state: State, body: str) -> Any:
    """Rotation matrix of a body, body to world; particles have the axes of the world."""
    k = model.index(body)
    return rotation_matrix(state.q_WB[k if k < len(state.q_WB) else 0])
