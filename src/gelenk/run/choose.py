"""Methods, solvers and integrators by name, for the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from typing import Any

from gelenk.errors import InputError
from gelenk.methods.free import INTEGRATORS, FreeMotion
from gelenk.methods.impulse import Impulse
from gelenk.methods.lagrange import Lagrange
from gelenk.methods.method import Method
from gelenk.methods.moreau_tree import MoreauTree
from gelenk.methods.position_based import PositionBased
from gelenk.methods.row_stepping import RowStepping
from gelenk.solvers.dantzig import Dantzig
from gelenk.solvers.gauss_seidel import GaussSeidel
from gelenk.solvers.lemke import Lemke
from gelenk.solvers.sparse import Sparse
from gelenk.solvers.split import Split
from gelenk.solvers.tree import Tree

METHODS: dict[str, Any] = {c.kind: c for c in (Impulse, RowStepping, MoreauTree, PositionBased, Lagrange, FreeMotion)}
SOLVERS: dict[str, Any] = {c.kind: c for c in (Tree, Sparse, GaussSeidel, Dantzig, Lemke, Split)}


def choose(
    method: Method,
    *,
    name: str | None = None,
    solver: str | None = None,
    integrator: str | None = None,
    h: float | None = None,
) -> Method:
    """``method`` with what is named instead of its own; another method keeps the step."""
    changed: Any = method
    if name is not None:
        kind = pick("method", name, METHODS)
        changed = changed if isinstance(changed, kind) else kind(h=changed.h)
    if solver is not None:
        changed = put(changed, "solver", pick("solver", solver, SOLVERS)(), "methods that solve joints")
    if integrator is not None:
        changed = put(changed, "integrator", pick("integrator", integrator, INTEGRATORS)(), "models without joints")
    made: Method = changed if h is None else replace(changed, h=h)
    return made


def put(method: Any, part: str, value: Any, allowed: str) -> Any:
    """A method with another solver or integrator; refused for one that has none."""
    if not hasattr(method, part):
        found = f"{part} {value.kind!r} for the method {method.kind!r}"
        raise InputError("run", found, allowed, f"Leave --{part} out, or choose another --method.")
    return replace(method, **{part: value})


def pick(what: str, name: str, table: Mapping[str, Any]) -> Any:
    """The class of that name: ``row_stepping``, ``row-stepping`` and ``RowStepping`` are the same."""
    known = {plain(word): c for kind, c in table.items() for word in (kind, c.__name__)}
    if plain(name) not in known:
        near = get_close_matches(plain(name), known, n=1)
        remedy = f"Did you mean {known[near[0]].kind!r}?" if near else "Choose one of these."
        raise InputError("run", f"{what} {name!r}", ", ".join(table), remedy)
    return known[plain(name)]


def plain(name: str) -> str:
    """A name without case, hyphens and underlines."""
    return name.lower().replace("_", "").replace("-", "")
