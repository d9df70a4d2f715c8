"""The summary of an experiment, from its stored points and annotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._values.metric_definitions import definition_of, shown_of
from .._values.nonfinite import nonfinite_notes
from .._values.value_summary import ValueSummary
from .series import NO_STEP, Chunk

# Metrics of the machine, which count seconds, begin so.
OF_MACHINE = "system/"
Place = tuple[int, int]


class StoredSummary:
    """
    The last value of each metric, by its step, and by its time at one step; the summary of all its
    values; and what scripts have put into the summary, as far as no later value replaces it.
    """

    def __init__(self) -> None:
        self.last: dict[str, float] = {}
        # Summaries of the finite values.
        self.values: dict[str, ValueSummary] = {}
        self.said: dict[str, Any] = {}
        self._first_places: dict[str, Place] = {}
        self._last_places: dict[str, Place] = {}

    @property
    def next_step(self) -> int:
        """The step after the last one."""
        return max((step for step, _ in self._last_places.values()), default=NO_STEP) + 1

    def take_chunk(self, chunk: Chunk) -> None:
        """Takes points of one partition, which are sorted by their steps."""
        if len(chunk) and not chunk.name.startswith(OF_MACHINE):
            first, last = (_place(chunk.step[each], chunk.timestamp_ms[each]) for each in (0, -1))
            self.take(chunk.name, first, last, chunk.value)

    def take(self, name: str, first: Place, last: Place, values: Sequence[float], is_counted: bool = True) -> None:
        """Takes values between two places. The mean has only those that are counted."""
        self.values.setdefault(name, ValueSummary()).add_all(values, is_counted)
        self._take_first(name, first, values[0])
        self._take_last(name, last, values[-1])

    def take_notes(self, notes: Sequence[Mapping[str, Any]]) -> None:
        """Takes values that are not finite, and the summary, of annotations, newest first."""
        finite = dict(self.last)
        for note in nonfinite_notes(notes):
            if not note.name.startswith(OF_MACHINE):
                self._take_last(note.name, (note.step, note.timestamp_ms), note.value)
        later_step: int | None = None
        for meta in (each["meta"] for each in notes):
            if meta.get("kind") == "summary" and isinstance(meta.get("summary"), dict):
                self.said = {
                    name: each
                    for name, each in meta["summary"].items()
                    # The last values are noted, too.
                    if not self._is_at(name, later_step) and each not in (finite.get(name), self.last.get(name))
                }
                return
            # A run that went on afterwards and was killed has no newer summary.
            if meta.get("kind") == "recording" and meta.get("resumed"):
                later_step = int(meta["step"])

    def add(self, later: StoredSummary) -> None:
        """Adds what was recorded later."""
        for name, values in later.values.items():
            self.values.setdefault(name, ValueSummary()).add_summary(values)
            self._take_first(name, later._first_places[name], values.first)
        for name, place in later._last_places.items():
            self._take_last(name, place, later.last[name])
        self.said = later.said or {name: each for name, each in self.said.items() if name not in later.last}

    def shown(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the whole summary of an experiment with this meta, which defines its metrics."""
        found: dict[str, Any] = {}
        for name, value in self.last.items():
            asked = shown_of(definition_of(meta, name))
            if asked.is_there:
                found[name] = (self.values[name].of(asked) if name in self.values else {}) or value
        return {**found, **self.said}

    def _take_first(self, name: str, place: Place, value: float | None) -> None:
        if place <= self._first_places.get(name, place):
            self._first_places[name] = place
            self.values[name].first = value

    def _take_last(self, name: str, place: Place, value: float) -> None:
        if place >= self._last_places.get(name, place):
            self._last_places[name] = place
            self.last[name] = value
            if name in self.values:
                self.values[name].last = value

    def _is_at(self, name: str, step: int | None) -> bool:
        """Whether the metric has a value at this step or later."""
        return step is not None and name in self._last_places and self._last_places[name][0] >= step


def _place(step: int | None, timestamp_ms: int) -> Place:
    return NO_STEP if step is None else int(step), timestamp_ms
