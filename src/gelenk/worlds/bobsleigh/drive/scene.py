"""A sled at the start of a track, to be driven, and what it looks like."""

from __future__ import annotations

import numpy as np

from gelenk.model.builder import Builder
from gelenk.model.model import Model
from gelenk.view.rigs import Camera, CockpitCamera, FollowCamera, TracksideCamera
from gelenk.view.scenery import SceneryCopies, ScenerySurface
from gelenk.worlds.bobsleigh.drive.landmarks import landmarks
from gelenk.worlds.bobsleigh.drive.landscape import Landscape, ice
from gelenk.worlds.bobsleigh.ice import ice_parts
from gelenk.worlds.bobsleigh.setup import Setup
from gelenk.worlds.bobsleigh.sled import Stance, add_sled, sled_data
from gelenk.worlds.bobsleigh.touch import add_touch
from gelenk.worlds.bobsleigh.track import Track

HULL, NOSE = "rear hull", "front hull"
RUNNERS = ("rear runner left", "rear runner right", "front runner left", "front runner right")
AHEAD, UP = (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)  # body axes of a sled
HANDS_HZ = 12.0  # corner of the filter of the steering: faster than hands, slower than pictures (bobsleigh 4.11, 8.7)
SINK = 1e-4  # [m] a sled begins this deep in the ice, so that its runners touch from the first step on


class Grounds:
    """A track with its ice and all around it, made once for all runs."""

    def __init__(self, track: Track) -> None:
        self.track = track
        self.mesh = track.smooth_mesh
        self._ice = ice_parts(track, view=False)
        self.land = Landscape(track.line)
        self.lamps, self._posts = self.land.lamps()

    def model(self, setup: Setup, at: float = 0.0) -> Model:
        """The sled at the start of the clock, with the speed of the set-up along the track (B-81), or at an arc length.

        The ice is not drawn as a part of the model: it is scenery, with its colours.
        """
        builder = Builder(name=f"bobsleigh on {self.track.name}")
        builder.body("ice", shape=self._ice, static=True)
        ahead = float(sled_data()["body"][HULL]["com"][2])  # of the base, which stands so far behind the start
        line = self.track.line.at([at - ahead])
        forward = line.forward[0] + line.slope[0] * np.array([0.0, 0.0, 1.0])
        stance = Stance.on(line.position[0] - np.array([0.0, 0.0, SINK]), forward)
        add_sled(builder, setup, stance, hands_hz=HANDS_HZ)
        add_touch(builder, setup, "ice", smooth=True)
        return builder.build()

    def scenery(self, sails: bool = False) -> list[ScenerySurface | SceneryCopies]:
        """Ice, boards, land, woods, lamps, banners, sails."""
        heights = self.track.line.at(self.mesh.s).position[:, 2]
        made: list[ScenerySurface | SceneryCopies] = [*ice(self.mesh, self.mesh.vertices[:, 2] - heights)]
        made += [self.land.land(), *self.land.woods(), self._posts, *landmarks(self.land, self.track.timing)]
        over = self.land.sails()
        if over is not None:
            over.shown = sails
            made.append(over)
        return made

    def cameras(self) -> list[Camera]:
        """The pilot's eyes, behind the sled, beside the track (B-67)."""
        return [
            CockpitCamera("pilot", HULL, (0.0, 0.74, 1.02), toward=(0.0, -0.06, 1.0), up=UP, fov_deg=68),
            FollowCamera("behind", HULL, behind=5.5, above=1.7, toward=AHEAD, up=UP, fov_deg=58, horizon=False),
            TracksideCamera("trackside", HULL, self.land.cameras(), width=15.0),
        ]
