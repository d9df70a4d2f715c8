"""Experiments found by a query, and one metric of all of them: docs/query.md has the language."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from .._ground.endpoints import list_saved_views, read_table
from .._ground.errors import LosslessError, SeriesNotFound
from .._ground.warning import warn
from .._ground.wire_numbers import TABLE_ROWS_MAX
from .._values.nonfinite import number_in
from .near_names import meant
from .series import Series

if TYPE_CHECKING:
    from ..wire import SavedTable, SavedViewsReply, TableBody, TableReply, TableRow, TableSort

    class FoundExperiment(TableRow):
        # The requested columns, by name.
        columns: dict[str, float | str | bool | None]


def saved_table(ask: Callable[[str, str, Any], Any], name: str) -> SavedTable:
    """
    Returns the table of the saved view with this name; one's own comes before the organization's.
    """
    method, path = list_saved_views()
    reply = cast("SavedViewsReply", ask(method, path, None))
    tables = {each["name"]: each["table"] for each in reversed(reply["views"]) if each["table"] is not None}
    found = tables.get(name)
    if found is None:
        known = ", ".join(sorted(tables)) or "none"
        raise LosslessError(f"there is no saved view {name!r} of the table; the views are: {known}")
    return found


def found_experiments(
    ask: Callable[[str, str, Any], Any],
    query: str,
    columns: Sequence[str] | None,
    sort: str | Sequence[str] | None,
    limit: int | None,
    view: str | None = None,
) -> Iterator[FoundExperiment]:
    """Yields rows, page by page. A sort that begins with - is descending."""
    table = None if view is None else saved_table(ask, view)
    if sort is None and table is not None and table["sort"]:
        sorts: list[TableSort] = [{**each} for each in table["sort"]]
    else:
        fields = ["-created"] if sort is None else [sort] if isinstance(sort, str) else sort
        sorts = [{"field": each.removeprefix("-"), "descending": each.startswith("-")} for each in fields]
    if columns is None:
        columns = () if table is None else table["columns"]
    body: TableBody = {"query": query, "columns": list(columns), "limit": TABLE_ROWS_MAX}
    if table is not None:
        both = [each for each in (table["query"], query) if each.strip()]
        body["query"] = both[0] if len(both) == 1 else " and ".join(f"({each})" for each in both)
        if table["folderId"] is not None:
            body["folderId"] = table["folderId"]
    if sorts:
        body["sort"] = sorts
    left = limit
    while left is None or left > 0:
        body["limit"] = TABLE_ROWS_MAX if left is None else min(left, TABLE_ROWS_MAX)
        method, path = read_table()
        reply = cast("TableReply", ask(method, path, body))
        for row in reply["rows"]:
            values = [
                number_in(value) if field.startswith("metric.") else value
                for field, value in zip(columns, row["values"], strict=True)
            ]
            yield cast("FoundExperiment", {**row, "columns": dict(zip(columns, values, strict=True))})
        if left is not None:
            left -= len(reply["rows"])
        if "next" not in reply:
            return
        body["after"] = reply["next"]


class Reads(Protocol):
    """The part of Reader that a frame needs."""

    def series(self, slug: str, name: str, where: Mapping[str, Any] | None = None, x: str = "step") -> Series: ...


def frame_of(reader: Reads, slugs: Sequence[str], name: str, where: Mapping[str, Any] | None, x: str) -> Any:
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise LosslessError("frame() needs pandas, which is not installed: pip install pandas") from None
    frames = []
    absent: SeriesNotFound | None = None
    for slug in slugs:
        try:
            frame = reader.series(slug, name, where, x).to_pandas()
        except SeriesNotFound as error:
            absent = error if absent is None or error.near else absent
            continue
        frame.insert(0, "slug", slug)
        frames.append(frame)
    if absent is not None and not frames:
        warn(f"frame {name}", f"the frame is empty: no experiment has {name!r}{meant(absent.near)}")
    # Frames without rows would affect the types of the columns.
    full = [frame for frame in frames if len(frame) > 0]
    return pandas.concat(full, ignore_index=True) if full else Series(name, ()).to_pandas().assign(slug=[])
