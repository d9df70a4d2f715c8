"""
The points that an experiment had before an import. Version 0.1.0 made ids of file names: its points
are recognised by content, not by today's ids.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from .._reading.series import checked_chunks
from .._sending.point import Point
from .._service.session import Session
from .._values.records import encode

_WORD = 2**64


class StoredPoints:
    """
    Each stored point matches one point of the files, once: equal points of one file count
    separately.
    """

    def __init__(self) -> None:
        self._columns: dict[tuple[str, str], _Columns] = {}

    def read(self, session: Session) -> None:
        """Reads all of them in one attempt, 32 bytes a point."""
        columns: dict[tuple[str, str], _Columns] = {}
        selection = {"experimentId": session.experiment_id, "filter": [], "xAxis": "step"}
        records = session.service.stream("query.experimentseries", selection)
        try:
            for chunk in checked_chunks(records, session.experiment_id):
                key = (chunk.name, encode(dict(chunk.metadata)))
                columns.setdefault(key, _Columns()).add(chunk.step, chunk.timestamp_ms, chunk.value)
        finally:
            records.close()
        for each in columns.values():
            each.end()
        self._columns = columns

    def takes(self, point: Point) -> bool:
        """Whether it is one of them. The same id is the same point."""
        columns = self._columns.get((point.name, point.meta_json))
        return columns is not None and columns.takes(point)


class _Columns:
    """Points of one partition by step and time, and the ids that have matched them."""

    def __init__(self) -> None:
        self._step = array("q")
        self._timestamp_ms = array("q")
        self._value = array("d")
        self._takers = array("Q")

    def add(self, step: Iterable[int | None], timestamp_ms: Iterable[int], value: Iterable[float]) -> None:
        # None: of an older installation. No event has such a step.
        self._step.extend(-1 if each is None else each for each in step)
        self._timestamp_ms.extend(timestamp_ms)
        self._value.extend(value)

    def end(self) -> None:
        """Sorts them by step, time and value; mostly they are sorted already."""
        self._takers = array("Q", bytes(8 * len(self._step)))
        columns = (self._step, self._timestamp_ms, self._value)
        if all(before <= after for before, after in pairwise(zip(*columns))):
            return
        rows = sorted(range(len(self._step)), key=lambda row: tuple(column[row] for column in columns))
        self._step, self._timestamp_ms = (array("q", [column[row] for row in rows]) for column in columns[:2])
        self._value = array("d", [self._value[row] for row in rows])

    def takes(self, point: Point) -> bool:
        first, last = 0, len(self._step)
        wanted: tuple[tuple[array[Any], float], ...]
        wanted = ((self._step, point.step), (self._timestamp_ms, point.timestamp_ms), (self._value, point.value))
        for column, number in wanted:
            first, last = bisect_left(column, number, first, last), bisect_right(column, number, first, last)
        taker = hash(point.number) % _WORD or 1
        for one in (taker, 0):
            for row in range(first, last):
                if self._takers[row] == one:
                    self._takers[row] = taker
                    return True
        return False
