"""Clip walk: from corner to edge to face, downhill to the closest features of two polyhedra.

The closest points of two convex polyhedra lie on a pair of features: corners, edges or faces. V-Clip (B. Mirtich, 1998)
finds it by walking. Each step looks whether the one feature lies in the Voronoi region of the other, the space nearer
to it than to any other feature, and if not goes on to the neighbour behind the plane that is crossed. No step leads
away. Begun on the far sides, the walk goes around both bodies; begun where it ended in the last step of a simulation,
it is there at once.

Proof. The distance d and the normal n prove themselves: the planes across n through the two closest points hold the
bodies apart, all corners of one behind the first and all of the other beyond the second, so that nothing is closer. No
pair of features comes twice. On average the walk around bodies of n_1 and n_2 faces takes no more steps than Mirtich's
estimate  2 (sqrt n_1 + sqrt n_2)  for evenly divided balls, around which about so many features lie along half a
circle. Here corners lie at random, and a single walk may take half as many again.
"""

import argparse
from functools import cache

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.manifold import new_memory
from gelenk.collision.solid import HULL, Hulls, Solid
from gelenk.collision.vclip import Closest, vclip
from gelenk.math.rotation import Mat3, rotation_matrix
from gelenk.math.vec3 import Vec3, vec3
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_shapes

CORNERS = (90, 70)  # of the two bodies of the picture
FACES = (30, 100, 300, 1000, 3000)  # of the bodies whose steps are counted
TRIALS = 12
WAY, STEP, T_END = np.array([1.6, 1.6, 0.0]), 0.02, 3.0  # [m], [s]
SPIN = (0.3, 0.2, 1.0)  # [rad/s]
EYE = Camera(np.array([0.25, -1.0, 0.4]))


@cache
def stone(corners: int, seed: int) -> gk.ConvexHull:
    """Corners at random on a ball of 1 m."""
    p = np.random.default_rng(seed).normal(size=(corners, 3))
    return gk.ConvexHull(p / np.linalg.norm(p, axis=1, keepdims=True))


def build() -> gk.Model:
    b = gk.Builder(name="two stones", gravity=(0, 0, 0))
    b.body("resting", shape=gk.Part(stone(CORNERS[0], 1), groups="resting"), static=True)
    shape = gk.Part(stone(CORNERS[1], 2), groups="passing")
    b.body("passing", shape=shape, density=1000, at=(-2.4, -2.0, 0.7), velocity=WAY, angular_velocity=SPIN)
    return b.build()


def simulate() -> gk.Run:
    """One stone flies past the other and turns; the walk begins where it ended."""
    table, memory = pack_hulls([stone(CORNERS[0], 1), stone(CORNERS[1], 2)]), new_memory()[0]

    def found(sim: gk.Simulation) -> tuple[float, ...]:
        p, R = sim["passing"].position, sim["passing"].rotation
        near = walk(table, p, R, memory)
        planes = p + stone(CORNERS[1], 2).vertices @ R.T, stone(CORNERS[0], 1).vertices
        n = np.array([near.n.x, near.n.y, near.n.z])
        return near.steps, near.d, (planes[0] @ n).min() - (planes[1] @ n).max()

    return gk.simulate(build(), T_END, method=gk.FreeMotion(h=STEP), output_dt=STEP, outputs={"found": found})


def walk(table: Hulls, p: np.ndarray, R: np.ndarray, memory: np.ndarray, trace: np.ndarray | None = None) -> Closest:
    """Closest features of hull 0 at the origin and hull 1 at p, turned by R; ``trace`` takes the pairs on the way."""
    solids = [Solid(HULL, k, Mat3(*np.ravel(Q).tolist()), Vec3(0.0, 0.0, 0.0)) for k, Q in enumerate((np.eye(3), R))]
    return vclip(*solids, vec3(p), table, table, memory, np.zeros((0, 2), np.uint32) if trace is None else trace)


def walk_from_behind(table: Hulls, p: np.ndarray, R: np.ndarray) -> np.ndarray:
    """(steps, 2) pairs of features from those corners that are farthest from the other body."""
    first = [int(v) for v in table.hull["vertex_first"]] + [len(table.vertex)]
    a, b = (table.vertex[first[k] : first[k + 1]] for k in (0, 1))
    memory, trace = new_memory()[0], np.zeros((1000, 2), np.uint32)
    memory.features[0] = 4 * (first[0] + (a @ p).argmin())  # a corner is four times its number
    memory.features[1] = 4 * (first[1] + (b @ R.T @ p).argmax())
    return trace[: walk(table, p, R, memory, trace).steps]


@cache
def counted() -> np.ndarray:
    """(faces, trials) steps of walks around two bodies."""
    random, steps = np.random.default_rng(3), []
    for faces in FACES:
        table = pack_hulls([stone(faces // 2 + 2, 1), stone(faces // 2 + 2, 2)])
        ways, turns = random.normal(size=(TRIALS, 3)), random.normal(size=(TRIALS, 4))
        ways *= 2.3 / np.linalg.norm(ways, axis=1, keepdims=True)
        steps.append([len(walk_from_behind(table, p, rotation_matrix(gk.unit(q)))) for p, q in zip(ways, turns)])
    return np.array(steps)


def estimate(faces: np.ndarray | float) -> np.ndarray:
    return 4 * np.sqrt(faces)


def check(run: gk.Run) -> None:
    # The planes across n are as far apart as the points, to round-off: proof of every distance.
    np.testing.assert_allclose(run["found"][:, 2], run["found"][:, 1], atol=1e-14)
    # With memory two steps are enough in most calls, and one that finds nothing new.
    assert np.median(run["found"][1:, 0]) <= 2
    for faces, steps in zip(FACES, counted()):
        assert steps.mean() <= estimate(faces)
        assert steps.max() <= 1.5 * estimate(faces)
    pairs = [tuple(pair) for pair in walk_from_behind(*shown())]
    assert len(set(pairs)) == len(pairs)


def shown() -> tuple[Hulls, np.ndarray, np.ndarray]:
    """The pair of the picture, as at the start of the run."""
    body = build().body("passing")
    table = pack_hulls([stone(CORNERS[0], 1), stone(CORNERS[1], 2)])
    return table, np.array([2.5, 0.0, 0.55]), rotation_matrix(body.rotation)


def corners(table: Hulls, X: int) -> np.ndarray:
    """Of a feature, axes of its body: a number whose last two bits say corner, edge or face."""
    i, kind = int(X) >> 2, int(X) & 3
    if kind == 1:
        return table.vertex[[int(table.edge[i]["tail"]), int(table.edge[i]["head"])]]
    return table.vertex[[i]] if kind == 0 else table.vertex[table.loop[table.face[i]["first"] : table.face[i]["last"]]]


def draw_walk(panel: Axes) -> int:
    table, p, R = shown()
    b = gk.Builder()
    b.body("a", shape=gk.Part(stone(CORNERS[0], 1), groups="a"), static=True)
    b.body("b", shape=gk.Part(stone(CORNERS[1], 2), groups="b"), density=1, at=p)
    layers = [Layer("a", (0.62, 0.74, 0.92), 0.9), Layer("b", (0.98, 0.82, 0.58), 0.9)]
    draw_shapes(panel, gk.CollisionWorld(b.build()), EYE, p / 2, (4.9, 3.0), layers, pixels=560)
    for k, (Q, at) in enumerate(((np.eye(3), np.zeros(3)), (R, p))):
        hull = stone(CORNERS[k], k + 1)
        seen = (hull.normals @ Q.T @ EYE.toward > 0)[hull.edges[:, 2:]].any(axis=1)
        ends = (hull.vertices @ Q.T + at)[hull.edges[seen, :2]]
        lines = np.stack([ends @ EYE.right, ends @ EYE.up], axis=-1)
        panel.add_collection(LineCollection(list(lines), colors="0.3", linewidths=0.4, alpha=0.7, zorder=1))
    pairs = walk_from_behind(table, p, R)
    middles = []
    for k, pair in enumerate(pairs):
        places = [corners(table, X) @ Q.T + at for X, Q, at in zip(pair, (np.eye(3), R), (np.zeros(3), p))]
        middles.append([place.mean(axis=0) for place in places])
        color = "#c0202a" if k == len(pairs) - 1 else "#6a3d9a"
        for place in places:
            x, y = place @ EYE.right, place @ EYE.up
            if len(place) > 2:
                panel.fill(x, y, color=color, alpha=0.55, zorder=2)
            else:
                panel.plot(x, y, "o-", color=color, linewidth=2.4, markersize=3.5, zorder=3)
    xy = np.stack([np.array(middles) @ EYE.right, np.array(middles) @ EYE.up], axis=-1)
    panel.add_collection(LineCollection(list(xy), colors="0.35", linewidths=0.5, alpha=0.6, zorder=1))
    panel.plot(*xy[-1].T, color="#c0202a", linewidth=2, zorder=4)
    for side, shift in ((0, (-0.07, 0.05)), (1, (0.07, 0.05))):
        clear: list[np.ndarray] = []
        for k, at in enumerate(xy[:, side]):
            if all(np.linalg.norm(at - other) > 0.11 for other in clear):
                panel.text(*(at + shift), str(k + 1), fontsize=7, ha="center", va="center", zorder=5)
                clear.append(at)
    return len(pairs)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(11, 4.6))
    count = draw_walk(figure.add_axes((0.0, 0.02, 0.66, 0.88)))
    panel = figure.add_axes((0.72, 0.13, 0.265, 0.72))
    steps, faces = counted(), np.array(FACES)
    panel.plot(faces, estimate(faces), "k--", linewidth=1, label=r"$2\,(\sqrt{n_1} + \sqrt{n_2})$")
    for column in steps.T:
        panel.plot(faces, column, ".", color="#4c72b0", markersize=3, alpha=0.4)
    panel.plot(faces, steps.mean(axis=1), "o-", color="#4c72b0", markersize=4, label="from the far sides")
    panel.axhline(run["found"][1:, 0].mean(), color="#55a868", label="in a simulation, with memory")
    panel.set(xscale="log", yscale="log", xticks=FACES)
    panel.set_title("steps of a walk", fontsize=9)
    panel.set_xlabel("faces of each body", fontsize=8)
    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter("{x:.0f}")
        axis.set_minor_formatter("")
    panel.tick_params(labelsize=8)
    panel.grid(alpha=0.25)
    panel.legend(fontsize=7)
    figure.suptitle(f"V-Clip walks from the far sides to the closest features in {count} steps", fontsize=12)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="The walk of V-Clip over the features of two polyhedra.")
    parser.add_argument("--out", default="vclip_walk.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    most = counted().max(axis=1)
    mean = counted().mean(axis=1)
    print(f"from the far sides of two bodies of {FACES[-1]} faces: {mean[-1]:.0f} steps on average, {most[-1]} at most")
    print(f"the estimate is {estimate(FACES[-1]):.0f}; with memory it is {run['found'][1:, 0].mean():.2f} steps a call")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
