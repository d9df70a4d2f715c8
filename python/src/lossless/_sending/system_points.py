"""Sends the metrics of the machine from the recording's directory to the service."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from .._ground.ownership import opened_to_read
from .._spool.sent_state import State
from .._spool.spool import SYSTEM_FILE
from .._values.records import records_in
from .delivery import Delivery
from .rows import Rows, rows_of

# They may arrive later than the script's points, and should not need a request each.
_SECONDS = 5.0
_BYTES = 2**20


class SystemPoints:
    def __init__(
        self,
        directory: Path,
        word: str,
        state: State,
        delivery: Delivery,
        open: Callable[[], None],
        keep: Callable[[], None],
    ) -> None:
        # Their steps are the age of this recording, whatever it continues.
        self._more = {"recording": word}
        self._path = directory / SYSTEM_FILE
        self._state = state
        self._delivery = delivery
        self._open = open
        self._keep = keep
        self._due = 0.0

    def send_when_due(self) -> None:
        if time.monotonic() >= self._due:
            self.send()

    def send(self, is_last: bool = False) -> None:
        """Sends what is there. `is_last`: nothing is written any more."""
        self._due = time.monotonic() + _SECONDS
        # Before the first opening nothing is known of the experiment.
        if self._state.experiment_id is None:
            return
        try:
            file = os.fdopen(opened_to_read(self._path), "rb")
        except FileNotFoundError:
            return
        with file:
            behind = 1
            while behind:
                file.seek(self._state.system_offset)
                data = file.read(_BYTES)
                points, behind = system_points(data, self._more if self._state.went_on else None)
                if points:
                    self._open()
                self._delivery.points(points)
                # At the last call a line without its end, left by a crash, is skipped too.
                self._state.system_offset += behind or (len(data) if is_last else 0)
            self._keep()


def system_points(data: bytes, more: Mapping[str, str] | None = None) -> tuple[Rows, int]:
    """Returns the points of the complete lines, and the offset of their end."""
    points = Rows()
    behind = 0
    for behind, record in records_in(data):
        if record is not None:
            for row in rows_of(record, more):
                points.add(row)
    return points, behind
