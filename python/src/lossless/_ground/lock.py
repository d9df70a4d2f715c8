"""
Locks on a recording's directory, which the system releases when their process dies.

`lock` is held by the sender, `writer` by the process that records. Where a file system has no locks
(Lustre and NFS without them), the same name in this machine's temporary directory is locked
instead.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import weakref
from pathlib import Path
from typing import Protocol

from .errors import LosslessError
from .own_file import OwnFile
from .ownership import NotOurs, is_own_file
from .signal_handlers import is_of_signal_handler

SENDER = "lock"
WRITER = "writer"
TAKEN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)


class Releasable(Protocol):
    def release(self) -> None: ...


class Busy(LosslessError):
    """Another process holds the lock."""


class Lock:
    """
    A lock, taken at once; raises Busy, or FileNotFoundError when there is no such directory. A
    forked child does not hold its parent's locks.
    """

    def __init__(self, directory: Path, name: str) -> None:
        file = _taken(directory, name)
        # None: the file system has no locks.
        self._file = None if file < 0 else OwnFile(file)
        release_in_children(self)

    def release(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def is_lost(self) -> bool:
        """Whether the script has closed or removed the file."""
        return self._file is not None and self._file.is_lost()


def release_in_children(lock: Releasable) -> None:
    """
    Releases a lock in forked children, which inherit the file and would hold the lock while they
    live.
    """
    _held.add(lock)


def is_recorded(directory: Path) -> bool:
    """Whether a process still records into the directory."""
    try:
        file = _taken(directory, WRITER)
    except Busy:
        return True
    except FileNotFoundError:
        return False
    if file >= 0:
        os.close(file)
    return False


def _taken(directory: Path, name: str) -> int:
    try:
        return _locked(directory / name, directory)
    except FileNotFoundError:
        # A recording that was removed needs no lock.
        raise
    except OSError as error:
        if is_of_signal_handler(error):
            raise
    try:
        return _locked(elsewhere(directory, name), directory, is_shared=True)
    except OSError as error:
        if is_of_signal_handler(error):
            raise
        # There are no locks anywhere: sending twice stores once, and not sending would be worse.
        return -1


def elsewhere(directory: Path, name: str) -> Path:
    """The file that is locked where the directory's file system has no locks."""
    user = os.getuid() if hasattr(os, "getuid") else 0
    return Path(tempfile.gettempdir()) / f"lossless-{user}-{directory.name}.{name}"


def _locked(path: Path, directory: Path, is_shared: bool = False) -> int:
    """Opens and locks the file. `is_shared`: others may put a file there, and hold it for ever."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if is_shared and not is_own_file(file):
            raise NotOurs(f"{path} belongs to another user")
        flock(file)
    except OSError as error:
        os.close(file)
        if error.errno in TAKEN and not isinstance(error, NotOurs):
            raise Busy(f"{directory} is in use by another process") from None
        raise
    return file


def flock(file: int) -> None:
    """
    Locks without waiting. Raises OSError: one of `TAKEN` when another process has it, others where
    there are no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# All locks share one hook: the system keeps every hook for ever.
_held: weakref.WeakSet[Releasable] = weakref.WeakSet()


def _release_all() -> None:
    for lock in list(_held):
        lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_all)
