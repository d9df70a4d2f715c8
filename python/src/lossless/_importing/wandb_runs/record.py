"""
Parses records of W&B's runs from protobuf: only the fields that are imported.

Record   2 history   3 summary   4 output   5 config   7 stats   8 artifact   10 alert
         12 metric   13 output_raw   17 run   18 exit   23 preempting   24 link_artifact
         25 use_artifact   26 environment   27 output_logger
items    1 key   2 nested_key (repeated)   16 value_json
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

from ..._tensorboard.protobuf import Field, Malformed, bytes_in, fields, integer_in, signed
from ..tree import Path

HISTORY, SUMMARY, OUTPUT, CONFIG, STATS, ARTIFACT, ALERT, METRIC = 2, 3, 4, 5, 7, 8, 10, 12
OUTPUT_RAW, RUN, EXIT, PREEMPTING, LINK_ARTIFACT, USE_ARTIFACT = 13, 17, 18, 23, 24, 25
ENVIRONMENT, OUTPUT_LOGGER = 26, 27


def record_of(content: bytes) -> tuple[int, bytes]:
    """Returns the kind and the content of a record; 0: none that is known. Raises Malformed."""
    try:
        for number, field in fields(content):
            if 2 <= number <= 27 and number not in (16, 19) and isinstance(field, bytes):
                return number, field
    except (IndexError, struct.error) as error:
        raise Malformed(str(error)) from None
    return 0, b""


def items_of(content: bytes, member: int = 1) -> Iterator[tuple[Path, str]]:
    """Yields the paths and JSON texts of the items in the field `member`."""
    for number, field in fields(content):
        if number == member:
            yield _item(bytes_in(field))


def _item(content: bytes) -> tuple[Path, str]:
    key = ""
    nested: list[str] = []
    value = ""
    for number, field in fields(content):
        if number == 1:
            key = _text(field)
        elif number == 2:
            nested.append(_text(field))
        elif number == 16:
            value = _text(field)
    return (tuple(nested) if nested else (key,)), value


def value_of(text: str) -> Any:
    """Parses a value: integers exactly, NaN and infinities as numbers. Raises ValueError."""
    return json.loads(text) if text else None


def text_members(content: bytes) -> dict[int, list[str]]:
    """Returns the texts of a message by field, in their order."""
    found: dict[int, list[str]] = {}
    for number, field in fields(content):
        if isinstance(field, bytes):
            found.setdefault(number, []).append(_text(field))
    return found


def member(content: bytes, wanted: int) -> bytes:
    """Returns the message in a field; empty: it has none."""
    found = b""
    for number, field in fields(content):
        if number == wanted and isinstance(field, bytes):
            found = field
    return found


def members(content: bytes, wanted: int) -> list[bytes]:
    return [field for number, field in fields(content) if number == wanted and isinstance(field, bytes)]


def integer(content: bytes, wanted: int) -> int:
    found = 0
    for number, field in fields(content):
        if number == wanted:
            found = signed(integer_in(field))
    return found


def milliseconds(timestamp: bytes) -> int:
    """Returns the milliseconds of a google.protobuf.Timestamp; 0: it is not set."""
    return integer(timestamp, 1) * 1000 + integer(timestamp, 2) // 1_000_000


def _text(field: Field) -> str:
    return bytes_in(field).decode("utf-8", "replace")
