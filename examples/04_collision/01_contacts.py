"""Contacts: where things touch, what a ray hits, what is near, and what happened.

A crate, a barrel and a hat stand on the ground, and a ball comes along. A gk.CollisionWorld holds their shapes:
``detect(state)`` moves them to where a state has them, and then the world is a list of contacts. Each has a point on
both bodies, the unit normal from the one to the other, and the distance, which is negative by the depth. Events tell
which parts began or ended to touch. Rays, the nearest surface to a point and what a shape at some place would meet can
be asked for at any time. ``world.picture("x.png")`` draws all of it in one call; the picture here adds to that with the
same means. Finding contacts exerts no force: the ball goes on through the crate.

Proof. The ball of radius r has the distance  |max(x, 0)| + min(max x_i, 0) - r  from the crate, where x is how far its
centre is beyond the faces, |p| - half of the edges. It is in touch from d = 0 until d is more than the margin, and the
crate stands on its four corners.
"""

import argparse

import numpy as np
from matplotlib.figure import Figure

import gelenk as gk
from gelenk.run.picture import Camera
from gelenk.space.view import Layer, draw_contacts, draw_shapes

EDGES, CRATE = np.array([1.0, 1.2, 0.8]), np.array([0.0, 0.0, 0.4])  # of the crate, and its middle [m]
RADIUS, START, SPEED = 0.3, np.array([-1.8, -0.35, 0.3]), 1.0  # of the ball [m], [m/s]
STEP, T_END, MARGIN = 0.01, 3.6, 0.02  # [s], [m]
AIR = np.array([1.0, -1.2, 0.95])  # a point to ask about [m]
EYE = Camera(np.array([-0.5, -1.0, 0.55]))
COLORS = {"ground": (0.88, 0.88, 0.86), "crate": (0.80, 0.66, 0.45), "barrel": (0.45, 0.62, 0.80),
          "hat": (0.62, 0.52, 0.75), "ball": (0.42, 0.70, 0.48)}  # fmt: skip


def build() -> gk.Model:
    b = gk.Builder(name="contacts", gravity=(0, 0, 0))
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("crate", shape=gk.Box(EDGES), density=300, at=CRATE)
    b.body("barrel", shape=gk.Cylinder(radius=0.35, length=0.9), density=600, at=(1.4, 0.5, 0.45))
    b.body("hat", shape=gk.Cone(radius=0.3, height=0.5), density=100, at=(0.05, 0.2, 0.8))
    b.body("ball", shape=gk.Sphere(RADIUS), density=150, at=START, velocity=(SPEED, 0, 0))
    return b.build()


def simulate() -> gk.Run:
    model = build()
    world = gk.CollisionWorld(model, margin=MARGIN)
    touch = False  # ball and crate

    def listen(event: gk.CollisionEvent) -> None:
        nonlocal touch
        if {event.a, event.b} == {"ball", "crate"}:
            touch = event.kind == "begin"

    def distance(sim: gk.Simulation) -> float:
        """Of ball and crate, as far as it is within the margin [m]."""
        return min((c.distance for c in world.detect(sim.state).between("ball", "crate")), default=np.nan)

    world.subscribe(listen)
    outputs = {"distance": distance, "touch": lambda sim: float(touch), "points": lambda sim: float(len(world))}
    return gk.simulate(model, T_END, method=gk.FreeMotion(h=STEP), output_dt=STEP, outputs=outputs)


def closed_form(run: gk.Run) -> np.ndarray:
    """Distance of ball and crate [m]."""
    x = np.abs(run["ball"].position - CRATE) - EDGES / 2
    return np.linalg.norm(np.maximum(x, 0), axis=1) + np.minimum(x.max(axis=1), 0) - RADIUS


def check(run: gk.Run) -> None:
    # Distances to round-off, and none is missing.
    d = closed_form(run)
    near = d <= MARGIN - 1e-12
    np.testing.assert_allclose(run["distance"][near], d[near], rtol=0, atol=1e-14)
    assert np.isnan(run["distance"][d > MARGIN + 1e-12]).all()
    # In touch from d = 0 on, until d is more than the margin: once, for one stretch of time.
    begin, end = touching(run)
    face, reach = CRATE[0] - EDGES[0] / 2 - START[0], RADIUS
    np.testing.assert_allclose(begin, (face - reach) / SPEED, atol=STEP + 1e-9)
    np.testing.assert_allclose(end, (face + EDGES[0] + reach + MARGIN) / SPEED, atol=STEP + 1e-9)
    assert np.abs(np.diff(run["touch"])).sum() == 2
    # The crate stands on its corners.
    world = gk.CollisionWorld(run.model, margin=MARGIN)
    corners = sorted((c.point_b[0], c.point_b[1]) for c in world.between("ground", "crate"))
    np.testing.assert_allclose(corners, [(x, y) for x in (-0.5, 0.5) for y in (-0.6, 0.6)], atol=1e-15)
    for c in world:
        np.testing.assert_allclose(c.point_b - c.point_a, c.distance * c.normal, atol=1e-15)


def touching(run: gk.Run) -> tuple[float, float]:
    """First and last time at which ball and crate touch [s]."""
    when = run.time[run["touch"] > 0]
    return float(when[0]), float(when[-1])


def picture(run: gk.Run, out: str) -> None:
    world = gk.CollisionWorld(run.model, margin=MARGIN)
    figure = Figure(figsize=(11, 4.6))
    scene = figure.add_axes((0.0, 0.0, 0.60, 0.91))
    middle, size = np.array([0.0, 0.0, 0.30]), (5.0, 3.1)
    draw_shapes(scene, world, EYE, middle, size, [Layer(color=COLORS, within=2.45)], pixels=520)
    draw_contacts(scene, world, EYE, 0.22, hidden_by=world)
    hit = world.ray((-0.9, 0.0, 1.5), (1.0, 0.22, -0.5))
    near = world.closest(AIR)
    for ends, color, text, lift in (
        (((-0.9, 0.0, 1.5), hit.point), "#1f5fbf", f"ray hits the {hit.body}", 0.05),
        ((AIR, near.point), "#1a7a3c", f"{near.body} is nearest, {near.distance:.2f} m away", -0.15),
    ):
        x, y = np.array(ends) @ EYE.right, np.array(ends) @ EYE.up
        scene.plot(x, y, "-", color=color, linewidth=1.6)
        scene.plot(x[1], y[1], "o", color=color, markersize=5)
        scene.text(x[0], y[0] + lift, text, color=color, fontsize=8, ha="center", backgroundcolor="#ffffffcc")
    scene.set_title(f"{len(world)} contact points and their normals", fontsize=9, y=0.97)
    panel = figure.add_axes((0.66, 0.13, 0.325, 0.72))
    panel.plot(run.time, closed_form(run), color="0.65", linewidth=4, label="closed form")
    panel.plot(run.time, run["distance"], color="#c44e52", linewidth=1.5, label="contact")
    panel.axvspan(*touching(run), color="#55a868", alpha=0.15, label="touch, by events")
    panel.set_title("distance of ball and crate [m], negative by the depth", fontsize=9)
    panel.set_xlabel("time [s]", fontsize=8)
    panel.tick_params(labelsize=7)
    panel.grid(alpha=0.25)
    panel.legend(fontsize=7, loc="lower left")
    figure.suptitle("What touches what, and where", fontsize=12)
    figure.savefig(out, dpi=80)


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Contacts, events, rays and nearest points.")
    parser.add_argument("--out", default="contacts.png", help="picture to write")
    out = parser.parse_args(arguments).out
    run = simulate()
    check(run)
    picture(run, out)
    world = gk.CollisionWorld(run.model, margin=MARGIN)
    pairs = dict.fromkeys(f"{c.b} on {c.a}" for c in world)
    print(f"{len(world)} points: {', '.join(pairs)}")
    begin, end = touching(run)
    print(
        f"the ball touches the crate from {begin:.2f} to {end:.2f} s, at most {-np.nanmin(run['distance']):.2f} m deep"
    )
    hit, near = world.ray((0, 0.2, 5), (0, 0, -1)), world.closest(AIR)
    print(f"a ray from above hits the {hit.body} after {hit.distance:.2f} m; nearest to {AIR} is the {near.body}")
    met = world.overlap(gk.Sphere(0.5), at=(0.85, 0.3, 0.55))
    print("a balloon of 0.5 m between them would touch", " and ".join(f"{o.body} ({o.distance:.2f} m)" for o in met))
    print(f"picture in {out}")


if __name__ == "__main__":
    main()
