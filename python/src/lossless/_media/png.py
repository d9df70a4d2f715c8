"""Encodes numbers as PNG, with or without numpy."""

from __future__ import annotations

import math
import struct
import sys
import zlib
from typing import Any

from .._ground.warning import warn

_COLORS = {1: 0, 2: 4, 3: 2, 4: 6}
BYTES_MAX = 48 * 2**20
# Numbers at most without numpy, which are processed one by one.
_NUMBERS_MAX = 1_000_000
_LEVEL = 4
# Maximum of floats that are taken for shares of 1, of those that surely are, and the least that
# surely are not.
_SHARE_MAX = 2.0
_SURE_SHARE_MAX = 1.1
_SURE_BYTE_MIN = 16.0


def png_of(data: Any) -> tuple[bytes, int, int]:
    """
    Encodes rows of numbers, or rows of 1 to 4 channels; a tensor of PyTorch has its channels first,
    unless these would be more than 4 (fastai's callback has moved them). Several pictures are
    stacked. Returns width and height too. Raises ValueError, TypeError.
    """
    is_tensor = callable(getattr(data, "detach", None))
    data = _array_of(data)
    if hasattr(data, "shape") and hasattr(data, "astype"):
        return _of_array(data, is_tensor)
    if "numpy" in sys.modules:
        return _of_array(sys.modules["numpy"].asarray(data), False)
    return _of_rows(data)


def _of_array(array: Any, is_tensor: bool) -> tuple[bytes, int, int]:
    has_channels_first = is_tensor and array.ndim > 2 and array.shape[-3] in _COLORS
    if array.ndim == 4:
        array = array.transpose(0, 2, 3, 1) if has_channels_first else array
        array = array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])
    elif array.ndim == 3 and has_channels_first:
        array = array.transpose(1, 2, 0)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.ndim != 3 or array.shape[2] not in _COLORS or 0 in array.shape:
        raise ValueError(f"an array of the shape {tuple(array.shape)} cannot be a picture")
    height, width, channels = (int(each) for each in array.shape)
    return _png([_lines(_bytes_of(array))], width, height, channels), width, height


def film_of(data: Any, frames_a_second: float) -> tuple[bytes, int, int]:
    """
    Encodes an array (time, channels, height, width), as in W&B, as an animated PNG; several films
    are placed side by side. Returns width and height too. Raises ValueError, TypeError.
    """
    array = _array_of(data)
    if not (hasattr(array, "shape") and hasattr(array, "astype")):
        raise TypeError(f"{type(data).__name__} is neither a file's path nor an array of frames")
    if array.ndim == 5:
        films, frames, channels, height, width = array.shape
        array = array.transpose(1, 2, 3, 0, 4).reshape(frames, channels, height, films * width)
    if array.ndim != 4 or array.shape[1] not in _COLORS or 0 in array.shape:
        raise ValueError(f"an array of the shape {tuple(array.shape)} is no film (time, channels, height, width)")
    if not 0.01 <= frames_a_second <= 1000:
        raise ValueError("a film has 0.01 to 1000 frames a second")
    pixels = _bytes_of(array.transpose(0, 2, 3, 1))
    _, height, width, channels = (int(each) for each in pixels.shape)
    return _png([_lines(each) for each in pixels], width, height, channels, frames_a_second), width, height


def _array_of(data: Any) -> Any:
    """Returns the array of a tensor; one that is too large is neither fetched nor copied."""
    if math.prod(getattr(data, "shape", ())) > BYTES_MAX:
        raise ValueError(f"it has more than {BYTES_MAX} bytes")
    return data.detach().cpu().numpy() if callable(getattr(data, "detach", None)) else data


def _bytes_of(array: Any) -> Any:
    """
    Scales numbers to 0 to 255: those up to 1 are stretched, and negative ones as a range. NaN is
    black, infinities are black or white.
    """
    if array.size > BYTES_MAX:
        raise ValueError(f"it has more than {BYTES_MAX} bytes")
    if str(array.dtype) == "uint8":
        return array
    is_float = array.dtype.kind not in "biu"
    array = array.astype("float64")
    finite = array[abs(array) < math.inf] if is_float else array
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    if low < 0:
        array = (array - low) / ((high - low) or 1.0)
        high = 1.0
    array = (array * 255 if _is_share(high, is_float) else array).clip(0, 255)
    # NaN alone differs from itself.
    array[array != array] = 0
    return array.astype("uint8")


def _is_share(high: float, is_float: bool) -> bool:
    """
    Whether numbers from 0 to this maximum are shares of 1, and not from 0 to 255: computed floats
    may slightly exceed 1. Ambiguous cases issue a warning.
    """
    is_share = high <= 1 or (is_float and high <= _SHARE_MAX)
    if is_float and _SURE_SHARE_MAX < high < _SURE_BYTE_MIN:
        said = "from 0 to 1, others cut" if is_share else "from 0 to 255, nearly black"
        warn("range of a picture", f"a picture of floats up to {high:.4g} is read as numbers {said}; uint8 is exact")
    return is_share


def _lines(pixels: Any) -> bytes:
    rows = pixels.reshape(pixels.shape[0], -1)
    return b"".join(b"\0" + row.tobytes() for row in rows)


def _of_rows(data: Any) -> tuple[bytes, int, int]:
    rows = [[list(cell) if isinstance(cell, (list, tuple)) else [cell] for cell in row] for row in data]
    height, width = len(rows), len(rows[0]) if rows else 0
    channels = len(rows[0][0]) if width else 0
    if channels not in _COLORS or any(len(row) != width or any(len(cell) != channels for cell in row) for row in rows):
        raise ValueError("rows of different lengths, or none, cannot be a picture")
    if height * width * channels > _NUMBERS_MAX:
        raise ValueError(f"it has more than {_NUMBERS_MAX} numbers, which needs numpy")
    given = [each for row in rows for cell in row for each in cell]
    is_float = any(isinstance(each, float) for each in given)
    numbers = [float(each) for each in given]
    finite = [each for each in numbers if math.isfinite(each)]
    low, high = min(finite, default=0.0), max(finite, default=0.0)
    if low < 0:
        span = (high - low) or 1.0
        numbers, high = [(each - low) / span for each in numbers], 1.0
    factor = 255 if _is_share(high, is_float) else 1
    flat = bytes(0 if each != each else int(max(0, min(255, each * factor))) for each in numbers)
    line = width * channels
    content = b"".join(b"\0" + flat[row * line : (row + 1) * line] for row in range(height))
    return _png([content], width, height, channels), width, height


def _png(frames: list[bytes], width: int, height: int, channels: int, frames_a_second: float = 1.0) -> bytes:
    """
    Writes the file. Several frames are an animation; viewers without support show the first one.
    """
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, _COLORS[channels], 0, 0, 0))]
    if len(frames) > 1:
        chunks.append((b"acTL", struct.pack(">II", len(frames), 0)))
    milliseconds = min(round(1000 / frames_a_second), 65_535)
    for place, frame in enumerate(frames):
        # The chunks of an animation are numbered, except the first frame's content.
        count = max(0, 2 * place - 1)
        if len(frames) > 1:
            chunks.append((b"fcTL", struct.pack(">IIIIIHHBB", count, width, height, 0, 0, milliseconds, 1000, 0, 0)))
        content = zlib.compress(frame, _LEVEL)
        chunks.append((b"IDAT", content) if place == 0 else (b"fdAT", struct.pack(">I", count + 1) + content))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(each)) + kind + each + struct.pack(">I", zlib.crc32(kind + each))
        for kind, each in [*chunks, (b"IEND", b"")]
    )
