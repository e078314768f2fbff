"""Sliding box: over a floor of triangles nothing catches, neither where it is flat nor along a ridge.

A floor of triangles is one smooth surface, but each triangle by itself has sides. Where a box slides 2 mm deep in the
floor, its front comes over the side of the next triangle and is for some moments less deep in it from the side than
from above: whoever takes each triangle as a solid of its own finds normals against the motion, and the box catches. A
mesh knows the neighbours of its triangles: flat sides have no normals of their own, and sides that bend outward only
those between the normals of their two faces. Static parts side by side are one surface in the same way; here that is
switched off (``seams=False``) to see what it is good for.

Proof. Over the flat half the normal is straight up. Along the ridge the flat bottom of the box lies on a straight edge,
so that the normal is straight up as well. For the mesh both hold to round-off all the way. The triangles taken one by
one, as prisms, give normals that lie flat.
"""

import argparse
from functools import cache

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_contacts, draw_shapes

CELLS, CELL = (10, 12), 0.2  # along x and y; [m]
RIDGE, SLOPE, CREST = 0.6, 0.6, 0.24  # y of the ridge, how steep it is, how high [m]
EDGES, DEPTH = (0.42, 0.36, 0.2), 0.002  # of the boxes, how deep they are [m]
START, SPEED, STEP, T_END = -0.65, 0.5, 0.004, 2.6  # x [m], [m/s], [s]
TURN = (0.99, 0.0, 0.0, 0.13)
EYE = Camera(np.array([-0.35, -1.0, 1.2]))
WAYS = {"flat": (-0.6, 0.0), "ridge": (RIDGE, CREST)}  # y and height of the floor below a box [m]


@cache
def floor() -> gk.TriangleMesh:
    """Half flat, half a ridge; corners are shifted along x so that no two triangles are alike."""
    x, y = (CELL * (np.arange(n + 1) - n / 2) for n in CELLS)
    heights = np.tile(np.maximum(0.0, CREST - SLOPE * np.abs(y - RIDGE)), (len(x), 1))
    vertices, faces = gk.HeightField(heights, CELL, base=-0.2).triangles()
    inner = np.arange(heights.size).reshape(heights.shape)[1:-1]
    vertices[inner, 0] += np.random.default_rng(4).uniform(-0.06, 0.06, inner.shape)
    return gk.TriangleMesh(vertices, faces)


def triangles() -> np.ndarray:
    """(t, 3, 3) corners of the upper side [m]."""
    return floor().vertices[floor().faces[: 2 * CELLS[0] * CELLS[1]]]


def build() -> gk.Model:
    b = gk.Builder(name="sliding box", gravity=(0, 0, 0))
    b.body("mesh", shape=gk.Part(floor(), groups="mesh"), static=True)
    prisms = [gk.ConvexHull(np.concatenate([t, t - (0, 0, 0.1)])) for t in triangles()]
    b.body("one by one", shape=gk.Part(gk.Compound(prisms), groups="prisms"), static=True)
    for name, (y, z) in WAYS.items():
        at = (START, y, z + EDGES[2] / 2 - DEPTH)
        box = gk.Part(gk.Box(EDGES), groups=name)
        b.body(name, shape=box, density=500, at=at, rotation=gk.unit(TURN), velocity=(SPEED, 0, 0))
    return b.build()


def simulate() -> gk.Run:
    model = build()
    world = gk.CollisionWorld(model, margin=0.0, seams=False)

    def tilt(sim: gk.Simulation) -> np.ndarray:
        """Largest angle of a normal from straight up, of both floors and ways [rad]."""
        world.detect(sim.state)
        found = [world.between(ground, box) for box in WAYS for ground in ("mesh", "one by one")]
        return np.array([max(angle(c.normal) for c in contacts) for contacts in found])

    return gk.simulate(model, T_END, method=gk.FreeMotion(h=STEP), output_dt=STEP, outputs={"tilt": tilt})


def angle(normal: np.ndarray) -> float:
    """From straight up [rad]."""
    return float(np.arctan2(np.hypot(normal[0], normal[1]), normal[2]))


def check(run: gk.Run) -> None:
    tilt = run["tilt"].reshape(-1, 2, 2)  # time, way, floor
    # Round-off of lengths of 1 m over the depth of 2 mm.
    assert tilt[:, :, 0].max() < 1e-16 / DEPTH * 100
    # Taken one by one, triangles make both boxes catch, with normals that lie flat.
    assert (tilt[:, :, 1].max(axis=0) > np.radians(80)).all()


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.4))
    scene = figure.add_axes((0.0, 0.0, 0.56, 0.9))
    world = gk.CollisionWorld(run.model, margin=0.0, seams=False)
    worst = run["tilt"][:, 1].argmax()
    state = run.model.initial_state()
    for name in WAYS:
        state.p_WC[run.model.index(name)] = run[name].com[worst]
    world.detect(state)
    layers = [Layer("mesh", (0.80, 0.82, 0.80)), Layer(tuple(WAYS), (0.45, 0.62, 0.88), 0.55)]
    draw_shapes(scene, world, EYE, (0, 0, -0.05), (3.2, 2.5), layers, pixels=490)
    sides = triangles()[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2, 3)
    xy = np.stack([sides @ EYE.right, sides @ EYE.up], axis=-1)
    scene.add_collection(LineCollection(list(xy), colors="0.35", linewidths=0.35, zorder=1))
    for name in WAYS:
        draw_contacts(scene, world.between("mesh", name), EYE, 0.22)
    panels = [figure.add_axes((0.62, bottom, 0.365, 0.3)) for bottom in (0.56, 0.12)]
    for k, (panel, name) in enumerate(zip(panels, WAYS)):
        tilt = np.degrees(run["tilt"].reshape(-1, 2, 2)[:, k])
        x = run[name].position[:, 0]
        panel.plot(x, tilt[:, 1], color="#c44e52", linewidth=0.8, label="triangles one by one")
        panel.plot(x, tilt[:, 0], color="#4c72b0", linewidth=2, label="mesh")
        panel.set(ylim=(-5, 95), yticks=(0, 45, 90))
        panel.set_title(f"{name}: most tilted normal [deg]", fontsize=9)
        panel.tick_params(labelsize=7)
        panel.grid(alpha=0.25)
    panels[0].legend(fontsize=7, loc="center right")
    panels[1].set_xlabel("place of the box [m]", fontsize=8)
    figure.suptitle(
        "Boxes that slide 2 mm deep over triangles: the normals of a mesh stay upright, nothing catches", fontsize=12
    )
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Boxes that slide over a mesh.")
    parser.add_argument("--out", default="sliding_box.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    mesh, prisms = np.degrees(run["tilt"].max(axis=0).reshape(2, 2).max(axis=0))
    caught = (run["tilt"].reshape(-1, 2, 2)[:, :, 1].max(axis=1) > 0.1).mean()
    print(f"mesh of {len(triangles())} triangles: no normal is more than {mesh:.0e} degrees from straight up")
    print(f"triangles one by one: up to {prisms:.0f} degrees, in {100 * caught:.0f} % of all steps")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
