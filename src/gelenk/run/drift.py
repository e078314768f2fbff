"""How much of what should be conserved has changed over a run, and why it may."""

from __future__ import annotations

from collections.abc import Mapping


class Drift(dict[str, float]):
    """Relative changes by name, with what joints left open, and the ``causes`` of changes that are physics."""

    def __init__(self, changes: Mapping[str, float], causes: Mapping[str, str]) -> None:
        super().__init__(changes)
        self.causes = dict(causes)

    def __repr__(self) -> str:
        def line(name: str) -> str:
            why = f" (not conserved here: {self.causes[name]})" if name in self.causes else ""
            return f"{name!r}: {self[name]:.3g}{why}"

        return "{" + ", ".join(map(line, self)) + "}"
