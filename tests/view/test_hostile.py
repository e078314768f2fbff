"""Whatever a page asks for within the limits of messages, the session goes on and its state stays good."""

from dataclasses import fields

import numpy as np
import pytest

from gelenk.view.from_page import FROM_PAGE, Delete, Hello, Ping, Record, Seek, Step, TakeDrive
from gelenk.view.limits import checked, hints_of
from gelenk.view.messages import read_message, write_message
from view.test_touch import arm, equipped, take

KINDS = [kind for kind in FROM_PAGE if kind not in (Hello, Ping, TakeDrive, Record, Seek, Step)]
WORDS = ["upper", "lower", "ball", "world", "", "gravity", "drive.speed", "elbow.angle", "energy", "box 1", "hand"]
WORDS += [
    "elbow",
    "cord",
    "drive",
    "mass",
    "position",
    "velocity",
    "stiffness",
    "break_force",
    "limits of angle",
    "speed",
]
NUMBERS = [0.0, 1.0, -1.0, 0.3, 1e-6, 1e6, -1e12, 1e12, 1e-300, 2.0]


def candidates(rng, depth=0):
    """Something that a field may hold, or not."""
    pick = rng.integers(7)
    if pick == 0:
        return str(rng.choice(WORDS))
    if pick == 1:
        return bool(rng.integers(2))
    if pick == 2 and depth < 2:
        return [candidates(rng, depth + 1) for _ in range(rng.integers(4))]
    if pick == 3:
        return [float(x) for x in rng.choice(NUMBERS, 3)]
    if pick == 4:
        return str(
            rng.choice(
                ["sphere", "box", "torus", "joint", "force", "body", "hinge", "rigid", "spring", "motor", "save"]
            )
        )
    if pick == 5:
        return int(rng.integers(-3, 4))
    return float(rng.choice(NUMBERS))


def any_message(rng):
    """A message of any kind whose fields are within their limits and otherwise anything."""
    kind = KINDS[rng.integers(len(KINDS))]
    given = {}
    for f in fields(kind):
        for _ in range(1000):
            value = candidates(rng)
            try:
                given[f.name] = checked(hints_of(kind)[f.name], value, "x")
                break
            except ValueError:
                continue
    return kind(**given)


@pytest.mark.filterwarnings("ignore::UserWarning")  # of odd masses and starts, which is right
@pytest.mark.parametrize("seed", range(4))
def test_any_messages_leave_the_session_whole(seed):
    rng = np.random.default_rng(seed)
    session, heard, _ = equipped(arm())
    kinds = set()
    for _ in range(150):
        message = any_message(rng)
        assert read_message(write_message(message)) == message
        kinds.add(message.kind)
        take(session, message)
        session.clock.pause()
        if rng.random() < 0.3 and not session.failure:
            session.send(1, Step(3))
            session.turn()
            session.clock.pause()
        assert np.isfinite(session.sim.state.flat).all()
        if session.failure:
            session.reset()
    assert kinds >= {"remove", "attach", "edit", "delete", "add", "drag", "push", "freeze", "set_parameter"}, kinds
    assert len(kinds) >= 10
    for body in session.sim.model.bodies:  # such as a box a thousand km long at a thousand km/s, which no step survives
        if body.name not in ("upper", "lower", "ball"):
            take(session, Delete(body.name))
    session.reset()
    before = session.steps
    session.send(1, Step(2))
    for _ in range(20):
        session.turn()
    assert session.steps == before + 2
    assert all(len(text) <= 500 for text in heard.problems())
