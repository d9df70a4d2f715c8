"""The end of an import: a line for each run and series, and the whole as JSON."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from .._ground.warning import counted
from .._tensorboard.progress_bar import ProgressBar
from .comparison import ComparedSeries, Comparison, plain_comparison, plain_left_out
from .series_sums import Point, SeriesSums
from .source import LeftOut, SourceRun
from .survey import Survey

_SERIES_TOLD = 20
_LEFT_OUT_TOLD = 10


class Outcome(NamedTuple):
    """The outcome of one run."""

    run: SourceRun
    slug: str
    survey: Survey
    left_out: Counter[LeftOut]
    # None: a dry run, or one that failed.
    comparison: Comparison | None = None
    # Points that were stored now, not by an earlier import.
    new_points: int = 0
    files: tuple[dict[str, Any], ...] = ()
    # Why it was not imported, or not completely.
    problem: str = ""
    # Points and annotations that the service has refused.
    refusals: tuple[dict[str, Any], ...] = ()

    @property
    def is_whole(self) -> bool:
        is_equal = self.comparison is not None and self.comparison.is_equal
        return is_equal and not self.problem and not self.refusals and not self.run.problems


def tell(outcome: Outcome, out: ProgressBar, *, is_dry: bool) -> None:
    survey, comparison = outcome.survey, outcome.comparison
    shown = _Shown(out)
    if outcome.problem:
        shown(f"{outcome.slug}: not imported: {outcome.problem}")
    elif is_dry:
        shown(f"{outcome.slug}: would import {_content(survey)}, from {outcome.run.place}")
    else:
        assert comparison is not None, "BUG: an import without a comparison"
        verdict = "all equal to the source" if comparison.is_equal else "NOT EQUAL to the source"
        shown(f"{outcome.slug}: {_content(survey)}: {verdict}; {counted(outcome.new_points, 'new point')}")
        for kind, (source, stored) in comparison.counts.items():
            if source != stored:
                shown(f"  {kind}: {source:,} in the source, {stored:,} stored")
        _tell_series(comparison.series, shown)
        if comparison.others:
            shown(f"  not of the source: {', '.join(comparison.others[:_SERIES_TOLD])}")
    for each in outcome.files:
        again = ", stored earlier" if each.get("isNew") is False else ""
        shown(f"  {counted(each['files'], 'file')}: {each['artifact']} {each.get('version', '')}{again}".rstrip())
    for name, count in survey.rounded.most_common(_LEFT_OUT_TOLD):
        shown(f"  rounded to 64 bits: {counted(count, 'integer')} of {name}")
    for refusal in outcome.refusals:
        shown(f"  refused: {' '.join(f'{name} {value}' for name, value in refusal.items())}")
    for problem in outcome.run.problems:
        shown(f"  {problem}")
    for what, count in list(outcome.left_out.items())[:_LEFT_OUT_TOLD]:
        times = "" if count == 1 else f" ({count:,} times)"
        shown(f"  not carried: {what.what}{times}: {what.reason}")
    if len(outcome.left_out) > _LEFT_OUT_TOLD:
        shown(f"  and {len(outcome.left_out) - _LEFT_OUT_TOLD} more kinds that are not carried")


def write_report(path: Path, outcomes: list[Outcome], about: dict[str, Any]) -> None:
    """Writes the whole report as JSON, complete or not at all."""
    content = {**about, "runs": [_plain(each) for each in outcomes]}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace")
    os.replace(beside, path)


def _plain(outcome: Outcome) -> dict[str, Any]:
    run, survey = outcome.run, outcome.survey
    return {
        "slug": outcome.slug,
        "run": run.key,
        "place": run.place,
        "whole": outcome.is_whole,
        "problem": outcome.problem or None,
        "newPoints": outcome.new_points,
        "comparison": None if outcome.comparison is None else plain_comparison(outcome.comparison),
        "source": {
            f"{name}{meta if meta != '{}' else ''}": sums.plain() for (name, meta), sums in survey.series.items()
        }
        if outcome.comparison is None
        else None,
        "files": list(outcome.files),
        "rounded": dict(survey.rounded),
        "stepsThatRepeatOrGoBack": dict(survey.back),
        "refused": list(outcome.refusals),
        "problems": run.problems,
        "notCarried": plain_left_out(outcome.left_out),
    }


def _content(survey: Survey) -> str:
    parts = [counted(len(survey.series), "series", "series"), counted(survey.points, "point")]
    for count, one, many in (
        (survey.nonfinite, "value that is not finite", "values that are not finite"),
        (len(survey.texts), "text", "texts"),
        (len(survey.media), "picture, table or the like", "pictures, tables and the like"),
        (len(survey.notes), "annotation", "annotations"),
        (survey.lines, "line", "lines"),
    ):
        if count:
            parts.append(counted(count, one, many))
    return ", ".join(parts)


def _tell_series(series: list[ComparedSeries], shown: _Shown) -> None:
    # Those that differ come first.
    ordered = sorted(series, key=lambda each: (each.is_equal, each.key))
    for each in ordered[:_SERIES_TOLD]:
        shown(f"  {'=' if each.is_equal else '≠'} {each.key[0]}: {_sums(each.source)}")
        if not each.is_equal:
            shown(f"    stored: {'nothing' if each.stored is None else _sums(each.stored)}")
    if len(ordered) > _SERIES_TOLD:
        shown(f"  and {len(ordered) - _SERIES_TOLD:,} more series: --report FILE has all of them")


def _sums(sums: SeriesSums) -> str:
    first, last = _point(sums.first), _point(sums.last)
    return f"{sums.count:,}, first {first}, last {last}, sum {sums.sum!r}, digest {sums.digest[:12]}"


def _point(point: Point | None) -> str:
    return "nothing" if point is None else f"{point.value!r} at {point.step}"


class _Shown:
    """Prints lines without control characters, which no terminal may get: names may have any."""

    def __init__(self, out: ProgressBar) -> None:
        self._out = out

    def __call__(self, text: str) -> None:
        plain = "".join(each if each.isprintable() else "\ufffd" for each in text)
        print(plain, file=self._out, flush=True)
