"""
Sums of a series, by which a source and the store are compared: count, first and last point, sum of
the values, and a digest.

They do not depend on the order of points, since the store returns them sorted. The digest is the
sum, modulo 2^128, of the first 16 bytes of the SHA-256 of each point: step and time as signed
64-bit integers and the 64 bits of the value, all big-endian. A point that is missing, doubled or
altered by one bit changes it. Values that are not finite count as well: all NaN are one NaN. -0 is
0, as the store has it.
"""

from __future__ import annotations

import math
import struct
from hashlib import sha256
from typing import Any, NamedTuple

_PACK = struct.Struct(">qqd").pack
_MODULUS = 2**128
# The smallest float is 2^-1074: in units of it every float is an integer.
_SCALE = 1074


class Point(NamedTuple):
    step: int
    timestamp_ms: int
    value: float


class SeriesSums:
    def __init__(self) -> None:
        self.count = 0
        # By step and time, and by value where these are equal.
        self.first: Point | None = None
        self.last: Point | None = None
        self._sum = 0
        self._specials = 0.0
        self._digest = 0

    def add(self, step: int, timestamp_ms: int, value: float) -> None:
        value = value + 0.0 if value == value else math.nan
        point = Point(step, timestamp_ms, value)
        self.count += 1
        digest = sha256(_PACK(step, timestamp_ms, value)).digest()
        self._digest = (self._digest + int.from_bytes(digest[:16], "big")) % _MODULUS
        if value - value == 0:
            numerator, denominator = value.as_integer_ratio()
            self._sum += numerator << (_SCALE - denominator.bit_length() + 1)
        else:
            self._specials += value
        if self.first is None or _order(point) < _order(self.first):
            self.first = point
        if self.last is None or _order(point) > _order(self.last):
            self.last = point

    @property
    def sum(self) -> float:
        """The exact sum, rounded once."""
        if self._specials != 0:
            return self._specials
        try:
            return float(self._sum / 2**_SCALE)
        except OverflowError:
            return math.copysign(math.inf, self._sum)

    @property
    def digest(self) -> str:
        return f"{self._digest:032x}"

    def plain(self) -> dict[str, Any]:
        """The sums for a report, without what JSON lacks."""
        return {
            "count": self.count,
            "first": _plain_point(self.first),
            "last": _plain_point(self.last),
            "sum": _plain(self.sum),
            "digest": self.digest,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SeriesSums) and self.plain() == other.plain()

    __hash__ = None  # type: ignore[assignment]


def _order(point: Point) -> tuple[int, int, bool, float]:
    is_number = point.value == point.value
    return point.step, point.timestamp_ms, is_number, point.value if is_number else 0.0


def _plain_point(point: Point | None) -> dict[str, Any] | None:
    if point is None:
        return None
    return {"step": point.step, "timestampMs": point.timestamp_ms, "value": _plain(point.value)}


def _plain(value: float) -> float | str:
    return value if value - value == 0 else str(value)
