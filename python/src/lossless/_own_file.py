"""Descriptors of ours in a process that is not ours."""

from __future__ import annotations

import contextlib
import os
import sys

_CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)


class OwnFile:
    """
    A script may close every descriptor that is open (`os.closerange`, as daemons do), and its own files get their
    numbers then: these must neither be written into nor be closed. Takes the number over. Raises OSError.
    """

    def __init__(self, number: int) -> None:
        self.number = _above_standard(number)
        self._is_open = True
        self._identity = self._seen()

    def is_ours(self) -> bool:
        """Still the same file, and one that is in its directory."""
        return self._is_open and self._identity is not None and self._seen() == self._identity

    def close(self) -> None:
        if self.is_ours():
            with contextlib.suppress(OSError):
                os.close(self.number)
        self._is_open = False

    def _seen(self) -> tuple[int, int] | None:
        try:
            found = os.fstat(self.number)
        except OSError:
            return None
        return (found.st_dev, found.st_ino)


def opened_to_append(path: str | os.PathLike[str]) -> OwnFile:
    """Made when there is none, for this user only. Raises OSError."""
    return OwnFile(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _CLOSE_ON_EXEC, 0o600))


def _above_standard(number: int) -> int:
    """Where stderr is closed, its number is free, and what a script writes there would come into our file."""
    if number > 2 or sys.platform == "win32":
        return number
    import fcntl

    try:
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(number)
