"""What a designer asks of a track: gradients, radii, loads against limits, and where a sled would leave it (B-92)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gelenk.worlds.bobsleigh.track.patch import Patch
from gelenk.worlds.bobsleigh.track.point_mass import G, PointMass, PointRun, slide
from gelenk.worlds.bobsleigh.track.section import PIECES, curve_points
from gelenk.worlds.bobsleigh.track.track import Track

SEVERITIES = ("fault", "warning", "note")
KINK = 2e-3  # [1/m] jump of the curvature of the plan that is worth a note: 0.3 g at 38 m/s
FINE = 8  # points a piece, where the slope of a section is looked at


@dataclass(frozen=True, slots=True)
class Limits:
    """What is allowed. The defaults [S] lie near what tracks of today have; give those of your federation."""

    load: float = 5.0  # [g]
    gradient: float = 0.20  # dh/ds downhill
    radius: float = 20.0  # [m] of the plan
    freeboard: float = 0.3  # [m] from the steady line up to the rim


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found at arc length s [m]: a fault, a warning or a note."""

    severity: str
    s: float
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class CurveReport:
    """What a point mass meets in one curve.

    ``line_height`` is how far the steady line climbs, ``rim_height`` how high the rim is there [m].
    """

    number: int
    turn: int
    begin: float
    end: float
    radius: float
    speed: float
    load: float
    line_height: float
    rim_height: float


@dataclass(frozen=True, slots=True)
class Extremes:
    """The nearest to the limits: load [g], gradient downhill, radius of the plan [m], room below the rim [m], and the

    largest jump of the curvature of the plan [1/m].
    """

    load: float
    gradient: float
    radius: float
    room: float
    jump: float


@dataclass(frozen=True, slots=True)
class Report:
    """Findings, worst first, one row for each curve, the run of the point mass they come from, and what is extreme."""

    findings: tuple[Finding, ...]
    curves: tuple[CurveReport, ...]
    run: PointRun

    extremes: Extremes

    @property
    def faults(self) -> int:
        """How many findings are faults."""
        return sum(finding.severity == "fault" for finding in self.findings)


def check_track(track: Track, limits: Limits | None = None, point: PointMass | None = None) -> Report:
    """Look over a track with a point mass on its line; low friction and a fast start are the hard case."""
    limits = limits or Limits()
    run = slide(track.line, point or PointMass(friction=0.006), track.finish)
    findings = [*joints_of(track), *shape_of(track, limits)]
    if len(run.s) < 2 or run.s[-1] < track.finish - 1e-6:
        what = "a point mass comes to rest before the finish"
        findings.append(Finding("fault", float(run.s[-1]), what, "Make it steeper before that place."))
    s = run.s
    at = track.line.at(s)
    cos = 1.0 / np.sqrt(1.0 + at.slope**2)
    v = run.speed * cos
    outward, into = v * v * at.curvature, (G + v * v * at.bend) * cos
    load = np.hypot(outward, into) / G
    for k in runs_of(load > limits.load):
        peak = k[load[k].argmax()]
        what = f"load of {load[peak]:.2f} g, {s[k[-1]] - s[k[0]]:.0f} m long; limit {limits.load:g} g"
        findings.append(Finding("fault", float(s[peak]), what, "Take a larger radius there, or less height before."))
    for k in runs_of(into <= 0.0):
        findings.append(Finding("fault", float(s[k[0]]), "the sled lifts off", "Take a larger radius of the heights."))
    curves, least = [], np.inf
    for patch, curve in zip(track.patches, track.curves):
        k = np.flatnonzero((s >= curve.begin) & (s < curve.end))
        if not len(k):
            continue
        line, rim = steady_heights(patch, s[k], outward[k], into[k])
        room = rim - line
        least = min(least, float(np.min(room)))
        tight = int(np.where(np.isfinite(line), line, -1.0).argmax())
        for j in runs_of(~(room >= limits.freeboard)):
            worst = j[np.nan_to_num(room[j], nan=-1e3, neginf=-1e3).argmin()]
            leaves = not np.isfinite(line[worst]) or room[worst] <= 0.0
            how = "leaves over the rim" if leaves else f"comes within {room[worst]:.2f} m of the rim"
            what = f"the steady line {how} at {run.speed[k[worst]]:.1f} m/s, {load[k[worst]]:.2f} g"
            remedy = "Bank higher or steeper there, or take a larger radius."
            findings.append(Finding("fault" if leaves else "warning", float(s[k[worst]]), what, remedy))
        radius = 1.0 / max(float(np.abs(at.curvature[k]).max()), 1e-9)
        numbers = float(run.speed[k].max()), float(load[k].max()), float(line[tight]), float(rim[tight])
        curves.append(CurveReport(patch.curve + 1, curve.turn, curve.begin, curve.end, radius, *numbers))
    findings.sort(key=lambda finding: (SEVERITIES.index(finding.severity), finding.s))
    sharpest = float(np.abs(at.curvature).max())
    jump = max((abs(after - before) for _, before, after in jumps_of(track)), default=0.0)
    extremes = Extremes(float(load.max()), float(-at.slope.min()), 1.0 / max(sharpest, 1e-9), least, jump)
    return Report(tuple(findings), tuple(curves), run, extremes)


def runs_of(where: np.ndarray) -> list[np.ndarray]:
    """Indices of each run of true values."""
    on = np.flatnonzero(where)
    return [] if not len(on) else np.split(on, np.flatnonzero(np.diff(on) > 1) + 1)


def joints_of(track: Track) -> list[Finding]:
    """Where curvature of the plan jumps, as where a clothoid ends with another radius than that of its arc."""
    found = []
    for s, before, after in jumps_of(track):
        if abs(after - before) > KINK:
            what = f"the curvature of the plan jumps from {before:.4f} to {after:.4f} 1/m"
            found.append(Finding("note", float(s), what, "Let A^2 = length x radius, if that was not meant."))
    return found


def jumps_of(track: Track) -> list[tuple[float, float, float]]:
    """Where pieces of the plan meet [m], and the curvature on both sides [1/m]."""
    plan = track.line.plan
    return [(float(s), *plan.at([np.nextafter(s, -np.inf), s]).curvature.tolist()) for s in plan.s[1:]]


def shape_of(track: Track, limits: Limits) -> list[Finding]:
    """Gradients and radii beyond the limits, up to the finish; a run-out that does not climb."""
    line, found = track.line, []
    s = line.samples[line.samples <= track.finish]
    at = line.at(s)
    for k in runs_of(-at.slope > limits.gradient):
        what = f"{-100 * at.slope[k].min():.1f} % downhill; limit {100 * limits.gradient:g} %"
        found.append(Finding("fault", float(s[k[0]]), what, "Spread the drop over a longer way."))
    for k in runs_of(np.abs(at.curvature) > 1.0 / limits.radius + 1e-9):
        what = f"radius of {1.0 / np.abs(at.curvature[k]).max():.1f} m; limit {limits.radius:g} m"
        found.append(Finding("fault", float(s[k[0]]), what, "Take a larger radius."))
    if line.at(line.end).slope[0] <= 0.0:
        found.append(
            Finding("warning", line.end, "the braking stretch does not climb", "Let the last slope be above 0.")
        )
    return found


def steady_heights(patch: Patch, s: np.ndarray, outward: np.ndarray, into: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Height of the steady line and of the rim, above the track line [m].

    A point mass that drifts neither up nor down stands where the section rises by  tan angle = v^2 k / (g + v^2 h''),
    on the outer side; where no part of it is as steep the height is infinite.
    """
    nearest = np.clip(np.searchsorted(patch.s, s), 0, len(patch.s) - 1)
    v = np.arange(PIECES * FINE + 1) / FINE
    xy = curve_points(patch.xy, patch.weights, v)
    if patch.turn < 0:
        xy = xy[:, ::-1] * np.array([-1.0, 1.0])  # the outer side to the right
    step = np.diff(xy, axis=1)
    steep = np.arctan2(step[..., 1], step[..., 0])
    steep[np.linalg.norm(step, axis=2) < 1e-9] = -np.inf
    steep[:, : 3 * FINE] = -np.inf  # the inner wall and floor
    need = np.arctan2(patch.turn * outward, into)[:, None]
    enough = steep[nearest] >= need
    first = enough.argmax(axis=1)
    height = np.where(enough.any(axis=1), xy[nearest, first, 1], np.inf)
    return height, xy[nearest, -1, 1]
