"""
When recordings of this user began, so that an older one sent later does not replace a newer one.

The service knows when an experiment was started last, but not for which recording: a start that
waited in a spool looks newer than it is. So every opening and start is noted here with its
recording.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

from .._ground.settings import default_spool

_BYTES_MAX = 2**20


class Start(NamedTuple):
    # When the recording began, by this machine's clock.
    created_at_ms: int
    # When its opening or start was sent, by the service's clock.
    sent_at_ms: float


def note(experiment_id: str, created_at_ms: int, sent_at_ms: float) -> None:
    """Notes a start, if possible: without the note, clocks decide."""
    with contextlib.suppress(OSError, ValueError):
        path = _list()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(path, "ab") as file:
            file.write(f"{experiment_id} {created_at_ms} {sent_at_ms:.0f}\n".encode("ascii"))
            size = file.tell()
        if size > _BYTES_MAX:
            kept = path.read_bytes()[-_BYTES_MAX // 2 :]
            partial = path.with_name(f"{path.name}.{os.getpid()}")
            partial.write_bytes(kept[kept.find(b"\n") + 1 :])
            os.replace(partial, path)


def known(experiment_id: str) -> list[Start]:
    starts = []
    with contextlib.suppress(OSError):
        for line in _list().read_text("ascii", "replace").splitlines():
            words = line.split()
            if len(words) == 3 and words[0] == experiment_id and words[1].isdigit() and words[2].isdigit():
                starts.append(Start(int(words[1]), float(words[2])))
    return starts


def _list() -> Path:
    return default_spool().parent / "starts"
