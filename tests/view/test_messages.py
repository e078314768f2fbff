"""Messages: what is declared is taken, everything else is refused, and nothing else happens."""

import json
import math
from contextlib import suppress
from dataclasses import MISSING, asdict, fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gelenk.view.from_page import FROM_PAGE, Add, Drag, Hello, Play, Speed, Step, Subscribe
from gelenk.view.limits import BadValue
from gelenk.view.messages import MOST_BYTES, read_message, write_message
from gelenk.view.to_page import TO_PAGE, Status
from gelenk.view.typescript import type_text, typescript

SAMPLES = {
    "hello": Hello(1, "abc"), "step": Step(5), "speed": Speed(0.5), "drag": Drag("a", (0.0, 1.0, 2.0), (3.0, 4.0, 5.0)),
    "add": Add("box", (1.0, 2.0, 3.0), (0.0, 0.0, 1.0)), "subscribe": Subscribe(("a.b", "c")), "play": Play(),
}  # fmt: skip


@pytest.mark.parametrize("message", SAMPLES.values(), ids=SAMPLES)
def test_what_is_written_is_read(message):
    assert read_message(write_message(message)) == message


BAD = r"""

{
[]
1
null
"play"
{}
{"kind": 1}
{"kind": ["play"]}
{"kind": "fly"}
{"kind": "welcome"}
{"kind": "play", "n": 1}
{"kind": "step", "n": 0}
{"kind": "step", "n": 1.0}
{"kind": "step", "n": true}
{"kind": "step", "n": "1"}
{"kind": "step", "n": 100001}
{"kind": "step", "n": null}
{"kind": "speed"}
{"kind": "speed", "factor": NaN}
{"kind": "speed", "factor": Infinity}
{"kind": "speed", "factor": 1e400}
{"kind": "speed", "factor": 0}
{"kind": "speed", "factor": -1}
{"kind": "freeze", "body": "a", "on": 1}
{"kind": "drag", "body": "a", "point": [0, 0], "target": [0, 0, 0]}
{"kind": "drag", "body": "a\u0000", "point": [0, 0, 0], "target": [0, 0, 0]}
{"kind": "add", "shape": "plane", "sizes": [], "at": [0, 0, 0]}
""".splitlines()
LONG = [
    json.dumps({"kind": "delete", "body": 201 * "a"}),
    json.dumps({"kind": "subscribe", "signals": ["a"] * 65}),
    '{"kind": "speed", "factor": ' + 5000 * "9" + "}",
    30_000 * "[",
    " " * (MOST_BYTES + 1),
]


@pytest.mark.parametrize("text", BAD + LONG, ids=range(len(BAD + LONG)))
def test_what_is_not_declared_is_refused(text):
    with pytest.raises(BadValue):
        read_message(text)


def test_bytes_are_refused():
    with pytest.raises(BadValue, match="text"):
        read_message(b'{"kind": "play"}')


def test_refusals_do_not_repeat_what_was_sent():
    with pytest.raises(BadValue) as caught:
        read_message('{"kind": "step", "<script>": 1}')
    assert "<script>" not in str(caught.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)
NAMES = sorted({f.name for kind in FROM_PAGE for f in fields(kind)})


@settings(max_examples=400)
@given(
    st.sampled_from([kind.kind for kind in FROM_PAGE]),
    st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=6), json_values, max_size=5),
)
def test_any_fields_give_a_message_or_a_refusal(kind, given_fields):
    try:
        message = read_message(json.dumps({"kind": kind, **given_fields}))
    except BadValue:
        return
    assert message.kind == kind
    assert all(math.isfinite(x) for x in asdict(message).values() if isinstance(x, float))


@settings(max_examples=300)
@given(st.text(max_size=200))
def test_any_text_gives_a_message_or_a_refusal(text):
    with suppress(BadValue):
        assert type(read_message(text)) in FROM_PAGE


def test_numbers_that_are_not_finite_are_not_written():
    with pytest.raises(ValueError, match="JSON"):
        write_message(Status("playing", math.nan, 0, 1.0, 1.0, False, None, 0))


def test_typescript_has_every_message_and_field():
    text = typescript()
    for kind in (*FROM_PAGE, *TO_PAGE):
        start = text.index(f"export interface {kind.__name__} {{")
        body = text[start : text.index("}\n", start)]
        assert f'kind: "{kind.kind}";' in body
        for f in fields(kind):
            optional = kind in FROM_PAGE and not (f.default is MISSING and f.default_factory is MISSING)
            assert f"  {f.name}{'?' if optional else ''}: " in body
    assert type_text(tuple[float, float]) == "[number, number]"
    assert type_text(int | None) == "number | null"
    with pytest.raises(TypeError, match="no TypeScript"):
        type_text(set)
