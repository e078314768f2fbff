"""Open a view: of a simulation in Python, in a notebook, or from the command line."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from gelenk.arguments import friendly
from gelenk.errors import InputError
from gelenk.run.interrupt import Interrupt
from gelenk.simulate import Simulation
from gelenk.view.session import SKIN_COLOUR, STROKE_COLOUR, Session

if TYPE_CHECKING:
    from gelenk.view.server import Server


class View:
    """A session and its server. ``address`` is what to open, ``close()`` ends it."""

    def __init__(self, session: Session, server: Server) -> None:
        self.session, self.server = session, server
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
        """Play in a thread of its own."""
        self._thread = threading.Thread(target=self.run, name="gelenk view", daemon=True)
        self._thread.start()

    def surface(self, name: str, triangles: Any, *, vertices: Callable[[Any], Any], colour: Any = SKIN_COLOUR) -> None:
        """Draw a surface that deforms: ``triangles`` (m, 3) stay, ``vertices(sim)`` gives (n, 3) [m] for each frame."""
        self.session.surface(name, triangles, vertices=vertices, colour=colour)

    def lines(self, name: str, *, ends: Callable[[Any], Any], colour: Any = STROKE_COLOUR) -> None:
        """Draw lines: ``ends(sim)`` gives both ends (n, 2, 3) [m] for every frame."""
        self.session.lines(name, ends=ends, colour=colour)

    def undraw(self, name: str) -> None:
        """Draw a surface or lines no longer."""
        self.session.undraw(name)

    def close(self) -> None:
        """End the session and the server; the simulation stays where it is."""
        self._closed.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self.server.stop()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<View of {self.session.sim.model.name!r} at {self.address}>"

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
    host: str = "127.0.0.1",
    port: int = 0,
    browser: bool | None = None,
    setup: Callable[[View], Any] | None = None,
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
    host, port : where to listen; the loopback and a free port if left out. Others than the loopback ask for a token,
        which is part of the address
    browser : whether to open a browser; where there is a desktop if left out
    setup : function that is called with the view before it plays, to add surfaces and lines to it
    """
    from gelenk.view.server import Server  # here, since servers take a while to load

    for what, value in (("playing", playing), ("wait", wait), ("browser", browser)):
        if not isinstance(value, (bool, type(None))):
            raise InputError("view()", f"{what} is {value!r}"[:80], "true or false", "Pass a bool.")
    session = Session(sim, speed=speed, playing=playing, control=control, control_every=control_every)
    server = Server(session, host=host, port=port)
    server.start()
    made = View(session, server)
    if setup is not None:
        setup(made)
    notebook = in_notebook()
    wait = not notebook if wait is None else wait
    if not notebook:
        stop = "  (Ctrl-C ends it)" if wait else ""
        sys.stdout.write(f"view of {sim.model.name}: {made.address}{stop}\n")
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
