"""The code on the page about trees runs, and says what the page says."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "trees.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(capsys):
    arm, batch = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    scope: dict = {}
    exec(arm, scope)
    tree, q, u = scope["tree"], scope["q"], scope["u"]
    assert scope["run"].status == "finished"
    np.testing.assert_allclose(scope["tau"], [1.0, 0.0], rtol=0, atol=1e-12)
    np.testing.assert_array_equal(scope["M"], scope["M"].T)
    there = tree.acceleration(q, u, scope["du"], "lower", (0, 0, -0.5))
    np.testing.assert_allclose(scope["a"], there, rtol=0, atol=1e-12)
    exec(batch, scope)
    now, sim = scope["batch"], scope["sim"]
    assert now["lower"].position.shape == (1000, 3)
    assert np.ptp(now["lower"].position[:, 0]) > 0.02  # copies differ
    assert sim.time == now.time == pytest.approx(0.2)
    now.step(10)
    sim.step(10)
    np.testing.assert_array_equal(sim.state.flat, now.state(7).flat)
    assert "[" in capsys.readouterr().out
