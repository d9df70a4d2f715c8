"""When a spool has nothing left to give."""

from __future__ import annotations

import shutil
from pathlib import Path

from ._spool import SYSTEM_FILE, segment_path, segments
from ._state import State, read_state


def is_sent(directory: Path, state: State) -> bool:
    """Every record is settled, and none was refused: nobody has to look at it again."""
    if state.refused or state.damaged or state.stopped is not None:
        return False
    system = directory / SYSTEM_FILE
    if system.exists() and system.stat().st_size != state.system_offset:
        return False
    left = [number for number in segments(directory) if number >= state.segment]
    return left in ([], [state.segment]) and (
        not left or segment_path(directory, state.segment).stat().st_size == state.offset
    )


def remove_if_sent(directory: Path) -> bool:
    state = read_state(directory)
    if not is_sent(directory, state):
        return False
    shutil.rmtree(directory, ignore_errors=True)
    return True
