"""Contacts of one mechanism solved at once on a small dense matrix, against sweeps over directions (B-25, B-31, B-62).

Both end where no impulse changes, and where normal impulses are determined there is one such place: forces and motion
agree to what the stopping test leaves. The loads of a sled on three runners, each hinged across, are determined: by the
places of the hinges, the turns of the runners, and a spring that lets its front half twist.
"""

import numpy as np
import pytest

import gelenk as gk

H = 1e-3
SLOPE = 0.1  # [rad]
RUNNER = gk.RunnerFriction(along=0.02, straight_share=0.6, across_min=0.05, across_max=0.2, full_load=300.0)
MASSES = {"rear": 40.0, "front": 30.0, "left": 5.0, "right": 5.0, "nose": 5.0}
PLACES = {
    "rear": (-0.5, 0.0, 0.3),
    "front": (0.5, 0.0, 0.3),
    "left": (-0.5, 0.3, 0.05),
    "right": (-0.5, -0.3, 0.05),
    "nose": (0.6, 0.0, 0.05),
}


def sled(velocity=(3.0, 0.0, 0.0), *, lift=-1e-4, friction=0.1, restitution=0.0):
    """A sled in two halves on three runners with two points each, over a plane that falls along x.

    It begins a little deep: at a gap of 0 it is round-off that says whether a point touches in a step.
    """
    b = gk.Builder(gravity=(9.81 * np.sin(SLOPE), 0.0, -9.81 * np.cos(SLOPE)))
    b.body("ground", shape=gk.Plane(), static=True)
    for name, at in PLACES.items():
        inertia = (0.1, 0.4, 0.4) if MASSES[name] < 10.0 else (2.0, 3.0, 3.0)
        b.body(name, mass=MASSES[name], inertia=inertia, at=(at[0], at[1], at[2] + lift), velocity=velocity)
    b.add(gk.Hinge(name="twist", a="rear", b="front", at=(0.0, 0.0, 0.3 + lift), axis=(1.0, 0.0, 0.0)))
    b.add(gk.JointSpring(name="twist spring", on="twist", stiffness=300.0, damping=5.0))
    law = {"friction": friction, "restitution": restitution, "axis": (0.0, 1.0, 0.0)}
    for name, hull in (("left", "rear"), ("right", "rear"), ("nose", "front")):
        x, y, z = PLACES[name]
        b.add(gk.Hinge(name=f"{name} hinge", a=hull, b=name, at=(x, y, z + 0.1 + lift), axis=(0.0, 1.0, 0.0)))
        points = [(-0.2, 0.0, -0.05), (0.2, 0.0, -0.05)]
        b.add(gk.SegmentContacts(f"{name} on ice", name, points, [(0.0, 0.0, 0.2)] * 2, "ground", **law))
    return b.build()


def begun(model, newton=8):
    """A simulation; by as many sweeps as it takes, and nothing else, with newton=0."""
    contact = gk.ContactOptions(newton=newton, corrections=1000)
    return gk.Simulation(model, gk.MoreauTree(h=H, order=1, sweeps=20_000, contact=contact))


def momentum(sim):
    return sum(m * sim[name].velocity for name, m in MASSES.items())


SCENES = {
    "slides": {},
    "slides askew": {"velocity": (2.0, 0.7, 0.0)},
    "on runners": {"friction": RUNNER, "velocity": (4.0, 0.2, 0.0)},
    "bounces": {"lift": 0.02, "restitution": 0.4, "velocity": (2.0, 0.1, 0.0)},
    "comes to rest": {"velocity": (0.1, 0.02, 0.0), "friction": 0.4},
    "without friction": {"friction": 0.0},
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_same_motion_as_by_sweeps(scene):
    model = sled(**scene)
    at_once = begun(model)
    swept = begun(model, newton=0)
    for _ in range(6):
        at_once.advance(0.05)
        swept.advance(0.05)
        # tolerance of a step: e_r = 1e-10 of impulses of some N s over masses of 5 kg and more, 300 steps
        for mine, other in zip(at_once.state[1:5], swept.state[1:5]):
            np.testing.assert_allclose(mine, other, rtol=0.0, atol=1e-7)
    assert at_once.info["worst_residual"] < 1e-6
    assert at_once.info["unconverged_steps"] == 0


def test_few_steps_where_it_slides():
    model = sled(velocity=(4.0, 0.2, 0.0), friction=RUNNER)
    at_once = begun(model)
    swept = begun(model, newton=0)
    at_once.advance(0.2)
    swept.advance(0.2)
    assert at_once.info["contact_sweeps"] < 6 * 200
    assert at_once.info["contact_sweeps"] < 0.5 * swept.info["contact_sweeps"]


def test_friction_is_the_share_of_the_load_in_every_step():
    """All points slide along x, so  dp_x = h m g sin - mu N,  dp_z = N - h m g cos,  whatever springs do inside."""
    sim, total = begun(sled(lift=0.003)), sum(MASSES.values())
    pull, weight = H * total * 9.81 * np.sin(SLOPE), H * total * 9.81 * np.cos(SLOPE)
    for _ in range(100):
        before = momentum(sim)
        sim.advance(H)
        change = momentum(sim) - before
        np.testing.assert_allclose(change[0], pull - 0.1 * (change[2] + weight), rtol=0.0, atol=1e-8)


def test_same_bits_again():
    model = sled(velocity=(2.0, 0.3, 0.0), friction=RUNNER)
    states = []
    for _ in range(2):
        sim = begun(model)
        sim.advance(0.1)
        states.append(sim.state.flat.copy())
    np.testing.assert_array_equal(*states)
