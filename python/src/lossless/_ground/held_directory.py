"""Directories that belong to one process as long as it lives, and to nobody afterwards."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from .fresh_word import fresh_word
from .lock import TAKEN, elsewhere, flock, release_in_children
from .ownership import is_own_directory

_LETTERS = 6
_LOCK = "lock"
_TRIES_MAX = 20


class HeldDirectory:
    """
    `<prefix><6 letters>`, for this user only. A lock on a file in it tells that its process lives.
    The number of a process would not tell: after a restart, or in another container, it is that of
    another one.

    Where the file system has no locks, a file in this machine's temporary directory is locked
    instead. That it is there tells, too, that the directory is of this machine: what another one
    has left, or is at, stays.
    """

    def __init__(self, path: Path, lock: int, locked: Path) -> None:
        self.path = path
        self._lock = lock
        self._locked = locked
        release_in_children(self)

    @classmethod
    def made(cls, parent: Path, prefix: str) -> HeldDirectory:
        """Makes a new one. Raises OSError."""
        for _ in range(_TRIES_MAX):
            path = parent / f"{prefix}{fresh_word(_LETTERS)}"
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700, parents=True)
                # Somebody who sweeps may take it between the two steps.
                lock = _locked(path, is_new=True)
                if lock is not None:
                    return cls(path, *lock)
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
            if is_own_directory(path):
                lock = _locked(path, is_new=False)
                if lock is not None:
                    yield cls(path, *lock)

    def remove(self) -> None:
        """Removes it, the lock last: if it is interrupted, the rest is found later."""
        if self._lock < 0:
            return
        with contextlib.suppress(OSError):
            for entry in list(os.scandir(self.path)):
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                elif entry.name != _LOCK:
                    os.unlink(entry.path)
        if sys.platform == "win32":
            self.release()
        shutil.rmtree(self.path, ignore_errors=True)
        if self._locked.parent != self.path and not self.path.exists():
            with contextlib.suppress(OSError):
                self._locked.unlink(missing_ok=True)
        self.release()

    def release(self) -> None:
        """Gives up the lock; what is in the directory stays, for whoever finds it."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _locked(path: Path, is_new: bool) -> tuple[int, Path] | None:
    """
    The descriptor of the lock and its file; None: somebody else has it, or has removed the
    directory, or one cannot tell.
    """
    own = path / _LOCK
    try:
        descriptor = _opened(own, os.O_CREAT)
    except OSError as error:
        if is_new and not isinstance(error, FileNotFoundError):
            raise
        return None
    is_locked = _is_locked(descriptor, own)
    if is_locked is None:
        there = elsewhere(path, _LOCK)
        with contextlib.suppress(OSError):
            # Whoever looks for what is left makes no file: without one it may be another machine's.
            other = _opened(there, os.O_CREAT if is_new else 0)
            is_locked = _is_locked(other, there)
            if is_locked:
                os.close(descriptor)
                return other, there
            os.close(other)
    # There are no locks anywhere: what is left there stays.
    if is_locked or (is_locked is None and is_new):
        return descriptor, own
    os.close(descriptor)
    return None


def _opened(path: Path, more: int) -> int:
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    return os.open(path, flags | more, 0o600)


def _is_locked(descriptor: int, path: Path) -> bool | None:
    """False: somebody else has it, or has removed the opened file; None: here are no locks."""
    try:
        flock(descriptor)
        return os.fstat(descriptor).st_ino == os.stat(path).st_ino
    except FileNotFoundError:
        return False
    except OSError as error:
        return False if error.errno in TAKEN else None
