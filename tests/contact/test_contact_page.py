"""The code on the page about contact runs, and says what the page says."""

import math
import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "contact.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs(capsys):
    code, problem, graph, segments, gutter, merging = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    scope: dict = {}
    exec(code, scope)
    sim, run = scope["sim"], scope["run"]
    assert sim.method.kind == "row_stepping"
    assert sim.info["impacts"] > 1
    assert {("floor", "crate"), ("floor", "ball")} >= {(c.a, c.b) for c in sim.contacts} != set()
    assert run["crate"].position[-1, 0] > 0.001  # the ball has pushed it
    assert "floor" in capsys.readouterr().out
    exec(problem, scope)
    assert scope["problem"].residual(scope["solution"], solver=scope["solver"]) < 1e-7
    exec(graph, scope)
    assert "crate" in scope["graph"].path_lengths(["floor"])
    exec(segments, scope)
    exec(gutter, scope)
    vertices, _ = scope["gutter"].triangles()
    assert [math.hypot(x, z - 2.0) for x, _, z in vertices] == pytest.approx([2.0] * len(vertices))
    sled = scope["sled"]
    assert {(c.a, c.b) for c in sled.contacts} == {("ice", "sled")}
    fx, fy, fz = sled.contact_force("sled")
    assert fz == pytest.approx(400 * 9.81, rel=1e-6)
    assert 0.66 * 0.004 * fz < -fx < 0.004 * fz  # between mu_r and mu_t along
    assert 0.0 < -fy < 0.1 * fz
    apart = math.dist(sim["crate"].position, sim["ball"].position)
    exec(merging, scope)
    assert abs(math.dist(sim["crate"].position, sim["ball"].position) - apart) < 1e-12  # round-off: they moved as one
    assert "(('crate', 'ball'),)" in capsys.readouterr().out
    assert sim.merged == ()
