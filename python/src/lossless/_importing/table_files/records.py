"""Records of a table: cells by RFC 4180, in lines that may go on within quotes."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .lines import TextLine

_SEPARATORS = (",", ";", "\t", "|")
# Lines of one cell at most: a quote that nothing closes must not take the rest of the file.
_LINES_MAX = 100


class Record(NamedTuple):
    """The line in which it begins, and its cells; None: they cannot be told apart."""

    line: int
    text: str
    cells: list[str] | None
    is_whole: bool


def records_of(lines: Iterable[TextLine], separator: str) -> Iterator[Record]:
    """Yields records; empty lines and those that begin with # are left out."""
    waiting: list[TextLine] = []
    for line in lines:
        waiting.append(line)
        yield from _taken(waiting, separator, is_end=False)
    yield from _taken(waiting, separator, is_end=True)


def _taken(waiting: list[TextLine], separator: str, *, is_end: bool) -> Iterator[Record]:
    """Takes complete records from the beginning of the lines that wait."""
    while waiting:
        first = waiting[0]
        if not first.text.strip() or first.text.startswith("#"):
            del waiting[0]
            continue
        if first.text.count('"') % 2 == 0:
            del waiting[0]
            yield _record(first, first.text, first.is_whole, separator)
            continue
        quotes = 0
        for count, line in enumerate(waiting, 1):
            quotes += line.text.count('"')
            if quotes % 2 == 0:
                text = "\n".join(each.text for each in waiting[:count])
                yield _record(first, text, line.is_whole, separator)
                del waiting[:count]
                break
        else:
            if not is_end and len(waiting) < _LINES_MAX:
                return
            del waiting[0]
            yield Record(first.number, first.text, None, first.is_whole)


def _record(first: TextLine, text: str, is_whole: bool, separator: str) -> Record:
    if '"' not in text:
        return Record(first.number, text, text.split(separator), is_whole)
    try:
        cells = next(csv.reader([text], delimiter=separator, skipinitialspace=True), [])
        # Line ends within quotes come as they are; those outside would be another record.
        return Record(first.number, text, cells, is_whole)
    except csv.Error:
        return Record(first.number, text, None, is_whole)


def separator_of(text: str) -> str:
    """Returns the most frequent separator of a header outside quotes; a comma if there is none."""
    outside = "".join(text.split('"')[::2])
    return max(_SEPARATORS, key=outside.count)
