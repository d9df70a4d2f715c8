"""Locks on a recording's directory, which the system gives back when their process dies.

`lock` is held by whoever sends, `writer` by the process that records. Where a file system has no locks (Lustre and NFS
without them), the same name in this machine's temporary directory is locked instead.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import weakref
from pathlib import Path

from ._errors import LosslessError

SENDER = "lock"
WRITER = "writer"
TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)


class Busy(LosslessError):
    """Another process holds it."""


class Lock:
    """Taken at once, or Busy. A forked child does not hold what its parent does."""

    def __init__(self, directory: Path, name: str) -> None:
        self._file = _taken(directory, name)
        # An inherited file would hold the lock for as long as the child lives.
        if hasattr(os, "register_at_fork"):
            reference = weakref.ref(self)

            def in_child() -> None:
                lock = reference()
                if lock is not None:
                    lock.release()

            os.register_at_fork(after_in_child=in_child)

    def release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def is_recorded(directory: Path) -> bool:
    """Whether a process still records into it."""
    try:
        file = _taken(directory, WRITER)
    except Busy:
        return True
    if file >= 0:
        os.close(file)
    return False


def _taken(directory: Path, name: str) -> int:
    try:
        return _locked(directory / name, directory)
    except OSError:
        pass
    user = os.getuid() if hasattr(os, "getuid") else 0
    try:
        return _locked(Path(tempfile.gettempdir()) / f"lossless-{user}-{directory.name}.{name}", directory)
    except OSError:
        # No locks anywhere: what is sent twice is stored once, and not sending would be worse.
        return -1


def _locked(path: Path, directory: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        flock(file)
    except OSError as error:
        os.close(file)
        if error.errno in TAKEN:
            raise Busy(f"{directory} is in use by another process") from None
        raise
    return file


def flock(file: int) -> None:
    """At once. Raises OSError: one of `TAKEN` when another process has it, others where there are no locks."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
