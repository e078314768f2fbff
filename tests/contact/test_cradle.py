"""Newton's cradle: as many balls leave as come, at the speed they came with (X3, I-098)."""

import math

import numpy as np
import pytest
from contact_scenes import G, cradle, simulation

import gelenk as gk

LENGTH, RADIUS, ANGLE = 0.5, 0.05, 0.5


def after_the_first_impact(balls, raised, method, h, **options):
    """Speeds at the end of the step of the impact, and the speed that the raised balls came with by the drop."""
    sim = simulation(cradle(balls, raised, ANGLE, RADIUS, LENGTH), h, method, **options)
    while not sim.info["impacts"]:
        sim.advance(h)
        assert sim.time < 1.0
    drop = G * LENGTH * (1 - math.cos(ANGLE))
    came = math.sqrt(2 * drop / (1 + 0.4 * (RADIUS / LENGTH) ** 2))  # of a ball that turns with its rod
    return sim, np.array([sim[f"ball{k}"].velocity[0] for k in range(balls)]), came


@pytest.mark.parametrize("h", [1e-3, 1e-2])
@pytest.mark.parametrize(("balls", "raised"), [(2, 1), (5, 1), (5, 2), (5, 3), (5, 4), (7, 1), (7, 2), (7, 3), (7, 5)])
def test_as_many_leave_as_come(balls, raised, h, method):
    """Others below 1 % of the speed. The speed itself is that of the drop to the order of the scheme and what the
    balls swing on within the step: 1 % at 10 ms.
    """
    sim, speeds, came = after_the_first_impact(balls, raised, method, h)
    leave = np.arange(balls) >= balls - raised
    assert np.abs(speeds[~leave]).max() < 0.01 * came
    np.testing.assert_allclose(speeds[leave], came, rtol=0.01)
    assert sim.info["energy_fed_in_impacts"] == 0.0
    assert sim.info["energy_lost_in_impacts"] < 1e-9


@pytest.mark.parametrize(
    ("balls", "raised"),
    [(5, 2), pytest.param(5, 1, marks=pytest.mark.proof), pytest.param(7, 3, marks=pytest.mark.proof)],
)
def test_the_cradle_goes_on_for_many_swings(balls, raised, method):
    """Ten seconds are seven swings, with an impact each half. At the turning points as many balls are raised as at the

    start, to the height of the start within 2 %, the others hang within 1 % of it. No impact feeds energy; between them
    it sways with the scheme. RowStepping has its velocities half a step late, so by  h/2 m g v sin(angle)  at most.
    """
    h = 2e-3
    sim = simulation(cradle(balls, raised, ANGLE, RADIUS, LENGTH), h, method)
    run = sim.run(10.0, output_dt=2 * h)
    energy = run["energy.total"]
    top = LENGTH * (1 - math.cos(ANGLE))
    height = np.array([run[f"ball{k}"].position[:, 2] + LENGTH for k in range(balls)]).T
    last = height[run.time > 8.0]
    assert (last.max(axis=0)[:raised] > 0.98 * top).all()
    assert (last.max(axis=0)[balls - raised :] > 0.98 * top).all()
    inner = slice(raised, balls - raised)
    if raised < balls - raised:
        assert last[:, inner].max() < 0.01 * top
    assert height.max() < 1.001 * top
    assert sim.info["impacts_that_fed_energy"] == 0
    weight = raised * sim.model.body("ball0").mass * G
    sway = 0.5 * h * weight * math.sqrt(2 * G * top) * math.sin(ANGLE) if method is gk.RowStepping else 0.0
    assert energy.max() - energy[0] < sway + 1e-4 * weight * top
    late = run.time > 5.0
    assert energy[late].max() < energy[~late].max() + 1e-4 * weight * top


@pytest.mark.parametrize("e", [0.9, 0.5])
def test_balls_that_lose_speed_come_to_swing_together(e, method):
    """Energy falls from impact to impact, and in the end all hang and swing as one."""
    h = 2e-3
    sim = simulation(cradle(5, 1, ANGLE, RADIUS, LENGTH, restitution=e), h, method)
    before = sum(sim.ledger[:2])
    sim.advance(15.0)
    assert sum(sim.ledger[:2]) < before
    assert sim.info["impacts_that_fed_energy"] == 0
    speeds = np.array([sim[f"ball{k}"].velocity[0] for k in range(5)])
    assert np.ptp(speeds) < 0.02


def test_balls_apart_by_little_pass_the_impact_on(method):
    """A gap of 0.1 mm: the same to see, impacts one after the other."""
    model = cradle(5, 2, ANGLE, RADIUS, LENGTH, gap=1e-4)
    sim = simulation(model, 1e-3, method)
    while sim["ball4"].velocity[0] < 1.0 or sim["ball3"].velocity[0] < 1.0:
        sim.advance(1e-3)
        assert sim.time < 1.0
    sim.advance(0.01)
    speeds = np.array([sim[f"ball{k}"].velocity[0] for k in range(5)])
    came = math.sqrt(2 * G * LENGTH * (1 - math.cos(ANGLE)))
    assert np.abs(speeds[:3]).max() < 0.02 * came
    assert sim.info["energy_fed_in_impacts"] == 0.0
