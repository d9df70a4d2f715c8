"""
Gives the disk of a sent part of a file back while others append to it: the rest keeps its place, so
neither they nor forked children, which share the descriptor, have to know.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .._ground.ownership import read_own

# The end of the note's name, behind the file's.
_NOTE_SUFFIX = ".sent"
_BLOCK_BYTES = 4096
# Linux: the file keeps its size, and the stretch has no blocks.
_KEEP_SIZE_AND_PUNCH_HOLE = 0x01 | 0x02
# macOS: fcntl with {flags, reserved, offset, length}.
_F_PUNCHHOLE = 99
_PUNCHED = struct.Struct("=IIqq")


class Sent(NamedTuple):
    """A part of a file that was sent: its end, and the count of its lines."""

    offset: int
    lines: int


def give_back(path: Path, sent: Sent) -> None:
    """
    Notes the part beside the file, on the disk, before its content is gone: whoever has no other
    record of how far it was sent begins there. Raises OSError, also where the system cannot do it.
    """
    length = sent.offset - sent.offset % _BLOCK_BYTES
    if length <= 0:
        return
    _write_note(path, sent)
    file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0))
    try:
        _punch(file, length)
    finally:
        os.close(file)


def noted(path: Path) -> Sent | None:
    """Returns the part that was given back; None: nothing was."""
    try:
        content: Any = json.loads(read_own(_note(path)))
        return Sent(int(content["offset"]), int(content["lines"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _note(path: Path) -> Path:
    return path.with_name(path.name + _NOTE_SUFFIX)


def _write_note(path: Path, sent: Sent) -> None:
    partial = path.with_name(f"{path.name}{_NOTE_SUFFIX}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    with os.fdopen(os.open(partial, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(sent._asdict()))
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, _note(path))


def _punch(file: int, length: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(file, _F_PUNCHHOLE, _PUNCHED.pack(0, 0, 0, length))
        return
    if not sys.platform.startswith("linux"):
        raise OSError("this system gives no part of a file back")
    library = ctypes.CDLL(None, use_errno=True)
    fallocate = getattr(library, "fallocate64", None) or library.fallocate
    fallocate.argtypes = (ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64)
    if fallocate(file, _KEEP_SIZE_AND_PUNCH_HOLE, 0, length) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
