"""Values of a table: rows become points, wrong ones are named with their line."""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..source import LeftOut, Number
from .header import Header, header_of
from .lines import Lines
from .numbers import NotANumber, number_in
from .records import Record, records_of

# Rows without a time: a constant, so that the same file always gives the same points.
BASE_MS = 1_704_067_200_000
_WRONG_TOLD = 20


class Table:
    """One file. `prefix` is put before the names of its metrics."""

    def __init__(self, path: Path, step_column: str | None = None, prefix: str = "") -> None:
        self._path = path
        self._step_column = step_column
        self._prefix = prefix
        self.problems: list[str] = []
        self.left_out: Counter[LeftOut] = Counter()
        self.facts: dict[str, object] = {}
        self._wrong = 0

    def numbers(self) -> Iterator[Number]:
        self.problems, self.left_out, self.facts, self._wrong = [], Counter(), {}, 0
        header = header_of(Lines(self._path), self._step_column)
        if header is None:
            self.problems.append(f"{self._path} has no line of column names with numbers below it")
            return
        if self._step_column is not None and header.step is None:
            self.problems.append(f"{self._path} has no column {self._step_column} of whole numbers")
            return
        self._describe(header)
        counts: Counter[int] = Counter()
        wrong: dict[int, list[str]] = {}
        lines = Lines(self._path)
        rows = -1
        behind = (line for line in lines if line.number > header.line)
        for record in records_of(behind, header.separator):
            rows += 1
            cells = self._cells(header, record)
            if cells is not None:
                yield from self._row(header, record, cells, rows, counts, wrong)
        for column, told in wrong.items():
            if not counts[column]:
                name = header.columns[column]
                self.left_out[LeftOut(f"column {name}", "it has no numbers")] += 1
                continue
            for text in told:
                self._tell(text)
        if lines.problem is not None:
            self.problems.append(lines.problem)
        if lines.latin:
            self.facts["latin1Lines"] = lines.latin
        if self._wrong > _WRONG_TOLD:
            self.problems.append(f"{self._path}: and {self._wrong - _WRONG_TOLD} more wrong rows and cells")

    def _describe(self, header: Header) -> None:
        columns = header.columns
        self.facts["stepColumn"] = "the row's number" if header.step is None else columns[header.step]
        self.facts["timeColumn"] = None if header.time is None else columns[header.time]
        self.facts["headerLine"] = header.line

    def _cells(self, header: Header, record: Record) -> list[str] | None:
        """Returns the cells of a row; None: it is a wrong one, or the header again."""
        cells, count = record.cells, len(header.columns)
        if cells is None:
            self._tell(f"{self._path}:{record.line}: a quote is not closed")
            return None
        while len(cells) > count and not cells[-1].strip():
            cells = cells[:-1]
        if [cell.strip() for cell in cells] == header.cells:
            return None
        if len(cells) != count:
            cut = "" if record.is_whole else ", the file ends within it"
            self._tell(f"{self._path}:{record.line}: it has {len(cells)} cells, and not {count}{cut}")
            return None
        return cells

    def _row(
        self,
        header: Header,
        record: Record,
        cells: list[str],
        row: int,
        counts: Counter[int],
        wrong: dict[int, list[str]],
    ) -> Iterator[Number]:
        step = row
        try:
            if header.step is not None:
                step = _step_in(cells[header.step], header.has_decimal_comma)
            timestamp_ms = BASE_MS + row + 1
            if header.time is not None and cells[header.time].strip():
                is_elapsed = header.columns[header.time].lower() == "elapsed_ms"
                timestamp_ms = _time_in(cells[header.time], is_elapsed)
        except NotANumber as error:
            return self._tell(f"{self._path}:{record.line}: {error}")
        digest = hashlib.blake2s(record.text.encode("utf-8", "replace"), digest_size=8).hexdigest()
        places = range(len(cells)) if header.value is None else [header.value]
        for place in places:
            # The column without a name is the index of pandas.
            if place in (header.step, header.time) or (place == 0 and not header.cells[0]):
                continue
            name = header.columns[place] if header.name is None else cells[header.name].strip()
            try:
                value = number_in(cells[place], header.has_decimal_comma)
            except NotANumber as error:
                told = wrong.setdefault(place, [])
                if len(told) <= _WRONG_TOLD:
                    told.append(f"{self._path}:{record.line}: {name}: {error}")
                continue
            if value is None:
                continue
            counts[place] += 1
            column = hashlib.blake2s(header.columns[place].encode(), digest_size=4).hexdigest()
            yield Number(f"{record.line}-{digest}-{column}", f"{self._prefix}{name}", step, timestamp_ms, value)

    def _tell(self, text: str) -> None:
        self._wrong += 1
        if self._wrong <= _WRONG_TOLD:
            self.problems.append(text)


def _step_in(cell: str, has_decimal_comma: bool | None) -> int:
    value = number_in(cell, has_decimal_comma)
    if value is None or value != value or value - value != 0 or value != int(value):
        raise NotANumber(f"the step {cell.strip()[:80]!r} is no whole number")
    return int(value)


def _time_in(cell: str, is_elapsed: bool) -> int:
    """Unix seconds or milliseconds, a date of ISO 8601 (UTC without a zone), or elapsed time."""
    text = cell.strip()
    try:
        number = float(text)
    except ValueError:
        try:
            moment = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
        except ValueError:
            raise NotANumber(f"the time {text[:80]!r} is not understood") from None
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=datetime.timezone.utc)
        return round(moment.timestamp() * 1000)
    if number != number or number - number != 0:
        raise NotANumber(f"the time {text[:80]!r} is no number")
    if is_elapsed:
        return BASE_MS + round(number)
    return round(number) if number > 1e11 else round(number * 1000)
