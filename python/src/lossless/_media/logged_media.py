"""
Pictures, tables and the like that a script logs: a file each in the recording's directory, and a
line in `media.log`, which the sender reads (_sending/media_files.py). Their number and size are
limited, and LOSSLESS_MEDIA=off turns them off.

    ["f", [[file, path, bytes], …], meta]   the first one was logged, the others are its cells
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .._ground.signal_handlers import is_of_signal_handler
from .._spool.spool import MEDIA_FILE
from .._values.records import encode, line_of
from .media import FILE_BYTES_MAX, Media, Table

FILES_MAX = 10_000
BYTES_MAX = 2 * 2**30
# Media of one name in one call at most, and in the cells of one table.
TOGETHER_MAX = 108
_CELLS_MAX = 1_000
# Bytes that may wait in memory while the disk accepts nothing.
_KEPT_BYTES_MAX = 64 * 2**20
_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")


def is_on() -> bool:
    return os.environ.get("LOSSLESS_MEDIA", "").strip().lower() not in ("off", "0", "false", "no")


class _Kept(NamedTuple):
    """A logged medium: its files, and its line in the log."""

    name: str
    files: list[tuple[str, bytes]]
    line: bytes

    @property
    def size(self) -> int:
        return sum(len(content) for _, content in self.files)

    def write(self, directory: Path) -> None:
        """Writes all of it or nothing. Raises OSError."""
        try:
            for file, content in self.files:
                _written(directory / file, os.O_TRUNC, content)
            _written(directory / MEDIA_FILE, os.O_APPEND, self.line)
        except BaseException:
            for file, _ in self.files:
                with contextlib.suppress(OSError):
                    (directory / file).unlink()
            raise


class LoggedMedia:
    """
    The media of one recording. `refuse(count, reason)` is called for those that cannot be stored.
    """

    def __init__(self, directory: Path, refuse: Callable[[int, str], None]) -> None:
        self._directory = directory
        self._refuse = refuse
        self._is_on = is_on()
        self._problem: OSError | None = None
        self._files = 0
        self._bytes = 0
        # Media that the disk has not accepted yet, in order.
        self._kept: deque[_Kept] = deque()

    def take(self, name: str, media: list[Media], count: int, at: dict[str, int], point_meta: dict[str, Any]) -> None:
        """
        Takes the first TOGETHER_MAX of `count` media that one call logged under `name`. `at` has
        its `step` and `timestampMs`.
        """
        if not self._is_on:
            return
        if count > len(media):
            self._refuse(count - len(media), f"{name[:100]!r}: more than {TOGETHER_MAX} pictures in one call")
        for index, each in enumerate(media):
            try:
                self._take(name, each, at, {"index": index, "count": count} if count > 1 else {}, point_meta)
            except Exception as error:
                if is_of_signal_handler(error):
                    raise
                self._refuse(1, f"{name[:100]!r}: this {each._kind or 'object'} cannot be stored: {error}"[:300])

    def _take(
        self, name: str, media: Media, at: dict[str, int], place: dict[str, Any], point_meta: dict[str, Any]
    ) -> None:
        stem = f"media/{_UNFIT.sub('_', name)[:80]}-{at['step']}"
        files: list[list[Any]] = []
        contents: list[tuple[str, bytes]] = []
        if isinstance(media, Table):
            paths: dict[int, str] = {}
            for cell in media._cells()[:_CELLS_MAX]:
                if id(cell) not in paths:
                    files.append(self._place(contents, stem, *cell._file()))
                    paths[id(cell)] = files[-1][1]
            files.insert(0, self._place(contents, stem, *media._file(paths)))
        else:
            files.append(self._place(contents, stem, *media._file()))
        own = {"kind": media._kind, "name": name[:1_000], **at, **place, **media._described(), **media._shown()}
        meta = {"kind": "media", "_media": {**own, "path": files[0][1], "bytes": files[0][2]}}
        line = line_of(f'["f",{encode(files)},{encode({**meta, **point_meta})}]')
        self._keep(_Kept(name, contents, line))

    def write_kept(self) -> bool:
        """Writes what the disk did not accept before; returns whether nothing waits any more."""
        while self._kept:
            try:
                self._kept[0].write(self._directory)
            except OSError as error:
                if is_of_signal_handler(error):
                    raise
                self._problem = error
                return False
            self._kept.popleft()
        return True

    def give_up(self) -> None:
        """Refuses the media that still wait."""
        while self._kept:
            self._refuse(1, f"{self._kept.popleft().name[:100]!r}: it cannot be stored: {self._problem}"[:300])

    def _keep(self, kept: _Kept) -> None:
        waiting = sum(each.size for each in self._kept)
        self._kept.append(kept)
        if not self.write_kept() and waiting + kept.size > _KEPT_BYTES_MAX:
            self._kept.pop()
            raise ValueError(f"{self._problem}, and {_KEPT_BYTES_MAX} bytes already wait in memory")

    def _place(self, contents: list[tuple[str, bytes]], stem: str, content: bytes, suffix: str) -> list[Any]:
        if len(content) > FILE_BYTES_MAX:
            raise ValueError(f"it has more than {FILE_BYTES_MAX} bytes")
        if self._files >= FILES_MAX or self._bytes + len(content) > BYTES_MAX:
            raise ValueError(f"a recording keeps {FILES_MAX} files and {BYTES_MAX} bytes of them")
        self._files += 1
        self._bytes += len(content)
        file = f"media-{self._files:06d}"
        contents.append((file, content))
        return [file, f"{stem}-{self._files}{suffix}", len(content)]


def _written(path: Path, flag: int, content: bytes) -> None:
    """Writes a file for this user only. Raises OSError."""
    number = os.open(
        path, os.O_WRONLY | os.O_CREAT | flag | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0), 0o600
    )
    with open(number, "wb", buffering=0) as out:
        before = os.fstat(number).st_size
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[out.write(rest) :]
        except BaseException:
            # The next line must not continue a partial one.
            with contextlib.suppress(OSError):
                os.ftruncate(number, before)
            raise
