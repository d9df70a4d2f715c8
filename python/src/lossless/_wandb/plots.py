"""`wandb.plot`: stores the kind of plot and its numbers, for pages that draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._ground.signal_handlers import is_of_signal_handler
from .._ground.unsupported import Unsupported
from .._ground.warning import warn
from .._media.media import Plot, Table

# Points of a curve at most, besides its ends: it has one for each score.
_POINTS_MAX = 1_000
# Curves of a plot at most: they share the rows of a table, and more would leave too few for each.
_CURVES_MAX = 500
# Classes of a confusion matrix at most, whose cells are such rows, too.
_CLASSES_MAX = 100
# Scores at most: they are processed one by one, while the training waits.
_SCORES_MAX = 1_000_000


class Plots:
    def line(
        self, table: Any, x: Any = None, y: Any = None, stroke: Any = None, title: str = "", *_: Any, **__: Any
    ) -> Plot:
        return Plot("line", _given(x=x, y=y, stroke=stroke, title=title), table)

    def scatter(self, table: Any, x: Any = None, y: Any = None, title: str = "", *_: Any, **__: Any) -> Plot:
        return Plot("scatter", _given(x=x, y=y, title=title), table)

    def bar(self, table: Any, label: Any = None, value: Any = None, title: str = "", *_: Any, **__: Any) -> Plot:
        return Plot("bar", _given(label=label, value=value, title=title), table)

    def histogram(self, table: Any, value: Any = None, title: str = "", *_: Any, **__: Any) -> Plot:
        return Plot("histogram", _given(value=value, title=title), table)

    def line_series(
        self, xs: Any = (), ys: Any = (), keys: Any = None, title: str = "", xname: str = "x", *_: Any, **__: Any
    ) -> Plot:
        fields = _given(x="x", y="y", stroke="key", title=title, xname=xname)
        return Plot("line_series", fields, _made(lambda: _series(xs, ys, keys)))

    def confusion_matrix(
        self,
        probs: Any = None,
        y_true: Any = None,
        preds: Any = None,
        class_names: Any = None,
        title: str = "",
        *_: Any,
        **__: Any,
    ) -> Plot:
        """Counts pairs of classes (rows: the truth), by the most probable one or by `preds`."""
        fields = _given(actual="Actual", predicted="Predicted", value="nPredictions", title=title)
        return Plot("confusion_matrix", fields, _made(lambda: _confusion(probs, y_true, preds, class_names)))

    def roc_curve(self, *scored: Any, title: str = "", **named: Any) -> Plot:
        """
        Draws a line for each class: the share of it that is found, against the share of others
        found with it. Takes `y_true`, `y_probas`, `labels` and `classes_to_plot`.
        """
        fields = _given(x="fpr", y="tpr", stroke="class", title=title or "ROC")
        return Plot("line", fields, _made(lambda: _roc(_Scored(*scored, **named))))

    def pr_curve(self, *scored: Any, title: str = "", **named: Any) -> Plot:
        """The same with the share of the found ones that belong to the class."""
        fields = _given(x="recall", y="precision", stroke="class", title=title or "Precision v. Recall")
        return Plot("line", fields, _made(lambda: _precision(_Scored(*scored, **named))))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(f"{self!r} has no attribute {name!r}")
        return Unsupported(f"plot.{name}", hint="; log its numbers as a Table, or a figure of matplotlib")

    def __repr__(self) -> str:
        return "<lossless: plot>"


def _made(rows_of: Callable[[], Table]) -> Table | Exception:
    """
    Computes the numbers at once, since scripts reuse their buffers. An error is reported when the
    plot is logged.
    """
    try:
        return rows_of()
    except Exception as error:
        if is_of_signal_handler(error):
            raise
        # Its frames would keep the script's values alive.
        return error.with_traceback(None)


def _series(xs: Any, ys: Any, keys: Any) -> Table:
    rows: list[list[Any]] = []
    for place, y in enumerate(_lists(ys)):
        x = _lists(xs)[place] if _is_nested(xs) else list(xs)
        key = str(keys[place]) if keys is not None else f"line {place}"
        rows += [[one, key, other] for one, other in zip(x, y)]
    return Table(columns=["x", "key", "y"], data=rows)


def _confusion(probs: Any, y_true: Any, preds: Any, class_names: Any) -> Table:
    _limit(len(y_true), len(probs[0]) if preds is None else 1)
    truth = _numbers(y_true)
    guesses = _numbers(preds) if preds is not None else [_largest(row) for row in _lists(probs)]
    count = max([*truth, *guesses, -1]) + 1
    names = (
        [str(each) for each in class_names] if class_names is not None else [f"Class_{each}" for each in range(count)]
    )
    if len(names) > _CLASSES_MAX:
        raise ValueError(f"a confusion matrix has up to {_CLASSES_MAX} classes, not {len(names)}")
    counts: dict[tuple[int, int], int] = {}
    for actual, guess in zip(truth, guesses):
        counts[actual, guess] = counts.get((actual, guess), 0) + 1
    rows = [[names[a], names[b], counts.get((a, b), 0)] for a in range(len(names)) for b in range(len(names))]
    return Table(columns=["Actual", "Predicted", "nPredictions"], data=rows)


class _Scored:
    """Scores of a classifier: `y_probas` has a column for each class, in order."""

    def __init__(
        self, y_true: Any, y_probas: Any, labels: Any = None, classes_to_plot: Any = None, *_: Any, **__: Any
    ) -> None:
        _limit(len(y_true), 1)
        truth = y_true.tolist() if hasattr(y_true, "tolist") else list(y_true)
        widths = {y_probas.shape[1]} if hasattr(y_probas, "shape") else {len(row) for row in y_probas}
        if len(truth) != len(y_probas) or len(widths) != 1:
            raise ValueError("y_probas has a row for each of y_true, with a number for each class")
        places = _places(sorted(set(truth)), widths.pop())
        wanted = [each for each in places if classes_to_plot is None or each in classes_to_plot]
        if len(wanted) > _CURVES_MAX:
            warn("plot classes", f"of {len(wanted)} classes the first {_CURVES_MAX} get a curve: see classes_to_plot")
        self._places = {each: places[each] for each in wanted[:_CURVES_MAX]}
        _limit(len(truth), len(self._places))
        self._points = min(_POINTS_MAX, Table.MAX_ROWS // max(1, len(self._places)) - 2)
        self._truth, self._scores, self._labels = truth, y_probas, labels

    def lines(self) -> Iterator[tuple[str, list[tuple[int, int]], int, int]]:
        """
        Yields for each class its name, how many of it and of others have each score or more, and
        the totals.
        """
        for each, place in self._places.items():
            name = str(each if self._labels is None else self._labels[place])
            pairs = sorted(((score, own == each) for score, own in zip(self._column(place), self._truth)), reverse=True)
            found, counts = [0, 0], []
            for at, (score, is_it) in enumerate(pairs):
                found[0 if is_it else 1] += 1
                if at + 1 == len(pairs) or pairs[at + 1][0] != score:
                    counts.append((found[0], found[1]))
            every = max(1, -(-len(counts) // self._points))
            yield name, [*counts[:-1:every], counts[-1]], found[0], found[1]

    def _column(self, place: int) -> list[float]:
        scores = self._scores
        column = scores[:, place].tolist() if hasattr(scores, "shape") else [row[place] for row in scores]
        numbers = [float(each) for each in column]
        if any(each != each for each in numbers):
            raise ValueError("a score is NaN")
        return numbers


def _places(classes: list[Any], columns: int) -> dict[Any, int]:
    """
    Returns the columns of the classes: where some are missing in the truth, their numbers are the
    columns.
    """
    if len(classes) == columns:
        return {each: place for place, each in enumerate(classes)}
    if all(isinstance(each, int) and 0 <= each < columns for each in classes):
        return {each: int(each) for each in classes}
    raise ValueError(
        f"y_true has {len(classes)} classes and y_probas {columns} columns: give classes as numbers of columns, from 0"
    )


def _limit(rows: int, columns: int) -> None:
    if rows * columns > _SCORES_MAX:
        raise ValueError(f"it has more than {_SCORES_MAX} scores: give it fewer")


def _roc(scored: _Scored) -> Table:
    rows: list[list[Any]] = []
    for name, counts, own, others in scored.lines():
        rows += [[name, wrong / max(others, 1), right / max(own, 1)] for right, wrong in [(0, 0), *counts]]
    return Table(columns=["class", "fpr", "tpr"], data=rows)


def _precision(scored: _Scored) -> Table:
    rows: list[list[Any]] = []
    for name, counts, own, _ in scored.lines():
        rows += [[name, right / max(own, 1), right / (right + wrong)] for right, wrong in counts]
    return Table(columns=["class", "recall", "precision"], data=rows)


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _lists(values: Any) -> list[list[Any]]:
    values = values.tolist() if hasattr(values, "tolist") else values
    return [each.tolist() if hasattr(each, "tolist") else list(each) for each in values or ()]


def _is_nested(values: Any) -> bool:
    return (
        isinstance(values, Sequence)
        and len(values) > 0
        and (hasattr(values[0], "__len__") and not isinstance(values[0], str))
    )


def _numbers(values: Any) -> list[int]:
    values = values.tolist() if hasattr(values, "tolist") else values
    return [int(each) for each in values or ()]


def _largest(row: list[Any]) -> int:
    return max(range(len(row)), key=lambda place: float(row[place]))
