"""Forces on the parts of bodies that are one for now: they act as before, and their sum acts on the one body (V-95)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gelenk.forces.block import add_loads
from gelenk.forces.law import Law
from gelenk.model.model import Model
from gelenk.state import Loads, State, new_loads

if TYPE_CHECKING:
    from gelenk.model.merged_state import StateMap


class PartsLaw:
    """A law of a merged model that asks forces of the model it was made of, with the state of its parts."""

    map: StateMap  # set once the merged model is there

    def __init__(self, model: Model, forces: Iterable[Any]) -> None:
        forces = list(forces)
        self._state, self._masses = model.initial_state(), model.system.masses
        self._loads = new_loads(self._state)
        self._laws = [force.function for force in forces if isinstance(force, Law)]
        others = [force for force in forces if not isinstance(force, Law)]
        kinds = dict.fromkeys(type(force) for force in others)
        self._blocks = [kind.block([f for f in others if type(f) is kind], model.nodes) for kind in kinds]

    def free_name(self, forces: Iterable[Any]) -> str:
        """A name that no force has."""
        name, taken = "parts", {force.name for force in forces}
        while name in taken:
            name += "_"
        return name

    def add(self, t: float, state: State, loads: Loads) -> None:
        """Loads of these forces on the parts, added up for each body."""
        self.map.spread(state, self._state)
        self._loads.flat[:] = 0.0
        for block in self._blocks:
            add_loads(block, self._masses, self._state, t, self._loads)
        for law in self._laws:
            law(t, self._state, self._loads)
        self.map.gather(self._loads, state, loads)
