"""Errors that help the person reading them: who, what was found, what is allowed, what to do."""

from __future__ import annotations

import functools
import os
import sys
import warnings

OWN = (os.path.dirname(os.path.abspath(__file__)) + os.sep, functools.__file__, "<string>")  # also cached, generated


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line outside the package that led here."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OWN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


class AccuracyWarning(UserWarning):
    """A run whose joints did not hold together, whose solver fell far short, or whose steps are too long."""


class InputError(ValueError):
    """Input that is refused at the door.

    Parameters
    ----------
    element : str
        Who: kind and name, as the user typed it (``"body 'sled'"``, ``"mesh 'hull.stl'"``).
    found : str
        What was found (``"mass is -1.0"``).
    allowed : str
        What is allowed (``"a finite number above 0 [kg]"``).
    remedy : str
        What to do next, as an imperative sentence.
    line : int, optional
        Line of the file the input came from.
    """

    def __init__(
        self, element: str, found: str, allowed: str, remedy: str, *, file: str | None = None, line: int | None = None
    ) -> None:
        self.element, self.found, self.allowed, self.remedy = element, found, allowed, remedy
        self.file, self.line = file, line
        super().__init__(element, found, allowed, remedy)

    def __str__(self) -> str:
        place = ""
        if self.file is not None or self.line is not None:
            place = ":".join(str(part) for part in (self.file or "line", self.line) if part is not None) + ": "
        return f"{place}{self.element}: {self.found}; allowed: {self.allowed}. {self.remedy}"
