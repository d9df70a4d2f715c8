"""Counters of the system, as growth since they were last read."""

from __future__ import annotations

import time
from collections.abc import Callable

# Counters of processes that have ended are forgotten, the longest unread first.
_COUNTERS_MAX = 10_000


class Growth:
    """Remembers counters by name. Each has its own time, because programs answer late."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: dict[str, tuple[float, float]] = {}

    def grown(self, name: str, count: float) -> tuple[float, float] | None:
        """
        Returns by how much the counter grew, and in how many seconds. None: it is new, or smaller
        than before, as when a device was removed.
        """
        now = self._clock()
        last = self._last.pop(name, None)
        self._last[name] = (now, count)
        if len(self._last) > _COUNTERS_MAX:
            del self._last[next(iter(self._last))]
        if last is None or now <= last[0] or count < last[1]:
            return None
        return count - last[1], now - last[0]

    def per_second(self, values: dict[str, float], name: str, count: float, factor: float = 1.0) -> None:
        """Adds the rate under its name, once there is one."""
        grown = self.grown(name, count)
        if grown is not None:
            values[name] = factor * grown[0] / grown[1]
