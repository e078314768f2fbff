"""Models of many bodies are made ready in arrays, not body by body."""

from __future__ import annotations

import sys

import numpy as np

import gelenk as gk
from gelenk.math.rotation import rotation_matrix
from gelenk.model.colliders import MARGIN_SHARE, model_colliders


def scattered(count):
    random = np.random.default_rng(7)
    b = gk.Builder()
    for k in range(count):
        shape = gk.Part(gk.Box((0.3, 0.4, 0.5 + k)), at=random.normal(size=3), rotation=gk.unit(random.normal(size=4)))
        place = {"at": random.normal(size=3), "rotation": gk.unit(random.normal(size=4))}
        b.body(f"b{k}", shape=shape, density=1, velocity=random.normal(size=3), angular_velocity=(1, k, 2), **place)
        b.particle(f"p{k}", mass=1, at=random.normal(size=3), velocity=(k, 0, 1))
    return b.build()


def calls_of(function):
    """How many functions of Python it calls."""
    count = 0

    def seen(frame, event, argument):
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


def test_a_state_at_the_start_takes_one_pass_however_many_bodies_there_are():
    few, many = scattered(3), scattered(40)
    assert calls_of(many.initial_state) == calls_of(few.initial_state)


def test_a_state_at_the_start_is_where_the_bodies_are():
    """Rigid motion body by body:  p_C = p_B + R com,  v_C = v_B + w x (R com),  to round-off of numbers of size 40."""
    model = scattered(9)
    state = model.initial_state()
    for k, body in enumerate(model.bodies, start=1):
        centre, turn = model.nodes.start(k)
        R, w = rotation_matrix(turn), np.array(body.angular_velocity)
        np.testing.assert_array_equal(state.q_WB[k], body.rotation)
        np.testing.assert_allclose(state.p_WC[k], centre, rtol=0, atol=1e-15)
        np.testing.assert_allclose(R @ state.w_WB_B[k], w, rtol=0, atol=40e-15)
        v = np.array(body.velocity) + np.cross(w, R @ np.array(body.com))
        np.testing.assert_allclose(state.v_WC[k], v, rtol=0, atol=400e-15)
    for k, particle in enumerate(model.particles, start=10):
        np.testing.assert_array_equal(state.p_WC[k], particle.at)
        np.testing.assert_array_equal(state.v_WC[k], particle.velocity)


def test_the_margin_is_a_share_of_the_smallest_extent_in_the_own_axes_of_shapes():
    assert model_colliders(scattered(5)).margin == MARGIN_SHARE * 0.3
