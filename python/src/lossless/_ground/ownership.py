"""
Owners of files and directories: in shared places other users may plant ones that look like ours.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

_SUPERUSER = 0
_OPEN_TO_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_READ_ONLY = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    # Opening a pipe must not wait for a writer.
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


class NotOurs(PermissionError):
    """
    Another user has made the file, or can change it: nothing of it is read. `is_foreign`: it does
    not concern this user.
    """

    def __init__(self, text: str, is_foreign: bool = False) -> None:
        super().__init__(text)
        self.is_foreign = is_foreign


def is_own_directory(path: Path) -> bool:
    """Whether this user has made the directory, and it is no link."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and _is_ours(status)


def is_own_file(number: int) -> bool:
    return _is_ours(os.fstat(number))


def check_own_directory(path: Path) -> None:
    """
    Raises NotOurs where another user has made the directory or can write to it, OSError where it is
    absent.
    """
    status = os.lstat(path)
    if not stat.S_ISDIR(status.st_mode):
        raise NotOurs(f"{path} is not a directory but {_kind(status)}")
    if not _is_ours(status):
        raise NotOurs(f"{path} belongs to another user (number {status.st_uid})", is_foreign=True)
    if _is_open(status):
        raise NotOurs(f"{path} can be written by other users; if its content is yours, run chmod go-w {path}")


def check_place(path: Path) -> None:
    """
    Checks a directory in which ours are looked for: no other user may be able to replace one of
    them. Where all may write, as below /tmp, the sticky bit prevents that. Raises NotOurs, OSError.
    """
    # May be the user's own link to another disk.
    status = os.stat(path)
    if sys.platform == "win32":
        return
    if status.st_uid not in (os.getuid(), _SUPERUSER):
        raise NotOurs(f"{path} belongs to another user (number {status.st_uid})", is_foreign=True)
    if status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX:
        raise NotOurs(f"{path} can be written by all users; if its content is yours, run chmod o-w {path}")


def opened_to_read(path: Path) -> int:
    """
    Opens a regular file of the user who made its directory; links are not followed. Raises NotOurs,
    OSError.
    """
    file = os.open(path, _READ_ONLY)
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode):
            raise NotOurs(f"{path} is not a file but {_kind(status)}")
        # Some file systems show all files as one user's: files made here have the same owner as
        # their directory.
        if not _is_ours(status) and status.st_uid != os.lstat(path.parent).st_uid:
            raise NotOurs(f"{path} belongs to another user (number {status.st_uid})", is_foreign=True)
        return file
    except BaseException:
        os.close(file)
        raise


def read_own(path: Path) -> bytes:
    """Reads the whole file. Raises NotOurs, OSError."""
    with os.fdopen(opened_to_read(path), "rb") as file:
        return file.read()


def _is_ours(status: os.stat_result) -> bool:
    return sys.platform == "win32" or status.st_uid == os.getuid()


def _is_open(status: os.stat_result) -> bool:
    return sys.platform != "win32" and bool(status.st_mode & _OPEN_TO_OTHERS)


def _kind(status: os.stat_result) -> str:
    return "a link" if stat.S_ISLNK(status.st_mode) else "something else"
