"""The spool's file format: one record a line, each with its checksum.

A line is `<crc32 of the rest, 8 hexadecimal digits> <compact JSON>`. The JSON is an array whose first member
says what it is:

    ["m", counter, timestampMs, step, {name: value, …}, meta]   points; their ids are prefix-counter, counter + 1 …
    ["a", text, meta]                                            an annotation
    ["o", {description?, meta?, folder?}]                        opens the slug with what the caller gave, again when it
                                                                 changes; what is absent stays as the service has it
    ["s"]                                                        start
    ["d"]                                                        done
    ["e", message, meta]                                         error
    ["x", count, reason]                                         points that were refused here, and why

A line that was torn (power loss, a full disk) ends somewhere without a newline, or fails its checksum: it was never
acknowledged to anybody, and is left out. One of which a full disk took only a part ends with the character CAN: it is
no damage, because its writer has it still. Newlines and CAN do not occur inside, because JSON escapes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from zlib import crc32

# One encoder for all: building it costs more than using it. NaN must not slip into the file.
encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode
_decode = json.JSONDecoder().decode

# Ends a line that was not written whole.
WITHDRAWN = b"\x18"


def line_of(text: str) -> bytes:
    """The line of a record that is JSON already."""
    body = text.encode("ascii")
    return b"%08x %b\n" % (crc32(body), body)


def record_of(line: bytes) -> list[Any] | None:
    """The record in a line without its newline; None for one that is torn or damaged."""
    if len(line) < 10 or line[8:9] != b" ":
        return None
    body = line[9:]
    try:
        if int(line[:8], 16) != crc32(body):
            return None
        record = _decode(body.decode("ascii"))
    except ValueError:
        return None
    return record if isinstance(record, list) else None


def records_in(data: bytes) -> Iterator[tuple[int, list[Any] | None]]:
    """The whole lines of `data`, each with the offset behind it; None for a line that is damaged."""
    start = 0
    while True:
        end = data.find(b"\n", start)
        if end < 0:
            return
        line = data[start:end]
        start = end + 1
        if line and not line.endswith(WITHDRAWN):
            yield start, record_of(line)
