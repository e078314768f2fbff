"""Frames: what is packed is read again, with the poses that the simulation has."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.frame import CONTACTS, HEAD, ROW, FramePacker, Section, read_frame
from view.models import falling_simulation, gallery


def test_a_frame_holds_the_poses_of_the_body_frames():
    b = gk.Builder(name="off")
    b.body("cone", shape=gk.Cone(0.3, 0.8), at=(1, 2, 3), density=500, angular_velocity=(0.3, 0.2, 0.1))
    b.particle("dot", mass=1.0, at=(4, 5, 6))
    sim = gk.Simulation(b.build(), gk.FreeMotion(h=1e-3))
    sim.step(700)
    frame = read_frame(FramePacker(sim.model).pack(sim.state, sim.time, 7, flags=1, scene=3))
    assert (frame.sequence, frame.time, frame.flags, frame.scene) == (7, sim.time, 1, 3)
    assert frame.poses[0].tolist() == [0, 0, 0, 1, 0, 0, 0]
    for k, name in enumerate(("cone", "dot"), start=1):
        np.testing.assert_allclose(frame.poses[k], [*sim[name].position, *sim[name].orientation], rtol=2e-7)


def test_sections_come_back_and_keep_their_alignment():
    sim = falling_simulation()
    sections = (Section(CONTACTS, bytes(range(24))), Section(99, b"abc"), Section(3, b""))
    data = FramePacker(sim.model).pack(sim.state, 0.0, 2**32 + 1, sections=sections)
    frame = read_frame(data)
    assert frame.sections == sections
    assert frame.sequence == 1
    assert len(data) % 4 == 0


def test_two_thousand_bodies_are_one_block():
    b = gk.Builder(name="many")
    for k in range(2000):
        b.body(f"b{k}", shape=gk.Sphere(0.1), at=(k, 0, 0), density=1000)
    model = b.build()
    assert len(FramePacker(model).pack(model.initial_state(), 0.0, 0)) == HEAD.size + 4 * ROW * 2001


def test_other_bytes_are_no_frame():
    with pytest.raises(ValueError, match="no frame"):
        read_frame(bytes(100))


def test_the_gallery_has_a_row_a_node():
    model = gallery()
    assert len(read_frame(FramePacker(model).pack(model.initial_state(), 0.0, 0)).poses) == model.nodes.count
