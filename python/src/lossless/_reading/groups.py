"""Groups of the experiments that a query finds, as Python values."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from .._ground.endpoints import read_experiment_groups
from .._ground.wire_numbers import TABLE_ROWS_MAX
from .difference import MISSING

if TYPE_CHECKING:
    from ..wire import ExperimentGroupsBody, ExperimentGroupsReply, GroupColumn, GroupValue


@dataclasses.dataclass(frozen=True)
class Group:
    """
    A group of experiments: its value of each key, MISSING where they lack it, the number of its
    experiments, and of each column the count, mean, min and max of its numbers.
    """

    values: dict[str, Any]
    experiments: int
    columns: dict[str, GroupColumn]


def found_groups(
    ask: Callable[[str, str, Any], Any], query: str, by: Sequence[str], columns: Sequence[str]
) -> Iterator[Group]:
    """Yields the groups, the largest first, page by page."""
    method, path = read_experiment_groups()
    offset = 0
    while True:
        body: ExperimentGroupsBody = {
            "query": query,
            "by": list(by),
            "columns": list(columns),
            "limit": TABLE_ROWS_MAX,
            "offset": offset,
        }
        reply = cast("ExperimentGroupsReply", ask(method, path, body))
        for group in reply["groups"]:
            values = {name: _value(each) for name, each in zip(by, group["values"], strict=True)}
            yield Group(values, group["experiments"], dict(zip(columns, group["columns"], strict=True)))
        offset += len(reply["groups"])
        if offset >= reply["total"] or not reply["groups"]:
            return


def _value(value: GroupValue) -> Any:
    kind, text = value["kind"], value["text"]
    if kind == "none":
        return MISSING
    if kind in ("list", "object"):
        try:
            return json.loads(text)
        except ValueError:
            # The text of a long one is cut.
            return text
    return text if kind == "text" else json.loads(text)
