"""A track: its line, where the clock starts and stops, its sections and walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.sheet import Sheet
from gelenk.worlds.bobsleigh.track.heights import HeightProfile, Transition
from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.mesh import TrackMesh, ruled_mesh
from gelenk.worlds.bobsleigh.track.patch import Patch, SectionLaw, patches
from gelenk.worlds.bobsleigh.track.plan import Curve, PlanCurve
from gelenk.worlds.bobsleigh.track.smooth import boards_mesh, lofted, smooth_mesh
from gelenk.worlds.bobsleigh.track.walls import Wall

CLOCK_START = 0.0  # [m] arc length where the clock starts (B-73)


@dataclass(frozen=True, eq=False)
class Track:
    """A track as it was designed.

    Parameters
    ----------
    name : what it is called
    line : its plan and heights
    sections : where its cross sections come from
    finish : arc length where the clock stops [m]; it starts at 0
    splits : arc lengths of the measuring points between [m]
    walls : boundary elements
    file : that it was read from
    """

    name: str
    line: TrackLine
    sections: SectionLaw
    finish: float
    splits: tuple[float, ...] = ()
    walls: tuple[Wall, ...] = ()
    file: Path | None = None

    @property
    def stem(self) -> str:
        """Its name as part of a file name."""
        return "".join(c if c.isalnum() else "-" for c in self.name.lower())

    @property
    def timing(self) -> tuple[float, ...]:
        """Arc lengths where times are taken, the finish last [m]."""
        return (*self.splits, self.finish)

    @property
    def curves(self) -> tuple[Curve, ...]:
        """The curves, in the order of driving."""
        return self.line.plan.curves

    @cached_property
    def patches(self) -> list[Patch]:
        """Sections on their places, one patch a curve."""
        return patches(self.line, self.sections)

    @cached_property
    def mesh(self) -> TrackMesh:
        """Triangles as in the source: sections every half metre, straight between them (bobsleigh 8.4)."""
        return ruled_mesh(self.line, self.patches, self.walls)

    @cached_property
    def surface(self) -> LoftedSheet:
        """Smooth running surface, as a shape."""
        return lofted(self.patches)

    @property
    def sheet(self) -> Sheet:
        """The same as compiled code sees it, for segments to cross."""
        return self.surface.sheet

    @cached_property
    def ruled_sheet(self) -> Sheet:
        """The surface of the source, with an edge at every section, for segments to cross."""
        return lofted(self.patches, ruled=True).sheet

    @cached_property
    def boards(self) -> TrackMesh | None:
        """Triangles of the boundary elements on the rims of the smooth surface; None if there are none."""
        return boards_mesh(self.line, self.patches, self.sheet, self.walls)

    @cached_property
    def smooth_mesh(self) -> TrackMesh:
        """Triangles with vertices and normals on the smooth surface."""
        return smooth_mesh(self.line, self.patches, self.sheet, self.walls)

    @property
    def drop(self) -> float:
        """Height between the start of the clock and the finish [m]."""
        first, last = self.line.heights.at([CLOCK_START, self.finish]).height
        return float(first - last)


def track_line(
    curves: Sequence[Curve], transitions: Sequence[Transition], start: float, start_height: float
) -> TrackLine:
    """Line of a track from its construction data."""
    return TrackLine(PlanCurve(curves, start), HeightProfile(start, start_height, transitions))
