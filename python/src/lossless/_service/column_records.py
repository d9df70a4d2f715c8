"""
Records of a series stream as columns, an extension of the service: docs/columns.md describes each
byte.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple
from zlib import crc32

from .._ground.errors import ConnectionFailed, IncompleteStream

MEDIA_TYPE = "application/vnd.lossless.columns"
VERSION = 1
_PREFIX = struct.Struct("<4sIII")
_SUM = struct.Struct("<I")
# Larger counts are no record: they bound what is waited for.
_POINTS_MAX = 65_536
_HEAD_BYTES_MAX = 16 * 1_048_576


class StreamChanged(IncompleteStream):
    """Bytes that the service has not sent so: something on their way changes them."""


class Columns(NamedTuple):
    """Steps, times and values, little-endian doubles one column behind the other."""

    points: int
    numbers: memoryview


def column_records(read: Callable[[int], bytes]) -> Iterator[Mapping[str, Any]]:
    """
    Yields records as lines of JSON have them, `data.data` being Columns. `read` returns fewer bytes
    only at the end of the stream.
    """
    while prefix := read(_PREFIX.size):
        if len(prefix) < _PREFIX.size:
            raise IncompleteStream("the stream ended within a record")
        letters, version, points, head_bytes = _PREFIX.unpack(prefix)
        is_ours = letters == b"LSer" and version == VERSION and head_bytes % 8 == 0
        if not is_ours or points > _POINTS_MAX or head_bytes > _HEAD_BYTES_MAX:
            raise StreamChanged("the stream has bytes that are no record of series as columns")
        end = head_bytes + 24 * points
        rest = read(end + 8)
        if len(rest) < end + 8:
            raise IncompleteStream("the stream ended within a record")
        content = memoryview(rest)
        if _SUM.unpack(content[end + 4 :])[0] != crc32(content[: end + 4], crc32(prefix)):
            raise StreamChanged("a record of the stream has other bytes than the service sent")
        try:
            record = json.loads(bytes(content[:head_bytes]))
            if points:
                record["data"]["data"] = Columns(points, content[head_bytes:end])
        except (ValueError, TypeError, KeyError):
            raise ConnectionFailed("a record of the stream has a head that is not JSON") from None
        yield record
