"""Values that are not finite, which the wire has as words and annotations of the kind nonfinite."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

_WORDS = ("NaN", "Infinity", "-Infinity")


def number_in(value: Any) -> Any:
    """The float that is meant where the wire has a word for it; anything else as it is."""
    return float(value) if value in _WORDS else value


@dataclasses.dataclass(frozen=True)
class NonfiniteNote:
    name: str
    metadata: dict[str, str]
    step: int
    timestamp_ms: int
    value: float


def nonfinite_notes(annotations: Iterable[Mapping[str, Any]]) -> Iterator[NonfiniteNote]:
    """
    The values that are not finite, oldest first, of annotations, newest first. Those that were only
    counted are one, at the last of their steps.
    """
    for annotation in reversed(list(annotations)):
        meta = annotation["meta"]
        step, value = meta.get("lastStep", meta.get("step")), meta.get("lastValue", meta.get("value"))
        if meta.get("kind") != "nonfinite" or value not in _WORDS or not isinstance(step, int):
            continue
        # Those of `lossless import tensorboard` have the tag beside the rest.
        metadata = meta.get("pointMeta", {"tag": meta["tag"]} if "imported" in meta and "tag" in meta else {})
        timestamp_ms = meta.get("lastTimestampMs", meta.get("timestampMs", annotation["createdAtMs"]))
        yield NonfiniteNote(str(meta.get("metricName")), metadata, step, timestamp_ms, float(value))
