"""
Parses events of TensorBoard from protobuf: only the fields needed for scalars, for what is shown by
step (logged_values.py), and for hyperparameters.

Event          1 wall_time (double)   2 step (int64)   5 summary Summary        1 value (repeated)
Summary.Value  1 tag   2 simple_value (float)   8 tensor   9 metadata metadata       1 plugin_data {
1 plugin_name   2 content } TensorProto    1 dtype   2 shape { 2 dim { 1 size } }   4 content   5
float … 17 uint64
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from .hparams import HPARAMS, session_hparams
from .logged_values import Content, name_of, old_content, tensor_content
from .protobuf import Field, Malformed, bytes_in, double_in, fields, integer_in, signed, varint


class Scalar(NamedTuple):
    """A scalar. `place`: its index among all values of the event, including other kinds."""

    place: int
    tag: str
    value: float | int


class LoggedValue(NamedTuple):
    """A text, or pictures, audio or a histogram. `place`: as that of a scalar."""

    place: int
    name: str
    # In the plural: images, histograms, texts …
    kind: str
    content: Content


class Event(NamedTuple):
    wall_time: float
    step: int
    scalars: list[Scalar]
    logged: list[LoggedValue]
    # Counts of values of other kinds, or that could not be read, by kind.
    others: Counter[str]
    # The hyperparameters at the start of a session of the plugin `hparams`.
    hparams: Mapping[str, Any] | None = None


_FLOAT, _DOUBLE, _BFLOAT16, _HALF, _BOOL = 1, 2, 14, 19, 10
# By dtype: the format of an element in `content`, and the field that has it otherwise.
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

# Kinds of values without a plugin, as older writers leave them, by field.
_OLD_KINDS = {4: "images", 5: "histograms", 6: "audio"}
# Words for plugins whose name is no plural of their content.
_KINDS = {"text": "texts", "pr_curves": "PR curves", "mesh": "meshes", "graphs": "graphs", "scalars": "tensors"}


def event_of(content: bytes, plugins: dict[str, str]) -> Event:
    """
    Parses an event. `plugins`: the plugin of each tag; only the first event of a tag has it, so the
    caller keeps it, for each file. Raises Malformed.
    """
    wall_time, step = 0.0, 0
    scalars: list[Scalar] = []
    logged: list[LoggedValue] = []
    hparams: Mapping[str, Any] | None = None
    values = 0
    others: Counter[str] = Counter()
    try:
        for number, field in fields(content):
            if number == 1:
                wall_time = double_in(field)
            elif number == 2:
                step = signed(integer_in(field))
            elif number == 5:
                for inner, value in fields(bytes_in(field)):
                    if inner == 1:
                        found = _value(values, bytes_in(value), plugins)
                        values += 1
                        if isinstance(found, Scalar):
                            scalars.append(found)
                        elif isinstance(found, LoggedValue):
                            logged.append(found)
                        elif isinstance(found, str):
                            others[found] += 1
                        else:
                            hparams = found if found else hparams
    except (struct.error, IndexError) as error:
        raise Malformed(str(error)) from None
    return Event(wall_time, step, scalars, logged, others, hparams)


def _value(
    place: int, content: bytes, plugins: dict[str, str]
) -> Scalar | LoggedValue | Mapping[str, Any] | None | str:
    """
    Parses a value: a scalar, or one that is logged beside them; for the plugin `hparams` its
    session, mostly None; otherwise its kind.
    """
    tag = ""
    old: tuple[int, bytes] | None = None
    tensor = b""
    session: Mapping[str, Any] | None = {}
    value: float | int | None = None
    for number, field in fields(content):
        if number == 1:
            tag = bytes_in(field).decode("utf-8", "replace")
        elif number == 2:
            value = struct.unpack("<f", bytes_in(field))[0]
        elif number in _OLD_KINDS:
            old = number, bytes_in(field)
        elif number == 8:
            tensor = bytes_in(field)
            value = _tensor(tensor)
        elif number == 9:
            name, said = _plugin(bytes_in(field))
            if name:
                plugins[tag] = name
            if name == HPARAMS:
                session = session_hparams(said)
    if plugins.get(tag) == HPARAMS:
        return session
    plugin = plugins.get(tag, "scalars")
    if old is None and value is not None and plugin == "scalars":
        return Scalar(place, tag, value)
    kind = _KINDS.get(plugin, plugin) if old is None else _OLD_KINDS[old[0]]
    shown = tensor_content(plugin, tensor) if old is None else old_content(*old)
    return kind if shown is None else LoggedValue(place, name_of(tag, shown), kind, shown)


def _plugin(metadata: bytes) -> tuple[str, bytes]:
    """Returns the plugin's name and its content."""
    name, content = "", b""
    for number, field in fields(metadata):
        if number == 1:
            for inner, each in fields(bytes_in(field)):
                if inner == 1:
                    name = bytes_in(each).decode("utf-8", "replace")
                elif inner == 2:
                    content = bytes_in(each)
    return name, content


def _tensor(content: bytes) -> float | int | None:
    """Returns the number in a tensor without dimensions."""
    found: dict[int, Field] = {}
    for number, field in fields(content):
        if number == 2 and any(inner == 2 for inner, _ in fields(bytes_in(field))):
            return None
        # An unpacked repeated number comes as it is: a scalar has one.
        found[number] = field
    dtype = integer_in(found.get(1, 0))
    if dtype not in _ELEMENTS:
        return None
    format, member = _ELEMENTS[dtype]
    raw = found.get(4)
    if isinstance(raw, bytes) and len(raw) == struct.calcsize(format):
        return _number(dtype, struct.unpack(format, raw)[0])
    element = found.get(member)
    # Proto3 omits zeros.
    if element is None:
        return 0
    if dtype in (_FLOAT, _DOUBLE):
        return float(struct.unpack(format, bytes_in(element))[0])
    if isinstance(element, bytes):
        element = varint(element, 0)[0]
    if dtype == _HALF:
        return float(struct.unpack("<e", struct.pack("<H", element))[0])
    return _number(dtype, signed(element) if member in (7, 10) else element)


def _number(dtype: int, value: float | int) -> float | int:
    if dtype == _BFLOAT16:
        return float(struct.unpack("<f", struct.pack("<I", int(value) << 16))[0])
    return int(value) if dtype == _BOOL else value
