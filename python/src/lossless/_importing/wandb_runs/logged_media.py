"""Media in W&B's history: a description in the record, and mostly a file in the run's directory."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..._media.media import FILE_BYTES_MAX, Histogram, Media, Table
from ..stored_file import FileMedia

_KINDS = {
    "image-file": "image",
    "audio-file": "audio",
    "video-file": "video",
    "html-file": "html",
    "plotly-file": "plotly",
}
# Several together, with the names of their files; older versions leave these out.
_TOGETHER = {"images/separated": "image", "audio": "audio", "videos": "video", "html": "html"}
_ENDS = {"plotly": ".plotly.json"}
_TABLES = ("table-file", "table")


class Unmapped(ValueError):
    """There is no counterpart, or its file is missing."""


def media_in(value: Mapping[str, Any], files: Path) -> list[Media]:
    """Returns the media that a logged value describes. Raises Unmapped."""
    kind = str(value.get("_type"))
    if kind == "histogram":
        return [_histogram(value)]
    if kind in _TABLES:
        return [_table(_file(files, value.get("path")))]
    if kind in _KINDS:
        path = _file(files, value.get("path"))
        own = _KINDS[kind]
        return [FileMedia(own, path, _ENDS.get(own), _size(value), _caption(value.get("caption")))]
    if kind in _TOGETHER and isinstance(value.get("filenames"), list):
        captions = value.get("captions")
        captions = captions if isinstance(captions, list) else []
        own = _TOGETHER[kind]
        return [
            FileMedia(
                own,
                _file(files, name),
                _ENDS.get(own),
                _size(value),
                _caption(captions[place]) if place < len(captions) else None,
            )
            for place, name in enumerate(value["filenames"])
        ]
    if kind in _TOGETHER and isinstance(value.get(kind), list) and value[kind]:
        # Each is described by itself.
        return [medium for each in value[kind] if isinstance(each, dict) for medium in media_in(each, files)]
    raise Unmapped("it has no counterpart; its file, if any, is among the files of the run")


def _file(files: Path, name: Any) -> Path:
    path = files / str(name)
    if not isinstance(name, str) or not path.is_file():
        raise Unmapped(f"its file is missing: {name}")
    if path.stat().st_size > FILE_BYTES_MAX:
        raise Unmapped(f"its file has more than {FILE_BYTES_MAX} bytes; it is among the files of the run")
    return path


def _histogram(value: Mapping[str, Any]) -> Media:
    counts, edges, packed = value.get("values"), value.get("bins"), value.get("packedBins")
    if isinstance(packed, dict) and isinstance(counts, list):
        try:
            edges = [packed["min"] + packed["size"] * place for place in range(int(packed["count"]) + 1)]
        except (KeyError, TypeError, ValueError):
            edges = None
    if not isinstance(counts, list) or not isinstance(edges, list) or len(edges) != len(counts) + 1:
        raise Unmapped("a histogram without counts and edges")
    return Histogram(np_histogram=(counts, edges))


def _table(path: Path) -> Media:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return Table(columns=content["columns"], data=content["data"])
    except (OSError, ValueError, KeyError, TypeError):
        raise Unmapped("its file is no table in JSON; it is among the files of the run") from None


def _size(value: Mapping[str, Any]) -> tuple[int, int] | None:
    width, height = value.get("width"), value.get("height")
    return (width, height) if isinstance(width, int) and isinstance(height, int) else None


def _caption(value: Any) -> str | None:
    return None if value in (None, "") else str(value)
