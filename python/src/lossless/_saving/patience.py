"""Time limits of attempts in the background."""

from __future__ import annotations

import threading
import time

# Long enough for a service that is down overnight.
TRAINING_SECONDS = 12 * 3600.0
# The script has ended, and waits only for this.
AFTER_END_SECONDS = 60.0


class Patience:
    """Half a day while the training continues, a minute after the end of the script."""

    def __init__(self) -> None:
        self._ended_at: float | None = None

    def is_over(self, since: float) -> bool:
        """Whether attempts failing since this time of the monotonic clock are given up."""
        now = time.monotonic()
        return now - since > TRAINING_SECONDS or self.is_at_end(now)

    def is_at_end(self, now: float | None = None) -> bool:
        if threading.main_thread().is_alive():
            return False
        now = time.monotonic() if now is None else now
        if self._ended_at is None:
            self._ended_at = now
        return now - self._ended_at > AFTER_END_SECONDS
