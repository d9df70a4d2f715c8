"""The step that a script for W&B has not committed: the last value of a key counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._spool.tail import Placed
from .._values.records import encode, named

# Records held at most, as a script may never commit: beyond, repeated keys are stored as well.
_HELD_MAX = 10_000


class OpenRow:
    """
    Holds the records of a step that goes on, in order with everything between them; they stay in
    the spool. Records once returned are no longer changed: they may be at the service.
    """

    def __init__(self) -> None:
        self._held: list[Placed] = []

    def closed(self, placed: list[Placed]) -> list[Placed]:
        """Returns the records ready to be sent; `placed` comes next."""
        if not placed:
            return []
        if not self._held and not any(each.record and _goes_on(each.record) for each in placed):
            return placed
        waiting = self._held + [each if each.record is None else _named(each) for each in placed]
        begin = _open_from(waiting)
        self._held = waiting[begin:]
        if len(self._held) > _HELD_MAX:
            return _with_last_values(self.rest())
        return _with_last_values(waiting[:begin])

    def rest(self) -> list[Placed]:
        """Returns the rest, when nothing is added any more."""
        held, self._held = self._held, []
        return _with_last_values(held)


def _named(placed: Placed) -> Placed:
    assert placed.record is not None
    return placed._replace(record=named(placed.record))


def _open_from(placed: list[Placed]) -> int:
    """Returns the place of the step that goes on; the end of the records when there is none."""
    begin = len(placed)
    step = None
    for at in range(len(placed) - 1, -1, -1):
        record = placed[at].record
        if record is None:
            continue
        if record[0] in ("d", "e"):
            return len(placed)
        if record[0] == "m":
            if not _goes_on(record) or (step is not None and record[3] != step):
                break
            step, begin = record[3], at
    return begin


def _with_last_values(placed: list[Placed]) -> list[Placed]:
    """Where a key repeats in a row, sets the earlier values to None: their ids stay unused."""
    row: dict[tuple[str, str], dict[str, Any]] = {}
    step = None
    for record in _points(placed):
        if step != record[3]:
            row, step = {}, record[3]
        goes_on = _goes_on(record)
        if row or goes_on:
            partition = encode(record[5])
            for name in record[4]:
                earlier = row.get((name, partition))
                if earlier is not None:
                    earlier[name] = None
                row[(name, partition)] = record[4]
        if not goes_on:
            row, step = {}, None
    return placed


def _points(placed: list[Placed]) -> Iterator[list[Any]]:
    return (each.record for each in placed if each.record is not None and each.record[0] == "m")


def _goes_on(record: list[Any]) -> bool:
    return len(record) > (7 if record[0] == "p" else 6)
