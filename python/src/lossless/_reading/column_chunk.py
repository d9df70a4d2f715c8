"""Points of a series stream that arrived as columns."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Mapping
from importlib import import_module
from typing import NamedTuple

from .._service.column_records import Columns


class ColumnChunk(NamedTuple):
    """Some points of one partition, as they arrived: no object is made for a point."""

    name: str
    metadata: Mapping[str, str]
    columns: Columns

    @property
    def points(self) -> int:
        return self.columns.points

    def add_to(self, step: array[int], timestamp_ms: array[int], value: array[float], no_step: int) -> None:
        """Adds the points to columns; `no_step` stands for a null step."""
        numbers = [self._column(place) for place in range(3)]
        try:
            numpy = import_module("numpy")
        except ImportError:
            step.extend([no_step if each != each else int(each) for each in numbers[0]])
            timestamp_ms.extend(map(int, numbers[1]))
        else:
            steps = numpy.frombuffer(numbers[0])
            absent = numpy.isnan(steps)
            if absent.any():
                steps = numpy.where(absent, no_step, steps)
            for column, doubles in ((step, steps), (timestamp_ms, numpy.frombuffer(numbers[1]))):
                column.frombytes(memoryview(doubles.astype(numpy.int64)).cast("B"))
        value.frombytes(numbers[2].cast("B"))

    def lists(self) -> tuple[list[int | None], list[int], list[float]]:
        """Returns steps, times and values; None is a null step."""
        step, timestamp_ms, value = (self._column(place) for place in range(3))
        return [None if each != each else int(each) for each in step], list(map(int, timestamp_ms)), list(value)

    def _column(self, place: int) -> memoryview[float]:
        points, numbers = self.columns
        part = numbers[8 * points * place : 8 * points * (place + 1)]
        if sys.byteorder == "big":
            swapped = array("d", bytes(part))
            swapped.byteswap()
            return memoryview(swapped)
        return part.cast("d")
