"""Values of a page, from their bytes."""

from __future__ import annotations

import datetime
import decimal
import struct
from collections.abc import Callable
from typing import Any

from .damage import Damaged
from .levels import numbers_of
from .schema import Leaf

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTES, FIXED = range(8)
_CODES = {INT32: ("i", 4), INT64: ("q", 8), FLOAT: ("f", 4), DOUBLE: ("d", 8)}
# The first of 1970 as a Julian day, for old times of 96 bits.
_JULIAN_1970 = 2_440_588
_MS_PER_DAY = 86_400_000
# Decimals of 256 bits have 77 digits.
_EXACT = decimal.Context(prec=80)


def plain(content: bytes, leaf: Leaf, count: int) -> list[Any]:
    """Decodes values that are stored one after the other. Raises Damaged."""
    kind = leaf.physical
    try:
        if kind in _CODES:
            code, size = _CODES[kind]
            return list(struct.unpack_from(f"<{count}{code}", content))
        if kind == BOOLEAN:
            if len(content) * 8 < count:
                raise Damaged("a page is cut")
            return [bool(content[place >> 3] >> (place & 7) & 1) for place in range(count)]
        if kind == INT96:
            return [struct.unpack_from("<qi", content, 12 * place) for place in range(count)]
        if kind == FIXED:
            size = leaf.length
            if len(content) < size * count:
                raise Damaged("a page is cut")
            return [content[size * place : size * (place + 1)] for place in range(count)]
        if kind == BYTES:
            return _texts(content, count)
    except struct.error:
        raise Damaged("a page is cut") from None
    raise Damaged(f"values of the unknown type {kind}")


def _texts(content: bytes, count: int) -> list[bytes]:
    found: list[bytes] = []
    place, end = 0, len(content)
    for _ in range(count):
        size = int.from_bytes(content[place : place + 4], "little")
        place += 4
        if place + size > end:
            raise Damaged("a page is cut")
        found.append(content[place : place + size])
        place += size
    return found


def booleans(content: bytes, count: int) -> list[bool]:
    size = int.from_bytes(content[:4], "little")
    return [bool(each) for each in numbers_of(content[4 : 4 + size], 1, count)]


def converter(leaf: Leaf) -> Callable[[Any], Any] | None:
    """
    Returns what makes a value of Python: text, Decimal, and Unix milliseconds for times. None:
    values are as they are stored.
    """
    logical = leaf.element.get(10) or {}
    old = leaf.element.get(6)
    if leaf.physical == BYTES:
        # Some writers do not say that bytes are text.
        return _text
    if 5 in logical or old == 5:
        scale = int((logical.get(5) or {}).get(1, leaf.element.get(7, 0)))
        return lambda value: _decimal(value, scale)
    if 8 in logical:
        unit = logical[8].get(2) or {}
        divisor = 1 if 1 in unit else 1000 if 2 in unit else 1_000_000
        return lambda value: value // divisor
    if old == 10:
        return lambda value: value // 1000
    if 6 in logical or old == 6:
        return _date
    if leaf.physical == INT96:
        return lambda value: (value[1] - _JULIAN_1970) * _MS_PER_DAY + value[0] // 1_000_000
    if 10 in logical and not logical[10].get(2, True) or old in (11, 12, 13, 14):
        bits = 64 if leaf.physical == INT64 else 32
        return lambda value: value % (1 << bits)
    if leaf.physical == FIXED:
        if leaf.length == 2 and 15 in logical:
            return lambda value: struct.unpack("<e", value)[0]
        return lambda value: value.hex()
    return None


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _decimal(value: Any, scale: int) -> decimal.Decimal:
    unscaled = value if isinstance(value, int) else int.from_bytes(value, "big", signed=True)
    return decimal.Decimal(unscaled).scaleb(-scale, _EXACT)


def _date(value: int) -> str:
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=value)).isoformat()
