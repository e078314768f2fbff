"""The command ``gelenk replay``: recorded runs in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

CAMERA = "from where, as of gelenk view; of descents also pilot, behind (if left out) or trackside"


def replay(
    files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="run files (.h5); all but the first as ghosts")],
    speed: Annotated[float, typer.Option(help="recorded seconds a second")] = 1.0,
    paused: Annotated[bool, typer.Option("--paused", help="wait for play")] = False,
    loop: Annotated[bool, typer.Option("--loop", help="begin again at the end")] = False,
    align: Annotated[str, typer.Option(help="start: all runs begin together; time: each keeps its times")] = "start",
    host: Annotated[
        str, typer.Option(help="interface; others than the loopback ask for a token, which is in the address")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 0,
    browser: Annotated[bool | None, typer.Option(help="open a browser; where there is a desktop if left out")] = None,
    camera: Annotated[str, typer.Option(help=CAMERA)] = "",
    track: Annotated[str | None, typer.Option(help="of descents on a track of your own, its files")] = None,
    night: Annotated[bool, typer.Option("--night", help="descents by the light of lamps")] = False,
    sails: Annotated[bool, typer.Option("--sails", help="descents with sun sails closed")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="descents as their bodies alone")] = False,
) -> None:
    """Watch recorded runs in the browser, several over each other, until Ctrl-C."""
    from gelenk.run.run import load_run
    from gelenk.view.open import replay as open_replay
    from gelenk.worlds import dressed

    runs = [load_run(file) for file in files]
    how: dict[str, Any] = {"host": host, "port": port, "browser": browser}
    how |= {} if plain else dressed(runs, track=track, night=night, sails=sails)
    if camera:
        how["camera"] = camera
    open_replay(*runs, wait=True, playing=not paused, speed=speed, loop=loop, align=align, **how)  # type: ignore[arg-type]
