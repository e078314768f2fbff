"""Gallery: every shape on every other one, with the points and normals of contact.

Thirteen kinds of shapes, each lowered onto each until their distance is what the picture says: 6 mm apart, just
touching, or up to 60 mm deep. Balls, boxes and capsules have closed forms, other convex shapes are searched, meshes and
height fields ask each triangle for the normals it may have, trees of balls are searched to their leaves, maps of
distances are asked at many points, and a compound is as many shapes as it has. The pictures are made of rays: they show
what contact knows, of a tree of balls its balls.

Proof. The two points of a contact lie on the surfaces of their own bodies, as ``closest`` finds by other means, and
apart by the distance along the normal. Convex shapes that overlap just touch once the upper one is moved by the depth
along the normal.
"""

import argparse
from functools import cache
from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

import gelenk as gk
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_contacts, draw_shapes

MARGIN, HIGH, SPEED = 0.02, 1.6, 0.5  # [m], height at which the upper shape starts [m], how fast it comes down [m/s]
GAPS = (-0.06, -0.03, 0.0, 0.006)  # [m], in turn
RING, CELLS = 0.98, 24  # width of a ring [m], cells of its map
BESIDE = (0.12, 0.07)  # where the upper shape comes down, x and y [m]
BLUE, ORANGE = (0.42, 0.62, 0.92), (1.00, 0.72, 0.30)
LARGE = (("cylinder", "box"), ("mesh", "hull"), ("height field", "box"))  # pairs to look at closely
EYE = Camera(np.array([0.5, -0.85, 0.5]))
ALONG_X, TIP_DOWN, TILT = (0.5, 0.5, 0.5, 0.5), (0, 1, 0, 0), (0.95, 0.2, 0.1, 0.2)  # turns of the upper shape


@cache
def shapes() -> dict[str, tuple[object, tuple[float, ...]]]:
    """Each kind, and how the upper one is turned."""
    random = np.random.default_rng(5)
    stone = random.normal(size=(16, 3))
    stone *= [[0.48, 0.44, 0.40]] / np.linalg.norm(stone, axis=1, keepdims=True)
    ring = gk.TriangleMesh(*gk.Torus(radius=RING / 2 - 0.15, tube_radius=0.15).triangles(14))
    x = np.linspace(-0.6, 0.6, 13)
    hills = 0.12 * np.cos(5.0 * x)[:, None] * np.cos(4.0 * x + 0.6)
    jack = [(gk.Capsule(0.13, 0.6), (0, 0, 0), turn) for turn in ((1, 0, 0, 0), ALONG_X, (0.5, 0.5, -0.5, -0.5))]
    return {
        "sphere": (gk.Sphere(0.42), TILT),
        "box": (gk.Box((0.75, 0.65, 0.6)), (0.95, 0, 0, 0.3)),
        "capsule": (gk.Capsule(0.24, 0.45), ALONG_X),
        "cylinder": (gk.Cylinder(0.32, 0.7), ALONG_X),
        "cone": (gk.Cone(0.42, 0.75), TIP_DOWN),
        "ellipsoid": (gk.Ellipsoid((0.5, 0.3, 0.38)), TILT),
        "hull": (gk.ConvexHull(stone), TILT),
        "compound": (gk.Compound(jack), TILT),
        "mesh": (ring, TILT),
        "ball tree": (gk.SphereTree(ring, levels=3), TILT),
        "distance map": (gk.DistanceMap(ring, cells=CELLS), TILT),
        "height field": (gk.HeightField(hills, x[1] - x[0]), TIP_DOWN),
        "plane": (gk.Plane(), TIP_DOWN),
    }


CONVEX = ("sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "hull")


def build(lower: str = "mesh", upper: str = "box") -> gk.Model:
    b = gk.Builder(name=f"{upper} on {lower}", gravity=(0, 0, 0))
    b.body("lower", shape=gk.Part(shapes()[lower][0], groups="lower"), static=True)
    shape, turn = shapes()[upper]
    falling = {"velocity": (0, 0, -SPEED), "density": 1000} if upper != "plane" else {"static": True}
    b.body("upper", shape=gk.Part(shape, groups="upper"), at=(*BESIDE, HIGH), rotation=gk.unit(turn), **falling)
    return b.build()


def simulate() -> gk.Run:
    """A box comes down on a ring."""
    model = build()
    world = gk.CollisionWorld(model, margin=HIGH)
    outputs = {"distance": lambda sim: gap(world.detect(sim.state))}
    return gk.simulate(model, 2.0, method=gk.FreeMotion(h=0.01), output_dt=0.01, outputs=outputs)


def gap(world: gk.CollisionWorld) -> float:
    """Least distance; infinite if nothing is within the margin [m]."""
    return min((c.distance for c in world), default=np.inf)


def lowered(lower: str, upper: str, wanted: float) -> tuple[gk.CollisionWorld, gk.State]:
    """The upper shape at the highest place with the distance wanted, by bisection."""
    model = build(lower, upper)
    world, state = gk.CollisionWorld(model, margin=MARGIN), model.initial_state()
    z = state.p_WC[model.index("upper")][2:]
    start, step = float(z[0]), 0.05
    while gap(world.detect(state)) > wanted and z[0] > start - HIGH:
        z -= step
    while step > 1e-7:
        step /= 2
        z += step if gap(world.detect(state)) <= wanted else -step
    world.detect(state)
    return world, state


@cache
def pairs() -> dict[tuple[str, str], gk.CollisionWorld]:
    """All pairs that can meet, lower one first: two planes never do."""
    kinds = list(shapes())
    made = {}
    for (i, lower), (j, upper) in product(enumerate(kinds), enumerate(kinds)):
        if j <= i and upper != "plane":
            made[lower, upper], _ = lowered(lower, upper, GAPS[(2 * i + j) % 4])
    return made


def check(run: gk.Run) -> None:
    # A distance falls no faster than the shape.
    d = run["distance"][np.isfinite(run["distance"])]
    assert len(d) > 50
    assert np.all(np.diff(d) >= -SPEED * 0.01 - 1e-12)
    for (lower, upper), world in pairs().items():
        found = world.between("lower", "upper")
        assert found, (lower, upper)
        # Points are exact, or searched for to 1e-9; of a map, to 0.87 of a cell. Where bodies consist of overlapping
        # ones, a point may lie inside.
        inside = 1.0 if {lower, upper} & {"ball tree", "compound"} else 1e-6
        for c in found:
            np.testing.assert_allclose(c.point_b - c.point_a, c.distance * c.normal, atol=1e-12)
            for point, body, kind in ((c.point_a, "lower", lower), (c.point_b, "upper", upper)):
                rough = 0.87 * RING / CELLS if kind == "distance map" else 1e-6
                assert -max(inside, rough) < world.closest(point, groups=body).distance < rough, (lower, upper)
        deepest = min(found, key=lambda c: c.distance)
        if {lower, upper} <= set(CONVEX) and deepest.distance < 0:
            shape, turn = shapes()[upper]
            at = place(world) - deepest.distance * deepest.normal
            (touch,) = world.overlap(shape, at, gk.unit(turn), margin=MARGIN, groups="lower")
            assert abs(touch.distance) < 1e-6, (lower, upper)


def place(world: gk.CollisionWorld) -> np.ndarray:
    """Where the upper shape is [m]."""
    p: np.ndarray = world.colliders.place[-1].p
    return p


def drawn(lower: str, upper: str, world: gk.CollisionWorld) -> gk.CollisionWorld:
    """The same to look at: of a height field turned down, which rays from above begin inside of, the surface."""
    if upper != "height field":
        return world
    b = gk.Builder()
    b.body("lower", shape=gk.Part(shapes()[lower][0], groups="lower"), static=True)
    sheet = gk.TriangleMesh(*shapes()[upper][0].triangles())
    b.body("upper", shape=gk.Part(sheet, groups="upper"), static=True, at=place(world), rotation=gk.unit(TIP_DOWN))
    return gk.CollisionWorld(b.build())


def draw_pair(panel: Axes, lower: str, upper: str, pixels: int) -> None:
    """Two shapes, their contacts, and how far they are apart."""
    world, many = pairs()[lower, upper], len(pairs()[lower, upper]) > 8
    layers = [Layer("lower", BLUE, 0.75, within=0.9), Layer("upper", ORANGE, 0.65, within=1.0)]
    middle = (0.05, 0.03, 0.5 * place(world)[2])
    draw_shapes(panel, drawn(lower, upper, world), EYE, middle, (1.75, 1.75), layers, pixels)
    draw_contacts(panel, world, EYE, 0.2 if many else 0.3, (0.4 if many else 0.65) + 0.0025 * pixels)
    label = panel.text(0.03, 0.01, f"{round(1000 * gap(world))} mm", transform=panel.transAxes, fontsize=6.5)
    label.set_path_effects([withStroke(linewidth=2, foreground="white")])


def picture(run: gk.Run, out: str) -> None:
    kinds, figure = list(shapes()), Figure(figsize=(12, 12))
    cell, left, top = 0.0725, 0.068, 0.985
    for k, kind in enumerate(kinds):
        row = kind.replace(" ", "\n")
        figure.text(left - 0.004, top - cell * (k + 0.55), row, ha="right", va="center", fontsize=9, color="#2f5fa8")
        if kind != "plane":
            figure.text(left + cell * (k + 0.5), top - cell * k - 0.008, kind, ha="center", fontsize=9, color="#a86a10")
    for lower, upper in pairs():
        i, j = kinds.index(lower), kinds.index(upper)
        draw_pair(figure.add_axes((left + cell * j, top - cell * (i + 1.06), cell, cell)), lower, upper, 68)
    for k, (lower, upper) in enumerate(LARGE):
        panel = figure.add_axes((0.43 + 0.19 * k, 0.68, 0.19, 0.19))
        draw_pair(panel, lower, upper, 164)
        panel.set_title(f"{upper} on {lower}", fontsize=10)
    figure.text(0.715, 0.93, "Every shape on every other one", ha="center", fontsize=15)
    figure.text(0.715, 0.905, "points, normals and distance of contact", ha="center", fontsize=11)
    figure.savefig(out, dpi=72)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Contact points of all pairs of shapes.")
    parser.add_argument("--out", default="gallery.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    most = max(pairs().items(), key=lambda item: len(item[1]))
    print(f"{len(pairs())} pairs of {len(shapes())} shapes, {sum(map(len, pairs().values()))} points of contact")
    print(f"most of them, {len(most[1])}, has {most[0][1]} on {most[0][0]}")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
