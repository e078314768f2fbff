"""The description of a model: every shape is told, shared surfaces once, in their places."""

import base64

import numpy as np
import pytest

import gelenk as gk
from gelenk.math.rotation import rotation_matrix
from gelenk.view.messages import write_message
from gelenk.view.scene import describe
from view.models import gallery


def test_every_kind_of_shape_is_told():
    scene = describe(gallery(), 1e-3)
    told = {scene.nodes[item.node].name: scene.geometries[item.geometry].shape for item in scene.items}
    assert told["ellipsoid"] == told["sphere"] == "sphere"
    for name in ("box", "capsule", "cylinder", "cone", "torus", "plane"):
        assert told[name] == name
    for name in ("hull", "mesh", "height field"):
        assert told[name] == "triangles"
    assert sum(scene.nodes[item.node].name == "compound" for item in scene.items) == 3
    assert write_message(scene).startswith('{"kind":"scene"')


def test_triangles_come_over_as_they_are():
    scene = describe(gallery(), 1e-3)
    item = next(item for item in scene.items if scene.nodes[item.node].name == "mesh")
    geometry = scene.geometries[item.geometry]
    vertices, faces = gk.Torus(0.35, 0.12).triangles(24)
    sent = np.frombuffer(base64.b64decode(geometry.vertices), "<f4").reshape(-1, 3)
    np.testing.assert_allclose(sent, vertices, atol=1e-6)
    assert len(base64.b64decode(geometry.faces)) == 4 * faces.size


def test_a_thousand_boxes_are_one_surface():
    b = gk.Builder(name="boxes")
    for k in range(1000):
        b.body(f"b{k}", shape=gk.Box((1 + k, 1, 1)), at=(0, 0, 2 * k), density=1000)
    scene = describe(b.build(), 1e-3)
    assert len(scene.geometries) == 1
    assert len(scene.items) == 1000
    assert scene.items[7].scale == (8.0, 1.0, 1.0)


def test_parts_keep_material_view_and_contact():
    b = gk.Builder(name="parts")
    b.material("red", color=(1, 0, 0))
    seen = gk.Part(gk.Sphere(0.1), at=(1, 0, 0), material="red", collide=False)
    felt = gk.Part(gk.Box((1, 1, 1)), view=False, density=10.0)
    neither = gk.Part(gk.Box((1, 1, 2)), view=False, collide=False, density=10.0)
    b.body("body", shape=[seen, felt, neither])
    items = describe(b.build(), 1e-3).items
    assert [(i.visual, i.physical) for i in items] == [(True, False), (False, True)]
    assert items[0].colour == (1.0, 0.0, 0.0)
    assert items[0].at == (1.0, 0.0, 0.0)


def test_frames_of_joints_meet_in_the_world():
    b = gk.Builder(name="joint")
    b.body("arm", shape=gk.Cone(0.2, 1.0), at=(1, 2, 3), density=500)
    b.add(gk.Hinge(name="hinge", a="world", b="arm", at=(1, 2.5, 3), axis=(0, 1, 0)))
    model = b.build()
    joint = describe(model, 1e-3).joints[0]
    assert (joint.name, joint.a, joint.b) == ("hinge", 0, 1)
    arm = model.bodies[0]
    np.testing.assert_allclose(joint.at_a, (1, 2.5, 3), atol=1e-12)
    np.testing.assert_allclose(np.array(arm.at) + rotation_matrix(arm.rotation) @ joint.at_b, (1, 2.5, 3), atol=1e-12)
    assert abs(rotation_matrix(joint.rotation_a)[:, 2] @ (0, 1, 0)) == pytest.approx(1.0)
