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


def image(tag: str, content: bytes, width: int, height: int, step: int, wall_time: float) -> bytes:
    """A picture as torch.utils.tensorboard writes it."""
    said = b"\x08" + _varint(height) + b"\x10" + _varint(width) + b"\x18\x03" + _text(4, content)
    return event(step, wall_time, [_text(1, tag.encode()) + _text(4, said)])


def audio(tag: str, content: bytes, step: int, wall_time: float) -> bytes:
    """A sound as torch.utils.tensorboard writes it."""
    said = b"\x0d" + struct.pack("<f", 8000.0) + b"\x10\x01\x18\x08" + _text(4, content) + _text(5, b"audio/wav")
    return event(step, wall_time, [_text(1, tag.encode()) + _text(6, said)])


def histogram(
    tag: str, counts: list[float], limits: list[float], low: float, high: float, step: int, wall_time: float
) -> bytes:
    """A histogram as torch.utils.tensorboard writes it."""
    ends = b"\x09" + struct.pack("<d", low) + b"\x11" + struct.pack("<d", high)
    said = (
        ends + _text(6, struct.pack(f"<{len(limits)}d", *limits)) + _text(7, struct.pack(f"<{len(counts)}d", *counts))
    )
    return event(step, wall_time, [_text(1, tag.encode()) + _text(5, said)])


def text(tag: str, words: list[str], step: int, wall_time: float) -> bytes:
    """A text as torch.utils.tensorboard writes it, and TensorFlow 2 without the end of the tag."""
    return strings(tag, "text", [word.encode() for word in words], [len(words)], step, wall_time)


def strings(tag: str, plugin: str, values: list[bytes], shape: list[int], step: int, wall_time: float) -> bytes:
    """A tensor of strings as TensorFlow 2 writes it: pictures, audio and texts."""
    sizes = b"".join(_text(2, b"\x08" + _varint(size)) for size in shape)
    tensor = b"\x08\x07" + _text(2, sizes) + b"".join(_text(8, value) for value in values)
    return _tensor_of(tag, plugin, tensor, step, wall_time)


def histogram_rows(tag: str, rows: list[tuple[float, float, float]], step: int, wall_time: float) -> bytes:
    """A histogram as tf.summary.histogram of TensorFlow 2 writes it."""
    sizes = _text(2, b"\x08" + _varint(len(rows))) + _text(2, b"\x08\x03")
    content = b"".join(struct.pack("<3d", *row) for row in rows)
    return _tensor_of(tag, "histograms", b"\x08\x02" + _text(2, sizes) + _text(4, content), step, wall_time)


def _tensor_of(tag: str, plugin: str, tensor: bytes, step: int, wall_time: float) -> bytes:
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
