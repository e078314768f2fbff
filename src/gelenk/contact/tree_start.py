"""Contacts of trees looked for at the start of a step, where bodies are too fast for its middle (B-28, trap T-28).

Gaps and normals are those of the middle of the step, q_M. A body that gets through more than half of another one until
then is found on the far side, with its normal turned round: by its gap and velocity it would have overlapped the other
at the start of the step,

    d - h/2 n.u < -margin          and moves by more than that,    h/2 |u| > margin

Then all contacts of this step are those of its start, with the gaps that their velocities make of them in the middle.
"""

from __future__ import annotations

import numpy as np

from gelenk.collision.collider import place_all
from gelenk.compile import helper, routine
from gelenk.contact.block import COUNT
from gelenk.contact.space_block import TAKEN
from gelenk.math.quat import get4
from gelenk.math.rotation import rotation
from gelenk.math.vec3 import get3, triple
from gelenk.rows.block import NONE


@routine
def tree_doubts(stages, tree, work, directions, mine, joints, rows, newton, meet, push, numbers, h):
    """1 if a contact of the middle of the step lies on the wrong side, else 0."""
    contacts, item = stages.contacts, stages.space.colliders.item
    for k in range(contacts.number[COUNT]):
        c = contacts.contact[k]
        if c.pair == NONE:
            continue  # a segment: its ground has one side
        u = velocity_of(work.at, c.b, triple(c.r_b)) - velocity_of(work.at, c.a, triple(c.r_a))
        margin = item[c.collider_a].margin + item[c.collider_b].margin
        law = contacts.law[c.law[0], c.law[1]]
        hard = law.stiffness == 0.0 and law.damping == 0.0
        if hard and c.d - 0.5 * h * (triple(c.n) @ u) < -margin and 0.5 * h * u.norm() > margin:
            return np.int64(1)
    return np.int64(0)


@routine
def tree_back(stages, tree, work, directions, mine, joints, rows, newton, meet, push, numbers, h):
    """Shapes where the bodies are now, with the pairs of this step, so that their points are looked for anew."""
    place_all(stages.space.colliders, stages.space.tables, work.at)
    stages.space.number[TAKEN] = 1
    return np.int64(0)


@routine
def tree_forget(stages, tree, work, directions, mine, joints, rows, newton, meet, push, numbers, h):
    """There was no room for the points: the step is begun anew, pairs and all."""
    stages.space.number[TAKEN] = 0
    return np.int64(0)


@helper
def velocity_of(at, node, r):
    """Velocity of a point of a body, world axes:  v + w x r."""
    v = get3(at.v_WC, node)
    if at.q_WB.shape[0] > node:
        v = v + (rotation(get4(at.q_WB, node)) @ get3(at.w_WB_B, node)).cross(r)
    return v
