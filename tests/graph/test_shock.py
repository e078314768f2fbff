"""Shock propagation: what it is for, and what it does wrong (V-98, V-99, I-105, E-4..E-6, trap T-20)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.contact.assemble import point_matrix
from gelenk.contact.block import CONTACT
from gelenk.contact.levels import new_levels
from gelenk.graph.shock import matrix_shock, push_shock, rate_of
from gelenk.math.vec3 import Vec3
from gelenk.rows.assemble import BodyWork
from gelenk.rows.block import records

A = 0.1
MODES = ("off", "uncompromising", "optimised", "freezing")


def heap(places, friction=0.8):
    b = gk.Builder()
    b.material("m", friction=friction, density=1000)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for name, at in places.items():
        b.body(name, shape=gk.Box((A, A, A)), material="m", at=at)
    return b.build()


def moved(model, t, h=0.01, **options):
    sim = gk.Simulation(model, gk.RowStepping(h=h, contact=gk.ContactOptions(**options)))
    sim.advance(t)
    return sim


@pytest.mark.parametrize(
    ("shock", "tips"), [("off", True), ("uncompromising", False), ("optimised", True), ("freezing", True)]
)
def test_three_boxes_each_shifted(shock, tips):
    """E-6: shifts of 0.4 a bring the centre of the upper two to 0.6 a, outside the lowest, which ends at 0.5 a."""
    model = heap({f"box{k}": (0.4 * A * k, 0, A * (k + 0.5)) for k in range(3)})
    sim = moved(model, 1.0, h=0.005, shock=shock)
    height = [sim[f"box{k}"].position[2] for k in range(3)]
    if tips:
        assert height[2] < 1.6 * A
    else:
        np.testing.assert_allclose(height, A * (np.arange(3) + 0.5), atol=1e-4)


@pytest.mark.parametrize(("shock", "carried"), [("off", 10), ("freezing", 10), ("uncompromising", 1), ("optimised", 1)])
def test_load_is_not_passed_downwards(shock, carried):
    """Trap T-20, which the options warn of: the foot of a tower of ten feels one box. The tower stands all the same.

    Each of its contacts may overlap by the slop of 10 um, since sweeps end before they have converged.
    """
    sim = moved(heap({f"box{k}": (0, 0, A * (k + 0.5)) for k in range(10)}), 0.5, shock=shock)
    foot = sum(c.force[2] for c in sim.contacts if c.a == "ground")
    assert foot == pytest.approx(carried * sim.model.body("box0").mass * 9.81, rel=1e-3)
    np.testing.assert_allclose(sim.state.p_WC[2:, 2], A * (np.arange(10) + 0.5), atol=1e-4)


LAYERS, RING = 20, 12


def stack():
    """The stack of the thesis (virtual-worlds 5.10): 20 layers of 12 boxes in a ring, each box on two others.

    Boxes of 0.4 x 0.2 x 0.2 m and 8 kg, friction 0.5.
    """
    b = gk.Builder()
    b.material("m", friction=0.5)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    r = 0.2 / np.tan(np.pi / RING) + 0.1
    for k in range(LAYERS):
        for i in range(RING):
            a = (i + 0.5 * (k % 2)) * 2 * np.pi / RING
            at, turned = (r * np.cos(a), r * np.sin(a), 0.1 + 0.2 * k), (np.cos(a / 2), 0, 0, np.sin(a / 2))
            b.body(f"box{k}_{i}", shape=gk.Box((0.2, 0.4, 0.2)), mass=8, material="m", at=at, rotation=turned)
    return b.build()


def height_lost(sim):
    """Share of the height of the uppermost layer."""
    return 1 - np.sort(sim.state.p_WC[2:, 2])[-RING:].mean() / (0.2 * LAYERS - 0.1)


def as_in_the_thesis(shock):
    """10 sweeps from impulses of nought, k_er = 0.15, 10 ms."""
    contact = gk.ContactOptions(shock=shock, newton=0, sweeps=10, share=0.15)
    return gk.Simulation(stack(), gk.RowStepping(h=0.01, warm_start=False, contact=contact))


@pytest.mark.filterwarnings("ignore::gelenk.ContactWarning")
def test_the_stack_of_240_boxes_collapses():
    """E-4: considerable error after 0.5 s, collapse after 2 s."""
    sim = as_in_the_thesis("off")
    sim.step()
    assert 1900 < sim.info["contacts"] < 2400  # 1982 in the thesis; those of neighbours in a layer among ours
    sim.advance(0.49)
    assert height_lost(sim) > 0.05
    sim.advance(1.5)
    assert height_lost(sim) > 0.5


@pytest.mark.parametrize("shock", MODES[1:])
def test_the_stack_of_240_boxes_stands_by_shock_propagation(shock):
    """E-5: the same with it, below 5 % after 6 s."""
    sim = as_in_the_thesis(shock)
    sim.advance(6.0)
    assert abs(height_lost(sim)) < 0.05


def test_the_stack_of_240_boxes_stands_at_the_defaults():
    """Without shock propagation; each layer may overlap by the slop, a thousandth of a box."""
    sim = moved(stack(), 6.0)
    assert abs(height_lost(sim)) < 1e-4
    assert sim.info["unconverged_steps"] == 0


def cubes():
    """240 boxes in columns of 15, a twentieth of their size apart."""
    at = {
        f"box{k}_{i}_{j}": (1.05 * A * i, 1.05 * A * j, A * (k + 0.5))
        for k in range(15)
        for i in range(4)
        for j in range(4)
    }
    return heap(at, friction=0.5)


def test_a_stack_of_240_boxes_stands_by_impulse_too():
    """Without shock propagation, at the defaults: no box moves by more than the slop of 10 um."""
    model = cubes()
    sim = gk.Simulation(model, gk.Impulse(h=0.01))
    sim.advance(6.0)
    assert np.abs(sim.state.p_WC - model.initial_state().p_WC).max() < 1e-5


def test_levels_are_those_of_the_contact_graph():
    """Two columns of unlike height with a roof across the higher one, and a box in flight."""
    places = {f"left{k}": (0, 0, A * (k + 0.5)) for k in range(3)} | {"right0": (2 * A, 0, 0.5 * A)}
    places |= {"roof": (0.4 * A, 0, 3.5 * A), "flies": (0, 2.0, 1.0)}
    sim = moved(heap(places), 0.05, shock="optimised")
    length = sim._stepper.work.contact.levels.length
    found = gk.ContactGraph(sim.model, sim.contacts).path_lengths()
    assert [found[name] for name in places] == [1, 2, 3, 1, 4, np.inf]
    for name, value in found.items():
        assert length[sim.model.index(name)] == (value if value < np.inf else 0xFFFFFFFF)


@pytest.mark.parametrize("hard", [True, False], ids=["uncompromising", "optimised"])
@pytest.mark.parametrize("lengths", [(1, 2), (2, 1), (1, 1)], ids=str)
def test_the_matrix_of_a_row_is_that_of_its_rates_and_pushes(hard, lengths):
    """J M^-1 J^T, column by column: the rates after a unit impulse along each axis; and J as 3.14 states it."""
    rng = np.random.default_rng(1)
    B = rng.normal(size=(2, 3, 3))
    bodies = BodyWork(np.zeros((2, 6)), np.zeros((2, 6)), rng.uniform(1, 2, 2), B @ B.transpose(0, 2, 1))
    levels = new_levels(2, (0.6, 0.0, -0.8))
    levels.length[:] = lengths
    c = records(CONTACT, 1)[0]
    frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    c.a, c.b = 0, 1
    c.n[:], c.t[:], c.r_a[:], c.r_b[:] = frame[0], frame[1], rng.normal(size=3), rng.normal(size=3)
    point_matrix(bodies, c)
    matrix_shock(bodies, c, levels, hard)
    K = np.array([[c.K[0], c.K[1], c.K[2]], [c.K[1], c.K[3], c.K[4]], [c.K[2], c.K[4], c.K[5]]])
    for k in range(3):
        V = np.zeros((2, 6))
        push_shock(bodies, V, c, levels, hard, Vec3(*np.eye(3)[k]))
        np.testing.assert_allclose(rate_of(V, c, levels, hard), K[k], atol=1e-12)
    row = np.array([rate_of(v.reshape(2, 6), c, levels, hard).x for v in np.eye(12)]).reshape(2, 6)
    n, g, low = np.array(c.n), levels.down, None if lengths[0] == lengths[1] else int(lengths[0] > lengths[1])
    for i, (sign, r) in enumerate(((-1, c.r_a), (1, c.r_b))):
        expected = sign * np.r_[n, np.cross(r, n)]
        if i == low:
            expected = np.zeros(6) if hard else sign * np.r_[n - (n @ g) * g, np.cross(r, n)]
        np.testing.assert_allclose(row[i], expected, atol=1e-12)


def test_a_hard_hit_still_brings_the_stack_down():
    """E-7: momentum goes over, and boxes of the struck column leave it."""
    b = gk.Builder.from_model(cubes())
    b.body("ball", shape=gk.Sphere(0.15), density=5000, at=(-0.6, 0.16, 0.5), velocity=(10, 0, 0))
    sim = moved(b.build(), 1.0, shock="optimised", newton=0, sweeps=10)
    start = sim.model.initial_state().p_WC
    way = np.linalg.norm(sim.state.p_WC - start, axis=1)[2:-1]
    assert (way > 2 * A).sum() > 24
    assert sim["ball"].velocity[0] < 6


def test_another_word_is_refused():
    with pytest.raises(gk.InputError, match="shock"):
        gk.ContactOptions(shock="on")
