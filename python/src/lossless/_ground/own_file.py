"""Our descriptors in a process that belongs to a script."""

from __future__ import annotations

import contextlib
import os
import stat
import sys

_NOT_OF_OTHERS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class OwnFile:
    """
    A descriptor that notices when it is no longer ours: a script may close every open descriptor
    (`os.closerange`, as daemons do), and its own files then get the numbers, which must be neither
    written to nor closed. Takes over the number. Raises OSError.
    """

    def __init__(self, number: int) -> None:
        self.number = above_standard(number)
        self._is_open = True
        status = self._status()
        self._identity = None if status is None else (status.st_dev, status.st_ino)
        # On most file systems only regular files show by their links whether they have a name.
        self._has_name = status is not None and stat.S_ISREG(status.st_mode) and status.st_nlink > 0

    def is_ours(self) -> bool:
        """Whether the number still refers to the same file."""
        return self._own_status() is not None

    def is_lost(self) -> bool:
        """Whether it is no longer ours, or was removed: what is written to it is lost."""
        status = self._own_status()
        return status is None or (self._has_name and status.st_nlink == 0)

    def close(self) -> None:
        if self.is_ours():
            with contextlib.suppress(OSError):
                os.close(self.number)
        self._is_open = False

    def _own_status(self) -> os.stat_result | None:
        status = self._status() if self._is_open else None
        return status if status is not None and (status.st_dev, status.st_ino) == self._identity else None

    def _status(self) -> os.stat_result | None:
        try:
            return os.fstat(self.number)
        except OSError:
            return None


def opened_to_append(path: str | os.PathLike[str]) -> OwnFile:
    """Opens a file for appending, for this user only; created if missing. Raises OSError."""
    return OwnFile(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _NOT_OF_OTHERS, 0o600))


def above_standard(number: int) -> int:
    """
    Moves a number up to 2, which is free where stderr is closed: printed text would get into our
    file.
    """
    if number > 2 or sys.platform == "win32":
        return number
    import fcntl

    try:
        return fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(number)
