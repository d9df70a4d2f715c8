"""
The framing of W&B's and SwanLab's files: LevelDB's log format, with another checksum.

    7 bytes       ":W&B", 0xBEE1 (little-endian), version 0; SwanLab has others
    blocks of 32 KiB, the first with the head. In a block, records or fragments of them:
    uint32 CRC-32 (zlib's) of kind and content · uint16 length · uint8 kind · content

The kinds: 1 whole, 2 first, 3 middle, 4 last. Fewer than seven bytes at the end of a block are
zeros. A damaged fragment is skipped with the rest of its block, as LevelDB does: what follows stays
readable.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zlib import crc32

_BLOCK = 32 * 2**10
_HEAD = struct.Struct("<IHB")
_FILE_HEAD = struct.Struct("<4sHB")
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


class NotRecords(ValueError):
    """The file has no such records."""


class Form(NamedTuple):
    """The begin of a file, and the end of its name."""

    magic: bytes
    number: int
    version: int
    end: str


class Record(NamedTuple):
    """A record, by the offset of its first fragment."""

    offset: int
    content: bytes


class Damage(NamedTuple):
    offset: int
    reason: str


WANDB = Form(b":W&B", 0xBEE1, 0, ".wandb")


def records_of(path: Path, form: Form = WANDB) -> Iterator[Record | Damage]:
    """Yields the records of a file. Raises OSError, NotRecords."""
    with open(path, "rb") as file:
        head = file.read(_FILE_HEAD.size)
        if len(head) < _FILE_HEAD.size or _FILE_HEAD.unpack(head)[:2] != (form.magic, form.number):
            raise NotRecords(f"{path} is no {form.end} file: it does not begin with {form.magic.decode()}")
        if head[6] != form.version:
            raise NotRecords(f"{path} has version {head[6]} of the format, which is not known")
        file.seek(0)
        yield from _records(file)


def _records(file: BinaryIO) -> Iterator[Record | Damage]:
    parts: list[bytes] = []
    first = 0
    offset = 0
    while block := file.read(_BLOCK):
        at = _FILE_HEAD.size if offset == 0 else 0
        while at + _HEAD.size <= len(block):
            checksum, length, kind = _HEAD.unpack_from(block, at)
            end = at + _HEAD.size + length
            if not checksum and not length and not kind:
                # Zeros: of a file that was allocated and not written, or the end of a block.
                if block[at:].strip(b"\0"):
                    yield Damage(offset + at, "zeros within a block")
                    parts = []
                break
            if end > len(block):
                reason = "the file ends within a record" if len(block) < _BLOCK else "a record is longer than its block"
                yield Damage(offset + at, reason)
                parts = []
                break
            content = block[at + _HEAD.size : end]
            if crc32(block[at + 6 : end]) != checksum:
                yield Damage(offset + at, "the checksum of a record is wrong")
                parts = []
                break
            if kind in (_WHOLE, _FIRST):
                if parts:
                    yield Damage(first, "a record has no end")
                parts, first = [content], offset + at
            elif kind in (_MIDDLE, _LAST) and parts:
                parts.append(content)
            else:
                yield Damage(offset + at, "a record has no beginning")
                parts = []
                at = end
                continue
            if kind in (_WHOLE, _LAST):
                yield Record(first, b"".join(parts))
                parts = []
            at = end
        else:
            if len(block) < _BLOCK and block[at:].strip(b"\0"):
                yield Damage(offset + at, "the file ends within a record")
        offset += len(block)
    if parts:
        yield Damage(first, "a record has no end")
