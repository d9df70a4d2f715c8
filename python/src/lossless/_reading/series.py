"""Streamed series: chunks as they arrive, and whole series as columns."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from .._ground.errors import ConnectionFailed, IncompleteStream, LosslessError
from .._ground.wire_numbers import EVENT_PREFIX
from .._service.column_records import Columns
from .._service.service import event_refused
from .column_chunk import ColumnChunk

# Stands for a null step, as in points of older installations; others begin at 0.
NO_STEP = -1


@dataclasses.dataclass(frozen=True)
class Chunk:
    """Some points of one partition, at most 10,000; one index is one point."""

    name: str
    metadata: Mapping[str, str]
    step: list[int | None]
    timestamp_ms: list[int]
    value: list[float]

    def __len__(self) -> int:
        return len(self.value)

    @property
    def points(self) -> int:
        return len(self)


@dataclasses.dataclass(frozen=True)
class Partition:
    """
    The points of a series with one metadata, sorted as requested. Columns are numpy arrays (int64,
    int64, float64) where numpy can be imported, else array.array ('q', 'q', 'd'). A null step is
    NO_STEP, -1.
    """

    metadata: Mapping[str, str]
    step: Any
    timestamp_ms: Any
    value: Any

    def __len__(self) -> int:
        return len(self.value)


@dataclasses.dataclass(frozen=True)
class Series:
    """
    All points of one name, partition after partition. `step`, `timestamp_ms` and `value` are the
    columns of all partitions, concatenated; with a single partition, as most series have, simply
    its columns.
    """

    name: str
    partitions: tuple[Partition, ...]

    def __len__(self) -> int:
        return sum(len(partition) for partition in self.partitions)

    @property
    def step(self) -> Any:
        return self._column("step")

    @property
    def timestamp_ms(self) -> Any:
        return self._column("timestamp_ms")

    @property
    def value(self) -> Any:
        return self._column("value")

    def to_pandas(self) -> Any:
        """
        Returns a DataFrame: step (Int64, <NA> where there is none), timestamp_ms, value, and
        `meta.<key>` for each key of the metadata. Raises LosslessError where pandas is not
        installed.
        """
        try:
            pandas = import_module("pandas")
        except ImportError:
            raise LosslessError("to_pandas() needs pandas, which is not installed: pip install pandas") from None
        keys = sorted({key for partition in self.partitions for key in partition.metadata})
        # An empty series has columns, too.
        frames = []
        for partition in self.partitions or (_partition({}, array("q"), array("q"), array("d")),):
            step = pandas.Series(partition.step, dtype="Int64")
            columns = {"step": step.mask(step == NO_STEP), "timestamp_ms": partition.timestamp_ms}
            frame = pandas.DataFrame({**columns, "value": partition.value})
            for key in keys:
                frame[f"meta.{key}"] = partition.metadata.get(key)
            frames.append(frame)
        return pandas.concat(frames, ignore_index=True)

    def _column(self, name: str) -> Any:
        columns = [getattr(partition, name) for partition in self.partitions]
        if len(columns) == 1:
            return columns[0]
        kind = "d" if name == "value" else "q"
        joined = array(kind)
        for column in columns:
            joined.frombytes(memoryview(column).cast("B"))
        return as_column(joined)


def checked_chunks(records: Iterable[Mapping[str, Any]], experiment_id: str) -> Iterator[Chunk]:
    """Yields the chunks of a stream as `checked` does, those that came as columns as lists, too."""
    yield from map(as_lists, checked(records, experiment_id))


def as_lists(chunk: Chunk | ColumnChunk) -> Chunk:
    return chunk if isinstance(chunk, Chunk) else Chunk(chunk.name, chunk.metadata, *chunk.lists())


def checked(records: Iterable[Mapping[str, Any]], experiment_id: str) -> Iterator[Chunk | ColumnChunk]:
    """
    Yields the chunks of a stream. Ends normally only when the stream was complete: `done` arrived,
    and its counts match. Otherwise raises IncompleteStream, EventRefused, ConnectionFailed,
    possibly after some chunks.
    """
    totals = _Totals()
    for record in records:
        event = str(record.get("event", "")).removeprefix(EVENT_PREFIX)
        data = record.get("data")
        if not isinstance(data, dict) or totals.is_done:
            raise ConnectionFailed("the stream has a line that is not a record: this is not the service")
        if event == "query.series.data":
            chunk = _chunk(data, experiment_id)
            totals.count(chunk)
            yield chunk
        elif event == "query.experimentseries.series":
            totals.check_series(data)
        elif event == "query.experimentseries.done":
            totals.check_done(data)
        elif event == "error":
            raise event_refused(data)
        else:
            raise ConnectionFailed(f"the stream has an unknown record: {event}")
    if not totals.is_done:
        raise IncompleteStream(f"the stream ended without its closing record after {totals.points} points")


def collected(chunks: Iterable[Chunk | ColumnChunk], names: Iterable[str]) -> dict[str, Series]:
    """Collects whole series, 24 bytes a point. Names without any points have an empty series."""
    found: dict[str, dict[tuple[tuple[str, str], ...], tuple[Mapping[str, str], array[int], array[int], array[float]]]]
    found = {name: {} for name in names}
    for chunk in chunks:
        partitions = found.setdefault(chunk.name, {})
        key = tuple(sorted(chunk.metadata.items()))
        if key not in partitions:
            partitions[key] = (chunk.metadata, array("q"), array("q"), array("d"))
        _, step, timestamp_ms, value = partitions[key]
        if isinstance(chunk, ColumnChunk):
            chunk.add_to(step, timestamp_ms, value, NO_STEP)
            continue
        try:
            step.extend(NO_STEP if each is None else each for each in chunk.step)
            timestamp_ms.extend(chunk.timestamp_ms)
            value.extend(chunk.value)
        except (TypeError, OverflowError):
            raise ConnectionFailed("a record of the stream has values that are not numbers") from None
    return {
        name: Series(name, tuple(_partition(*columns) for columns in partitions.values()))
        for name, partitions in found.items()
    }


def _partition(
    metadata: Mapping[str, str], step: array[int], timestamp_ms: array[int], value: array[float]
) -> Partition:
    return Partition(metadata, as_column(step), as_column(timestamp_ms), as_column(value))


def as_column(numbers: array[Any]) -> Any:
    """Returns the same memory as a numpy array where numpy can be imported."""
    try:
        numpy = import_module("numpy")
    except ImportError:
        return numbers
    return numpy.frombuffer(numbers, dtype=numpy.int64 if numbers.typecode == "q" else numpy.float64)


def _chunk(data: Mapping[str, Any], experiment_id: str) -> Chunk | ColumnChunk:
    name, metadata, columns = data.get("seriesName"), data.get("metadata"), data.get("data")
    if isinstance(columns, Columns) and isinstance(name, str) and isinstance(metadata, dict):
        if data.get("experimentId") == experiment_id:
            return ColumnChunk(name, metadata, columns)
    if isinstance(name, str) and isinstance(metadata, dict) and isinstance(columns, dict):
        step, timestamp_ms, value = (columns.get("step"), columns.get("timestampMs"), columns.get("value"))
        if (
            data.get("experimentId") == experiment_id
            and isinstance(step, list)
            and isinstance(timestamp_ms, list)
            and isinstance(value, list)
            and len(step) == len(timestamp_ms) == len(value)
        ):
            return Chunk(name, metadata, step, timestamp_ms, value)
    raise ConnectionFailed("a record of the stream is malformed: this is not the service")


class _Totals:
    """Compares the counts of what arrived with the service's totals."""

    def __init__(self) -> None:
        self.is_done = False
        self.batches = 0
        self.points = 0
        self.series = 0
        # Counts of series whose summary has not arrived yet; records of several may interleave.
        self._open: dict[str, list[int]] = {}
        self._summarised: set[str] = set()

    def count(self, chunk: Chunk | ColumnChunk) -> None:
        if chunk.name in self._summarised:
            raise IncompleteStream(f"points of {chunk.name} arrived after its last record")
        counts = self._open.setdefault(chunk.name, [0, 0])
        counts[0] += 1
        counts[1] += chunk.points
        self.batches += 1
        self.points += chunk.points

    def check_series(self, data: Mapping[str, Any]) -> None:
        name = str(data.get("seriesName"))
        batches, points = self._open.pop(name, [0, 0])
        _compare(f"series {name}", data, batches=batches, points=points)
        self._summarised.add(name)
        self.series += 1

    def check_done(self, data: Mapping[str, Any]) -> None:
        for name in self._open:
            raise IncompleteStream(f"the stream ended without the end of series {name}")
        _compare("the stream", data, series=self.series, batches=self.batches, points=self.points)
        self.is_done = True


def _compare(what: str, data: Mapping[str, Any], **counted: int) -> None:
    for name, count in counted.items():
        if data.get(name) != count:
            raise IncompleteStream(f"{what}: the service sent {data.get(name)} {name}, but {count} arrived")
