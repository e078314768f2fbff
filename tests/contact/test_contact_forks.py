"""Simulations that go on from one state, with contact: forks agree to the bit, and leave the first one alone."""

import numpy as np
import pytest
from contact_scenes import boxes

import gelenk as gk

H = 2e-3


def heap():
    """A tower that slides and tips, and boxes that fall on it."""
    places = {f"box{k}": (0.03 * k, 0.0, 0.05 + 0.1 * k) for k in range(4)}
    return boxes(places | {"late": (0.05, 0.02, 0.8), "later": (-0.02, 0.0, 1.2)}, restitution=0.3)


def arm():
    """A pendulum that knocks against a tower of two."""
    b = gk.Builder()
    b.material("m", density=1000, friction=0.4, restitution=0.2)
    b.body("ground", shape=gk.Plane(), static=True, material="m")
    for k in range(2):
        b.body(f"box{k}", shape=gk.Box((0.1,) * 3), material="m", at=(0, 0, 0.05 + 0.1 * k))
    b.body("bob", shape=gk.Sphere(0.05), material="m", at=(-0.45, 0, 0.55))
    b.add(gk.Hinge(name="pivot", a="world", b="bob", at=(-0.05, 0, 0.55), axis=(0, 1, 0)))
    return b.build()


def fork(sim, **options):
    """Another simulation that goes on from where this one is."""
    kept = sim.model.initial_state()
    kept.flat[:] = sim.state.flat
    method = gk.RowStepping(h=H, contact=gk.ContactOptions(**options)) if options else sim.method
    return gk.Simulation(sim.model, method, state=kept, time=sim.time)


@pytest.mark.parametrize("model", [heap(), arm()], ids=["heap", "arm"])
def test_forks_of_one_state_give_the_same_bits(model, method):
    """In one call, in several, and one after the other."""
    sim = gk.Simulation(model, method(h=H, contact=gk.ContactOptions()))
    sim.advance(0.3)
    assert sim.contacts
    forks = [fork(sim) for _ in range(3)]
    forks[0].advance(0.4)
    forks[1].advance(0.4)
    for _ in range(20):
        forks[2].advance(0.02)
    ends = [x.state.flat.tobytes() for x in forks]
    assert ends[0] == ends[1] == ends[2]
    assert forks[0].info["impacts"] == forks[2].info["impacts"] > 0


@pytest.mark.parametrize("model", [heap(), arm()], ids=["heap", "arm"])
def test_a_fork_leaves_the_first_one_alone(model, method):
    """What it remembers of contacts beside its state is its own: the same bits as without forks."""
    ends = []
    for forked in (False, True):
        sim = gk.Simulation(model, method(h=H, contact=gk.ContactOptions()))
        for _ in range(4):
            sim.advance(0.1)
            if forked:
                fork(sim).advance(0.05)
        ends.append(sim.state.flat.tobytes())
    assert ends[0] == ends[1]


@pytest.mark.parametrize("sleep", [False, True])
def test_a_restored_state_goes_on_within_the_tolerance_of_the_solver(sleep):
    """Impulses to start from are no part of a state, as the page says; the tower rests, so nothing multiplies that."""
    model = boxes({f"box{k}": (0, 0, 0.05 + 0.1 * k) for k in range(4)})
    sim = gk.Simulation(model, gk.RowStepping(h=H, contact=gk.ContactOptions(sleep=sleep, sleep_after=0.2)))
    sim.advance(0.4)
    other = fork(sim)
    sim.advance(0.4)
    other.advance(0.4)
    np.testing.assert_allclose(other.state.flat, sim.state.flat, atol=1e-7)  # its tolerance, over less than 1 s
    assert set(other.asleep) == set(sim.asleep)


def test_a_state_put_back_is_repeated_to_the_bit_by_simulations_made_anew(tmp_path):
    """From the last state of a run file, twice."""
    sim = gk.Simulation(heap(), gk.RowStepping(h=H))
    sim.run(0.3, file=tmp_path / "a.h5")
    ends = []
    for _ in range(2):
        run = gk.load_run(tmp_path / "a.h5")
        t, state = run.last_state
        again = gk.Simulation(run.model, gk.RowStepping(h=H), state=state, time=t)
        assert again.state.flat.tobytes() == sim.state.flat.tobytes()
        again.advance(0.3)
        ends.append(again.state.flat.tobytes())
    assert ends[0] == ends[1]
