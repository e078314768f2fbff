"""A run: the recorded motion of a model, read from its file or from memory."""

from __future__ import annotations

import io
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from gelenk.checks import unknown
from gelenk.errors import InputError
from gelenk.model.model import Model
from gelenk.model.parts import Frame
from gelenk.model.scene_read import read_scene
from gelenk.run.accuracy import Accuracy
from gelenk.run.causes import outer_causes
from gelenk.run.columns import BODY_SERIES, PARTICLE_SERIES
from gelenk.run.drift import Drift
from gelenk.run.frame_track import FRAME_SERIES, FrameTrack
from gelenk.run.recorder import run_path
from gelenk.run.run_file import FORMAT, beside
from gelenk.run.signals import Signals
from gelenk.run.tracks import SignalTrack, Track
from gelenk.state import Loads, State, state_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GLOBAL_SERIES = (
    "time",
    "energy",
    "energy.kinetic",
    "energy.potential",
    "energy.total",
    "momentum",
    "angular_momentum",
)
UNITS = {
    "time": "s",
    "energy": "J",
    "momentum": "N s",
    "angular_momentum": "N m s",
    "position": "m",
    "velocity": "m/s",
    "angular_velocity": "rad/s, world axes",
    "angular_velocity_body": "rad/s, body axes",
    "orientation": "",
}


class Run:
    """A recorded run.

    ``run["sled"].position`` is the motion of a body, ``run["elbow"].angle`` that of a joint, ``run["energy.total"]`` a
    series by name; ``run.names`` lists all of them. Use it as a context, or call :meth:`close`, to let go of the file.
    """

    def __init__(
        self,
        target: str | Path | BinaryIO,
        *,
        model: Model | None = None,
        laws: Mapping[str, Callable[..., None]] | None = None,
        kinds: Sequence[type] = (),
    ) -> None:
        import h5py

        self.path = Path(target) if isinstance(target, (str, Path)) else None
        self._target, self._laws, self._kinds = target, dict(laws or {}), kinds
        element = f"run file {str(self.path)!r}" if self.path else "run"
        if self.path is not None and not self.path.is_file():
            found = "a folder" if self.path.is_dir() else "there is no such file"
            raise InputError(element, found, "a file written by a run", "Check the path.")
        try:
            self._hdf5 = h5py.File(target, "r")
        except OSError as error:
            raise InputError(
                element, f"HDF5 cannot read it ({error})"[:200], "a file written by a run", "Check the path."
            ) from None
        try:
            if self._hdf5.attrs.get("format") != FORMAT:
                raise InputError(element, "another kind of HDF5 file", f"format {FORMAT!r}", "Open a run file.")
            self.bodies: list[str] = json.loads(self._hdf5.attrs["bodies"])
            self.particles: list[str] = json.loads(self._hdf5.attrs["particles"])
            self.signals = Signals.from_text(str(self._hdf5.attrs.get("signals", "{}")))
            self.outputs: list[str] = sorted(self._hdf5["outputs"]) if "outputs" in self._hdf5 else []
            # Of a run that goes on, all series end where it stood when it was opened.
            self._count = int(self._hdf5["count"][0])
        except (OSError, KeyError, ValueError, RuntimeError) as error:
            self._hdf5.close()
            if isinstance(error, InputError):
                raise
            raise InputError(
                element, f"the file is damaged ({error})"[:200], "a file written by a run", "Run it again."
            ) from None
        if model is not None:
            self.__dict__["model"] = model

    # --- what was recorded -------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        """Number of whole samples when the run was opened."""
        return self._count

    @property
    def _file(self) -> Any:
        if not self._hdf5:
            raise InputError(f"run {str(self.path or '')!r}", "it is closed", "an open run", "Open it with load_run.")
        return self._hdf5

    def read(self, path: str, row: int | None = None) -> np.ndarray:
        """A series of the file, whole samples only; ``row`` picks one body or joint."""
        data = self._file[path]
        values: np.ndarray = data[: len(self)] if row is None else data[: len(self), row]
        return values

    def read_sample(self, path: str, sample: int) -> np.ndarray:
        """One sample of a series of the file, of all bodies or joints; nothing else is read."""
        values: np.ndarray = self._file[path][range(len(self))[sample]]
        return values

    @property
    def time(self) -> np.ndarray:
        """(n,) times of the samples [s]."""
        return self.read("time")

    @property
    def momentum(self) -> np.ndarray:
        """(n, 3) total momentum [N s]."""
        return self.read("momentum")

    @property
    def angular_momentum(self) -> np.ndarray:
        """(n, 3) total angular momentum about the world origin [N m s]."""
        return self.read("angular_momentum")

    @property
    def names(self) -> list[str]:
        """Names of all series, as :meth:`series` and :meth:`plot` take them."""
        made = list(GLOBAL_SERIES)
        made += [f"{body}.{series}" for body in self.bodies for series in BODY_SERIES]
        made += [f"{particle}.{series}" for particle in self.particles for series in PARTICLE_SERIES]
        return [*made, *self.signals.names(), *self.outputs]

    def __getitem__(self, name: str) -> Any:
        """Motion of a body, particle or frame, what a joint or drive did, or a series by its name."""
        if name in self.bodies or name in self.particles:
            return Track(self, name)
        if isinstance(name, str) and name in self.signals.table:
            return SignalTrack(self, name)
        if name not in self.outputs and name not in GLOBAL_SERIES and name in self.frames:
            return FrameTrack(self, self.frames[name])
        return self.series(name)

    def series(self, name: str) -> np.ndarray:
        """A series by name: ``"energy.total"``, ``"sled.position"``, ``"elbow.angle"`` or ``"elbow.force.x"``."""
        found = self._whole_series(name)
        if found is None and isinstance(name, str):
            owner, _, axis = name.rpartition(".")
            table = self._whole_series(owner)
            if table is not None and table.ndim > 1:
                table = table.reshape(len(table), -1)
                axes = axis_names(table.shape[1])
                found = table[:, axes.index(axis)] if axis in axes else None
        if found is None and (name in self.bodies or name in self.particles):
            of = [f"{name}.{series}" for series in (BODY_SERIES if name in self.bodies else PARTICLE_SERIES)]
            kind = "body" if name in self.bodies else "particle"
            raise InputError(
                f"run {self.title!r}", f"{name!r} is a {kind}", "one of its series", f"Use {', '.join(of)}."
            )
        if found is None and isinstance(name, str) and name in self.signals.table:
            of = [f"{name}.{what}" for what in self.signals.table[name]]
            kind = "joint" if name in self.signals.joints else "drive"
            remedy = f"Use {', '.join(of)}." if of else "Read something else: it gives nothing."
            raise InputError(f"run {self.title!r}", f"{name!r} is a {kind}", "one of its series", remedy)
        if found is None:
            every = {*self.names, *self.bodies, *self.particles, *self.signals.table}
            raise unknown(f"run {self.title!r}", "name", name, every, "Look at run.names for what was recorded.")
        return found

    def unit(self, name: str) -> str:
        """Unit of a series, with its axes where that needs saying; empty for the user's own."""
        if name in self.outputs:
            return ""
        signal = self.signals.find(name) or self.signals.find(name.rpartition(".")[0])
        if signal is not None:
            return signal.unit
        return next((UNITS[part] for part in reversed(name.split(".")) if part in UNITS), "")

    def _whole_series(self, name: str) -> np.ndarray | None:
        """A series with all its axes, if there is one of that name."""
        if name in self.outputs:
            return self.read(f"outputs/{name}")
        if name in ("energy", "energy.total"):
            with np.errstate(all="ignore"):  # of a run that explodes
                return self.read("energy/kinetic") + self.read("energy/potential")
        if name in GLOBAL_SERIES:
            return self.read(name.replace(".", "/"))
        owner, _, rest = name.rpartition(".") if isinstance(name, str) else ("", "", "")
        if rest in (BODY_SERIES if owner in self.bodies else PARTICLE_SERIES if owner in self.particles else ()):
            values: np.ndarray = getattr(Track(self, owner), rest)
            return values
        signal = self.signals.find(name)
        if signal is not None:
            return self.read(signal.path, signal.row)
        if rest in FRAME_SERIES and owner in self.frames:
            return np.asarray(getattr(FrameTrack(self, self.frames[owner]), rest))
        return None

    # --- what is known of it -----------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """Name of the file, or of the model."""
        return self.path.name if self.path else str(self._file.attrs.get("model", "run"))

    @property
    def status(self) -> str:
        """How it ended: finished, interrupted, failed, or running (also if the process was killed)."""
        return bytes(self._file["status"][0]).decode()

    @property
    def message(self) -> str:
        """Why it ended early, if it did."""
        return bytes(self._file["message"][0]).decode()

    @property
    def notes(self) -> str:
        """What hands did to it in a live view while it was recorded, a line each; nothing for other runs."""
        return bytes(self._file["notes"][0]).decode() if "notes" in self._file else ""

    @property
    def attributes(self) -> dict[str, Any]:
        """Method, options, versions, seed and the digest of the model."""
        attributes = sorted(self._file.attrs.items())
        return {k: v.item() if isinstance(v, np.generic) else v for k, v in attributes}

    @property
    def wall_time(self) -> float:
        """Seconds the run took."""
        return float(self._file["wall_time"][0])

    @property
    def accuracy(self) -> Accuracy:
        """How far joints were open at worst, over all samples, and the worst residual of the solver."""
        return Accuracy(*self._file["accuracy"][:].tolist()) if "accuracy" in self._file else Accuracy()

    @cached_property
    def model(self) -> Model:
        """The model that ran, rebuilt from the scene in the file."""
        return self._read_model(self._laws)

    @cached_property
    def parts(self) -> Model:
        """The same model to draw and to weigh: laws whose functions are missing do nothing in it."""
        if "model" in self.__dict__:
            return self.model
        forces = tomllib.loads(self._scene).get("force", {})
        return self._read_model({name: _nothing for name, force in forces.items() if "law" in force} | self._laws)

    @cached_property
    def frames(self) -> dict[str, Frame]:
        """Named frames of the model; their motion follows from that of their bodies."""
        if "model" in self.__dict__:
            return {frame.name: frame for frame in self.model.frames}
        tables = tomllib.loads(self._scene).get("frame", {})
        return {name: Frame(name, **table) for name, table in tables.items()}

    @property
    def _scene(self) -> str:
        return str(self._file["scene"][()].decode())

    def _read_model(self, laws: Mapping[str, Callable[..., None]]) -> Model:
        return read_scene(self._scene, file=f"{self.title}:scene", laws=laws, kinds=self._kinds)

    @property
    def last_state(self) -> tuple[float, State]:
        """(time, state) to go on from: ``Simulation(run.model, method, state=state, time=time)``."""
        slot, now = -1, int(self._file["checkpoint/slot"][0])
        while slot != now:  # of a run that goes on, read again if the place was left meanwhile
            slot = now
            t, flat = float(self._file["checkpoint/time"][slot]), self._file["checkpoint/state"][slot]
            now = int(self._file["checkpoint/slot"][0])
        return t, state_of(flat, 1 + len(self.bodies) + len(self.particles), 1 + len(self.bodies))

    def drift(self) -> Drift:
        """Largest change since the start: energy relative to :meth:`energy_scale`, momenta relative to their size.

        Printed, it says what is not conserved in this model by design, and why: there the change is physics. Elsewhere
        it tells the error of the integration. Of a model with joints it also has how far they were open at worst,
        ``"joints_open"`` [m] and ``"joints_turned"`` [rad], and the worst ``"residual"`` of the solver [m/s] or
        [rad/s]: see :attr:`accuracy`.
        """
        energy = self.series("energy")
        with np.errstate(all="ignore"):  # of a run that explodes
            made = {"energy": float(np.abs(energy - energy[0]).max() / self.energy_scale())}
            for name in ("momentum", "angular_momentum"):
                table = self.series(name)
                size = max(float(np.linalg.norm(table, axis=1).max(initial=0.0)), 1e-300)
                made[name] = float(np.linalg.norm(table - table[0], axis=1).max() / size)
        names = ("joints_open", "joints_turned", "residual")
        made |= {name: size for name, size in zip(names, self.accuracy) if not np.isnan(size)}
        return Drift(made, self._causes())

    def _causes(self) -> dict[str, str]:
        try:
            return self.outer_causes()
        except InputError:  # kinds of force of the user's own that were not given to load_run
            return {}

    def energy_scale(self) -> float:
        """What a change of energy is compared with [J]: the energy above the lowest potential seen.

        Its median where nothing may change the energy, so that a run that explodes does not hide behind its own size;
        else the largest, since models with dampers, stops or motors may be at rest most of the time. At least a
        billionth of the energy itself and of that to lift the model by a metre: so round-off at rest stays small.
        """
        kinetic, potential = self.series("energy.kinetic"), self.series("energy.potential")
        if not len(kinetic):
            return 1e-300
        with np.errstate(all="ignore"):
            above = kinetic + (potential - potential.min())
            size = float(above.max() if "energy" in self._causes() else np.median(above))
            return max(size, 1e-9 * max(float(np.abs(kinetic + potential).max()), self._weight()), 1e-300)

    def _weight(self) -> float:
        """Of all that moves [N]; none if the model cannot be read, for want of a kind of force."""
        try:
            mass = sum(body.mass for body in self.parts.bodies) + sum(point.mass for point in self.parts.particles)
            return float(mass * np.linalg.norm(self.parts.gravity))
        except InputError:
            return 0.0

    def outer_causes(self) -> dict[str, str]:
        """Why energy or momenta of this model change by physics, in words; empty where they must not."""
        return outer_causes(self.parts, contact=not np.isnan(self.accuracy.residual))

    # --- what to do with it ------------------------------------------------------------------------------------------

    def plot(self, *names: str, file: str | Path | None = None) -> Figure:
        """Plot series over time, one panel each; writes PNG, SVG or PDF if ``file`` is given."""
        from gelenk.run.plot import plot_series

        return plot_series(self, names or ("energy",), file)

    def picture(self, file: str | Path | None = None, *, instants: int = 9) -> Figure:
        """Draw the scene at several instants; below it energy, motion, and momenta or, where those change, forces.

        Instants stand side by side where everything stays in place, and there is one where nothing moves. Mechanisms
        whose hinges are parallel are seen along their axes.
        """
        from gelenk.run.picture import draw_run

        return draw_run(self, file, instants=instants)

    def export(self, file: str | Path, *names: str) -> Path:
        """Write series as a table of comma-separated values, all of them if none are named."""
        from gelenk.run.export import write_csv

        return write_csv(self, file, names)

    def save(self, file: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run to a file; one of that name is there whole or not at all."""
        path = run_path(file, overwrite)
        if self.path is not None and path.exists() and path.samefile(self.path):
            return path
        with beside(path) as temporary:
            if isinstance(self._target, io.BytesIO):
                temporary.write_bytes(self._target.getbuffer())
            elif self.path is not None:
                shutil.copyfile(self.path, temporary)
            os.replace(temporary, path)
        return path

    def close(self) -> None:
        """Let go of the file."""
        self._hdf5.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._hdf5:
            return f"<Run {self.path}: closed>"
        end = f", t = {self.time[-1]:g} s" if len(self) else ""
        return f"<Run {self.title!r}: {self.status}, {len(self)} samples{end}>"


def load_run(
    file: str | Path, *, laws: Mapping[str, Callable[..., None]] | None = None, kinds: Sequence[type] = ()
) -> Run:
    """Open a run file; ``laws`` and ``kinds`` give back the functions and classes of a model's own forces."""
    return Run(Path(file), laws=laws, kinds=kinds)


def axis_names(count: int) -> tuple[str, ...]:
    """Names of the numbers of one sample: axes of a vector or quaternion, else their places."""
    return {3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}.get(count) or tuple(map(str, range(count)))


def _nothing(t: float, state: State, loads: Loads) -> None:
    pass
