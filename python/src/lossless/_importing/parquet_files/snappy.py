"""Snappy's raw format, as pages of Parquet have it."""

from __future__ import annotations

from .damage import Damaged


def unsnapped(content: bytes, size: int) -> bytes:
    """Returns the bytes, which are `size` long. Raises Damaged."""
    try:
        found = _unsnapped(content)
    except IndexError:
        raise Damaged("a compressed page is cut") from None
    if len(found) != size:
        raise Damaged("a compressed page has another length than its header says")
    return found


def _unsnapped(content: bytes) -> bytes:
    place = 0
    while content[place] >= 0x80:
        place += 1
    place += 1
    out = bytearray()
    end = len(content)
    while place < end:
        tag = content[place]
        kind = tag & 3
        place += 1
        if kind == 0:
            size = tag >> 2
            if size >= 60:
                more = size - 59
                size = int.from_bytes(content[place : place + more], "little")
                place += more
            size += 1
            if place + size > end:
                raise Damaged("a compressed page is cut")
            out += content[place : place + size]
            place += size
            continue
        if kind == 1:
            size = ((tag >> 2) & 7) + 4
            offset = (tag >> 5) << 8 | content[place]
            place += 1
        else:
            size = (tag >> 2) + 1
            wide = 2 if kind == 2 else 4
            offset = int.from_bytes(content[place : place + wide], "little")
            place += wide
        start = len(out) - offset
        if start < 0 or offset == 0:
            raise Damaged("a compressed page refers to bytes before its begin")
        if offset >= size:
            out += out[start : start + size]
        else:
            # The copy overlaps itself: the bytes repeat.
            some = out[start:]
            out += (some * (size // offset + 1))[:size]
    return bytes(out)
