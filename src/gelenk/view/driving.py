"""What is added to a view for driving: cameras, an overlay, a dialog, ghosts and traces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gelenk.errors import InputError
from gelenk.view.dialog import Dialog
from gelenk.view.live_ghosts import Ghost, LiveGhosts
from gelenk.view.overlay import Overlay
from gelenk.view.rigs import Camera, check_cameras
from gelenk.view.session import Session
from gelenk.view.to_page import Rigs
from gelenk.view.traces import LiveTraces, Trace


class Driving:
    """All of it, for one session; made before pages hear of it, and told of when there is a server."""

    def __init__(
        self,
        session: Session,
        *,
        cameras: Iterable[Camera] = (),
        overlay: Overlay | None = None,
        dialog: Dialog | None = None,
        ghosts: Iterable[Ghost] = (),
        traces: Iterable[Trace] = (),
    ) -> None:
        _check("overlay", overlay, Overlay)
        _check("dialog", dialog, Dialog)
        self.session, self.dialog = session, dialog
        self.rigs = check_cameras(cameras, session.sim.model.nodes.names[1:])
        self.traces = LiveTraces(session, traces)
        self.ghosts = LiveGhosts(session, ghosts)
        session.more_sections.append(self.ghosts.sections)
        if overlay is not None:
            overlay.join(session)
        session.equipped()

    def begin(self) -> None:
        """Tell what there is to choose from."""
        if self.rigs:
            self.session.tell(None, Rigs(self.rigs))
        if self.dialog is not None:
            self.dialog.join(self.session)

    def put_ghosts(self, ghosts: Iterable[Ghost]) -> None:
        """Other ghosts from now on; in the thread of the session."""
        self.ghosts.put(ghosts)
        self.session.redescribe_parts()


def _check(what: str, thing: Any, kind: type) -> None:
    if thing is not None and not isinstance(thing, kind):
        found = f"{what} is {thing!r}"[:100]
        raise InputError("view()", found, f"gk.{kind.__name__}", f"Pass gk.{kind.__name__}(...).")
