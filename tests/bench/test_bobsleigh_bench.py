"""The scene `bobsleigh`: ways to solve one descent go the same way, and what is told of them is what was measured."""

import pytest

from gelenk.bench.bobsleigh import FRAME, bench_bobsleigh
from gelenk.bench.command import bench
from gelenk.errors import InputError


def test_a_short_descent_is_measured_and_judged():
    """Ten metres at 8 m/s: 1.2 s, 6000 steps. Both ways solve to 1e-10 of impulses, so that they part by round-off."""
    lines = []
    world, swept, frames = bench_bobsleigh(lines.append, until=10.0, chosen=("world", "sweeps alone"))
    assert world["steps"] == swept["steps"] == 6000
    assert world["sweeps_per_step"] < 6.0 < swept["sweeps_per_step"]
    assert world["us_per_step"] == pytest.approx(1e6 * world["cpu_s"] / 6000)
    assert world["worst_residual"] < 1e-9
    assert world["unconverged_steps"] == 0
    assert swept["accuracy"] == dict.fromkeys(("split_error_s", "along_error_m", "across_error_m"), 0.0)
    assert world["accuracy"]["along_error_m"] < 1e-6
    assert world["accuracy"]["across_error_m"] < 1e-6
    assert world["splits_s"][-1] is None  # it did not come that far
    assert frames["frames"] == pytest.approx(1.2 / (FRAME * 2e-4), abs=2)
    assert 0.0 < frames["cpu_ms_p50"] <= frames["cpu_ms_p99"] <= frames["cpu_ms_most"]
    assert frames["energy_missing"] < 1e-3  # of a small height
    assert any("world" in line for line in lines)
    assert any(f"{FRAME} steps" in line for line in lines)


def test_a_sled_has_no_size():
    with pytest.raises(InputError, match="one sled"):
        bench("bobsleigh", size=3)
