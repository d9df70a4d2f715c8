"""Thrift's compact protocol: structs become dicts from the numbers of their fields."""

from __future__ import annotations

import struct
from typing import Any

from .damage import Damaged

_DEPTH_MAX = 32


def struct_at(content: bytes, place: int) -> tuple[dict[int, Any], int]:
    """Returns the struct at a place, and the place behind it. Raises Damaged."""
    try:
        return _struct(content, place, 0)
    except (IndexError, struct.error, OverflowError, MemoryError):
        raise Damaged("a header is cut or damaged") from None


def _varint(content: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
        if shift > 70:
            raise Damaged("a number in a header has no end")


def _zigzag(content: bytes, place: int) -> tuple[int, int]:
    value, place = _varint(content, place)
    return (value >> 1) ^ -(value & 1), place


def _struct(content: bytes, place: int, depth: int) -> tuple[dict[int, Any], int]:
    if depth > _DEPTH_MAX:
        raise Damaged("a header is nested too deep")
    fields: dict[int, Any] = {}
    number = 0
    while True:
        byte = content[place]
        place += 1
        if byte == 0:
            return fields, place
        kind, more = byte & 0x0F, byte >> 4
        if more:
            number += more
        else:
            number, place = _zigzag(content, place)
        # A boolean is in the kind of its field.
        if kind in (1, 2):
            fields[number] = kind == 1
        else:
            fields[number], place = _value(content, place, kind, depth)


def _value(content: bytes, place: int, kind: int, depth: int) -> tuple[Any, int]:
    if kind in (1, 2, 3):
        return content[place], place + 1
    if kind in (4, 5, 6):
        return _zigzag(content, place)
    if kind == 7:
        return struct.unpack_from("<d", content, place)[0], place + 8
    if kind == 8:
        size, place = _varint(content, place)
        if size > len(content) - place:
            raise Damaged("a text in a header is cut")
        return content[place : place + size], place + size
    if kind in (9, 10):
        byte = content[place]
        place += 1
        size, inner = byte >> 4, byte & 0x0F
        if size == 15:
            size, place = _varint(content, place)
        if size > len(content) - place:
            raise Damaged("a list in a header is cut")
        values = []
        for _ in range(size):
            value, place = _value(content, place, inner, depth + 1)
            values.append(value)
        return values, place
    if kind == 12:
        return _struct(content, place, depth + 1)
    raise Damaged(f"a header has a value of the unknown kind {kind}")
