"""Reads a spool while it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ._records import records_in
from ._spool import segment_path, segments

_CHUNK_BYTES = 2**20


class Placed(NamedTuple):
    """A record (None: damaged), and where the spool is settled once it is."""

    record: list[Any] | None
    segment: int
    offset: int


class Tail:
    """Records from a place on, in order. `read` gives what is there now, at most about a mebibyte at a time."""

    def __init__(self, directory: Path, segment: int, offset: int) -> None:
        self._directory = directory
        self._segment = segment
        self._offset = offset
        self._file: BinaryIO | None = None
        # A line whose end is not there yet.
        self._rest = b""

    def read(self) -> list[Placed]:
        """Empty: nothing new for now."""
        data = self._more()
        if not data and not self._next():
            return []
        if not data:
            data = self._more()
        return list(self._placed(data))

    def skip_rest(self) -> bool:
        """Nobody writes any more: a line without its end will never have one. True when there was something of it."""
        had = bool(self._rest)
        self._rest = b""
        return had

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _placed(self, data: bytes) -> Iterator[Placed]:
        start = self._offset - len(data) - len(self._rest)
        data = self._rest + data
        end = data.rfind(b"\n") + 1
        self._rest = data[end:]
        for behind, record in records_in(data[:end]):
            yield Placed(record, self._segment, start + behind)

    def _more(self) -> bytes:
        if self._file is None:
            try:
                self._file = open(segment_path(self._directory, self._segment), "rb", buffering=0)
            except FileNotFoundError:
                return b""
            self._file.seek(self._offset)
        data = self._file.read(_CHUNK_BYTES) or b""
        self._offset += len(data)
        return data

    def _next(self) -> bool:
        """The next file, when there is one: then this one is complete."""
        if not any(number > self._segment for number in segments(self._directory)):
            return False
        # The writer may have added to this one just before it began the next.
        if self._file is not None and self._file.read(1):
            self._file.seek(self._offset)
            return True
        self.close()
        self._segment += 1
        self._offset = 0
        self._rest = b""
        return True
