"""Directories that belong to one process as long as it lives, and to nobody afterwards."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from ._lock import TAKEN, flock
from ._spool import fresh_word

_LETTERS = 6
_LOCK = "lock"
_TRIES_MAX = 20


class HeldDirectory:
    """
    `<prefix><6 letters>`, for this user only. A lock on a file in it tells that its process lives. The number of a
    process would not tell: after a restart, or in another container, it is that of another one.
    """

    def __init__(self, path: Path, lock: int) -> None:
        self.path = path
        self._lock = lock

    @classmethod
    def made(cls, parent: Path, prefix: str) -> HeldDirectory:
        """A new one. Raises OSError."""
        for _ in range(_TRIES_MAX):
            path = parent / f"{prefix}{fresh_word(_LETTERS)}"
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700, parents=True)
                # Somebody who sweeps may take it between the two steps.
                lock = _locked(path, is_new=True)
                if lock is not None:
                    return cls(path, lock)
        raise OSError(errno.EAGAIN, "no directory can be locked", str(parent))

    @classmethod
    def forgotten(cls, parent: Path, prefix: str) -> Iterator[HeldDirectory]:
        """Those whose process has ended; they are ours from now on: `remove` or `release` them."""
        pattern = re.compile(re.escape(prefix) + f"[0-9a-z]{{{_LETTERS}}}")
        try:
            names = [name for name in os.listdir(parent) if pattern.fullmatch(name)]
        except OSError:
            return
        for name in sorted(names):
            path = parent / name
            if _is_own(path):
                lock = _locked(path, is_new=False)
                if lock is not None:
                    yield cls(path, lock)

    def remove(self) -> None:
        """The lock last: whatever happens meanwhile, the rest is found and removed later."""
        with contextlib.suppress(OSError):
            for entry in list(os.scandir(self.path)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                elif entry.name != _LOCK:
                    os.unlink(entry.path)
        if sys.platform == "win32":
            self.release()
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()

    def release(self) -> None:
        """What is in it stays, for whoever finds it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _is_own(path: Path) -> bool:
    """In a directory that all users share, others may put what looks like ours."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and (sys.platform == "win32" or status.st_uid == os.getuid())


def _locked(path: Path, is_new: bool) -> int | None:
    """The descriptor of the lock; None: somebody else has it, or has removed the directory, or one cannot tell."""
    name = path / _LOCK
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(name, flags, 0o600)
    except OSError as error:
        if is_new and not isinstance(error, FileNotFoundError):
            raise
        return None
    try:
        flock(descriptor)
        # Whoever had it before may have removed the file that we have opened.
        if os.fstat(descriptor).st_ino == os.stat(name).st_ino:
            return descriptor
    except OSError as error:
        # A file system without locks: what is left there stays.
        if is_new and not isinstance(error, FileNotFoundError) and error.errno not in TAKEN:
            return descriptor
    os.close(descriptor)
    return None
