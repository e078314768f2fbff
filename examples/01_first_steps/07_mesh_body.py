"""Mesh body: a boomerang from a CAD file, thrown.

The outline of a boomerang is drawn in millimetres, made into a solid, saved as an STL file and loaded again as a body:
the common way from a drawing to a simulation. Mass, centre of mass and inertia are integrals over the surface, exact
for the mesh. The frame of the body stays where the drawing has it, in the corner; the package knows the centre of mass
and moves the body rightly. Who wants the frame there can recentre the mesh.

Proof. The boomerang is also two boxes side by side: same mass, centre and inertia. By its symmetry the principal axes
lie at 45 degrees. Spinning about the axis of its largest moment it keeps its spin, its centre of mass flies a parabola,
and the corner circles about the centre with constant distance.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import trimesh
from matplotlib.figure import Figure

import gelenk as gk

ARM, WIDTH, THICK = 300.0, 60.0, 12.0  # [mm], as in the drawing
DENSITY = 700.0  # plywood [kg/m^3]
OUTLINE = np.array([(0, 0), (ARM, 0), (ARM, WIDTH), (WIDTH, WIDTH), (WIDTH, ARM), (0, ARM)])  # [mm]
VELOCITY, SPIN = np.array([3.5, 0.0, 4.2]), np.array([0.0, -9.0, 0.0])  # of the centre [m/s], [rad/s]
UPRIGHT = (np.sqrt(0.5), np.sqrt(0.5), 0, 0)  # turns the drawing from the ground up, into the x-z plane
R_UPRIGHT = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def boomerang() -> gk.TriangleMesh:
    """From the outline to a solid, to a file, and back in metres."""
    n = len(OUTLINE)
    vertices = np.vstack([np.column_stack([OUTLINE, np.full(n, z)]) for z in (0.0, THICK)])
    sides = [(i, (i + 1) % n, (i + 1) % n + n, i + n) for i in range(n)]
    solid = gk.TriangleMesh.from_polygons(vertices, [range(n)[::-1], range(n, 2 * n), *sides])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "boomerang.stl")
        trimesh.Trimesh(solid.vertices, solid.faces).export(file)
        return gk.load_mesh(file, scale=1e-3)


def build(recentred: bool = False) -> gk.Model:
    mesh = boomerang()
    com = mesh.mass_properties(DENSITY).com
    if recentred:
        mesh, shift = mesh.recentred()
        com = com - shift
    b = gk.Builder(name="boomerang")
    r_W = R_UPRIGHT @ com  # from the origin of the body to its centre of mass, world axes
    b.body(
        "boomerang",
        shape=mesh,
        density=DENSITY,
        rotation=UPRIGHT,
        at=-r_W,  # so that the centre of mass starts at the origin of the world
        velocity=VELOCITY - np.cross(SPIN, r_W),
        angular_velocity=SPIN,
    )
    return b.build()


def simulate(recentred: bool = False) -> gk.Run:
    return gk.simulate(build(recentred), t_end=0.9, output_dt=0.005)


def check(run: gk.Run) -> None:
    # Two boxes side by side are the same body. STL keeps 24 bits: the numbers of this drawing fit, so round-off only.
    b = gk.Builder()
    a, w, t = ARM / 1000, WIDTH / 1000, THICK / 1000
    arm_x = gk.Part(gk.Box((a, w, t)), at=(a / 2, w / 2, t / 2))
    arm_y = gk.Part(gk.Box((w, a - w, t)), at=(w / 2, (w + a) / 2, t / 2))
    b.body("boxes", shape=[arm_x, arm_y], density=DENSITY)
    mesh, boxes = run.model.body("boomerang"), b.build().body("boxes")
    np.testing.assert_allclose(mesh.mass, boxes.mass, rtol=1e-14)
    np.testing.assert_allclose(mesh.com, boxes.com, rtol=1e-13)
    np.testing.assert_allclose(mesh.inertia, boxes.inertia, rtol=1e-12, atol=1e-17)
    # Principal axes: along the line of symmetry, across it, and out of the plane (the largest).
    moments, R_BP = gk.principal_axes(mesh.inertia)
    half = np.sqrt(0.5)
    np.testing.assert_allclose(np.abs(R_BP), [[half, half, 0], [half, half, 0], [0, 0, 1]], atol=1e-12)
    assert moments.argmax() == 2
    # The flight. Runge-Kutta is exact on a parabola; the turn is off by (h w)^5 / 120 a step, 5e-13 and 900 steps.
    t = run.time
    track = run["boomerang"]
    parabola = np.outer(t, VELOCITY) + np.outer(t**2, (0, 0, -9.81 / 2))
    np.testing.assert_allclose(track.com, parabola, atol=1e-9)
    np.testing.assert_allclose(track.angular_velocity, np.tile(SPIN, (len(t), 1)), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(track.position - track.com, axis=1), np.linalg.norm(mesh.com), atol=1e-12)
    # Recentred, the frame sits in the centre of mass; the motion is the same.
    other = simulate(recentred=True)
    np.testing.assert_allclose(other["boomerang"].position, track.com, atol=1e-12)
    np.testing.assert_allclose(other["boomerang"].orientation, track.orientation, atol=1e-12)


def picture(run: gk.Run, out: str) -> None:
    figure = Figure(figsize=(9.5, 3.3), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(1, 2.6))
    com, (moments, R_BP) = run.model.body("boomerang").com, gk.principal_axes(run.model.body("boomerang").inertia)
    left.fill(*OUTLINE.T / 1000, color="#ccb974", alpha=0.6)
    for axis, moment, color in zip(R_BP.T[:2], moments, ("#c44e52", "#55a868")):
        x, y = np.array(com[:2])[:, None] + np.outer(axis[:2], (-0.17, 0.17))
        left.plot(x, y, color=color, label=f"{1e3 * moment:.2f} g m²")
    left.plot(*com[:2], "ko", markersize=5)
    left.set(title="Centre of mass, principal axes", xlabel="x [m]", ylabel="y [m]", aspect="equal")
    left.legend(fontsize=8, loc="upper right")
    track = run["boomerang"]
    corners = np.column_stack([OUTLINE / 1000, np.full(len(OUTLINE), THICK / 2000)])
    for k in range(0, len(run), 20):
        shape = track.position[k] + corners @ track.rotation[k].T
        right.fill(shape[:, 0], shape[:, 2], color="#ccb974", alpha=0.6)
    right.plot(track.com[:, 0], track.com[:, 2], "k", linewidth=1, label="centre of mass: a parabola")
    right.plot(track.position[:, 0], track.position[:, 2], color="#c44e52", linewidth=1, label="corner")
    right.set(title="Thrown, every 0.1 s", xlabel="x [m]", ylabel="z [m]", aspect="equal", ylim=(-0.4, 1.15))
    right.legend(fontsize=8, loc="lower center", ncols=2)
    for panel in (left, right):
        panel.grid(alpha=0.25)
    figure.savefig(out, dpi=90)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A boomerang from an STL file, thrown.")
    parser.add_argument("--out", default="boomerang.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    body = run.model.body("boomerang")
    moments, _ = gk.principal_axes(body.inertia)
    print(f"mass {1000 * body.mass:.1f} g, centre of mass {1000 * body.com[0]:.1f} mm from both edges")
    print(f"principal moments {', '.join(f'{1e3 * m:.3f}' for m in moments)} g m^2")
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
