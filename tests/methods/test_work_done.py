"""Energy books of trees: items against closed forms, and the sum of all against the energy (B-07, B-08, B-28)."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.errors import InputError

G = 9.81
KINDS = {"friction", "pressing", "blows", "impacts", "damping", "springs", "drives", "air", "overlaps"}


def opened(model, method):
    """A simulation with open books, and the energy it begins with."""
    sim = gk.Simulation(model, method=method)
    assert sim.work_done().keys() == KINDS
    return sim, energy(sim)


def energy(sim):
    return float(sum(sim.ledger[:2]))


def total(work):
    return math.fsum(value for kind in work.values() for value in kind.values())


def standing(height=0.0, restitution=0.0, **touch):
    """A block of 2 kg on or above a plane, with a point under each of its corners."""
    b = gk.Builder()
    b.body("ice", shape=gk.Part(gk.Plane(), collide=False), static=True)
    b.body("box", mass=2.0, inertia=(0.1, 0.2, 0.3), at=(0.0, 0.0, 0.1 + height), velocity=(3.0, 0.0, 0.0))
    corners = [(x, y, -0.1) for x in (-0.3, 0.3) for y in (-0.2, 0.2)]
    laws = {"friction": 0.3, "restitution": restitution} | touch
    b.add(gk.SegmentContacts("feet", "box", corners, [(0.0, 0.0, 0.1)] * 4, "ice", **laws))
    return b.build()


def test_friction_takes_its_force_times_the_way():
    """A block that slides on a plane:  W = -mu m g L,  whose way L = v t - mu g t^2 / 2 the rule has exactly."""
    sim, start = opened(standing(), gk.MoreauTree(h=1e-3))
    sim.run(0.5, progress=False)
    work = sim.work_done()
    assert list(work["friction"]) == ["feet"]
    way = 3.0 * 0.5 - 0.5 * 0.3 * G * 0.25
    assert work["friction"]["feet"] == pytest.approx(-0.3 * 2.0 * G * way, rel=1e-4)  # it begins with a gap of 0
    assert energy(sim) - start == pytest.approx(total(work), abs=1e-6)
    assert abs(total(work) - work["friction"]["feet"]) < 1e-3
    assert total(sim.work_done()) == 0.0  # begun anew


def test_a_bounce_takes_what_newtons_law_says():
    """-(1 - e^2) m v^2 / 2 with  m v^2 / 2 = m g H  of the one impact, at a time of its own: to m (h g)^2."""
    e, drop, h = 0.5, 0.5, 1e-3
    sim, start = opened(standing(drop, e, friction=0.0), gk.MoreauTree(h=h))
    sim.run(0.5, progress=False)  # it falls for 0.32 s and flies for as long again
    work = sim.work_done()
    near = 2.0 * (h * G) ** 2
    assert work["impacts"][""] == pytest.approx(-(1.0 - e * e) * 2.0 * G * drop, abs=10.0 * near)
    assert energy(sim) - start == pytest.approx(total(work), abs=10.0 * near)


def test_a_fall_without_bounce_is_a_blow():
    """All of m g H goes, but for what gravity gives in the step of it, h m g v."""
    drop, h = 0.2, 1e-3
    sim, start = opened(standing(drop, friction=0.0), gk.MoreauTree(h=h))
    sim.run(0.3, progress=False)
    work = sim.work_done()
    step = h * 2.0 * G * math.sqrt(2.0 * G * drop)
    assert work["blows"]["feet"] == pytest.approx(-2.0 * G * drop, abs=step)
    assert energy(sim) - start == pytest.approx(total(work), abs=step)


def swing(**more):
    """A pendulum of 2 kg on 1 m, 60 degrees out."""
    b = gk.Builder()
    b.body("bob", mass=2.0, inertia=(0.1, 0.1, 0.1), at=(math.sin(1.0), 0.0, -math.cos(1.0)))
    b.add(gk.Hinge(name="pivot", a="world", b="bob", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return b


@pytest.mark.parametrize("order", [1, 2])
def test_a_damper_takes_its_force_times_its_way(order):
    """-d times the integral of q'^2, by Simpson's rule over samples of the same run; the sum is that of the energy."""
    b = swing()
    b.add(gk.JointSpring(name="spring", on="pivot", stiffness=20.0, damping=1.5))
    sim, start = opened(b.build(), gk.MoreauTree(h=5e-4, order=order))
    run = sim.run(1.0, output_dt=5e-4, progress=False)
    rate = run["pivot"].rate
    weights = np.ones(len(rate))
    weights[1:-1:2], weights[2:-1:2] = 4.0, 2.0
    work = sim.work_done()
    (damped,) = work["damping"].values()
    assert damped == pytest.approx(-1.5 * 5e-4 / 3.0 * float(weights @ rate**2), rel=2e-3 if order == 1 else 1e-5)
    assert energy(sim) - start == pytest.approx(total(work), abs=3e-6 * abs(start))  # h^2 of the turning rule
    if order == 1:  # the spring is taken h q' ahead of the middle, which is a damper h k more
        (taken,) = work["springs"].values()
        assert taken == pytest.approx(5e-4 * 20.0 / 1.5 * damped, rel=0.01)


def test_a_drive_gives_what_the_energy_gains():
    """Where its acceleration jumps, by a at both ends and 2 a between, its force is off for a step: h I a q' each."""
    a, h = 2.0, 5e-4
    b = swing()
    b.add(gk.Driven(name="winch", on="pivot", position=0.0, acceleration_max=a))
    sim, start = opened(b.build(), gk.MoreauTree(h=h, order=1))
    sim.inputs["winch.position"] = 0.8
    sim.run(1.5, progress=False)
    (given,) = sim.work_done()["drives"].values()
    assert abs(given) > 5.0
    assert energy(sim) - start == pytest.approx(given, abs=h * 2.1 * (1.0 + 2.0 + 1.0) * a * math.sqrt(0.8 * a))


def test_air_takes_the_drag_times_the_way():
    """A body thrown without weight:  v = v0 / (1 + c v0 t / m)  and the energy it has lost."""
    b = gk.Builder(gravity=(0.0, 0.0, 0.0))
    b.body("ball", mass=1.0, inertia=(0.1, 0.1, 0.1), velocity=(30.0, 0.0, 0.0))
    b.add(gk.Drag("air", "ball", area=0.05, air_density=1.2))
    sim, _ = opened(b.build(), gk.MoreauTree(h=1e-3, order=2))
    sim.run(1.0, progress=False)
    v = 30.0 / (1.0 + 0.5 * 1.2 * 0.05 * 30.0)
    assert sim.work_done()["air"][""] == pytest.approx(-0.5 * (900.0 - v * v), rel=1e-5)


def test_methods_without_books_say_so():
    b = gk.Builder()
    b.body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    with pytest.raises(InputError, match="minimal coordinates"):
        gk.Simulation(b.build(), method=gk.FreeMotion()).work_done()
