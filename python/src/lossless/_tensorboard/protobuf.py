"""Protobuf messages as fields: numbers and raw values, without a schema."""

from __future__ import annotations

import struct
from collections.abc import Iterator

Field = int | bytes


class Malformed(ValueError):
    """The bytes are no message."""


def fields(content: bytes) -> Iterator[tuple[int, Field]]:
    """Yields the numbers and raw values of the fields: an int for a varint, else bytes."""
    at, end = 0, len(content)
    while at < end:
        # Mostly a key and a size have one byte.
        key = content[at]
        at += 1
        if key >= 0x80:
            key, at = varint(content, at - 1)
        kind = key & 7
        if kind == 0:
            value, at = varint(content, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size = content[at]
            at += 1
            if size >= 0x80:
                size, at = varint(content, at - 1)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise Malformed(f"wire type {kind}")
        if at + size > end:
            raise Malformed("a field is longer than its message")
        yield key >> 3, content[at : at + size]
        at += size


def varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise Malformed("a number of more than ten bytes")


def signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def integer_in(field: Field) -> int:
    if isinstance(field, bytes):
        raise Malformed("bytes where a number belongs")
    return field


def bytes_in(field: Field) -> bytes:
    if isinstance(field, int):
        raise Malformed("a number where bytes belong")
    return field


def double_in(field: Field) -> float:
    return float(struct.unpack("<d", bytes_in(field))[0])
