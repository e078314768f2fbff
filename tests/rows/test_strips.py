"""Strips cover everything once, and nothing in them comes before what it needs."""

from __future__ import annotations

import numpy as np
import pytest

from gelenk.rows.strips import strips


def model(rng: np.random.Generator, pairs: int, nodes: int):
    """Pairs between random nodes, a joint each, with up to six rows, in random order of the joints."""
    node = rng.integers(0, nodes, pairs)
    owner = np.repeat(rng.permutation(pairs), rng.integers(0, 7, pairs))
    return node, owner.copy(), owner.copy()


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("pairs", [0, 1, 63, 64, 65, 500])
def test_strips_cover_all_and_keep_the_order(pairs, ordered):
    rng = np.random.default_rng(pairs)
    node, pair_of_row, owner = model(rng, pairs, 40)
    if ordered:
        node, pair_of_row, owner = np.sort(node), np.sort(pair_of_row), np.sort(owner)
    cut = strips(node, pair_of_row, owner, 40, pairs)
    assert tuple(cut[0]) == (0, 0, 0, 0)
    assert tuple(cut[-1]) == (40, pairs, len(owner), pairs)
    for name in ("node", "pair", "row", "joint"):
        assert (np.diff(cut[name].astype(int)) >= 0).all()
    for here in cut[1:]:
        assert (node[: here.pair] < here.node).all()
        assert (pair_of_row[: here.row] < here.pair).all()
        assert (owner[: here.row] < here.joint).all()
        if 0 < here.row < len(owner):
            assert owner[here.row] != owner[here.row - 1]


def test_strips_of_a_chain_are_even():
    n = 1000
    cut = strips(np.arange(n), np.repeat(np.arange(n), 3), np.repeat(np.arange(n), 3), n, n)
    assert np.diff(cut.pair.astype(int)).max() == 64
    assert np.diff(cut.row.astype(int)).max() == 3 * 64
