"""Plots, values, parameters, inputs and outputs: what is asked for is told, and nothing else."""

import math

import numpy as np
import pytest

import gelenk as gk
from gelenk.view.from_page import Play, Reset, SetInput, SetParameter, Step, Subscribe, Watch
from gelenk.view.parameters import round_up
from gelenk.view.quantities import Moment, Quantities, signals_of
from view.models import H
from view.test_session import turn_until
from view.test_touch import arm, equipped, take


def told(heard, kind, client=None):
    return [m for c, m in heard.told if m.kind == kind and client in (None, c)]


def all_samples(heard, client=1):
    time, values = [], {}
    for message in told(heard, "samples", client):
        time += message.time
        for name, more in message.values.items():
            values.setdefault(name, []).extend(more)
    return np.array(time), {name: np.array(more, dtype=float) for name, more in values.items()}


# plots


def test_every_quantity_that_is_offered_can_be_read():
    sim = arm()
    sim.step(10)
    offered = signals_of(sim)
    names = [s.name for s in offered["signals"]]
    names += [f"{body.name}.{s.name}" for body in sim.model.bodies for s in offered["body_signals"]]
    quantities, moment = Quantities(sim, {}), Moment(sim)
    values = {name: quantities.read(name)(moment) for name in names}
    assert all(math.isfinite(value) for value in values.values())
    assert len(set(names)) == len(names)
    owned = [n for owner in ("upper", "shoulder", "drive", "cord") for n in quantities.names_of(owner)]
    assert set(owned) <= set(names)
    assert values["shoulder.angle"] == sim["shoulder"].angle
    assert values["energy"] == pytest.approx(sim.ledger[0] + sim.ledger[1])
    assert values["ball.velocity.size"] == pytest.approx(np.linalg.norm(sim["ball"].velocity))
    assert values["elbow.force.z"] == sim["elbow"].force[2]
    length = np.linalg.norm(sim["ball"].position - sim["lower"].position)
    assert values["cord.length"] == pytest.approx(length)


def test_the_contact_force_of_a_body_at_rest_is_its_weight():
    b = gk.Builder(name="floor")
    b.body("floor", shape=gk.Plane(), static=True)
    b.body("ball", shape=gk.Sphere(0.2), at=(0, 0, 0.2), density=1000)
    sim = gk.Simulation(b.build())
    sim.step(300)
    quantities, moment = Quantities(sim, {}), Moment(sim)
    weight = sim.model.body("ball").mass * 9.81
    assert quantities.read("ball.contact_force.z")(moment) == pytest.approx(weight, rel=1e-3)
    assert quantities.read("floor.contact_force.size")(moment) == pytest.approx(weight, rel=1e-3)
    assert quantities.read("contacts")(moment) >= 1


def test_samples_come_while_subscribed_and_are_right():
    session, heard, _ = equipped(arm(), signals={"twice": lambda sim: 2.0 * sim.time, "broken": lambda sim: 1 / 0})
    take(session, steps=20)
    assert not told(heard, "samples")
    take(session, Subscribe(("shoulder.angle", "twice", "broken")), steps=40)
    turn_until(session, lambda: len(all_samples(heard)[0]) and all_samples(heard)[0][-1] == session.sim.time)
    time, values = all_samples(heard)
    assert time[0] == pytest.approx(0.02)
    assert (np.diff(time) > 0).all()
    np.testing.assert_allclose(values["twice"], 2.0 * time)
    assert values["shoulder.angle"][-1] == session.sim["shoulder"].angle
    assert np.isnan(values["broken"]).all()
    assert not told(heard, "samples", 2)
    take(session, Subscribe(()))
    count = len(told(heard, "samples"))
    take(session, steps=20)
    assert len(told(heard, "samples")) == count
    assert session.pieces == 1


def test_samples_are_decimated():
    session, heard, _ = equipped()
    take(session, Subscribe(("energy",)), Play())
    turn_until(session, lambda: session.steps > 1000)
    time, _ = all_samples(heard)
    assert 5 < len(time) < 0.8 * session.steps


def test_an_unknown_quantity_is_said_and_the_others_come():
    session, heard, _ = equipped()
    take(session, Subscribe(("energy", "nobody.x")), steps=5)
    assert "nobody.x" in heard.problems()[0]
    turn_until(session, lambda: told(heard, "samples"))
    assert list(all_samples(heard)[1]) == ["energy"]


def test_plots_go_on_over_a_changed_model_and_a_reset():
    session, heard, _ = equipped(arm())
    take(session, Subscribe(("shoulder.angle",)), steps=10)
    take(session, SetParameter("gravity", 5.0), steps=10)
    take(session, Reset(), steps=10)
    time, values = all_samples(heard)
    assert time[-1] == pytest.approx(0.01)
    assert len(time) == len(values["shoulder.angle"])


def test_values_of_what_is_unfolded():
    session, heard, _ = equipped(arm())
    take(session, Watch(("ball", "elbow", "nobody")))
    turn_until(session, lambda: told(heard, "values"))
    values = told(heard, "values")[-1].values
    assert values["ball.position.x"] == "1"
    assert values["elbow.angle"] == "0"
    take(session, Watch(()))
    count = len(told(heard, "values"))
    take(session, steps=5)
    assert len(told(heard, "values")) == count


# parameters


def test_a_model_brings_its_parameters_and_set_points():
    session, heard, _ = equipped(arm())
    names = [setting.name for setting in session.scene.parameters]
    assert names == ["gravity", "stiffness of cord", "damping of cord"]
    assert "drive.speed" in [setting.name for setting in session.scene.inputs]
    settings = told(heard, "settings")[0]
    assert settings.parameters == {"gravity": 9.81, "stiffness of cord": 100.0, "damping of cord": 2.0}


def test_parameters_act_while_it_runs_and_the_state_is_kept():
    session, heard, _ = equipped(arm())
    take(session, steps=100)
    before = session.sim.state.flat.copy()
    take(session, SetParameter("gravity", 1.0), SetParameter("stiffness of cord", 300.0), SetParameter("gravity", 2.0))
    np.testing.assert_array_equal(session.sim.state.flat, before)
    assert session.sim.model.gravity == (0, 0, -2.0)
    assert session.sim.model.forces[0].stiffness == 300.0
    assert session.scene.number == 0, "the picture is the same"
    assert session.sim.time == pytest.approx(0.1)
    turn_until(session, lambda: told(heard, "settings")[-1].parameters["gravity"] == 2.0)
    take(session, steps=10)
    assert not heard.problems()


def test_friction_is_changed_while_it_runs():
    b = gk.Builder(name="slope")
    b.material("ice", friction=0.0)
    b.body("floor", shape=gk.Plane(), static=True, material="ice")
    b.body("box", shape=gk.Box((0.4, 0.4, 0.2)), at=(0, 0, 0.1), density=1000, velocity=(2, 0, 0), material="ice")
    session, _, _ = equipped(gk.Simulation(b.build()))
    take(session, steps=200)
    assert session.sim["box"].velocity[0] == pytest.approx(2.0, abs=1e-3)
    take(session, SetParameter("friction of ice", 0.5), steps=200)
    assert session.sim["box"].velocity[0] == pytest.approx(2.0 - 0.5 * 9.81 * 0.2, abs=0.03)


def test_parameters_of_a_user():
    kept = {"wind": 3.0}
    parameters = [
        gk.Parameter("wind", get=lambda sim: kept["wind"], set=lambda sim, x: kept.update(wind=x), high=20, unit="m/s"),
        gk.Parameter("speed", input="drive.speed", low=-5, high=5),
        gk.Parameter("fails", get=lambda sim: 0.0, set=lambda sim, x: 1 / 0),
    ]
    session, heard, _ = equipped(arm(), parameters=parameters)
    take(session, SetParameter("wind", 7.0), SetParameter("speed", 1.5), SetParameter("fails", 1.0))
    assert kept["wind"] == 7.0
    assert session.sim.inputs["drive.speed"] == 1.5
    assert len(heard.problems()) == 1
    turn_until(session, lambda: told(heard, "settings")[-1].parameters["wind"] == 7.0)
    assert told(heard, "settings")[-1].inputs["drive.speed"] == 1.5


@pytest.mark.parametrize(
    "options",
    [{}, {"input": "a", "set": print}, {"get": print}, {"set": print}, {"input": "a", "low": 2}, {"get": 1, "set": 2}],
)
def test_parameters_that_cannot_be_are_refused(options):
    with pytest.raises(gk.InputError):
        gk.Parameter("x", **options)


def test_round_numbers():
    assert [round_up(x) for x in (0.9, 1.0, 1.1, 4.0, 30.0, 600.0)] == [1.0, 1.0, 2.0, 5.0, 50.0, 1000.0]


# inputs and outputs


def test_a_hand_moves_an_input_of_the_model_and_one_that_functions_read():
    seen = []
    throttle = gk.Input("throttle", to="drive.speed", low=-2, high=4, up="ArrowUp")
    horn = gk.Input("horn", low=0, high=1, digital=True, to=lambda sim, value: seen.append(value))
    free = gk.Input("free", axis=2)
    session, heard, _ = equipped(arm(), inputs=[throttle, horn, free])
    assert [device.name for device in session.scene.devices] == ["throttle", "horn", "free"]
    take(session, SetInput("throttle", 3.0), SetInput("horn", 1.0), SetInput("free", -0.25))
    assert session.sim.inputs["drive.speed"] == 3.0
    assert (throttle.value, free.value, seen) == (3.0, -0.25, [1.0])
    take(session, SetInput("throttle", 1e9))
    assert session.sim.inputs["drive.speed"] == 4.0, "within its ends"
    turn_until(session, lambda: told(heard, "settings")[-1].inputs["throttle"] == 4.0)
    take(session, Reset())
    assert session.sim.inputs["drive.speed"] == 4.0, "the hand is still there"


def test_an_input_is_checked():
    with pytest.raises(gk.InputError, match="drive"):
        equipped(arm(), inputs=[gk.Input("throttle", to="driv.speed")])
    with pytest.raises(gk.InputError, match="different names"):
        equipped(arm(), inputs=[gk.Input("a"), gk.Input("a")])
    with pytest.raises(gk.InputError, match="a list of"):
        equipped(arm(), inputs=["a"])
    for bad in ({"low": 1.0, "high": 0.0}, {"rest": 3.0}, {"axis": -1}, {"to": 3}, {"rise": -1.0}):
        with pytest.raises(gk.InputError):
            gk.Input("a", **bad)


def test_tones_and_vibration_are_told_while_it_plays():
    engine, rumble = gk.Tone("engine"), gk.Vibration()

    def control(t, sim):
        engine.pitch, engine.volume = 50.0 + 1000.0 * t, 7.0
        rumble.strong = math.nan if t > 0.05 else 0.5

    from gelenk.view.equip import Equipment
    from gelenk.view.session import Session
    from view.models import falling_simulation
    from view.test_session import Heard

    session = Session(falling_simulation(), playing=False, control=control)
    Equipment(session, outputs=[engine, rumble])
    heard = Heard(session)
    session.begin()
    assert session.scene.tones == ("engine",)
    assert session.scene.vibrates
    take(session, Play())
    turn_until(session, lambda: len(told(heard, "outputs")) > 4)
    pitch, volume = told(heard, "outputs")[-1].tones["engine"]
    assert pitch > 50.0
    assert volume == 1.0
    take(session, Step(1))
    turn_until(session, lambda: told(heard, "outputs")[-1].tones["engine"][1] == 0.0)
    assert told(heard, "outputs")[-1].strong == 0.0


def test_figures_tell_the_drift_of_the_energy():
    session, heard, _ = equipped()
    take(session, steps=round(0.2 / H))
    turn_until(session, lambda: told(heard, "figures"))
    rows = dict(told(heard, "figures")[-1].rows)
    assert abs(float(rows["drift of the sum"].split()[0])) < 1e-6
