"""Writes event files as TensorFlow does, for import tests, with checksums computed bit by bit."""

from __future__ import annotations

import struct
from pathlib import Path


def record(content: bytes) -> bytes:
    head = struct.pack("<Q", len(content))
    return head + _masked(head) + content + _masked(content)


def scalar(tag: str, value: float, step: int, wall_time: float) -> bytes:
    """A scalar as torch.utils.tensorboard writes it."""
    return event(step, wall_time, [_text(1, tag.encode()) + b"\x15" + struct.pack("<f", value)])


def tensor_scalar(tag: str, dtype: int, content: bytes, step: int, wall_time: float, plugin: str = "scalars") -> bytes:
    """A scalar as tf.summary.scalar of TensorFlow 2 writes it."""
    tensor = b"\x08" + _varint(dtype) + _text(2, b"") + _text(4, content)
    metadata = _text(1, _text(1, plugin.encode()))
    return event(step, wall_time, [_text(1, tag.encode()) + _text(9, metadata) + _text(8, tensor)])


def event(step: int, wall_time: float, values: list[bytes]) -> bytes:
    summary = b"".join(_text(1, value) for value in values)
    return b"\x09" + struct.pack("<d", wall_time) + b"\x10" + _varint(step) + _text(5, summary)


def version(wall_time: float) -> bytes:
    return b"\x09" + struct.pack("<d", wall_time) + _text(3, b"brain.Event:2")


def write(path: Path, contents: list[bytes]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(record(content) for content in contents))


def append(path: Path, data: bytes) -> None:
    with open(path, "ab") as out:
        out.write(data)


def crc32c(data: bytes) -> int:
    checksum = 0xFFFFFFFF
    for byte in data:
        checksum ^= byte
        for _ in range(8):
            checksum = (checksum >> 1) ^ (0x82F63B78 if checksum & 1 else 0)
    return checksum ^ 0xFFFFFFFF


def _masked(data: bytes) -> bytes:
    checksum = crc32c(data)
    return struct.pack("<I", (((checksum >> 15) | (checksum << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def _text(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def hparams(values: dict[str, object], wall_time: float) -> bytes:
    """The start of a session of the plugin `hparams`, as `add_hparams` writes it."""
    entries = [_text(1, _text(1, name.encode()) + _text(2, _value(each))) for name, each in values.items()]
    said = _text(3, b"".join(entries))
    metadata = _text(1, _text(1, b"hparams") + _text(2, said))
    return event(0, wall_time, [_text(1, b"_hparams_/session_start_info") + _text(9, metadata)])


def _value(value: object) -> bytes:
    if isinstance(value, bool):
        return b"\x20" + _varint(value)
    if isinstance(value, (int, float)):
        return b"\x11" + struct.pack("<d", value)
    if isinstance(value, list):
        return _text(6, b"".join(_text(1, _value(each)) for each in value))
    if isinstance(value, dict):
        return _text(
            5, b"".join(_text(1, _text(1, key.encode()) + _text(2, _value(each))) for key, each in value.items())
        )
    return b"\x08\0" if value is None else _text(3, str(value).encode())
