"""Segment contacts of a model in which some bodies are one: whose they were, and what is their ground still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gelenk.contact.segment_block import SegmentSets, segment_elements
from gelenk.model.model import Model


class PartSegments(NamedTuple):
    """Sets of segments as they stay, and of each the ground and the body by node and part of the model of parts."""

    sets: SegmentSets
    rows: list[tuple[int, int]]


def segments_of_parts(
    sets: SegmentSets, merged: Model, model: Model, owners: Mapping[str, list[tuple[int, int]]]
) -> PartSegments:
    """Sets of a merged model against the parts of their own ground; ``owners`` tells whose part each part was.

    What the ground has taken in, as a crate that is one with the floor for now, is no ground of segments.
    """
    elements = segment_elements(model)
    places = {element.name: k for k, element in enumerate(elements)}
    order = [places[element.name] for element in segment_elements(merged)]
    kept: list[int] = []
    rows: list[tuple[int, int]] = []
    for n, own in enumerate(sets.set):
        k = order[int(own.body_part) - len(merged.bodies[own.node - 1].parts)]
        ground, _ = model.nodes.site(elements[k].label, "ground", elements[k].ground)
        node, _ = model.nodes.site(elements[k].label, "body", elements[k].body)
        under = owners[merged.nodes.names[own.ground]][own.ground_part]
        if under[0] == ground:
            kept.append(n)
            rows += [under, (node, len(model.bodies[node - 1].parts) + k)]
    return PartSegments(sets._replace(set=sets.set[kept]), rows)
