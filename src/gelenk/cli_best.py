"""`gelenk track best`: a faster line for one curve, or for a whole track (B-91)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from gelenk.worlds.bobsleigh.best.best import Search
    from gelenk.worlds.bobsleigh.descent import Descent
    from gelenk.worlds.bobsleigh.setup import Setup
    from gelenk.worlds.bobsleigh.track import Track

Say = Callable[[str], None]
Table = Callable[[Sequence[tuple[str, ...]], tuple[str, ...] | None], None]
What = Annotated[str, typer.Argument(metavar="FILE|NAME", help="a track.toml, its folder, or s13, whistler-like")]


def best_command(say: Say, table: Table) -> Callable[..., None]:
    """The command, told how to print."""

    def best(
        what: What,
        curve: Annotated[list[int] | None, typer.Option(help="number of a curve; all if left out")] = None,
        aim: Annotated[
            str, typer.Option(help="finish; time, 30 m behind the exit; or speed, at the exit of each curve")
        ] = "finish",
        out: Annotated[Path | None, typer.Option(help="line to write; NAME-line.toml if left out")] = None,
        begin: Annotated[Path | None, typer.Option("--from", help="line to begin from")] = None,
        setup: Annotated[Path | None, typer.Option(help="set-up file; the standard one if left out")] = None,
        rounds: Annotated[int, typer.Option(help="most clouds of trials for a curve")] = 12,
        passes: Annotated[int, typer.Option(help="how often all curves are gone through")] = 1,
        spread: Annotated[float, typer.Option(help="of the first shifts that are tried [m]")] = 0.2,
        h: Annotated[float, typer.Option(help="step of the trials [s]")] = 1e-3,
        seed: Annotated[int, typer.Option(help="seed of the random numbers")] = 0,
        workers: Annotated[int | None, typer.Option(help="processes; one a core if left out")] = None,
        proof: Annotated[
            bool, typer.Option(help="go down the whole track at 0.2 ms and 0.1 ms with both lines")
        ] = True,
    ) -> None:
        """Search a faster line, curve by curve; write it, prove it by whole descents, draw both lines."""
        from gelenk.progress import Line
        from gelenk.worlds.bobsleigh.best.best import Effort, best_line
        from gelenk.worlds.bobsleigh.best.course import CoursePlan
        from gelenk.worlds.bobsleigh.best.line_file import BestLine
        from gelenk.worlds.bobsleigh.commands import written_to
        from gelenk.worlds.bobsleigh.pilot.pilot import Pilot
        from gelenk.worlds.bobsleigh.setup import Setup
        from gelenk.worlds.bobsleigh.track import load_track

        track = load_track(what)
        chosen = Setup.load(setup) if setup else Setup()
        old = None if begin is None else BestLine.load(begin)
        if old is not None:
            old.check_track(track.name)
        file = written_to("best", out or Path(f"{track.stem}-line.toml"), (".toml",))
        progress = Line()

        def tell(turn: int, number: int, cloud: int, gained: float) -> None:
            progress.show(f"pass {turn}, curve {number}, cloud {cloud}: {gained:+.4f} (Ctrl-C keeps what is found)")

        made = best_line(
            CoursePlan(track=track, setup=chosen, h=h),
            Pilot() if old is None else old.pilot,
            curves=curve,
            aim=aim,
            effort=Effort(rounds=rounds, passes=passes, spread=spread, seed=seed, workers=workers),
            from_line=old,
            told=tell,
        )
        progress.done()
        _tell_search(say, table, made, aim)
        made.line.save(file)
        say(f"\nline      {file}")
        if made.stopped:
            say("stopped early; what was found is in the file")
            raise typer.Exit(130)
        if proof:
            _prove(say, table, track, chosen, made, file, workers)
        say(f"\nnext: gelenk run bobsleigh --track {what} --pilot {file}")

    return best


def _tell_search(say: Say, table: Table, made: Search, aim: str) -> None:
    """What each curve gained, as trials at their coarse step have it."""
    unit = "m/s" if aim == "speed" else "s"
    rows = [(str(f.turn), str(f.number), str(f.trials), f"{f.before - f.after:+.4f} {unit}") for f in made.found]
    if rows:
        table(rows, ("pass", "curve", "trials", "gained"))
        total = sum(f.before - f.after for f in made.found)
        say(f"\nall together {total:+.4f} {unit} in {sum(f.trials for f in made.found)} trials")


def _prove(say: Say, table: Table, track: Track, setup: Setup, made: Search, file: Path, workers: int | None) -> None:
    """Whole descents with both lines at two steps, and their picture."""
    from gelenk.worlds.bobsleigh.best.proof import descents, gains_table, without_shifts
    from gelenk.worlds.bobsleigh.descent import H

    steps = (H, 0.5 * H)
    say("\nwhole descents, on the line of balance and on the line found:")
    pairs = descents(track, setup, (without_shifts(made.line), made.line), steps, workers)
    heading, *rows = gains_table(steps, pairs, track)
    table(rows, heading)
    if all(run.finished for run in pairs[0]):
        picture = file.with_suffix(".png")
        _draw(track, pairs[0], picture)
        say(f"\npicture   {picture}")


def _draw(track: Track, pair: Sequence[Descent], picture: Path) -> None:
    import numpy as np

    from gelenk.worlds.bobsleigh.analysis.curves import bends
    from gelenk.worlds.bobsleigh.analysis.plots import plot_lines

    at = np.arange(0.0, track.finish, 0.25)
    runs = {"balance": pair[0].line, "line found": pair[1].line}
    begin = max(math.ceil(run.s[0]) for run in runs.values())
    curves = bends(at, track.line.at(at).curvature)
    picture.unlink(missing_ok=True)
    plot_lines(runs, "balance", begin, track.finish, bends=curves, file=picture)
