"""The scene `dynamics`: every engine is asked the same, and answers alike."""

import numpy as np
import pytest

from gelenk.bench import dynamics
from gelenk.bench.dynamics import QUANTITIES, bench_dynamics, scenes


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(dynamics, "CHAINS", (3,))
    monkeypatch.setattr(dynamics, "TWIGS", 7)


def test_what_is_asked():
    assert [(name, len(scene.links)) for name, scene in scenes(None)] == [
        ("chain of 10", 10),
        ("chain of 100", 100),
        ("chain of 1000", 1000),
        ("tree of 127", 127),
        ("humanoid", 19),
    ]
    assert [name for name, _ in scenes(40)] == ["chain of 40"]


@pytest.mark.parametrize("peer", ["mujoco", "pinocchio"])
def test_engines_agree_to_round_off(small, peer):
    pytest.importorskip("pinocchio")  # it is what all are compared with
    pytest.importorskip(peer)
    records = bench_dynamics([peer, "pinocchio"], None, print, rounds=1)
    engines = {("gelenk", "kernel"), ("gelenk", "TreeDynamics"), ("pinocchio", ""), (peer, "")}
    found = {(r["tree"], r["quantity"], r["engine"], r["variant"]) for r in records}
    assert found == {(t, q, *e) for t in ("chain of 3", "tree of 7", "humanoid") for q in QUANTITIES for e in engines}
    assert all(r["us_per_call"] > 0.0 for r in records)
    # the condition of these mass matrices is near 1e3, so accelerations may differ by a thousand roundings
    assert max(r["accuracy"]["difference"] for r in records) < 1e-11
    assert max(r["accuracy"]["residual"] for r in records if r["quantity"] == "forward") < 1e-10


def test_without_peers_nothing_is_compared(small):
    lines = []
    records = bench_dynamics((), 3, lines.append, rounds=1)
    assert {r["engine"] for r in records} == {"gelenk"}
    assert all(r["accuracy"]["difference"] is None for r in records)
    assert np.isfinite([r["us_per_call"] for r in records]).all()
    assert any("single joint" in line for line in lines)
