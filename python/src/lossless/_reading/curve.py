"""A series against its step metric: see _values/metric_definitions.py."""

from __future__ import annotations

import bisect
import dataclasses
from array import array
from collections.abc import Mapping
from typing import Any, Protocol

from .._ground.errors import SeriesNotFound
from .._values.metric_definitions import step_metric_of
from .series import Partition, Series, as_column

_NAN = float("nan")


@dataclasses.dataclass(frozen=True)
class Curve:
    """
    A series against its step metric. `x` is the value of the metric `x_name` at the step of each
    point, or its last one before; NaN where there is none yet. Without a step metric `x_name` is
    "step", and `x` the steps.
    """

    series: Series
    x_name: str
    x: Any

    @property
    def name(self) -> str:
        return self.series.name

    @property
    def step(self) -> Any:
        return self.series.step

    @property
    def value(self) -> Any:
        return self.series.value

    def __len__(self) -> int:
        return len(self.series)

    def to_pandas(self) -> Any:
        """Returns a DataFrame like that of Series.to_pandas, with `x_name` as first column."""
        frame = self.series.to_pandas()
        if self.x_name != "step":
            frame.insert(0, self.x_name, self.x)
        return frame


class Reads(Protocol):
    """The part of Reader that a curve needs."""

    def experiment(self, slug: str) -> Any: ...
    def series(self, slug: str, name: str, where: Mapping[str, Any] | None = None) -> Series: ...


def curve_of(reader: Reads, slug: str, name: str, where: Mapping[str, Any] | None = None) -> Curve:
    x_name = step_metric_of(reader.experiment(slug)["meta"], name)
    if x_name is None:
        series = reader.series(slug, name, where)
        return Curve(series, "step", series.step)
    # The step metric may have been logged without the requested meta.
    series = reader.series(slug, name, where)
    try:
        steps = reader.series(slug, x_name)
    except SeriesNotFound:
        # The metric is defined, and has no points yet.
        steps = Series(x_name, ())
    by_metadata = {_key(partition): _ordered([partition]) for partition in steps.partitions}
    of_all = _ordered(list(steps.partitions))
    x = array("d")
    for partition in series.partitions:
        at, values = by_metadata.get(_key(partition), of_all)
        for step in partition.step:
            before = bisect.bisect_right(at, int(step)) - 1
            x.append(values[before] if before >= 0 else _NAN)
    return Curve(series, x_name, as_column(x))


def _ordered(partitions: list[Partition]) -> tuple[list[int], list[float]]:
    rows = sorted(
        (int(step), place, float(value))
        for partition in partitions
        for place, (step, value) in enumerate(zip(partition.step, partition.value))
    )
    return [row[0] for row in rows], [row[2] for row in rows]


def _key(partition: Partition) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(partition.metadata.items()))
