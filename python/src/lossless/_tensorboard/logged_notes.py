"""Annotations of what event files have beside scalars, as a recording would write them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._ground.wire_numbers import ANNOTATION_CHARACTERS_MAX
from .._media.media import FILE_BYTES_MAX, Histogram, Media
from .._sending.delivery import Annotation
from .._values.values import storable

_UNFIT = re.compile(r"[^A-Za-z0-9_.-]+")
_NAME_CHARACTERS_MAX = 1_000
# Bins that are read from an annotation: a histogram needs no file then.
_BINS_MAX = 512


class LoggedFile(NamedTuple):
    """An annotation that lacks where its file is, and the file."""

    note: Annotation
    path: str
    content: bytes

    def stored(self, artifact: str, version: str) -> Annotation:
        own = {**self.note.meta["_media"], "artifact": artifact, "version": version}
        return Annotation(self.note.text, {**self.note.meta, "_media": own})


def text_note(name: str, text: str, step: int, timestamp_ms: int, id: str) -> Annotation:
    """Returns the annotation of a text, which is cut at the limit of the service."""
    meta = {"kind": "text", "metricName": _name(name), "step": step, "timestampMs": timestamp_ms, "imported": id}
    return Annotation(storable(f"{name}: {text}")[:ANNOTATION_CHARACTERS_MAX], meta)


def media_notes(name: str, media: list[Media], step: int, timestamp_ms: int, id: str) -> list[Annotation | LoggedFile]:
    """
    Returns the annotations of media that were logged together, with their files. Raises ValueError
    for one that is too large.
    """
    found: list[Annotation | LoggedFile] = []
    for index, each in enumerate(media):
        is_one = len(media) == 1
        one_id = id if is_one else f"{id}.{index}"
        place = {} if is_one else {"index": index, "count": len(media)}
        own = {"kind": each._kind, "name": _name(name), "step": step, "timestampMs": timestamp_ms, **place}
        own.update(each._described())
        text = f"{_name(name)}: {each._kind} at step {step}"
        if isinstance(each, Histogram):
            own["histogram"] = each._bins_of(_BINS_MAX)
            found.append(Annotation(text, _meta(own, one_id)))
            continue
        content, end = each._file()
        if len(content) > FILE_BYTES_MAX:
            raise ValueError(f"it has more than {FILE_BYTES_MAX} bytes")
        # The end of an id tells apart those of one record.
        path = f"media/{_UNFIT.sub('_', name)[:80]}-{step}-{one_id[-40:]}{end}"
        meta = _meta({**own, "path": path, "bytes": len(content)}, one_id)
        found.append(LoggedFile(Annotation(text, meta), path, content))
    return found


def _meta(own: dict[str, Any], id: str) -> dict[str, Any]:
    return {"kind": "media", "_media": own, "imported": id}


def _name(name: str) -> str:
    return storable(name)[:_NAME_CHARACTERS_MAX]
