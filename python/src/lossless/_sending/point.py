"""One metric point of a recording, as it is sent."""

from __future__ import annotations

from typing import NamedTuple


class Point(NamedTuple):
    # The part of its id after the prefix: a text for imported points.
    number: int | str
    timestamp_ms: int
    step: int
    name: str
    value: float | int
    meta_json: str
