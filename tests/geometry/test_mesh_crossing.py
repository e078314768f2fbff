"""Surfaces that cut through themselves are found and refused; those that touch are not."""

import numpy as np
import pytest
from geometry_samples import icosphere, join, rotation_from

import gelenk as gk
from gelenk.geometry.mesh_crossing import crossing_pairs

BOX = gk.Box((1.0, 1.0, 1.0)).triangles()
TURN = rotation_from((0.3, -0.5, 0.7, 0.2))


def moved(mesh, shift, turn=None):
    vertices, faces = mesh
    return vertices @ (np.eye(3) if turn is None else turn).T + np.array(shift, dtype=float), faces


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e4])
@pytest.mark.parametrize(("far", "turn"), [(0.0, None), (100.0, None), (0.0, TURN)])
@pytest.mark.parametrize(
    ("shift", "crosses"),
    [
        ((0.5, 0.5, 0.0), True),  # edges through edges, diagonals through diagonals, two faces on each other
        ((0.5, 0.5, 0.5), True),
        ((0.3, 0.2, 0.1), True),
        ((1e-3, 1.5e-3, 0.7), True),
        ((1.0, 0.0, 0.0), False),  # face on face
        ((1.0, 0.5, 0.2), False),
        ((1.0, 1.0, 0.0), False),  # edge on edge
        ((1.0, 1.0, 1.0), False),  # corner on corner
        ((1.1, 0.0, 0.0), False),
        ((0.0, 0.0, 0.0), False),  # twice the same: nothing passes through
    ],
)
def test_two_boxes(shift, crosses, turn, far, scale):
    """Turned boxes touch up to the rounding of their corners alone, which counts as touching."""
    both = join(BOX, moved(BOX, shift))
    vertices, faces = moved(both, (far, -far, far), turn)
    pairs = crossing_pairs(vertices * scale, faces)
    assert bool(len(pairs)) == crosses


def brute(vertices, faces):
    """Pairs of which a side of one passes through the inside of the other, by signed volumes of all pairs."""
    corners = vertices[faces]

    def volume(a, b, c, d):
        return np.linalg.det(np.stack((b - a, c - a, d - a)))

    found = set()
    for s in range(len(faces)):
        for t in range(len(faces)):
            if s == t or len(set(faces[s]) & set(faces[t])) > 1:
                continue
            a, b, c = corners[s]
            for k in range(3):
                p, q = corners[t][k], corners[t][(k + 1) % 3]
                sides = [volume(p, q, x, y) for x, y in ((a, b), (b, c), (c, a))]
                if volume(a, b, c, p) * volume(a, b, c, q) < -1e-12 and (min(sides) > 1e-9 or max(sides) < -1e-9):
                    found.add((min(s, t), max(s, t)))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_against_all_pairs(seed):
    """Pairs found are pairs that cross; pairs left out share less than a twentieth of their shorter segment."""
    rng = np.random.default_rng(seed)
    ball = icosphere(1)
    both = join(ball, moved(ball, rng.normal(size=3) * 0.5, rotation_from(rng.normal(size=4))))
    faces = both[1].astype(np.int64)
    found, all_pairs = {tuple(pair) for pair in crossing_pairs(*both).tolist()}, brute(both[0], faces)
    assert found <= all_pairs
    assert len(found) >= 0.8 * len(all_pairs) > 0


def test_a_fold_that_shares_a_corner():
    """A spike pushed through the wall that it grows from: the triangles that cross share vertices with neighbours."""
    vertices, faces = icosphere(4)
    pushed = vertices.copy()
    tip = int(vertices[:, 2].argmax())
    pushed[tip, 2] = -1.5
    assert len(crossing_pairs(vertices, faces)) == 0
    pairs = crossing_pairs(pushed, faces)
    own = np.flatnonzero((faces == tip).any(axis=1))
    assert len(pairs) > 0
    assert np.isin(pairs, own).any(axis=1).all()


def test_refused_where_it_weighs_or_collides():
    vertices, faces = join(BOX, moved(BOX, (0.3, 0.2, 0.1)))
    mesh = gk.TriangleMesh(vertices, faces)
    gk.Part(mesh, collide=False, weighs=False)
    for shape in (mesh, gk.SphereTree(mesh, 2), gk.Compound([gk.Sphere(1.0), mesh])):
        for options in ({}, {"collide": False}, {"weighs": False}):
            with pytest.raises(gk.InputError, match=r"cuts through itself in \d+ pairs of triangles: triangle \d+ \("):
                gk.Part(shape, **options)
    with pytest.raises(gk.InputError) as caught:
        gk.Builder().body("rock", shape=mesh, density=1.0)
    assert caught.value.element == "body 'rock'"
    assert caught.value.remedy.startswith("Unite")
    with pytest.raises(gk.InputError, match="cuts through itself"):
        gk.decompose(mesh)


def test_looked_at_once(monkeypatch):
    mesh = gk.TriangleMesh(*BOX)
    gk.Part(mesh)
    monkeypatch.setattr("gelenk.geometry.mesh.check_no_crossing", None)
    gk.Part(mesh, at=(1, 0, 0))
    with pytest.raises(TypeError):
        gk.Part(gk.TriangleMesh(*BOX))


def test_wide_fans_cost_no_more_than_their_rim():
    """Four thousand triangles that meet in one point of one plane: 8e6 pairs of boxes meet, a minute of work."""
    vertices, faces = gk.Cylinder(1.0, 0.5).triangles(4000)
    assert len(crossing_pairs(vertices, faces)) == 0


@pytest.mark.proof
def test_hundred_thousand_triangles():
    ball = icosphere(50)
    assert len(crossing_pairs(*ball)) == 0
    vertices, faces = join(ball, moved(ball, (0.7, 0.0, 0.0)))
    pairs = crossing_pairs(vertices, faces)
    middle = vertices[faces[pairs]].mean(axis=(1, 2))
    # two unit balls cut each other in the plane halfway, within the size of a triangle
    assert len(faces) == 100_000
    assert np.abs(middle[:, 0] - 0.35).max() < 0.05
    assert len(pairs) > 300
