"""
Values of events that are no numbers: pictures, audio, histograms and texts, as older writers and
PyTorch leave them, and as tensors of TensorFlow 2.

Image           1 height   2 width   4 encoded
HistogramProto  1 min   2 max   6 bucket_limit (packed double)   7 bucket (packed double)
Audio           4 encoded   5 content_type
TensorProto     1 dtype   4 content   6 double_val (packed)   8 string_val (repeated)
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence

from .._media.media import Encoded, Histogram, Media, summed
from .protobuf import Field, bytes_in, fields, integer_in

# One text, or media that were logged together.
Content = str | list[Media]

_STRING, _DOUBLE, _FLOAT = 7, 2, 1
_BINS_MAX = 512
_PICTURES = ((b"\x89PNG", ".png"), (b"\xff\xd8\xff", ".jpg"), (b"GIF8", ".gif"), (b"BM", ".bmp"))
_SOUNDS = ((b"OggS", ".ogg"), (b"fLaC", ".flac"), (b"ID3", ".mp3"), (b"\xff\xfb", ".mp3"))
# As PyTorch adds it to the tags of texts.
_TEXT_END = "/text_summary"


def old_content(field: int, content: bytes) -> Content | None:
    """Reads the content of a value in a field of its own; None: it is not known."""
    found = dict(fields(content))
    if field == 4:
        size = (_integer(found.get(2)), _integer(found.get(1)))
        return _media([_picture(_bytes(found.get(4)), size)])
    if field == 6:
        return _media([_sound(_bytes(found.get(4)))])
    counts, limits = (_doubles(_repeated(content, number)) for number in (7, 6))
    low, high = (struct.unpack("<d", bytes_in(found.get(number, bytes(8))))[0] for number in (1, 2))
    return _media([_histogram_of_limits(counts, limits, low, high)])


def tensor_content(plugin: str, content: bytes) -> Content | None:
    """Reads the content of a tensor of a plugin; None: it is not known."""
    found = dict(fields(content))
    if plugin == "histograms":
        is_double = found.get(1) == _DOUBLE
        raw = _bytes(found.get(4)) or _repeated(content, 6 if is_double else 5)
        return _media([_histogram_of_rows(_doubles(raw, "d" if is_double else "f"))])
    if found.get(1) != _STRING:
        return None
    texts = [bytes_in(field) for number, field in fields(content) if number == 8]
    if plugin == "text":
        return "\n".join(text.decode("utf-8", "replace") for text in texts) if texts else None
    if plugin == "images" and len(texts) > 2:
        # Width and height come before the pictures.
        size = (int(texts[0]), int(texts[1])) if texts[0].isdigit() and texts[1].isdigit() else None
        return _media([_picture(text, size) for text in texts[2:]])
    if plugin == "audio":
        # A clip and its label, in turn.
        return _media([_sound(text, label) for text, label in zip(texts[::2], texts[1::2])])
    return None


def name_of(tag: str, content: Content) -> str:
    return tag.removesuffix(_TEXT_END) if isinstance(content, str) else tag


def _media(found: Sequence[Media | None]) -> list[Media] | None:
    media = [each for each in found if each is not None]
    return media if media and len(media) == len(found) else None


def _picture(content: bytes, size: tuple[int, int] | None) -> Media | None:
    is_webp = content[:4] == b"RIFF" and content[8:12] == b"WEBP"
    end = ".webp" if is_webp else next((end for start, end in _PICTURES if content.startswith(start)), None)
    return None if end is None else Encoded("image", content, end, size if size and all(size) else None)


def _sound(content: bytes, label: bytes = b"") -> Media | None:
    is_wave = content[:4] == b"RIFF" and content[8:12] == b"WAVE"
    end = ".wav" if is_wave else next((end for start, end in _SOUNDS if content.startswith(start)), None)
    caption = label.decode("utf-8", "replace") or None
    return None if end is None else Encoded("audio", content, end, caption=caption)


def _histogram_of_limits(counts: list[float], limits: list[float], low: float, high: float) -> Media | None:
    """Makes one of the upper limits of buckets; the outer ones are as far out as numbers go."""
    if not counts or len(counts) != len(limits) or not math.isfinite(low) or not low <= high < math.inf:
        return None
    edges = [low, *(min(max(limit, low), high) for limit in limits[:-1]), high]
    return _histogram(counts, edges)


def _histogram_of_rows(numbers: list[float]) -> Media | None:
    """Makes one of rows of a left edge, a right edge and a count."""
    lefts, rights, counts = numbers[::3], numbers[1::3], numbers[2::3]
    if not counts or len(numbers) % 3:
        return None
    return _histogram(counts, [*lefts, rights[-1]])


def _histogram(counts: list[float], edges: list[float]) -> Media | None:
    # Empty bins at the ends say nothing.
    filled = [at for at, count in enumerate(counts) if count > 0]
    is_sound = all(math.isfinite(each) for each in (*counts, *edges)) and all(count >= 0 for count in counts)
    if not filled or not is_sound or any(left > right for left, right in zip(edges, edges[1:])):
        return None
    first, end = filled[0], filled[-1] + 1
    return Histogram(np_histogram=summed(counts[first:end], edges[first : end + 1], _BINS_MAX))


def _repeated(content: bytes, wanted: int) -> bytes:
    """Joins the numbers of a repeated field, whether they are packed or not."""
    return b"".join(bytes_in(field) for number, field in fields(content) if number == wanted)


def _doubles(raw: bytes, format: str = "d") -> list[float]:
    count = len(raw) // struct.calcsize(format)
    return list(struct.unpack(f"<{count}{format}", raw[: count * struct.calcsize(format)]))


def _bytes(field: Field | None) -> bytes:
    return b"" if field is None else bytes_in(field)


def _integer(field: Field | None) -> int:
    return 0 if field is None else integer_in(field)
