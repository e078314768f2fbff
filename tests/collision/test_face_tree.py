"""The tree of faces: every face once, and its bounds hold."""

import numpy as np
import pytest
from hull_samples import ball, bodies

from gelenk.collision.face_tree import LEAF, face_tree, least_below
from gelenk.collision.hulls import pack_hulls
from gelenk.collision.vclip_steps import highest_face
from gelenk.math.vec3 import vec3


def test_every_face_once_in_the_leaves():
    rng = np.random.default_rng(0)
    for hull in (ball(300, rng), *bodies(rng)[:4]):
        nodes, order = face_tree(hull)
        assert sorted(order.tolist()) == list(range(len(hull.normals)))
        leaves = nodes[nodes["leaf"] == 1]
        assert leaves["first"].tolist() == [0, *leaves["last"][:-1].tolist()]
        assert (leaves["last"] - leaves["first"]).max() <= LEAF
        assert nodes[0]["skip"] == len(nodes)
        assert (leaves["skip"] == np.flatnonzero(nodes["leaf"]) + 1).all()


def test_no_face_of_a_node_is_nearer_than_its_bound():
    """Inside and outside, near and far; to some roundings of the distances."""
    rng = np.random.default_rng(1)
    tightest = np.inf
    for hull in (ball(100, rng), *bodies(rng)[:4]):
        table = pack_hulls([hull])
        for y in rng.normal(size=(20, 3)):
            below = table.face.d - table.face.n @ y
            for node in table.node:
                faces = table.node_face[node.first : node.last]
                slack = below[faces].min() - least_below(node, vec3(y), 0)
                around = np.isin(hull.edges[:, 2], faces) | np.isin(hull.edges[:, 3], faces)
                assert slack > -1e-14
                assert below[hull.edges[around, 2:]].min() - least_below(node, vec3(y), 1) > -1e-14
                tightest = min(tightest, slack)
    assert tightest < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_highest_face_is_that_of_all(seed):
    rng = np.random.default_rng(seed)
    hulls = [ball(100, rng), *bodies(rng)[:4]]
    table = pack_hulls(hulls)
    inside = 0
    for y in rng.normal(size=(40, 3)):
        for k, hull in enumerate(hulls):
            heights = hull.normals @ y - hull.offsets
            found = highest_face(table, k, vec3(y))
            if heights.max() <= 0.0:
                assert found == -1
                inside += 1
            else:
                assert heights[found - int(table.hull[k].face_first)] == pytest.approx(heights.max(), abs=1e-15 * 8)
    assert inside > 0
