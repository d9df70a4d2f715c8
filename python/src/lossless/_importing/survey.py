"""Counts the content of a run of the source: by these counts it is compared afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from .._ground.wire_numbers import ANNOTATION_CHARACTERS_MAX
from .mapping import NONFINITE_MAX, NamedMetrics, is_rounded, problem_of, stored_value
from .series_sums import SeriesSums
from .source import LeftOut, Line, Logged, Note, Number, SourceRun, Text

# Series by their name and the meta of their points in JSON, which has the original name of some.
SeriesKey = tuple[str, str]


class Survey:
    def __init__(self) -> None:
        self.series: dict[SeriesKey, SeriesSums] = {}
        self.points = 0
        self.nonfinite = 0
        # Ids of annotations, which the store has no others for.
        self.texts: set[str] = set()
        self.notes: set[str] = set()
        self.media: set[str] = set()
        # Lines of the console, by their part.
        self.lines_of: Counter[str] = Counter()
        # Integers that no 64-bit number equals, by metric.
        self.rounded: Counter[str] = Counter()
        # Steps that are not above the one before them in the source, by metric.
        self.back: Counter[str] = Counter()
        # Values that have no place among the points. The source counts what it leaves out itself.
        self.left_out: Counter[LeftOut] = Counter()

    @property
    def lines(self) -> int:
        return sum(self.lines_of.values())

    @property
    def items(self) -> int:
        annotations = len(self.texts) + len(self.notes) + len(self.media)
        return self.points + self.nonfinite + annotations + self.lines


def surveyed(run: SourceRun, format: str, is_stopped: Callable[[], bool]) -> Survey | None:
    """Reads all of the run's content; None: it was stopped."""
    survey = Survey()
    names = NamedMetrics()
    steps: dict[str, int] = {}
    for place, item in enumerate(run.items()):
        if place % 1_000 == 0 and is_stopped():
            return None
        if isinstance(item, Number):
            _count(survey, names, steps, item)
        elif isinstance(item, Text):
            survey.texts.add(f"{format}-{item.id}")
            if len(item.name) + 2 + len(item.text) > ANNOTATION_CHARACTERS_MAX:
                reason = f"an annotation has {ANNOTATION_CHARACTERS_MAX} characters"
                survey.left_out[LeftOut(f"the end of the text {item.name}", reason)] += 1
        elif isinstance(item, Logged):
            survey.media.update(media_ids(f"{format}-{item.id}", len(item.media)))
        elif isinstance(item, Line):
            survey.lines_of[item.part] += 1
        else:
            assert isinstance(item, Note)
            survey.notes.add(f"{format}-{item.id}")
    return survey


def media_ids(id: str, count: int) -> list[str]:
    """Returns the ids of media that were logged together, as media_notes makes them."""
    return [id] if count == 1 else [f"{id}.{index}" for index in range(count)]


def _count(survey: Survey, names: NamedMetrics, steps: dict[str, int], item: Number) -> None:
    problem = problem_of(item)
    value = stored_value(item.value)
    if problem is None and value - value != 0 and survey.nonfinite >= NONFINITE_MAX:
        reason = f"only the first {NONFINITE_MAX} values of a run that are not finite are kept"
        problem = LeftOut(f"values of {item.name}", reason)
    if problem is not None:
        survey.left_out[problem] += 1
        return
    if value - value == 0:
        survey.points += 1
    else:
        survey.nonfinite += 1
    if is_rounded(item.value):
        survey.rounded[item.name] += 1
    if item.step <= steps.get(item.name, -1):
        survey.back[item.name] += 1
    steps[item.name] = item.step
    name, _, meta = names.of(item.name)
    sums = survey.series.get((name, meta))
    if sums is None:
        sums = survey.series[name, meta] = SeriesSums()
    sums.add(item.step, item.timestamp_ms, value)
