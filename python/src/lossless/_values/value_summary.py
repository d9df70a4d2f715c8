"""The least, largest, mean, first and last of a metric's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .metric_definitions import Shown


class ValueSummary:
    """The values of one metric so far, in the order in which they were logged."""

    __slots__ = ("_count", "_mean", "_least", "_largest", "first", "last")

    def __init__(self) -> None:
        self._count = 0
        self._mean = 0.0
        self._least = float("inf")
        self._largest = float("-inf")
        self.first: float | None = None
        # May be NaN or infinite, which no other value counts.
        self.last: float | None = None

    def add(self, value: float) -> None:
        self._add_mean(1, value)
        self._least = min(self._least, value)
        self._largest = max(self._largest, value)
        if self.first is None:
            self.first = value
        self.last = value

    def add_all(self, values: Sequence[float], is_counted: bool) -> None:
        """Adds values whose place among the others is unknown; the mean only has counted ones."""
        self._least = min(self._least, *values)
        self._largest = max(self._largest, *values)
        if is_counted:
            total = sum(values)
            # Their sum may be beyond any double.
            mean = total / len(values) if total - total == 0 else sum(each / len(values) for each in values)
            self._add_mean(len(values), mean)

    def add_summary(self, other: ValueSummary) -> None:
        """Adds the values of another summary, as `add_all` does."""
        self._least = min(self._least, other._least)
        self._largest = max(self._largest, other._largest)
        self._add_mean(other._count, other._mean)

    def add_noted(self, noted: Mapping[str, Any]) -> None:
        """Adds the least and the largest value of an earlier result of `of`."""
        least, largest = noted.get("min"), noted.get("max")
        if isinstance(least, (int, float)):
            self._least = min(self._least, least)
        if isinstance(largest, (int, float)):
            self._largest = max(self._largest, largest)

    def of(self, shown: Shown) -> dict[str, float]:
        """Returns the values that a definition asks for, without non-finite ones."""
        values = {
            "min": self._least,
            "max": self._largest,
            "mean": self._mean if self._count else None,
            "first": self.first,
            "last": self.last,
            "best": self._largest if shown.is_largest_best else self._least,
        }
        return {kind: value for kind in shown.kinds if (value := values[kind]) is not None and value - value == 0}

    def _add_mean(self, count: int, mean: float) -> None:
        self._count += count
        if self._count:
            step = (mean - self._mean) * count / self._count
            # A difference may be beyond any double.
            share = count / self._count
            self._mean += step if step - step == 0 else mean * share - self._mean * share
