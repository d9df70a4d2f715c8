"""Compares a run of the source with its content in the store."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from .._service.service import Service
from .run_import import RunImport
from .series_sums import SeriesSums
from .source import LeftOut
from .stored_run import stored_lines, stored_series
from .survey import SeriesKey, Survey


class ComparedSeries(NamedTuple):
    key: SeriesKey
    source: SeriesSums
    # None: the store has no such series.
    stored: SeriesSums | None

    @property
    def is_equal(self) -> bool:
        return self.source == self.stored


class Comparison(NamedTuple):
    series: list[ComparedSeries]
    # Annotations and lines, by kind: how many the source has, and how many the store.
    counts: dict[str, tuple[int, int]]
    # Series of the experiment that are not of the source.
    others: list[str]

    @property
    def is_equal(self) -> bool:
        return all(each.is_equal for each in self.series) and all(
            source == stored for source, stored in self.counts.values()
        )

    @property
    def points(self) -> int:
        return sum(each.source.count for each in self.series)


def compared(survey: Survey, sent: RunImport, service: Service) -> Comparison:
    """Reads everything back."""
    sent.notes.read(service, sent.experiment_id)
    stored = stored_series(service, sent.experiment_id, sent.notes)
    series = [ComparedSeries(key, sums, stored.get(key)) for key, sums in survey.series.items()]
    expected = {"texts": survey.texts, "pictures, tables and the like": survey.media, "annotations": survey.notes}
    counts = {kind: (len(ids), len(ids & sent.notes.ids)) for kind, ids in expected.items() if ids}
    if survey.lines_of:
        lines = stored_lines(service, sent.experiment_id)
        for part, count in survey.lines_of.items():
            kind = f"lines of the console {part}".rstrip()
            counts[kind] = count, lines.get(sent.console_id(part), 0)
    others = [name for name, _ in stored if all(name != key[0] for key in survey.series)]
    return Comparison(series, counts, others)


def plain_comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "equal": comparison.is_equal,
        "series": [
            {
                "name": each.key[0],
                "meta": each.key[1],
                "equal": each.is_equal,
                "source": each.source.plain(),
                "stored": None if each.stored is None else each.stored.plain(),
            }
            for each in comparison.series
        ],
        "counts": {kind: {"source": source, "stored": stored} for kind, (source, stored) in comparison.counts.items()},
        "otherSeries": comparison.others,
    }


def plain_left_out(left_out: Counter[LeftOut]) -> list[dict[str, Any]]:
    return [{"what": each.what, "reason": each.reason, "count": count} for each, count in left_out.items()]
