"""The command ``gelenk drive``: a world in the browser, driven by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated

import typer

from gelenk.errors import InputError

WORLDS = ("bobsleigh",)


def drive(
    world: Annotated[str, typer.Argument(metavar="WORLD", help="bobsleigh")],
    track: Annotated[str, typer.Option(help="a track by name, or its file")] = "s13",
    setup: Annotated[Path | None, typer.Option(help="set-up of the sled (.toml)")] = None,
    folder: Annotated[Path, typer.Option(help="where set-ups, runs and the best run lie")] = Path("drive"),
    camera: Annotated[str, typer.Option(help="pilot, behind, trackside, or as of gelenk view")] = "pilot",
    night: Annotated[bool, typer.Option("--night", help="by the light of lamps")] = False,
    sails: Annotated[bool, typer.Option("--sails", help="sun sails closed")] = False,
    sun: Annotated[str, typer.Option(help="from where it shines and how high [deg], from north by east")] = "205,30",
    force_port: Annotated[
        int, typer.Option(help="send the force of the ropes to this UDP port of this machine; 0: to none")
    ] = 0,
    host: Annotated[
        str, typer.Option(help="interface; others than the loopback ask for a token, which is in the address")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 0,
    browser: Annotated[bool | None, typer.Option(help="open a browser; where there is a desktop if left out")] = None,
) -> None:
    """Drive a world by hand in the browser: arrows or a gamepad steer, space starts, r begins anew."""
    if world not in WORLDS:
        raise InputError("drive", f"world {world!r}"[:80], ", ".join(WORLDS), "Try: gelenk drive bobsleigh")
    from gelenk.view.force_out import ForceSender
    from gelenk.worlds.bobsleigh.drive.game import play
    from gelenk.worlds.bobsleigh.drive.scene import Grounds
    from gelenk.worlds.bobsleigh.setup import Setup
    from gelenk.worlds.bobsleigh.track import load_track

    chosen = Setup() if setup is None else Setup.load(setup)
    grounds = Grounds(load_track(track))
    shines = read_sun(sun)
    try:
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder / "runs"):
            pass
    except OSError as error:
        found, allowed = f"--folder {folder}: {error}"[:160], "a folder where runs can be written"
        raise InputError("drive", found, allowed, "Choose another one.") from error
    sender = ForceSender(force_port) if force_port else None
    try:
        play(
            grounds, chosen, folder=folder, camera=camera, night=night, sails=sails, sun=shines, sender=sender,
            wait=True, host=host, port=port, browser=browser,
        )  # fmt: skip
    finally:
        if sender is not None:
            sender.close()
            sys.stdout.write(f"force: {sender.sent} datagrams sent, {sender.dropped} not taken\n")
        if (folder / "runs.csv").exists():
            sys.stdout.write(f"runs and their set-ups: {folder / 'runs'}, times: {folder / 'runs.csv'}\n")
            sys.stdout.write(f"look at one: gelenk replay {folder / 'runs' / 'NAME.h5'}\n")


def read_sun(text: str) -> tuple[float, float]:
    """Azimuth and height [deg]."""
    try:
        azimuth, height = (float(part) for part in text.split(","))
        if -360.0 <= azimuth <= 360.0 and 0.0 <= height <= 90.0:
            return azimuth, height
    except ValueError:
        pass
    allowed = "an azimuth to 360 and a height from 0 to 90 degrees"
    raise InputError("drive", f"--sun {text}"[:80], allowed, "Try --sun 205,30.")
