"""Surroundings that change while a simulation runs: states by names, what is refused, what is hidden (V-34)."""

import numpy as np
import pytest

import gelenk as gk


def wall_and_ball():
    b = gk.Builder()
    b.body("wall", shape=gk.Box((1, 1, 1)), static=True)
    b.body("ball", shape=gk.Sphere(0.1), density=1, at=(5, 0, 0), velocity=(0, 1, 0))
    return b.build()


def larger_wall(model):
    """The same with the wall removed and added anew: it stands last now."""
    b = gk.Builder.from_model(model)
    b.remove("wall")
    b.body("wall", shape=gk.Box((2, 2, 2)), static=True)
    return b.build()


def test_a_state_of_the_model_before_is_carried_over_by_names():
    model = wall_and_ball()
    world, state = gk.CollisionWorld(model), model.initial_state()
    state.p_WC[model.index("ball")] = (6, 0, 0)
    world.exchange(larger_wall(model), state)
    hit = world.ray((10, 0, 0), (-1, 0, 0))
    assert (hit.body, hit.distance) == ("ball", pytest.approx(3.9, abs=1e-15))
    assert world.nearest("ball", "wall").distance == pytest.approx(6 - 0.1 - 1, abs=1e-15)


def test_a_tile_is_added_and_removed_while_a_simulation_runs():
    model = wall_and_ball()
    sim, world = gk.Simulation(model, gk.FreeMotion(h=0.1)), gk.CollisionWorld(model)
    sim.advance(1.0)
    b = gk.Builder.from_model(model)
    b.body("tile", shape=gk.Box((1, 1, 1)), static=True, at=(5, 20, 0))
    more = b.build()
    world.exchange(more, sim.state)
    y = sim["ball"].position[1]
    assert y == pytest.approx(1.0)
    assert world.nearest("ball", "wall").point_a[0] < 5
    assert world.ray((5, y, 10), (0, 0, -1)).body == "ball"
    assert world.ray((5, 20, 10), (0, 0, -1)).body == "tile"
    larger = gk.Simulation(more, gk.FreeMotion(h=0.1), state=more.state_from(model, sim.state), time=sim.time)
    larger.advance(1.0)
    sim.advance(1.0)
    np.testing.assert_array_equal(larger["ball"].position, sim["ball"].position)
    world.exchange(model, larger.state)
    assert world.ray((5, 20, 10), (0, 0, -1)) is None


def test_a_refused_exchange_leaves_the_world_as_it_was():
    model = wall_and_ball()
    world = gk.CollisionWorld(model)
    other = larger_wall(model)
    bad = model.initial_state()
    bad.p_WC[1] = (3, 0, 0)
    with pytest.raises(gk.InputError, match=r"exchange\(\): 'wall' is static and not where"):
        world.exchange(other, bad)
    assert world.model is model
    assert world.detect(model.initial_state()).ray((0, 0, 9), (0, 0, -1)).distance == 8.5


def test_a_state_that_could_be_of_either_model_is_refused():
    b = gk.Builder()
    for k, name in enumerate("abc"):
        b.body(name, shape=gk.Sphere(0.1), density=1, at=(k, 0, 0))
    model = b.build()
    world, state = gk.CollisionWorld(model), model.initial_state()
    b.remove("a")
    b.body("a", shape=gk.Sphere(0.2), density=1)
    other = b.build()
    with pytest.raises(gk.InputError, match=r"either model.*then detect"):
        world.exchange(other, state)
    world.exchange(other)
    world.detect(other.state_from(model, state))
    assert world.ray((2, 0, 5), (0, 0, -1)).body == "c"


def test_static_bodies_that_moved_are_refused():
    model = wall_and_ball()
    world, state = gk.CollisionWorld(model), model.initial_state()
    state.p_WC[1] = (1, 0, 0)
    for call in (world.detect, lambda s: world.impacts(s, 1.0)):
        with pytest.raises(gk.InputError, match="'wall' is static"):
            call(state)
    state = model.initial_state()
    state.q_WB[1] *= -1.0  # the same rotation
    state.p_WC[1] += 1e-15
    world.detect(state)
    state.q_WB[1] = (np.cos(5e-5), np.sin(5e-5), 0, 0)
    with pytest.raises(gk.InputError, match="'wall' is static"):
        world.detect(state)


def test_messages_show_the_numbers_and_the_way():
    model = wall_and_ball()
    world, state = gk.CollisionWorld(model), model.initial_state()
    state.q_WB[2] = 0.0
    with pytest.raises(gk.InputError, match=r"'ball' in the state is \[0.0, 0.0, 0.0, 0.0\], of length 0"):
        world.detect(state)
    with pytest.raises(gk.InputError, match=r"Pass sim\.state"):
        world.detect(gk.Simulation(model))
    with pytest.raises(gk.InputError, match="state_from"):
        world.detect(gk.Builder().build().initial_state())


def test_the_frame_stays_where_it_is_if_the_centre_of_mass_moves():
    """v_C' = v_C + w x (c' - c): the same rigid motion seen at another centre."""
    b = gk.Builder()
    turn = gk.unit((1.0, 0.5, 0.2, 0.1))
    pose = {"rotation": turn, "velocity": (1, 2, 3), "angular_velocity": (0.3, -0.2, 0.5)}
    b.body("arm", shape=gk.Box((1, 1, 1)), density=1, **pose)
    model = b.build()
    b = gk.Builder()
    b.body("arm", shape=gk.Part(gk.Box((1, 1, 1)), at=(1, 0, 0)), density=1, **pose)
    other = b.build()
    np.testing.assert_allclose(
        other.state_from(model, model.initial_state()).flat, other.initial_state().flat, atol=1e-15
    )


def test_joints_and_motors_keep_what_they_remember():
    b = gk.Builder()
    b.body("wheel", mass=1, inertia=(1, 1, 1))
    b.add(gk.Hinge(name="axle", a="world", b="wheel", at=(0, 0, 0), axis=(0, 0, 1)))
    b.add(gk.VelocityMotor(name="motor", on="axle", speed=20.0, force_max=1e6))
    model = b.build()
    sim = gk.Simulation(model, gk.Impulse(h=0.01))
    sim.inputs["motor.speed"] = 10.0
    sim.advance(2.0)
    assert sim["axle"].angle == pytest.approx(20.0, rel=1e-2)  # more than three turns
    b.body("tile", shape=gk.Box((1, 1, 1)), static=True)
    more = b.build()
    on = gk.Simulation(more, gk.Impulse(h=0.01), state=more.state_from(model, sim.state), time=sim.time)
    assert on["axle"].angle == sim["axle"].angle
    assert on.inputs["motor.speed"] == 10.0
    assert on.sensors["motor.force"] == sim.sensors["motor.force"]


def test_points_and_pairs_stay_what_they_were():
    model = wall_and_ball()
    world, state = gk.CollisionWorld(model, margin=20.0), model.initial_state()
    points, pairs = world.points, world.pairs
    before = points.d.copy()
    state.p_WC[2] = (3, 0, 0)
    world.detect(state)
    np.testing.assert_array_equal(points.d, before)
    assert world.points.d[0] == pytest.approx(before[0] - 2)
    pairs.count[:] = 0
    assert len(world.between("wall", "ball")) == 1


def test_what_is_hidden_goes_with_the_next_detect_and_for_all_questions_alike():
    world = gk.CollisionWorld(wall_and_ball(), margin=20.0)

    def there():
        return (
            bool(world.between("wall", "ball")),
            world.nearest("wall", "ball") is not None,
            world.ray((0, 0, 9), (0, 0, -1)) is not None,
            world.closest((0, 0, 0)).body == "wall",
            bool(world.overlap(gk.Sphere(0.1))),
            world.sweep(gk.Sphere(0.1), (0, 0, 9), (0, 0, -9)) is not None,
            "wall" in [hit.body for hit in world.in_box((-1, -1, -1), (1, 1, 1))],
        )

    assert all(there())
    world.show("wall", False)
    assert all(there())
    world.detect()
    assert not any(there())
    with pytest.raises(gk.InputError, match="taken out by show"):
        world.way_out("wall", "ball")
    world.show("wall")
    assert not any(there())
    world.detect()
    assert all(there())
