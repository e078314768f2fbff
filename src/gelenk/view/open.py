"""Open a view: of a simulation in Python, in a notebook, or from the command line."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import webbrowser
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gelenk.arguments import friendly
from gelenk.errors import InputError
from gelenk.run.interrupt import Interrupt
from gelenk.run.run import Run, load_run
from gelenk.simulate import Simulation
from gelenk.view.camera import read_camera
from gelenk.view.desk import Desk
from gelenk.view.devices import Input
from gelenk.view.dialog import Dialog
from gelenk.view.driving import Driving
from gelenk.view.equip import Equipment
from gelenk.view.instruments import Output, check_names
from gelenk.view.light import WORKBENCH, Daylight, Night, check_light
from gelenk.view.live_ghosts import Ghost
from gelenk.view.overlay import Overlay
from gelenk.view.panels import Rows
from gelenk.view.parameters import Parameter
from gelenk.view.replay import Align, Replay
from gelenk.view.rigs import Camera, check_cameras
from gelenk.view.scenery import Sceneries, SceneryCopies, ScenerySurface
from gelenk.view.session import SKIN_COLOUR, STROKE_COLOUR, Session
from gelenk.view.to_page import Light, Look, Rig, Rigs
from gelenk.view.traces import Trace
from gelenk.view.trackers import SixAxes, TrackedPose

if TYPE_CHECKING:
    from gelenk.view.server import Server


class View:
    """A session and its server. ``address`` is what to open, ``close()`` ends it."""

    def __init__(
        self, session: Desk, server: Server, driving: Driving | None = None, rigs: tuple[Rig, ...] = ()
    ) -> None:
        self.session, self.server, self.driving = session, server, driving
        self.rigs = rigs if driving is None else driving.rigs  # cameras to choose from
        self.scenery = Sceneries(session.blobs)
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return self.server.address

    def run(self) -> None:
        """Play in this thread until Ctrl-C or :meth:`close`."""
        with Interrupt() as interrupt:
            self.session.run(lambda: interrupt.pressed or self._closed.is_set())

    def play_behind(self) -> None:
        """Play in a thread of its own, which ends with the program or the kernel of a notebook."""
        atexit.register(self.close)
        self._thread = threading.Thread(target=self.run, name="gelenk view", daemon=True)
        self._thread.start()
        self.session.begun.wait()  # from now on what is to be changed is waited for

    @property
    def live(self) -> Session:
        """Its session, if that is of a simulation."""
        if not isinstance(self.session, Session):
            raise InputError("view", "a replay", "a view of a simulation", "Use gk.view(sim).")
        return self.session

    @property
    def sim(self) -> Simulation:
        """The simulation as it is now: another one than at first after a body or a parameter changed the model."""
        return self.live.sim

    def change(self, change: Callable[[Any], Any], *, from_now: bool = False) -> None:
        """Change the model while it plays, as :meth:`gelenk.Simulation.changed` does; pages see it at once.

        ::

            view.change(lambda b: b.remove("elbow", dependents=True))  # the joint breaks
            view.change(lambda b: b.add(gk.Hinge(...)), from_now=True)

        While the view plays, from another thread than the one it plays in, it returns when it is done, between two
        steps, and raises what is wrong with it; so it is from the moment ``gk.view(sim, wait=False)`` returns. In
        functions that the view calls, such as ``control`` and ``setup``, it returns at once, is done when the steps at
        work are over, those of a sixtieth of a second at most, and what is wrong is told on the page. When the view is
        closed it is refused. After ``from_now`` a reset goes back to this moment.
        """
        session = self.live
        session.call(lambda: session.exchange(session.sim.changed(change, from_now=from_now), begins=from_now))

    def look(self, camera: Any) -> None:
        """Let all pages look from somewhere, as ``camera`` of :func:`view` says it; hands may turn it on from there."""
        nodes = self.session.scene.nodes
        declared = [rig.name for rig in self.rigs]
        bodies = [node.name for node in nodes[1:]]
        self.session.look(read_camera(camera, bodies, element="look()", declared=declared))

    def light(self, light: Daylight | Night | None) -> None:
        """The light from now on: the sun, a night with lamps, or the even one of a workbench."""
        self.session.tell(None, check_light(light, "light()"))

    def add_scenery(self, *pieces: ScenerySurface | SceneryCopies) -> None:
        """Put scenery around the model; one of the same name is replaced."""
        self.scenery.add(pieces)
        self.session.tell(None, self.scenery.told)

    def show(self, name: str, on: bool = True) -> None:
        """Show a piece of scenery, or hide it."""
        self.scenery.show(name, on)
        self.session.tell(None, self.scenery.told)

    def put_ghosts(self, *ghosts: Ghost) -> None:
        """Other ghosts from now on."""
        if self.driving is None:
            raise InputError("view", "a replay", "a view of a simulation", "Name the runs in gk.replay(...).")
        driving = self.driving
        self.live.call(lambda: driving.put_ghosts(ghosts))

    def surface(self, name: str, triangles: Any, *, vertices: Callable[[Any], Any], colour: Any = SKIN_COLOUR) -> None:
        """Draw a surface that deforms: ``triangles`` (m, 3) stay, ``vertices(sim)`` gives (n, 3) [m] for each frame."""
        self.live.surface(name, triangles, vertices=vertices, colour=colour)

    def lines(self, name: str, *, ends: Callable[[Any], Any], colour: Any = STROKE_COLOUR) -> None:
        """Draw lines: ``ends(sim)`` gives both ends (n, 2, 3) [m] for every frame."""
        self.live.lines(name, ends=ends, colour=colour)

    def undraw(self, name: str) -> None:
        """Draw a surface or lines no longer."""
        self.live.undraw(name)

    def close(self) -> None:
        """End the session and the server; the simulation stays where it is."""
        atexit.unregister(self.close)
        self._closed.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self.server.stop()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<View of {self.session.scene.name!r} at {self.address}>"

    def _repr_html_(self) -> str:
        """The page in the cell of a notebook."""
        return (
            f'<iframe src="{escape(self.address)}" style="width:100%;height:540px;border:0;border-radius:8px" '
            'allow="gamepad; fullscreen; autoplay"></iframe>'
        )


@friendly
def view(
    sim: Simulation,
    *,
    wait: bool | None = None,
    playing: bool = True,
    speed: float = 1.0,
    control: Callable[[float, Any], Any] | None = None,
    control_every: float | None = None,
    runs: str | Path = "runs",
    panels: Mapping[str, Rows] | None = None,
    parameters: Iterable[Parameter] = (),
    inputs: Iterable[Input | SixAxes | TrackedPose] = (),
    outputs: Iterable[Output] = (),
    signals: Mapping[str, Callable[[Any], Any]] | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool | None = None,
    setup: Callable[[View], Any] | None = None,
    camera: Any = None,
    light: Daylight | Night | None = None,
    scenery: Iterable[ScenerySurface | SceneryCopies] = (),
    frames: float = 30.0,
    cameras: Iterable[Camera] = (),
    overlay: Overlay | None = None,
    dialog: Dialog | None = None,
    ghosts: Iterable[Ghost] = (),
    traces: Iterable[Trace] = (),
) -> View:
    """Watch and steer a simulation in the browser.

    Parameters
    ----------
    sim : the simulation; while it is viewed, the view moves it
    wait : play in this thread until Ctrl-C; else in a thread of its own, and return at once. In a notebook it is false
        if left out, and the view appears in the cell; elsewhere it is true
    playing : whether it plays from the start
    speed : simulated seconds a second
    control, control_every : as in :meth:`gelenk.Simulation.run`
    runs : folder that recordings go to
    panels : tables of your own on the page, by title: functions of the simulation that give values by name
    parameters : numbers to be changed on the page, beside those of the model: :class:`gelenk.Parameter`
    inputs : what keyboard, gamepad and touch move: :class:`gelenk.Input`; a 3D mouse: :class:`gelenk.SixAxes`; poses
        that a program reads from a device: :class:`gelenk.TrackedPose`
    outputs : what is heard and felt: :class:`gelenk.Tone`, :class:`gelenk.Noise`,
        :class:`gelenk.Hit`, :class:`gelenk.Vibration`
    signals : further quantities to plot by name, each a function of the simulation that gives a number
    host, port : where to listen; the loopback and a free port if left out. Others than the loopback ask for a token,
        which is part of the address
    browser : whether to open a browser; where there is a desktop if left out
    setup : function that is called with the view before it plays, to add surfaces and lines to it
    camera : where to look from: "front", "back", "right", "left", "top", "bottom"; the eye and what it looks at,
        ``((4, -3, 2), (0, 0, 0))`` or "4,-3,2:0,0,0" [m]; "follow:ball" or "fixed:ball" goes along with a body, and
        "follow:ball:2,-3,1" from there. The whole scene if left out
    light : the sun or a night, :class:`gelenk.Daylight` or :class:`gelenk.Night`; that of a workbench if left out
    scenery : what stands around and belongs to no model: :class:`gelenk.ScenerySurface`, :class:`gelenk.SceneryCopies`
    frames : of the simulation that are shown a second, at most
    cameras : to choose from with the key c: :class:`gelenk.CockpitCamera`, :class:`gelenk.FollowCamera`,
        :class:`gelenk.TracksideCamera`; ``camera`` may be the name of one
    overlay : what is shown over the picture: :class:`gelenk.Overlay`
    dialog : what is chosen, saved and loaded on the page: :class:`gelenk.Dialog`
    ghosts : recorded runs that go along: :class:`gelenk.Ghost`
    traces : lines that are drawn on the ground: :class:`gelenk.Trace`
    """
    how: dict[str, Any] = {
        "control": control,
        "control_every": control_every,
        "runs": runs,
        "panels": panels,
        "frames": frames,
    }
    around = check_light(light), check_names("scenery", scenery, (ScenerySurface, SceneryCopies))
    session = Session(sim, speed=speed, playing=playing, **how)
    Equipment(session, parameters=parameters, inputs=inputs, outputs=outputs, signals=signals)
    driving = Driving(session, cameras=cameras, overlay=overlay, dialog=dialog, ghosts=ghosts, traces=traces)
    declared = [rig.name for rig in driving.rigs]
    look = read_camera(camera, sim.model.nodes.names[1:], element="view()", declared=declared)
    where: dict[str, Any] = {"host": host, "port": port, "browser": browser}
    return _open(session, wait=wait, playing=playing, setup=setup, look=look, around=around, driving=driving, **where)


@friendly
def replay(
    *runs: Run | str | Path,
    wait: bool | None = None,
    playing: bool = True,
    speed: float = 1.0,
    loop: bool = False,
    align: Align = "start",
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool | None = None,
    camera: Any = None,
    light: Daylight | Night | None = None,
    scenery: Iterable[ScenerySurface | SceneryCopies] = (),
    setup: Callable[[View], Any] | None = None,
    cameras: Iterable[Camera] = (),
    traces: Iterable[Trace] = (),
    hidden: Iterable[str] = (),
    overlay: Overlay | None = None,
    following: Callable[[float], Any] | None = None,
) -> View:
    """Watch recorded runs in the browser: the first as it was, the others as ghosts beside it.

    Parameters
    ----------
    runs : runs, or the files they are in
    loop : whether it begins again at the end
    align : "start" lets all runs begin together, "time" keeps their times
    wait, playing, speed, host, port, browser, camera, light, scenery, setup, cameras : as in :func:`view`
    traces : lines on the ground that were saved with a run: :func:`gelenk.load_traces`
    hidden : names of bodies that are not drawn, where scenery shows them better
    overlay, following : what is shown over the picture, and a function that is called with the time of the first run
        that is seen [s] before it is shown
    """
    around = check_light(light, "replay()"), check_names("scenery", scenery, (ScenerySurface, SceneryCopies))
    opened = [run if isinstance(run, Run) else load_run(run) for run in runs]
    session = Replay(opened, speed=speed, playing=playing, loop=loop, align=align, hidden=hidden)
    if following is not None:
        session.on_publish.append(lambda now: following(session.time))
    if overlay is not None:
        overlay.join(session)
    session.put_traces(check_names("traces", traces, (Trace,)))
    bodies = opened[0].model.nodes.names[1:]
    rigs = check_cameras(cameras, bodies)
    look = read_camera(camera, bodies, element="replay()", declared=[rig.name for rig in rigs])
    where: dict[str, Any] = {"host": host, "port": port, "browser": browser}
    return _open(session, wait=wait, playing=playing, setup=setup, look=look, around=around, rigs=rigs, **where)


def _open(
    session: Desk,
    *,
    wait: bool | None,
    playing: bool,
    host: str,
    port: int,
    browser: bool | None,
    setup: Callable[[View], Any] | None = None,
    look: Look | None = None,
    around: tuple[Light, tuple[Any, ...]] = (WORKBENCH, ()),
    driving: Driving | None = None,
    rigs: tuple[Rig, ...] = (),
) -> View:
    """Serve a session, say where, and play it here or in a thread of its own."""
    from gelenk.view.server import Server  # here, since servers take a while to load

    for what, value in (("playing", playing), ("wait", wait), ("browser", browser)):
        if not isinstance(value, (bool, type(None))):
            raise InputError("view()", f"{what} is {value!r}"[:80], "true or false", "Pass a bool.")
    server = Server(session, host=host, port=port)
    server.start()
    if rigs:
        session.tell(None, Rigs(rigs))
    if driving is not None:
        driving.begin()
    session.look(look)
    made = View(session, server, driving=driving, rigs=rigs)
    session.tell(None, around[0])
    made.add_scenery(*around[1])
    if setup is not None:
        setup(made)
    notebook = in_notebook()
    wait = not notebook if wait is None else wait
    if not notebook:
        stop = "  (Ctrl-C ends it)" if wait else ""
        sys.stdout.write(f"view of {session.scene.name}: {made.address}{stop}\n")
        sys.stdout.flush()
    if browser if browser is not None else has_desktop() and not notebook:
        webbrowser.open(made.address)
    if wait:
        with made:
            made.run()
    else:
        made.play_behind()
    return made


def in_notebook() -> bool:
    """Whether there is a cell to show a page in."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and hasattr(shell, "kernel")


def has_desktop() -> bool:
    """Whether a browser would have a screen to open on."""
    if sys.platform in ("darwin", "win32"):
        return "SSH_CONNECTION" not in os.environ
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
