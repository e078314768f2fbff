"""Small models for the tests of runs, and what the tests ask of a run file again and again."""

import hashlib

import numpy as np

import gelenk as gk

H = 1e-3


def tumblers():
    """Two tumbling bodies, one with its centre of mass off its origin, and a bead, tied by springs, with drag."""
    b = gk.Builder(name="tumblers")
    b.material("beech", density=720, color=(0.8, 0.6, 0.4))
    b.body(
        "plate",
        shape=gk.Box((0.4, 0.2, 0.05)),
        material="beech",
        at=(0, 0, 1),
        rotation=gk.unit((0.9, -0.3, 0.2, 0.25)),
        velocity=(0.3, 0, 0.5),
        angular_velocity=(3, 1, 2),
    )
    b.body(
        "arm.upper",
        mass=1.5,
        inertia=(0.02, 0.03, 0.04),
        com=(0.1, -0.05, 0.02),
        at=(1, 0, 1),
        angular_velocity=(1, -2, 0.5),
    )
    b.body("post", shape=gk.Cylinder(0.05, 2.0), static=True, at=(-1, 0, 1))
    b.particle("bead", mass=0.2, at=(0, 1, 1), velocity=(0.1, 0.2, -0.1))
    b.add(gk.Spring("tie", "plate", "arm.upper", stiffness=200, rest_length=0.8, damping=0.5, at_a=(0.2, 0, 0)))
    b.add(gk.Spring("string", "plate", "bead", stiffness=50, rest_length=0.5))
    b.add(gk.Spring("anchor", "post", "arm.upper", stiffness=30, rest_length=1.5, at_a=(0, 0, 0.5)))
    b.add(gk.Drag("air", "plate", area=0.08, wind=(1, 0, 0)))
    return b.build()


def swarm(count):
    """Particles that fall, every one with its own velocity."""
    b = gk.Builder(name="swarm")
    for i in range(count):
        b.particle(f"p{i}", mass=1.0 + i, at=(0.1 * i, 0, 0), velocity=(0, 0.01 * i, 1))
    return b.build()


def stone():
    """One particle in free flight."""
    b = gk.Builder(name="stone")
    b.particle("stone", mass=0.5, at=(0, 0, 10), velocity=(1, 0, 2))
    return b.build()


def with_law(function, *, compiled=False):
    """A body and a particle under one law; the particle falls besides."""
    b = gk.Builder(name="driven")
    b.body("wheel", mass=1.0, inertia=(0.2, 0.2, 0.3), com=(0.1, 0, 0), angular_velocity=(0, 0, 1))
    b.particle("bead", mass=0.2, at=(0, 1, 1))
    b.add(gk.Law("drive", function, compiled=compiled))
    return b.build()


def started(model, h=H, integrator=None):
    return gk.Simulation(model, gk.FreeMotion(h=h, integrator=integrator or gk.RungeKutta4()))


def bits(run):
    """Hash over every recorded number of a run, so that equal means equal to the last bit."""
    h = hashlib.sha256()
    for path in RAW:
        if path in run._file:
            h.update(path.encode() + np.ascontiguousarray(run.read(path)).tobytes())
    for name in run.outputs:
        h.update(name.encode() + run.series(name).tobytes())
    return h.hexdigest()


RAW = (
    "time",
    "position",
    "orientation",
    "velocity",
    "angular_velocity",
    "particle_position",
    "particle_velocity",
    "energy/kinetic",
    "energy/potential",
    "momentum",
    "angular_momentum",
)


def assert_whole(run):
    """What every run file must fulfil, however its run ended."""
    assert len(run) >= 1
    assert (np.diff(run.time) > 0).all()
    for path in RAW:
        if path in run._file:
            assert len(run._file[path]) >= len(run)
            assert np.isfinite(run.read(path)).all(), path
    if run.bodies:
        # normalised every step: what is left is the round-off of a few operations
        np.testing.assert_allclose(np.linalg.norm(run.read("orientation"), axis=-1), 1, atol=1e-14)
