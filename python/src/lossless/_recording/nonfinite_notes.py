"""
Notes of values that are not finite: JSON has no NaN, and a point with one would fail its batch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._values.nonfinite import note_of, word_of
from .._values.values import with_point_meta

_NOTES_MAX = 10_000
# Series up to which values are counted separately; beyond, by name alone, and beyond twice as many
# together.
_UNCOUNTED_MAX = 1_000


class NonfiniteNotes:
    """
    The notes of one recording. A diverged run logs such a value in each step: beyond 10,000 they
    are counted, and noted at the end. The point's meta distinguishes the notes of ranks.
    """

    def __init__(self, annotate: Callable[[str, dict[str, Any]], None]) -> None:
        self._annotate = annotate
        self._notes = 0
        # Values without a note of their own: the first one's and the last one's step, time and
        # word, and how many.
        self._uncounted: dict[tuple[str, str], list[Any]] = {}

    def take(self, name: str, value: float, step: int, now_ms: int, partition: str) -> None:
        word = word_of(value)
        if self._notes < _NOTES_MAX:
            self._notes += 1
            return self._annotate(
                f"{name} is {word} at step {step}", with_point_meta(note_of(name, step, word, now_ms), partition)
            )
        key = (name, partition)
        if key not in self._uncounted and len(self._uncounted) >= _UNCOUNTED_MAX:
            key = (name, "null")
        if key not in self._uncounted and len(self._uncounted) >= 2 * _UNCOUNTED_MAX:
            key = ("others", "null")
        place = (step, now_ms, word)
        counted = self._uncounted.setdefault(key, [place, place, 0])
        counted[1] = max(counted[1], place, key=_place)
        counted[2] += 1

    def end(self) -> None:
        """Notes what was only counted."""
        for (name, partition), ((step, first_ms, word), last, count) in self._uncounted.items():
            until = dict(zip(("lastStep", "lastTimestampMs", "lastValue"), last))
            note = {**with_point_meta(note_of(name, step, word, first_ms), partition), "count": count, **until}
            self._annotate(f"{name} is not finite {count} more times from step {step}", note)


def _place(of: tuple[int, int, str]) -> tuple[int, int]:
    return of[:2]
