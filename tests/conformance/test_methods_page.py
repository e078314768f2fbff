"""docs/methods.md is true: the table of errors, the default methods, and the cradle (B-28, V-52)."""

import re
from pathlib import Path

import numpy as np
import pytest

import gelenk as gk
from gelenk.bench import bench, conformance
from gelenk.bench.reference import CASES, errors_of, methods_for

PAGE = (Path(__file__).parents[2] / "docs" / "methods.md").read_text(encoding="utf-8")
MARK = "gelenk bench conformance -->"


def rows(text):
    """Cells of a Markdown table without its head."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def errors_on_the_page():
    table = rows(PAGE.split(f"<!-- {MARK}")[1].split(f"<!-- /{MARK}")[0])
    return {(row[0], row[1].strip("`")): row[3:8:2] for row in table}


def test_the_table_has_every_model_under_every_method():
    assert set(errors_on_the_page()) == {(case, method) for case in CASES for method in methods_for(1e-3)}


@pytest.mark.parametrize("name", CASES)
def test_errors_on_the_page_are_those_of_a_run(name):
    """One digit is printed, so up to a half of it off; what `exact` leaves is round-off, another on every machine."""
    case = CASES[name]
    truth, model = case.places(case.times), case.model()
    for method, chosen in methods_for(conformance.STEPS[0]).items():
        found, said = errors_of(case, chosen, truth, model).max(), errors_on_the_page()[name, method][0]
        if said == "exact":
            assert found < conformance.EXACT
        else:
            digit = 10.0 ** int(said.split("e")[1])
            assert found == pytest.approx(float(said), abs=0.51 * digit)


def test_the_command_prints_the_table_and_returns_records():
    lines = []
    records = conformance.bench_conformance(lines.append, ["bouncing ball"], (2.5e-3, 1.25e-3))
    assert [r["method"] for r in records] == ["MoreauTree", "RowStepping", "Impulse"]
    assert all(r["order"] is None for r in records)  # exact
    assert all(cost > 0 for r in records for cost in r["ms_per_simulated_s"])
    table = rows("\n".join(lines))
    assert [row[:2] for row in table] == [["bouncing ball", f"`{r['method']}`"] for r in records]
    assert all(row[3] == "exact" for row in table)


def test_a_size_is_refused_since_models_are_fixed():
    with pytest.raises(gk.InputError, match=r"size is 5.*conformance.*Leave size out"):
        bench("conformance", size=5)


# ---- default methods -------------------------------------------------------------------------------------------------


def loose(shape):
    b = gk.Builder()
    for k in range(2):
        more = {"shape": gk.Sphere(0.1), "density": 1.0} if shape else {"mass": 1.0, "inertia": (1, 1, 1)}
        b.body(f"body{k}", at=(k, 0, 0), **more)
    return b


def hinged(shape):
    b = loose(shape)
    b.add(gk.Hinge(name="pivot", a="world", b="body0", at=(0, 0, 1), axis=(0, 1, 0)))
    b.add(gk.Hinge(name="elbow", a="body0", b="body1", at=(0.5, 0, 0), axis=(0, 1, 0)))
    return b


def stopped(shape):
    b = hinged(shape)
    b.change("elbow", limits=(-1, 1))
    return b


def looped(shape):
    b = hinged(shape)
    b.add(gk.Hinge(name="rocker", a="world", b="body1", at=(1.5, 0, 0), axis=(0, 1, 0)))
    return b


def sprung(shape):
    b = hinged(shape)
    b.add(gk.JointSpring(name="spring", on="elbow", stiffness=1.0))
    return b


def weak(shape):
    b = hinged(shape)
    b.change("elbow", break_force=100.0)
    return b


TREES = "a tree of joints, and forces; shapes of one mechanism alone or none"
OTHERS = "joints with loops, limits, motors, springs, or such that yield or break; shapes as above"
MODELS = {
    "shapes that can meet": [loose(True)],
    TREES: [hinged(True), hinged(False)],
    OTHERS: [make(shape) for make in (stopped, looped, sprung, weak) for shape in (True, False)],
    "neither joints nor shapes that can meet": [loose(False)],
}


def test_the_page_says_which_method_a_model_takes_by_itself():
    section = re.search(r"^## What a simulation takes by itself\n(.*?)^## ", PAGE, flags=re.M | re.S).group(1)
    said = {row[0]: row[1].strip("`") for row in rows(section)}
    assert set(said) == set(MODELS)
    for has, builders in MODELS.items():
        for b in builders:
            assert type(gk.Simulation(b.build()).method).__name__ == said[has]


# ---- the cradle ------------------------------------------------------------------------------------------------------


def row_of_balls(method):
    """Velocities along x of five equal balls that touch, after the first has come at 1 m/s."""
    b = gk.Builder(gravity=(0, 0, 0))
    b.material("steel", friction=0.0, restitution=1.0)
    for k in range(5):
        start = {"at": (0.1 * k - 0.05 * (k == 0), 0, 0), "velocity": (float(k == 0), 0, 0)}
        b.body(f"ball{k}", shape=gk.Sphere(0.05), density=7800, material="steel", **start)
    sim = gk.Simulation(b.build(), method)
    sim.advance(0.06)
    return np.array([sim[f"ball{k}"].velocity[0] for k in range(5)])


@pytest.mark.parametrize("method", [gk.MoreauTree, gk.RowStepping, gk.Impulse], ids=lambda m: m.kind)
def test_impacts_are_sequential_by_default(method):
    """The last ball leaves alone, to the tolerance of the solver."""
    np.testing.assert_allclose(row_of_balls(method(h=1e-3)), [0, 0, 0, 0, 1], rtol=0, atol=1e-6)


def test_the_simultaneous_law_gives_two_fifths_to_all_but_the_first():
    """As the page derives: -3/5 and four times 2/5, which keeps momentum and energy and is wrong all the same."""
    v = row_of_balls(gk.MoreauTree(h=1e-3, impacts="simultaneous"))
    np.testing.assert_allclose(v, [-0.6, 0.4, 0.4, 0.4, 0.4], rtol=0, atol=1e-6)
    assert v.sum() == pytest.approx(1.0, abs=1e-9)
    assert (v @ v) == pytest.approx(1.0, abs=1e-5)
