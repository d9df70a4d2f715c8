"""`lossless sync`: sends what is left on this machine."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from ._cleanup import remove_if_sent
from ._errors import LosslessError
from ._login import LoginCredential
from ._sender import HANDOVER, Busy, Sender, SpoolLock
from ._settings import Settings
from ._state import read_state

_HANDOVER_SECONDS = 3.0


def spools(root: Path) -> list[Path]:
    """Recordings that wait, oldest first."""
    if (root / "run.json").is_file():
        return [root]
    try:
        return sorted(path for path in root.iterdir() if (path / "run.json").is_file())
    except (FileNotFoundError, NotADirectoryError):
        return []


def sync(
    directories: Iterable[Path], settings: Settings, out: TextIO, patience: float = 60.0, url: str | None = None
) -> int:
    """
    Sends each recording, exactly once whatever was sent before; gives how many are not complete. One that is still
    recorded, or sent by another process, is left alone. `patience`: seconds without any answer before it gives up.
    """
    credential: Callable[[], str]
    key = settings.credential
    credential = LoginCredential() if settings.organization is not None else lambda: str(key)
    incomplete = 0
    for directory in directories:
        lock = _taken(directory)
        if lock is None:
            print(f"{directory.name}: is being recorded or sent by another process", file=out)
            continue
        try:
            give_up = functools.partial(float, time.monotonic() + patience)
            sender = Sender(directory, credential, settings.organization, lambda: False, give_up, url)
            sender.run()
            print(f"{directory.name}: {_told(directory)}", file=out)
        except (LosslessError, OSError, ValueError) as error:
            incomplete += 1
            print(f"{directory.name}: {error}", file=out)
        finally:
            lock.release()
        if directory.is_dir() and (directory / "run.json").is_file():
            remove_if_sent(directory)
    return incomplete


def _taken(directory: Path) -> SpoolLock | None:
    """A sender that only waits is asked to leave the spool to us."""
    mark = directory / HANDOVER
    try:
        end = time.monotonic() + _HANDOVER_SECONDS
        while True:
            try:
                return SpoolLock(directory)
            except Busy:
                if time.monotonic() >= end:
                    return None
                mark.touch()
                time.sleep(0.1)
    finally:
        mark.unlink(missing_ok=True)


def _told(directory: Path) -> str:
    state = read_state(directory)
    refused = f", {state.refused} refused (see {directory}{os.sep}state.json)" if state.refused else ""
    return f"{state.stored} points stored{refused}"
