"""docs/features.md is true: numbers complete, states valid, what is named exists, counts right.

`python tests/test_features.py --write` brings the counts in the file up to date.
"""

import ast
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs" / "features.md"
STATES = ("done", "part", "planned")
MARKS = ("<!-- counts -->\n", "<!-- /counts -->\n")


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def table(lines):
    """Rows of a Markdown table without its head."""
    return [cells(line) for line in lines if line.startswith("|")][2:]


def read():
    """Return the sections {title: rows}, the summary text and the numbers {title: text} it declares."""
    text = FILE.read_text(encoding="utf-8")
    head, *parts = re.split(r"^## ", text, flags=re.M)
    sections = {part.split("\n", 1)[0].strip(): table(part.splitlines()) for part in parts}
    summary = head.split(MARKS[0])[1].split(MARKS[1])[0]
    numbers = {row[0]: row[1] for row in table(summary.splitlines()) if row[0] != "total"}
    return sections, summary, numbers


def expand(numbers):
    """`V-08..V-10, A.1` means V-08, V-09, V-10, A.1."""
    ids = []
    for item in numbers.split(", "):
        first, _, last = item.partition("..")
        if last:
            prefix, start = first.split("-")
            ids += [f"{prefix}-{n:0{len(start)}}" for n in range(int(start), int(last.split("-")[1]) + 1)]
        else:
            ids.append(first)
    return ids


def counts():
    """The summary table as it should be."""
    sections, _, numbers = read()
    lines = ["| Specification | Numbers | Rows | done | part | planned |", "| --- | --- | ---: | ---: | ---: | ---: |"]
    total = Counter()
    for title, rows in sections.items():
        count = Counter(row[2] for row in rows)
        total += count
        values = (len(rows), *(count[state] for state in STATES))
        lines.append(f"| {title} | {numbers.get(title, '?')} | " + " | ".join(map(str, values)) + " |")
    values = (total.total(), *(total[state] for state in STATES))
    lines.append("| total |  | " + " | ".join(map(str, values)) + " |")
    return "\n".join(lines) + "\n"


@cache
def parsed(path):
    """What a file holds; hundreds of features name the same ones."""
    return ast.parse(path.read_text(encoding="utf-8")).body


def problem(name, root=ROOT):
    """Why `tests/x.py::test_a`, `tests/x.py::TestB::test_a` or `examples/x.py` shows nothing, else None."""
    path, *names = name.split("::")
    if not re.fullmatch(r"(tests|examples)/[\w/-]+\.py", path) or path.startswith("tests/") != bool(names):
        return "is neither tests/path.py::test_name nor examples/path.py"
    if names and not names[-1].startswith("test"):
        return f"{names[-1]} is not a test"
    if not (root / path).is_file():
        return "file does not exist"
    body = parsed(root / path) if names else []
    for depth, part in enumerate(names, 1):
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef) if depth == len(names) else (ast.ClassDef,)
        found = [node for node in body if isinstance(node, kinds) and node.name == part]
        if not found:
            return f"{part} not found in {path}"
        body = found[-1].body
    return None


def test_rows_have_four_cells_and_a_valid_state():
    wrong = [row for rows in read()[0].values() for row in rows if len(row) != 4 or row[2] not in STATES or not row[1]]
    assert not wrong


def test_numbers_are_those_of_the_summary_each_once():
    sections, _, numbers = read()
    assert list(sections) == list(numbers)
    wrong = []
    for title, rows in sections.items():
        have, want = [row[0] for row in rows], expand(numbers[title])
        wrong += [f"{title}: {n} has no row" for n in want if n not in have]
        wrong += [f"{title}: {n} is not in the summary" for n in have if n not in want]
        wrong += [f"{title}: {n} occurs {k} times" for n, k in Counter(have).items() if k > 1]
    assert not wrong, "\n".join(wrong)
    ids = [row[0] for rows in sections.values() for row in rows]
    assert len(ids) == len(set(ids))


def test_what_is_named_exists():
    wrong = []
    for number, _, state, shown in (row for rows in read()[0].values() for row in rows):
        if state == "planned" or shown in ("", "-"):
            if state != "planned":
                wrong.append(f"{number} is {state} but names no test or example")
            elif shown != "-":
                wrong.append(f"{number} is planned but names {shown}")
            continue
        names = [name.strip().strip("`") for name in shown.split(",")]
        wrong += [f"{number}: {name}: {why}" for name in names if (why := problem(name))]
    assert not wrong, "\n".join(wrong)


def test_counts_match_the_rows():
    right = counts()
    assert read()[1] == right, f"run `python tests/test_features.py --write` or paste between the markers:\n\n{right}"


def test_lookup(tmp_path):
    for folder in ("tests", "examples/sled"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tests/test_a.py").write_text("def test_b(): pass\nclass TestC:\n    def test_d(self): pass\n")
    (tmp_path / "examples/sled/run.py").touch()
    for name in ("tests/test_a.py::test_b", "tests/test_a.py::TestC::test_d", "examples/sled/run.py"):
        assert problem(name, tmp_path) is None
    wrong = ("tests/test_a.py", "tests/test_a.py::test_d", "tests/test_a.py::TestC", "tests/test_a.py::TestC::test_b")
    for name in (*wrong, "tests/test_no.py::test_b", "examples/run.py", "examples/sled", "src/a.py", "../tests/a.py"):
        assert problem(name, tmp_path), name


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/test_features.py --write")
    text = FILE.read_text(encoding="utf-8")
    before, rest = text.split(MARKS[0])
    FILE.write_text(before + MARKS[0] + counts() + MARKS[1] + rest.split(MARKS[1])[1], encoding="utf-8")
    print(counts(), end="")
