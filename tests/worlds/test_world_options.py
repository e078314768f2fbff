"""Options that a world has for itself: --NAME VALUE on the command line, refused by name where there are none."""

import pkgutil

import pytest

from gelenk.errors import InputError
from gelenk.worlds import WORLDS, choices, world


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


@pytest.mark.parametrize("name", WORLDS)
def test_no_part_of_a_world_hides_what_it_offers(name):
    """A module of a package takes the place of a function of its name as soon as it is imported."""
    package = world(name)
    parts = {module.name for module in pkgutil.iter_modules(package.__path__)}
    offered = {"build", "method", "report", "running", "pictures", "dressed", "export"}
    assert not parts & offered
    assert all(callable(getattr(package, what)) for what in offered & set(vars(package)))
