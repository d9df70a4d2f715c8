"""Makes points of the items of a source, and annotations of what is no point."""

from __future__ import annotations

import math
from typing import Any

from .._ground.wire_numbers import STEP_MAX, TIMESTAMP_MS_MAX
from .._sending.delivery import Annotation
from .._tensorboard.logged_notes import text_note
from .._values.metric_names import metric_name
from .._values.nonfinite import note_of, word_of
from .._values.records import encode
from .source import LeftOut, Note, Number, Text

# Further values that are not finite are only counted: a diverged run may have millions.
NONFINITE_MAX = 10_000


def problem_of(item: Number) -> LeftOut | None:
    """Returns why the value has no place among the points; None: it has one."""
    reason = ""
    if not 0 <= item.step <= STEP_MAX:
        reason = "a step is from 0 to 2^53 - 2"
    elif not 0 <= item.timestamp_ms <= TIMESTAMP_MS_MAX:
        reason = "a time is from 0 to 2^53 - 1 ms after 1970"
    return LeftOut(f"values of {item.name}", reason) if reason else None


def stored_value(value: float | int) -> float:
    """
    Returns the value as 64 bits hold it; integers beyond them are rounded, or become infinite.
    """
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def is_rounded(value: float | int) -> bool:
    return isinstance(value, int) and stored_value(value) != value


class NamedMetrics:
    """Names of metrics as the store takes them, with the meta of their points."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, dict[str, Any], str]] = {}

    def of(self, name: str) -> tuple[str, dict[str, Any], str]:
        found = self._known.get(name)
        if found is None:
            stored, meta = metric_name(name)
            found = self._known[name] = stored, dict(meta), encode(dict(meta))
        return found


def nonfinite_note(item: Number, value: float, named: tuple[str, dict[str, Any], str], id: str) -> Annotation:
    name, meta, _ = named
    word = word_of(value)
    own = note_of(name, item.step, word, item.timestamp_ms)
    point_meta = {"pointMeta": meta} if meta else {}
    return Annotation(f"{name} is {word} at step {item.step}", {**own, **point_meta, "imported": id})


def note_annotation(item: Text | Note, id: str) -> Annotation:
    if isinstance(item, Text):
        return text_note(item.name, item.text, item.step, item.timestamp_ms, id)
    return Annotation(item.text, {**item.meta, "imported": id})
