"""When a spool has nothing left to give."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from ._spool import SYSTEM_FILE, segment_path, segments
from ._state import State, read_state


def is_sent(directory: Path, state: State) -> bool:
    """Every record is settled, and the service refused none: nobody has to look at it again."""
    if state.damaged or state.stopped is not None or any(_is_in_spool(refusal) for refusal in state.refusals):
        return False
    system = directory / SYSTEM_FILE
    if system.exists() and system.stat().st_size != state.system_offset:
        return False
    sizes = {number: segment_path(directory, number).stat().st_size for number in segments(directory)}
    return all(
        size == (state.offset if number == state.segment else 0)
        for number, size in sizes.items()
        if number >= state.segment
    )


def remove_if_sent(directory: Path) -> bool:
    """Only for whoever holds the sender's lock, and when nobody records any more."""
    if not is_sent(directory, read_state(directory)):
        return False
    shutil.rmtree(directory, ignore_errors=True)
    return True


def _is_in_spool(refusal: dict[str, Any]) -> bool:
    """What the recording did not take has a count and a reason only: there is nothing of it to be looked at."""
    return set(refusal) != {"count", "reason"}
