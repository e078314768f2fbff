"""What stands around a track: hills, woods, lamps, cameras, sails (B-65, B-66).

All of it follows from the track line and a seed, so that a track looks the same in every run, and pilots know where
they are. Numbers of the looks are ours: the source describes them and gives none.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial import cKDTree

from gelenk.view.scenery import SceneryCopies, ScenerySurface, Texture
from gelenk.worlds.bobsleigh.track.line import TrackLine
from gelenk.worlds.bobsleigh.track.mesh import TrackMesh

AROUND = 260.0  # [m] of land beside the track
CELL = 9.0  # [m] between corners of the land
CLEAR = 9.0  # [m] beside the line where nothing grows, and the land is as low as the track
BELOW = 1.6  # [m] the land lies below the line there
LAMPS_EVERY, LAMP_HEIGHT, LAMP_BESIDE = 28.0, 6.0, 4.6  # [m]
CAMERAS_EVERY, CAMERA_BESIDE, CAMERA_HEIGHT = 45.0, 3.0, 6.5  # [m] so steep that no wall hides a sled, nor a sail
TREES = 5000
SNOW, EARTH, ROCK = np.array((0.87, 0.90, 0.94)), np.array((0.55, 0.56, 0.47)), np.array((0.60, 0.60, 0.60))
ICE, DEEP_ICE, BOARD = np.array((0.93, 0.97, 1.0)), np.array((0.76, 0.87, 0.94)), np.array((0.78, 0.62, 0.44))


class Landscape:
    """The land around a line.

    Parameters
    ----------
    line : of the track
    seed : of what is random
    """

    def __init__(self, line: TrackLine, seed: int = 1) -> None:
        self.line = line
        self._rng = np.random.default_rng(seed)
        self._at = line.at(line.samples)
        self._tree = cKDTree(self._at.position[:, :2])

    def height(self, xy: np.ndarray) -> np.ndarray:
        """Height of the land at (n, 2) points [m].

        That of the line near it, and between its parts a mean that goes over smoothly (Shepard),

            z = sum(z_i / d_i^4) / sum(1 / d_i^4),

        rising with the way from the track to hills of 80 m, with waves of 200 to 500 m on them.
        """
        points = self._at.position[::8]
        made = np.empty(len(xy))
        for part in np.array_split(np.arange(len(xy)), max(1, len(xy) // 2000)):
            squared = ((xy[part, None] - points[None, :, :2]) ** 2).sum(axis=2)
            weight = 1.0 / (squared + 1.0) ** 2
            made[part] = (weight @ points[:, 2]) / weight.sum(axis=1)
        away = np.maximum(0.0, self._tree.query(xy)[0] - CLEAR)
        x, y = xy.T
        waves = 3.0 * np.sin(x / 31.0 + 1.0) * np.cos(y / 37.0) + 8.0 * np.sin(x / 83.0) * np.sin(y / 71.0 + 2.0)
        hills = 80.0 * (1.0 - np.exp(-((away / 240.0) ** 2))) + 0.04 * away
        return made - BELOW + hills + waves * np.minimum(1.0, away / 90.0)

    def land(self) -> ScenerySurface:
        """Snow, with earth where it is steep."""
        low, high = self._at.position[:, :2].min(axis=0) - AROUND, self._at.position[:, :2].max(axis=0) + AROUND
        n, m = np.ceil((high - low) / CELL).astype(int) + 1
        x, y = np.meshgrid(low[0] + CELL * np.arange(n), low[1] + CELL * np.arange(m), indexing="ij")
        xy = np.stack((x, y), axis=-1).reshape(-1, 2)
        z = self.height(xy).reshape(n, m)
        i = (np.arange(n - 1)[:, None] * m + np.arange(m - 1)).ravel()
        triangles = np.concatenate((np.stack((i, i + m, i + m + 1), 1), np.stack((i, i + m + 1, i + 1), 1)))
        steep = np.clip((np.hypot(*np.gradient(z, CELL)) - 0.45) / 0.35, 0.0, 1.0)[..., None]
        bare = (self._rng.random((n, m)) < 0.05)[..., None]
        colours = SNOW * (1 - steep) + ROCK * steep
        colours = np.where(bare, 0.5 * colours + 0.5 * EARTH, colours) - 0.03 * self._rng.random((n, m))[..., None]
        vertices = np.concatenate((xy, z.reshape(-1, 1)), axis=1)
        return ScenerySurface("land", vertices, triangles, colours=np.clip(colours, 0, 1).reshape(-1, 3), shadow=False)

    def woods(self) -> list[SceneryCopies]:
        """Conifers in groups, some trees that have lost their green, and rocks."""
        position = self._at.position
        middles = position[self._rng.integers(0, len(position), 160), :2] + self._rng.normal(0, 90.0, (160, 2))
        spread = self._rng.uniform(8, 40, 160)
        group = self._rng.integers(0, 160, 2 * TREES)
        xy = middles[group] + self._rng.normal(0, 1, (2 * TREES, 2)) * spread[group, None]
        xy = np.concatenate((xy, position[self._rng.integers(0, len(position), TREES), :2] + self._around(TREES)))
        away = self._tree.query(xy)[0]
        xy = xy[(away > CLEAR + 4.0) & (away < AROUND - 10.0)][:TREES]
        at = np.column_stack((xy, self.height(xy) - 0.3))
        n = len(at)
        green = (
            np.array((0.13, 0.27, 0.17)) + 0.05 * self._rng.normal(size=(n, 1)) + 0.02 * self._rng.normal(size=(n, 3))
        )
        sizes = self._rng.uniform(6, 17, n)
        turned = self._rng.uniform(0, 360, n)
        bare = self._rng.random(n) < 0.08
        pick = ~bare
        made = [
            SceneryCopies(
                "conifers",
                "conifer",
                at[pick],
                sizes=sizes[pick],
                headings_deg=turned[pick],
                colours=np.clip(green[pick], 0, 1),
            )
        ]
        if bare.any():
            brown = np.clip(np.array((0.45, 0.38, 0.22)) + 0.05 * self._rng.normal(size=(int(bare.sum()), 1)), 0, 1)
            made.append(
                SceneryCopies(
                    "larches", "conifer", at[bare], sizes=0.8 * sizes[bare], headings_deg=turned[bare], colours=brown
                )
            )
        rocks = position[self._rng.integers(0, len(position), 220), :2] + self._around(220)
        rocks = rocks[self._tree.query(rocks)[0] > CLEAR + 2.0]
        stood = np.column_stack((rocks, self.height(rocks)))
        grey = np.clip(ROCK * self._rng.uniform(0.6, 1.0, (len(rocks), 1)), 0, 1)
        made.append(
            SceneryCopies(
                "rocks", "rock", stood, sizes=self._rng.uniform(0.8, 3.2, (len(rocks), 1)) * np.ones(3), colours=grey
            )
        )
        return made

    def _around(self, n: int) -> np.ndarray:
        angle, way = self._rng.uniform(0, 2 * math.pi, n), self._rng.uniform(CLEAR + 2, AROUND - 20, n)
        return np.stack((way * np.cos(angle), way * np.sin(angle)), axis=1)

    def beside(self, s: np.ndarray, way: float, up: float, side: np.ndarray | float = 1.0) -> np.ndarray:
        """(n, 3) points beside the line: to its left where ``side`` is 1, to its right where it is -1."""
        at = self.line.at(s)
        made: np.ndarray = at.position + at.left * way * np.reshape(side, (-1, 1)) + np.array((0.0, 0.0, up))
        return made

    def inner(self, s: np.ndarray) -> np.ndarray:
        """Inner side of the curve at arc lengths: 1 left, -1 right, by turns on straights."""
        k = self.line.at(s).curvature
        turns = np.where(np.arange(len(s)) % 2 == 0, 1.0, -1.0)
        return np.where(np.abs(k) > 1e-3, np.sign(k), turns)

    def lamps(self) -> tuple[np.ndarray, SceneryCopies]:
        """Places of the lamps (n, 3), and their posts; on the inner side, so that the outer wall is lit."""
        s = np.arange(self.line.start + 5.0, self.line.end - 2.0, LAMPS_EVERY)
        side = self.inner(s)
        at = self.beside(s, LAMP_BESIDE, LAMP_HEIGHT, side)
        ground = self.beside(s, LAMP_BESIDE, -BELOW, side)
        tall = at[:, 2] - ground[:, 2]
        left = self.line.at(s).left
        toward = np.degrees(np.arctan2(-side * left[:, 1], -side * left[:, 0]))
        sizes = np.column_stack((np.full((len(s), 2), 4.0), tall))
        return at, SceneryCopies("lamp posts", "lamp", ground, sizes=sizes, headings_deg=toward)

    def cameras(self) -> np.ndarray:
        """(n, 3) places from where a run is filmed: on cranes on the inner side, high above the rim."""
        s = np.arange(self.line.start + 8.0, self.line.end - 2.0, CAMERAS_EVERY)
        return self.beside(s, CAMERA_BESIDE, CAMERA_HEIGHT, self.inner(s))

    def sails(self, least_curvature: float = 1.0 / 60.0) -> ScenerySurface | None:
        """Sun sails over the curves, from the outer rim over the channel: closed, they leave a slit to look through."""
        s = self.line.samples
        at = self.line.at(s)
        bent = np.abs(at.curvature) > least_curvature
        if not bent.any():
            return None
        across = np.array((-3.6, -2.4, -1.0, 0.6))  # from outside to inside [m]
        up = np.array((4.6, 4.5, 4.0, 3.2))
        side = np.sign(at.curvature)[:, None, None]
        points = at.position[:, None] + side * at.left[:, None] * across[None, :, None]
        points = points + up[None, :, None] * np.array((0.0, 0.0, 1.0))
        m = len(across)
        pieces = np.flatnonzero(bent[:-1] & bent[1:] & (side[:-1, 0, 0] == side[1:, 0, 0]))
        i = (pieces[:, None] * m + np.arange(m - 1)).ravel()
        triangles = np.concatenate((np.stack((i, i + m, i + m + 1), 1), np.stack((i, i + m + 1, i + 1), 1)))
        used, number = np.unique(triangles, return_inverse=True)
        colours = (0.93, 0.90, 0.82)
        return ScenerySurface("sails", points.reshape(-1, 3)[used], number.reshape(-1, 3), colours=colours, shown=False)


def ice(mesh: TrackMesh, floor: np.ndarray) -> list[ScenerySurface]:
    """The channel, bluer in its depth, frosted and streaked along, with a fine mark every 10 m; its walls of planks.

    ``floor`` (n,) is the height of a vertex above the line [m].
    """
    depth = np.clip(floor / 2.5, 0.0, 1.0)[:, None]
    colours = DEEP_ICE * (1 - depth) + ICE * depth
    mark = np.abs(mesh.s - 10.0 * np.round(mesh.s / 10.0)) < 0.12
    colours[mark] = 0.82 * colours[mark]
    made = [_part("ice", mesh, mesh.triangles[: mesh.boards], colours, 0.85, "ice")]
    if mesh.boards < len(mesh.triangles):
        wood = np.tile(BOARD, (len(mesh.s), 1))
        made.append(_part("boards", mesh, mesh.triangles[mesh.boards :], wood, 0.0, "wood"))
    return made


def _part(
    name: str, mesh: TrackMesh, triangles: np.ndarray, colours: np.ndarray, gloss: float, texture: Texture
) -> ScenerySurface:
    """Some triangles, in their order along the track, so that parts that are far away are not drawn."""
    triangles = triangles[np.argsort(mesh.s[triangles[:, 0]], kind="stable")]
    used, number = np.unique(triangles, return_inverse=True)
    vertices, normals = mesh.vertices[used], mesh.normals[used]
    grain = np.column_stack((mesh.s, mesh.across))[used]  # a unit across is about half a metre
    return ScenerySurface(
        name, vertices, number.reshape(-1, 3), colours=colours[used], normals=normals, gloss=gloss, texture=texture,
        grain=grain,
    )  # fmt: skip
