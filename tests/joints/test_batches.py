"""The same bits in one call, in many, and in a simulation that takes the state over."""

import numpy as np
import pytest

import gelenk as gk

H, STEPS = 2e-3, 48


def machine():
    """A swinging chain with a loop, springs, dampers, yielding and rigid stops, and a motor."""
    rng = np.random.default_rng(5)
    b = gk.Builder()
    for k in range(8):
        moving = {"velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        turned = gk.unit(rng.normal(size=4))
        b.body(f"link {k}", mass=1.0 + k % 3, inertia=(0.1, 0.2, 0.25), at=(k + 1.0, 0, 0), rotation=turned, **moving)
    for k in range(8):
        ends = {"a": f"link {k - 1}" if k else "world", "b": f"link {k}", "at": (k + 0.5, 0, 0)}
        if k % 4 == 0:
            b.add(gk.Ball(name=f"joint {k}", hold_stiffness=1e4, hold_damping=3.0 * (k % 8), **ends))
        elif k % 4 == 1:
            b.add(gk.Hinge(name=f"joint {k}", axis=(0, 1, 0), limits=(-0.02, 0.02), stop_stiffness=1e5, **ends))
        elif k % 4 == 2:
            b.add(gk.Hinge(name=f"joint {k}", axis=(0, 0, 1), limits=(-0.03, 0.03), **ends))
            b.add(gk.JointSpring(name=f"spring {k}", on=f"joint {k}", stiffness=300.0, damping=1.0))
        else:
            b.add(gk.Universal(name=f"joint {k}", axis=(1, 0, 0), **ends))
    b.add(gk.VelocityMotor(name="motor", on="joint 6", speed=2.0, force_max=5.0))
    b.add(gk.Distance(name="rod", a="link 0", b="link 3", at_a=(1, 0, 0.2), at_b=(4, 0.3, 0)))
    return b.build()


@pytest.mark.parametrize("method", [gk.Impulse(h=H), gk.RowStepping(h=H)], ids=lambda m: m.kind)
def test_how_steps_are_cut_into_calls_does_not_show(method):
    model = machine()
    states = []
    for parts in (1, 4, STEPS):
        sim = gk.Simulation(model, method)
        for _ in range(parts):
            sim.advance(STEPS // parts * H)
        states.append(sim.state.flat.copy())
    first = gk.Simulation(model, method)
    first.advance(STEPS // 2 * H)
    second = gk.Simulation(model, method)
    second.state.flat[:] = first.state.flat
    second.advance(STEPS // 2 * H)
    for other in (*states[1:], second.state.flat):
        np.testing.assert_array_equal(states[0], other)
