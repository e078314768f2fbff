"""Split times of many runs beside those of a race (B-82): means, spreads, errors of means, histograms."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import ArrayLike

from gelenk.errors import InputError


@dataclass(frozen=True)
class SplitStatistics:
    """What many runs have at each measuring point.

    Parameters
    ----------
    places : (k,) arc length of the measuring points in plan [m]
    mean : (k,) of the times there [s]
    sigma : (k,) sample standard deviation, with n - 1 [s]
    runs : n
    """

    places: np.ndarray
    mean: np.ndarray
    sigma: np.ndarray
    runs: int

    def error_of_means(self, race: SplitStatistics) -> np.ndarray:
        """(k,) deviation from the means of a race, 100 (race - this) / race [%] (bobsleigh 3.15)."""
        if not np.array_equal(self.places, race.places):
            found = f"measuring points at {self.places.tolist()} m"
            raise InputError("statistics", found, f"those of the race, {race.places.tolist()} m", "Measure there.")
        return 100.0 * (race.mean - self.mean) / race.mean


def statistics(places: ArrayLike, times: ArrayLike) -> SplitStatistics:
    """Mean and spread of runs that reached every measuring point.

    Parameters
    ----------
    places : (k,) [m]
    times : (n, k) a row for each run [s]; a run without a time at some point, a crash, is left out
    """
    at, table = np.asarray(places, dtype=np.float64), np.asarray(times, dtype=np.float64)
    if table.ndim != 2 or at.shape != (table.shape[-1],):
        found = f"times of shape {table.shape} for {at.size} measuring points"
        raise InputError("statistics", found, "a row for each run, a column for each point", "Stack the runs.")
    whole = table[np.isfinite(table).all(axis=1)]
    if len(whole) < 2:
        found = f"{len(whole)} of {len(table)} runs reached every measuring point"
        raise InputError("statistics", found, "two or more", "Take more runs, or a gentler pilot.")
    return SplitStatistics(at, whole.mean(axis=0), whole.std(axis=0, ddof=1), len(whole))


@cache
def race_2010() -> SplitStatistics:
    """The Olympic two-man race 2010, 80 runs (table 6.1)."""
    return _printed("race")


@cache
def simulator_2015() -> SplitStatistics:
    """The simulator of the source on the track of that race, 77 runs (table 6.1)."""
    return _printed("simulator")


def _printed(which: str) -> SplitStatistics:
    data = tomllib.loads(files(__package__).joinpath("race_2010.toml").read_text(encoding="utf-8"))
    numbers = data[which]
    return SplitStatistics(
        np.array(data["places"]), np.array(numbers["mean"]), np.array(numbers["sigma"]), numbers["runs"]
    )


def beside_the_race(found: SplitStatistics) -> list[tuple[str, ...]]:
    """Rows of a table as in the source: point, means, spreads, error of the means; the first row is its heading."""
    race = race_2010()
    rows: list[tuple[str, ...]] = [("at", "race mean", "sigma", "here mean", "sigma", "error of mean")]
    numbers = zip(race.places, race.mean, race.sigma, found.mean, found.sigma, found.error_of_means(race))
    for at, m_race, s_race, mean, sigma, error in numbers:
        cells = (f"{at:.0f} m", f"{m_race:.4f} s", f"{s_race:.4f} s", f"{mean:.4f} s", f"{sigma:.4f} s")
        rows.append((*cells, f"{error:+.2f} %"))
    return rows


def spread_of(found: SplitStatistics) -> list[tuple[str, ...]]:
    """Rows of means and spreads at other places than those of the race; the first row is its heading."""
    rows: list[tuple[str, ...]] = [("at", "mean", "sigma")]
    for at, mean, sigma in zip(found.places, found.mean, found.sigma):
        rows.append((f"{at:.0f} m", f"{mean:.4f} s", f"{sigma:.4f} s"))
    return rows
