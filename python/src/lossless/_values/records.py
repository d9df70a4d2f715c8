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
from typing import Any
from zlib import crc32

# One encoder for all: building it costs more than using it. NaN must not get into the file.
encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_decode = json.JSONDecoder().decode

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
    if len(line) < 10 or line[8:9] != b" ":
        return None
    body = line[9:]
    try:
        if int(line[:8], 16) != crc32(body):
            return None
        record = _decode(body.decode("ascii"))
        if not isinstance(record, list):
            return None
        return _unpacked(*record[1:]) if record[:1] == ["p"] else record
    except (ValueError, TypeError, struct.error):
        return None


def _unpacked(
    number: int, timestamp_ms: int, step: int, names: list[str], values: str, meta: Any, *more: int
) -> list[Any]:
    numbers = struct.unpack(f"<{len(names)}d", a2b_base64(values))
    return ["m", number, timestamp_ms, step, dict(zip(names, numbers)), meta, *more]


def records_in(data: bytes) -> Iterator[tuple[int, list[Any] | None]]:
    """
    Yields the complete lines of `data`, each with the offset after it; None for a damaged one.
    """
    start = 0
    while True:
        end = data.find(b"\n", start)
        if end < 0:
            return
        line = data[start:end]
        start = end + 1
        if line and not line.endswith(WITHDRAWN):
            yield start, record_of(line)
