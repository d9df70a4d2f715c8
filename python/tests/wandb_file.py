"""Writes `.wandb` files as W&B does, for cases that its package makes only by accident."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any
from zlib import crc32

_BLOCK = 32 * 2**10
Content = list[tuple[int, Any]]


def message(*members: tuple[int, Any]) -> bytes:
    """Encodes a protobuf message: integers, texts and messages by their fields."""
    out = b""
    for number, value in members:
        if isinstance(value, int):
            out += _varint(number << 3) + _varint(value)
        else:
            content = value.encode() if isinstance(value, str) else value
            out += _varint(number << 3 | 2) + _varint(len(content)) + content
    return out


def items(values: dict[str, Any], member: int = 1) -> bytes:
    return message(*((member, message((2, name), (16, json.dumps(value)))) for name, value in values.items()))


def run(run_id: str, project: str = "made", *more: tuple[int, Any]) -> bytes:
    start = message((1, 1_700_000_000), (2, 5_000_000))
    return message((17, message((1, run_id), (3, project), (17, start), *more)))


def history(step: int, values: dict[str, Any]) -> bytes:
    return message((2, items({**values, "_step": step, "_timestamp": 1_700_000_000 + step})))


def exited(code: int = 0) -> bytes:
    return message((18, message((1, code), (2, 7))))


def write(path: Path, records: list[bytes]) -> None:
    """Writes records as whole ones or fragments, in blocks."""
    path.parent.mkdir(parents=True, exist_ok=True)
    out = bytearray(struct.pack("<4sHB", b":W&B", 0xBEE1, 0))
    for record in records:
        rest, is_first = record, True
        while rest or is_first:
            room = _BLOCK - len(out) % _BLOCK
            if room < 7:
                out += bytes(room)
                continue
            part, rest = rest[: room - 7], rest[room - 7 :]
            kind = (1 if not rest else 2) if is_first else (3 if rest else 4)
            checked = bytes([kind]) + part
            out += struct.pack("<IH", crc32(checked), len(part)) + checked
            is_first = False
    path.write_bytes(bytes(out))


def _varint(value: int) -> bytes:
    out = b""
    value &= 2**64 - 1
    while True:
        value, low = value >> 7, value & 0x7F
        out += bytes([low | (0x80 if value else 0)])
        if not value:
            return out
