"""Non-finite values, which the wire has as words and as annotations of the kind nonfinite."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_WORDS = ("NaN", "Infinity", "-Infinity")


def number_in(value: Any) -> Any:
    """Returns the float for a word of the wire; other values unchanged."""
    return float(value) if value in _WORDS else value


def word_of(value: float) -> str:
    """Returns the word of the wire for a number that is not finite."""
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"


def note_of(name: str, step: int, word: str, timestamp_ms: int) -> dict[str, Any]:
    """Returns the meta of a note of a value that is not finite."""
    return {"kind": "nonfinite", "metricName": name, "step": step, "value": word, "timestampMs": timestamp_ms}


@dataclasses.dataclass(frozen=True)
class NonfiniteNote:
    name: str
    metadata: dict[str, str]
    step: int
    timestamp_ms: int
    value: float


def nonfinite_notes(annotations: Iterable[Mapping[str, Any]]) -> Iterator[NonfiniteNote]:
    """
    Yields the non-finite values, oldest first, from annotations, newest first. Values that were
    only counted are one note, at the last of their steps.
    """
    for annotation in reversed(list(annotations)):
        meta = annotation["meta"]
        step, value = meta.get("lastStep", meta.get("step")), meta.get("lastValue", meta.get("value"))
        if meta.get("kind") != "nonfinite" or value not in _WORDS or not isinstance(step, int):
            continue
        # Notes of `lossless import tensorboard` have the tag separately.
        metadata = meta.get("pointMeta", {"tag": meta["tag"]} if "imported" in meta and "tag" in meta else {})
        timestamp_ms = meta.get("lastTimestampMs", meta.get("timestampMs", annotation["createdAtMs"]))
        yield NonfiniteNote(str(meta.get("metricName")), metadata, step, timestamp_ms, float(value))
