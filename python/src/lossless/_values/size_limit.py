"""Content larger than the service accepts."""

from __future__ import annotations

import json
from typing import Any

from .._ground.wire_numbers import JSON_META_BYTES_MAX
from .records import encode

_LISTED_MAX = 5


def is_too_large(content: Any, encoded: str, bytes_max: int = JSON_META_BYTES_MAX) -> bool:
    """
    Whether it is too large in UTF-8, which the service counts; the spool's ASCII is never shorter.
    """
    return len(encoded) > bytes_max and _bytes_of(content) > bytes_max


def smaller(content: dict[str, Any], bytes_max: int = JSON_META_BYTES_MAX) -> tuple[dict[str, Any], list[str]]:
    """Returns the content without its largest values, and their names."""
    kept = dict(sorted(content.items(), key=lambda item: _bytes_of(item[1])))
    left_out: list[str] = []
    while kept and is_too_large(kept, encode(kept), bytes_max):
        left_out.append(kept.popitem()[0])
    return kept, left_out


def listed(names: list[str]) -> str:
    more = len(names) - _LISTED_MAX
    return ", ".join(map(short, names[:_LISTED_MAX])) + (f" and {more} more" if more > 0 else "")


def short(name: str) -> str:
    return repr(name if len(name) <= 80 else f"{name[:77]}…")


def _bytes_of(content: Any) -> int:
    return len(json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))
