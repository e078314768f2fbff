"""Set-points of motors, locks and grips, by name, between the steps of a simulation (V-107)."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any

import numpy as np

from gelenk.checks import check_number, unknown
from gelenk.errors import InputError


class Inputs(MutableMapping[str, float]):
    """Numbers to read and set: ``sim.inputs["drive.speed"] = 2.0`` holds from the next step on.

    They are part of the state, so a run restarted from its last state goes on with them.
    """

    def __init__(self, places: dict[str, int], values: np.ndarray, owner: str = "") -> None:
        self._places, self._values, self._owner = places, values, owner

    def of(self, owner: str) -> Inputs:
        """The inputs of one joint or drive, by their short names."""
        own = {name.rpartition(".")[2]: i for name, i in self._places.items() if name.rpartition(".")[0] == owner}
        return Inputs(own, self._values, owner)

    def __getitem__(self, name: str) -> float:
        return float(self._values[self._place(name)])

    def __setitem__(self, name: str, value: Any) -> None:
        place = self._place(name)
        self._values[place] = check_number(self._label, name, value, "SI units")

    def __delitem__(self, name: str) -> None:
        raise InputError(self._label, f"{name!r} to be removed", "values to be set", "Set it to 0 instead.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<Inputs {dict(self)}>"

    @property
    def _label(self) -> str:
        return f"inputs of {self._owner!r}" if self._owner else "inputs"

    def _place(self, name: object) -> int:
        place = self._places.get(name) if isinstance(name, str) else None
        if place is None:
            raise unknown(self._label, "name", name, self._places)
        return place
