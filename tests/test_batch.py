"""Batches: every copy moves as by itself, bit for bit, whatever shares its scratch; errors name the copy."""

import numpy as np
import pytest

import gelenk as gk
from gelenk.errors import InputError

COPIES = 7
STEPS = 40


def arm(mass=1.0, *, motor=True):
    """A free trunk with two arms of two links each, a hinge and a ball joint; a torque motor and a spring."""
    b = gk.Builder()
    b.body("trunk", mass=3.0, inertia=(0.2, 0.1, 0.15), at=(0.0, 0.0, 1.0))
    for k, side in enumerate((-1.0, 1.0)):
        b.body(f"upper{k}", mass=mass, inertia=(0.02, 0.03, 0.01), at=(0.3 * side, 0.0, 1.0))
        b.body(f"lower{k}", mass=0.5, inertia=(0.01, 0.01, 0.004), at=(0.6 * side, 0.1, 1.0))
        b.add(gk.Hinge(name=f"shoulder{k}", a="trunk", b=f"upper{k}", at=(0.15 * side, 0.0, 1.0), axis=(0.0, 1.0, 0.0)))
        b.add(gk.Ball(name=f"elbow{k}", a=f"upper{k}", b=f"lower{k}", at=(0.45 * side, 0.05, 1.0)))
    if motor:
        b.add(gk.ForceMotor(name="push", on="shoulder0", force=0.0))
    return b.build()


def starts(model):
    """Copies thrown and turning, each in another way, as the joints allow."""
    rng = np.random.default_rng(5)
    tree = gk.TreeDynamics(model)
    q, _ = tree.coordinates(model.initial_state())
    return [tree.state(q, rng.normal(size=tree.nu)) for _ in range(COPIES)]


# other methods go copy by copy, as contact below does, and take long to compile
METHODS = [
    pytest.param(gk.MoreauTree(h=2e-3), id="tree, order chosen"),
    pytest.param(gk.MoreauTree(h=2e-3, order=1), id="tree, order 1"),
    pytest.param(gk.Impulse(h=2e-3), id="impulse", marks=pytest.mark.proof),
    pytest.param(gk.RowStepping(h=2e-3), id="row stepping", marks=pytest.mark.proof),
]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("method", METHODS)
def test_every_copy_is_its_single_run_bit_for_bit(method, threads):
    model = arm()
    begun, push = starts(model), np.linspace(-1.0, 1.0, COPIES)
    batch = gk.Batch(model, method, states=begun, threads=threads)
    batch.inputs["push.force"] = push
    for count in (1, STEPS - 11, 10):
        batch.step(count)
    for k in range(COPIES):
        sim = gk.Simulation(model, method, state=begun[k])
        sim.inputs["push.force"] = push[k]
        sim.step(STEPS)
        np.testing.assert_array_equal(batch.state(k).flat, sim.state.flat)
        np.testing.assert_array_equal(batch.p_WC[k], sim.state.p_WC)
        for what in ("position", "orientation", "velocity", "angular_velocity", "com"):
            np.testing.assert_allclose(  # of the same numbers by other roundings
                getattr(batch["lower1"], what)[k], getattr(sim["lower1"], what), rtol=0.0, atol=1e-14
            )
    assert batch.time == sim.time
    assert not batch.failed.any()
    assert len({row.tobytes() for row in batch.p_WC}) == COPIES  # they did move in different ways


def test_copies_may_differ_in_numbers():
    models = [arm(mass) for mass in (0.5, 1.0, 2.0)]
    batch = gk.Batch(models, gk.MoreauTree(h=2e-3))
    batch.v_WC[:, 1] = (1.0, 0.0, 2.0)  # a blow that the joints carry on, to each by its masses
    blown = [batch.state(k) for k in range(3)]
    batch.step(STEPS)
    for k, model in enumerate(models):
        sim = gk.Simulation(model, gk.MoreauTree(h=2e-3), state=blown[k])
        sim.step(STEPS)
        np.testing.assert_array_equal(batch.state(k).flat, sim.state.flat)
    assert not np.array_equal(batch["upper0"].position[0], batch["upper0"].position[2])


def test_copies_with_contact_bounce_as_by_themselves():
    b = gk.Builder()
    b.material("rubber", restitution=0.5, friction=0.3)
    b.body("floor", shape=gk.Box((4.0, 4.0, 0.2)), at=(0.0, 0.0, -0.1), static=True, material="rubber")
    b.body("ball", shape=gk.Sphere(0.1), density=1000, at=(0.0, 0.0, 0.3), material="rubber")
    model, method = b.build(), gk.MoreauTree(h=2e-3)
    batch = gk.Batch(model, method, count=3, threads=2)
    batch.v_WC[:, 2, 0] = (0.0, 0.5, 1.0)
    begun = [batch.state(k) for k in range(3)]
    batch.step(150)
    for k in range(3):
        sim = gk.Simulation(model, method, state=begun[k])
        sim.step(150)
        np.testing.assert_array_equal(batch.state(k).flat, sim.state.flat)
    assert (batch["ball"].position[:, 2] > 0.05).all()


def test_a_copy_that_fails_is_named_keeps_its_last_good_state_and_the_others_go_on():
    model, method = arm(motor=False), gk.MoreauTree(h=2e-3)
    batch, well = (gk.Batch(model, method, count=COPIES, threads=2) for _ in range(2))
    batch.v_WC[4, 1, 0] = np.nan  # as a user may set it
    before = batch.state(4).flat
    with pytest.raises(gk.SimulationError, match=r"1 of 7 copies failed\. copy 4: velocity of body 'trunk' .*set so"):
        batch.step(5)
    well.step(5)
    np.testing.assert_array_equal(batch.failed, np.arange(COPIES) == 4)
    np.testing.assert_array_equal(batch.state(4).flat, before)
    batch.step(3)  # without it
    well.step(3)
    for k in set(range(COPIES)) - {4}:
        np.testing.assert_array_equal(batch.state(k).flat, well.state(k).flat)
    assert batch.time == well.time == pytest.approx(8 * method.h, rel=1e-15)


def test_orientations_set_by_hand_get_length_one_in_copies_too():
    """As a simulation of one copy does it, to the last bit; one without direction is named."""
    b = gk.Builder()
    b.body("top", mass=1.0, inertia=(0.1, 0.2, 0.3), angular_velocity=(1, 2, 3))
    b.body("tail", mass=1.0, inertia=(0.1, 0.2, 0.3), at=(1, 0, 0))
    b.add(gk.Ball(name="neck", a="top", b="tail", at=(0.5, 0, 0)))
    model, method = b.build(), gk.MoreauTree(h=2e-3)
    batch, sim = gk.Batch(model, method, count=3), gk.Simulation(model, method)
    batch.q_WB[1] *= 2.0
    sim.state.q_WB[:] *= 2.0
    batch.q_WB[2, 1] = 0.0
    with pytest.raises(gk.SimulationError, match=r"copy 2: .*quaternion of length 0"):
        batch.step(3)
    sim.step(3)
    np.testing.assert_array_equal(batch.state(1).flat, sim.state.flat)
    np.testing.assert_allclose(batch.p_WC[1], batch.p_WC[0], rtol=0, atol=1e-12)


def test_what_is_no_batch_is_refused():
    model = arm()
    for wrong, match in (
        (lambda: gk.Batch(model), "no number of copies"),
        (lambda: gk.Batch(model, count=0), "count is 0"),
        (lambda: gk.Batch("arm", count=2), "a Model, or one for each copy"),
        (lambda: gk.Batch([model, model], count=3), "one number of copies"),
        (lambda: gk.Batch([model, arm(motor=False)]), "model 1 has other parts or joints"),
        (lambda: gk.Batch(model, count=2, threads=0), "threads is 0"),
        (lambda: gk.Batch(model, count=2, states=[model.initial_state()]), "one number of copies"),
        (lambda: gk.Batch(model, count=2).step(-1), "count is -1"),
        (lambda: gk.Batch(model, count=2)["arm"], "'arm', which does not exist"),
        (lambda: gk.Batch(model, count=2).inputs["push.speed"], "'push.speed', which does not exist"),
    ):
        with pytest.raises(InputError, match=match):
            wrong()
    batch = gk.Batch(model, count=2)
    with pytest.raises(InputError, match="not finite for copy 1"):
        batch.inputs["push.force"] = [0.0, np.nan]
    bad = model.initial_state()
    bad.p_WC[1] = np.nan
    with pytest.raises(InputError, match="not finite") as told:
        batch.put(1, bad)
    assert "copy 1 of the batch" in told.value.__notes__


def test_what_is_given_to_a_part_of_the_states_is_copied_in():
    """It was another array from then on, and copies went their own way."""
    batch = gk.Batch(arm(), gk.MoreauTree(h=2e-3), count=3)
    before, given = batch.v_WC, np.tile([0.0, 0.0, 2.0], (3, batch.v_WC.shape[1], 1))
    batch.v_WC = given
    assert batch.v_WC is before
    np.testing.assert_array_equal(batch.v_WC, given)
    np.testing.assert_array_equal(batch.state(1).v_WC, given[1])
    for wrong in (np.zeros((3, 4, 3)), "fast"):
        with pytest.raises(InputError, match="shape"):
            batch.v_WC = wrong
    np.testing.assert_array_equal(batch.v_WC, given)
