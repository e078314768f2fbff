"""Heaps are solved each by itself, on any number of threads with the same bits (V-93, V-97)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.contact.heaps import FRESH, HEAPS
from gelenk.threads import get_threads, set_threads

EDGE, H = 0.1, 1 / 240


def tower(b, name, x, count, lean=0.0):
    for k in range(count):
        b.body(f"{name}{k}", shape=gk.Box((EDGE,) * 3), material="m", at=(x + lean * k, 0, EDGE * (k + 0.5)))


def arm(b, name, x):
    """A pendulum that rests on the ground with its end."""
    b.body(f"{name} post", shape=gk.Part(gk.Sphere(0.01), collide=False), static=True, at=(x, 3, 0.3))
    b.body(
        f"{name} rod", shape=gk.Capsule(0.05, 0.5), material="m", at=(x, 3.25, 0.2), rotation=(0.5**0.5, 0.5**0.5, 0, 0)
    )
    b.add(gk.Hinge(name=f"{name} hinge", a=f"{name} post", b=f"{name} rod", at=(x, 3, 0.3), axis=(1, 0, 0)))


def model_of(*parts):
    b = gk.Builder()
    b.material("m", density=1000, friction=0.5)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for part in parts:
        part(b)
    return b.build()


PARTS = (
    lambda b: tower(b, "straight", 0.0, 6),
    lambda b: tower(b, "leaning", 1.0, 8, lean=0.03),  # it falls
    lambda b: arm(b, "arm", 2.0),
)


@pytest.mark.parametrize("newton", [0, 8])
def test_a_heap_does_not_feel_what_else_is_there(newton):
    """Each of three parts by itself, and all at once: the same bits (V-97)."""
    method = gk.RowStepping(h=H, contact=gk.ContactOptions(newton=newton, sweeps=40))

    def end(model):
        sim = gk.Simulation(model, method)
        sim.advance(0.25)
        return {n: (sim[n].position.tolist(), sim[n].velocity.tolist()) for n in model.nodes.names[2:]}

    together = end(model_of(*PARTS))
    for part in PARTS[:2]:  # rows of joints are solved by a solver for all of them where Newton's method fails
        for name, found in end(model_of(part)).items():
            assert together[name] == found, name


def layers(wide, high):
    """Boxes in layers that overlap like bricks, all in one heap."""
    b = gk.Builder()
    b.material("m", density=1000, friction=0.5)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(high):
        for i in range(wide * wide):
            at = EDGE * np.array([i % wide + 0.5 * (k % 2), i // wide + 0.5 * (k % 2), k + 0.5])
            b.body(f"box{k}.{i}", shape=gk.Box((EDGE,) * 3), material="m", at=at, velocity=(0.1 * (i % 3), 0, 0))
    return b.build()


@pytest.fixture
def threads():
    before = get_threads()
    yield set_threads
    set_threads(before)


def test_slabs_hold_every_contact_once_and_share_no_body_in_a_phase():
    model = layers(14, 4)
    state = model.initial_state()
    stepper = gk.RowStepping(h=H, contact=gk.ContactOptions(sweeps=4)).begin(model, state)
    assert stepper.advance(0.0, H, 0, 1) == 1
    contacts, inv_mass = stepper.work.contact.contacts, stepper.work.bodies.inv_mass
    heap = contacts.heaps.item[0]
    assert contacts.heaps.number[HEAPS] == 1
    assert heap.in_lanes == FRESH
    slabs = heap.phase[1] - heap.phase[0]
    assert slabs >= 2
    group, seen = contacts.lanes.group, []
    for p in range(4):
        bodies = []
        for g in range(heap.phase[p], heap.phase[p + 1]):
            points = contacts.heaps.points[group[g].point_first : group[g].point_last]
            seen += points.tolist()
            nodes = {n for k in points for n in (contacts.contact[k].a, contacts.contact[k].b) if inv_mass[n] > 0.0}
            bodies += list(nodes)
        assert len(set(bodies)) == len(bodies)
    assert sorted(seen) == list(range(contacts.number[0]))


def test_any_number_of_threads_gives_the_same_bits(threads):
    found = []
    for count in (1, 2, 3):
        threads(count)
        sim = gk.Simulation(layers(14, 4), gk.RowStepping(h=H, contact=gk.ContactOptions(sweeps=6)))
        sim.advance(6 * H)
        found.append(sim.state.flat.tobytes())
    assert found[0] == found[1] == found[2]


def test_many_small_heaps_on_two_threads_give_the_same_bits(threads):
    found = []
    for count in (1, 2):
        threads(count)
        b = gk.Builder()
        b.material("m", density=1000, friction=0.5)
        b.body("ground", shape=gk.Plane(), static=True, material="m")
        for k in range(40):
            tower(b, f"tower {k}.", 0.5 * k, 4, lean=0.001 * k)
        sim = gk.Simulation(b.build(), gk.RowStepping(h=H))
        sim.advance(10 * H)
        found.append(sim.state.flat.tobytes())
    assert found[0] == found[1]


def test_a_heap_at_rest_is_left_alone():
    """What begins a step with its solution is not solved again, and still does not creep: half a second of a wall."""
    b = gk.Builder()
    b.material("m", density=2000, friction=0.6)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(5):
        for i in range(4):
            at = (0.2 * i + 0.1 * (k % 2), 0, 0.1 * k + 0.05)
            b.body(f"brick{k}.{i}", shape=gk.Box((0.2, 0.1, 0.1)), material="m", at=at)
    model = b.build()
    state = model.initial_state()
    start = state.p_WC.copy()
    stepper = gk.RowStepping(h=H).begin(model, state)
    left_alone = 0
    for k in range(120):
        stepper.advance(0.0, H, k, 1)
        left_alone += int(stepper.work.contact.contacts.heaps.item[0].sweeps == 0)
    assert left_alone > 60
    assert np.abs(state.p_WC - start).max() < 1e-9


@pytest.mark.parametrize("count", [0, 1.5, "two", 10**6])
def test_a_wrong_number_of_threads_is_refused(count):
    with pytest.raises(gk.InputError, match="set_threads"):
        set_threads(count)


def test_a_wrong_number_in_the_environment_is_refused(monkeypatch):
    import gelenk.threads as module

    monkeypatch.setattr(module, "_threads", None)
    monkeypatch.setenv("GELENK_THREADS", "many")
    with pytest.raises(gk.InputError, match="GELENK_THREADS"):
        get_threads()
