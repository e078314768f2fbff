"""Models that the tests of the view look at."""

import numpy as np

import gelenk as gk

H = 1e-3


def falling():
    """A ball and a box in free flight: nothing to compile but free motion."""
    b = gk.Builder(name="falling")
    b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 2), density=1000, velocity=(0.3, 0, 3))
    b.body(
        "box", shape=gk.Box((0.3, 0.4, 0.5)), at=(1, 0, 2), density=1000, velocity=(0, 0, 4), angular_velocity=(1, 2, 3)
    )
    return b.build()


def falling_simulation():
    return gk.Simulation(falling(), gk.FreeMotion(h=H))


def gallery(fly=True):
    """Every kind of shape, turning in the air over a plane that nothing reaches."""
    n = np.linspace(-1, 1, 17)
    field = gk.HeightField(0.15 * np.sin(3 * n)[:, None] * np.cos(3 * n)[None, :], 0.1)
    hull = gk.ConvexHull([(x, y, z) for x in (-0.3, 0.3) for y in (-0.3, 0.3) for z in (-0.3, 0.1)] + [(0, 0, 0.5)])
    vertices, faces = gk.Torus(0.35, 0.12).triangles(24)
    mesh = gk.TriangleMesh(vertices, faces)
    pair = gk.Compound([(gk.Sphere(0.2), (-0.3, 0, 0)), (gk.Box((0.5, 0.1, 0.1)),), (gk.Sphere(0.2), (0.3, 0, 0))])
    shapes = {
        "sphere": gk.Sphere(0.35), "box": gk.Box((0.5, 0.6, 0.4)), "capsule": gk.Capsule(0.2, 0.5),
        "cylinder": gk.Cylinder(0.3, 0.6), "cone": gk.Cone(0.35, 0.8), "ellipsoid": gk.Ellipsoid((0.2, 0.3, 0.5)),
        "torus": gk.Torus(0.35, 0.12), "hull": hull, "mesh": mesh, "compound": pair,
    }  # fmt: skip
    b = gk.Builder(name="gallery", gravity=(0, 0, 0))
    b.body("plane", shape=gk.Plane(), static=True)
    b.body("height field", shape=field, at=(5, 2.4, 0.25), static=True)
    spin = 0.8 if fly else 0.0
    for k, (name, shape) in enumerate(shapes.items()):
        at = (1.3 * (k % 4), 1.5 * (k // 4), 1.0)
        middle = (0, 0, -0.2) if name == "cone" else (0, 0, 0)  # so that it turns about its centre of mass
        part = gk.Part(shape, at=middle, density=500.0, collide=False)
        b.body(name, shape=part, at=at, angular_velocity=(0, spin, 0.5 * spin))
    b.particle("particle", mass=1.0, at=(2.6, 3.0, 1.0))
    return b.build()
