"""Whether another recording of the same name began after the end of this one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from .._service.session import Session
from .._spool.head import RunInfo, segment_path, segments
from .._spool.sent_state import State
from .earlier_starts import known, note

# The service's times have whole seconds, and a reply takes some time.
_CLOCK_SLACK_MS = 5_000


class NewerRecording:
    """
    Changes by a newer recording stay: an older one sent later contributes its points and notes
    only. The decision is final (`State.is_superseded`). While the process records, nothing is
    newer.
    """

    def __init__(
        self, directory: Path, session: Session, info: RunInfo, state: State, lives: Callable[[], bool]
    ) -> None:
        self._directory = directory
        self._session = session
        self._info = info
        self._state = state
        self._lives = lives

    def is_settled(self) -> bool:
        """Whether a look would not change the decision."""
        return not self._info.is_primary or (not self._state.is_superseded and self._lives())

    def look(self, record: Mapping[str, Any] | None) -> None:
        """Decides by `record`, the present state of the experiment at the service."""
        if self._info.is_primary and not self._state.is_superseded and record is not None and not self._lives():
            self._state.is_superseded = self._has_begun(record)

    def note_own(self) -> None:
        """Notes that an opening or a start of ours has reached the service."""
        if self._info.is_primary and not self._state.is_superseded:
            note(self._session.experiment_id, self._info.created_at_ms, self._session.server_time_ms())

    def _has_begun(self, record: Mapping[str, Any]) -> bool:
        over_at_ms = self._over_at_ms()
        starts = known(str(record["experimentId"]))
        if any(start.created_at_ms > over_at_ms for start in starts):
            return True
        started_at_ms = record["startedAtMs"]
        if started_at_ms is None:
            return False
        # Sent from this machine for recordings that are not newer, whenever that was.
        own = self._state.started_within or []
        sent = [(start.sent_at_ms, start.sent_at_ms) for start in starts] + [tuple(own)] * bool(own)
        if any(low - _CLOCK_SLACK_MS <= started_at_ms <= high + _CLOCK_SLACK_MS for low, high in sent):
            return False
        return bool(started_at_ms > self._session.service_time_of(over_at_ms) + _CLOCK_SLACK_MS)

    def _over_at_ms(self) -> float:
        """Returns when something was recorded last, by this machine's clock."""
        paths = [segment_path(self._directory, number) for number in segments(self._directory)]
        return max([float(self._info.created_at_ms), *(path.stat().st_mtime * 1000 for path in paths)])
