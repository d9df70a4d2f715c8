"""Removal of spools whose content was sent."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Any

from .._ground.lock import WRITER, Busy, Lock
from .head import HEAD_FILE, segment_path, segments
from .sent_state import STATE_FILE, State, read_state
from .spool import CONSOLE_FILE, MEDIA_FILE, SYSTEM_FILE

# Files with the progress and the experiment go last: the rest of an interrupted removal is then
# known to be sent.
_LAST = (STATE_FILE, HEAD_FILE)
_CHUNK_BYTES = 2**20


def is_sent(directory: Path, state: State) -> bool:
    """
    Whether every record is settled, and none was refused by the service, so that nothing is left to
    look at.
    """
    is_damaged = state.damaged > state.damaged_last
    if (
        is_damaged
        or state.origin_is_open
        or state.stopped is not None
        or any(_is_in_spool(refusal) for refusal in state.refusals)
    ):
        return False
    files = [(SYSTEM_FILE, state.system_offset), (MEDIA_FILE, state.media_offset)]
    if state.console_refused is None:
        files.append((CONSOLE_FILE, state.console_offset))
    for name, offset in files:
        if _has_lines(directory / name, offset):
            return False
    sizes = {number: segment_path(directory, number).stat().st_size for number in segments(directory)}
    return all(
        size <= state.offset if number == state.segment else size == 0
        for number, size in sizes.items()
        if number >= state.segment
    )


def remove_if_sent(directory: Path) -> bool:
    """
    Removes the directory; the caller must hold the sender's lock. The writer's is held as well: a
    process that records, and has lost it with all descriptors, waits for it, and finds that the
    directory is gone.
    """
    try:
        lock = Lock(directory, WRITER)
    except (Busy, FileNotFoundError):
        return False
    try:
        if not is_sent(directory, read_state(directory)):
            return False
        remove(directory, but=WRITER)
        if sys.platform == "win32":
            lock.release()
        # Another process may have begun something in it since: that stays.
        with contextlib.suppress(OSError):
            (directory / WRITER).unlink(missing_ok=True)
            directory.rmdir()
        return True
    finally:
        lock.release()


def remove(directory: Path, but: str | None = None) -> None:
    """Removes its content, and the directory itself when nothing stays."""
    with contextlib.suppress(OSError):
        for path in sorted(directory.iterdir(), key=lambda path: (path.name in _LAST, path.name)):
            if path.name != but:
                with contextlib.suppress(OSError):
                    path.unlink()
        directory.rmdir()


def _has_lines(path: Path, offset: int) -> bool:
    """
    Whether any line ends after the place: a line without an end, left by a crash, does not count.
    """
    try:
        with open(path, "rb") as file:
            file.seek(offset)
            return any(b"\n" in data for data in iter(lambda: file.read(_CHUNK_BYTES), b""))
    except FileNotFoundError:
        return False


def _is_in_spool(refusal: dict[str, Any]) -> bool:
    """
    Whether the refused data is in the spool. The recording's own refusals only left a count and a
    reason.
    """
    return set(refusal) != {"count", "reason"}
