"""Large heaps in batches of four contacts: which share no body, and come to what sweeps one by one come to (V-50)."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from contact_scenes import G, boxes, moved

import gelenk as gk
from gelenk.compile import kernel
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.heaps import FRESH, HEAPS
from gelenk.contact.lanes import MANY
from gelenk.contact.slabs import batch_heap
from gelenk.contact.sweep import contact_residual
from gelenk.contact.sweep_lanes import residual_in_lanes, sweep_in_lanes
from gelenk.rows.block import NONE
from gelenk.solvers.solver import clear_change

HASH = """
import hashlib, json, sys
import gelenk as gk
b = gk.Builder()
b.material("m", friction=0.4)
b.body("ground", shape=gk.Plane(), static=True, material="m")
for k in range(36):
    at = (0.1 * (k % 6), 0.1 * (k // 6), 0.05)
    b.body(f"box{k}", shape=gk.Box((0.1, 0.1, 0.1)), material="m", at=at, velocity=(0.3, 0.1 * (k % 3), 0.0))
sim = gk.Simulation(b.build(), gk.RowStepping(h=2e-3, contact=gk.ContactOptions(newton=0, sweeps=3)))
sim.advance(4e-3)
heaps = sim._stepper.work.contact.contacts.heaps
print(json.dumps([int(heaps.item[0].in_lanes), hashlib.sha256(sim.state.flat.tobytes()).hexdigest()]))
"""


def heap(layers=4, wide=4, pitch=0.12, turned=0.1, **options):
    """Boxes in layers, each turned a little against the one below; some slide."""
    b = gk.Builder()
    b.material("m", friction=0.4, **options)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(layers):
        for i in range(wide * wide):
            at, turn = (pitch * (i % wide), pitch * (i // wide), 0.1 * k + 0.05), turned * k
            b.body(
                f"box{k}.{i}",
                shape=gk.Box((0.1, 0.1, 0.1)),
                material="m",
                at=at,
                rotation=(np.cos(turn), 0, 0, np.sin(turn)),
                velocity=(0.2 * k, 0.1 * (i % 3), 0),
            )
    return b.build()


def work_of(model, **options):
    """A stepper's work after one step."""
    state = model.initial_state()
    stepper = gk.RowStepping(h=2e-3, contact=gk.ContactOptions(newton=0, **options)).begin(model, state)
    assert stepper.advance(0.0, 2e-3, 0, 1) == 1
    return stepper.work


def heaps_of(work):
    """The heaps of the last step."""
    heaps = work.contact.contacts.heaps
    return [heaps.item[g] for g in range(heaps.number[HEAPS])]


def test_batches_hold_every_contact_once_and_no_body_twice():
    work = work_of(heap())
    contacts, lanes = work.contact.contacts, work.contact.contacts.lanes
    count = contacts.number[0]
    assert count >= MANY
    (one,) = heaps_of(work)
    assert one.in_lanes == FRESH
    group = lanes.group[one.phase[0]]
    assert group.batch_first == 0
    batches = group.batch_last
    place = lanes.place[:batches]
    np.testing.assert_array_equal(np.sort(place[place != NONE]), np.arange(count))
    assert count > 3.5 * batches  # nearly all are full
    for j in range(batches):
        bodies = [n for n in lanes.node[j].tolist() if work.bodies.inv_mass[n] > 0.0]
        assert len(set(bodies)) == len(bodies)
        for m in range(4):
            if place[j, m] != NONE:
                c = contacts.contact[place[j, m]]
                assert (c.a, c.b) == (lanes.node[j, m], lanes.node[j, 4 + m])


@kernel
def one_by_one(contacts, heap, bodies, most):
    """Sweeps over single contacts; compiled, since there are hundreds of thousands."""
    sweep_on(contacts, heap, bodies, most)


@kernel
def four_by_four(contacts, heap, bodies, most):
    """The same in lanes."""
    sweep_in_lanes(contacts, heap, bodies, most)


def test_sweeps_in_lanes_come_to_the_solution():
    """Both roads lead to the same residual, and the impulses on a body to the same velocities."""
    work = work_of(heap(layers=2, wide=6, pitch=0.1001, turned=0.0))
    contacts, bodies = work.contact.contacts, work.bodies
    one, count, found = max(heaps_of(work), key=lambda h: h.point_last - h.point_first), contacts.number[0], []
    start = contacts.contact.p[:count].copy()
    for sweeps in (one_by_one, four_by_four):
        contacts.contact.p[:count] = start
        clear_change(bodies)
        before = contact_residual(bodies, contacts, one)
        assert batch_heap(contacts, one, bodies)
        sweeps(contacts, one, bodies, 300)
        residual = contact_residual(bodies, contacts, one)
        assert residual < 1e-3 * before + 1e-7
        if sweeps is four_by_four:
            assert residual_in_lanes(contacts, one, bodies) == pytest.approx(residual, rel=1e-6, abs=1e-12)
        found.append(bodies.dV.copy())
    assert np.abs(found[0] - found[1]).max() < 1e-3 * np.abs(found[0]).max() + 1e-6


@pytest.mark.parametrize("law", [{"stiffness": 1e5}, {"friction_across": 0.2, "grain": (1, 0, 0)}])
def test_soft_points_and_grains_are_solved_one_by_one(law):
    assert all(one.in_lanes != FRESH for one in heaps_of(work_of(heap(**law))))


def test_a_plate_on_many_feet_is_solved_one_by_one():
    """All contacts share the plate: batches would hold one each."""
    b = gk.Builder()
    b.body("ground", shape=gk.Plane(), static=True)
    b.body("plate", shape=gk.Box((4, 4, 0.1)), density=500, at=(0, 0, 0.15))
    for k in range(200):
        b.body(f"ball{k}", shape=gk.Sphere(0.05), density=500, at=(0.2 * (k % 14) - 1.4, 0.2 * (k // 14) - 1.4, 0.05))
    work = work_of(b.build())
    assert work.contact.contacts.number[0] > MANY
    assert all(one.in_lanes != FRESH for one in heaps_of(work))


def bursting(**law):
    """Boxes half a millimetre in each other and in the ground, that turn and fly apart: no impulse acts."""
    b = gk.Builder()
    b.material("m", friction=0.3, **law)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(72):
        at = np.array((0.0995 * (k % 6), 0.0995 * (k // 6 % 6), 0.0495 + 0.0995 * (k // 36)))
        spin, velocity = (0.5 * np.cos(k), 0.5 * np.sin(k), 0.2), 2.0 * at
        b.body(f"box{k}", shape=gk.Box((0.1, 0.1, 0.1)), material="m", at=at, velocity=velocity, angular_velocity=spin)
    return b.build()


@pytest.mark.parametrize(("steps", "corrections"), [(1, 2000), (2, 0)])
@pytest.mark.parametrize("method", [gk.RowStepping, gk.Impulse])
def test_overlaps_in_lanes_are_those_of_points_one_by_one(method, steps, corrections):
    """Same moves out of overlaps; same gaps at the end of a second step, in which arms turn as they did in the first.

    A coefficient across the grain that differs in its last digits has points solved one by one.
    """
    depths, places = [], []
    for law in ({}, {"grain": (1, 0, 0), "friction_across": 0.3 * (1 - 1e-13)}):
        model = bursting(**law)
        state = model.initial_state()
        stepper = method(h=1e-3, contact=gk.ContactOptions(newton=0, corrections=corrections)).begin(model, state)
        assert stepper.advance(0.0, 1e-3, 0, steps) == steps
        contacts = stepper.work.contact.contacts
        assert any(one.in_lanes == FRESH for one in heaps_of(stepper.work)) == (not law)
        assert contacts.contact.p[: contacts.number[0]].max() == 0.0
        depths.append(contacts.figures[2])
        places.append(state.p_WC.copy())
    assert depths[0] > 1e-4
    assert depths[0] == pytest.approx(depths[1], rel=1e-12)
    assert np.abs(places[0] - places[1]).max() < 1e-9  # [m], of moves of 1e-4 m by sweeps in two orders


def test_friction_with_a_grain_is_solved_in_a_heap():
    """Without pressure there is none, also of an ellipse: points that part do not pull."""
    work = work_of(heap(layers=2, wide=6, pitch=0.1001, turned=0.0, friction_across=0.2, grain=(1, 0, 0)), sweeps=1000)
    assert work.contact.contacts.figures[3] < 1e-6
    contact = work.contact.contacts.contact[: work.contact.contacts.number[0]]
    parted = contact.p[:, 0] == 0.0
    assert parted.any()
    assert not parted.all()
    assert (contact.p[parted] == 0.0).all()


def test_a_field_of_boxes_bears_its_weight_and_comes_apart_gently():
    """64 boxes that start 2 mm in the ground: overlaps go, nothing is thrown up."""
    model = boxes({f"box{k}": (0.15 * (k % 8), 0.15 * (k // 8), 0.048) for k in range(64)})
    with pytest.warns(gk.ContactWarning):
        sim, speed = moved(model, 0.2, newton=0, samples=lambda s: s.state.v_WC[:, 2].max())
    assert speed.max() < 1e-6
    assert np.abs(sim.state.p_WC[2:, 2] - 0.05).max() < 1e-4
    weight = 64 * model.body("box0").mass * G
    assert sum(c.force[2] for c in sim.contacts) == pytest.approx(weight, rel=1e-3)


def test_lanes_give_the_same_bits_interpreted():
    answers = []
    for switch in ("0", "1"):
        environment = {**os.environ, "GELENK_COMPILE": switch}
        done = subprocess.run([sys.executable, "-c", HASH], capture_output=True, text=True, env=environment, check=True)
        answers.append(json.loads(done.stdout))
    assert answers[0][0] == 1
    assert answers[0] == answers[1]
