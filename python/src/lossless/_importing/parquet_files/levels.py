"""Runs of small numbers: levels, and places in a dictionary."""

from __future__ import annotations

from .damage import Damaged


def numbers_of(content: bytes, width: int, count: int) -> list[int]:
    """Decodes `count` numbers of the hybrid of run lengths and packed bits. Raises Damaged."""
    if width == 0:
        return [0] * count
    if width > 32:
        raise Damaged("numbers of more than 32 bits")
    found: list[int] = []
    place, end = 0, len(content)
    wide = (width + 7) // 8
    mask = (1 << width) - 1
    while len(found) < count:
        header = shift = 0
        while True:
            if place >= end:
                raise Damaged("a page has fewer values than its header says")
            byte = content[place]
            place += 1
            header |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        if header & 1 == 0:
            value = int.from_bytes(content[place : place + wide], "little")
            place += wide
            found += [value] * min(header >> 1, count - len(found))
            if header == 0:
                raise Damaged("a run of no values")
            continue
        # Packed in groups of eight values, so of `width` bytes.
        for _ in range(header >> 1):
            if len(found) >= count:
                break
            group = int.from_bytes(content[place : place + width], "little")
            place += width
            if place - width >= end:
                raise Damaged("a page has fewer values than its header says")
            found += [(group >> (width * each)) & mask for each in range(8)]
    del found[count:]
    return found
