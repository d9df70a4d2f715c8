"""
The framing of TensorBoard's event files (TFRecord): length, its checksum, content, its checksum.

    uint64 length · uint32 masked CRC-32C of it · content · uint32 masked CRC-32C of the content

All numbers are little-endian. Checksums are stored rotated and shifted, so that a file of records
inside a record is not mistaken for one.
"""

from __future__ import annotations

import re
import struct
from typing import BinaryIO, NamedTuple

from .crc32c import crc32c

_HEAD = struct.Struct("<QI")
_FOOT_BYTES = 4
_FRAME_BYTES = _HEAD.size + _FOOT_BYTES
_CHUNK_BYTES = 2**20
# Bytes of a record that are kept: larger graphs and images are not needed, and skipped.
_CONTENT_BYTES_MAX = 64 * 2**20
_NOT_ZERO = re.compile(rb"[^\0]")


class Record(NamedTuple):
    """A record at `offset`; content None: it is too large to be kept."""

    offset: int
    content: bytes | None


class Damage(NamedTuple):
    """A damage: `size` bytes from `offset` on are no record, and why."""

    offset: int
    size: int
    reason: str


class RecordReader:
    """
    Records of a file that may still be written and is not kept open; `read` returns complete ones.
    """

    def __init__(self) -> None:
        # Offset of `_rest` in the file: everything before it is settled.
        self.offset = 0
        self._rest = b""
        # Bytes left of a record being skipped.
        self._skip_bytes = 0
        # Beginning of a damage, until a record is found after it.
        self._damaged_from: int | None = None

    @property
    def position(self) -> int:
        """Offset in the file at which the next `read` continues."""
        return self.offset + len(self._rest)

    def read(self, file: BinaryIO) -> list[Record | Damage]:
        """
        Reads about a mebibyte at most, from a file positioned at `position`; empty: there is no
        complete record for now.
        """
        while data := file.read(max(_CHUNK_BYTES, self._missing())):
            found = self._take(self._rest + data)
            if found:
                return found
        return []

    def rest(self) -> Damage | None:
        """Returns the rest of a file that is no longer written."""
        end = self.position
        if self._damaged_from is not None:
            return Damage(self._damaged_from, end - self._damaged_from, "no record here, and none follows")
        if self._rest or self._skip_bytes:
            return Damage(self.offset, len(self._rest), "the file ends within a record")
        return None

    def _missing(self) -> int:
        """Returns the bytes missing of the record at the beginning of the rest."""
        length = _length(self._rest, 0) if len(self._rest) >= _HEAD.size else None
        return 0 if length is None else min(length, _CONTENT_BYTES_MAX) + _FRAME_BYTES - len(self._rest)

    def _take(self, data: bytes) -> list[Record | Damage]:
        found: list[Record | Damage] = []
        base, at = self.offset, min(self._skip_bytes, len(data))
        self._skip_bytes -= at
        while len(data) - at >= _HEAD.size:
            length = None if self._damaged_from is not None else _length(data, at)
            if length is None:
                start = base + at if self._damaged_from is None else self._damaged_from
                at, is_record = _next_record(data, at)
                self._damaged_from = None if is_record else start
                if not is_record:
                    break
                found.append(Damage(start, base + at - start, "the checksum of its length is wrong"))
            elif length > _CONTENT_BYTES_MAX:
                found.append(Record(base + at, None))
                whole = length + _FRAME_BYTES
                self._skip_bytes = max(0, whole - (len(data) - at))
                at = min(at + whole, len(data))
            elif len(data) - at < length + _FRAME_BYTES:
                break
            else:
                found.append(_record(data, at, length, base))
                at += length + _FRAME_BYTES
        self._rest = data[at:]
        self.offset += at
        return found


def _record(data: bytes, at: int, length: int, base: int) -> Record | Damage:
    if not _is_whole(data, at, length):
        return Damage(base + at, length + _FRAME_BYTES, "the checksum of its content is wrong")
    start = at + _HEAD.size
    return Record(base + at, data[start : start + length])


def _length(data: bytes, at: int) -> int | None:
    length, checksum = _HEAD.unpack_from(data, at)
    return length if checksum == masked_crc32c(data[at : at + 8]) else None


def _is_whole(data: bytes, at: int, length: int) -> bool:
    end = at + _HEAD.size + length
    return int.from_bytes(data[end : end + 4], "little") == masked_crc32c(data[at + _HEAD.size : end])


def _next_record(data: bytes, at: int) -> tuple[int, bool]:
    """
    Finds the next place after a damage where a complete record with correct checksums begins; or
    the first one where more bytes are needed to tell.
    """
    last = len(data) - _HEAD.size
    while at <= last:
        # No record has 4 GiB: the upper half of its length is zeros.
        at = data.find(b"\0\0\0\0", at + 4) - 4
        if not 0 <= at <= last:
            break
        length = _length(data, at)
        if length is not None and length <= _CONTENT_BYTES_MAX:
            if at + length + _FRAME_BYTES > len(data):
                return at, False
            if _is_whole(data, at, length):
                return at, True
        at = _behind_zeros(data, at)
    return max(last + 1, 0), False


def _behind_zeros(data: bytes, at: int) -> int:
    """Skips zeros, which a crash leaves at a file's end: they are no head of a record."""
    if data[at : at + _HEAD.size].strip(b"\0"):
        return at + 1
    other = _NOT_ZERO.search(data, at)
    return max(at + 1, (len(data) if other is None else other.start()) - _HEAD.size + 1)


def masked_crc32c(data: bytes) -> int:
    checksum = crc32c(data)
    return (((checksum >> 15) | (checksum << 17)) + 0xA282EAD8) & 0xFFFFFFFF
