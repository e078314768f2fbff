"""What begins and ends to touch is told to all who listen, in names that fit together (V-33)."""

from __future__ import annotations

import pytest

import gelenk as gk


def touching(*names):
    """Unit balls that all overlap at the origin, in the order of the names."""
    b = gk.Builder()
    for k, name in enumerate(names):
        b.body(name, shape=gk.Sphere(1.0), density=1, at=(0.1 * k, 0, 0))
    return b.build()


@pytest.mark.parametrize("others", [("z", "a"), ("a",), ("z",), (), ("a", "z", "c")])
def test_an_end_names_its_bodies_as_the_beginning_did(others):
    """Whoever keeps the pairs that touch by their names has exactly those that touch, also in another model."""
    world, pairs = gk.CollisionWorld(touching("m", "z", "a")), set()

    def keep(event):
        (pairs.add if event.kind == "begin" else pairs.remove)((event.a, event.b))

    for event in world.events:
        keep(event)
    assert pairs == {("m", "z"), ("m", "a"), ("z", "a")}
    world.subscribe(keep)
    world.exchange(touching(*others, "new"))
    assert {frozenset(pair) for pair in pairs} == {frozenset((c.a, c.b)) for c in world}


def test_a_listener_that_raises_takes_no_event_from_the_others():
    world, heard = gk.CollisionWorld(touching("a")), []

    def fail(event):
        raise ValueError(f"no {event.kind}")

    world.subscribe(fail)
    world.subscribe(heard.append)
    model = touching("a", "b", "c")
    with pytest.raises(ValueError, match="no begin") as caught:
        world.exchange(model)
    assert "2 more calls" in caught.value.__notes__[0]
    assert [(e.kind, e.a, e.b) for e in heard] == [("begin", "a", "b"), ("begin", "a", "c"), ("begin", "b", "c")]
    assert heard == world.events
    assert world.model is model
    assert world.detect().events == []
