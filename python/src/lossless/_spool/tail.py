"""Reads a spool while it is written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .._ground.ownership import opened_to_read
from .._values.records import packed_records_in
from .handed_lines import HandedLines
from .head import segment_path, segments

_CHUNK_BYTES = 2**20


class Placed(NamedTuple):
    """
    A record, "p" with floats (None: damaged), and the place up to which the spool is settled once
    it is.
    """

    record: list[Any] | None
    segment: int
    offset: int


class Tail:
    """
    Reads records from a place on, in order. `read` returns what is there now, at most about a
    mebibyte at a time, or one longer line.
    """

    def __init__(self, directory: Path, segment: int, offset: int, handed: HandedLines | None = None) -> None:
        self._directory = directory
        # Segments that the disk did not accept.
        self._handed = handed or HandedLines()
        self._segment = segment
        self._offset = offset
        self._file: BinaryIO | None = None
        # The beginning of a line without its end yet.
        self._rest = bytearray()

    def read(self) -> list[Placed]:
        """Returns the next records; empty: there is nothing new for now."""
        while True:
            # Data read at the end of a file is new, and belongs to the unfinished line.
            while data := self._more():
                self._rest += data
                if b"\n" in data:
                    return list(self._placed())
            torn = self._torn_at_end()
            if torn is None:
                return []
            if torn:
                return torn

    def skip_rest(self) -> Placed | None:
        """Skips an unfinished line, when nothing is written any more. None: there is none."""
        if not self._rest:
            return None
        self._rest.clear()
        return Placed(None, self._segment, self._offset)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _placed(self) -> Iterator[Placed]:
        start = self._offset - len(self._rest)
        end = self._rest.rfind(b"\n") + 1
        lines = bytes(self._rest[:end])
        del self._rest[:end]
        for behind, record in packed_records_in(lines):
            yield Placed(record, self._segment, start + behind)

    def _more(self) -> bytes:
        piece = self._handed.piece(self._segment)
        if piece is not None:
            data = piece[self._offset : self._offset + _CHUNK_BYTES]
            self._offset += len(data)
            return data
        if self._file is None:
            try:
                number = opened_to_read(segment_path(self._directory, self._segment))
            except FileNotFoundError:
                return b""
            self._file = os.fdopen(number, "rb", buffering=0)
            self._file.seek(self._offset)
        data = self._file.read(_CHUNK_BYTES) or b""
        self._offset += len(data)
        return data

    def _torn_at_end(self) -> list[Placed] | None:
        """
        Goes on to the next file, when there is one: then this one is complete, and an unfinished
        line is damaged. None: there is no next file.
        """
        numbers = [*segments(self._directory), *self._handed.numbers()]
        if not any(number > self._segment for number in numbers):
            return None
        # The writer may have added to this one just before it began the next.
        if self._file is not None and self._file.read(1):
            self._file.seek(self._offset)
            return []
        if self._file is not None and os.fstat(self._file.fileno()).st_size < self._offset:
            # A full disk took a part of a line, which its writer withdrew: it is in the next file.
            self._rest.clear()
        torn = self.skip_rest()
        self.close()
        self._segment += 1
        self._offset = 0
        return [] if torn is None else [torn]
