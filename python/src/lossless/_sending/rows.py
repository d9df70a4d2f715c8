"""Points as they were logged, a row a call: an object a point costs more than to send it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .._values.records import encode
from .point import Point

# Bytes of an event without its name and meta.
_EVENT_BYTES = 220


class Row(NamedTuple):
    """
    Points of one call. Their numbers follow each other from `number` on; a row of one point may
    have a text instead.
    """

    number: int | str
    timestamp_ms: int
    step: int
    names: tuple[str, ...]
    values: Sequence[float]
    meta_json: str


class Rows:
    """Points in order, kept as rows: `len` counts points, and iteration makes them."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: list[Row] = []
        self._count = 0
        for row in rows:
            self.add(row)

    @staticmethod
    def of(points: Iterable[Point]) -> Rows:
        return Rows(Row(number, at, step, (name,), (value,), meta) for number, at, step, name, value, meta in points)

    def add(self, row: Row) -> None:
        if row.names:
            self.rows.append(row)
            self._count += len(row.names)

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Point]:
        for number, timestamp_ms, step, names, values, meta_json in self.rows:
            for place, (name, value) in enumerate(zip(names, values)):
                own = number if isinstance(number, str) else number + place
                yield Point(own, timestamp_ms, step, name, value, meta_json)

    def requests(self, points_max: Callable[[], int], bytes_max: int) -> Iterator[Rows]:
        """
        Divides them into requests of at most so many points, whose events have about so many bytes;
        a larger point goes alone. `points_max` is asked for each request.
        """
        sizes = [_event_bytes(row) for row in self.rows]
        if 0 < self._count <= points_max() and sum(sizes) <= bytes_max:
            yield self
            return
        request, size = Rows(), 0
        for row, bytes_about in zip(self.rows, sizes):
            is_long = len(row.names) > points_max() or bytes_about > bytes_max
            is_full = len(request) + len(row.names) > points_max() or size + bytes_about > bytes_max
            if request.rows and (is_long or is_full):
                yield request
                request, size = Rows(), 0
            if is_long and len(row.names) > 1:
                # It is divided between its points.
                yield from Rows.of(Rows([row])).requests(points_max, bytes_max)
                continue
            request.add(row)
            size += bytes_about
        if request.rows:
            yield request


def _event_bytes(row: Row) -> int:
    return len(row.names) * (_EVENT_BYTES + len(row.meta_json)) + sum(map(len, row.names))


def rows_of(record: list[Any], more: Mapping[str, str] | None = None) -> list[Row]:
    """Returns the points of a record, "m" or "p" with floats; `more` is added to their meta."""
    is_packed = record[0] == "p"
    number, timestamp_ms, step, values = record[1:5]
    meta = record[6 if is_packed else 5]
    if more:
        meta = {**more, **(meta or {})}
    meta_json = "{}" if meta is None else encode(meta)
    if is_packed:
        return [Row(number, timestamp_ms, step, tuple(values), record[5], meta_json)]
    if None not in values.values():
        return [Row(number, timestamp_ms, step, tuple(values), tuple(values.values()), meta_json)]
    # A later value of its step has replaced each None.
    return [
        Row(number + place, timestamp_ms, step, (name,), (value,), meta_json)
        for place, (name, value) in enumerate(values.items())
        if value is not None
    ]
