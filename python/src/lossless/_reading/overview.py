"""Series reduced for drawing: for each column of pixels, computed from all its points."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .series import as_column

if TYPE_CHECKING:
    from ..wire import OverviewExact, OverviewPoint, OverviewReduced, OverviewReply


@dataclasses.dataclass(frozen=True)
class ExactPoints:
    """The unreduced points, along the axis."""

    x: Any
    value: Any


@dataclasses.dataclass(frozen=True)
class Columns:
    """
    Columns that have points: `x` is where each begins, `column` its number. The other arrays are
    about the values of all its points.
    """

    x: Any
    column: Any
    first: Any
    last: Any
    min: Any
    max: Any
    mean: Any


@dataclasses.dataclass(frozen=True)
class Neighbour:
    """A point next to the range, along the axis."""

    x: float
    value: float


@dataclasses.dataclass(frozen=True)
class Line:
    """
    One partition. `drawn` is ExactPoints where it has at most four points a column, else Columns;
    None without points in the range. `smoothed` is of the same kind, if requested. `before` is the
    last point before the range and `after` the first one behind it, which a line is drawn from and
    to; `smoothed_before` and `smoothed_after` are those of the smoothed line. `unplaced` counts
    points without a place on the axis. `error` says why it cannot be read.
    """

    name: str
    metadata: Mapping[str, str]
    points: int
    unplaced: int
    drawn: ExactPoints | Columns | None
    smoothed: ExactPoints | Columns | None
    error: str | None
    before: Neighbour | None
    after: Neighbour | None
    smoothed_before: Neighbour | None
    smoothed_after: Neighbour | None


@dataclasses.dataclass(frozen=True)
class Overview:
    """
    The range, in units of the axis, from `start` to before `end`; one line for each partition.
    """

    start: float
    end: float
    columns: int
    lines: list[Line]


def overview_of(reply: OverviewReply) -> Overview:
    def drawn(exact: OverviewExact | None, reduced: OverviewReduced | None) -> ExactPoints | Columns | None:
        if exact is not None:
            return ExactPoints(_column(exact["x"]), _column(exact["value"]))
        if reduced is None:
            return None
        places = [_edge(reply, column) for column in reduced["column"]]
        return Columns(
            _column(places),
            as_column(array("q", [int(column) for column in reduced["column"]])),
            *(_column(reduced[name]) for name in ("first", "last", "min", "max", "mean")),
        )

    lines: list[Line] = []
    for each in reply["series"]:
        smoothed, error = each.get("smoothed", {}), each.get("error")
        lines.append(
            Line(
                each["seriesName"],
                each["metadata"],
                each["points"],
                each.get("unplaced", 0),
                drawn(each.get("exact"), each.get("reduced")),
                drawn(smoothed.get("exact"), smoothed.get("reduced")),
                None if error is None else error["message"],
                *(_neighbour(point) for point in (each.get("before"), each.get("after"))),
                *(_neighbour(point) for point in (smoothed.get("before"), smoothed.get("after"))),
            )
        )
    return Overview(reply["start"], reply["end"], reply["columns"], lines)


def _neighbour(point: OverviewPoint | None) -> Neighbour | None:
    return None if point is None else Neighbour(point["x"], point["value"])


def _edge(reply: OverviewReply, column: float) -> float:
    share = column / reply["columns"]
    if reply["xScale"] == "log":
        return float(reply["start"] * (reply["end"] / reply["start"]) ** share)
    return reply["start"] + share * (reply["end"] - reply["start"])


def _column(numbers: list[float]) -> Any:
    return as_column(array("d", numbers))
