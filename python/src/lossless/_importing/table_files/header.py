"""Finds the header of a table, wherever it stands, and what its columns are."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import NamedTuple

from .lines import TextLine
from .numbers import is_none, looks_like_number, says_decimal_comma
from .records import records_of, separator_of

# Lines in which it is looked for.
_LINES = 200
_STEPS = (
    "step",
    "_step",
    "global_step",
    "trainer/global_step",
    "total_timesteps",
    "timesteps",
    "iteration",
    "iter",
    "epoch",
)
_TIMES = ("wall time", "wall_time", "_timestamp", "timestamp", "datetime", "elapsed_ms")
_NAMES = ("metric", "metric_name", "key", "tag", "name")
_VALUES = ("value", "metric_value")


class Header(NamedTuple):
    line: int
    separator: str
    cells: list[str]
    # Unique names of the columns.
    columns: list[str]
    step: int | None
    time: int | None
    # Columns of the name and the value, in a table with a row for each value.
    name: int | None
    value: int | None
    has_decimal_comma: bool | None


def header_of(lines: Iterable[TextLine], step_column: str | None) -> Header | None:
    """Returns the header; None: no line among the first ones is one."""
    first = list(itertools.islice(lines, _LINES))
    for place, line in enumerate(first):
        text = line.text.lstrip("#").strip() if line.text.startswith("#") else line.text
        # Excel writes the separator into a line of its own.
        if not text.strip() or re.match(r"sep=.\Z", text.strip(), re.IGNORECASE):
            continue
        found = _header(line._replace(text=text), first[place + 1 :], step_column)
        if found is not None:
            return found
    return None


def _header(line: TextLine, rest: list[TextLine], step_column: str | None) -> Header | None:
    separator = separator_of(line.text)
    record = next(records_of([line, *rest], separator), None)
    if record is None or record.cells is None:
        return None
    cells = [cell.strip() for cell in record.cells]
    if any(looks_like_number(cell) and not is_none(cell) for cell in cells) or sum(map(bool, cells)) == 0:
        return None
    rows = [
        each.cells
        for each in records_of([other for other in rest if other.number > line.number], separator)
        if each.cells is not None and len(each.cells) == len(cells)
    ]
    if not rows or not any(looks_like_number(cell) for row in rows[:5] for cell in row):
        return None
    columns = _unique(cells)
    lower = [name.lower() for name in columns]
    if not any(looks_like_number(cell) for cell in rows[0]) and not {*_STEPS, *_TIMES, *_VALUES}.intersection(lower):
        # Words above the header, with as many separators by chance.
        return None
    name, value = _first(lower, _NAMES), _first(lower, _VALUES)
    is_long = name is not None and value is not None
    if step_column is not None:
        step = columns.index(step_column) if step_column in columns else None
    else:
        steps = [lower.index(each) for each in _STEPS if each in lower]
        # pandas writes its index without a name.
        steps += [0] if cells[0] == "" else []
        step = next((each for each in steps if _is_whole(rows, each)), None)
    says = {says_decimal_comma(cell) for row in rows for cell in row} - {None} if separator != "," else {False}
    if separator == ",":
        # Within quotes a cell may have a decimal comma or groups nevertheless.
        quoted = {says_decimal_comma(cell) for row in rows for cell in row if "," in cell} - {None}
        says = quoted or {False}
    comma = True if says == {True} else False if False in says else None
    return Header(
        line.number,
        separator,
        cells,
        columns,
        step,
        _first(lower, _TIMES),
        name if is_long else None,
        value if is_long else None,
        comma,
    )


def _first(lower: list[str], names: Iterable[str]) -> int | None:
    return next((lower.index(name) for name in names if name in lower), None)


def _is_whole(rows: list[list[str]], column: int) -> bool:
    """Whether the column has whole numbers: a fraction of an epoch is no step."""
    cells = [row[column].strip() for row in rows if looks_like_number(row[column])]
    return bool(cells) and all(re.match(r"[-+]?\d{1,16}(?:[.,]0*)?\Z", cell) for cell in cells)


def _unique(cells: list[str]) -> list[str]:
    """Names the columns as pandas does: a repeated name gets a number."""
    found: list[str] = []
    counts: dict[str, int] = {}
    for place, cell in enumerate(cells):
        name = cell or f"column {place + 1}"
        counts[name] = counts.get(name, 0) + 1
        found.append(name if counts[name] == 1 else f"{name}.{counts[name] - 1}")
    return found
