"""Contact alone takes work and memory in proportion to bodies and contacts; counted, not timed (V-51).

Heaps of loose bodies are swept: every sweep visits every contact once, and a visit reads it and its two bodies.
How many sweeps there are is an option, so a step is linear. How many a given accuracy takes grows with the heap.
"""

import numpy as np
import pytest
from contact_scenes import boxes

import gelenk as gk
from gelenk.contact import sweep
from gelenk.contact.block import COUNT, new_contacts
from gelenk.contact.conjugate import sweep_on
from gelenk.contact.heaps import HEAPS, ROOM
from gelenk.contact.options import ContactOptions
from gelenk.solvers.solver import clear_change

WIDE = 4
LAYERS = (2, 4, 8, 16)


def after_a_step(layers, **options):
    """What a step of a heap of boxes laid like bricks leaves; every layer has as many contacts as the next."""
    places = {}
    for k in range(layers):
        for i in range(WIDE * WIDE):
            places[f"box{k}.{i}"] = (
                0.1 * (i % WIDE) + 0.05 * (k % 2),
                0.1 * (i // WIDE) + 0.05 * (k % 2),
                0.1 * k + 0.05,
            )
    model = boxes(places)
    state = model.initial_state()
    stepper = gk.RowStepping(h=2e-3, contact=ContactOptions(**options)).begin(model, state)
    assert stepper.advance(0.0, 2e-3, 0, 1) == 1
    return stepper.work


def arrays(block):
    """All arrays of a block and of the blocks in it."""
    if isinstance(block, np.ndarray):
        return [block]
    return [a for part in block for a in arrays(part)] if isinstance(block, tuple) else []


def size(blocks):
    """Bytes that these arrays take; memory that two of them share counts twice."""
    return sum(a.nbytes for a in arrays(blocks))


@pytest.mark.parametrize("layers", LAYERS)
def test_a_sweep_visits_every_contact_of_a_heap_once(layers, monkeypatch):
    work = after_a_step(layers, newton=0, sweeps=1)
    contacts, bodies = work.contact.contacts, work.bodies
    heap, count = contacts.heaps.item[0], int(contacts.number[COUNT])
    assert contacts.heaps.number[HEAPS] == 1
    assert count > 4 * WIDE * WIDE * layers
    visits, settle = np.zeros(count, int), sweep.settle_contact
    place = {contacts.contact[k].x.ctypes.data: k for k in range(count)}  # contacts by where they lie

    def counted(bodies, dV, c):
        visits[place[c.x.ctypes.data]] += 1
        return settle(bodies, dV, c)

    monkeypatch.setattr(sweep, "settle_contact", counted)
    clear_change(bodies)
    sweep_on(contacts, heap, bodies, 3)
    np.testing.assert_array_equal(visits, 3)


@pytest.mark.parametrize("layers", LAYERS)
def test_no_matrix_is_built_for_sweeps(layers):
    """Neither the factor of Newton's method nor one of pivoting has a number in it."""
    work = after_a_step(layers, newton=0, sweeps=4)
    stages = work.contact
    assert stages.contacts.heaps.item[0].sweeps == 4
    assert not stages.contacts.sky.block.any()
    assert not stages.contacts.sky.factored.any()
    assert size(stages.pivot) < 10_000


def test_memory_asked_for_is_proportional_to_bodies_and_contacts():
    """Twice as many bodies, pairs and contacts take no more than twice the memory, of every single array."""
    no = np.zeros(0)
    few, many = (new_contacts(1000 * n, 300 * n, 100 * n, 0, no, no, no, ContactOptions().numbers(0.0)) for n in (1, 2))
    for a, b in zip(arrays(few), arrays(many)):
        assert b.nbytes <= 2 * a.nbytes
    assert few.sky.block.shape[0] == ROOM * 100  # the factor of Newton's method has a fixed number of blocks a body


@pytest.mark.parametrize("options", [{"newton": 0}, {}], ids=str)
def test_heaps_of_any_size_take_the_same_memory_for_a_contact(options):
    """Contact, space and scratch of a whole step; room grows by strides, so within a factor of 2."""
    each = []
    for layers in LAYERS[1:]:
        work = after_a_step(layers, **options)
        each.append(size((work.contact, work.bodies, work.rest)) / int(work.contact.contacts.number[COUNT]))
    assert max(each) < 2 * min(each)
