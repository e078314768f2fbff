"""What hands did while a recording went on, in words, for its run file: the motion of a run alone does not tell."""

from __future__ import annotations

from typing import Any

from gelenk.view.from_page import Drag, Edit, Freeze, Push, SetInput, SetParameter


def words(message: Any) -> str | None:
    """What a command does to the motion, without changing the model; None for all others."""
    match message:
        case Drag(body=body):
            return f"drag of {body!r}"
        case Push(body=body):
            return f"push of {body!r}"
        case Freeze(body=body, on=on):
            return f"{'freeze' if on else 'unfreeze'} of {body!r}"
        case SetInput(name=name):
            return f"input {name!r}"
        case SetParameter(name=name):
            return f"parameter {name!r}"
        case Edit(what=what, name=name, field=field, values=values, part=part):
            numbers = ", ".join("none" if x is None else f"{x:g}" for x in values)
            which = "" if part is None else f"[{part}]"
            return f"edit of {what} {name!r}: {field}{which} = {numbers}"
    return None


class HandNotes:
    """One line for each thing that was done, with when it was first and last: a drag says so thirty times a second."""

    def __init__(self) -> None:
        self._when: dict[str, tuple[float, float, int]] = {}

    def add(self, what: str, t: float) -> bool:
        """Note something; returns whether it is new."""
        first, _, count = self._when.get(what, (t, t, 0))
        self._when[what] = first, t, count + 1
        return count == 0

    def text(self) -> str:
        """All of it, in the order in which it began."""
        return "\n".join(self._line(what, *when) for what, when in self._when.items())

    @staticmethod
    def _line(what: str, first: float, last: float, count: int) -> str:
        return f"{first:.6g} s: {what}" if count == 1 else f"{first:.6g} to {last:.6g} s: {what}, {count} times"
