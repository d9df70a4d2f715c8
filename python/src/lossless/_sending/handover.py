"""Lets `lossless sync` take over a spool whose sender only waits, after the recording's end."""

from __future__ import annotations

import time
from pathlib import Path

# Age in seconds of a stale mark: a waiting sync renews it all the time.
_LIFE_SECONDS = 60.0


def mark_path(directory: Path) -> Path:
    return directory / "handover"


class Handover:
    """
    Notices the request of a sync. A mark from before, or an old one, was left by a killed process.
    """

    def __init__(self, directory: Path) -> None:
        self._path = mark_path(directory)
        self._left = self._seen()

    def is_asked_for(self) -> bool:
        seen = self._seen()
        return seen is not None and seen != self._left and abs(time.time() - seen / 1e9) < _LIFE_SECONDS

    def _seen(self) -> int | None:
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return None
