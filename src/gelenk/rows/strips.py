"""Strips: runs of nodes, pairs and rows, so short that what a sweep touches of them stays in the cache.

A sweep that does several things to each row goes strip by strip and does all of them there, instead of going through
all of memory for each. Every part of a strip begins where that of the strip before ends. A pair comes no earlier than
the nodes it ties, a row no earlier than its pairs, a joint no later than its rows; in what order a model names its
parts does not matter to results, only to how even the strips are.
"""

from __future__ import annotations

import numpy as np

PAIRS = 64  # in a strip
STRIP = np.dtype([("node", "u4"), ("pair", "u4"), ("row", "u4"), ("joint", "u4")])  # where its parts begin


def strips(
    node_of_pair: np.ndarray, pair_of_row: np.ndarray, owner: np.ndarray, nodes: int, joints: int, length: int = PAIRS
) -> np.ndarray:
    """Strips over all nodes, pairs and joints and over the given rows, and one more place for the end of the last.

    Parameters
    ----------
    node_of_pair : last node of each pair
    pair_of_row : last pair of each row
    owner : joint of each row, or -1
    """
    pairs, rows = len(node_of_pair), len(pair_of_row)
    node_reach = np.maximum.accumulate(node_of_pair + 1) if pairs else np.zeros(0, np.int64)
    pair_reach, joint_reach = np.maximum.accumulate(pair_of_row), np.maximum.accumulate(owner + 1)
    made = [(0, 0, 0, 0)]
    for pair in range(length, pairs, length):
        row = int(np.searchsorted(pair_reach, pair))
        while 0 < row < rows and owner[row] == owner[row - 1]:  # rows of one joint stay together
            row -= 1
        row = max(row, made[-1][2])
        made.append((int(node_reach[pair - 1]), pair, row, int(joint_reach[row - 1]) if row else 0))
    made.append((nodes, pairs, rows, joints))
    return np.array(made, STRIP).view(np.recarray)
