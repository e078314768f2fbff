"""Set-points of motors, locks and grips, by name, between the steps of a simulation (V-107)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from types import MappingProxyType
from typing import Any

import numpy as np

from gelenk.checks import check_number, unknown
from gelenk.errors import InputError


class Inputs(MutableMapping[str, float]):
    """Numbers to read and set: ``sim.inputs["drive.speed"] = 2.0`` holds from the next step on.

    Inputs that a :class:`Connection` sets can be read alone.

    They are part of the state, so a run restarted from its last state goes on with them.
    """

    def __init__(
        self,
        places: dict[str, int],
        values: np.ndarray,
        owner: str = "",
        followers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._places, self._values, self._owner, self._followers = places, values, owner, followers

    def of(self, owner: str) -> Inputs:
        """The inputs of one joint or drive, by their short names."""
        own = {name.rpartition(".")[2]: name for name in self._places if name.rpartition(".")[0] == owner}
        followers = {short: self._followers[name] for short, name in own.items() if name in self._followers}
        return Inputs({short: self._places[name] for short, name in own.items()}, self._values, owner, followers)

    def __getitem__(self, name: str) -> float:
        return float(self._values[self._place(name)])

    def __setitem__(self, name: str, value: Any) -> None:
        place = self._place(name)
        if name in self._followers:
            found = f"{name!r} to be set, which {self._followers[name]} sets in every step"
            raise InputError(self._label, found, "inputs without a connection", "Leave the connection out, or this.")
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
