"""A dialog of declared fields: a set-up that is chosen on the page, saved under a name, loaded and applied (B-64).

    dialog = gk.Dialog(
        "Set-up",
        [gk.NumberField("speed", 5, low=0, high=20, unit="m/s"), gk.ChoiceField("springs", "soft", ["soft", "hard"])],
        folder="setups", write=write, read=read,      # write(path, values), read(path) -> values
        apply=lambda values: ...,                     # between two steps, for the next start
    )
    gk.view(sim, dialog=dialog)

Files lie in one folder on the side of Python; a page gives a name, never a path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from gelenk.arguments import friendly
from gelenk.checks import check_choice, check_name, check_number, unknown
from gelenk.errors import InputError
from gelenk.view.from_page import FormAct, SetField
from gelenk.view.instruments import check_names
from gelenk.view.session import Session
from gelenk.view.to_page import Form, FormField

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,39}")  # of a file, without its ending
MOST_FILES = 200
Values = dict[str, Any]


@friendly
class NumberField:
    """A number between two ends, as a slider."""

    def __init__(
        self, name: str, value: float, *, low: float, high: float, unit: str = "", label: str = "", step: float = 0.0
    ) -> None:
        self.name = check_name("field", name)
        where = f"field {name!r}"
        self.low = check_number(where, "low", low, unit or "1")
        self.high = check_number(where, "high", high, unit or "1", above=self.low)
        self.step = check_number(where, "step", step, unit or "1", least=0.0)
        self.unit, self.label = unit, label or name
        self.value = self.checked(value)

    def checked(self, value: Any) -> float:
        """A value within the ends."""
        return check_number(f"field {self.name!r}", "value", value, self.unit or "1", least=self.low, most=self.high)

    def told(self, value: Any) -> FormField:
        """As the page is told of it."""
        ends = self.low, self.high, self.step or (self.high - self.low) / 200.0
        return FormField(self.name, self.label, "number", float(value), "", *ends, self.unit)


@friendly
class ChoiceField:
    """One of several words."""

    def __init__(self, name: str, value: str, choices: Iterable[str], *, label: str = "") -> None:
        self.name, self.choices, self.label = check_name("field", name), tuple(choices), label or name
        self.value = self.checked(value)

    def checked(self, value: Any) -> str:
        """One of them."""
        return str(check_choice(f"field {self.name!r}", "value", value, self.choices))

    def told(self, value: Any) -> FormField:
        """As the page is told of it."""
        return FormField(self.name, self.label, "choice", 0.0, str(value), 0.0, 0.0, 0.0, "", self.choices)


@friendly
class TextField:
    """A line of text, such as a name."""

    def __init__(self, name: str, value: str = "", *, label: str = "") -> None:
        self.name, self.label = check_name("field", name), label or name
        self.value = self.checked(value)

    def checked(self, value: Any) -> str:
        """A short printable text."""
        if not isinstance(value, str) or len(value) > 60 or not value.isprintable() or not value.strip():
            allowed = "a printable text of 1 to 60 characters"
            raise InputError(f"field {self.name!r}", f"{value!r}"[:80], allowed, "Shorten it.")
        return value

    def told(self, value: Any) -> FormField:
        """As the page is told of it."""
        return FormField(self.name, self.label, "text", 0.0, str(value), 0.0, 0.0, 0.0, "")


Field = NumberField | ChoiceField | TextField


@friendly
class Dialog:
    """Fields, and what becomes of them.

    Parameters
    ----------
    title : over the fields
    fields : what can be chosen, with what is chosen at first
    apply : called with all values when they are to count, in the thread of the view, between two steps
    folder : where set-ups lie; it is made when the first one is saved. None for no files
    write, read : write the values to a path; give the values of a path
    suffix : of the files
    """

    def __init__(
        self,
        title: str,
        fields: Iterable[Field],
        *,
        apply: Callable[[Values], Any],
        folder: str | Path | None = None,
        write: Callable[[Path, Values], Any] | None = None,
        read: Callable[[Path], Mapping[str, Any]] | None = None,
        suffix: str = ".toml",
    ) -> None:
        self.title = check_name("dialog", title)
        label = f"dialog {title!r}"
        self.fields = {f.name: f for f in check_names("fields", fields, (NumberField, ChoiceField, TextField))}
        if not callable(apply):
            raise InputError(label, f"apply is {apply!r}"[:80], "a function of the values", "Pass a function.")
        if folder is not None and not (callable(write) and callable(read)):
            found = "a folder without write and read"
            raise InputError(label, found, "two functions with it", "Pass write(path, values) and read(path).")
        self.values: Values = {name: field.value for name, field in self.fields.items()}
        self.folder = None if folder is None else Path(folder)
        self._apply, self._write, self._read, self._suffix = apply, write, read, suffix
        self._said = ""
        self._session: Session | None = None

    # what pages ask for

    def set(self, name: str, value: Any) -> None:
        """Choose a value."""
        if name not in self.fields:
            raise unknown("dialog", "field", name, self.fields)
        self.values[name] = self.fields[name].checked(value)
        self._said = ""

    def apply(self) -> None:
        """Let the values count."""
        self._apply(dict(self.values))
        self._said = "applied"

    def save(self, name: str) -> Path:
        """Write the values under a name; one of the same name is written over."""
        path = self._path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._write(path, dict(self.values))  # type: ignore[misc]
        self._said = f"saved as {name}"
        return path

    def load(self, name: str) -> None:
        """Take the values of a name on; all of them or none."""
        path = self._path(name)
        if name not in self.names:
            raise unknown("dialog", "set-up", name, self.names)
        given = self._read(path)  # type: ignore[misc]
        taken = {key: self.fields[key].checked(value) for key, value in given.items() if key in self.fields}
        self.values.update(taken)
        self._said = f"loaded {name}"

    @property
    def names(self) -> list[str]:
        """Of the files that there are."""
        if self.folder is None or not self.folder.is_dir():
            return []
        stems = sorted(path.stem for path in self.folder.glob(f"*{self._suffix}") if path.is_file())
        return [stem for stem in stems if NAME.fullmatch(stem)][:MOST_FILES]

    def _path(self, name: str) -> Path:
        if self.folder is None:
            raise InputError("dialog", "no folder for set-ups", "a folder", "Pass folder=.")
        if not NAME.fullmatch(name):
            allowed = "letters, digits, spaces, _ and -, at most 40, a letter or digit first"
            raise InputError("dialog", f"the name {name!r}"[:80], allowed, "Choose another name.")
        return self.folder / f"{name}{self._suffix}"

    # on a session

    def told(self) -> Form:
        """As the page is told of it."""
        fields = tuple(field.told(self.values[name]) for name, field in self.fields.items())
        return Form(self.title, fields, tuple(self.names), self.folder is not None, self._said)

    def join(self, session: Session) -> None:
        """Be offered by a session from now on."""
        self._session = session
        session.handlers |= {SetField: self._on_field, FormAct: self._on_act}
        session.tell(None, self.told())

    def _on_field(self, client: int, message: SetField) -> None:
        try:
            self.set(message.name, message.text if message.value is None else message.value)
        finally:
            self._tell()

    def _on_act(self, client: int, message: FormAct) -> None:
        try:
            if message.act == "apply":
                self.apply()
            elif message.act == "save":
                self.save(message.name)
            else:
                self.load(message.name)
        finally:
            self._tell()

    def _tell(self) -> None:
        if self._session is not None:
            self._session.tell(None, self.told())
