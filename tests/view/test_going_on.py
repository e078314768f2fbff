"""What goes on whatever happens: functions of users that fail, bodies that go, pages that leave."""

import time

import gelenk as gk
from gelenk.view.from_page import Delete, Drag, Play, Record, Reset, SetInput, Show, Step, Subscribe, Watch
from view.test_session import turn_until
from view.test_touch import arm, equipped, take

REST = (0.0, 0.0, 0.0)


def turns(session, seconds=0.3):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        session.turn()


# functions that fail


def test_a_parameter_whose_body_was_deleted_is_left_out():
    height = gk.Parameter("height", get=lambda sim: sim["ball"].position[2], set=lambda sim, x: None, high=10)
    session, heard, _ = equipped(parameters=[height])
    assert "height" in [p.name for p in session.scene.parameters]
    take(session, Delete("ball"), steps=5)
    turns(session)
    assert [body.name for body in session.sim.model.bodies] == ["box"]
    assert "height" not in [p.name for p in session.scene.parameters]
    assert len([text for text in heard.problems() if "height" in text]) == 1, "it is told once"


def test_what_a_frame_or_a_sound_lacks_does_not_end_the_session():
    tone, shake = gk.Tone("engine", volume=1.0), gk.Vibration()
    session, heard, _ = equipped(outputs=[tone, shake])
    session.sections.append(lambda sim: 1 / 0)
    tone.pitch, shake.weak = None, "much"
    take(session, Play())
    turns(session)
    assert session.steps > 50
    assert len(heard.problems()) == 1
    outputs = [message for _, message in heard.told if message.kind == "outputs"][-1]
    assert outputs.tones == {"engine": (1.0, 0.0)}
    assert outputs.weak == 0.0


def test_a_reset_goes_on_where_the_drive_of_an_input_was_deleted():
    lever = gk.Input("lever", to="drive.speed")
    session, heard, _ = equipped(arm(), inputs=[lever])
    take(session, Delete("lower"), Play())
    take(session, Reset())
    assert session.clock.playing
    assert "drive.speed" in heard.problems()[-1]


def test_a_recording_that_cannot_be_ended_does_not_end_the_session(tmp_path, monkeypatch):
    session, heard, _ = equipped()
    session.recording.folder = tmp_path
    take(session, Record(True), steps=20)
    recorder = session.recording._recorder
    finish = recorder.finish

    def full(*given):
        finish(*given)
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(recorder, "finish", full)
    take(session, Reset())
    assert session.sim.time == 0.0
    assert "the disk is gone" in heard.problems()[-1]
    take(session, steps=3)
    assert not session.recording.on


# pages that leave


def test_who_leaves_is_forgotten_with_all_that_was_asked_for_before():
    session, _, equipment = equipped()
    session.send(5, Show(("contacts",)))
    session.send(5, Subscribe(("energy",)))
    session.send(5, Watch(("ball",)))
    session.leave(5)
    turn_until(session, session.commands.empty)
    assert not session.layers.wanted
    assert not equipment.plots._wanted
    assert not equipment.plots._watched
    assert session.pieces == 1


def test_a_hand_that_is_gone_lets_go_however_much_waits():
    lever = gk.Input("lever", rest=0.25)
    session, _, equipment = equipped(inputs=[lever])
    take(session, Drag("ball", REST, (1.0, 0.0, 2.0)), SetInput("lever", 1.0))
    assert lever.value == 1.0
    while session.send(2, Watch(())):
        pass
    session.leave(1)
    turn_until(session, session.commands.empty)
    assert equipment.touch.grip is None
    assert lever.value == 0.25, "nobody steers with a key that was down when its page went"


def test_the_simulation_has_its_turn_however_long_commands_take():
    session, _, _ = equipped()
    session.handlers[Watch] = lambda client, message: time.sleep(0.01)
    session.send(1, Step(1))
    for _ in range(200):
        session.send(2, Watch(()))
    session.turn()
    assert session.steps == 1
    assert not session.commands.empty()
