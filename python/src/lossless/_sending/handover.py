"""How `lossless sync` gets the spool from a sender that only waits, its recording being over."""

from __future__ import annotations

import time
from pathlib import Path

# Whoever asks renews the mark all the time.
_LIFE_SECONDS = 60.0


def mark_path(directory: Path) -> Path:
    return directory / "handover"


class Handover:
    """Sees when a sync asks. A mark that was there before, or is old, is of one that was killed."""

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
