"""The contact graph of a model (V-92..V-98; virtual-worlds 2.9, 4.8): bodies, and what ties them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

from gelenk.arguments import friendly
from gelenk.errors import InputError
from gelenk.graph.edges import Edge, Requirement, RigidEdge, joint_edges, pair_edges, tie_edges
from gelenk.model.model import Model
from gelenk.model.parts import WORLD
from gelenk.state import State


class Cluster(NamedTuple):
    """Bodies that act on each other, and the fixed ones that they touch."""

    bodies: frozenset[str]  # that move; each is in one cluster
    fixed: frozenset[str]  # that do not; each is in every cluster that it touches

    @property
    def all(self) -> frozenset[str]:
        """All of them."""
        return self.bodies | self.fixed


class ContactGraph:
    """What hangs together: nodes are bodies and particles, edges are joints, contacts and gears.

    ::

        graph = gk.ContactGraph(model, sim.contacts, state=sim.state)
        graph.clusters()                     # what acts on each other
        graph.path_lengths(["gripper"])      # how many edges everything is away from it

    Edges are looked at when the graph is made; make a new one after a step. Fixed bodies and the world connect neither
    clusters nor collider groups: two cars on one ground have nothing to do with each other (V-97).

    Parameters
    ----------
    model : bodies, joints, gears
    contacts : ``sim.contacts``, a ``CollisionWorld`` (whose points may be near without touching), or pairs of names
    state : joints that are broken in it are no edges, joints that are blocked in it are rigid; the start if left out
    rigid : what is to count as rigid for now (V-101): names of joints, and pairs of names of bodies
    blocked_as_one : whether bodies at a blocked joint may be one body
    """

    @friendly
    def __init__(
        self,
        model: Model,
        contacts: Any = (),
        *,
        state: State | None = None,
        rigid: Iterable[Any] = (),
        blocked_as_one: bool = True,
    ) -> None:
        if not isinstance(model, Model):
            raise InputError("ContactGraph", f"model is {model!r}"[:80], "a Model", "Pass builder.build().")
        state = model.initial_state() if state is None else state
        rigid = list(rigid)
        words = {entry for entry in rigid if isinstance(entry, str)}
        edges = joint_edges(model, state, words, blocked_as_one)
        missing = sorted(words - {edge.name for edge in edges})
        if missing:
            found, remedy = f"rigid names {missing[0]!r}", "Name a joint, or give a pair of bodies."
            raise InputError("ContactGraph", found, "joints that are not broken", remedy)
        edges += tie_edges(model, state) + pair_edges(model, contacts, Edge)
        edges += pair_edges(model, [entry for entry in rigid if not isinstance(entry, str)], RigidEdge)
        self.model, self.edges = model, tuple(edges)
        self.fixed = frozenset(name for i, name in enumerate(model.nodes.names) if model.nodes.is_static(i))
        self._edges_at: dict[str, list[Edge]] = {name: [] for name in model.nodes.names}
        for edge in edges:
            self._edges_at[edge.a].append(edge)
            self._edges_at[edge.b].append(edge)

    def __repr__(self) -> str:
        return f"<ContactGraph of {self.model.name!r}: {len(self._edges_at)} nodes, {len(self.edges)} edges>"

    def neighbours(self, name: str, requirement: Requirement) -> list[str]:
        """Bodies at the other ends of the edges that count."""
        edges = self._edges_at[self._known(name)]
        return [edge.b if edge.a == name else edge.a for edge in edges if edge.requires(requirement)]

    def components(self, requirement: Requirement, *, through_fixed: bool = False) -> tuple[Cluster, ...]:
        """What hangs together by edges that count, by depth-first search with a stack of its own (V-94, trap T-17).

        Fixed bodies are noted where they are met and not passed, unless ``through_fixed``; then they are nodes like
        others. Components come in the order of their first bodies.
        """
        seen: set[str] = set()
        found = []
        for start in self._edges_at:
            if start in seen or (start in self.fixed and not through_fixed):
                continue
            bodies, fixed, stack = [], set(), [start]
            seen.add(start)
            while stack:
                body = stack.pop()
                bodies.append(body)
                for other in self.neighbours(body, requirement):
                    if other in self.fixed and not through_fixed:
                        fixed.add(other)
                    elif other not in seen:
                        seen.add(other)
                        stack.append(other)
            still = self.fixed.intersection(bodies)
            found.append(Cluster(frozenset(bodies) - still, still | fixed))
        return tuple(found)

    def bodies_as_one(self) -> tuple[frozenset[str], ...]:
        """Groups of two and more bodies that nothing lets move against each other (V-95).

        One with a fixed body or the world is fixed itself.
        """
        found = self.components(Requirement.ONE_BODY, through_fixed=True)
        return tuple(group.all for group in found if len(group.all) > 1)

    def collider_groups(self) -> tuple[frozenset[str], ...]:
        """Groups of bodies whose shapes need not be tested against each other (V-96): those that joints tie.

        A joint with ``separate_groups`` ends a group. A fixed body is in the group of each body that a joint ties to
        it. :func:`gelenk.with_collider_groups` makes a model in which the groups hold.
        """
        found = self.components(Requirement.ONE_COLLIDER_GROUP)
        groups = [group.all - {WORLD} for group in found]
        alone = self.fixed - {WORLD}.union(*groups)
        return (*groups, *(frozenset({name}) for name in self._edges_at if name in alone))

    def clusters(self, *, split: bool = True) -> tuple[Cluster, ...]:
        """Bodies that act on each other now (V-97); ``split=False`` puts all into one cluster."""
        if split:
            return self.components(Requirement.ONE_CLUSTER)
        touched = [c.fixed for c in self.components(Requirement.ONE_CLUSTER)]
        return (Cluster(frozenset(self._edges_at) - self.fixed, frozenset().union(*touched)),)

    def path_lengths(
        self,
        sources: Iterable[str] | None = None,
        requirement: Requirement = Requirement.ONE_CLUSTER,
        *,
        through_fixed: bool = True,
    ) -> dict[str, float]:
        """Edges on the shortest way from each body to the nearest of the sources, infinite where there is none (V-98).

        Breadth-first search from all sources at once, which are all fixed bodies if left out. Ways lead through fixed
        bodies as well, unless ``through_fixed`` is false.
        """
        begin = self.fixed if sources is None else sources
        if isinstance(begin, str):
            raise InputError("path_lengths()", f"sources are {begin!r}", "several names", f"Pass [{begin!r}].")
        length = dict.fromkeys(self._edges_at, math.inf)
        queue = deque(self._known(name) for name in begin)
        length.update(dict.fromkeys(queue, 0))
        while queue:
            body = queue.popleft()
            if body in self.fixed and length[body] > 0 and not through_fixed:
                continue
            for other in self.neighbours(body, requirement):
                if length[other] == math.inf:
                    length[other] = length[body] + 1
                    queue.append(other)
        return length

    def _known(self, name: str) -> str:
        """A name that the graph has."""
        self.model.nodes.index("ContactGraph", "body", name)
        return name
