"""Pictures of the shapes as contact knows them: one ray a pixel, contacts drawn on top.

Surfaces are shaded by their normal and outlined where depth or normal jump, so that they read well at any size. Layers
are translucent and sorted pixel by pixel: shapes that overlap show how deep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

if TYPE_CHECKING:
    from gelenk.space.queries import Queries
    from gelenk.space.records import Contact

LIGHT_W = np.array([0.35, -0.55, 0.76])
AMBIENT, CREASE, INK = 0.5, 0.9, 0.45  # light from everywhere; cosine between normals; what is left of it on a line
SHADE = np.array([0.60, 0.63, 0.68])
FINER = 2  # rays a pixel along each side
DOT, ARROW = "#111111", "#d62728"


class Direction(Protocol):
    """Where a picture is seen from: unit vectors, world axes; :class:`gelenk.run.picture.Camera` is one."""

    toward: np.ndarray
    right: np.ndarray
    up: np.ndarray


class Layer(NamedTuple):
    """Shapes of some groups in one picture."""

    groups: Iterable[str] | None = None  # all if left out
    color: Any = SHADE  # red, green, blue from 0 to 1; or a dict of them by names of bodies
    opacity: float = 1.0
    within: float = np.inf  # what is farther from the middle of the picture is left out [m]


class Seen(NamedTuple):
    """What the pixels of a picture show; row 0 is the lowest."""

    nearness: np.ndarray  # (h, w) along the line of sight, -inf: nothing [m]
    normal: np.ndarray  # (h, w, 3) toward the eye, world axes
    collider: np.ndarray  # (h, w)


def look(
    world: Queries, camera: Direction, middle: Any, size: tuple[float, float], pixels: tuple[int, int], layer: Layer
) -> Seen:
    """Rays through the middles of all pixels of a picture; width and height of both [m]."""
    across, along = (((np.arange(n) + 0.5) / n - 0.5) * extent for n, extent in zip(pixels, size))
    v, u = (grid.ravel() for grid in np.meshgrid(along, across, indexing="ij"))
    far = 4.0 * max(size)
    start = np.asarray(middle) + np.outer(u, camera.right) + np.outer(v, camera.up) + far * camera.toward
    hits: Any = world.rays(start, [-camera.toward], 2.0 * far, groups=layer.groups)
    seen = np.isfinite(hits.distance)
    seen[seen] = np.linalg.norm(hits.point[seen] - middle, axis=1) <= layer.within
    shape = pixels[::-1]
    nearness = np.where(seen, far - hits.distance, -np.inf).reshape(shape)
    hits.normal[~seen] = 0.0
    behind: np.ndarray = hits.normal @ camera.toward < 0.0  # a sheet seen from its back is lit like its front
    normal = np.where(behind[:, None], -hits.normal, hits.normal).reshape(*shape, 3)
    return Seen(nearness, normal, hits.collider.reshape(shape))


def draw_shapes(
    panel: Any,
    world: Queries,
    camera: Direction,
    middle: Any,
    size: tuple[float, float],
    layers: Sequence[Layer] = (Layer(),),
    pixels: int = 300,
) -> None:
    """Draw the shapes of a world into the axes ``panel``, in coordinates along ``camera.right`` and ``camera.up``.

    Parameters
    ----------
    middle : (3,) what is in the middle of the picture, world [m]
    size : width and height of what is seen [m]
    layers : what to draw how
    pixels : along the width
    """
    w, h = pixels, max(1, round(pixels * size[1] / size[0]))
    fine = FINER * w, FINER * h
    seen = [look(world, camera, middle, size, fine, layer) for layer in layers]
    depth = np.stack([one.nearness for one in seen])
    order = np.argsort(depth, axis=0, kind="stable")
    color = np.stack([_shaded(world, one, layer, size[0] / fine[0]) for one, layer in zip(seen, layers)])
    opacity = np.stack([np.where(np.isfinite(one.nearness), layer.opacity, 0.0) for one, layer in zip(seen, layers)])
    picture = np.ones((*fine[::-1], 3))
    for k in range(len(layers)):  # from the farthest to the nearest
        share = np.take_along_axis(opacity, order[k : k + 1], axis=0)[0, ..., None]
        picture += share * (np.take_along_axis(color, order[k : k + 1, ..., None], axis=0)[0] - picture)
    picture = picture.reshape(h, FINER, w, FINER, 3).mean(axis=(1, 3))
    x, y = np.asarray(middle) @ camera.right, np.asarray(middle) @ camera.up
    a, b = 0.5 * size[0], 0.5 * size[1]
    panel.imshow(picture, origin="lower", extent=(x - a, x + a, y - b, y + b), interpolation="antialiased")
    panel.set_aspect("equal")
    panel.set_axis_off()


def draw_contacts(
    panel: Any,
    contacts: Iterable[Contact],
    camera: Direction,
    length: float,
    weight: float = 1.0,
    hidden_by: Queries | None = None,
) -> None:
    """Dots in the middle of the two points of each contact, and its normal as an arrow, ``length`` [m] long.

    ``weight`` makes dots and lines thicker or thinner. Those behind a shape of ``hidden_by`` are drawn hollow and pale.
    """
    contacts = list(contacts)
    middles = np.array([0.5 * (c.point_a + c.point_b) for c in contacts]).reshape(-1, 3)
    behind = np.zeros(len(contacts), dtype=bool) if hidden_by is None else _hidden(hidden_by, camera, middles, length)
    for c, p, pale in zip(contacts, middles, behind):
        (x, y), (u, v) = ((w @ camera.right, w @ camera.up) for w in (p, p + length * c.normal))
        arrow = {"arrowstyle": "-|>,head_length=0.25,head_width=0.12", "color": ARROW, "linewidth": 1.2 * weight}
        whole = {"shrinkA": 0, "shrinkB": 0, "mutation_scale": 10 * weight, "alpha": 0.4 if pale else 1.0}
        panel.annotate("", (u, v), (x, y), arrowprops={**arrow, **whole}, zorder=3)
        rim = {"markeredgecolor": DOT if pale else "white", "markeredgewidth": (0.7 if pale else 0.4) * weight}
        panel.plot(x, y, "o", markersize=3.2 * weight, color="none" if pale else DOT, **rim, zorder=4)


def _hidden(world: Queries, camera: Direction, points: np.ndarray, size: float) -> np.ndarray:
    """Whether something is nearer to the eye than each of the points, by more than half of ``size`` [m]."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    far = 1e3 * size + float(np.ptp(points @ camera.toward))
    hits: Any = world.rays(points + far * camera.toward, [-camera.toward], far)
    return np.asarray(hits.distance < far - 0.5 * size)


def _shaded(world: Queries, seen: Seen, layer: Layer, pixel: float) -> np.ndarray:
    """(h, w, 3) colours: light falls from above and the right, lines are darker."""
    own = np.full((*seen.nearness.shape, 3), SHADE)
    if isinstance(layer.color, Mapping):
        for collider in np.unique(seen.collider[np.isfinite(seen.nearness)]):
            own[seen.collider == collider] = layer.color.get(world.body_of(collider), SHADE)
    else:
        own[:] = layer.color
    light = AMBIENT + (1.0 - AMBIENT) * np.clip(seen.normal @ LIGHT_W, 0.0, 1.0)
    return np.clip(own * light[..., None] * np.where(_lines(seen, pixel), INK, 1.0)[..., None], 0.0, 1.0)


def _lines(seen: Seen, pixel: float) -> np.ndarray:
    """Pixels at the rim of a shape or at an edge: where a neighbour is another thing, much farther, or tilted."""
    line = np.zeros(seen.nearness.shape, dtype=bool)
    there = np.isfinite(seen.nearness)
    depth = np.where(there, seen.nearness, 0.0)
    for axis in (0, 1):
        a, b = (tuple(part if k == axis else slice(None) for k in range(2)) for part in (slice(-1), slice(1, None)))
        both = there[a] & there[b]
        tilted = np.einsum("...i,...i", seen.normal[a], seen.normal[b]) < CREASE
        jump = np.abs(depth[a] - depth[b]) > 8.0 * pixel
        edge = (there[a] != there[b]) | both & (tilted | jump | (seen.collider[a] != seen.collider[b]))
        line[a] |= edge & there[a]
        line[b] |= edge & there[b]
    return line
