"""The spool of a recording that begins, or another place where that one cannot be written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .._ground.settings import fallback_spool
from .._ground.signal_handlers import is_of_signal_handler
from .._spool.head import RunInfo
from .._spool.spool import SpoolWriter


def new_spool(root: Path | None, info: RunInfo, warn: Callable[[str, str], None]) -> SpoolWriter | None:
    """None: it can be written nowhere, and nothing is recorded."""
    problem = "this user has no home directory"
    try:
        if root is not None:
            return SpoolWriter(root, info)
    except OSError as error:
        if is_of_signal_handler(error):
            raise
        problem = f"{root}: {error}"
    try:
        spool = SpoolWriter(fallback_spool(), info)
    except OSError as error:
        if is_of_signal_handler(error):
            raise
        what = "set LOSSLESS_SPOOL to a directory"
        warn("spool", f"nothing is recorded: {problem}; {error}; {what}")
        return None
    if root is not None:
        warn("spool", f"{problem}: recording into {spool.directory}")
    return spool
