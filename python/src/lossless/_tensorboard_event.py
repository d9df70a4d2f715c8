"""What an event of TensorBoard says, out of its protobuf bytes: just the fields that scalars need.

Event          1 wall_time (double)   2 step (int64)   5 summary
Summary        1 value (repeated)
Summary.Value  1 tag   2 simple_value (float)   8 tensor   9 metadata
metadata       1 plugin_data { 1 plugin_name }
TensorProto    1 dtype   2 shape { 2 dim { 1 size } }   4 content   5 float … 17 uint64
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

Field = int | bytes


class MalformedEvent(ValueError):
    """These bytes are no event."""


class Scalar(NamedTuple):
    """`place`: its number among all values of the event, also those that are no scalars."""

    place: int
    tag: str
    value: float | int


class Event(NamedTuple):
    wall_time: float
    step: int
    scalars: list[Scalar]
    # Values that are images, histograms, texts …
    others: int


_FLOAT, _DOUBLE, _BFLOAT16, _HALF, _BOOL = 1, 2, 14, 19, 10
# dtype: format of an element in `content`, and the field that has it otherwise.
_ELEMENTS = {
    _FLOAT: ("<f", 5),
    _DOUBLE: ("<d", 6),
    3: ("<i", 7),
    4: ("<B", 7),
    5: ("<h", 7),
    6: ("<b", 7),
    9: ("<q", 10),
    _BOOL: ("<?", 11),
    _BFLOAT16: ("<H", 13),
    17: ("<H", 7),
    _HALF: ("<e", 13),
    22: ("<I", 16),
    23: ("<Q", 17),
}


def event_of(content: bytes, plugins: dict[str, str]) -> Event:
    """
    `plugins`: which plugin a tag belongs to; only the first event of a tag says it, so it is kept by the caller, for
    each file. Raises MalformedEvent.
    """
    wall_time, step = 0.0, 0
    scalars: list[Scalar] = []
    values = 0
    try:
        for number, field in _fields(content):
            if number == 1:
                wall_time = _double(field)
            elif number == 2:
                step = _signed(_integer(field))
            elif number == 5:
                for inner, value in _fields(_bytes(field)):
                    if inner == 1:
                        scalar = _scalar(values, _bytes(value), plugins)
                        values += 1
                        if scalar is not None:
                            scalars.append(scalar)
    except (struct.error, IndexError) as error:
        raise MalformedEvent(str(error)) from None
    return Event(wall_time, step, scalars, values - len(scalars))


def _scalar(place: int, content: bytes, plugins: dict[str, str]) -> Scalar | None:
    tag = ""
    value: float | int | None = None
    for number, field in _fields(content):
        if number == 1:
            tag = _bytes(field).decode("utf-8", "replace")
        elif number == 2:
            value = struct.unpack("<f", _bytes(field))[0]
        elif number == 8:
            value = _tensor(_bytes(field))
        elif number == 9:
            name = _plugin(_bytes(field))
            if name:
                plugins[tag] = name
    if value is None or plugins.get(tag, "scalars") != "scalars":
        return None
    return Scalar(place, tag, value)


def _plugin(metadata: bytes) -> str:
    for number, field in _fields(metadata):
        if number == 1:
            for inner, name in _fields(_bytes(field)):
                if inner == 1:
                    return _bytes(name).decode("utf-8", "replace")
    return ""


def _tensor(content: bytes) -> float | int | None:
    """The number in a tensor without dimensions."""
    found: dict[int, Field] = {}
    for number, field in _fields(content):
        if number == 2 and any(inner == 2 for inner, _ in _fields(_bytes(field))):
            return None
        # A repeated number that is not packed comes as it is: of a scalar there is one.
        found[number] = field
    dtype = _integer(found.get(1, 0))
    if dtype not in _ELEMENTS:
        return None
    format, member = _ELEMENTS[dtype]
    raw = found.get(4)
    if isinstance(raw, bytes) and len(raw) == struct.calcsize(format):
        return _number(dtype, struct.unpack(format, raw)[0])
    element = found.get(member)
    # Proto3 leaves zeros out.
    if element is None:
        return 0
    if dtype in (_FLOAT, _DOUBLE):
        return float(struct.unpack(format, _bytes(element))[0])
    if isinstance(element, bytes):
        element = _varint(element, 0)[0]
    if dtype == _HALF:
        return float(struct.unpack("<e", struct.pack("<H", element))[0])
    return _number(dtype, _signed(element) if member in (7, 10) else element)


def _number(dtype: int, value: float | int) -> float | int:
    if dtype == _BFLOAT16:
        return float(struct.unpack("<f", struct.pack("<I", int(value) << 16))[0])
    return int(value) if dtype == _BOOL else value


def _fields(content: bytes) -> Iterator[tuple[int, Field]]:
    """Numbers and raw values: an int of a varint, else bytes."""
    at, end = 0, len(content)
    while at < end:
        key, at = _varint(content, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(content, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _varint(content, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise MalformedEvent(f"wire type {kind}")
        if at + size > end:
            raise MalformedEvent("a field is longer than its message")
        yield key >> 3, content[at : at + size]
        at += size


def _varint(content: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise MalformedEvent("a number of more than ten bytes")


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def _integer(field: Field) -> int:
    if isinstance(field, bytes):
        raise MalformedEvent("bytes where a number belongs")
    return field


def _bytes(field: Field) -> bytes:
    if isinstance(field, int):
        raise MalformedEvent("a number where bytes belong")
    return field


def _double(field: Field) -> float:
    return float(struct.unpack("<d", _bytes(field))[0])
