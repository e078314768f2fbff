"""Tables in text files: comma-separated, a heading, notes after #, every mistake named with its line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from gelenk.checks import unknown
from gelenk.errors import InputError


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its numbers by column, its words, and where it stands."""

    values: dict[str, float]
    words: dict[str, str]
    file: str
    line: int

    def __getitem__(self, column: str) -> float:
        return self.values[column]

    def refuse(self, element: str, found: str, allowed: str, remedy: str) -> InputError:
        """Error that points at this row."""
        return InputError(element, found, allowed, remedy, file=self.file, line=self.line)


def read_text(path: Path, element: str) -> str:
    """Text of a file, or an error that says what is missing."""
    try:
        return path.read_text(encoding="utf-8-sig")  # with or without the mark that spreadsheets put first
    except FileNotFoundError as error:
        remedy = f"Put {path.name} beside the track file, or correct the name."
        raise InputError(element, f"there is no file {path}", "an existing text file", remedy) from error
    except (OSError, UnicodeDecodeError) as error:
        found, allowed = f"{error}"[:120], "a readable text file (UTF-8)"
        raise InputError(element, found, allowed, "Mend or replace it.", file=path.name) from error


def read_table(
    path: Path,
    element: str,
    columns: Sequence[str],
    optional: Sequence[str] = (),
    words: Sequence[str] = (),
    others: bool = False,
) -> list[Row]:
    """Rows of a file whose first line names the columns, in any order.

    ``columns`` must be there, ``optional`` may; ``words`` hold text, the others numbers. Other columns are refused, or
    with ``others`` ignored.
    """
    heading: list[str] = []
    rows: list[Row] = []
    for number, text in enumerate(read_text(path, element).splitlines(), start=1):
        cells = [cell.strip() for cell in text.split("#")[0].split(",")]
        if cells == [""]:
            continue
        if not heading:
            heading = cells
            _check_commas(path.name, number, element, text)
            _check_heading(path.name, number, element, heading, columns, (*optional, *words), others)
            continue
        if len(cells) != len(heading):
            found, allowed = f"{len(cells)} columns", f"{len(heading)}: {', '.join(heading)}"
            raise InputError(element, found, allowed, "Fill in or remove columns.", file=path.name, line=number)
        row = Row({}, {}, path.name, number)
        for column, cell in zip(heading, cells):
            if column in words:
                row.words[column] = cell
            elif column in columns or (column in optional and cell):
                row.values[column] = _number(path.name, number, element, column, cell)
        rows.append(row)
    if not rows:
        found = "no rows" if heading else "nothing in the file"
        remedy = f"Begin with the line: {','.join((*words, *columns))}"
        raise InputError(element, found, "a heading and at least one row", remedy, file=path.name)
    return rows


def _check_commas(file: str, line: int, element: str, text: str) -> None:
    """Spreadsheets of some languages write semicolons, and then commas as points."""
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if "," not in text and mark in text:
            remedy = "Save it with commas; numbers have points."
            raise InputError(element, f"{name} between columns", "commas", remedy, file=file, line=line)


def _check_heading(
    file: str,
    line: int,
    element: str,
    heading: list[str],
    columns: Sequence[str],
    others: Sequence[str],
    ignore: bool,
) -> None:
    missing = [column for column in columns if column not in heading]
    double = sorted({column for column in heading if heading.count(column) > 1})
    if missing or double:
        found = f"no column {', '.join(missing)}" if missing else f"column {', '.join(double)} twice"
        remedy = f"Begin with the line: {','.join(columns)}"
        raise InputError(element, found, f"columns {', '.join(columns)}", remedy, file=file, line=line)
    for column in () if ignore else heading:
        if column not in (*columns, *others):
            error = unknown(element, "column", column, (*columns, *others), "Remove the column.")
            error.file, error.line = file, line
            raise error


def _number(file: str, line: int, element: str, column: str, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            element,
            f"{column} is {cell!r}" if cell else f"{column} is empty",
            "a finite number",
            f"Write {column} as a number, with a point for decimals.",
            file=file,
            line=line,
        )
    return value
