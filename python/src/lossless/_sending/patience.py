"""What is tried again while a recording goes on, and when its sender gives up."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from .._ground.errors import LosslessError
from .._service.retry import delay, is_transient
from .._spool.sent_state import State
from .handover import Handover

_SLICE_SECONDS = 0.2


class GaveUp(LosslessError):
    """The time is over; the spool stays."""


class Recording(Protocol):
    """A recording, as seen by its sender."""

    def lives(self) -> bool:
        """Whether a process may still add to it."""
        ...

    def is_ending(self) -> bool:
        """
        Whether the script waits for the end: then a refusal is reported, and not retried for hours.
        """
        ...

    def give_up_at(self, trying_since: float) -> float | None:
        """Returns the monotonic time after which nothing is retried; None: never."""
        ...


class Patience:
    """
    The pauses between attempts. Why nothing gets to the service is written to the state by `keep`,
    where the recording reads it.
    """

    def __init__(self, recording: Recording, handover: Handover, state: State, keep: Callable[[], None]) -> None:
        self._recording = recording
        # A sync that requests the spool may know a better address or key.
        self._handover = handover
        self._state = state
        self._keep = keep
        self._trying_since = 0.0

    def may_retry(self, error: LosslessError) -> bool:
        """Whether to retry: during a recording, a gateway may refuse, or a key be replaced."""
        return is_transient(error) or (self._recording.lives() and not self._recording.is_ending())

    def retry(self, attempts: int, error: LosslessError) -> None:
        if not self.may_retry(error):
            raise error
        self.wait(attempts, error)

    def wait(self, attempts: int, error: LosslessError) -> None:
        if attempts == 1:
            self._trying_since = time.monotonic()
        pause = delay(attempts, error)
        self._give_up_in_time(pause, error)
        if self._state.problem != str(error):
            if self._state.problem is None:
                self._state.problem_since = time.time()
            self._state.problem = str(error)
            self._keep()
        until = time.monotonic() + pause
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, _SLICE_SECONDS))
            self._give_up_in_time(0.0, error)
            if not self._recording.lives() and self._handover.is_asked_for():
                raise GaveUp(str(error))
            if not self.may_retry(error):
                # Tried once more at once, and then reported.
                return

    def _give_up_in_time(self, pause: float, error: LosslessError) -> None:
        end = self._recording.give_up_at(self._trying_since)
        if end is not None and time.monotonic() + pause >= end:
            raise GaveUp(str(error))
