"""Scenes in which contact has a closed form."""

import math

import numpy as np

import gelenk as gk

G = 9.81


def simulation(model, h, method=gk.RowStepping, **options):
    """A simulation with contact, by a method."""
    return gk.Simulation(model, method(h=h, contact=gk.ContactOptions(**options)))


def moved(model, t, h=2e-3, samples=None, method=gk.RowStepping, **options):
    """Simulation after t; with ``samples`` a function of the simulation, its values after every step."""
    sim = simulation(model, h, method, **options)
    if samples is None:
        sim.advance(t)
        return sim
    taken = []
    for _ in range(round(t / h)):
        sim.advance(h)
        taken.append(samples(sim))
    return sim, np.array(taken)


def ball(height=1.0, restitution=0.0, friction=0.5, radius=0.05, **start):
    """A ball over a plane, its lowest point at a height."""
    b = gk.Builder()
    b.material("m", friction=friction, restitution=restitution)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(radius), material="m", at=(0, 0, height + radius), **start)
    return b.build()


def slope(angle, friction, static_friction=None, size=(0.4, 0.3, 0.2), **start):
    """A block on a tilted plane; gravity is tilted instead, so x points downhill and z away from the plane."""
    b = gk.Builder(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    b.material("m", friction=friction, static_friction=static_friction)
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("block", shape=gk.Box(size), material="m", at=(0, 0, size[2] / 2), **start)
    return b.build()


def cradle(balls=5, raised=1, angle=0.5, radius=0.05, length=0.5, restitution=1.0, gap=0.0):
    """Balls on hinges side by side; the first ones are raised (X3)."""
    b = gk.Builder()
    b.material("steel", density=7800, friction=0.0, restitution=restitution)
    for k in range(balls):
        turn = angle if k < raised else 0.0
        x = (2 * radius + gap) * k
        at = (x - length * math.sin(turn), 0, -length * math.cos(turn))
        b.body(f"ball{k}", shape=gk.Sphere(radius), material="steel", at=at)
        b.add(gk.Hinge(name=f"hinge{k}", a="world", b=f"ball{k}", at=(x, 0, 0), axis=(0, 1, 0)))
    return b.build()


def boxes(places, size=0.1, friction=0.5, restitution=0.0, **options):
    """Boxes over a plane; ``places`` by name."""
    b = gk.Builder(**options)
    b.material("m", friction=friction, restitution=restitution)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for name, at in places.items():
        b.body(name, shape=gk.Box((size, size, size)), material="m", at=at)
    return b.build()
