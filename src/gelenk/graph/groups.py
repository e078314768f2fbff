"""Automatic collision groups (V-96): bodies that joints tie are not tested against each other."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from gelenk.graph.graph import ContactGraph
from gelenk.model.model import Model, in_order


def with_collider_groups(model: Model) -> Model:
    """The model with all pairs inside its collider groups excluded from collision.

    By default only the two bodies at a joint do not meet; here all that joints tie do not, up to joints with
    ``separate_groups=True``. See :meth:`ContactGraph.collider_groups`.
    """
    pairs = [pair for group in ContactGraph(model).collider_groups() for pair in combinations(sorted(group), 2)]
    return replace(model, excluded=in_order([*model.excluded, *pairs], [body.name for body in model.bodies]))
