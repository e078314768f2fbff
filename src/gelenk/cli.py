"""The command line: run, look, export, measure."""

from __future__ import annotations

import atexit
import gc
import shlex
import shutil
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from gelenk.cli_drive import drive
from gelenk.cli_replay import replay
from gelenk.cli_track import track_commands
from gelenk.errors import InputError

CAMERA = "from where: front, right, top, ...; eye and what it looks at: 4,-3,2:0,0,0.5 [m]; follow:BODY or fixed:BODY"
METHOD = "impulse, row_stepping, moreau_tree, position_based, lagrange or free"
app = typer.Typer(
    help="Multibody dynamics: run worlds, scenes and robots, look at the results, measure speed.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
RunFile = Annotated[Path, typer.Argument(metavar="RUN", help="a run file (.h5)")]


def _version(wanted: bool) -> None:
    if wanted:
        from gelenk import __version__

        say(f"gelenk {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="say the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Multibody dynamics: run worlds, scenes and robots, look at the results, measure speed."""


def say(text: str = "") -> None:
    """Print for the person at the terminal."""
    sys.stdout.write(text + "\n")


def table(rows: Sequence[tuple[str, ...]], heading: tuple[str, ...] | None = None) -> None:
    """Print rows in columns; numbers to the right where a heading says so."""
    if not rows:
        return
    every = [heading, *rows] if heading else rows
    widths = [max(len(row[k]) for row in every) for k in range(len(every[0]))]
    if heading:
        say("  ".join(h.ljust(w) for h, w in zip(heading, widths)).rstrip())
        say("  ".join("-" * w for w in widths))
    for row in rows:
        say("  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip())


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(
            metavar="WORLD|FILE",
            help="a world by name (top, or bobsleigh with --track, --pilot, --setup, --surface), a scene or a robot",
        ),
    ],
    t_end: Annotated[float | None, typer.Option(help="end of the run [s]")] = None,
    h: Annotated[float | None, typer.Option(help="step [s]")] = None,
    method: Annotated[str | None, typer.Option(help=METHOD)] = None,
    solver: Annotated[
        str | None, typer.Option(help="of joints: tree, sparse, gauss_seidel, dantzig, lemke or split")
    ] = None,
    integrator: Annotated[str | None, typer.Option(help="scheme of free motion; a wrong name lists all")] = None,
    output_dt: Annotated[float | None, typer.Option(help="time between samples [s]")] = None,
    out: Annotated[Path | None, typer.Option(help="run file to write; runs/NAME.h5 if left out")] = None,
    picture: Annotated[bool, typer.Option(help="also draw a picture beside the run file")] = True,
    force: Annotated[bool, typer.Option(help="write over an existing file, runs/NAME.h5 too")] = False,
    seed: Annotated[int, typer.Option(help="seed of the random numbers")] = 0,
) -> None:
    """Run a world, a scene or a robot, print what happened, write the run file and a picture."""
    from gelenk.checks import check_number
    from gelenk.run.choose import choose
    from gelenk.run.picture_process import PictureProcess
    from gelenk.run.recorder import run_path
    from gelenk.simulate import Simulation
    from gelenk.worlds import choices, pictures_of

    if what.startswith("-"):
        raise typer.BadParameter(f"no such option: {what}")
    begun = time.perf_counter()
    if out is not None:
        run_path(out, force)  # refused before a model is made and compiled
    for option, value in (("--t-end", t_end), ("--output-dt", output_dt)):
        if value is not None:
            check_number("gelenk run", option, value, "s", above=0.0)
    model, own, end, about, report, hints, running = _resolve(what, words=context.args)
    chosen = choose(own, name=method, solver=solver, integrator=integrator, h=h)
    end = end if t_end is None else t_end
    path = _default_path(Path(what).stem, force) if out is None else out
    say(f"{model.name}: {about}")
    counts = [_count(len(model.bodies), "body", "bodies"), _count(len(model.particles), "particle", "particles")]
    counts += [_count(len(model.joints), "joint or drive", "joints and drives")] if model.joints else []
    say(f"{', '.join(counts)}, {chosen}")
    own_pictures = pictures_of(what, context.args)
    with PictureProcess(picture and own_pictures is None) as artist, ExitStack() as later:
        simulation = Simulation(model, chosen, seed=seed)
        if output_dt is not None:
            running["output_dt"] = output_dt
        with warnings_as_lines():
            recorded = later.enter_context(simulation.run(end, file=path, overwrite=force, **running))
        say()
        table([*report(recorded), *_ledger_rows(recorded)])
        say()
        say(f"run file  {path}")
        if picture and own_pictures is not None:
            for label, file in own_pictures(recorded, path):
                say(f"{label}  {file}")
        elif picture:
            drawn = path.with_suffix(".png")
            if not artist.draw(path, drawn):
                recorded.picture(drawn)
            say(f"picture   {drawn}")
        say(f"whole command {time.perf_counter() - begun:.2f} s")
        if recorded.status == "interrupted":
            say(f"\nstopped early ({recorded.message}); what was recorded is in the file")
            raise typer.Exit(130)
    if hints:
        say("\nnext:")
        called = "python -m gelenk" if sys.argv[0].endswith("__main__.py") else sys.argv[0]
        own = "gelenk" if shutil.which("gelenk") else called  # as it can be typed here
        given = {name: f" --{name} {shlex.quote(value)}" for name, value in choices(what, context.args).items()}
        fill = defaultdict(str, given, run=shlex.quote(str(path)))
        table([("  " + command.format_map(fill).replace("gelenk", own, 1), text) for command, text in hints])


@app.command()
def view(
    what: Annotated[
        str,
        typer.Argument(metavar="WORLD|FILE|RUN", help="a world by name (top), a scene (.toml), a robot or a run (.h5)"),
    ],
    h: Annotated[float | None, typer.Option(help="step [s]")] = None,
    method: Annotated[str | None, typer.Option(help=METHOD)] = None,
    solver: Annotated[
        str | None, typer.Option(help="of joints: tree, sparse, gauss_seidel, dantzig, lemke or split")
    ] = None,
    speed: Annotated[float, typer.Option(help="simulated seconds a second")] = 1.0,
    paused: Annotated[bool, typer.Option("--paused", help="wait for play")] = False,
    host: Annotated[
        str, typer.Option(help="interface; others than the loopback ask for a token, which is in the address")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes a free one")] = 0,
    browser: Annotated[bool | None, typer.Option(help="open a browser; where there is a desktop if left out")] = None,
    camera: Annotated[str, typer.Option(help=CAMERA)] = "",
    seed: Annotated[int, typer.Option(help="seed of the random numbers")] = 0,
) -> None:
    """Watch and steer a world, a scene or a robot in the browser, or watch a recorded run, until Ctrl-C."""
    if _is_run(what):
        replay([Path(what)], speed=speed, paused=paused, host=host, port=port, browser=browser, camera=camera)
        return
    from gelenk.run.choose import choose
    from gelenk.simulate import Simulation
    from gelenk.view.open import view as open_view

    model, own, *_ = _resolve(what, "view")
    chosen = choose(own, name=method, solver=solver, integrator=None, h=h)
    simulation = Simulation(model, chosen, seed=seed)
    where: dict[str, Any] = {"host": host, "port": port, "browser": browser, "camera": camera}
    open_view(simulation, wait=True, playing=not paused, speed=speed, **where)


app.command()(drive)
app.command()(replay)


@app.command()
def snapshot(
    what: Annotated[
        str,
        typer.Argument(metavar="WORLD|FILE|RUN", help="a world by name (top), a scene (.toml), a robot or a run (.h5)"),
    ],
    out: Annotated[Path, typer.Option(help="picture to write (.png)")],
    at: Annotated[float | None, typer.Option(help="time of the picture [s]; the start if left out")] = None,
    every: Annotated[float | None, typer.Option(help="pictures up to that time, so far apart [s]")] = None,
    size: Annotated[str, typer.Option(help="width and height in pixels")] = "1280x720",
    camera: Annotated[str, typer.Option(help=CAMERA)] = "",
    dark: Annotated[bool, typer.Option("--dark", help="a dark stage")] = False,
    h: Annotated[float | None, typer.Option(help="step [s]")] = None,
    method: Annotated[str | None, typer.Option(help=METHOD)] = None,
    rays: Annotated[bool, typer.Option("--rays", help="without a browser, made of rays")] = False,
    seed: Annotated[int, typer.Option(help="seed of the random numbers")] = 0,
    track: Annotated[str | None, typer.Option(help="of descents on a track of your own, its files")] = None,
    night: Annotated[bool, typer.Option("--night", help="descents by the light of lamps")] = False,
    sails: Annotated[bool, typer.Option("--sails", help="descents with sun sails closed")] = False,
    plain: Annotated[bool, typer.Option("--plain", help="descents as their bodies alone")] = False,
) -> None:
    """Take a picture of a world, a scene, a robot or a run at a time, without a desktop."""
    from gelenk.run.choose import choose
    from gelenk.run.run import load_run
    from gelenk.simulate import Simulation
    from gelenk.view.snapshot import snapshots
    from gelenk.worlds import dressed

    source: Any
    clothes: dict[str, Any] = {}
    if _is_run(what):
        source = load_run(Path(what))
        clothes = {} if plain or rays else dressed([source], track=track, night=night, sails=sails)
    else:
        model, own, *_ = _resolve(what, "snapshot")
        source = Simulation(model, choose(own, name=method, solver=None, integrator=None, h=h), seed=seed)
    options: dict[str, Any] = {
        "clothes": clothes,
        "at": at,
        "every": every,
        "size": size,
        "camera": camera,
        "dark": dark,
        "rays": rays,
    }
    with warnings_as_lines():
        for path in snapshots(source, out, note=lambda text: sys.stderr.write(f"gelenk: {text}\n"), **options):
            say(f"wrote {path}")


def _is_run(what: str) -> bool:
    return Path(what).suffix.lower() in (".h5", ".hdf5")


@app.command()
def info(file: RunFile) -> None:
    """Say what a run file holds and how the run ended."""
    from gelenk.run.run import load_run

    with load_run(file) as r:
        rows = [("status", r.status + (f": {r.message}" if r.message else "")), ("samples", str(len(r)))]
        rows += [("hands", line) for line in r.notes.splitlines()]
        if r.status == "running":
            rows[0] = ("status", "running now, or its process was killed")
        if len(r):
            rows.append(("time", f"{r.time[0]:g} to {r.time[-1]:g} s"))
        rows += [("bodies", _names(r.bodies)), ("particles", _names(r.particles))]
        rows += [("joints", _names(r.signals.joints)), ("drives", _names(r.signals.drives))]
        rows += [("outputs", _names(r.outputs))]
        hidden = ("bodies", "particles", "signals", "format", "t_start")
        rows += [(k, str(v)) for k, v in r.attributes.items() if k not in hidden]
        rows += _ledger_rows(r) if len(r) else []
    table([(a, b) for a, b in rows if b])


@app.command()
def plot(
    file: RunFile,
    names: Annotated[
        list[str] | None, typer.Argument(help="series to plot; the scene and its energies if left out")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="picture to write (.png, .svg, .pdf)")] = None,
) -> None:
    """Plot series of a run, or draw its scene, to a picture."""
    from gelenk.run.run import load_run

    target = out or (file.with_name(f"{file.stem}-{names[0]}.png") if names else file.with_suffix(".png"))
    with load_run(file) as r:
        if names:
            r.plot(*names, file=target)
        else:
            r.picture(target)
    say(f"wrote {target}")


@app.command()
def export(
    file: RunFile,
    names: Annotated[list[str] | None, typer.Argument(help="series to write; all if left out")] = None,
    out: Annotated[
        Path | None, typer.Option(help=".csv for a table, .png or .svg for a picture, .xml for the record of a descent")
    ] = None,
) -> None:
    """Write series of a run as a table (CSV), a picture (PNG, SVG) or a readable record (XML)."""
    from gelenk.run.run import load_run
    from gelenk.worlds import export_xml

    target = out or file.with_suffix(".csv")
    with load_run(file) as r:
        if target.suffix.lower() == ".xml":
            export_xml(r, target)
        elif target.suffix.lower() == ".csv":
            r.export(target, *(names or ()))
        elif names:
            r.plot(*names, file=target)
        else:
            r.picture(target)
    say(f"wrote {target}")


@app.command()
def warmup(
    processes: Annotated[int | None, typer.Option(help="processes at once; one a core if left out")] = None,
) -> None:
    """Compile the usual kernels ahead, so that later runs start at once: methods, contacts of simple shapes, rays."""
    from gelenk import compile as compiler
    from gelenk.kernel_files import cache_dir
    from gelenk.warmup import CASES, warm_all

    if not compiler.ENABLED:
        raise InputError("warmup", "GELENK_COMPILE is off", "compiled kernels", "Unset GELENK_COMPILE.")
    begun = time.perf_counter()
    say(f"compiling {len(CASES)} kernels into {cache_dir()}")

    def done(case: str, seconds: float, finished: int, total: int) -> None:
        say(f"  {finished}/{total}  {case:<28} {seconds:6.2f} s")
        sys.stdout.flush()

    warm_all(done, processes)
    say(f"ready in {time.perf_counter() - begun:.1f} s")


@app.command()
def doctor(
    clear: Annotated[bool, typer.Option(help="remove kernels of older versions from the cache")] = False,
) -> None:
    """Report versions, processor, kernel cache and compile times."""
    from gelenk.doctor import report

    table(report(clear=clear))


@app.command()
def bench(
    scene: Annotated[
        str | None, typer.Argument(help="scene, such as boxes or chain; all if left out, and a wrong name lists them")
    ] = None,
    peers: Annotated[str, typer.Option(help="engines beside ours, separated by commas; 'all' or 'none'")] = "all",
    json_file: Annotated[Path | None, typer.Option("--json", help="write the records to this file")] = None,
    size: Annotated[
        int | None, typer.Option(help="number of bodies, in the scene collide of boxes in the pile")
    ] = None,
) -> None:
    """Measure scenes in Gelenk and in other engines, same step and same work, in one run."""
    from gelenk.bench import bench as measure

    measure(scene, peers, json_file, size, say)


def _resolve(
    what: str, command: str = "run", words: Sequence[str] = ()
) -> tuple[Any, Any, float, str, Any, tuple[tuple[str, str], ...], dict[str, Any]]:
    """Model, method, end time, text, report, hints of a world, a scene or a robot, and what its run is called with."""
    from gelenk.simulate import default_method
    from gelenk.worlds import WORLDS, choices, world

    options = choices(what, words)
    if what in WORLDS:
        w = world(what)
        running = w.running(**options) if hasattr(w, "running") else {}
        return w.build(**options), w.method(), w.T_END, w.ABOUT, w.report, w.NEXT, running
    suffix = Path(what).suffix.lower()
    if suffix in (".toml", ".urdf"):
        model = _read_scene(Path(what)) if suffix == ".toml" else _read_robot(Path(what))
        about = f"{'scene' if suffix == '.toml' else 'robot'} {what}"
        series = next(iter(model.wired.coordinates), None)
        named = "energy" if series is None else f"'{series.joint}.{series.name}'"
        hints = (
            ("gelenk replay {run}", "look at it"),
            (f"gelenk plot {{run}} {named}", "plot any series"),
            ("gelenk info {run}", "what the file holds"),
        )
        return model, default_method(model), 10.0, about, lambda run: [], hints, {}
    kinds = "a scene (.toml), a robot (.urdf)" + ("" if command == "run" else ", a run (.h5)")
    remedy = "Check the name or add .toml."
    if suffix == ".py":
        remedy = "A program is run by itself: python FILE. In it, gk.view(gk.Simulation(model)) opens the view."
    raise InputError(command, f"{what!r}", f"{kinds} or a world: {', '.join(WORLDS)}", remedy)


def _read_scene(path: Path) -> Any:
    from gelenk.model.scene_read import load_scene

    with warnings_as_lines():
        return load_scene(path)


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Warnings in the manner of the errors: a line each, without a place in some program."""
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always", UserWarning)
        yield
    for note in notes:
        sys.stderr.write(f"gelenk: {note.message}\n")


def _read_robot(path: Path) -> Any:
    """The robot with its base fixed; meshes that cannot be read are left out, since they have no weight."""
    from gelenk.model.urdf import load_urdf

    with warnings_as_lines():
        return load_urdf(path, meshes="skip").builder.build()


def _ledger_rows(r: Any) -> list[tuple[str, str]]:
    import numpy as np

    drift = r.drift()
    causes = drift.causes

    def why(what: str) -> str:
        return f" (not conserved here: {causes[what]})" if what in causes else ""

    energy, scale = ("energy change", "largest") if "energy" in causes else ("energy drift", "median")
    rows = [
        (energy, f"{drift['energy']:.1e} of the {scale} energy{why('energy')}"),
        ("momentum change", f"{drift['momentum']:.1e} of its size{why('momentum')}"),
        ("angular momentum change", f"{drift['angular_momentum']:.1e} of its size{why('angular_momentum')}"),
    ]
    if r.bodies:
        length = np.linalg.norm(r.read("orientation"), axis=-1)
        rows.append(("quaternion length off by", f"{np.abs(length - 1).max():.1e}"))
    if r.accuracy.opening:
        rows.append(("joints open by at most", r.accuracy.opening))
    if not np.isnan(r.accuracy.residual):
        rows.append(("worst residual", f"{r.accuracy.residual:.1e} m/s or rad/s"))
    simulated = r.time[-1] - r.time[0]
    steps = round(simulated / r.attributes["h"])
    if r.wall_time > 0:
        rows.append(("time used", f"{r.wall_time:.3f} s for {simulated:g} s and {steps} steps"))
    return rows


def _default_path(stem: str, force: bool) -> Path:
    """runs/NAME.h5, or with the first free number, so that no run is lost; the first is written over if forced."""
    folder = Path("runs")
    folder.mkdir(exist_ok=True)
    path, k = folder / f"{stem}.h5", 2
    while path.exists() and not force:
        path, k = folder / f"{stem}-{k}.h5", k + 1
    return path


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


app.add_typer(track_commands(say, table), name="track")


def main() -> None:
    """Entry point: bad input is a message, not a traceback."""
    atexit.register(gc.freeze)  # spares the search for cycles among all that is about to go: 0.4 s of every command
    from gelenk.simulate import SimulationError

    try:
        app(prog_name="gelenk")
    except (InputError, OSError) as error:
        sys.stderr.write(f"gelenk: {error}\n")
        raise SystemExit(2) from None
    except SimulationError as error:
        where = f" What was recorded is in {error.run.path}" if error.run and error.run.path else ""
        sys.stderr.write(f"gelenk: {error}{where}\n")
        raise SystemExit(1) from None
