"""`gelenk track`: tracks for their designers, and faster lines for those who drive (B-88, B-91, B-92)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gelenk.cli_best import best_command
from gelenk.worlds.bobsleigh.commands import add_commands, written_to

Say = Callable[[str], None]
Table = Callable[[Sequence[tuple[str, ...]], tuple[str, ...] | None], None]
What = Annotated[str, typer.Argument(metavar="FILE|NAME", help="a track.toml, its folder, or s13, whistler-like")]


def track_commands(say: Say, table: Table) -> typer.Typer:
    """The commands, told how to print."""
    app = typer.Typer(
        help="Ice tracks: check, draw, runs on them, faster lines.", no_args_is_help=True, rich_markup_mode=None
    )

    @app.command()
    def check(
        what: What,
        friction: Annotated[float, typer.Option(help="effective friction of the point mass")] = 0.006,
        start_speed: Annotated[float, typer.Option(help="at s = 0 [m/s]")] = 8.0,
        load: Annotated[float, typer.Option(help="largest load [g]")] = 5.0,
        gradient: Annotated[float, typer.Option(help="steepest gradient [%]")] = 20.0,
        radius: Annotated[float, typer.Option(help="smallest radius of the plan [m]")] = 20.0,
    ) -> None:
        """Gradients, radii and loads against limits, where a sled would leave; ends with 1 if there is a fault."""
        from gelenk.checks import check_number
        from gelenk.worlds.bobsleigh.track.check import Limits, check_track
        from gelenk.worlds.bobsleigh.track.point_mass import PointMass
        from gelenk.worlds.bobsleigh.track.read import load_track

        who = "gelenk track check"
        point = PointMass(
            friction=check_number(who, "--friction", friction, "1", least=0.0, most=1.0),
            start_speed=check_number(who, "--start-speed", start_speed, "m/s", above=0.0),
        )
        limits = Limits(
            check_number(who, "--load", load, "g", above=1.0),
            check_number(who, "--gradient", gradient, "%", above=0.0) / 100.0,
            check_number(who, "--radius", radius, "m", above=0.0),
        )
        track = load_track(what)
        found = check_track(track, limits, point)
        run = found.run
        say(f"{track.name}: {len(track.curves)} curves, {track.drop:.1f} m down over {track.finish:g} m")
        if run.s[-1] >= track.finish - 1e-6:
            times = ", ".join(f"{float(run.time_at(s)):.2f} s at {s:g} m" for s in track.timing)
            say(f"point mass with friction {friction:g}: {times}; fastest {3.6 * run.speed.max():.1f} km/h")
        say("")
        heading = ("curve", "from m", "to m", "turns", "radius m", "fastest m/s", "load g", "line m", "rim m")
        rows = [
            (
                str(c.number),
                f"{c.begin:g}",
                f"{c.end:g}",
                "left" if c.turn > 0 else "right",
                f"{c.radius:.1f}",
                f"{c.speed:.1f}",
                f"{c.load:.2f}",
                f"{c.line_height:.2f}",
                f"{c.rim_height:.2f}",
            )
            for c in found.curves
        ]
        table(rows, heading)
        say("")
        most = found.extremes
        say(
            f"largest load {most.load:.2f} g (limit {limits.load:g}), steepest {100 * most.gradient:.1f} % (limit "
            f"{100 * limits.gradient:g}), smallest radius {most.radius:.1f} m (limit {limits.radius:g})"
        )
        say(
            f"least room from the steady line to the rim {most.room:.2f} m (limit {limits.freeboard:g}); the curvature "
            f"of the plan jumps by at most {most.jump:.1g} 1/m"
        )
        for finding in found.findings:
            say(f"{finding.severity} at {finding.s:.1f} m: {finding.what}. {finding.remedy}".rstrip())
        say(f"{found.faults} faults, {len(found.findings) - found.faults} other findings")
        if found.faults:
            raise typer.Exit(1)

    @app.command()
    def plot(
        what: What,
        out: Annotated[Path | None, typer.Option(help="picture to write; NAME.png if left out")] = None,
        only: Annotated[str | None, typer.Option(help="plan, heights, loads, sections, net or line")] = None,
    ) -> None:
        """Draw plan, heights, loads, sections, net with triangles, and the line in space with its timing points."""
        from gelenk.checks import check_choice
        from gelenk.worlds.bobsleigh.track.plots import PLOTS, plot_track
        from gelenk.worlds.bobsleigh.track.read import load_track

        if only is not None:
            check_choice("gelenk track plot", "--only", only, PLOTS)
        track = load_track(what)
        file = written_to("plot", out or Path(f"{track.stem}.png"))
        plot_track(track, file, only)
        say(f"wrote {file}")

    add_commands(app, say, table)
    app.command()(best_command(say, table))
    return app
