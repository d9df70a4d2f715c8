"""
The spool's file format: one record a line, each with its checksum.

A line is `<crc32 of the rest, 8 hexadecimal digits> <compact JSON>`. The JSON is an array whose
first member is the kind of the record:

    ["m", counter, timestampMs, step, {name: value, …}, meta]
        points; their ids are prefix-counter, counter + 1 …
    ["p", counter, timestampMs, step, [name, …], values, meta]
        the same; the values are little-endian 64-bit numbers in base64, which costs the training
        less than digits. A further member, 1, means that the step goes on: see
        _sending/open_row.py
    ["a", text, meta]
        an annotation
    ["o", {description?, meta?, folder?}]
        opens the slug with the caller's content, again when it changes; absent members stay as
        the service has them
    ["s"], ["d"], ["e", message, meta]
        start, done, error
    ["h", {url, slug, prefix, …}]
        the head of a recording, see _spool/head.py
    ["x", count, reason]
        points that were refused here, and why

A line that was torn (power loss, a full disk) ends without a newline, or fails its checksum: it was
never acknowledged, and is skipped. A line that a full disk took only in part ends with the
character CAN: it is no damage, because its writer still has it. Newlines and CAN do not occur
inside, because JSON escapes them.
"""

from __future__ import annotations

import json
import struct
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any
from zlib import crc32

# One encoder for all: building it costs more than using it. NaN must not get into the file.
encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_decode = json.JSONDecoder().decode

# Bytes of lines that are parsed together.
_TOGETHER_BYTES = 2**15

# Ends a line that was only partly written.
WITHDRAWN = b"\x18"


def line_of(text: str) -> bytes:
    """Returns the line of a record in JSON."""
    body = text.encode("ascii")
    return b"%08x %b\n" % (crc32(body), body)


def packer(count: int) -> Callable[..., str]:
    """Makes a function that encodes this many values of "p"."""
    pack = struct.Struct(f"<{count}d").pack

    def packed(*values: float) -> str:
        return b2a_base64(pack(*values), newline=False).decode("ascii")

    return packed


def record_of(line: bytes) -> list[Any] | None:
    """Parses a line without its newline, "p" as "m"; None when it is torn or damaged."""
    record = _parsed(line)
    return record if record is None else named(record)


def records_in(data: bytes) -> Iterator[tuple[int, list[Any] | None]]:
    """
    Yields the complete lines of `data`, each with the offset after it; None for a damaged one.
    """
    for behind, record in packed_records_in(data):
        yield behind, record if record is None else named(record)


def packed_records_in(data: bytes) -> Iterator[tuple[int, list[Any] | None]]:
    """The same, with "p" as it is but for its values, which are floats."""
    start = 0
    while True:
        # Some lines at once: a file of a spool has up to 64 MiB.
        end = data.find(b"\n", start + _TOGETHER_BYTES) + 1 or data.rfind(b"\n", start) + 1
        if end == 0:
            return
        lines = data[start:end].split(b"\n")
        del lines[-1]
        records = _all_of([line for line in lines if line and line[-1:] != WITHDRAWN])
        for line in lines:
            start += len(line) + 1
            if line and line[-1:] != WITHDRAWN:
                yield start, next(records)


def named(record: list[Any]) -> list[Any]:
    """Returns a "p" with floats as an "m"."""
    if record[:1] != ["p"]:
        return record
    _, number, timestamp_ms, step, names, values, *more = record
    return ["m", number, timestamp_ms, step, dict(zip(names, values)), *more]


def _parsed(line: bytes) -> list[Any] | None:
    if len(line) < 10 or line[8:9] != b" ":
        return None
    body = line[9:]
    try:
        if int(line[:8], 16) != crc32(body):
            return None
        record = _decode(body.decode("ascii"))
        return _with_floats(record) if isinstance(record, list) else None
    except (ValueError, TypeError, struct.error):
        return None


def _all_of(lines: list[bytes]) -> Iterator[list[Any] | None]:
    """Parses lines, whole ones all at once, which takes half of the time."""
    bodies = [line[9:] for line in lines]
    try:
        if all(line[8:9] == b" " and int(line[:8], 16) == crc32(body) for line, body in zip(lines, bodies)):
            records = _decode(f"[{b','.join(bodies).decode('ascii')}]")
            if len(records) == len(lines) and all(type(record) is list for record in records):
                return iter([_with_floats(record) for record in records])
    except (ValueError, TypeError, struct.error):
        pass
    return map(_parsed, lines)


def _with_floats(record: list[Any]) -> list[Any]:
    """Unpacks the values of a "p". Raises where they are not those of its names."""
    if record[:1] == ["p"]:
        _, _, _, _, names, values, _, *_ = record
        record[5] = _unpacker(len(names))(a2b_base64(values))
    return record


@lru_cache
def _unpacker(count: int) -> Callable[[bytes], tuple[float, ...]]:
    return struct.Struct(f"<{count}d").unpack
