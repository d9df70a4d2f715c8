"""Sends the console of a recording, in order, each line once."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .._ground import endpoints
from .._ground.errors import ConnectionFailed, LosslessError, RequestRefused
from .._ground.ownership import opened_to_read
from .._service.retry import is_about_content
from .._service.session import Session
from .._spool.given_back import Sent, give_back, noted
from .._spool.head import RunInfo
from .._spool.sent_state import State
from .._spool.spool import CONSOLE_FILE
from .._values.records import records_in

# Somebody may follow the lines as they come.
_SECONDS = 0.5
# At some 40 bytes for the shortest record, fewer lines than a request may have (10,000); and more
# than the longest record has.
_BYTES = 2**18
# A service of an older version; one where there is no room, or the experiment was deleted.
_MISSING = (404, 405)
_LASTING = (*_MISSING, 409)
# Sent bytes whose disk is given back at once.
_GIVEN_BACK_BYTES = 16 * 2**20


class ConsoleLines:
    """
    The service says how many lines of this recording it has, so nothing is stored twice, whatever
    was written of the state before a crash: the number of a line is its place among those of the
    file.
    """

    def __init__(
        self,
        directory: Path,
        info: RunInfo,
        state: State,
        session: Session,
        retry: Callable[[int, LosslessError], None],
        open: Callable[[], None],
        keep: Callable[[], None],
    ) -> None:
        self._path = directory / CONSOLE_FILE
        self._source = {"id": info.prefix, **{key: each for key, each in (info.console or {}).items() if key != "mode"}}
        self._state = state
        self._session = session
        self._retry = retry
        self._open = open
        self._keep = keep
        self._due = 0.0
        self._shown: dict[str, str] = {}
        # A new sender tries again what the one before had to leave.
        state.console_stopped = None
        given = noted(self._path)
        if given is not None and given.offset > state.console_offset:
            # The state is lost, and the beginning of the file with it.
            state.console_offset, state.console_lines = given
        self._given_back: int | None = state.console_offset

    def send_when_due(self) -> None:
        if time.monotonic() >= self._due:
            self.send()

    def send(self, is_last: bool = False) -> None:
        """Sends what is there. `is_last`: nothing is written any more."""
        self._due = time.monotonic() + _SECONDS
        state = self._state
        if state.experiment_id is None or self._is_over():
            return
        try:
            file = os.fdopen(opened_to_read(self._path), "rb")
        except FileNotFoundError:
            return
        with file:
            behind = 1
            while behind and not self._is_over():
                file.seek(state.console_offset)
                data = file.read(_BYTES)
                behind, lines, shown = self._read(data)
                if is_last and not behind:
                    shown = {}
                if lines or shown != self._shown:
                    self._open()
                    self._send(lines, shown)
                if self._is_over():
                    break
                # At the last call a line without its end, left by a crash, is skipped too.
                state.console_offset += behind or (len(data) if is_last else 0)
            self._keep()
        self._give_back()

    def _is_over(self) -> bool:
        return self._state.console_refused is not None or self._state.console_stopped is not None

    def _give_back(self) -> None:
        state = self._state
        if self._given_back is None or state.console_offset - self._given_back < _GIVEN_BACK_BYTES:
            return
        try:
            give_back(self._path, Sent(state.console_offset, state.console_lines))
            self._given_back = state.console_offset
        except (OSError, AttributeError):
            # This file system cannot.
            self._given_back = None

    def _read(self, data: bytes) -> tuple[int, list[dict[str, Any]], dict[str, str]]:
        """Returns the offset after the complete records, their lines, and the lines still open."""
        lines: list[dict[str, Any]] = []
        shown = dict(self._shown)
        behind = 0
        for behind, record in records_in(data):
            if record is None or record[0] not in ("l", "L"):
                continue
            kind, ms, stream, text, *spans = record
            if kind == "L":
                shown[stream] = text
                continue
            shown.pop(stream, None)
            line = {"timestampMs": ms, "stream": stream, "text": text}
            lines.append({**line, "spans": spans[0]} if spans else line)
        return behind, lines, shown

    def _send(self, lines: list[dict[str, Any]], shown: dict[str, str]) -> None:
        state = self._state
        end = state.console_lines + len(lines)
        opened = [{"stream": stream, "text": text} for stream, text in shown.items()]
        attempts = 0
        while True:
            first = end - len(lines)
            attempts += 1
            try:
                stored = self._post({"source": self._source, "first": first, "lines": lines, "open": opened})
            except LosslessError as error:
                if isinstance(error, RequestRefused) and (error.status in _LASTING or is_about_content(error)):
                    return self._stop(error.status not in _MISSING, str(error))
                self._retry(attempts, error)
                continue
            if stored >= end:
                state.console_lines = end
                self._shown = shown
                return
            if stored < first:
                # The service was restored from a backup that is older than the state.
                return self._stop(True, f"the service has {stored} lines of this process, and not {first}")
            lines = lines[stored - first :]

    def _stop(self, is_told: bool, reason: str) -> None:
        """Sends no more. The points go on; what is told stays in the spool for a later sender."""
        if is_told:
            self._state.console_stopped = reason
        else:
            self._state.console_refused = reason

    def _post(self, body: dict[str, Any]) -> int:
        reply = self._session.post(json.dumps(body).encode("ascii"), endpoints.append_console)
        try:
            return int(json.loads(reply)["next"])
        except (ValueError, TypeError, KeyError):
            raise ConnectionFailed(
                "the reply does not say how many lines are stored: this is not the service"
            ) from None
