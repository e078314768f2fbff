"""Methods, solvers and integrators by name."""

import dataclasses

import pytest

import gelenk as gk
from gelenk.run.choose import METHODS, SOLVERS, choose


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("free", "moreau_tree", "position_based")])
def test_every_method_that_solves_joints_takes_every_solver(name, solver):
    made = choose(gk.FreeMotion(h=2e-3), name=name, solver=solver)
    assert made == METHODS[name](h=2e-3, solver=SOLVERS[solver]())


def test_what_is_not_named_stays():
    own = gk.Impulse(h=5e-4, tolerance=1e-6, solver=gk.Sparse())
    assert choose(own) is own
    assert choose(own, name="impulse") == own
    assert choose(own, solver="tree", h=1e-3) == dataclasses.replace(own, h=1e-3, solver=gk.Tree())
    assert choose(gk.FreeMotion(), integrator="ballistic") == gk.FreeMotion(integrator=gk.Ballistic())


@pytest.mark.parametrize("name", ["row_stepping", "row-stepping", "RowStepping", "ROW_STEPPING"])
def test_a_name_may_be_that_of_the_class(name):
    assert choose(gk.FreeMotion(), name=name) == gk.RowStepping()


def test_all_that_the_package_offers_can_be_named():
    """So that a new method or solver is not forgotten here."""
    offered = [getattr(gk, name) for name in gk.__all__]
    assert {c for c in offered if hasattr(c, "begin")} == {*METHODS.values()}
    assert {c for c in offered if "solvers" in getattr(c, "__module__", "")} == {*SOLVERS.values()}
