"""The end of a recording waits until what is in memory is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from .recorder import Recorder

_DISK_AGAIN_SECONDS = 0.05


def write_media_until(recorder: Recorder, lock: AbstractContextManager[object], ends: float) -> None:
    """Waits until logged files are on the disk: after the end none is sent."""
    while True:
        with lock:
            if recorder.media.write_kept():
                return
            if time.monotonic() >= ends:
                return recorder.media.give_up()
            # The disk has room again once earlier files are sent.
            recorder.write_kept()
        time.sleep(_DISK_AGAIN_SECONDS)


def write_lines_until(
    recorder: Recorder, lock: AbstractContextManager[object], look_after: Callable[[], object], ends: float
) -> None:
    """Waits until lines in memory are on the disk or sent; afterwards they are lost."""
    while True:
        with lock:
            is_written = recorder.write_kept()
            if not is_written:
                look_after()
            if not is_written and time.monotonic() >= ends:
                return recorder.give_up()
        if is_written:
            return
        time.sleep(_DISK_AGAIN_SECONDS)
