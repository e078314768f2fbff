"""Car pieces: a car body splits into convex pieces once, and is read from a file ever after.

Contact of convex shapes is fast and robust, and a car is not convex: there are the arches of its wheels and the step
from bonnet to windscreen. ``gk.decompose`` splits a mesh into convex pieces (X. Wei and others, ACM Trans. Graph. 41,
2022) and keeps them beside the mesh file, so that the search happens once. The mesh gives mass and looks, the pieces
collide.

Proof. The pieces hold the body and stand out from it, so together they are larger, but much less than one hull around
all of it. The lowest points of pieces and mesh are the same, for the convex hull of all pieces is that of the mesh: the
falling car meets the ground when its lowest corner does. The second call reads the file and gives the same pieces to
the last bit.
"""

import argparse
import tempfile
from functools import cache
from pathlib import Path
from time import perf_counter

import numpy as np
import trimesh
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.geometry.car_body import car_body
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_shapes

THRESHOLD, DETAIL = 0.05, 1  # how hollow a piece may be; of the mesh
HEIGHT, PITCH = 2.4, (0.985, 0.06, 0.16, 0.0)  # of the fall [m], how the car is turned
STEP, T_END = 0.005, 0.7  # [s]
APART = 0.55  # by how much pieces are drawn asunder
EYE = Camera(np.array([-0.55, -1.0, 0.55]))


@cache
def split() -> tuple[gk.TriangleMesh, gk.Compound, list[float]]:
    """The car, its pieces, and the times of two calls [s]."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "car.stl")
        body = car_body(DETAIL)
        trimesh.Trimesh(body.vertices, body.faces).export(file)
        times, made = [perf_counter()], []
        for _ in range(2):
            made.append(gk.decompose(file, threshold=THRESHOLD))
            times.append(perf_counter())
        assert made[0] == made[1]
        return gk.load_mesh(file), made[0], np.diff(times).tolist()


def build() -> gk.Model:
    mesh, pieces, _ = split()
    b = gk.Builder(name="car")
    b.body("ground", shape=gk.Plane(), static=True)
    parts = [gk.Part(mesh, collide=False), gk.Part(pieces, weighs=False, view=False)]
    b.body("car", shape=parts, density=120, at=(0, 0, HEIGHT), rotation=gk.unit(PITCH))
    return b.build()


def simulate() -> gk.Run:
    model = build()
    world = gk.CollisionWorld(model, margin=2 * HEIGHT)

    def distance(sim: gk.Simulation) -> tuple[float, float]:
        """Of the pieces by their contacts, and of the lowest corner of the mesh, from the ground [m]."""
        corners = sim["car"].position + split()[0].vertices @ sim["car"].rotation.T
        return min(c.distance for c in world.detect(sim.state).between("ground", "car")), corners[:, 2].min()

    return gk.simulate(model, T_END, method=gk.FreeMotion(h=STEP), output_dt=STEP, outputs={"distance": distance})


def volume(shape: gk.TriangleMesh | gk.ConvexHull | gk.Compound) -> float:
    return shape.mass_properties(1.0).mass


def check(run: gk.Run) -> None:
    mesh, pieces, times = split()
    assert 2 <= len(pieces.children) <= 40
    # Larger than the mesh, and much less than one hull around all of it.
    assert 0.0 < volume(pieces) - volume(mesh) < 0.3 * (volume(gk.ConvexHull(mesh.vertices)) - volume(mesh))
    # The search works on a copy of the mesh that is good to 1e-3 of its length.
    np.testing.assert_allclose(run["distance"][:, 0], run["distance"][:, 1], atol=1e-3 * 4.2)
    assert times[1] < 0.5 * times[0]


def apart(share: float) -> gk.CollisionWorld:
    """Every piece a body, moved from the middle of the car by a share of its own distance."""
    _, pieces, _ = split()
    middles = np.array([hull.mass_properties(1.0).com for hull, _, _ in pieces.children])
    way = share * (middles - middles.mean(axis=0))
    b = gk.Builder()
    for k, (hull, _, _) in enumerate(pieces.children):
        b.body(f"piece {k}", shape=hull, static=True, at=way[k])
    return gk.CollisionWorld(b.build())


def picture(run: gk.Run, out: str) -> None:
    from matplotlib import colormaps

    mesh, pieces, times = split()
    count = len(pieces.children)
    figure = Figure(figsize=(11, 3.1))
    b = gk.Builder()
    b.body("car", shape=mesh, static=True)
    colors = {f"piece {k}": colormaps["tab20"]((2 * k + k // 10) % 20)[:3] for k in range(count)}
    middle = np.array([2.1, 0.0, 0.7])
    views = (("mesh", gk.CollisionWorld(b.build()), (0.72, 0.76, 0.82)), ("pieces", apart(0.0), colors),
             ("pieces, drawn asunder", apart(APART), colors))  # fmt: skip
    for k, (title, world, color) in enumerate(views):
        left, width = (0.0, 0.28, 0.56)[k], (0.29, 0.29, 0.44)[k]
        panel = figure.add_axes((left, 0.1, width, 0.74))
        size = (4.9, 3.5) if k < 2 else (6.3, 3.0)
        draw_shapes(panel, world, EYE, middle, size, [Layer(color=color)], pixels=(255, 255, 385)[k])
        panel.set_title(title, fontsize=10)
    error = 100 * (volume(pieces) / volume(mesh) - 1)
    text = f"{len(mesh.faces)} triangles, {count} convex pieces; volume {error:+.1f} %"
    figure.text(
        0.5,
        0.05,
        f"{text}; split in {times[0]:.1f} s, read again in {1000 * times[1]:.0f} ms",
        ha="center",
        fontsize=10,
    )
    figure.suptitle("A car body as convex pieces", fontsize=12)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A car body as convex pieces.")
    parser.add_argument("--out", default="car_pieces.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    mesh, pieces, times = split()
    error = 100 * (volume(pieces) / volume(mesh) - 1)
    print(f"{len(mesh.faces)} triangles are {len(pieces.children)} convex pieces, {error:+.1f} % in volume")
    print(f"split in {times[0]:.1f} s, read from the file in {1000 * times[1]:.0f} ms")
    met = run.time[run["distance"][:, 0] <= 0]
    print(f"dropped from {HEIGHT} m, the car meets the ground at {met[0]:.3f} s" if len(met) else "it never lands")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
