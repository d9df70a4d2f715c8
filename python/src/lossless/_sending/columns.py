"""
Points as columns, an extension of the service: a binary body instead of an event a point.
docs/columns.md describes each byte.
"""

from __future__ import annotations

import json
import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

from .._ground.endpoints import record_columns
from .._ground.errors import ConnectionFailed, EventRefused, LosslessError, RequestRefused
from .._ground.wire_numbers import COLUMNS_BODY_BYTES_MAX, COLUMNS_HEAD_BYTES_MAX, COLUMNS_POINTS_MAX
from .._service.retry import is_transient
from .._service.service import event_refused
from .._service.session import Session
from .._values.records import encode
from .rows import Row, Rows

VERSION = 1
# Points from which on columns cost less than events.
_POINTS_MIN = 100
# Requests without an answer, behind each of which its points were answered as events.
_UNANSWERED_MAX = 3
_AS_TEXTS = 0xFFFFFFFF
# Refusals of what a body has: sent as events, the service says which point it means.
_CODES_OF_CONTENT = ("validation_failed", "duplicate_message_id")
# Refusals of how a body arrived, too slowly or changed: as if it had no answer. Changed gzip is
# malformed_json.
_CODES_OF_ARRIVAL = ("request_timeout", "checksum_mismatch", "malformed_json")


class Outcome(NamedTuple):
    deduplicated: int
    # By the index of the point.
    refused: dict[int, EventRefused]


class Columns:
    """
    Sends points as columns to a service that has said that it takes them. A proxy may refuse them
    all the same: then points go as events, under the same ids, and columns are not tried again.
    """

    def __init__(self, session: Session, prefix: str) -> None:
        self._session = session
        self._prefix = prefix
        self._is_refused = False
        self._unanswered = 0
        # Requests that the last failure counts for, if the same points are answered as events.
        self._doubt = 0

    @property
    def is_used(self) -> bool:
        return not self._is_refused and VERSION in self._session.column_versions

    def send(self, points: Rows) -> Outcome | None:
        """
        Makes one attempt. None: they have to go as events. Raises what the service asks to try
        again.
        """
        self._doubt = 0
        if not self.is_used or len(points) < _POINTS_MIN:
            return None
        body = columns_body(self._prefix, points)
        if body is None:
            return None
        try:
            reply = self._session.post(body, record_columns, "application/octet-stream")
            outcome = outcome_of(reply, len(points))
            self._unanswered = 0
            return outcome
        except LosslessError as error:
            # A gateway's answer has no code of the service.
            code = error.code if isinstance(error, RequestRefused) else "http_none"
            if code.startswith("http_"):
                is_unanswered = is_transient(error)
            else:
                is_unanswered = code in _CODES_OF_ARRIVAL
                if not is_unanswered and (is_transient(error) or code == "unauthorized"):
                    raise
            if code not in _CODES_OF_CONTENT:
                self._doubt = 1 if is_unanswered else _UNANSWERED_MAX
            return None

    def answered_as_events(self) -> None:
        """The points of the last `send` were answered as events."""
        self._unanswered += self._doubt
        self._doubt = 0
        self._is_refused = self._is_refused or self._unanswered >= _UNANSWERED_MAX


def columns_body(prefix: str, points: Rows) -> bytes | None:
    """Returns the body; None where it would be larger than the service takes it."""
    count = len(points)
    if not 0 < count <= COLUMNS_POINTS_MAX:
        return None
    partitions: dict[tuple[str, str], int] = {}
    # Rows of equal names lie in the same partitions.
    known: dict[tuple[tuple[str, ...], str], list[int]] = {}
    steps: list[int] = []
    times: list[int] = []
    values: list[float] = []
    places: list[int] = []
    for _, timestamp_ms, step, names, row_values, meta in points.rows:
        of_row = known.get((names, meta))
        if of_row is None:
            of_row = [partitions.setdefault((name, meta), len(partitions)) for name in names]
            known[(names, meta)] = of_row
        places += of_row
        values += row_values
        steps += [step] * len(names)
        times += [timestamp_ms] * len(names)
    try:
        columns = [array("d", column) for column in (steps, times, values)]
    except OverflowError:
        # An integer that is no double.
        return None
    texts = ",".join(f'{{"metricName":{encode(name)},"meta":{meta}}}' for name, meta in partitions)
    head = f'{{"partitions":[{texts}],"prefixes":[{json.dumps(prefix)}]}}'.encode("ascii")
    head += b" " * (-len(head) % 8)
    runs, ids = _runs(prefix, points.rows)
    content = b"".join(ids)
    size = 36 + len(head) + 28 * count + 16 * len(runs) + 2 * len(ids) + len(content)
    if len(head) > COLUMNS_HEAD_BYTES_MAX or size > COLUMNS_BODY_BYTES_MAX:
        return None
    if sys.byteorder == "big":
        for column in columns:
            column.byteswap()
    body = b"".join(
        (
            struct.pack("<4s7I", b"LCol", VERSION, count, len(head), len(runs), len(ids), len(content), 0),
            head,
            *(column.tobytes() for column in columns),
            *(struct.pack("<dII", *run) for run in runs),
            struct.pack(f"<{count}I", *places),
            struct.pack(f"<{len(ids)}H", *map(len, ids)),
            content,
        )
    )
    return body + struct.pack("<I", crc32(body))


def _runs(prefix: str, rows: Sequence[Row]) -> tuple[list[tuple[int, int, int]], list[bytes]]:
    """Returns runs (first counter, points, prefix) and ids that are sent as texts."""
    runs: list[tuple[int, int, int]] = []
    ids: list[bytes] = []
    for number, _, _, names, _, _ in rows:
        start, length, kind = runs[-1] if runs else (0, 0, -1)
        if isinstance(number, str):
            ids.append(f"{prefix}-{number}".encode())
            if kind == _AS_TEXTS:
                runs[-1] = (0, length + 1, _AS_TEXTS)
            else:
                runs.append((0, 1, _AS_TEXTS))
        elif kind == 0 and start + length == number:
            runs[-1] = (start, length + len(names), 0)
        else:
            runs.append((number, len(names), 0))
    return runs, ids


def outcome_of(reply: bytes, sent: int) -> Outcome:
    try:
        answer: Any = json.loads(reply)
        refused = {int(index): event_refused(one) for one in answer["refused"] for index in one["points"]}
        stored, deduplicated = int(answer["stored"]), int(answer["deduplicated"])
        is_whole = answer["points"] == sent == stored + deduplicated + len(refused)
        if is_whole and all(0 <= index < sent for index in refused):
            return Outcome(deduplicated, refused)
    except (ValueError, TypeError, KeyError, AttributeError):
        pass
    raise ConnectionFailed("the reply does not answer the points that were sent")
