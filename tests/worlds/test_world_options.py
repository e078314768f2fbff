"""Options that a world has for itself: --NAME VALUE on the command line, refused by name where there are none."""

import pytest

from gelenk.errors import InputError
from gelenk.worlds import choices


def test_a_world_takes_its_own_options():
    words = ["--track", "s13", "--pilot=nobody"]
    assert choices("bobsleigh", words) == {"track": "s13", "pilot": "nobody"}
    assert choices("bobsleigh", []) == {}
    assert choices("arm.toml", []) == {}


@pytest.mark.parametrize(
    ("name", "words", "message"),
    [
        ("bobsleigh", ["--trak", "s13"], "'--trak'.*--track"),
        ("bobsleigh", ["--track"], "--track without a value"),
        ("bobsleigh", ["--track", "--pilot", "calm"], "--track without a value"),
        ("bobsleigh", ["s13"], "'s13'"),
        ("top", ["--track", "s13"], "gelenk run --help"),
        ("arm.toml", ["--track", "s13"], "gelenk run --help"),
    ],
)
def test_others_are_refused(name, words, message):
    with pytest.raises(InputError, match=message):
        choices(name, words)
