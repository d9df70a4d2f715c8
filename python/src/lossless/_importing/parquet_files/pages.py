"""The pages of one column in one group of rows."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from .damage import Damaged
from .levels import numbers_of
from .schema import Leaf
from .snappy import unsnapped
from .thrift import struct_at
from .values import BOOLEAN, booleans, converter, plain

UNCOMPRESSED, SNAPPY, GZIP = 0, 1, 2
CODECS = {3: "LZO", 4: "Brotli", 5: "LZ4", 6: "Zstandard", 7: "LZ4"}
PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY = 0, 2, 3, 8
# BIT_PACKED is listed by writers for levels that no page has.
KNOWN_ENCODINGS = frozenset({PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY, 4})
_HEADER_BYTES = 64 * 1024
_PAGE_BYTES_MAX = 2**30


class Page(NamedTuple):
    repetitions: list[int] | None
    definitions: list[int] | None
    # Those that are there, without nulls.
    values: list[Any]
    entries: int


def pages_of(file: BinaryIO, leaf: Leaf, meta: dict[int, Any]) -> Iterator[Page]:
    """Yields the pages of a column. Raises Damaged and OSError."""
    codec, left = meta.get(4, 0), meta.get(5, 0)
    place = meta.get(9, 0)
    if meta.get(11):
        place = min(place, meta[11])
    convert = converter(leaf)
    dictionary: list[Any] | None = None
    while left > 0:
        file.seek(place)
        head, behind = struct_at(file.read(_HEADER_BYTES), 0)
        size, whole = head.get(3, 0), head.get(2, 0)
        if not (0 <= size <= _PAGE_BYTES_MAX and 0 <= whole <= _PAGE_BYTES_MAX):
            raise Damaged("a page has an impossible length")
        file.seek(place + behind)
        content = file.read(size)
        if len(content) < size:
            raise Damaged("the file ends within a page")
        place += behind + size
        kind = head.get(1)
        if kind == 2:
            raw = _unpacked(content, codec, whole)
            dictionary = plain(raw, leaf, head.get(7, {}).get(1, 0))
            if convert is not None:
                dictionary = [convert(each) for each in dictionary]
        elif kind == 0:
            _check(head.get(5, {}), left)
            page = _first_form(_unpacked(content, codec, whole), leaf, head.get(5, {}), dictionary, convert)
            left -= page.entries
            yield page
        elif kind == 3:
            _check(head.get(8, {}), left)
            page = _second_form(content, codec, whole, leaf, head.get(8, {}), dictionary, convert)
            left -= page.entries
            yield page
        elif kind != 1:
            # The only other kind that is known is an index, which has no values.
            raise Damaged(f"a page of the unknown kind {kind}")


def _check(head: dict[int, Any], left: int) -> None:
    """Raises Damaged if a page has more values than its column, before they are made."""
    if not 0 <= head.get(1, 0) <= left:
        raise Damaged("a page has more values than its column")


def _unpacked(content: bytes, codec: int, size: int) -> bytes:
    if codec == UNCOMPRESSED:
        return content
    if codec == SNAPPY:
        return unsnapped(content, size)
    if size == 0:
        # To zlib it would be no limit.
        return b""
    try:
        return zlib.decompressobj(47).decompress(content, size)
    except zlib.error as error:
        raise Damaged(f"a compressed page is damaged: {error}") from None


def _first_form(raw: bytes, leaf: Leaf, head: dict[int, Any], dictionary: Any, convert: Any) -> Page:
    count = head.get(1, 0)
    place = 0
    levels: list[list[int] | None] = []
    for most in (leaf.repetition_max, leaf.definition_max):
        if most == 0:
            levels.append(None)
            continue
        size = int.from_bytes(raw[place : place + 4], "little")
        levels.append(numbers_of(raw[place + 4 : place + 4 + size], most.bit_length(), count))
        place += 4 + size
    return _page(raw[place:], leaf, count, levels[0], levels[1], head.get(2, 0), dictionary, convert)


def _second_form(
    content: bytes, codec: int, whole: int, leaf: Leaf, head: dict[int, Any], dictionary: Any, convert: Any
) -> Page:
    count = head.get(1, 0)
    defined, repeated = head.get(5, 0), head.get(6, 0)
    repetitions = numbers_of(content[:repeated], leaf.repetition_max.bit_length(), count) if repeated else None
    levels = content[repeated : repeated + defined]
    definitions = numbers_of(levels, leaf.definition_max.bit_length(), count) if defined else None
    raw = content[repeated + defined :]
    if head.get(7, True):
        raw = _unpacked(raw, codec, whole - repeated - defined)
    return _page(raw, leaf, count, repetitions, definitions, head.get(4, 0), dictionary, convert)


def _page(
    raw: bytes,
    leaf: Leaf,
    count: int,
    repetitions: list[int] | None,
    definitions: list[int] | None,
    encoding: int,
    dictionary: list[Any] | None,
    convert: Any,
) -> Page:
    there = count if definitions is None else definitions.count(leaf.definition_max)
    if encoding in (PLAIN_DICTIONARY, RLE_DICTIONARY):
        if there == 0:
            return Page(repetitions, definitions, [], count)
        if dictionary is None or not raw:
            raise Damaged("a page has no dictionary")
        try:
            values = [dictionary[each] for each in numbers_of(raw[1:], raw[0], there)]
        except IndexError:
            raise Damaged("a page refers to no entry of the dictionary") from None
        return Page(repetitions, definitions, values, count)
    if encoding == RLE and leaf.physical == BOOLEAN:
        values = list(booleans(raw, there))
    elif encoding == PLAIN:
        values = plain(raw, leaf, there)
    else:
        raise Damaged(f"a page has the unknown encoding {encoding}")
    if convert is not None:
        values = [convert(each) for each in values]
    return Page(repetitions, definitions, values, count)
