"""Contacts of compounds say which piece they belong to (V-20, I-091)."""

from __future__ import annotations

import gelenk as gk


def test_pieces_of_compounds_name_their_points():
    """Four legs of a table have the same features; with the number of the piece every point has a name of its own."""
    b = gk.Builder()
    legs = [(gk.Box((0.1, 0.1, 0.5)), (x, y, 0.0)) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]
    b.body("floor", shape=gk.Box((4, 4, 1)), static=True, at=(0.0, 0.0, -0.5))
    b.body("table", shape=gk.Compound(legs), density=500, at=(0.1, 0.2, 0.249))
    world = gk.CollisionWorld(b.build())
    found = list(world)
    assert len(found) == 16
    assert {(c.piece_a, c.piece_b) for c in found} == {(0, k) for k in range(4)}
    assert len({(c.feature_a, c.feature_b) for c in found}) < 16
    assert len({(c.piece_a, c.piece_b, c.feature_a, c.feature_b) for c in found}) == 16
    # the same in what a solver reads: pairs are of pieces
    assert sorted(world.colliders.item["piece"].tolist()) == [0, 0, 1, 2, 3]
    turned = world.between("table", "floor")
    assert {(c.piece_a, c.piece_b) for c in turned} == {(k, 0) for k in range(4)}
