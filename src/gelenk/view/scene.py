"""A model as the page is told of it: surfaces, their places in the bodies, joints.

Shapes are told as unit shapes with a scale, so that a thousand boxes of different sizes are one surface drawn a
thousand times.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import numpy as np

from gelenk.checks import Quaternion, Vector
from gelenk.forces.spring import Spring
from gelenk.geometry.compound import Compound
from gelenk.geometry.height_field import HeightField
from gelenk.geometry.hull import ConvexHull
from gelenk.geometry.lofted import LoftedSheet
from gelenk.geometry.shapes import Box, Capsule, Cone, Cylinder, Ellipsoid, Plane, Shape, Sphere, Torus
from gelenk.math.quat import Quat
from gelenk.math.rotation import rotation_matrix
from gelenk.model.model import Model
from gelenk.model.parts import ORIGIN, UPRIGHT, Body
from gelenk.run.picture import PALETTE, STATIC
from gelenk.view.blobs import Blobs
from gelenk.view.to_page import Anchor, Band, Colour, Geometry, Item, Joint, Node, Scene

ONE: Vector = (1.0, 1.0, 1.0)
PARTICLE_SIZE = 0.02  # radius of a drawn particle, of the size of the scene
LARGE = 50_000  # triangles, from which on a surface is fetched by itself, and is smooth all over
SMOOTH, SHARP, USUAL = 60.0, 1.0, 30.0  # crease angles [degrees]


def describe(model: Model, h: float, number: int = 0, blobs: Blobs | None = None) -> Scene:
    """The scene of a model that moves in steps of ``h`` [s]; large surfaces go into the blobs, if there are some."""
    surfaces = Surfaces(blobs)
    items = [item for i, body in enumerate(model.bodies, start=1) for item in _items(model, surfaces, i, body)]
    if model.particles:
        radius = PARTICLE_SIZE * _size(model)
        ball, scale = surfaces.place(Sphere(radius=radius))
        first = len(model.bodies) + 1
        for k in range(len(model.particles)):
            colour = _colour(PALETTE[k % len(PALETTE)])
            items.append(Item(first + k, ball, ORIGIN, UPRIGHT, scale, colour, visual=True, physical=False))
    gravity = model.gravity
    nodes = tuple(_nodes(model))
    bands = tuple(_bands(model))
    made, joints = tuple(surfaces.made), tuple(_joints(model))
    anchors, materials = tuple(_anchors(model)), tuple(material.name for material in model.materials)
    tree = {"bands": bands, "anchors": anchors, "materials": materials}
    return Scene(number, model.name, h, gravity, nodes, made, tuple(items), joints, **tree)  # type: ignore[arg-type]


class Surfaces:
    """Surfaces that were told already, each once."""

    def __init__(self, blobs: Blobs | None = None) -> None:
        self._blobs = blobs
        self.made: list[Geometry] = []
        self._known: dict[Any, int] = {}

    def place(self, shape: Shape) -> tuple[int, Vector]:
        """Number of the surface of a shape, and the scale that gives it its size."""
        match shape:
            case Sphere(radius=r):
                return self._unit("sphere"), (r, r, r)
            case Ellipsoid(radii=radii):
                return self._unit("sphere"), radii
            case Box(size=size):
                return self._unit("box"), size
            case Cylinder(radius=r, length=length):
                return self._unit("cylinder"), (r, r, length)
            case Cone(radius=r, height=height):
                return self._unit("cone"), (r, r, height)
            case Capsule(radius=r, length=length):
                return self._unit("capsule", float(f"{length / r:.6g}")), (r, r, r)
            case Torus(radius=r, tube_radius=tube):
                return self._unit("torus", float(f"{tube / r:.6g}")), (r, r, r)
            case Plane():
                return self._unit("plane"), ONE
        return self._add(shape, lambda: _triangles(shape, self._blobs)), ONE

    def _unit(self, name: Any, *sizes: float) -> int:
        return self._add((name, *sizes), lambda: Geometry(name, sizes))

    def _add(self, key: Any, make: Any) -> int:
        if key not in self._known:
            self._known[key] = len(self.made)
            self.made.append(make())
        return self._known[key]


def _triangles(shape: Shape, blobs: Blobs | None) -> Geometry:
    vertices, faces = shape.triangles()
    if blobs is not None and len(faces) >= LARGE:
        key = blobs.put((np.asarray(vertices, dtype="<f4"), np.asarray(faces, dtype="<u4")))
        low, high = (tuple(map(float, end)) for end in (np.min(vertices, axis=0), np.max(vertices, axis=0)))
        return Geometry("triangles", blob=key, corners=len(vertices), low=low, high=high)  # type: ignore[arg-type]
    crease = (
        SHARP if isinstance(shape, ConvexHull) else SMOOTH if isinstance(shape, HeightField | LoftedSheet) else USUAL
    )
    return Geometry("triangles", (), _text(vertices, "<f4"), _text(faces, "<u4"), crease)


def _text(array: np.ndarray, kind: str) -> str:
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode("ascii")


def _items(model: Model, surfaces: Surfaces, node: int, body: Body) -> Iterator[Item]:
    """What is seen of a body, and what touches others and is not seen."""
    materials = {m.name: m.color for m in model.materials}
    own = STATIC if body.static else PALETTE[(node - 1) % len(PALETTE)]
    for part in body.parts:
        if not part.view and not part.collide:
            continue
        colour = _colour(materials.get(part.material, own))
        for shape, at, q in simple_shapes(part.shape, part.at, part.rotation):
            geometry, scale = surfaces.place(shape)
            yield Item(node, geometry, at, q, scale, colour, part.view, part.collide)


def simple_shapes(shape: Shape, at: Vector, rotation: Quaternion) -> Iterator[tuple[Shape, Vector, Quaternion]]:
    """A shape in its place, or the children of a compound in theirs:  p = at + R p_S,  q = q q_S."""
    if not isinstance(shape, Compound):
        yield shape, at, rotation
        return
    R = rotation_matrix(rotation)
    for child, at_S, q_S in shape.children:
        x, y, z = (np.array(at) + R @ at_S).tolist()
        q = Quat(*rotation) * Quat(*q_S)
        yield child, (x, y, z), (float(q.w), float(q.x), float(q.y), float(q.z))


def _colour(rgb: Any) -> Colour:
    r, g, b = (round(float(c), 4) for c in rgb)
    return r, g, b


def _nodes(model: Model) -> Iterator[Node]:
    yield Node("world", "world", True, (0.0, 0.0, 0.0), 0.0)
    for body in model.bodies:
        yield Node(body.name, "body", body.static, body.com, body.mass)
    for particle in model.particles:
        yield Node(particle.name, "particle", particle.static, (0.0, 0.0, 0.0), particle.mass)


def _joints(model: Model) -> Iterator[Joint]:
    """Frames of the joints, moved from the centres of mass to the body frames."""
    elements = {element.name: element for element in model.joints}
    wired = model.wired.joints
    com = np.zeros((model.nodes.count, 3))
    com[1 : len(model.bodies) + 1] = np.array([body.com for body in model.bodies]).reshape(-1, 3)
    for name, pair in zip(model.wired.names, wired.pair[wired.joint["pair"][: len(model.wired.names)]]):
        a, b = int(pair["a"]), int(pair["b"])
        ends = [tuple((pair[r] + com[node]).tolist()) for r, node in (("r_a", a), ("r_b", b))]
        turns = [tuple(pair[q].tolist()) for q in ("q_a", "q_b")]
        what = str(getattr(elements[name], "kind", type(elements[name]).__name__.lower()))
        free = tuple(free for free, *_ in getattr(elements[name], "free", ()))
        yield Joint(name, what, a, b, ends[0], ends[1], turns[0], turns[1], free)


def _bands(model: Model) -> Iterator[Band]:
    row = {name: i for i, name in enumerate(model.nodes.names)}
    for force in model.forces:
        if isinstance(force, Spring):
            yield Band(force.name, row[force.a], row[force.b], force.at_a, force.at_b)


def _anchors(model: Model) -> Iterator[Anchor]:
    row = {name: i for i, name in enumerate(model.nodes.names)}
    for frame in model.frames:
        parent, at, _ = frame.within or ("", None, None)
        yield Anchor(frame.name, row[frame.body], frame.at, frame.rotation, parent, at)


def _size(model: Model) -> float:
    """About how large a model of particles is [m]."""
    points = np.array([p.at for p in model.particles] + [b.at for b in model.bodies])
    return float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
