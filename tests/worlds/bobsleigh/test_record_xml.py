"""Records as XML: the same bits there and back, and nothing dangerous or broken gets in (B-70)."""

import numpy as np
import pytest

from gelenk.errors import InputError
from gelenk.worlds.bobsleigh import record_xml
from gelenk.worlds.bobsleigh.record import Record
from gelenk.worlds.bobsleigh.record_xml import load_xml, save_xml
from gelenk.worlds.bobsleigh.setup import Setup


def record(**changes):
    x = np.random.default_rng(2)
    values = {
        "setup": Setup(pilot='Ann "the <fast>" & co', directness=0.7, middle_springs="hard", middle_preload_deg=1.5),
        "track": "S-13",
        "places": np.array([50.0, 280.0]),
        "times": np.array([4.8 + 1e-15, np.nan]),
        "speeds": np.array([1 / 3, np.nan]),
        "rate": 100.0,
        "columns": ("t", "q.x", "q.ζ"),
        "states": x.standard_normal((20, 3)) * 10.0 ** x.integers(-300, 300, (20, 3)),
        "traces": {"rear runner left 1": (x.random((4, 3)), x.random((2, 3))), "front runner right 2": ()},
    }
    return Record(**(values | changes))


def test_there_and_back_bit_for_bit(tmp_path):
    given = record()
    found = load_xml(save_xml(given, tmp_path / "run.xml"))
    assert found.setup == given.setup
    assert (found.track, found.rate, found.columns) == (given.track, given.rate, given.columns)
    for name in ("places", "times", "speeds", "states"):
        assert getattr(found, name).tobytes() == getattr(given, name).tobytes(), name
    assert list(found.traces) == ["rear runner left 1"]  # points that drew nothing have no line
    for a, b in zip(found.traces["rear runner left 1"], given.traces["rear runner left 1"]):
        assert a.tobytes() == b.tobytes()
    assert found["q.x"].tobytes() == given.states[:, 1].tobytes()


def test_it_can_be_read_by_any_text_tool(tmp_path):
    """A line of the file for each sample."""
    text = save_xml(record(states=np.array([[0.0, 1.5, 2.0], [0.01, -3.0, 1e-7]])), tmp_path / "run.xml").read_text()
    assert "\n0.0 1.5 2.0\n0.01 -3.0 1e-07\n" in text
    assert '<at place="50.0">4.800000000000001</at>' in text


BOMB = '<!DOCTYPE run [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE run [<!ENTITY a SYSTEM "file:///etc/hostname">]>'


def broken(tmp_path, change):
    path = save_xml(record(), tmp_path / "run.xml")
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.replace("<run ", BOMB + "<run ", 1), "document type"),
        (lambda x: x.replace("<run ", OUTSIDE + "<run ", 1), "document type"),
        (lambda x: x[: len(x) // 2], "well-formed"),
        (lambda x: x.replace("</run>", ""), "well-formed"),
        (lambda x: x.replace("<times>", "<times><run>", 1), "<run> in <times>"),
        (lambda x: x.replace("<times>", "<times>abc", 1), "text 'abc'"),
        (lambda x: x.replace("4.800000000000001", "soon"), "'soon' in <at>"),
        (lambda x: x.replace("4.800000000000001", "inf"), "finite number"),
        (lambda x: x.replace("t q.x q.ζ", "t q.x"), "3 numbers in a row"),
        (lambda x: x.replace(" columns=", " rows="), "without columns"),
        (lambda x: x.replace('directness="0.7"', 'directness="-1"'), "directness"),
        (lambda x: x.replace("directness", "indirectness"), "indirectness"),
        (lambda x: x.replace("gelenk-bobsleigh 1", "other"), "format 'other'"),
        (lambda x: x.replace('  <track name="S-13" />\n', ""), "<track> missing"),
        (lambda x: x.replace('<at place="280.0">', '<at place="281.0">', 1), "other places"),
    ],
)
def test_what_is_wrong_is_refused(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        load_xml(broken(tmp_path, change))


def test_errors_say_the_line(tmp_path):
    path = broken(tmp_path, lambda x: x.replace("4.800000000000001", "soon"))
    with pytest.raises(InputError, match=r"^run\.xml:6: "):
        load_xml(path)


def test_sizes_are_bounded(tmp_path, monkeypatch):
    path = save_xml(record(), tmp_path / "run.xml")
    monkeypatch.setattr(record_xml, "ELEMENTS_MAX", 5)
    with pytest.raises(InputError, match="more than 5 elements"):
        load_xml(path)
    monkeypatch.setattr(record_xml, "SIZE_MAX", 100)
    with pytest.raises(InputError, match="MB"):
        load_xml(path)
    with pytest.raises(InputError, match="no such file"):
        load_xml(tmp_path / "none.xml")


def test_records_fit_together():
    with pytest.raises(InputError, match="each place"):
        record(times=np.zeros(3))
    with pytest.raises(InputError, match="3 columns"):
        record(states=np.zeros((4, 2)))
    with pytest.raises(InputError, match="each once"):
        record(columns=("t", "a b", "c"))
    with pytest.raises(InputError, match="no column 'z'"):
        record()["z"]
