"""When a spool has nothing left to give."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from .._ground.lock import WRITER, Busy, Lock
from .sent_state import State, read_state
from .spool import MEDIA_FILE, SYSTEM_FILE, segment_path, segments


def is_sent(directory: Path, state: State) -> bool:
    """Every record is settled, and the service refused none: nobody has to look at it again."""
    if state.damaged or state.stopped is not None or any(_is_in_spool(refusal) for refusal in state.refusals):
        return False
    for name, offset in ((SYSTEM_FILE, state.system_offset), (MEDIA_FILE, state.media_offset)):
        path = directory / name
        if path.exists() and path.stat().st_size != offset:
            return False
    sizes = {number: segment_path(directory, number).stat().st_size for number in segments(directory)}
    return all(
        size == (state.offset if number == state.segment else 0)
        for number, size in sizes.items()
        if number >= state.segment
    )


def remove_if_sent(directory: Path) -> bool:
    """
    Removes it; only for whoever holds the sender's lock. The writer's is held as well: who records,
    and has lost it with all descriptors, waits for it, and finds that the directory is gone.
    """
    try:
        lock = Lock(directory, WRITER)
    except (Busy, FileNotFoundError):
        return False
    try:
        if not is_sent(directory, read_state(directory)):
            return False
        for path in list(directory.iterdir()):
            if path.name != WRITER:
                with contextlib.suppress(OSError):
                    path.unlink()
        if sys.platform == "win32":
            lock.release()
        # Somebody may have begun something in it since then: that stays.
        with contextlib.suppress(OSError):
            (directory / WRITER).unlink(missing_ok=True)
            directory.rmdir()
        return True
    finally:
        lock.release()


def _is_in_spool(refusal: dict[str, Any]) -> bool:
    """
    False: the recording itself refused it, and kept a count and a reason: nothing is left to see.
    """
    return set(refusal) != {"count", "reason"}
