"""How an import ends early: by Ctrl-C, and when the service stays away."""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

from .._ground.errors import LosslessError
from .._service.retry import delay
from .progress_bar import ProgressBar

_SLICE_SECONDS = 0.1


class Stop:
    """
    A request to stop, checked between steps: an exception within one would lose what it has read.
    """

    def __init__(self) -> None:
        self.asked_at: float | None = None
        self._previous: dict[int, Any] = {}

    @property
    def is_asked(self) -> bool:
        return self.asked_at is not None

    def wait(self, seconds: float) -> None:
        """Waits; ends early when a stop is requested."""
        end = time.monotonic() + seconds
        was_asked = self.is_asked
        while (left := end - time.monotonic()) > 0 and self.is_asked == was_asked:
            time.sleep(min(left, _SLICE_SECONDS))

    def __enter__(self) -> Stop:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._ask)
        return self

    def __exit__(self, *_: Any) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)

    def _ask(self, _number: int, _frame: Any) -> None:
        if self.is_asked:
            raise KeyboardInterrupt
        self.asked_at = time.monotonic()


class Patience:
    """Lasts `seconds` without a reply (None: for ever), and `last_seconds` after a stop."""

    def __init__(self, seconds: float | None, last_seconds: float, stop: Stop, out: ProgressBar) -> None:
        self._seconds = seconds
        self._last_seconds = last_seconds
        self._stop = stop
        self._out = out
        self._since = 0.0
        self._told = ""

    def wait(self, attempts: int, error: LosslessError) -> None:
        if attempts == 1:
            self._since = time.monotonic()
        pause = delay(attempts, error)
        then = time.monotonic() + pause
        if self._is_stopped(then) or (self._seconds is not None and then > self._since + self._seconds):
            raise error
        if str(error) != self._told:
            self._told = str(error)
            print(f"waiting: {error}", file=self._out, flush=True)
        self._stop.wait(pause)
        if self._is_stopped(time.monotonic()):
            raise error

    def _is_stopped(self, now: float) -> bool:
        return self._stop.asked_at is not None and now > self._stop.asked_at + self._last_seconds
