"""Tells the service that the recording process has begun, that it lives, and how it has ended."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, Protocol

from .._ground import endpoints
from .._ground.errors import ConnectionFailed, LosslessError, RequestRefused
from .._service.retry import is_about_content
from .._service.session import Session
from .._spool.head import RunInfo
from .._spool.sent_state import State
from .script_end import Ending

# After a beat that did not come through.
_AGAIN_SECONDS = 5.0
# A service of an older version; one where there is no room, or the experiment was deleted.
_LASTING = (404, 405, 409)


class Script(Protocol):
    """The process that records, as its sender sees it."""

    def ago_ms(self) -> int: ...
    def ending(self) -> Ending | None: ...


class AttemptReports:
    """
    Each report is the whole of what is known, so none has to be sent again but the last one. A
    service that does not take them is told nothing more; that is evidence lost, and no data.
    """

    def __init__(
        self,
        info: RunInfo,
        state: State,
        session: Session,
        script: Script,
        retry: Callable[[int, LosslessError], None],
        open: Callable[[], None],
    ) -> None:
        self._info = info
        self._state = state
        self._session = session
        self._script = script
        self._retry = retry
        self._open = open
        self._due = 0.0
        self._is_over = info.attempt is None
        self._to_step: int | None = None

    def note_step(self, step: int) -> None:
        """Notes the step of points that were sent."""
        self._to_step = step if self._to_step is None else max(self._to_step, step)

    def beat_when_due(self) -> None:
        if time.monotonic() >= self._due:
            self.beat()

    def beat(self) -> None:
        if self._is_over or self._state.experiment_id is None:
            return
        self._due = time.monotonic() + _AGAIN_SECONDS
        # How it ended is looked up as soon as it has, and told once all is sent.
        ago_ms = self._script.ago_ms()
        if ago_ms > 0:
            self._script.ending()
        self._open()
        try:
            next_ms = self._post(self._body(ago_ms))
        except LosslessError as error:
            self._is_over = _is_lasting(error)
            return
        self._due = time.monotonic() + next_ms / 1000

    def end(self, ending: Ending | None) -> None:
        """Tells the end. None: only how long ago the process was seen alive."""
        if self._is_over or self._state.experiment_id is None:
            return
        attempts = 0
        while True:
            self._open()
            attempts += 1
            ago_ms = self._script.ago_ms()
            body = self._body(ago_ms)
            if ending is not None:
                body["end"] = _end_of(ending, ago_ms)
            try:
                self._post(body)
                break
            except LosslessError as error:
                if _is_lasting(error):
                    break
                self._retry(attempts, error)
        self._is_over = True

    def _body(self, ago_ms: int) -> dict[str, Any]:
        attempt = self._info.attempt or {}
        began_ms = int(time.time() * 1000) - self._info.created_at_ms
        body = {
            "attempt": attempt["id"],
            "process": attempt["process"],
            # This machine's clock may have been set meanwhile.
            "beganAgoMs": max(began_ms, ago_ms),
            "beatAgoMs": ago_ms,
        }
        return body if self._to_step is None else {**body, "toStep": self._to_step}

    def _post(self, body: dict[str, Any]) -> int:
        reply = self._session.post(json.dumps(body).encode("ascii"), endpoints.report_attempt)
        try:
            return int(json.loads(reply)["nextBeatMs"])
        except (ValueError, TypeError, KeyError):
            raise ConnectionFailed("the reply does not say when to report again: this is not the service") from None


def _end_of(ending: Ending, ago_ms: int) -> dict[str, Any]:
    told = {"exitCode": ending.exit_code, "signal": ending.signal, "error": ending.error}
    known = {name: value for name, value in told.items() if value is not None}
    return {"agoMs": ago_ms, "how": ending.how, **known, "evidence": list(ending.evidence)}


def _is_lasting(error: LosslessError) -> bool:
    return isinstance(error, RequestRefused) and (error.status in _LASTING or is_about_content(error))
