"""Sounds beside tones: noise that is filtered, as wind and scratching are, and single low hits (B-74, B-75, B-76).

    wind = gk.Noise("wind", cutoff=400)
    scratch = gk.Noise("scratch", cutoff=2500, sharpness=2)
    hit = gk.Hit("bumper", pitch=55)

    def control(t, sim):
        wind.cutoff, wind.volume = 200 + 30 * speed, speed / 40
        if hit_hard:
            hit.strike(0.8)

    gk.view(sim, control=control, outputs=[wind, scratch, hit])

The page makes all of them itself; nothing is recorded sound.
"""

from __future__ import annotations

import math

from gelenk.arguments import friendly
from gelenk.checks import check_name, check_number
from gelenk.errors import InputError

LEAST_PITCH, MOST_PITCH = 10.0, 18_000.0  # [Hz]


@friendly
class Noise:
    """Noise behind a filter: ``cutoff`` [Hz], ``volume`` from 0 to 1, and what the filter lets through.

    ``sharpness`` 0 lets through all below the cut-off, as wind and rolling sound; above it is the quality of a band
    about the cut-off, as scratching sounds at 1 to 5.
    """

    def __init__(self, name: str, *, cutoff: float = 500.0, volume: float = 0.0, sharpness: float = 0.0) -> None:
        self.name = check_name("noise", name)
        label = f"noise {name!r}"
        self.cutoff = check_number(label, "cutoff", cutoff, "Hz", above=0.0)
        self.volume = check_number(label, "volume", volume, "1", least=0.0)
        self.sharpness = check_number(label, "sharpness", sharpness, "1", least=0.0, most=50.0)

    def now(self) -> tuple[float, float, float]:
        """What is heard: within what can be heard, and silent where it is no number."""
        cutoff, volume = _number(self.cutoff), _number(self.volume)
        if cutoff is None or volume is None:
            return LEAST_PITCH, 0.0, self.sharpness
        return (
            round(min(max(cutoff, LEAST_PITCH), MOST_PITCH), 1),
            round(min(max(volume, 0.0), 1.0), 3),
            self.sharpness,
        )

    def __repr__(self) -> str:
        return f"<noise {self.name!r}: to {self.cutoff:g} Hz, volume {self.volume:g}>"


@friendly
class Hit:
    """A single low blow, whenever it is struck: ``pitch`` [Hz] of its body, ``length`` [s] in which it dies away."""

    def __init__(self, name: str, *, pitch: float = 55.0, length: float = 0.35) -> None:
        self.name = check_name("hit", name)
        label = f"hit {name!r}"
        self.pitch = check_number(label, "pitch", pitch, "Hz", least=LEAST_PITCH, most=2000.0)
        self.length = check_number(label, "length", length, "s", above=0.0, most=5.0)
        self.count, self._loudness = 0, 0.0
        self._told = 0

    def strike(self, loudness: float) -> None:
        """Sound once, from 0, not at all, to 1; the loudest of those between two pictures is heard."""
        found = _number(loudness)
        if found is None:
            raise InputError(f"hit {self.name!r}", f"loudness is {loudness!r}"[:80], "a number", "Pass 0 to 1.")
        if found <= 0.0:
            return
        if self._told == self.count:
            self.count, self._loudness = self.count + 1, 0.0
        self._loudness = max(self._loudness, min(found, 1.0))

    def now(self) -> tuple[float, float, float, float]:
        """How often it was struck so far, how loudly the last time, pitch and length."""
        self._told = self.count
        return float(self.count), round(self._loudness, 3), self.pitch, self.length

    def __repr__(self) -> str:
        return f"<hit {self.name!r}: {self.pitch:g} Hz, struck {self.count} times>"


def _number(value: float) -> float | None:
    try:
        found = float(value)
    except (TypeError, ValueError):
        return None
    return found if math.isfinite(found) else None
