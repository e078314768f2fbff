"""Frames on frames: a tree of homogeneous transforms over bodies that are all on one level (V-102)."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.rotation import rotation_matrix

ROUND_OFF = 1e-13  # of products of some matrices of metres


def matrix(at, rotation):
    """Homogeneous transform (4, 4)."""
    made = np.eye(4)
    made[:3, :3], made[:3, 3] = rotation_matrix(rotation), at
    return made


def poses(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield tuple(rng.normal(size=3).tolist()), gk.unit(tuple(rng.normal(size=4).tolist()))


def crane(depth=4):
    """An arm with a tree of frames: link 0 in the body, each further one in the one before, and one more beside."""
    b = gk.Builder(name="crane")
    (at, rotation), *links = poses(depth + 1)
    b.body("arm", mass=1.0, inertia=(1, 2, 2), com=(0.1, 0, 0), at=at, rotation=rotation, angular_velocity=(0, 0, 1))
    for k, (p, q) in enumerate(links):
        b.frame(f"link {k}", f"link {k - 1}" if k else "arm", at=p, rotation=q)
    b.frame("side", "link 1", at=(0, 0, 1))
    b.frame("mast", "world", at=(5, 0, 0))
    b.frame("lamp", "mast", at=(0, 0, 3))
    return b


def in_world(sim, name):
    now = sim[name]
    return matrix(now.position, now.orientation)


def test_places_are_products_of_transforms():
    sim = gk.Simulation(crane().build())
    sim.advance(0.3)
    T = in_world(sim, "arm")
    for k, (p, q) in enumerate(list(poses(5))[1:]):
        T = T @ matrix(p, q)
        np.testing.assert_allclose(in_world(sim, f"link {k}"), T, atol=ROUND_OFF)
    np.testing.assert_allclose(sim["lamp"].position, (5, 0, 3), atol=1e-15)
    assert {frame.body for frame in sim.model.frames} == {"arm", "world"}, "what dynamics sees is flat"


def test_what_hangs_on_a_frame_goes_along_when_it_is_moved():
    b = crane()
    before = {name: matrix(f.at, f.rotation) for name, f in b.named("frame").items()}
    ((p, q),) = poses(1, seed=7)
    b.change("link 1", kind="frame", at=p, rotation=q)
    after = {name: matrix(f.at, f.rotation) for name, f in b.named("frame").items()}
    np.testing.assert_allclose(after["link 1"], before["link 0"] @ matrix(p, q), atol=ROUND_OFF)
    for name in ("link 2", "link 3", "side"):
        local = np.linalg.solve(before["link 1"], before[name])
        np.testing.assert_allclose(after[name], after["link 1"] @ local, atol=ROUND_OFF)
    for name in ("link 0", "mast", "lamp"):
        np.testing.assert_array_equal(after[name], before[name])


def test_a_scene_keeps_the_tree_to_the_bit(tmp_path):
    model = crane().build()
    gk.save_scene(model, tmp_path / "crane.toml")
    text = (tmp_path / "crane.toml").read_text()
    assert 'body = "link 1"' in text
    again = gk.load_scene(tmp_path / "crane.toml")
    assert again == model
    assert again.frames == model.frames


def test_what_hangs_on_a_frame_is_taken_out_with_it():
    b = crane()
    assert b.remove("link 1", dependents=True) == ["link 2", "side", "link 3"]
    assert list(b.named("frame")) == ["link 0", "mast", "lamp"]
    b = crane()
    assert set(b.remove("arm", dependents=True)) == {"link 0", "link 1", "link 2", "link 3", "side"}
    b = crane()
    b.remove("link 1")
    with pytest.raises(gk.InputError, match="frame 'link 2': it hangs on the frame 'link 1', which does not exist"):
        b.build()


def test_frames_that_hang_on_themselves_are_refused():
    b = crane()
    b.remove("link 0")
    b.frame("link 0", "link 3")
    with pytest.raises(gk.InputError, match="it hangs on itself"):
        b.build()


def test_a_frame_that_is_put_in_again_carries_what_hung_on_it():
    b = crane()
    b.remove("link 0")
    b.frame("link 0", "arm", at=(9, 0, 0))
    model = b.build()
    names = [frame.name for frame in model.frames]
    assert names.index("link 0") < names.index("link 1"), "so that a scene can be read from top to bottom"
    first, second = (next(f for f in model.frames if f.name == name) for name in ("link 0", "link 1"))
    expected = matrix(first.at, first.rotation) @ matrix(*second.within[1:])
    np.testing.assert_allclose(matrix(second.at, second.rotation), expected, atol=ROUND_OFF)


def test_bodies_that_become_one_keep_the_tree(tmp_path):
    b = crane()
    b.body("hook", mass=1.0, inertia=(1, 1, 1), at=(1, 1, 1))
    b.frame("tip", "hook", at=(0, 0, -1))
    b.frame("point", "tip", at=(0.5, 0, 0))
    b.add(gk.Rigid(name="weld", a="arm", b="hook", at=(1, 1, 1)))
    apart = gk.Simulation(b.build())
    model = b.build(merge=True)
    one = gk.Simulation(model)
    for name in ("tip", "point", "link 3"):
        np.testing.assert_allclose(one[name].position, apart[name].position, atol=ROUND_OFF)
    gk.save_scene(model, tmp_path / "one.toml")
    assert gk.load_scene(tmp_path / "one.toml") == model


def test_joints_take_frames_of_the_tree():
    """A pendulum on a frame three levels deep is that on the same place in the body."""

    def swing(nested):
        b = gk.Builder()
        b.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), at=(0, 0, -0.75))
        if nested:
            b.frame("upper", "rod", at=(0, 0, 0.25))
            b.frame("middle", "upper", at=(0, 0, 0.25), rotation=(np.sqrt(0.5), -np.sqrt(0.5), 0, 0))
            b.frame("top", "middle", at=(0, -0.25, 0))
        else:
            b.frame("top", "rod", at=(0, 0, 0.75), rotation=(np.sqrt(0.5), -np.sqrt(0.5), 0, 0))
        b.frame("nail", "world", rotation=(np.sqrt(0.5), -np.sqrt(0.5), 0, 0))
        b.add(gk.Hinge(name="pin", a="nail", b="top"))
        b.add(gk.ForceMotor(name="push", on="pin", force=1.0))
        sim = gk.Simulation(b.build())
        sim.advance(0.2)
        return sim["pin"].angle

    assert abs(swing(True)) > 1e-3
    assert swing(True) == pytest.approx(swing(False), abs=1e-9)  # places that differ by round-off
