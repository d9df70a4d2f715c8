"""Directories that belong to one process while it lives, and to no process afterwards."""

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
    A directory `<prefix><6 letters>`, for this user only. A lock on a file in it shows that its
    process lives. The number of a process would not: after a restart, or in another container, it
    is another process.

    Where the file system has no locks, a file in this machine's temporary directory is locked
    instead. Its presence also shows that the directory belongs to this machine: directories of
    other machines, in use or left over, are not touched.
    """

    def __init__(self, path: Path, lock: int, locked: Path) -> None:
        self.path = path
        self._lock = lock
        self._locked = locked
        release_in_children(self)

    @classmethod
    def made(cls, parent: Path, prefix: str) -> HeldDirectory:
        """Makes a new directory. Raises OSError."""
        for _ in range(_TRIES_MAX):
            path = parent / f"{prefix}{fresh_word(_LETTERS)}"
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700, parents=True)
                # A sweep by another process may take it between the two steps.
                lock = _locked(path, is_new=True)
                if lock is not None:
                    return cls(path, *lock)
        raise OSError(errno.EAGAIN, "no directory can be locked", str(parent))

    @classmethod
    def forgotten(cls, parent: Path, prefix: str) -> Iterator[HeldDirectory]:
        """
        Yields directories whose processes have ended. They are ours from now on: `remove` or
        `release` each.
        """
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
        """Removes the directory, the lock last: after an interruption the rest is found later."""
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
        """Releases the lock; the directory and its content stay."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def _locked(path: Path, is_new: bool) -> tuple[int, Path] | None:
    """
    Returns the descriptor of the lock and its file; None: another process holds it, or has removed
    the directory, or it is unknown.
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
            # A search for leftovers makes no file: without one the directory may be another
            # machine's.
            other = _opened(there, os.O_CREAT if is_new else 0)
            is_locked = _is_locked(other, there)
            if is_locked:
                os.close(descriptor)
                return other, there
            os.close(other)
    # There are no locks anywhere: leftovers there stay.
    if is_locked or (is_locked is None and is_new):
        return descriptor, own
    os.close(descriptor)
    return None


def _opened(path: Path, more: int) -> int:
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    return os.open(path, flags | more, 0o600)


def _is_locked(descriptor: int, path: Path) -> bool | None:
    """
    Locks the file. False: another process has it, or has removed the opened file; None: there are
    no locks here.
    """
    try:
        flock(descriptor)
        return os.fstat(descriptor).st_ino == os.stat(path).st_ino
    except FileNotFoundError:
        return False
    except OSError as error:
        return False if error.errno in TAKEN else None
