"""Path lengths to the ground inside a step (V-94, V-98; virtual-worlds 4.9)."""

from __future__ import annotations

from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.rows.block import NONE


@routine
def find_levels(levels, contacts, joints, memory, inv_mass):
    """Edges from every node to the nearest fixed one, over the points of this step and joints that hold.

    Lengths fall along the edges, forth and back over all of them, until none falls any more. That gives the lengths of
    a breadth-first search without a list of neighbours, and in heaps whose bodies come from below in two or three goes.
    """
    length, count, pairs = levels.length, contacts.number[COUNT], joints.joint.shape[0]
    for i in range(length.shape[0]):
        length[i] = 0 if inv_mass[i] == 0.0 else NONE
    falls, back = True, False
    while falls:
        falls = False
        for k in range(count):
            c = contacts.contact[count - 1 - k if back else k]
            falls = shorten(length, c.a, c.b) or falls
        for k in range(pairs):
            if memory.broken[k] == 0.0:
                pair = joints.pair[joints.joint[k].pair]
                falls = shorten(length, pair.a, pair.b) or falls
        back = not back
    levels.number[0] = 0
    for i in range(length.shape[0]):
        if length[i] != NONE:
            levels.number[0] = max(levels.number[0], length[i])


@helper
def shorten(length, a, b):
    """Let one end of an edge be at most one farther than the other; whether that changed anything."""
    if length[a] != NONE and (length[b] == NONE or length[b] > length[a] + 1):
        length[b] = length[a] + 1
        return True
    if length[b] != NONE and (length[a] == NONE or length[a] > length[b] + 1):
        length[a] = length[b] + 1
        return True
    return False
