"""Models that begin badly: bodies inside each other, masses that do not go together (issue: bad input; traps T-30)."""

import math
import warnings

import numpy as np
import pytest
from contact_scenes import G, boxes, simulation

import gelenk as gk


def watched(model, t, method, h=2e-3, **options):
    """The simulation after t, with the largest speed and spin on its way."""
    sim = simulation(model, h, method, **options)
    fastest = 0.0
    for _ in range(round(t / h / 5)):
        sim.advance(5 * h)
        fastest = max(fastest, float(np.linalg.norm(sim.state.v_WC, axis=1).max()))
    return sim, fastest


def energy(sim):
    return sum(sim.ledger[:2])


@pytest.mark.parametrize("depth", [0.1, 0.5, 0.9])
def test_ten_boxes_pushed_into_each_other_come_out(depth, method):
    """A tower whose boxes overlap by a share of their size rises as it comes apart; nothing is shot away.

    While overlaps are taken out, velocities stay: what falls does so by gravity alone, no farther than it is high.
    """
    size = 0.1
    gap = size * (1 - depth)
    model = boxes({f"box{k}": (0, 0, 0.5 * size + gap * k) for k in range(10)}, size)
    with pytest.warns(gk.ContactWarning, match="inside each other"):
        sim, fastest = watched(model, 3.0, method)
    place = sim.state.p_WC[2:]
    assert fastest < math.sqrt(2 * G * 10 * size)
    assert sim.info["overlap"] < 1e-2 * size
    assert np.abs(place[:, :2]).max() < 10 * size  # it may topple, within its own height
    assert place[:, 2].min() > 0.49 * size * 0.99


BLOCK = gk.TriangleMesh(
    [(x, y, z) for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1)],
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
     (1, 5, 7), (1, 7, 3)],
)  # fmt: skip
rng = np.random.default_rng(4)
STONE = gk.ConvexHull(0.1 * (lambda p: p / np.linalg.norm(p, axis=1)[:, None])(rng.normal(size=(20, 3))))


@pytest.mark.parametrize(
    "shape", [STONE, BLOCK, gk.Sphere(0.1), gk.Cylinder(0.08, 0.15)], ids=lambda s: type(s).__name__
)
@pytest.mark.parametrize("places", ["row", "all in one"])
def test_shapes_of_all_kinds_come_out_gently(shape, places, method):
    """Five bodies, in a row by half of their size or all at the same place. No speed beyond that of a fall from the

    height they come out to, and no energy but what lifts them.
    """
    b = gk.Builder()
    b.material("m", friction=0.4)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(5):
        at = (0.08 * k, 0, 0.15) if places == "row" else (1e-3 * k, 2e-3 * (k % 2), 0.15 + 1e-3 * k)
        b.body(f"body{k}", shape=shape, material="m", at=at)
    with pytest.warns(gk.ContactWarning, match="inside each other"):
        sim, fastest = watched(b.build(), 2.5, method)
    assert fastest < 4.0
    assert sim.info["overlap"] < 5e-3
    assert np.abs(sim.state.p_WC).max() < 3.0
    assert np.isfinite(sim.state.flat).all()


def test_a_body_that_starts_in_the_ground_comes_up(method):
    model = boxes({"box": (0, 0, -0.01)}, 0.1)
    with pytest.warns(gk.ContactWarning, match="'ground' and 'box' start 0.06 m inside"):
        sim, fastest = watched(model, 1.0, method)
    assert sim["box"].position[2] == pytest.approx(0.05, abs=1e-4)
    assert fastest < 0.1


def test_the_speed_of_coming_out_is_that_of_the_options(method):
    """0.06 m at 0.1 m/s take 0.6 s; a share of 0.2 a step then takes the last part out."""
    model = boxes({"box": (0, 0, -0.01)}, 0.1, gravity=(0, 0, 0))
    sim = simulation(model, 2e-3, method, speed=0.1)
    with pytest.warns(gk.ContactWarning):
        sim.advance(0.3)
    assert sim["box"].position[2] == pytest.approx(-0.01 + 0.03, abs=2e-3)
    assert np.abs(sim.state.v_WC).max() < 1e-9


def test_boxes_that_touch_or_hardly_overlap_are_not_warned_of():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        simulation(boxes({"a": (0, 0, 0.05), "b": (0, 0, 0.1499)}), 2e-3).advance(0.01)
    assert told == []


def load_tower(top, light=1.0, between=1):
    """A block of ``top`` kg on ``between`` of 1 kg."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(between):
        b.body(f"light{k}", shape=gk.Box((0.2, 0.2, 0.2)), density=light / 0.008, at=(0, 0, 0.1 + 0.2 * k))
    b.body("heavy", shape=gk.Box((0.2, 0.2, 0.2)), density=top / 0.008, at=(0, 0, 0.1 + 0.2 * between))
    return b.build()


@pytest.mark.parametrize("between", [1, 3])
def test_a_thousand_tons_on_a_kilogram_stand_and_are_warned_of(between, method):
    """The default solver copes: the lowest contact bears both, and nothing sinks by more than the slop of 20 um."""
    model = load_tower(1e6, between=between)
    sim = simulation(model, 2e-3, method)
    with pytest.warns(gk.ContactWarning, match=rf"'light{between - 1}' and 'heavy' touch.*1 and 1e\+06 kg"):
        sim.advance(5.0)
    place = sim.state.p_WC[2:, 2]
    np.testing.assert_allclose(place, 0.1 + 0.2 * np.arange(between + 1), atol=2.5e-5)
    weight = (1e6 + between) * G
    assert sim.contact_force("light0", "ground")[2] == pytest.approx(weight, rel=1e-6)
    assert np.abs(sim.state.v_WC).max() < 1e-6


def test_masses_that_grow_from_box_to_box_are_warned_of(method):
    """1, 100, 1e4 and 1e6 kg: no two that touch are far apart, but the heap has 1e6 to 1, and stands."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    for k in range(4):
        b.body(f"box{k}", shape=gk.Box((0.2, 0.2, 0.2)), density=100.0**k / 0.008, at=(0, 0, 0.1 + 0.2 * k))
    sim = simulation(b.build(), 2e-3, method)
    with pytest.warns(gk.ContactWarning, match=r"'box0' and 'box3' lie in one heap.*1 and 1e\+06 kg"):
        sim.advance(2.0)
    np.testing.assert_allclose(sim.state.p_WC[2:, 2], 0.1 + 0.2 * np.arange(4), atol=2.5e-5)


def test_a_thousand_tons_dropped_on_a_kilogram(method):
    """From 1 cm: it comes to rest above, and the light one is neither squashed through nor shot away."""
    b = gk.Builder.from_model(load_tower(1e6))
    b.remove("heavy")
    b.body("heavy", shape=gk.Box((0.2, 0.2, 0.2)), density=1e6 / 0.008, at=(0, 0, 0.31))
    sim = simulation(b.build(), 2e-3, method)
    sim.advance(1.0)
    assert sim["heavy"].position[2] == pytest.approx(0.3, abs=1e-3)
    assert sim["light0"].position[2] == pytest.approx(0.1, abs=1e-3)


@pytest.mark.parametrize("ratio", [1e3, 1e6])
def test_light_on_heavy_is_no_trouble(ratio, method):
    model = boxes({"a": (0, 0, 0.05), "b": (0, 0, 0.15)})
    b = gk.Builder.from_model(model)
    b.body("light", shape=gk.Box((0.1, 0.1, 0.1)), density=1000 / ratio, at=(0, 0, 0.25))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gk.ContactWarning)
        sim = simulation(b.build(), 2e-3, method)
        sim.advance(2.0)
    assert sim["light"].position[2] == pytest.approx(0.25, abs=3e-5)


@pytest.mark.parametrize(("options", "speed"), [({}, "2"), ({"speed": 0.5}, "0.5")], ids=str)
def test_the_warning_of_overlaps_tells_the_speed_of_the_options(options, speed):
    model = boxes({"low": (0, 0, 0.05), "high": (0, 0, 0.1)})
    with pytest.warns(gk.ContactWarning, match=rf"inside each other.*at most {speed} m/s"):
        simulation(model, 2e-3, gk.RowStepping, **options).advance(2e-3)


def test_other_pairs_that_start_inside_each_other_are_counted():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    for k, z in enumerate((0.03, 0.12, 0.22)):
        b.body(f"box{k}", shape=gk.Box((0.1, 0.1, 0.1)), density=500, at=(k, 0, 0.03))
        b.body(f"top{k}", shape=gk.Box((0.1, 0.1, 0.1)), density=500, at=(k, 0, 0.03 + z))
    with pytest.warns(gk.ContactWarning, match=r"'box0' and 'top0' start.*inside each other, 3 other pairs less deep"):
        gk.Simulation(b.build(), gk.RowStepping(h=1e-3)).advance(1e-3)


def test_a_body_exerts_no_contact_force_on_itself():
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("box", shape=gk.Box((0.1, 0.1, 0.1)), density=500, at=(0, 0, 0.05))
    sim = gk.Simulation(b.build(), gk.RowStepping(h=1e-3))
    sim.advance(1e-2)
    assert sim.contact_force("box", "ground")[2] == pytest.approx(0.5 * 9.81, rel=1e-2)
    assert (sim.contact_force("box", "box") == 0.0).all()


@pytest.mark.parametrize("contact", ["yes", 1, True])
def test_what_contact_may_be_is_told(contact):
    with pytest.raises(gk.InputError, match=r"'auto', gk.ContactOptions\(\) or None"):
        gk.RowStepping(contact=contact)


def bricks(ratio, n, layers, apart=0.0):
    """Layers of n x n bricks of 0.4 kg, each layer half a brick to the side, under a plate so many times as heavy."""
    b = gk.Builder()
    b.material("light", density=100, friction=0.5)
    b.body("ground", shape=gk.Plane(), static=True, material="light")
    for k in range(layers):
        for i in range(n):
            for j in range(n):
                at = (0.2 * i + apart * (k % 2), 0.2 * j + apart * (k % 2), 0.05 + 0.1 * k)
                b.body(f"b{k}_{i}_{j}", shape=gk.Box((0.2, 0.2, 0.1)), material="light", at=at)
    c, side = 0.1 * (n - 1) + 0.5 * apart, 0.2 * n - 2 * apart
    b.body("heavy", shape=gk.Box((side, side, 0.1)), mass=0.4 * ratio, at=(c, c, 0.05 + 0.1 * layers))
    return b.build()


@pytest.mark.filterwarnings("ignore::gelenk.ContactWarning")
@pytest.mark.parametrize("method", [gk.RowStepping, gk.Impulse])
@pytest.mark.parametrize(
    ("ratio", "n", "layers", "apart"), [(1e6, 2, 2, 0.1), (1e6, 2, 4, 0.1), (1e4, 4, 4, 0.0), (1e6, 4, 4, 0.0)]
)
def test_a_heavy_plate_stands_on_layers_of_bricks(method, ratio, n, layers, apart):
    """Masses that differ by 1e6 in a heap whose points change from step to step; it may overlap by the slop a layer."""
    sim = gk.Simulation(bricks(ratio, n, layers, apart), method(h=1e-3))
    sim.advance(0.05)
    assert sim["heavy"].position[2] == pytest.approx(0.05 + 0.1 * layers, abs=1e-5 * layers)
    assert np.abs(sim.state.v_WC).max() < 1e-4
    assert method is gk.Impulse or sim.info["unconverged_steps"] == 0  # it solves twice a step, the flights loosely


@pytest.mark.filterwarnings("ignore::gelenk.ContactWarning")
@pytest.mark.parametrize("puck", [0.0, 50.0])
def test_whether_a_heap_is_solved_does_not_depend_on_others(puck):
    """A tower that sinks since ten sweeps are too few for it is told, however fast something slides elsewhere."""
    b = gk.Builder()
    b.material("m", friction=0.5)
    b.material("ice", friction=0.0)
    b.contact("ice", "m", friction=0.0)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(20):
        b.body(f"b{k}", shape=gk.Box((0.2, 0.2, 0.2)), material="m", at=(0, 0, 0.1 + 0.2 * k))
    b.body("puck", shape=gk.Box((0.2, 0.2, 0.1)), material="ice", at=(5, 0, 0.05), velocity=(puck, 0, 0))
    sim = gk.Simulation(b.build(), gk.RowStepping(h=0.01, contact=gk.ContactOptions(sweeps=10, newton=0)))
    sim.advance(1.0)
    assert sim["b19"].position[2] < 3.9 - 0.005
    assert sim.info["unconverged_steps"] > 80
