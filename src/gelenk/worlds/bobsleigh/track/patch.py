"""Sections of a track on their places, one patch a curve, stored from left to right (B-44, B-45, bobsleigh 8.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh.track.line import SAMPLE, TrackLine
from gelenk.worlds.bobsleigh.track.plan import Curve
from gelenk.worlds.bobsleigh.track.section import POINTS, Dimensions, by_rule, control_points

STEP = 5e-3  # [m] what floors of two patches may differ where they meet


@dataclass(frozen=True, eq=False)
class Patch:
    """Sections of one curve on their places, each as control points from left to right.

    Parameters
    ----------
    curve : index of the curve
    turn : +1 where the outer side is on the right, in a left curve
    s : (m,) where the sections stand [m]
    xy : (m, 15, 2) control points in the plane of the section, x to the right and y up from the track line [m]
    points : (m, 15, 3) the same in the world [m]
    weights : (m, 15)
    banking : (m,) 0 on the straight to 1 in the full curve
    """

    curve: int
    turn: int
    s: np.ndarray
    xy: np.ndarray
    points: np.ndarray
    weights: np.ndarray
    banking: np.ndarray


class SectionLaw(Protocol):
    """Where sections come from."""

    def place(self, s: float) -> tuple[str | None, int | None]:
        """File and line that say what the section at an arc length is, as far as they are known."""
        ...

    def sections(self, line: TrackLine, curve: Curve, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Control points (m, 15, 2) with point C at x = 0, weights (m, 15) and banking (m,) along a curve."""
        ...


@dataclass(frozen=True, eq=False)
class RuleSections:
    """Sections that follow the curvature:  w = min(1, |k| r_c),  tau = w^2 (3 - 2 w)  (bobsleigh 9.5)."""

    rule: Mapping[str, Sequence[float]]

    def place(self, s: float) -> tuple[str | None, int | None]:
        """See :class:`SectionLaw`; a rule says it of all, by its dimensions."""
        return None, None

    def sections(self, line: TrackLine, curve: Curve, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See :class:`SectionLaw`."""
        # at the end of a curve the next one has begun: both are straight there
        inside = np.clip(s, curve.begin, np.nextafter(curve.end, -np.inf))
        w = np.minimum(1.0, np.abs(line.plan.at(inside).curvature) * curve.radius)
        tau = w * w * (3.0 - 2.0 * w)
        return *centred(by_rule(self.rule, tau)), tau


@dataclass(frozen=True, eq=False)
class TableSections:
    """Sections at given places; between them control points and weights go linearly, within one curve (B-44)."""

    s: np.ndarray
    dimensions: Dimensions
    file: str | None = None
    lines: tuple[int, ...] = ()

    def place(self, s: float) -> tuple[str | None, int | None]:
        """See :class:`SectionLaw`: of the section next to it."""
        return self.file, self.lines[int(np.abs(self.s - s).argmin())] if self.lines else None

    def sections(self, line: TrackLine, curve: Curve, s: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """See :class:`SectionLaw`."""
        own = np.flatnonzero((self.s >= curve.begin - 1e-6) & (self.s <= curve.end + 1e-6))
        if not len(own):
            found = f"no section between {curve.begin:g} and {curve.end:g} m"
            raise InputError("sections", found, "one or more in each curve", "Add rows for that curve.", file=self.file)
        d = Dimensions(*(x[own] for x in self.dimensions))
        P, w = centred(d)
        at = np.clip(s, self.s[own][0], self.s[own][-1])
        k = np.clip(np.searchsorted(self.s[own], at, side="right") - 1, 0, max(len(own) - 2, 0))
        j = np.minimum(k + 1, len(own) - 1)
        span = self.s[own][j] - self.s[own][k]
        f = np.where(span > 0.0, (at - self.s[own][k]) / np.where(span > 0.0, span, 1.0), 0.0)[:, None]
        high = np.max(self.dimensions.a, initial=1e-9)
        P_at = P[k] * (1.0 - f[..., None]) + P[j] * f[..., None]
        return P_at, w[k] * (1.0 - f) + w[j] * f, np.interp(at, self.s[own], d.a) / high


def centred(d: Dimensions) -> tuple[np.ndarray, np.ndarray]:
    """Control points and weights with the point of the track line at x = 0."""
    P, w = control_points(d)
    P[:, :, 0] -= d.dC[:, None]
    return P, w


def patches(line: TrackLine, law: SectionLaw, spacing: float = SAMPLE) -> list[Patch]:
    """One patch for each curve, with a section every half metre and at its ends; floors of neighbours must meet."""
    samples = line.samples if spacing == SAMPLE else np.arange(line.start, line.end, spacing)
    found: list[Patch] = []
    for number, curve in enumerate(line.plan.curves):
        inside = samples[(samples > curve.begin + 1e-3) & (samples < curve.end - 1e-3)]
        s = np.concatenate(([curve.begin], inside, [curve.end]))
        P, w, banking = law.sections(line, curve, s)
        if curve.turn < 0:  # mirrored, and then from left to right again
            P, w = P[:, ::-1] * np.array([-1.0, 1.0]), w[:, ::-1]
        found.append(Patch(number, curve.turn, s, P, placed(line, s, P), np.ascontiguousarray(w), banking))
        if number:
            check_meeting(found[-2], found[-1], curve, law)
    return found


def placed(line: TrackLine, s: np.ndarray, xy: np.ndarray) -> np.ndarray:
    """Points of the planes of sections, x to the right and y up, in the world (B-45).

    A plane stands upright and square to the plan.
    """
    at = line.at(s)
    assert xy.shape[1] == POINTS
    right = -at.left[:, None, :]
    return at.position[:, None, :] + xy[..., :1] * right + xy[..., 1:] * np.array([0.0, 0.0, 1.0])


def edges(patch: Patch, k: int) -> np.ndarray:
    """Where the floor ends, and where walls begin, on the left and on the right in section k, (2, 2, 2) [m]."""
    corners = [[4, 8], [2, 10]] if patch.turn > 0 else [[6, 10], [4, 12]]
    return patch.xy[k][corners]


def check_meeting(before: Patch, after: Patch, curve: Curve, law: SectionLaw) -> None:
    """Refuse a step of the floor or of the walls between two patches."""
    names = "floor (lB and b - bT_short)", "sides (lB + r0 and b)"
    for what, step in zip(names, np.abs(edges(before, -1) - edges(after, 0)).max(axis=(1, 2))):
        if step > STEP:
            found = f"at {curve.begin:g} m its {what} and the end of curve {before.curve + 1} differ by {step:.3f} m"
            remedy = (
                "Let lB = b - bT_short, lB + r0 = b and dC = 0 (BI = BT, BI + AK = B, CE = 0) in straight sections."
            )
            who, allowed = f"sections of curve {after.curve + 1}", f"sections that meet to {STEP:g} m"
            file, line = law.place(curve.begin)
            raise InputError(who, found, allowed, remedy, file=file, line=line)
