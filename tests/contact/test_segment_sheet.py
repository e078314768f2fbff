"""Segments on a smooth sheet: what they carry, that nothing brakes, what goes through (B-19, B-20, bobsleigh 8.4)."""

import copy
import math
import pickle

import numpy as np
import pytest
from segment_scenes import EXACT, bead, block, flat_sheet, on_sheet, round_sheet

import gelenk as gk
from gelenk import compile as compiler
from gelenk.collision.manifold import NONE
from gelenk.contact.segment_block import CLOSED, new_segment_sets
from gelenk.contact.segment_ground import look
from gelenk.contact.warning import ContactWarning
from gelenk.geometry.sheet import segments_sheet
from gelenk.geometry.sheet_parts import disc_distance
from gelenk.math.vec3 import vec3
from gelenk.model.scene_read import read_scene
from gelenk.view.scene import describe

G = 9.81


def test_a_block_slides_on_it_as_on_a_plane():
    """The same flat ground as a plane and as a sheet: the same motion and forces, to the tolerance of the solver."""
    model, _ = block(0.5, friction=0.3, velocity=(0.2, 0.5, 0.0))
    ends, time = [], 0.5 if compiler.ENABLED else 0.02
    for ground in (model, on_sheet(model, flat_sheet(), "ice")):
        sim = gk.Simulation(ground, method=EXACT)
        sim.run(time)
        ends.append((sim["box"].velocity, sim.contact_force("box"), sim.info["contacts"]))
    np.testing.assert_allclose(ends[1][0], ends[0][0], atol=1e-9)  # 1e-10 of the solver, 500 steps
    np.testing.assert_allclose(ends[1][1], ends[0][1], atol=1e-6)
    assert ends[1][2] == ends[0][2] == 4


def test_facets_brake_and_the_sheet_does_not():
    """Bobsleigh 8.4: on facets the loss is of order 1 in their length, whatever the step; on the sheet only that of the

    step is left, h v / (2 R) a radian, of order 1 in h; so it is no friction of the surface.
    """
    R, speed, angle = 30.0, 30.0, 1.0 if compiler.ENABLED else 0.02
    sheet = round_sheet(R)

    def lost(model, h):
        sim = gk.Simulation(model, method=gk.MoreauTree(h=h))
        sim.run(angle)
        return 1.0 - np.linalg.norm(sim["bead"].velocity) / speed

    smooth = on_sheet(bead(R, 0.5, speed, smooth=False)[0], sheet, "track")
    on_it = [lost(smooth, h) for h in (4e-4, 2e-4)]
    one_step = 4e-4 / angle  # of all: the first may find nothing to do
    np.testing.assert_allclose(on_it, [0.5 * 4e-4 * angle, 0.5 * 2e-4 * angle], rtol=one_step + 5e-3)
    if compiler.ENABLED:
        flat = [lost(bead(R, chord, speed, smooth=False)[0], 2e-4) for chord in (1.0, 0.5)]
        np.testing.assert_allclose(flat, [0.5 * angle * chord / R for chord in (1.0, 0.5)], rtol=0.05)
        assert on_it[1] < 0.015 * flat[1]


def test_contacts_agree_with_the_mesh_to_the_order_of_its_facets():
    """Random segments against chords of length L: points to L^2 / (8 R), normals to L / (2 R), of order 2 and 1."""
    R, rng, count = 2.0, np.random.default_rng(3), 40
    angle = rng.uniform(-0.6, 0.6, count)
    out = np.column_stack((np.sin(angle), np.zeros(count), -np.cos(angle)))  # down from the axis
    points = [0, 0, R] + (R + 0.03) * out + np.column_stack((np.zeros(count), rng.uniform(-0.5, 0.5, count), angle * 0))
    ways = -0.1 * out + rng.normal(0.0, 0.02, (count, 3))

    def found(chord):
        model, _ = bead(R, chord or 0.2, 0.0, smooth=False)
        if chord is None:
            model = on_sheet(model, round_sheet(R), "track")
        b = gk.Builder.from_model(model)
        b.change("bead", kind="body", at=(0.0, 0.0, 0.0))
        b.change("foot", points=points, segments=ways)
        sets = new_segment_sets(b.build(), 0)
        for i in range(count):
            look(sets, 0, i, vec3(points[i]), vec3(ways[i]), vec3((0.0, 0.0, 0.0)))
        assert (sets.segment["state"] == CLOSED).all()
        return sets.segment["point"].copy(), sets.segment["n"].copy(), sets.segment["t"].copy()

    x, n, t = found(None)
    assert (t == NONE).all()
    np.testing.assert_allclose(np.hypot(x[:, 0], x[:, 2] - R), R, atol=1e-12)
    np.testing.assert_allclose(n[:, [0, 2]], np.column_stack((-x[:, 0], R - x[:, 2])) / R, atol=1e-8)
    for chord in (0.2, 0.1):
        near, flat, _ = found(chord)
        lean = 1.0 / np.abs((ways / np.linalg.norm(ways, axis=1)[:, None] * n).sum(axis=1)).min()
        assert np.linalg.norm(near - x, axis=1).max() < 1.05 * lean * chord**2 / (8.0 * R)
        assert np.linalg.norm(flat - n, axis=1).max() < 1.05 * chord / (2.0 * R)


def test_nothing_that_a_finer_search_finds_is_passed_over():
    """Random segments, cold: those of which a table of signs along them finds a crossing, and no others; and each disc

    is no farther from a segment than points of its part are.
    """
    R, rng = 2.0, np.random.default_rng(5)
    shape, count = round_sheet(R), 60
    start = np.column_stack(
        (rng.uniform(-1.0, 1.0, count), rng.uniform(-0.9, 0.9, count), rng.uniform(-0.2, 0.4, count))
    )
    way = rng.normal(0.0, 0.1, (count, 3))
    tau, n, memory = np.empty(count), np.empty((count, 3)), np.full((count, 2), np.nan)
    segments_sheet(shape.sheet, start, way, memory, tau, n)
    f = np.linspace(0.0, 1.0, 2001)[:, None, None]
    p = start + f * way
    depth = np.hypot(p[..., 0], p[..., 2] - R) - R  # above 0 in the ice
    inside = (np.abs(np.arctan2(p[..., 0], R - p[..., 2])) < math.radians(40.0)) & (np.abs(p[..., 1]) < 1.0)
    comes_out = ((depth[:-1] > 0.0) & (depth[1:] <= 0.0) & inside[:-1] & inside[1:]).any(axis=0)
    assert (np.isfinite(tau) == comes_out).all()
    assert 5 < comes_out.sum() < count - 5
    vertices, _ = shape.triangles(8)
    for a, d in zip(start[:20], way[:20]):
        least = min(
            disc_distance(shape.sheet.disc, k, vec3(a), vec3(d), math.inf) for k in range(len(shape.sheet.disc))
        )
        g = np.clip(((vertices - a) @ d) / (d @ d), 0.0, 1.0)
        assert least <= np.linalg.norm(vertices - a - g[:, None] * d, axis=1).min()


def test_a_fall_from_the_air_is_caught_and_bounces():
    """2 m/s faster than a step could see: closed before it is in the ice, from any height."""
    model, _ = block(at=1.0, velocity=(0.0, 0.0, -250.0), friction=0.0, restitution=0.5)
    b = gk.Builder.from_model(on_sheet(model, flat_sheet(), "ice"))
    b.gravity = (0.0, 0.0, 0.0)
    sim = gk.Simulation(b.build(), method=EXACT)
    sim.run(6e-3)
    after = 125.0 * (6e-3 - 0.9 / 250.0)
    assert sim["box"].position[2] == pytest.approx(0.1 + after, abs=1e-12)
    assert sim["box"].velocity[2] == pytest.approx(125.0, abs=1e-9)
    assert sim.info["segments_lost"] == 0


@pytest.mark.parametrize("ground", ["plane", "sheet"])
def test_what_goes_through_is_lost_however_it_came(ground):
    """Put far behind the ground from above; lying on its side, so that segments come sideways; on its back, so that

    their inner ends are ahead. Beside its edge nothing is lost.
    """
    s = math.sqrt(0.5)
    for how, turned, at, velocity, lost in (
        ("jump", (1, 0, 0, 0), 0.5, 0.0, 4),
        ("side", (s, s, 0, 0), 0.4, -2.0, 4),
        ("back", (0, 1, 0, 0), 0.4, -2.0, 4),
        ("beside", (0, 1, 0, 0), 0.4, -2.0, 0),
    ):
        model, _ = block(at=at, velocity=(0.0, 0.0, velocity), friction=0.2)
        if ground == "sheet":
            model = on_sheet(model, flat_sheet(), "ice")
        b = gk.Builder.from_model(model)
        b.change(
            "box", kind="body", rotation=turned, at=(20.0 if how == "beside" and ground == "sheet" else 0.0, 0.0, at)
        )
        if how == "beside" and ground == "plane":
            continue  # it has no edge
        sim = gk.Simulation(b.build(), method=gk.MoreauTree(h=5e-3))
        sim.run(0.01)
        if how == "jump":
            sim.state.p_WC[model.index("box"), 2] = -3.0
        if lost:
            with pytest.warns(ContactWarning, match="has gone through"):
                sim.run(0.4)
        else:
            sim.run(0.4)
        assert sim.info["segments_lost"] == lost, how


def test_it_is_saved_copied_and_stepped_in_a_batch():
    """Text of the scene, copies and pickles give the same sheet and the same steps; a batch of copies takes it too."""
    model = on_sheet(block(0.1, friction=0.3)[0], round_sheet(20.0), "ice")
    text = gk.scene_text(model)
    again = read_scene(text)
    assert again == model
    assert gk.scene_text(again) == text
    assert pickle.loads(pickle.dumps(model)) == copy.deepcopy(model) == model
    sheet = again.bodies[0].parts[0].shape
    assert sheet == round_sheet(20.0)
    assert hash(sheet) == hash(round_sheet(20.0))
    assert sheet != round_sheet(20.0, pieces=5)
    ends = []
    for m in (model, again):
        sim = gk.Simulation(m, method=EXACT)
        sim.run(0.02)
        ends.append(sim.state.flat.tobytes())
    assert ends[0] == ends[1]
    batch = gk.Batch(model, EXACT, count=2)
    batch.step(20)
    assert [batch.state(k).flat.tobytes() for k in range(2)] == [ends[0]] * 2


def test_triangles_that_are_drawn_lie_on_it_and_look_up():
    vertices, faces = round_sheet(2.0).triangles()
    np.testing.assert_allclose(np.hypot(vertices[:, 0], vertices[:, 2] - 2.0), 2.0, atol=1e-12)
    a, b, c = vertices[faces].transpose(1, 0, 2)
    up = np.cross(b - a, c - a)
    assert (up @ [0.0, 0.0, 1.0] > 0.0).all()
    seen = describe(on_sheet(block()[0], round_sheet(2.0), "ice"), 1e-3)
    assert [g.shape for g in seen.geometries] == ["triangles"]
    assert 0.5 * np.linalg.norm(up, axis=1).sum() == pytest.approx(2.0 * math.radians(80.0) * 2.0, rel=1e-3)


FLAT = {"s": (0.0, 1.0), "points": [[(x, y, 0.0) for x in (0, 1, 2)] for y in (0, 1)]}
WRONG = {
    "even": ({"points": [[(0, 0, 0), (1, 0, 0)]] * 2}, r"points have shape \(2, 2, 3\)"),
    "few": ({"s": (0.0,)}, r"s have shape \(1,\)"),
    "falls": ({"s": (1.0, 0.0)}, "does not rise"),
    "weight": ({"weights": np.zeros((2, 3))}, "a weight is 0"),
    "nan": ({"s": (0.0, math.nan)}, "not finite"),
    "word": ({"s": "long"}, "no table of numbers"),
    "turn": ({"patches": ((0, 2),)}, "patches is"),
    "ruled": ({"ruled": 1}, "ruled is 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_sheets_are_refused(name):
    changed, message = WRONG[name]
    with pytest.raises(gk.InputError, match=message):
        gk.LoftedSheet(**(FLAT | changed))


def test_it_neither_collides_nor_weighs_and_is_one_in_a_model():
    with pytest.raises(gk.InputError, match="collide=False, weighs=False"):
        gk.Part(flat_sheet())
    with pytest.raises(gk.InputError, match="child 0 of compound"):
        gk.Compound([flat_sheet()])
    model = on_sheet(block()[0], flat_sheet(), "ice")
    b = gk.Builder.from_model(model)
    b.body("more", shape=gk.Part(round_sheet(3.0), collide=False, weighs=False), static=True)
    b.add(gk.SegmentContacts("others", "box", [(0, 0, 0)], [(0, 0, 0.1)], "more"))
    with pytest.raises(gk.InputError, match="2 different lofted sheets"):
        gk.Simulation(b.build(), method=EXACT)
