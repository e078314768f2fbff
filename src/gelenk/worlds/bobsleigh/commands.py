"""`gelenk track runs`, `lines`, `steering` and `learn`: many runs, and what recorded ones tell (B-82 to B-86, B-90)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gelenk.errors import InputError

Say = Callable[[str], None]
Table = Callable[[Sequence[tuple[str, ...]], tuple[str, ...] | None], None]
What = Annotated[str, typer.Argument(metavar="FILE|NAME", help="a track.toml, its folder, or s13, whistler-like")]
OwnTrack = Annotated[str | None, typer.Option(help="files of the track, if it is one of your own and was moved")]
RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="a run file of a descent (.h5)")]


def written_to(command: str, file: Path, kinds: Sequence[str] = (".png", ".pdf", ".svg")) -> Path:
    """Where a picture or a table goes, refused before long work begins."""
    from gelenk.run.recorder import new_path

    return new_path(f"gelenk track {command}", file, kinds)


def add_commands(app: typer.Typer, say: Say, table: Table) -> None:
    """Add the commands, told how to print."""

    @app.command()
    def runs(
        what: What,
        count: Annotated[int, typer.Option("--runs", help="how many")] = 80,
        setup: Annotated[Path | None, typer.Option(help="set-up file (.toml); start at 7.8 m/s if left out")] = None,
        seed: Annotated[int, typer.Option(help="of the first run; the others count on")] = 0,
        workers: Annotated[int | None, typer.Option(help="processes; one a core if left out")] = None,
        out: Annotated[Path | None, typer.Option(help="histograms (.png), times beside them (.csv)")] = None,
    ) -> None:
        """Noisy pilots drive a track again and again; split times beside those of the race of 2010."""
        from gelenk.checks import check_count
        from gelenk.progress import RunProgress
        from gelenk.worlds.bobsleigh.analysis.plots import plot_splits
        from gelenk.worlds.bobsleigh.analysis.statistics import beside_the_race, race_2010, spread_of
        from gelenk.worlds.bobsleigh.ensemble import RACE_START, Case, Plan, ensemble, save_times
        from gelenk.worlds.bobsleigh.pilot.pilot import CALM, Noise
        from gelenk.worlds.bobsleigh.setup import Setup
        from gelenk.worlds.bobsleigh.track import load_track

        check_count("gelenk track runs", "--runs", count, least=2, most=10_000)
        track = load_track(what)
        chosen = Setup(start_speed=RACE_START) if setup is None else Setup.load(setup)
        target = written_to("runs", out or Path(f"{track.stem}-runs.png"))
        times = written_to("runs", target.with_suffix(".csv"), (".csv",))
        say(f"{track.name}: {count} runs of noisy pilots, seeds {seed} to {seed + count - 1}; times go to {times}")
        bar = RunProgress(0.0, float(count), True)
        cases: list[Case] = []

        def told(case: Case, done: int, wanted: int) -> None:
            cases.append(case)
            save_times(track.timing, cases, times)  # whatever happens, what was driven is there
            bar.at(float(done))

        plan = Plan(track=track, setup=chosen, pilot=CALM, noise=Noise())
        made = ensemble(plan, range(seed, seed + count), workers=workers, told=told)
        bar.done()
        say(f"{len(made.cases)} runs done, {len(made.crashed)} did not arrive")
        if len(made.cases) - len(made.crashed) >= 2:
            found, race = made.statistics, race_2010()
            same = list(found.places) == list(race.places)
            heading, *rows = beside_the_race(found) if same else spread_of(found)
            table(rows, heading)
            if same:
                plot_splits(made.times, race, target)
                say(f"wrote {target}")
        if len(made.cases) < count:
            say("stopped early; what was done is in the table")
            raise typer.Exit(130)

    @app.command()
    def lines(
        files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="run files; all beside the first")],
        begin: Annotated[float | None, typer.Option("--from", help="arc length [m]; the start if left out")] = None,
        end: Annotated[float | None, typer.Option("--to", help="arc length [m]; the finish if left out")] = None,
        out: Annotated[Path | None, typer.Option(help="picture to write; RUN-lines.png if left out")] = None,
        track: OwnTrack = None,
    ) -> None:
        """Kinds of driving lines, curve by curve, and a plot of speed, time, height and offset beside the first run."""
        from gelenk.worlds.bobsleigh.analysis.lines import classify, lines_table
        from gelenk.worlds.bobsleigh.analysis.plots import plot_lines
        from gelenk.worlds.bobsleigh.analysis.runs import bends_of, lines_of

        target = written_to("lines", out or files[0].with_name(f"{files[0].stem}-lines.png"))
        ice, runs = lines_of(files, track)
        first, last = max(r.s[0] for r in runs.values()), min(r.s[-1] for r in runs.values())
        a = first if begin is None else max(begin, first)
        b = min(last, ice.finish) if end is None else min(end, last)
        if not a < b:
            raise InputError("gelenk track lines", f"{a:g} to {b:g} m", "a stretch all runs share", "Change --from.")
        reference = next(iter(runs))
        curves = [bend for bend in bends_of(ice) if bend.entry >= a and bend.exit <= b]
        for name, run in runs.items():
            say(name)
            beside = None if name == reference else runs[reference]
            heading, *rows = lines_table([classify(run, bend, beside) for bend in curves])
            table(rows, heading)
            say("")
        plot_lines(runs, reference, a, b, bends=curves, file=target)
        say(f"wrote {target}")

    @app.command()
    def steering(
        file: RunFile,
        out: Annotated[Path | None, typer.Option(help="picture to write; RUN-steering.png if left out")] = None,
        track: OwnTrack = None,
    ) -> None:
        """Moment of the contacts about the steering axis over the arc length: means of 10 ms, and below 2 Hz."""
        from gelenk.run.run import load_run
        from gelenk.worlds.bobsleigh.analysis.plots import plot_steering
        from gelenk.worlds.bobsleigh.analysis.runs import bends_of, steering_moment, track_of

        target = written_to("steering", out or file.with_name(f"{file.stem}-steering.png"))
        with load_run(file) as run:
            ice = track_of(run, track)
            s, moment, h = steering_moment(run)
            plot_steering(s, moment, h, bends=bends_of(ice), file=target)
        say(f"wrote {target}")

    @app.command()
    def learn(
        what: What,
        count: Annotated[int, typer.Option("--runs", help="at most")] = 12,
        setup: Annotated[Path | None, typer.Option(help="set-up file (.toml)")] = None,
        clouds: Annotated[int, typer.Option(help="of trials for each curve after the runs, see docs")] = 0,
        out: Annotated[Path | None, typer.Option(help="programme to write; beside the track file if left out")] = None,
    ) -> None:
        """The calm pilot learns a track, run after run, until one is clean; later runs go by this programme."""
        from gelenk.checks import check_count
        from gelenk.worlds.bobsleigh.descent import H, descent_model
        from gelenk.worlds.bobsleigh.pilot.learn import Lesson
        from gelenk.worlds.bobsleigh.pilot.learn import learn as drive_and_learn
        from gelenk.worlds.bobsleigh.pilot.pilot import CALM
        from gelenk.worlds.bobsleigh.pilot.programme import FILE, Programme, guide_of
        from gelenk.worlds.bobsleigh.pilot.refine import CurveRefined, refine
        from gelenk.worlds.bobsleigh.pilot.rehearsal import RehearsalPlan
        from gelenk.worlds.bobsleigh.setup import Setup
        from gelenk.worlds.bobsleigh.track import load_track

        check_count("gelenk track learn", "--runs", count, least=1, most=1000)
        check_count("gelenk track learn", "--clouds", clouds, least=0, most=1000)
        track = load_track(what)
        chosen = Setup() if setup is None else Setup.load(setup)
        target = written_to("learn", out or (track.file or Path(FILE)).with_name(FILE), (".csv",))

        def told(number: int, lesson: Lesson) -> None:
            end = f"{lesson.run.times[-1]:.3f} s" if lesson.run.finished else "did not arrive"
            say(f"run {number}: {end}, touched for {0.01 * len(lesson.touched):.2f} s")

        known = guide_of(track)
        begin = known if isinstance(known, Programme) else None
        model = descent_model(track, chosen)
        best = drive_and_learn(track, model, CALM, runs=count, begin=begin, told=told)
        note = f"Line across [m] and steering [deg] over the arc length [m] of {track.name}: gelenk track learn."
        best.programme.save(target, note)

        def refined(curve: CurveRefined) -> None:
            cost = f"cost {curve.before:.1f} -> {curve.after:.1f}"
            say(f"curve {curve.number}: {cost}, touched for {curve.touched:.2f} s")

        if clouds and best.run.finished and len(best.touched):
            plan = RehearsalPlan(track=track, setup=chosen, pilot=CALM, h=H)
            refine(plan, best.programme, rounds=clouds, told=refined).save(target, note)
        say(f"wrote {target}")
