"""Set-ups of a sled: what a pilot chooses before a run, saved and loaded as text (B-56, B-61, B-64)."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from gelenk.checks import check_choice, check_number, unknown
from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.toml_lines import line_of, line_of_decoding

SPRINGS = {"soft": 0.5, "standard": 1.0, "hard": 2.0}  # factors of the stiffness (bobsleigh 9.3)
REMEDY = "Write one, as docs/bobsleigh.md shows, or save one in gelenk drive bobsleigh."
PRELOADS_DEG = (0.0, 1.5, 3.0, 5.0)  # kinks that there are parts for

RANGES: Mapping[str, tuple[str, dict[str, Any]]] = {  # unit and what is allowed
    "start_speed": ("m/s", {"least": 0.0, "most": 60.0}),
    "directness": ("1", {"above": 0.0, "most": 10.0}),
    "friction_along": ("1", {"above": 0.0, "most": 0.1}),
    "straight_share": ("1", {"least": 0.0, "most": 0.99}),
    "friction_across_min": ("1", {"above": 0.0, "most": 1.0}),
    "friction_across_max": ("1", {"above": 0.0, "most": 1.0}),
    "full_load": ("N", {"above": 0.0}),
    "bumper_restitution": ("1", {"least": 0.0, "most": 1.0}),
    "bumper_friction": ("1", {"least": 0.0, "most": 10.0}),
    "rim_friction": ("1", {"least": 0.0, "most": 10.0}),
    "drag_area": ("m^2", {"least": 0.0}),
    "runner_stiffness": ("N m/rad", {"least": 0.0}),
}
OF_THE_SLED = ("drag_area", "runner_stiffness")  # None leaves them to its data


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What can be chosen for a run. Defaults are those of the source's test pilots (bobsleigh 5.3, 9.4).

    Parameters
    ----------
    pilot : name
    start_speed : along the track at its start [m/s]
    directness : of the steering, see :func:`steering_angle`; test pilots took 5/8 to 5/7
    middle_springs, front_springs : "soft", "standard" or "hard" springs of the mid-joint and the front axle
    middle_preload_deg, front_preload_deg : angle at which they bend [deg]; None for that of the sled
    friction_along : mu_t of the runners
    straight_share : mu_r / mu_t, the flat part of the friction set
    friction_across_min, friction_across_max : mu_b without load and at the full load
    full_load : normal force at which mu_b is largest [N], each point
    bumper_restitution, bumper_friction, rim_friction : of hits, and of a sled on its side
    drag_area : c_d A [m^2]; None for that of the sled
    runner_stiffness : of the springs in the hinges of all runners [N m/rad]; None for that of the sled, 0 for runners
        that pitch freely, which turns the sign of what the steering feels in curves (docs/bobsleigh.md)
    """

    pilot: str = "standard"
    start_speed: float = 8.0
    directness: float = 5.0 / 7.0
    middle_springs: str = "standard"
    front_springs: str = "standard"
    middle_preload_deg: float | None = None
    front_preload_deg: float | None = None
    friction_along: float = 4e-3
    straight_share: float = 0.66
    friction_across_min: float = 0.02
    friction_across_max: float = 0.10
    full_load: float = 2000.0
    bumper_restitution: float = 0.05
    bumper_friction: float = 0.1
    rim_friction: float = 0.1
    drag_area: float | None = None
    runner_stiffness: float | None = None

    def __post_init__(self) -> None:
        put, label = object.__setattr__, f"set-up of {self.pilot!r}"[:60]
        if not isinstance(self.pilot, str) or not self.pilot.strip():
            raise InputError("set-up", f"pilot is {self.pilot!r}"[:80], "a name", "Give the pilot's name.")
        for what, (unit, bounds) in RANGES.items():
            value = getattr(self, what)
            if value is not None or what not in OF_THE_SLED:
                put(self, what, check_number(label, what, value, unit, **bounds))
        for what in ("middle_springs", "front_springs"):
            check_choice(label, what, getattr(self, what), tuple(SPRINGS))
        for what in ("middle_preload_deg", "front_preload_deg"):
            value = getattr(self, what)
            if value is not None:
                put(self, what, check_number(label, what, value, "deg", least=0.0, most=12.0))
        if self.friction_across_max < self.friction_across_min:
            found = f"friction_across_max is {self.friction_across_max:g}, below friction_across_min"
            raise InputError(label, found, f"at least {self.friction_across_min:g}", "Exchange them.")

    def text(self) -> str:
        """It as TOML."""
        lines = [f"{name} = {_text(value)}" for name, value in asdict(self).items() if value is not None]
        return "# Set-up of a bobsleigh. SI units; angles in degrees.\n" + "\n".join(lines) + "\n"

    def save(self, file: str | Path) -> Path:
        """Write it as TOML."""
        path = Path(file)
        path.write_text(self.text(), encoding="utf-8")
        return path

    @classmethod
    def load(cls, file: str | Path) -> Setup:
        """Read a file that :meth:`save` wrote, or a hand; what is not in it is as in the standard one.

        Mistakes are refused with the line they stand in.
        """
        path = Path(file)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(f"set-up {path.name}", f"{error}"[:120], "a TOML file with a set-up", REMEDY) from error
        try:
            return cls.read(text, f"set-up {path.name}")
        except InputError as error:
            error.file, error.line = path.name, error.line or line_of(text, error.found)
            raise

    @classmethod
    def read(cls, text: str, what: str = "set-up") -> Setup:
        """Read what :meth:`text` gives."""
        try:
            values: dict[str, Any] = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            line = line_of_decoding(error)
            raise InputError(what, f"{error}"[:120], "a TOML file with a set-up", REMEDY, line=line) from error
        known = {field.name for field in fields(cls)}
        for name in values:
            if name not in known:
                raise unknown(what, "value", name, known, "Remove it.")
        return cls(**values)


def _text(value: str | float) -> str:
    """A value as TOML."""
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
    return repr(float(value))


def preloaded_lever(stiffness: float, lever: float, preload: float) -> tuple[float, float, float]:
    """(c1, c2, kink) of a lever between two springs with preload (B-54), for small angles:

        c1 = 2 c l^2,    c2 = c l^2,    sin kink = z_k / l

    Parameters
    ----------
    stiffness : c of one spring [N/m]
    lever : l [m]
    preload : z_k, by how much each spring is pressed together at rest [m]

    Source: bobsleigh 3.13, eqs 4.2 to 4.4.
    """
    c = check_number("preloaded lever", "stiffness", stiffness, "N/m", above=0.0)
    length = check_number("preloaded lever", "lever", lever, "m", above=0.0)
    z_k = check_number("preloaded lever", "preload", preload, "m", least=0.0, most=length)
    return 2.0 * c * length**2, c * length**2, math.asin(z_k / length)
