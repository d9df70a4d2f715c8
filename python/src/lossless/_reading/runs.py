"""Experiments that a query finds, and one metric of all of them: docs/query.md has the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from .._ground.endpoints import read_table
from .._ground.errors import LosslessError, SeriesNotFound
from .._ground.wire_numbers import TABLE_ROWS_MAX
from .series import Series

if TYPE_CHECKING:
    from ..wire import TableBody, TableReply, TableRow, TableSort

    class FoundExperiment(TableRow):
        # The columns asked for, by name.
        columns: dict[str, float | str | bool | None]


def found_experiments(
    ask: Callable[[str, str, Any], Any],
    query: str,
    columns: Sequence[str],
    sort: str | Sequence[str],
    limit: int | None,
) -> Iterator[FoundExperiment]:
    """Rows as they are asked for, page by page. A sort that begins with - is descending."""
    fields = [sort] if isinstance(sort, str) else sort
    sorts: list[TableSort] = [{"field": each.removeprefix("-"), "descending": each.startswith("-")} for each in fields]
    body: TableBody = {"query": query, "columns": list(columns), "limit": TABLE_ROWS_MAX}
    if sorts:
        body["sort"] = sorts
    left = limit
    while left is None or left > 0:
        body["limit"] = TABLE_ROWS_MAX if left is None else min(left, TABLE_ROWS_MAX)
        method, path = read_table()
        reply = cast("TableReply", ask(method, path, body))
        for row in reply["rows"]:
            yield cast("FoundExperiment", {**row, "columns": dict(zip(columns, row["values"], strict=True))})
        if left is not None:
            left -= len(reply["rows"])
        if "next" not in reply:
            return
        body["after"] = reply["next"]


class Reads(Protocol):
    """What a frame needs of a Reader."""

    def series(self, slug: str, name: str, where: Mapping[str, Any] | None = None, x: str = "step") -> Series: ...


def frame_of(reader: Reads, slugs: Sequence[str], name: str, where: Mapping[str, Any] | None, x: str) -> Any:
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise LosslessError("frame() needs pandas, which is not installed: pip install pandas") from None
    frames = []
    for slug in slugs:
        try:
            frame = reader.series(slug, name, where, x).to_pandas()
        except SeriesNotFound:
            continue
        frame.insert(0, "slug", slug)
        frames.append(frame)
    # Frames without rows would decide the types of the columns.
    full = [frame for frame in frames if len(frame) > 0]
    return pandas.concat(full, ignore_index=True) if full else Series(name, ()).to_pandas().assign(slug=[])
