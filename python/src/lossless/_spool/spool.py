"""
The directory where a recording waits until the service has acknowledged it.

One process writes (`SpoolWriter`), another one reads and sends (`_sending`). Lines accepted by
`write` survive the death of the process: they are in the kernel, if not on the disk.

    <spool>/<time>-<id>/
        run.json            the head, see head.py; written once
        events-000001.log   the head again, and records, see _values/records.py; one each 64 MiB,
                            removed when sent
        system.log          metrics of the machine, see _sending/system.py; the sender writes it
        console.log         what the process prints, see _console/capture.py; its sent part gives
                            its disk back, which console.log.sent notes, see given_back.py
        origin.json         source and environment, see _origin/gathered.py; the sender writes it
        changes.diff        of the source
        media.log           names of logged files, media-000001 …, see _media/logged_media.py
        state.json          progress of the sender; written by the sender alone
        terminated          the mark of SIGTERM, see _recording/termination.py
        lock                held by the sender
        writer              held by the process that records
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from .._ground.lock import WRITER, Busy, Lock
from .._ground.own_file import OwnFile, opened_to_append
from .._ground.signal_handlers import is_of_signal_handler
from .head import HEAD_FILE, RunInfo, head_line, segment_path

SYSTEM_FILE = "system.log"
MEDIA_FILE = "media.log"
CONSOLE_FILE = "console.log"
ORIGIN_FILE = "origin.json"
DIFF_FILE = "changes.diff"
# Not empty when SIGTERM has ended the process.
TERMINATED_FILE = "terminated"
_SEGMENT_BYTES = 64 * 2**20
# Seconds for which lines may go into a file that is no longer ours.
_LOOK_SECONDS = 0.01
# Seconds to wait for the removal of what was sent.
_REMOVAL_SECONDS = 0.1


def write_whole(path: Path, content: Any) -> None:
    """Writes a file completely or not at all."""
    partial = path.with_name(f"{path.name}.partial")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    with os.fdopen(os.open(partial, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps(content))
    os.replace(partial, path)


def write_segment(directory: Path, number: int, lines: bytes) -> None:
    """Writes a file with records completely or not at all. Raises OSError."""
    partial = directory / f"{number:06d}.partial"
    try:
        file = opened_to_append(partial)
        try:
            rest = memoryview(lines)
            while rest:
                rest = rest[os.write(file.number, rest) :]
        finally:
            file.close()
        os.replace(partial, segment_path(directory, number))
    except OSError:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


class SpoolWriter:
    """A new recording, written line by line, under the caller's lock. Raises OSError."""

    def __init__(self, root: Path, info: RunInfo) -> None:
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(info.created_at_ms / 1000))
        self.directory = root / f"{stamp}-{info.prefix}"
        self._info = info
        self._head = head_line(info)
        self._look_at = 0.0
        self._number = 1
        self._file: OwnFile | None = None
        self._lock: Lock | None = None
        self._is_closed = False
        self.directory.mkdir(mode=0o700, parents=True)
        try:
            self._create()
        except OSError:
            self.close()
            # A full disk: no recording should be found that never began.
            shutil.rmtree(self.directory, ignore_errors=True)
            raise

    def _create(self) -> None:
        # The lock comes before run.json, which makes it visible to others: it must not seem over.
        if self._lock is None or self._lock.is_lost():
            self._lock = self._locked()
        self._bytes = 0
        # Bytes present of a line that was partly written.
        self._torn_bytes = 0
        self._file = self._open()
        if not (self.directory / HEAD_FILE).exists():
            write_whole(self.directory / HEAD_FILE, dataclasses.asdict(self._info))

    def write(self, line: bytes) -> None:
        """
        Appends a complete line. Raises OSError (a full disk): then the line is not in the spool.
        """
        now = time.monotonic()
        if now >= self._look_at:
            self._look_at = now + _LOOK_SECONDS
            self._find_again()
        self._take_back()
        try:
            self._torn_bytes = os.write(self._number_of_file(), line)
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            self._find_again()
            self._torn_bytes = os.write(self._number_of_file(), line)
        try:
            while self._torn_bytes < len(line):
                self._torn_bytes += os.write(self._number_of_file(), line[self._torn_bytes :])
        except OSError as error:
            if not is_of_signal_handler(error):
                with contextlib.suppress(OSError):
                    self._take_back()
            raise
        self._torn_bytes = 0
        self._bytes += len(line)
        if self._bytes >= _SEGMENT_BYTES:
            self._next()

    def _take_back(self) -> None:
        """Cuts off a partial line, which the next one must not continue. Raises OSError."""
        if self._torn_bytes:
            file = self._number_of_file()
            os.ftruncate(file, max(0, os.fstat(file).st_size - self._torn_bytes))
            self._torn_bytes = 0

    def pass_over(self) -> int:
        """
        Returns the number of a segment whose lines reach the sender another way; later lines come
        after it. Nothing may be written before those lines are settled, except by `write_piece`:
        the sender would not wait for them.
        """
        if self._file is not None:
            with contextlib.suppress(OSError):
                self._take_back()
            self._file.close()
            self._file = None
            self._number += 1
        self._torn_bytes = 0
        self._number += 1
        return self._number - 1

    def write_piece(self, number: int, lines: bytes) -> None:
        """Writes such a segment, completely or not at all. Raises OSError."""
        write_segment(self.directory, number, lines)

    @property
    def head(self) -> bytes:
        """The first line of a segment."""
        return self._head

    def close(self, keeps_file: bool = False) -> None:
        """
        Ends the recording for all readers. `keeps_file`: a write may be running below us on the
        stack, with a number that must not become another file's.
        """
        self._is_closed = True
        if self._lock is not None:
            self._lock.release()
        if self._file is not None and not keeps_file:
            self._file.close()
            self._file = None

    def _next(self) -> None:
        """Begins a new file; the old one is complete once the new one exists."""
        old = self._file
        self._number += 1
        try:
            self._file = self._open()
        except OSError as error:
            self._number -= 1
            if is_of_signal_handler(error):
                raise
            return
        self._bytes = 0
        if old is not None:
            old.close()

    def _number_of_file(self) -> int:
        if self._file is None:
            raise OSError(errno.EBADF, "the recording is over")
        return self._file.number

    def _find_again(self) -> None:
        """Reopens what the script closed, and recreates what was removed, until that succeeds."""
        if self._is_closed:
            return
        if self._file is not None and not self._file.is_lost():
            if self._lock is None or self._lock.is_lost():
                # Busy: another process is looking at it now.
                with contextlib.suppress(Busy):
                    self._lock = Lock(self.directory, WRITER)
            return
        if self._file is not None:
            if not segment_path(self.directory, self._number).exists():
                # The sent part of this number's file may be known: it is no place in a new one.
                self._number += 1
            self._file.close()
            self._file = None
        try:
            self._create()
        except FileNotFoundError:
            # Its sender took the recording for ended, or it was removed.
            self.directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._create()

    def _locked(self) -> Lock | None:
        """
        Takes the lock, which is held briefly to remove what was sent. None: another process keeps
        it.
        """
        end = time.monotonic() + _REMOVAL_SECONDS
        while True:
            try:
                return Lock(self.directory, WRITER)
            except Busy:
                if time.monotonic() >= end:
                    return None
                time.sleep(0.001)

    def _open(self) -> OwnFile:
        file = opened_to_append(segment_path(self.directory, self._number))
        # A disk that accepts no head now may accept a line later.
        try:
            if os.fstat(file.number).st_size == 0:
                written = os.write(file.number, self._head)
                self._torn_bytes = 0 if written == len(self._head) else written
        except OSError as error:
            if is_of_signal_handler(error):
                raise
        return file
